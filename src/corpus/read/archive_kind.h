/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives of several files, which are not read as text.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* IG_ERR_INPUT if data that begins with these n bytes (decompressed; 512 are enough) is a tar, zip
 * or 7-Zip archive. Text is never mistaken for one: it has no NUL, and none of the control
 * characters of the marks. */
ig_code ig_not_an_archive(const void *data, int64_t n, const char *where, ig_err *err);
