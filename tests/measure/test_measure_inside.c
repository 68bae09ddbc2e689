/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of what is inside: neurons' correlation and the margin's error against their formulas;
 * the logit lens against the engine's own predictions, each word's probability asked for one by
 * one, and a model cut off after a layer; language-specific neurons against a count; gradients of
 * two languages that are one.
 */
#include "measure_fixture.h"

#include "apply/inner_sums.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"

#include <math.h>

static ig_err err;

/* --- vectors --- */

enum { N_ROW = 60, D_ROW = 9 };
static float x[2][N_ROW * D_ROW];
static ig_row_set rows;

static double number(const char *name)
{
    for (int64_t i = 0; i < rows.n; i++)
        if (strcmp(rows.row[i].task, name) == 0)
            return rows.row[i].value;
    fail_msg("no row of '%s'", name);
    return 0;
}

static void plant(void)
{
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N_ROW * D_ROW; i++) {
        x[0][i] = (float)ig_rng_normal(&r);
        x[1][i] =
            (i % D_ROW % 2 == 0 ? .4f : -.4f) * x[0][i] + .3f * (float)ig_rng_normal(&r) + .2f;
    }
    for (int i = 0; i < N_ROW; i++)
        x[1][i * D_ROW + 5] = 3; /* a column that does not vary */
    for (int i = 0; i < N_ROW; i++)
        x[0][i * D_ROW + 7] = x[1][i * D_ROW + 7] = .1f; /* nor this in either language */
}

static void neurons_correlate(void **state)
{
    (void)state;
    plant();
    const ig_vector_pair v = {{x[0], x[1]}, {N_ROW, N_ROW}, D_ROW, NULL, N_ROW};
    const ig_measure_out out = {.rows = &rows, .split = "dev", .languages = "a-b", .layer = 0};
    ig_row_set_free(&rows);
    assert_ok(ig_measure_kinds[IG_MEASURE_anc]->sentence_means(&out, &v, NULL, &err), &err);
    double want = 0;
    for (int k = 0; k < D_ROW; k++) { /* (n Σxy − Σx Σy) / √… */
        double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
        for (int i = 0; i < N_ROW; i++) {
            const double a = (double)x[0][i * D_ROW + k], b = (double)x[1][i * D_ROW + k];
            sx += a;
            sy += b;
            xx += a * a;
            yy += b * b;
            xy += a * b;
        }
        if (k != 5 && k != 7)
            want += (N_ROW * xy - sx * sy) / sqrt((N_ROW * xx - sx * sx) * (N_ROW * yy - sy * sy)) /
                    D_ROW;
    }
    assert_true(fabs(number("anc") - want) < 1e-9);
    assert_true(want > .2 && want < .4); /* five are positive, two negative */
}

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (int k = 0; k < D_ROW; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

/* The mean cosine of row i of side s with its four nearest of the other side. */
static double nearest_four(int s, int i)
{
    double best[4] = {-2, -2, -2, -2};
    for (int j = 0; j < N_ROW; j++) {
        double c = dot(x[s] + i * D_ROW, x[1 - s] + j * D_ROW);
        for (int k = 0; k < 4; k++)
            if (c > best[k]) {
                const double held = best[k];
                best[k] = c;
                c = held;
            }
    }
    return (best[0] + best[1] + best[2] + best[3]) / 4;
}

static void margin_errs_by_direction(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 0, 0);
    const ig_vector_pair v = {{x[0], x[1]}, {N_ROW, N_ROW}, D_ROW, NULL, N_ROW};
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    const ig_measure_out out = {.rows = &rows, .split = "dev", .languages = "a-b", .layer = 0};
    for (int i = 0; i < N_ROW * D_ROW; i++) {
        x[0][i] = (float)ig_rng_normal(&r);
        x[1][i] = x[0][i] + .9f * (float)ig_rng_normal(&r) + (i % D_ROW == 0 ? 1.5f : 0);
    }
    for (int s = 0; s < 2; s++)
        assert_ok(ig_unit_rows(x[s], N_ROW, D_ROW, "rows", &err), &err);
    ig_row_set_free(&rows);
    assert_ok(ig_measure_kinds[IG_MEASURE_xsim]->sentences(&out, &v, &with, &err), &err);
    double wrong[2] = {0};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < N_ROW; i++) {
            int best = -1;
            double most = -1e9;
            for (int j = 0; j < N_ROW; j++) {
                const double margin = dot(x[s] + i * D_ROW, x[1 - s] + j * D_ROW) /
                                      ((nearest_four(s, i) + nearest_four(1 - s, j)) / 2);
                if (margin > most) {
                    most = margin;
                    best = j;
                }
            }
            wrong[s] += (best != i) / (double)N_ROW;
        }
    assert_true(wrong[0] > 0 && wrong[0] < 1 && wrong[0] != wrong[1]);
    assert_true(fabs(number("xsim_forward") - wrong[0]) < 1e-12);
    assert_true(fabs(number("xsim_backward") - wrong[1]) < 1e-12);
    assert_true(fabs(number("xsim") - (wrong[0] + wrong[1]) / 2) < 1e-12);
}

