/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieves translations by word vectors and computes MRR and P@k.
 */
#include "run/measure/word_retrieval.h"

#include "apply/words/word_places.h"
#include "apply/words/word_rows.h"
#include "base/id_pairs.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "embed/search/bli.h"
#include "measure/words/lexicon_maps.h"
#include "model/bert_params.h"
#include "run/data/word_pairs.h"
#include "run/measure/measure_pairs.h"

#include <stdio.h>
#include <string.h>

/* The word pairs of a pair of languages. */
typedef struct {
    const ig_word_query *of;
    int b;
    bool one_table; /* both languages have their words' vectors in it */
    ig_word_pairs pairs;
    ig_word_places place[2];
    int32_t *kept; /* [n_kept, 2] numbers of occurrences to retrieve, each pair once */
    int64_t n_kept;
    ig_dictionary_rows rows; /* by numbers of words */
    const char **tag;        /* [place[0].key.n] of the first word that is cut so */
} question;

static void question_free(question *q)
{
    ig_word_pairs_free(&q->pairs);
    for (int x = 0; x < 2; x++)
        ig_word_places_free(&q->place[x]);
    ig_dictionary_rows_free(&q->rows);
    IG_FREE(q->kept, q->tag);
}

/* Returns whether two words are the same pieces, of one table. */
static bool is_alike(const question *q, const int32_t number[2])
{
    if (!q->one_table)
        return false;
    const ig_lexicon *a = &q->place[0].key, *b = &q->place[1].key;
    return strcmp(ig_lexicon_get(a, number[0]), ig_lexicon_get(b, number[1])) == 0;
}

static bool is_included(const question *q, const int32_t number[2])
{
    for (int x = 0; x < 2; x++)
        if (number[x] < 0 || q->place[x].early[number[x]] < q->of->measuring->words_min_count)
            return false;
    return q->of->measuring->words_alike || !is_alike(q, number);
}

/* Looks both words of every pair up, and keeps the pairs that occur in the texts. */
static ig_code make_question(question *q, ig_err *err)
{
    const int64_t take = q->of->measuring->words_take;
    int32_t *number;
    IG_TRY(ig_word_pairs_make(&q->pairs, q->of->settings, take, q->b, err));
    const ig_dictionary *d = &q->pairs.pairs;
    for (int x = 0; x < 2; x++) {
        const int language = x ? q->b : 0;
        ig_word_places_new(&q->place[x], q->of->setup->train,
                           q->of->setup->languages->tokenizer[language], language);
    }
    IG_TRY(ig_alloc(&number, 2 * d->n_pair, sizeof *number, "pairs", err));
    IG_TRY(ig_alloc(&q->kept, 2 * d->n_pair, sizeof *q->kept, "pairs", err));
    IG_TRY(ig_alloc(&q->tag, d->n_pair, sizeof *q->tag, "tags", err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < 2 * d->n_pair && code == IG_ERR_OK; i++)
        code = ig_word_places_add(&q->place[i % 2], ig_lexicon_get(&d->word[i % 2], d->pair[i]),
                                  &number[i], err);
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++)
        code = ig_word_places_count(&q->place[x], take, err);
    for (int64_t i = 0; i < d->n_pair && code == IG_ERR_OK; i++) {
        if (!is_included(q, number + 2 * i))
            continue;
        memcpy(q->kept + 2 * q->n_kept++, number + 2 * i, 2 * sizeof *number);
        const char **tag = &q->tag[number[2 * i]];
        if (*tag == NULL)
            *tag = q->pairs.tag[d->pair[2 * i]];
    }
    ig_free(number);
    IG_TRY(code);
    if (q->n_kept == 0)
        return ig_fail(err, IG_ERR_INPUT, ig_corpus_language(q->of->setup->train, q->b)->name, 0,
                       "of %lld pairs of words none occurs %lld times in both texts",
                       (long long)d->n_pair, (long long)q->of->measuring->words_min_count);
    q->n_kept = ig_id_pairs_unique(q->kept, q->n_kept);
    return ig_dictionary_rows_of(&q->rows, q->kept, q->n_kept, err);
}

/* ---- its rows ---- */

