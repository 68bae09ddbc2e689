/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the result of a command with --json. Twelve digits distinguish the values of a measure,
 * and leave out the noise of decimal fractions in binary.
 */
#include "cli/print/json_print.h"

#include "base/settings/json_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* jansson gives its text in pieces of a few bytes; a report of ten thousand runs is 36 MB. */
typedef struct {
    char text[1 << 15];
    size_t n;
} pending;

static void flush(pending *p)
{
    fwrite(p->text, 1, p->n, stdout);
    p->n = 0;
}

static int append(const char *text, size_t n, void *to)
{
    pending *p = to;
    if (n > sizeof p->text - p->n)
        flush(p);
    if (n > sizeof p->text)
        fwrite(text, 1, n, stdout);
    else {
        memcpy(p->text + p->n, text, n);
        p->n += n;
    }
    return 0;
}

ig_code ig_json_print(json_t *j, ig_err *err)
{
    const size_t how = JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENCODE_ANY;
    pending p = {.n = 0};
    const bool made = j != NULL && !ig_json_lost() && json_dump_callback(j, append, &p, how) == 0 &&
                      !ig_json_lost();
    json_decref(j);
    if (!made)
        return ig_fail(err, IG_ERR_MEMORY, "--json", 0, "cannot make the text of the result");
    append("\n", 1, &p);
    flush(&p);
    return IG_ERR_OK;
}

ig_code ig_json_line(json_t *j, FILE *fp, const char *where, ig_err *err)
{
    char *text = j != NULL ? ig_json_text(j, JSON_REAL_PRECISION(12)) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "--json", 0, "cannot make the text of the result");
    const bool written = fputs(text, fp) != EOF && putc('\n', fp) != EOF;
    free(text);
    return written ? IG_ERR_OK
                   : ig_fail(err, IG_ERR_IO, where, 0, "cannot write: %s", strerror(errno));
}

void ig_json_print_value(const char *key, int width, const json_t *v)
{
    const json_t *a = json_array_get(v, 0), *b = json_array_get(v, 1);
    if (json_is_string(v))
        printf("%-*s %s\n", width, key, json_string_value(v));
    else if (json_is_integer(v))
        printf("%-*s %lld\n", width, key, (long long)json_integer_value(v));
    else if (json_is_real(v))
        printf("%-*s %.6g\n", width, key, json_real_value(v));
    else if (json_is_boolean(v))
        printf("%-*s %s\n", width, key, json_is_true(v) ? "yes" : "no");
    else if (json_array_size(v) == 2)
        printf("%-*s %.6g / %.6g\n", width, key, json_number_value(a), json_number_value(b));
}
