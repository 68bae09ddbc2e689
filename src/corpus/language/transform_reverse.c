/* SPDX-License-Identifier: Apache-2.0
 *
 * "reverse": the reversed languages of Kallini et al. 2024, table 1. A marker, a row of the
 * language's own after all vocabularies, comes to a uniformly random place of the sentence (n + 1
 * of them for n tokens). "partial" reverses what follows it, "full" the whole sentence, "no", their
 * control, nothing. Places are drawn for each sentence (their program draws them in the order of
 * the text).
 */
#include "corpus/language/transform.h"

enum { NO, PARTIAL, FULL };

static ig_code reverse_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)s;
    (void)a;
    (void)err;
    l->reverse = IG_ROW_LAST;
    return IG_ERR_OK;
}

static void reverse_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                          ig_tokens *out)
{
    const int how = (int)s->number[0];
    ig_rng r = ig_step_rng(s, c, c->sequence);
    const int32_t n = in->n, at = (int32_t)ig_rng_below(&r, (uint32_t)n + 1);
    /* Element `at` of the sentence with its marker is the marker. */
    for (int32_t to = 0; to <= n; to++) {
        int32_t from = to;
        if (how == FULL)
            from = n - to;
        else if (how == PARTIAL && to > at)
            from = n - (to - at - 1);
        if (!ig_tokens_push(out, from == at ? c->language->reverse : in->id[from - (from > at)]))
            return;
        if (from != at)
            ig_tokens_link(out, from - (from > at), to);
    }
}

const ig_transform ig_transform_reverse = {
    .name = "reverse",
    .summary = "a marker at a random place; the tokens after it, all, or no tokens are reversed",
    .arg = {{IG_ARG_CHOICE, "no|partial|full", IG_REQUIRED}},
    .once = true,
    .attach = reverse_attach,
    .apply = reverse_apply,
};
