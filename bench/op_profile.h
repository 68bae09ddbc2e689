/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures where the time goes: a table that calls another one and adds up the time of each op, by
 * thread and then by op. For benchmarks only; costs two clock readings a call.
 */
#pragma once

#include "tensor/ops.h"

typedef struct {
    const char *name; /* op; products are distinguished by their purpose */
    int64_t n_call;
    double seconds; /* summed over threads */
} ig_op_time;

/* Returns the table that measures `inner`. One at a time in a process; starts from zero. */
const ig_ops *ig_op_profile_begin(const ig_ops *inner);
/* Gives the i-th op's time so far; false past the last. Must not be called while ops run. */
bool ig_op_profile_get(int i, ig_op_time *out);
void ig_op_profile_clear(void);
