/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval between spaces against its definitions computed plainly: all pairs, in double where a
 * criterion has a formula; ties; chosen rows; more candidates than a chunk holds.
 */
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "embed/search/retrieve.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { D = 20 };

static const ig_ops *tables[2];
enum { N_TABLE = 2 };

/* Unit rows; with `copies` every third row repeats an earlier one, so that there are ties. */
static float *space(int64_t n, int d, uint32_t seed, bool copies)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 2, 0);
    float *x;
    ig_err err;
    assert_ok(ig_alloc(&x, n * d, sizeof *x, "t", &err), &err);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = (float)ig_rng_normal(&r);
    for (int64_t i = 3; copies && i < n; i += 3)
        memcpy(x + i * d, x + (int64_t)ig_rng_below(&r, (uint32_t)i) * d, sizeof *x * (size_t)d);
    assert_ok(ig_unit_rows(x, n, d, "t", &err), &err);
    return x;
}

static float one_product(const float *a, const float *b, int d, const ig_ops *ops)
{
    ig_scratch s = {0};
    float c;
    ops->gemm(&(ig_gemm){.m = 1,
                         .n = 1,
                         .k = d,
                         .a = a,
                         .lda = d,
                         .b = b,
                         .ldb = d,
                         .b_form = IG_B_COLS,
                         .c = &c,
                         .ldc = 1},
              &s);
    ig_scratch_free(&s);
    return c;
}

static const float *row(const ig_retrieve_side *s, int64_t i)
{
    return s->x + (s->row != NULL ? s->row[i] : i) * D;
}

typedef struct {
    float score;
    int32_t answer;
} hit;

static int by_order(const void *x, const void *y)
{
    const hit *p = x, *q = y;
    if (p->score != q->score)
        return p->score > q->score ? -1 : 1;
    return p->answer - q->answer;
}

/* The lists of one direction by sorting everything. */
static void check_lists(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_want *w, const ig_ops *ops)
{
    hit *all = malloc(sizeof *all * (size_t)b->n);
    for (int64_t i = 0; i < a->n; i += 7) {
        for (int64_t j = 0; j < b->n; j++)
            all[j] = (hit){one_product(row(a, i), row(b, j), D, ops) -
                               (w->penalty != NULL ? w->penalty[j] : 0),
                           (int32_t)j};
        qsort(all, (size_t)b->n, sizeof *all, by_order);
        for (int k = 0; k < w->k; k++) {
            if (k >= b->n) {
                assert_int_equal(w->answer[i * w->k + k], -1);
                assert_true(isinf(w->score[i * w->k + k]));
                continue;
            }
            assert_int_equal(w->answer[i * w->k + k], all[k].answer);
            assert_true(w->score[i * w->k + k] == all[k].score);
        }
    }
    free(all);
}

static ig_retrieve_want want_new(int64_t n, int k, const float *penalty)
{
    ig_retrieve_want w = {.k = k, .penalty = penalty};
    ig_err err;
    assert_ok(ig_alloc(&w.answer, n * k, sizeof *w.answer, "t", &err), &err);
    assert_ok(ig_alloc(&w.score, n * k, sizeof *w.score, "t", &err), &err);
    return w;
}

static void want_free(ig_retrieve_want *w)
{
    ig_free(w->answer);
    ig_free(w->score);
}

static void one_shape(int64_t na, int64_t nb, int ka, int kb, bool rows, bool penalties)
{
    float *x = space(na, D, 1, true), *y = space(nb, D, 2, true), *pa = NULL, *pb = NULL;
    int32_t *ra = NULL, *rb = NULL;
    ig_err err;
    ig_retrieve_side a = {x, NULL, na}, b = {y, NULL, nb};
    if (rows) { /* some rows, in an order of their own, one twice */
        assert_ok(ig_alloc(&ra, na, sizeof *ra, "t", &err), &err);
        assert_ok(ig_alloc(&rb, nb, sizeof *rb, "t", &err), &err);
        for (int64_t i = 0; i < na; i++)
            ra[i] = (int32_t)((i * 5 + 2) % na);
        for (int64_t i = 0; i < nb; i++)
            rb[i] = (int32_t)((i * 3 + 1) % nb);
        a = (ig_retrieve_side){x, ra, na - na / 3};
        b = (ig_retrieve_side){y, rb, nb - nb / 4};
    }
    if (penalties) {
        assert_ok(ig_alloc(&pa, na, sizeof *pa, "t", &err), &err);
        assert_ok(ig_alloc(&pb, nb, sizeof *pb, "t", &err), &err);
        for (int64_t i = 0; i < na; i++)
            pa[i] = (float)(i % 5) / 16;
        for (int64_t i = 0; i < nb; i++)
            pb[i] = (float)(i % 7) / 16;
    }
    for (int t = 0; t < N_TABLE; t++) {
        ig_retrieve_want w[2] = {want_new(a.n, ka, pb), want_new(b.n, kb, pa)};
        assert_ok(ig_retrieve_top(&a, &b, w, NULL, (ig_vector_work){D, tables[t], NULL}, &err),
                  &err);
        check_lists(&a, &b, &w[0], tables[t]);
        check_lists(&b, &a, &w[1], tables[t]);
        want_free(&w[0]);
        want_free(&w[1]);
    }
    ig_free(x);
    ig_free(y);
    ig_free(pa);
    ig_free(pb);
    ig_free(ra);
    ig_free(rb);
}

