/* SPDX-License-Identifier: Apache-2.0
 *
 * What the figures of a model share: the opened run, the vectors of its content tokens.
 */
#pragma once

#include "run/measure/open_run.h"
#include "lab/report/run_figure.h"

typedef struct {
    ig_figure *f;
    const ig_run_figure_options *o;
    const char *name;
    json_t *numbers;
    ig_open_run run;
    const ig_language *language[2]; /* a and b */
    const ig_corpus *corpus;        /* the development text's */
} ig_look;

/* The title of a panel: the name, what else it is, both or none. */
ig_code ig_look_title(ig_look *l, const char **out, ig_err *err, const char *more);
/* Takes an object over; NULL, or an array that is not wanted, is fine. */
ig_code ig_look_numbers(ig_look *l, json_t *numbers, ig_err *err);
/* Whether an id is a word or a piece of one; else a special token, shared or of a block. */
bool ig_look_is_content(const ig_look *l, int language, int32_t id);
/* "PC 1 (23 %)" */
ig_code ig_look_axis(ig_look *l, const char **out, int component, double share, ig_err *err);

ig_code ig_look_states(ig_look *l, ig_err *err);
ig_code ig_look_alignment(ig_look *l, ig_err *err);
