/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts a batch into shards of whole sequences, and the shards into lanes.
 */
#include "model/engine/shards.h"

#include "base/memory.h"

/* First sequence from `from` on, before `end`, that begins at or after the token, or the one before
 * where that is nearer. */
static int32_t nearest_start(const ig_batch *b, int32_t from, int32_t end, int64_t token)
{
    int32_t s = from;
    while (s < end && b->seq_start[s] < token)
        s++;
    if (s > from && token - b->seq_start[s - 1] < b->seq_start[s] - token)
        s--;
    return s;
}

/* Cuts the sequences from..end−1 into the next n shards. */
static void cut_range(ig_shards *s, const ig_batch *b, int32_t from, int32_t end, int n)
{
    const int64_t first = b->seq_start[from], n_tok = b->seq_start[end] - first;
    for (int i = 1; i <= n; i++) {
        const int k = ++s->n_shard;
        s->first[k] = i == n ? end : nearest_start(b, s->first[k - 1], end, first + n_tok * i / n);
        for (int h = 0; h < IG_N_HEAD; h++) {
            const ig_targets *t = &b->target[h];
            int32_t p = s->target[h][k - 1];
            while (p < t->n && t->row[p] < b->seq_start[s->first[k]])
                p++;
            s->target[h][k] = p;
        }
    }
}

/* Divides n shards over the languages of the batch: each gets at least one, and each further one
 * goes to the language whose shards are largest (the first of equals). A batch of one language is
 * cut like any other. */
static void cut_languages(ig_shards *s, const ig_batch *b, int n)
{
    int32_t from[IG_BERT_MAX_LANGUAGE + 1];
    int part[IG_BERT_MAX_LANGUAGE], n_run = 0;
    for (int32_t i = 0; i < b->n_seq; i++)
        if (i == 0 || b->language[i] != b->language[i - 1]) {
            part[n_run] = 1;
            from[n_run++] = i;
        }
    from[n_run] = b->n_seq;
    for (int given = n_run; given < n; given++) {
        int most = 0;
        for (int r = 1; r < n_run; r++) {
            const int64_t size = b->seq_start[from[r + 1]] - b->seq_start[from[r]],
                          best = b->seq_start[from[most + 1]] - b->seq_start[from[most]];
            if (size * part[most] > best * part[r])
                most = r;
        }
        part[most]++;
    }
    for (int r = 0; r < n_run; r++)
        cut_range(s, b, from[r], from[r + 1], part[r]);
}

static int n_languages(const ig_batch *b)
{
    int n = 1;
    for (int32_t i = 1; i < b->n_seq; i++)
        n += b->language[i] != b->language[i - 1];
    return n;
}

/* Lanes of a batch of n_tok tokens that would be cut into n shards. A small model's are what
 * threads share. A large model's are what ranks share, and each costs a pass over the gradient: two
 * from the tokens of one on, then as many as have that number. */
static int n_lanes(const ig_plan *plan, int64_t n_tok, int64_t n)
{
    enum { SMALL = 8 };
    if (!plan->split)
        return n < SMALL ? (int)n : SMALL;
    const int64_t whole = plan->lane_tokens > 0 ? n_tok / plan->lane_tokens : 0;
    return whole < 1 ? 1 : whole < 2 ? 2 : whole < IG_LANES_MAX ? (int)whole : IG_LANES_MAX;
}

static int64_t shards_of(const ig_plan *plan, int64_t n_tok)
{
    const int64_t n = (n_tok + plan->target / 2) / plan->target;
    return n > 1 ? n : 1;
}

int ig_shards_lanes(const ig_plan *plan, int64_t n_tok)
{
    return n_lanes(plan, n_tok, shards_of(plan, n_tok));
}

ig_code ig_shards_cut(ig_shards *s, const ig_plan *plan, const ig_batch *b, bool by_language,
                      ig_err *err)
{
    int64_t n = shards_of(plan, b->n_tok);
    by_language = by_language && b->language != NULL && b->n_seq > 0;
    const int least = by_language ? n_languages(b) : 1;
    if (n < least)
        n = least;
    s->n_lane = n_lanes(plan, b->n_tok, n);
    n = (n + s->n_lane - 1) / s->n_lane * s->n_lane;
    IG_TRY(ig_grow(&s->first, &s->have, n + 1, sizeof *s->first, "shards", err));
    s->n_shard = 0;
    s->first[0] = 0;
    for (int h = 0; h < IG_N_HEAD; h++) {
        IG_TRY(
            ig_grow(&s->target[h], &s->have_target[h], n + 1, sizeof *s->target[h], "shards", err));
        s->target[h][0] = 0;
    }
    if (by_language)
        cut_languages(s, b, (int)n);
    else
        cut_range(s, b, 0, b->n_seq, (int)n);
    return IG_ERR_OK;
}

void ig_shards_free(ig_shards *s)
{
    ig_free(s->first);
    for (int h = 0; h < IG_N_HEAD; h++)
        ig_free(s->target[h]);
    *s = (ig_shards){0};
}

int ig_lane_first(const ig_shards *s, int lane)
{
    return s->n_shard / s->n_lane * lane;
}
