/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole measurement over corpora and an engine: against a brute-force reading of the
 * definitions, with padding attended to, on any team; what it says to wrong requests, and the keys
 * of its JSON.
 */
#include "measure_fixture.h"

#include "measure/alignment.h"

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
    assert_int_equal(r.options.n_layer, 3);
    static double mean[2][N][D];
    for (int k = 0; k < 3; k++) {
        int layer = k == 0 ? 0 : k + 1;
        assert_int_equal(r.options.layer[k], layer);
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
        const ig_alignment_score want = ig_alignment_get(&c);
        assert_int_equal(n_of(&r, "f1", "dev", "en-fake", layer), c.n_gold);
        assert_true(at(&r, "f1", k) == want.f1 && at(&r, "precision", k) == want.precision &&
                    at(&r, "recall", k) == want.recall);
        double both[IG_RETRIEVAL_N_K] = {0};
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
            assert_int_equal(n_of(&r, "rho", "dev", "en-fake", layer), N);
            assert_int_equal(lround(at(&r, way ? "rho_backward" : "rho_forward", k) * N), found[0]);
            for (int x = 0; x < IG_RETRIEVAL_N_K; x++)
                both[x] += (double)found[x] / (2 * N);
        }
        assert_true(fabs(at(&r, "rho", k) - both[0]) < 1e-12 &&
                    fabs(at(&r, "rho_at_5", k) - both[1]) < 1e-12 &&
                    fabs(at(&r, "rho_at_10", k) - both[2]) < 1e-12);
    }
    lab_close(&l);
}

static double perplexity_of(const ig_measure_result *r, const char *measure, const char *language)
{
    const ig_row like = {.task = measure, .split = "dev", .languages = language, .layer = -1};
    for (int64_t i = 0; i < r->rows.n; i++)
        if (ig_row_compare(&r->rows.row[i], &like) == 0)
            return r->rows.row[i].value;
    return NAN;
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
        assert_int_equal(n_of(&r, "perplexity", "dev", r.language[s], -1), n[s]);
        assert_true(
            fabs(log(perplexity_of(&r, "perplexity", r.language[s])) / sum[s] * (double)n[s] - 1) <
            1e-6);
    }
    assert_int_equal(n_of(&r, "perplexity", "dev", "", -1), n[0] + n[1]);
    double by_token = exp((sum[0] + sum[1]) / (double)(n[0] + n[1])),
           by_batch = exp(batch_sum / batches);
    assert_true(fabs(ig_measure_perplexity(&r, "dev") / by_token - 1) < 1e-5);
    assert_true(fabs(perplexity_of(&r, "perplexity_by_batch", "") / by_batch - 1) < 1e-5);
    assert_true(fabs(by_batch / by_token - 1) > 1e-4); /* the two are distinguished */
    o.perplexity = IG_VARIANT_PAPER_CODE;
    ig_measure_result code = measure(&l, &o);
    assert_true(fabs(ig_measure_perplexity(&code, "dev") / by_batch - 1) < 1e-5);
    assert_true(isnan(ig_measure_value(&code, "mu", -1)) && isnan(at(&code, "f1", 0)) &&
                isnan(at(&code, "tau", 0)));
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
    static const char *const same[] = {"f1",           "precision", "recall",   "rho_forward",
                                       "rho_backward", "rho_at_5",  "rho_at_10"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(at(&packed, same[i], 0) == at(&padded, same[i], 0));
    assert_int_equal(n_of(&packed, "perplexity", "dev", "", -1),
                     n_of(&padded, "perplexity", "dev", "", -1));
    assert_true(ig_measure_perplexity(&packed, "dev") != ig_measure_perplexity(&padded, "dev"));
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
    assert_int_equal(n_of(&r, "rho", "dev", "en-fake", 0), 20);
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
    assert_int_equal(r.options.n_layer, 2); /* each once, ascending */
    assert_int_equal(r.options.layer[0], 1);
    assert_true(isnan(ig_measure_value(&r, "mu", -1))); /* layer 0 was not requested */
    assert_true(isnan(ig_measure_perplexity(&r, "train")) &&
                !isnan(ig_measure_perplexity(&r, "dev")));
    ig_measure_result_free(&r);
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, NULL, &o, &err), IG_ERR_USAGE);

    /* A model that is not a number says so. */
    int32_t d;
    table(l.model, "bert.embeddings.LayerNorm.weight", &d)[3] = NAN;
    ig_engine_weights_changed(l.engine);
    assert_int_equal(ig_measure_run(&r, &l.with, NULL, l.corpus, &o, &err), IG_ERR_NUMERIC);
    ig_measure_result_free(&r);
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

