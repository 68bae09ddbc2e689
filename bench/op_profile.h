/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures where the time goes: a table that calls another one and adds up the time of each op, by
 * thread and then by op. For benchmarks only; costs two clock readings a call.
 */
#pragma once

#include "tensor/ops.h"

typedef enum {
    IG_OP_OTHER,
    IG_OP_PACK, /* weights are copied for products */
    IG_OP_PRODUCT,
    IG_OP_PRODUCT_EPILOGUE /* with an activation or its slope */
} ig_op_kind;

typedef struct {
    const char *name; /* op; products are distinguished by their purpose */
    ig_op_kind kind;
    int64_t n_call;
    double seconds; /* summed over threads */
    double flop;    /* of products */
} ig_op_time;

/* Returns the table that measures `inner`. One at a time in a process; starts from zero. busy_time:
 * processor time of the thread, a system call each, instead of wall time. */
const ig_ops *ig_op_profile_begin(const ig_ops *inner, bool busy_time);
/* Gives the i-th op's time so far; false past the last. Must not be called while ops run. */
bool ig_op_profile_get(int i, ig_op_time *out);
void ig_op_profile_clear(void);
