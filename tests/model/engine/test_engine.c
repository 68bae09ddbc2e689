/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine as a whole: every backend against the reference, sequences that do not see each other,
 * cuts that change nothing, rows nobody asks for, the PAD row, edge sizes, learning one batch by
 * heart.
 */
#include "engine_fixture.h"
#include "model/engine/shards.h"

static ig_bert_config small_model(void)
{
    ig_bert_config c = ig_bert_config_small(300);
    c.num_hidden_layers = 2;
    c.max_position_embeddings = 100;
    return c;
}

static double norm_of(const float *x, int64_t n)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += (double)x[i] * (double)x[i];
    return sqrt(s);
}

/* Every tensor's gradient within 1e-4 of the reference's, relative to its norm: float32 sums of up
 * to 4000 terms in another order differ by some √4000 · 2^-24 = 4e-6 and LayerNorms amplify that.
 */
static void same_gradient(ig_bert *m, const float *got, const float *want, const char *backend)
{
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const int64_t n = (int64_t)p->rows * p->cols;
        double difference = 0, norm = norm_of(want + p->offset, n);
        for (int64_t j = p->offset; j < p->offset + n; j++)
            difference += ((double)got[j] - (double)want[j]) * ((double)got[j] - (double)want[j]);
        if (strstr(p->name, "key.bias") != NULL)
            norm = 1e-1; /* is 0 but for rounding */
        if (!(sqrt(difference) <= 1e-4 * norm)) {
            print_error("%s: %s: off by %.3g of %.3g\n", backend, p->name, sqrt(difference), norm);
            fail();
        }
    }
}

static void backends_agree(void **state)
{
    (void)state;
    ig_bert_config narrow = small_model(), odd = small_model(), wide = small_model();
    odd.hidden_size = 50;
    odd.num_attention_heads = 5;
    odd.intermediate_size = 111;
    odd.vocab_size = 211;
    wide.hidden_size = 260; /* large enough to be run by the team */
    wide.num_attention_heads = 4;
    wide.intermediate_size = 520;
    wide.num_hidden_layers = 1;
    ig_bert_config near = narrow, far = wide, turned = wide;
    near.position = IG_POSITION_RELATIVE_KEY;
    far.position = IG_POSITION_RELATIVE_KEY_QUERY;
    turned.position = IG_POSITION_ROTARY;
    turned.num_attention_heads = 5; /* heads of 52 */
    const ig_bert_config config[] = {narrow, odd, wide, near, far, turned};
    const int length[] = {26, 2, 90, 33, 17, 64, 1, 40, 15, 16}, n_seq = SANITIZED ? 4 : 10;
    for (int k = 0; k < 6; k += SANITIZED ? 2 : 1) {
        assert_int_equal(ig_plan_make(&config[k]).split, k != 0 && k != 1 && k != 3);
        ig_bert *m = make_model(&config[k], 1);
        stir(m, 1.5 / sqrt(config[k].hidden_size), 2);
        test_batch t = make_batch(&config[k], length, n_seq, 0.2, 4);
        ig_pass pass = make_pass(true);
        ig_engine *ref = make_engine(m, NULL, ig_ops_ref());
        const double want = run_train(ref, &t.b, &pass);
        for (int i = 1; ig_ops_names[i] != NULL; i++) {
            const ig_ops *ops = ig_ops_named(ig_ops_names[i]);
            if (ops == NULL)
                continue;
            ig_engine *e = make_engine(m, NULL, ops);
            const double got = run_train(e, &t.b, &pass);
            assert_true(fabs(got - want) <= 1e-5 * want);
            same_gradient(m, ig_engine_gradient(e), ig_engine_gradient(ref), ig_ops_names[i]);
            ig_engine_free(e);
        }
        ig_engine_free(ref);
        ig_bert_free(m);
        free_batch(&t);
    }
}

/* A sequence's hidden states are the same bits alone and among others, wherever the batch is cut.
 */
