/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads and neurons of every kind of block, with and without biases: one that is replaced by zeros
 * gives the states of a model in which what makes it is 0; one that is replaced by its mean those
 * of a model with the biases that hold the mean. What counts as active is the activation, not what
 * a gated neuron gives.
 */
#include "measure_fixture.h"

#include "apply/edit/edit_make.h"
#include "apply/inner_sums.h"
#include "base/memory.h"
#include "model/block/bert_block.h"

static ig_err err;

enum { LAYERS = 3, HEADS = 4, DH = 6, F = 32, D_ = 16 };

static ig_bert_config shape_of(ig_block_kind block, bool shared, bool biases)
{
    ig_bert_config c = tiny();
    c.block = block;
    c.num_attention_heads = HEADS;
    if (block == IG_BLOCK_POST_NORM || block == IG_BLOCK_PRE_NORM)
        return c;
    c.position = IG_POSITION_ROTARY;
    c.rope_theta[0] = c.rope_theta[1] = 10000;
    c.type_vocab_size = 1;
    c.no_attention_bias = c.no_ffn_bias = !biases;
    c.no_norm_bias = true;
    c.hidden_dropout_prob = c.attention_probs_dropout_prob = 0;
    if (block == IG_BLOCK_MODERN)
        return c;
    c.head_dim = DH;
    c.num_key_value_heads = shared ? 2 : 0;
    c.causal = c.silu = c.no_transform = c.no_decoder_bias = true;
    return c;
}

/* The tensor of a row of the block's table; NULL: none. */
static float *of(ig_bert *m, int layer, int row)
{
    const char *name = ig_blocks[ig_bert_get_config(m)->block]->param[row].name;
    char full[200];
    if (name == NULL)
        return NULL;
    snprintf(full, sizeof full, "bert.encoder.layer.%d.%s", layer, name);
    const ig_bert_param *p = ig_bert_param_find(m, full);
    return p == NULL ? NULL : ig_bert_weights(m) + p->offset;
}

/* All layers' states of all texts, one after the other. */
typedef struct {
    float x[2000000];
    int64_t n;
} states;
static states first, second;

static ig_code keep(void *arg, const ig_sentence_states *s, ig_err *e)
{
    states *to = arg;
    (void)e;
    for (int l = 0; l <= LAYERS; l++) {
        assert_true(to->n + s->n_token * D_ <= 2000000);
        memcpy(to->x + to->n, s->states[l], (size_t)s->n_token * D_ * sizeof *to->x);
        to->n += (int64_t)s->n_token * D_;
    }
    return IG_ERR_OK;
}

static ig_states_parts parts_of(const lab *l)
{
    return (ig_states_parts){
        .engine = l->engine, .model = l->model, .team = l->team, .corpus = l->corpus};
}

static void read_states(states *to, const lab *l)
{
    const ig_states_parts parts = parts_of(l);
    const ig_states_options o = {.all_layers = true, .allow_unknown = true};
    ig_states *s;
    to->n = 0;
    assert_ok(ig_states_over(&s, &o, &parts, &err), &err);
    for (int k = 0; k < 2; k++) {
        const ig_states_source source = ig_states_of_corpus(l->corpus, k, 0);
        assert_ok(ig_states_read(s, &source, keep, to, &err), &err);
    }
    ig_states_close(s);
}

static double largest_difference(void)
{
    double most = 0;
    assert_int_equal(first.n, second.n);
    for (int64_t i = 0; i < first.n; i++)
        most = fmax(most, fabs((double)first.x[i] - (double)second.x[i]));
    return most;
}

/* States with the edit into `first`; the weights and the engine are then as before. */
static void with_edit(const lab *l, const char *text)
{
    ig_edit_specs specs = {0};
    ig_made_edits made;
    const ig_edit_on on = {.parts = parts_of(l)};
    assert_ok(ig_edit_specs_add(&specs, text, &err), &err);
    assert_ok(ig_edits_make(&made, &specs, &on, &err), &err);
    read_states(&first, l);
    assert_ok(ig_edits_undo(&made, &on, &err), &err);
    ig_edit_specs_free(&specs);
}

