/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors: 8 bytes with the length of a JSON header, the header, then the tensors' bytes, all
 * little-endian (https://github.com/huggingface/safetensors#format). The reader trusts nothing:
 * every number in the header is checked against the file before it is used.
 */
#pragma once

#include "base/file.h"

enum { IG_SAFETENSORS_MAX_DIM = 8 };

typedef struct {
    char *name;
    char dtype[12]; /* "F32", "F16", "BF16", "I64", … */
    int n_dim;
    int64_t shape[IG_SAFETENSORS_MAX_DIM];
    int64_t count;       /* product of shape */
    const uint8_t *data; /* into the file; not aligned */
    int64_t size;        /* bytes */
} ig_safetensor;

typedef struct ig_safetensors {
    ig_map map;
    ig_safetensor *tensors; /* sorted by name (bytes) */
    int n;
    char where[256]; /* the path, for messages */
    char model[65];  /* "isoglot.model" of the metadata: the model that the tensors come from; "":
                      * not given */
    struct json_t *metadata;     /* NULL: none */
    struct ig_safetensors *part; /* [n_part] files whose tensors these are (model/weight_files.h) */
    int n_part;
    void **owned; /* [n_owned] bytes of tensors that are in none as they are */
    int n_owned;
    int64_t have_owned;
} ig_safetensors;

/* Maps and checks a file. Refused: header longer than the file or than 100 MB, not a JSON object,
 * duplicate names, unknown types, sizes that overflow or differ from the shape's, tensors that
 * overlap, leave holes or end beyond the file. */
ig_code ig_safetensors_open(ig_safetensors *s, const char *path, ig_err *err);
/* Checks `size` borrowed bytes in the same way. */
ig_code ig_safetensors_parse(ig_safetensors *s, const uint8_t *data, int64_t size,
                             const char *where, ig_err *err);
void ig_safetensors_close(ig_safetensors *s);
/* Tensors that another reader made, by name. */
void ig_safetensors_sort(ig_safetensors *s);
const ig_safetensor *ig_safetensors_find(const ig_safetensors *s, const char *name);

/* Converts F32, F16, BF16 or F64 to float; out[t->count]. Other types are IG_ERR_INPUT. */
ig_code ig_safetensors_read(const ig_safetensors *s, const ig_safetensor *t, float *out,
                            ig_err *err);

/* A float32 tensor to be written; rows × cols, or a vector when cols is 0. */
typedef struct {
    const char *name;
    const float *data; /* NULL: it is copied out when its turn comes */
    int64_t rows, cols;
} ig_tensor_out;

/* Source of tensors without data: gives the numbers of the i-th. */
typedef struct {
    void (*get)(const void *from, int i, float *out);
    const void *from;
} ig_tensor_source;

/* Writes them in the order given, atomically, with {"format": "pt"} as transformers requires.
 * `source` may be NULL where all have data. *hash (may be NULL) gets ig_hash of the tensors' bytes,
 * chained in that order from 0. */
ig_code ig_safetensors_write(const char *path, const ig_tensor_out *tensors, int n,
                             const ig_tensor_source *source, uint64_t *hash, ig_err *err);
/* Writes them with "isoglot.model" in the metadata, too. */
ig_code ig_safetensors_write_of(const char *model, const char *path, const ig_tensor_out *tensors,
                                int n, const ig_tensor_source *source, ig_err *err);