static void sequences_do_not_see_each_other(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    int length[40];
    for (int i = 0; i < 40; i++)
        length[i] = 1 + (i * 37) % 90;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.2, 2);
    test_batch t = make_batch(&c, length, 40, 0, 5);
    ig_engine *e = make_engine(m, NULL, NULL);
    float *all = calloc((size_t)t.b.n_tok * 64, sizeof *all), one[90 * 64];
    assert_ok(ig_engine_encode(e, &t.b, (int[]){2}, 1, &all, &err), &err);
    for (int s = 0; s < 40; s++) {
        const int32_t from = t.b.seq_start[s], start[] = {0, length[s]};
        const ig_batch b = {.n_seq = 1,
                            .n_tok = length[s],
                            .seq_start = start,
                            .id = t.b.id + from,
                            .pos = t.b.pos + from,
                            .seg = t.b.seg + from};
        assert_ok(ig_engine_encode(e, &b, (int[]){2}, 1, (float *[]){one}, &err), &err);
        assert_memory_equal(one, all + (int64_t)from * 64, (size_t)length[s] * 64 * sizeof(float));
    }
    free(all);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* In a causal batch, and in a causal model, a state depends on no later token. */
static void no_token_sees_later_ones(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    ig_bert *m[2];
    float *x[3];
    test_batch t = make_batch(&c, (int[]){60, 1, 33}, 3, 0, 5);
    for (int k = 0; k < 2; k++) {
        c.causal = k == 1;
        m[k] = make_model(&c, 1);
        stir(m[k], 0.2, 2);
    }
    for (int k = 0; k < 3; k++) {
        ig_engine *e = make_engine(m[k == 0], NULL, NULL);
        x[k] = calloc((size_t)t.b.n_tok * 64, sizeof *x[k]);
        t.b.causal = k > 0;
        assert_ok(ig_engine_encode(e, &t.b, (int[]){2}, 1, &x[k], &err), &err);
        ((int32_t *)(uintptr_t)t.b.id)[40] = 7; /* from now on */
        ig_engine_free(e);
    }
    enum { AT = 40 * 64 };
    assert_memory_equal(x[0], x[1], AT * sizeof(float));
    assert_memory_equal(x[1], x[2], AT * sizeof(float));
    assert_memory_not_equal(x[0] + AT, x[1] + AT, 64 * sizeof(float));
    assert_memory_equal(x[0] + 60 * 64, x[1] + 60 * 64, 34 * 64 * sizeof(float));
    for (int k = 0; k < 3; k++)
        free(x[k]);
    for (int k = 0; k < 2; k++)
        ig_bert_free(m[k]);
    free_batch(&t);
}

/* Two halves of a batch accumulate the gradient of the whole, without dropout (whose rows count
 * from the start of each batch). */
static void split_batch_accumulates(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    int length[30];
    for (int i = 0; i < 30; i++)
        length[i] = 2 + (i * 29) % 60;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.2, 2);
    test_batch t = make_batch(&c, length, 30, 0.15, 6);
    ig_pass pass = make_pass(false);
    ig_engine *whole = make_engine(m, NULL, NULL), *halves = make_engine(m, NULL, NULL);
    const double want = run_train(whole, &t.b, &pass);
    const int32_t cut = t.b.seq_start[13];
    int n_first = 0;
    while (t.b.target[IG_HEAD_MASKED].row[n_first] < cut)
        n_first++;
    ig_batch a = t.b, b = t.b;
    int32_t start[18], row[2000];
    a.n_seq = 13;
    a.n_tok = cut;
    a.target[IG_HEAD_MASKED].n = n_first;
    b.n_seq = 17;
    b.n_tok -= cut;
    b.target[IG_HEAD_MASKED].n -= n_first;
    for (int i = 0; i <= 17; i++)
        start[i] = t.b.seq_start[13 + i] - cut;
    for (int i = 0; i < b.target[IG_HEAD_MASKED].n; i++)
        row[i] = t.b.target[IG_HEAD_MASKED].row[n_first + i] - cut;
    b.seq_start = start;
    b.id += cut;
    b.pos += cut;
    b.seg += cut;
    b.target[IG_HEAD_MASKED].row = row;
    b.target[IG_HEAD_MASKED].label += n_first;
    double first = run_train(halves, &a, &pass), second;
    assert_ok(ig_engine_train(halves, &b, &pass, &err), &err);
    second = ig_engine_result(halves, IG_HEAD_MASKED).loss;
    assert_true(fabs(first + second - want) <= 1e-9 * want);
    same_gradient(m, ig_engine_gradient(halves), ig_engine_gradient(whole), "halves");
    ig_engine_free(whole);
    ig_engine_free(halves);
    ig_bert_free(m);
    free_batch(&t);
}

