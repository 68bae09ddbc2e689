/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints JSON and tables. Twelve digits distinguish the values of a measure, and leave out the
 * noise of decimal fractions in binary. Statistics of texts are a table for people and JSON for
 * programs, from one list of rows.
 */
#include "cli/print/print.h"

#include "base/settings/json_text.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- JSON ------------------------------------------------------------------------------------- */

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

/* --- tables ----------------------------------------------------------------------------------- */

const char *const ig_table_forms[] = {"text", "markdown", "latex", "csv", "json", NULL};

/* 0: standard output is no terminal. */
static int terminal_width(void)
{
    struct winsize w;
    if (isatty(STDOUT_FILENO) == 0)
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
        return w.ws_col;
    return 80;
}

/* NO_COLOR: https://no-color.org */
static bool terminal_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && (no == NULL || no[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void ig_print_number(double x, int width, int digits)
{
    if (isfinite(x))
        printf(" %*.*f", width, digits, x);
    else
        printf(" %*s", width, "-");
}

ig_code ig_table_print(ig_table *t, ig_err *err)
{
    const ig_table_terminal_options screen = {terminal_width(), terminal_colour()};
    ig_code code = ig_table_terminal(stdout, t, &screen, err);
    ig_table_free(t);
    return code;
}

ig_code ig_table_put(FILE *fp, ig_table *t, ig_table_form form, bool header, ig_err *err)
{
    if (form == IG_FORM_TEXT)
        return ig_table_print(t, err);
    const ig_code code = form == IG_FORM_MARKDOWN ? ig_table_markdown(fp, t, err)
                         : form == IG_FORM_LATEX  ? ig_table_latex(fp, t, err)
                                                  : ig_table_csv(fp, t, header, err);
    ig_table_free(t);
    return code;
}

/* --- statistics of texts ---------------------------------------------------------------------- */

#define ROWS(X)                                                                                    \
    X("sentences", "sentences", (double)s->n_sentence, 0)                                          \
    X("tokens", "tokens", (double)s->n_token, 0)                                                   \
    X("types", "types", (double)s->n_type, 0)                                                      \
    X("mean_length", "tokens a sentence, mean", s->mean_length, 1)                                 \
    X("median_length", "tokens a sentence, median", s->median_length, 1)                           \
    X("longest", "tokens a sentence, longest", (double)s->longest, 0)                              \
    X("zipf", "Zipf exponent", s->zipf, 3)                                                         \
    X("unigram_entropy", "unigram entropy, bits", s->unigram_entropy, 2)                           \
    X("bigram_entropy", "bigram entropy, bits", s->bigram_entropy, 2)                              \
    X("type_token", "types / tokens", s->type_token, 4)                                            \
    X("hapax_share", "types seen once / types", s->hapax_share, 3)

typedef struct {
    const char *key, *label;
    int digits;
} row;

#define ROW_HEAD(key, label, value, digits) {key, label, digits},
static const row rows[] = {ROWS(ROW_HEAD)};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void values_get(const ig_text_stats *s, double out[N_ROWS])
{
    int n = 0;
#define ROW_VALUE(key, label, value, digits) out[n++] = value;
    ROWS(ROW_VALUE)
#undef ROW_VALUE
}

ig_code ig_stats_print(const char *const *name, const ig_text_stats *s, int n, ig_err *err)
{
    ig_table *t;
    IG_TRY(ig_table_new(&t, "statistics", NULL, NULL, err));
    ig_table_add_row_head(t, "statistic", "");
    for (int i = 0; i < n; i++)
        ig_table_add_column(t, name[i], name[i], NULL, IG_TABLE_NUMBER);
    for (int r = 0; r < N_ROWS; r++) {
        int64_t line = ig_table_add_row(t, IG_ROW_BODY, NULL);
        ig_table_text(t, line, 0, rows[r].label);
        for (int i = 0; i < n; i++) {
            double v[N_ROWS];
            values_get(&s[i], v);
            ig_table_number(t, line, i + 1, v[r], rows[r].digits);
        }
    }
    return ig_table_print(t, err);
}

json_t *ig_stats_json(const char *const *name, const ig_text_stats *s, int n)
{
    json_t *all = json_object();
    for (int i = 0; i < n; i++) {
        double v[N_ROWS];
        values_get(&s[i], v);
        json_t *one = json_object();
        for (int r = 0; r < N_ROWS; r++)
            json_object_set_new(one, rows[r].key,
                                rows[r].digits == 0 ? json_integer((json_int_t)v[r])
                                                    : json_real(v[r]));
        json_object_set_new(all, name[i], one);
    }
    return all;
}
