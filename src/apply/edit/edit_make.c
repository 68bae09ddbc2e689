/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies edits of settings to a model. Each becomes one or more of the engine's edits
 * (model/edit): centring is one shift for each language, a rotation is a shift, a matrix and a
 * shift.
 */
#include "apply/edit/edit_make.h"

#include "analyse/language_subspace.h"
#include "base/memory.h"
#include "base/numeric/singular.h"
#include "base/settings/named_files.h"
#include "model/bert_params.h"
#include "model/safetensors.h"
#include "apply/edit/edit_weights.h"
#include "apply/edit/language_means.h"
#include "apply/edit/state_sample.h"

#include <string.h>

enum { SOURCE_MAX = IG_LANGUAGES_MAX };

typedef struct {
    const ig_edit_specs *specs;
    const ig_edit_on *on;
    ig_states_parts parts; /* with a tokenizer and languages, once they were requested */
    ig_encoder encoder;    /* of the folder, for these */
    ig_model_languages languages;
    ig_made_edits *made;
    int n_layer, d;
    int layer;                   /* of the edit that is made */
    char digest[IG_BERT_DIGEST]; /* of the model without edits, where means of a file are read */
} maker;

/* --- what is there --------------------------------------------------------------------------- */

/* Texts want the folder's tokenizer and languages; its weights are not needed. */
static ig_code open_texts(maker *m, ig_err *err)
{
    if (m->parts.tokenizer != NULL)
        return IG_ERR_OK;
    if (m->on->dir == NULL)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "text: is not read here, expected edits by the run's own text");
    IG_TRY(ig_encoder_open(&m->encoder, m->on->dir, false, err));
    IG_TRY(ig_model_languages_read(&m->languages, m->encoder.dir,
                                   ig_bert_get_config(m->parts.model), m->encoder.tokenizer, err));
    ig_bert_free(m->encoder.model);
    m->encoder.model = NULL;
    m->parts.tokenizer = m->encoder.tokenizer;
    m->parts.languages = &m->languages;
    return IG_ERR_OK;
}

static ig_code language_by_name(int *k, const maker *m, const char *name, ig_err *err)
{
    const ig_model_languages *l = m->parts.languages;
    if (l != NULL)
        return ig_model_languages_find_requested(k, l, name, "edit", err);
    const ig_corpus *c = m->parts.corpus;
    for (*k = 0; *k < ig_corpus_n_language(c); ++*k)
        if (strcmp(ig_corpus_language(c, *k)->name, name) == 0)
            return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "edit", 0, "the model knows no language '%.60s'", name);
}

/* Returns how many languages sequences can have. */
static int n_language(const maker *m)
{
    return m->parts.languages != NULL ? m->parts.languages->n
                                      : ig_corpus_n_language(m->parts.corpus);
}

/* Finds the texts that an edit is learned from: its own, else the corpus in all its languages. */
static ig_code sources(maker *m, const ig_edit_spec *e, ig_states_source *source, int *n,
                       ig_err *err)
{
    char at[24] = "";
    *n = 0;
    if (!ig_edit_of_units(e)) /* these may be of several layers */
        snprintf(at, sizeof at, " at layer %d", (int)e->layer);
    if (e->text == NULL && m->parts.corpus == NULL)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "%s%s: has no text to learn from, expected text: {LANGUAGE: FILE}",
                       ig_edit_spec_names[e->kind], at);
    if (e->text == NULL) {
        for (int k = 0; k < ig_corpus_n_language(m->parts.corpus); k++)
            source[(*n)++] = ig_states_of_corpus(m->parts.corpus, k, e->take);
        return IG_ERR_OK;
    }
    IG_TRY(open_texts(m, err));
    ig_named_files f;
    IG_TRY(ig_named_files_parse(&f, e->text, "text", err));
    ig_code code = IG_ERR_OK;
    for (; *n < f.n && *n < SOURCE_MAX && code == IG_ERR_OK; ++*n) {
        ig_states_source *s = &source[*n];
        *s = (ig_states_source){.take = e->take};
        code = ig_pool_print(&m->made->pool, &s->name, err, "%s", f.file[*n].name);
        IG_THEN(code, ig_pool_print(&m->made->pool, &s->path, err, "%s", f.file[*n].path));
        IG_THEN(code, language_by_name(&s->language, m, s->name, err));
    }
    ig_named_files_free(&f);
    return code;
}

