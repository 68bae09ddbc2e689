/* SPDX-License-Identifier: Apache-2.0
 *
 * The main experiment in five minutes on two cores: a generated world in one language, its
 * index-shifted copy, and four models over the two that differ in one thing each.
 */
#pragma once

#include "run/train/run_train.h"

enum { IG_DEMO_N_RUN = 4 };

/* The runs in the order of the table. */
typedef enum {
    IG_DEMO_ORIGINAL,
    IG_DEMO_SEPARATE,
    IG_DEMO_INVERTED,
    IG_DEMO_UNTRAINED
} ig_demo_kind;

const char *ig_demo_name(ig_demo_kind kind); /* of its folder */
const char *ig_demo_what(ig_demo_kind kind); /* one line */

typedef struct {
    const char *out; /* folder; a folder per run in it */
    int64_t seed, threads;
    double scale; /* of the number of updates; 1 */
    const volatile sig_atomic_t *stop;
    /* Called before each run; may be NULL. */
    void (*begin)(void *arg, ig_demo_kind kind, const ig_run_config *c);
    void *arg;
} ig_demo_options;

typedef struct {
    ig_run_result run[IG_DEMO_N_RUN];
    double seconds;
    char *sample[2]; /* a sentence in pieces, in the language and in its copy; freed with
                        ig_demo_free */
} ig_demo_result;

/* Goes on where an earlier call in the same folder was stopped. */
ig_code ig_demo_run(ig_demo_result *r, const ig_demo_options *o, ig_err *err);
void ig_demo_free(ig_demo_result *r);
/* {"original": {…}, …}, each as in a run's eval.json. NULL: no memory. */
json_t *ig_demo_json(const ig_demo_result *r);
