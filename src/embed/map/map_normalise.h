/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalises the vectors of a language before they are mapped: lengths and means, in the order
 * given (Artetxe, Labaka, Agirre, "Learning principled bilingual mappings of word embeddings while
 * preserving monolingual invariance", EMNLP 2016), and the two in turns until both hold (Zhang et
 * al., "Are girls neko or shōjo? Cross-lingual alignment of non-isomorphic embeddings with
 * iterative normalization", ACL 2019).
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/error.h"

#include <stdint.h>

typedef enum {
    IG_STEP_NONE,
    IG_STEP_UNIT,              /* each vector / its length; a zero vector stays */
    IG_STEP_CENTER,            /* less the mean vector */
    IG_STEP_UNIT_DIMENSIONS,   /* each dimension / its length over the words */
    IG_STEP_CENTER_DIMENSIONS, /* each vector less the mean of its values */
    IG_STEP_ITERATIVE,         /* unit and center in turns, until both hold */
    IG_STEP_N
} ig_step;
extern const char *const ig_step_names[]; /* none unit center unit-dimensions … iterative, NULL */

enum { IG_STEPS_MAX = 16, IG_STEP_ROUNDS = 50 };

typedef struct {
    int n;
    ig_step step[IG_STEPS_MAX];
} ig_steps;

/* "unit,center,unit". `where` names the option in messages. */
ig_code ig_steps_parse(ig_steps *out, const char *text, const char *where, ig_err *err);

/* Records the steps so that they can be applied to other vectors; ITERATIVE is stored as its single
 * steps. Zeroed; freed with ig_steps_done_free. NULL where it is not needed. */
typedef struct {
    int n, d;
    int64_t have;
    ig_step *step; /* never ITERATIVE */
    int64_t have_value;
    double *value; /* [n, d] the mean (CENTER), the factors (UNIT_DIMENSIONS), else zeros */
} ig_steps_done;
void ig_steps_done_free(ig_steps_done *s);

typedef struct {
    float *x; /* [n, d] */
    int64_t n;
    int d;
} ig_map_side;
/* ITERATIVE ends when the mean's length is below 1e-6 after a unit step, or after
 * IG_STEP_ROUNDS rounds. Sums are in double and in a fixed order: the same bits for any team. */
ig_code ig_steps_apply(const ig_steps *s, ig_map_side of, ig_steps_done *done, ig_team *team,
                       ig_err *err);
