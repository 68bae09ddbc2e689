/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a pipeline, "drop:20 | invert": what transforms of words and those of pieces have in
 * common before they know which transform a step is.
 */
#pragma once

#include "isoglot/error.h"

/* A step: its name ("" where nothing stands between two bars) and what stands behind its colon
 * (NULL: no colon). Both may be changed. */
typedef ig_code ig_step_reader(void *pipeline, char *name, char *arg, const char *where,
                               ig_err *err);

typedef struct {
    const char *text, *blanks;
} ig_pipeline_text;
/* Hands every step to `read`, in order; none of NULL and of a text of blanks. With `first` > 0 the
 * message of an error begins with the place of its step, of which `first` is the text's first
 * character. */
ig_code ig_pipeline_read(void *pipeline, ig_pipeline_text of, ig_step_reader *read,
                         const char *where, int first, ig_err *err);