static ig_code put_groups(const ig_measure_out *out, const question *q, const ig_bli_score *s,
                          ig_err *err)
{
    for (int g = 0; g < IG_WORD_GROUPS; g++) {
        char name[32];
        double sum = 0;
        int64_t n = 0;
        for (int64_t i = 0; i < q->rows.n_query; i++) {
            if (!ig_word_in_group(q->tag[q->rows.query[i]], g))
                continue;
            sum += 1.0 / (double)(s->rank[i] + 1);
            n++;
        }
        snprintf(name, sizeof name, "mrr_%s", ig_word_group_names[g]);
        if (n > 0)
            IG_TRY(ig_measure_put(out, name, n, sum / (double)n, err));
    }
    return IG_ERR_OK;
}

/* x[side]: [place[side].key.n, d], which become rows of length one. */
static ig_code retrieve(const ig_measure_out *out, const question *q, float *const x[2],
                        ig_vector_work with, ig_err *err)
{
    const int d = with.d;
    const ig_bli_options o = {.method = {[IG_RETRIEVE_NN] = true}, .dictionary_candidates = true};
    ig_vectors v[2];
    ig_bli_result r;
    for (int s = 0; s < 2; s++) {
        v[s] = (ig_vectors){.n = q->place[s].key.n, .d = d, .x = x[s]};
        IG_TRY(ig_unit_rows(x[s], v[s].n, d, "word vectors", err));
    }
    IG_TRY(ig_bli(&r, v, &q->rows, &o, with, err));
    const ig_bli_score *s = &r.of[IG_RETRIEVE_NN];
    const double value[] = {s->mrr, s->p[0], s->p[1], s->p[2]};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < 4; i++)
        IG_THEN(code, ig_measure_put(out, ig_numbers_words[i].name, r.n_query, value[i], err));
    IG_THEN(code, put_groups(out, q, s, err));
    ig_bli_free(&r);
    return code;
}

static ig_code alloc_vectors(float **x, const question *q, int side, int d, ig_err *err)
{
    return ig_alloc(x, (int64_t)q->place[side].key.n * d, sizeof **x, "word vectors", err);
}

/* ---- a BERT ---- */

static double both_ways(const double way[2])
{
    return (way[0] + way[1]) / 2;
}

/* A level of the measure `lexicon`, in the order of measure/maps.c. */
static ig_code put_lexicon(const ig_measure_out *out, bool rows, const ig_lexicon_score *s,
                           ig_err *err)
{
    const double value[] = {both_ways(s->csls), s->csls[0], s->csls[1], both_ways(s->cosine),
                            (double)s->n_query[0]};
    const ig_store_task *number = ig_numbers_lexicon + (rows ? 0 : 1);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        IG_TRY(ig_measure_put(out, number[2 * i].name, 0, value[i], err));
    return IG_ERR_OK;
}

/* Rows of word embeddings, of the pairs of two words of one piece. */
static ig_code map_rows(const ig_measure_out *out, const question *q, const ig_measure_with *with,
                        ig_err *err)
{
    const ig_retrieval_with how = {with->ops, with->team, &with->stop};
    ig_lexicon_space s = {0};
    ig_lexicon_score found;
    int32_t *pair, *id[2] = {NULL, NULL};
    float *x[2] = {NULL, NULL};
    IG_TRY(ig_alloc(&pair, 2 * q->n_kept, sizeof *pair, "pairs", err));
    for (int64_t i = 0; i < q->n_kept; i++) {
        bool single = true;
        for (int k = 0; k < 2; k++) {
            const int64_t *start = q->place[k].start + q->kept[2 * i + k];
            single = single && start[1] - start[0] == 1;
        }
        if (single)
            memcpy(pair + 2 * s.n_pair++, q->kept + 2 * i, 2 * sizeof *pair);
    }
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < 2 && code == IG_ERR_OK; k++) {
        const ig_word_places *p = &q->place[k];
        code = ig_alloc(&id[k], p->key.n, sizeof *id[k], "words", err);
        for (int32_t w = 0; w < p->key.n && code == IG_ERR_OK; w++)
            id[k][w] = p->piece[p->start[w]]; /* of others the first, which no pair has */
        IG_THEN(code, ig_word_rows(&x[k], &s.d, with->model,
                                   (ig_word_ids){p->language, id[k], p->key.n}, err));
        s.x[k] = x[k];
    }
    s.pair = pair;
    IG_THEN(code, ig_lexicon_map(&found, &s, &how, err));
    IG_THEN(code, put_lexicon(out, true, &found, err));
    IG_FREE(pair, id[0], id[1], x[0], x[1]);
    return code;
}

