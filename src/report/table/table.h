/* SPDX-License-Identifier: Apache-2.0
 *
 * A table as data, and its writers: terminal, Markdown, LaTeX (booktabs), CSV (RFC 4180), JSON and
 * HTML. A cell holds a text, or a number with what belongs to it (spread, interval, count, mark);
 * how that looks is the writer's business.
 *
 * Rows are of three kinds: a body row, lines that belong to it (the paper's number below ours, the
 * difference), and the foot (what is said of a whole column). The first columns that are words are
 * row heads: they name the row, and are repeated where a table has to be cut for a narrow terminal.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const char *text;  /* shown instead of a number; NULL: the number */
    double value;      /* NaN: none */
    double sd;         /* NaN: not known */
    double low, high;  /* interval; shown when there is no value; NaN: none */
    int64_t n;         /* shown after the number when not 0: "(3)" */
    int digits;        /* after the point, of all numbers of the cell */
    int sd_digits;     /* of the sd, where the paper has others; −1: as the others */
    bool sign;         /* a + before what is positive: a difference */
    bool best;         /* bold, or marked where there is no bold */
    const char *mark;  /* after the number: "**"; NULL: none */
    const char *link;  /* HTML: address or #fragment; NULL: none */
    const char *title; /* HTML: tooltip; NULL: none */
    bool absent;       /* nothing belongs here: an empty field, not a dash */
} ig_table_cell;

/* Of no text and no value. */
extern const ig_table_cell ig_table_no_cell;

typedef enum { IG_TABLE_LEFT, IG_TABLE_RIGHT, IG_TABLE_NUMBER } ig_table_align;

typedef struct {
    const char *key;   /* name for programs: CSV, JSON */
    const char *title; /* name for people */
    const char *group; /* heading over neighbours that share it; NULL: none */
    const char *note;  /* HTML: tooltip; NULL: none */
    ig_table_align align;
    bool row_head;
} ig_table_column;

typedef enum { IG_ROW_BODY, IG_ROW_SUB, IG_ROW_FOOT } ig_row_kind;

typedef struct {
    ig_row_kind kind;
    const char *key; /* of a SUB or FOOT row: its class ("paper", "difference"); of a BODY row: its
                        fragment in HTML (NULL: none) */
} ig_table_row;

typedef struct {
    const char *name, *title, *caption; /* caption may be NULL */
    ig_table_column *column;
    int n_column;
    ig_table_row *row;
    int64_t n_row;
    ig_table_cell *cell; /* [n_row, n_column] */
    const char **note;   /* lines below */
    int n_note;
    struct ig_table_own *own;
} ig_table;

/* An empty table; strings are copied. Filling it never fails: the writer reports missing
 * memory (IG_ERR_MEMORY), so a table is built without a check after every cell. */
ig_code ig_table_new(ig_table **t, const char *name, const char *title, const char *caption,
                     ig_err *err);
void ig_table_free(ig_table *t);

/* Columns come before rows. Returns its number. */
int ig_table_add_column(ig_table *t, const char *key, const char *title, const char *group,
                        ig_table_align align);
/* A left-aligned column of row heads. */
int ig_table_add_row_head(ig_table *t, const char *key, const char *title);
int64_t ig_table_add_row(ig_table *t, ig_row_kind kind, const char *key);
void ig_table_add_note(ig_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The cell, to be filled in; valid until the next row. Strings in it must live as long as the table
 * (ig_table_keep). A new cell is empty: no text, no value. */
ig_table_cell *ig_table_at(ig_table *t, int64_t row, int column);
/* A string of the table's own; "" when there is no memory. */
const char *ig_table_keep(ig_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shorthands of _at. */
void ig_table_text(ig_table *t, int64_t row, int column, const char *text);
void ig_table_number(ig_table *t, int64_t row, int column, double value, int digits);
/* IG_ERR_MEMORY when something was lost; every writer begins with it. */
ig_code ig_table_check(const ig_table *t, ig_err *err);

/* The writers. The FILE's own errors are for whoever opened it. */
typedef struct {
    int width;   /* display cells of a line; 0: no limit */
    bool colour; /* bold and dim by escape sequences */
} ig_table_terminal_options;
ig_code ig_table_terminal(FILE *fp, const ig_table *t, const ig_table_terminal_options *o,
                          ig_err *err);
ig_code ig_table_markdown(FILE *fp, const ig_table *t, ig_err *err);
/* A table environment for \usepackage{booktabs}. Other scripts than Latin and Greek need lualatex
 * or xelatex; a comment says so when there are any. */
ig_code ig_table_latex(FILE *fp, const ig_table *t, ig_err *err);
/* Body rows only, a line each; numbers with all their digits. header: with the line of keys. */
ig_code ig_table_csv(FILE *fp, const ig_table *t, bool header, ig_err *err);
/* <table>, with the lines of a row inside its cells; well-formed XML. Column heads carry what a
 * script needs to sort by them. brief: a table of thousands of rows, sorted by what is shown. */
ig_code ig_table_html(FILE *fp, const ig_table *t, bool brief, ig_err *err);
