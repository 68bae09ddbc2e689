/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a whole file, decompressed if necessary (gzip, bzip2, xz, zstd: recognised by the
 * first bytes, not by the name).
 */
#pragma once

#include "base/file.h"
#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    const uint8_t *data; /* [size] */
    int64_t size;
    ig_map map; /* of an uncompressed file */
    char *own;  /* the decompressed content of a compressed one */
} ig_whole;

/* Zeroed after an error; closed with ig_whole_close. Damaged or truncated compression is
 * IG_ERR_INPUT. */
ig_code ig_whole_open(ig_whole *out, const char *path, ig_err *err);
void ig_whole_close(ig_whole *w);
/* Returns whether a file begins as a compressed one does. */
bool ig_is_compressed(const ig_map *m);
