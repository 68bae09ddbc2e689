/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the kinds of positions in a whole model: who sees the order of tokens, who sees where a
 * sequence begins, what is refused, and what a model folder keeps of it and of other switches.
 */
#include "base/file.h"
#include "base/settings/json_file.h"
#include "engine_fixture.h"
#include "model/checkpoint_config.h"

#include <math.h>

static ig_bert_config shape(ig_position_kind position)
{
    return (ig_bert_config){.vocab_size = 40,
                            .hidden_size = 16,
                            .num_hidden_layers = 2,
                            .num_attention_heads = 2,
                            .intermediate_size = 24,
                            .max_position_embeddings = 30,
                            .type_vocab_size = 1,
                            .pad_token_id = 0,
                            .layer_norm_eps = 1e-12f,
                            .initializer_range = 0.02f,
                            .position = position};
}

/* Losses of the ids' own prediction, all places of one sequence. */
static void losses(ig_bert *m, const int32_t *id, const int32_t *pos, int n, double *nll)
{
    int32_t seg[32] = {0}, row[32];
    const int32_t start[2] = {0, n};
    ig_err err;
    for (int i = 0; i < n; i++)
        row[i] = i;
    const ig_batch b = {.n_seq = 1,
                        .n_tok = n,
                        .seq_start = start,
                        .id = id,
                        .pos = pos,
                        .seg = seg,
                        .target[IG_HEAD_MASKED] = {.n = n, .row = row, .label = id}};
    ig_engine *e = make_engine(m, NULL, NULL);
    assert_ok(ig_engine_predict(e, &b, &err), &err);
    const ig_head_result masked = ig_engine_result(e, IG_HEAD_MASKED);
    memcpy(nll, masked.nll, (size_t)masked.n * sizeof *nll);
    ig_engine_free(e);
}

static const char *const kind_names[] = {
    "learned", "none", "sinusoidal", "relative-key", "relative-key-query", "rotary"};

/* Reversing a sequence permutes the losses only where the order is not seen; moving all positions
 * by 5 leaves them alone only where distances are all that is seen. The weights are large enough
 * for a change of order to change losses by 0.1 and more. */
static void who_sees_what(void **state)
{
    (void)state;
    enum { n = 11 };
    int32_t id[n], back[n], pos[n], moved[n];
    double plain[n], reversed[n], shifted[n];
    for (int i = 0; i < n; i++) {
        id[i] = 3 + (7 * i) % 29;
        pos[i] = i;
        moved[i] = i + 5;
    }
    for (int i = 0; i < n; i++)
        back[i] = id[n - 1 - i];
    for (int k = 0; k < IG_N_POSITION_KIND; k++) {
        assert_string_equal(ig_position_names[k], kind_names[k]);
        const ig_bert_config c = shape((ig_position_kind)k);
        ig_bert *m = make_model(&c, 1);
        if (k != IG_POSITION_SINUSOIDAL)
            stir(m, 0.5, 3);
        else
            for (int p = 0; p < ig_bert_n_param(m); p++) /* the fixed table stays */
                if (!ig_bert_params(m)[p].frozen)
                    for (int64_t j = 0;
                         j < (int64_t)ig_bert_params(m)[p].rows * ig_bert_params(m)[p].cols; j++)
                        ig_bert_weights(m)[ig_bert_params(m)[p].offset + j] *= 25;
        losses(m, id, pos, n, plain);
        losses(m, back, pos, n, reversed);
        losses(m, id, moved, n, shifted);
        double by_order = 0, by_place = 0;
        for (int i = 0; i < n; i++) {
            by_order = fmax(by_order, fabs(plain[i] - reversed[n - 1 - i]));
            by_place = fmax(by_place, fabs(plain[i] - shifted[i]));
        }
        if (k == IG_POSITION_NONE)
            assert_true(by_order < 1e-4);
        else
            assert_true(by_order > 0.01);
        if (k == IG_POSITION_LEARNED || k == IG_POSITION_SINUSOIDAL)
            assert_true(by_place > 0.01);
        else
            assert_true(by_place < 1e-4);
        ig_bert_free(m);
    }
}

/* The table of Vaswani et al. 2017, §3.5, and that nothing but positions differs at the start. */
static void initial_tables(void **state)
{
    (void)state;
    const ig_bert_config plain = shape(IG_POSITION_LEARNED);
    ig_bert *a = make_model(&plain, 4);
    for (int k = 1; k < IG_N_POSITION_KIND; k++) {
        const ig_bert_config c = shape((ig_position_kind)k);
        ig_bert *b = make_model(&c, 4);
        int64_t trained = 0;
        for (int i = 0; i < ig_bert_n_param(b); i++) {
            const ig_bert_param *p = &ig_bert_params(b)[i];
            const ig_bert_param *q = ig_bert_param_find(a, p->name);
            const int64_t n = (int64_t)p->rows * p->cols;
            trained += p->frozen ? 0 : n;
            if (strstr(p->name, "position_embeddings") != NULL) {
                assert_true(p->frozen);
                for (int r = 0; r < p->rows; r++)
                    for (int col = 0; col < p->cols; col++) {
                        double angle = r / pow(10000, (double)(col - col % 2) / p->cols);
                        double want = k != IG_POSITION_SINUSOIDAL ? 0
                                      : col % 2 == 0              ? sin(angle)
                                                                  : cos(angle);
                        assert_true(fabs((double)ig_bert_weights(
                                             b)[p->offset + (int64_t)r * p->cols + col] -
                                         want) < 1e-6);
                    }
            } else if (q != NULL)
                assert_memory_equal(ig_bert_weights(a) + q->offset, ig_bert_weights(b) + p->offset,
                                    (size_t)n * sizeof(float));
            else
                assert_true(strstr(p->name, "distance_embedding") != NULL && p->rows == 59 &&
                            p->cols == 8);
        }
        assert_int_equal(trained, ig_bert_n_value(b));
        ig_bert_free(b);
    }
    ig_bert_free(a);
}