/* --- models --- */

static ig_measure_result run_first(const lab *l, ig_measure_set what, const ig_batch_options *bo,
                                   int n_layer, int64_t take)
{
    ig_measure_result r;
    ig_measure_options o = ig_measure_defaults(bo, 5);
    o.what = what;
    o.max_sentence = take;
    o.n_layer = n_layer;
    for (int k = 0; k < n_layer; k++)
        o.layer[k] = k;
    assert_ok(ig_measure_run(&r, &l->with, NULL, l->corpus, &o, &err), &err);
    return r;
}

static ig_measure_result run(const lab *l, ig_measure_set what, const ig_batch_options *bo,
                             int n_layer)
{
    return run_first(l, what, bo, n_layer, 0);
}

static const char *const lens_names[] = {"lens_own",     "lens_other",     "lens_shared",
                                         "lens_own_top", "lens_other_top", "lens_shared_top"};

/* The group of a piece for a text of language k: 0 own, 1 other, 2 shared. All pieces occur. */
static int group_of(int32_t id, int k)
{
    return id % VOCAB < 5 ? (id < VOCAB ? 2 : 1 - k) : id / VOCAB == k ? 0 : 1;
}

/* The last layer's numbers by asking the engine for each word's probability. */
static void by_predictions(const lab *l, const ig_batch_options *bo, double want[6])
{
    ig_batcher *b;
    ig_batch_options o = *bo;
    o.mask_share = 1;
    o.random_share = 0;
    o.causal_share = ig_bert_get_config(l->model)->causal;
    assert_ok(ig_batcher_new(&b, l->corpus, &o, 5, &err), &err);
    memset(want, 0, 6 * sizeof *want);
    for (int k = 0; k < 2; k++) {
        ig_batch x_;
        static double mass[500][3];
        static int top[500];
        static int32_t label[500];
        memset(mass, 0, sizeof mass);
        assert_ok(ig_batcher_get_range(b, ig_batcher_first(b, k), ig_batcher_first(b, k + 1), true,
                                       &x_, &err),
                  &err);
        ig_targets *t = &x_.target[IG_HEAD_MASKED];
        const int n = t->n;
        assert_in_range(n, 3, 500);
        t->label = label;
        for (int32_t v = 0; v < 2 * VOCAB; v++) {
            for (int i = 0; i < n; i++)
                label[i] = v;
            assert_ok(ig_engine_predict(l->engine, &x_, &err), &err);
            const ig_head_result p = ig_engine_result(l->engine, IG_HEAD_MASKED);
            for (int i = 0; i < n; i++) {
                mass[i][group_of(v, k)] += exp(-p.nll[i]);
                top[i] = p.best[i];
            }
        }
        for (int i = 0; i < n; i++)
            for (int g = 0; g < 3; g++) {
                want[g] += mass[i][g] / (2.0 * n);
                want[3 + g] += (group_of(top[i], k) == g) / (2.0 * n);
            }
    }
    ig_batcher_free(b);
}

/* A shape of each kind of block; those of transformers' later models without biases, Llama's kin
 * causal, with shared keys and without the head's transform. */
static ig_bert_config shape_of(ig_block_kind block)
{
    ig_bert_config c = tiny();
    c.block = block;
    c.num_hidden_layers = 3;
    c.n_language = 0;
    if (block == IG_BLOCK_POST_NORM || block == IG_BLOCK_PRE_NORM)
        return c;
    c.position = IG_POSITION_ROTARY;
    c.rope_theta[0] = c.rope_theta[1] = 10000;
    c.type_vocab_size = 1;
    c.no_attention_bias = c.no_ffn_bias = c.no_norm_bias = c.no_head_bias = true;
    c.hidden_dropout_prob = c.attention_probs_dropout_prob = 0;
    if (block == IG_BLOCK_MODERN) {
        c.local_window = 2;
        c.local[0] = 2;
        return c;
    }
    c.num_key_value_heads = 1;
    c.head_dim = 12;
    c.causal = c.silu = c.no_transform = c.no_decoder_bias = true;
    return c;
}

