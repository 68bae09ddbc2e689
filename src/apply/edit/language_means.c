/* SPDX-License-Identifier: Apache-2.0
 *
 * Averages the states of languages and stores the means. Sums are in double and in the order of the
 * text, so that they are the same for any number of threads.
 */
#include "apply/edit/language_means.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "model/safetensors.h"
#include "apply/folder/run_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "mean.";

typedef struct {
    ig_language_mean *of;
    ig_variant variant;
    int n_layer, d;
    double *sum; /* [d] of a sentence */
} summer;

/* Adds a sentence's tokens at one layer to `sum`; their number. */
static int32_t add_tokens(double *sum, const ig_sentence_states *s, int layer, int d, bool special)
{
    int32_t n = 0;
    for (int32_t t = 0; t < s->n_token; t++) {
        const float *x = s->states[layer] + (int64_t)t * d;
        if (s->special[t] && !special)
            continue;
        for (int k = 0; k < d; k++)
            sum[k] += (double)x[k];
        n++;
    }
    return n;
}

static ig_code add_sentence(void *arg, const ig_sentence_states *s, ig_err *err)
{
    summer *a = arg;
    const bool by_sentence = a->variant == IG_VARIANT_PAPER_CODE;
    int32_t n = 0;
    (void)err;
    for (int l = 0; l < a->n_layer; l++) {
        double *mean = a->of->mean + (int64_t)l * a->d;
        if (!by_sentence) {
            n = add_tokens(mean, s, l, a->d, false);
            continue;
        }
        memset(a->sum, 0, (size_t)a->d * sizeof *a->sum);
        n = add_tokens(a->sum, s, l, a->d, true);
        for (int k = 0; k < a->d; k++)
            mean[k] += a->sum[k] / n;
    }
    a->of->n_sentence++;
    a->of->n_token += n;
    a->of->n_cut += s->cut;
    return IG_ERR_OK;
}

/* Adds a language of this name. */
static ig_code add_name(ig_language_means *m, const char *name, ig_err *err)
{
    if (m->n == IG_LANGUAGES_MAX || strlen(name) >= sizeof m->language->name || *name == '\0')
        return ig_fail(err, IG_ERR_USAGE, name, 0,
                       "expected at most %d languages with names of 1 to %zu bytes",
                       IG_LANGUAGES_MAX, sizeof m->language->name - 1);
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->language[i].name, name) == 0)
            return ig_fail(err, IG_ERR_USAGE, name, 0, "the language is given twice");
    ig_language_mean *l = &m->language[m->n];
    *l = (ig_language_mean){0};
    memcpy(l->name, name, strlen(name));
    IG_TRY(ig_alloc(&l->mean, (int64_t)m->n_layer * m->d, sizeof *l->mean, "means", err));
    m->n++;
    return IG_ERR_OK;
}

/* From sums to means. */
static ig_code divide(const summer *a, const char *where, ig_err *err)
{
    const int64_t n = a->variant == IG_VARIANT_PAPER_CODE ? a->of->n_sentence : a->of->n_token;
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found no token");
    for (int64_t i = 0; i < (int64_t)a->n_layer * a->d; i++)
        a->of->mean[i] /= (double)n;
    return IG_ERR_OK;
}

ig_code ig_language_means_add(ig_language_means *m, ig_states *states, const ig_states_source *text,
                              ig_variant variant, ig_err *err)
{
    const int *layer;
    m->n_layer = ig_states_layers(states, &layer);
    m->d = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
    IG_TRY(add_name(m, text->name, err));
    summer a = {.of = &m->language[m->n - 1], .variant = variant, .n_layer = m->n_layer, .d = m->d};
    IG_TRY(ig_alloc(&a.sum, m->d, sizeof *a.sum, "means", err));
    ig_code code = ig_states_read(states, text, add_sentence, &a, err);
    IG_THEN(code, divide(&a, text->path != NULL ? text->path : text->name, err));
    ig_free(a.sum);
    return code;
}

void ig_language_means_free(ig_language_means *m)
{
    for (int i = 0; i < m->n; i++)
        ig_free(m->language[i].mean);
    *m = (ig_language_means){0};
}

/* --- the file -------------------------------------------------------------------------------- */

static void as_float(const void *from, int i, float *out)
{
    const ig_language_means *m = from;
    for (int64_t k = 0; k < (int64_t)m->n_layer * m->d; k++)
        out[k] = (float)m->language[i].mean[k];
}

