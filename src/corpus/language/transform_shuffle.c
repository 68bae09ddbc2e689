/* SPDX-License-Identifier: Apache-2.0
 *
 * The shuffled languages of Kallini et al. 2024, "Mission: Impossible Language Models", table 1,
 * whose permutations do not depend on the sentence, by the generator of their program:
 * "deterministic-shuffle" has one for each length, "local-shuffle" one for each block of so many
 * tokens (the last may be shorter), "even-odd-shuffle" places tokens 0, 2, 4, … before 1, 3, 5, …
 * Their NondeterministicShuffle is "permute:1".
 */
#include "corpus/language/transform.h"
#include "corpus/words/numpy_shuffle.h"

static void put(const int32_t *order, int32_t n, int32_t first, const ig_tokens *in, ig_tokens *out)
{
    for (int32_t i = 0; i < n; i++) {
        ig_tokens_push(out, in->id[first + order[i]]);
        ig_tokens_link(out, first + order[i], first + i);
    }
}

static void deterministic_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                                ig_tokens *out)
{
    int32_t order[IG_SEQUENCE_MAX];
    (void)c;
    ig_numpy_shuffle((uint64_t)s->number[0], order, in->n);
    put(order, in->n, 0, in, out);
}

const ig_transform ig_transform_deterministic_shuffle = {
    .name = "deterministic-shuffle",
    .summary = "all sentences of a length are shuffled alike, by numpy's SEED",
    .arg = {{IG_ARG_COUNT, "SEED", IG_REQUIRED, 0, 1e15}},
    .apply = deterministic_apply,
};

static void local_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                        ig_tokens *out)
{
    int32_t order[IG_SEQUENCE_MAX];
    const int32_t size = (int32_t)s->number[0];
    (void)c;
    for (int32_t first = 0; first < in->n; first += size) {
        const int32_t n = in->n - first < size ? in->n - first : size;
        ig_numpy_shuffle((uint64_t)s->number[1], order, n);
        put(order, n, first, in, out);
    }
}

const ig_transform ig_transform_local_shuffle = {
    .name = "local-shuffle",
    .summary = "each block of TOKENS is shuffled, all alike, by numpy's SEED",
    .arg = {{IG_ARG_COUNT, "TOKENS", IG_REQUIRED, 1, IG_SEQUENCE_MAX},
            {IG_ARG_COUNT, "SEED", 0, 0, 1e15}},
    .apply = local_apply,
};

static void even_odd_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                           ig_tokens *out)
{
    int32_t order[IG_SEQUENCE_MAX], n = 0;
    (void)s;
    (void)c;
    for (int32_t odd = 0; odd < 2; odd++)
        for (int32_t i = odd; i < in->n; i += 2)
            order[n++] = i;
    put(order, n, 0, in, out);
}

const ig_transform ig_transform_even_odd_shuffle = {
    .name = "even-odd-shuffle",
    .summary = "tokens 0, 2, 4, … before 1, 3, 5, …",
    .apply = even_odd_apply,
};
