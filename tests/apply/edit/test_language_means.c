/* SPDX-License-Identifier: Apache-2.0
 *
 * Means of languages against sums over sentences that are run one by one, and against numbers of
 * transformers on the same model; their file.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "isoglot/batch.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/safetensors.h"
#include "apply/edit/language_means.h"

#include <math.h>

enum { D = 8, DEPTH = 2, N_PIECE = 8 };

static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n";
static const char text[] = "a b c\nc\nb b a c x\n";
/* Its sentences in ids; x is unknown. */
static const struct {
    int32_t n, id[8];
} sentence[] = {{5, {2, 5, 6, 7, 3}}, {3, {2, 7, 3}}, {7, {2, 6, 6, 5, 7, 1, 3}}};
static ig_err err;

/* Weights without any generator, so that other programs can make the same model:
 * weight j of parameter i is sin(i + j / 7) / 3, of LayerNorm's weights 1 more. */
static void make_model(void)
{
    ig_bert_config c = ig_bert_config_small(N_PIECE);
    ig_bert *m;
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 16;
    c.num_hidden_layers = DEPTH;
    c.max_position_embeddings = 10;
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const bool norm = strstr(p->name, "LayerNorm.weight") != NULL;
        for (int64_t j = 0; j < (int64_t)p->rows * p->cols; j++)
            ig_bert_weights(m)[p->offset + j] = (float)(norm + sin(i + (double)j / 7) / 3);
    }
    assert_ok(ig_dir_make(fixture_path("m"), &err), &err);
    assert_ok(ig_bert_save(m, fixture_path("m"), NULL, &err), &err);
    ig_bert_free(m);
    assert_ok(ig_file_write(fixture_path("m/vocab.txt"), vocab, (int64_t)strlen(vocab), &err),
              &err);
    assert_ok(ig_file_write(fixture_path("t.txt"), text, (int64_t)strlen(text), &err), &err);
}

static void literal(double mean[DEPTH + 1][D], bool by_sentence)
{
    int layer[DEPTH + 1];
    ig_bert *m;
    ig_team *team;
    ig_engine *e;
    int n_token = 0;
    memset(mean, 0, (DEPTH + 1) * sizeof *mean);
    assert_ok(ig_bert_load(&m, fixture_path("m"), NULL, &err), &err);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(ig_engine_new(&e, m, team, NULL, IG_PRECISION_F32, &err), &err);
    for (int i = 0; i < 3; i++) {
        const int n = sentence[i].n;
        int32_t pos[8], seg[8] = {0}, start[2] = {0, n};
        float x[DEPTH + 1][8 * D], *out[DEPTH + 1];
        for (int l = 0; l <= DEPTH; l++) {
            layer[l] = l;
            out[l] = x[l];
        }
        for (int t = 0; t < n; t++)
            pos[t] = t;
        const ig_batch b = {.n_seq = 1,
                            .n_tok = n,
                            .seq_start = start,
                            .id = sentence[i].id,
                            .pos = pos,
                            .seg = seg};
        assert_ok(ig_engine_encode(e, &b, layer, DEPTH + 1, out, &err), &err);
        n_token += n - 2;
        for (int l = 0; l <= DEPTH; l++)
            for (int t = by_sentence ? 0 : 1; t < (by_sentence ? n : n - 1); t++)
                for (int k = 0; k < D; k++)
                    mean[l][k] += (double)x[l][t * D + k] / (by_sentence ? n : 1);
    }
    for (int l = 0; l <= DEPTH; l++)
        for (int k = 0; k < D; k++)
            mean[l][k] /= by_sentence ? 3 : n_token;
    ig_engine_free(e);
    ig_team_free(team);
    ig_bert_free(m);
}

static void compute(ig_language_means *m, ig_variant variant, int n_thread)
{
    ig_states *s;
    const ig_states_options o = {
        .model = fixture_path("m"), .all_layers = true, .n_thread = n_thread};
    ig_states_source file = {.name = "en", .path = fixture_path("t.txt")};
    *m = (ig_language_means){0};
    assert_ok(ig_states_open(&s, &o, &err), &err);
    assert_ok(ig_language_means_add(m, s, &file, variant, &err), &err);
    assert_int_equal(ig_language_means_add(m, s, &file, variant, &err), IG_ERR_USAGE);
    file.name = "de";
    assert_ok(ig_language_means_add(m, s, &file, variant, &err), &err);
    ig_states_close(s);
}

