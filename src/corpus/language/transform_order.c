/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the order of a sentence's tokens. "invert" reverses it (Dufter & Schütze 2020,
 * §2.3, inv-order). In their program only the positions with an id of the Fake language are
 * exchanged, so that an [UNK], which is never shifted, keeps its position: "invert:paper-code".
 * "swap", "permute" and "window" disturb it by degrees (corpus/words/word_orders.h).
 */
#include "corpus/language/transform.h"

#include "base/number_text.h"
#include "corpus/words/word_orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ig_code invert_parse(ig_step *s, const char *text, ig_err *err)
{
    s->arg[0] = text != NULL && strcmp(text, "paper-code") == 0;
    if (text == NULL || s->arg[0] == 1 || strcmp(text, "fixed") == 0)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected fixed or paper-code", text);
}

static void invert_print(const ig_step *s, char *out, size_t size)
{
    if (s->arg[0] == 1)
        snprintf(out, size, "paper-code");
}

static void invert_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    int32_t from = in->n;
    for (int32_t to = 0; to < in->n; to++) {
        if (s->arg[0] == 1 && ig_is_special(c, in->id[to])) {
            ig_tokens_push(out, in->id[to]);
            ig_tokens_link(out, to, to);
            continue;
        }
        do
            from--;
        while (s->arg[0] == 1 && ig_is_special(c, in->id[from]));
        ig_tokens_push(out, in->id[from]);
        ig_tokens_link(out, from, to);
    }
}

const ig_transform ig_transform_invert = {
    .name = "invert",
    .args = "[fixed|paper-code]",
    .summary = "reverses the order of the tokens; paper-code: special tokens keep their places",
    .parse = invert_parse,
    .print = invert_print,
    .apply = invert_apply,
};

static ig_code read_share(ig_step *s, const char *text, ig_err *err)
{
    const char *end;
    const bool number = text != NULL && ig_number_parse(&s->share, text, &end);
    s->arg[0] = number && strcmp(end, ",training") == 0;
    if (number && (*end == '\0' || s->arg[0] == 1) && s->share >= 0 && s->share <= 1)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0,
                   "found '%.32s', expected a share from 0 to 1, and ',training' to leave "
                   "development texts as they are",
                   text == NULL ? "" : text);
}

static void print_share(const ig_step *s, char *out, size_t size)
{
    char share[32];
    ig_number_print(share, sizeof share, s->share);
    snprintf(out, size, "%s%s", share, s->arg[0] == 1 ? ",training" : "");
}

/* Whether the argument `training` keeps the order of a text for measuring (K et al. 2020, §3.2.2:
 * "we also do not permute during fine-tuning"). */
static bool stays(const ig_step *s, const ig_step_context *c, const ig_tokens *in, ig_tokens *out)
{
    if (s->arg[0] != 1 || !c->options->development)
        return false;
    ig_tokens_set(out, in->id, in->n, in->n);
    return true;
}

static ig_code window_parse(ig_step *s, const char *text, ig_err *err)
{
    if (ig_step_read_number(s, text) && s->arg[0] <= IG_SEQUENCE_MAX)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0,
                   "found '%.32s', expected how many places a token moves at most, 0 to %d",
                   text == NULL ? "" : text, IG_SEQUENCE_MAX);
}

static void put_in_order(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    int32_t order[IG_SEQUENCE_MAX], work[IG_SEQUENCE_MAX];
    double key[IG_SEQUENCE_MAX];
    ig_rng r = ig_step_rng(s, c, c->sequence);
    if (s->kind == &ig_transform_window)
        ig_order_window(&r, (int32_t)s->arg[0], order, key, in->n);
    else if (stays(s, c, in, out))
        return;
    else if (s->kind == &ig_transform_swap)
        ig_order_swap(&r, s->share, order, in->n);
    else
        ig_order_permute(&r, s->share, order, work, in->n);
    for (int32_t to = 0; to < in->n; to++) {
        ig_tokens_push(out, in->id[order[to]]);
        ig_tokens_link(out, order[to], to);
    }
}

const ig_transform ig_transform_swap = {
    .name = "swap",
    .args = "SHARE[,training]",
    .summary = "(n − 1) · SHARE times two tokens change places; training: development texts stay",
    .parse = read_share,
    .print = print_share,
    .apply = put_in_order,
};

const ig_transform ig_transform_permute = {
    .name = "permute",
    .args = "SHARE[,training]",
    .summary =
        "SHARE of the places are shuffled among themselves; training: development texts stay",
    .parse = read_share,
    .print = print_share,
    .apply = put_in_order,
};

const ig_transform ig_transform_window = {
    .name = "window",
    .args = "PLACES",
    .summary = "tokens are shuffled so that none moves further than PLACES",
    .parse = window_parse,
    .print = ig_step_print_number,
    .apply = put_in_order,
};
