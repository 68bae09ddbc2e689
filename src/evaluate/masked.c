/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes pseudo-perplexity with a head of masked words, or perplexity of a causal model.
 */
#include "evaluate/masked.h"

#include "apply/predicted.h"
#include "base/memory.h"

#include <string.h>

/* Some of the sentence's tokens are masked; of a causal model all but the first are predicted. */
static ig_code add_sentence(ig_masked_sentences *out, ig_predicted *p, ig_states *s,
                            const ig_states_sentence *of, ig_err *err)
{
    const bool causal = ig_bert_get_config(ig_states_encoder(s)->model)->causal;
    const ig_tokens *t;
    uint8_t what[IG_SEQUENCE_MAX + 2] = {0};
    bool cut;
    IG_TRY(ig_states_tokens(&t, &cut, s, of, err));
    for (int32_t i = 1; i < t->n + 2; i++)
        what[i] = causal ? IG_TOKEN_PREDICTED
                  : i <= t->n && (i + of->number) % IG_MASKED_EVERY == 0
                      ? IG_TOKEN_MASKED | IG_TOKEN_PREDICTED
                      : 0;
    const int64_t before = p->n_predicted + p->n;
    IG_TRY(ig_predicted_put(p, s, t, of->language, what, &out->nll[of->number], err));
    out->masked[of->number] += (double)(p->n_predicted + p->n - before);
    return IG_ERR_OK;
}

ig_code ig_masked_run(ig_masked_sentences *out, ig_states *s, int language,
                      const ig_sentence_list *text, ig_err *err)
{
    IG_SCOPED(ig_predicted_free) ig_predicted p = {0};
    *out =
        (ig_masked_sentences){.n = text->n < IG_MASKED_SENTENCES ? text->n : IG_MASKED_SENTENCES};
    for (int64_t i = 0; i < out->n; i++) {
        const char *one = ig_sentence(text, i);
        IG_TRY(add_sentence(out, &p, s,
                            &(ig_states_sentence){language, i, one, (int64_t)strlen(one)}, err));
    }
    return ig_predicted_run(&p, s, err);
}
