/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that a model is fine-tuned for and tested on: a kind, labels, and one file or several for
 * each language and split, named in a TASK.yaml (docs/tasks.md). Labels are matched by name, never
 * by order. Everything that a reader changes or leaves out is counted.
 */
#pragma once

#include "base/pool.h"
#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    IG_TASK_PAIR,    /* two texts, one label */
    IG_TASK_SINGLE,  /* a text, one label */
    IG_TASK_TAGGING, /* a label a word */
    IG_TASK_PARSING, /* a head and a relation a word */
    IG_TASK_MINIMAL, /* an acceptable text, one that is not, a phenomenon; nothing is trained */
    IG_N_TASK_KIND
} ig_task_kind;
extern const char *const ig_task_kind_names[]; /* pair single tagging parsing minimal_pairs, NULL */

/* Texts of a row of a table; 0 of kinds that have words. */
static inline int ig_task_n_text(ig_task_kind kind)
{
    return kind == IG_TASK_PAIR || kind == IG_TASK_MINIMAL ? 2 : kind == IG_TASK_SINGLE;
}

typedef enum { IG_SPLIT_TRAIN, IG_SPLIT_DEV, IG_SPLIT_TEST, IG_N_SPLIT } ig_split;
extern const char *const ig_split_names[]; /* train dev test, NULL */

/* How the tags in a tagging task's files name spans. ig_task_read converts all of them to IOB2: B-X
 * begins a span, I-X continues it. */
typedef enum {
    IG_SCHEME_PLAIN, /* a tag is unrelated to spans: parts of speech */
    IG_SCHEME_IOB1,  /* B-X only if a span directly follows another of its type */
    IG_SCHEME_IOB2,
    IG_SCHEME_BIOUL, /* L-X ends a span, U-X is one of a single word; E, S, M and W are read as L,
                        U, I and U */
    IG_N_SCHEME
} ig_tag_scheme;
extern const char *const ig_tag_scheme_names[]; /* plain iob1 iob2 bioul, NULL */

enum {
    IG_LABEL_UNKNOWN = -1, /* not among the labels: never right */
    IG_LABEL_NONE = -2,    /* the file gives none (a word tagged "_"): neither learned nor scored */
    IG_LABEL_OTHER =
        -3 /* and below: −3 − k is label k of those that training does not have: never right */
};

/* Labels in their order; the id is the index. */
typedef struct {
    const char **name;
    int32_t n;
} ig_labels;

/* Counts of changes and omissions while a split was read. */
typedef struct {
    int64_t read;           /* sentences or pairs in the files, before any was left out */
    int64_t other_language; /* rows of another language in a table of several, left out */
    int64_t unlabelled;     /* pair, single: rows labelled "-", left out; tagging: words tagged "_"
                               (IG_LABEL_NONE) */
    int64_t without_words;  /* left out if TASK.yaml says so; otherwise an error */
    int64_t renamed; /* labels read as others: those in `rename`, and "contradictory" of pairs as
                        "contradiction" */
    int64_t unknown_label; /* IG_LABEL_UNKNOWN: sentences of pair and single, otherwise words */
    int64_t repaired;      /* tags that the scheme does not allow at their position */
    int64_t odd;           /* tags that are not of the scheme, read as O (`odd_tags: outside`) */
    int64_t prefix;        /* words whose "xx:" was removed (PAN-X) */
    int64_t range;         /* CoNLL-U: multiword tokens, skipped or one word each */
    int64_t empty_node;    /* CoNLL-U: empty nodes, skipped */
    int64_t subtype;       /* relations whose subtype was removed */
    int64_t marks;         /* texts in quotation marks with doubled ones, read as they stand */
    int64_t duplicate;     /* sentences (pairs) that occur earlier in the same split */
    int64_t overlap[IG_N_SPLIT]; /* that also occur in that other split of the same language */
} ig_task_counts;

/* One language's split of a task. */
typedef struct {
    const char *language;
    const char *second; /* crossed pairs: the language of the hypothesis, if `language` is
                           "PREMISE+HYPOTHESIS"; otherwise NULL */
    ig_split split;
    const char *path;  /* the first file */
    int64_t n;         /* sentences (or pairs) */
    const char **text; /* pair: [2 n] first, second; single: [n]; otherwise NULL */
    int64_t *first;    /* tagging, parsing: [n + 1] first word of each sentence; otherwise NULL */
    const char **word; /* [first[n]]; "" if there was only a prefix */
    const char **pos;  /* parsing: [first[n]] UPOS (for the punctuation rules); otherwise NULL */
    int32_t *label;    /* pair, single: [n]; otherwise [first[n]]; or one of the two above */
    int32_t *head; /* parsing: [first[n]] 0 = root, otherwise 1-based position in its sentence */
    int64_t *line; /* [n] line of its file where it begins */
    ig_task_counts count;
    const char **file;   /* [n_file] */
    int64_t *file_first; /* [n_file + 1] first sentence of each file */
    int64_t *open_line;  /* [n_file] its last line if that has no line end; otherwise 0 */
    int n_file;
} ig_task_set;

