/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align ibm2, align words: word alignments of parallel text, learned from it alone or by a
 * model's hidden states.
 */
#include "analyse/links/ibm2.h"
#include "analyse/links/symmetrise.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "cli/signals.h"
#include "corpus/read/parallel_text.h"
#include "evaluate/align_words.h"
#include "model/device/device_name.h"
#include "text/lowercase.h"
#include "text/tokenizer/unknown_pieces.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "0-0 1-2" */
static ig_code put_links(const ig_out *out, const int32_t *pair, int32_t n, ig_err *err)
{
    for (int32_t i = 0; i < n; i++)
        fprintf(out->fp, "%s%d-%d", i > 0 ? " " : "", pair[2 * i], pair[2 * i + 1]);
    putc('\n', out->fp);
    return ferror(out->fp)
               ? ig_fail(err, IG_ERR_IO, out->path, 0, "cannot write: %s", strerror(errno))
               : IG_ERR_OK;
}

/* --- ibm2 ------------------------------------------------------------------------------------- */

typedef struct {
    char *ids, *out;
    ig_text_list more;
    ig_ibm2_options o;
    int64_t take;
    int threads;
    bool learn_tension, lowercase;
    ig_links_rule symmetrise;
} ibm2_config;

static const ig_option ibm2_options[] = {
    {IG_TEXTS(ibm2_config, "more", more, "FILE",
              "more parallel text to learn from, two columns with a tab between; not written")},
    {IG_TEXT(ibm2_config, "ids", ids, NULL, "SET", "verses: NT, OT, 40-66, … (docs/formats.md)")},
    {IG_INT(ibm2_config, "take", take, "0", 0, 9e15, "the first N pairs; 0: all")},
    {IG_FLAG(ibm2_config, "lowercase", lowercase, NULL, "ignore case")},
    {IG_ENUM(ibm2_config, "symmetrise", symmetrise, "grow-diag-final-and", ig_links_rule_names,
             "which links of the two directions are written")},
    {IG_INT(ibm2_config, "iterations", o.iterations, "5", 1, IG_IBM2_MAX,
            "updates of each direction")},
    {IG_REAL(ibm2_config, "alpha", o.alpha, "0.01", 0, 100,
             "of the Dirichlet prior of translations; 0: none")},
    {IG_REAL(ibm2_config, "null", o.none, "0.08", 0, 0.99,
             "probability that a word comes from none")},
    {IG_REAL(ibm2_config, "tension", o.tension, "4", 0.1, 40,
             "how much links keep to the diagonal; with --learn-tension, to begin with")},
    {IG_FLAG(ibm2_config, "learn-tension", learn_tension, NULL, "learn the tension, too")},
    {IG_PATH(ibm2_config, "out", out, "FILE", "write there instead of to standard output")},
    {IG_INT(ibm2_config, "threads", threads, "0", 0, 1024,
            "threads; 0: all processors; the result is the same for any number")},
};

typedef struct {
    const ibm2_config *c;
    ig_bitext text;
    ig_lowercase *lower;
    char *kept; /* the first sentence of a pair, while the second becomes lower case */
    int64_t have_kept;
    int64_t n_own_pairs; /* pairs whose links are written; those of --more follow */
    int32_t *partner[2]; /* of the words of sides 1 and 0 */
} job;

static ig_code add(job *j, const char *const text[2], ig_err *err)
{
    const char *lower[2] = {text[0], text[1]};
    for (int s = 0; s < 2 && j->lower != NULL; s++) {
        int64_t n = (int64_t)strlen(text[s]);
        IG_TRY(ig_lowercase_text(j->lower, &lower[s], &n, err));
        if (s == 1)
            break;
        IG_TRY(ig_grow(&j->kept, &j->have_kept, n + 1, 1, "sentence", err));
        memcpy(j->kept, lower[0], (size_t)n);
        j->kept[n] = '\0';
        lower[0] = j->kept;
    }
    return ig_bitext_add(&j->text, lower, err);
}

