/* SPDX-License-Identifier: Apache-2.0
 *
 * A device whose memory nobody reaches but its ops: pages of its own, inaccessible whenever no op
 * runs and nothing is copied out or in. Whoever follows an address of it in between is killed by
 * SIGSEGV. Ops are those of the host.
 */
#pragma once

#include "test.h"

#include "model/device/device.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARDED_BLOCKS = 1024, GUARDED_ALIGN = 2 << 20 };
static struct {
    pthread_mutex_t lock;
    struct {
        void *at; /* NULL: free */
        size_t bytes;
    } block[GUARDED_BLOCKS];
    int n_block;    /* that were ever used */
    int open;       /* ops at work */
    int64_t n_open; /* how often the memory was opened */
} guarded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void guarded_protect(int how)
{
    for (int i = 0; i < guarded.n_block; i++)
        if (guarded.block[i].at != NULL)
            assert_int_equal(mprotect(guarded.block[i].at, guarded.block[i].bytes, how), 0);
}

static inline void guarded_open(void)
{
    pthread_mutex_lock(&guarded.lock);
    if (guarded.open++ == 0)
        guarded_protect(PROT_READ | PROT_WRITE);
    guarded.n_open++;
    pthread_mutex_unlock(&guarded.lock);
}

static inline void guarded_close(void)
{
    pthread_mutex_lock(&guarded.lock);
    if (--guarded.open == 0)
        guarded_protect(PROT_NONE);
    pthread_mutex_unlock(&guarded.lock);
}

/* Whole huge pages where the system has them: their access changes at once. */
static inline ig_code guarded_alloc(void *out, int64_t count, size_t size, const char *what,
                                    ig_err *err)
{
    const size_t bytes = ((size_t)count * size / GUARDED_ALIGN + 1) * GUARDED_ALIGN;
    uint8_t *p = mmap(NULL, bytes + GUARDED_ALIGN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        memset(out, 0, sizeof(void *));
        return ig_fail(err, IG_ERR_MEMORY, what, 0, "no memory for %zu bytes", bytes);
    }
    const size_t before = (GUARDED_ALIGN - (uintptr_t)p % GUARDED_ALIGN) % GUARDED_ALIGN;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + bytes, GUARDED_ALIGN - before);
    p += before;
    madvise(p, bytes, MADV_HUGEPAGE);
    pthread_mutex_lock(&guarded.lock);
    int i = 0;
    while (i < guarded.n_block && guarded.block[i].at != NULL)
        i++;
    assert_true(i < GUARDED_BLOCKS);
    guarded.n_block = i == guarded.n_block ? i + 1 : guarded.n_block;
    guarded.block[i].at = p;
    guarded.block[i].bytes = bytes;
    if (guarded.open > 0)
        assert_int_equal(mprotect(p, bytes, PROT_READ | PROT_WRITE), 0);
    pthread_mutex_unlock(&guarded.lock);
    memcpy(out, &p, sizeof p);
    return IG_ERR_OK;
}

static inline void guarded_free(void *at)
{
    pthread_mutex_lock(&guarded.lock);
    for (int i = 0; i < guarded.n_block && at != NULL; i++)
        if (guarded.block[i].at == at) {
            munmap(at, guarded.block[i].bytes);
            guarded.block[i].at = at = NULL;
        }
    pthread_mutex_unlock(&guarded.lock);
    assert_null(at); /* a block of this device */
}

static inline void guarded_upload(void *to, const void *from, int64_t bytes)
{
    guarded_open();
    ig_device_host.upload(to, from, bytes);
    guarded_close();
}

static inline void guarded_download(void *to, const void *from, int64_t bytes)
{
    guarded_open();
    ig_device_host.download(to, from, bytes);
    guarded_close();
}

/* An op of the table: the host's, with the memory open. */
#define GUARDED_OP(op, parameters, arguments)                                                      \
    static inline void guarded_##op parameters                                                     \
    {                                                                                              \
        guarded_open();                                                                            \
        ig_exec_host.op arguments;                                                                 \
        guarded_close();                                                                           \
    }

GUARDED_OP(linear, (const ig_exec *x, const ig_gemm *g, const ig_weight *w), (x, g, w))
GUARDED_OP(layer_grad, (const ig_exec *x, const ig_layer_grad *g), (x, g))
GUARDED_OP(norm, (const ig_exec *x, const ig_norm *a), (x, a))
GUARDED_OP(norm_grad, (const ig_exec *x, const ig_norm_grad *a), (x, a))
GUARDED_OP(attention, (const ig_exec *x, const ig_attention *a), (x, a))
GUARDED_OP(attention_grad, (const ig_exec *x, const ig_attention *a), (x, a))
GUARDED_OP(rotary, (const ig_exec *x, const ig_rotary *a), (x, a))
GUARDED_OP(head_norm, (const ig_exec *x, const ig_head_norm *a), (x, a))
GUARDED_OP(gate, (const ig_exec *x, const ig_gate *a), (x, a))
GUARDED_OP(gate_grad, (const ig_exec *x, const ig_gate *a), (x, a))
GUARDED_OP(embed, (const ig_exec *x, const ig_embed *a), (x, a))
GUARDED_OP(embed_grad, (const ig_exec *x, const ig_embed_grad *a), (x, a))
GUARDED_OP(xent, (const ig_exec *x, const ig_xent *a), (x, a))
GUARDED_OP(next_loss, (const ig_exec *x, const ig_next_loss *a), (x, a))
GUARDED_OP(gather_rows,
           (const ig_exec *x, float *out, const float *v, const int32_t *row, int n, int d),
           (x, out, v, row, n, d))