/* Written and read back: every tensor's bits, and the kind. */
static void folder_keeps_the_kind(void **state)
{
    (void)state;
    for (int k = 0; k < IG_N_POSITION_KIND; k++) {
        const ig_bert_config c = shape((ig_position_kind)k);
        ig_bert *m = make_model(&c, 5), *back;
        ig_bert_report report;
        ig_err err;
        char dir[] = "positions-XXXXXX";
        assert_non_null(mkdtemp(dir));
        assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
        assert_ok(ig_bert_load(&back, dir, &report, &err), &err);
        assert_int_equal(report.n_missing, 0);
        assert_int_equal(report.n_unexpected, 0);
        assert_int_equal(ig_bert_get_config(back)->position, k);
        assert_int_equal(ig_bert_n_weight(back), ig_bert_n_weight(m));
        for (int i = 0; i < ig_bert_n_param(m); i++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            assert_memory_equal(ig_bert_weights(m) + p->offset, ig_bert_weights(back) + p->offset,
                                (size_t)p->rows * (size_t)p->cols * sizeof(float));
        }
        ig_bert_report_free(&report);
        ig_bert_free(m);
        ig_bert_free(back);
        assert_ok(ig_dir_remove(dir, &err), &err);
    }
}

/* Folders as they were written before relative positions had a name of their own, and as
 * transformers 4 writes them, are read as what they are. */
static void older_folders(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        ig_position_kind kind;
    } old[] = {{"relative_key", IG_POSITION_RELATIVE_KEY},
               {"relative_key_query", IG_POSITION_RELATIVE_KEY_QUERY}};
    for (size_t i = 0; i < 2; i++) {
        const ig_bert_config c = shape(old[i].kind);
        ig_bert *m = make_model(&c, 5), *back;
        ig_bert_report report;
        ig_err err;
        char dir[] = "older-XXXXXX", path[64];
        json_t *j;
        assert_non_null(mkdtemp(dir));
        assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
        snprintf(path, sizeof path, "%s/config.json", dir);
        assert_ok(ig_json_read(&j, path, &err), &err);
        assert_string_equal(json_string_value(json_object_get(j, "model_type")), "isoglot");
        assert_null(json_object_get(j, "position_embedding_type"));
        json_object_set_new(j, "model_type", json_string("bert"));
        json_object_set_new(j, "architectures", json_pack("[s]", "BertForMaskedLM"));
        json_object_set_new(j, "position_embedding_type", json_string(old[i].type));
        json_object_del(j, "isoglot");
        assert_ok(ig_json_write(j, path, 9, &err), &err);
        assert_ok(ig_bert_load(&back, dir, &report, &err), &err);
        assert_int_equal(report.n_missing, 0);
        assert_int_equal(report.n_unexpected, 0);
        assert_int_equal(ig_bert_get_config(back)->position, old[i].kind);
        assert_memory_equal(ig_bert_weights(back), ig_bert_weights(m),
                            (size_t)ig_bert_n_weight(m) * sizeof(float));
        ig_bert_report_free(&report);
        ig_bert_free(m);
        ig_bert_free(back);
        assert_ok(ig_dir_remove(dir, &err), &err);
    }
}

/* Nothing else computes them: no class. */
static void classes_that_open_it(void **state)
{
    (void)state;
    static const char *const by_kind[] = {
        "BertForMaskedLM", "BertForMaskedLM", "BertForMaskedLM", NULL, NULL, "RoFormerForMaskedLM"};
    for (int k = 0; k < IG_N_POSITION_KIND; k++) {
        ig_bert_config c = shape((ig_position_kind)k);
        const char *as = ig_bert_opens_as(&c);
        assert_true((as == NULL) == (by_kind[k] == NULL));
        if (as != NULL)
            assert_string_equal(as, by_kind[k]);
        c.no_transform = true;
        assert_null(ig_bert_opens_as(&c));
    }
    ig_bert_config c = shape(IG_POSITION_LEARNED);
    c.block = IG_BLOCK_PRE_NORM;
    assert_string_equal(ig_bert_opens_as(&c), "MegatronBertForMaskedLM");
}

