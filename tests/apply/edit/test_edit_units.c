/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads and neurons replaced by zeros and by their means, against a block computed with loops in
 * double from the unedited model's weights; LAPE and its neurons against the definition over the
 * same loops; a replaced unit's gradients, which are exactly zero.
 */
#include "twin_fixture.h"

#include "apply/edit/edit_make.h"
#include "apply/inner_sums.h"
#include "base/rng.h"
#include "isoglot/batch.h"

#include <math.h>

enum { HEADS = 2, WIDTH = D / HEADS, F = 8, MOST = 64 };

typedef struct {
    ig_encoder encoder;
    ig_model_languages languages;
    ig_team *team;
    ig_engine *engine;
    ig_edit_on on;
    float *before; /* its weights without edits */
} fixture;

static char text_path[256];

/* Random blocks, so that every head and neuron matters. */
static void stir(ig_bert *m)
{
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        float *w = ig_bert_weights(m) + p->offset;
        const bool weight = strstr(p->name, "LayerNorm.weight") != NULL;
        for (int64_t k = 0; k < (int64_t)p->rows * p->cols; k++)
            if (strstr(p->name, ".layer.") != NULL)
                w[k] = (float)((weight ? 1 : 0) + .6 * (ig_rng_unit(&r) - .5));
    }
}

static fixture *open_model(void)
{
    fixture *f;
    assert_ok(ig_alloc(&f, 1, sizeof *f, "", &err), &err);
    assert_ok(ig_encoder_open(&f->encoder, fixture_path("shift"), false, &err), &err);
    ig_bert *m = f->encoder.model;
    stir(m);
    assert_ok(ig_model_languages_read(&f->languages, f->encoder.dir, ig_bert_get_config(m),
                                      f->encoder.tokenizer, &err),
              &err);
    assert_ok(ig_team_new(&f->team, 2, &err), &err);
    assert_ok(ig_engine_new(&f->engine, m, f->team, NULL, IG_PRECISION_F32, &err), &err);
    f->on = (ig_edit_on){.parts = {.engine = f->engine,
                                   .model = m,
                                   .team = f->team,
                                   .tokenizer = f->encoder.tokenizer,
                                   .languages = &f->languages}};
    assert_ok(ig_alloc(&f->before, ig_bert_n_weight(m), sizeof *f->before, "", &err), &err);
    memcpy(f->before, ig_bert_weights(m), (size_t)ig_bert_n_weight(m) * sizeof *f->before);
    return f;
}

static void drop(fixture *f)
{
    ig_engine_free(f->engine);
    ig_team_free(f->team);
    ig_model_languages_free(&f->languages);
    ig_encoder_close(&f->encoder);
    IG_FREE(f->before, f);
}

static ig_code make(ig_made_edits *made, fixture *f, const char *edit)
{
    ig_edit_specs specs = {0};
    char text[1000], *to = text;
    for (; *edit != '\0'; edit++)
        to += sprintf(to, "%.*s", *edit == '@' ? 255 : 1, *edit == '@' ? text_path : edit);
    assert_ok(ig_edit_specs_add(&specs, text, &err), &err);
    const ig_code code = ig_edits_make(made, &specs, &f->on, &err);
    ig_edit_specs_free(&specs);
    return code;
}

/* --- the reference --------------------------------------------------------------------------- */

/* Tensor `name` of block l, from 0, as it was. */
static const float *of(const fixture *f, int l, const char *name)
{
    char full[200];
    snprintf(full, sizeof full, "bert.encoder.layer.%d.%s", l, name);
    const ig_bert_param *p = ig_bert_param_find(f->encoder.model, full);
    assert_non_null(p);
    return f->before + p->offset;
}

static void dense(double *y, const double *x, const fixture *f, int l, const char *name, int n_out,
                  int n_in)
{
    char w[100], b[100];
    snprintf(w, sizeof w, "%s.weight", name);
    snprintf(b, sizeof b, "%s.bias", name);
    for (int r = 0; r < n_out; r++) {
        y[r] = (double)of(f, l, b)[r];
        for (int c = 0; c < n_in; c++)
            y[r] += (double)of(f, l, w)[r * n_in + c] * x[c];
    }
}

