/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the commands that read files of word vectors.
 */
#pragma once

#include "base/settings/options.h"

/* Rows for the member f, an ig_vec_how, of a command's struct: `words` are taken unless more are
 * requested, in a group of the help (NULL: that of the row before). */
#define IG_VECTOR_OPTIONS(type, f, words, heading)                                                 \
    {.group = (heading),                                                                           \
     .old = "first",                                                                               \
     IG_INT(type, "take", f.max_word, words, 0, 2e9,                                               \
            "read only the first N words of each file; 0: all")},                                  \
        {IG_ENUM(type, "format", f.format, "auto", ig_vec_format_names,                            \
                 "format of the files; auto: by their first bytes")},                              \
    {                                                                                              \
        IG_FLAG(type, "skip-bad", f.skip_bad, NULL,                                                \
                "leave out damaged rows of vectors (another number of values, values that are "    \
                "not finite), count and name them; bad words are left out in any case")            \
    }
