/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the public calls on a model (isoglot/model.h) by the functions of the commands.
 */
#include "isoglot/model.h"

#include "apply/pooling.h"
#include "apply/states.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "base/strings/append.h"
#include "evaluate/evaluate.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/open_run.h"
#include "run/run_config.h"
#include "run/train/run_train.h"

#include <string.h>

struct ig_model {
    char *path;
    ig_states *states;
};

static ig_code copy(char **out, const char *text, ig_err *err)
{
    return ig_copy_text(out, text, "path", err);
}

static bool stop_requested(const void *arg)
{
    const volatile sig_atomic_t *stop = arg;
    return stop != NULL && *stop != 0;
}

ig_code ig_model_open(ig_model **out, const char *path, const ig_model_options *o, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    const ig_model_options none = {0}, *how = o != NULL ? o : &none;
    ig_model *m;
    *out = NULL;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "model", err));
    ig_code code = copy(&m->path, path, err);
    const ig_states_options states = {.model = m->path,
                                      .bare = true,
                                      .lowercase = how->lowercase,
                                      .n_thread = how->n_thread,
                                      .device = how->device,
                                      .precision =
                                          how->bfloat16 ? IG_PRECISION_BF16 : IG_PRECISION_F32,
                                      .stop = {stop_requested, (const void *)(uintptr_t)how->stop}};
    IG_THEN(code, ig_states_open(&m->states, &states, err));
    IG_RETURN_NEW(code, out, m, ig_model_close);
}

void ig_model_close(ig_model *m)
{
    if (m == NULL)
        return;
    ig_states_close(m->states);
    IG_FREE(m->path, m);
}

static const ig_bert_config *config(const ig_model *m)
{
    return ig_bert_get_config(ig_states_encoder(m->states)->model);
}

int32_t ig_model_size(const ig_model *m)
{
    return config(m)->hidden_size;
}

int32_t ig_model_depth(const ig_model *m)
{
    return config(m)->num_hidden_layers;
}

int32_t ig_model_n_language(const ig_model *m)
{
    return ig_states_languages(m->states)->n;
}

const char *ig_model_language_name(const ig_model *m, int32_t language)
{
    const ig_model_languages *l = ig_states_languages(m->states);
    return language >= 0 && language < l->n ? l->language[language].info.name : "";
}

const ig_tokenizer *ig_model_tokenizer(const ig_model *m)
{
    return ig_states_encoder(m->states)->tokenizer;
}

/* --- states ---------------------------------------------------------------------------------- */

typedef struct {
    float *out;
    int64_t n, n_cut;
    int n_layer, d;
    ig_pooling pool;
} pooling;

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    pooling *p = arg;
    (void)err;
    p->n_cut += s->cut;
    for (int l = 0; l < p->n_layer; l++)
        ig_pool_states(p->out + (l * p->n + s->number) * p->d, s, l, p->d, p->pool);
    return IG_ERR_OK;
}

static ig_code encode_all(ig_model *m, const char *const *text, int64_t n,
                          const ig_encode_options *o, ig_states_fn *fn, void *arg, ig_err *err)
{
    int language;
    IG_TRY(ig_states_set_layers(m->states, o->layer, o->n_layer, err));
    IG_TRY(ig_model_languages_find_requested(&language, ig_states_languages(m->states), o->language,
                                             m->path, err));
    ig_states_begin(m->states, fn, arg);
    for (int64_t i = 0; i < n; i++)
        IG_TRY(ig_states_put(m->states, language, text[i], (int64_t)strlen(text[i]), err));
    return ig_states_end(m->states, err);
}

ig_code ig_model_encode(ig_model *m, float *out, const char *const *text, int64_t n,
                        const ig_encode_options *o, int64_t *n_cut, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    pooling p = {.out = out, .n = n, .n_layer = o->n_layer, .d = ig_model_size(m), .pool = o->pool};
    IG_TRY(encode_all(m, text, n, o, take, &p, err));
    if (n_cut != NULL)
        *n_cut = p.n_cut;
    return IG_ERR_OK;
}

typedef struct {
    float *out; /* [first[number], n_layer, d] so far */
    int64_t *first, have;
    int n_layer, d;
} tokens;

static ig_code take_tokens(void *arg, const ig_sentence_states *s, ig_err *err)
{
    tokens *t = arg;
    const int64_t n = s->n_own, at = t->first[s->number], d = t->d;
    t->first[s->number + 1] = at + n;
    IG_TRY(
        ig_grow(&t->out, &t->have, (at + n) * t->n_layer * d + 1, sizeof *t->out, "states", err));
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < t->n_layer; l++)
            memcpy(t->out + ((at + i) * t->n_layer + l) * d, s->states[l] + (s->first + i) * d,
                   (size_t)d * sizeof *t->out);
    return IG_ERR_OK;
}

ig_code ig_model_encode_tokens(float **out, int64_t *first, ig_model *m, const char *const *text,
                               int64_t n, const ig_encode_options *o, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    tokens t = {.first = first, .n_layer = o->n_layer, .d = ig_model_size(m)};
    *out = NULL;
    first[0] = 0;
    const ig_code code = encode_all(m, text, n, o, take_tokens, &t, err);
    if (code == IG_ERR_OK)
        *out = t.out;
    else
        ig_free(t.out);
    return code;
}

