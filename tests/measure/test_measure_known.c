/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole measurement on models whose answers are known: twin languages, inverted ones, untrained
 * models.
 */
#include "measure_fixture.h"

#include "measure/alignment.h"

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
    for (int k = 0; k < r.options.n_layer; k++)
        for (int way = 0; way < 2; way++)
            assert_true(at(&r, way ? "tau_backward" : "tau_forward", k) == 1);
    assert_int_equal(r.n_word, VOCAB - 5);
    assert_int_equal(r.n_special, 0);
    for (int k = 0; k < r.options.n_layer; k++)
        for (int way = 0; way < 2; way++) {
            const double found =
                at(&r, way ? "rho_backward" : "rho_forward", k) * (double)r.n_sentence;
            assert_in_range(lround(found), first - 1, first);
            assert_true(at(&r, "rho_ties", k) == 2 * tied);
        }
    assert_int_equal(r.mu_layer[0], 0);
    assert_int_equal(r.mu_layer[1], 2);
    double mu = (at(&r, "rho", 0) + at(&r, "rho", 1) + at(&r, "tau", 0) + at(&r, "tau", 1)) / 4;
    assert_true(fabs(ig_measure_value(&r, "mu", -1) - mu) < 1e-15);

    /* As the paper counts words: all ids, the special tokens' unused rows too, which are no twins.
     */
    o.translation = IG_VARIANT_PAPER_CODE;
    r = measure(&l, &o);
    assert_int_equal(r.n_word, VOCAB);
    assert_int_equal(r.n_special, 5);
    assert_in_range(lround(at(&r, "tau_forward", 0) * VOCAB), VOCAB - 5, VOCAB - 1);
    make_twins(&l, 0);
    r = measure(&l, &o);
    assert_true(at(&r, "tau_forward", 0) == 1);
    lab_close(&l);
}

/* A word that is one piece in both languages shows no learning: an untrained model finds all of
 * these, and the others only by chance. */
static void one_piece_in_both_is_no_translation(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config shape = tiny();
    lab l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift:anchors=0.5", &shape, 0);
    ig_measure_options o = plain();
    o.what |= IG_MEASURE_BIT(distinct);
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
    for (int k = 0; k < r.options.n_layer; k++)
        for (int way = 0; way < 2; way++) {
            assert_true(at(&r, way ? "tau_backward" : "tau_forward", k) >=
                        (double)(n - two) / (double)n);
            assert_int_equal(n_of(&r, "tau_distinct", "dev", r.pair, r.options.layer[k]), two);
            assert_true(at(&r, way ? "tau_distinct_backward" : "tau_distinct_forward", k) < .2);
        }
    make_twins(&l, 5);
    r = measure(&l, &o);
    for (int k = 0; k < r.options.n_layer; k++)
        assert_true(at(&r, "tau_distinct", k) == 1);
    lab_close(&l);

    /* No word is one piece: the same as τ; all are: nothing is left. */
    l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift", &shape, 0);
    r = measure(&l, &o);
    assert_true(r.n_distinct == r.n_word);
    assert_true(at(&r, "tau_distinct", 1) == at(&r, "tau", 1));
    lab_close(&l);
    l = lab_open(fixture_shard("t.shard", 120, 4, VOCAB, 9), "shift:anchors=1", &shape, 0);
    r = measure(&l, &o);
    assert_true(r.n_distinct == 0 && isnan(at(&r, "tau_distinct", 1)));
    o.what &= ~IG_MEASURE_BIT(distinct);
    r = measure(&l, &o);
    assert_true(isnan(at(&r, "tau_distinct", 1)));
    lab_close(&l);
}

/* Rank of `right` among the n rows of b for row i of a, by cosine in double. */
static int64_t rank_in(const float *a, int64_t i, const float *b, int64_t n, int d)
{
    double x[64], y[64], right;
    int64_t before = 0;
    widen(x, a + i * d, d);
    widen(y, b + i * d, d);
    right = cosine(x, y, d);
    for (int64_t j = 0; j < n; j++) {
        widen(y, b + j * d, d);
        before += cosine(x, y, d) > right;
    }
    return before;
}