/* The weights a second time, for changes by hand. */
static float *copy_of(const ig_bert *m)
{
    float *copy;
    assert_ok(ig_alloc(&copy, ig_bert_n_weight(m), sizeof *copy, "", &err), &err);
    memcpy(copy, ig_bert_weights((ig_bert *)(uintptr_t)m),
           (size_t)ig_bert_n_weight(m) * sizeof *copy);
    return copy;
}

static void restore(const lab *l, float *copy)
{
    memcpy(ig_bert_weights(l->model), copy, (size_t)ig_bert_n_weight(l->model) * sizeof *copy);
    ig_engine_weights_changed(l->engine);
    ig_free(copy);
}

static void clear_rows(float *w, float *b, int from, int n, int cols)
{
    memset(w + (int64_t)from * cols, 0, (size_t)(n * cols) * sizeof *w);
    if (b != NULL)
        memset(b + from, 0, (size_t)n * sizeof *b);
}

/* Values are 0 where what makes them is; heads 2 and 3 are all that read the second of two. */
static void values_of_two_heads(const lab *l, int layer)
{
    const ig_bert_config *c = ig_bert_get_config(l->model);
    const int dh = ig_bert_head_dim(c), q = ig_bert_query_dim(c);
    float *w = of(l->model, layer, VALUE_W), *b = of(l->model, layer, VALUE_B);
    if (w == NULL)
        clear_rows(of(l->model, layer, QUERY_W), of(l->model, layer, QUERY_B), 2 * q + 2 * dh,
                   2 * dh, D_);
    else if (c->num_key_value_heads > 0)
        clear_rows(w, b, dh, dh, D_);
    else
        clear_rows(w, b, 2 * dh, 2 * dh, D_);
}

static void zeros_of(const lab *l)
{
    for (int layer = 0; layer < LAYERS; layer++) {
        char edit[100];
        float *copy = copy_of(l->model);
        snprintf(edit, sizeof edit, "{kind: heads, list: %d:2 %d:3}", layer + 1, layer + 1);
        with_edit(l, edit);
        read_states(&second, l);
        assert_true(largest_difference() > 1e-3);
        values_of_two_heads(l, layer);
        ig_engine_weights_changed(l->engine);
        read_states(&second, l);
        assert_true(largest_difference() < 2e-5);
        restore(l, copy);

        copy = copy_of(l->model);
        snprintf(edit, sizeof edit, "{kind: neurons, list: %d:5 %d:%d}", layer + 1, layer + 1,
                 F - 1);
        with_edit(l, edit);
        read_states(&second, l);
        assert_true(largest_difference() > 1e-3);
        clear_rows(of(l->model, layer, UP_W), of(l->model, layer, UP_B), 5, 1, D_);
        clear_rows(of(l->model, layer, UP_W), of(l->model, layer, UP_B), F - 1, 1, D_);
        ig_engine_weights_changed(l->engine);
        read_states(&second, l);
        assert_true(largest_difference() < 2e-5);
        restore(l, copy);
    }
}

/* The same weights in a model with all biases, 0. */
static lab with_biases(const lab *l, ig_bert_config c)
{
    lab out = *l;
    c.no_attention_bias = c.no_ffn_bias = false;
    c.vocab_size = ig_bert_get_config(l->model)->vocab_size;
    out.model = make_model(&c, 3);
    for (int i = 0; i < ig_bert_n_param(out.model); i++) {
        const ig_bert_param *p = &ig_bert_params(out.model)[i],
                            *q = ig_bert_param_find(l->model, p->name);
        float *to = ig_bert_weights(out.model) + p->offset;
        const size_t n = (size_t)p->rows * (size_t)p->cols * sizeof *to;
        if (q != NULL)
            memcpy(to, ig_bert_weights(l->model) + q->offset, n);
        else
            memset(to, 0, n);
    }
    out.engine = make_engine(out.model, l->team, NULL);
    return out;
}

