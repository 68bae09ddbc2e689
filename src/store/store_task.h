/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks that the store knows: the meaning of a metric's name. Measures of languages are
 * described by the measures themselves (measure/measure_list.h), those of the training and
 * perplexity are here; docs/results.md explains them, and names of quantities in experiment files
 * are looked up here.
 */
#pragma once

#include "base/numeric/statistics.h"
#include "isoglot/error.h"

#include <stdbool.h>

typedef enum {
    IG_STORE_TASK_PLAIN,   /* one number of a model: mu */
    IG_STORE_TASK_LAYERED, /* one for each layer: rho */
    IG_STORE_TASK_RUN      /* of the training itself; no metric but a column of its run: seconds */
} ig_store_task_kind;

typedef struct {
    const char *name, *symbol; /* perplexity, "perplexity"; rho, "ρ" */
    const char *what;          /* one line, no full stop */
    ig_store_task_kind kind;
    int version;        /* of the formula as this program computes it */
    int version_listed; /* … by a dictionary that is a file; 0: the same */
    const char *split;  /* where it is taken when none is named: dev; "" of IG_STORE_TASK_RUN */
    bool pair;          /* compares two languages; otherwise pooled or of one */
    int better;         /* 1: higher, −1: lower, 0: neither */
    bool share;         /* between 0 and 1, printed with two digits */
    bool below_zero;    /* may be: a difference, a correlation */
    bool tuned;         /* a score of a task that models are fine-tuned for */
} ig_store_task;

/* Measures of a pair of languages, and of its layers: lists that end with a nameless one, and a
 * NULL after them. Defined by measure/measure_list.c. */
extern const ig_store_task *const ig_store_task_lists[];
/* Returns the i-th of all tasks; NULL after the last. */
const ig_store_task *ig_store_task_at(int i);
/* NULL: not known. */
const ig_store_task *ig_store_task_find(const char *name);
/* 1, or −1 where less of it is better: the sign with which its numbers are compared with those of
 * something else. */
int ig_store_task_sign(const char *name);
/* Returns whether it is what no model has to learn for: majority or random. */
bool ig_store_task_is_guess(const char *name);
/* Adds to an error about an unknown name the nearest known one, otherwise the form of quantities.
 * Returns IG_ERR_INPUT. */
ig_code ig_store_task_hint(ig_err *err, const char *name);
/* Where the values of a task lie, for the interval of their mean. */
ig_value_range ig_store_task_range(const char *name);
