/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of results that lie in results/ beside an experiment's file, for all of its variants.
 */
#pragma once

#include "experiment/experiment.h"

#include <glob.h>

/* The files whose names begin with the first n bytes of `begin`, in which *, ? and [ are characters
 * like any other, and go on as `pattern` says; false: there is none. Freed with globfree. */
bool ig_lab_glob(glob_t *found, const char *begin, int n, const char *pattern);
/* Finds whether a file of results, which must be one, has some of this experiment. */
ig_code ig_lab_results_has(bool *yes, const char *path, const ig_experiment *e, ig_err *err);
/* The files of results of this experiment in results/ beside its own, as words of a command with
 * --results between them; NULL: there is none. Freed with ig_free. */
ig_code ig_lab_results_beside(char **out, const ig_experiment *e, ig_err *err);
/* Calls `of` with each of these files; one that cannot be read has nothing of the experiment. */
ig_code ig_lab_each_beside(const ig_experiment *e, void *arg,
                           ig_code (*of)(void *arg, const char *path, ig_err *err), ig_err *err);