/* Words go through the model with the positions, segment and special tokens of their language:
 * against the same words, one sequence each, put together here. */
static void words_in_their_own_dress(void **state)
{
    (void)state;
    enum { N = VOCAB - 5 };
    static const char *const pipelines[] = {"shift", "shift | positions",
                                            "shift | positions | specials"};
    static float out[2][2][N * 16];
    ig_err err;
    const ig_bert_config small = tiny();
    for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++) {
        ig_bert_config shape = small;
        shape.initializer_range = 0.5f; /* so that contexts matter */
        shape.max_position_embeddings = 2 * BLOCK;
        lab l = lab_open(fixture_shard("t.shard", 40, 4, VOCAB, 9), pipelines[p], &shape, 0);
        make_twins(&l, 5);
        const ig_measure_options o = plain();
        const ig_measure_result r = measure(&l, &o);
        assert_int_equal(r.n_word, N + (p == 2 ? 5 : 0));
        if (p == 2)
            assert_int_equal(r.n_special, 5);
        const int d = shape.hidden_size, layers[2] = {r.options.layer[0], r.options.layer[1]};
        assert_int_equal(d, 16);
        for (int x = 0; x < 2; x++) {
            const ig_language *g = ig_corpus_language(l.corpus, x);
            assert_true(x == 0 || p == 0 || (g->pos_offset == BLOCK && g->segment == 1));
            assert_true(x == 0 || p < 2 || g->cls >= VOCAB);
            for (int i = 0; i < N; i++) {
                const int32_t id[3] = {g->cls, g->first_id + 5 + i, g->sep}, start[2] = {0, 3},
                              pos[3] = {g->pos_offset, g->pos_offset + 1, g->pos_offset + 2},
                              seg[3] = {g->segment, g->segment, g->segment}, of[1] = {x};
                float h[2][3 * 16], *const hidden[2] = {h[0], h[1]};
                const ig_batch b = {.n_seq = 1,
                                    .n_tok = 3,
                                    .seq_start = start,
                                    .id = id,
                                    .pos = pos,
                                    .seg = seg,
                                    .language = of};
                assert_ok(ig_engine_encode(l.engine, &b, layers, 2, hidden, &err), &err);
                for (int k = 0; k < 2; k++)
                    memcpy(out[x][k] + i * d, h[k] + d, (size_t)d * sizeof(float));
            }
        }
        for (int k = 0; k < 2 && p < 2; k++) {
            int64_t found[2] = {0, 0};
            for (int i = 0; i < N; i++)
                for (int way = 0; way < 2; way++)
                    found[way] += rank_in(out[way][k], i, out[1 - way][k], N, d) == 0;
            for (int way = 0; way < 2; way++)
                assert_int_equal(lround(at(&r, way ? "tau_backward" : "tau_forward", k) * N),
                                 found[way]);
            /* Twins in another dress are found less often: the test can fail. */
            assert_true(p == 0 ? found[0] == N : found[0] < N * 9 / 10);
        }
        lab_close(&l);
    }
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
    ig_measure_result r = measure(&l, &o);
    assert_true(at(&r, "f1", 0) < 0.95);
    int32_t d;
    float *p = table(l.model, "bert.embeddings.position_embeddings.weight", &d);
    memset(p, 0, (size_t)shape.max_position_embeddings * (size_t)d * sizeof *p);
    ig_engine_weights_changed(l.engine);
    r = measure(&l, &o);
    assert_true(at(&r, "f1", 0) == 1);
    assert_true(at(&r, "rho", 0) == 1);
    lab_close(&l);
}

