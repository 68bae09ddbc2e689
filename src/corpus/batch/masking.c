/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks (Devlin et al. 2019, §3.1; shares as Dufter & Schütze 2020 use them). Every draw is one
 * Philox block whose counter identifies its token: (origin of the token, sequence, language,
 * round). The three draws of a token (is it chosen? how is it replaced? by which token?) are
 * independent. Neighbours get their share from the tokens that would have stayed unchanged: with
 * and without them, the same tokens are masked and the same become random. Whole words: whether a
 * token is chosen is decided by the draw of its word's first token (Google's BERT draws words
 * until a number of tokens is reached; here each word is drawn by itself); its replacement is its
 * own draw.
 */
#include "corpus/batch/masking.h"

#include "base/memory.h"
#include "corpus/language/transform.h"

#include <math.h>

struct ig_masking {
    const ig_corpus *corpus;
    ig_batch_options options;
    int n_language;
    int32_t *content; /* ids for random replacement, ascending; by language for IG_RANDOM_OWN */
    int64_t *content_first; /* [n_language + 1] into content */
    int64_t n_content;
    double random_share, near_share; /* of the current batch */
    bool causal;                     /* likewise */
};

static ig_code check_share(double v, const char *name, ig_err *err)
{
    if (v >= 0 && v <= 1)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, name, 0, "found %g, expected 0 to 1", v);
}

static ig_code check(const ig_batch_options *o, ig_err *err)
{
    IG_TRY(check_share(o->causal_share, "causal-share", err));
    IG_TRY(check_share(o->mask_prob, "mask-prob", err));
    IG_TRY(check_share(o->mask_share, "mask-share", err));
    IG_TRY(check_share(o->random_share, "random-share", err));
    /* .8 + .2 or .7 + .3 may be rounded to one part in 2⁵² more than 1. */
    if (!(o->mask_share + o->random_share <= 1 + 0x1p-52))
        return ig_fail(err, IG_ERR_USAGE, "random-share", 0,
                       "mask-share %g and random-share %g are %g together, expected at most 1",
                       o->mask_share, o->random_share, o->mask_share + o->random_share);
    if (o->near == NULL)
        return IG_ERR_OK;
    IG_TRY(check_share(o->near_share, "knn-share", err));
    IG_TRY(check_share(o->near_growth, "knn-growth", err));
    IG_TRY(check_share(o->near_context, "knn-context", err));
    const double sum = o->mask_share + o->random_share + o->near_share;
    if (!(sum <= 1 + 0x1p-50))
        return ig_fail(err, IG_ERR_USAGE, "knn-share", 0,
                       "mask-share %g, random-share %g and knn-share %g are %g together, expected "
                       "at most 1",
                       o->mask_share, o->random_share, o->near_share, sum);
    return IG_ERR_OK;
}

static ig_code list_content(ig_masking *m, ig_err *err)
{
    const ig_corpus_options *o = ig_corpus_get_options(m->corpus);
    bool own = m->options.random_vocab == IG_RANDOM_OWN;
    int64_t most = ig_corpus_vocab_size(m->corpus);
    for (int k = 0; k < m->n_language && own; k++)
        most += ig_corpus_language(m->corpus, k)->n_id;
    IG_TRY(ig_alloc(&m->content, most, sizeof *m->content, "random ids", err));
    IG_TRY(ig_alloc(&m->content_first, m->n_language + 1, sizeof *m->content_first, "random ids",
                    err));
    if (own) {
        for (int k = 0; k < m->n_language; k++) {
            const ig_language *l = ig_corpus_language(m->corpus, k);
            for (int32_t i = 0; i < l->n_id; i++)
                if (!ig_is_special_piece(o, i))
                    m->content[m->n_content++] = l->first_id + i;
            m->content_first[k + 1] = m->n_content;
        }
        return IG_ERR_OK;
    }
    /* Block by block: the first, then those of the languages that have one of their own; languages
     * of one vocabulary may share theirs. */
    for (int k = -1; k < m->n_language; k++) {
        const ig_language *l = k < 0 ? NULL : ig_corpus_language(m->corpus, k);
        int32_t first = l == NULL ? 0 : l->first_id, n = l == NULL ? o->base_vocab : l->n_id;
        bool again = false;
        for (int i = 0; i < k; i++)
            again = again || ig_corpus_language(m->corpus, i)->first_id == first;
        for (int32_t i = 0; i < n && (l == NULL || first > 0) && !again; i++)
            if (!ig_is_special_piece(o, i))
                m->content[m->n_content++] = first + i;
    }
    return IG_ERR_OK;
}

ig_code ig_masking_new(ig_masking **out, const ig_corpus *c, const ig_batch_options *options,
                       ig_err *err)
{
    ig_masking *m;
    *out = NULL;
    IG_TRY(check(options, err));
    if (options->near != NULL)
        IG_TRY(ig_neighbour_table_check(options->near, c, "", err));
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "masks", err));
    m->corpus = c;
    m->options = *options;
    m->n_language = ig_corpus_n_language(c);
    ig_masking_set_batch(m, -1);
    ig_code code = list_content(m, err);
    IG_RETURN_NEW(code, out, m, ig_masking_free);
}