/* States of one layer, with the edits so far. */
static ig_code open_states(ig_states **s, const maker *m, ig_err *err)
{
    const ig_states_options o = {
        .layer = &m->layer, .n_layer = 1, .allow_unknown = true, .stop = m->on->stop};
    IG_TRY(ig_engine_set_edits(m->parts.engine, m->made->edit, m->made->n, err));
    return ig_states_over(s, &o, &m->parts, err);
}

/* --- the engine's edits ---------------------------------------------------------------------- */

static ig_code add(maker *m, int language, ig_edit_kind kind, int n, const float *data, ig_err *err)
{
    ig_made_edits *all = m->made;
    IG_TRY(ig_grow(&all->edit, &all->have, all->n + 1, sizeof *all->edit, "edits", err));
    all->edit[all->n++] =
        (ig_edit){.layer = m->layer, .language = language, .kind = kind, .n = n, .data = data};
    return IG_ERR_OK;
}

/* h + scale (a − b); b NULL: h + scale a. */
static ig_code add_shift(maker *m, int language, const double *a, const double *b, double scale,
                         ig_err *err)
{
    float *v;
    IG_TRY(ig_pool_alloc(&m->made->pool, &v, m->d, sizeof *v, err));
    for (int k = 0; k < m->d; k++)
        v[k] = (float)(scale * (a[k] - (b != NULL ? b[k] : 0)));
    return add(m, language, IG_EDIT_SHIFT, 1, v, err);
}

/* --- means ----------------------------------------------------------------------------------- */

static ig_code learn_means(ig_language_means *means, maker *m, const ig_edit_spec *e, ig_err *err)
{
    ig_states_source source[SOURCE_MAX];
    ig_states *s;
    int n;
    IG_TRY(sources(m, e, source, &n, err));
    IG_TRY(open_states(&s, m, err));
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < n && code == IG_ERR_OK; k++)
        code = ig_language_means_add(means, s, &source[k], IG_VARIANT_PAPER_TEXT, err);
    ig_states_close(s);
    return code;
}

/* Reads all layers of a file, with *at the edit's layer, or computes that layer alone from a text.
 */
static ig_code get_means(ig_language_means *means, int *at, maker *m, const ig_edit_spec *e,
                         ig_err *err)
{
    *means = (ig_language_means){0};
    *at = e->means != NULL ? (int)e->layer : 0;
    if (e->means == NULL)
        return learn_means(means, m, e, err);
    IG_TRY(ig_language_means_read(means, e->means, m->n_layer, m->d, err));
    return ig_language_means_check(means, e->means, m->digest, m->on->dir, err);
}

static ig_code shift(maker *m, const ig_edit_spec *e, const ig_language_means *means, int at,
                     ig_err *err)
{
    const double *mean[2];
    int language;
    IG_TRY(language_by_name(&language, m, e->from, err));
    IG_TRY(ig_language_means_find(&mean[0], means, e->from, at, "edit", err));
    IG_TRY(ig_language_means_find(&mean[1], means, e->to, at, "edit", err));
    return add_shift(m, language, mean[1], mean[0], e->alpha, err);
}

/* Each language's mean off its own sequences. */
static ig_code centre(maker *m, const ig_edit_spec *e, const ig_language_means *means, int at,
                      ig_err *err)
{
    if (e->from == NULL && n_language(m) == 1 && means->n > 1)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "centre: the model does not distinguish languages, expected `from`: whose "
                       "text it is");
    for (int k = 0; k < means->n; k++) {
        const char *name = means->language[k].name;
        int language;
        if (e->from != NULL && strcmp(name, e->from) != 0)
            continue;
        IG_TRY(language_by_name(&language, m, name, err));
        IG_TRY(add_shift(m, language, means->language[k].mean + (int64_t)at * m->d, NULL, -e->alpha,
                         err));
    }
    const double *found;
    return e->from == NULL ? IG_ERR_OK
                           : ig_language_means_find(&found, means, e->from, at, "edit", err);
}

