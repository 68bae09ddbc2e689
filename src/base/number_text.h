/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as text, with a decimal point regardless of the locale of the program that uses the
 * library. strtod and printf follow LC_NUMERIC, and so does jansson; every public function that
 * reads or writes numbers, and every thread of a team, begins with IG_PLAIN_NUMBERS.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets the locale of this thread to C until ig_locale_leave. */
locale_t ig_locale_enter(void);
void ig_locale_leave(locale_t *was);
/* Sets it to the end of the current block. */
#define IG_PLAIN_NUMBERS                                                                           \
    locale_t ig_was __attribute__((cleanup(ig_locale_leave), unused)) = ig_locale_enter()

/* Reads a decimal number at the beginning of the text: digits with a point or an exponent,
 * optionally a sign before them. Blanks, hexadecimal numbers, inf, nan and numbers outside the
 * range of a double (also 1e-400, which would become 0) are refused, and nothing is written. *end
 * (may be NULL): the position after it. */
bool ig_number_parse(double *x, const char *text, const char **end);
/* Reads a text that is such a number. */
bool ig_number_read(double *x, const char *text);
/* Returns the nearest float of a text known to be a number: underflow gives 0, overflow inf. */
float ig_number_float(const char *text);
/* Prints as few digits as read back the same; all of them for an integer below 1e15. "" unless x is
 * finite. */
void ig_number_print(char *out, size_t size, double x);
/* Returns the double whose shortest decimal is that of x. */
double ig_number_of_float(float x);
