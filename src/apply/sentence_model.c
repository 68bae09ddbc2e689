/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and applies the modules of sentence-transformers 6 (Reimers & Gurevych 2019), and those of
 * its older folders, which name poolings by switches. Unlike the means of the measures, pooling
 * includes the special tokens, as there.
 */
#include "apply/sentence_model.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "model/weight_files.h"
#include "text/tokenizer/template.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODULES = 16, MOST_POOLS = 6, MOST_WIDTH = 1 << 16 };

typedef enum { CLS, MAX, MEAN, MEAN_SQRT, WEIGHTED, LAST } pool_kind;
/* In the order in which older folders concatenate them. */
static const struct {
    const char *name, *old;
} pools[] = {{"cls", "pooling_mode_cls_token"},
             {"max", "pooling_mode_max_tokens"},
             {"mean", "pooling_mode_mean_tokens"},
             {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
             {"weightedmean", "pooling_mode_weightedmean_tokens"},
             {"lasttoken", "pooling_mode_lasttoken"}};

typedef enum { IDENTITY, TANH, RELU } activation;

/* out = f(W in + b); W NULL: unit length. */
typedef struct {
    float *w, *b; /* [n_out, n_in], [n_out] or NULL */
    int n_in, n_out;
    activation f;
} step;

struct ig_sentence_model {
    char path[4096]; /* of the folder */
    pool_kind pool[MOST_POOLS];
    int n_pool, hidden, width; /* of the widest vector */
    step step[MOST_MODULES];
    int n_step;
    int32_t most, n_skip; /* tokens of the prompt that are not pooled, with those before it */
    int64_t n_whole;      /* sentences of which nothing is left without them */
    char *prompt, *text;  /* text: prompt and sentence */
    int64_t n_prompt, have_text;
    float *room[2]; /* [width] */
    char said[400];
};

static void say(ig_sentence_model *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(ig_sentence_model *m, const char *format, ...)
{
    const size_t at = strlen(m->said);
    va_list args;
    va_start(args, format);
    vsnprintf(m->said + at, sizeof m->said - at, format, args);
    va_end(args);
}

/* PATH/NAME as JSON; NULL: not there. */
static ig_code read_json(json_t **j, const char *dir, const char *folder, const char *name,
                         ig_err *err)
{
    char path[8192];
    *j = NULL;
    snprintf(path, sizeof path, "%s/%s%s%s", dir, folder, folder[0] != '\0' ? "/" : "", name);
    return ig_file_exists(path) ? ig_json_read_reals(j, path, err) : IG_ERR_OK;
}

static ig_code refuse(const ig_sentence_model *m, const char *folder, const char *key,
                      const json_t *found, const char *expected, ig_err *err)
{
    char *text = found != NULL ? ig_json_text(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    ig_fail(err, IG_ERR_INPUT, m->path, 0, "%s%s%s is %.80s, expected %s", folder,
            folder[0] != '\0' ? ": " : "", key, text != NULL ? text : "missing", expected);
    free(text);
    return ig_hint(err, "--layer and --pooling give vectors of the encoder alone");
}

/* --- modules */

static ig_code add_pool(ig_sentence_model *m, const char *folder, const json_t *mode, ig_err *err)
{
    const char *name = json_string_value(mode);
    size_t k = 0;
    while (k < sizeof pools / sizeof *pools && (name == NULL || strcmp(name, pools[k].name) != 0))
        k++;
    if (k == sizeof pools / sizeof *pools || m->n_pool == MOST_POOLS)
        return refuse(m, folder, "pooling_mode", mode,
                      "cls, max, mean, mean_sqrt_len_tokens, weightedmean or lasttoken", err);
    say(m, "%s%s", m->n_pool > 0 ? "+" : "", name);
    m->pool[m->n_pool++] = (pool_kind)k;
    return IG_ERR_OK;
}

/* Refuses a switch of a pooling that is not in the list. */
static ig_code check_pools(const ig_sentence_model *m, const char *folder, const json_t *c,
                           ig_err *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)c, key, value)
    {
        bool known = !json_is_true(value) || strncmp(key, "pooling_mode_", 13) != 0;
        for (size_t k = 0; k < sizeof pools / sizeof *pools; k++)
            known |= strcmp(key, pools[k].old) == 0;
        if (!known)
            return refuse(m, folder, key, value, "false", err);
    }
    return IG_ERR_OK;
}

static ig_code read_pooling(ig_sentence_model *m, const char *folder, const json_t *c,
                            int32_t n_before, ig_err *err)
{
    const json_t *mode = json_object_get(c, "pooling_mode"), *one;
    size_t i;
    if (json_is_array(mode)) {
        json_array_foreach((json_t *)(uintptr_t)mode, i, one) IG_TRY(add_pool(m, folder, one, err));
    } else if (mode != NULL) {
        IG_TRY(add_pool(m, folder, mode, err));
    }
    for (size_t k = 0; k < sizeof pools / sizeof *pools && mode == NULL; k++)
        if (json_is_true(json_object_get(c, pools[k].old))) {
            json_auto_t *name = json_string(pools[k].name);
            IG_TRY(add_pool(m, folder, name, err));
        }
    if (m->n_pool == 0)
        return refuse(m, folder, "pooling_mode", mode, "a kind of pooling", err);
    IG_TRY(check_pools(m, folder, c, err));
    if (json_is_false(json_object_get(c, "include_prompt")) && m->n_prompt > 0) {
        m->n_skip = n_before;
        say(m, " without the prompt");
    }
    say(m, " pooling");
    m->width = m->n_pool * m->hidden;
    return IG_ERR_OK;
}

static int size_now(const ig_sentence_model *m)
{
    for (int i = m->n_step; i-- > 0;)
        if (m->step[i].w != NULL)
            return m->step[i].n_out;
    return m->n_pool * m->hidden;
}

static ig_code take_values(float **out, const ig_safetensors *s, const ig_safetensor *t,
                           ig_err *err)
{
    IG_TRY(ig_alloc(out, t->count, sizeof **out, "dense layer", err));
    IG_TRY(ig_safetensors_read(s, t, *out, err));
    for (int64_t i = 0; i < t->count; i++)
        if (!isfinite((*out)[i]))
            return ig_fail(err, IG_ERR_NUMERIC, s->where, 0,
                           "tensor \"%.100s\": value %lld is not finite", t->name, (long long)i);
    return IG_ERR_OK;
}

static ig_code read_weights(step *d, const ig_safetensors *s, const json_t *c, int n_in,
                            ig_err *err)
{
    const ig_safetensor *w = ig_safetensors_find(s, "linear.weight"),
                        *b = ig_safetensors_find(s, "linear.bias");
    const bool bias = !json_is_false(json_object_get(c, "bias"));
    if (w == NULL || w->n_dim != 2 || w->shape[1] != n_in || w->shape[0] < 1 ||
        w->shape[0] > MOST_WIDTH)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "found no linear.weight of %d columns and 1 to %d rows", n_in, MOST_WIDTH);
    if (bias && (b == NULL || b->n_dim != 1 || b->shape[0] != w->shape[0]))
        return ig_fail(err, IG_ERR_INPUT, s->where, 0, "found no linear.bias of %lld numbers",
                       (long long)w->shape[0]);
    d->n_in = n_in;
    d->n_out = (int)w->shape[0];
    IG_TRY(take_values(&d->w, s, w, err));
    return bias ? take_values(&d->b, s, b, err) : IG_ERR_OK;
}

