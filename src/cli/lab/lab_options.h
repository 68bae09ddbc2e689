/* SPDX-License-Identifier: Apache-2.0
 *
 * Options shared by the commands about an experiment file: its variants, the data root, and the
 * store.
 */
#pragma once

#include "base/settings/options.h"
#include "experiment/experiment.h"

#include <stdio.h>

typedef struct {
    char *variant, *data, *store;
    ig_text_list set;
} ig_lab_place;

#define IG_LAB_PLACE_OPTIONS(type, field)                                                          \
    {.group = "Experiment",                                                                        \
     IG_TEXT(type, "variant", field.variant, NULL, "NAME,…",                                       \
             "variants of the file, applied in this order")},                                      \
        {IG_TEXTS(                                                                                 \
            type, "set", field.set, "KEY=VALUE",                                                   \
            "a key of isoglot train, or seeds, for all cells; may be given more than once")},      \
        {IG_PATH(                                                                                  \
            type, "data", field.data, "DIR",                                                       \
            "folder of the texts; none: $ISOGLOT_DATA, else where isoglot fetch writes them")},    \
    {                                                                                              \
        IG_PATH(type, "store", field.store, "DIR",                                                 \
                "folder of the results; none: $ISOGLOT_STORE, else isoglot-store")                 \
    }

/* Reads the file with its variants and settings, and says what of the variants may not be expected.
 */
ig_code ig_lab_place_read(ig_experiment *e, const char *file, const ig_lab_place *p, ig_err *err);

/* The options of the place again, for a command that is to be typed; "--store" last. */
void ig_lab_place_print(FILE *fp, const ig_lab_place *p);
/* There is no store (an error, to which it adds a hint) or nothing in it: says which results lie
 * beside the experiment, if any. Returns code. */
ig_code ig_lab_place_no_store(const ig_experiment *e, ig_code code, ig_err *err);
/* Says on the standard error which store is used, and whether it is new. */
void ig_lab_place_store(const char *store);
