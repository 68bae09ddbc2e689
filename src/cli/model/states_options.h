/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of commands that read the hidden states of sentences in a model.
 */
#ifndef IG_CLI_MODEL_STATES_OPTIONS_H
#define IG_CLI_MODEL_STATES_OPTIONS_H

#include "base/settings/options.h"
#include "run/measure/named_texts.h"
#include "run/measure/states.h"

typedef struct {
    char *model;
    bool lowercase;
    int precision;
    int64_t threads;
} ig_states_config;

/* Rows for the member f of a command's struct. */
#define IG_STATES_OPTIONS(type, f)                                                                 \
    {.name = "model",                                                                              \
     .kind = IG_OPT_PATH,                                                                          \
     .offset = offsetof(type, f.model),                                                            \
     .value = "DIR",                                                                               \
     .help = "a run, one of its checkpoints, or a Hugging Face BERT's folder",                     \
     .group = "Model"},                                                                            \
        {.name = "lowercase",                                                                      \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, f.lowercase),                                                    \
         .help = "as an uncased BERT; default as the model's tokenizer_config.json says"},         \
        {.name = "precision",                                                                      \
         .kind = IG_OPT_ENUM,                                                                      \
         .offset = offsetof(type, f.precision),                                                    \
         .def = "float32",                                                                         \
         .help = "of operands of matrix products",                                                 \
         .names = ig_precision_names},                                                             \
    {                                                                                              \
        .name = "threads", .kind = IG_OPT_INT, .offset = offsetof(type, f.threads), .def = "0",    \
        .value = "N", .help = "threads; 0: all processors; the numbers are the same for any",      \
        .max = 1024                                                                                \
    }

/* No model is IG_ERR_USAGE. */
ig_code ig_states_config_resolve(ig_states_options *o, const ig_states_config *c, ig_err *err);

/* LANGUAGE=FILE of one --text, whose path is borrowed; and of all of them, into
 * out[IG_NAMED_TEXTS_MAX]. */
ig_code ig_states_text_parse(ig_named_text *out, const char *text, ig_err *err);
ig_code ig_states_texts(ig_named_text *out, const ig_text_list *list, ig_err *err);

#endif