static ig_code span(maker *m, const ig_language_means *means, int at, ig_err *err)
{
    const double *mean[SOURCE_MAX];
    float *u;
    int k;
    for (int i = 0; i < means->n; i++)
        mean[i] = means->language[i].mean + (int64_t)at * m->d;
    IG_TRY(ig_pool_alloc(&m->made->pool, &u, (int64_t)m->d * m->d, sizeof *u, err));
    IG_TRY(ig_subspace_means(u, &k, mean, means->n, m->d, err));
    return k > 0 ? add(m, -1, IG_EDIT_PROJECT, k, u, err) : IG_ERR_OK;
}

static ig_code by_means(maker *m, const ig_edit_spec *e, ig_err *err)
{
    IG_SCOPED(ig_language_means_free) ig_language_means means = {0};
    int at;
    IG_TRY(get_means(&means, &at, m, e, err));
    return e->kind == IG_EDIT_SPEC_SHIFT    ? shift(m, e, &means, at, err)
           : e->kind == IG_EDIT_SPEC_CENTRE ? centre(m, e, &means, at, err)
                                            : span(m, &means, at, err);
}

/* --- subspaces of samples -------------------------------------------------------------------- */

static ig_code subspace(maker *m, const ig_edit_spec *e, const ig_probe_data *data, ig_err *err)
{
    float *u;
    int k;
    IG_TRY(ig_pool_alloc(&m->made->pool, &u, (int64_t)m->d * m->d, sizeof *u, err));
    IG_TRY(e->how == IG_SUBSPACE_DISCRIMINANT
               ? ig_subspace_discriminant(u, &k, data, err)
               : ig_subspace_inlp(
                     u, &k, data,
                     &(ig_inlp){e->rounds, e->how == IG_SUBSPACE_INLP, (uint64_t)e->seed}, err));
    return k > 0 ? add(m, -1, IG_EDIT_PROJECT, k, u, err) : IG_ERR_OK;
}

static ig_code by_sample(maker *m, const ig_edit_spec *e, ig_err *err)
{
    ig_states_source source[SOURCE_MAX];
    ig_state_sample sample = {0};
    int n;
    IG_TRY(sources(m, e, source, &n, err));
    if (n < 2)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "project: found one language, expected two or more to separate");
    const ig_sample_draw how = {e->how == IG_SUBSPACE_INLP_PAPER, (uint64_t)e->seed};
    ig_states *states;
    IG_TRY(open_states(&states, m, err));
    ig_code code = ig_state_sample_take(&sample, states, source, n, &how, err);
    ig_states_close(states);
    const ig_probe_data data = {sample.row, sample.label, sample.n, m->d, n};
    IG_THEN(code, subspace(m, e, &data, err));
    ig_state_sample_free(&sample);
    return code;
}

/* --- rotations ------------------------------------------------------------------------------- */

/* Procrustes on centred pairs: with C = Σ (y − ȳ)(x − x̄)ᵀ = U S Vᵀ the map is M = U Vᵀ, and
 * h becomes M (h − x̄) + ȳ (Schönemann 1966). mean [2, d]; matrix [d, d]. */
static ig_code procrustes(float *matrix, double *mean, const ig_state_sample *s, ig_err *err)
{
    const int64_t d = s->d, n = s->n / 2;
    IG_OWNED double *c = NULL;
    IG_TRY(ig_alloc(&c, 3 * d * d + d, sizeof *c, "rotation", err));
    double *u = c + d * d, *v = u + d * d, *value = v + d * d;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < d; k++)
            mean[(i % 2) * d + k] += (double)s->row[i * d + k] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const float *x = s->row + 2 * i * d, *y = x + d;
        for (int64_t r = 0; r < d; r++)
            for (int64_t k = 0; k < d; k++)
                c[r * d + k] += ((double)y[r] - mean[d + r]) * ((double)x[k] - mean[k]);
    }
    IG_TRY(ig_singular(c, s->d, u, value, v, err));
    for (int64_t r = 0; r < d; r++)
        for (int64_t k = 0; k < d; k++) {
            double sum = 0;
            for (int64_t i = 0; i < d; i++)
                sum += u[i * d + r] * v[i * d + k];
            matrix[r * d + k] = (float)sum;
        }
    return IG_ERR_OK;
}

