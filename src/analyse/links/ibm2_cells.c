/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the pairs in one pass. One word of `from` after the other: a stamp at each word of `to`
 * says whether it already has a cell with this one, so no hash table is needed and a word's cells
 * lie together.
 */
#include "analyse/links/ibm2_cells.h"

#include "base/memory.h"

void ig_ibm2_cells_free(ig_ibm2_cells *c)
{
    IG_FREE(c->place, c->cell, c->first);
    *c = (ig_ibm2_cells){0};
}

/* Occurrences of each word of `from`: pair[start[w] …], and at[start[w] …] its position from 1. */
typedef struct {
    int64_t *start;
    int32_t *pair, *at;
    int32_t *stamp, *cell; /* of the words of `to` */
} index_of;

static void index_fill(index_of *x, const ig_bitext *t, int from)
{
    const int32_t n_word = t->lexicon[from].n;
    const int64_t n = t->first[from][t->n];
    for (int64_t i = 0; i < n; i++)
        x->start[t->word[from][i] + 2]++;
    for (int32_t w = 0; w < n_word; w++)
        x->start[w + 2] += x->start[w + 1];
    for (int64_t p = 0; p < t->n; p++)
        for (int64_t i = t->first[from][p]; i < t->first[from][p + 1]; i++) {
            const int64_t to = x->start[t->word[from][i] + 1]++;
            x->pair[to] = (int32_t)p;
            x->at[to] = (int32_t)(i - t->first[from][p]) + 1;
        }
}

static ig_code index_new(index_of *x, const ig_bitext *t, int from, ig_err *err)
{
    const int64_t n = t->first[from][t->n];
    IG_TRY(ig_alloc(&x->start, (int64_t)t->lexicon[from].n + 2, sizeof *x->start, "words", err));
    IG_TRY(ig_alloc(&x->pair, n, sizeof *x->pair, "words", err));
    IG_TRY(ig_alloc(&x->at, n, sizeof *x->at, "words", err));
    IG_TRY(ig_alloc(&x->stamp, t->lexicon[1 - from].n, sizeof *x->stamp, "words", err));
    IG_TRY(ig_alloc(&x->cell, t->lexicon[1 - from].n, sizeof *x->cell, "words", err));
    index_fill(x, t, from);
    return IG_ERR_OK;
}

/* Adds the cells of source s at position `at` of a pair; n is the next new one. */
static int64_t add_pair(ig_ibm2_cells *c, index_of *x, int32_t s, int64_t pair, int at, int64_t n)
{
    const ig_bitext *t = c->text;
    const int wide = ig_bitext_words(t, c->from, pair) + 1;
    const int64_t begin = t->first[c->to][pair], end = t->first[c->to][pair + 1];
    for (int64_t j = begin; j < end; j++) {
        const int32_t w = t->word[c->to][j];
        if (x->stamp[w] != s + 1) {
            x->stamp[w] = s + 1;
            x->cell[w] = (int32_t)n++;
        }
        c->cell[c->place[pair] + (j - begin) * wide + at] = x->cell[w];
    }
    return n;
}

static ig_code fill(ig_ibm2_cells *c, index_of *x, ig_err *err)
{
    const ig_bitext *t = c->text;
    int64_t n = 0;
    for (int64_t p = 0; p < t->n; p++)
        if (ig_bitext_words(t, c->from, p) > 0)
            n = add_pair(c, x, 0, p, 0, n);
    for (int32_t s = 1; s < c->n_source; s++) {
        c->first[s] = n;
        for (int64_t k = x->start[s - 1]; k < x->start[s]; k++)
            n = add_pair(c, x, s, x->pair[k], x->at[k], n);
        if (n > INT32_MAX - t->lexicon[c->to].n)
            return ig_fail(err, IG_ERR_INPUT, "parallel text", 0,
                           "found more than 2^31 different pairs of words, expected fewer");
    }
    c->first[c->n_source] = n;
    return IG_ERR_OK;
}

ig_code ig_ibm2_cells_new(ig_ibm2_cells *c, const ig_bitext *t, int from, ig_err *err)
{
    index_of x = {0};
    *c = (ig_ibm2_cells){
        .text = t, .from = from, .to = 1 - from, .n_source = t->lexicon[from].n + 1};
    if (t->n > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "parallel text", 0,
                       "found more than 2^31 sentences, expected fewer");
    IG_TRY(ig_alloc(&c->place, t->n + 1, sizeof *c->place, "sentences", err));
    for (int64_t p = 0; p < t->n; p++)
        c->place[p + 1] =
            c->place[p] + (int64_t)ig_bitext_words(t, c->to, p) * (ig_bitext_words(t, from, p) + 1);
    IG_TRY(ig_alloc(&c->cell, c->place[t->n], sizeof *c->cell, "pairs of words", err));
    IG_TRY(ig_alloc(&c->first, (int64_t)c->n_source + 1, sizeof *c->first, "words", err));
    ig_code code = index_new(&x, t, from, err);
    IG_THEN(code, fill(c, &x, err));
    IG_FREE(x.start, x.pair, x.at, x.stamp, x.cell);
    return code;
}
