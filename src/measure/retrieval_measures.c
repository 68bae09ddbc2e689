/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval among the vectors of a layer as measures: of parallel sentences (ρ), of the words of a
 * dictionary (τ), and of those of them that are not one piece in both languages (Dufter & Schütze
 * 2020, §2.2.1, A.1; docs/measures.md).
 */
#include "measure/measure_list.h"

/* The numbers of a retrieval both ways; `by`: their version by a dictionary that is a file, `of`:
 * what is retrieved, `brief`: how the ways call it. */
#define NUMBERS(task, sign, by, of, brief)                                                         \
    {task, sign, of ", mean of P@1 both ways", IG_LAYER_SHARE, .version_listed = by},              \
        {task "_forward", sign "→", brief ", P@1 from the first language", IG_LAYER_SHARE,         \
         .version_listed = by},                                                                    \
        {task "_backward", sign "←", brief ", P@1 from the second language", IG_LAYER_SHARE,       \
         .version_listed = by},                                                                    \
        {task "_at_5", sign "@5", brief ", mean of P@5 both ways", IG_LAYER_SHARE,                 \
         .version_listed = by},                                                                    \
    {                                                                                              \
        task "_at_10", sign "@10", brief ", mean of P@10 both ways", IG_LAYER_SHARE,               \
            .version_listed = by                                                                   \
    }

static ig_code retrieve(const ig_measure_out *out, const ig_vector_pair *v,
                        const ig_retrieval_with *with, ig_err *err)
{
    const ig_store_task *number = out->number;
    ig_retrieval_score s;
    IG_TRY(ig_retrieval_run(&s, v, with, err));
    const ig_retrieval_way *a = &s.way[0], *b = &s.way[1];
    const double value[] = {s.mean, a->p[0], b->p[0], (a->p[1] + b->p[1]) / 2,
                            (a->p[2] + b->p[2]) / 2};
    enum { N = sizeof value / sizeof *value, BACKWARD = 2 };
    for (int i = 0; i < N; i++)
        IG_TRY(ig_measure_put(out, number[i].name, (i == BACKWARD ? b : a)->n_candidate, value[i],
                              err));
    if (number[N].name == NULL)
        return IG_ERR_OK;
    return ig_measure_put(out, number[N].name, a->n_query + b->n_query,
                          (double)(a->n_tie + b->n_tie), err);
}

const ig_store_task ig_numbers_retrieval[] = {
    NUMBERS("rho", "ρ", 0, "sentence retrieval", "sentence retrieval"),
    {"rho_ties", "ties", "sentences with a wrong candidate exactly as similar as the right one",
     .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true},
    {0}};

const ig_measure_kind ig_measure_kind_retrieval = {.sentences = retrieve,
                                                   .number = ig_numbers_retrieval};

const ig_store_task ig_numbers_translation[] = {
    NUMBERS("tau", "τ", 2, "word translation", "word translation"), {0}};

const ig_measure_kind ig_measure_kind_translation = {.words = retrieve,
                                                     .number = ig_numbers_translation};

const ig_store_task ig_numbers_distinct[] = {
    NUMBERS("tau_distinct", "τ distinct", 2,
            "word translation without words that are one piece in both languages", "tau_distinct"),
    {0}};

const ig_measure_kind ig_measure_kind_distinct = {
    .words_apart = retrieve, .number = ig_numbers_distinct, .n_shown = 1};
