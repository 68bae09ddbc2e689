/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads (Michel et al. 2019, "Are Sixteen Heads Really Better than One?", §2) and neurons of the
 * feed-forward part, replaced by 0 or by their mean over a text. They are named by a list, or by a
 * rule: the neurons most specific to languages (Tang et al. 2024, LAPE), or as many at random.
 */
#include "apply/edit/edit_units.h"

#include "apply/inner_sums.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/block/bert_block.h"
#include "model/separate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ig_edit_units_look(const ig_edit_spec *e)
{
    return ig_edit_of_units(e) && (e->fill == IG_EDIT_FILL_MEAN || e->rule == IG_EDIT_RULE_LAPE);
}

/* The units of a model. */
typedef struct {
    bool of_heads;
    int n_layer, n, width; /* units of a layer, columns of a unit */
} shape;

static shape shape_of(const ig_bert_config *c, const ig_edit_spec *e)
{
    const bool of_heads = e->kind == IG_EDIT_SPEC_HEADS;
    return (shape){of_heads, c->num_hidden_layers,
                   of_heads ? c->num_attention_heads : c->intermediate_size,
                   of_heads ? ig_bert_head_dim(c) : 1};
}

static ig_code add(ig_edit_units *out, int spec, int layer, int number, ig_err *err)
{
    for (int64_t i = 0; i < out->n; i++)
        if (out->unit[i].spec == spec && out->unit[i].layer == layer &&
            out->unit[i].number == number)
            return ig_fail(err, IG_ERR_USAGE, "edit", 0, "list: found %d:%d twice", layer, number);
    IG_TRY(ig_grow(&out->unit, &out->have, out->n + 1, sizeof *out->unit, "edits", err));
    out->unit[out->n++] = (ig_edit_unit){spec, layer, number, NULL};
    return IG_ERR_OK;
}

/* --- which ----------------------------------------------------------------------------------- */

/* "1:0, 3:11": layers and numbers in them. */
static ig_code by_list(ig_edit_units *out, const ig_edit_spec *e, int spec, const shape *s,
                       ig_err *err)
{
    static const char blank[] = " ,\t\n";
    const char *p = e->list + strspn(e->list, blank);
    while (*p != '\0') {
        const int n = (int)strcspn(p, blank);
        int layer = -1, number = -1, read = 0;
        if (isdigit((unsigned char)*p) == 0 || sscanf(p, "%9d:%9d%n", &layer, &number, &read) < 2 ||
            read != n || layer < 1 || layer > s->n_layer || number < 0 || number >= s->n)
            return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                           "list: found '%.*s', expected layer:%s, 1:0 to %d:%d", n > 40 ? 40 : n,
                           p, s->of_heads ? "head" : "neuron", s->n_layer, s->n - 1);
        IG_TRY(add(out, spec, layer, number, err));
        p += n;
        p += strspn(p, blank);
    }
    return IG_ERR_OK;
}

ig_code ig_edit_units_check(const ig_edit_spec *e, const ig_bert_config *c, ig_err *err)
{
    ig_edit_units found = {0};
    const shape s = shape_of(c, e);
    const int64_t most = (int64_t)(e->layer > 0 ? 1 : s.n_layer) * s.n;
    ig_code code = e->list != NULL ? by_list(&found, e, 0, &s, err) : IG_ERR_OK;
    ig_free(found.unit);
    if (code == IG_ERR_OK && e->layer > s.n_layer)
        code = ig_fail(err, IG_ERR_USAGE, "edit", 0, "layer: found %d, expected at most %d",
                       (int)e->layer, s.n_layer);
    if (code == IG_ERR_OK && e->count > most)
        code = ig_fail(err, IG_ERR_USAGE, "edit", 0, "count: found %d, expected at most %d",
                       (int)e->count, (int)most);
    return code;
}

/* A unit and how early it is taken. */
typedef struct {
    double key;
    int32_t at;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static ig_code rank_lape(ranked *r, int64_t n, const ig_edit_spec *e, const ig_inner_sums *sums,
                         const ig_edit_units_text *text, ig_err *err)
{
    IG_OWNED ig_specific *specific = NULL;
    int only = -1;
    if (sums->n_language < 2)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                       "lape: found one language, expected two or more to compare");
    for (int k = 0; k < text->n_source && e->from != NULL; k++)
        if (strcmp(text->source[k].name, e->from) == 0)
            only = k;
    if (e->from != NULL && only < 0)
        return ig_fail(err, IG_ERR_USAGE, "edit", 0, "lape: has no text of language '%.60s'",
                       e->from);
    IG_TRY(ig_alloc(&specific, n, sizeof *specific, "neurons", err));
    IG_TRY(ig_inner_specific(specific, NULL, sums, .95, err));
    for (int64_t i = 0; i < n; i++)
        r[i].key =
            only >= 0 && specific[i].language != only ? (double)INFINITY : specific[i].entropy;
    return IG_ERR_OK;
}

