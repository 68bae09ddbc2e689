/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that the commands on word alignments share: how files are read, and how τ is computed.
 */
#pragma once

#include "base/settings/options.h"

typedef struct {
    int64_t base;
    int variant; /* ig_variant */
    bool possible;
} ig_order_config;

extern const char *const ig_variant_names[]; /* fixed, paper-text, paper-code; NULL-terminated */

#define IG_BASE_OPTION(config, field)                                                              \
    {                                                                                              \
        IG_INT_AS(config, "base", field, "0", "0|1", 0, 1,                                         \
                  "number of a sentence's first word in the files")                                \
    }

#define IG_ORDER_OPTIONS(config, field)                                                            \
    IG_BASE_OPTION(config, field.base),                                                            \
        {IG_ENUM(config, "variant", field.variant, "fixed", ig_variant_names,                      \
                 "what tau of a sentence is (docs/measures.md)")},                                 \
    {                                                                                              \
        IG_FLAG(config, "possible", field.possible, NULL,                                          \
                "count possible links like sure ones; else they are passed over")                  \
    }
