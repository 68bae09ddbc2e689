/* SPDX-License-Identifier: Apache-2.0
 *
 * The speed of training: whole updates (forward, backward, clipping, AdamW), against the rate of
 * the best large matrix product on this machine, measured in turns with them in the same run.
 */
#pragma once

#include "bench/bench_batches.h"
#include "bench/op_profile.h"
#include "model/engine/engine.h"

typedef struct {
    ig_bert_config model;
    ig_head_kind head; /* that the batches have targets for */
    int n_thread;      /* 0: all */
    int n_update;      /* timed, after two that are not */
    int n_round;       /* the product's rate is measured between rounds of updates */
    bool busy_time;    /* processor time of the process over threads, instead of wall time: on a
                        * machine where other programs run */
    int freeze;        /* the embeddings and this many of the lowest layers are not trained; 0: all
                        * is */
    bool profile;
    ig_precision precision;
    const char *program; /* isoglot-bench, to measure the BLAS in a process */
} ig_bench_train_options;

/* Where the time of the ops goes, in shares of it, and what efficiency would be if every product
 * ran at the rate of the large ones: what no kernel of products can exceed. */
typedef struct {
    double products;  /* at that rate */
    double small;     /* more, in products without an epilogue: small K, copies of operands */
    double epilogues; /* more, in those with one */
    double packing, other;
    double efficiency;
} ig_bench_bound;

enum { IG_BENCH_MAX_OP = 32 };
typedef struct {
    double tokens_per_second;
    double model_gflops; /* of real tokens */
    double gemm_gflops;  /* all threads, the fastest kernel at hand for this precision */
    char gemm_kernel[40];
    double efficiency;
    double seconds_per_update, optimizer_share;
    double loss; /* of the last update, per prediction */
    int n_thread;
    int64_t peak_memory;
    int shard_tokens, n_shard, n_lane; /* of the first batch */
    bool team;
    const char *ops;
    int n_op;
    ig_op_time op[IG_BENCH_MAX_OP]; /* with profile */
    ig_bench_bound bound;           /* with profile */
} ig_bench_train_result;

ig_code ig_bench_train(ig_bench_train_result *out, const ig_bench_train_options *o,
                       const ig_bench_batches *batches, ig_err *err);
