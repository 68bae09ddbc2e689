/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of a task's files share: the settings of TASK.yaml, and the split that is being
 * read. Label names are numbered as they are met; their places among the task's labels are known
 * when all files have been read.
 */
#ifndef IG_TASK_TASK_INTERNAL_H
#define IG_TASK_TASK_INTERNAL_H

#include "base/lexicon.h"
#include "base/settings/yaml_tree.h"
#include "corpus/read/line_reader.h"
#include "task/task.h"

enum { IG_TASK_MOST_COLUMN = 64 };

/* What a column of a table holds. */
typedef enum {
    IG_COLUMN_SKIP,
    IG_COLUMN_FIRST,  /* premise; text; word */
    IG_COLUMN_SECOND, /* hypothesis */
    IG_COLUMN_LABEL,
    IG_COLUMN_LANGUAGE,
    IG_N_COLUMN
} ig_task_column;

/* Settings of TASK.yaml that the readers follow. */
typedef struct {
    ig_task_kind kind;
    ig_task_column column[IG_TASK_MOST_COLUMN]; /* of files without a head */
    int n_column;                               /* 0: not given */
    bool skip_without_words;
    bool keep_renamed; /* "contradictory" is a label of its own */
} ig_task_form;

/* A split's files, as TASK.yaml names them. */
typedef struct {
    const ig_yaml *language; /* its key */
    ig_split split;
    const ig_yaml *files; /* a text, or a list of texts */
} ig_task_source;

/* TASK.yaml. Nodes lie in `yaml`. */
typedef struct {
    ig_yaml_pool *yaml;
    ig_task_form form;
    const ig_yaml *labels; /* NULL: from the data */
    ig_task_source *source;
    int n_source;
    int64_t have_source;
} ig_task_file_list;

/* Freed by the caller, also after an error. */
ig_code ig_task_yaml_read(ig_task_file_list *out, const char *path, ig_err *err);
void ig_task_yaml_free(ig_task_file_list *l);

/* A split that is being read. Texts go to the task's pool at once; arrays grow here. */
typedef struct {
    const ig_task_form *form;
    const char *language;
    ig_pool *pool;
    ig_lexicon *name; /* of labels, in the order in which they were met */
    const char **text;
    int32_t *label;      /* number in `name`, −1: none */
    int64_t *label_line; /* of each label */
    int64_t *line;       /* of each sentence */
    int64_t n, n_label;
    int64_t have_text, have_label, have_label_line, have_line;
    ig_task_counts count;
} ig_task_part;

ig_code ig_task_part_label(ig_task_part *p, const char *name, int64_t n, uint64_t line,
                           ig_err *err);
/* A sentence of n texts of a table, with its label. */
ig_code ig_task_part_row(ig_task_part *p, const char *const *text, int n, const char *label,
                         uint64_t line, ig_err *err);
/* The arrays become the set's, in the task's pool. */
ig_code ig_task_part_finish(ig_task_part *p, ig_task_set *set, ig_err *err);
void ig_task_part_free(ig_task_part *p);

/* The readers of one file, by kind of file. */
ig_code ig_task_read_table(ig_task_part *p, const char *path, ig_err *err);

#endif
