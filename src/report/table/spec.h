/* SPDX-License-Identifier: Apache-2.0
 *
 * The `report` section of an experiment file: tables and figures, as plain data.
 * experiment/experiment.h reads it, report/ uses it.
 */
#pragma once

#include "isoglot/error.h"
#include "store/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A quantity: "mu", "f1[low]", "rho[8]", "perplexity[dev]", "perplexity[dev,en]", "mu[text=kjv]",
 * "seconds". Inside the brackets, in any order: a layer (a number, or low/high: the pair of μ, 0
 * and ⌈2L/3⌉), a split (train, dev, text=NAME of a text of `measure`, or
 * task=NAME of one of `tasks`), a language or pair. Beside a task, which of its scores is meant:
 * select=last, source-dev or target-dev, best=2, of=SCORE, length=N, label=LABEL; after the name
 * of a task a way of a grid, task=NAME/lr=1e-5. Both are tags, in this order, the way first, and so
 * are those of a row (lab/runs/lab_scores.h). */
enum { IG_LAYER_NONE = -1, IG_LAYER_LOW = -2, IG_LAYER_HIGH = -3 };
typedef struct {
    char task[32];
    int layer;          /* ≥ 0, or IG_LAYER_… */
    char split[32];     /* "": the measure's own default (dev) */
    char tags[128];     /* "lr=1e-5;select=last"; "": none */
    char languages[64]; /* "": pooled / the compared pair */
} ig_quantity;
/* Unknown task: IG_ERR_USAGE with the nearest. The known ones are the tasks of docs/results.md
 * and seconds, tokens_per_second, peak_memory, updates. */
ig_code ig_quantity_parse(ig_quantity *q, const char *text, const char *where, uint64_t line,
                          ig_err *err);
/* Returns whether both are the same quantity: perplexity is perplexity[dev]. */
bool ig_quantity_same(const ig_quantity *a, const ig_quantity *b);
/* Quantities, each once; .q is freed with ig_free. */
typedef struct {
    ig_quantity *q;
    int n;
    int64_t room;
} ig_quantity_list;
/* Adds one that is not there yet. */
ig_code ig_quantity_list_add(ig_quantity_list *l, const ig_quantity *q, ig_err *err);
/* The text of `measure` that it is taken on; NULL: the run's own. */
const char *ig_quantity_text(const ig_quantity *q);
/* The way of a grid that it names, "lr=1e-5/epochs=3"; "": none. */
void ig_quantity_way(char *out, size_t size, const ig_quantity *q);
/* The quantity that a row is the value of. */
ig_quantity ig_quantity_of(const ig_row *row);
/* Takes away the tags that say which row of several is meant that are averaged (lab_scores.h). */
void ig_quantity_average(ig_quantity *q);
/* The update of the checkpoint that it is of, as in mu[step=500]; −1: of the finished model. */
int64_t ig_quantity_step(const ig_quantity *q);
/* The same without that. */
ig_quantity ig_quantity_at_any_step(const ig_quantity *q);
/* The tags of a way of a grid among those of a row or a quantity, "lr=1e-5;epochs=3"; "": none. */
void ig_tags_way(char *out, size_t size, const char *tags);
/* As written back: canonical text, the key of reference files and of JSON. */
void ig_quantity_format(char *out, int size, const ig_quantity *q);

typedef struct {
    ig_quantity q;
    const char *title;                      /* NULL: the field's symbol, e.g. ρ₈ */
    int digits;                             /* −1: by size */
    bool higher_is_better, lower_is_better; /* bold of the best; both false: none */
} ig_column;

/* Instead of an axis: the seeds are side by side, after their mean. */
#define IG_PIVOT_SEED "seed"

typedef struct {
    const char *name, *title, *caption;
    char **row; /* patterns of cell names, shell style; none: all cells in the file's order */
    int n_row;
    ig_column *column;
    int n_column;
    const char *base;      /* cell compared with; NULL: the experiment's base cell */
    const char *reference; /* path of a reference file (report/table/reference.h); NULL */
    const char
        *pivot; /* an axis whose values are side by side, or IG_PIVOT_SEED; NULL: each is a row */
    int *correlate; /* columns whose rank correlations with all others are reported */
    int n_correlate;
    int given; /* the column that is then held fixed, too; −1: none */
} ig_table_spec;

typedef enum {
    IG_FIG_CURVES,    /* quantities over steps, mean and band over seeds (Figs 1, 6, 7) */
    IG_FIG_LAYERS,    /* metric by layer, heat map of cells × layers */
    IG_FIG_POSITIONS, /* cosine matrix of position embeddings (Figs 5, 8) */
    IG_FIG_TOKENS,    /* PCA of token embeddings with translation links (Fig 4) */
    IG_FIG_STATES,    /* PCA of one layer's states by language (Fig 4) */
    IG_FIG_BARS,      /* a quantity by cell with intervals and the paper's number */
    IG_N_FIG
} ig_figure_kind;
extern const char *const ig_figure_kind_names[]; /* curves, layers, …; NULL-terminated */

typedef struct {
    const char *name, *title, *caption;
    ig_figure_kind kind;
    char **cell; /* patterns; none: all (curves, layers, bars), the base cell (the others) */
    int n_cell;
    ig_quantity *quantity; /* curves, layers, bars */
    int n_quantity;
    int64_t seed;     /* of the figures of one model; −1: the first */
    int layer;        /* states; IG_LAYER_… */
    int64_t step;     /* −1: the finished model */
    int64_t count;    /* tokens or sentences shown; 0: a default */
    bool log_x;       /* curves: default true */
    bool onset;       /* curves: mark the detected onset */
    const char *over; /* curves: an axis of the experiment instead of steps; NULL */
} ig_figure_spec;

/* In the memory of the experiment. */
typedef struct {
    ig_table_spec *table;
    int n_table;
    ig_figure_spec *figure;
    int n_figure;
} ig_report_spec;

/* The number in the part "AXIS=VALUE" of a cell's name, with or without a suffix k, M or G; NaN: it
 * has no such part, or no number there. */
double ig_cell_axis(const char *cell, const char *axis);
/* Returns whether a cell's name has a part "AXIS=…". */
bool ig_cell_has_axis(const char *cell, const char *axis);
/* Returns whether a cell's name fits one of the patterns (shell style: *, ?, []); n 0: yes. */
bool ig_cell_matches(const char *cell, char *const *pattern, int n);
