/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the readers of an experiment file (experiment.h): the file as one tree
 * with `extends` and variants applied, and one function for each of its sections.
 */
#pragma once

#include "apply/edit/edit_spec.h"
#include "base/settings/yaml_tree.h"
#include "experiment/experiment.h"

/* Bounds, so that a slip of the pen is a message and not a full machine. */
enum {
    IG_EXPERIMENT_MAX_FILE = 64, /* files that extend each other */
    IG_EXPERIMENT_MAX_CELL = 4096,
    IG_EXPERIMENT_MAX_SEED = 1000,
    IG_EXPERIMENT_MAX_RUN = 100000,
    IG_EXPERIMENT_MAX_NAME = 80
};

typedef struct {
    ig_yaml_pool *pool;
    ig_yaml
        *root; /* a mapping; sections of all files merged, variants applied, without `extends` */
    const char *path; /* of the file that was named, as its nodes have it */
    int n_file;       /* it and those that it extends */
    int n_variant;    /* that were asked for */
    char **remark;    /* possibly unexpected effects of variants; in the pool */
    int n_remark;
    ig_yaml *set; /* a mapping: settings of the command line; NULL: none */
} ig_experiment_tree;

/* In the pool. */
ig_code ig_experiment_tree_read(ig_experiment_tree *t, ig_yaml_pool *pool, const char *path,
                                const char *const *variant, int n_variant, ig_err *err);

/* "key=value", …: into t->set. A value in brackets or braces is read as YAML, all others are one
 * word or text. */
ig_code ig_experiment_set_read(ig_experiment_tree *t, const char *const *set, int n_set,
                               ig_err *err);

/* Renames keys of the version before in one file and its variants, with a notice. */
ig_code ig_experiment_rename_old(const ig_yaml *root, ig_err *err);

/* The value of a key; NULL when it is not there, removed or null. */
const ig_yaml *ig_experiment_value(const ig_yaml *map, const char *key);
/* Returns a section. */
const ig_yaml *ig_experiment_section(const ig_experiment_tree *t, const char *name);
/* The text of a key, NULL when it has no value; in the pool of the tree. */
ig_code ig_experiment_text(const char **out, const ig_yaml *map, const char *key, ig_err *err);
/* A copy of it, to be freed. */
ig_code ig_experiment_read_text(char **out, const ig_yaml *map, const char *key, ig_err *err);
/* The largest seed that a file may name: exact in JSON. */
#define IG_EXPERIMENT_HIGHEST_SEED ((int64_t)1000000000000000)
/* "7" or "11-19", first to last; false: it is neither. */
bool ig_experiment_seed_range(int64_t *first, int64_t *last, const char *text);
/* A count of seeds, from 0, or a list of seeds and ranges, of at most so many; NULL: one. */
ig_code ig_experiment_read_seeds(int64_t **seed, int *n, ig_experiment *e, const ig_yaml *v,
                                 int most, ig_err *err);
/* The length of the part of a path before what another path beside it is relative to. */
int ig_experiment_folder(const char *file, const char *path);
/* Returns whether a name has only letters of ASCII, digits and . _ -, since it is used as a file
 * name and in quantities. */
bool ig_experiment_is_name(const char *name);
/* Such a name that a list `what` gives a text or a task, which is the split of its metrics. */
ig_code ig_experiment_read_split(char name[IG_MEASURE_TEXT_NAME], const ig_yaml *key,
                                 const char *what, ig_err *err);

/* base, axes, cells and seeds. Fills e->cell and e->base. */
ig_code ig_experiment_read_cells(ig_experiment *e, const ig_experiment_tree *t,
                                 const char *data_root, ig_err *err);
/* measure; after the cells. */
ig_code ig_experiment_read_measure(ig_experiment *e, const ig_experiment_tree *t, ig_err *err);
/* `checkpoints:`; all: what `all` means, NULL: no more than any other word. */
ig_code ig_experiment_read_checkpoints(ig_checkpoints *at, const ig_experiment *e, const ig_yaml *v,
                                       const ig_checkpoints *all, ig_err *err);
/* `what:`, of all or of a text. */
ig_code ig_experiment_read_what(ig_measure_set *what, const ig_yaml *v, ig_err *err);
/* `text:` of it. */
ig_code ig_experiment_read_texts(ig_experiment *e, const ig_yaml *v, ig_err *err);
void ig_experiment_task_free(ig_experiment_task *t);
/* tasks; after the measures, whose plan they join. */
ig_code ig_experiment_read_tasks(ig_experiment *e, const ig_experiment_tree *t, ig_err *err);
/* The ways of fine-tuning for a task: the options of `isoglot finetune` among the keys of its
 * entry, those that are lists crossed with each other, the first outermost. */
