/* SPDX-License-Identifier: Apache-2.0
 *
 * Says before isoglot run trains what its runs will lack.
 */
#pragma once

#include "experiment/experiment.h"
#include "lab/laboratory.h"

#include <jansson.h>
#include <stdio.h>

/* A line on standard output for each reason why μ cannot be computed, with the cells. */
void ig_run_print_no_mu(const ig_lab_plan *p);
/* [{"cell", "why"}, …]; NULL: no memory. */
json_t *ig_run_no_mu_json(const ig_lab_plan *p);
/* A message for each task whose heads have no kernels on a GPU: they are fine-tuned on the CPU. */
void ig_run_say_on_cpu(const ig_experiment *e);
/* A line for each claim that no run decides (ig_lab_claims_never), to fp; NULL: as a message. */
ig_code ig_run_say_never(FILE *fp, const ig_experiment *e, const ig_lab_plan *plan,
                         const char *selector, ig_err *err);