static ig_code add_rotation(maker *m, int language, const ig_state_sample *sample, ig_err *err)
{
    float *matrix;
    double *mean;
    IG_TRY(ig_pool_alloc(&m->made->pool, &matrix, (int64_t)m->d * m->d, sizeof *matrix, err));
    IG_TRY(ig_pool_alloc(&m->made->pool, &mean, 2 * (int64_t)m->d, sizeof *mean, err));
    IG_TRY(procrustes(matrix, mean, sample, err));
    IG_TRY(add_shift(m, language, mean, NULL, -1, err));
    IG_TRY(add(m, language, IG_EDIT_MATRIX, m->d, matrix, err));
    return add_shift(m, language, mean + m->d, NULL, 1, err);
}

static ig_code rotate(maker *m, const ig_edit_spec *e, ig_err *err)
{
    ig_states_source all[SOURCE_MAX], pair[2] = {{0}};
    ig_state_sample sample = {0};
    const char *const name[2] = {e->from, e->to};
    int n;
    IG_TRY(sources(m, e, all, &n, err));
    for (int x = 0; x < 2; x++) {
        for (int k = 0; k < n; k++)
            if (strcmp(all[k].name, name[x]) == 0)
                pair[x] = all[k];
        if (pair[x].name == NULL)
            return ig_fail(err, IG_ERR_USAGE, "edit", 0, "rotate: has no text of language '%.60s'",
                           name[x]);
    }
    ig_states *states;
    IG_TRY(open_states(&states, m, err));
    ig_code code =
        (e->by_words ? ig_state_sample_words : ig_state_sample_pairs)(&sample, states, pair, err);
    ig_states_close(states);
    IG_THEN(code, add_rotation(m, pair[0].language, &sample, err));
    ig_state_sample_free(&sample);
    return code;
}

/* A tensor `matrix` [D, D]. */
static ig_code from_file(maker *m, const ig_edit_spec *e, ig_err *err)
{
    ig_safetensors s;
    float *matrix;
    int language = -1;
    if (e->from != NULL)
        IG_TRY(language_by_name(&language, m, e->from, err));
    IG_TRY(ig_pool_alloc(&m->made->pool, &matrix, (int64_t)m->d * m->d, sizeof *matrix, err));
    IG_TRY(ig_safetensors_open(&s, e->matrix, err));
    const ig_safetensor *t = ig_safetensors_find(&s, "matrix");
    ig_code code = IG_ERR_OK;
    if (t == NULL || t->n_dim != 2 || t->shape[0] != m->d || t->shape[1] != m->d)
        code =
            ig_fail(err, IG_ERR_INPUT, e->matrix, 0, "has no tensor matrix [%d, %d]", m->d, m->d);
    else
        code = ig_safetensors_read(&s, t, matrix, err);
    ig_safetensors_close(&s);
    return code == IG_ERR_OK ? add(m, language, IG_EDIT_MATRIX, m->d, matrix, err) : code;
}

/* --- attention ------------------------------------------------------------------------------- */

/* Another model's attention pattern needs the same number of heads and columns, and a pattern that
 * depends on queries and keys alone. */
static ig_code check_shape(const char *where, const ig_bert_config *found,
                           const ig_bert_config *expected, ig_err *err)
{
    const struct {
        const char *name;
        int32_t found, expected;
    } size[] = {
        {"attention heads", found->num_attention_heads, expected->num_attention_heads},
        {"layers", found->num_hidden_layers, expected->num_hidden_layers},
        {"columns", found->hidden_size, expected->hidden_size},
        {"columns between them", found->intermediate_size, expected->intermediate_size},
        {"positions", found->max_position_embeddings, expected->max_position_embeddings},
        {"pieces", found->vocab_size, expected->vocab_size},
    };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i].found != size[i].expected)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "attention: found %d %s, expected %d as the edited model has",
                           size[i].found, size[i].name, size[i].expected);
    return ig_bert_is_relative(found) || ig_bert_is_relative(expected)
               ? ig_fail(err, IG_ERR_INPUT, where, 0,
                         "attention: found relative positions, expected others in both models")
               : IG_ERR_OK;
}

