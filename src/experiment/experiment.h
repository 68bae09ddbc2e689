/* SPDX-License-Identifier: Apache-2.0
 *
 * An experiment file: base configuration, axes, cells, seeds, what to measure, what to report
 * (docs/experiments.md is the format). Reading it gives every cell as resolved settings of a run;
 * the file's own text is not needed afterwards.
 */
#pragma once

#include "base/settings/yaml_tree.h"
#include "base/sha256.h"
#include "corpus/world/world_task.h"
#include "finetune/input/finetune_config.h"
#include "report/table/claim.h"
#include "report/table/spec.h"
#include "run/measure/measure_plan.h"
#include "run/run_config.h"

typedef enum {
    IG_NEEDS_GPU = 1,  /* base size: runs, on the CPU, only when it is asked for by name */
    IG_NEEDS_EMBED = 2 /* static embeddings, which are trained before it; said for the reader */
} ig_cell_needs;

/* A cell: a named difference from the base, crossed with a value of every axis. */
typedef struct {
    const char *name; /* "8", "batch=64", "8/batch=64": unique in the experiment */
    /* The difference to the base, in the option table's order: "lang-pos; shift-special;
     * no-random", "original" for none. */
    const char *label;
    const char *title; /* the file's own words for it; NULL */
    const char *file;  /* that it stands in: the experiment's, or one that is extended */
    uint32_t line;
    unsigned needs;       /* of ig_cell_needs */
    ig_run_config config; /* resolved; .seed is of seed[0]; .out and .threads are not set */
    int64_t *seed;        /* the experiment's, or the cell's own */
    int n_seed;
    int parent;       /* the cell whose weights it starts from (`from: {cell: NAME}`); −1: none */
    const char **key; /* options in which it differs from the base, table order */
    int n_key;
} ig_cell;

/* The most seeds of a fine-tuning, ways of fine-tuning for one task, characters of a way's name. */
enum { IG_EXPERIMENT_TUNINGS = 32, IG_EXPERIMENT_GRID = 64, IG_EXPERIMENT_WAY = 48 };

/* One way of fine-tuning for a task: a point of the grid that lists of values span. */
typedef struct {
    char name[IG_EXPERIMENT_WAY]; /* "lr=1e-5/batch=16"; "": there is no other */
    ig_finetune_config config;    /* settings of the file; model, task, out and seed are not set */
    unsigned char given[IG_OPTION_MAX];
    /* An `edit` that names files has here the edit with the paths that are read (NULL: it names
     * none), and the files whose bytes count. */
    char *edit, **edit_file;
    int n_edit_file;
    /* Hash of the task's files and the settings, without the seeds; "": files cannot be read. */
    char key[IG_MEASURE_TEXT_KEY];
} ig_experiment_tuning;

/* A task that the trained model of each cell is fine-tuned for, how, and with which seeds
 * (`tasks:`). */
typedef struct {
    char name[IG_MEASURE_TEXT_NAME];
    char *file;                  /* TASK.yaml; NULL: of the run's own world, … */
    const char *root;            /* below which its files may lie; borrowed */
    ig_world_task_options world; /* … these examples */
    ig_experiment_tuning *tuning;
    int n_tuning;
    int64_t *seed;
    int n_seed;
} ig_experiment_task;

typedef struct {
    ig_yaml_pool *pool; /* the memory of texts and arrays, and of the file itself */
    const char *path;   /* of the file, for messages */
    /* The file's name without folders and suffix; after it ":variant,variant" if any was requested,
     * then ";key=value" of what was set. */
    const char *name;
    const char *applied; /* variants, joined by commas; NULL: none */
    const char **set;    /* what a command line set, "key=value" */
    int n_set;
    char **remark; /* possibly unexpected effects of variants, a line each */
    int n_remark;
    const char *data_root; /* put before relative paths of texts and vocabularies */
    const char *title, *question, *paper, *note;
    const char **variant; /* names of those there are, requested or not */
    int n_variant;
    ig_cell *cell;
    int n_cell;
    int base; /* the cell without differences, or −1 */
    ig_measure_plan measure;
    ig_experiment_task *task; /* that the models are fine-tuned for */
    int n_task;
    ig_report_spec report; /* paths of reference files: resolved against the file they stand in */
    ig_claim *claim;
    int n_claim;
} ig_experiment;