static ig_code read_pairs(job *j, const char *a, const char *b, const char *ids, int64_t take,
                          ig_err *err)
{
    ig_parallel *p;
    const char *text[2];
    IG_TRY(ig_parallel_open(&p, a, b, ids, err));
    ig_code code = ig_parallel_next(p, text, err);
    for (int64_t n = 1; code == IG_ERR_OK && text[0] != NULL; n++) {
        code = add(j, text, err);
        if (take > 0 && n == take)
            break;
        IG_THEN(code, ig_parallel_next(p, text, err));
    }
    ig_parallel_close(p);
    return code;
}

static ig_code read_all(job *j, int n_arg, char *const *arg, ig_err *err)
{
    if (j->c->lowercase)
        IG_TRY(ig_lowercase_new(&j->lower, err));
    IG_TRY(read_pairs(j, arg[0], n_arg > 1 ? arg[1] : NULL, j->c->ids, j->c->take, err));
    j->n_own_pairs = j->text.n;
    for (int i = 0; i < j->c->more.n; i++)
        IG_TRY(read_pairs(j, j->c->more.text[i], NULL, NULL, 0, err));
    return j->text.n > 0 ? IG_ERR_OK
                         : ig_fail(err, IG_ERR_INPUT, arg[0], 0,
                                   "found no sentence pair, expected at least one");
}

static ig_code learn(job *j, ig_err *err)
{
    const ibm2_config *c = j->c;
    ig_ibm2_options o = c->o;
    o.fixed_tension = !c->learn_tension;
    o.stop = ig_signals_catch();
    ig_team *team = NULL;
    IG_TRY(ig_team_new(&team, c->threads, err));
    ig_code code = IG_ERR_OK;
    for (int from = 0; from < 2 && code == IG_ERR_OK; from++) {
        ig_ibm2_report r;
        const int64_t n = j->text.first[1 - from][j->text.n];
        code = ig_alloc(&j->partner[from], n, sizeof *j->partner[from], "links", err);
        IG_THEN(code, ig_ibm2_align(j->partner[from], &r, &(ig_ibm2_task){&j->text, from}, &o, team,
                                    err));
        if (code == IG_ERR_OK)
            ig_log(IG_LOG_NORMAL, "%s: %.3f nats a word before the last update, tension %.2f",
                   from == 0 ? "forward" : "backward",
                   -r.log_likelihood[o.iterations - 1] / (double)n, r.tension);
    }
    ig_team_free(team);
    return code;
}

static ig_code write_links(const job *j, const ig_out *out, ig_err *err)
{
    const ig_bitext *t = &j->text;
    int32_t n;
    IG_OWNED int32_t *pair = NULL;
    int64_t have = 0;
    for (int64_t p = 0; p < j->n_own_pairs; p++) {
        const int n_a = (int)(t->first[0][p + 1] - t->first[0][p]),
                  n_b = (int)(t->first[1][p + 1] - t->first[1][p]);
        IG_TRY(ig_grow(&pair, &have, 2 * ((int64_t)n_a * n_b + 1), sizeof *pair, "links", err));
        IG_TRY(ig_links_symmetrise(pair, &n,
                                   &(ig_both_links){j->partner[0] + t->first[1][p], n_b,
                                                    j->partner[1] + t->first[0][p], n_a},
                                   j->c->symmetrise, err));
        IG_TRY(put_links(out, pair, n, err));
    }
    return IG_ERR_OK;
}

static ig_code work(job *j, int n_arg, char *const *arg, ig_err *err)
{
    ig_out out;
    IG_TRY(read_all(j, n_arg, arg, err));
    IG_TRY(ig_out_new(&out, j->c->out, err));
    ig_signals_answer("\nstopping\n");
    ig_code code = learn(j, err);
    ig_signals_release();
    IG_THEN(code, write_links(j, &out, err));
    return ig_out_close(&out, code, err);
}

static ig_code run_align_ibm2(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    job j = {.c = settings};
    ig_code code = work(&j, n_arg, arg, err);
    ig_bitext_free(&j.text);
    ig_lowercase_free(j.lower);
    IG_FREE(j.kept, j.partner[0], j.partner[1]);
    return code;
}

