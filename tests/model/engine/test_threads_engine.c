/* SPDX-License-Identifier: Apache-2.0
 *
 * One, two and four threads give the same bits: losses, gradients, predictions, hidden states, of a
 * model that runs in lanes and of one that is run by the team. Under ThreadSanitizer too.
 */
#include "engine_fixture.h"
#include "model/engine/shards.h"

typedef struct {
    double loss;
    float *gradient;
    double *nll;
    float *hidden;
} result;

static result run(ig_bert *m, const ig_batch *b, int n_thread)
{
    ig_err err;
    ig_team *team = n_thread > 1 ? make_team(n_thread) : NULL;
    ig_engine *e = make_engine(m, team, NULL);
    ig_pass pass = make_pass(true);
    const int64_t n = ig_bert_n_weight(m), d = ig_bert_get_config(m)->hidden_size;
    result r = {.gradient = malloc((size_t)n * sizeof(float)),
                .nll = malloc((size_t)b->target[IG_HEAD_MASKED].n * sizeof(double)),
                .hidden = malloc((size_t)(b->n_tok * d) * sizeof(float))};
    /* Twice, as two micro-batches: the second adds to the first. */
    run_train(e, b, &pass);
    assert_ok(ig_engine_train(e, b, &pass, &err), &err);
    r.loss = ig_engine_result(e, IG_HEAD_MASKED).loss;
    memcpy(r.gradient, ig_engine_gradient(e), (size_t)n * sizeof(float));
    assert_ok(ig_engine_predict(e, b, &err), &err);
    const ig_head_result masked = ig_engine_result(e, IG_HEAD_MASKED);
    memcpy(r.nll, masked.nll, (size_t)masked.n * sizeof *r.nll);
    assert_ok(ig_engine_encode(e, b, (int[]){1}, 1, &r.hidden, &err), &err);
    ig_engine_free(e);
    ig_team_free(team);
    return r;
}

static void free_result(result *r)
{
    free(r->gradient);
    free(r->nll);
    free(r->hidden);
}

enum { LONGEST = SANITIZED ? 30 : 60 };

static void check(const ig_bert_config *c, const int *length, int n_seq)
{
    ig_bert *m = make_model(c, 1);
    stir(m, 0.1, 2);
    test_batch t = make_batch(c, length, n_seq, 0.15, 9);
    result one = run(m, &t.b, 1);
    assert_true(isfinite(one.loss) && one.loss > 0);
    for (int n_thread = 2; n_thread <= 4; n_thread += SANITIZED ? 2 : 1) {
        result many = run(m, &t.b, n_thread);
        assert_true(many.loss == one.loss);
        assert_memory_equal(many.gradient, one.gradient,
                            (size_t)ig_bert_n_weight(m) * sizeof(float));
        assert_memory_equal(many.nll, one.nll,
                            (size_t)t.b.target[IG_HEAD_MASKED].n * sizeof(double));
        assert_memory_equal(many.hidden, one.hidden,
                            (size_t)t.b.n_tok * (size_t)c->hidden_size * sizeof(float));
        free_result(&many);
    }
    free_result(&one);
    free_batch(&t);
    ig_bert_free(m);
}

static void lanes(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(200);
    c.num_hidden_layers = 2;
    int length[120];
    for (int i = 0; i < 120; i++)
        length[i] = 2 + (i * 41) % LONGEST;
    assert_false(ig_plan_make(&c).split);
    check(&c, length, 120);
    check(&c, length, 7);
    c.position = IG_POSITION_RELATIVE_KEY;
    c.n_language = 2;
    c.separate = (ig_bert_separate){.words = true, .bias = true, .layer = {1}};
    check(&c, length, 120);
}

static void team(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(300);
    c.num_hidden_layers = 1;
    c.hidden_size = 384;
    c.num_attention_heads = 6;
    c.intermediate_size = 768;
    int length[24];
    for (int i = 0; i < 24; i++)
        length[i] = 2 + (i * 41) % LONGEST;
    assert_true(ig_plan_make(&c).split);
    check(&c, length, 24);
    c.position = IG_POSITION_RELATIVE_KEY_QUERY;
    c.n_language = 2;
    c.separate = (ig_bert_separate){.positions = true, .head = true};
    check(&c, length, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes),
        cmocka_unit_test(team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
