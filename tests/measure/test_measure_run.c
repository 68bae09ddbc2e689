/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole measurement over corpora and an engine: against a brute-force reading of the
 * definitions, with padding attended to, on any team; what it says to wrong requests, and the keys
 * of its JSON.
 */
#include "measure_fixture.h"

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
    o.what = IG_MEASURE_BIT(perplexity);
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
        assert_ok(ig_batcher_get_range(b, i, i + 1, true, &one, &err), &err);
        for (int32_t k = 0; k < one.target[IG_HEAD_MASKED].n;
             k++) /* only [MASK], never a random word or the word itself */
            assert_int_equal(one.id[one.target[IG_HEAD_MASKED].row[k]], 4);
        assert_true(one.target[IG_HEAD_MASKED].n > 0 ||
                    (i != n_first && i != n_first - 1)); /* the border is seen */
        if (one.target[IG_HEAD_MASKED].n > 0)
            assert_ok(ig_engine_predict(l.engine, &one, &err), &err);
        for (int32_t k = 0; k < one.target[IG_HEAD_MASKED].n; k++) {
            sum[i >= n_first] += ig_engine_result(l.engine, IG_HEAD_MASKED).nll[k];
            in_batch += ig_engine_result(l.engine, IG_HEAD_MASKED).nll[k];
        }
        n[i >= n_first] += one.target[IG_HEAD_MASKED].n;
        n_in_batch += one.target[IG_HEAD_MASKED].n;
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
     * at each of the two layers, for both ways at once. */
    static const struct {
        ig_measure_set what;
        int least;
    } cases[] = {{IG_MEASURE_BIT(alignment), 2},
                 {IG_MEASURE_BIT(retrieval), 2 * 4},
                 {IG_MEASURE_BIT(translation), 2 * 4},
                 {IG_MEASURE_BIT(perplexity), 2 * 400 / 16}};
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("stop.shard", 200, 20, VOCAB, 2), "shift", &shape, 0);
    asking a, *const at = &a;
    l.with.stop = (ig_stop){.asked = ask, .arg = &at};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_err err;
        ig_measure_result r;
        ig_measure_options o = plain();
        o.what = cases[i].what;
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
        cmocka_unit_test(equals_brute_force),     cmocka_unit_test(perplexity_equals_one_by_one),
        cmocka_unit_test(any_team_the_same_bits), cmocka_unit_test(padding_is_never_a_word),
        cmocka_unit_test(limits_and_requests),    cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(json_has_its_keys),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
