/* SPDX-License-Identifier: Apache-2.0
 *
 * Development texts that languages have of their own, joined so that they are parallel: verses by
 * their ids, where all of several files are verses; lines by their numbers with --dev-parallel.
 */
#pragma once

#include "corpus/language/language_spec.h"
#include "run/run_config.h"

typedef struct {
    bool joined; /* they are verses, of which `id` are in all of them; with --dev-parallel these are
                  * the numbers of lines, from 0 */
    int32_t *id; /* [n] ascending */
    int64_t n;
} ig_dev_texts;

/* IG_ERR_INPUT where nothing is in all of them, or lines end apart. Freed also after an error. */
ig_code ig_dev_texts_join(ig_dev_texts *t, const ig_run_data *d, const ig_language_words *l, int n,
                          ig_err *err);
bool ig_dev_texts_have(const ig_dev_texts *t, int32_t id);
void ig_dev_texts_free(ig_dev_texts *t);

/* Finds the file of a language's development text, borrowed from the settings; NULL: it has none of
 * its own. */
ig_code ig_dev_text_path(const char **path, const ig_run_data *d, const ig_language_words *l,
                         ig_err *err);
bool ig_text_has_trees(const char *path); /* by its name */
