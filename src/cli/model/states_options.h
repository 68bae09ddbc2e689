/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of commands that read the hidden states of sentences in a model.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/states.h"
#include "base/settings/options.h"

/* Rows for the member f, an ig_states_options, of a command's struct: how the model computes, in a
 * group of the help (NULL: that of the row before); */
#define IG_STATES_HOW(type, f, heading)                                                            \
    {.group = (heading),                                                                           \
     IG_FLAG(type, "lowercase", f.lowercase, NULL,                                                 \
             "as an uncased BERT; default as the model's tokenizer_config.json says")},            \
        {IG_UNKNOWN_OPTION(type, f.allow_unknown)},                                                \
        {IG_ENUM(type, "precision", f.precision, "float32", ig_precision_names,                    \
                 "of operands of matrix products")},                                               \
    {                                                                                              \
        IG_INT(type, "threads", f.n_thread, "0", 0, 1024,                                          \
               "threads; 0: all processors; the numbers do not depend on it")                      \
    }
/* and before these the model itself. */
#define IG_STATES_OPTIONS(type, f)                                                                 \
    {.group = "Model",                                                                             \
     IG_PATH(type, "model", f.model, "DIR",                                                        \
             "a run, one of its checkpoints, or a Hugging Face BERT's folder")},                   \
        IG_STATES_HOW(type, f, NULL)

/* No model is IG_ERR_USAGE. */
ig_code ig_states_options_check(const ig_states_options *o, ig_err *err);

/* Parse LANGUAGE=FILE of one --text, whose path is borrowed; and all of them, into
 * out[IG_NAMED_TEXTS_MAX]. */
ig_code ig_states_text_parse(ig_named_text *out, const char *text, ig_err *err);
ig_code ig_states_texts(ig_named_text *out, const ig_text_list *list, ig_err *err);
