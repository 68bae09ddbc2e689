/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes numbers in the C locale. uselocale (POSIX.1-2008) applies to a thread, and so
 * leaves the program's locale alone; strtod, printf and localeconv, which jansson calls, follow
 * it.
 */
#include "base/number_text.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* glibc and musl provide it without allocating; elsewhere, without memory, the program's own locale
 * stays. */
static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t ig_locale_enter(void)
{
    pthread_once(&once, make_plain);
    return plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
}

void ig_locale_leave(locale_t *was)
{
    if (*was != (locale_t)0)
        uselocale(*was);
}

static const char *digits(const char *p)
{
    return p + strspn(p, "0123456789");
}

bool ig_number_parse(double *x, const char *text, const char **end)
{
    IG_PLAIN_NUMBERS;
    const char *from = text + (*text == '-' || *text == '+'), *p = digits(from);
    size_t n = (size_t)(p - from);
    if (*p == '.') {
        const char *after = digits(p + 1);
        n += (size_t)(after - p - 1);
        p = after;
    }
    /* strtod would accept 0x10. */
    if (n == 0 || *p == 'x' || *p == 'X')
        return false;
    const bool zero = strspn(from, "0.") == (size_t)(p - from);
    if (*p == 'e' || *p == 'E') {
        const char *power = p + 1 + (p[1] == '-' || p[1] == '+');
        if (digits(power) > power)
            p = digits(power);
    }
    const double v = strtod(text, NULL);
    if (!isfinite(v) || (!zero && !(fabs(v) > 0)))
        return false;
    *x = v;
    if (end != NULL)
        *end = p;
    return true;
}

bool ig_number_read(double *x, const char *text)
{
    const char *end;
    return ig_number_parse(x, text, &end) && *end == '\0';
}

float ig_number_float(const char *text)
{
    IG_PLAIN_NUMBERS;
    return strtof(text, NULL);
}

void ig_number_print(char *out, size_t size, double x)
{
    IG_PLAIN_NUMBERS;
    if (size > 0)
        out[0] = '\0';
    if (!isfinite(x))
        return;
    if (fabs(x) < 1e15 && x == (double)(int64_t)x) {
        snprintf(out, size, "%.0f", x);
        return;
    }
    for (int n = 1; n <= 17; n++) {
        snprintf(out, size, "%.*g", n, x);
        if (strtod(out, NULL) == x)
            return;
    }
}

double ig_number_of_float(float x)
{
    IG_PLAIN_NUMBERS;
    char text[40];
    for (int n = 6; n <= 9; n++) {
        snprintf(text, sizeof text, "%.*g", n, (double)x);
        if (strtof(text, NULL) == x)
            break;
    }
    return strtod(text, NULL);
}
