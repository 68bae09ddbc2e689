/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether a model can run a batch. Errors of callers are asserted, errors of files and
 * options are reported.
 */
#include "model/engine/batch_check.h"

#include "base/assert.h"
#include "model/bert_params.h"
#include "model/head/head.h"

#include <stddef.h>

static ig_code check_token(const char *what, int32_t found, int32_t n, int row, ig_err *err)
{
    if (found >= 0 && found < n)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, "batch", 0,
                   "%s of token %d is %d, expected 0 to %d as the model has it", what, row, found,
                   n - 1);
}

/* Where languages have their own parts, each sequence belongs to one of them, and the sequences of
 * a language are adjacent. */
static ig_code check_languages(int n_language, const ig_batch *b, ig_err *err)
{
    bool seen[IG_BERT_MAX_LANGUAGE] = {false};
    for (int i = 0; i < b->n_seq && b->language != NULL; i++) {
        const int32_t k = b->language[i];
        if (k < 0 || k >= n_language)
            return ig_fail(err, IG_ERR_INPUT, "batch", 0,
                           "language of sequence %d is %d, expected 0 to %d as the model has parts "
                           "for",
                           i, k, n_language - 1);
        IG_ASSERT(!seen[k] || k == b->language[i - 1]);
        seen[k] = true;
    }
    return IG_ERR_OK;
}

/* Each sequence with targets has ROOT first, then its words, whose heads are among them. */
static ig_code check_trees(const ig_batch *b, const ig_targets *t, int32_t n_label, ig_err *err)
{
    int32_t k = 0;
    for (int32_t s = 0; s < b->n_seq; s++) {
        int32_t end = k;
        while (end < t->n && t->row[end] < b->seq_start[s + 1])
            end++;
        IG_ASSERT(end == k || t->row[k] == b->seq_start[s]);
        for (int32_t i = k + 1; i < end; i++) {
            IG_ASSERT(t->row[i] > t->row[i - 1]);
            IG_TRY(check_token("label", t->label[i], n_label, t->row[i], err));
            IG_TRY(check_token("head", t->head[i], end - k, t->row[i], err));
        }
        k = end;
    }
    IG_ASSERT(k == t->n);
    return IG_ERR_OK;
}

static ig_code check_targets(const ig_bert_config *c, const ig_batch *b, ig_head_kind head,
                             ig_err *err)
{
    const ig_targets *t = &b->target[head];
    const int32_t n_label = ig_bert_config_n_label(c, head);
    if (ig_heads[head]->trees)
        return n_label == 0 || t->label == NULL ? IG_ERR_OK : check_trees(b, t, n_label, err);
    for (int i = 0; i < t->n && n_label > 0; i++) {
        IG_ASSERT(t->row[i] >= 0 && t->row[i] < b->n_tok);
        IG_ASSERT(i == 0 || t->row[i] > t->row[i - 1]);
        IG_TRY(check_token("label", t->label[i], n_label, t->row[i], err));
    }
    return IG_ERR_OK;
}

ig_code ig_batch_check(const ig_bert_config *c, const ig_batch *b, ig_err *err)
{
    const int n_language = ig_bert_n_language(c);
    IG_ASSERT(b->n_seq >= 0 && b->seq_start[0] == 0 && b->seq_start[b->n_seq] == b->n_tok);
    for (int i = 0; i < b->n_tok; i++) {
        IG_TRY(check_token("id", b->id[i], c->vocab_size, i, err));
        IG_TRY(check_token("position", b->pos[i], c->max_position_embeddings, i, err));
        IG_TRY(check_token("segment", b->seg[i], c->type_vocab_size, i, err));
    }
    for (int i = 0; i < b->n_seq; i++)
        if (b->seq_start[i + 1] - b->seq_start[i] > c->max_position_embeddings)
            return ig_fail(err, IG_ERR_INPUT, "batch", 0,
                           "sequence %d has %d tokens, expected at most %d as the model has %s", i,
                           b->seq_start[i + 1] - b->seq_start[i], c->max_position_embeddings,
                           ig_bert_is_relative(c) ? "distances" : "positions");
    for (int h = 0; h < IG_N_HEAD; h++)
        IG_TRY(check_targets(c, b, (ig_head_kind)h, err));
    return n_language > 1 ? check_languages(n_language, b, err) : IG_ERR_OK;
}
