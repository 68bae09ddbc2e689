/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser head: every element of its gradient against central differences in double; its trees
 * against the best of all trees by the double model's probabilities; the rule of the papers'
 * programs for ROOT.
 */
#include "gradient_check.h"
#include "tree_fixture.h"

static void gradients(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        ig_bert_config c = tiny();
        c.head[IG_HEAD_PARSER] = (ig_head_config){.n_label = 3,
                                                  .reads = k == 2 ? IG_READ_MIX : IG_READ_LAST,
                                                  .dropout = k == 1 ? 0.5f : 0,
                                                  .inner_dropout = k == 2 ? 0.33f : 0,
                                                  .variational = k == 1,
                                                  .arc_size = 4 + k,
                                                  .label_size = 3 + 4 * (k % 3),
                                                  .linear_labels = k == 1 || k == 3,
                                                  .free_root = k == 4};
        c.head[IG_HEAD_MASKED].n_label = k < 3 ? -1 : 0;
        check_model(&c, lengths, 5, k > 0, k < 2 ? ig_ops_ref() : ig_ops_best(), NULL, 0);
    }
}

static void large(void **state)
{
    (void)state;
    int length_of[40];
    int32_t row[256], label[256], head[256];
    for (int k = 0; k < 2; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = k == 0 ? 8 : 260;
        c.max_position_embeddings = 64;
        c.head[IG_HEAD_MASKED].n_label = -1;
        c.head[IG_HEAD_PARSER] = (ig_head_config){
            .n_label = 4, .dropout = 0.2f, .inner_dropout = 0.33f, .arc_size = 9, .label_size = 8};
        for (int i = 0; i < 40; i++)
            length_of[i] = 2 + (i * 7) % 6;
        check_slopes(&c, IG_HEAD_PARSER, "parser.", length_of, k == 0 ? 40 : 20, row, label, head);
    }
}

/* log p of an arc and, with `joint`, of the best label under it; *best gets that label. */
static double arc_of(const twin *t, const twin_words *w, int word, int head, bool joint,
                     int32_t *best)
{
    const int m = ig_bert_get_config(t->model)->head[IG_HEAD_PARSER].n_label;
    double arcs = 0, labels = 0, most = -INFINITY;
    for (int h = 0; h < w->n; h++)
        arcs += exp(twin_arc(t, w, word, h));
    for (int r = 0; r < m; r++) {
        const double x =
            twin_label(t, r, w->side[2] + head * w->label, w->side[3] + word * w->label, w->label);
        labels += exp(x);
        if (x > most)
            *best = r;
        most = fmax(most, x);
    }
    return twin_arc(t, w, word, head) - log(arcs) + (joint ? most - log(labels) : 0);
}