GUARDED_OP(scatter_add_rows,
           (const ig_exec *x, float *v, const float *rows, const int32_t *row, int n, int d),
           (x, v, rows, row, n, d))
GUARDED_OP(keep_rows, (const ig_exec *x, float *v, const int32_t *kept, int n, int d),
           (x, v, kept, n, d))
GUARDED_OP(spread_rows, (const ig_exec *x, float *v, const int32_t *kept, int n, int d, int n_row),
           (x, v, kept, n, d, n_row))
GUARDED_OP(multiply, (const ig_exec *x, float *v, const float *by, int64_t n), (x, v, by, n))
GUARDED_OP(shift_rows, (const ig_exec *x, float *v, const float *by, int n, int d),
           (x, v, by, n, d))
GUARDED_OP(to_bf16, (const ig_exec *x, float *out, const float *v, int64_t n), (x, out, v, n))
GUARDED_OP(add, (const ig_exec *x, float *v, const float *by, int64_t n), (x, v, by, n))
GUARDED_OP(drop, (const ig_exec *x, float *v, int n, int d, const ig_dropout *drop),
           (x, v, n, d, drop))
GUARDED_OP(relu, (const ig_exec *x, float *v, int64_t n), (x, v, n))
GUARDED_OP(tanh, (const ig_exec *x, float *v, int64_t n), (x, v, n))
GUARDED_OP(tanh_grad, (const ig_exec *x, float *dv, const float *t, int64_t n), (x, dv, t, n))
GUARDED_OP(mix, (const ig_exec *x, const ig_mix *a), (x, a))
GUARDED_OP(mix_grad, (const ig_exec *x, const ig_mix *a), (x, a))
GUARDED_OP(mix_share, (const ig_exec *x, const ig_mix *a, int layer), (x, a, layer))
GUARDED_OP(crf, (const ig_exec *x, const ig_crf *a), (x, a))
GUARDED_OP(steps, (const ig_exec *x, const ig_steps *a), (x, a))
GUARDED_OP(lstm, (const ig_exec *x, const ig_lstm *a, int n), (x, a, n))
GUARDED_OP(lstm_grad, (const ig_exec *x, const ig_lstm *a, int n), (x, a, n))
GUARDED_OP(elu, (const ig_exec *x, float *v, int64_t n), (x, v, n))
GUARDED_OP(elu_grad, (const ig_exec *x, float *dv, const float *y, int64_t n), (x, dv, y, n))
GUARDED_OP(parse, (const ig_exec *x, const ig_parser *a), (x, a))
GUARDED_OP(copy, (const ig_exec *x, float *to, const float *from, int64_t n), (x, to, from, n))
GUARDED_OP(zero, (const ig_exec *x, float *v, int64_t n), (x, v, n))
GUARDED_OP(zero_block, (const ig_exec *x, float *v, int64_t n), (x, v, n))
GUARDED_OP(pack, (const ig_exec *x, ig_weight *const *w, int n), (x, w, n))
GUARDED_OP(add_lanes,
           (const ig_exec *x, float *const *gradient, int n, int64_t size, const ig_span *written,
            int n_written),
           (x, gradient, n, size, written, n_written))
GUARDED_OP(sum_squares,
           (const ig_exec *x, const float *v, const ig_span *span, int64_t n, double *sum),
           (x, v, span, n, sum))
GUARDED_OP(adamw, (const ig_exec *x, const ig_adamw_span *span, int64_t n, const ig_moments *of),
           (x, span, n, of))

static const ig_exec_ops guarded_run = {
    .linear = guarded_linear,
    .layer_grad = guarded_layer_grad,
    .norm = guarded_norm,
    .norm_grad = guarded_norm_grad,
    .attention = guarded_attention,
    .attention_grad = guarded_attention_grad,
    .rotary = guarded_rotary,
    .head_norm = guarded_head_norm,
    .gate = guarded_gate,
    .gate_grad = guarded_gate_grad,
    .embed = guarded_embed,
    .embed_grad = guarded_embed_grad,
    .xent = guarded_xent,
    .next_loss = guarded_next_loss,
    .gather_rows = guarded_gather_rows,
    .scatter_add_rows = guarded_scatter_add_rows,
    .keep_rows = guarded_keep_rows,
    .spread_rows = guarded_spread_rows,
    .multiply = guarded_multiply,
    .shift_rows = guarded_shift_rows,
    .to_bf16 = guarded_to_bf16,
    .add = guarded_add,
    .drop = guarded_drop,
    .relu = guarded_relu,
    .tanh = guarded_tanh,
    .tanh_grad = guarded_tanh_grad,
    .mix = guarded_mix,
    .mix_grad = guarded_mix_grad,
    .mix_share = guarded_mix_share,
    .crf = guarded_crf,
    .elu = guarded_elu,
    .elu_grad = guarded_elu_grad,
    .parse = guarded_parse,
    .steps = guarded_steps,
    .lstm = guarded_lstm,
    .lstm_grad = guarded_lstm_grad,
    .copy = guarded_copy,
    .zero = guarded_zero,
    .zero_block = guarded_zero_block,
    .pack = guarded_pack,
    .add_lanes = guarded_add_lanes,
    .sum_squares = guarded_sum_squares,
    .adamw = guarded_adamw,
};

static const ig_device guarded_device = {.name = "guarded",
                                         .alloc = guarded_alloc,
                                         .free = guarded_free,
                                         .upload = guarded_upload,
                                         .download = guarded_download,
                                         .run = &guarded_run,
                                         .plan = ig_plan_make};