static void norm(double *x, const fixture *f, int l, const char *name)
{
    char w[100], b[100];
    double mean = 0, square = 0;
    snprintf(w, sizeof w, "%s.weight", name);
    snprintf(b, sizeof b, "%s.bias", name);
    for (int k = 0; k < D; k++)
        mean += x[k] / D;
    for (int k = 0; k < D; k++)
        square += (x[k] - mean) * (x[k] - mean) / D;
    for (int k = 0; k < D; k++)
        x[k] =
            (x[k] - mean) / sqrt(square + 1e-12) * (double)of(f, l, w)[k] + (double)of(f, l, b)[k];
}

/* A unit that is replaced: head or neuron `number` of block l by fill; number −1: none. */
typedef struct {
    bool head;
    int layer, number;
    const double *fill;
} replaced;

/* Block l of one sentence of n tokens; ctx [n, D], act [n, F] before the replacement. */
static void block(double (*y)[D], double (*ctx)[D], double (*act)[F], const double (*x)[D], int n,
                  const fixture *f, int l, const replaced *r)
{
    static double q[MOST][D], k[MOST][D], v[MOST][D];
    for (int t = 0; t < n; t++) {
        dense(q[t], x[t], f, l, "attention.self.query", D, D);
        dense(k[t], x[t], f, l, "attention.self.key", D, D);
        dense(v[t], x[t], f, l, "attention.self.value", D, D);
    }
    for (int t = 0; t < n; t++) {
        double joined[D], up[F], all[F], sum[D];
        for (int h = 0; h < HEADS; h++) {
            double p[MOST], z = 0;
            for (int s = 0; s < n; s++) {
                p[s] = 0;
                for (int c = h * WIDTH; c < (h + 1) * WIDTH; c++)
                    p[s] += q[t][c] * k[s][c];
                z += p[s] = exp(p[s] / sqrt(WIDTH));
            }
            for (int c = h * WIDTH; c < (h + 1) * WIDTH; c++) {
                ctx[t][c] = 0;
                for (int s = 0; s < n; s++)
                    ctx[t][c] += p[s] / z * v[s][c];
            }
        }
        for (int c = 0; c < D; c++)
            joined[c] =
                r->head && r->layer == l && c / WIDTH == r->number ? r->fill[c % WIDTH] : ctx[t][c];
        dense(sum, joined, f, l, "attention.output.dense", D, D);
        for (int c = 0; c < D; c++)
            y[t][c] = x[t][c] + sum[c];
        norm(y[t], f, l, "attention.output.LayerNorm");
        dense(up, y[t], f, l, "intermediate.dense", F, D);
        for (int i = 0; i < F; i++) {
            act[t][i] = up[i] * .5 * (1 + erf(up[i] / sqrt(2)));
            all[i] = !r->head && r->layer == l && i == r->number ? r->fill[0] : act[t][i];
        }
        dense(sum, all, f, l, "output.dense", D, F);
        for (int c = 0; c < D; c++)
            y[t][c] += sum[c];
        norm(y[t], f, l, "output.LayerNorm");
    }
}

/* --- sentences ------------------------------------------------------------------------------- */

/* The text in both languages: states of the unedited model at the embeddings. */
typedef struct {
    int n, n_token[2 * N_LINE], language[2 * N_LINE];
    bool special[2 * N_LINE][MOST];
    double x[2 * N_LINE][MOST][D];
    const fixture *f;
    replaced r; /* what the edited model has replaced */
} sentences;
static sentences all;

static void read_all(const fixture *f, int layer, ig_states_fn *fn)
{
    ig_states *s;
    const ig_states_options o = {.layer = &layer, .n_layer = 1, .allow_unknown = true};
    assert_ok(ig_states_over(&s, &o, &f->on.parts, &err), &err);
    for (int k = 0; k < 2; k++) {
        const ig_states_source file = {
            .name = k == 0 ? "en" : "fake", .path = text_path, .language = k};
        assert_ok(ig_states_read(s, &file, fn, NULL, &err), &err);
    }
    ig_states_close(s);
}