static ig_code by_rule(ig_edit_units *out, const ig_edit_spec *e, int spec, const shape *s,
                       const ig_inner_sums *sums, const ig_edit_units_text *text, ig_err *err)
{
    IG_OWNED ranked *r = NULL;
    const int64_t n = (int64_t)s->n_layer * s->n;
    IG_TRY(ig_alloc(&r, n, sizeof *r, "units", err));
    ig_rng draw = ig_rng_make((uint64_t)e->seed, IG_STREAM_SAMPLE, s->of_heads, 1);
    for (int64_t i = 0; i < n; i++)
        r[i] = (ranked){ig_rng_unit(&draw), (int32_t)i};
    IG_TRY(e->rule == IG_EDIT_RULE_LAPE ? rank_lape(r, n, e, sums, text, err) : IG_ERR_OK);
    for (int64_t i = 0; i < n; i++)
        if (e->layer > 0 && r[i].at / s->n + 1 != e->layer)
            r[i].key = (double)INFINITY;
    qsort(r, (size_t)n, sizeof *r, by_key);
    for (int64_t i = 0; i < e->count; i++) {
        if (i == n || isinf(r[i].key))
            return ig_fail(err, IG_ERR_USAGE, "edit", 0, "count: found %d, expected at most %d: %s",
                           (int)e->count, (int)i,
                           e->rule == IG_EDIT_RULE_LAPE
                               ? "no other neuron is among the most active in a language"
                               : "the layers have no more");
        IG_TRY(add(out, spec, r[i].at / s->n + 1, r[i].at % s->n, err));
    }
    return IG_ERR_OK;
}

/* The mean over the tokens of all texts. */
static ig_code fill_means(ig_edit_units *out, int64_t first, ig_pool *pool, const shape *s,
                          const ig_inner_sums *sums, ig_err *err)
{
    int64_t n_token = 0;
    for (int k = 0; k < sums->n_language; k++)
        n_token += sums->n_token[k];
    for (int64_t i = first; i < out->n; i++) {
        ig_edit_unit *u = &out->unit[i];
        const int64_t at = (int64_t)(u->layer - 1) * sums->width + (int64_t)u->number * s->width;
        float *fill;
        IG_TRY(ig_pool_alloc(pool, &fill, s->width, sizeof *fill, err));
        for (int c = 0; c < s->width; c++) {
            double sum = 0;
            for (int k = 0; k < sums->n_language; k++)
                sum += sums->sum[k][at + c];
            fill[c] = (float)(sum / (double)n_token);
        }
        u->fill = fill;
    }
    return IG_ERR_OK;
}

/* Adds up what the units of all texts do on their way. */
static ig_code add_up(ig_inner_sums *sums, const ig_edit_units_text *text, ig_inner which,
                      ig_err *err)
{
    for (int k = 0; k < text->n_source; k++)
        IG_TRY(ig_inner_sums_add(sums, &text->parts, which, &text->source[k], text->stop, err));
    return IG_ERR_OK;
}

ig_code ig_edit_units_find(ig_edit_units *out, ig_pool *pool, const ig_edit_spec *e, int spec,
                           const ig_edit_units_text *text, ig_err *err)
{
    const shape s = shape_of(ig_bert_get_config(text->parts.model), e);
    IG_SCOPED(ig_inner_sums_free) ig_inner_sums active = {0};
    IG_SCOPED(ig_inner_sums_free) ig_inner_sums given = {0};
    const int64_t first = out->n;
    if (e->rule == IG_EDIT_RULE_LAPE)
        IG_TRY(add_up(&active, text, IG_INNER_ACTIVE, err));
    IG_TRY(e->rule == IG_EDIT_RULE_LIST ? by_list(out, e, spec, &s, err)
                                        : by_rule(out, e, spec, &s, &active, text, err));
    if (e->fill == IG_EDIT_FILL_MEAN) {
        IG_TRY(add_up(&given, text, s.of_heads ? IG_INNER_HEADS : IG_INNER_NEURONS, err));
        IG_TRY(fill_means(out, first, pool, &s, &given, err));
    }
    return IG_ERR_OK;
}

/* --- their weights --------------------------------------------------------------------------- */

/* A tensor on the host; NULL values: the model has none. */
typedef struct {
    const ig_bert_param *p;
    float *x;
} tensor;

/* The tensors of a block's unit, rows of the block's table: whose columns read it, and whose rows
 * make it, those of the first unit from `first` on. Of a gated neuron the row that its activation
 * reads is enough. Values may be rows after those of queries and keys; where heads share them, or
 * the model is not trained anyway, what makes a unit stays: −1. */
enum { READ_W, READ_B, MAKE_W, MAKE_B, N_TENSOR };
typedef struct {
    int row[N_TENSOR], first;
} unit_tensors;

static unit_tensors tensors_of(const ig_bert_config *c, bool of_heads)
{
    const int q = ig_bert_query_dim(c);
    if (!of_heads)
        return (unit_tensors){{DOWN_W, DOWN_B, UP_W, UP_B}, 0};
    if (ig_bert_qkv_dim(c) != 3 * q)
        return (unit_tensors){{OUT_W, OUT_B, -1, -1}, 0};
    return ig_blocks[c->block]->param[VALUE_W].name != NULL
               ? (unit_tensors){{OUT_W, OUT_B, VALUE_W, VALUE_B}, 0}
               : (unit_tensors){{OUT_W, OUT_B, QUERY_W, QUERY_B}, 2 * q};
}

