/* SPDX-License-Identifier: Apache-2.0
 *
 * Cooccurrence rows against counting pair by pair; GloVe's steps against the formulas, in double,
 * and its cost falls.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "embed/train/context.h"
#include "embed/train/glove/glove.h"
#include "test.h"

#include <string.h>

enum { V = 30, LINES = 100 };

static void make_text(ig_text_ids *t)
{
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 1, 0);
    ig_err err;
    char word[16];
    int32_t id;
    *t = (ig_text_ids){.n_line = LINES};
    for (int32_t i = 0; i < V; i++)
        assert_ok(ig_lexicon_add(&t->words, word, snprintf(word, sizeof word, "w%d", i), &id, &err),
                  &err);
    assert_ok(ig_alloc(&t->count, V, sizeof *t->count, "t", &err), &err);
    assert_ok(ig_alloc(&t->id, LINES * 20, sizeof *t->id, "t", &err), &err);
    assert_ok(ig_alloc(&t->line, LINES + 1, sizeof *t->line, "t", &err), &err);
    for (int l = 0; l < LINES; l++) {
        for (uint32_t k = 1 + ig_rng_below(&r, 19); k > 0; k--) {
            id = (int32_t)(ig_rng_below(&r, V) * (uint32_t)(l % 3 + 1) / 3);
            t->id[t->n_token++] = id;
            t->count[id]++;
        }
        t->line[l + 1] = t->n_token;
    }
    t->n_count = t->n_read = t->n_token;
}

/* Every ordered pair of places in a line. */
static void count_pairs(double *table, const ig_text_ids *t, const ig_cooccur_options *o)
{
    memset(table, 0, V * V * sizeof *table);
    for (int64_t l = 0; l < t->n_line; l++)
        for (int64_t i = t->line[l]; i < t->line[l + 1]; i++)
            for (int64_t j = t->line[l]; j < t->line[l + 1]; j++) {
                int64_t k = i > j ? i - j : j - i;
                if (k > 0 && k <= o->window && (j < i || !o->left_only))
                    table[t->id[i] * V + t->id[j]] += o->weighted ? 1.0 / (double)k : 1;
            }
}

/* Compares a row with want [V, V]. */
static void compare_row(void *want, int32_t w, const ig_cooccur_row *r)
{
    const double *row = (const double *)want + w * V;
    int n = 0;
    for (int j = 0; j < V; j++) {
        assert_true(fabs(r->sum[j] - row[j]) < 1e-9);
        n += row[j] > 0;
    }
    assert_int_equal(n, r->n);
}

static void rows(void **state)
{
    (void)state;
    static double want[V * V];
    ig_text_ids t;
    ig_cooccur c;
    ig_err err;
    make_text(&t);
    for (int i = 0; i < 8; i++) {
        const ig_cooccur_options o = {
            .window = i & 4 ? 40 : 3, .left_only = i & 1, .weighted = i & 2};
        count_pairs(want, &t, &o);
        assert_ok(ig_cooccur_new(&c, &t, &o, NULL, &err), &err);
        ig_cooccur_each(&c, compare_row, want);
        ig_cooccur_free(&c);
    }
    ig_text_ids_free(&t);
}

static void glove_fits(void **state)
{
    (void)state;
    double last = INFINITY;
    for (int n = 1; n <= 50; n += 49) {
        const ig_glove_options o = {.cooccur = {.window = 5, .weighted = true},
                                    .dim = V,
                                    .iterations = n,
                                    .eta = 0.05,
                                    .x_max = 10,
                                    .alpha = 0.75,
                                    .bias = IG_GLOVE_BIAS_ETA,
                                    .memory = 1e9,
                                    .seed = 1};
        ig_text_ids t;
        ig_vectors v;
        ig_glove_report r;
        ig_err err;
        make_text(&t);
        assert_ok(ig_glove(&v, &t, &o, NULL, &r, &err), &err);
        assert_true(r.cost < last / (n > 1 ? 4 : 1));
        last = r.cost;
        ig_vectors_free(&v);
        ig_text_ids_free(&t);
    }
}

/* Two words that always stand together: the two cells share no row, so their order does not matter,
 * and each is a sequence of steps that can be followed here (AdaGrad on ½ f (w·c + b + b' − log
 * x)², gradients clipped to ±100, then times the rate, sums of squares after the step). */
