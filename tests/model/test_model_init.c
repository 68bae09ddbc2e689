/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of initial weights against what they say of their distribution, and the hidden size that is
 * solved for a number of parameters against every other one.
 */
#include "engine_fixture.h"

#include <math.h>

static ig_bert_config shape(ig_bert_init_rule init)
{
    ig_bert_config c = ig_bert_config_small(600);
    c.num_hidden_layers = 2;
    c.init = init;
    return c;
}

static const float *tensor(ig_bert *m, const char *name, int64_t *n)
{
    const ig_bert_param *p = ig_bert_param_find(m, name);
    assert_non_null(p);
    *n = (int64_t)p->rows * p->cols;
    return ig_bert_weights(m) + p->offset;
}

/* Variance of n numbers of mean 0, largest |x|. */
static double variance(const float *x, int64_t n, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
        *largest = fmax(*largest, fabs((double)x[i]));
    }
    return sum / (double)n;
}

/* The variance of n independent draws is within 5 √(2/n) of theirs, relative, but once in 10⁶. */
static void is_near(double got, double want, int64_t n)
{
    if (!(fabs(got / want - 1) < 5 * sqrt(2.0 / (double)n)))
        fail_msg("variance %g, expected %g", got, want);
}

static void truncated(void **state)
{
    (void)state;
    const ig_bert_config c = shape(IG_BERT_INIT_TRUNCATED), d = shape(IG_BERT_INIT_NORMAL);
    ig_bert *m = make_model(&c, 3), *plain = make_model(&d, 3);
    const double sigma = (double)c.initializer_range;
    int64_t n, n_beyond = 0;
    double largest;
    const float *x = tensor(m, "bert.embeddings.word_embeddings.weight", &n),
                *y = tensor(plain, "bert.embeddings.word_embeddings.weight", &n);
    /* 1 − 2 · 2 φ(2) / (2 Φ(2) − 1) of sigma² */
    is_near(variance(x, n, &largest), 0.773741 * sigma * sigma, n);
    assert_true(largest <= 2 * sigma && largest > 1.99 * sigma);
    for (int64_t i = 0; i < n; i++)
        if (fabs((double)y[i]) <= 2 * sigma)
            assert_true(x[i] == y[i]);
        else
            n_beyond++;
    assert_true(fabs((double)n_beyond / (double)n - 0.0455) < 5 * sqrt(0.0455 / (double)n));
    ig_bert_free(m);
    ig_bert_free(plain);
}

static void as_xlm(void **state)
{
    (void)state;
    const ig_bert_config c = shape(IG_BERT_INIT_XLM);
    ig_bert *m = make_model(&c, 3);
    int64_t n;
    double largest;
    static const char *const table[] = {"bert.embeddings.word_embeddings.weight",
                                        "bert.embeddings.position_embeddings.weight"};
    for (int i = 0; i < 2; i++) {
        const float *x = tensor(m, table[i], &n);
        for (int j = 0; j < 64; j++)
            assert_true((x[j] == 0) == (i == 0)); /* the row of PAD */
        is_near(variance(x + 64, n - 64, &largest), 1.0 / 64, n);
    }
    static const struct {
        const char *name;
        int inputs;
    } linear[] = {{"bert.encoder.layer.1.attention.self.key.weight", 64},
                  {"bert.encoder.layer.1.attention.output.dense.bias", 64},
                  {"bert.encoder.layer.0.intermediate.dense.bias", 64},
                  {"bert.encoder.layer.0.output.dense.weight", 256},
                  {"bert.encoder.layer.0.output.dense.bias", 256},
                  {"cls.predictions.bias", 64}};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        const float *x = tensor(m, linear[i].name, &n);
        const double bound = 1 / sqrt(linear[i].inputs);
        is_near(variance(x, n, &largest), bound * bound / 3, n);
        assert_true(largest <= bound && largest > 0.9 * bound);
    }
    const float *gamma = tensor(m, "bert.embeddings.LayerNorm.weight", &n);
    assert_true(gamma[0] == 1 && gamma[63] == 1);
    ig_bert_free(m);
}

static void number_of_parameters(void **state)
{
    (void)state;
    for (int i = 0; i < 32; i++) {
        ig_bert_config c = shape(IG_BERT_INIT_NORMAL);
        c.position = (ig_position_kind)(i % IG_N_POSITION_KIND);
        c.untied = i & 1;
        c.n_language = i % 4;
        const bool none = c.position == IG_POSITION_NONE || c.position == IG_POSITION_SINUSOIDAL ||
                          c.position == IG_POSITION_ROTARY; /* none that could be separate */
        c.separate = (ig_bert_separate){.words = i & 2,
                                        .positions = !none && (i & 4),
                                        .layer = {i & 3},
                                        .head = i & 8,
                                        .bias = i & 16};
        ig_bert *m = make_model(&c, 0);
        assert_int_equal(ig_bert_config_n_value(&c), ig_bert_n_value(m));
        ig_bert_free(m);
    }
}

/* No other hidden size, of all that the heads allow, comes nearer. */
static void solved_size(void **state)
{
    (void)state;
    static const struct {
        int32_t v, layers, heads, ffn;
        ig_position_kind position;
        int64_t wanted;
    } cases[] = {
        {60000, 12, 12, 0, IG_POSITION_LEARNED, 132780000}, /* K et al. 2020, Table 4 */
        {60000, 1, 12, 0, IG_POSITION_LEARNED, 138690000},
        {60000, 6, 6, 0, IG_POSITION_LEARNED, 8400000},
        {2000, 3, 1, 0, IG_POSITION_NONE, 777777},
        {2000, 3, 4, 256, IG_POSITION_ROTARY, 300000},
        {2000, 3, 5, 0, IG_POSITION_RELATIVE_KEY, 1},
        {300, 40, 24, 0, IG_POSITION_LEARNED, 5000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_bert_config c = ig_bert_config_small(cases[i].v), other;
        c.num_hidden_layers = cases[i].layers;
        c.num_attention_heads = cases[i].heads;
        c.position = cases[i].position;
        if (cases[i].ffn > 0)
            c.intermediate_size = cases[i].ffn;
        other = c;
        ig_bert_config_solve(&c, cases[i].wanted, cases[i].ffn > 0);
        ig_err err;
        assert_ok(ig_bert_config_check(&c, "x", &err), &err);
        const int step = c.position == IG_POSITION_ROTARY ? 2 * cases[i].heads : cases[i].heads;
        const int64_t off = llabs(ig_bert_config_n_value(&c) - cases[i].wanted);
        for (int h = step; h <= 3000; h += step) {
            other.hidden_size = h;
            other.intermediate_size = cases[i].ffn > 0 ? cases[i].ffn : 4 * h;
            const int64_t d = llabs(ig_bert_config_n_value(&other) - cases[i].wanted);
            assert_true(d > off || (d == off && h >= c.hidden_size));
        }
        if (i == 0)
            assert_true(c.hidden_size == 768 && c.intermediate_size == 3072);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated),
        cmocka_unit_test(as_xlm),
        cmocka_unit_test(number_of_parameters),
        cmocka_unit_test(solved_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