static ig_code read_dense(ig_sentence_model *m, const char *folder, const json_t *c, ig_err *err)
{
    static const char *const names[] = {"Identity", "Tanh", "ReLU"};
    const json_t *f = json_object_get(c, "activation_function"),
                 *residual = json_object_get(c, "use_residual"),
                 *input = json_object_get(c, "module_input_name");
    const char *name = json_string_value(f), *last = name != NULL ? strrchr(name, '.') : NULL;
    step *d = &m->step[m->n_step++];
    char dir[8192];
    size_t k = 0;
    last = last != NULL ? last + 1 : name;
    while (k < sizeof names / sizeof *names && (last == NULL || strcmp(last, names[k]) != 0))
        k++;
    if (k == sizeof names / sizeof *names)
        return refuse(m, folder, "activation_function", f, "Identity, Tanh or ReLU", err);
    if (json_is_true(residual))
        return refuse(m, folder, "use_residual", residual, "false", err);
    if (input != NULL && strcmp(json_string_value(input) != NULL ? json_string_value(input) : "",
                                "sentence_embedding") != 0)
        return refuse(m, folder, "module_input_name", input, "\"sentence_embedding\"", err);
    d->f = (activation)k;
    ig_safetensors s;
    snprintf(dir, sizeof dir, "%s/%s", m->path, folder);
    IG_TRY(ig_weights_open(&s, dir, err));
    m->n_step--; /* its size is the one before */
    const int n_in = size_now(m);
    m->n_step++;
    const ig_code code = read_weights(d, &s, c, n_in, err);
    ig_safetensors_close(&s);
    IG_TRY(code);
    m->width = d->n_out > m->width ? d->n_out : m->width;
    say(m, ", Dense %d→%d (%s)", d->n_in, d->n_out, names[k]);
    return IG_ERR_OK;
}

