/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a whole file, decompressed where it is compressed (gzip, bzip2, xz, zstd: told from
 * the first bytes, not from the name).
 */
#pragma once

#include "base/file.h"
#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    const uint8_t *data; /* [size] */
    int64_t size;
    ig_map map; /* of a file that is not compressed */
    char *own;  /* what a compressed one holds, in memory */
} ig_whole;

/* Zeroed after an error; closed with ig_whole_close. Damaged or cut compression is
 * IG_ERR_INPUT. */
ig_code ig_whole_open(ig_whole *out, const char *path, ig_err *err);
void ig_whole_close(ig_whole *w);
