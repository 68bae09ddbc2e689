/* SPDX-License-Identifier: Apache-2.0
 *
 * A parallel file of two of a run's languages as their development text: each line is a sentence, a
 * tab and its translation (Tatoeba's pairs). The text is cleaned, transformed and cut as the run's
 * own.
 */
#pragma once

#include "run/data/data_files.h"
#include "run/data/setup.h"

typedef struct {
    const char *path;
    int language[2]; /* of the columns */
    int64_t take;    /* lines that have both; 0: all */
} ig_pair_file;

typedef struct {
    ig_setup setup; /* its `dev` is the text, of the two languages; of others it is nothing */
    ig_run_languages languages;
    ig_named_file *named;
} ig_pair_text;

/* Why a run has no such text: the languages share one, or one is a generated world's; NULL: it may.
 */
const char *ig_pair_text_refuses(const ig_run_data *d, const ig_run_languages *l,
                                 const int language[2]);

/* Made in the folder when missing, beside links to the run's data. A line without a tab is
 * IG_ERR_INPUT, what is refused IG_ERR_USAGE. Freed with ig_pair_text_close, also after an error.
 */
ig_code ig_pair_text_open(ig_pair_text *out, const ig_pair_file *f, const ig_data_settings *d,
                          const ig_data_link *at, ig_err *err);
void ig_pair_text_close(ig_pair_text *t);

/* Counts the lines of a file, with the same errors. */
ig_code ig_pair_text_count(int64_t *n, const char *path, ig_err *err);
