/* SPDX-License-Identifier: Apache-2.0
 *
 * Shards as the network sees them; see shard_view.h.
 */
#include "model/shard_view.h"
#include "model/head/head.h"

#include <stddef.h>

bool ig_head_asked(const ig_bert_config *c, const ig_batch *b, ig_head_kind head)
{
    return b->target[head].label != NULL && ig_bert_config_n_label(c, head) > 0;
}

int64_t ig_shard_view_room(int64_t n_seq, int64_t n_tok)
{
    return n_seq + 1 + (1 + IG_N_HEAD) * n_tok;
}

/* The rows that any head is asked about, ascending, into `kept`; a target's place among them takes
 * that of its row. Returns how many there are. */
static int keep_asked(ig_shard_view *v, int32_t *const *row, int32_t *kept)
{
    int next[IG_N_HEAD] = {0}, n = 0;
    for (;; n++) {
        int32_t least = INT32_MAX;
        for (int h = 0; h < IG_N_HEAD; h++)
            if (next[h] < v->target[h].n && row[h][next[h]] < least)
                least = row[h][next[h]];
        if (least == INT32_MAX)
            return n;
        kept[n] = least;
        for (int h = 0; h < IG_N_HEAD; h++)
            if (next[h] < v->target[h].n && row[h][next[h]] == least)
                row[h][next[h]++] = n;
    }
}

ig_shard_view ig_shard_view_make(const ig_bert_config *c, const ig_batch *b, const ig_shards *s,
                                 int i, bool all_rows, const ig_head_places *to, int32_t *index)
{
    const int n_seq = s->first[i + 1] - s->first[i];
    const int32_t *start = b->seq_start + s->first[i], first = start[0];
    ig_shard_view v = {.n_seq = n_seq,
                       .n_tok = start[n_seq] - first,
                       .row0 = (uint32_t)first,
                       .seq_start = index,
                       .id = b->id + first,
                       .pos = b->pos + first,
                       .seg = b->seg + first};
    for (int k = 0; k <= n_seq; k++)
        index[k] = start[k] - first;
    int32_t *kept = index + n_seq + 1, *row[IG_N_HEAD];
    for (int h = 0; h < IG_N_HEAD; h++) {
        row[h] = kept + (1 + h) * (int64_t)v.n_tok;
        if (!ig_head_asked(c, b, (ig_head_kind)h))
            continue;
        const ig_targets *t = &b->target[h];
        const int32_t from = s->target[h][i];
        v.target[h] = (ig_shard_targets){.n = s->target[h][i + 1] - from,
                                         .label = t->label + from,
                                         .at = row[h],
                                         .nll = to->nll[h] + from,
                                         .best = to->best[h] + from};
        for (int k = 0; k < v.target[h].n; k++)
            row[h][k] = t->row[from + k] - first;
        all_rows |= ig_heads[h]->all_rows;
    }
    v.n_kept = v.n_tok;
    if (all_rows)
        return v;
    v.kept = kept;
    v.n_kept = keep_asked(&v, row, kept);
    for (int h = 0; h < IG_N_HEAD; h++)
        if (v.target[h].n == v.n_kept)
            v.target[h].at = NULL;
    return v;
}
