/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts that a plan measures a model on beside the development text: `text:` of `measure:` in
 * an experiment file.
 */
#ifndef IG_RUN_MEASURE_MEASURE_TEXTS_H
#define IG_RUN_MEASURE_MEASURE_TEXTS_H

#include "run/measure/measure_plan.h"
#include "run/data/setup.h"

typedef struct {
    int n;
    struct {
        char name[IG_MEASURE_TEXT_NAME];
        ig_corpus *corpus;
        ig_shard *shard;
        ig_setup *own; /* of verses of the development texts: has the corpus; NULL: a file's */
    } text[IG_MEASURE_TEXTS_MAX];
} ig_measure_texts;

/* Sets the key of a text whose file can be read: the first digits of the SHA-256 of what is
 * measured, as JSON. One that cannot be read has none; whoever opens the text tells why. */
ig_code ig_measure_text_identify(ig_measure_text *t, ig_err *err);

/* Opens the texts of a plan (those with edits apart: run/edit/measure_edits.h) over a run's
 * languages. Their tokens lie in `dir`, the run's data, as text-KEY.shard or, of verses of the
 * development texts, in a folder text-KEY beside links to the rest; they are made there when
 * missing. Freed with ig_measure_texts_close, also after an error.
 */
ig_code ig_measure_texts_open(ig_measure_texts *t, const ig_measure_plan *p,
                              const ig_data_settings *d, const ig_setup *s, const char *dir,
                              ig_err *err);
void ig_measure_texts_close(ig_measure_texts *t);

/* Takes out texts without a path whose tokens are not in `dir`. */
void ig_measure_texts_keep(ig_measure_plan *p, const char *dir);

/* Sets "texts" of `measures`: {NAME: as ig_measure_json without the training text, with "pairs"};
 * nothing where the plan has none. `o`: as for the development text. */
ig_code ig_measure_texts_run(json_t *measures, const ig_measure_texts *t, const ig_measure_plan *p,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err);

#endif