static void one_by_one(void **state)
{
    (void)state;
    for (int code = 0; code < 2; code++)
        for (int n_thread = 1; n_thread < 4; n_thread += 2) {
            double want[DEPTH + 1][D];
            ig_language_means m;
            literal(want, code == 1);
            compute(&m, code == 1 ? IG_VARIANT_PAPER_CODE : IG_VARIANT_PAPER_TEXT, n_thread);
            assert_int_equal(m.language[0].n_sentence, 3);
            assert_int_equal(m.language[0].n_token, code == 1 ? 15 : 9);
            /* Floats of size 1 from batches of another shape: 1e-6 is several ulps. */
            for (int i = 0; i < (DEPTH + 1) * D; i++)
                assert_true(fabs(m.language[0].mean[i] - (&want[0][0])[i]) < 1e-6);
            ig_language_means_free(&m);
        }
}

/* Weights are numbers, but the states that they give are not: refused, with text and layer. */
static void not_finite(void **state)
{
    ig_bert *m;
    ig_states *s;
    ig_language_means means = {0};
    const ig_states_options o = {.model = fixture_path("m"), .all_layers = true, .n_thread = 1};
    const ig_states_source file = {.name = "en", .path = fixture_path("t.txt")};
    (void)state;
    assert_ok(ig_bert_load(&m, fixture_path("m"), NULL, &err), &err);
    const ig_bert_param *p = ig_bert_param_find(m, "bert.encoder.layer.0.output.LayerNorm.weight");
    for (int j = 0; j < D; j++)
        ig_bert_weights(m)[p->offset + j] = 3e38f;
    assert_ok(ig_bert_save(m, fixture_path("m"), NULL, &err), &err);
    ig_bert_free(m);
    assert_ok(ig_states_open(&s, &o, &err), &err);
    assert_int_equal(ig_language_means_add(&means, s, &file, IG_VARIANT_PAPER_TEXT, &err),
                     IG_ERR_NUMERIC);
    assert_string_equal(err.where, fixture_path("t.txt"));
    assert_non_null(strstr(err.msg, "sentence 1: found a state that is not finite at layer 1 of"));
    ig_language_means_free(&means);
    ig_states_close(s);
    make_model();
}

/* tools/means_reference.py on this model and text. */
static void transformers(void **state)
{
    static const double want[2][DEPTH + 1][3] = {{{0.5657281, 0.4683187, 0.2835039},
                                                  {1.4485038, 1.1767056, -0.1447199},
                                                  {0.7508026, -0.7063741, 0.1900634}},
                                                 {{0.9255413, 0.6549336, 0.3372258},
                                                  {1.7683185, 1.3730737, -0.0632472},
                                                  {0.8881898, -0.6036010, 0.2372055}}};
    (void)state;
    for (int code = 0; code < 2; code++) {
        ig_language_means m;
        compute(&m, code == 1 ? IG_VARIANT_PAPER_CODE : IG_VARIANT_PAPER_TEXT, 1);
        for (int l = 0; l <= DEPTH; l++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(m.language[0].mean[l * D + k] - want[code][l][k]) < 2e-6);
        ig_language_means_free(&m);
    }
}

static void file(void **state)
{
    ig_language_means m, back;
    const double *mean;
    char path[256];
    (void)state;
    strcpy(path, fixture_path("m.safetensors"));
    compute(&m, IG_VARIANT_PAPER_TEXT, 1);
    assert_ok(ig_language_means_write(&m, path, &err), &err);
    assert_ok(ig_language_means_read(&back, path, DEPTH + 1, D, &err), &err);
    assert_int_equal(back.n, 2);
    for (int i = 0; i < m.n; i++) {
        assert_ok(ig_language_means_find(&mean, &back, m.language[i].name, 1, "x", &err), &err);
        for (int k = 0; k < D; k++)
            assert_true(mean[k] == (double)(float)m.language[i].mean[D + k]);
    }
    assert_int_equal(ig_language_means_find(&mean, &back, "em", 1, "x", &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "found language 'em', expected one with a mean: de, en");
    ig_language_means_free(&back);
    assert_int_equal(ig_language_means_read(&back, path, DEPTH, D, &err), IG_ERR_INPUT);
    ig_language_means_free(&back);
    const float bad[] = {1, NAN};
    const ig_tensor_out t[] = {{.name = "mean.en", .data = bad, .rows = 1, .cols = 2},
                               {.name = "other", .data = bad, .rows = 1, .cols = 2}};
    assert_ok(ig_safetensors_write(path, t, 1, NULL, NULL, &err), &err);
    assert_int_equal(ig_language_means_read(&back, path, 1, 2, &err), IG_ERR_INPUT);
    ig_language_means_free(&back);
    assert_ok(ig_safetensors_write(path, t + 1, 1, NULL, NULL, &err), &err);
    assert_int_equal(ig_language_means_read(&back, path, 1, 2, &err), IG_ERR_INPUT);
    ig_language_means_free(&back);
    ig_language_means_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one), cmocka_unit_test(transformers),
                                       cmocka_unit_test(not_finite), cmocka_unit_test(file)};
    void *none = NULL;
    if (fixture_setup(&none) != 0)
        return 1;
    make_model();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return fixture_teardown(&none) != 0 ? 1 : failed;
}
