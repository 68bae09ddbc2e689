/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the order of a sentence's tokens. "invert" reverses it (Dufter & Schütze 2020,
 * §2.3, inv-order). In their program only the positions with an id of the Fake language are
 * exchanged, so that an [UNK], which is never shifted, keeps its position: "invert:paper-code".
 * "swap", "permute" and "window" disturb it by degrees (corpus/words/word_orders.h).
 */
#include "corpus/language/transform.h"

#include "corpus/words/word_orders.h"

static void invert_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    int32_t from = in->n;
    for (int32_t to = 0; to < in->n; to++) {
        if (s->number[0] > 0 && ig_is_special(c, in->id[to])) {
            ig_tokens_push(out, in->id[to]);
            ig_tokens_link(out, to, to);
            continue;
        }
        do
            from--;
        while (s->number[0] > 0 && ig_is_special(c, in->id[from]));
        ig_tokens_push(out, in->id[from]);
        ig_tokens_link(out, from, to);
    }
}

const ig_transform ig_transform_invert = {
    .name = "invert",
    .summary = "reverses the order of the tokens; paper-code: special tokens keep their places",
    .arg = {{IG_ARG_CHOICE, "fixed|paper-code"}},
    .apply = invert_apply,
};

/* Returns whether the argument `training` keeps the order of a text for measuring (K et al. 2020,
 * §3.2.2: "we also do not permute during fine-tuning"). */
static bool stays(const ig_step *s, const ig_step_context *c, const ig_tokens *in, ig_tokens *out)
{
    if (s->number[1] == 0 || !c->options->development)
        return false;
    ig_tokens_set(out, in->id, in->n, in->n);
    return true;
}

static void put_in_order(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    int32_t order[IG_SEQUENCE_MAX], work[IG_SEQUENCE_MAX];
    double key[IG_SEQUENCE_MAX];
    ig_rng r = ig_step_rng(s, c, c->sequence);
    if (s->kind == &ig_transform_window)
        ig_order_window(&r, (int32_t)s->number[0], order, key, in->n);
    else if (stays(s, c, in, out))
        return;
    else if (s->kind == &ig_transform_swap)
        ig_order_swap(&r, s->number[0], order, in->n);
    else
        ig_order_permute(&r, s->number[0], order, work, in->n);
    for (int32_t to = 0; to < in->n; to++) {
        ig_tokens_push(out, in->id[order[to]]);
        ig_tokens_link(out, order[to], to);
    }
}

const ig_transform ig_transform_swap = {
    .name = "swap",
    .summary = "(n − 1) · SHARE times two tokens change places; training: development texts stay",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}, {IG_ARG_CHOICE, "|training"}},
    .apply = put_in_order,
};

const ig_transform ig_transform_permute = {
    .name = "permute",
    .summary =
        "SHARE of the places are shuffled among themselves; training: development texts stay",
    .arg = {{IG_ARG_SHARE, "SHARE", IG_REQUIRED, 0, 1}, {IG_ARG_CHOICE, "|training"}},
    .apply = put_in_order,
};

const ig_transform ig_transform_window = {
    .name = "window",
    .summary = "tokens are shuffled so that none moves further than PLACES",
    .arg = {{IG_ARG_COUNT, "PLACES", IG_REQUIRED, 0, IG_SEQUENCE_MAX}},
    .apply = put_in_order,
};
