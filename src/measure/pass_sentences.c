/* SPDX-License-Identifier: Apache-2.0
 *
 * The pass over parallel sentences. A chunk of sentences of both languages is encoded once for all
 * layers; each sentence pair then gives its word alignment (mutual argmax over cosines against the
 * gold that the transforms carried along) and its two vectors for retrieval, by ig_measure_options.
 * pooling. Only tokens of
 * content count: [PAD], [CLS] and [SEP], shared or a language's own, are left out (Dufter & Schütze
 * 2020, §2.2.1).
 *
 * A chunk holds one language at a time. Where padding is attended to, a batch is therefore padded
 * to the longest of one language's sentences; the paper's program runs its batches across the
 * border between the languages.
 */
#include "measure/measure_list.h"

#include "apply/sentence_blocks.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "measure/alignment.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { chunk_floats = 1 << 24, chunk_min = 8, chunk_max = 256 };

/* A thread's own memory. */
typedef struct {
    float *unit[2]; /* [block, D] */
    float *sim;     /* [block, block] */
    double *sum;    /* [D] */
    int32_t *predicted, *gold, *work;
    ig_scratch scratch;
    ig_alignment_count count[IG_MEASURE_MAX_LAYER];
} thread_scratch;

typedef struct {
    bool align; /* gold is known, and wanted */
    const ig_measure_options *o;
    const ig_corpus *corpus;
    const ig_ops *ops;
    int d, n_layer, block;
    int64_t n;    /* sentences; 0: they are not parallel */
    int64_t from; /* first sentence of the chunk */
    ig_sentence_blocks s;
    float *mean[2][IG_MEASURE_MAX_LAYER]; /* [n, D] */
    thread_scratch *thread;
    int32_t *bad; /* per sentence of the chunk: 1 + number of the layer that is not finite */
} pass;

/* Returns what state t of n, from 0, weighs in the vector of a sentence. */
static double weight(ig_pooling pooling, int32_t t, int32_t n)
{
    return pooling == IG_POOL_LAST ? t + 1 == n : pooling == IG_POOL_WEIGHTED ? t + 1 : 1;
}

/* Content rows of side x as unit vectors into k->unit[x], their mean into that of the sentence.
 * False: a value is not finite. */
static bool read_rows(const pass *p, thread_scratch *k, int x, int layer, int64_t q)
{
    const ig_sentence_block *s = &p->s.side[x];
    float *unit = k->unit[x], *mean = p->mean[x][layer] + (p->from + q) * p->d;
    double *sum = k->sum, total = 0;
    int32_t from = s->first[q], n = s->first[q + 1] - from;
    for (int c = 0; c < p->d; c++)
        sum[c] = 0;
    for (int32_t t = 0; t < n; t++) {
        const float *h = s->state[layer] + (int64_t)s->row[from + t] * p->d;
        const double w = weight(p->o->pooling, t, n);
        total += w;
        for (int c = 0; c < p->d; c++)
            sum[c] += w * (double)h[c];
        memcpy(unit + (int64_t)t * p->d, h, (size_t)p->d * sizeof *h);
    }
    for (int c = 0; c < p->d; c++)
        mean[c] = n ? (float)(sum[c] / total) : 0;
    return ig_unit_rows(unit, n, p->d, "", NULL) == IG_ERR_OK;
}

/* The contract sorts gold by the first member; the count wants the second sorted within it too. */
static void sort_gold(int32_t *g, int32_t n)
{
    for (int32_t i = 1; i < n; i++)
        for (int32_t j = i; j > 0 && g[2 * j] == g[2 * j - 2] && g[2 * j + 1] < g[2 * j - 1]; j--) {
            int32_t x = g[2 * j + 1];
            g[2 * j + 1] = g[2 * j - 1];
            g[2 * j - 1] = x;
        }
}

static void sentence_task(void *arg, int64_t q, int i_thread)
{
    pass *p = arg;
    thread_scratch *k = &p->thread[i_thread];
    const ig_sentence_block *a = &p->s.side[0], *b = &p->s.side[1];
    int32_t na = a->first[q + 1] - a->first[q], nb = b->first[q + 1] - b->first[q];
    int32_t n_gold = 0;
    if (p->align) {
        n_gold = ig_corpus_gold_alignment(p->corpus, p->o->a, p->o->b, p->from + q, k->gold);
        IG_ASSERT(n_gold >= 0);
        sort_gold(k->gold, n_gold);
    }
    for (int l = 0; l < p->n_layer; l++) {
        for (int x = 0; x < 2; x++)
            if (!read_rows(p, k, x, l, q)) {
                p->bad[q] = 1 + l;
                return;
            }
        if (!p->align)
            continue;
        int32_t n = 0;
        if (na > 0 && nb > 0) {
            const ig_gemm product = ig_gemm_of_rows(k->unit[0], na, k->unit[1], nb, p->d, k->sim);
            p->ops->gemm(&product, &k->scratch);
            n = ig_alignment_argmax(k->sim, nb, na, nb, k->predicted, k->work);
        }
        for (int32_t e = 0; e < n; e++) {
            k->predicted[2 * e] = a->place[a->first[q] + k->predicted[2 * e]];
            k->predicted[2 * e + 1] = b->place[b->first[q] + k->predicted[2 * e + 1]];
        }
        ig_alignment_add(&k->count[l], k->predicted, n, k->gold, n_gold);
    }
}

