/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files that lay out a table of results share.
 */
#pragma once

#include "report/shown/row_names.h"
#include "report/shown/table_results.h"

enum { IG_RESULT_NAME = 256 };

/* Bytes are shown in MiB. */
double ig_result_unit(const ig_column *c);
/* The heading that neighbouring columns share: their layer, or perplexity. "" for none. */
void ig_result_group(char out[IG_RESULT_NAME], const ig_result_table *t, int column);
bool ig_result_in_group(const ig_result_table *t, int column);
/* `inside`: below its group's heading, which says the rest. */
void ig_result_title_in(char *out, size_t size, const ig_result_table *t, int column, bool inside);

/* A column that is shown: a quantity, and in a pivot its value of the axis that is spread. */
typedef struct {
    ig_table *out;
    const ig_result_table *t;
    const ig_result_lines *show;
    ig_row_names names;  /* of the table's rows */
    int pivot;           /* axis of `names` that is spread over columns; −1: none */
    const char **across; /* [n_across] its values; one without a pivot */
    int n_across;
    int64_t *seed; /* [n_across] spread over columns instead of an axis: the first has the mean, the
                      value of seed[i] in i; NULL: they are not */
    int *place;    /* [n_line, n_across] row of `t`; −1: there is none */
    int n_line;
    int id, label, n; /* columns; label: where lines below a row say what they are */
    int *at;          /* [shown columns, then proxies] column of the table; −1: it has none */
    int *paper;       /* [shown columns] the paper's beside it; −1: none */
    int *digits;      /* [t->n_column] */
    double *best;     /* [t->n_column, n_across] */
} ig_table_builder;

static inline bool ig_builder_is_spread(const ig_table_builder *b)
{
    return b->pivot >= 0 || b->seed != NULL;
}

/* Returns whether a shown column is one seed's. */
static inline bool ig_builder_is_seed(const ig_table_builder *b, int shown)
{
    return b->seed != NULL && shown % b->n_across > 0;
}

/* The row of `t` in a line and a shown column; −1: there is none. */
static inline int ig_builder_row(const ig_table_builder *b, int line, int shown)
{
    return b->place[line * b->n_across + shown % b->n_across];
}

/* The number of a field; NULL: none. */
static inline const ig_result_number *ig_builder_number(const ig_table_builder *b, int line,
                                                        int shown)
{
    const int row = ig_builder_row(b, line, shown);
    return row < 0 ? NULL : &b->t->number[row * b->t->n_column + shown / b->n_across];
}

/* The first cell of a line, which names it. */
static inline int ig_builder_first_row(const ig_table_builder *b, int line)
{
    for (int a = 0; a < b->n_across; a++)
        if (b->place[line * b->n_across + a] >= 0)
            return b->place[line * b->n_across + a];
    return 0;
}

static inline const ig_column *ig_builder_column(const ig_table_builder *b, int shown)
{
    return &b->t->spec->column[shown / b->n_across];
}

/* Digits of all numbers of a column: those that most of its rows would have. */
int ig_result_column_digits(const ig_result_table *t, int column);

/* Finds which columns a quantity has, and the line and the column of each row. */
ig_code ig_builder_spread(ig_table_builder *b, ig_err *err);
void ig_builder_notes(ig_table_builder *b);
void ig_builder_incomplete(ig_table_builder *b);