static void trees(void **state)
{
    (void)state;
    static const int length_of[] = {6, 1, 5, 2, 4, 6, 3, 6};
    int32_t row[64], label[64], head[64];
    int n = 0;
    for (int k = 0; k < 4; k++) {
        const bool joint = k % 2 == 1;
        ig_bert_config c = tiny();
        ig_err err;
        c.max_position_embeddings = 8;
        c.hidden_dropout_prob = 0;
        c.head[IG_HEAD_PARSER] =
            (ig_head_config){.n_label = 3, .arc_size = 5, .label_size = 4, .joint_labels = joint};
        ig_bert *m = make_model(&c, 1);
        stir(m, 0.9, (uint64_t)k + 5);
        test_batch t = make_batch(&c, length_of, 8, 0, 3);
        for (n = 0; n < t.b.n_tok; n++) {
            row[n] = n;
            label[n] = head[n] = 0;
        }
        for (int s = 0; s < 8; s++)
            label[t.b.seq_start[s]] = head[t.b.seq_start[s]] = -1;
        t.b.target[IG_HEAD_PARSER] = (ig_targets){n, row, label, head};
        ig_engine *e = make_engine(m, NULL, NULL);
        assert_ok(ig_engine_predict(e, &t.b, &err), &err);
        const ig_head_result r = ig_engine_result(e, IG_HEAD_PARSER);
        double *w = calloc((size_t)ig_bert_n_weight(m), sizeof *w), pad[6],
               *x = calloc((size_t)(n * c.hidden_size), sizeof *x);
        assert_true(w != NULL && x != NULL);
        for (int64_t i = 0; i < ig_bert_n_weight(m); i++)
            w[i] = (double)ig_bert_weights(m)[i];
        memcpy(pad, w, sizeof pad); /* PAD is row 0 of the words, which come first */
        const ig_pass pass = make_pass(false);
        twin d = {.model = m, .w = w, .pad_in = pad, .pass = &pass};
        twin_read(&d, &t.b, IG_HEAD_PARSER, x);
        for (int s = 0; s < 8; s++) {
            const int at = t.b.seq_start[s];
            twin_words words = twin_words_of(&d, &t.b, x, s, at);
            int32_t guess[8] = {0}, best[8] = {0}, unused;
            double most = -INFINITY;
            for (;;) {
                double sum = 0;
                for (int i = 1; i < words.n; i++)
                    sum += arc_of(&d, &words, i, guess[i], joint, &unused);
                if (is_tree(guess + 1, words.n - 1) && sum > most) {
                    most = sum;
                    memcpy(best, guess, sizeof best);
                }
                int i = 1;
                while (i < words.n && ++guess[i] == words.n)
                    guess[i++] = 0;
                if (i >= words.n)
                    break;
            }
            assert_int_equal(r.best[at], -1);
            assert_int_equal(r.best_head[at], -1);
            for (int i = 1; i < words.n; i++) {
                int32_t want;
                assert_int_equal(r.best_head[at + i], best[i]);
                arc_of(&d, &words, i, best[i], false, &want);
                assert_int_equal(r.best[at + i], want);
            }
            twin_words_free(&words);
        }
        free(w);
        free(x);
        ig_engine_free(e);
        ig_bert_free(m);
        free_batch(&t);
    }
}

/* With free_root words under ROOT have no loss and label 0, and a tree still has one of them. */
static void untrained_root(void **state)
{
    (void)state;
    static const int length_of[] = {5, 5};
    static const int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                         label[] = {-1, 1, 2, 0, 1, -1, 1, 1, 2, 0},
                         head[] = {-1, 0, 1, 2, 2, -1, 2, 0, 2, 3};
    ig_bert_config c = tiny();
    ig_err err;
    c.head[IG_HEAD_PARSER] =
        (ig_head_config){.n_label = 3, .arc_size = 5, .label_size = 4, .free_root = true};
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.9, 5);
    test_batch t = make_batch(&c, length_of, 2, 0, 3);
    t.b.target[IG_HEAD_PARSER] = (ig_targets){10, row, label, head};
    ig_engine *e = make_engine(m, NULL, NULL);
    assert_ok(ig_engine_predict(e, &t.b, &err), &err);
    const ig_head_result r = ig_engine_result(e, IG_HEAD_PARSER);
    for (int i = 0; i < 10; i++)
        assert_int_equal(r.nll[i] == 0, head[i] <= 0);
    for (int s = 0; s < 2; s++) {
        assert_true(is_tree(r.best_head + 5 * s + 1, 4));
        for (int i = 1; i < 5; i++)
            assert_true(r.best_head[5 * s + i] > 0 || r.best[5 * s + i] == 0);
    }
    int32_t bad[10];
    memcpy(bad, head, sizeof bad);
    bad[3] = 5;
    t.b.target[IG_HEAD_PARSER].head = bad;
    assert_int_equal(ig_engine_predict(e, &t.b, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "head of token 3 is 5, expected 0 to 4"));
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients), cmocka_unit_test(large),
                                       cmocka_unit_test(trees), cmocka_unit_test(untrained_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
