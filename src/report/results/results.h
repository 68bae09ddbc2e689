/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of an experiment, as plain data: from the store's runs and metrics to the numbers of
 * a table (summary over seeds, difference from the base cell, the paper's number beside it)
 * and of a curve (mean and band over seeds, onset). Code that writes tables and draws figures reads
 * these and computes nothing itself.
 *
 * Runs of one cell are averaged only when they are the same but for the seed. What must be the same
 * is in docs/report.md: everything in the configuration that decides the result, and everything
 * in the manifest but what is known not to (program build, compiler, CPU, kernel table, times,
 * host), which is reported in a note.
 */
#pragma once

#include "base/numeric/statistics.h"
#include "base/pool.h"
#include "report/table/reference.h"
#include "report/table/spec.h"
#include "store/store.h"

/* --- the runs of an experiment ---------------------------------------------------------------- */

typedef struct {
    const char *name, *label;
    const char *title; /* the file's own words for it; NULL. The store does not know it */
    int order;
    const ig_store_entry *entry; /* [n_entry] its runs, seeds ascending */
    int64_t n_entry;
    int n_status[IG_RUN_DONE + 1]; /* how many of each ig_run_status */
    const char *mixed;             /* NULL; else the runs and keys that forbid to average them */
    const char *incomplete;        /* NULL when all runs are done; else one line that says which are
                                   not: "2 of 5 seeds: 3 failed (out of memory), 4 missing" */
    int layer_low, layer_high;     /* layers of μ, of its models; −1 while no run is known */
    bool apart; /* no word is one piece, of one vector, in two of its languages: τ distinct is τ,
                   measured or not (set by who knows the languages) */
} ig_result_cell;

typedef struct {
    const ig_store_result *store; /* borrowed */
    ig_result_cell *cell;         /* [n_cell] in the file's order */
    int n_cell;
    int n_hidden;      /* cells after those: not requested, but others may be compared with them */
    const char **note; /* [n_note] lines about all of it: different builds, kernels … */
    int n_note;
    ig_pool pool;
} ig_results;

/* Groups the runs by cell. Runs of a cell that differ in more than the seed are IG_ERR_INPUT, one
 * line that names cell, runs and keys; with keep_mixed the cell is kept with .mixed set, and its
 * values are given one by one but never averaged. `store` must outlive `out`. Freed with
 * ig_results_free, also after an error. */
ig_code ig_results_make(ig_results *out, const ig_store_result *store, bool keep_mixed,
                        ig_err *err);
void ig_results_free(ig_results *r);
/* NULL: no cell of that name. */
const ig_result_cell *ig_results_cell(const ig_results *r, const char *name);
/* Sequences of the training text of the cell's first finished run; 0: not recorded. */
ig_code ig_results_sequences(int64_t *out, const ig_results *r, const char *cell, ig_err *err);
/* The first finished run of a cell, or that of a seed (−1: any); NULL: there is none. */
const ig_store_entry *ig_result_finished(const ig_result_cell *c, int64_t seed);

/* --- numbers of a table ----------------------------------------------------------------------- */

/* One seed's value. */
typedef struct {
    int64_t seed;
    const char *address; /* of the run */
    ig_run_status status;
    double value; /* NaN: it has none */
    int layer;    /* that it was measured at; −1: none */
    int64_t n;    /* candidates, tokens … ; 0: not recorded */
} ig_result_value;

/* A cell's number in a column. */
typedef struct {
    ig_result_value *value; /* [n_value] one for each run of the cell, seeds ascending */
    int n_value;
    ig_summary summary;   /* of the finite values */
    ig_interval interval; /* of the mean, 95 %; NaN for fewer than two values */
    /* Minus the base cell, one of as many tests as rows of the column have it; .n 0: there is none,
     * or this is the base cell. */
    ig_contrast against;
    /* Seeds that would show the observed difference (power 0.8); −1: not known (fewer than two
     * values, or no difference). */
    int64_t seeds_needed;
    /* For a score after fine-tuning: its variance between pre-trainings and between the
     * fine-tunings of one; .n 0: not such a score, or its spread is not known. */
    ig_variance_parts parts;
    double reference, reference_sd;            /* the paper's; NaN: none */
    int reference_digits, reference_sd_digits; /* as in the paper; −1: not known */
    double difference;                         /* mean − reference; NaN when one is missing */
    int layer;           /* of the values; −1: none, or not the same for all */
    const char *missing; /* NULL; else why there is no mean, one line */
} ig_result_number;

/* A number that the paper measured and isoglot does not, and the quantities that represent it. */
typedef struct {
    const ig_reference_proxy *what;         /* borrowed */
    const ig_reference_value *const *value; /* [n_row] the paper's; NULL: it does not say */
    /* [n_column] our means against the paper's numbers, both so that more is better: τ-b 1 says
     * that our rows stand in the paper's order. .n 0: the column does not stand for it. */
    const ig_kendall *order;
} ig_result_proxy;

typedef struct {
    const ig_results *results;     /* borrowed */
    const ig_table_spec *spec;     /* borrowed */
    const ig_reference *reference; /* borrowed; NULL: none */
    const ig_result_cell **row;    /* [n_row] */
    int n_row, n_column;           /* n_column: spec->n_column */
    int *bold_by; /* [n_column] the column that says which of its numbers is the best: τ distinct
                     of τ and μ distinct of μ, where these are there; else itself */
    const ig_result_cell *base;    /* compared with; NULL: none. It need not be among the rows */
    ig_result_number *number;      /* [n_row, n_column] */
    ig_result_number *base_number; /* [n_column], of `base`; NULL without one */
    ig_kendall *order; /* [n_column] our means against the paper's numbers over the rows that have
                          both; .n says how many, tau_b NaN for fewer than two or a constant side */
    /* [spec->n_correlate, n_column] over the rows' means, of spec->correlate[i] with each column;
     * .n 0: of a column with itself. */
    ig_rank_correlation *correlation;
    const ig_result_proxy *proxy; /* [n_proxy] of the reference file, those that a row has */
    int n_proxy;
    const char **note; /* [n_note] lines below the table */
    int n_note;
    ig_pool pool;
} ig_result_table;

/* `base`: name of the cell compared with (spec->base, else the experiment's base cell); NULL or a
 * cell that is not there: no comparison. `reference` may be NULL. No row fits the patterns:
 * IG_ERR_USAGE with the nearest cell. `r`, `spec` and `reference` must outlive `out`. */
ig_code ig_result_table_make(ig_result_table *out, const ig_results *r, const ig_table_spec *spec,
                             const char *base, const ig_reference *reference, ig_err *err);
void ig_result_table_free(ig_result_table *t);

/* The value of one run; step −1: of the finished model. Quantities of the run itself (seconds,
 * tokens_per_second, peak_memory in bytes, updates) are had at no step. NaN: none. */
ig_result_value ig_result_value_of(const ig_results *r, const ig_result_cell *c,
                                   const ig_store_entry *e, const ig_quantity *q, int64_t step);

/* Returns whether the value of a quantity in a run of the cell is made of this row, or may be. */
bool ig_result_takes(const ig_row *row, const ig_quantity *q, const ig_result_cell *c);

/* Columns of a score after fine-tuning beside its value: the spread over the seeds of fine-tuning,
 * and the baselines. Returns their number: 0 for other quantities. */
enum { IG_RESULT_BESIDE = 3 };
int ig_result_beside(ig_quantity out[IG_RESULT_BESIDE], const ig_quantity *q);

/* Layers at which a task was measured in a finished model of these cells, ascending; at most `max`
 * are written, the number there are is returned. */
int ig_result_layers(int *layer, int max, const ig_results *r, const ig_result_cell *const *cell,
                     int n_cell, const char *task);

/* --- curves ----------------------------------------------------------------------------------- */

/* A quantity of a cell over the steps of its checkpoints. Steps of all its seeds together; what a
 * seed does not have is NaN. */
typedef struct {
    const ig_result_cell *cell;
    ig_quantity quantity;
    int64_t n; /* steps, ascending */
    double *step;
    double *mean, *sd, *low, *high; /* [n] over the seeds; low, high: 95 % interval of the
                                       mean; for one seed mean alone, the others NaN */
    int64_t *count;                 /* [n] seeds with a value */
    int n_seed;
    int64_t *seed;        /* [n_seed] */
    double *value;        /* [n_seed, n] */
    double *onset;        /* [n_seed] step at which it starts (ig_onset); NaN: it does not */
    ig_summary onset_all; /* of the seeds in which it starts; .n says how many */
    ig_interval onset_interval;
    int layer; /* resolved; −1: none, or not the same for all */
    ig_pool pool;
} ig_result_curve;

/* Onset as used by default: a fifth of the rise, and a rise of at least 0.05. Of quantities that
 * fall when they improve (perplexity), the onset of −log. */
#define IG_ONSET_FRACTION 0.2
#define IG_ONSET_LEAST 0.05
typedef struct {
    double fraction, least;
} ig_onset_rule;

/* Wants a store result with all checkpoints (ig_store_read with last_only false). A cell whose runs
 * are mixed has its seeds' values and no means. rule NULL: the default one. Freed with
 * ig_result_curve_free. */
ig_code ig_result_curve_make(ig_result_curve *out, const ig_results *r, const ig_result_cell *c,
                             const ig_quantity *q, const ig_onset_rule *rule, ig_err *err);
void ig_result_curve_free(ig_result_curve *c);