static void lists(void **state)
{
    (void)state;
    one_shape(300, 700, 5, 3, false, false);
    one_shape(300, 700, 5, 3, true, true);
    one_shape(65, 257, 10, 1, false, true);
    one_shape(700, 1, 2, 2, false, false);
    one_shape(3, 5, 10, 10, true, false);
    one_shape(1, 1, 1, 0, false, false);
}

static void beyond_a_chunk(void **state)
{
    (void)state;
    one_shape(40, 8192 + 300, 3, 2, false, true);
    one_shape(8192 + 300, 40, 3, 2, true, true);
}

static void nothing(void **state)
{
    (void)state;
    float x[D] = {1};
    ig_err err;
    ig_retrieve_side none = {x, NULL, 0}, one = {x, NULL, 1};
    ig_retrieve_want w[2] = {want_new(1, 2, NULL), want_new(0, 2, NULL)};
    assert_ok(ig_retrieve_top(&one, &none, w, NULL, (ig_vector_work){D, tables[1], NULL}, &err),
              &err);
    assert_int_equal(w[0].answer[0], -1);
    want_free(&w[0]);
    want_free(&w[1]);
}

static double dot(const float *a, const float *b)
{
    double s = 0;
    for (int k = 0; k < D; k++)
        s += (double)a[k] * (double)b[k];
    return s;
}

static int falling(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;
    return p > q ? -1 : p < q;
}

/* CSLS and inverted softmax as their papers write them, in double; and means. */
static void formulas(void **state)
{
    (void)state;
    enum { NS = 90, NT = 110, K = 4 };
    const double beta = 30;
    float *s = space(NS, D, 3, false), *t = space(NT, D, 4, false), csls[NT], soft[NT], nn[NT],
          mean[NS];
    static double cosine[NS][NT];
    double column[NS], line[NT], z;
    ig_err err;
    const ig_retrieve_side a = {s, NULL, NS}, b = {t, NULL, NT};
    for (int i = 0; i < NS; i++)
        for (int j = 0; j < NT; j++)
            cosine[i][j] = dot(s + i * D, t + j * D);
    for (int q = 0; q < N_TABLE; q++) {
        assert_ok(ig_retrieve_penalty(csls, (ig_retrieve_criterion){IG_RETRIEVE_CSLS, K, 0}, &a, &b,
                                      (ig_vector_work){D, tables[q], NULL}, &err),
                  &err);
        assert_ok(ig_retrieve_penalty(soft, (ig_retrieve_criterion){IG_RETRIEVE_SOFTMAX, 0, beta},
                                      &a, &b, (ig_vector_work){D, tables[q], NULL}, &err),
                  &err);
        assert_ok(ig_retrieve_penalty(nn, (ig_retrieve_criterion){IG_RETRIEVE_NN, 0, 0}, &a, &b,
                                      (ig_vector_work){D, tables[q], NULL}, &err),
                  &err);
        assert_ok(ig_retrieve_means(mean, &a, &b, K, (ig_vector_work){D, tables[q], NULL}, &err),
                  &err);
        for (int j = 0; j < NT; j++) {
            for (int i = 0; i < NS; i++)
                column[i] = cosine[i][j];
            qsort(column, NS, sizeof *column, falling);
            assert_true(fabs((column[0] + column[1] + column[2] + column[3]) / K / 2 -
                             (double)csls[j]) < 1e-6);
            z = 0;
            for (int i = 0; i < NS; i++)
                z += exp(beta * cosine[i][j]);
            assert_true(fabs(log(z) / beta - (double)soft[j]) < 1e-6);
            assert_true(nn[j] == 0);
        }
        for (int i = 0; i < NS; i++) {
            memcpy(line, cosine[i], sizeof line);
            qsort(line, NT, sizeof *line, falling);
            assert_true(fabs((line[0] + line[1] + line[2] + line[3]) / K - (double)mean[i]) < 1e-6);
        }
    }
    ig_free(s);
    ig_free(t);
}

