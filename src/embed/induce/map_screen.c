/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardly any of the n × m products is needed to float32's precision: only those that may be among
 * the k largest of their row or column, then those that may be the best kept answer to one of the
 * two. Let x̂ be x to 8 bits, x̂ = Δ code. Then
 *
 *   |x z − x̂ ẑ| ≤ |x − x̂| |z| + |x̂| |z − ẑ|                                  (Cauchy–Schwarz)
 *
 * with all four lengths known, so a product of codes bounds the true product from above, and a pair
 * whose bound is below what its row and its column already have is left out for good. The others'
 * products are made in float32, by the same chain of sums as in a walk over all of them; so the
 * result is the same, bit for bit. The first walk begins with the products of those that were
 * nearest in the round before, the second with the best of the nearest that chance leaves in; so
 * hardly anything is above the bounds but what belongs there.
 */
#include "embed/induce/map_screen.h"

#include "base/memory.h"
#include "embed/induce/screen_kernel.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 48,     /* of a task */
    CHUNK = 32768, /* columns between two meetings of the threads */
    LIMIT = 1 << 28,
    MOST_D = 16384, /* sums of products of codes stay below LIMIT */
    BATCH = 32,     /* products that are made at once */
    HITS = BATCH + IG_SCREEN_COLUMNS,
    CODED = 256 /* rows that are coded in one task */
};

/* One side, coded. */
typedef struct {
    const float *x;
    int64_t n, padded; /* rows; to a whole panel */
    int8_t *code;      /* [padded, 4 d4] */
    float *off;        /* [padded] |x − x̂|, rounded up */
    int32_t *start;    /* [padded] −128 Σ code */
    float delta;
    float *square;  /* [padded] |x|² */
    double longest; /* bound of |x| and |x̂| */
} coded;

typedef struct {
    ig_induce *s;
    const ig_retrieve_dropout *drop;
    int k, d4, n_thread;
    coded side[2];
    const ig_screen_table *kernel;
    double unit, slack;
    bool choosing; /* the second walk */
    /* Bounds of products (or of scores) in units of Δ_x Δ_z, and what is added to the other side's
     * bound: less the code's error, plus the penalty. */
    int32_t *row_bound, *row_part; /* [source words] */
    int32_t *column_part;          /* [chunk] */
    uint8_t *panel;                /* [chunk, 4 d4] its codes */
    float *floor[2];               /* scores up to this are not looked for */
    int64_t chunk, first;          /* most columns of a chunk; the present one */
    int n;
    /* Of each thread: */
    int32_t *column_bound; /* [threads, chunk] */
    float *near;           /* [threads, chunk, k], with near_at */
    int32_t *near_at;
    float *best; /* [threads, chunk] score, with choice */
    int32_t *choice;
    int32_t *hit;    /* [threads, ROWS, HITS] */
    float *gathered; /* [threads, BATCH, d] */
    ig_scratch *scratch;
    int which; /* side that is coded or begun with */
} screen;

static void near_insert(float *near, int32_t *at, int k, float v, int32_t answer)
{
    int p = k - 1;
    for (; p > 0 && near[p - 1] < v; p--) {
        near[p] = near[p - 1];
        at[p] = at[p - 1];
    }
    near[p] = v;
    at[p] = answer;
}

/* Down, up to a whole number, and one further for the roundings on the way. */
static int32_t below(double v)
{
    return !(v > -LIMIT) ? -LIMIT : v >= LIMIT ? LIMIT : (int32_t)floor(v) - 1;
}

/* ---- codes ---- */

static void code_task(void *arg, int64_t task, int i_thread)
{
    screen *w = arg;
    coded *c = &w->side[w->which];
    const int64_t ld = 4 * (int64_t)w->d4, end = (task + 1) * CODED;
    (void)i_thread;
    for (int64_t i = task * CODED; i < end && i < c->n; i++) {
        int32_t sum;
        float off;
        w->kernel->code(c->code + i * ld, w->d4, c->x + i * w->s->d, w->s->d, c->delta, &sum, &off,
                        &c->square[i]);
        c->start[i] = -128 * sum;
        /* A sum of d squares is right to d roundings. */
        c->off[i] = sqrtf(off) * (1 + 1e-7f * (float)w->s->d) + 1e-12f;
    }
}