void ig_masking_free(ig_masking *m)
{
    if (m == NULL)
        return;
    IG_FREE(m->content, m->content_first, m);
}

/* Returns a number uniform in [0, n) from 64 bits; the bias is below n / 2⁶⁴. */
static int64_t below(uint32_t hi, uint32_t lo, int64_t n)
{
    uint64_t m = (uint64_t)n;
    return (int64_t)(((uint64_t)hi * m + ((uint64_t)lo * m >> 32)) >> 32);
}

static int32_t random_id(const ig_masking *m, int language, const uint32_t r[4])
{
    switch (m->options.random_vocab) {
    case IG_RANDOM_ALL:
        break;
    case IG_RANDOM_NONSPECIAL:
        return m->content[below(r[2], r[3], m->n_content)];
    case IG_RANDOM_OWN: {
        int64_t from = m->content_first[language], to = m->content_first[language + 1];
        return m->content[from + below(r[2], r[3], to - from)];
    }
    }
    return (int32_t)below(r[2], r[3], ig_corpus_vocab_size(m->corpus));
}

/* Returns a neighbour of a token of language k; the token itself if it has none. */
static int32_t neighbour(const ig_masking *m, int k, int32_t id, const uint32_t r[4])
{
    const ig_language *l = ig_corpus_language(m->corpus, k);
    const ig_neighbour_table *t = m->options.near;
    if (id < l->first_id || id >= l->first_id + l->n_id ||
        (k > 0 && m->options.near_languages == IG_NEAR_FIRST))
        return id;
    const int64_t row = t->first[k] + id - l->first_id, n = t->start[row + 1] - t->start[row];
    return n > 0 ? t->id[t->start[row] + below(r[2], r[3], n)] : id;
}

/* Number of causal ones among the first n batches. */
static int64_t n_causal(double share, int64_t n)
{
    return (int64_t)floor(share * (double)n + 1e-9);
}

void ig_masking_set_batch(ig_masking *m, int64_t batch)
{
    const ig_batch_options *o = &m->options;
    double moved = 0;
    if (o->near != NULL && o->near_growth > 0) {
        const double most = floor(o->random_share / o->near_growth + 1e-9);
        moved = o->near_growth * ((double)(batch + 1) < most ? (double)(batch + 1) : most);
        moved = moved < o->random_share ? moved : o->random_share;
    }
    m->random_share = o->random_share - moved;
    m->near_share = o->near != NULL ? o->near_share + moved : 0;
    m->causal = batch < 0 ? o->causal_share == 1
                          : n_causal(o->causal_share, batch + 1) > n_causal(o->causal_share, batch);
}

bool ig_masking_causal(const ig_masking *m)
{
    return m->causal;
}

/* Every token but the first is predicted from the state before it, special ones too. */
static int32_t predict_next(const ig_masking_tokens *of)
{
    for (int32_t j = 1; j < of->n; j++) {
        of->row[j - 1] = of->first_row + j - 1;
        of->label[j - 1] = of->id[j];
    }
    return of->n > 0 ? of->n - 1 : 0;
}

int32_t ig_masking_run(const ig_masking *m, const ig_masking_tokens *of)
{
    const ig_corpus_options *o = ig_corpus_get_options(m->corpus);
    const ig_batch_options *p = &m->options;
    const int32_t back = p->causal_share > 0; /* from a token to the state that predicts it */
    uint32_t r[4];
    int32_t n_pred = 0;
    if (m->causal)
        return predict_next(of);
    for (int32_t j = back; j < of->n; j++) {
        const ig_language *l =
            of->special != NULL ? of->special : ig_corpus_language(m->corpus, of->language[j]);
        int32_t v = of->id[j];
        if (v == l->pad || v == l->cls || v == l->sep || v == o->pad || v == o->cls || v == o->sep)
            continue;
        const ig_token_key *t = &of->token[j];
        ig_philox(of->key, t->origin, t->sequence, t->language, of->round, r);
        uint32_t chosen = r[0];
        if (p->whole_words && t->word != t->origin) {
            uint32_t first[4];
            ig_philox(of->key, t->word, t->sequence, t->language, of->round, first);
            chosen = first[0];
        }
        const double how = (double)r[1] * 0x1p-32;
        if (!((double)chosen < p->mask_prob * 0x1p32)) {
            if (p->near != NULL && how < p->near_context)
                of->id[j] = neighbour(m, of->language[j], v, r);
            continue;
        }
        of->row[n_pred] = of->first_row + j - back;
        of->label[n_pred++] = v;
        if (how < p->mask_share)
            of->id[j] = l->mask;
        else if (how < p->mask_share + m->random_share)
            of->id[j] = random_id(m, of->language[j], r);
        else if (how < p->mask_share + m->random_share + m->near_share)
            of->id[j] = neighbour(m, of->language[j], v, r);
    }
    return n_pred;
}
