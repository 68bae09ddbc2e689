/* SPDX-License-Identifier: Apache-2.0
 *
 * CKA with Gaussian kernels (Kornblith et al. 2019, §3), in blocks of rows. The median distance is
 * exact without keeping all of them: nonnegative numbers are ordered as their bits are, so counts
 * by the upper and then by the lower half of the bits find any rank.
 */
#include "analyse/products.h"
#include "analyse/similarity.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { HALF = 1 << 16 };

/* Turns inner products into squared distances. */
static void distances(float *k, const ig_space *s, const ig_products_block *b)
{
    for (int i = 0; i < b->n_row; i++)
        for (int64_t j = 0; j < s->n; j++) {
            float *at = k + i * s->n + j;
            const double v = s->length[b->first + i] + s->length[j] - 2 * (double)*at;
            *at = j == b->first + i || v < 0 ? 0 : (float)v;
        }
}

/* ---- the median ---- */

typedef struct {
    const ig_space *s;
    int64_t upper;  /* −1: count by the upper half; else by the lower one of those with this upper
                     * half */
    int64_t *count; /* [threads, HALF] */
} counting;

static void count_block(void *arg, const ig_products_block *b)
{
    const counting *c = arg;
    int64_t *count = c->count + (int64_t)b->i_thread * HALF;
    distances(b->k, c->s, b);
    for (int64_t i = 0; i < b->n_row * c->s->n; i++) {
        uint32_t bits;
        memcpy(&bits, &b->k[i], sizeof bits);
        if (c->upper < 0)
            count[bits >> 16]++;
        else if (bits >> 16 == c->upper)
            count[bits & (HALF - 1)]++;
    }
}

/* Counts, and finds the bin of rank (from 0); *rank becomes the rank within that bin. */
static ig_code find(int64_t *place, int64_t *rank, counting *c, const ig_similarity_with *with,
                    ig_err *err)
{
    const int n_thread = ig_team_size(with->team);
    memset(c->count, 0, (size_t)n_thread * HALF * sizeof *c->count);
    IG_TRY(ig_products_rows(count_block, c, c->s, NULL, with, err));
    for (*place = 0; *place < HALF - 1; ++*place) {
        int64_t here = 0;
        for (int t = 0; t < n_thread; t++)
            here += c->count[(int64_t)t * HALF + *place];
        if (*rank < here)
            break;
        *rank -= here;
    }
    return IG_ERR_OK;
}

static ig_code ranked(double *out, int64_t rank, counting *c, const ig_similarity_with *with,
                      ig_err *err)
{
    int64_t upper, lower;
    float value;
    c->upper = -1;
    IG_TRY(find(&upper, &rank, c, with, err));
    c->upper = upper;
    IG_TRY(find(&lower, &rank, c, with, err));
    const uint32_t bits = (uint32_t)(upper << 16 | lower);
    memcpy(&value, &bits, sizeof value);
    *out = (double)value;
    return IG_ERR_OK;
}

/* Median of all n² squared distances. */
static ig_code median(double *out, const ig_space *s, const ig_similarity_with *with, ig_err *err)
{
    const int64_t all = s->n * s->n;
    counting c = {.s = s};
    double low = 0, high;
    IG_TRY(ig_alloc(&c.count, (int64_t)ig_team_size(with->team) * HALF, sizeof *c.count, "counts",
                    err));
    ig_code code = ranked(&low, (all - 1) / 2, &c, with, err);
    high = low;
    if (code == IG_ERR_OK && all % 2 == 0)
        code = ranked(&high, all / 2, &c, with, err);
    *out = (low + high) / 2;
    ig_free(c.count);
    return code;
}

/* ---- CKA ---- */

/* Sums over i, j of K², L² and K L, and over j of each row. */
typedef struct {
    const ig_space *x, *y;
    double scale_x, scale_y;
    double *sum;           /* [blocks, 3] */
    double *row_k, *row_l; /* [n] */
} kernels;

static void gauss(float *k, double *row, const ig_space *s, double scale,
                  const ig_products_block *b)
{
    distances(k, s, b);
    for (int i = 0; i < b->n_row; i++) {
        double sum = 0;
        for (int64_t j = 0; j < s->n; j++) {
            float *at = k + i * s->n + j;
            *at = (float)exp(-(double)*at * scale);
            sum += (double)*at;
        }
        row[b->first + i] = sum;
    }
}

static void kernel_block(void *arg, const ig_products_block *b)
{
    const kernels *c = arg;
    double kk = 0, ll = 0, kl = 0;
    gauss(b->k, c->row_k, c->x, c->scale_x, b);
    gauss(b->l, c->row_l, c->y, c->scale_y, b);
    for (int64_t i = 0; i < b->n_row * c->x->n; i++) {
        const double k = (double)b->k[i], l = (double)b->l[i];
        kk += k * k;
        ll += l * l;
        kl += k * l;
    }
    c->sum[3 * b->number] = kk;
    c->sum[3 * b->number + 1] = ll;
    c->sum[3 * b->number + 2] = kl;
}

/* tr(KHLH) from Σ K L and the sums of the rows. */
static double centred(double cross, const double *k, const double *l, int64_t n)
{
    double both = 0, sum_k = 0, sum_l = 0;
    for (int64_t i = 0; i < n; i++) {
        both += k[i] * l[i];
        sum_k += k[i];
        sum_l += l[i];
    }
    return cross - 2 * both / (double)n + sum_k / (double)n * (sum_l / (double)n);
}

static ig_code rbf(double *out, kernels *c, const ig_similarity_with *with, ig_err *err)
{
    const int64_t n = c->x->n;
    double sum[3] = {0};
    IG_TRY(ig_products_rows(kernel_block, c, c->x, c->y, with, err));
    for (int64_t b = 0; b < 3 * ig_products_blocks(n); b++)
        sum[b % 3] += c->sum[b];
    const double own = centred(sum[0], c->row_k, c->row_k, n),
                 other = centred(sum[1], c->row_l, c->row_l, n);
    if (own > 0 && other > 0)
        *out = fmin(centred(sum[2], c->row_k, c->row_l, n) / (sqrt(own) * sqrt(other)), 1);
    return IG_ERR_OK;
}

ig_code ig_similarity_rbf(double *out, const ig_space *x, const ig_space *y, double width,
                          const ig_similarity_with *with, ig_err *err)
{
    kernels c = {.x = x, .y = y};
    double middle_x = 0, middle_y = 0;
    *out = (double)NAN;
    if (x->n != y->n || !(width > 0))
        return ig_fail(err, IG_ERR_INPUT, "similarity", 0,
                       "found %lld and %lld rows, width %g; expected as many, a width above 0",
                       (long long)x->n, (long long)y->n, width);
    IG_TRY(median(&middle_x, x, with, err));
    IG_TRY(median(&middle_y, y, with, err));
    if (!(middle_x > 0 && middle_y > 0))
        return IG_ERR_OK;
    c.scale_x = 1 / (2 * width * width * middle_x);
    c.scale_y = 1 / (2 * width * width * middle_y);
    const int n_block = ig_products_blocks(x->n);
    IG_TRY(ig_alloc(&c.sum, 3 * (int64_t)n_block + 2 * x->n, sizeof *c.sum, "sums", err));
    c.row_k = c.sum + 3 * (int64_t)n_block;
    c.row_l = c.row_k + x->n;
    ig_code code = rbf(out, &c, with, err);
    ig_free(c.sum);
    return code;
}