/* The step that leaves the least error in some of the rows: small ones cut large values. */
static float best_step(const screen *w, const coded *c, int8_t *code)
{
    static const double part[] = {1, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2};
    const int d = w->s->d;
    const int64_t stride = c->n / 512 + 1;
    double best = (double)INFINITY;
    float largest = 0, step = 1;
    for (int64_t i = 0; i < c->n; i += stride)
        for (int k = 0; k < d; k++)
            largest = fmaxf(largest, fabsf(c->x[i * d + k]));
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        const float delta = (float)(part[p] * (double)largest / 127);
        double sum = 0;
        for (int64_t i = 0; i < c->n && delta > 1e-30f; i += stride) {
            int32_t total;
            float off, square;
            w->kernel->code(code, w->d4, c->x + i * d, d, delta, &total, &off, &square);
            sum += sqrt((double)off);
        }
        if (delta > 1e-30f && sum < best) {
            best = sum;
            step = delta;
        }
    }
    return step;
}

static ig_code code_side(screen *w, int which, const float *x, int64_t n, ig_err *err)
{
    coded *c = &w->side[which];
    const int64_t whole = which == 0 ? IG_SCREEN_ROWS : IG_SCREEN_COLUMNS;
    c->x = x;
    c->n = n;
    c->padded = (n + whole - 1) / whole * whole;
    IG_TRY(ig_alloc(&c->code, c->padded * 4 * w->d4, 1, "codes", err));
    IG_TRY(ig_alloc(&c->off, c->padded, sizeof *c->off, "codes", err));
    IG_TRY(ig_alloc(&c->start, c->padded, sizeof *c->start, "codes", err));
    IG_TRY(ig_alloc(&c->square, c->padded, sizeof *c->square, "codes", err));
    c->delta = best_step(w, c, c->code);
    w->which = which;
    ig_team_for(w->s->team, (n + CODED - 1) / CODED, code_task, w);
    for (int64_t i = 0; i < n; i++)
        c->longest = fmax(c->longest, sqrt((double)c->square[i]) + (double)c->off[i]);
    c->longest *= 1 + 1e-7 * w->s->d;
    return IG_ERR_OK;
}

/* ---- float32 products of one row with some of the other side ---- */

static void products(const screen *w, int side, int64_t row, const int32_t *other, int n,
                     float *out, int i_thread)
{
    const int d = w->s->d;
    const float *x = w->side[1 - side].x;
    float *gathered = w->gathered + (int64_t)i_thread * BATCH * d;
    for (int q = 0; q < n; q++)
        memcpy(gathered + (int64_t)q * d, x + (int64_t)other[q] * d, (size_t)d * sizeof *x);
    w->s->ops->gemm(&(ig_gemm){.m = 1,
                               .n = n,
                               .k = d,
                               .a = w->side[side].x + row * d,
                               .lda = d,
                               .b = gathered,
                               .ldb = d,
                               .b_form = IG_B_COLS,
                               .c = out,
                               .ldc = n},
                    &w->scratch[i_thread]);
}

static bool kept(const screen *w, int side, int64_t asker, int64_t answer)
{
    return ig_retrieve_kept(w->drop, side, asker, answer);
}

static bool among(const int32_t *at, int n, int32_t a)
{
    int found = 0;
    for (int q = 0; q < n; q++)
        found |= at[q] == a;
    return found != 0;
}

/* ---- what a walk begins with ---- */

/* The products with the nearest of the round before. */
static void begin_near(screen *w, int side, int64_t i, int i_thread)
{
    ig_induce *s = w->s;
    const int k = w->k;
    const int64_t n = w->side[1 - side].n;
    float *near = s->near[side] + i * k, v[IG_INDUCE_K_MAX];
    int32_t *at = s->near_at[side] + i * k, other[IG_INDUCE_K_MAX];
    int have = 0;
    for (int q = 0; q < k; q++)
        if (at[q] >= 0 && at[q] < n && !among(other, have, at[q]))
            other[have++] = at[q];
    for (int q = 0; q < have; q += BATCH)
        products(w, side, i, other + q, have - q < BATCH ? have - q : BATCH, v + q, i_thread);
    for (int q = 0; q < k; q++) {
        near[q] = -INFINITY;
        at[q] = -1;
        s->guess[side][i * k + q] = q < have ? other[q] : -1;
    }
    for (int q = 0; q < have; q++)
        near_insert(near, at, k, v[q], other[q]);
}

