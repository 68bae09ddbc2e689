/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives the device what a GPU does: memory, copies, and runs of kernels. The program reaches it
 * through this table alone, which a module gives that is loaded when a GPU is requested: that for
 * CUDA (module.cu), or the emulation of the tests, which compiles the same kernels for the host.
 */
#pragma once

#include "model/device/cuda/kernel_args.h"

#include <stdint.h>

/* X(kernel, threads of a block). A kernel is right for any number; sums of threads depend on it. */
#define IG_CUDA_KERNELS(X)                                                                         \
    X(product, 256)                                                                                \
    X(epilogue, 256)                                                                               \
    X(norm, 64)                                                                                    \
    X(norm_grad, 64)                                                                               \
    X(norm_parts, 128)                                                                             \
    X(column_parts, 128)                                                                           \
    X(add_parts, 256)                                                                              \
    X(attention, 128)                                                                              \
    X(attention_grad, 128)                                                                         \
    X(distance_grad, 64)                                                                           \
    X(rotary, 256)                                                                                 \
    X(head_norm, 256)                                                                              \
    X(gate, 256)                                                                                   \
    X(embed, 256)                                                                                  \
    X(embed_grad, 128)                                                                             \
    X(xent, 256)                                                                                   \
    X(next_loss, 256)                                                                              \
    X(drop, 256)                                                                                   \
    X(gather, 256)                                                                                 \
    X(scatter_add, 256)                                                                            \
    X(spread, 256)                                                                                 \
    X(mix, 256)                                                                                    \
    X(mix_grad, 256)                                                                               \
    X(each, 256)                                                                                   \
    X(upload, 256)                                                                                 \
    X(square_parts, 256)                                                                           \
    X(square_sums, 32)                                                                             \
    X(adamw, 256)

enum {
#define IG_CUDA_ID(name, threads) IG_CUDA_##name,
    IG_CUDA_KERNELS(IG_CUDA_ID)
#undef IG_CUDA_ID
        IG_CUDA_large_product, /* an ig_gemm by the vendor's library, or by the kernel */
    IG_CUDA_N_KERNEL
};

/* A kernel over replicas. Replica y reads its arguments at the y-th of the offsets that stand at
 * `table` in the block of arguments; it has n_block blocks of n_thread threads, or fewer: a kernel
 * knows from its arguments how many it has, so that its bits are the same in any company. */
typedef struct {
    int32_t kernel, n_block, n_thread, n_replica;
    int64_t table;
} ig_cuda_launch;

typedef struct ig_cuda_driver {
    char name[128];                    /* of the card */
    char runtime[64];                  /* and of what runs it */
    int64_t (*memory)(int64_t *total); /* free bytes, and all of them */
    void *(*alloc)(int64_t bytes);     /* NULL: not enough; the content is undefined */
    void (*free)(void *block);
    void (*clear)(void *block, int64_t bytes);
    /* The next two wait for all runs before. */
    void (*upload)(void *to, const void *from, int64_t bytes);
    void (*download)(void *to, const void *from, int64_t bytes);
    /* Copies the block of arguments to the device and runs n launches in order. */
    void (*run)(const void *args, int64_t bytes, const ig_cuda_launch *launch, int64_t n);
    const char *(*failure)(void); /* the first one, or NULL */
} ig_cuda_driver;

/* A module exports it as "ig_cuda_open": NULL, with *why, where card i cannot be used. */
typedef const ig_cuda_driver *ig_cuda_open_fn(int card, const char **why);
/* Changes with the arguments of kernels; a module exports it as "ig_cuda_layout". */
#define IG_CUDA_LAYOUT                                                                             \
    ((int64_t)(IG_CUDA_N_KERNEL + 100 * sizeof(ig_gemm) + 3000 * sizeof(ig_norm) +                 \
               500000 * sizeof(ig_norm_grad) + 70000000 * sizeof(ig_attention) +                   \
               9000000000 * sizeof(ig_cuda_driver)))
