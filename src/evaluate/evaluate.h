/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures a trained run from its folder. Its languages, vocabulary, texts and attention to padding
 * are read from its own record; an evaluation takes no modelling options. A model that was not
 * trained here is measured on texts that are given, with the settings that a run has by default.
 */
#pragma once

#include "evaluate/folder_corpus.h"
#include "measure/measure_list.h"
#include "apply/edit/edit_spec.h"
#include "apply/states_file.h"

typedef struct {
    const int64_t *layer; /* [n_layer]; n_layer 0: the pair of μ */
    int n_layer;
    const char *pair; /* languages compared, as ig_language_pair has it; NULL: the first two */
    int64_t step;     /* the checkpoint of that update; −1: the newest */
    const char *text; /* another development text, cleaned as the run's own; NULL: the run's */
    /* "fr-en=FILE": parallel text of two of the run's languages, in the order of its columns, in
     * place of the development text, on which maps are learned then; NULL: none. */
    const char *parallel;
    const char *text_ids; /* first so many verses; NULL: as the run's configuration says */
    int64_t
        text_take; /* its first so many sentences; 0: all; −1: as the run's configuration says */
    int translation, perplexity; /* ig_variant; −1: the run's own */
    int pooling;                 /* ig_measure_pooling_names; −1: the run's own */
    int64_t max_sentence;        /* of each language and corpus; 0: all */
    bool skip_train;             /* no perplexity of the training text */
    ig_measure_set also; /* beside what is measured by default; words (run/measure/word_retrieval.h)
                            of languages 0 and another, not with `text` */
    const ig_edit_specs *edits; /* made before it is measured, learned from the training text; NULL:
                                   none */
    int n_thread;               /* 0: as many as this process may use */
    const char *device;         /* of all models from now on, as ig_device_choose; NULL: as it is */
    /* A model folder is measured on these texts, one a language; n_text 0: a run is measured. They
     * are the development text, to which `text_ids`, `text_take` and `edits` apply; `text`, `step`
     * and words are not used. */
    const ig_named_text *texts; /* [n_text] */
    int n_text;
    bool unrelated;         /* they are no translations */
    const char *dictionary; /* pairs of words of the first two; NULL: none */
    bool lowercase;         /* overrides tokenizer_config.json */
    bool allow_unknown;     /* else a text with too many unknown pieces is an error */
} ig_evaluate_options;

typedef struct {
    char *model;         /* the folder that was measured */
    int64_t step;        /* its update; −1: its name does not say */
    int64_t n_parameter; /* 0: unknown, of files of states */
    double seconds;
    ig_measure_result measure;
    json_t *edits; /* as they were made; NULL: none */
} ig_evaluation;

/* `dir` is a run's folder, one of its checkpoints, or with texts any model's. Freed with
 * ig_evaluation_free, also after an error. */
ig_code ig_evaluate(ig_evaluation *out, const char *dir, const ig_evaluate_options *o, ig_err *err);
/* Two files of states instead of a model and texts: the measures of parallel sentences. Of the
 * options `layer`, `also`, `unrelated`, `max_sentence`, `n_thread` are read. */
ig_code ig_evaluate_states(ig_evaluation *out, const ig_states_files *files,
                           const ig_evaluate_options *o, ig_err *err);
void ig_evaluation_free(ig_evaluation *e);

/* The measures (ig_measure_json) with "edit", "run", "model", "step", "n_parameters", "seconds".
 * NULL: no memory. */
json_t *ig_evaluation_json(const ig_evaluation *e, const char *dir);
