/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms that select sentences. "half" makes two languages non-parallel (Dufter & Schütze
 * 2020, §4.2): of 2N sequences their program keeps list[:q] and list[-q:] with q = 2N / 4 rounded
 * down, so each half has ⌊N / 2⌋ sentences and the middle one of an odd number is in neither.
 * "unigram" keeps only the lengths of the text and the frequencies of its tokens (K et al. 2020,
 * §4.3).
 */
#include "corpus/language/transform.h"

#include "corpus/read/shard.h"

#include <stdio.h>
#include <string.h>

static ig_code half_parse(ig_step *s, const char *text, ig_err *err)
{
    s->arg[0] = text != NULL && strcmp(text, "second") == 0;
    if (text != NULL && (s->arg[0] == 1 || strcmp(text, "first") == 0))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected first or second",
                   text == NULL ? "" : text);
}

static void half_print(const ig_step *s, char *out, size_t size)
{
    snprintf(out, size, "%s", s->arg[0] == 1 ? "second" : "first");
}

static int64_t half_count(const ig_step *s, int64_t n)
{
    (void)s;
    return n / 2;
}

static int64_t half_select(const ig_step *s, int64_t n, int64_t i)
{
    return s->arg[0] == 1 ? n - n / 2 + i : i;
}

const ig_transform ig_transform_half = {
    .name = "half",
    .args = "first|second",
    .summary = "the first or the last half of the sentences",
    .parse = half_parse,
    .print = half_print,
    .count = half_count,
    .select = half_select,
};

static ig_code take_parse(ig_step *s, const char *text, ig_err *err)
{
    if (!ig_step_read_number(s, text) || s->arg[0] < 1 || s->arg[0] > INT32_MAX)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected a number of sentences",
                       text == NULL ? "" : text);
    return IG_ERR_OK;
}

static int64_t take_count(const ig_step *s, int64_t n)
{
    return n < s->arg[0] ? n : s->arg[0];
}

const ig_transform ig_transform_take = {
    .name = "take",
    .args = "N",
    .summary = "the first N sentences",
    .parse = take_parse,
    .print = ig_step_print_number,
    .count = take_count,
};

/* Replaces each token by that of a random position in the whole text: exactly the text's
 * frequencies. Special tokens stay, and none is drawn. */
static void unigram_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                          ig_tokens *out)
{
    ig_rng r = ig_step_rng(s, c, c->sequence);
    const int64_t n = ig_shard_n_token(c->source);
    if (c->options->development) {
        ig_tokens_set(out, in->id, in->n, in->n);
        return;
    }
    for (int32_t j = 0; j < in->n; j++) {
        int32_t id = in->id[j];
        /* In a text of only [UNK] the token stays after 64 tries. */
        for (int tries = 0; tries < 64 && !ig_is_special_piece(c->options, in->id[j]); tries++) {
            id = ig_shard_token(c->source, (int64_t)(ig_rng_unit(&r) * (double)n));
            if (!ig_is_special_piece(c->options, id))
                break;
            id = in->id[j];
        }
        ig_tokens_push(out, id);
    }
}

const ig_transform ig_transform_unigram = {
    .name = "unigram",
    .args = "",
    .summary = "every token is drawn from the frequencies of the text; only its length is left",
    .first = true,
    .apply = unigram_apply,
};
