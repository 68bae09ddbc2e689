/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of measures as arrays, and the numbers that several of them give together.
 */
#include "measure/measure_list.h"

#include <string.h>

#define KIND(name, by_default, help) &ig_measure_kind_##name,
const ig_measure_kind *const ig_measure_kinds[] = {IG_MEASURES(KIND)};
#define NAME(name, by_default, help) #name,
const char *const ig_measure_names[] = {IG_MEASURES(NAME)};
#define HELP(name, by_default, help) help,
const char *const ig_measure_helps[] = {IG_MEASURES(HELP)};

/* Numbers that combine several measures. */
static const ig_store_task of_several[] = {
    {"mu", "μ", "mean of ρ and τ at the two layers of μ", .version = 1, .version_listed = 2,
     .split = "dev", .pair = true, .better = 1, .share = true},
    {"mu_distinct", "μ distinct", "mean of ρ and tau_distinct at the two layers of μ", .version = 1,
     .version_listed = 2, .split = "dev", .pair = true, .better = 1, .share = true},
    {"identical_share", "identical",
     "share of the dictionary's entries that are one piece in both languages", .version = 1,
     .version_listed = 2, .split = "dev", .pair = true, .share = true},
    {"mu_low", "lower layer of μ", "number of the lower layer of μ", .version = 1, .split = "dev",
     .pair = true},
    {"mu_high", "upper layer of μ", "number of the upper layer of μ", .version = 1, .split = "dev",
     .pair = true},
    {0}};

#define LIST(name, by_default, help) ig_numbers_##name,
const ig_store_task *const ig_store_task_lists[] = {of_several, IG_MEASURES(LIST) NULL};

ig_measure_set ig_measure_by_default(void)
{
    ig_measure_set set = 0;
#define BIT(name, by_default, help) set |= (by_default) ? IG_MEASURE_BIT(name) : 0;
    IG_MEASURES(BIT)
    return set;
}

int ig_measure_find(const char *name)
{
    for (int i = 0; i < IG_MEASURE_N; i++)
        if (strcmp(ig_measure_names[i], name) == 0)
            return i;
    return -1;
}

int ig_measure_of_task(const char *task)
{
    for (int i = 0; i < IG_MEASURE_N; i++)
        for (const ig_store_task *t = ig_measure_kinds[i]->number; t->name != NULL; t++)
            if (strcmp(t->name, task) == 0)
                return i;
    return -1;
}
