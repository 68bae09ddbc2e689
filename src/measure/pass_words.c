/* SPDX-License-Identifier: Apache-2.0
 *
 * The pass over words: each entry of the gold dictionary goes through the model alone, as [CLS]
 * word [SEP] with its language's special tokens, positions and segment, and the middle vector
 * represents it (Dufter & Schütze 2020, A.1). The candidates are the dictionary's entries of the
 * other language.
 */
#include "measure/measure_list.h"

#include "apply/states.h"
#include "base/id_pairs.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "model/bert_params.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The dictionary as indices into two ascending lists of ids. */
typedef struct {
    const ig_language *language[2];
    int32_t *pairs; /* n pairs: first ids, then indices */
    int64_t n;
    int32_t *id[2];
    int64_t n_id[2];
    int64_t n_special;
} dictionary;

static void add_pair(dictionary *d, int32_t a, int32_t b)
{
    d->pairs[2 * d->n] = a;
    d->pairs[2 * d->n + 1] = b;
    d->n++;
}

/* The rows of the special tokens in a language's own block, whether its sequences use them or not.
 */
static bool is_special(const ig_corpus_options *base, const ig_language *l, int32_t id)
{
    int32_t k = id - l->first_id;
    return id == l->pad || id == l->unk || id == l->cls || id == l->sep || id == l->mask ||
           k == base->pad || k == base->unk || k == base->cls || k == base->sep || k == base->mask;
}

static ig_code dictionary_make(dictionary *d, const ig_measure_options *o, const ig_corpus *c,
                               ig_err *err)
{
    const ig_language *a = ig_corpus_language(c, o->a), *b = ig_corpus_language(c, o->b);
    d->language[0] = a;
    d->language[1] = b;
    const ig_corpus_options *base = ig_corpus_get_options(c);
    const int32_t special[] = {base->pad, base->unk, base->cls, base->sep, base->mask};
    enum { N_SPECIAL = sizeof special / sizeof *special };
    int32_t *found = NULL;
    int64_t n = 0;
    IG_TRY(ig_corpus_gold_dictionary(c, o->a, o->b, &found, &n, err));
    ig_code code = ig_alloc(&d->pairs, 2 * (n + N_SPECIAL), sizeof *d->pairs, "dictionary", err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        add_pair(d, found[2 * i], found[2 * i + 1]);
    ig_free(found);
    IG_TRY(code);
    if (o->translation != IG_VARIANT_FIXED && n > 0 && a->first_id != b->first_id)
        for (int i = 0; i < N_SPECIAL; i++)
            if (special[i] >= 0 && special[i] < a->n_id && special[i] < b->n_id)
                add_pair(d, a->first_id + special[i], b->first_id + special[i]);
    if (d->n == 0)
        return IG_ERR_OK;
    d->n = ig_id_pairs_unique(d->pairs, d->n);
    for (int64_t i = 0; i < d->n; i++)
        d->n_special += is_special(base, a, d->pairs[2 * i]);
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_id_pairs_number(&d->id[x], &d->n_id[x], d->pairs, d->n, x, err));
    return IG_ERR_OK;
}

typedef struct {
    float *const *to; /* [n_layer][words, d] */
    int n_layer, d;
    int at; /* of the word's token */
} middle_vectors;

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    const middle_vectors *m = arg;
    (void)err;
    for (int l = 0; l < m->n_layer; l++)
        memcpy(m->to[l] + s->number * m->d, s->states[l] + (int64_t)m->at * m->d,
               (size_t)m->d * sizeof(float));
    return IG_ERR_OK;
}

/* Fills out[l][n, D] with the middle vectors of the words of language x of the pair. */
static ig_code encode_words(float *const *out, const dictionary *dict, int x, ig_states *states,
                            const ig_measure_options *o, ig_err *err)
{
    const ig_language *l = dict->language[x];
    middle_vectors m = {out, o->n_layer,
                        ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size,
                        l->cls >= 0};
    ig_states_begin(states, take, &m);
    for (int64_t i = 0; i < dict->n_id[x]; i++) {
        IG_TRY(ig_states_put_pieces(states, x ? o->b : o->a, &dict->id[x][i], 1, err));
    }
    return ig_states_end(states, err);
}

/* The pairs of two vectors. A piece that both languages take from one table is its own translation
 * before any learning. Candidates are the words of these pairs. */
typedef struct {
    int32_t *pairs;  /* n pairs of indices into the rows kept */
    int32_t *row[2]; /* the words kept, as rows of the dictionary's words, ascending */
    int64_t n, n_row[2];
} distinct_words;

