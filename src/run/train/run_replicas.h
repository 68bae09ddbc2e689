/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs that differ in their seed alone, trained together on a GPU.
 */
#pragma once

#include "run/train/run_train.h"

/* Trains c->replicas runs, the i-th with seed c->seed + i in the folder c->out/SEED, each in a
 * thread of its own; their kernels share launches where they agree (model/device/cuda/queue.h), and
 * each comes to the bits that it has alone. r [replicas], each freed by the caller, too after an
 * error: the first that there was. IG_ERR_USAGE: the device is the CPU, which gains nothing. */
ig_code ig_run_replicas(const ig_run_config *c, const volatile sig_atomic_t *stop, ig_run_result *r,
                        ig_err *err);
