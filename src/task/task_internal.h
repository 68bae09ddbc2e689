/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the readers of a task's files: the settings of TASK.yaml, and the split
 * being read. Label names are numbered by first occurrence; their indices among the task's labels
 * are known when all files have been read.
 */
#pragma once

#include "base/settings/yaml_tree.h"
#include "base/strings/lexicon.h"
#include "corpus/read/line_reader.h"
#include "task/task.h"

enum { IG_TASK_MOST_COLUMN = 64 };

/* The content of a column of a table. */
typedef enum {
    IG_COLUMN_SKIP,
    IG_COLUMN_FIRST,  /* premise; text; word */
    IG_COLUMN_SECOND, /* hypothesis */
    IG_COLUMN_LABEL,
    IG_COLUMN_LANGUAGE,
    IG_N_COLUMN
} ig_task_column;

/* The columns given in TASK.yaml. */
typedef struct {
    bool given;
    int place[IG_N_COLUMN];        /* from 0; −1: not given by a number */
    const char *name[IG_N_COLUMN]; /* in the line of names of each file; NULL: none */
    int n;                         /* columns of each row; 0: as many as the first row has */
} ig_task_layout;

/* Settings of TASK.yaml that the readers follow. */
typedef struct {
    ig_task_kind kind;
    ig_task_layout layout;
    const ig_yaml *rename; /* labels that are read as others; NULL: none */
    bool skip_without_words;
    bool subtypes;
    bool whole_words;          /* `masking: word` */
    bool fused;                /* `words: xtreme` (task_fused.h) */
    bool quotes_given, quotes; /* `quotes`: whether marks enclose fields of tables */
    int scheme;                /* −1: inferred from the tags */
    bool odd_outside;  /* `odd_tags: outside`: tags that are not of the scheme are read as O */
    bool labels_given; /* the task lists its labels */
    bool keep_renamed; /* "contradictory" is a label of its own */
    bool keep_dash;    /* "-" is a label, which rows without one have otherwise */
} ig_task_form;

/* A split's files, as named in TASK.yaml. */
typedef struct {
    const ig_yaml *language; /* its key */
    ig_split split;
    const ig_yaml *files; /* a text, or a list of texts */
    int64_t from, to;     /* range of sentences to read; to = 0: all */
} ig_task_source;

/* The content of TASK.yaml. Nodes are owned by `yaml`. */
typedef struct {
    ig_yaml_pool *yaml;
    ig_task_form form;
    const ig_yaml *labels;  /* NULL: from the data */
    const ig_yaml *crossed; /* NULL: none */
    ig_task_source *source;
    int n_source;
    int64_t have_source;
} ig_task_file_list;

/* Freed by the caller, also after an error. */
ig_code ig_task_yaml_read(ig_task_file_list *out, const char *path, ig_err *err);
void ig_task_yaml_free(ig_task_file_list *l);

/* A split being read. Texts are stored in the task's pool at once; arrays grow here. */
typedef struct {
    const ig_task_form *form;
    const char *language;
    ig_pool *pool;
    ig_lexicon *name;  /* of labels, in the order of their first occurrence */
    const char **text; /* of tables */
    const char **word, **pos;
    int32_t *head;
    int64_t *first;      /* of each sentence of words, and of the next one */
    int32_t *label;      /* number in `name`, IG_LABEL_NONE */
    int64_t *label_line; /* of each label */
    int64_t *line;       /* of each sentence */
    int64_t open_line;   /* last line of the last file if that has no line end; otherwise 0 */
    int64_t n, n_word, n_label;
    int64_t have_text, have_word, have_pos, have_head, have_first, have_label, have_label_line,
        have_line;
    int64_t from, to;                     /* the sentences to keep; to = 0: all */
    ig_task_counts count, before, within; /* of all; up to sentence `from`; up to `to` */
} ig_task_part;

/* Adds one word. Tagging: its tag ("_": none); parsing: also its relation, head and part of
 * speech. */
typedef struct {
    const char *form, *label, *pos;
    int32_t head;
    uint64_t line;
} ig_task_word;

ig_code ig_task_part_word(ig_task_part *p, const ig_task_word *w, ig_err *err);
/* Ends a sentence that began in this line. One without words, or with only "_" (text that is not
 * distributed), is an error of this file or left out. */
ig_code ig_task_part_sentence(ig_task_part *p, uint64_t line, const char *where, ig_err *err);
/* Adds a sentence of n texts of a table, with its label (NULL: IG_LABEL_NONE). */
ig_code ig_task_part_row(ig_task_part *p, const char *const *text, int n, const char *label,
                         uint64_t line, ig_err *err);
/* Keeps sentences p->from..p->to − 1 and their counts; if `to` is past the last one: up to the
 * last. IG_ERR_INPUT (at `where`): there is none. */
ig_code ig_task_part_cut(ig_task_part *p, const char *where, ig_err *err);
/* Moves the arrays to the set, in the task's pool. */
ig_code ig_task_part_finish(ig_task_part *p, ig_task_set *set, ig_err *err);
void ig_task_part_free(ig_task_part *p);

/* Returns the label as which TASK.yaml has this one read: usually itself. */
const char *ig_task_renamed(ig_task_part *p, const char *label);

/* Removes the blanks at the ends; overwrites the text. */
char *ig_task_trim(char *text);
/* The same of a label: white space of any kind, as no-break spaces, belongs to none. */
char *ig_task_trim_label(char *text);
/* Compares ignoring case (of ASCII). */
int ig_task_compare_names(const char *a, const char *b);
bool ig_task_same_name(const char *a, const char *b);
/* Returns whether a cell of n bytes has this name, ignoring case, blanks and quotation marks around
 * it. */
