/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes batches of a corpus's sentences and notes which of their rows are content.
 */
#include "apply/sentence_blocks.h"

#include "base/assert.h"
#include "base/memory.h"
#include "isoglot/batch.h"

ig_code ig_sentence_blocks_open(ig_sentence_blocks *b, const ig_sentence_block_options *o,
                                ig_err *err)
{
    ig_batch_options bo = ig_batch_of_sentences(&o->batching);
    *b = (ig_sentence_blocks){.corpus = o->parts.corpus,
                              .language = {o->language[0], o->language[1]},
                              .chunk = bo.pad_attend ? bo.batch : o->chunk};
    bo.batch = (int32_t)b->chunk;
    bo.drop_last = false;
    IG_TRY(ig_batcher_new(&b->batcher, b->corpus, &bo, o->seed, err));
    for (int x = 0; x < 2; x++) {
        IG_TRY(ig_states_over(&b->states[x], &o->states, &o->parts, err));
        IG_TRY(
            ig_alloc(&b->side[x].first, b->chunk + 1, sizeof *b->side[x].first, "sentences", err));
    }
    return IG_ERR_OK;
}

void ig_sentence_blocks_close(ig_sentence_blocks *b)
{
    for (int x = 0; x < 2; x++) {
        ig_sentence_block *s = &b->side[x];
        ig_states_close(b->states[x]);
        IG_FREE(s->first, s->id, s->place, s->row);
    }
    ig_batcher_free(b->batcher);
    *b = (ig_sentence_blocks){0};
}

static bool is_content(const ig_corpus_options *base, const ig_language *l, int32_t id)
{
    return id != base->pad && id != base->cls && id != base->sep && id != l->pad && id != l->cls &&
           id != l->sep;
}

ig_code ig_sentence_blocks_get(ig_sentence_blocks *b, int side, int64_t from, int64_t to,
                               ig_err *err)
{
    ig_sentence_block *s = &b->side[side];
    const ig_corpus_options *base = ig_corpus_get_options(b->corpus);
    const ig_language *l = ig_corpus_language(b->corpus, b->language[side]);
    const int64_t first = ig_batcher_first(b->batcher, b->language[side]);
    ig_batch x;
    int32_t n = 0;
    IG_TRY(ig_batcher_get_range(b->batcher, first + from, first + to, false, &x, err));
    IG_ASSERT(x.n_seq == to - from && x.n_seq <= b->chunk);
    int32_t **const of[] = {&s->id, &s->place, &s->row};
    for (int i = 0; i < 3; i++)
        IG_TRY(ig_grow(of[i], &s->have[i], x.n_tok, sizeof **of[i], "sentences", err));
    for (int32_t q = 0; q < x.n_seq; q++) {
        s->first[q] = n;
        for (int32_t t = x.seq_start[q]; t < x.seq_start[q + 1]; t++)
            if (is_content(base, l, x.id[t])) {
                s->id[n] = x.id[t];
                s->place[n] = t - x.seq_start[q];
                s->row[n++] = t;
            }
    }
    s->first[x.n_seq] = n;
    return ig_states_encode(&s->state, b->states[side], &x, err);
}