/* Columns from `at` of W, with the mean of what they read, to the bias. */
static void move_mean(float *w, float *b, const double *mean, int at, int n, int cols)
{
    assert_true(w != NULL && b != NULL);
    for (int r = 0; r < D_; r++)
        for (int k = at; k < at + n; k++) {
            b[r] += (float)((double)w[r * cols + k] * mean[k]);
            w[r * cols + k] = 0;
        }
}

static void mean_of(double *mean, const lab *l, ig_inner which, int layer)
{
    const ig_states_parts parts = parts_of(l);
    ig_inner_sums sums = {0};
    for (int k = 0; k < 2; k++) {
        const ig_states_source source = ig_states_of_corpus(l->corpus, k, 0);
        assert_ok(ig_inner_sums_add(&sums, &parts, which, &source, (ig_stop){0}, &err), &err);
    }
    for (int i = 0; i < sums.width; i++)
        mean[i] = (sums.sum[0][layer * sums.width + i] + sums.sum[1][layer * sums.width + i]) /
                  (double)(sums.n_token[0] + sums.n_token[1]);
    ig_inner_sums_free(&sums);
}

static void means_of(const lab *l, const ig_bert_config *shape)
{
    double mean[HEADS * DH + F];
    for (int layer = 0; layer < LAYERS; layer++) {
        char edit[150];
        lab twin = with_biases(l, *shape);
        const int dh = ig_bert_head_dim(ig_bert_get_config(l->model)), q = HEADS * dh;
        read_states(&first, l);
        read_states(&second, &twin);
        assert_true(largest_difference() < 2e-5);
        mean_of(mean, l, IG_INNER_HEADS, layer);
        move_mean(of(twin.model, layer, OUT_W), of(twin.model, layer, OUT_B), mean, dh, dh, q);
        ig_engine_weights_changed(twin.engine);
        mean_of(mean, &twin, IG_INNER_NEURONS, layer);
        move_mean(of(twin.model, layer, DOWN_W), of(twin.model, layer, DOWN_B), mean, 7, 1, F);
        mean_of(mean, &twin, IG_INNER_NEURONS, layer);
        move_mean(of(twin.model, layer, DOWN_W), of(twin.model, layer, DOWN_B), mean, 8, 1, F);
        ig_engine_weights_changed(twin.engine);
        snprintf(edit, sizeof edit,
                 "[{kind: heads, list: %d:1, fill: mean}, {kind: neurons, list: %d:7, fill: mean}, "
                 "{kind: neurons, list: %d:8, fill: mean}]",
                 layer + 1, layer + 1, layer + 1);
        with_edit(l, edit);
        read_states(&second, l);
        assert_true(largest_difference() > 1e-4);
        read_states(&second, &twin);
        assert_true(largest_difference() < 5e-5);
        ig_engine_free(twin.engine);
        ig_bert_free(twin.model);
    }
}

static void every_block(void **state)
{
    (void)state;
    for (int s = 0; s < 2 * IG_N_BLOCK; s++) {
        const bool again = s >= IG_N_BLOCK; /* keys of their own, and biases */
        const ig_bert_config c = shape_of((ig_block_kind)(s % IG_N_BLOCK), !again, again);
        lab l = lab_open(distinct_words(30, 4, 12), "shift", &c, 2);
        stir(l.model, .3, 2);
        ig_engine_weights_changed(l.engine);
        zeros_of(&l);
        means_of(&l, &c);
        lab_close(&l);
    }
}