/* Expected F1 of an untrained model's layer 0, from Gaussian vectors alone: a token is word +
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
    enum { N = 200, R = SANITIZED ? 2 : 8 }; /* two say nothing of a spread */
    for (int shared = 0; shared < 2; shared++) {
        ig_bert_config shape = ig_bert_config_small(2 * VOCAB);
        lab l =
            lab_open(distinct_words(N, 14, 30), shared ? "shift" : "shift | positions", &shape, 2);
        ig_measure_options o = plain();
        ig_measure_result r = measure(&l, &o);
        assert_int_equal(r.options.layer[1], 8);
        ig_rng rng = ig_rng_make(12, IG_STREAM_TEST, (uint32_t)shared, 0);
        double mean = 0, square = 0;
        for (int k = 0; k < R; k++) {
            double f = gaussian_f1(&rng, &l, N, shared);
            mean += f / R;
            square += f * f / R;
        }
        double sd = sqrt(fmax(square - mean * mean, 0) * R / (R - 1));
        double f0 = at(&r, "f1", 0), f8 = at(&r, "f1", 1);
        print_message("  %s positions: F1 %.3f (layer 0), %.3f (layer 8); Gaussian %.3f ± %.3f; "
                      "rho %.3f tau %.3f; perplexity %.1f of %d\n",
                      shared ? "shared" : "separate", f0, f8, mean, sd, at(&r, "rho", 0),
                      at(&r, "tau", 0), ig_measure_perplexity(&r, "dev"), 2 * VOCAB);
        /* One more draw of the same kind lies within four standard deviations (and the mean's own
         * error). */
        assert_true(SANITIZED || fabs(f0 - mean) <= 4 * sd * sqrt(1 + 1.0 / R));
        /* Eight untrained blocks add to a state of size 1 only what weights of 0.02 make: attention
         * about
         * (.02·√64)² = .026, the FFN .02·√64·.02·√256 = .05 a coordinate, 8·(.026² + .05²) = 2.5 %
         * of the variance in all: cosines, and with them F1, move little. */
        assert_true(fabs(f8 - f0) <= 0.05);
        assert_true(shared ? f0 > 0.93 : f0 < 0.06);
        /* Retrieval and translation at chance: 1/N and 1/words; twice that and five binomial
         * errors. */
        if (!shared)
            assert_true(at(&r, "rho", 0) < 2.0 / N + 5 * sqrt(1.0 / N / (2 * N)));
        assert_true(at(&r, "tau", 0) < 2.0 / VOCAB + 5 * sqrt(1.0 / VOCAB / (2 * VOCAB)));
        /* Logits are LN'd states (norm √64) times N(0, .02²) rows: N(0, s²) with s = .16, so
         * perplexity is V·exp(s²/2), within the mean of s·normal over the masked words (≤ VOCAB·2
         * different ones). */
        double s = 0.02 * sqrt(64), want = 2 * VOCAB * exp(s * s / 2);
        assert_true(fabs(log(ig_measure_perplexity(&r, "dev") / want)) < 4 * s / sqrt(VOCAB));
        assert_true(fabs(log(ig_measure_perplexity(&r, "train") /
                             ig_measure_perplexity(&r, "dev"))) < 1e-12); /* the same text here */
        lab_close(&l);
    }
}

static void no_value_is_no_row(void **state)
{
    (void)state;
    ig_row_set rows = {0};
    ig_err err;
    const ig_measure_out out = {.rows = &rows, .split = "dev", .languages = "en-fake", .layer = 1};
    assert_ok(ig_measure_put(&out, "rho", 5, (double)NAN, &err), &err);
    assert_int_equal(rows.n, 0);
    assert_ok(ig_measure_put(&out, "rho", 5, .5, &err), &err);
    assert_int_equal(rows.n, 1);
    ig_row_set_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_are_found),
        cmocka_unit_test(one_piece_in_both_is_no_translation),
        cmocka_unit_test(words_in_their_own_dress),
        cmocka_unit_test(inverted_twins_align_on_the_anti_diagonal),
        cmocka_unit_test(untrained_rows),
        cmocka_unit_test(no_value_is_no_row),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
