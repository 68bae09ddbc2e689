/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `lape`: neurons that are specific to one of two languages (Tang et al. 2024,
 * "Language-Specific Neurons", §2: language activation probability entropy; apply/inner_sums.h). By
 * layer: the mean entropy of the neurons that count, over log 2, so that 0 is active in one
 * language and 1 in both alike; and how many of the model's most specific hundredth are in this
 * layer, of either language.
 */
#include "apply/inner_sums.h"
#include "base/memory.h"
#include "measure/measure_list.h"

#include <math.h>
#include <stdlib.h>

/* Shares of the paper: of neurons that count as specific, and the quantile they must be above. */
static const double most_specific = .01, least_active = .95;

typedef struct {
    double entropy;
    int32_t at;
} entry;

static int by_entropy(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->entropy != y->entropy ? (x->entropy < y->entropy ? -1 : 1)
                                    : (x->at > y->at) - (x->at < y->at);
}

static ig_code put_layer(const ig_measure_out *out, const ig_specific *specific, const entry *top,
                         int n_top, int layer, int width, ig_err *err)
{
    double sum = 0, n = 0, of[2] = {0};
    for (int i = (layer - 1) * width; i < layer * width; i++)
        if (isfinite(specific[i].entropy)) {
            sum += specific[i].entropy / log(2);
            n++;
        }
    for (int i = 0; i < n_top; i++)
        if (top[i].at / width == layer - 1)
            of[specific[top[i].at].language]++;
    IG_TRY(ig_measure_put(out, "lape", (int64_t)n, n > 0 ? sum / n : (double)NAN, err));
    IG_TRY(ig_measure_put(out, "lape_share", n_top, (of[0] + of[1]) / n_top, err));
    IG_TRY(ig_measure_put(out, "lape_first", n_top, of[0] / n_top, err));
    return ig_measure_put(out, "lape_second", n_top, of[1] / n_top, err);
}

static ig_code put_all(ig_measure_result *r, const ig_inner_sums *sums, ig_err *err)
{
    const int n = sums->n_layer * sums->width;
    IG_OWNED ig_specific *specific = NULL;
    IG_OWNED entry *top = NULL;
    int n_top = (int)lround(most_specific * n);
    n_top = n_top > 0 ? n_top : 1;
    IG_TRY(ig_alloc(&specific, n, sizeof *specific, "neurons", err));
    IG_TRY(ig_alloc(&top, n, sizeof *top, "neurons", err));
    IG_TRY(ig_inner_specific(specific, NULL, sums, least_active, err));
    for (int i = 0; i < n; i++)
        top[i] = (entry){specific[i].entropy, i};
    qsort(top, (size_t)n, sizeof *top, by_entropy);
    while (n_top > 0 && isinf(top[n_top - 1].entropy))
        n_top--;
    for (int l = 0; l < r->options.n_layer && n_top > 0; l++) {
        const ig_measure_out out = ig_measure_out_of(r, r->options.layer[l]);
        if (out.layer > 0)
            IG_TRY(put_layer(&out, specific, top, n_top, out.layer, sums->width, err));
    }
    return IG_ERR_OK;
}

static ig_code lape(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *text,
                    ig_err *err)
{
    const ig_measure_options *o = &out->options;
    const ig_states_parts parts = {
        .engine = with->engine, .model = with->model, .team = with->team, .corpus = text};
    const int language[] = {o->a, o->b};
    IG_SCOPED(ig_inner_sums_free) ig_inner_sums sums = {0};
    for (int k = 0; k < 2; k++) {
        const ig_states_source source = ig_states_of_corpus(text, language[k], o->max_sentence);
        IG_TRY(ig_inner_sums_add(&sums, &parts, IG_INNER_ACTIVE, &source, with->stop, err));
    }
    return put_all(out, &sums, err);
}

#define SHARE                                                                                      \
    .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true, .share = true

const ig_store_task ig_numbers_lape[] = {
    {"lape", "LAPE", "entropy of the languages' activation probabilities, mean of active neurons",
     SHARE},
    {"lape_share", "specific", "share of the model's most language-specific neurons in this layer",
     SHARE},
    {"lape_first", "specific→", "the same, of the first language", SHARE},
    {"lape_second", "specific←", "the same, of the second language", SHARE},
    {0}};

const ig_measure_kind ig_measure_kind_lape = {
    .text = lape, .number = ig_numbers_lape, .n_shown = 2};