/* PAD as an input alone leaves its row without a gradient; through the decoder it gets one. */
static void pad_row(void **state)
{
    (void)state;
    ig_bert_config c = small_model();
    ig_bert *m = make_model(&c, 1);
    test_batch t = make_batch(&c, (int[]){8, 8}, 2, 0, 7);
    int32_t row = 2, label = 9;
    int32_t *id = (int32_t *)(uintptr_t)t.b.id;
    for (int i = 0; i < 16; i++)
        id[i] = i % 2 == 0 ? 0 : 5;
    ig_pass pass = make_pass(false);
    ig_engine *e = make_engine(m, NULL, NULL);
    run_train(e, &t.b, &pass); /* no predictions: no gradient at all */
    assert_true(norm_of(ig_engine_gradient(e), ig_bert_n_weight(m)) == 0);
    t.b.target[IG_HEAD_MASKED].n = 1;
    t.b.target[IG_HEAD_MASKED].row = &row;
    t.b.target[IG_HEAD_MASKED].label = &label;
    run_train(e, &t.b, &pass);
    /* The decoder's share of a row that is no label: p · h, the same direction for all rows. Row 0
     * was an input and row 5 too; only row 5 may differ from the pure decoder direction of row 7.
     */
    const float *g = ig_engine_gradient(e);
    double n0 = norm_of(g, 64), n5 = norm_of(g + 5 * 64, 64), n7 = norm_of(g + 7 * 64, 64);
    double c0 = 0, c5 = 0;
    for (int i = 0; i < 64; i++) {
        c0 += (double)g[i] * (double)g[7 * 64 + i];
        c5 += (double)g[5 * 64 + i] * (double)g[7 * 64 + i];
    }
    assert_true(n0 > 0);
    assert_true(c0 / (n0 * n7) > 0.999999);
    assert_true(c5 / (n5 * n7) < 0.999);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* Behind the last attention only rows with a prediction are computed, unless there are labels of
 * next sentences, even if none counts. In lanes the same products are added in the same order, but
 * for zeros; over the team a LayerNorm's rows are cut into other parts. */
static void rows_without_prediction_change_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = small_model();
        c.head[IG_HEAD_NEXT].n_label = 2;
        c.block = k % 2 == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        if (k >= 2) {
            c.hidden_size = 260;
            c.num_attention_heads = 4;
            c.intermediate_size = 520;
        }
        int length[20];
        int32_t none[20], room[40];
        for (int i = 0; i < 20; i++) {
            length[i] = 2 + (i * 29) % 60;
            none[i] = -1;
        }
        ig_bert *m = make_model(&c, 1);
        stir(m, 0.2, 2);
        test_batch t = make_batch(&c, length, 20, 0.15, 6), all = t;
        set_next(&all.b, none, room);
        ig_pass pass = make_pass(true);
        ig_engine *some = make_engine(m, NULL, NULL), *whole = make_engine(m, NULL, NULL);
        const double got = run_train(some, &t.b, &pass), want = run_train(whole, &all.b, &pass);
        const float *g = ig_engine_gradient(some), *w = ig_engine_gradient(whole);
        assert_true(got == want); /* exactly */
        for (int64_t i = 0; k < 2 && i < ig_bert_n_weight(m); i++)
            assert_true(g[i] == w[i]);
        same_gradient(m, g, w, "some rows");
        ig_engine_free(some);
        ig_engine_free(whole);
        ig_bert_free(m);
        free_batch(&t);
    }
}

