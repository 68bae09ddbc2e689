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

ig_code ig_measure_vectors(const ig_measure_out *out, size_t field, const ig_vector_pair *v,
                           ig_measure_set what, const ig_retrieval_with *with, ig_err *err)
{
    ig_measure_out to = *out;
    for (int k = 0; k < IG_MEASURE_N; k++) {
        ig_measure_layer_fn *of;
        memcpy(&of, (const char *)ig_measure_kinds[k] + field, sizeof of);
        to.number = ig_measure_kinds[k]->number;
        if (of != NULL && ig_measure_requested(what, k))
            IG_TRY(of(&to, v, with, err));
    }
    return IG_ERR_OK;
}

int64_t ig_measure_parallel(const ig_measure_options *o, const ig_corpus *text)
{
    const int64_t most[] = {ig_corpus_n_sequence(text, o->a), ig_corpus_n_sequence(text, o->b)};
    int64_t n = most[0] < most[1] ? most[0] : most[1];
    if (o->max_sentence > 0 && n > o->max_sentence)
        n = o->max_sentence;
    for (int64_t i = 0; i < n; i++)
        if (!ig_corpus_parallel(text, o->a, o->b, i))
            return 0;
    return n;
}
