/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align words: word alignments of parallel text by a model.
 */
#include "base/file.h"

#include "base/log.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "cli/signals.h"
#include "evaluate/align_words.h"
#include "text/tokenizer/unknown_pieces.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_align_options o;
    char *out;
    bool tsv, json;
} config;

static const char *const methods[] = {"argmax", "match", NULL};
static const char *const units[] = {"word", "token", "piece", NULL};

static const ig_option options[] = {
    {IG_PATH(config, "model", o.model, "DIR",
             "model folder with vocab.txt, or a run (its newest checkpoint)")},
    {IG_INT_AS(config, "layer", o.layer, "-1", "L", -1, 1000,
               "layer whose states are compared; -1: two thirds up (8 of 12)")},
    {IG_ENUM(config, "method", o.method, "argmax", methods,
             "each the other's nearest, or the matching of greatest sum")},
    {IG_ENUM(config, "unit", o.unit, "word", units,
             "what a place counts: words between white space, BERT's words, pieces")},
    {IG_TEXT(config, "ids", o.ids, NULL, "SET", "verses: NT, OT, 40-66, … (docs/formats.md)")},
    {IG_INT(config, "take", o.take, "0", 0, 9e15, "the first N pairs; 0: all")},
    {IG_FLAG(config, "lowercase", o.lowercase, NULL,
             "an uncased model; default: as its tokenizer_config.json says")},
    {IG_UNKNOWN_OPTION(config, o.allow_unknown)},
    {IG_FLAG(config, "tsv", tsv, NULL, "write both sentences before the links, with tabs between")},
    {IG_FLAG(config, "json", json, NULL, "write a JSON object a line: sentences a and b, links")},
    {IG_PATH(config, "out", out, "FILE", "write there instead of to standard output")},
    {IG_INT(config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the result is the same for any number")},
};

typedef struct {
    const config *c;
    ig_out out;
} sink;

static ig_code write_json(const sink *s, const ig_aligned *p, ig_err *err)
{
    json_t *links = json_array();
    for (int32_t i = 0; i < p->n; i++)
        json_array_append_new(links, json_pack("[i, i]", p->pairs[2 * i], p->pairs[2 * i + 1]));
    return ig_json_line(
        json_pack("{s:s, s:s, s:o}", "a", p->text[0], "b", p->text[1], "links", links), s->out.fp,
        s->out.path, err);
}

static ig_code write_pair(void *arg, const ig_aligned *p, ig_err *err)
{
    const sink *s = arg;
    FILE *fp = s->out.fp;
    if (s->c->json)
        return write_json(s, p, err);
    if (s->c->tsv)
        fprintf(fp, "%s\t%s\t", p->text[0], p->text[1]);
    for (int32_t i = 0; i < p->n; i++)
        fprintf(fp, "%s%d-%d", i > 0 ? " " : "", p->pairs[2 * i], p->pairs[2 * i + 1]);
    putc('\n', fp);
    return ferror(fp) ? ig_fail(err, IG_ERR_IO, s->out.path, 0, "cannot write: %s", strerror(errno))
                      : IG_ERR_OK;
}

static ig_code run_align_words(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_align_report r;
    sink s = {.c = c};
    if (c->o.model == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "not given, expected a model folder");
    if (c->tsv && c->json)
        return ig_fail(err, IG_ERR_USAGE, "--json", 0,
                       "found beside --tsv, expected one of the two");
    IG_TRY(ig_out_new(&s.out, c->out, err));
    ig_signals_answer("\nstopping\n");
    ig_align_options o = c->o;
    o.a = arg[0];
    o.b = n_arg > 1 ? arg[1] : NULL;
    o.stop = ig_signals_catch();
    ig_code code = ig_align_words(&r, &o, write_pair, &s, err);
    ig_signals_release();
    code = ig_out_close(&s.out, code, err);
    const int64_t n_piece = r.unknown[0].n_piece + r.unknown[1].n_piece,
                  n_unknown = r.unknown[0].n_unknown + r.unknown[1].n_unknown;
    if (code == IG_ERR_OK)
        ig_log(IG_LOG_NORMAL,
               "%lld pair%s, %lld link%s at layer %d; %.1f %% of the pieces are unknown%s",
               (long long)r.n_pair, r.n_pair == 1 ? "" : "s", (long long)r.n_link,
               r.n_link == 1 ? "" : "s", r.layer,
               n_piece > 0 ? 100 * (double)n_unknown / (double)n_piece : 0.0,
               r.n_cut > 0 ? "; some pairs are longer than the model and lost their ends" : "");
    return code;
}

const ig_command ig_cmd_align_words = {
    .name = "align words",
    .summary = "align the words of parallel text with a model's hidden states",
    .args = "A [B]",
    .min_arg = 1,
    .max_arg = 2,
    .details =
        "A and B are parallel by line, or texts of verses, which are joined by their ids; A "
        "alone has two columns separated by a tab. Writes a line of links ('0-0 1-2') for each "
        "pair, counted from 0; with --json an object: {\"a\": \"the cat\", \"b\": \"die Katze\", "
        "\"links\": [[0, 0], [1, 1]]}.\n"
        "  isoglot align words eng-kjv.tsv.zst deu-elb1905.tsv.zst --model mbert --ids NT > "
        "en-de\n"
        "  isoglot align words gold.tsv --model mbert --method match | isoglot align score - "
        "gold.tsv",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_align_words,
};