/* Lanes begin anew with every batch, also where their first shard has no prediction or no sequence:
 * an engine that has seen another batch gives the gradient of one that has not. */
static void nothing_is_left_of_a_batch(void **state)
{
    (void)state;
    enum { n_long = 3, n_short = 70 };
    ig_bert_config c = small_model();
    c.max_position_embeddings = 1600;
    int length[n_short];
    for (int i = 0; i < n_short; i++)
        length[i] = 60 + i % 7;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.2, 2);
    test_batch before = make_batch(&c, length, n_short, 0.2, 3),
               next[2] = {make_batch(&c, length, n_short, 1e-9, 4), /* one prediction in all */
                          make_batch(&c, (int[]){1500, 1400, 1600}, n_long, 0.1, 5)};
    const ig_pass pass = make_pass(true);
    for (int i = 0; i < 2; i++) {
        ig_engine *used = make_engine(m, NULL, NULL), *fresh = make_engine(m, NULL, NULL);
        run_train(used, &before.b, &pass);
        ig_engine_gradient_clear(used);
        const double got = run_train(used, &next[i].b, &pass);
        assert_true(got == run_train(fresh, &next[i].b, &pass));
        assert_memory_equal(ig_engine_gradient(used), ig_engine_gradient(fresh),
                            (size_t)ig_bert_n_weight(m) * sizeof(float));
        ig_engine_free(used);
        ig_engine_free(fresh);
        free_batch(&next[i]);
    }
    free_batch(&before);
    ig_bert_free(m);
}

static void edge_sizes(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    ig_bert *m = make_model(&c, 1);
    ig_engine *e = make_engine(m, NULL, NULL);
    ig_pass pass = make_pass(true);
    test_batch two = make_batch(&c, (int[]){2}, 1, 1, 1),   /* [CLS] [SEP] */
        longest = make_batch(&c, (int[]){100}, 1, 0.15, 2), /* as long as there are positions */
        many = make_batch(&c, (int[]){100, 100, 100, 100, 100, 100, 100}, 7, 1, 3);
    assert_true(isfinite(run_train(e, &two.b, &pass)));
    assert_true(isfinite(run_train(e, &longest.b, &pass)));
    /* Every token predicted: at initialisation the loss is near ln V for each. */
    const double loss = run_train(e, &many.b, &pass) / many.b.target[IG_HEAD_MASKED].n;
    assert_true(fabs(loss - log(300)) < 0.1);
    double sum = 0;
    int64_t n_right = 0;
    const ig_targets *t = &many.b.target[IG_HEAD_MASKED];
    assert_ok(ig_engine_predict(e, &many.b, &err), &err);
    ig_head_result r = ig_engine_result(e, IG_HEAD_MASKED);
    assert_int_equal(r.n, t->n);
    for (int i = 0; i < t->n; i++) {
        sum += r.nll[i];
        n_right += r.best[i] == t->label[i];
    }
    pass.dropout = false;
    assert_ok(ig_engine_train(e, &many.b, &pass, &err), &err);
    r = ig_engine_result(e, IG_HEAD_MASKED);
    assert_true(sum == r.loss);
    assert_int_equal(n_right, r.n_right);
    ig_batch empty = {.seq_start = (int32_t[]){0}};
    assert_ok(ig_engine_train(e, &empty, &pass, &err), &err);
    assert_true(ig_engine_result(e, IG_HEAD_MASKED).loss == 0);
    free_batch(&two);
    free_batch(&longest);
    free_batch(&many);
    ig_engine_free(e);
    ig_bert_free(m);
}