static void lens_reads_layers(void **state)
{
    (void)state;
    for (int s = 0; s < IG_N_BLOCK; s++) {
        const ig_bert_config c = shape_of((ig_block_kind)s);
        ig_batch_options bo = batching;
        bo.batch = 64;
        lab l = lab_open(distinct_words(40, 4, 12), "shift", &c, 2);
        stir(l.model, .5, 2);
        ig_engine_weights_changed(l.engine);
        ig_measure_result r = run(&l, IG_MEASURE_BIT(lens), &bo, 4);
        double want[6];
        by_predictions(&l, &bo, want);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(at(&r, lens_names[k], 3) - want[k]) < 1e-5);
        assert_true(want[0] > .1 && want[1] > .1 && want[2] > 0);
        /* Cut off after two blocks, the last layer is what layer 2 was. */
        ig_bert_config short_ = c;
        short_.num_hidden_layers = 2;
        lab cut = {.shard = l.shard, .corpus = l.corpus, .team = l.team};
        short_.vocab_size = ig_corpus_vocab_size(l.corpus);
        cut.model = make_model(&short_, 9);
        for (int i = 0; i < ig_bert_n_param(cut.model); i++) {
            const ig_bert_param *p = &ig_bert_params(cut.model)[i],
                                *q = ig_bert_param_find(l.model, p->name);
            memcpy(ig_bert_weights(cut.model) + p->offset, ig_bert_weights(l.model) + q->offset,
                   (size_t)p->rows * (size_t)p->cols * sizeof(float));
        }
        cut.engine = make_engine(cut.model, l.team, NULL);
        cut.with = l.with;
        cut.with.model = cut.model;
        cut.with.engine = cut.engine;
        ig_measure_result of_cut = run(&cut, IG_MEASURE_BIT(lens), &bo, 3);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(at(&r, lens_names[k], 2) - at(&of_cut, lens_names[k], 2)) < 1e-5);
        assert_true(fabs(at(&r, "lens_own", 2) - at(&r, "lens_own", 3)) > 1e-4);
        ig_measure_result_free(&of_cut);
        ig_measure_result_free(&r);
        ig_engine_free(cut.engine);
        ig_bert_free(cut.model);
        lab_close(&l);
    }
}

/* Anchors are of both languages: shared. */
static void lens_counts_anchors_apart(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    lab l = lab_open(distinct_words(60, 4, 12), "shift:anchors=1", &c, 0);
    ig_measure_result r = run(&l, IG_MEASURE_BIT(lens), &batching, 1);
    /* No word is of one language alone, but the second block's rows that no text has. */
    assert_true(at(&r, "lens_shared", 0) > .3);
    assert_true(at(&r, "lens_own_top", 0) < 1 && at(&r, "lens_shared_top", 0) > 0);
    ig_measure_result_free(&r);
    lab_close(&l);
}

/* The first sentences of a longer text are a text of these alone. */
static void lens_takes_first_sentences(void **state)
{
    enum { FIRST = 6 };
    (void)state;
    const ig_bert_config c = tiny();
    const ig_batch_options bo = {.batch = 16, .mask_prob = 1, .mask_share = 1};
    double want[6][2];
    for (int take = 0; take < 2; take++) {
        lab l = lab_open(distinct_words(take ? 40 : FIRST, 4, 12), "shift", &c, 0);
        ig_measure_result r = run_first(&l, IG_MEASURE_BIT(lens), &bo, 1, take ? FIRST : 0);
        for (int k = 0; k < 6; k++)
            want[k][take] = at(&r, lens_names[k], 0);
        ig_measure_result_free(&r);
        lab_close(&l);
    }
    for (int k = 0; k < 6; k++)
        assert_true(fabs(want[k][0] - want[k][1]) < 1e-9);
    assert_true(want[0][0] > .01);
}

static void specific_neurons_by_layer(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.num_hidden_layers = 2;
    c.intermediate_size = 128;
    lab l = lab_open(distinct_words(60, 4, 12), "shift", &c, 2);
    ig_measure_result r = run(&l, IG_MEASURE_BIT(lape), &batching, 3);
    const ig_states_parts parts = {
        .engine = l.engine, .model = l.model, .team = l.team, .corpus = l.corpus};
    ig_inner_sums sums = {0};
    for (int k = 0; k < 2; k++) {
        const ig_states_source source = ig_states_of_corpus(l.corpus, k, 0);
        assert_ok(ig_inner_sums_add(&sums, &parts, IG_INNER_NEURONS, &source, (ig_stop){0}, &err),
                  &err);
    }
    static ig_specific s[256];
    assert_ok(ig_inner_specific(s, NULL, &sums, .95, &err), &err);
    double mean[2] = {0}, n[2] = {0}, of[2][2] = {{0}};
    bool taken[256] = {false};
    for (int i = 0; i < 256; i++)
        if (isfinite(s[i].entropy)) {
            mean[i / 128] += s[i].entropy / log(2);
            n[i / 128]++;
        }
    const int n_top = 3; /* the nearest to a hundredth of 256 */
    for (int t = 0; t < n_top; t++) {
        int least = -1;
        for (int i = 0; i < 256; i++)
            if (!taken[i] && isfinite(s[i].entropy) &&
                (least < 0 || s[i].entropy < s[least].entropy))
                least = i;
        taken[least] = true;
        of[least / 128][s[least].language] += 1.0 / n_top;
    }
    for (int layer = 0; layer < 2; layer++) {
        assert_true(n[layer] > 0);
        assert_true(fabs(at(&r, "lape", layer + 1) - mean[layer] / n[layer]) < 1e-12);
        assert_true(fabs(at(&r, "lape_first", layer + 1) - of[layer][0]) < 1e-12);
        assert_true(fabs(at(&r, "lape_second", layer + 1) - of[layer][1]) < 1e-12);
        assert_true(fabs(at(&r, "lape_share", layer + 1) - of[layer][0] - of[layer][1]) < 1e-12);
    }
    assert_true(isnan(at(&r, "lape", 0)));
    ig_inner_sums_free(&sums);
    ig_measure_result_free(&r);
    lab_close(&l);
}

