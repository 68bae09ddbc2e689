/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4), by libcrypto: addresses of runs and data, checks of downloads.
 * Fingerprints inside one file format use ig_hash (base/file.h).
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

enum { IG_SHA256_HEX = 65 }; /* 64 lower-case hexadecimal digits and NUL */

/* Hashes a message given in parts; one message at a time for each object. */
typedef struct ig_sha256 ig_sha256;
ig_code ig_sha256_new(ig_sha256 **s, ig_err *err);
ig_code ig_sha256_add(ig_sha256 *s, const void *data, int64_t size, ig_err *err);
/* Writes the digest and frees s; hex may be NULL to cancel. Accepts NULL. */
ig_code ig_sha256_end(ig_sha256 *s, char hex[IG_SHA256_HEX], ig_err *err);

/* Hash bytes in memory, and a whole file as stored (IG_ERR_IO names it). */
ig_code ig_sha256_of(char hex[IG_SHA256_HEX], const void *data, int64_t size, ig_err *err);
ig_code ig_sha256_file(char hex[IG_SHA256_HEX], const char *path, ig_err *err);
