/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a run's measurements, and after which updates they are run: the `measure:` of an
 * experiment file.
 */
#pragma once

#include "base/settings/options.h"
#include "corpus/read/verse_ids.h"
#include "measure/measure_list.h"

typedef enum {
    IG_CHECKPOINTS_END,
    IG_CHECKPOINTS_LOG, /* 0, 1, 2, 5, 10, 20, 50, … */
    IG_CHECKPOINTS_LIST,
    IG_CHECKPOINTS_EVERY /* and 0 */
} ig_checkpoints_kind;
/* After which updates, beside the last. */
typedef struct {
    ig_checkpoints_kind kind;
    ig_int_list step; /* LIST */
    int64_t every;    /* EVERY */
} ig_checkpoints;

/* Size of the name of a pair of languages, "en-fake", and the most pairs of a plan. */
enum { IG_MEASURE_PAIR = 160, IG_MEASURE_PAIRS_MAX = 32 };

/* A parallel file of two languages: a line is a sentence, a tab and its translation. */
enum { IG_MEASURE_FILES_MAX = 64 };
typedef struct {
    char pair[IG_MEASURE_PAIR]; /* "fr-en": the languages of its columns, in their order */
    char path[1024];
} ig_measure_file;

/* A text that a model is measured on beside the development text: `text:` of `measure:`. The name
 * is the split of its metrics; `key` says what was measured (bytes of the file, verses, sentences),
 * so that another text of the same name is not taken for it. Without a file it is other verses of
 * the run's development texts, each language's own, or further sentences of its world. Of parallel
 * files it is a text of each pair of languages for itself. */
enum {
    IG_MEASURE_TEXT_NAME = 32,
    IG_MEASURE_TEXT_PATH = 1024,
    IG_MEASURE_TEXT_KEY = 17,
    IG_MEASURE_TEXT_EDIT = 512,
    IG_MEASURE_TEXTS_MAX = 32
};
typedef struct {
    char name[IG_MEASURE_TEXT_NAME];
    char path[IG_MEASURE_TEXT_PATH]; /* "": own, or only its tokens are there, of another
                                        experiment */
    bool own;                        /* `ids` of the development texts; "": of the world */
    int first_file, n_file;          /* of the plan's files */
    char ids[256];                   /* verses to keep; "": all */
    ig_verse_set verses;             /* of ids */
    int format;                      /* ig_text_kind */
    int64_t take;                    /* sentences; 0: all */
    char edit[IG_MEASURE_TEXT_EDIT]; /* the development text on an edited model: the edits in flow
                                        style (apply/edit/edit_spec.h); "": none */
    ig_measure_set what;             /* those of the plan's measures that it takes; 0: all */
    /* The text that maps are learned on which are judged on this one; "": the development text. */
    char learn[IG_MEASURE_TEXT_NAME];
    char key[IG_MEASURE_TEXT_KEY]; /* "": the file could not be read */
} ig_measure_text;

/* A task that the finished model is fine-tuned for, and those of checkpoints: its scores are
 * metrics of that split. `key` says what was done: the task, the settings, the seeds of
 * fine-tuning, the checkpoints. */
enum { IG_MEASURE_TASKS_MAX = 16 };
typedef struct {
    char name[IG_MEASURE_TEXT_NAME];
    char key[IG_MEASURE_TEXT_KEY]; /* "": the task's files could not be read */
    ig_checkpoints at;
} ig_measure_task;
/* The checkpoints whose models a run keeps: as many lists as tasks may differ in. */
enum { IG_MEASURE_KEPT_MAX = 4 };

typedef struct {
    ig_measure_set what;
    bool all_layers;    /* every layer of the model */
    ig_int_list layers; /* beside the pair of μ, ascending: those listed, and the numeric layers of
                           the report's quantities; every cell's model has them */
    bool all_pairs;     /* every pair of languages is compared; else the first two, … */
    int n_pair;         /* … and those that are named, "a-b" in the order of the languages */
    char pair[IG_MEASURE_PAIRS_MAX][IG_MEASURE_PAIR];
    int n_text;
    ig_measure_text text[IG_MEASURE_TEXTS_MAX];
    int n_file;
    ig_measure_file file[IG_MEASURE_FILES_MAX];
    int n_task;
    ig_measure_task task[IG_MEASURE_TASKS_MAX];
    int n_kept;
    ig_checkpoints kept[IG_MEASURE_KEPT_MAX]; /* for tasks */
    ig_checkpoints at;
    int64_t max_sentences;       /* at the end; 0: all */
    int64_t curve_max_sentences; /* at the other checkpoints; 0: as at the end */
} ig_measure_plan;

/* Returns whether `step` is one of them; not of the last, as which it may be. */
bool ig_checkpoints_due(const ig_checkpoints *c, int64_t step);
/* Returns how many a run of n_update updates has, the last one too. */
int64_t ig_checkpoints_count(const ig_checkpoints *c, int64_t n_update);
/* Returns whether the model of that checkpoint is kept for a task. */
bool ig_measure_plan_keeps(const ig_measure_plan *p, int64_t step);
/* Adds checkpoints to those that are kept; false: there is no room. */
bool ig_measure_plan_keep(ig_measure_plan *p, const ig_checkpoints *c);

/* Fills in layers, sentences and kinds of measures. A layer that the model does not have is
 * IG_ERR_USAGE. */
ig_code ig_measure_plan_options(ig_measure_options *o, const ig_measure_plan *p,
                                int num_hidden_layers, bool last, ig_err *err);

/* The options with the measures of a text. */
ig_measure_options ig_measure_text_options(const ig_measure_options *o, const ig_measure_text *t);
