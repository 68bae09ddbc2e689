/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as text: read and written with a point, whatever locale the program has set that the
 * library runs in. strtod and printf follow LC_NUMERIC, and so does jansson; every public function
 * that reads or writes numbers, and every thread of a team, begins with IG_PLAIN_NUMBERS.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

/* The locale of this thread until ig_locale_leave is that of C. */
locale_t ig_locale_enter(void);
void ig_locale_leave(locale_t *was);
/* At the beginning of a block: until its end. */
#define IG_PLAIN_NUMBERS                                                                           \
    locale_t ig_was __attribute__((cleanup(ig_locale_leave), unused)) = ig_locale_enter()

/* A decimal number at the beginning of the text: digits with a point or an exponent, a sign before
 * them. No blanks, no hexadecimal, inf or nan, nothing that a double cannot hold, no 1e-400 that
 * would become 0; else nothing is written. *end (may be NULL): behind it. */
bool ig_number_parse(double *x, const char *text, const char **end);
/* The whole text is such a number. */
bool ig_number_read(double *x, const char *text);
/* The nearest float of a number that is known to be one: underflow gives 0, overflow inf. */
float ig_number_float(const char *text);
/* With as few digits as read back the same; of an integer below 1e15 all of them. "" unless x is
 * finite. */
void ig_number_print(char *out, size_t size, double x);
/* The double whose shortest decimal is that of x. */
double ig_number_of_float(float x);