/* "sentence_transformers.models.Pooling"; a class of the folder's own may compute anything. */
static bool is_type(const json_t *module, const char *name)
{
    const char *type = json_string_value(json_object_get(module, "type")),
               *last = type != NULL ? strrchr(type, '.') : NULL;
    return last != NULL && strncmp(type, "sentence_transformers.", 22) == 0 &&
           strcmp(last + 1, name) == 0;
}

static ig_code read_module(ig_sentence_model *m, const json_t *module, int i, int32_t n_before,
                           ig_err *err)
{
    const json_t *path = json_object_get(module, "path");
    const char *folder = json_string_value(path);
    json_auto_t *c = NULL;
    if (folder == NULL || strstr(folder, "..") != NULL || strlen(folder) > 200)
        return refuse(m, "modules.json", "path", path, "a folder below this one", err);
    if (i == 0)
        return is_type(module, "Transformer") && folder[0] == '\0'
                   ? IG_ERR_OK
                   : refuse(m, "modules.json", "its first module", module,
                            "sentence_transformers' Transformer, in the folder itself", err);
    if (m->n_step == MOST_MODULES)
        return refuse(m, "modules.json", "a module", module, "at most 16 modules", err);
    if (is_type(module, "Normalize") && m->n_pool > 0) {
        m->n_step++;
        say(m, ", unit length");
        return IG_ERR_OK;
    }
    const bool pooling = is_type(module, "Pooling") && i == 1;
    if (!pooling && (!is_type(module, "Dense") || m->n_pool == 0))
        return refuse(m, "modules.json", "a module", module,
                      "Transformer, Pooling, then Dense and Normalize", err);
    IG_TRY(read_json(&c, m->path, folder, "config.json", err));
    return pooling ? read_pooling(m, folder, c, n_before, err) : read_dense(m, folder, c, err);
}

/* --- length and prompt */

static int32_t limit_of(const json_t *v)
{
    const double x = json_number_value(v);
    return x >= 3 && x < 1e6 ? (int32_t)x : 0;
}