/* A score that the best kept answer is above, to all likelihood, where none of the nearest is kept:
 * ranks are about exponential in scores. `score` is sorted here. */
static float guess(float *score, int n, double keep)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && score[j] > score[j - 1]; j--) {
            float t = score[j];
            score[j] = score[j - 1];
            score[j - 1] = t;
        }
    if (n < 4)
        return -INFINITY;
    /* Nothing among so many is kept with probability e⁻⁴. */
    const double rank = fmax(4 / fmax(keep, 1e-3), n);
    const double slope = (double)(score[1] - score[n - 1]) / log(n / 2.0);
    return (float)((double)score[n - 1] - slope * log(rank / n));
}

/* The best of the nearest that chance leaves in. */
static void begin_choice(screen *w, int side, int64_t i)
{
    ig_induce *s = w->s;
    const int k = w->k;
    const float *near = s->near[side] + i * k;
    const int32_t *at = s->near_at[side] + i * k;
    float score[IG_INDUCE_K_MAX], best = -INFINITY;
    int32_t choice = -1;
    int have = 0;
    for (int q = 0; q < k && at[q] >= 0; q++) {
        const float v = score[have++] = near[q] - s->penalty[1 - side][at[q]];
        if ((v > best || (v == best && at[q] < choice)) && kept(w, side, i, at[q])) {
            best = v;
            choice = at[q];
        }
    }
    s->score[side][i] = best;
    (side == 0 ? s->forward : s->backward)[i] = choice;
    w->floor[side][i] = choice >= 0 ? best : guess(score, have, w->drop->keep);
}

static void begin_task(void *arg, int64_t task, int i_thread)
{
    screen *w = arg;
    const int64_t n = w->side[w->which].n;
    for (int64_t i = task * ROWS; i < n && i < (task + 1) * ROWS; i++)
        if (w->choosing)
            begin_choice(w, w->which, i);
        else
            begin_near(w, w->which, i, i_thread);
}

/* ---- bounds ---- */

static double error_of(const screen *w, int side, int64_t i)
{
    return (double)w->side[side].off[i] * w->side[1 - side].longest;
}

/* What row i of a side has, or more of it from one thread. */
static float least_near(const screen *w, int side, int64_t i, const float *more)
{
    const float have = w->s->near[side][i * w->k + w->k - 1];
    return more == NULL ? have : fmaxf(have, more[w->k - 1]);
}

static int32_t bound_of(const screen *w, int side, int64_t i, float least)
{
    return below(((double)least - error_of(w, side, i) - w->slack) / w->unit);
}

static int32_t part_of(const screen *w, int side, int64_t i)
{
    const double penalty = w->choosing ? (double)w->s->penalty[side][i] : 0;
    return below((penalty - error_of(w, side, i)) / w->unit);
}

static void row_bound(const screen *w, int64_t i)
{
    const float least = w->choosing ? w->floor[0][i] : least_near(w, 0, i, NULL);
    w->row_bound[i] = bound_of(w, 0, i, least);
}

static void column_bound(const screen *w, int c, int i_thread)
{
    const int64_t j = w->first + c, at = (int64_t)i_thread * w->chunk + c;
    const float least =
        w->choosing ? fmaxf(w->floor[1][j], w->best[at]) : least_near(w, 1, j, w->near + at * w->k);
    w->column_bound[at] = bound_of(w, 1, j, least);
}

/* ---- a walk ---- */

