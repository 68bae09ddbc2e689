/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks that the store knows: what a metric of that name is. One table; docs/store.md is its
 * explanation, and names of quantities in experiment files are looked up here.
 */
#ifndef IG_STORE_TASK_H
#define IG_STORE_TASK_H

#include "base/statistics.h"

#include <stdbool.h>

typedef enum {
    IG_TASK_PLAIN,   /* one number of a model: mu */
    IG_TASK_LAYERED, /* one for each layer: rho */
    IG_TASK_RUN      /* of the training itself; no metric but a column of its run: seconds */
} ig_task_kind;

typedef struct {
    const char *name, *symbol; /* perplexity, "perplexity"; rho, "ρ" */
    ig_task_kind kind;
    int version;        /* of the formula as this program computes it */
    int version_listed; /* … by a dictionary that is a file; 0: the same */
    const char *split;  /* where it is taken when none is named: dev; "" of IG_TASK_RUN */
    bool pair;          /* compares two languages; else pooled or of one */
    int better;         /* 1: higher, −1: lower, 0: neither */
    bool share;         /* between 0 and 1, printed with two digits */
    const char *what;   /* one line, no full stop */
} ig_task;

extern const ig_task ig_tasks[];
extern const int ig_n_task;
/* NULL: not known. */
const ig_task *ig_task_find(const char *name);
/* Where the values of a task lie, for the interval of their mean. */
ig_value_range ig_task_range(const char *name);

#endif
