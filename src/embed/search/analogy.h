/* SPDX-License-Identifier: Apache-2.0
 *
 * Analogies: "a is to b as c is to ?" (Mikolov et al. 2013, questions-words.txt).
 */
#pragma once

#include "base/threads/team.h"
#include "embed/vectors/vectors.h"
#include "tensor/ops.h"

#include <stdbool.h>

typedef struct {
    char *name;        /* after the colon; "" before the first section */
    int64_t n;         /* questions of the file */
    int64_t n_covered; /* all four words have a vector */
    int64_t n_add;     /* answered right by 3CosAdd: argmax cos(x,b) − cos(x,a) + cos(x,c) */
    int64_t n_mul; /* by 3CosMul (Levy & Goldberg, CoNLL 2014, eq. 4): argmax cos(x,b) cos(x,c) /
                    * (cos(x,a) + 0.001), cosines moved to 0 … 1 */
} ig_analogy_section;

typedef struct {
    ig_analogy_section *section;
    int64_t n_section;
    ig_analogy_section all; /* the sums of all sections; name NULL */
} ig_analogy_result;

/* A question is four words between blanks; ": name" starts a section. v: rows of length one. Words
 * of the question are no answers; the earlier word wins ties. IG_ERR_INPUT with file and line: a
 * line of another number of words, a file without questions. Freed with ig_analogy_free. */
ig_code ig_analogy(ig_analogy_result *out, const ig_vectors *v, const char *path, bool lowercase,
                   ig_team *team, ig_err *err);
void ig_analogy_free(ig_analogy_result *r);