static ig_code make_memory(pass *p, int n_thread, int64_t chunk, int64_t n, ig_err *err)
{
    int64_t block = p->block;
    for (int x = 0; x < 2; x++)
        for (int l = 0; l < p->n_layer; l++)
            IG_TRY(ig_alloc(&p->mean[x][l], n * p->d, sizeof(float), "sentence vectors", err));
    IG_TRY(ig_alloc(&p->bad, chunk, sizeof *p->bad, "flags", err));
    IG_TRY(ig_alloc(&p->thread, n_thread, sizeof *p->thread, "threads' memory", err));
    for (int t = 0; t < n_thread; t++) {
        thread_scratch *k = &p->thread[t];
        for (int x = 0; x < 2; x++)
            IG_TRY(ig_alloc(&k->unit[x], block * p->d, sizeof(float), "token vectors", err));
        IG_TRY(ig_alloc(&k->sim, block * block, sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&k->sum, p->d, sizeof(double), "sums", err));
        IG_TRY(ig_alloc(&k->predicted, 2 * block, sizeof(int32_t), "edges", err));
        IG_TRY(ig_alloc(&k->gold, 4 * block, sizeof(int32_t), "gold edges", err));
        IG_TRY(ig_alloc(&k->work, block, sizeof(int32_t), "argmax", err));
    }
    return IG_ERR_OK;
}

static void free_memory(pass *p, int n_thread)
{
    ig_sentence_blocks_close(&p->s);
    for (int x = 0; x < 2; x++)
        for (int l = 0; l < p->n_layer; l++)
            ig_free(p->mean[x][l]);
    for (int t = 0; p->thread != NULL && t < n_thread; t++) {
        thread_scratch *k = &p->thread[t];
        IG_FREE(k->unit[0], k->unit[1], k->sim, k->sum, k->predicted, k->gold, k->work);
        ig_scratch_free(&k->scratch);
    }
    IG_FREE(p->thread, p->bad);
}

static ig_code run_chunks(pass *p, ig_team *team, ig_err *err)
{
    const int64_t chunk = p->s.chunk, n = p->n;
    for (p->from = 0; p->from < n; p->from += chunk) {
        int64_t to = n - p->from < chunk ? n : p->from + chunk;
        for (int x = 0; x < 2; x++)
            IG_TRY(ig_sentence_blocks_get(&p->s, x, p->from, to, err));
        memset(p->bad, 0, (size_t)chunk * sizeof *p->bad);
        ig_team_for(team, to - p->from, sentence_task, p);
        for (int t = 0; t < ig_team_size(team); t++)
            IG_TRY(ig_scratches_check(&p->thread[t].scratch, 1, err));
        for (int64_t q = 0; q < to - p->from; q++)
            if (p->bad[q])
                return ig_fail(err, IG_ERR_NUMERIC, "hidden states", 0,
                               "layer %d of sentence %lld is not finite",
                               p->o->layer[p->bad[q] - 1], (long long)(p->from + q) + 1);
    }
    return IG_ERR_OK;
}

/* Runs the measures after a map, with the sentences that it is learned from; NULL: none. */
static ig_code measure_mapped(const ig_measure_out *out, const ig_vector_pair *v,
                              const ig_vector_pair *learn, ig_measure_set what,
                              const ig_retrieval_with *with, ig_err *err)
{
    for (int k = 0; k < IG_MEASURE_N; k++)
        if (ig_measure_kinds[k]->mapped != NULL && ig_measure_requested(what, k))
            IG_TRY(ig_measure_kinds[k]->mapped(out, v, learn, with, err));
    return IG_ERR_OK;
}

/* With a gold alignment words can be aligned, too. */
static ig_code find_gold(pass *p, ig_err *err)
{
    const ig_measure_options *o = p->o;
    IG_OWNED int32_t *probe = NULL;
    IG_TRY(ig_alloc(&probe, 4 * (int64_t)p->block, sizeof *probe, "gold edges", err));
    p->align = ig_measure_requested(o->what, IG_MEASURE_alignment) &&
               ig_corpus_gold_alignment(p->corpus, o->a, o->b, 0, probe) >= 0;
    return IG_ERR_OK;
}

static ig_vector_pair means_of(const pass *p, int l)
{
    return (ig_vector_pair){{p->mean[0][l], p->mean[1][l]}, {p->n, p->n}, p->d, NULL, p->n};
}