static ig_code attention(maker *m, const ig_edit_spec *e, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(m->parts.model);
    ig_bert **own = &m->made->model[e - m->specs->spec], *other = NULL;
    IG_TRY(add(m, -1, IG_EDIT_ATTENTION, 0, NULL, err));
    if (e->model == NULL)
        return IG_ERR_OK;
    for (const ig_edit_spec *s = m->specs->spec; s < e && other == NULL; s++)
        if (s->model != NULL && strcmp(s->model, e->model) == 0)
            other = m->made->model[s - m->specs->spec];
    if (other == NULL) {
        IG_TRY(ig_edit_other_model(own, e->model, 0, c->num_hidden_layers, err));
        IG_TRY(check_shape(e->model, ig_bert_get_config(*own), c, err));
        other = *own;
    }
    m->made->edit[m->made->n - 1].model = other;
    return IG_ERR_OK;
}

/* --- all of them ----------------------------------------------------------------------------- */

static ig_code check_layer(const ig_edit_spec *e, const ig_bert *m, ig_err *err)
{
    const int depth = ig_bert_get_config(m)->num_hidden_layers;
    return e->layer <= depth
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "edit", 0,
                         "no layer %d: the model has 0 (embeddings) to %d", (int)e->layer, depth);
}

static ig_code change_weights(ig_bert *m, const ig_edit_specs *specs, int i,
                              const ig_edit_units *units, float *constants, ig_err *err)
{
    const ig_edit_spec *e = &specs->spec[i];
    IG_TRY(check_layer(e, m, err));
    return e->kind == IG_EDIT_SPEC_REINIT ? ig_edit_reinit(m, (int)e->layer, (uint64_t)e->seed, err)
           : e->kind == IG_EDIT_SPEC_SWAP ? ig_edit_swap(m, (int)e->layer, e->model, err)
                                          : ig_edit_units_apply(m, units, e, i, constants, err);
}

ig_code ig_edits_change_weights(ig_bert *m, const ig_edit_specs *specs, const ig_made_edits *made,
                                ig_err *err)
{
    for (int i = 0; i < specs->n; i++)
        if (specs->spec[i].kind == IG_EDIT_SPEC_REINIT ||
            specs->spec[i].kind == IG_EDIT_SPEC_SWAP || ig_edit_of_units(&specs->spec[i]))
            IG_TRY(change_weights(m, specs, i, &made->units, NULL, err));
    return IG_ERR_OK;
}

/* Finds the units of an edit, in the states that the edits before it leave. */
static ig_code find_units(maker *m, const ig_edit_spec *e, ig_err *err)
{
    ig_states_source source[SOURCE_MAX];
    ig_edit_units_text text = {.source = source, .stop = m->on->stop};
    if (ig_edit_units_look(e)) {
        IG_TRY(sources(m, e, source, &text.n_source, err));
        IG_TRY(ig_engine_set_edits(m->parts.engine, m->made->edit, m->made->n, err));
    }
    text.parts = m->parts;
    return ig_edit_units_find(&m->made->units, &m->made->pool, e, (int)(e - m->specs->spec), &text,
                              err);
}

/* Means that the blocks have no bias for become edits of the engine, one of a sublayer. */
static ig_code add_constants(maker *m, ig_err *err)
{
    ig_made_edits *all = m->made;
    for (int i = 0; i < 2 * (m->n_layer - 1); i++) {
        const float *v = all->constants + (int64_t)i * m->d;
        bool any = false;
        for (int k = 0; k < m->d; k++)
            any = any || v[k] != 0;
        for (int k = 0; k < all->n; k++)
            any = any && all->edit[k].data != v;
        m->layer = i / 2 + 1;
        if (any)
            IG_TRY(add(m, -1, IG_EDIT_BIAS, i % 2, v, err));
    }
    return IG_ERR_OK;
}

