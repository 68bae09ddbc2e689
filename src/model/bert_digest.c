/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes a digest of an encoder's weights, by which files made from its states recognise it.
 */
#include "model/bert_digest.h"

#include "base/memory.h"
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* Returns whether a tensor belongs to the embeddings or a block, or is a language's own such tensor
 * (after "language.k."). */
static bool is_encoder(const char *name)
{
    static const char *const parts[] = {"bert.embeddings.", "bert.encoder."};
    if (strncmp(name, "language.", 9) == 0 && strchr(name + 9, '.') != NULL)
        name = strchr(name + 9, '.') + 1;
    for (int i = 0; i < 2; i++)
        if (strncmp(name, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

static ig_code add(ig_sha256 *s, const ig_bert *m, const ig_bert_param *p, ig_err *err)
{
    IG_OWNED float *values = NULL;
    const int64_t n = (int64_t)p->rows * (p->cols > 0 ? p->cols : 1);
    char line[256];
    const int length = snprintf(line, sizeof line, "%.200s %d %d\n", p->name, p->rows, p->cols);
    IG_TRY(ig_alloc(&values, n, sizeof *values, "weights", err));
    ig_bert_get_values(m, p, values);
    IG_TRY(ig_sha256_add(s, line, length, err));
    return ig_sha256_add(s, values, n * (int64_t)sizeof *values, err);
}

ig_code ig_bert_digest(char out[IG_BERT_DIGEST], const ig_bert *m, ig_err *err)
{
    ig_sha256 *s;
    char hex[IG_SHA256_HEX];
    ig_code code = IG_ERR_OK;
    IG_TRY(ig_sha256_new(&s, err));
    for (int i = 0; i < ig_bert_n_param(m) && code == IG_ERR_OK; i++)
        if (is_encoder(ig_bert_params(m)[i].name))
            code = add(s, m, &ig_bert_params(m)[i], err);
    const ig_code end = ig_sha256_end(s, hex, code == IG_ERR_OK ? err : NULL);
    IG_TRY(code);
    IG_TRY(end);
    snprintf(out, IG_BERT_DIGEST, "%.16s", hex);
    return IG_ERR_OK;
}
