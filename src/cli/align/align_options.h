/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands on word alignments share: options of reading them and of τ.
 */
#ifndef IG_CLI_ALIGN_ALIGN_OPTIONS_H
#define IG_CLI_ALIGN_ALIGN_OPTIONS_H

#include "base/settings/options.h"

typedef struct {
    int64_t base;
    int variant; /* ig_variant */
    bool possible;
} ig_order_config;

extern const char *const ig_variant_names[]; /* fixed, paper-text, paper-code; NULL-terminated */

#define IG_BASE_OPTION(config, field)                                                              \
    {                                                                                              \
        .name = "base", .kind = IG_OPT_INT, .offset = offsetof(config, field), .def = "0",         \
        .value = "0|1", .help = "number of a sentence's first word in the files", .min = 0,        \
        .max = 1                                                                                   \
    }

#define IG_ORDER_OPTIONS(config, field)                                                            \
    IG_BASE_OPTION(config, field.base),                                                            \
        {.name = "variant",                                                                        \
         .kind = IG_OPT_ENUM,                                                                      \
         .offset = offsetof(config, field.variant),                                                \
         .def = "fixed",                                                                           \
         .help = "what tau of a sentence is (docs/word-order.md)",                                 \
         .names = ig_variant_names},                                                               \
    {                                                                                              \
        .name = "possible", .kind = IG_OPT_FLAG, .offset = offsetof(config, field.possible),       \
        .help = "count possible links like sure ones; else they are passed over"                   \
    }

#endif