/* Encodes one side after the other, as sentences 0 to 2n − 1; *n > 0: the first n pairs. */
static ig_code encode_pairs(float **out, int64_t *n, ig_model *m, const ig_corpus *c,
                            const ig_encode_options *o, ig_err *err)
{
    const int64_t most = *n;
    int side[2];
    IG_OWNED int32_t *pair = NULL;
    IG_TRY(ig_language_pair(&side[0], &side[1], o->language != NULL ? o->language : "0,1", c, err));
    IG_TRY(ig_corpus_parallel_pairs(c, side[0], side[1], &pair, n, err));
    ig_code code = *n > 0 ? IG_ERR_OK
                          : ig_fail(err, IG_ERR_INPUT, m->path, 0,
                                    "found no parallel sentences, expected some of %s",
                                    o->language != NULL ? o->language : "the first two languages");
    *n = most > 0 && most < *n ? most : *n;
    pooling p = {.n = 2 * *n, .n_layer = o->n_layer, .d = ig_model_size(m), .pool = o->pool};
    IG_THEN(code, ig_alloc(out, p.n_layer * p.n * p.d, sizeof **out, "states", err));
    p.out = *out;
    ig_states_begin(m->states, take, &p);
    for (int64_t i = 0; i < p.n && code == IG_ERR_OK; i++) {
        const int s = i >= *n;
        code = ig_states_put_sequence(m->states, c, side[s], pair[2 * (i - s * *n) + s], err);
    }
    IG_THEN(code, ig_states_end(m->states, err));
    return code;
}

ig_code ig_model_encode_pairs(float **out, int64_t *n, ig_model *m, const ig_encode_options *o,
                              int64_t most, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    ig_open_run run;
    *out = NULL;
    *n = most;
    IG_TRY(ig_states_set_layers(m->states, o->layer, o->n_layer, err));
    ig_code code = ig_open_run_corpora(&run, m->path, err);
    IG_THEN(code, encode_pairs(out, n, m, run.setup.dev, o, err));
    ig_open_run_close(&run);
    if (code != IG_ERR_OK) {
        ig_free(*out);
        *out = NULL;
    }
    return code;
}

/* --- runs ------------------------------------------------------------------------------------ */

/* Settings as a file or as text; an `out` among them does not count. */
static ig_code read_settings(ig_run_config *c, bool seen[IG_OPTION_MAX], const char *settings,
                             bool is_file, const char *out, ig_err *err)
{
    IG_TRY(ig_options_default(&ig_run_options, c, err));
    IG_TRY(ig_options_set(&ig_run_options, c, &(ig_setting){"out", out, NULL, 0}, err));
    for (int i = 0; i < ig_run_options.n; i++)
        seen[i] = strcmp(ig_run_options.row[i].name, "out") == 0;
    return is_file ? ig_options_file(&ig_run_options, c, settings, seen, err)
                   : ig_options_text(&ig_run_options, c, settings, "settings", seen, err);
}

static ig_code train(const char *settings, bool is_file, const char *out,
                     const volatile sig_atomic_t *stop, ig_err *err)
{
    bool seen[IG_OPTION_MAX] = {false};
    unsigned char given[IG_OPTION_MAX];
    IG_OWNED ig_run_config *c = NULL;
    IG_OWNED ig_run_result *r = NULL;
    ig_code code = ig_alloc(&c, 1, sizeof *c, "settings", err);
    IG_THEN(code, ig_alloc(&r, 1, sizeof *r, "result", err));
    IG_THEN(code, read_settings(c, seen, settings, is_file, out, err));
    for (int i = 0; i < ig_run_options.n; i++)
        given[i] = seen[i] ? IG_GIVEN_FILE : IG_GIVEN_NOT;
    if (code == IG_ERR_OK)
        ig_run_config_given(c, given);
    IG_THEN(code, ig_run_config_resolve(c, err));
    IG_THEN(code, ig_run_check_effects(c, given, err));
    IG_THEN(code, ig_run_train(c, stop, r, err));
    if (c != NULL)
        ig_run_config_free(c);
    if (r != NULL)
        ig_run_result_free(r);
    return code;
}

ig_code ig_model_train(const char *settings, const char *out, const volatile sig_atomic_t *stop,
                       ig_err *err)
{
    IG_PLAIN_NUMBERS;
    return train(settings, true, out, stop, err);
}

ig_code ig_model_train_text(const char *settings, const char *out,
                            const volatile sig_atomic_t *stop, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    return train(settings, false, out, stop, err);
}

ig_code ig_model_measure(char **json, const char *dir, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    const ig_evaluate_options o = {
        .step = -1, .text_take = -1, .translation = -1, .perplexity = -1, .pooling = -1};
    ig_evaluation e;
    *json = NULL;
    ig_code code = ig_evaluate(&e, dir, &o, err);
    json_t *j = code == IG_ERR_OK ? ig_evaluation_json(&e, dir) : NULL;
    if (j != NULL)
        *json = ig_json_text(j, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(j);
    ig_evaluation_free(&e);
    if (code == IG_ERR_OK && *json == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for measures");
    return code;
}
