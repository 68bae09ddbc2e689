/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that lay out a table of results share.
 */
#ifndef IG_REPORT_TABLE_PARTS_H
#define IG_REPORT_TABLE_PARTS_H

#include "report/table_results.h"

enum { IG_RESULT_NAME = 128 };

/* Bytes are shown in MiB. */
double ig_result_unit(const ig_column *c);
/* What columns that stand together share: their layer, or perplexity. "" for none. */
void ig_result_group(char out[IG_RESULT_NAME], const ig_result_table *t, int column);
bool ig_result_in_group(const ig_result_table *t, int column);
/* `inside`: below its group's heading, which says the rest. */
void ig_result_title_in(char *out, size_t size, const ig_result_table *t, int column, bool inside);

typedef struct {
    ig_table *out;
    const ig_result_table *t;
    const ig_result_lines *show;
    int id, label, n, first; /* columns */
    double *best;            /* [n_column] */
} ig_table_builder;

static inline const ig_result_number *ig_builder_number(const ig_table_builder *b, int row,
                                                        int column)
{
    return &b->t->number[row * b->t->n_column + column];
}

void ig_builder_notes(ig_table_builder *b);
void ig_builder_lacking(ig_table_builder *b);

#endif