static void foreign_ids_are_told(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    ig_bert *m = make_model(&c, 1);
    ig_engine *e = make_engine(m, NULL, NULL);
    ig_pass pass = make_pass(false);
    test_batch t = make_batch(&c, (int[]){5}, 1, 0.5, 1);
    int32_t *id = (int32_t *)(uintptr_t)t.b.id, *pos = (int32_t *)(uintptr_t)t.b.pos;
    id[3] = 300;
    assert_int_equal(ig_engine_train(e, &t.b, &pass, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "id of token 3 is 300"));
    id[3] = 0;
    pos[1] = 100;
    assert_int_equal(ig_engine_predict(e, &t.b, &err), IG_ERR_INPUT);
    free_batch(&t);
    ig_engine_free(e);
    ig_bert_free(m);
}

/* Plain gradient descent learns one batch by heart. */
static void overfits_one_batch(void **state)
{
    (void)state;
    ig_bert_config c = small_model();
    c.vocab_size = 60;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.15, 2);
    test_batch t = make_batch(&c, (int[]){10, 12, 9, 14}, 4, 0.3, 8);
    ig_engine *e = make_engine(m, NULL, NULL);
    ig_pass pass = make_pass(false);
    pass.scale[IG_HEAD_MASKED] = 1.0f / (float)t.b.target[IG_HEAD_MASKED].n;
    float *w = ig_bert_weights(m);
    double loss = 0;
    for (int step = 0; step < 200; step++) {
        loss = run_train(e, &t.b, &pass) / t.b.target[IG_HEAD_MASKED].n;
        for (int64_t i = 0; i < ig_bert_n_weight(m); i++)
            w[i] -= 0.1f * ig_engine_gradient(e)[i];
        ig_engine_weights_changed(e);
    }
    assert_true(loss < 0.05);
    free_batch(&t);
    ig_engine_free(e);
    ig_bert_free(m);
}

/* Shards are whole sequences in order, nearly equal, and hold each prediction once. */
static void shards_cover_the_batch(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = small_model();
    const ig_plan plan = ig_plan_make(&c);
    for (int n_seq = 1; n_seq < 300; n_seq += 23) {
        int length[300];
        for (int i = 0; i < n_seq; i++)
            length[i] = 1 + (i * 31) % 90;
        test_batch t = make_batch(&c, length, n_seq, 0.15, (uint64_t)n_seq);
        ig_shards s = {0};
        assert_ok(ig_shards_cut(&s, &plan, &t.b, false, &err), &err);
        assert_int_equal(s.n_shard % s.n_lane, 0);
        assert_int_equal(s.first[0], 0);
        assert_int_equal(s.first[s.n_shard], n_seq);
        assert_int_equal(s.target[IG_HEAD_MASKED][s.n_shard], t.b.target[IG_HEAD_MASKED].n);
        for (int i = 0; i < s.n_shard; i++) {
            const int32_t from = t.b.seq_start[s.first[i]], to = t.b.seq_start[s.first[i + 1]];
            assert_true(to >= from && to - from <= t.b.n_tok / s.n_shard + 91);
            for (int32_t k = s.target[IG_HEAD_MASKED][i]; k < s.target[IG_HEAD_MASKED][i + 1]; k++)
                assert_true(t.b.target[IG_HEAD_MASKED].row[k] >= from &&
                            t.b.target[IG_HEAD_MASKED].row[k] < to);
        }
        ig_shards_free(&s);
        free_batch(&t);
    }
}

static ig_plan all_over_the_team(const ig_bert_config *c)
{
    ig_plan p = ig_plan_make(c);
    p.split = true;
    return p;
}

static ig_plan all_in_lanes(const ig_bert_config *c)
{
    ig_plan p = ig_plan_make(c);
    p.split = false;
    return p;
}