static ig_code keep(void *arg, const ig_sentence_states *s, ig_err *e)
{
    (void)arg;
    (void)e;
    const int i = all.n++;
    all.n_token[i] = s->n_token;
    all.language[i] = s->language;
    for (int t = 0; t < s->n_token; t++) {
        all.special[i][t] = s->special[t];
        for (int c = 0; c < D; c++)
            all.x[i][t][c] = (double)s->states[0][t * D + c];
    }
    return IG_ERR_OK;
}

/* The sentences come again in the same order, from the edited model's last layer. */
static ig_code compare(void *arg, const ig_sentence_states *s, ig_err *e)
{
    static double y[MOST][D], z[MOST][D], ctx[MOST][D], act[MOST][F];
    (void)arg;
    (void)e;
    const int i = all.n++;
    if (i % 7 != 0) /* some of each language */
        return IG_ERR_OK;
    block(y, ctx, act, (const double(*)[D])all.x[i], all.n_token[i], all.f, 0, &all.r);
    block(z, ctx, act, (const double(*)[D])y, all.n_token[i], all.f, 1, &all.r);
    assert_int_equal(s->n_token, all.n_token[i]);
    for (int t = 0; t < s->n_token; t++)
        for (int c = 0; c < D; c++)
            assert_true(fabs((double)s->states[0][t * D + c] - z[t][c]) < 2e-5);
    return IG_ERR_OK;
}

/* Calls fn for what each counted token has at block l of the unedited model. */
typedef void token_fn(void *arg, int language, const double *ctx, const double *act);
static void each_token(int l, token_fn *fn, void *arg)
{
    static double y[2][MOST][D], ctx[MOST][D], act[MOST][F];
    const replaced none = {.number = -1};
    for (int i = 0; i < 2 * N_LINE; i++) {
        const double(*x)[D] = (const double(*)[D])all.x[i];
        for (int k = 0; k <= l; k++) {
            block(y[k], ctx, act, x, all.n_token[i], all.f, k, &none);
            x = (const double(*)[D])y[k];
        }
        for (int t = 0; t < all.n_token[i]; t++)
            if (!all.special[i][t])
                fn(arg, all.language[i], ctx[t], act[t]);
    }
}

static void begin(const fixture *f)
{
    all.n = 0;
    all.f = f;
    read_all(f, 0, keep);
    assert_int_equal(all.n, 2 * N_LINE);
}