static void panel_task(void *arg, int64_t task, int i_thread)
{
    screen *w = arg;
    const coded *c = &w->side[1];
    const int64_t from = task * IG_SCREEN_COLUMNS, ld = 4 * (int64_t)w->d4;
    uint8_t *to = w->panel + from * ld;
    (void)i_thread;
    for (int i = 0; i < IG_SCREEN_COLUMNS; i++) {
        const int64_t j = w->first + from + i;
        for (int g = 0; g < w->d4; g++) {
            uint32_t four;
            memcpy(&four, c->code + j * ld + 4 * g, sizeof four);
            four ^= 0x80808080u; /* plus 128 */
            memcpy(to + 4 * ((int64_t)g * IG_SCREEN_COLUMNS + i), &four, sizeof four);
        }
        if (j >= c->n)
            continue;
        w->column_part[from + i] = part_of(w, 1, j);
        for (int t = 0; t < w->n_thread; t++) {
            const int64_t at = (int64_t)t * w->chunk + from + i;
            for (int q = 0; q < w->k; q++)
                w->near[at * w->k + q] = -INFINITY;
            w->best[at] = -INFINITY;
            w->choice[at] = -1;
            column_bound(w, (int)(from + i), t);
        }
    }
}

static void choose(float *best, int32_t *choice, float score, int32_t answer)
{
    if (score > *best || (score == *best && answer < *choice)) {
        *best = score;
        *choice = answer;
    }
}

/* Whether row i asks for column j's product of about v or, with `back`, column j for row i's. */
static bool asks(const screen *w, bool back, int64_t i, int32_t c, float v, int i_thread)
{
    const ig_induce *s = w->s;
    const int64_t j = w->first + c, at = (int64_t)i_thread * w->chunk + c;
    const int k = w->k;
    if (w->choosing) {
        const float score = v - s->penalty[1 - back][back ? i : j];
        return score >= (back ? fmaxf(w->floor[1][j], w->best[at]) : w->floor[0][i]) &&
               (back ? kept(w, 1, j, i) : kept(w, 0, i, j));
    }
    return back ? v > least_near(w, 1, j, w->near + at * k) &&
                      !among(s->guess[1] + j * k, k, (int32_t)i)
                : v > least_near(w, 0, i, NULL) && !among(s->guess[0] + i * k, k, (int32_t)j);
}

/* The product v of row i and column c of the chunk, where it is asked for. */
static void use(const screen *w, int64_t i, int32_t c, float v, int i_thread)
{
    ig_induce *s = w->s;
    const int k = w->k;
    const int64_t j = w->first + c, at = (int64_t)i_thread * w->chunk + c;
    if (asks(w, false, i, c, v, i_thread)) {
        if (w->choosing) {
            choose(&s->score[0][i], &s->forward[i], v - s->penalty[1][j], (int32_t)j);
            w->floor[0][i] = fmaxf(w->floor[0][i], s->score[0][i]);
        } else {
            near_insert(s->near[0] + i * k, s->near_at[0] + i * k, k, v, (int32_t)j);
        }
    }
    if (asks(w, true, i, c, v, i_thread)) {
        if (w->choosing)
            choose(&w->best[at], &w->choice[at], v - s->penalty[0][i], (int32_t)i);
        else
            near_insert(w->near + at * k, w->near_at + at * k, k, v, (int32_t)i);
        column_bound(w, c, i_thread);
    }
}

static void use_hits(const screen *w, int64_t i, const int32_t *hit, int n, int i_thread)
{
    const float slack = (float)w->slack;
    int32_t column[HITS] = {0};
    float v[HITS];
    int have = 0, left = 0;
    for (int q = 0; q < n; q++) {
        /* Chance and what has been used do not depend on the product. */
        column[have] = (int32_t)w->first + hit[q];
        have += asks(w, false, i, hit[q], INFINITY, i_thread) ||
                asks(w, true, i, hit[q], INFINITY, i_thread);
    }
    w->kernel->products(v, w->side[0].x + i * w->s->d, w->side[1].x, w->s->d, column, have);
    for (int q = 0; q < have; q++) {
        const int32_t c = column[q] - (int32_t)w->first;
        if (asks(w, false, i, c, v[q] + slack, i_thread) ||
            asks(w, true, i, c, v[q] + slack, i_thread))
            column[left++] = column[q];
    }
    for (int from = 0; from < left; from += BATCH) {
        const int batch = left - from < BATCH ? left - from : BATCH;
        products(w, 0, i, column + from, batch, v, i_thread);
        for (int q = 0; q < batch; q++)
            use(w, i, column[from + q] - (int32_t)w->first, v[q], i_thread);
    }
    row_bound(w, i);
}