/* Copies the words of the first language to the second's rows: with all tokens masked both read the
 * same, and what reaches the blocks is the same; the rows that predict differ. */
static void gradients_of_twins_agree(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.num_hidden_layers = 2;
    ig_batch_options bo = batching;
    lab l = lab_open(distinct_words(40, 4, 12), "shift", &c, 2);
    ig_measure_result r = run(&l, IG_MEASURE_BIT(gradients), &bo, 3);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(at(&r, "gradient_cosine", k)) < .99);
    ig_measure_result_free(&r);
    const ig_bert_param *words =
                            ig_bert_param_find(l.model, "bert.embeddings.word_embeddings.weight"),
                        *bias = ig_bert_param_find(l.model, "cls.predictions.bias");
    float *w = ig_bert_weights(l.model);
    memcpy(w + words->offset + (int64_t)VOCAB * words->cols, w + words->offset,
           (size_t)VOCAB * (size_t)words->cols * sizeof *w);
    memcpy(w + bias->offset + VOCAB, w + bias->offset, VOCAB * sizeof *w);
    ig_engine_weights_changed(l.engine);
    bo.mask_prob = 1;
    r = run(&l, IG_MEASURE_BIT(gradients), &bo, 3);
    for (int k = 1; k < 3; k++)
        assert_true(fabs(at(&r, "gradient_cosine", k) - 1) < 1e-6);
    assert_true(at(&r, "gradient_cosine", 0) < .999);
    const double all = ig_measure_value(&r, "gradient_cosine_all", -1),
                 head = ig_measure_value(&r, "gradient_cosine_head", -1);
    assert_true(all < .999 && head < .999);
    ig_measure_result_free(&r);
    lab_close(&l);
}

/* A single segment's vector of zeros stands for segments that the family does not have (GPT-2); a
 * vector of numbers is a parameter (RoBERTa's). */
static void gradients_of_no_segments(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.type_vocab_size = 1;
    lab l = lab_open(distinct_words(40, 4, 12), "shift", &c, 2);
    ig_measure_result r[2];
    int32_t d;
    float *segment = table(l.model, "bert.embeddings.token_type_embeddings.weight", &d);
    memset(segment, 0, (size_t)d * sizeof *segment);
    for (int real = 0; real < 2; real++) {
        segment[d - 1] = real ? 1e-20f : 0; /* moves no state */
        ig_engine_weights_changed(l.engine);
        r[real] = run(&l, IG_MEASURE_BIT(gradients), &batching, 3);
    }
    assert_true(fabs(at(&r[0], "gradient_cosine", 0) - at(&r[1], "gradient_cosine", 0)) > 1e-3);
    assert_true(fabs(ig_measure_value(&r[0], "gradient_cosine_all", -1) -
                     ig_measure_value(&r[1], "gradient_cosine_all", -1)) > 1e-6);
    assert_true(fabs(at(&r[0], "gradient_cosine", 1) - at(&r[1], "gradient_cosine", 1)) < 1e-9);
    ig_measure_result_free(&r[0]);
    ig_measure_result_free(&r[1]);
    lab_close(&l);
}

static int forget(void **state)
{
    ig_row_set_free(&rows);
    return fixture_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neurons_correlate),         cmocka_unit_test(margin_errs_by_direction),
        cmocka_unit_test(lens_reads_layers),         cmocka_unit_test(lens_counts_anchors_apart),
        cmocka_unit_test(specific_neurons_by_layer), cmocka_unit_test(gradients_of_twins_agree),
        cmocka_unit_test(gradients_of_no_segments),  cmocka_unit_test(lens_takes_first_sentences)};
    return cmocka_run_group_tests(tests, fixture_setup, forget);
}
