/* SPDX-License-Identifier: Apache-2.0
 *
 * The sign-flip permutation test of a mean difference of 0 (Fisher 1935, The design of
 * experiments, §21), exact for up to 20 pairs and with random flips beyond, where the p is (1 +
 * hits)/(1 + draws), so that it is never 0 (Phipson & Smyth 2010).
 *
 * Drawn signs are the same for every sample of as many pairs, so sixteen samples are tested side
 * by side, from tables of the sums of four differences with all signs.
 */
#include "base/memory.h"

#include "base/numeric/statistics_internal.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { FLIPS = 99999 };

/* The sums of two halves are equal up to rounding if they differ by less than this. */
static double slack(const double *d, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(d[i]);
    return 1e-12 * sum;
}

/* Makes all sums ±x_0 ± x_1 … plus `start`, ascending: adding a value merges the list shifted down
 * by it with the list shifted up. `room` has the same size. */
static int64_t sorted_sums(double *sums, double *room, double start, const double *x, int64_t n)
{
    int64_t have = 1;
    sums[0] = start;
    for (int64_t i = 0; i < n; i++) {
        const double step = fabs(x[i]);
        for (int64_t k = 0, lower = 0, upper = 0; k < 2 * have; k++) {
            const bool up =
                lower == have || (upper < have && sums[upper] + step < sums[lower] - step);
            room[k] = up ? sums[upper++] + step : sums[lower++] - step;
        }
        have *= 2;
        for (int64_t k = 0; k < have; k++)
            sums[k] = room[k];
    }
    return have;
}

/* Returns the share of the sign patterns whose |sum| is at least the observed one. The sign of the
 * first difference is fixed, as a pattern and its opposite have the same |sum|. The patterns of two
 * halves are counted against each other (Horowitz & Sahni 1974), so 2^(n/2) sums are made instead
 * of 2^n. */
static double exact_p(const double *d, int64_t n)
{
    enum { HALF = 1 << (IG_EXACT_PAIRS / 2) };
    static const int64_t half = IG_EXACT_PAIRS / 2;
    double a[HALF], b[HALF], room[HALF], observed = 0;
    for (int64_t i = 0; i < n; i++)
        observed += d[i];
    const double least = fabs(observed) - slack(d, n);
    if (least <= 0)
        return 1;
    const int64_t first = n - 1 < half ? n - 1 : half;
    const int64_t n_a = sorted_sums(a, room, d[0], d + 1, first),
                  n_b = sorted_sums(b, room, 0, d + 1 + first, n - 1 - first);
    int64_t hits = 0, above = n_b, below = 0;
    /* With a ascending, the b's from `above` on reach +least, those before `below` -least. */
    for (int64_t i = 0; i < n_a; i++) {
        while (above > 0 && a[i] + b[above - 1] >= least)
            above--;
        hits += n_b - above;
    }
    for (int64_t i = n_a - 1; i >= 0; i--) {
        while (below < n_b && a[i] + b[below] <= -least)
            below++;
        hits += below;
    }
    return (double)hits / ((double)n_a * (double)n_b);
}

/* --- drawn ------------------------------------------------------------------------------------ */

enum {
    LANES = 16, /* samples side by side */
    NIBBLE = 4, /* signs of a table */
    PATTERNS = 1 << NIBBLE,
    WORD = 32, /* signs drawn at once */
    BLOCK = 64 /* flips between draws */
};

/* Samples of equally many differences. */
typedef struct {
    int64_t n, n_nibble, n_word;
    int n_lane;
    const double *d[LANES];
    double least[LANES]; /* |sum| that is a hit */
    int64_t hits[LANES];
    double *table;  /* [n_nibble, PATTERNS, LANES] */
    uint32_t *word; /* [BLOCK, n_word] signs */
} batch;

static void fill_lane(batch *b, int lane)
{
    const double *d = b->d[lane];
    for (int64_t k = 0; k < b->n_nibble; k++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            double sum = 0;
            for (int64_t i = 0; i < NIBBLE && k * NIBBLE + i < b->n; i++)
                sum += pattern >> i & 1 ? -d[k * NIBBLE + i] : d[k * NIBBLE + i];
            b->table[(k * PATTERNS + pattern) * LANES + lane] = sum;
        }
}

