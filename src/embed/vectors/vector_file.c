/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the public calls on word vectors (isoglot/vector_file.h).
 */
#include "isoglot/vector_file.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "embed/vectors/vectors.h"

#include <string.h>

struct ig_word_vectors {
    ig_vectors v;
};

ig_code ig_word_vectors_open(ig_word_vectors **out, const char *path, int64_t max_word, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    ig_word_vectors *v;
    *out = NULL;
    IG_TRY(ig_alloc(&v, 1, sizeof *v, "word vectors", err));
    const ig_code code =
        ig_vectors_read(&v->v, path, (ig_vec_how){.max_word = max_word}, NULL, err);
    IG_RETURN_NEW(code, out, v, ig_word_vectors_close);
}

void ig_word_vectors_close(ig_word_vectors *v)
{
    if (v == NULL)
        return;
    ig_vectors_free(&v->v);
    ig_free(v);
}

int32_t ig_word_vectors_n_word(const ig_word_vectors *v)
{
    return v->v.n;
}

int32_t ig_word_vectors_size(const ig_word_vectors *v)
{
    return v->v.d;
}

float *ig_word_vectors_rows(ig_word_vectors *v)
{
    return v->v.x;
}

const char *ig_word_vectors_word(const ig_word_vectors *v, int32_t i)
{
    return i >= 0 && i < v->v.n ? ig_lexicon_get(&v->v.words, i) : NULL;
}

int32_t ig_word_vectors_find(const ig_word_vectors *v, const char *word)
{
    return ig_lexicon_find(&v->v.words, word, (int64_t)strlen(word));
}