const ig_command ig_cmd_align_ibm2 = {
    .name = "align ibm2",
    .summary = "align the words of parallel text by cooccurrence (IBM Model 2)",
    .args = "A [B]",
    .details =
        "A and B are parallel by line, or texts of verses, which are joined by their ids; A "
        "alone has two columns separated by a tab. Words are separated by white space. Writes a "
        "line of links ('0-0 1-2') for each pair, counted from 0. The prior prefers the "
        "diagonal, as in fast_align (Dyer et al. 2013).\n"
        "  isoglot align ibm2 eng-kjv.tsv.zst deu-elb1905.tsv.zst --ids NT --lowercase > en-de\n"
        "  isoglot align ibm2 gold.tsv --more europarl.tsv --lowercase | isoglot align score - "
        "gold.tsv",
    IG_COMMAND_OPTIONS(ibm2_options, ibm2_config),
    .run = run_align_ibm2,
};

/* --- words ------------------------------------------------------------------------------------ */

typedef struct {
    ig_align_options o;
    char *out;
    bool tsv, json;
} words_config;

static const char *const methods[] = {"argmax", "match", "itermax", NULL};
static const char *const units[] = {"word", "token", "piece", NULL};

static const ig_option words_options[] = {
    {IG_PATH(words_config, "model", o.model, "DIR",
             "model folder with vocab.txt, or a run (its newest checkpoint)")},
    {IG_INT_AS(words_config, "layer", o.layer, "-1", "L", -1, 1000,
               "layer whose states are compared; -1: two thirds up (8 of 12)")},
    {IG_ENUM(
        words_config, "method", o.method, "argmax", methods,
        "each the other's nearest, the matching of greatest sum, or the nearest and then those "
        "of words without a link, as SimAlign's itermax")},
    {IG_ENUM(words_config, "unit", o.unit, "word", units,
             "units that positions count: words between white space, the model's words, pieces")},
    {IG_TEXT(words_config, "ids", o.ids, NULL, "SET",
             "verses: NT, OT, 40-66, … (docs/formats.md)")},
    {IG_INT(words_config, "take", o.take, "0", 0, 9e15, "the first N pairs; 0: all")},
    {IG_FLAG(words_config, "lowercase", o.lowercase, NULL,
             "an uncased model; default: as its tokenizer_config.json says")},
    {IG_UNKNOWN_OPTION(words_config, o.allow_unknown)},
    {IG_FLAG(words_config, "tsv", tsv, NULL,
             "write both sentences before the links, with tabs between")},
    {IG_FLAG(words_config, "json", json, NULL,
             "write a JSON object a line: sentences a and b, links")},
    {IG_PATH(words_config, "out", out, "FILE", "write there instead of to standard output")},
    {IG_DEVICE_OPTION(words_config, o.device)},
    {IG_INT(words_config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the result is the same for any number")},
};

typedef struct {
    const words_config *c;
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
    if (s->c->json)
        return write_json(s, p, err);
    if (s->c->tsv)
        fprintf(s->out.fp, "%s\t%s\t", p->text[0], p->text[1]);
    return put_links(&s->out, p->pairs, p->n, err);
}

static ig_code run_align_words(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const words_config *c = settings;
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
               (long long)r.n_pair, ig_s(r.n_pair), (long long)r.n_link, ig_s(r.n_link), r.layer,
               n_piece > 0 ? 100 * (double)n_unknown / (double)n_piece : 0.0,
               r.n_cut > 0 ? "; some pairs are longer than the model and lost their ends" : "");
    return code;
}

const ig_command ig_cmd_align_words = {
    .name = "align words",
    .summary = "align the words of parallel text with a model's hidden states",
    .args = "A [B]",
    .details =
        "A and B are parallel by line, or texts of verses, which are joined by their ids; A "
        "alone has two columns separated by a tab. Writes a line of links ('0-0 1-2') for each "
        "pair, counted from 0; with --json an object: {\"a\": \"the cat\", \"b\": \"die Katze\", "
        "\"links\": [[0, 0], [1, 1]]}.\n"
        "  isoglot align words eng-kjv.tsv.zst deu-elb1905.tsv.zst --model mbert --ids NT > "
        "en-de\n"
        "  isoglot align words gold.tsv --model mbert --method match | isoglot align score - "
        "gold.tsv",
    IG_COMMAND_OPTIONS(words_options, words_config),
    .run = run_align_words,
};
