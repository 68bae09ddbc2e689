/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of hidden states and of attention: those that change nothing; those of one language; what
 * is refused. Their gradients: test_edit_gradient.c.
 */
#include "edit_fixture.h"
#include "gradient_check.h"
#include "guarded_device.h"

/* The results of a pass: losses, gradient, states. */
typedef struct {
    double loss, *nll;
    float *gradient, *states;
    int64_t n_weight, n_state;
    int n;
} outcome;

static outcome look(ig_engine *e, ig_bert *m, const ig_batch *b, const ig_pass *pass)
{
    ig_err err;
    const ig_bert_config *c = ig_bert_get_config(m);
    outcome o = {.n_weight = ig_bert_n_weight(m),
                 .n_state = (int64_t)b->n_tok * c->hidden_size,
                 .n = b->target[IG_HEAD_MASKED].n};
    const int n_state = c->num_hidden_layers + 1;
    o.nll = calloc((size_t)o.n, sizeof *o.nll);
    o.gradient = calloc((size_t)o.n_weight, sizeof *o.gradient);
    o.states = calloc((size_t)(o.n_state * n_state), sizeof *o.states);
    assert_true(o.nll != NULL && o.gradient != NULL && o.states != NULL);
    o.loss = run_train(e, b, pass);
    memcpy(o.gradient, ig_engine_gradient(e), (size_t)o.n_weight * sizeof *o.gradient);
    assert_ok(ig_engine_predict(e, b, &err), &err);
    memcpy(o.nll, ig_engine_result(e, IG_HEAD_MASKED).nll, (size_t)o.n * sizeof *o.nll);
    for (int l = 0; l < n_state; l++)
        assert_ok(ig_engine_encode(e, b, &l, 1, (float *[]){o.states + l * o.n_state}, &err), &err);
    o.n_state *= n_state;
    return o;
}

static void free_outcome(outcome *o)
{
    free(o->nll);
    free(o->gradient);
    free(o->states);
}

/* Compares up to `share` of the largest. */
static void alike(const float *a, const float *b, int64_t n, double share, const char *what)
{
    double largest = 0, most = 0;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double)b[i]));
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    }
    if (!(most <= share * largest))
        print_error("%s: off by %.3g of the largest %.3g, expected %.3g of it\n", what, most,
                    largest, share);
    assert_true(most <= share * largest);
}

static void same(const outcome *a, const outcome *b, double share)
{
    assert_true(fabs(a->loss - b->loss) <= share * b->loss);
    for (int i = 0; i < a->n; i++)
        assert_true(fabs(a->nll[i] - b->nll[i]) <= share * b->loss);
    alike(a->gradient, b->gradient, a->n_weight, share, "gradient");
    alike(a->states, b->states, a->n_state, share, "states");
}

/* A shift by 0 gives the same bits: x + 0 is x, the LayerNorm of pre-LN's stream is made again of
 * the same numbers by the same kernel, and copies in bfloat16 are rounded as the kernels round. A
 * matrix and its inverse round twice on the way there and twice on the way back, each time by sums
 * of D products: 2 D 2^-24 of the largest, through two more blocks some ten times that; operands
 * that are rounded to bfloat16 make it 2^-9 for each of the four, some .01 in all. */
