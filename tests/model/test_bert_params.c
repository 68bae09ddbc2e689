/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameter table: counts known from the papers, layout, decay, initial values and what they
 * depend on.
 */
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/block/block.h"
#include "test.h"

#include <string.h>

static int64_t count(const ig_bert *m)
{
    int64_t n = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++)
        n += (int64_t)ig_bert_params(m)[i].rows * ig_bert_params(m)[i].cols;
    return n;
}

static ig_bert *make(const ig_bert_config *c, uint64_t seed)
{
    ig_err err;
    ig_bert *m;
    assert_ok(ig_bert_new(&m, c, seed, &err), &err);
    return m;
}

/* Dufter & Schütze's model has 907 520 parameters with its pooler of 64·64 + 64. */
static void known_counts(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(4096);
    ig_bert *m = make(&c, 0);
    assert_int_equal(count(m), 907520 - 64 * 64 - 64);
    assert_int_equal(ig_bert_n_param(m), 5 + 12 * 16 + 5);
    ig_bert_free(m);
}

static void layout(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(11);
    c.hidden_size = 6;
    c.num_attention_heads = 2;
    c.intermediate_size = 10;
    c.num_hidden_layers = 2;
    ig_bert *m = make(&c, 0);
    const ig_bert_param *p = ig_bert_params(m);
    for (int i = 1; i < ig_bert_n_param(m); i++)
        assert_true(p[i].offset >= p[i - 1].offset + (int64_t)p[i - 1].rows * p[i - 1].cols);
    for (int l = 0; l < 2; l++) {
        const int64_t *at = ig_bert_get_layer_offsets(m, 0)[l].at;
        const ig_block *block = ig_blocks[c.block];
        for (int i = 0; i < block->n_param; i++) {
            char name[100];
            if (block->param[i].name == NULL)
                continue;
            snprintf(name, sizeof name, "bert.encoder.layer.%d.%s", l, block->param[i].name);
            const ig_bert_param *q = ig_bert_param_find(m, name);
            assert_int_equal(q == NULL ? -1 : q->offset, at[i]);
        }
        /* Query, key and value weights are one matrix, then their biases one vector. */
        assert_string_equal(block->param[2].name, "attention.self.value.weight");
        assert_true(at[1] == at[0] + 36 && at[2] == at[1] + 36 && at[4] == at[3] + 6);
    }
    assert_true(ig_param_products(&c, IG_OF_BLOCK) == 4 * 36 + 2 * 6 * 10);
    const ig_bert_offsets o = ig_bert_get_offsets(m, 0);
    assert_int_equal(ig_bert_param_find(m, "cls.predictions.bias")->offset,
                     o.head[IG_HEAD_MASKED][5]);
    assert_int_equal(ig_bert_param_find(m, "cls.predictions.transform.dense.weight")->offset,
                     o.head[IG_HEAD_MASKED][0]);
    assert_null(ig_bert_param_find(m, "cls.predictions.decoder.weight"));
    ig_bert_free(m);
}

/* Hugging Face's rule for the decay groups: no name with "bias" or "LayerNorm.weight". */
static void decay_by_name(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(50);
    ig_bert *m = make(&c, 0);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        bool none = strstr(p->name, "bias") != NULL || strstr(p->name, "LayerNorm.weight") != NULL;
        assert_int_equal(p->decay, !none);
    }
    ig_bert_free(m);
}

static void initial_values(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(4096);
    ig_bert *m = make(&c, 3);
    const float *w = ig_bert_weights(m);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const int64_t n = (int64_t)p->rows * p->cols;
        double sum = 0, square = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += (double)w[p->offset + j];
            square += (double)w[p->offset + j] * (double)w[p->offset + j];
        }
        if (strstr(p->name, "bias") != NULL)
            assert_true(square == 0);
        else if (strstr(p->name, "LayerNorm") != NULL)
            assert_true(sum == (double)n && square == (double)n);
        else {
            /* Five standard errors of mean and variance. */
            assert_true(fabs(sum / (double)n) < 5 * 0.02 / sqrt((double)n));
            assert_true(fabs(square / (double)n / 4e-4 - 1) < 5 * sqrt(2 / (double)n));
        }
    }
    ig_bert_free(m);
}

