/* SPDX-License-Identifier: Apache-2.0
 *
 * The ops as kernels of a GPU, each put into the queue of the calling thread (queue.h).
 */
#pragma once

#include "model/device/exec.h"

extern const ig_exec_ops ig_exec_cuda;

/* The product that layers are made of. Only `layer_grad` may cut k into parts: an element of any
 * other product is one chain. */
void ig_cuda_gemm(const ig_exec *x, const ig_gemm *g, bool parts);
