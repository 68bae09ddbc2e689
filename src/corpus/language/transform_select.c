/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms that select sentences. "half" makes two languages non-parallel (Dufter & Schütze
 * 2020, §4.2): of 2N sequences their program keeps list[:q] and list[-q:] with q = 2N / 4 rounded
 * down, so each half has ⌊N / 2⌋ sentences and the middle one of an odd number is in neither.
 * "unigram" keeps only the lengths of the text and the frequencies of its tokens (K et al. 2020,
 * §3.2.3).
 */
#include "corpus/language/transform.h"

#include "corpus/read/shard.h"

static int64_t half_count(const ig_step *s, int64_t n)
{
    (void)s;
    return n / 2;
}

static int64_t half_select(const ig_step *s, int64_t n, int64_t i)
{
    return s->number[0] > 0 ? n - n / 2 + i : i;
}

const ig_transform ig_transform_half = {
    .name = "half",
    .summary = "the first or the last half of the sentences",
    .arg = {{IG_ARG_CHOICE, "first|second", IG_REQUIRED}},
    .count = half_count,
    .select = half_select,
};

static int64_t take_count(const ig_step *s, int64_t n)
{
    return n < (int64_t)s->number[0] ? n : (int64_t)s->number[0];
}

const ig_transform ig_transform_take = {
    .name = "take",
    .summary = "the first N sentences",
    .arg = {{IG_ARG_COUNT, "N", IG_REQUIRED, 1, INT32_MAX}},
    .count = take_count,
};

/* Replaces each token by that of a random position in the whole text: exactly the text's
 * frequencies. Special tokens stay, and none is drawn. */
static void unigram_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                          ig_tokens *out)
{
    ig_rng r = ig_step_rng(s, c, c->sequence);
    const int64_t n = c->source->n_token;
    if (c->options->development) {
        ig_tokens_set(out, in->id, in->n, in->n);
        return;
    }
    for (int32_t j = 0; j < in->n; j++) {
        int32_t id = in->id[j];
        /* In a text of only [UNK] the token stays after 64 tries. */
        for (int tries = 0; tries < 64 && !ig_is_special_piece(c->options, in->id[j]); tries++) {
            id = c->source->id[(int64_t)(ig_rng_unit(&r) * (double)n)];
            if (!ig_is_special_piece(c->options, id))
                break;
            id = in->id[j];
        }
        ig_tokens_push(out, id);
    }
}

const ig_transform ig_transform_unigram = {
    .name = "unigram",
    .summary = "every token is drawn from the frequencies of the text; only its length is left",
    .first = true,
    .apply = unigram_apply,
};
