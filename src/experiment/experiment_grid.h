/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings as sections of an experiment file give them: which option is set by which node. Base,
 * cells and the values of axes are all of this kind.
 */
#ifndef IG_EXPERIMENT_EXPERIMENT_GRID_H
#define IG_EXPERIMENT_EXPERIMENT_GRID_H

#include "experiment/experiment_parts.h"

typedef struct {
    const ig_yaml *key[IG_RUN_N_OPTION], *value[IG_RUN_N_OPTION]; /* NULL: not set */
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
} ig_axis_value;
typedef struct {
    const ig_yaml *key; /* the axis's name */
    ig_axis_value *value;
    int n_value;
} ig_axis;
/* Freed by the caller with ig_experiment_axes_free, also after an error. */
ig_code ig_experiment_axes_read(ig_axis **axis, int *n_axis, const ig_experiment_tree *t,
                                ig_err *err);
void ig_experiment_axes_free(ig_axis *axis, int n_axis);

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

#endif
