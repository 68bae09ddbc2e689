/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole measurement over corpora and an engine: against a brute-force reading of the
 * definitions, on models whose answers are known (twin languages, untrained ones), with padding
 * attended to, on any team; what it says to wrong requests, and the keys of its JSON.
 */
#include "corpus_fixture.h"
#include "engine_fixture.h"

#include "corpus/batcher.h"
#include "measure/measure.h"

enum { VOCAB = 300, BLOCK = 40 };

static const ig_batch_options batching = {
    .batch = 16, .mask_prob = 0.15, .mask_share = 0.8, .random_share = 0.1};

/* A laboratory of its own for each test: an English, a second language made by `pipeline`, a model.
 */
typedef struct {
    ig_shard *shard;
    ig_corpus *corpus;
    ig_bert *model;
    ig_team *team;
    ig_engine *engine;
    ig_measure_with with;
} lab;

/* n sentences of 1..most different words: no word twice in a sentence, no [UNK]. */
static ig_shard *distinct_words(int64_t n, int32_t least, int32_t most)
{
    ig_err err;
    ig_shard_writer *w;
    ig_shard *s;
    char path[256];
    int32_t perm[VOCAB - 5];
    ig_rng r = ig_rng_make(11, IG_STREAM_TEST, 0, 0);
    strcpy(path, fixture_path("distinct.shard"));
    assert_ok(ig_shard_create(&w, path, VOCAB, 7, &err), &err);
    for (int64_t i = 0; i < n; i++) {
        ig_rng_permutation(&r, perm, VOCAB - 5);
        int32_t k = least + (int32_t)ig_rng_below(&r, (uint32_t)(most - least) + 1);
        for (int32_t j = 0; j < k; j++)
            perm[j] += 5;
        assert_ok(ig_shard_add(w, perm, k, &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, path, &err), &err);
    return s;
}

static lab lab_open(ig_shard *shard, const char *pipeline, const ig_bert_config *shape,
                    int n_thread)
{
    lab l = {.shard = shard};
    ig_err err;
    ig_corpus_options co = fixture_options(VOCAB, BLOCK);
    ig_language_spec spec[2] = {{"en", "", shard}, {"fake", pipeline, shard}};
    assert_ok(ig_corpus_new(&l.corpus, spec, 2, &co, &err), &err);
    ig_bert_config c = *shape;
    c.vocab_size = ig_corpus_vocab_size(l.corpus);
    l.model = make_model(&c, 3);
    l.team = n_thread ? make_team(n_thread) : NULL;
    l.engine = make_engine(l.model, l.team, NULL);
    l.with = (ig_measure_with){
        .engine = l.engine, .model = l.model, .team = l.team, .ops = ig_ops_best()};
    return l;
}

static void lab_close(lab *l)
{
    ig_engine_free(l->engine);
    ig_team_free(l->team);
    ig_bert_free(l->model);
    ig_corpus_free(l->corpus);
    ig_shard_close(l->shard);
}

static ig_bert_config tiny(void)
{
    ig_bert_config c = ig_bert_config_small(2 * VOCAB);
    c.num_hidden_layers = 3;
    c.hidden_size = 16;
    c.num_attention_heads = 2;
    c.intermediate_size = 32;
    return c;
}

static float *table(ig_bert *m, const char *name, int32_t *cols)
{
    const ig_bert_param *p = ig_bert_param_find(m, name);
    assert_non_null(p);
    *cols = p->cols;
    return ig_bert_weights(m) + p->offset;
}

/* Gives the second language the first one's word vectors, from row `from` of the block on. */
static void make_twins(lab *l, int32_t from)
{
    int32_t d;
    float *w = table(l->model, "bert.embeddings.word_embeddings.weight", &d);
    memcpy(w + (VOCAB + from) * d, w + from * d, (size_t)(VOCAB - from) * (size_t)d * sizeof *w);
    ig_engine_weights_changed(l->engine);
}

static ig_measure_result measure(const lab *l, const ig_measure_options *o)
{
    static ig_measure_result r;
    ig_err err;
    assert_ok(ig_measure_run(&r, &l->with, l->corpus, l->corpus, o, &err), &err);
    return r;
}

static ig_measure_options plain(void)
{
    return ig_measure_defaults(&batching, 1);
}

/* ---- against the definitions, read literally ---- */

/* Content rows of one sequence at one layer, encoded alone; returns their number. */
static int alone(const lab *l, int language, int64_t i, int layer, float *rows, int32_t *place)
{
    static float hidden[BLOCK * 64];
    int32_t id[BLOCK], pos[BLOCK], seg[BLOCK], start[2];
    const ig_language *g = ig_corpus_language(l->corpus, language);
    int d = ig_bert_get_config(l->model)->hidden_size, n = 0;
    int32_t t = ig_corpus_sequence(l->corpus, language, i, id);
    for (int32_t j = 0; j < t; j++) {
        pos[j] = g->pos_offset + j;
        seg[j] = g->segment;
    }
    start[0] = 0;
    start[1] = t;
    ig_batch b = {.n_seq = 1, .n_tok = t, .seq_start = start, .id = id, .pos = pos, .seg = seg};
    float *out = hidden;
    ig_err err;
    assert_ok(ig_engine_encode(l->engine, &b, &layer, 1, &out, &err), &err);
    for (int32_t j = 1; j < t - 1; j++) { /* [CLS] … [SEP] */
        memcpy(rows + n * d, hidden + j * d, (size_t)d * sizeof *rows);
        place[n++] = j;
    }
    return n;
}

static double cosine(const double *a, const double *b, int d)
{
    double ab = 0, aa = 0, bb = 0;
    for (int c = 0; c < d; c++) {
        ab += a[c] * b[c];
        aa += a[c] * a[c];
        bb += b[c] * b[c];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static void widen(double *out, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (double)x[i];
}

static void equals_brute_force(void **state)
{
    (void)state;
    enum { N = 70, D = 16 };
    ig_bert_config shape = tiny();
    lab l = lab_open(distinct_words(N, 1, 20), "shift | invert | positions | specials", &shape, 2);
    stir(l.model, 0.3, 5);
    ig_engine_weights_changed(l.engine);
    ig_measure_options o = plain();
    o.n_layer = 3;
    o.layer[0] = 3;
    o.layer[1] = 0;
    o.layer[2] = 2; /* in any order */
    ig_measure_result r = measure(&l, &o);
    assert_int_equal(r.n_layer, 3);
    static double mean[2][N][D];
    for (int k = 0; k < 3; k++) {
        int layer = k == 0 ? 0 : k + 1;
        assert_int_equal(r.layer[k].layer, layer);
        ig_alignment_count c = {0};
        for (int64_t i = 0; i < N; i++) {
            static float rows[2][BLOCK * D];
            static double wide[2][BLOCK * D];
            int32_t place[2][BLOCK], gold[4 * BLOCK];
            int n[2];
            for (int s = 0; s < 2; s++) {
                n[s] = alone(&l, s, i, layer, rows[s], place[s]);
                widen(wide[s], rows[s], n[s] * D);
                for (int x = 0; x < D; x++) {
                    mean[s][i][x] = 0;
                    for (int t = 0; t < n[s]; t++)
                        mean[s][i][x] += wide[s][t * D + x] / n[s];
                }
            }
            int n_gold = ig_corpus_gold_alignment(l.corpus, 0, 1, i, gold);
            c.n_gold += n_gold;
            for (int a = 0; a < n[0]; a++)
                for (int b = 0; b < n[1]; b++) {
                    double s = cosine(wide[0] + a * D, wide[1] + b * D, D);
                    bool edge = true;
                    for (int t = 0; t < n[1]; t++)
                        edge = edge && cosine(wide[0] + a * D, wide[1] + t * D, D) <= s;
                    for (int t = 0; t < n[0]; t++)
                        edge = edge && cosine(wide[0] + t * D, wide[1] + b * D, D) <= s;
                    c.n_predicted += edge;
                    for (int g = 0; edge && g < n_gold; g++)
                        c.n_right += gold[2 * g] == place[0][a] && gold[2 * g + 1] == place[1][b];
                }
        }
        assert_int_equal(r.layer[k].edges.n_gold, c.n_gold);
        assert_int_equal(r.layer[k].edges.n_predicted, c.n_predicted);
        assert_int_equal(r.layer[k].edges.n_right, c.n_right);
        for (int way = 0; way < 2; way++) {
            int64_t found[IG_RETRIEVAL_N_K] = {0};
            for (int i = 0; i < N; i++) {
                int before = 0;
                for (int j = 0; j < N; j++)
                    before += cosine(mean[way][i], mean[1 - way][j], D) >
                              cosine(mean[way][i], mean[1 - way][i], D);
                for (int x = 0; x < IG_RETRIEVAL_N_K; x++)
                    found[x] += before < ig_retrieval_k[x];
            }
            assert_int_equal(r.layer[k].sentence.way[way].n_candidate, N);
            for (int x = 0; x < IG_RETRIEVAL_N_K; x++)
                assert_int_equal(r.layer[k].sentence.way[way].n_found[x], found[x]);
        }
    }
    lab_close(&l);
}

/* Perplexity from sequences masked and predicted one at a time. */
static void perplexity_equals_one_by_one(void **state)
{
    (void)state;
    enum { N = 90 };
    ig_bert_config shape = tiny();
    ig_err err;
    lab l = lab_open(distinct_words(N, 12, 30), "shift", &shape, 2);
    stir(l.model, 0.3, 6);
    ig_engine_weights_changed(l.engine);
    ig_measure_options o = plain();
    o.skip_alignment = o.skip_retrieval = o.skip_translation = true;
    ig_measure_result r = measure(&l, &o);

    ig_batch_options bo = batching;
    bo.mask_share = 1;
    bo.random_share = 0;
    ig_batcher *b;
    assert_ok(ig_batcher_new(&b, l.corpus, &bo, 1, &err), &err);
    double sum[2] = {0}, batch_sum = 0, batches = 0, in_batch = 0;
    int64_t n[2] = {0}, n_in_batch = 0, n_all = ig_batcher_n_sequence(b),
            n_first = ig_corpus_n_sequence(l.corpus, 0);
    for (int64_t i = 0; i < n_all; i++) {
        ig_batch one;
        double nll[BLOCK];
        assert_ok(ig_batcher_get_range(b, i, i + 1, true, &one, &err), &err);
        for (int32_t k = 0; k < one.n_pred;
             k++) /* only [MASK], never a random word or the word itself */
            assert_int_equal(one.id[one.pred_row[k]], 4);
        assert_true(one.n_pred > 0 || (i != n_first && i != n_first - 1)); /* the border is seen */
        if (one.n_pred > 0)
            assert_ok(ig_engine_predict(l.engine, &one, nll, NULL, &err), &err);
        for (int32_t k = 0; k < one.n_pred; k++) {
            sum[i >= n_first] += nll[k];
            in_batch += nll[k];
        }
        n[i >= n_first] += one.n_pred;
        n_in_batch += one.n_pred;
        if (i % batching.batch == batching.batch - 1 || i == n_all - 1) {
            assert_true(n_in_batch > 0);
            batch_sum += in_batch / (double)n_in_batch;
            batches++;
            in_batch = 0;
            n_in_batch = 0;
        }
    }
    ig_batcher_free(b);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(r.language[s].dev.n_token, n[s]);
        assert_true(fabs(r.language[s].dev.sum / sum[s] - 1) < 1e-6);
    }
    assert_int_equal(r.dev.n_token, n[0] + n[1]);
    double by_token = exp((sum[0] + sum[1]) / (double)(n[0] + n[1])),
           by_batch = exp(batch_sum / batches);
    assert_true(fabs(r.perplexity_dev / by_token - 1) < 1e-5);
    assert_true(fabs(ig_perplexity_by_batch(&r.dev) / by_batch - 1) < 1e-5);
    assert_true(fabs(by_batch / by_token - 1) > 1e-4); /* the two are told apart */
    o.perplexity = IG_VARIANT_PAPER_CODE;
    ig_measure_result code = measure(&l, &o);
    assert_true(fabs(code.perplexity_dev / by_batch - 1) < 1e-5);
    assert_true(isnan(code.mu) && isnan(code.layer[0].alignment.f1) &&
                isnan(code.layer[0].word.mean));
    lab_close(&l);
}

/* ---- models whose answers are known ---- */

static void twins_are_found(void **state)
{
    (void)state;
    enum { N = 120 };
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("t.shard", N, 4, VOCAB, 9), "shift", &shape, 0);
    make_twins(&l, 5);
    ig_measure_options o = plain();
    ig_measure_result r = measure(&l, &o);
    /* Short sentences: some occur more than once (the empty one, at least); each such group ties,
     * and only its first member is right at 1. */
    int64_t first = 0, tied = 0;
    for (int i = 0; i < N; i++) {
        int32_t x[BLOCK], y[BLOCK];
        int same = 0, before = 0, n = ig_corpus_sequence(l.corpus, 0, i, x);
        for (int j = 0; j < N; j++)
            if (ig_corpus_sequence(l.corpus, 0, j, y) == n && memcmp(x, y, (size_t)n * 4) == 0) {
                same++;
                before += j < i;
            }
        first += before == 0;
        tied += same > 1;
    }
    assert_true(tied > 2);
    /* An empty sentence has no vector: all its cosines are 0, so negative ones come after it. */
    for (int k = 0; k < r.n_layer; k++)
        for (int way = 0; way < 2; way++)
            assert_int_equal(r.layer[k].word.way[way].n_found[0], VOCAB - 5);
    assert_int_equal(r.n_word, VOCAB - 5);
    assert_int_equal(r.n_special, 0);
    for (int k = 0; k < r.n_layer; k++)
        for (int way = 0; way < 2; way++) {
            assert_in_range(r.layer[k].sentence.way[way].n_found[0], first - 1, first);
            assert_in_range(r.layer[k].sentence.way[way].n_tie, tied, tied);
        }
    assert_int_equal(r.mu_layer[0], 0);
    assert_int_equal(r.mu_layer[1], 2);
    double mu = (r.layer[0].sentence.mean + r.layer[1].sentence.mean + r.layer[0].word.mean +
                 r.layer[1].word.mean) /
                4;
    assert_true(fabs(r.mu - mu) < 1e-15);

    /* As the paper counts words: all ids, the special tokens' unused rows too, which are no twins.
     */
    o.translation = IG_VARIANT_PAPER_CODE;
    r = measure(&l, &o);
    assert_int_equal(r.n_word, VOCAB);
    assert_int_equal(r.n_special, 5);
    assert_in_range(r.layer[0].word.way[0].n_found[0], VOCAB - 5, VOCAB - 1);
    make_twins(&l, 0);
    r = measure(&l, &o);
    assert_int_equal(r.layer[0].word.way[0].n_found[0], VOCAB);
    lab_close(&l);
}

/* Of words that are one piece in both languages nothing is learned: an untrained model finds them
 * all, and none of the others but by chance. */
static void one_piece_in_both_is_no_translation(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift:anchors=0.5", &shape, 0);
    ig_measure_options o = plain();
    o.distinct = true;
    ig_measure_result r = measure(&l, &o);
    int32_t *pair;
    int64_t n, two = 0;
    assert_ok(ig_corpus_gold_dictionary(l.corpus, 0, 1, &pair, &n, &err), &err);
    for (int64_t i = 0; i < n; i++)
        two += pair[2 * i] != pair[2 * i + 1];
    ig_free(pair);
    assert_true(two > VOCAB / 4 && two < n - VOCAB / 4);
    assert_int_equal(r.n_word, n);
    assert_int_equal(r.n_distinct, two);
    for (int k = 0; k < r.n_layer; k++)
        for (int way = 0; way < 2; way++) {
            const ig_retrieval_way *all = &r.layer[k].word.way[way],
                                   *some = &r.layer[k].distinct_word.way[way];
            assert_true(all->n_found[0] >= n - two);
            assert_int_equal(some->n_query, two);
            assert_int_equal(some->n_candidate, two);
            assert_true(some->n_found[0] < two / 5);
        }
    make_twins(&l, 5);
    r = measure(&l, &o);
    for (int k = 0; k < r.n_layer; k++)
        assert_true(r.layer[k].distinct_word.mean == 1);
    lab_close(&l);

    /* No word is one piece: the same as τ; all are: nothing is left. */
    l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift", &shape, 0);
    r = measure(&l, &o);
    assert_true(r.n_distinct == r.n_word);
    assert_true(r.layer[1].distinct_word.mean == r.layer[1].word.mean);
    lab_close(&l);
    l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift:anchors=1", &shape, 0);
    r = measure(&l, &o);
    assert_true(r.n_distinct == 0 && isnan(r.layer[1].distinct_word.mean));
    o.distinct = false;
    r = measure(&l, &o);
    assert_true(isnan(r.layer[1].distinct_word.mean));
    lab_close(&l);
}

/* Twins in inverted order, positions silenced: at layer 0 a word is its vector, so the
 * anti-diagonal is found whole; with positions it is not. */
static void inverted_twins_align_on_the_anti_diagonal(void **state)
{
    (void)state;
    ig_bert_config shape = tiny();
    lab l = lab_open(distinct_words(60, 4, 20), "shift | invert", &shape, 2);
    make_twins(&l, 5);
    ig_measure_options o = plain();
    assert_true(measure(&l, &o).layer[0].alignment.f1 < 0.95);
    int32_t d;
    float *p = table(l.model, "bert.embeddings.position_embeddings.weight", &d);
    memset(p, 0, (size_t)shape.max_position_embeddings * (size_t)d * sizeof *p);
    ig_engine_weights_changed(l.engine);
    ig_measure_result r = measure(&l, &o);
    assert_true(r.layer[0].alignment.f1 == 1);
    assert_true(r.layer[0].sentence.mean == 1);
    lab_close(&l);
}

/* What an untrained model's layer 0 must give, from Gaussian vectors alone: a token is word +
 * position + segment, each N(0, σ²I), centred (LayerNorm); words of the two languages are
 * independent; positions and segment are shared, or not. Returns F1 over n sentences with tables of
 * one draw. */
static double gaussian_f1(ig_rng *r, const lab *l, int64_t n, bool shared)
{
    enum { D = 64 };
    static float e[2][BLOCK][D], pos[2][BLOCK][D], seg[2][D], sim[BLOCK * BLOCK];
    ig_alignment_count c = {0};
    for (int s = 0; s < 2; s++)
        for (int x = 0; x < D; x++) {
            seg[s][x] = s && shared ? seg[0][x] : (float)ig_rng_normal(r);
            for (int t = 0; t < BLOCK; t++)
                pos[s][t][x] = s && shared ? pos[0][t][x] : (float)ig_rng_normal(r);
        }
    for (int64_t i = 0; i < n; i++) {
        int32_t id[BLOCK], predicted[2 * BLOCK], gold[2 * BLOCK], work[BLOCK];
        int32_t m = ig_corpus_sequence(l->corpus, 0, i, id) - 2;
        for (int s = 0; s < 2; s++)
            for (int32_t t = 0; t < m; t++) {
                double mean = 0;
                for (int x = 0; x < D; x++) {
                    e[s][t][x] = (float)ig_rng_normal(r) + pos[s][t][x] + seg[s][x];
                    mean += (double)e[s][t][x] / D;
                }
                for (int x = 0; x < D; x++)
                    e[s][t][x] -= (float)mean;
            }
        for (int32_t a = 0; a < m; a++)
            for (int32_t b = 0; b < m; b++) {
                double u[D], v[D];
                widen(u, e[0][a], D);
                widen(v, e[1][b], D);
                sim[a * m + b] = (float)cosine(u, v, D);
            }
        for (int32_t t = 0; t < m; t++)
            gold[2 * t] = gold[2 * t + 1] = t;
        ig_alignment_add(&c, predicted, ig_alignment_argmax(sim, m, m, m, predicted, work), gold,
                         m);
    }
    return ig_alignment_get(&c).f1;
}

/* Table 1 of Dufter & Schütze 2020, IDs 18 and 19: .97 and .02 at layer 0, .96 and .02 at layer 8.
 */
static void untrained_rows(void **state)
{
    (void)state;
    enum { N = 200, R = 8 };
    for (int shared = 0; shared < 2; shared++) {
        ig_bert_config shape = ig_bert_config_small(2 * VOCAB);
        lab l =
            lab_open(distinct_words(N, 14, 30), shared ? "shift" : "shift | positions", &shape, 2);
        ig_measure_options o = plain();
        ig_measure_result r = measure(&l, &o);
        assert_int_equal(r.layer[1].layer, 8);
        ig_rng rng = ig_rng_make(12, IG_STREAM_TEST, (uint32_t)shared, 0);
        double mean = 0, square = 0;
        for (int k = 0; k < R; k++) {
            double f = gaussian_f1(&rng, &l, N, shared);
            mean += f / R;
            square += f * f / R;
        }
        double sd = sqrt(fmax(square - mean * mean, 0) * R / (R - 1));
        double f0 = r.layer[0].alignment.f1, f8 = r.layer[1].alignment.f1;
        print_message("  %s positions: F1 %.3f (layer 0), %.3f (layer 8); Gaussian %.3f ± %.3f; "
                      "rho %.3f tau %.3f; perplexity %.1f of %d\n",
                      shared ? "shared" : "separate", f0, f8, mean, sd, r.layer[0].sentence.mean,
                      r.layer[0].word.mean, r.perplexity_dev, 2 * VOCAB);
        /* One more draw of the same kind lies within four standard deviations (and the mean's own
         * error). */
        assert_true(fabs(f0 - mean) <= 4 * sd * sqrt(1 + 1.0 / R));
        /* Eight untrained blocks add to a state of size 1 only what weights of 0.02 make: attention
         * about
         * (.02·√64)² = .026, the FFN .02·√64·.02·√256 = .05 a coordinate, 8·(.026² + .05²) = 2.5 %
         * of the variance in all: cosines, and with them F1, move little. */
        assert_true(fabs(f8 - f0) <= 0.05);
        assert_true(shared ? f0 > 0.93 : f0 < 0.06);
        /* Retrieval and translation at chance: 1/N and 1/words; twice that and five binomial
         * errors. */
        if (!shared)
            assert_true(r.layer[0].sentence.mean < 2.0 / N + 5 * sqrt(1.0 / N / (2 * N)));
        assert_true(r.layer[0].word.mean < 2.0 / VOCAB + 5 * sqrt(1.0 / VOCAB / (2 * VOCAB)));
        /* Logits are LN'd states (norm √64) times N(0, .02²) rows: N(0, s²) with s = .16, so
         * perplexity is V·exp(s²/2), within the mean of s·normal over the masked words (≤ VOCAB·2
         * different ones). */
        double s = 0.02 * sqrt(64), want = 2 * VOCAB * exp(s * s / 2);
        assert_true(fabs(log(r.perplexity_dev / want)) < 4 * s / sqrt(VOCAB));
        assert_true(fabs(log(r.perplexity_train / r.perplexity_dev)) <
                    1e-12); /* the same text here */
        lab_close(&l);
    }
}

/* ---- how it is run ---- */

static char *dump(const ig_measure_result *r)
{
    json_t *j = ig_measure_json(r);
    assert_non_null(j);
    char *text = json_dumps(j, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(j);
    return text;
}

static void any_team_the_same_bits(void **state)
{
    (void)state;
    char *text[3];
    for (int t = 0; t < 3; t++) {
        ig_bert_config shape = tiny();
        lab l = lab_open(fixture_shard("team.shard", 333, 25, VOCAB, 3), "shift | positions",
                         &shape, t == 2 ? 3 : t);
        ig_measure_options o = plain();
        ig_measure_result r = measure(&l, &o);
        text[t] = dump(&r);
        lab_close(&l);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    for (int t = 0; t < 3; t++)
        free(text[t]);
}

/* PAD attended to: at layer 0 a token does not see the others, so nothing may change but for [PAD]
 * itself being taken for a word; above, attention does see it. */
static void padding_is_never_a_word(void **state)
{
    (void)state;
    ig_bert_config shape = tiny();
    lab l = lab_open(distinct_words(100, 1, 30), "shift | specials", &shape, 2);
    stir(l.model, 0.3, 8);
    make_twins(&l, 0);
    ig_measure_options o = plain();
    ig_measure_result packed = measure(&l, &o);
    o.batching.pad_attend = true;
    ig_measure_result padded = measure(&l, &o);
    assert_memory_equal(&packed.layer[0].edges, &padded.layer[0].edges, sizeof(ig_alignment_count));
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            assert_int_equal(packed.layer[0].sentence.way[w].n_found[k],
                             padded.layer[0].sentence.way[w].n_found[k]);
    assert_true(packed.dev.n_token == padded.dev.n_token);
    assert_true(packed.dev.sum != padded.dev.sum);
    lab_close(&l);
}

static void limits_and_requests(void **state)
{
    (void)state;
    ig_bert_config shape = tiny();
    ig_err err;
    ig_measure_result r;
    lab l = lab_open(fixture_shard("limit.shard", 64, 20, VOCAB, 2), "shift", &shape, 0);
    ig_measure_options o = plain();
    o.max_sentence = 20;
    r = measure(&l, &o);
    assert_int_equal(r.n_sentence, 20);
    assert_int_equal(r.layer[0].sentence.way[0].n_candidate, 20);
    assert_int_equal(r.dev.n_batch, 4); /* 16 + 4 sequences of each language */
    o = plain();
    o.n_layer = 1;
    o.layer[0] = 4;
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, l.corpus, &o, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "no layer 4"));
    o.layer[0] = -1;
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, l.corpus, &o, &err), IG_ERR_USAGE);
    o.n_layer = 3;
    o.layer[0] = 2;
    o.layer[1] = 1;
    o.layer[2] = 2;
    assert_ok(ig_measure_run(&r, &l.with, NULL, l.corpus, &o, &err), &err);
    assert_int_equal(r.n_layer, 2); /* each once, ascending */
    assert_int_equal(r.layer[0].layer, 1);
    assert_true(isnan(r.mu)); /* layer 0 was not asked for */
    assert_true(isnan(r.perplexity_train) && !isnan(r.perplexity_dev));
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, NULL, &o, &err), IG_ERR_USAGE);

    /* A model that is not a number says so. */
    int32_t d;
    table(l.model, "bert.embeddings.LayerNorm.weight", &d)[3] = NAN;
    ig_engine_weights_changed(l.engine);
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, l.corpus, &o, &err), IG_ERR_NUMERIC);
    lab_close(&l);

    int pair[2];
    ig_measure_mu_layers(12, pair);
    assert_true(pair[0] == 0 && pair[1] == 8);
    ig_measure_mu_layers(1, pair);
    assert_int_equal(pair[1], 1);
    ig_measure_mu_layers(2, pair);
    assert_int_equal(pair[1], 2);
    ig_measure_mu_layers(24, pair);
    assert_int_equal(pair[1], 16);
}

