/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses and prints durations.
 */
#include "base/strings/time_text.h"

#include "base/number_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double seconds;
} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}};
enum { N_UNIT = (int)(sizeof units / sizeof *units) };

static ig_code bad(const char *text, const char *where, ig_err *err)
{
    return ig_fail(err, IG_ERR_USAGE, where, 0,
                   "found '%.60s', expected a time: seconds, or 90m, 2h, 1h30m, 1d", text);
}

ig_code ig_time_parse(double *seconds, const char *text, const char *where, ig_err *err)
{
    double sum = 0, smallest = 1e9;
    *seconds = 0;
    if (text == NULL)
        return IG_ERR_OK;
    const char *p = text;
    do {
        const char *end;
        double x;
        if (*p < '0' || *p > '9' || !ig_number_parse(&x, p, &end))
            return bad(text, where, err);
        const size_t n = strspn(end, "abcdefghijklmnopqrstuvwxyz");
        int u = 0;
        while (u < N_UNIT && (strlen(units[u].name) != n || strncmp(units[u].name, end, n) != 0))
            u++;
        const bool bare = n == 0 && *end == '\0' && p == text;
        if (!bare && (u == N_UNIT || units[u].seconds >= smallest))
            return bad(text, where, err);
        smallest = bare ? 0 : units[u].seconds;
        sum += x * (bare ? 1 : units[u].seconds);
        p = end + n;
    } while (*p != '\0');
    if (!(sum <= 1e10))
        return bad(text, where, err);
    *seconds = sum;
    return IG_ERR_OK;
}

const char *ig_time_text(char out[IG_TIME_TEXT], double seconds)
{
    if (!isfinite(seconds) || seconds < 0 || seconds > 1e15) {
        snprintf(out, IG_TIME_TEXT, "?");
        return out;
    }
    const long long s = (long long)(seconds + 0.5);
    if (seconds < 9.95)
        snprintf(out, IG_TIME_TEXT, "%.1f s", seconds);
    else if (s < 60)
        snprintf(out, IG_TIME_TEXT, "%lld s", s);
    else if (s < 3600)
        snprintf(out, IG_TIME_TEXT, "%lld min %02lld s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, IG_TIME_TEXT, "%lld h %02lld min", s / 3600, s % 3600 / 60);
    else
        snprintf(out, IG_TIME_TEXT, "%lld d %lld h", s / 86400, s % 86400 / 3600);
    return out;
}
