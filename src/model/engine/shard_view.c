/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the network's view of a shard: its sequences, the rows that its last block computes, and
 * its targets.
 */
#include "model/engine/shard_view.h"

#include "model/head/head.h"

#include <stddef.h>
#include <string.h>

int64_t ig_shard_view_room(int64_t n_seq, int64_t n_tok)
{
    return n_seq + 1 + (4 + 5 * IG_N_HEAD) * n_tok + IG_N_HEAD * (n_seq + 1);
}

/* Reserves the next n numbers of the index: returns their address on the device; *host gets the one
 * to write to. */
static int32_t *take(const ig_shard_index *index, int64_t *used, int64_t n, int32_t **host)
{
    const int64_t at = *used;
    *used += n;
    *host = index->host + at;
    return index->device + at;
}

static const int32_t *put(const ig_shard_index *index, int64_t *used, const int32_t *from,
                          int64_t n)
{
    int32_t *host, *there = take(index, used, n, &host);
    memcpy(host, from, (size_t)n * sizeof *host);
    return there;
}

/* Collects the rows of the last layer that any head has targets for, ascending, in `kept`; a
 * target's index among them replaces its row. Returns how many there are. */
static int keep_asked(const ig_shard_view *v, const bool *last, int32_t *const *row, int32_t *kept)
{
    int next[IG_N_HEAD] = {0}, n = 0;
    for (;; n++) {
        int32_t least = INT32_MAX;
        for (int h = 0; h < IG_N_HEAD; h++)
            if (last[h] && next[h] < v->target[h].n && row[h][next[h]] < least)
                least = row[h][next[h]];
        if (least == INT32_MAX)
            return n;
        kept[n] = least;
        for (int h = 0; h < IG_N_HEAD; h++)
            if (last[h] && next[h] < v->target[h].n && row[h][next[h]] == least)
                row[h][next[h]++] = n;
    }
}

/* Lets the last block continue with only the rows of targets. */
static void drop_rows(ig_shard_view *v, const bool *last, int32_t *const *row,
                      const ig_shard_index *index, int64_t *used)
{
    int32_t *kept;
    int n_asked = 0;
    v->kept = take(index, used, 0, &kept);
    v->kept_host = kept;
    v->n_kept = keep_asked(v, last, row, kept);
    *used += v->n_kept;
    for (int h = 0; h < IG_N_HEAD; h++)
        n_asked += last[h] && v->target[h].n > 0;
    for (int h = 0; h < IG_N_HEAD && n_asked == 1; h++)
        if (last[h] && v->target[h].n == v->n_kept)
            v->target[h].at = NULL;
}

/* Finds the targets of each sequence. */
static void put_sequences(ig_shard_targets *t, const int32_t *token, const int32_t *seq_start,
                          int n_seq, const ig_shard_index *index, int64_t *used)
{
    int32_t *first, *origin;
    t->n_seq = n_seq;
    t->first = take(index, used, n_seq + 1, &first);
    t->origin = take(index, used, t->n, &origin);
    int k = 0;
    for (int s = 0; s < n_seq; s++) {
        first[s] = k;
        for (; k < t->n && token[k] < seq_start[s + 1]; k++)
            origin[k] = seq_start[s];
        t->longest = k - first[s] > t->longest ? k - first[s] : t->longest;
    }
    first[n_seq] = k;
}

ig_shard_view ig_shard_view_make(const ig_shard_source *of, int i, bool all_rows,
                                 const ig_shard_index *index)
{
    const ig_bert_config *c = of->config;
    const ig_batch *b = of->batch;
    const ig_shards *s = of->shards;
    const int n_seq = s->first[i + 1] - s->first[i];
    const int32_t *start = b->seq_start + s->first[i], first = start[0];
    const int n = start[n_seq] - first;
    int64_t used = 0;
    int32_t *seq_start, *token, *row[IG_N_HEAD];
    bool last[IG_N_HEAD] = {false}; /* which read rows of the last layer */
    ig_shard_view v = {.n_seq = n_seq,
                       .n_tok = n,
                       .row0 = (uint32_t)first,
                       .causal = b->causal,
                       .seq_start = take(index, &used, n_seq + 1, &seq_start),
                       .n_kept = n};
    if (n > 0) { /* of an empty batch the arrays may be NULL */
        v.id = put(index, &used, b->id + first, n);
        v.pos = put(index, &used, b->pos + first, n);
        v.seg = put(index, &used, b->seg + first, n);
    }
    for (int k = 0; k <= n_seq; k++)
        seq_start[k] = start[k] - first;
    for (int h = 0; h < IG_N_HEAD; h++) {
        if (!ig_head_asked(c, b, (ig_head_kind)h))
            continue;
        const ig_targets *t = &b->target[h];
        const int32_t from = s->target[h][i];
        ig_shard_targets *v_t = &v.target[h];
        v_t->n = s->target[h][i + 1] - from;
        v_t->label = put(index, &used, t->label + from, v_t->n);
        v_t->at = take(index, &used, v_t->n, &row[h]);
        v_t->row = take(index, &used, v_t->n, &token);
        v_t->nll = of->to->nll[h] + from;
        v_t->best = of->to->best[h] + from;
        if (of->to->logits[h] != NULL)
            v_t->logits =
                of->to->logits[h] + (int64_t)from * ig_bert_config_n_label(c, (ig_head_kind)h);
        for (int k = 0; k < v_t->n; k++)
            row[h][k] = token[k] = t->row[from + k] - first;
        if (ig_heads[h]->trees) {
            v_t->head = put(index, &used, t->head + from, v_t->n);
            v_t->best_head = of->to->best_head[h] + from;
        }
        put_sequences(v_t, token, seq_start, n_seq, index, &used);
        last[h] = ig_head_reads_last(c, (ig_head_kind)h);
        all_rows |= last[h] && ig_heads[h]->all_rows;
    }
    if (!all_rows)
        drop_rows(&v, last, row, index, &used);
    of->device->upload(index->device, index->host, used * (int64_t)sizeof *index->host);
    return v;
}
