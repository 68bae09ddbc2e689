/* SPDX-License-Identifier: Apache-2.0
 *
 * The directory of a zip file whose members are stored as they are, as PyTorch writes its files
 * since 1.6 (PKWARE's APPNOTE 6.3.9, 4.3 and 4.5.3). Nothing is trusted: every offset is checked
 * against the file.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name; /* into the file, n_name bytes, no NUL */
    int64_t n_name;
    const uint8_t *data; /* into the file */
    int64_t size;
} ig_zip_member;

typedef struct {
    ig_zip_member *member; /* in the order of the directory */
    int64_t n;
} ig_zip;

/* Compressed or encrypted members, several disks, and members beyond the file are IG_ERR_INPUT.
 * Freed with ig_zip_free, also after an error. */
ig_code ig_zip_parse(ig_zip *z, const uint8_t *data, int64_t size, const char *where, ig_err *err);
void ig_zip_free(ig_zip *z);
/* The member of that name, `folder` of n bytes in front; NULL: none. */
const ig_zip_member *ig_zip_find(const ig_zip *z, const char *folder, int64_t n, const char *name);