static ig_code get(tensor *t, ig_bert *m, int language, int layer, int row, ig_err *err)
{
    const ig_param_row *rows = ig_blocks[ig_bert_get_config(m)->block]->param;
    char full[160] = "";
    *t = (tensor){0};
    if (row < 0 || rows[row].name == NULL)
        return IG_ERR_OK;
    if (language > 0)
        snprintf(full, sizeof full, "language.%d.", language);
    snprintf(full + strlen(full), sizeof full - strlen(full), "bert.encoder.layer.%d.%s", layer - 1,
             rows[row].name);
    t->p = ig_bert_param_find(m, full);
    if (t->p == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&t->x, (int64_t)t->p->rows * t->p->cols, sizeof *t->x, "weights", err));
    ig_bert_get_values(m, t->p, t->x);
    return IG_ERR_OK;
}

static void put(tensor *t, ig_bert *m)
{
    if (t->x != NULL)
        ig_bert_set_values(m, t->p, t->x);
    ig_free(t->x);
}

/* Replaces `width` columns from `first` on of W: W fill is added to `constant` [rows], then W 0;
 * and the rows that make them, from `make` on. */
static void replace(const tensor t[N_TENSOR], double *constant, int first, int make, int width,
                    const float *fill)
{
    const ig_bert_param *w = t[READ_W].p, *up = t[MAKE_W].p;
    for (int64_t r = 0; r < w->rows; r++) {
        float *row = t[READ_W].x + r * w->cols + first;
        for (int c = 0; c < width; c++) {
            constant[r] += fill != NULL ? (double)row[c] * (double)fill[c] : 0;
            row[c] = 0;
        }
    }
    if (up != NULL)
        memset(t[MAKE_W].x + (int64_t)make * up->cols, 0,
               (size_t)width * (size_t)up->cols * sizeof *t->x);
    if (t[MAKE_B].p != NULL)
        memset(t[MAKE_B].x + make, 0, (size_t)width * sizeof *t->x);
}

/* The constant moves to the bias, or, where the block has none, to `out` [D]. */
static ig_code move(const tensor *bias, const double *constant, int d, float *out, int layer,
                    ig_err *err)
{
    for (int r = 0; r < d; r++)
        if (bias->p != NULL)
            bias->x[r] += (float)constant[r];
        else if (out != NULL)
            out[r] += (float)constant[r];
        else if (constant[r] != 0)
            return ig_fail(err, IG_ERR_USAGE, "edit", 0,
                           "fill: mean of layer %d: found no bias in the block that could be it, "
                           "expected fill: zero",
                           layer);
    return IG_ERR_OK;
}

static ig_code apply_tensors(const tensor t[N_TENSOR], const ig_edit_units *units, const shape *s,
                             int first, int spec, int layer, int d, float *out, ig_err *err)
{
    IG_OWNED double *constant = NULL;
    IG_TRY(ig_alloc(&constant, d, sizeof *constant, "edits", err));
    for (int64_t i = 0; i < units->n; i++) {
        const ig_edit_unit *u = &units->unit[i];
        const int at = u->number * s->width;
        if (u->spec == spec && u->layer == layer)
            replace(t, constant, at, first + at, s->width, u->fill);
    }
    return move(&t[READ_B], constant, d, out, layer, err);
}

static ig_code apply_layer(ig_bert *m, const ig_edit_units *units, const shape *s, int spec,
                           int layer, int language, float *out, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    const unit_tensors of = tensors_of(c, s->of_heads);
    tensor t[N_TENSOR] = {{0}};
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < N_TENSOR && code == IG_ERR_OK; k++)
        code = get(&t[k], m, language, layer, of.row[k], err);
    if (code == IG_ERR_OK && t[READ_W].p != NULL)
        code = apply_tensors(t, units, s, of.first, spec, layer, c->hidden_size, out, err);
    for (int k = 0; k < N_TENSOR; k++)
        put(&t[k], m);
    return code;
}

ig_code ig_edit_units_apply(ig_bert *m, const ig_edit_units *units, const ig_edit_spec *e, int spec,
                            float *constants, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    const shape s = shape_of(c, e);
    for (int l = 1; l <= s.n_layer; l++) {
        float *out = constants != NULL && !ig_bert_separate_layer(&c->separate, l - 1)
                         ? constants + (int64_t)(2 * (l - 1) + !s.of_heads) * c->hidden_size
                         : NULL;
        bool any = false;
        for (int64_t i = 0; i < units->n; i++)
            any = any || (units->unit[i].spec == spec && units->unit[i].layer == l);
        for (int k = 0; k < IG_LANGUAGES_MAX && any; k++)
            IG_TRY(apply_layer(m, units, &s, spec, l, k, out, err));
    }
    return IG_ERR_OK;
}
