/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a pipeline, "drop:20 | invert", and of the arguments of a step: the syntax that
 * transforms of words and those of pieces share.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    IG_STEP_ARGS = 4,
    IG_FILE_NAME = 32, /* bytes of the name of a file */
    IG_UNSET = -1,
    IG_REQUIRED = -2
};

/* The type of an argument. The number of a choice is the place of its word among the names. */
typedef enum { IG_ARG_SHARE, IG_ARG_COUNT, IG_ARG_CHOICE, IG_ARG_FILE } ig_step_arg_kind;
typedef struct {
    ig_step_arg_kind kind;
    const char *name; /* in messages and in help: "SHARE"; "anchors=SHARE" if the text has the part
                       * up to = too; of a choice its words, "first|second" */
    double def;       /* IG_REQUIRED: there is none */
    double min, max;
    const char *only; /* another spelling, IG_UNSET: "function" of drop */
} ig_step_arg;

/* Reads the text after the colon of transform `name` (NULL: no colon), which is changed. arg[
 * IG_STEP_ARGS] is ended by a NULL name; `number` gets the values in their order,
 * file[IG_FILE_NAME] the name of a file (NULL: there is no such argument). */
ig_code ig_step_args_read(double *number, char *file, const char *name, const ig_step_arg *arg,
                          char *text, const char *where, ig_err *err);
/* Writes NAME and the arguments up to the last that is not the default, such that they are read as
 * the same. */
void ig_step_args_print(char *out, size_t size, const char *name, const ig_step_arg *arg,
                        const double *number, const char *file);
/* Writes "SHARE[,COUNT]": the arguments for help. */
void ig_step_args_form(char *out, size_t size, const ig_step_arg *arg);

/* A step: its name ("" between two adjacent bars) and the text after its colon (NULL: no colon).
 * Both may be changed. */
typedef ig_code ig_step_reader(void *pipeline, char *name, char *arg, const char *where,
                               ig_err *err);

typedef struct {
    const char *text, *blanks;
} ig_pipeline_text;
/* Returns the number of characters between two places of a text of UTF-8. */
int ig_pipeline_n_character(const char *from, const char *to);
/* Passes every step to `read`, in order; none for NULL and for a blank text. With `first` > 0 the
 * message of an error begins with the position of its step, of which `first` is the text's first
 * character. */
ig_code ig_pipeline_read(void *pipeline, ig_pipeline_text of, ig_step_reader *read,
                         const char *where, int first, ig_err *err);
