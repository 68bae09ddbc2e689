/* SPDX-License-Identifier: Apache-2.0
 *
 * Ops wait in a queue until somebody needs a number: then they run as kernels in their order.
 * Trainings that are replicas of each other run in threads of their own, each with its queue; where
 * all of them wait, their queues run together: kernels that come up in several at once are one
 * launch. A kernel's blocks see one replica alone, so that its bits are the same in any company.
 */
#pragma once

#include "isoglot/error.h"
#include "model/device/cuda/driver.h"

#include <signal.h>
#include <stdint.h>

/* The driver of everything below; NULL: none. Nothing may wait in a queue. */
void ig_cuda_use(const ig_cuda_driver *driver);
const ig_cuda_driver *ig_cuda_in_use(void);

/* An op of the calling thread's queue: a kernel of n_block blocks (0: nothing happens), with the
 * usual number of threads or n_thread; its arguments, and bytes that follow them. */
typedef struct {
    int kernel, n_thread;
    int64_t n_block;
    const void *args;
    int64_t n_args;
    const void *more[2];
    int64_t n_more[2]; /* the first a multiple of 8 */
} ig_cuda_op;
void ig_cuda_put(const ig_cuda_op *op);

/* At least n floats that the next kernels of this queue may use; undefined. NULL: no memory, which
 * ig_cuda_check reports. */
float *ig_cuda_room(int64_t n);

/* Memory of the device. */
void *ig_cuda_alloc(int64_t bytes); /* zeroed; NULL: there is not enough */
void ig_cuda_free(void *block);
void ig_cuda_upload(void *to, const void *from, int64_t bytes);
/* Runs what waits; then copies. */
void ig_cuda_download(void *to, const void *from, int64_t bytes);
/* As ig_device.reserve (model/device/device.h). ig_cuda_leave gives it back. */
ig_code ig_cuda_reserve(int64_t bytes, const volatile sig_atomic_t *stop, ig_err *err);
/* IG_ERR_DEVICE, IG_ERR_MEMORY: something went wrong since the driver was set. */
ig_code ig_cuda_check(ig_err *err);

/* The calling thread becomes one of the replicas, or is none any more. */
ig_code ig_cuda_join(ig_err *err);
void ig_cuda_leave(void);

/* Launches since the driver was set, and the kernels that were in them. */
typedef struct {
    int64_t n_launch, n_kernel;
} ig_cuda_counts;
ig_cuda_counts ig_cuda_count(void);