bool ig_task_is_name(const char *cell, size_t n, const char *name);
/* The columns found in the first line of a file. */
typedef struct {
    int place[IG_N_COLUMN]; /* −1: there is no such column */
    bool is_head;           /* the line has names, and is no row */
} ig_task_head;
/* Reads cell[n] of the first line: columns with known names, ignoring case, or those that TASK.yaml
 * names; else the indices of TASK.yaml; else none. IG_ERR_INPUT: some names are known and others
 * missing. */
ig_code ig_task_head_read(ig_task_head *out, const ig_task_form *form, bool labels,
                          char *const *cell, int n, const ig_line_reader *lines, ig_err *err);
/* Names of a column in tables and JSON, the preferred first, up to NULL. */
typedef const char *const ig_task_names[12];
ig_task_names *ig_task_names_of(ig_task_kind kind);
/* Returns whether a row has to have a column; `labels`: also that of the label. */
bool ig_task_needs(ig_task_kind kind, int column, bool labels);
/* What a column of this kind holds, for messages. */
const char *ig_task_column_name(ig_task_kind kind, ig_task_column column);

/* Splits a line into its columns, at tabs or at blanks; returns their number, of which the first
 * IG_TASK_MOST_COLUMN are written. */
int ig_task_cut(char *line, bool tabs, char **column);
/* Says whether fields of a table are in quotation marks where they need it: IG_QUOTES_NONE for a
 * pipe, which can be read only once; IG_QUOTES_DOUBLED if read otherwise only doubled marks differ.
 */
typedef enum { IG_QUOTES_NONE, IG_QUOTES_DOUBLED, IG_QUOTES_NEEDED } ig_task_quotes;
ig_code ig_task_quotes_find(ig_task_quotes *out, const char *path, ig_err *err);
/* A row of such a table; `text` is freed by its owner. */
typedef struct {
    char *text;
    int64_t n, have;
} ig_task_record;
/* Adds to *line the lines that its fields go on in; *line is then in r. IG_ERR_INPUT: a mark is
 * where none can be. */
ig_code ig_task_quotes_next(ig_task_record *r, ig_line_reader *lines, char **line, int64_t *size,
                            ig_err *err);
/* ig_task_cut at tabs for such a row, without the marks. */
int ig_task_quotes_cut(char *row, char **column);
/* Properties of a column of a table in its first rows. */
typedef struct {
    ig_lexicon values;
    int64_t n_byte, n_blank, n_number; /* n_blank: values of several words; n_number: numbers */
} ig_task_place;
typedef struct {
    ig_task_place column[IG_N_COLUMN];
    int64_t n_row;
} ig_task_places;
ig_code ig_task_places_add(ig_task_places *p, const char *const *value, ig_err *err);
/* IG_ERR_INPUT: the column of the labels has texts, and one of the texts has labels. */
ig_code ig_task_places_check(const ig_task_places *p, ig_task_kind kind,
                             const ig_line_reader *lines, ig_err *err);
/* Returns whether one of two columns of texts has few values, of a word each, beside texts. */
bool ig_task_places_has_labels(const ig_task_places *p);
/* IG_ERR_INPUT: the column of the tags has words, and that of the words has tags; indices. */
ig_code ig_task_places_check_words(const ig_task_places *p, int word, int tag,
                                   const ig_line_reader *lines, ig_err *err);
void ig_task_places_free(ig_task_places *p);
/* Readers of one file, by kind of file. */
ig_code ig_task_read_table(ig_task_part *p, const char *path, ig_err *err);
/* Reads columns of words and tags, or CoNLL-U, whose universal parts of speech are the tags. */
ig_code ig_task_read_tagging(ig_task_part *p, const char *path, ig_err *err);
ig_code ig_task_read_parsing(ig_task_part *p, const char *path, ig_err *err);

/* Infers t->scheme if it is not given: that of the training files, or of all without one. Labels
 * are numbers in `name`; line[i][k] is that of label k of set i. IG_ERR_INPUT: all tags only
 * resemble those of spans. */
ig_code ig_task_find_scheme(ig_task *t, const ig_task_form *form, const ig_lexicon *name,
                            int64_t *const *line, ig_err *err);
/* Checks that every tag is of the scheme of spans, or makes it O if the task says so. */
ig_code ig_task_check_tags(ig_task *t, const ig_task_form *form, ig_lexicon *name,
                           int64_t *const *line, ig_err *err);
/* Returns whether a set decides the labels: training sets do, or all if there is none. */
bool ig_task_set_decides(const ig_task *t, const ig_task_set *s);
/* Returns the sentence of label k of a set. */
int64_t ig_task_sentence_of(const ig_task_set *s, int64_t k);
/* Checks the tags and converts spans to IOB2; `name` grows. */
ig_code ig_task_convert_tags(ig_task *t, const ig_task_form *form, ig_lexicon *name,
                             int64_t *const *line, ig_err *err);
/* Sets t->note. Labels are numbers in `name`, whose tags are as in the files. IG_ERR_INPUT: a label
 * in a last line without an end is not complete. */
ig_code ig_task_check_labels(ig_task *t, const ig_task_form *form, const ig_lexicon *name,
                             int64_t *const *line, ig_err *err);
/* Checks the form of `crossed: [en+de]` of TASK.yaml. */
ig_code ig_task_read_crossed(const ig_yaml *list, const ig_task_form *form, ig_err *err);
/* Adds the crossed tests, for which the task has memory. IG_ERR_USAGE: a language without test
 * data; IG_ERR_INPUT: different labels in a row. */
ig_code ig_task_cross(ig_task *t, ig_err *err);
/* Sets count.duplicate and count.overlap of every set. */
ig_code ig_task_count_same(ig_task *t, ig_err *err);
