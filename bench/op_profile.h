/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time goes: a table that calls another one and adds up the time of each op, by thread
 * and then by op. For benchmarks only; costs two clock readings a call.
 */
#pragma once

#include "tensor/ops.h"

typedef struct {
    const char *name; /* op; products are told apart by what they are for */
    int64_t n_call;
    double seconds; /* summed over threads */
} ig_op_time;

/* The table that measures `inner`. One at a time in a process; starts from zero. */
const ig_ops *ig_op_profile_begin(const ig_ops *inner);
/* The i-th op's time so far; false past the last. Not while ops run. */
bool ig_op_profile_get(int i, ig_op_time *out);
void ig_op_profile_clear(void);
