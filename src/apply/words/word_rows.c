/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the rows of a model's word embeddings that belong to words of one piece.
 */
#include "apply/words/word_rows.h"

#include "base/memory.h"
#include "model/bert_params.h"

#include <string.h>

static const ig_bert_param *table_of(const ig_bert *m, int language)
{
    const bool own = ig_bert_n_language(ig_bert_get_config(m)) > 1;
    const int64_t at = ig_bert_get_offsets(m, own ? language : 0).word;
    const ig_bert_param *p = ig_bert_params(m);
    while (p->offset != at)
        p++;
    return p;
}

ig_code ig_word_rows(float **out, int *d, const ig_bert *m, ig_word_ids of, ig_err *err)
{
    const ig_bert_param *p = table_of(m, of.language);
    IG_OWNED float *table = NULL;
    *out = NULL;
    *d = p->cols;
    IG_TRY(ig_alloc(&table, (int64_t)p->rows * p->cols, sizeof *table, "word embeddings", err));
    ig_bert_get_values(m, p, table);
    IG_TRY(ig_alloc(out, of.n * p->cols, sizeof **out, "word embeddings", err));
    for (int64_t i = 0; i < of.n; i++)
        memcpy(*out + i * p->cols, table + (int64_t)of.id[i] * p->cols,
               (size_t)p->cols * sizeof **out);
    return IG_ERR_OK;
}
