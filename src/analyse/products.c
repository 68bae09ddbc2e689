/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplies long matrices, columns with columns or rows with rows. Blocks of columns, or of rows,
 * are the tasks; pieces of rows are multiplied in float32 and added in double in their order. A
 * piece is centred and packed once for all tasks: a centred copy of everything would cost more in
 * fresh pages of memory than the centring.
 */
#include "analyse/products.h"

#include "base/memory.h"

#include <string.h>

enum { TILE = 96, PACK = 192, PIECE = 2048, CENTRE = 128 };

static ig_code scratch_new(ig_scratch **s, ig_team *team, ig_err *err)
{
    return ig_alloc(s, ig_team_size(team), sizeof **s, "scratch", err);
}

/* out[n_row, d]: rows from `first` on, less each column's mean. */
static void centred_rows(float *out, const ig_space *s, int64_t first, int64_t n_row)
{
    const float *from = s->x + first * s->d;
    for (int64_t i = 0; i < n_row; i++, from += s->d, out += s->d)
        for (int j = 0; j < s->d; j++)
            out[j] = (float)((double)from[j] - s->mean[j]);
}

/* ---- columns ---- */

typedef struct {
    const ig_space *x, *y;
    const ig_ops *ops;
    double *out;
    float *a, *b;         /* [PIECE, dx], [PIECE, dy] a piece of each, centred */
    float *packed, *part; /* the second in packed form; [threads, TILE, dy] */
    int64_t from;         /* rows of the piece */
    int n, tile;
    ig_scratch *scratch;
} columns;

static int smaller(int64_t a, int b)
{
    return a < b ? (int)a : b;
}

static void centre_task(void *arg, int64_t task, int i_thread)
{
    const columns *c = arg;
    const int first = (int)task * CENTRE, n = smaller(c->n - first, CENTRE);
    (void)i_thread;
    centred_rows(c->a + (int64_t)first * c->x->d, c->x, c->from + first, n);
    if (c->b != c->a)
        centred_rows(c->b + (int64_t)first * c->y->d, c->y, c->from + first, n);
}

static void pack_task(void *arg, int64_t task, int i_thread)
{
    const columns *c = arg;
    const int d = c->y->d, j = (int)task * PACK;
    (void)i_thread;
    c->ops->pack_b(c->packed + c->ops->pack_size(c->n, j), c->b + j, d, IG_B_ROWS, c->n,
                   smaller(d - j, PACK));
}

static void column_tile(void *arg, int64_t tile, int i_thread)
{
    const columns *c = arg;
    /* Where half is enough, the longest rows come first, so that threads end together. */
    const int dx = c->x->d, dy = c->y->d, i0 = ((dx - 1) / c->tile - (int)tile) * c->tile,
              m = smaller(dx - i0, c->tile),
              n = c->x == c->y ? i0 + m : dy; /* the other half is the same */
    float *part = c->part + (int64_t)i_thread * TILE * dy;
    c->ops->gemm(&(ig_gemm){.m = m,
                            .n = n,
                            .k = c->n,
                            .a = c->a + i0,
                            .lda = dx,
                            .a_trans = true,
                            .b = c->packed,
                            .b_form = IG_B_PACKED,
                            .c = part,
                            .ldc = n},
                 &c->scratch[i_thread]);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            c->out[(int64_t)(i0 + i) * dy + j] += (double)part[i * n + j];
}

static void mirror(double *a, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = i + 1; j < d; j++)
            a[(int64_t)i * d + j] = a[(int64_t)j * d + i];
}

