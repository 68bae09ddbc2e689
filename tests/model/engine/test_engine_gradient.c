/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine's losses, hidden states and every element of its gradient against a second
 * implementation in double (bert_in_double.h) and its central differences, signs included, with and
 * without dropout (which is a pure function of counters, so that differences see the same masks).
 */
#include "gradient_check.h"

static void without_dropout(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    check_model(&c, lengths, 5, false, ig_ops_ref(), NULL, 0);
}

static void with_dropout(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    check_model(&c, lengths, 5, true, ig_ops_ref(), NULL, 0);
}

static void one_head_no_pad_three_layers(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.num_attention_heads = 1;
    c.num_hidden_layers = 3;
    c.pad_token_id = -1;
    c.hidden_size = 16;
    check_model(&c, lengths, 5, true, ig_ops_ref(), NULL, 0);
}

static void best_kernels(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.hidden_size = 16;
    c.intermediate_size = 19;
    check_model(&c, lengths, 5, true, NULL, NULL, 0);
}

static void hidden_states(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = tiny();
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.4, 2);
    test_batch t = make_batch(&c, lengths, 5, 0, 3);
    ig_engine *e = make_engine(m, NULL, ig_ops_ref());
    const int64_t n = ig_bert_n_weight(m);
    double *w = calloc((size_t)n, sizeof *w);
    for (int64_t i = 0; i < n; i++)
        w[i] = (double)ig_bert_weights(m)[i];
    ig_pass pass = make_pass(false);
    twin d = {.model = m, .w = w, .pad_in = w, .pass = &pass};
    float out[3][15 * 6], want[15 * 6];
    double x[15 * 6];
    const int layers[] = {0, 1, 2};
    assert_ok(ig_engine_encode(e, &t.b, layers, 3, (float *[]){out[0], out[1], out[2]}, &err),
              &err);
    for (int l = 0; l < 3; l++) {
        twin_encode(&d, &t.b, l, x);
        for (int i = 0; i < 15 * 6; i++)
            want[i] = (float)x[i];
        assert_close(out[l], want, 15 * 6, 2e-6, 2e-6, "hidden state");
    }
    float only[15 * 6];
    assert_ok(ig_engine_encode(e, &t.b, (int[]){1}, 1, (float *[]){only}, &err), &err);
    assert_memory_equal(only, out[1], sizeof only);
    assert_int_equal(ig_engine_encode(e, &t.b, (int[]){3}, 1, (float *[]){only}, &err),
                     IG_ERR_USAGE);
    free(w);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

static void every_kind_of_position(void **state)
{
    (void)state;
    for (int k = IG_POSITION_NONE; k < IG_N_POSITION_KIND; k++) {
        ig_bert_config c = tiny();
        c.position = (ig_position_kind)k;
        c.hidden_size = 8;
        check_model(&c, lengths, 5, true, ig_ops_ref(), NULL, 0);
        check_model(&c, lengths, 5, true, ig_ops_best(), NULL, 0);
    }
}

/* A local layer, whose window is less than a sequence, between global ones; with biases, without,
 * by either GELU. */
static void modernbert(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ig_bert_config c = tiny();
        c.block = IG_BLOCK_MODERN;
        c.position = IG_POSITION_ROTARY;
        c.hidden_size = 16;
        c.num_hidden_layers = 3;
        c.type_vocab_size = 1;
        c.local[0] = 2;
        c.local_window = 1;
        c.rope_theta[0] = 160000;
        c.rope_theta[1] = 10000;
        c.no_attention_bias = c.no_ffn_bias = c.no_norm_bias = c.no_head_bias = k != 1;
        c.gelu_tanh = k == 2;
        check_model(&c, lengths, 5, k == 0, ig_ops_ref(), NULL, 0);
        check_model(&c, lengths, 5, true, ig_ops_best(), NULL, 0);
    }
}

