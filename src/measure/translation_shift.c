/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of translation by the difference of two languages' means, which is taken where means
 * are learned (measure/words/measure_shift.h); docs/edits.md.
 */
#include "measure/measure_list.h"

#define AT(task, sign, alpha, said)                                                                \
    {                                                                                              \
        task "_at_" #alpha, sign " α" #alpha,                                                      \
            said " of the text shifted by " #alpha " times the difference of means",               \
            IG_LAYER_SHARE                                                                         \
    }
#define SWEEP(task, sign, said)                                                                    \
    AT(task, sign, 0, said), AT(task, sign, 1, said), AT(task, sign, 2, said),                     \
        AT(task, sign, 3, said)

const ig_store_task ig_numbers_shift[] = {SWEEP("bleu1", "BLEU-1", "BLEU-1"),
                                          SWEEP("convert_rate", "convert", "convert rate"),
                                          SWEEP("gold", "gold", "share of right tokens"),
                                          {0}};
const ig_measure_kind ig_measure_kind_shift = {.number = ig_numbers_shift, .n_shown = 4};

/* Shift by alpha −1 is a measure of its own, which results that only have `shift` do not include.
 */
#define AWAY(task, sign, said)                                                                     \
    {                                                                                              \
        task "_at_minus_1", sign " α−1",                                                           \
            said " of the text shifted by the difference of means away from the other "            \
                 "language",                                                                       \
            IG_LAYER_SHARE                                                                         \
    }

const ig_store_task ig_numbers_away[] = {AWAY("bleu1", "BLEU-1", "BLEU-1"),
                                         AWAY("convert_rate", "convert", "convert rate"),
                                         AWAY("gold", "gold", "share of right tokens"),
                                         {0}};
const ig_measure_kind ig_measure_kind_away = {.number = ig_numbers_away, .n_shown = 3};
