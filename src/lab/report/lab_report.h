/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of an experiment: from its file and the store to tables, figures and the page.
 */
#pragma once

#include "experiment/experiment.h"
#include "lab/estimate/cost.h"
#include "lab/laboratory.h"
#include "lab/report/lab_source.h"
#include "lab/runs/results_beside.h"
#include "report/page/page_answer.h"
#include "report/results/results.h"
#include "report/results/results_claims.h"
#include "report/results/results_file.h"
#include "report/shown/table_results.h"
#include "store/store.h"

#include <jansson.h>
#include <stdio.h>

/* Of all measures, of those on other texts, of fine-tuning. */
enum { IG_LAB_OWN_TABLES = 3 };

typedef struct {
    const ig_experiment *experiment; /* borrowed */
    char *dir;                       /* of the store; NULL: the results are of files */
    char *base_name;                 /* of the base cell; NULL */
    const char *only;                /* borrowed; NULL: all cells */
    ig_store_result stored;
    ig_pool pool;         /* of why runs are left out */
    ig_result_file *file; /* [n_file] where the results are of files */
    int n_file;
    ig_results results;
    ig_claim_results claims; /* of the file; they may depend on cells that are not selected */
    ig_table_spec *spec;     /* [n_table]: the file's, or of everything where it has none */
    ig_reference *reference; /* [n_table], source NULL: none */
    ig_result_table *table;  /* [n_table] */
    int n_table;
    int live; /* the page loads itself again after so many seconds; 0: never */
    /* The tables that stand in for none, and their columns. */
    ig_table_spec own_spec[IG_LAB_OWN_TABLES];
    ig_column *own_column[IG_LAB_OWN_TABLES];
    ig_column **chosen;      /* [n_table] columns that were chosen; NULL */
    ig_column **more_column; /* [n_table] of a table that has more than its file says; NULL */
} ig_lab_report;

/* The checkpoints whose measures are read. */
typedef enum {
    IG_LAB_FINISHED, /* none: those of finished models */
    IG_LAB_ONSETS,   /* what curves with an onset are of, at all checkpoints */
    IG_LAB_FIGURES,  /* what figures are of that show other steps than the last */
    IG_LAB_ALL_STEPS /* everything */
} ig_lab_steps;

typedef struct {
    const char *table;   /* only the one of that name; NULL: all */
    const char *columns; /* quantities, which every table then has; NULL: as the file says */
    const char *only;    /* selector of cells and seeds (ig_experiment_select); NULL: all */
    bool done;           /* only finished runs, and cells that have one */
    const char *pivot;   /* of every table, an axis whose values stand side by side; NULL: as the
                            file says */
    ig_lab_steps steps;
    const char *const *results; /* [n_results] files of results, read in place of a store */
    int n_results;
} ig_lab_report_options;

/* Decides the claims of an experiment by its results; intervals are adjusted for the claims of all
 * files of its folder that are about the same paper (`paper:` up to the year). Freed with
 * ig_claim_results_free, also after an error. */
ig_code ig_lab_claims(ig_claim_results *out, const ig_experiment *e, const ig_results *r,
                      ig_err *err);
/* Says what the file's seeds can decide: the least difference of two cells, in standard deviations
 * of a cell, by the analysis of claims; "": the file has no claims. */
enum { IG_LAB_DECIDED = 200 };
ig_code ig_lab_claims_decided(char out[IG_LAB_DECIDED], const ig_experiment *e, ig_err *err);
/* [{"claim", "text", "why"}, …] of the claims that no run of the file decides, known before any is
 * trained: nothing in the file decides it, a cell is left out, or μ and τ cannot be computed in one
 * (`plan`; NULL: not known). Only claims that rest on a selected cell; `selector` NULL: all. Owned
 * by the caller. */
ig_code ig_lab_claims_never(json_t **out, const ig_experiment *e, const ig_lab_plan *plan,
                            const char *selector, ig_err *err);
/* The costs of training each cell once, by the recorded seconds of runs in `r`. */
ig_code ig_lab_cell_costs(ig_costs *c, const ig_experiment *e, const ig_results *r, ig_err *err);