/* Every switch alone, and those together that meet in one place. */
static void other_architectures(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        ig_bert_config c = tiny();
        c.block = k == 0 || k >= 4 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        c.gelu_tanh = k == 1 || k == 4;
        c.no_transform = k == 2 || k >= 5;
        c.untied = k == 3 || k == 5;
        c.num_hidden_layers = k == 6 ? 1 : 2;
        /* With six columns some row varies little by chance; pre-LN multiplies what is rounded
         * there by 1 / its standard deviation, and no LayerNorm on the embeddings has evened it
         * out. */
        c.hidden_size = 16;
        check_model(&c, lengths, 5, k % 2 == 0, ig_ops_ref(), NULL, 0);
        check_model(&c, lengths, 5, true, ig_ops_best(), NULL, 0);
    }
}

/* A sequence of two parts, and one without a label. */
static void next_sentences(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ig_bert_config c = tiny();
        c.head[IG_HEAD_NEXT].n_label = 2;
        c.block = k == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        c.hidden_size = k == 1 ? 16 : 6;
        check_model(&c, lengths, 5, k == 2, k == 0 ? ig_ops_ref() : ig_ops_best(), NULL, 0);
    }
}

/* The labels' losses alone, without a masked token, and what is the likelier one. */
static void next_sentences_alone(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = tiny();
    c.head[IG_HEAD_NEXT].n_label = 2;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.4, 2);
    test_batch t = make_batch(&c, lengths, 5, 0, 3);
    ig_engine *e = make_engine(m, NULL, ig_ops_ref());
    double all = 0, loss[2];
    for (int label = 0; label < 2; label++) {
        int32_t next[5], room[10];
        for (int q = 0; q < 5; q++)
            next[q] = label;
        set_next(&t.b, next, room);
        assert_ok(ig_engine_predict(e, &t.b, &err), &err);
        loss[label] = ig_engine_result(e, IG_HEAD_NEXT).loss;
        assert_int_equal(ig_engine_result(e, IG_HEAD_NEXT).n, 5);
        for (int q = 0; q < 5; q++) {
            int32_t one[5] = {-1, -1, -1, -1, -1};
            one[q] = label;
            set_next(&t.b, one, room);
            assert_ok(ig_engine_predict(e, &t.b, &err), &err);
            const ig_head_result r = ig_engine_result(e, IG_HEAD_NEXT);
            assert_int_equal(r.n, 1);
            assert_int_equal(r.n_right, r.loss < log(2));
            all += r.loss;
        }
        assert_true(fabs(all - loss[label]) < 1e-12);
        all = 0;
    }
    assert_true(fabs(loss[0] - loss[1]) > 1e-3);
    t.b.target[IG_HEAD_NEXT] = (ig_targets){0};
    assert_ok(ig_engine_predict(e, &t.b, &err), &err);
    const ig_head_result nothing = ig_engine_result(e, IG_HEAD_NEXT);
    assert_true(nothing.n == 0 && nothing.n_right == 0 && nothing.loss == 0);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* No token sees later ones: with every way that scores are made, by the plain kernels and the best.
 */
static void causal(void **state)
{
    (void)state;
    ig_bert_config c = tiny();
    c.hidden_size = 16;
    c.causal = true;
    for (int p = 0; p < IG_N_POSITION_KIND; p++) {
        c.position = (ig_position_kind)p;
        check_model(&c, lengths, 5, true, p % 2 == 0 ? ig_ops_ref() : NULL, NULL, 0);
    }
    c.block = IG_BLOCK_PRE_NORM;
    c.position = IG_POSITION_LEARNED;
    check_model(&c, lengths, 5, true, NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_dropout),
        cmocka_unit_test(with_dropout),
        cmocka_unit_test(one_head_no_pad_three_layers),
        cmocka_unit_test(best_kernels),
        cmocka_unit_test(every_kind_of_position),
        cmocka_unit_test(modernbert),
        cmocka_unit_test(other_architectures),
        cmocka_unit_test(next_sentences),
        cmocka_unit_test(next_sentences_alone),
        cmocka_unit_test(hidden_states),
        cmocka_unit_test(causal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