ig_code ig_products_columns(double *out, const ig_space *x, const ig_space *y,
                            const ig_similarity_with *with, ig_err *err)
{
    columns c = {.x = x, .y = y, .ops = with->ops, .out = out, .tile = x == y ? TILE / 2 : TILE};
    ig_similarity_room own = {0}, *room = with->room != NULL ? with->room : &own;
    const int64_t piece = smaller(x->n, PIECE), n_a = piece * x->d, n_b = piece * y->d,
                  n_packed = c.ops->pack_size((int)piece, y->d),
                  n_part = ig_team_size(with->team) * (int64_t)TILE * y->d;
    memset(out, 0, (size_t)x->d * (size_t)y->d * sizeof *out);
    ig_code code = ig_grow(&room->block, &room->have, n_packed + n_a + n_b + n_part,
                           sizeof *room->block, "products", err);
    if (code == IG_ERR_OK) {
        c.packed = room->block;
        c.a = c.packed + n_packed;
        c.b = x == y ? c.a : c.a + n_a;
        c.part = c.a + n_a + n_b;
    }
    IG_THEN(code, scratch_new(&c.scratch, with->team, err));
    for (; c.from < x->n && code == IG_ERR_OK; c.from += PIECE) {
        c.n = smaller(x->n - c.from, PIECE);
        ig_team_for(with->team, (c.n + CENTRE - 1) / CENTRE, centre_task, &c);
        ig_team_for(with->team, (y->d + PACK - 1) / PACK, pack_task, &c);
        ig_team_for(with->team, (x->d + c.tile - 1) / c.tile, column_tile, &c);
        code = ig_scratches_check(c.scratch, ig_team_size(with->team), err);
    }
    if (code == IG_ERR_OK && x == y)
        mirror(out, x->d);
    ig_scratches_free(c.scratch, ig_team_size(with->team));
    ig_free(own.block);
    return code;
}

/* ---- rows ---- */

typedef struct {
    const ig_space *x, *y;
    const ig_ops *ops;
    ig_products_fn *fn;
    void *arg;
    float *centred[2]; /* [n, d]; the second NULL without y */
    float *block;      /* [threads, 2, ROWS, n] */
    ig_scratch *scratch;
} rows;

int ig_products_blocks(int64_t n)
{
    return (int)((n + IG_PRODUCTS_ROWS - 1) / IG_PRODUCTS_ROWS);
}

static void row_block(void *arg, int64_t block, int i_thread)
{
    const rows *r = arg;
    const int64_t n = r->x->n, first = block * IG_PRODUCTS_ROWS;
    const int m = smaller(n - first, IG_PRODUCTS_ROWS);
    const ig_space *side[2] = {r->x, r->y};
    float *to[2] = {r->block + 2 * i_thread * IG_PRODUCTS_ROWS * n, NULL};
    if (r->y != NULL)
        to[1] = to[0] + IG_PRODUCTS_ROWS * n;
    for (int s = 0; s < 2 && side[s] != NULL; s++) {
        const int d = side[s]->d;
        const float *x = r->centred[s];
        const ig_gemm product = ig_gemm_of_rows(x + first * d, m, x, (int)n, d, to[s]);
        r->ops->gemm(&product, &r->scratch[i_thread]);
    }
    r->fn(r->arg, &(ig_products_block){.k = to[0],
                                       .l = to[1],
                                       .first = first,
                                       .n_row = m,
                                       .number = (int)block,
                                       .i_thread = i_thread});
}

static ig_code centred(float **out, const ig_space *s, ig_err *err)
{
    IG_TRY(ig_alloc(out, s->n * s->d, sizeof **out, "states", err));
    centred_rows(*out, s, 0, s->n);
    return IG_ERR_OK;
}

ig_code ig_products_rows(ig_products_fn *fn, void *arg, const ig_space *x, const ig_space *y,
                         const ig_similarity_with *with, ig_err *err)
{
    rows r = {.x = x, .y = y, .ops = with->ops, .fn = fn, .arg = arg};
    if (x->n > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "similarity", 0, "found %lld rows, expected fewer",
                       (long long)x->n);
    ig_code code = ig_alloc(&r.block, 2 * ig_team_size(with->team) * IG_PRODUCTS_ROWS * x->n,
                            sizeof *r.block, "products", err);
    IG_THEN(code, scratch_new(&r.scratch, with->team, err));
    IG_THEN(code, centred(&r.centred[0], x, err));
    if (y != NULL)
        IG_THEN(code, centred(&r.centred[1], y, err));
    if (code == IG_ERR_OK)
        ig_team_for(with->team, ig_products_blocks(x->n), row_block, &r);
    IG_THEN(code, ig_scratches_check(r.scratch, ig_team_size(with->team), err));
    ig_scratches_free(r.scratch, ig_team_size(with->team));
    IG_FREE(r.block, r.centred[0], r.centred[1]);
    return code;
}
