/* SPDX-License-Identifier: Apache-2.0
 *
 * The weights of a model folder in whichever form it has them: model.safetensors, several such
 * files with an index, PyTorch's pickled files (model/torch), several of those with an index.
 */
#pragma once

#include "base/sha256.h"
#include "model/safetensors.h"

#include <stdbool.h>

/* The files, the index first; freed with ig_weights_files_free, also after an error. */
typedef struct {
    char **path;
    int n;
    bool index; /* path[0] is one */
} ig_weights_files;
/* The form that transformers would take of those that are there. None is IG_ERR_IO at
 * model.safetensors. */
ig_code ig_weights_find(ig_weights_files *f, const char *dir, ig_err *err);
void ig_weights_files_free(ig_weights_files *f);

/* All tensors, as of one file. A tensor of an index that its file does not have, a tensor in two
 * files are IG_ERR_INPUT. Closed with ig_safetensors_close. */
ig_code ig_weights_open(ig_safetensors *s, const char *dir, ig_err *err);
/* Checks a file of PyTorch's in memory, whose bytes are borrowed. */
ig_code ig_torch_parse(ig_safetensors *s, const uint8_t *data, int64_t size, const char *where,
                       ig_err *err);

/* Writes the SHA-256 of one file; of several that of the sums of each, in order. */
ig_code ig_weights_sha256(char hex[IG_SHA256_HEX], const char *dir, ig_err *err);
