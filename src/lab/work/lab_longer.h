/* SPDX-License-Identifier: Apache-2.0
 *
 * A run that is as another one of the store but for more updates goes on from it.
 */
#pragma once

#include "lab/work/lab_kind.h"

/* Gives a run that has not begun the last checkpoint and the log of the longest finished run that
 * differs from it in fewer updates alone, where a longer run has the rates of a shorter one
 * (schedules constant and inverse-sqrt) and nothing is measured or kept on the way: so it has the
 * bits of a run from the start. longer.json says from which run. Nothing that fits: nothing is
 * done.
 */
ig_code ig_lab_go_on(const ig_lab_work *w, ig_err *err);
/* {"run": ADDRESS, "updates": N} of a run that went on; NULL: it did not. */
json_t *ig_lab_went_on(const char *dir);
