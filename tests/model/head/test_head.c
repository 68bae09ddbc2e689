/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the input of heads: one layer, a mixture of layers, frozen states. Every element of the
 * gradient against central differences in double; what is frozen gets none.
 */
#include "gradient_check.h"
#include "model/checkpoint_config.h"
#include "model/head/head.h"

#include <unistd.h>

/* Masked words and next sentences, each out of its own layer or layers. */
static void gradients(void **state)
{
    (void)state;
    static const struct {
        ig_read_kind masked, next;
        int layer, next_layer;
        bool pre;
    } cases[] = {{IG_READ_MIX, IG_READ_LAST, 0, 0, false},
                 {IG_READ_LAYER, IG_READ_MIX, 1, 0, false},
                 {IG_READ_LAYER, IG_READ_LAYER, 1, 0, true}, /* nobody reads the last */
                 {IG_READ_LAST, IG_READ_LAYER, 0, 1, true}};
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = tiny();
        ig_head_config *masked = &c.head[IG_HEAD_MASKED], *next = &c.head[IG_HEAD_NEXT];
        c.hidden_size = cases[k].pre ? 12 : 6;
        c.block = cases[k].pre ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        next->n_label = 2;
        *masked = (ig_head_config){.reads = cases[k].masked, .layer = cases[k].layer};
        *next =
            (ig_head_config){.n_label = 2, .reads = cases[k].next, .layer = cases[k].next_layer};
        check_model(&c, lengths, 5, k % 2 == 0, k == 0 ? ig_ops_ref() : ig_ops_best(), NULL, 0);
    }
}

/* Classes of sequences and of tokens, with masked words or alone, out of the last layer or a
 * mixture. */
static void classes(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = tiny();
        const ig_head_kind head = k % 2 == 0 ? IG_HEAD_SEQUENCE : IG_HEAD_TOKEN;
        c.head[head].n_label = 4;
        c.head[head].reads = k == 3 ? IG_READ_MIX : IG_READ_LAST;
        c.head[IG_HEAD_NEXT].n_label = k == 0 ? 2 : 0; /* they share the pooler */
        c.head[IG_HEAD_MASKED].n_label = k == 1 ? -1 : 0;
        check_model(&c, lengths, 5, k < 3, k < 2 ? ig_ops_ref() : ig_ops_best(), NULL, 0);
    }
}

/* Together with edits, which come before a head looks. */
static void behind_edits(void **state)
{
    (void)state;
    enum { d = 6 };
    float shift[d];
    for (int i = 0; i < d; i++)
        shift[i] = (float)(i % 5) / 4 - 0.5f;
    const ig_edit edits[] = {{1, 1, IG_EDIT_SHIFT, 1, shift, NULL, NULL},
                             {2, -1, IG_EDIT_SHIFT, 1, shift, NULL, NULL}};
    ig_bert_config c = tiny();
    c.head[IG_HEAD_MASKED].reads = IG_READ_MIX;
    check_model(&c, lengths, 5, true, ig_ops_best(), edits, 2);
}

/* A frozen head's own gradient is the same to the bit, the encoder gets none; where another head is
 * not frozen, the encoder gets that one's alone. Also from an engine that has seen other batches.
 */
static void frozen(void **state)
{
    (void)state;
    int length[30];
    for (int i = 0; i < 30; i++)
        length[i] = 2 + (i * 29) % 60;
    for (int k = 0; k < 8; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = k % 2 == 0 ? 16 : 260;
        c.max_position_embeddings = 64;
        c.untied = true; /* the decoder is no part of the encoder */
        c.block = k / 2 % 2 == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        c.head[IG_HEAD_MASKED].reads = k >= 4 ? IG_READ_LAYER : IG_READ_MIX;
        c.head[IG_HEAD_MASKED].layer = 1;
        ig_bert *m = make_model(&c, 1);
        c.head[IG_HEAD_MASKED].frozen = true;
        ig_bert *cold = make_model(&c, 1);
        test_batch t = make_batch(&c, length, 30, 0.2, 3);
        ig_team *team = make_team(2);
        ig_engine *e = make_engine(m, team, NULL), *f = make_engine(cold, team, NULL);
        const ig_pass pass = make_pass(true);
        const double loss = run_train(e, &t.b, &pass);
        for (int again = 0; again < 2; again++)
            assert_true(run_train(f, &t.b, &pass) == loss);
        for (int i = 0; i < ig_bert_n_param(m); i++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            const size_t bytes = (size_t)p->rows * (size_t)p->cols * sizeof(float);
            const float *got = ig_engine_gradient(f) + p->offset;
            if (strncmp(p->name, "cls.", 4) == 0 || strncmp(p->name, "masked_lm.", 10) == 0)
                assert_memory_equal(got, ig_engine_gradient(e) + p->offset, bytes);
            else
                for (size_t x = 0; x < bytes / sizeof(float); x++)
                    assert_true(got[x] == 0);
        }
        ig_engine_free(e);
        ig_engine_free(f);
        ig_bert_free(m);
        ig_bert_free(cold);
        free_batch(&t);
        ig_team_free(team);
    }
}

/* A folder keeps the head and its classes, under Hugging Face's names, and gives the same losses.
 */
