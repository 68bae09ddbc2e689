/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts that a plan measures a model on beside the development text: `text:` of `measure:` in
 * an experiment file.
 */
#pragma once

#include "run/data/setup.h"
#include "run/measure/measure_plan.h"
#include "run/measure/pair_text.h"

enum { IG_MEASURE_CORPORA_MAX = IG_MEASURE_TEXTS_MAX + IG_MEASURE_FILES_MAX };

typedef struct {
    const ig_measure_text *of; /* of the plan, borrowed; a parallel text has several of these */
    int a, b;                  /* of a parallel file, a before b; −1: of all languages */
    ig_corpus *corpus;
    ig_shard *shard;
    ig_setup *own;      /* of verses of the development texts: has the corpus; NULL: a file's */
    ig_pair_text *pair; /* of a parallel file: has the corpus */
} ig_measured_text;

typedef struct {
    const ig_measure_plan *plan; /* these two are borrowed */
    const ig_corpus *dev;
    int n;
    ig_measured_text text[IG_MEASURE_CORPORA_MAX];
} ig_measure_texts;

/* Sets the key of a text of the plan whose files can be read: the first digits of the SHA-256 of
 * the measured part, as JSON. An unreadable one has none; opening the text reports why. */
ig_code ig_measure_text_identify(ig_measure_text *t, const ig_measure_plan *p, ig_err *err);
/* The text of that name; NULL: there is none. */
const ig_measure_text *ig_measure_text_find(const ig_measure_plan *p, const char *name);

/* Opens the texts of a plan (those with edits apart: ig_measure_edits_run) over a run's
 * languages, of parallel texts those of the pairs that it compares. Their tokens lie in `dir`, the
 * run's data, as text-KEY.shard or, of verses of the development texts and of parallel texts, in
 * folders text-KEY… beside links to the rest; they are made there when missing. The plan and
 * the setup stay in place. Freed with ig_measure_texts_close, also after an error. */
ig_code ig_measure_texts_open(ig_measure_texts *t, const ig_measure_plan *p,
                              const ig_data_settings *d, const ig_setup *s, const char *dir,
                              ig_err *err);
/* At most so many sentences of each file (0: all), and the sum of those there are: at the end of a
 * training and on the way. */
typedef struct {
    int64_t most[2];
    double sum[2];
} ig_sentence_counts;
void ig_sentence_counts_add(ig_sentence_counts *n, int64_t have);
/* Adds the lines of a parallel text that are measured on; a file that has no two columns is
 * IG_ERR_INPUT. */
ig_code ig_measure_text_lines(ig_sentence_counts *n, const ig_measure_text *t,
                              const ig_measure_plan *p, const ig_run_languages *l,
                              const ig_corpus *dev, ig_err *err);
void ig_measure_texts_close(ig_measure_texts *t);

/* Takes out texts without a path whose tokens are not in `dir`. */
void ig_measure_texts_keep(ig_measure_plan *p, const char *dir);

/* Appends the rows of the plan's texts. Of parallel texts no perplexity. Maps are learned on the
 * development text, or on the text that is named. `o`: as for the development text. */
ig_code ig_measure_texts_run(ig_measure_result *to, const ig_measure_texts *t,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err);

/* Appends the rows of the development text measured on edited models, for each entry of the plan
 * that has edits. They are learned from the training
 * text. `o`: as for the development text. The model is as it was afterwards. */
ig_code ig_measure_edits_run(ig_measure_result *to, const ig_measure_plan *p, const ig_setup *setup,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err);
