/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of commands that read the hidden states of sentences in a model.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/states.h"
#include "apply/states_file.h"
#include "base/settings/options.h"
#include "model/device/device_name.h"

/* Rows for the member f, an ig_states_options, of a command's struct: how the model computes, in a
 * group of the help (NULL: that of the row before); */
#define IG_STATES_HOW(type, f, heading)                                                            \
    {.group = (heading),                                                                           \
     IG_FLAG(type, "lowercase", f.lowercase, NULL,                                                 \
             "as an uncased BERT; default as the model's tokenizer_config.json says")},            \
        {IG_UNKNOWN_OPTION(type, f.allow_unknown)},                                                \
        {IG_ENUM(type, "precision", f.precision, "float32", ig_precision_names,                    \
                 "of operands of matrix products")},                                               \
        {IG_DEVICE_OPTION(type, f.device)},                                                        \
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

/* Parse LANGUAGE=FILE of one --text (or another option), whose path is borrowed; and all of them,
 * into out[IG_NAMED_TEXTS_MAX]. */
ig_code ig_states_text_parse(ig_named_text *out, const char *text, const char *option, ig_err *err);
ig_code ig_states_texts(ig_named_text *out, const ig_text_list *list, ig_err *err);

/* A row for the member f, an ig_text_list, of files in place of a model; and parses them into
 * file[IG_NAMED_TEXTS_MAX]. IG_ERR_USAGE beside a model, a path. */
#define IG_STATES_FILES(type, f)                                                                   \
    {                                                                                              \
        IG_TEXTS(type, "states", f, "L=FILE",                                                      \
                 "hidden states of language L's sentences, a safetensors file of any program "     \
                 "(docs/formats.md), once for each language, in place of a model")                 \
    }
ig_code ig_states_files_take(ig_states_files *out, ig_named_text *file, const ig_text_list *list,
                             const char *model, ig_err *err);
