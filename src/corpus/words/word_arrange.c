/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the order of words (corpus/words/word_orders.h) before the tokenizer.
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "corpus/words/word_orders.h"

static ig_code put_in_order(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                            ig_phrase *out, ig_err *err)
{
    IG_OWNED int32_t *work = NULL, *order = NULL;
    IG_OWNED double *key = NULL;
    const int32_t n = in->n;
    IG_TRY(ig_alloc(&order, n, sizeof *order, "order", err));
    IG_TRY(ig_alloc(&work, n, sizeof *work, "order", err));
    IG_TRY(ig_alloc(&key, n, sizeof *key, "order", err));
    ig_rng r = ig_word_step_rng(s, sentence);
    if (s->kind == &ig_word_invert)
        ig_order_invert(order, n);
    else if (s->kind == &ig_word_swap)
        ig_order_swap(&r, s->number[0], order, n);
    else if (s->kind == &ig_word_permute)
        ig_order_permute(&r, s->number[0], order, work, n);
    else
        ig_order_window(&r, (int32_t)s->number[0], order, key, n);
    for (int32_t i = 0; i < n; i++)
        IG_TRY(ig_phrase_keep(out, in, order[i], err));
    return IG_ERR_OK;
}

const ig_word_transform ig_word_invert = {
    .name = "invert",
    .summary = "reverses the order of the words",
    .apply = put_in_order,
};

const ig_word_transform ig_word_swap = {
    .name = "swap",
    .summary = "(n − 1) · SHARE times two words change places",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}},
    .apply = put_in_order,
};

const ig_word_transform ig_word_permute = {
    .name = "permute",
    .summary = "SHARE of the places are shuffled among themselves",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}},
    .apply = put_in_order,
};

const ig_word_transform ig_word_window = {
    .name = "window",
    .summary = "words are shuffled so that none moves further than PLACES",
    .arg = {{IG_ARG_COUNT, "PLACES", IG_REQUIRED, 0, 1e6}},
    .apply = put_in_order,
};