/* `variants`: names of entries of `variants:`, applied in the given order; `data_root` is put
 * before relative paths of texts and vocabularies (NULL: ig_data_root's). Existence of data is
 * checked by ig_experiment_check, not here. Every mistake of the file is one line with file and
 * line: IG_ERR_USAGE, or IG_ERR_IO for a file that it names and that cannot be read. */
ig_code ig_experiment_read(ig_experiment *e, const char *path, const char *const *variant,
                           int n_variant, const char *data_root, ig_err *err);
/* The same with keys that have the last word over base, cells and axes: "key=value" (isoglot run
 * --set), an option of a run or `seeds`; a mistake in them is at "--set". */
#define IG_EXPERIMENT_STDIN "/dev/stdin" /* what it extends is below the working directory */
typedef struct {
    const char *const *variant;
    int n_variant;
    const char *const *set;
    int n_set;
    const char *data_root;
} ig_experiment_request;
ig_code ig_experiment_read_request(ig_experiment *e, const char *path,
                                   const ig_experiment_request *a, ig_err *err);
/* Returns whether results of that name are the experiment's: settings may stand in another order.
 */
bool ig_experiment_is_named(const ig_experiment *e, const char *name);
/* That the files of the cells are there; a missing one names the way to get it (`isoglot fetch`, a
 * variant of the experiment that needs none) and, unless all cells take it, the cell. */
ig_code ig_experiment_check(const ig_experiment *e, ig_err *err);
/* Puts the file and the cell before an error that names what it was about alone; its code. */
ig_code ig_experiment_at_cell(const ig_experiment *e, int cell, ig_err *err);
void ig_experiment_free(ig_experiment *e);

/* The experiment as resolved JSON: cells with their full settings, labels, seeds; for --dry-run
 * --json and the page. NULL: no memory. */
json_t *ig_experiment_json(const ig_experiment *e);
/* {TASK: {"file", "seeds", "ways": [{"name", "settings"}]}}: how each task is tuned for. */
json_t *ig_experiment_tasks_json(const ig_experiment *e);

/* The settings of one seed of a cell: a deep copy, freed with ig_run_config_free. */
ig_code ig_experiment_config(ig_run_config *out, const ig_experiment *e, int cell, int64_t seed,
                             ig_err *err);

/* Address of a run: first 16 digits of the SHA-256 of its deciding options as canonical JSON
 * (those without their default), where each text and vocabulary is replaced by the SHA-256 of
 * its bytes; so neither where data lie nor how the run is run changes it. Options that decide only
 * how measures are taken (perplexity-average, translation-words, pooling) count too. `c` is
 * resolved. Hashes of files are kept in `cache` (may be NULL). */
enum { IG_ADDRESS = 17 };
typedef struct ig_hash_cache ig_hash_cache;
ig_code ig_hash_cache_new(ig_hash_cache **c, ig_err *err);
/* With this one files count by their last names in place of their bytes: what is an address
 * otherwise then depends on the settings alone, on a machine without the texts too. */
ig_code ig_hash_cache_new_by_name(ig_hash_cache **c, ig_err *err);
void ig_hash_cache_free(ig_hash_cache *c);
/* SHA-256 of a file, from the cache (may be NULL) while it is the same file of that size and time.
 */
ig_code ig_hash_cache_file(char hex[IG_SHA256_HEX], const char *path, ig_hash_cache *cache,
                           ig_err *err);
ig_code ig_run_address(char address[IG_ADDRESS], const ig_run_config *c, ig_hash_cache *cache,
                       ig_err *err);
/* The addresses of the same settings with each of the seeds; a list of thousands is made this way.
 */
ig_code ig_run_addresses(char (*out)[IG_ADDRESS], const ig_run_config *c, const int64_t *seed,
                         int n_seed, ig_hash_cache *cache, ig_err *err);
/* The address of a run's data: of the options that decide vocabulary and shards alone. */
ig_code ig_data_address(char address[IG_ADDRESS], const ig_run_config *c, ig_hash_cache *cache,
                        ig_err *err);

/* Cells and seeds that a selector names: "8", "8,1?", "8:0", "*:0-2", "batch=64", "lang-pos"
 * (a label's part); several joined by ",". on[cell * stride + i] is of the cell's seed[i]; freed
 * with ig_free. An empty selection is IG_ERR_USAGE and lists the cells. */
ig_code ig_experiment_select(bool **on, int64_t *stride, const ig_experiment *e,
                             const char *selector, ig_err *err);
/* Returns whether a cell has that pair of languages, in this order, and it is measured. */
bool ig_experiment_pair_measured(const ig_experiment *e, const ig_cell *c, const char *name);