typedef struct {
    ig_task_kind kind;
    const char *path; /* of TASK.yaml */
    ig_labels labels; /* as ordered in TASK.yaml; otherwise those of the training files (without
                         one: of all files), in the order of their bytes */
    ig_labels other;  /* those only in other files than training, in the order of their bytes */
    bool labels_given;
    const char *column[2]; /* names that TASK.yaml has for the texts of tables; NULL: none */
    ig_tag_scheme scheme;  /* tagging: of the files; inferred if TASK.yaml does not name it */
    bool untyped;          /* its spans have no types: B, I, O */
    bool subtypes;         /* parsing: relations with their subtypes */
    bool whole_words;      /* minimal pairs: `masking: word` */
    ig_task_set *set;      /* [n_set] in the order of TASK.yaml: train, dev, test, crossed tests */
    int n_set;
    const char **crossed; /* [n_crossed] "PREMISE+HYPOTHESIS" */
    int n_crossed;
    const char **note; /* [n_note] labels that look like a mistake, as "FILE:LINE: …" */
    int n_note;
    ig_pool pool; /* owns all of the above */
} ig_task;

/* Reads TASK.yaml and all its files, which are in its folder, else below `root` (NULL: none). A
 * mistake is IG_ERR_USAGE in TASK.yaml, IG_ERR_INPUT in a file, with its line. */
ig_code ig_task_read(const char *path, const char *root, ig_task **out, ig_err *err);
/* Reads only TASK.yaml: kind, and language, split and files of each set, whose n is 0. The files
 * need not exist. */
ig_code ig_task_read_names(const char *path, const char *root, ig_task **out, ig_err *err);
/* A file of texts or pairs to be labelled. */
typedef struct {
    ig_task_kind kind; /* afterwards that of the rows */
    bool kind_given;   /* otherwise single texts or pairs, by the file's column names or number of
                          columns; an error if in doubt */
    const ig_labels *labels; /* the allowed labels; NULL: any */
    const char *name[2];     /* of the texts, before the usual ones; NULL: none */
    char why[40];            /* how the kind was inferred; empty: it was given */
    /* Lines without text between rows: before each, how many rows. Of the caller, with ig_free,
     * also after an error. */
    int64_t *blank, n_blank, have_blank;
} ig_task_texts;
/* Reads rows as in a task's files (docs/tasks.md); labels are not needed and no row is left out,
 * whatever its language. Without column names columns are texts; one more may hold labels of the
 * model, and nothing else. Every label is IG_LABEL_NONE. The arrays are in `pool`. */
ig_code ig_task_read_texts(ig_task_set *out, ig_task_texts *texts, const char *path, ig_pool *pool,
                           ig_err *err);
/* Removes the language that PAN-X as published writes before every word ("en:"), if all words have
 * the same prefix. Returns the number of words changed. */
int64_t ig_task_cut_prefix(const char **word, int64_t n_word);
/* Finds a language's split; NULL: there is none. */
const ig_task_set *ig_task_find(const ig_task *t, const char *language, ig_split split);
/* Finds a split that must exist: otherwise IG_ERR_USAGE names the languages that have it. */
ig_code ig_task_need(const ig_task *t, const char *language, ig_split split,
                     const ig_task_set **out, ig_err *err);
void ig_task_free(ig_task *t);

/* Returns a split's counts by name, and `overlap` by the other split. */
json_t *ig_task_counts_json(const ig_task_set *s);
/* Reports on stderr what was left out or changed, and which splits overlap (docs/tasks.md); for the
 * task of this name (NULL: none). */
void ig_task_counts_report(const ig_task *t, const char *name);

/* Returns whether both languages of "PREMISE+HYPOTHESIS" have test data. */
bool ig_task_can_cross(const ig_task *t, const char *name);

/* Returns the name of a label, also of one that training does not have; NULL: IG_LABEL_NONE or
 * unknown. */
const char *ig_task_label_name(const ig_task *t, int32_t label);
/* Returns a label by its name, also one that training does not have; otherwise IG_LABEL_UNKNOWN. */
int32_t ig_task_label_find(const ig_task *t, const char *name);
/* Returns the index of a label by its name; −1: none. */
int32_t ig_labels_find(const ig_labels *l, const char *name);
/* Converts spans from IOB2 to BIOUL, in every set and among the labels: O, then B-X, I-X, L-X, U-X
 * of each type in the order of the labels; likewise among those that training does not have.
 * IG_ERR_USAGE if labels are not spans. */
ig_code ig_task_use_bioul(ig_task *t, ig_err *err);
/* Returns the number of labels of a split: of its sentences, or of their words. */
int64_t ig_task_n_label(const ig_task_set *s);
/* Returns the file of sentence i. */
const char *ig_task_file(const ig_task_set *s, int64_t i);