ig_code ig_experiment_tunings_read(ig_experiment_task *t, const ig_yaml *map, ig_err *err);
/* Their keys; files: hashes of the task's files, NULL of one of a world. */
ig_code ig_experiment_tunings_identify(ig_experiment_task *t, json_t *files, ig_hash_cache *cache,
                                       ig_err *err);
/* The first file of its edits that is not there; NULL: all are. */
const char *ig_experiment_edits_missing(const ig_experiment_tuning *t);
/* Reads the report; after the measures. Adds the layers of its quantities to the measures. */
ig_code ig_experiment_read_report(ig_experiment *e, const ig_experiment_tree *t, ig_err *err);

/* Returns whether a quantity is measured while the models train; *task: it is a score, of a task.
 */
bool ig_experiment_over_training(bool *task, const ig_experiment *e, const ig_quantity *q);

/* claims; after the report. */
ig_code ig_experiment_read_claims(ig_experiment *e, const ig_experiment_tree *t, ig_err *err);
/* The context of a quantity: its key, and the patterns of its cells (none: all). all_layers: it has
 * layers, and names none. */
typedef struct {
    const char *key;
    char *const *pattern;
    int n_pattern;
    bool all_layers;
} ig_quantity_place;
/* Reads a quantity, which must be measured in these cells; its layer is added to the measures. */
ig_code ig_experiment_read_quantity(ig_quantity *q, ig_experiment *e, const ig_yaml *v,
                                    const ig_quantity_place *at, ig_err *err);

/* Returns whether an experiment file may set this option; otherwise *why gives an alternative. */
bool ig_experiment_option_allowed(const char *name, const char **why);

/* Fills .key, .n_key and .label of a cell from its difference to the base's settings. `extra` are
 * differences in options this program does not know, already as text. */
ig_code ig_experiment_label(ig_cell *cell, const ig_run_config *base, const ig_experiment *e,
                            ig_err *err);

/* Layers of its model. */
int ig_cell_depth(const ig_cell *c);
typedef struct {
    char *const *pattern;
    int n;
} ig_cell_patterns;
/* That every cell that fits the patterns (none: every cell) has that layer. */
/* Checks whether every cell's model has the layer, heads and neurons of an edit. */
ig_code ig_experiment_check_edit(const ig_experiment *e, const ig_edit_spec *s, const ig_yaml *at,
                                 ig_err *err);
ig_code ig_experiment_check_layer(const ig_experiment *e, int64_t layer, const ig_yaml *at,
                                  const char *key, ig_cell_patterns of, ig_err *err);
/* A hint at a cell name that is none: the nearest, or those there are. */
/* Sets the parent of every cell, once all are read. */
ig_code ig_experiment_find_parents(ig_experiment *e, ig_err *err);
ig_code ig_experiment_hint_cell(ig_err *err, const ig_experiment *e, const char *name);

/* Settings as sections of an experiment file give them: which option is set by which node. Base,
 * cells and the values of axes are all of this kind. */
typedef struct {
    const ig_yaml *key[IG_OPTION_MAX], *value[IG_OPTION_MAX]; /* NULL: not set */
} ig_experiment_settings;

/* Adds the keys of a mapping but the `reserved` ones; a key that is there already is replaced, by
 * null taken out. */
ig_code ig_experiment_settings_read(ig_experiment_settings *s, const ig_yaml *map,
                                    const char *const *reserved, int n_reserved, const char *what,
                                    ig_err *err);
ig_code ig_experiment_settings_apply(const ig_experiment_settings *s, ig_run_config *c,
                                     const char *data_root, ig_err *err);

typedef struct {
    char name[IG_EXPERIMENT_MAX_NAME + 1]; /* "batch=64" */
    ig_experiment_settings settings;
    const ig_yaml *seeds; /* NULL: the cell's */
} ig_axis_value;
typedef struct {
    const ig_yaml *key; /* the axis's name */
    ig_axis_value *value;
    int n_value;
} ig_axis;
ig_code ig_experiment_axes_read(ig_axis **axis, int *n_axis, const ig_experiment_tree *t,
                                ig_err *err);

/* An entry of `cells`. */
typedef struct {
    const ig_yaml *key;
    const char *title;               /* NULL */
    const ig_yaml *seeds;            /* NULL: the experiment's */
    unsigned needs;                  /* of ig_cell_needs */
    const ig_yaml *map;              /* the entry */
    const ig_yaml *like;             /* NULL */
    int state;                       /* of resolving `like`: 0 not yet, 1 at it, 2 done */
    ig_experiment_settings settings; /* with those of `like` */
} ig_cell_entry;
ig_code ig_experiment_entries_read(ig_cell_entry **entry, int *n, const ig_experiment_tree *t,
                                   ig_err *err);
