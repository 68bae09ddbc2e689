/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieves a dictionary's words through a map learned from other words, as `isoglot bli` does.
 */
#include "measure/words/lexicon_maps.h"

#include "base/id_pairs.h"
#include "base/memory.h"
#include "embed/search/bli.h"
#include "measure/nearest/space_map.h"

#include <math.h>
#include <string.h>

enum { CSLS_NEIGHBOURS = 10 };

typedef struct {
    int d;
    float *x[2]; /* [n, d] of the words that have a pair; x[0] is mapped */
    int64_t n[2];
    int32_t *pair; /* [n_pair, 2] of their rows */
    int64_t n_pair;
    ig_map_pairs learn;
    bool *learned[2]; /* [n] whether one of a word's pairs is */
} work;

static bool has_vector(const ig_lexicon_space *s, int side, int32_t number)
{
    const float *x = s->x[side] + (int64_t)number * s->d;
    for (int k = 0; k < s->d; k++)
        if (x[k] != 0)
            return true;
    return false;
}

/* The pairs of words that have vectors. */
static ig_code take_pairs(work *w, const ig_lexicon_space *s, ig_err *err)
{
    IG_TRY(ig_alloc(&w->pair, 2 * s->n_pair, sizeof *w->pair, "pairs", err));
    for (int64_t i = 0; i < s->n_pair; i++)
        if (has_vector(s, 0, s->pair[2 * i]) && has_vector(s, 1, s->pair[2 * i + 1]))
            memcpy(w->pair + 2 * w->n_pair++, s->pair + 2 * i, 2 * sizeof *w->pair);
    return IG_ERR_OK;
}

/* Copies the vectors of a side's words that have a pair, by number, and replaces the numbers in
 * w->pair by their rows. */
static ig_code take_words(work *w, const ig_lexicon_space *s, int side, ig_err *err)
{
    IG_OWNED int32_t *number = NULL;
    IG_TRY(ig_id_pairs_number(&number, &w->n[side], w->pair, w->n_pair, side, err));
    const int64_t n = w->n[side];
    IG_TRY(ig_alloc(&w->x[side], n * w->d, sizeof *w->x[side], "words", err));
    IG_TRY(ig_alloc(&w->learned[side], n, sizeof *w->learned[side], "words", err));
    for (int64_t i = 0; i < n; i++)
        memcpy(w->x[side] + i * w->d, s->x[side] + (int64_t)number[i] * w->d,
               (size_t)w->d * sizeof *w->x[side]);
    return IG_ERR_OK;
}

static ig_code choose(work *w, ig_err *err)
{
    for (int64_t i = 0; i < w->n_pair; i++) {
        const int32_t *p = w->pair + 2 * i;
        if (p[0] % 2 != 0)
            continue;
        IG_TRY(ig_map_pairs_add(&w->learn, p[0], p[1], err));
        w->learned[0][p[0]] = w->learned[1][p[1]] = true;
    }
    return IG_ERR_OK;
}

/* Words of `side` retrieve_words, those that nothing was learned from. */
static ig_code retrieve_words(ig_lexicon_score *out, const work *w, int side,
                              const ig_retrieval_with *with, ig_err *err)
{
    const ig_bli_options o = {.method = {[IG_RETRIEVE_NN] = true, [IG_RETRIEVE_CSLS] = true},
                              .csls_k = CSLS_NEIGHBOURS};
    const ig_vectors v[2] = {{.n = (int32_t)w->n[side], .d = w->d, .x = w->x[side]},
                             {.n = (int32_t)w->n[1 - side], .d = w->d, .x = w->x[1 - side]}};
    ig_dictionary_rows rows = {0};
    ig_bli_result r;
    IG_OWNED int32_t *tested = NULL;
    int64_t n = 0;
    IG_TRY(ig_alloc(&tested, 2 * w->n_pair, sizeof *tested, "pairs", err));
    for (int64_t i = 0; i < w->n_pair; i++) {
        if (w->learned[side][w->pair[2 * i + side]])
            continue;
        tested[2 * n] = w->pair[2 * i + side];
        tested[2 * n++ + 1] = w->pair[2 * i + 1 - side];
    }
    n = ig_id_pairs_unique(tested, n);
    ig_code code = n > 0 ? ig_dictionary_rows_of(&rows, tested, n, err) : IG_ERR_OK;
    if (n > 0 && code == IG_ERR_OK &&
        (code = ig_bli(&r, v, &rows, &o, (ig_vector_work){w->d, with->ops, with->team}, err)) ==
            IG_ERR_OK) {
        out->csls[side] = r.of[IG_RETRIEVE_CSLS].p[0];
        out->cosine[side] = r.of[IG_RETRIEVE_NN].p[0];
        out->n_query[side] = r.n_query;
        ig_bli_free(&r);
    }
    ig_dictionary_rows_free(&rows);
    return code;
}

ig_code ig_lexicon_map(ig_lexicon_score *out, const ig_lexicon_space *s,
                       const ig_retrieval_with *with, ig_err *err)
{
    const double none = (double)NAN;
    work w = {.d = s->d};
    *out = (ig_lexicon_score){{none, none}, {none, none}, {0, 0}};
    ig_code code = take_pairs(&w, s, err);
    if (w.n_pair > 1) {
        for (int k = 0; k < 2; k++)
            IG_THEN(code, take_words(&w, s, k, err));
        IG_THEN(code, choose(&w, err));
        IG_THEN(code, ig_rotate_first(w.x, w.n, w.d, &w.learn, with, err));
        for (int k = 0; k < 2; k++)
            IG_THEN(code, retrieve_words(out, &w, k, with, err));
    }
    for (int k = 0; k < 2; k++) {
        IG_FREE(w.x[k], w.learned[k]);
    }
    ig_free(w.pair);
    ig_map_pairs_free(&w.learn);
    return code;
}