/* Says yes when it was asked so often. */
typedef struct {
    int n, yes_after;
} asking;

static bool ask(const void *arg)
{
    asking *a = *(asking *const *)arg;
    return a->n++ >= a->yes_after;
}

/* Each pass asks before each batch, and each retrieval on its way; a yes at any of these places
 * ends the measuring before the next one. */
static void stopped_anywhere(void **state)
{
    (void)state;
    /* Of 200 sentences of each language and 295 words: chunks, batches of 16 and blocks of 64 rows,
     * at each of the two layers and both ways. */
    static const struct {
        bool alignment, retrieval, translation, perplexity;
        int least;
    } cases[] = {{true, false, false, false, 2},
                 {false, true, false, false, 2 * 2 * 4},
                 {false, false, true, false, 2 * 2 * 4},
                 {false, false, false, true, 2 * 400 / 16}};
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("stop.shard", 200, 20, VOCAB, 2), "shift", &shape, 0);
    asking a, *const at = &a;
    l.with.stop = (ig_stop){.asked = ask, .arg = &at};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_err err;
        ig_measure_result r;
        ig_measure_options o = plain();
        o.skip_alignment = !cases[i].alignment;
        o.skip_retrieval = !cases[i].retrieval;
        o.skip_translation = !cases[i].translation;
        o.skip_perplexity = !cases[i].perplexity;
        a = (asking){0, INT32_MAX};
        assert_ok(ig_measure_run(&r, &l.with, l.corpus, l.corpus, &o, &err), &err);
        const int n = a.n;
        assert_true(n >= cases[i].least);
        for (int k = 0; k < n; k++) {
            a = (asking){0, k};
            assert_int_equal(ig_measure_run(&r, &l.with, l.corpus, l.corpus, &o, &err),
                             IG_ERR_STOPPED);
        }
    }
    lab_close(&l);
}