/* Both levels of the measure `lexicon`; rows are of layer 0. */
static ig_code map_words(const ig_measure_out *out, const question *q, float *const x[2],
                         const ig_measure_with *with, ig_err *err)
{
    const ig_lexicon_space s = {.pair = q->kept,
                                .n_pair = q->n_kept,
                                .x = {x[0], x[1]},
                                .d = ig_bert_get_config(with->model)->hidden_size};
    const ig_retrieval_with how = {with->ops, with->team, &with->stop};
    ig_lexicon_score found;
    IG_TRY(ig_lexicon_map(&found, &s, &how, err));
    IG_TRY(put_lexicon(out, false, &found, err));
    return out->layer == 0 ? map_rows(out, q, with, err) : IG_ERR_OK;
}

/* At the layers of the result. */
static ig_code measure_pair(ig_measure_result *r, const char *pair, const question *q,
                            const ig_measure_with *with, ig_err *err)
{
    const ig_measure_options *o = &r->options;
    const int d = ig_bert_get_config(with->model)->hidden_size;
    const ig_word_contexts how = {
        .sequences = {ig_corpus_get_options(q->of->setup->train)->block,
                      q->of->settings->objective->batching.instances == IG_INSTANCES_STREAM},
        .most = q->of->most};
    float *x[2][IG_MEASURE_MAX_LAYER] = {{0}};
    int64_t n;
    ig_states *states;
    ig_code code = ig_states_over(
        &states, &(ig_states_options){.layer = o->layer, .n_layer = o->n_layer, .stop = with->stop},
        &(ig_states_parts){.engine = with->engine,
                           .model = with->model,
                           .team = with->team,
                           .corpus = q->of->setup->train},
        err);
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        for (int i = 0; i < o->n_layer && code == IG_ERR_OK; i++)
            code = alloc_vectors(&x[s][i], q, s, d, err);
        IG_THEN(code, ig_word_places_states(x[s], &n, &q->place[s], &how, states, err));
    }
    for (int i = 0; i < o->n_layer && code == IG_ERR_OK; i++) {
        float *const both[2] = {x[0][i], x[1][i]};
        ig_measure_out out = ig_measure_out_of(r, o->layer[i]);
        out.languages = pair;
        out.listed = false;
        code = ig_stop_check(&with->stop, "word retrieval", err);
        if (ig_measure_requested(q->of->what, IG_MEASURE_lexicon))
            IG_THEN(code, map_words(&out, q, both, with, err));
        if (ig_measure_requested(q->of->what, IG_MEASURE_words))
            IG_THEN(code, retrieve(&out, q, both, (ig_vector_work){d, with->ops, with->team}, err));
    }
    ig_states_close(states);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < o->n_layer; i++)
            ig_free(x[s][i]);
    return code;
}

/* ---- static vectors ---- */

typedef struct {
    const ig_vectors *pieces;
    int32_t *row; /* of the vectors, of an id of the vocabulary; −1: none */
    ig_team *team;
} static_vectors;

/* The mean of the pieces' vectors; a piece without one counts as 0. */
static void add_pieces(float *x, const ig_word_places *p, const ig_vectors *pieces,
                       const int32_t *row)
{
    const int d = pieces->d;
    for (int32_t w = 0; w < p->key.n; w++) {
        const int64_t from = p->start[w], n = p->start[w + 1] - from;
        for (int k = 0; k < d; k++) {
            double sum = 0;
            for (int64_t i = from; i < from + n; i++)
                if (row[p->piece[i]] >= 0)
                    sum += (double)ig_vectors_row(pieces, row[p->piece[i]])[k];
            x[(int64_t)w * d + k] = (float)(sum / (double)n);
        }
    }
}

