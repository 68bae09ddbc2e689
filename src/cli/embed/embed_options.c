/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares the text before embeddings are trained, and writes and describes them after training.
 */
#include "cli/embed/embed_options.h"

#include "base/log.h"
#include "cli/embed/context_options.h"
#include "cli/print/json_print.h"

#include <stdio.h>

const char *const ig_word_split_names[] = {"blanks", "words", NULL};

/* The original programs read whole lines, too, unless sentences are requested. */
static bool whole_lines(const ig_embed_config *c)
{
    return c->text.o.whole_lines || (!c->text.o.clauses && !c->text.o.abbreviations);
}

static ig_code read_text(ig_embedding *e, int n_arg, char *const *arg, ig_err *err)
{
    const ig_embed_config *c = e->config;
    static const char *const standard_input[] = {"-"};
    ig_embed_input_options o = {.words = {.split = (ig_text_split)c->split,
                                          .lowercase = c->lowercase,
                                          .min_count = c->min_count,
                                          .line_end = e->line_end,
                                          .max_line = e->max_line,
                                          .allow_unknown = c->allow_unknown},
                                .vocab = c->vocab};
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the vectors");
    if (c->as == IG_VEC_FASTTEXT) {
        ig_fail(err, IG_ERR_USAGE, "--as", 0, "found fasttext, expected text, plain or binary");
        return ig_hint(err, "'isoglot embed fasttext --save FILE' writes a fastText model");
    }
    IG_TRY(ig_text_config_resolve(&o.text, &c->text, err));
    o.text.whole_lines = whole_lines(c);
    IG_TRY(ig_out_try(c->out, err));
    IG_TRY(ig_team_new(&e->team, (int)c->threads, err));
    return ig_embed_input(&e->text, n_arg > 0 ? (const char *const *)arg : standard_input,
                          n_arg > 0 ? n_arg : 1, &o, err);
}

ig_code ig_embed_begin(ig_embedding *e, int n_arg, char *const *arg, ig_err *err)
{
    const ig_code code = read_text(e, n_arg, arg, err);
    e->facts = ig_context_facts(&e->text);
    e->start = ig_clock();
    return code;
}

void ig_embed_warn_long(int64_t n)
{
    if (n == 1)
        ig_log(IG_LOG_NORMAL,
               "warning: 1 word of the text is too long to be a word and was left out");
    else if (n > 1)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words of the text are too long to be words and were left out",
               (long long)n);
}

/* Vectors of next to no text are little else than the random ones that they began as. */
static void warn_of_little(const ig_vectors *v, const json_t *facts)
{
    enum { FEW_WORDS = 1000, FEW_TIMES = 10 };
    const json_t *trained = json_object_get(facts, "words_trained");
    const int64_t n_word = json_integer_value(json_object_get(facts, "words_in_vocabulary")),
                  n_trained = json_integer_value(trained);
    if (n_word < FEW_WORDS)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words of text are too few for vectors that mean anything",
               (long long)n_word);
    else if (trained != NULL && n_trained / FEW_TIMES < v->n)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words were trained in all epochs, too few for %lld vectors that mean "
               "anything",
               (long long)n_trained, (long long)v->n);
}

/* All or none. */
static ig_code write_vectors(const ig_embed_config *c, const ig_vectors *v, ig_out *with,
                             ig_err *err)
{
    ig_out out;
    IG_TRY(ig_out_open(&out, c->out, err));
    ig_code code = ig_vectors_put(v, &out, (ig_vec_format)c->as, err);
    IG_THEN(code, ig_out_flush(&out, err));
    if (with->fp != NULL)
        code = ig_out_close(with, code, err);
    return ig_out_close(&out, code, err);
}

static ig_code finish(ig_embedding *e, const ig_command *command, const void *settings, ig_err *err)
{
    const ig_embed_config *c = e->config;
    json_t *facts = e->facts;
    const char *key;
    json_t *value, *all = json_object();
    json_t *set = ig_options_json(command->options, settings);
    json_object_set_new(set, "whole_lines", json_boolean(whole_lines(c)));
    ig_code code = write_vectors(c, &e->v, &e->with, err);
    if (code == IG_ERR_OK) {
        ig_embed_warn_long(json_integer_value(json_object_get(facts, "words_too_long")));
        warn_of_little(&e->v, facts);
    }
    if (code == IG_ERR_OK && c->json) {
        json_object_set(all, "settings", set);
        json_object_update(all, facts);
        code = ig_json_print(all, err);
        all = NULL;
    } else if (code == IG_ERR_OK) {
        json_object_foreach(set, key, value) ig_json_print_value(key, 20, value);
        printf("\n");
        json_object_foreach(facts, key, value) ig_json_print_value(key, 20, value);
    }
    json_decref(all);
    json_decref(set);
    return code;
}

ig_code ig_embed_end(ig_embedding *e, ig_code code, const ig_command *command, const void *settings,
                     ig_err *err)
{
    IG_THEN(code, finish(e, command, settings, err));
    ig_out_discard(&e->with);
    json_decref(e->facts);
    ig_vectors_free(&e->v);
    ig_text_ids_free(&e->text);
    ig_team_free(e->team);
    return code;
}