/* Stops after this many polls. */
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
    /* Stops at each point of a run over 200 sentences of each language and 295 words: chunks,
     * batches of 16 and blocks of 64 rows, at each of the two layers, for both ways at once. */
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
        ig_measure_result_free(&r);
        const int n = a.n;
        assert_true(n >= cases[i].least);
        for (int k = 0; k < n; k++) {
            a = (asking){0, k};
            assert_int_equal(ig_measure_run(&r, &l.with, l.corpus, l.corpus, &o, &err),
                             IG_ERR_STOPPED);
            ig_measure_result_free(&r);
        }
    }
    lab_close(&l);
}

/* Every number of a requested measure has a row. */
static void every_number_has_a_row(void **state)
{
    (void)state;
    ig_bert_config shape = tiny();
    shape.causal = true; /* such models have numbers that others have not */
    lab l = lab_open(fixture_shard("rows.shard", 120, 20, VOCAB, 2),
                     "shift:anchors=0.2 | positions", &shape, 0);
    ig_measure_options o = plain();
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const ig_measure_kind *m = ig_measure_kinds[k];
        if (m->counts || m->sentence_means != NULL || m->sentences != NULL || m->mapped != NULL ||
            m->words != NULL || m->words_apart != NULL || m->weights != NULL)
            o.what |= (ig_measure_set)1 << k;
    }
    const ig_measure_result r = measure(&l, &o);
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const bool taken = ig_measure_requested(o.what, k);
        for (const ig_store_task *t = ig_measure_kinds[k]->number; t->name != NULL; t++) {
            int64_t n = 0;
            for (int64_t i = 0; i < r.rows.n; i++)
                n += strcmp(r.rows.row[i].task, t->name) == 0;
            if (taken ? n < 1 : n > 0)
                fail_msg("%s has %d rows", t->name, (int)n);
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
    json_t *j = ig_measure_json(&r), *row;
    size_t i;
    int seen = 0;
    json_array_foreach(json_object_get(j, "rows"), i, row)
    {
        const char *measure = json_string_value(json_object_get(row, "measure"));
        const json_t *layer = json_object_get(row, "layer");
        const double value = json_real_value(json_object_get(row, "value"));
        if (strcmp(measure, "rho") == 0 && json_integer_value(layer) == 2) {
            assert_true(value == at(&r, "rho", 1));
            assert_int_equal(json_integer_value(json_object_get(row, "n")), 40);
            assert_string_equal(json_string_value(json_object_get(row, "languages")), "en-fake");
            assert_string_equal(json_string_value(json_object_get(row, "split")), "dev");
            seen |= 1;
        } else if (strcmp(measure, "mu") == 0) {
            assert_true(value == ig_measure_value(&r, "mu", -1) && layer == NULL);
            seen |= 2;
        } else if (strcmp(measure, "perplexity") == 0 &&
                   strcmp(json_string_value(json_object_get(row, "languages")), "fake") == 0) {
            seen |= 4;
        }
    }
    assert_int_equal(seen, 7);
    assert_int_equal(json_integer_value(json_object_get(j, "n_sentences")), 40);
    json_decref(j);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),     cmocka_unit_test(perplexity_equals_one_by_one),
        cmocka_unit_test(any_team_the_same_bits), cmocka_unit_test(padding_is_never_a_word),
        cmocka_unit_test(limits_and_requests),    cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(every_number_has_a_row), cmocka_unit_test(json_has_its_keys),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
