/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts ops into the queue, as kernels with their numbers of blocks. How sums are cut into parts
 * depends on shapes alone.
 */
#include "model/device/cuda/exec_cuda.h"

#include "base/assert.h"
#include "model/device/cuda/queue.h"

#include <stddef.h>

enum {
    tile = 64,          /* rows and columns of a product's tile */
    most_blocks = 4096, /* of an op of elements */
    elements = 256,     /* of one block, unless there are more than those blocks */
    columns = 16384,    /* of a LayerNorm at most */
    tiles_enough = 256, /* a product of as many tiles is not cut along k */
    part_depth = 256,   /* k of a part at least */
    part_rows = 32,     /* rows of a part of column sums at least */
    most_parts = 128,
    part_floats = 4 << 20,  /* of all parts, unless one has more */
    large = 256,            /* least m, n, k of a product that the vendor's library gets … */
    large_product = 1 << 28 /* … and its least m n k */
};

static int64_t n_of(int64_t n, int64_t each)
{
    return (n + each - 1) / each;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_for(int64_t n)
{
    return least(n_of(n, elements), most_blocks);
}

/* Puts the kernel of an op whose arguments are `value`. */
#define PUT(name, blocks, value)                                                                   \
    ig_cuda_put(&(ig_cuda_op){.kernel = IG_CUDA_##name,                                            \
                              .n_block = (blocks),                                                 \
                              .args = (value),                                                     \
                              .n_args = sizeof *(value)})

/* out[n] (+)= the parts' sums. */
static void add_parts(float *out, const float *part, int64_t n, int64_t stride, int n_part,
                      bool fresh)
{
    const ig_cuda_add_parts a = {out, part, n, stride, n_part, fresh};
    if (out != NULL)
        PUT(add_parts, blocks_for(n), &a);
}

/* Parts of at least `each` of n things, of `floats` numbers each. */
static int parts_of(int64_t n, int64_t each, int64_t floats)
{
    int64_t most = floats > 0 ? part_floats / floats : most_parts;
    most = most < 1 ? 1 : least(most, most_parts);
    const int64_t parts = n_of(n, each);
    return (int)(parts < 1 ? 1 : least(parts, most));
}

static bool is_large(const ig_gemm *g)
{
    return g->m >= large && g->n >= large && g->k >= large &&
           (int64_t)g->m * g->n * g->k >= large_product;
}

/* A large product, then what becomes of its sums. */
static void put_large(const ig_cuda_product *p)
{
    ig_cuda_product plain = *p;
    plain.g.epilogue = IG_EPI_NONE;
    plain.g.bias = NULL;
    PUT(large_product, n_of(p->g.m, tile) * n_of(p->g.n, tile), &plain);
    if (p->g.epilogue != IG_EPI_NONE)
        PUT(epilogue, blocks_for((int64_t)p->g.m * p->g.n), &p->g);
}

void ig_cuda_gemm(const ig_exec *x, const ig_gemm *g, bool parts)
{
    const int64_t tiles = n_of(g->m, tile) * n_of(g->n, tile), size = (int64_t)g->m * g->n;
    ig_cuda_product p = {
        .g = *g, .n_part = 1, .k_each = g->k, .round = x->ops == ig_ops_bfloat16()};
    IG_ASSERT(g->bf16 == 0 && !g->c_trans && g->a_sum == NULL && g->b_form != IG_B_PACKED);
    if (is_large(g)) {
        put_large(&p);
        return;
    }
    if (parts && tiles < tiles_enough) {
        p.n_part = (int)least(parts_of(g->k, part_depth, size), n_of(tiles_enough, tiles));
        p.k_each = (int)(n_of(n_of(g->k, p.n_part), 16) * 16);
        p.n_part = p.k_each > 0 ? (int)n_of(g->k, p.k_each) : 1;
    }
    if (p.n_part > 1) {
        p.part = ig_cuda_room(p.n_part * size);
        if (p.part == NULL)
            return;
    }
    PUT(product, tiles * p.n_part, &p);
    if (p.n_part > 1)
        add_parts(g->c, p.part, size, size, p.n_part, !g->accumulate);
}

static void linear(const ig_exec *x, const ig_gemm *g, const ig_weight *w)
{
    ig_gemm one = *g;
    one.n = w->n;
    one.k = w->k;
    one.b = w->b;
    one.ldb = w->ldb;
    one.b_form = w->form;
    if (g->m > 0)
        ig_cuda_gemm(x, &one, false);
}

static void column_sum(float *out, const float *v, int m, int n, int ld)
{
    ig_cuda_column_parts a = {.x = v, .m = m, .n = n, .ld = ld};
    a.n_part = parts_of(m, part_rows, n);
    a.row_each = (int)n_of(m, a.n_part);
    a.part = ig_cuda_room((int64_t)a.n_part * n);
    if (a.part == NULL)
        return;
    PUT(column_parts, a.n_part, &a);
    add_parts(out, a.part, n, n, a.n_part, false);
}

static void layer_grad(const ig_exec *x, const ig_layer_grad *l)
{
    const ig_gemm g = {.m = l->m,
                       .n = l->n,
                       .k = l->k,
                       .a = l->dy,
                       .lda = l->ld_dy,
                       .a_trans = true,
                       .b = l->x,
                       .ldb = l->n,
                       .b_form = IG_B_ROWS,
                       .c = l->dw,
                       .ldc = l->n,
                       .accumulate = !(x->fresh && l->once),
                       .bf16 = l->bf16};
    if (l->dw != NULL)
        ig_cuda_gemm(x, &g, true);
    if (l->db != NULL && l->k > 0)
        column_sum(l->db, l->dy, l->k, l->m, l->ld_dy);
}

/* Threads for a row of d columns. */
static int threads_for(int d)
{
    return d > 512 ? 256 : d > 128 ? 128 : 64;
}

static void norm(const ig_exec *x, const ig_norm *a)
{
    (void)x;
    IG_ASSERT(a->bf16 == NULL && !a->bf16_xhat && a->d <= columns);
    ig_cuda_put(&(ig_cuda_op){.kernel = IG_CUDA_norm,
                              .n_thread = threads_for(a->d),
                              .n_block = a->n_row,
                              .args = a,
                              .n_args = sizeof *a});
}

static void norm_grad(const ig_exec *x, const ig_norm_grad *a)
{
    ig_cuda_norm_parts p = {.a = *a, .n_part = parts_of(a->n_row, part_rows, 2 * (int64_t)a->d)};
    (void)x;
    IG_ASSERT(!a->bf16 && !a->bf16_xhat);
    if (a->n_row == 0)
        return;
    p.row_each = (int)n_of(a->n_row, p.n_part);
    if (a->dgamma != NULL || a->dbeta != NULL) { /* first: dx may take the place of dout */
        p.part = ig_cuda_room(2 * (int64_t)p.n_part * a->d);
        if (p.part == NULL)
            return;
        PUT(norm_parts, p.n_part, &p);
        add_parts(a->dgamma, p.part, a->d, 2 * (int64_t)a->d, p.n_part, false);
        add_parts(a->dbeta, p.part + a->d, a->d, 2 * (int64_t)a->d, p.n_part, false);
    }
    ig_cuda_put(&(ig_cuda_op){.kernel = IG_CUDA_norm_grad,
                              .n_thread = threads_for(a->d),
                              .n_block = a->n_row,
                              .args = a,
                              .n_args = sizeof *a});
}

static void attention(const ig_exec *x, const ig_attention *a)
{
    (void)x;
    IG_ASSERT(!a->bf16 && (a->probs != NULL || a->room != NULL));
    PUT(attention, (int64_t)a->n_seq * a->n_head, a);
}

static void attention_grad(const ig_exec *x, const ig_attention *a)
{
    (void)x;
    IG_ASSERT(!a->bf16 && a->room != NULL);
    PUT(attention_grad, (int64_t)a->n_seq * a->n_head, a);
    if (a->ddistance != NULL)
        PUT(distance_grad, 2 * (int64_t)a->n_distance - 1, a);
}

static void rotary(const ig_exec *x, const ig_rotary *a)
{
    (void)x;
    PUT(rotary, blocks_for((int64_t)a->n * a->n_head * (a->dh / 2)), a);
}

static void head_norm(const ig_exec *x, const ig_head_norm *a)
{
    (void)x;
    PUT(head_norm, blocks_for((int64_t)a->n * a->n_head), a);
}

static void gate(const ig_exec *x, const ig_gate *a)
{
    (void)x;
    PUT(gate, blocks_for((int64_t)a->n * a->f), a);
}

static void embed(const ig_exec *x, const ig_embed *a)
{
    (void)x;
    PUT(embed, blocks_for((int64_t)a->n * a->d), a);
}

static void embed_grad(const ig_exec *x, const ig_embed_grad *a)
{
    (void)x;
    PUT(embed_grad,
        (a->word != NULL ? (int64_t)a->n_word : 0) + (a->position != NULL ? a->n_position : 0) +
            (a->segment != NULL ? a->n_segment : 0),
        a);
}

static void xent(const ig_exec *x, const ig_xent *a)
{
    (void)x;
    PUT(xent, a->n_row, a);
}

static void next_loss(const ig_exec *x, const ig_next_loss *a)
{
    (void)x;
    PUT(next_loss, a->n > 0, a);
}

static void gather_rows(const ig_exec *x, float *out, const float *v, const int32_t *row, int n,
                        int d)
{
    const ig_cuda_rows a = {out, v, row, n, d, 0};
    (void)x;
    PUT(gather, blocks_for((int64_t)n * d), &a);
}

static void scatter_add_rows(const ig_exec *x, float *v, const float *rows, const int32_t *row,
                             int n, int d)
{
    const ig_cuda_rows a = {v, rows, row, n, d, 0};
    (void)x;
    PUT(scatter_add, blocks_for((int64_t)n * d), &a);
}

static void put_each(ig_cuda_each_op op, float *v, const float *by, int64_t n)
{
    const ig_cuda_each a = {.op = op, .v = v, .by = by, .n = n};
    PUT(each, blocks_for(n), &a);
}

/* Ops on each number of v by itself, and with the same one of `by`. */
#define EACH(name, op)                                                                             \
    static void name(const ig_exec *x, float *v, int64_t n)                                        \
    {                                                                                              \
        (void)x;                                                                                   \
        put_each(op, v, NULL, n);                                                                  \
    }
#define EACH_BY(name, op)                                                                          \
    static void name(const ig_exec *x, float *v, const float *by, int64_t n)                       \
    {                                                                                              \
        (void)x;                                                                                   \
        put_each(op, v, by, n);                                                                    \
    }
EACH(zero, IG_CUDA_ZERO)
EACH(hyperbolic, IG_CUDA_TANH)
EACH(elu, IG_CUDA_ELU)
EACH_BY(copy, IG_CUDA_COPY)
EACH_BY(add, IG_CUDA_ADD)
EACH_BY(multiply, IG_CUDA_MULTIPLY)
EACH_BY(hyperbolic_grad, IG_CUDA_TANH_GRAD)
EACH_BY(elu_grad, IG_CUDA_ELU_GRAD)

static void keep_rows(const ig_exec *x, float *v, const int32_t *kept, int n, int d)
{
    float *room = ig_cuda_room((int64_t)n * d);
    if (room == NULL)
        return;
    gather_rows(x, room, v, kept, n, d);
    copy(x, v, room, (int64_t)n * d);
}

static void spread_rows(const ig_exec *x, float *v, const int32_t *kept, int n, int d, int n_row)
{
    float *room = ig_cuda_room((int64_t)n * d);
    const ig_cuda_rows a = {v, room, kept, n, d, n_row};
    if (room == NULL)
        return;
    copy(x, room, v, (int64_t)n * d);
    PUT(spread, blocks_for((int64_t)n_row * d), &a);
}

static void shift_rows(const ig_exec *x, float *v, const float *by, int n, int d)
{
    const ig_cuda_each a = {.op = IG_CUDA_SHIFT, .v = v, .by = by, .n = (int64_t)n * d, .d = d};
    (void)x;
    PUT(each, blocks_for(a.n), &a);
}

static void drop(const ig_exec *x, float *v, int n, int d, const ig_dropout *how)
{
    const ig_cuda_drop a = {v, n, d, *how};
    (void)x;
    if (how->p > 0)
        PUT(drop, blocks_for((int64_t)n * n_of(d, 8)), &a);
}

static void mix(const ig_exec *x, const ig_mix *a)
{
    (void)x;
    PUT(mix, blocks_for(a->n), a);
}

static void mix_grad(const ig_exec *x, const ig_mix *a)
{
    (void)x;
    PUT(mix_grad, 1, a);
}

static void mix_share(const ig_exec *x, const ig_mix *a, int layer)
{
    const ig_cuda_each share = {.op = IG_CUDA_MIX_SHARE,
                                .v = a->out,
                                .by = a->dout,
                                .n = a->n,
                                .d = layer,
                                .n_layer = a->n_layer,
                                .weight = a->weight,
                                .gamma = a->gamma};
    (void)x;
    PUT(each, blocks_for(a->n), &share);
}

/* Products take weights as they are. */
static void pack(const ig_exec *x, ig_weight *const *w, int n)
{
    (void)x;
    for (int i = 0; i < n; i++)
        IG_ASSERT(w[i]->data == NULL);
}

/* Numbers the pieces of n spans; returns how many there are. */
static int64_t number(ig_cuda_span *out, const ig_span *span, int64_t n, size_t stride)
{
    int64_t first = 0;
    for (int64_t i = 0; i < n; i++) {
        const ig_span *s = (const ig_span *)(const void *)((const char *)span + (size_t)i * stride);
        out[i] = (ig_cuda_span){s->from, s->to > s->from ? s->to : s->from, first};
        first += n_of(out[i].to - out[i].from, IG_CUDA_PIECE);
    }
    return first;
}

enum { spans_at_once = 128 };

static void sum_squares(const ig_exec *x, const float *v, const ig_span *span, int64_t n,
                        double *sum)
{
    (void)x;
    for (int64_t from = 0; from < n; from += spans_at_once) {
        ig_cuda_span pieces[spans_at_once];
        const int64_t some = least(n - from, spans_at_once),
                      n_piece = number(pieces, span + from, some, sizeof *span);
        double *room = (double *)(void *)ig_cuda_room(2 * (n_piece + some));
        const ig_cuda_squares a = {v, room + some, room, some};
        ig_cuda_op op = {.kernel = IG_CUDA_square_parts,
                         .n_block = n_piece,
                         .args = &a,
                         .n_args = sizeof a,
                         .more = {pieces},
                         .n_more = {some * (int64_t)sizeof *pieces}};
        if (room == NULL) {
            sum[from] = 0; /* ig_cuda_check reports it */
            continue;
        }
        ig_cuda_put(&op);
        op.kernel = IG_CUDA_square_sums;
        op.n_block = some;
        ig_cuda_put(&op);
        ig_cuda_download(sum + from, room, some * (int64_t)sizeof *sum);
    }
}

static void adamw(const ig_exec *x, const ig_adamw_span *span, int64_t n, const ig_moments *of)
{
    (void)x;
    for (int64_t from = 0; from < n; from += spans_at_once) {
        ig_cuda_span pieces[spans_at_once];
        ig_adamw how[spans_at_once];
        const int64_t some = least(n - from, spans_at_once);
        const int64_t n_piece = number(pieces, &span[from].span, some, sizeof *span);
        const ig_cuda_adamw a = {*of, some};
        for (int64_t i = 0; i < some; i++)
            how[i] = *span[from + i].adamw;
        ig_cuda_put(
            &(ig_cuda_op){.kernel = IG_CUDA_adamw,
                          .n_block = n_piece,
                          .args = &a,
                          .n_args = sizeof a,
                          .more = {pieces, how},
                          .n_more = {some * (int64_t)sizeof *pieces, some * (int64_t)sizeof *how}});
    }
}

/* A device cannot run what is absent here: ig_device.lacks keeps models away from it. Arrays of
 * bfloat16 and lanes are for plans without `split`. */
const ig_exec_ops ig_exec_cuda = {
    .linear = linear,
    .layer_grad = layer_grad,
    .norm = norm,
    .norm_grad = norm_grad,
    .attention = attention,
    .attention_grad = attention_grad,
    .rotary = rotary,
    .head_norm = head_norm,
    .gate = gate,
    .gate_grad = gate,
    .embed = embed,
    .embed_grad = embed_grad,
    .xent = xent,
    .next_loss = next_loss,
    .gather_rows = gather_rows,
    .scatter_add_rows = scatter_add_rows,
    .keep_rows = keep_rows,
    .spread_rows = spread_rows,
    .multiply = multiply,
    .shift_rows = shift_rows,
    .add = add,
    .drop = drop,
    .tanh = hyperbolic,
    .tanh_grad = hyperbolic_grad,
    .mix = mix,
    .mix_grad = mix_grad,
    .mix_share = mix_share,
    .elu = elu,
    .elu_grad = elu_grad,
    .copy = copy,
    .zero = zero,
    .zero_block = zero,
    .pack = pack,
    .sum_squares = sum_squares,
    .adamw = adamw,
};