static void what_changes_nothing(void **state)
{
    (void)state;
    ig_err err;
    for (int k = 0; k < 12; k += SANITIZED ? 3 : 1) {
        const bool bf16 = k >= 8 && ig_ops_bfloat16() != NULL;
        const bool team_ops = k % 4 >= 2 && k < 8; /* else in lanes, which need more sequences */
        const int d = team_ops ? 260 : 64, n_seq = team_ops ? 6 : 20;
        ig_bert_config c = tiny();
        c.hidden_size = d;
        c.intermediate_size = 2 * d;
        c.vocab_size = 60;
        c.max_position_embeddings = 64;
        c.block = k % 2 == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        if (k >= 4 && k < 8)
            c.head[IG_HEAD_NEXT].n_label = 2;
        int length[20];
        for (int i = 0; i < 20; i++)
            length[i] = 2 + (i * 29) % 60;
        ig_bert *m = make_model(&c, 1);
        stir(m, 0.1, 2);
        test_batch t = make_batch(&c, length, n_seq, 0.2, 3);
        int32_t next[20], room[40];
        for (int i = 0; i < 20; i++)
            next[i] = i % 2;
        if (k >= 4 && k < 8)
            set_next(&t.b, next, room);
        ig_team *team = make_team(2);
        ig_engine *e;
        assert_ok(
            ig_engine_new(&e, m, team, NULL, bf16 ? IG_PRECISION_BF16 : IG_PRECISION_F32, &err),
            &err);
        ig_pass pass = make_pass(true);
        pass.scale[IG_HEAD_NEXT] = 0.3f;
        outcome plain = look(e, m, &t.b, &pass);
        float *zero = calloc((size_t)d, sizeof *zero), *q = calloc((size_t)(2 * d * d), sizeof *q);
        assert_true(zero != NULL && q != NULL);
        rotation(q, d, 7);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                q[d * d + i * d + j] = q[j * d + i];
        for (int l = 0; l <= 2; l++) {
            const ig_edit shift = {
                .layer = l, .language = l % 2 - 1, .kind = IG_EDIT_SHIFT, .n = 1, .data = zero};
            assert_ok(ig_engine_set_edits(e, &shift, 1, &err), &err);
            outcome got = look(e, m, &t.b, &pass);
            same(&got, &plain, 0);
            free_outcome(&got);
            const ig_edit turn[] = {{l, -1, IG_EDIT_MATRIX, d, q, NULL, NULL},
                                    {l, -1, IG_EDIT_MATRIX, d, q + d * d, NULL, NULL}};
            assert_ok(ig_engine_set_edits(e, turn, 2, &err), &err);
            got = look(e, m, &t.b, &pass);
            same(&got, &plain, bf16 ? 0.02 : 1e-5);
            assert_true(memcmp(got.states, plain.states, (size_t)plain.n_state * 4) != 0);
            free_outcome(&got);
            assert_ok(ig_engine_set_edits(e, NULL, 0, &err), &err);
        }
        const ig_edit own[] = {{1, -1, IG_EDIT_ATTENTION, 0, NULL, NULL, m},
                               {2, -1, IG_EDIT_ATTENTION, 0, NULL, NULL, m}};
        assert_ok(ig_engine_set_edits(e, own, 2, &err), &err);
        outcome got =
            look(e, m, &t.b, &pass); /* whose training has dropout, which no other model has */
        assert_memory_equal(got.nll, plain.nll, (size_t)plain.n * sizeof *plain.nll);
        alike(got.states, plain.states, plain.n_state, 0, "states");
        free_outcome(&got);
        assert_ok(ig_engine_set_edits(e, NULL, 0, &err), &err);
        outcome again = look(e, m, &t.b, &pass);
        same(&again, &plain, 0);
        free_outcome(&again);
        free_outcome(&plain);
        free(zero);
        free(q);
        free_batch(&t);
        ig_engine_free(e);
        ig_bert_free(m);
        ig_team_free(team);
    }
}

/* Only its sequences move; the last state by the shift itself; what is projected out is gone;
 * states that are put in their own place give the same losses, and let no gradient through. */
static void where_and_what(void **state)
{
    (void)state;
    ig_err err;
    enum { d = 16, n = 15 };
    ig_bert_config c = tiny();
    c.hidden_size = d;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.4, 2);
    test_batch t = make_batch(&c, lengths, 5, 0.4, 3);
    ig_engine *e = make_engine(m, NULL, NULL);
    ig_pass pass = make_pass(false);
    float v[d], q[d * d], plain[3][n * d], got[3][n * d];
    const int layers[] = {0, 1, 2};
    float *const to[] = {got[0], got[1], got[2]};
    outcome before = look(e, m, &t.b, &pass);
    memcpy(plain, before.states, sizeof plain);
    fill(v, d, 1, 8);
    rotation(q, d, 9);
    const ig_edit shift = {2, 1, IG_EDIT_SHIFT, 1, v, NULL, NULL};
    assert_ok(ig_engine_set_edits(e, &shift, 1, &err), &err);
    assert_ok(ig_engine_encode(e, &t.b, layers, 3, to, &err), &err);
    for (int i = 0; i < n * d; i++)
        assert_true(got[2][i] == (i / d < t.b.seq_start[2] ? plain[2][i] : plain[2][i] + v[i % d]));
    const ig_edit out = {1, 0, IG_EDIT_PROJECT, 2, q, NULL, NULL};
    assert_ok(ig_engine_set_edits(e, &out, 1, &err), &err);
    assert_ok(ig_engine_encode(e, &t.b, layers, 3, to, &err), &err);
    const int64_t cut = (int64_t)t.b.seq_start[2] * d;
    assert_memory_equal(got[2] + cut, plain[2] + cut, sizeof plain[2] - (size_t)cut * 4);
    assert_true(memcmp(got[2], plain[2], (size_t)cut * 4) != 0);
    for (int i = 0; i < t.b.seq_start[2]; i++)
        for (int u = 0; u < 2; u++) {
            double along = 0;
            for (int k = 0; k < d; k++)
                along += (double)q[u * d + k] * (double)got[1][i * d + k];
            assert_true(fabs(along) < 1e-5);
        }
    int32_t row[n];
    for (int i = 0; i < n; i++)
        row[i] = i;
    const ig_edit own = {1, -1, IG_EDIT_ROWS, n, plain[1], row, NULL};
    assert_ok(ig_engine_set_edits(e, &own, 1, &err), &err);
    outcome after = look(e, m, &t.b, &pass);
    assert_true(after.loss == before.loss);
    const ig_bert_param *below = ig_bert_param_find(m, "bert.encoder.layer.0.output.dense.weight"),
                        *above = ig_bert_param_find(m, "bert.encoder.layer.1.output.dense.weight");
    for (int i = 0; i < below->rows * below->cols; i++) {
        assert_true(after.gradient[below->offset + i] == 0);
        assert_true(after.gradient[above->offset + i] == before.gradient[above->offset + i]);
    }
    free_outcome(&before);
    free_outcome(&after);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* Edits touch states by ops alone: the same losses and states where nothing else may. */
