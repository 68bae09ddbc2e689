/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a pipeline, "drop:20 | invert": the syntax that transforms of words and those of
 * pieces share.
 */
#pragma once

#include "isoglot/error.h"

/* A step: its name ("" between two adjacent bars) and the text after its colon (NULL: no colon).
 * Both may be changed. */
typedef ig_code ig_step_reader(void *pipeline, char *name, char *arg, const char *where,
                               ig_err *err);

typedef struct {
    const char *text, *blanks;
} ig_pipeline_text;
/* Passes every step to `read`, in order; none for NULL and for a blank text. With `first` > 0 the
 * message of an error begins with the position of its step, of which `first` is the text's first
 * character. */
ig_code ig_pipeline_read(void *pipeline, ig_pipeline_text of, ig_step_reader *read,
                         const char *where, int first, ig_err *err);