/* Precision, recall and F1 of the links of all threads at layer l. */
static ig_code put_alignment(const pass *p, const ig_measure_out *out, int n_thread, int l,
                             ig_err *err)
{
    ig_alignment_count all = {0};
    for (int t = 0; t < n_thread; t++) {
        all.n_predicted += p->thread[t].count[l].n_predicted;
        all.n_gold += p->thread[t].count[l].n_gold;
        all.n_right += p->thread[t].count[l].n_right;
    }
    const ig_alignment_score s = ig_alignment_get(&all);
    IG_TRY(ig_measure_put(out, "f1", all.n_gold, s.f1, err));
    IG_TRY(ig_measure_put(out, "precision", all.n_gold, s.precision, err));
    return ig_measure_put(out, "recall", all.n_gold, s.recall, err);
}

ig_code ig_measure_sentence_vectors(const ig_measure_out *out, const ig_vector_pair *v,
                                    const ig_vector_pair *learn, ig_measure_set what,
                                    const ig_retrieval_with *with, ig_err *err)
{
    IG_TRY(ig_measure_vectors(out, offsetof(ig_measure_kind, sentence_means), v, what, with, err));
    IG_TRY(measure_mapped(out, v, learn, what, with, err));
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_unit_rows((float *)(uintptr_t)v->x[x], v->n[x], v->d, "sentence vectors", err));
    return ig_measure_vectors(out, offsetof(ig_measure_kind, sentences), v, what, with, err);
}

/* The rows of layer l when all sentences have been read; `learn` NULL: no other text's. */
static ig_code finish_layer(pass *p, const ig_measure_out *out, const pass *learn,
                            const ig_measure_with *with, int l, ig_err *err)
{
    IG_TRY(put_alignment(p, out, ig_team_size(with->team), l, err));
    IG_TRY(ig_stop_check(&with->stop, "the parallel sentences", err));
    const ig_retrieval_with use = {with->ops, with->team, &with->stop};
    const ig_vector_pair v = means_of(p, l), from = means_of(learn != NULL ? learn : p, l);
    return ig_measure_sentence_vectors(out, &v, learn != NULL ? &from : NULL, p->o->what, &use,
                                       err);
}

/* The pass over a corpus. Texts that are not parallel: p->n is 0. */
static ig_code read_corpus(pass *p, const ig_measure_with *with, ig_err *err)
{
    const ig_measure_options *o = p->o;
    const int64_t n = ig_measure_parallel(o, p->corpus);
    if (n == 0)
        return IG_ERR_OK;
    IG_TRY(find_gold(p, err));
    p->n = n;
    const int64_t chunk = chunk_floats / ((int64_t)2 * p->n_layer * p->block * p->d);
    const ig_sentence_block_options so = {
        .states = {.layer = o->layer, .n_layer = p->n_layer, .stop = with->stop},
        .parts = {.engine = with->engine,
                  .model = with->model,
                  .team = with->team,
                  .corpus = p->corpus},
        .language = {o->a, o->b},
        .batching = o->batching,
        .seed = o->seed,
        .chunk = chunk < chunk_min   ? chunk_min
                 : chunk > chunk_max ? chunk_max
                                     : chunk};
    IG_TRY(ig_sentence_blocks_open(&p->s, &so, err));
    IG_TRY(make_memory(p, ig_team_size(with->team), p->s.chunk, n, err));
    return run_chunks(p, with->team, err);
}

/* Returns whether one of the measures to take maps sentences. */
static bool maps_sentences(ig_measure_set what)
{
    for (int k = 0; k < IG_MEASURE_N; k++)
        if (ig_measure_kinds[k]->mapped != NULL && ig_measure_requested(what, k))
            return true;
    return false;
}

ig_code ig_measure_sentences(ig_measure_result *r, const ig_measure_with *with,
                             const ig_corpus *dev, ig_err *err)
{
    const ig_measure_options *o = &r->options;
    ig_measure_options vectors = *o; /* no word alignment of the text to learn from */
    vectors.what = 0;
    const int n_thread = ig_team_size(with->team);
    pass p = {.o = o,
              .corpus = dev,
              .ops = with->ops,
              .d = ig_bert_get_config(with->model)->hidden_size,
              .n_layer = o->n_layer,
              .block = ig_corpus_get_options(dev)->block},
         learn = p;
    const bool other = with->learn != NULL && maps_sentences(o->what);
    ig_code code = read_corpus(&p, with, err);
    if (code == IG_ERR_OK && p.n > 0 && other) {
        learn.o = &vectors;
        learn.corpus = with->learn;
        learn.block = ig_corpus_get_options(with->learn)->block;
        code = read_corpus(&learn, with, err);
    }
    if (code == IG_ERR_OK)
        r->n_sentence = p.n;
    for (int l = 0; l < p.n_layer && p.n > 0 && code == IG_ERR_OK; l++) {
        const ig_measure_out out = ig_measure_out_of(r, o->layer[l]);
        code = finish_layer(&p, &out, other ? &learn : NULL, with, l, err);
    }
    free_memory(&p, n_thread);
    free_memory(&learn, n_thread);
    return code;
}