static ig_code distinct_make(distinct_words *d, const dictionary *all, bool one_table, ig_err *err)
{
    IG_TRY(ig_alloc(&d->pairs, 2 * all->n, sizeof *d->pairs, "words", err));
    for (int64_t i = 0; i < all->n; i++)
        if (!one_table || all->id[0][all->pairs[2 * i]] != all->id[1][all->pairs[2 * i + 1]]) {
            d->pairs[2 * d->n] = all->pairs[2 * i];
            d->pairs[2 * d->n + 1] = all->pairs[2 * i + 1];
            d->n++;
        }
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_id_pairs_number(&d->row[x], &d->n_row[x], d->pairs, d->n, x, err));
    return IG_ERR_OK;
}

/* Runs the measures on the words that are not one piece in both languages; v holds all words. */
static ig_code measure_distinct(const ig_measure_out *out, const distinct_words *w,
                                const ig_vector_pair *v, const ig_retrieval_with *with, ig_err *err)
{
    float *kept[2] = {NULL, NULL};
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        code = ig_alloc(&kept[x], w->n_row[x] * v->d, sizeof(float), "word vectors", err);
        for (int64_t i = 0; i < w->n_row[x] && code == IG_ERR_OK; i++)
            memcpy(kept[x] + i * v->d, v->x[x] + (int64_t)w->row[x][i] * v->d,
                   (size_t)v->d * sizeof(float));
    }
    const ig_vector_pair some = {
        {kept[0], kept[1]}, {w->n_row[0], w->n_row[1]}, v->d, w->pairs, w->n};
    IG_THEN(code, ig_measure_vectors(out, offsetof(ig_measure_kind, words_apart), &some,
                                     IG_MEASURE_BIT(distinct), with, err));
    IG_FREE(kept[0], kept[1]);
    return code;
}

ig_code ig_measure_words(ig_measure_result *r, const ig_measure_with *with, const ig_corpus *corpus,
                         ig_err *err)
{
    const ig_measure_options *o = &r->options;
    int d = ig_bert_get_config(with->model)->hidden_size;
    dictionary dict = {0};
    distinct_words distinct = {0};
    float *vector[2][IG_MEASURE_MAX_LAYER] = {{0}};
    ig_states *states = NULL;
    ig_code code = dictionary_make(&dict, o, corpus, err);
    if (code != IG_ERR_OK || dict.n == 0)
        goto done;
    r->n_word = dict.n;
    r->n_special = dict.n_special;
    r->listed = ig_corpus_gold_listed(corpus, o->a, o->b);
    code = distinct_make(&distinct, &dict, ig_bert_shares_words(with->model, o->a, o->b), err);
    if (code != IG_ERR_OK)
        goto done;
    r->n_distinct = distinct.n;
    r->n_same = dict.n - distinct.n;
    code = ig_states_over(
        &states, &(ig_states_options){.layer = o->layer, .n_layer = o->n_layer, .stop = with->stop},
        &(ig_states_parts){
            .engine = with->engine, .model = with->model, .team = with->team, .corpus = corpus},
        err);
    const bool distinct_requested = ig_measure_has_distinct(r) && distinct.n > 0;
    for (int x = 0; x < 2; x++) {
        for (int l = 0; l < r->options.n_layer && code == IG_ERR_OK; l++)
            code = ig_alloc(&vector[x][l], dict.n_id[x] * d, sizeof(float), "word vectors", err);
        IG_THEN(code, encode_words(vector[x], &dict, x, states, o, err));
        for (int l = 0; l < r->options.n_layer && code == IG_ERR_OK; l++)
            code = ig_unit_rows(vector[x][l], dict.n_id[x], d, "word vectors", err);
        if (code != IG_ERR_OK)
            goto done;
    }
    for (int l = 0; l < r->options.n_layer && code == IG_ERR_OK; l++) {
        const ig_retrieval_with use = {with->ops, with->team, &with->stop};
        const ig_vector_pair v = {
            {vector[0][l], vector[1][l]}, {dict.n_id[0], dict.n_id[1]}, d, dict.pairs, dict.n};
        const ig_measure_out out = ig_measure_out_of(r, o->layer[l]);
        code = ig_measure_vectors(&out, offsetof(ig_measure_kind, words), &v, o->what, &use, err);
        if (code == IG_ERR_OK && distinct_requested)
            code = measure_distinct(&out, &distinct, &v, &use, err);
    }
done:
    ig_states_close(states);
    for (int x = 0; x < 2; x++)
        for (int l = 0; l < r->options.n_layer; l++)
            ig_free(vector[x][l]);
    IG_FREE(dict.pairs, dict.id[0], dict.id[1]);
    IG_FREE(distinct.pairs, distinct.row[0], distinct.row[1]);
    return code;
}