static void count_flip(batch *b, const uint32_t *word)
{
    double sum[LANES] = {0};
    for (int64_t k = 0; k < b->n_nibble; k++) {
        const uint32_t pattern = word[k / (WORD / NIBBLE)] >> k % (WORD / NIBBLE) * NIBBLE;
        const double *row = b->table + (k * PATTERNS + (pattern & (PATTERNS - 1))) * LANES;
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += row[lane];
    }
    for (int lane = 0; lane < LANES; lane++)
        b->hits[lane] += fabs(sum[lane]) >= b->least[lane];
}

static ig_code count_flips(batch *b, uint64_t seed, ig_err *err)
{
    b->n_nibble = (b->n + NIBBLE - 1) / NIBBLE;
    b->n_word = (b->n + WORD - 1) / WORD;
    IG_TRY(ig_alloc(&b->table, b->n_nibble * PATTERNS * LANES, sizeof *b->table, "permutation test",
                    err));
    ig_code code = ig_alloc(&b->word, BLOCK * b->n_word, sizeof *b->word, "permutation test", err);
    for (int lane = 0; lane < b->n_lane && code == IG_ERR_OK; lane++)
        fill_lane(b, lane);
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 1, 0);
    for (int from = 0; from < FLIPS && code == IG_ERR_OK; from += BLOCK) {
        const int n = FLIPS - from < BLOCK ? FLIPS - from : BLOCK;
        for (int64_t i = 0; i < n * b->n_word; i++)
            b->word[i] = ig_rng_u32(&r);
        for (int k = 0; k < n; k++)
            count_flip(b, b->word + k * b->n_word);
    }
    IG_FREE(b->table, b->word);
    return code;
}

/* Whether a sample needs draws; if not, *p is known. */
static bool must_draw(double *p, double *least, const ig_sample *s)
{
    double observed = 0, squares = 0;
    for (int64_t i = 0; i < s->n; i++) {
        observed += s->x[i];
        squares += s->x[i] * s->x[i];
    }
    *least = fabs(observed) - slack(s->x, s->n);
    /* No draw will reach this sum: its probability is at most 2 exp(-t²/2Σd²) (Hoeffding 1963,
     * theorem 2), here below one in ten million. */
    *p = 1 / (double)(1 + FLIPS);
    const bool has_squares = squares > 1e-280 && squares < 1e280;
    return *least <= 0 || !has_squares || *least * *least < 2 * squares * 17;
}

ig_code ig_sign_flip_p(double *p, const ig_sample *s, int n_sample, uint64_t seed, ig_err *err)
{
    double *least;
    int *waiting, n_waiting = 0;
    IG_TRY(ig_alloc(&least, n_sample, sizeof *least, "permutation test", err));
    ig_code code = ig_alloc(&waiting, n_sample, sizeof *waiting, "permutation test", err);
    for (int i = 0; i < n_sample && code == IG_ERR_OK; i++) {
        if (s[i].n <= IG_EXACT_PAIRS)
            p[i] = s[i].n > 0 ? exact_p(s[i].x, s[i].n) : (double)NAN;
        else if (must_draw(&p[i], &least[i], &s[i]))
            waiting[n_waiting++] = i;
    }
    while (n_waiting > 0 && code == IG_ERR_OK) {
        batch b = {.n = s[waiting[0]].n};
        int of[LANES], kept = 0;
        for (int i = 0; i < n_waiting; i++) {
            const int at = waiting[i];
            if (b.n_lane == LANES || s[at].n != b.n) {
                waiting[kept++] = at;
                continue;
            }
            b.d[b.n_lane] = s[at].x;
            b.least[b.n_lane] = least[at];
            of[b.n_lane++] = at;
        }
        n_waiting = kept;
        code = count_flips(&b, seed, err);
        for (int lane = 0; lane < b.n_lane; lane++)
            p[of[lane]] = (double)(1 + b.hits[lane]) / (double)(1 + FLIPS);
    }
    IG_FREE(waiting, least);
    return code;
}