/* Inverted softmax over more words than one tile has, the nearest of which come last: what the
 * earlier tiles summed up is taken relative to them. */
static void softmax_over_tiles(void **state)
{
    (void)state;
    enum { NS = 8192 + 400, NT = 20 };
    static const double betas[] = {2, 30};
    float *s = space(NS, D, 3, false), *t = space(NT, D, 4, false), soft[NT];
    ig_err err;
    for (int j = 0; j < NT; j++)
        memcpy(s + (NS - 1 - j) * D, t + j * D, D * sizeof *s);
    const ig_retrieve_side a = {s, NULL, NS}, b = {t, NULL, NT};
    for (int q = 0; q < N_TABLE; q++)
        for (int i = 0; i < 2; i++) {
            assert_ok(ig_retrieve_penalty(soft,
                                          (ig_retrieve_criterion){IG_RETRIEVE_SOFTMAX, 0, betas[i]},
                                          &a, &b, (ig_vector_work){D, tables[q], NULL}, &err),
                      &err);
            for (int j = 0; j < NT; j++) {
                double z = 0;
                for (int k = 0; k < NS; k++)
                    z += exp(betas[i] * dot(s + k * D, t + j * D));
                assert_true(fabs(log(z) / betas[i] - (double)soft[j]) < 2e-6);
            }
        }
    ig_free(s);
    ig_free(t);
}

/* In a space compared with itself every word is its own best answer by each criterion. */
static void itself(void **state)
{
    (void)state;
    enum { N = 500 };
    float *x = space(N, D, 5, false), penalty[N];
    ig_err err;
    const ig_retrieve_side a = {x, NULL, N};
    for (int m = 0; m < IG_RETRIEVE_N; m++) {
        assert_ok(ig_retrieve_penalty(penalty,
                                      (ig_retrieve_criterion){(ig_retrieve_method)m, 10, 30}, &a,
                                      &a, (ig_vector_work){D, tables[1], NULL}, &err),
                  &err);
        ig_retrieve_want w[2] = {want_new(N, 1, penalty), want_new(N, 1, penalty)};
        assert_ok(ig_retrieve_top(&a, &a, w, NULL, (ig_vector_work){D, tables[1], NULL}, &err),
                  &err);
        for (int i = 0; i < N; i++) {
            assert_int_equal(w[0].answer[i], i);
            assert_int_equal(w[1].answer[i], i);
        }
        want_free(&w[0]);
        want_free(&w[1]);
    }
    ig_free(x);
}

/* A hub, near to everything, is everybody's neighbour by cosine, and not by the other two. */
static void hub(void **state)
{
    (void)state;
    enum { N = 60 };
    float *x = space(N, D, 6, false), y[(N + 1) * D], penalty[N + 1];
    ig_err err;
    double sum[D] = {0};
    int wrong[IG_RETRIEVE_N] = {0};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++) {
            x[i * D + k] += 0.9f * (k == 0); /* all lie to one side */
            y[i * D + k] = x[i * D + k] + 0.35f * (float)((i * 7 + k * 3) % 11 - 5) / 5;
            sum[k] += (double)x[i * D + k];
        }
    for (int k = 0; k < D; k++)
        y[N * D + k] = (float)(sum[k] / N);
    assert_ok(ig_unit_rows(x, N, D, "t", &err), &err);
    assert_ok(ig_unit_rows(y, N + 1, D, "t", &err), &err);
    const ig_retrieve_side a = {x, NULL, N}, b = {y, NULL, N + 1};
    for (int m = 0; m < IG_RETRIEVE_N; m++) {
        assert_ok(ig_retrieve_penalty(penalty,
                                      (ig_retrieve_criterion){(ig_retrieve_method)m, 5, 20}, &a, &b,
                                      (ig_vector_work){D, tables[1], NULL}, &err),
                  &err);
        ig_retrieve_want w[2] = {want_new(N, 1, penalty), {0}};
        assert_ok(ig_retrieve_top(&a, &b, w, NULL, (ig_vector_work){D, tables[1], NULL}, &err),
                  &err);
        for (int i = 0; i < N; i++)
            wrong[m] += w[0].answer[i] == N;
        want_free(&w[0]);
    }
    assert_true(wrong[IG_RETRIEVE_NN] > 0);
    assert_true(wrong[IG_RETRIEVE_CSLS] < wrong[IG_RETRIEVE_NN]);
    assert_true(wrong[IG_RETRIEVE_SOFTMAX] < wrong[IG_RETRIEVE_NN]);
    ig_free(x);
}

