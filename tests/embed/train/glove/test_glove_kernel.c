/* SPDX-License-Identifier: Apache-2.0
 *
 * GloVe's inner loop for every instruction set of this machine, against its formulas in double:
 * small steps, steps beyond the series, gradients beyond the clipping.
 */
#include "base/rng.h"
#include "embed/train/glove/glove_kernel.h"
#include "tensor/ops.h"
#include "test.h"

enum { WORDS = 4, LD_MAX = 112, CELLS = 400 };

typedef struct {
    double word[WORDS][LD_MAX + 1], context[WORDS][LD_MAX + 1]; /* the bias after the values */
    double word_square[WORDS][LD_MAX + 1], context_square[WORDS][LD_MAX + 1];
} model;

static float uniform(ig_rng *r, double range)
{
    return (float)((2 * ig_rng_unit(r) - 1) * range);
}

static void begin(model *m, const ig_glove_tables *t, double range)
{
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, (uint32_t)t->ld, 0);
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k <= t->ld; k++) {
            float *w = k < t->ld ? t->word + i * 2 * t->ld + k : t->word_bias + 2 * i;
            float *c = k < t->ld ? t->context + i * 2 * t->ld + k : t->context_bias + 2 * i;
            int behind = k < t->ld ? t->ld : 1;
            m->word[i][k] = (double)(*w = uniform(&r, range));
            m->context[i][k] = (double)(*c = uniform(&r, range));
            m->word_square[i][k] = m->context_square[i][k] = 1;
            w[behind] = c[behind] = 1;
        }
}

static double follow(model *m, const ig_glove_tables *t, const ig_glove_cell *x, int64_t *large,
                     int64_t *clipped)
{
    const double eta = (double)t->eta;
    double *w = m->word[x->i], *c = m->context[x->j], *qw = m->word_square[x->i],
           *qc = m->context_square[x->j], diff = w[t->ld] + c[t->ld] - (double)x->log_x;
    for (int k = 0; k < t->ld; k++)
        diff += w[k] * c[k];
    const double slope = (double)x->weight * diff;
    for (int k = 0; k <= t->ld; k++) {
        const double gw = slope * (k < t->ld ? c[k] : 1), gc = slope * (k < t->ld ? w[k] : 1);
        const double dw = k < t->ld ? eta * fmax(-100, fmin(100, gw)) : (double)t->bias_rate * gw;
        const double dc = k < t->ld ? eta * fmax(-100, fmin(100, gc)) : (double)t->bias_rate * gc;
        *large += k < t->ld && fabs(dw) / sqrt(qw[k]) > 0.1;
        *clipped += k < t->ld && fabs(gw) > 100;
        w[k] -= dw / sqrt(qw[k]);
        c[k] -= dc / sqrt(qc[k]);
        qw[k] += dw * dw;
        qc[k] += dc * dc;
    }
    return slope * diff / 2;
}

static double worst(const model *m, const ig_glove_tables *t)
{
    double top = 0;
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < t->ld; k++) {
            const float *w = t->word + i * 2 * t->ld + k, *c = t->context + i * 2 * t->ld + k;
            const double rw = sqrt(m->word_square[i][k]), rc = sqrt(m->context_square[i][k]);
            top = fmax(top, fabs((double)w[0] - m->word[i][k]) / (1 + fabs(m->word[i][k])));
            top = fmax(top, fabs((double)c[0] - m->context[i][k]) / (1 + fabs(m->context[i][k])));
            top = fmax(top, fabs((double)w[t->ld] * rw - 1));
            top = fmax(top, fabs((double)c[t->ld] * rc - 1));
        }
    return top;
}

static void check(ig_glove_kernel *kernel, int ld, double range, double log_x, double eta,
                  int want_large, int want_clipped)
{
    static _Alignas(64) float table[2][WORDS * 2 * LD_MAX];
    static float bias[2][2 * WORDS];
    static ig_glove_cell cell[CELLS];
    static model m;
    ig_glove_tables t = {.word = table[0],
                         .context = table[1],
                         .word_bias = bias[0],
                         .context_bias = bias[1],
                         .ld = ld,
                         .eta = (float)eta,
                         .bias_rate = (float)eta};
    ig_rng r = ig_rng_make(6, IG_STREAM_TEST, (uint32_t)ld, 0);
    int64_t large = 0, clipped = 0;
    double cost = 0;
    begin(&m, &t, range);
    for (int k = 0; k < CELLS; k++) {
        cell[k] =
            (ig_glove_cell){(int32_t)ig_rng_below(&r, WORDS), (int32_t)ig_rng_below(&r, WORDS),
                            uniform(&r, log_x), (uniform(&r, 1) + 1) / 2};
        cost += follow(&m, &t, &cell[k], &large, &clipped);
    }
    double got = kernel(&t, cell, CELLS);
    assert_true((large > 50) == (want_large > 0) && (clipped > 50) == (want_clipped > 0));
    assert_true(fabs(got - cost) < 1e-5 * cost);
    assert_true(worst(&m, &t) < 4e-6);
}

static void kernels(void **state)
{
    (void)state;
    static const struct {
        const char *needs;
        ig_glove_kernel *kernel;
    } all[] = {
        {NULL, ig_glove_portable},
#if defined(__x86_64__)
        {"avx2", ig_glove_avx2},
        {"avx512", ig_glove_avx512},
#elif defined(__aarch64__)
        {"neon", ig_glove_neon},
#endif
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].needs != NULL && ig_ops_named(all[i].needs) == NULL) {
            skip_here("this CPU does not run the kernel '%s'", all[i].needs);
            continue;
        }
        for (int ld = 16; ld <= LD_MAX; ld += 48) {
            check(all[i].kernel, ld, 0.5 / ld, 1, 0.05, 0, 0);
            check(all[i].kernel, ld, 1, 5, 0.05, 1, 0);
            check(all[i].kernel, ld, 2, 400, 0.0001, 0, 1);
        }
        check(all[i].kernel, 16, 2, 400, 0.05, 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
