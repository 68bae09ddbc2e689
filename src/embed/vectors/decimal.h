/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts float32 to decimal text and back, exactly, in the C locale.
 */
#pragma once

#include <stdbool.h>

/* Reads [+-] digits [. digits] [e [+-] digits] at *p, correctly rounded, and moves *p past it.
 * False: there is no number (*p stays). Too large: infinity. The text must be followed by a byte
 * that ends the number (a space, an LF, NUL), which is read. */
bool ig_decimal_read(const char **p, float *out);

/* Writes a finite value with as few digits (at most 9) as read back to it; returns the bytes
 * written, without a NUL. `to` has at least IG_DECIMAL_MAX bytes. */
enum { IG_DECIMAL_MAX = 24 };
int ig_decimal_write(char *to, float value);