ig_code ig_language_means_write(const ig_language_means *m, const char *path, ig_err *err)
{
    ig_tensor_out tensor[IG_LANGUAGES_MAX];
    char name[IG_LANGUAGES_MAX][sizeof m->language->name + sizeof prefix];
    for (int i = 0; i < m->n; i++) {
        snprintf(name[i], sizeof name[i], "%s%s", prefix, m->language[i].name);
        tensor[i] = (ig_tensor_out){.name = name[i], .rows = m->n_layer, .cols = m->d};
    }
    const ig_tensor_source source = {as_float, m};
    return ig_safetensors_write_of(m->model[0] != '\0' ? m->model : NULL, path, tensor, m->n,
                                   &source, err);
}

static ig_code read_tensor(ig_language_means *m, const ig_safetensors *s, const ig_safetensor *t,
                           ig_err *err)
{
    if (t->n_dim != 2 || t->shape[0] != m->n_layer || t->shape[1] != m->d)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "%s: found another shape than the model's [%d, %d]", t->name, m->n_layer,
                       m->d);
    IG_OWNED float *x = NULL;
    IG_TRY(add_name(m, t->name + strlen(prefix), err));
    double *mean = m->language[m->n - 1].mean;
    IG_TRY(ig_alloc(&x, t->count, sizeof *x, "means", err));
    IG_TRY(ig_safetensors_read(s, t, x, err));
    for (int64_t i = 0; i < t->count; i++) {
        mean[i] = (double)x[i];
        if (!isfinite(mean[i]))
            return ig_fail(err, IG_ERR_INPUT, s->where, 0, "%s: value %lld is not finite", t->name,
                           (long long)i);
    }
    return IG_ERR_OK;
}

ig_code ig_language_means_read(ig_language_means *m, const char *path, int n_layer, int d,
                               ig_err *err)
{
    ig_safetensors s;
    *m = (ig_language_means){.n_layer = n_layer, .d = d};
    IG_TRY(ig_safetensors_open(&s, path, err));
    ig_code code = IG_ERR_OK;
    snprintf(m->model, sizeof m->model, "%.16s", s.model);
    for (int i = 0; i < s.n && code == IG_ERR_OK; i++)
        if (strncmp(s.tensors[i].name, prefix, strlen(prefix)) == 0)
            code = read_tensor(m, &s, &s.tensors[i], err);
    if (code == IG_ERR_OK && m->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "has no mean of a language (mean.NAME), which isoglot means writes");
    ig_safetensors_close(&s);
    if (code == IG_ERR_USAGE && err != NULL)
        err->code = IG_ERR_INPUT; /* the file is at fault */
    return code == IG_ERR_USAGE ? IG_ERR_INPUT : code;
}

/* Returns whether the model in a folder was fine-tuned from the one with this digest
 * (finetune/tuned_model.c). */
static bool is_tuned_from(const char *dir, const char *digest)
{
    json_t *j = NULL;
    if (dir == NULL || ig_folder_json(&j, dir, "config.json", NULL) != IG_ERR_OK)
        return false;
    const char *from =
        json_string_value(json_object_get(json_object_get(j, "isoglot"), "tuned_from"));
    const bool same = from != NULL && strcmp(from, digest) == 0;
    json_decref(j);
    return same;
}

ig_code ig_language_means_check(const ig_language_means *m, const char *path, const char *digest,
                                const char *dir, ig_err *err)
{
    if (m->model[0] == '\0' || strcmp(m->model, digest) == 0 || is_tuned_from(dir, m->model))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, path, 0,
            "found means of another model (%s), expected of this one (%s)", m->model, digest);
    return ig_hint(err, "isoglot means --model DIR makes them of a model");
}

ig_code ig_language_means_find(const double **mean, const ig_language_means *m, const char *name,
                               int layer, const char *where, ig_err *err)
{
    char names[256] = "";
    for (int i = 0; i < m->n; i++) {
        if (strcmp(m->language[i].name, name) == 0) {
            *mean = m->language[i].mean + (int64_t)layer * m->d;
            return IG_ERR_OK;
        }
        ig_append_name(names, sizeof names, m->language[i].name);
    }
    return ig_fail(err, IG_ERR_USAGE, where, 0,
                   "found language '%.60s', expected one with a mean: %s", name, names);
}