static void rows_task(void *arg, int64_t task, int i_thread)
{
    screen *w = arg;
    const coded *a = &w->side[0];
    const int64_t row0 = task * ROWS, rest = a->padded - row0, ld = 4 * (int64_t)w->d4;
    const int n_row = rest < ROWS ? (int)rest : ROWS;
    int32_t *hit = w->hit + (int64_t)i_thread * ROWS * HITS;
    int n_hit[ROWS] = {0};
    uint32_t bits[IG_SCREEN_ROWS];
    for (int c = 0; c < w->n; c += IG_SCREEN_COLUMNS) {
        const int n = w->n - c;
        const uint32_t valid = n >= IG_SCREEN_COLUMNS ? ~0u : (1u << n) - 1;
        for (int r0 = 0; r0 < n_row; r0 += IG_SCREEN_ROWS) {
            const int64_t i0 = row0 + r0;
            const ig_screen_panel p = {
                .a = a->code + i0 * ld,
                .b = w->panel + c * ld,
                .d4 = w->d4,
                .start = a->start + i0,
                .row_bound = w->row_bound + i0,
                .row_part = w->row_part + i0,
                .column_bound = w->column_bound + (int64_t)i_thread * w->chunk + c,
                .column_part = w->column_part + c,
            };
            if (!w->kernel->panel(&p, bits))
                continue;
            for (int r = 0; r < IG_SCREEN_ROWS && i0 + r < a->n; r++) {
                int32_t *h = hit + (int64_t)(r0 + r) * HITS;
                int *have = &n_hit[r0 + r];
                for (uint32_t b = bits[r] & valid; b != 0; b &= b - 1)
                    h[(*have)++] = c + __builtin_ctz(b);
                if (*have >= BATCH) {
                    use_hits(w, i0 + r, h, *have, i_thread);
                    *have = 0;
                }
            }
        }
    }
    for (int r = 0; r < n_row; r++)
        if (n_hit[r] > 0)
            use_hits(w, row0 + r, hit + (int64_t)r * HITS, n_hit[r], i_thread);
}

/* What the threads have found for the columns of the chunk, with what the walk began with. */
static void merge_task(void *arg, int64_t task, int i_thread)
{
    screen *w = arg;
    ig_induce *s = w->s;
    const int k = w->k;
    (void)i_thread;
    for (int64_t c = task * CODED; c < w->n && c < (task + 1) * CODED; c++) {
        const int64_t j = w->first + c;
        float *near = s->near[1] + j * k;
        for (int t = 0; t < w->n_thread; t++) {
            const int64_t at = (int64_t)t * w->chunk + c;
            for (int q = 0; q < k && w->near[at * k + q] > near[k - 1]; q++)
                near_insert(near, s->near_at[1] + j * k, k, w->near[at * k + q],
                            w->near_at[at * k + q]);
            if (w->choosing && w->choice[at] >= 0)
                choose(&s->score[1][j], &s->backward[j], w->best[at], w->choice[at]);
        }
    }
}

static void walk(screen *w)
{
    ig_induce *s = w->s;
    for (w->which = 0; w->which < 2; w->which++)
        ig_team_for(s->team, (w->side[w->which].n + ROWS - 1) / ROWS, begin_task, w);
    for (int64_t i = 0; i < s->n; i++) {
        row_bound(w, i);
        w->row_part[i] = part_of(w, 0, i);
    }
    for (w->first = 0; w->first < s->m; w->first += w->n) {
        w->n = s->m - w->first < w->chunk ? (int)(s->m - w->first) : (int)w->chunk;
        ig_team_for(s->team, (w->n + IG_SCREEN_COLUMNS - 1) / IG_SCREEN_COLUMNS, panel_task, w);
        ig_team_for(s->team, (w->side[0].padded + ROWS - 1) / ROWS, rows_task, w);
        ig_team_for(s->team, (w->n + CODED - 1) / CODED, merge_task, w);
    }
}

