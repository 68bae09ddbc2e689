/* SPDX-License-Identifier: Apache-2.0
 *
 * A table for programs: CSV (RFC 4180: fields in quotes where they hold a quote, a comma or a line
 * end, lines that end with CR LF; a text that begins like a formula has an apostrophe in front) and
 * JSON. Body rows only, numbers with all their digits; a value that is not there is an empty field
 * or null.
 */
#include "base/number_text.h"
#include "report/table/table_format.h"

#include <string.h>

/* A decimal number from its first character to its last. */
static bool is_number(const char *s)
{
    const char *digits = "0123456789";
    s += *s == '-' || *s == '+';
    const size_t whole = strspn(s, digits);
    s += whole;
    const size_t part = *s == '.' ? strspn(s + 1, digits) : 0;
    s += *s == '.' ? part + 1 : 0;
    if (whole + part == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        const size_t exponent = strspn(s, digits);
        s += exponent;
        if (exponent == 0)
            return false;
    }
    return *s == '\0';
}

/* Spreadsheets take a field that begins like this for a formula, and run it. */
static bool is_formula(const char *s)
{
    return *s != '\0' && strchr("=+-@\t\r", *s) != NULL && !is_number(s);
}

static void put_field(FILE *fp, const char *s)
{
    const char *mark = is_formula(s) ? "'" : ""; /* "what follows is text" */
    if (strpbrk(s, "\",\r\n") == NULL) {
        fprintf(fp, "%s%s", mark, s);
        return;
    }
    fprintf(fp, "\"%s", mark);
    for (; *s != '\0'; s++) {
        if (*s == '"')
            fputc('"', fp);
        fputc(*s, fp);
    }
    fputc('"', fp);
}

ig_code ig_table_csv(FILE *fp, const ig_table *t, bool header, ig_err *err)
{
    IG_TRY(ig_table_check(t, err));
    for (int c = 0; c < t->n_column && header; c++) {
        fputs(c > 0 ? "," : "", fp);
        put_field(fp, t->column[c].key);
    }
    fputs(header ? "\r\n" : "", fp);
    for (int64_t r = 0; r < t->n_row; r++) {
        if (t->row[r].kind != IG_ROW_BODY)
            continue;
        for (int c = 0; c < t->n_column; c++) {
            const ig_table_cell *x = &t->cell[r * t->n_column + c];
            char number[40];
            ig_number_print(number, sizeof number, x->value);
            fputs(c > 0 ? "," : "", fp);
            put_field(fp, x->text != NULL ? x->text : number);
        }
        fputs("\r\n", fp);
    }
    return IG_ERR_OK;
}
