/* SPDX-License-Identifier: Apache-2.0
 *
 * A table on standard output, as wide and as bold as what is there takes.
 */
#pragma once

#include "base/settings/options.h"
#include "report/table/table.h"

/* Prints t and frees it. Off a terminal as wide as the table is, without escape sequences. */
ig_code ig_table_print(ig_table *t, ig_err *err);
/* How a command writes tables (--format); json is the command's own. */
typedef enum {
    IG_FORM_TEXT,
    IG_FORM_MARKDOWN,
    IG_FORM_LATEX,
    IG_FORM_CSV,
    IG_FORM_JSON
} ig_table_form;
extern const char *const ig_table_forms[]; /* text markdown latex csv json, NULL */
#define IG_TABLE_FORM_OPTIONS(type, form, json, help)                                              \
    {IG_ENUM(type, "format", form, "text", ig_table_forms, help)},                                 \
    {                                                                                              \
        IG_FLAG(type, "json", json, NULL, "as --format json")                                      \
    }
/* Writes t and frees it; text as ig_table_print. `header`: CSV begins with the names of columns. */
ig_code ig_table_put(FILE *fp, ig_table *t, ig_table_form form, bool header, ig_err *err);
/* A number of a table that is printed as it comes: a blank, then its columns; "-" for none. */
void ig_print_number(double x, int width, int digits);