/* A choice is certain where it is above the guess. */
static void uncertain(const screen *w)
{
    ig_induce *s = w->s;
    for (int side = 0; side < 2; side++) {
        s->n_again[side] = 0;
        for (int64_t i = 0; i < w->side[side].n; i++)
            if (!(s->score[side][i] >= w->floor[side][i]) || s->score[side][i] == -INFINITY)
                s->again[side][s->n_again[side]++] = (int32_t)i;
    }
}

static ig_code begin(screen *w, const float *x, const float *z, ig_err *err)
{
    ig_induce *s = w->s;
    const int64_t t = w->n_thread, chunk = t * w->chunk;
    IG_TRY(code_side(w, 0, x, s->n, err));
    IG_TRY(code_side(w, 1, z, s->m, err));
    IG_TRY(ig_alloc(&w->row_bound, w->side[0].padded, sizeof *w->row_bound, "bounds", err));
    IG_TRY(ig_alloc(&w->row_part, w->side[0].padded, sizeof *w->row_part, "bounds", err));
    IG_TRY(ig_alloc(&w->column_part, w->chunk, sizeof *w->column_part, "bounds", err));
    IG_TRY(ig_alloc(&w->column_bound, chunk, sizeof *w->column_bound, "bounds", err));
    IG_TRY(ig_alloc(&w->floor[0], s->n, sizeof(float), "bounds", err));
    IG_TRY(ig_alloc(&w->floor[1], s->m, sizeof(float), "bounds", err));
    IG_TRY(ig_alloc(&w->panel, w->chunk * 4 * w->d4, 1, "codes", err));
    IG_TRY(ig_alloc(&w->near, chunk * w->k, sizeof *w->near, "similarities", err));
    IG_TRY(ig_alloc(&w->near_at, chunk * w->k, sizeof *w->near_at, "similarities", err));
    IG_TRY(ig_alloc(&w->best, chunk, sizeof *w->best, "similarities", err));
    IG_TRY(ig_alloc(&w->choice, chunk, sizeof *w->choice, "similarities", err));
    IG_TRY(ig_alloc(&w->hit, t * ROWS * HITS, sizeof *w->hit, "similarities", err));
    IG_TRY(ig_alloc(&w->gathered, t * BATCH * s->d, sizeof *w->gathered, "vectors", err));
    IG_TRY(ig_alloc(&w->scratch, t, sizeof *w->scratch, "scratch", err));
    w->unit = (double)w->side[0].delta * (double)w->side[1].delta;
    /* Roundings of a float32 product (two a step in the portable table), of another order of its
     * sum, of a score. */
    w->slack = 0x1p-22 * (s->d + 4) * w->side[0].longest * w->side[1].longest + 1e-6;
    return IG_ERR_OK;
}

static void end(screen *w)
{
    for (int i = 0; i < 2; i++) {
        IG_FREE(w->side[i].code, w->side[i].off, w->side[i].start, w->side[i].square, w->floor[i]);
    }
    for (int i = 0; w->scratch != NULL && i < w->n_thread; i++)
        ig_scratch_free(&w->scratch[i]);
    IG_FREE(w->row_bound, w->row_part, w->column_part, w->column_bound, w->panel, w->near,
            w->near_at, w->best, w->choice, w->hit, w->gathered, w->scratch);
}

bool ig_screen_here(int d)
{
    return d <= MOST_D && ig_screen_best() != NULL;
}

ig_code ig_screen_run(ig_induce *s, const float *x, const float *z, const ig_retrieve_dropout *drop,
                      ig_err *err)
{
    screen w = {.s = s,
                .drop = drop,
                .k = s->k,
                .d4 = (s->d + 3) / 4,
                .n_thread = ig_team_size(s->team),
                .kernel = ig_screen_best()};
    w.chunk = (s->m + IG_SCREEN_COLUMNS - 1) / IG_SCREEN_COLUMNS * IG_SCREEN_COLUMNS;
    w.chunk = w.chunk < CHUNK ? w.chunk : CHUNK;
    ig_code code = begin(&w, x, z, err);
    if (code == IG_ERR_OK) {
        walk(&w);
        for (int side = 0; side < 2; side++)
            ig_induce_penalties(s, side);
        w.choosing = true;
        walk(&w);
        uncertain(&w);
    }
    end(&w);
    return code;
}