/* With gates below 0 a neuron is never active, whatever its other factor. */
static void gates_are_activations(void **state)
{
    static const ig_block_kind gated[] = {IG_BLOCK_MODERN, IG_BLOCK_LLAMA};
    (void)state;
    for (int s = 0; s < 2; s++) {
        const ig_bert_config c = shape_of(gated[s], false, true);
        lab l = lab_open(distinct_words(30, 4, 12), "shift", &c, 0);
        const ig_states_parts parts = parts_of(&l);
        const ig_states_source source = ig_states_of_corpus(l.corpus, 0, 0);
        ig_inner_sums sums = {0};
        stir(l.model, .3, 2);
        clear_rows(of(l.model, 1, UP_W), NULL, 4, 2, D_);
        of(l.model, 1, UP_B)[4] = -.5f;
        of(l.model, 1, UP_B)[5] = .5f;
        ig_engine_weights_changed(l.engine);
        assert_ok(ig_inner_sums_add(&sums, &parts, IG_INNER_ACTIVE, &source, (ig_stop){0}, &err),
                  &err);
        assert_int_equal(sums.active[0][F + 4], 0);
        assert_int_equal(sums.active[0][F + 5], sums.n_token[0]);
        ig_inner_sums_free(&sums);
        assert_ok(ig_inner_sums_add(&sums, &parts, IG_INNER_NEURONS, &source, (ig_stop){0}, &err),
                  &err);
        assert_in_range(sums.active[0][F + 4], 1, sums.n_token[0] - 1);
        ig_inner_sums_free(&sums);
        lab_close(&l);
    }
}

/* Columns `from` to `to` of a tensor's rows, or rows if `rows`, have neither values nor gradients.
 */
static void is_dead(const lab *l, int row, bool rows, int from, int to)
{
    const float *w = of(l->model, 1, row), *g = ig_engine_gradient(l->engine);
    const int64_t at = w - ig_bert_weights(l->model);
    const int n_row = D_, cols = row == DOWN_W ? F : D_;
    double alive = 0;
    for (int r = rows ? from : 0; r < (rows ? to : n_row); r++)
        for (int k = rows ? 0 : from; k < (rows ? cols : to); k++) {
            assert_true(w[r * cols + k] == 0);
            assert_true(g[at + r * cols + k] == 0);
        }
    for (int i = 0; i < n_row * cols; i++)
        alive += fabs((double)g[at + i]);
    assert_true(alive > 0);
}

/* ModernBERT's blocks are trained: a unit that is replaced stays as it is. */
static void stays_in_training(void **state)
{
    static const int32_t start[] = {0, 5}, id[] = {2, 5, 6, 7, 3}, pos[] = {0, 1, 2, 3, 4},
                         seg[5] = {0}, row[] = {1, 3}, label[] = {6, 8};
    (void)state;
    for (int biases = 0; biases < 2; biases++) {
        const ig_bert_config c = shape_of(IG_BLOCK_MODERN, false, biases == 1);
        lab l = lab_open(distinct_words(30, 4, 12), "shift", &c, 0);
        ig_edit_specs specs = {0};
        ig_made_edits made;
        const ig_edit_on on = {.parts = parts_of(&l)};
        ig_batch b = {.n_seq = 1, .n_tok = 5, .seq_start = start, .id = id, .pos = pos, .seg = seg};
        b.target[IG_HEAD_MASKED] = (ig_targets){2, row, label, NULL};
        ig_pass pass = {.dropout = false};
        pass.scale[IG_HEAD_MASKED] = 1;
        stir(l.model, .3, 2);
        ig_engine_weights_changed(l.engine);
        assert_ok(ig_edit_specs_add(&specs,
                                    "[{kind: heads, list: 2:1}, {kind: neurons, list: 2:3}]", &err),
                  &err);
        assert_ok(ig_edits_make(&made, &specs, &on, &err), &err);
        ig_engine_gradient_clear(l.engine);
        assert_ok(ig_engine_train(l.engine, &b, &pass, &err), &err);
        is_dead(&l, OUT_W, false, D_ / HEADS, 2 * (D_ / HEADS));
        is_dead(&l, QUERY_W, true, 2 * D_ + D_ / HEADS, 2 * D_ + 2 * (D_ / HEADS));
        is_dead(&l, DOWN_W, false, 3, 4);
        is_dead(&l, UP_W, true, 3, 4);
        assert_ok(ig_edits_undo(&made, &on, &err), &err);
        ig_edit_specs_free(&specs);
        lab_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_block),
                                       cmocka_unit_test(gates_are_activations),
                                       cmocka_unit_test(stays_in_training)};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