static ig_code read_length(ig_sentence_model *m, ig_err *err)
{
    /* The first of these counts; old models have that of their architecture. */
    static const char *const names[] = {"bert",   "roberta",     "distilbert", "camembert",
                                        "albert", "xlm-roberta", "xlnet"};
    json_auto_t *own = NULL, *tokenizer = NULL;
    char name[64] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names && own == NULL; i++) {
        snprintf(name, sizeof name, "sentence_%s_config.json", names[i]);
        IG_TRY(read_json(&own, m->path, "", name, err));
    }
    IG_TRY(read_json(&tokenizer, m->path, "", "tokenizer_config.json", err));
    const json_t *lower = json_object_get(own, "do_lower_case");
    if (json_is_true(lower))
        return refuse(m, name, "do_lower_case", lower, "false", err);
    m->most = limit_of(json_object_get(own, "max_seq_length"));
    if (m->most == 0)
        m->most = limit_of(json_object_get(tokenizer, "model_max_length"));
    return IG_ERR_OK;
}

/* *n_before: tokens before a sentence, of the template and of the prompt by itself. */
static ig_code read_prompt(ig_sentence_model *m, int32_t *n_before, const ig_encoder *e,
                           const ig_sentence_model_options *o, ig_err *err)
{
    json_auto_t *c = NULL;
    IG_TRY(read_json(&c, m->path, "", "config_sentence_transformers.json", err));
    const json_t *all = json_object_get(c, "prompts"),
                 *usual = json_object_get(c, "default_prompt_name");
    const char *name = o->prompt != NULL ? o->prompt : json_string_value(usual),
               *prompt = name != NULL ? json_string_value(json_object_get(all, name)) : "";
    ig_code code = IG_ERR_OK;
    if (prompt == NULL && o->prompt != NULL)
        code = ig_fail(err, IG_ERR_USAGE, "--prompt", 0,
                       "found '%.80s', expected a prompt of config_sentence_transformers.json",
                       o->prompt);
    prompt = prompt != NULL ? prompt : "";
    m->n_prompt = (int64_t)strlen(prompt);
    IG_THEN(code, ig_alloc(&m->prompt, m->n_prompt + 1, 1, "prompt", err));
    if (code == IG_ERR_OK) {
        int64_t n_id = 0, have = 0;
        int32_t *id = NULL;
        memcpy(m->prompt, prompt, (size_t)m->n_prompt);
        code = ig_tokenizer_encode(e->tokenizer, prompt, m->n_prompt, &id, &n_id, &have, err);
        *n_before = ig_tokenizer_template(e->tokenizer, false)->n[0] + (int32_t)n_id;
        ig_free(id);
    }
    return code;
}

/* --- the whole */

static ig_code read_all(ig_sentence_model *m, const json_t *modules, const ig_encoder *e,
                        const ig_sentence_model_options *o, ig_err *err)
{
    int32_t n_before = 0;
    const json_t *module;
    size_t i;
    if (!json_is_array(modules))
        return refuse(m, "", "modules.json", modules, "a list of modules", err);
    IG_TRY(read_length(m, err));
    IG_TRY(read_prompt(m, &n_before, e, o, err));
    json_array_foreach((json_t *)(uintptr_t)modules, i, module)
        IG_TRY(read_module(m, module, (int)i, n_before, err));
    if (m->n_pool == 0)
        return refuse(m, "", "modules.json", modules, "a Pooling", err);
    if (m->most > 0)
        say(m, ", at most %d tokens", m->most);
    if (m->n_prompt > 0)
        say(m, ", after '%.80s'", m->prompt);
    for (int k = 0; k < 2; k++)
        IG_TRY(ig_alloc(&m->room[k], m->width, sizeof(float), "sentence", err));
    return IG_ERR_OK;
}

ig_code ig_sentence_model_open(ig_sentence_model **out, const char *dir, const ig_encoder *e,
                               const ig_sentence_model_options *o, ig_err *err)
{
    ig_sentence_model *m;
    json_auto_t *modules = NULL;
    *out = NULL;
    IG_TRY(read_json(&modules, dir, "", "modules.json", err));
    if (modules == NULL)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&m, 1, sizeof *m, "sentence model", err);
    if (code == IG_ERR_OK) {
        snprintf(m->path, sizeof m->path, "%s", dir);
        m->hidden = ig_bert_get_config(e->model)->hidden_size;
        code = read_all(m, modules, e, o, err);
        if (code != IG_ERR_OK)
            ig_sentence_model_close(m);
        else
            *out = m;
    }
    return code;
}

