/* SPDX-License-Identifier: Apache-2.0
 *
 * float32 as decimal text, both ways, exact, in the C locale.
 */
#pragma once

#include <stdbool.h>

/* Reads [+-] digits [. digits] [e [+-] digits] at *p, correctly rounded, and moves *p behind it.
 * False: there is no number (*p stays). Too large: infinity. The text must be followed by a byte
 * that ends the number (a space, an LF, NUL): it is looked at. */
bool ig_decimal_read(const char **p, float *out);

/* Writes a finite value with as few digits (at most 9) as read back to it; returns the bytes
 * written, without a NUL. `to` has room for IG_DECIMAL_MAX. */
enum { IG_DECIMAL_MAX = 24 };
int ig_decimal_write(char *to, float value);
