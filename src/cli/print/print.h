/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a command on standard output: JSON, tables as wide and as bold as what is there
 * takes, statistics of texts side by side.
 */
#pragma once

#include "base/settings/options.h"
#include "corpus/read/text_stats.h"
#include "isoglot/error.h"
#include "report/table/table.h"

#include <jansson.h>
#include <stdio.h>

/* The ending of a noun after a number: "1 run", "2 runs". */
static inline const char *ig_s(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* Prints j on standard output and frees it. NULL, what jansson gives when memory runs out or a
 * number is not finite, is an error. */
ig_code ig_json_print(json_t *j, ig_err *err);
/* One line of JSON Lines: writes j without line ends, and a line end, to fp (whose name is
 * `where`), and frees it; NULL as above. */
ig_code ig_json_line(json_t *j, FILE *fp, const char *where, ig_err *err);
/* A line for people: the key in so many columns, then what it has, of a list two numbers. Nothing
 * for an object. */
void ig_json_print_value(const char *key, int width, const json_t *v);

/* Prints t and frees it. Off a terminal as wide as the table is, without escape sequences. */
ig_code ig_table_print(ig_table *t, ig_err *err);
/* How a command writes tables (--as); json is the command's own. */
typedef enum {
    IG_FORM_TEXT,
    IG_FORM_MARKDOWN,
    IG_FORM_LATEX,
    IG_FORM_CSV,
    IG_FORM_JSON
} ig_table_form;
extern const char *const ig_table_forms[]; /* text markdown latex csv json, NULL */
#define IG_TABLE_FORM_OPTIONS(type, form, json, help)                                              \
    {.old = "format", IG_ENUM(type, "as", form, "text", ig_table_forms, help)},                    \
    {                                                                                              \
        IG_FLAG(type, "json", json, NULL, "as --as json")                                          \
    }
/* Writes t and frees it; text as ig_table_print. `header`: CSV begins with the names of columns. */
ig_code ig_table_put(FILE *fp, ig_table *t, ig_table_form form, bool header, ig_err *err);
/* A number of a table that is printed as it comes: a blank, then its columns; "-" for none. */
void ig_print_number(double x, int width, int digits);

/* A column a text on stdout. */
ig_code ig_stats_print(const char *const *name, const ig_text_stats *s, int n, ig_err *err);
/* {"NAME": {"tokens": …, …}, …}; owned by the caller, NULL: no memory. */
json_t *ig_stats_json(const char *const *name, const ig_text_stats *s, int n);