static void on_a_guarded_device(void **state)
{
    (void)state;
    ig_err err;
    enum { n = 15, d = 260 };
    static float states[2][n * d], q[d * d];
    static const int32_t row[] = {1, 7};
    rotation(q, d, 3);
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = k % 2 == 0 ? 16 : d;
        c.intermediate_size = 2 * c.hidden_size;
        c.block = k >= 2 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        if (k % 2 == 0)
            rotation(q, 16, 3);
        else
            rotation(q, d, 3);
        ig_edit edits[] = {{1, -1, IG_EDIT_ATTENTION, 0, NULL, NULL, NULL},
                           {2, -1, IG_EDIT_ATTENTION, 0, NULL, NULL, NULL},
                           {0, -1, IG_EDIT_SHIFT, 1, q, NULL, NULL},
                           {1, 1, IG_EDIT_MATRIX, c.hidden_size, q, NULL, NULL},
                           {2, 0, IG_EDIT_PROJECT, 2, q, NULL, NULL},
                           {1, -1, IG_EDIT_ROWS, 2, q, row, NULL}};
        double loss[2];
        for (int g = 0; g < 2; g++) {
            ig_device_set_default(g == 1 ? &guarded_device : &ig_device_host);
            ig_bert *m = make_model(&c, 1);
            test_batch t = make_batch(&c, lengths, 5, 0.4, 3);
            ig_engine *e = make_engine(m, NULL, NULL);
            const ig_pass pass = make_pass(true);
            ig_bert *other = edits[1].model = make_model(&c, 2);
            assert_ok(ig_engine_set_edits(e, edits, 6, &err), &err);
            loss[g] = run_train(e, &t.b, &pass);
            assert_ok(ig_engine_encode(e, &t.b, (int[]){2}, 1, (float *[]){states[g]}, &err), &err);
            ig_engine_free(e);
            ig_bert_free(m);
            ig_bert_free(other);
            free_batch(&t);
            ig_device_set_default(&ig_device_host);
        }
        assert_true(loss[0] == loss[1]);
        assert_memory_equal(states[0], states[1],
                            (size_t)n * (size_t)c.hidden_size * sizeof(float));
    }
    assert_true(guarded.n_open > 100);
}

static void refused(void **state)
{
    (void)state;
    ig_err err;
    enum { d = 6 };
    ig_bert_config c = tiny();
    ig_bert *m = make_model(&c, 1);
    ig_engine *e = make_engine(m, NULL, NULL);
    const float one[d * d] = {1, 0, 0, 0, 0, 0, 1}, bad[d] = {0, (float)NAN};
    const struct {
        ig_edit edit;
        ig_code code;
        const char *says;
    } wrong[] = {
        {{3, -1, IG_EDIT_SHIFT, 1, one, NULL, NULL}, IG_ERR_USAGE, "layer 3, expected 0 to 2"},
        {{0, -1, IG_EDIT_SHIFT, 2, one, NULL, NULL}, IG_ERR_USAGE, "shift of 2 rows"},
        {{0, -1, IG_EDIT_MATRIX, 5, one, NULL, NULL}, IG_ERR_USAGE, "matrix of 5 rows"},
        {{0, -1, IG_EDIT_PROJECT, 2, one, NULL, NULL}, IG_ERR_USAGE, "orthonormal"},
        {{0, -1, IG_EDIT_SHIFT, 1, bad, NULL, NULL}, IG_ERR_NUMERIC, "value 1 of shift"},
        {{0, -1, IG_EDIT_ATTENTION, 0, NULL, NULL, NULL}, IG_ERR_USAGE, "do not attend"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ig_engine_set_edits(e, &wrong[i].edit, 1, &err), wrong[i].code);
        assert_non_null(strstr(err.msg, wrong[i].says));
    }
    ig_engine_free(e);
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_nothing), cmocka_unit_test(where_and_what),
        cmocka_unit_test(on_a_guarded_device), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