static float at(ig_bert *m, const char *name, int64_t i)
{
    return ig_bert_weights(m)[ig_bert_param_find(m, name)->offset + i];
}

static void init_depends_on_name_and_element_alone(void **state)
{
    (void)state;
    const char *query = "bert.encoder.layer.1.attention.self.query.weight";
    const char *word = "bert.embeddings.word_embeddings.weight";
    ig_bert_config c = ig_bert_config_small(40), d = c;
    d.vocab_size = 77;
    d.num_hidden_layers = 2;
    ig_bert *a = make(&c, 5), *b = make(&d, 5), *e = make(&c, 6);
    for (int i = 0; i < 64 * 40; i++)
        assert_true(at(a, word, i) == at(b, word, i));
    for (int i = 0; i < 64 * 64; i++)
        assert_true(at(a, query, i) == at(b, query, i));
    assert_true(at(a, query, 0) != at(e, query, 0));
    assert_true(at(a, query, 0) != at(a, "bert.encoder.layer.0.attention.self.query.weight", 0));
    ig_bert_free(a);
    ig_bert_free(b);
    ig_bert_free(e);
}

/* Weights that are drawn once more are those of a new model, by one thread and by three; the table
 * of words has a last piece that is not full. */
static void redrawn_as_new(void **state)
{
    ig_err err;
    ig_team *team;
    (void)state;
    assert_ok(ig_team_new(&team, 3, &err), &err);
    for (int rule = 0; rule <= IG_BERT_INIT_XLM; rule++) {
        ig_bert_config c = ig_bert_config_small(1025);
        c.init = (ig_bert_init_rule)rule;
        ig_bert *m = make(&c, 1), *fresh = make(&c, 2);
        const size_t size = (size_t)ig_bert_n_weight(m) * sizeof(float);
        assert_memory_not_equal(ig_bert_weights(m), ig_bert_weights(fresh), size);
        assert_ok(ig_bert_redraw(m, 2, rule == 0 ? NULL : team, &err), &err);
        assert_memory_equal(ig_bert_weights(m), ig_bert_weights(fresh), size);
        ig_bert_free(m);
        ig_bert_free(fresh);
    }
    ig_team_free(team);
}

static void refuses(const ig_bert_config *c, const char *key)
{
    ig_err err;
    ig_bert *m;
    assert_int_equal(ig_bert_config_check(c, "config.json", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, key));
    assert_int_equal(ig_bert_new(&m, c, 0, &err), IG_ERR_USAGE);
    assert_null(m);
}

static void bad_configurations(void **state)
{
    (void)state;
    ig_err err;
    const ig_bert_config good = ig_bert_config_base(30522);
    assert_ok(ig_bert_config_check(&good, "", &err), &err);
    ig_bert_config c = good;
    c.vocab_size = 0;
    refuses(&c, "vocab_size");
    c = good;
    c.num_attention_heads = 7;
    refuses(&c, "num_attention_heads");
    c = good;
    c.num_hidden_layers = -1;
    refuses(&c, "num_hidden_layers");
    c = good;
    c.pad_token_id = 30522;
    refuses(&c, "pad_token_id");
    c = good;
    c.hidden_dropout_prob = NAN;
    refuses(&c, "hidden_dropout_prob");
    c = good;
    c.attention_probs_dropout_prob = 1;
    refuses(&c, "attention_probs_dropout_prob");
    c = good;
    c.layer_norm_eps = 0;
    refuses(&c, "layer_norm_eps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_counts),
        cmocka_unit_test(layout),
        cmocka_unit_test(decay_by_name),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(init_depends_on_name_and_element_alone),
        cmocka_unit_test(redrawn_as_new),
        cmocka_unit_test(bad_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