/* Every other switch: kept by the folder, whatever else opens it. */
static void folder_keeps_the_switches(void **state)
{
    (void)state;
    static const char *const type[] = {"bert",     "megatron-bert", "bert", "isoglot",
                                       "roformer", "isoglot",       "bert"};
    for (int k = 0; k < 7; k++) {
        ig_bert_config c = shape(k == 4 || k == 5 ? IG_POSITION_ROTARY : IG_POSITION_LEARNED);
        c.gelu_tanh = k == 0 || k == 5;
        c.block = k == 1 || k == 5 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        c.untied = k == 2 || k == 3;
        c.no_transform = k == 3;
        if (k == 6) {
            c.n_language = 2;
            c.separate.words = c.separate.output = c.separate.bias = true;
        }
        ig_bert *m = make_model(&c, 5), *back;
        ig_bert_report report;
        ig_err err;
        char dir[] = "switches-XXXXXX", path[64], *text;
        int64_t n;
        assert_non_null(mkdtemp(dir));
        assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
        snprintf(path, sizeof path, "%s/config.json", dir);
        assert_ok(ig_file_read(&text, &n, path, 1 << 20, &err), &err);
        snprintf(path, sizeof path, "\"model_type\": \"%s\"", type[k]);
        assert_non_null(strstr(text, path));
        ig_free(text);
        assert_ok(ig_bert_load(&back, dir, &report, &err), &err);
        assert_int_equal(report.n_missing, 0);
        assert_int_equal(report.n_unexpected, 0);
        const ig_bert_config *d = ig_bert_get_config(back);
        assert_true(d->gelu_tanh == c.gelu_tanh && d->block == c.block && d->untied == c.untied &&
                    d->no_transform == c.no_transform && d->position == c.position &&
                    d->n_language == c.n_language);
        assert_memory_equal(&d->separate, &c.separate, sizeof c.separate);
        assert_int_equal(ig_bert_n_param(back), ig_bert_n_param(m));
        for (int i = 0; i < ig_bert_n_param(m); i++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            assert_memory_equal(ig_bert_weights(m) + p->offset, ig_bert_weights(back) + p->offset,
                                (size_t)p->rows * (size_t)p->cols * sizeof(float));
        }
        ig_bert_report_free(&report);
        ig_bert_free(m);
        ig_bert_free(back);
        assert_ok(ig_dir_remove(dir, &err), &err);
    }
}

#define SHAPE                                                                                      \
    "\"vocab_size\":9,\"hidden_size\":6,\"num_hidden_layers\":1,\"num_attention_heads\":2,"        \
    "\"intermediate_size\":4,\"max_position_embeddings\":5"

static void folders_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"{" SHAPE ",\"position_embedding_type\":\"rotary\"}", "\"rotary\", expected"},
        {"{" SHAPE ",\"position_embedding_type\":1}", "not a string"},
        {"{" SHAPE ",\"isoglot\":{\"model\":{\"positions\":\"sideways\"}}}", "sideways"},
        {"{" SHAPE ",\"position_embedding_type\":\"relative_key\","
         "\"isoglot\":{\"model\":{\"positions\":\"none\"}}}",
         "none"},
        {"{" SHAPE ",\"model_type\":\"roformer\"}", "an even number"},
        {"{" SHAPE ",\"model_type\":\"roformer\",\"embedding_size\":3}", "embedding_size"},
        {"{" SHAPE ",\"model_type\":\"roformer\",\"rotary_value\":true}", "rotary_value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_bert_config c;
        ig_err err;
        assert_int_equal(
            ig_bert_config_parse(&c, cases[i].text, (int64_t)strlen(cases[i].text), "x", &err),
            IG_ERR_INPUT);
        if (strstr(err.msg, cases[i].said) == NULL)
            fail_msg("%s: %s", cases[i].text, err.msg);
    }
}

/* There is no vector for a distance beyond P − 1, whatever the position numbers say. */
static void too_long_for_distances(void **state)
{
    (void)state;
    ig_bert_config c = shape(IG_POSITION_RELATIVE_KEY);
    c.max_position_embeddings = 4;
    ig_bert *m = make_model(&c, 1);
    ig_engine *e = make_engine(m, NULL, NULL);
    const int32_t start[] = {0, 5}, id[5] = {1, 2, 3, 4, 5}, pos[5] = {0, 1, 2, 3, 3}, seg[5] = {0};
    const ig_batch b = {
        .n_seq = 1, .n_tok = 5, .seq_start = start, .id = id, .pos = pos, .seg = seg};
    ig_err err;
    float out[5 * 16], *to[1] = {out};
    const int layer[1] = {2};
    assert_int_equal(ig_engine_encode(e, &b, layer, 1, to, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "5 tokens, expected at most 4"));
    ig_engine_free(e);
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sees_what),
        cmocka_unit_test(initial_tables),
        cmocka_unit_test(folder_keeps_the_kind),
        cmocka_unit_test(older_folders),
        cmocka_unit_test(classes_that_open_it),
        cmocka_unit_test(folder_keeps_the_switches),
        cmocka_unit_test(folders_that_are_refused),
        cmocka_unit_test(too_long_for_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