/* Finds which row of the vectors an id of the vocabulary has; −1: none. */
static ig_code find_rows(int32_t **row, const ig_setup *s, const ig_vectors *pieces, ig_err *err)
{
    char **piece;
    int32_t n;
    IG_TRY(ig_setup_pieces(s, &piece, &n, err));
    ig_code code = ig_alloc(row, n, sizeof **row, "pieces", err);
    for (int32_t i = 0; i < n && code == IG_ERR_OK; i++)
        (*row)[i] = ig_lexicon_find(&pieces->words, piece[i], (int64_t)strlen(piece[i]));
    ig_free_list(piece, n);
    return code;
}

static ig_code static_pair(ig_row_set *rows, const char *pair, const question *q,
                           const static_vectors *v, ig_err *err)
{
    const ig_vectors *pieces = v->pieces;
    const ig_measure_out out = {.rows = rows, .split = "dev", .languages = pair, .layer = -1};
    float *x[2] = {NULL, NULL};
    ig_code code = IG_ERR_OK;
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        code = alloc_vectors(&x[s], q, s, pieces->d, err);
        if (code == IG_ERR_OK)
            add_pieces(x[s], &q->place[s], pieces, v->row);
    }
    IG_THEN(code, retrieve(&out, q, x, (ig_vector_work){pieces->d, ig_ops_best(), v->team}, err));
    for (int s = 0; s < 2; s++)
        ig_free(x[s]);
    return code;
}

/* ---- pairs of languages ---- */

/* The vectors of words: states of a BERT, or static ones of pieces. */
typedef struct {
    const ig_word_query *of;
    ig_measure_result *states; /* where their rows go; NULL: static */
    const ig_measure_with *with;
    ig_row_set *rows;
    const static_vectors *vectors;
} retriever;

static ig_code retrieve_pair(const retriever *r, json_t *record, int b, ig_err *err)
{
    question q = {.of = r->of,
                  .b = b,
                  .one_table = r->states == NULL || ig_bert_shares_words(r->with->model, 0, b)};
    char pair[IG_MEASURE_PAIR];
    snprintf(pair, sizeof pair, "%s-%s", ig_corpus_language(r->of->setup->train, 0)->name,
             ig_corpus_language(r->of->setup->train, b)->name);
    ig_code code = make_question(&q, err);
    if (r->states != NULL)
        IG_THEN(code, measure_pair(r->states, pair, &q, r->with, err));
    else
        IG_THEN(code, static_pair(r->rows, pair, &q, r->vectors, err));
    if (code == IG_ERR_OK && record != NULL)
        json_object_set_new(record, pair, ig_word_pairs_json(&q.pairs));
    question_free(&q);
    return code;
}

/* Those that the plan compares; their pairs of words go to words.json. */
static ig_code retrieve_pairs(const retriever *r, const ig_measure_plan *plan, ig_err *err)
{
    const ig_corpus *c = r->of->setup->train;
    json_t *record = json_object();
    ig_code code = IG_ERR_OK;
    for (int b = 1; b < ig_corpus_n_language(c) && code == IG_ERR_OK; b++)
        if (ig_measure_pair_wanted(plan, c, 0, b))
            code = retrieve_pair(r, record, b, err);
    if (code == IG_ERR_OK)
        return ig_folder_json_write(json_pack("{s:i, s:o}", "isoglot_words", 1, "pairs", record),
                                    r->of->folder, "words.json", 9, err);
    json_decref(record);
    return code;
}

ig_code ig_word_retrieval_pair(ig_measure_result *r, const ig_word_query *of, int b,
                               const ig_measure_with *with, ig_err *err)
{
    return retrieve_pair(&(retriever){.of = of, .states = r, .with = with}, NULL, b, err);
}

ig_code ig_word_retrieval(ig_measure_result *r, const ig_word_query *of,
                          const ig_measure_plan *plan, const ig_measure_with *with, ig_err *err)
{
    return retrieve_pairs(&(retriever){.of = of, .states = r, .with = with}, plan, err);
}

ig_code ig_word_retrieval_static(ig_row_set *out, const ig_word_query *of, const ig_vectors *pieces,
                                 const ig_measure_plan *plan, ig_team *team, ig_err *err)
{
    static_vectors v = {.pieces = pieces, .team = team};
    ig_code code = find_rows(&v.row, of->setup, pieces, err);
    IG_THEN(code, retrieve_pairs(&(retriever){.of = of, .rows = out, .vectors = &v}, plan, err));
    ig_free(v.row);
    return code;
}
