/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the nearest known word to a mistyped one: optimal string alignment distance (Damerau 1964,
 * Levenshtein 1966: insert, delete, replace, swap two neighbours); "_" and "-" are equal.
 */
#include "base/settings/nearest.h"

#include "base/settings/options.h"
#include "base/strings/append.h"

#include <string.h>

enum { longest_word = 64 };

static char letter(char c)
{
    if (c == '_')
        return '-';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Both words have at most longest_word bytes. Three rows of the usual table are kept. */
static int distance(const char *a, int n_a, const char *b, int n_b)
{
    int row[3][longest_word + 1];
    for (int j = 0; j <= n_b; j++)
        row[0][j] = j;
    for (int i = 1; i <= n_a; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n_b; j++) {
            char x = letter(a[i - 1]), y = letter(b[j - 1]);
            int best = last[j - 1] + (x != y);
            best = min_int(best, last[j] + 1);
            best = min_int(best, now[j - 1] + 1);
            if (i > 1 && j > 1 && x == letter(b[j - 2]) && letter(a[i - 2]) == y)
                best = min_int(best, before[j - 2] + 1);
            now[j] = best;
        }
    }
    return row[n_a % 3][n_b];
}

const char *ig_nearest(const char *word, const char *const *candidates, int n)
{
    return ig_nearest_within(word, candidates, n, 0);
}

const char *ig_nearest_within(const char *word, const char *const *candidates, int n, int more)
{
    size_t len = strlen(word);
    const char *best = NULL;
    int best_distance = 0;
    if (len > longest_word)
        return NULL;
    for (int i = 0; i < n; i++) {
        size_t n_c = strlen(candidates[i]);
        if (n_c > longest_word)
            continue;
        int d = distance(word, (int)len, candidates[i], (int)n_c);
        /* The longer word's letters, so that a dropped letter counts like an added one. */
        const int longer = (int)(len > n_c ? len : n_c), limit = (longer + more) / 3;
        if (d <= limit && (best == NULL || d < best_distance)) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

ig_code ig_hint_nearest_or(ig_err *err, const char *word, const char *const *candidates, int n,
                           const char *otherwise)
{
    const char *near = ig_nearest(word, candidates, n);
    if (near != NULL)
        ig_hint(err, "did you mean '%s'?", near);
    else if (otherwise != NULL)
        ig_hint(err, "%s", otherwise);
    return err != NULL ? err->code : IG_ERR_USAGE;
}

ig_code ig_hint_nearest(ig_err *err, const char *word, const char *const *candidates, int n)
{
    return ig_hint_nearest_or(err, word, candidates, n, NULL);
}

ig_code ig_unknown_name(ig_err *err, const char *where, const char *what, const char *word,
                        const char *const *names, int n)
{
    char list[320] = "";
    for (int i = 0; i < n; i++)
        ig_append_name(list, sizeof list, names[i]);
    ig_fail(err, IG_ERR_USAGE, where, 0, "unknown %s '%.64s', expected one of %s", what, word,
            list);
    return ig_hint_nearest(err, word, names, n);
}
