/* SPDX-License-Identifier: Apache-2.0
 *
 * The pairs of languages that are compared beside the first one (languages 0 and 1), which
 * ig_measure_run takes by itself: `pairs:` of an experiment file.
 */
#pragma once

#include "run/measure/measure_plan.h"
#include "run/run_config.h"

/* Returns how many pairs beside the first the plan compares in a corpus of n languages, as far as
 * their names are its languages'. */
int ig_measure_pairs_count(const ig_measure_plan *p, const ig_corpus *dev);

/* Appends to `to` the rows of each pair of the plan but the first one, and notes what is missing of
 * each. A pair is written in the order of the languages. `o`: as for the first pair. A pair that
 * the plan names and the corpus does not have is IG_ERR_USAGE. */
ig_code ig_measure_pairs(ig_measure_result *to, const ig_measure_plan *p,
                         const ig_measure_with *with, const ig_corpus *dev,
                         const ig_measure_options *o, ig_err *err);

/* Appends the rows of another corpus, whose name is their split, without the training text, and of
 * the pairs of the plan (NULL: none). */
typedef struct {
    const char *name;
    const ig_corpus *corpus;
    const ig_measure_plan *plan;
} ig_measure_corpus;
ig_code ig_measure_named(ig_measure_result *to, const ig_measure_corpus *c,
                         const ig_measure_with *with, const ig_measure_options *o, ig_err *err);

/* Returns whether the plan compares a with b: it is the first pair, or named, or all are. */
bool ig_measure_pair_wanted(const ig_measure_plan *p, const ig_corpus *dev, int a, int b);
/* The two languages that "A,B" names, by their names or their numbers from 0; IG_ERR_USAGE unless
 * they are two different ones of the corpus. */
ig_code ig_language_pair(int *a, int *b, const char *text, const ig_corpus *c, ig_err *err);

/* Returns whether `name` is "a-b" for two of a run's languages in any order; their numbers, that of
 * a first. */
bool ig_measure_columns_find(int column[2], const char *name, const ig_run_languages *l);