/* A device says what runs in lanes and what over the team; the gradients are those of the host up
 * to the order of sums: 1e-5 of the largest, where a float has 6e-8 and sums have some 2000 terms.
 */
static void the_device_chooses_lanes_or_team(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        ig_bert_config c = small_model();
        if (lanes)
            c.hidden_size = 256; /* the host's lanes are not for this */
        assert_true(ig_plan_make(&c).split == (lanes == 1));
        ig_device other = ig_device_host;
        other.plan = lanes ? all_in_lanes : all_over_the_team;
        ig_bert *m[2] = {make_model(&c, 1), NULL};
        ig_device_set_default(&other);
        m[1] = make_model(&c, 1);
        ig_device_set_default(&ig_device_host);
        ig_engine *e[2] = {make_engine(m[0], NULL, NULL), make_engine(m[1], NULL, NULL)};
        test_batch t = make_batch(&c, (int[]){9, 4, 16, 7}, 4, 0.3, 5);
        const ig_pass pass = make_pass(true);
        const double a = run_train(e[0], &t.b, &pass), b = run_train(e[1], &t.b, &pass);
        double largest = 0, off = 0;
        for (int64_t i = 0; i < ig_bert_n_weight(m[0]); i++) {
            const double x = (double)ig_engine_gradient(e[0])[i],
                         y = (double)ig_engine_gradient(e[1])[i];
            largest = fmax(largest, fabs(x));
            off = fmax(off, fabs(x - y));
        }
        assert_true(fabs(a - b) < 1e-5 * fabs(a) && largest > 0 && off < 1e-5 * largest);
        free_batch(&t);
        for (int i = 0; i < 2; i++) {
            ig_engine_free(e[i]);
            ig_bert_free(m[i]);
        }
    }
}

/* A large model trains over the team and infers in lanes, by copies of its matrices: the same
 * losses in both to the bit, and by the weights as they are now, however many passes lie between.
 */
static void copies_follow_the_weights(void **state)
{
    (void)state;
    ig_err err;
    enum { n_seq = 12 };
    ig_bert_config c = small_model();
    c.hidden_size = 260;
    c.num_attention_heads = 4;
    assert_true(ig_plan_make(&c).split);
    int length[n_seq];
    for (int i = 0; i < n_seq; i++)
        length[i] = 20 + i % 9;
    ig_bert *m = make_model(&c, 1);
    stir(m, 0.05, 2);
    test_batch t = make_batch(&c, length, n_seq, 0.3, 3);
    ig_engine *e = make_engine(m, NULL, NULL);
    const ig_pass pass = make_pass(false);
    double before = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) { /* the second pass is by new weights, too */
            stir(m, 0.05, 5 + 2 * (uint64_t)round + (uint64_t)i);
            ig_engine_weights_changed(e);
            ig_engine_gradient_clear(e);
            run_train(e, &t.b, &pass);
        }
        const double trained = ig_engine_result(e, IG_HEAD_MASKED).loss;
        assert_ok(ig_engine_predict(e, &t.b, &err), &err);
        assert_true(ig_engine_result(e, IG_HEAD_MASKED).loss == trained && trained != before);
        before = trained;
    }
    ig_engine_free(e);
    free_batch(&t);
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends_agree),
        cmocka_unit_test(sequences_do_not_see_each_other),
        cmocka_unit_test(no_token_sees_later_ones),
        cmocka_unit_test(split_batch_accumulates),
        cmocka_unit_test(pad_row),
        cmocka_unit_test(rows_without_prediction_change_nothing),
        cmocka_unit_test(nothing_is_left_of_a_batch),
        cmocka_unit_test(edge_sizes),
        cmocka_unit_test(foreign_ids_are_told),
        cmocka_unit_test(overfits_one_batch),
        cmocka_unit_test(shards_cover_the_batch),
        cmocka_unit_test(the_device_chooses_lanes_or_team),
        cmocka_unit_test(copies_follow_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
