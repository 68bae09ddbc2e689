/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading: Clinger's fast path ("How to read floating point numbers accurately", PLDI 1990) in
 * double: at most 2^53 as an integer, times or divided by an exact power of ten, is one correctly
 * rounded double; rounding that again to float is wrong only when it lies in the middle of two
 * floats. Those, and all else that is rare, go to strtof (in the locale of C). Writing: nine digits
 * always tell two floats apart; digits are then dropped as long as the shorter number reads back
 * the same.
 */
#include "embed/vectors/decimal.h"

#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double pow10_exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Converts m · 10^e to a float; false when the fast path cannot be sure. */
static bool scale(uint64_t m, int e, float *out)
{
    uint64_t bits;
    if (m == 0) {
        *out = 0;
        return true;
    }
    if (m > (uint64_t)1 << 53 || e < -22 || e > 22)
        return false;
    double x = e < 0 ? (double)m / pow10_exact[-e] : (double)m * pow10_exact[e];
    memcpy(&bits, &x, sizeof bits);
    /* The 29 bits that a float does not have: exactly a half, or out of the normal range. */
    if ((bits & 0x1FFFFFFF) == 0x10000000 || x < (double)FLT_MIN || x > (double)FLT_MAX)
        return false;
    *out = (float)x;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ig_decimal_read(const char **p, float *out)
{
    const char *s = *p;
    bool minus = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    uint64_t m = 0;
    int n_digit = 0, n_used = 0, e = 0;
    for (; is_digit(*s); s++, n_digit++) {
        m = m * 10 + (uint64_t)(*s - '0');
        n_used += m > 0;
    }
    if (*s == '.') {
        const char *from = ++s;
        for (; is_digit(*s); s++, n_digit++) {
            m = m * 10 + (uint64_t)(*s - '0');
            n_used += m > 0;
        }
        e = s - from < 1000 ? -(int)(s - from) : -1000;
    }
    if (n_digit == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        const char *q = s + 1;
        bool down = *q == '-';
        if (*q == '-' || *q == '+')
            q++;
        if (!is_digit(*q))
            return false;
        int x = 0;
        for (; is_digit(*q); q++)
            x = x < 10000 ? x * 10 + (*q - '0') : x;
        e += down ? -x : x;
        s = q;
    }
    /* 19 digits always fit 64 bits; with more, m has wrapped. */
    if (n_used > 19 || !scale(m, e, out))
        *out = ig_number_float(*p);
    else if (minus)
        *out = -*out;
    *p = s;
    return true;
}

/* Gives the nine leading digits of x > 0 as an integer, and the exponent of the last; false where
 * the powers of ten are not exact. */
static bool nine_digits(double x, uint64_t *m, int *e)
{
    *e = (int)floor(log10(x)) - 8;
    if (*e < -22 || *e > 22)
        return false;
    double scaled = *e < 0 ? x * pow10_exact[-*e] : x / pow10_exact[*e];
    *m = (uint64_t)(scaled + 0.5);
    if (*m >= 1000000000) {
        *m = (*m + 5) / 10;
        *e += 1;
    }
    return *m >= 100000000;
}

/* Writes "ddd.ddd" from n digits, the last of which has the exponent e. */
static int place(char *to, const char *digit, int n, int e)
{
    char *p = to;
    int whole = n + e; /* digits before the point */
    if (whole <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = whole; i < 0; i++)
            *p++ = '0';
        memcpy(p, digit, (size_t)n);
        p += n;
    } else if (e >= 0) {
        memcpy(p, digit, (size_t)n);
        p += n;
        for (int i = 0; i < e; i++)
            *p++ = '0';
    } else {
        memcpy(p, digit, (size_t)whole);
        p += whole;
        *p++ = '.';
        memcpy(p, digit + whole, (size_t)(n - whole));
        p += n - whole;
    }
    return (int)(p - to);
}

static int write_rare(char *to, float x)
{
    IG_PLAIN_NUMBERS;
    return snprintf(to, IG_DECIMAL_MAX - 1, "%.9g", (double)x);
}

int ig_decimal_write(char *to, float value)
{
    char digit[16];
    uint64_t m;
    int e, sign = signbit(value) != 0;
    float back, x = fabsf(value);
    if (sign)
        *to++ = '-';
    if (!(x > 0)) {
        *to = '0';
        return sign + 1;
    }
    if (!nine_digits((double)x, &m, &e) || e > 0 || e < -14 || !scale(m, e, &back) || back != x)
        return sign + write_rare(to, x);
    for (;;) {
        uint64_t shorter = (m + 5) / 10;
        if (m < 10 || !scale(shorter, e + 1, &back) || back != x)
            break;
        m = shorter;
        e++;
    }
    int n = 0;
    for (uint64_t r = m; r > 0; r /= 10)
        n++;
    for (int i = n - 1; i >= 0; i--, m /= 10)
        digit[i] = (char)('0' + m % 10);
    return sign + place(to, digit, n, e);
}