void ig_sentence_model_close(ig_sentence_model *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < m->n_step; i++) {
        IG_FREE(m->step[i].w, m->step[i].b);
    }
    IG_FREE(m->prompt, m->text, m->room[0], m->room[1], m);
}

int ig_sentence_model_size(const ig_sentence_model *m)
{
    return size_now(m);
}

int32_t ig_sentence_model_most(const ig_sentence_model *m)
{
    return m->most;
}

const char *ig_sentence_model_text(const ig_sentence_model *m)
{
    return m->said;
}

int64_t ig_sentence_model_whole(const ig_sentence_model *m)
{
    return m->n_whole;
}

ig_code ig_sentence_model_prompted(const char **out, int64_t *n_out, ig_sentence_model *m,
                                   const char *text, int64_t n, ig_err *err)
{
    *n_out = m->n_prompt + n;
    IG_TRY(ig_grow(&m->text, &m->have_text, *n_out + 1, 1, "sentence", err));
    memcpy(m->text, m->prompt, (size_t)m->n_prompt);
    memcpy(m->text + m->n_prompt, text, (size_t)n);
    *out = m->text;
    return IG_ERR_OK;
}

/* --- a vector */

/* Pools n rows, the first of which is token number `first`. */
static void pool(float *out, const float *x, int32_t n, int d, int32_t first, pool_kind kind)
{
    double total = 0;
    for (int32_t t = 0; t < n; t++)
        total += kind == WEIGHTED ? first + t + 1 : 1;
    for (int c = 0; c < d; c++) {
        double sum = 0;
        float most = x[c];
        for (int32_t t = 0; t < n; t++) {
            const float v = x[(int64_t)t * d + c];
            sum += kind == WEIGHTED ? (double)v * (first + t + 1) : (double)v;
            most = v > most ? v : most;
        }
        out[c] = kind == CLS         ? x[c]
                 : kind == LAST      ? x[(int64_t)(n - 1) * d + c]
                 : kind == MAX       ? most
                 : kind == MEAN_SQRT ? (float)(sum / sqrt(total))
                                     : (float)(sum / total);
    }
}

static float activate(activation f, double x)
{
    return f == TANH ? (float)tanh(x) : f == RELU && x < 0 ? 0 : (float)x;
}

static void apply_step(const step *s, float *out, const float *in, int n)
{
    if (s->w == NULL) {
        memcpy(out, in, (size_t)n * sizeof *out);
        (void)ig_unit_rows(out, 1, n, "", NULL);
        return;
    }
    for (int i = 0; i < s->n_out; i++) {
        double sum = s->b != NULL ? (double)s->b[i] : 0;
        for (int k = 0; k < s->n_in; k++)
            sum += (double)s->w[(int64_t)i * s->n_in + k] * (double)in[k];
        out[i] = activate(s->f, sum);
    }
}

void ig_sentence_model_apply(ig_sentence_model *m, float *out, const ig_sentence_states *s, int l)
{
    const bool whole = m->n_skip >= s->n_token;
    const int32_t skip = whole ? 0 : m->n_skip;
    const float *x = s->states[l] + (int64_t)skip * m->hidden;
    int n = m->n_pool * m->hidden, now = 0;
    m->n_whole += whole;
    for (int k = 0; k < m->n_pool; k++)
        pool(m->room[0] + (int64_t)k * m->hidden, x, s->n_token - skip, m->hidden, skip,
             m->pool[k]);
    for (int i = 0; i < m->n_step; i++, now = 1 - now) {
        apply_step(&m->step[i], m->room[1 - now], m->room[now], n);
        n = m->step[i].w != NULL ? m->step[i].n_out : n;
    }
    memcpy(out, m->room[now], (size_t)n * sizeof *out);
}
