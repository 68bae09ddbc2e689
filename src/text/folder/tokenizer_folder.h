/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer of a model folder, as transformers' AutoTokenizer opens it: the class that the
 * folder names, the settings that this class reads from tokenizer_config.json, and the tokens that
 * are added.
 */
#pragma once

#include "text/tokenizer/template.h"

enum { IG_CLASS_NAME = 64 };

/* How a folder was opened, for those who print it. */
typedef struct {
    char class_name[IG_CLASS_NAME]; /* transformers' name; only the generic one ends in "Fast" */
    const char *class_from;         /* the file that names it, or "model_type" */
    const char *file;               /* vocab.txt or tokenizer.json */
    bool has_config;                /* there is a tokenizer_config.json */
    bool bert;                      /* the class splits words as BERT: it has the switches */
    bool case_given;                /* do_lower_case is given */
    bool types;                     /* a model gets token_type_ids, not zeros */
    bool
        needs_rules; /* a vocab.txt alone, of a model that transformers opens with tokenizer.json */
} ig_tokenizer_choice;

/* Opens a folder; `choice` may be NULL. options->lowercase requests lower case regardless of the
 * folder. Settings that transformers supports and isoglot does not are IG_ERR_INPUT. */
ig_code ig_tokenizer_folder_open(ig_tokenizer **out, ig_tokenizer_choice *choice, const char *dir,
                                 const ig_tokenizer_options *options, ig_err *err);

/* The inputs and length that a model was trained with. */
typedef enum { IG_TYPES_SAME, IG_TYPES_ZERO, IG_TYPES_PARTS } ig_tokenizer_types;
typedef struct {
    int64_t max_length;       /* the longest sequence */
    ig_tokenizer_types types; /* of its tokens */
} ig_tokenizer_use;

/* Writes the tokenizer of folder `from` into folder `to`: its files, and a tokenizer_config.json
 * that names the class, the switches of t and the use (NULL: as the source), so that transformers
 * opens the copy as it does the source. */
ig_code ig_tokenizer_folder_copy(const ig_tokenizer *t, const ig_tokenizer_choice *choice,
                                 const char *from, const char *to, const ig_tokenizer_use *use,
                                 ig_err *err);

/* Returns an object for --json, and a line of text for people; *text is freed with ig_free. */
json_t *ig_tokenizer_choice_json(const ig_tokenizer *t, const ig_tokenizer_choice *choice);
ig_code ig_tokenizer_choice_text(char **text, const ig_tokenizer *t,
                                 const ig_tokenizer_choice *choice, ig_err *err);