static void is_as_replaced(const fixture *f, replaced r)
{
    all.n = 0;
    all.r = r;
    read_all(f, DEPTH, compare);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void zeros(void **state)
{
    static const double zero[D] = {0};
    fixture *f = open_model();
    ig_made_edits made;
    (void)state;
    begin(f);
    is_as_replaced(f, (replaced){.number = -1});
    for (int l = 0; l < DEPTH; l++)
        for (int number = 0; number < F; number++) {
            char edit[100];
            for (int head = 0; head <= (number < HEADS); head++) {
                snprintf(edit, sizeof edit, "{kind: %s, list: %d:%d}", head ? "heads" : "neurons",
                         l + 1, number);
                assert_ok(make(&made, f, edit), &err);
                is_as_replaced(f, (replaced){head == 1, l, number, zero});
                assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
                assert_memory_equal(ig_bert_weights(f->encoder.model), f->before,
                                    (size_t)ig_bert_n_weight(f->encoder.model) * sizeof(float));
            }
        }
    drop(f);
}

typedef struct {
    double sum[D], act[F], n;
} totals;
static void add_token(void *arg, int language, const double *ctx, const double *act)
{
    totals *t = arg;
    (void)language;
    t->n++;
    for (int c = 0; c < D; c++)
        t->sum[c] += ctx[c];
    for (int i = 0; i < F; i++)
        t->act[i] += act[i];
}

static void means(void **state)
{
    fixture *f = open_model();
    ig_made_edits made;
    (void)state;
    begin(f);
    for (int l = 0; l < DEPTH; l++) {
        totals t = {.n = 0};
        double fill[D];
        char edit[200];
        each_token(l, add_token, &t);
        for (int c = 0; c < WIDTH; c++)
            fill[c] = t.sum[WIDTH + c] / t.n;
        snprintf(edit, sizeof edit, "{kind: heads, list: %d:1, fill: mean, text: {en: @, fake: @}}",
                 l + 1);
        assert_ok(make(&made, f, edit), &err);
        is_as_replaced(f, (replaced){true, l, 1, fill});
        assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
        fill[0] = t.act[3] / t.n;
        snprintf(edit, sizeof edit,
                 "{kind: neurons, list: %d:3, fill: mean, text: {en: @, fake: @}}", l + 1);
        assert_ok(make(&made, f, edit), &err);
        is_as_replaced(f, (replaced){false, l, 3, fill});
        assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    }
    drop(f);
}

typedef struct {
    int64_t n[2], active[2][F];
} counts;
static void count_token(void *arg, int language, const double *ctx, const double *act)
{
    counts *c = arg;
    (void)ctx;
    c->n[language]++;
    for (int i = 0; i < F; i++)
        c->active[language][i] += act[i] > 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every neuron's entropy from counts; the chosen are those of the least. */
static void lape(void **state)
{
    fixture *f = open_model();
    ig_inner_sums sums = {0};
    ig_specific specific[DEPTH * F];
    double want[DEPTH * F], p[2][DEPTH * F], sorted[2 * DEPTH * F], bar;
    (void)state;
    begin(f);
    for (int k = 0; k < 2; k++)
        assert_ok(ig_inner_sums_add(&sums, &f->on.parts, IG_INNER_NEURONS,
                                    &(ig_states_source){.name = k == 0 ? "en" : "fake",
                                                        .path = text_path,
                                                        .language = k},
                                    (ig_stop){0}, &err),
                  &err);
    for (int l = 0; l < DEPTH; l++) {
        counts c = {.n = {0}};
        each_token(l, count_token, &c);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(sums.n_token[k], c.n[k]);
            for (int i = 0; i < F; i++) {
                assert_int_equal(sums.active[k][l * F + i], c.active[k][i]);
                p[k][l * F + i] = (double)c.active[k][i] / (double)c.n[k];
                sorted[(k * DEPTH + l) * F + i] = p[k][l * F + i];
            }
        }
    }
    qsort(sorted, 2 * DEPTH * F, sizeof *sorted, by_value);
    assert_ok(ig_inner_specific(specific, &bar, &sums, .5, &err), &err);
    assert_true(bar == sorted[DEPTH * F - 1]);
    int n_left_out = 0;
    for (int i = 0; i < DEPTH * F; i++) {
        const double a = p[0][i], b = p[1][i], q = a / (a + b);
        want[i] = (q > 0 ? -q * log(q) : 0) + (q < 1 ? -(1 - q) * log(1 - q) : 0);
        n_left_out += a <= bar && b <= bar;
        if (a <= bar && b <= bar)
            assert_true(isinf(specific[i].entropy));
        else
            assert_true(fabs(specific[i].entropy - want[i]) < 1e-12);
        assert_int_equal(specific[i].language, b > a);
    }
    assert_in_range(n_left_out, 1, DEPTH * F - 1);
    ig_inner_sums_free(&sums);
    /* The one above the .95-quantile with the least entropy. */
    ig_made_edits made;
    const double top = sorted[(int)(.95 * 2 * DEPTH * F + .5) - 1];
    int least = -1;
    for (int i = 0; i < DEPTH * F; i++)
        if ((p[0][i] > top || p[1][i] > top) && (least < 0 || want[i] < want[least]))
            least = i;
    const ig_code code =
        make(&made, f, "{kind: neurons, rule: lape, count: 1, text: {en: @, fake: @}}");
    if (least < 0)
        assert_int_equal(code, IG_ERR_USAGE);
    else {
        assert_ok(code, &err);
        assert_int_equal(made.units.n, 1);
        assert_int_equal(made.units.unit[0].layer, least / F + 1);
        assert_int_equal(made.units.unit[0].number, least % F);
    }
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    drop(f);
}

static void random_ones(void **state)
{
    fixture *f = open_model();
    ig_made_edits a, b;
    (void)state;
    assert_ok(make(&a, f, "{kind: neurons, rule: random, count: 8, layer: 2, seed: 3}"), &err);
    assert_int_equal(a.units.n, F);
    for (int i = 0; i < F; i++)
        assert_int_equal(a.units.unit[i].layer, 2);
    assert_ok(ig_edits_undo(&a, &f->on, &err), &err);
    assert_ok(make(&a, f, "{kind: neurons, rule: random, count: 5, seed: 3}"), &err);
    assert_ok(ig_edits_undo(&a, &f->on, &err), &err);
    assert_int_equal(make(&b, f, "{kind: heads, rule: random, count: 5}"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "at most 4"));
    assert_ok(ig_edits_undo(&b, &f->on, &err), &err);
    assert_int_equal(make(&b, f, "{kind: heads, list: 3:0}"), IG_ERR_USAGE);
    assert_ok(ig_edits_undo(&b, &f->on, &err), &err);
    assert_int_equal(make(&b, f, "{kind: heads, list: 1:0 1:0}"), IG_ERR_USAGE);
    assert_ok(ig_edits_undo(&b, &f->on, &err), &err);
    drop(f);
}

/* Neither what makes a replaced unit nor what reads it gets a gradient: it stays as it is. */
static void stays_in_training(void **state)
{
    fixture *f = open_model();
    ig_made_edits made;
    ig_bert *m = f->encoder.model;
    (void)state;
    assert_ok(make(&made, f,
                   "[{kind: heads, list: 1:1}, {kind: neurons, list: 1:3 2:0, fill: mean, text: "
                   "{en: @, fake: @}}]"),
              &err);
    static const int32_t start[] = {0, 5}, id[] = {2, 5, 6, 7, 3}, pos[] = {0, 1, 2, 3, 4},
                         seg[5] = {0}, row[] = {1, 3}, label[] = {6, 8};
    ig_batch b = {.n_seq = 1, .n_tok = 5, .seq_start = start, .id = id, .pos = pos, .seg = seg};
    b.target[IG_HEAD_MASKED] = (ig_targets){2, row, label, NULL};
    ig_pass pass = {.dropout = false};
    pass.scale[IG_HEAD_MASKED] = 1;
    ig_engine_gradient_clear(f->engine);
    assert_ok(ig_engine_train(f->engine, &b, &pass, &err), &err);
    const float *g = ig_engine_gradient(f->engine), *w = ig_bert_weights(m);
    int64_t n_zero = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        int l, in = -1, out = -1; /* the columns that read a unit, the rows that make it */
        char name[100];
        if (sscanf(p->name, "bert.encoder.layer.%d.%99s", &l, name) != 2)
            continue;
        const int neuron = l == 0 ? 3 : 0;
        for (int r = 0; r < p->rows; r++)
            for (int c = 0; c < p->cols; c++) {
                in = strcmp(name, "attention.output.dense.weight") == 0 ? (l == 0 && c >= WIDTH)
                     : strcmp(name, "output.dense.weight") == 0         ? c == neuron
                                                                        : 0;
                const int unit = p->rows == 1 ? c : r;
                out = strncmp(name, "attention.self.value", 20) == 0 ? (l == 0 && unit >= WIDTH)
                      : strncmp(name, "intermediate.dense", 18) == 0 ? unit == neuron
                                                                     : 0;
                if (in || out) {
                    assert_true(w[p->offset + r * p->cols + c] == 0);
                    assert_true(g[p->offset + r * p->cols + c] == 0);
                    n_zero++;
                }
            }
    }
    assert_int_equal(n_zero, 2 * WIDTH * D + WIDTH + 2 * (2 * D + 1));
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    drop(f);
}

static int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    make_twins("shift", "shift", false);
    make_text();
    strcpy(text_path, fixture_path("t.txt"));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zeros), cmocka_unit_test(means),
                                       cmocka_unit_test(lape), cmocka_unit_test(random_ones),
                                       cmocka_unit_test(stays_in_training)};
    return cmocka_run_group_tests(tests, setup, fixture_teardown);
}