static void json_has_its_keys(void **state)
{
    (void)state;
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("json.shard", 40, 20, VOCAB, 2), "shift", &shape, 0);
    ig_measure_options o = plain();
    ig_measure_result r = measure(&l, &o);
    json_t *j = ig_measure_json(&r), *layer = json_object_get(json_object_get(j, "layers"), "2");
    assert_true(json_is_real(json_object_get(layer, "f1")));
    assert_true(json_real_value(json_object_get(layer, "rho")) == r.layer[1].sentence.mean);
    assert_true(json_real_value(json_object_get(layer, "tau")) == r.layer[1].word.mean);
    assert_true(json_real_value(json_object_get(j, "mu")) == r.mu);
    json_t *p = json_object_get(j, "perplexity");
    assert_true(json_real_value(json_object_get(p, "train")) == r.perplexity_train);
    assert_true(json_real_value(json_object_get(p, "dev")) == r.perplexity_dev);
    json_t *way = json_object_get(json_object_get(layer, "retrieval"), "backward");
    assert_int_equal(json_integer_value(json_object_get(way, "n_candidates")), 40);
    assert_non_null(json_object_get(json_object_get(p, "languages"), "fake"));
    json_decref(j);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(perplexity_equals_one_by_one),
        cmocka_unit_test(twins_are_found),
        cmocka_unit_test(one_piece_in_both_is_no_translation),
        cmocka_unit_test(inverted_twins_align_on_the_anti_diagonal),
        cmocka_unit_test(untrained_rows),
        cmocka_unit_test(any_team_the_same_bits),
        cmocka_unit_test(padding_is_never_a_word),
        cmocka_unit_test(limits_and_requests),
        cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(json_has_its_keys),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
