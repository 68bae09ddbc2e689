/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulated GPU's kernels as a table of ops, so that the tests of tables test them, too.
 */
#include "emulated.h"

#include "model/device/cuda/exec_cuda.h"
#include "model/device/cuda/queue.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ig_exec *exec(void)
{
    static ig_exec x;
    x = (ig_exec){.run = &ig_exec_cuda, .ops = ig_ops_ref()};
    return &x;
}

/* Runs what has been put. */
static void finish(void)
{
    static char from[1];
    char to[1];
    ig_cuda_download(to, from, 1);
}

static void product(const ig_exec *x, const ig_gemm *g)
{
    ig_gemm one = *g;
    if (g->b_form == IG_B_PACKED) { /* by ref */
        one.b_form = IG_B_COLS;
        one.ldb = g->k;
    }
    ig_cuda_gemm(x, &one, false);
    finish();
}

static void gemm(const ig_gemm *g, ig_scratch *s)
{
    (void)s;
    product(exec(), g);
}

static void gemm_rounded(const ig_gemm *g, ig_scratch *s)
{
    const ig_exec x = {.run = &ig_exec_cuda, .ops = ig_ops_bfloat16()};
    (void)s;
    product(&x, g);
}

static void norm(const ig_norm *a)
{
    ig_exec_cuda.norm(exec(), a);
    finish();
}

static void norm_grad(const ig_norm_grad *a, ig_scratch *s)
{
    (void)s;
    ig_exec_cuda.norm_grad(exec(), a);
    finish();
}

static void with_room(const ig_attention *a, void (*op)(const ig_exec *x, const ig_attention *a))
{
    ig_attention one = *a;
    one.room = malloc(((size_t)ig_attention_size(a->seq_start, a->n_seq, a->n_head) + 1) *
                      sizeof *one.room);
    op(exec(), &one);
    finish();
    free(one.room);
}

static void attention(const ig_attention *a, ig_scratch *s)
{
    (void)s;
    with_room(a, ig_exec_cuda.attention);
}

static void attention_grad(const ig_attention *a, ig_scratch *s)
{
    (void)s;
    with_room(a, ig_exec_cuda.attention_grad);
}

/* The ops that are called with an exec and their arguments. */
#define SAME(op, type)                                                                             \
    static void op(const type *a)                                                                  \
    {                                                                                              \
        ig_exec_cuda.op(exec(), a);                                                                \
        finish();                                                                                  \
    }
SAME(rotary, ig_rotary)
SAME(head_norm, ig_head_norm)
SAME(gate, ig_gate)
SAME(gate_grad, ig_gate)
SAME(embed, ig_embed)
SAME(xent, ig_xent)

static int rows_of(const int32_t *id, int n)
{
    int most = 0;
    for (int i = 0; id != NULL && i < n; i++)
        most = id[i] + 1 > most ? id[i] + 1 : most;
    return most;
}

static void embed_grad(const ig_embed_grad *a)
{
    ig_embed_grad one = *a;
    one.n_word = rows_of(a->id, a->n);
    one.n_position = rows_of(a->pos, a->n);
    one.n_segment = rows_of(a->seg, a->n);
    ig_exec_cuda.embed_grad(exec(), &one);
    finish();
}

static void drop(float *x, int n, int d, const ig_dropout *how)
{
    ig_exec_cuda.drop(exec(), x, n, d, how);
    finish();
}

static void column_sum(float *out, const float *x, int m, int n, int ld)
{
    ig_exec_cuda.layer_grad(exec(),
                            &(ig_layer_grad){.db = out, .m = n, .k = m, .dy = x, .ld_dy = ld});
    finish();
}

static void gather_rows(float *out, const float *x, const int32_t *row, int n, int d)
{
    ig_exec_cuda.gather_rows(exec(), out, x, row, n, d);
    finish();
}

static void scatter_add_rows(float *x, const float *rows, const int32_t *row, int n, int d)
{
    ig_exec_cuda.scatter_add_rows(exec(), x, rows, row, n, d);
    finish();
}

static void add(float *to, const float *from, int64_t n)
{
    ig_exec_cuda.add(exec(), to, from, n);
    finish();
}

static double sum_squares(const float *x, int64_t n)
{
    double sum = 0;
    ig_exec_cuda.sum_squares(exec(), x, &(ig_span){0, n}, 1, &sum);
    return sum;
}

static void adamw(const ig_adamw *a, float *p, const float *g, float *m, float *v, int64_t n)
{
    ig_exec_cuda.adamw(exec(), &(ig_adamw_span){{0, n}, a}, 1, &(ig_moments){p, g, m, v});
    finish();
}

const ig_cuda_driver *tested_driver(int threads)
{
    static const ig_cuda_driver *card;
    const char *number = getenv("ISOGLOT_TEST_CARD"), *path = getenv("ISOGLOT_CUDA_MODULE"), *why;
    if (number == NULL || path == NULL)
        return emulated_driver(threads);
    if (card == NULL) {
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL),
             *address = module != NULL ? dlsym(module, "ig_cuda_open") : NULL;
        ig_cuda_open_fn *open;
        memcpy(&open, &address, sizeof open);
        card = address != NULL ? open(atoi(number), &why) : NULL;
        if (card == NULL) {
            fprintf(stderr, "%s: %s\n", path, address != NULL ? why : dlerror());
            abort();
        }
    }
    return card;
}

const ig_ops *emulated_ops(int threads)
{
    static ig_ops table;
    table = *ig_ops_ref(); /* and its LSTM, which no GPU has */
    table.name = threads == 1 ? "emulated" : "emulated by threads";
    table.gemm = gemm;
    table.gemm_sparse = NULL;
    table.norm = norm;
    table.norm_grad = norm_grad;
    table.attention = attention;
    table.attention_grad = attention_grad;
    table.rotary = rotary;
    table.head_norm = head_norm;
    table.gate = gate;
    table.gate_grad = gate_grad;
    table.embed = embed;
    table.embed_grad = embed_grad;
    table.drop = drop;
    table.column_sum = column_sum;
    table.softmax_xent = xent;
    table.gather_rows = gather_rows;
    table.scatter_add_rows = scatter_add_rows;
    table.add = add;
    table.sum_squares = sum_squares;
    table.adamw = adamw;
    ig_cuda_use(emulated_driver(threads));
    return &table;
}

bool emulated_is(const ig_ops *t)
{
    return strncmp(t->name, "emulated", 8) == 0;
}

const ig_ops *emulated_rounded(const ig_ops *t)
{
    static ig_ops table;
    table = *t;
    table.gemm = gemm_rounded;
    return &table;
}