/* Brings the store up to date with the run folders, then reads what the report needs. Where the
 * texts are not there the runs are those that the store knows. Results of files are those of the
 * experiment's cells and seeds as they are now, others are counted in a line of the log; a file
 * that has none of the experiment is IG_ERR_INPUT. A finished run that was measured or fine-tuned
 * otherwise than the experiment asks counts as not run, and a line of the log says so, why, and by
 * which command it is mended; what results of files do not have is not held against them. An
 * unknown table, cell or axis is IG_ERR_USAGE with the nearest. Runs that must not be averaged are
 * not (docs of report/results/results.h). Free with ig_lab_report_close, also after an error. */
ig_code ig_lab_report_open(ig_lab_report *r, const ig_experiment *e, const char *store,
                           const ig_lab_report_options *o, ig_err *err);
void ig_lab_report_close(ig_lab_report *r);

/* {"isoglot_report": 1, "experiment", …, "cells", "tables", "onsets", "claims", "notes"};
 * docs/report.md. NULL: no memory. */
json_t *ig_lab_report_json(const ig_lab_report *r);
/* When the curves of figure i set in, in words; freed with free; NULL: nothing to say. */
char *ig_lab_report_onset(const ig_lab_report *r, int i);

/* Why a cell is not run here ("takes a CPU weeks …"); NULL: no reason. */
const char *ig_lab_report_needs(const ig_cell *c);
/* Adds to a table of the report why those of its rows that lack runs are not run here. */
void ig_lab_report_explain(ig_table *t, const ig_lab_report *r, int table);

/* Returns the command shown on the page and in the terminal for continuing: `isoglot run FILE …`
 * with the options of this experiment; `only` names cells (NULL: all). Freed with ig_free. */
ig_code ig_lab_report_command(char **out, const ig_lab_report *r, const char *command,
                              const char *only, ig_err *err);

/* Writes results as `isoglot export` does (docs/formats.md). Runs of a cell that must not be
 * averaged are IG_ERR_INPUT. */
typedef enum { IG_EXPORT_JSONL, IG_EXPORT_CSV, IG_EXPORT_EVENTS } ig_export_format;
typedef struct {
    ig_export_format format;
    const char *dir; /* of IG_EXPORT_EVENTS, whose FILE is not read: DIR/EXPERIMENT/CELL/seed-N/ */
    const char *store; /* whose logs have the losses of IG_EXPORT_EVENTS; NULL: none */
    bool all;          /* everything that was measured of finished models */
    bool steps;        /* what curves show, at every checkpoint too (report with IG_LAB_FIGURES) */
} ig_lab_export_options;
/* Exports the values shown in the report's tables and figures for its cells and seeds. */
ig_code ig_lab_export(FILE *fp, const ig_lab_report *r, const ig_lab_export_options *o,
                      ig_err *err);
/* All of an experiment of a store or a file of results, without its own file; `all` is not read,
 * `steps` is of everything. As JSON lines without the runs' settings, which nobody but the
 * experiment's file knows. */
ig_code ig_lab_export_source(FILE *fp, const ig_lab_source *s, const ig_lab_export_options *o,
                             ig_err *err);

/* DIR/index.html, with the figures inside. */
ig_code ig_lab_report_page(const ig_lab_report *r, const char *dir, ig_err *err);
/* Calls a function for each experiment DIR/FOLDER/FILE.yaml that may have claims. IG_ERR_INPUT:
 * there is none. */
typedef ig_code ig_lab_file_fn(void *user, const char *path, ig_err *err);
ig_code ig_lab_replication_files(const char *dir, ig_lab_file_fn *each, void *user, ig_err *err);
/* Puts the claims of each experiment DIR/FOLDER/FILE.yaml as each file of results beside it decides
 * them, then counts the claims of papers by their verdict over all of these. */
typedef ig_code ig_lab_claims_put(void *user, const ig_experiment *e, const ig_claim_results *c,
                                  ig_err *err);
ig_code ig_lab_replication_claims(const char *dir, ig_lab_claims_put *put, void *user,
                                  int n_verdict[IG_PAGE_N_VERDICT], ig_err *err);
/* TO/index.html: every claim of the experiments DIR/FOLDER/FILE.yaml, decided by the results that
 * lie in results/ beside each. */
ig_code ig_lab_replication_page(const char *dir, const char *to, ig_err *err);
/* DIR/NAME.svg, .pdf, .png of each figure, .svg alone where there is no librsvg; *n_file of them.
 * A figure that cannot be drawn is logged and does not stop the others. */
ig_code ig_lab_report_figures(int *n_file, const ig_lab_report *r, const char *dir, ig_err *err);