static void ranks(void **state)
{
    (void)state;
    enum { NQ = SANITIZED ? 70 : 200, NC = SANITIZED ? 600 : 900 };
    float *x = space(NQ, D, 7, true), *y = space(NC, D, 8, true), penalty[NC];
    int64_t start[NQ + 1], rank[NQ];
    int32_t right[3 * NQ];
    ig_err err;
    const ig_retrieve_side a = {x, NULL, NQ}, b = {y, NULL, NC};
    for (int i = 0; i <= NQ; i++)
        start[i] = (int64_t)i * (i + 1) / 2 % 3 + 2 * i; /* one to three answers */
    for (int i = 0; i < 3 * NQ; i++)
        right[i] = (i * 37 + 11) % NC;
    for (int j = 0; j < NC; j++)
        penalty[j] = (float)(j % 4) / 64;
    for (int t = 0; t < N_TABLE; t++)
        for (int p = 0; p < 2; p++) {
            const float *use = p ? penalty : NULL;
            ig_retrieve_want w[2] = {want_new(NQ, NC, use), {0}};
            assert_ok(ig_retrieve_top(&a, &b, w, NULL, (ig_vector_work){D, tables[t], NULL}, &err),
                      &err);
            assert_ok(ig_retrieve_rank(rank, &a, &b, &(ig_retrieve_gold){start, right, use},
                                       (ig_vector_work){D, tables[t], NULL}, &err),
                      &err);
            for (int i = 0; i < NQ; i++) {
                int at = 0;
                for (bool found = false; !found; at += !found)
                    for (int64_t k = start[i]; k < start[i + 1]; k++)
                        found |= w[0].answer[i * NC + at] == right[k];
                assert_int_equal(rank[i], at);
            }
            want_free(&w[0]);
        }
    ig_free(x);
    ig_free(y);
}

/* Each pair is looked at with probability `keep`, of each direction by itself, and other rounds
 * look at others. A word's twin is its answer just when the pair was looked at. */
static void dropout(void **state)
{
    (void)state;
    enum { N = 3000 };
    const double keep = 0.3, three_sigma = 3 * sqrt(keep * (1 - keep) / N);
    float *x = space(N, D, 9, false);
    int found[2][2] = {{0}}, both = 0, twice = 0;
    static bool first[N];
    ig_err err;
    const ig_retrieve_side a = {x, NULL, N};
    for (uint32_t round = 0; round < 2; round++) {
        const ig_retrieve_dropout drop = {
            .keep = keep, .key = ig_rng_key_make(1, IG_STREAM_TEST), .round = round};
        ig_retrieve_want w[2] = {want_new(N, 2, NULL), want_new(N, 2, NULL)};
        assert_ok(ig_retrieve_top(&a, &a, w, &drop, (ig_vector_work){D, tables[1], NULL}, &err),
                  &err);
        for (int i = 0; i < N; i++) {
            bool there = w[0].answer[2 * i] == i, back = w[1].answer[2 * i] == i;
            found[round][0] += there;
            found[round][1] += back;
            both += there && back && round == 0;
            twice += there && round == 1 && first[i];
            first[i] = there;
        }
        want_free(&w[0]);
        want_free(&w[1]);
    }
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)found[i / 2][i % 2] / N - keep) < three_sigma);
    assert_true(fabs((double)both / N - keep * keep) < three_sigma);
    assert_true(fabs((double)twice / N - keep * keep) < three_sigma);
    ig_free(x);
}

/* The mean over those neighbours that there are: fewer than k, where there are fewer candidates. */
static void means_of_short_lists(void **state)
{
    (void)state;
    const float score[3][4] = {{4, 2, 1, 1}, {3, 1, -INFINITY, -INFINITY}, {-INFINITY}};
    float mean[3];
    float rows[12];
    memcpy(rows, score, sizeof rows);
    rows[9] = rows[10] = rows[11] = -INFINITY;
    ig_retrieve_list_means(mean, rows, 3, 4);
    assert_true(mean[0] == 2 && mean[1] == 2 && mean[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),          cmocka_unit_test(means_of_short_lists),
        cmocka_unit_test(beyond_a_chunk), cmocka_unit_test(nothing),
        cmocka_unit_test(formulas),       cmocka_unit_test(softmax_over_tiles),
        cmocka_unit_test(itself),         cmocka_unit_test(hub),
        cmocka_unit_test(ranks),          cmocka_unit_test(dropout),
    };
    tables[0] = ig_ops_ref();
    tables[1] = ig_ops_best();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
