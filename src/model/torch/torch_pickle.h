/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the pickle of a state dict, a dict from names to tensors. A pickle is a program for a stack
 * machine; this machine knows the opcodes that a state dict needs and calls nothing: the only
 * callables are those that rebuild a tensor, a parameter and an OrderedDict, as data. Whatever else
 * it meets is refused by name. Python's module pickletools documents the opcodes, torch._utils and
 * torch.serialization the callables.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_TORCH_MAX_DIM = 8 };

typedef struct {
    const char *name; /* into the pickle, n_name bytes, no NUL */
    int64_t n_name;
    const char *dtype; /* as safetensors calls it */
    int item;          /* bytes of a number */
    const char *key;   /* of its storage, n_key bytes */
    int64_t n_key;
    int64_t n_storage, offset; /* numbers of the storage; the first of the tensor */
    int n_dim;
    int64_t shape[IG_TORCH_MAX_DIM], stride[IG_TORCH_MAX_DIM];
    int64_t count; /* product of shape */
} ig_torch_tensor;

typedef struct {
    ig_torch_tensor *tensor;
    int n;
} ig_torch_tensors;

/* A tensor's numbers are within its storage, and not more than it has. Another object than a dict
 * of tensors, an unknown opcode or callable, a name twice are IG_ERR_INPUT. Freed with
 * ig_torch_tensors_free, also after an error. */
ig_code ig_torch_pickle_parse(ig_torch_tensors *t, const uint8_t *data, int64_t size,
                              const char *where, ig_err *err);
void ig_torch_tensors_free(ig_torch_tensors *t);