enum { TWO_D = 5, TWO_ROW = 16 };

static double two_words(double *sum, double x, const ig_glove_options *o)
{
    double cost = 0;
    memset(sum, 0, 2 * TWO_D * sizeof *sum);
    for (int i = 0; i < 2; i++) {
        float first[2][TWO_ROW], bias[2][TWO_ROW];
        double v[2][TWO_D + 1], square[2][TWO_D + 1];
        for (int side = 0; side < 2; side++) {
            int word = side == 0 ? i : 1 - i;
            ig_context_init(first[side], 2 * side + word, 1, TWO_D, 0.5 / TWO_D, o->seed);
            ig_context_init(bias[side], 4 + 2 * side + word, 1, 1, 0.5 / TWO_D, o->seed);
            for (int k = 0; k <= TWO_D; k++) {
                v[side][k] = (double)(k < TWO_D ? first[side][k] : bias[side][0]);
                square[side][k] = 1;
            }
        }
        for (int round = 0; round < o->iterations; round++) {
            double diff = v[0][TWO_D] + v[1][TWO_D] - log(x),
                   weight = x < o->x_max ? pow(x / o->x_max, o->alpha) : 1;
            for (int k = 0; k < TWO_D; k++)
                diff += v[0][k] * v[1][k];
            if (round == o->iterations - 1)
                cost += weight * diff * diff / 2;
            for (int k = 0; k <= TWO_D; k++) {
                double step[2];
                for (int side = 0; side < 2; side++)
                    step[side] =
                        k == TWO_D ? weight * diff * (o->bias == IG_GLOVE_BIAS_ETA ? o->eta : 1)
                                   : fmax(-100, fmin(100, weight * diff * v[1 - side][k])) * o->eta;
                for (int side = 0; side < 2; side++) {
                    v[side][k] -= step[side] / sqrt(square[side][k]);
                    square[side][k] += step[side] * step[side];
                }
            }
        }
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < TWO_D; k++)
                if (side == 0 || o->result == IG_GLOVE_SUM)
                    sum[(side == 0 ? i : 1 - i) * TWO_D + k] += v[side][k];
    }
    return cost / 2;
}

static void glove_steps(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        const ig_glove_options o = {.cooccur = {.window = 5, .weighted = true},
                                    .dim = TWO_D,
                                    .iterations = 30,
                                    .eta = variant & 4 ? 0.9 : 0.05,
                                    .x_max = variant & 2 ? 10 : 2,
                                    .alpha = 0.75,
                                    .bias = variant & 1 ? IG_GLOVE_BIAS_ONE : IG_GLOVE_BIAS_ETA,
                                    .result = variant & 4 ? IG_GLOVE_WORD : IG_GLOVE_SUM,
                                    .memory = 1e9,
                                    .seed = 3};
        enum { TIMES = 7 };
        double want[2 * TWO_D];
        ig_text_ids t = {.n_line = TIMES};
        ig_vectors v;
        ig_glove_report r;
        ig_err err;
        int32_t id;
        assert_ok(ig_lexicon_add(&t.words, "a", 1, &id, &err), &err);
        assert_ok(ig_lexicon_add(&t.words, "b", 1, &id, &err), &err);
        assert_ok(ig_alloc(&t.count, 2, sizeof *t.count, "t", &err), &err);
        assert_ok(ig_alloc(&t.id, 2 * TIMES, sizeof *t.id, "t", &err), &err);
        assert_ok(ig_alloc(&t.line, TIMES + 1, sizeof *t.line, "t", &err), &err);
        for (int l = 0; l < TIMES; l++) {
            t.id[2 * l + 1] = 1;
            t.line[l + 1] = 2 * (l + 1);
        }
        t.count[0] = t.count[1] = TIMES;
        t.n_count = t.n_read = t.n_token = 2 * TIMES;
        double cost = two_words(want, TIMES, &o);
        assert_ok(ig_glove(&v, &t, &o, NULL, &r, &err), &err);
        assert_int_equal(r.n_cell, 2);
        assert_true(fabs(r.cost - cost) < 1e-5 * (1 + cost));
        for (int i = 0; i < 2 * TWO_D; i++)
            assert_true(fabs((double)v.x[i] - want[i]) < 1e-5);
        ig_vectors_free(&v);
        ig_text_ids_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(glove_fits),
        cmocka_unit_test(glove_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