static void folders(void **state)
{
    (void)state;
    ig_err err;
    static const char *const architecture[] = {"BertForSequenceClassification",
                                               "BertForTokenClassification", "BertForCrfTagging",
                                               "BertForParsing"};
    static const char *const opens[] = {"BertForSequenceClassification",
                                        "BertForTokenClassification", "BertModel", "BertModel"};
    static const ig_head_kind kinds[] = {IG_HEAD_SEQUENCE, IG_HEAD_TOKEN, IG_HEAD_CRF,
                                         IG_HEAD_PARSER};
    static const char *const tensors[] = {"classifier.weight", "classifier.weight",
                                          "crf.transitions", "parser.label.by_head.weight"};
    for (int k = 0; k < 8; k++) {
        const ig_head_kind head = kinds[k % 4];
        ig_bert_config c = tiny();
        c.head[head] = (ig_head_config){.n_label = 4,
                                        .reads = k == 2 ? IG_READ_MIX : IG_READ_LAST,
                                        .dropout = k == 2 ? 0.3f : 0,
                                        .variational = k > 3,
                                        .ends = k == 2,
                                        .lstm_layers = k == 2 ? 2 : 0,
                                        .lstm_size = 5,
                                        .arc_size = 5,
                                        .label_size = 3,
                                        .linear_labels = true};
        c.head[IG_HEAD_MASKED].n_label = k < 4 ? -1 : 0;
        ig_bert *m = make_model(&c, 3), *back;
        char dir[] = "/tmp/head.XXXXXX", path[64], text[8192] = "";
        assert_non_null(mkdtemp(dir));
        assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
        snprintf(path, sizeof path, "%s/config.json", dir);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        assert_true(fread(text, 1, sizeof text - 1, f) > 0);
        fclose(f);
        assert_non_null(strstr(text, architecture[k % 4]));
        assert_non_null(strstr(text, "\"LABEL_3\""));
        ig_bert_report r;
        assert_ok(ig_bert_load(&back, dir, &r, &err), &err);
        assert_int_equal(r.n_missing + r.n_unexpected, 0);
        ig_bert_report_free(&r);
        for (int h = 0; h < IG_N_HEAD; h++)
            assert_int_equal(ig_bert_config_n_label(ig_bert_get_config(back), (ig_head_kind)h),
                             ig_bert_config_n_label(&c, (ig_head_kind)h));
        assert_string_equal(ig_bert_opens_as(&c), opens[k % 4]);
        const ig_head_config *h = &ig_bert_get_config(back)->head[head];
        assert_int_equal(h->reads, c.head[head].reads);
        assert_true(h->dropout == c.head[head].dropout);
        assert_int_equal(h->variational, c.head[head].variational);
        assert_int_equal(h->ends, c.head[head].ends);
        assert_int_equal(ig_bert_n_param(back), ig_bert_n_param(m));
        assert_memory_equal(ig_bert_weights(back), ig_bert_weights(m),
                            (size_t)ig_bert_n_weight(m) * sizeof(float));
        assert_non_null(ig_bert_param_find(back, tensors[k % 4]));
        remove(path);
        snprintf(path, sizeof path, "%s/model.safetensors", dir);
        remove(path);
        rmdir(dir);
        ig_bert_free(m);
        ig_bert_free(back);
    }
}

static void refused(void **state)
{
    (void)state;
    ig_err err;
    ig_bert_config c = tiny();
    c.head[IG_HEAD_MASKED].reads = IG_READ_LAYER;
    c.head[IG_HEAD_MASKED].layer = 3;
    assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "layer that a head reads is 3, expected 0 to 2"));
    c.head[IG_HEAD_MASKED].layer = 2;
    c.head[IG_HEAD_NEXT].n_label = 3;
    assert_int_equal(ig_bert_config_check(&c, "x", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "next sentences is 3, expected 2 to 2"));
}

/* Sentences of a CRF; of a parser words: a tree's ROOT is none, nor with free_root the root word,
 * which has no loss. Sequences without targets do not count. */
static void what_a_mean_is_over(void **state)
{
    static const int32_t start[] = {0, 5, 9, 14}, row[] = {0, 1, 2, 3, 9};
    ig_bert_config c = {0};
    ig_batch b = {.n_seq = 3, .n_tok = 14, .seq_start = start};
    (void)state;
    for (int kind = 0; kind < IG_N_HEAD; kind++)
        b.target[kind] = (ig_targets){.n = 5, .row = row};
    assert_int_equal(ig_head_count(&c, IG_HEAD_CRF, &b), 2);
    assert_int_equal(ig_head_count(&c, IG_HEAD_PARSER, &b), 3);
    c.head[IG_HEAD_PARSER].free_root = true;
    assert_int_equal(ig_head_count(&c, IG_HEAD_PARSER, &b), 2);
    b.target[IG_HEAD_PARSER].n = 0;
    assert_int_equal(ig_head_count(&c, IG_HEAD_PARSER, &b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_mean_is_over),
                                       cmocka_unit_test(gradients),
                                       cmocka_unit_test(classes),
                                       cmocka_unit_test(behind_edits),
                                       cmocka_unit_test(frozen),
                                       cmocka_unit_test(folders),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