static ig_code keep_weights(ig_made_edits *made, ig_bert *m, ig_err *err)
{
    const int64_t n = ig_bert_n_weight(m);
    if (made->weights != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&made->weights, n, sizeof *made->weights, "weights", err));
    ig_bert_get_device(m)->download(made->weights, ig_bert_weights(m),
                                    n * (int64_t)sizeof *made->weights);
    return IG_ERR_OK;
}

static ig_code make_one(maker *m, const ig_edit_spec *e, ig_err *err)
{
    IG_TRY(check_layer(e, m->parts.model, err));
    m->layer = (int)e->layer;
    if (m->on->mixed && n_language(m) == 1 && (e->from != NULL || e->kind == IG_EDIT_SPEC_CENTRE))
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "%s at layer %d: the model does not distinguish languages (config.json has "
                       "no isoglot.languages)",
                       ig_edit_spec_names[e->kind], (int)e->layer);
    switch ((ig_edit_spec_kind)e->kind) {
    case IG_EDIT_SPEC_SHIFT:
    case IG_EDIT_SPEC_CENTRE:
        return by_means(m, e, err);
    case IG_EDIT_SPEC_PROJECT:
        return e->how == IG_SUBSPACE_MEANS ? by_means(m, e, err) : by_sample(m, e, err);
    case IG_EDIT_SPEC_ROTATE:
        return rotate(m, e, err);
    case IG_EDIT_SPEC_MATRIX:
        return from_file(m, e, err);
    case IG_EDIT_SPEC_ATTENTION:
        return attention(m, e, err);
    case IG_EDIT_SPEC_HEADS:
    case IG_EDIT_SPEC_NEURONS:
        IG_TRY(find_units(m, e, err));
        break;
    case IG_EDIT_SPEC_REINIT:
    case IG_EDIT_SPEC_SWAP:
    case IG_N_EDIT_SPEC:
        break;
    }
    IG_TRY(keep_weights(m->made, m->parts.model, err));
    if (m->made->constants == NULL)
        IG_TRY(ig_pool_alloc(&m->made->pool, &m->made->constants,
                             2 * (int64_t)(m->n_layer - 1) * m->d, sizeof *m->made->constants,
                             err));
    IG_TRY(change_weights(m->parts.model, m->specs, (int)(e - m->specs->spec), &m->made->units,
                          m->made->constants, err));
    ig_engine_weights_changed(m->parts.engine);
    return add_constants(m, err);
}

ig_code ig_edits_make(ig_made_edits *made, const ig_edit_specs *specs, const ig_edit_on *on,
                      ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(on->parts.model);
    maker m = {.specs = specs,
               .on = on,
               .parts = on->parts,
               .made = made,
               .n_layer = c->num_hidden_layers + 1,
               .d = c->hidden_size};
    *made = (ig_made_edits){0};
    ig_code code = IG_ERR_OK;
    if (ig_edit_specs_have_means(specs))
        code = ig_bert_digest(m.digest, on->parts.model, err);
    for (int i = 0; i < specs->n && code == IG_ERR_OK; i++)
        code = make_one(&m, &specs->spec[i], err);
    IG_THEN(code, ig_engine_set_edits(on->parts.engine, made->edit, made->n, err));
    ig_model_languages_free(&m.languages);
    ig_encoder_close(&m.encoder);
    return code;
}

ig_code ig_edits_undo(ig_made_edits *made, const ig_edit_on *on, ig_err *err)
{
    ig_bert *m = on->parts.model;
    if (made->weights != NULL) {
        ig_bert_get_device(m)->upload(ig_bert_weights(m), made->weights,
                                      ig_bert_n_weight(m) * (int64_t)sizeof *made->weights);
        ig_engine_weights_changed(on->parts.engine);
    }
    ig_made_edits_free(made);
    return ig_engine_set_edits(on->parts.engine, NULL, 0, err);
}

void ig_made_edits_free(ig_made_edits *made)
{
    for (int i = 0; i < IG_EDIT_SPECS_MAX; i++)
        ig_bert_free(made->model[i]);
    IG_FREE(made->edit, made->weights, made->units.unit);
    ig_pool_free(&made->pool);
    *made = (ig_made_edits){0};
}
