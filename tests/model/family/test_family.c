/* SPDX-License-Identifier: Apache-2.0
 *
 * The hidden states of every layer against transformers, for each family that is read and two or
 * more of its settings (tools/family_models.py: odd numbers of heads, shared keys, sequences longer
 * than the local window, padding beside them). The states are of double precision; ours may differ
 * by 1e-5, about a hundred roundings of numbers of order 1. ISOGLOT_FAMILIES: another folder with
 * such models.
 */
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "emulated.h"
#include "isoglot/batch.h"
#include "model/bert_params.h"
#include "model/block/block.h"
#include "model/checkpoint_config.h"
#include "model/device/cuda/device_cuda.h"
#include "model/engine/engine.h"
#include "model/safetensors.h"
#include "ops_tables.h"

#include <dirent.h>
#include <math.h>

/* What states.safetensors has. */
typedef struct {
    ig_safetensors file;
    float *ids, *start, *states;
    int32_t *id, *pos, *seg, *at;
    int n_tok, n_seq;
} wanted;

static float *tensor_of(const ig_safetensors *s, const char *name, int64_t *n)
{
    ig_err err;
    float *out;
    const ig_safetensor *t = ig_safetensors_find(s, name);
    assert_non_null(t);
    assert_ok(ig_alloc(&out, t->count, sizeof *out, name, &err), &err);
    assert_ok(ig_safetensors_read(s, t, out, &err), &err);
    *n = t->count;
    return out;
}

static wanted wanted_of(const char *dir)
{
    char path[950];
    ig_err err;
    wanted w = {0};
    int64_t n, n_start, n_state;
    snprintf(path, sizeof path, "%s/states.safetensors", dir);
    assert_ok(ig_safetensors_open(&w.file, path, &err), &err);
    w.ids = tensor_of(&w.file, "ids", &n);
    w.start = tensor_of(&w.file, "start", &n_start);
    w.states = tensor_of(&w.file, "states", &n_state);
    w.n_tok = (int)n;
    w.n_seq = (int)n_start - 1;
    assert_ok(ig_alloc(&w.id, 4 * n + n_start, sizeof *w.id, "batch", &err), &err);
    w.pos = w.id + n;
    w.seg = w.pos + n;
    w.at = w.seg + n;
    for (int s = 0; s <= w.n_seq; s++)
        w.at[s] = (int32_t)w.start[s];
    for (int s = 0; s < w.n_seq; s++)
        for (int i = w.at[s]; i < w.at[s + 1]; i++) {
            w.id[i] = (int32_t)w.ids[i];
            w.pos[i] = i - w.at[s];
            w.seg[i] = 0;
        }
    return w;
}

static void wanted_free(wanted *w)
{
    IG_FREE(w->ids, w->start, w->states, w->id);
    ig_safetensors_close(&w->file);
}

/* The largest difference of any state, as a share of the largest of its layer if that is more than
 * 1, by one table of kernels. */
static double difference(ig_bert *m, const wanted *w, const ig_ops *ops)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    const int n_layer = c->num_hidden_layers + 1;
    const int64_t n = (int64_t)w->n_tok * c->hidden_size;
    int layers[64];
    float *out[64], *block;
    ig_engine *e;
    ig_err err;
    double most = 0;
    assert_ok(ig_engine_new(&e, m, NULL, ops, IG_PRECISION_F32, &err), &err);
    assert_ok(ig_alloc(&block, n * n_layer, sizeof *block, "states", &err), &err);
    for (int l = 0; l < n_layer; l++) {
        layers[l] = l;
        out[l] = block + l * n;
    }
    const ig_batch b = {.n_seq = w->n_seq,
                        .n_tok = w->n_tok,
                        .seq_start = w->at,
                        .id = w->id,
                        .pos = w->pos,
                        .seg = w->seg};
    assert_ok(ig_engine_encode(e, &b, layers, n_layer, out, &err), &err);
    for (int l = 0; l < n_layer; l++) {
        double of = 1;
        for (int64_t i = l * n; i < (l + 1) * n; i++)
            of = fmax(of, fabs((double)w->states[i]));
        for (int64_t i = l * n; i < (l + 1) * n; i++) {
            const double by = fabs((double)block[i] - (double)w->states[i]) / of;
            most = by <= most ? most : by; /* NaN stays */
        }
    }
    ig_free(block);
    ig_engine_free(e);
    return most;
}

static const char *root(void)
{
    static char in_tree[600];
    const char *other = getenv("ISOGLOT_FAMILIES");
    snprintf(in_tree, sizeof in_tree, "%s/families", IG_TEST_DATA);
    return other != NULL ? other : in_tree;
}

/* By each table of kernels, or on the emulated GPU. */
static void check_states(bool gpu)
{
    DIR *d = opendir(root());
    int n = 0;
    assert_non_null(d);
    for (const struct dirent *f; (f = readdir(d)) != NULL;) {
        char dir[900];
        ig_err err;
        ig_bert *m;
        double worst = 0;
        if (f->d_name[0] == '.')
            continue;
        snprintf(dir, sizeof dir, "%s/%s", root(), f->d_name);
        wanted w = wanted_of(dir);
        assert_ok(ig_bert_load(&m, dir, NULL, &err), &err);
        assert_true(!gpu || ig_bert_get_device(m) != &ig_device_host);
        FOR_EACH_TABLE(t)
        {
            if (gpu && t != ig_ops_best())
                continue;
            const double by = difference(m, &w, t);
            worst = by <= worst ? worst : by;
        }
        print_message("%-24s %.1e\n", f->d_name, worst);
        assert_true(worst <= 1e-5);
        ig_bert_free(m);
        wanted_free(&w);
        n++;
    }
    closedir(d);
    assert_true(n >= 18);
}

static void states_of_transformers(void **state)
{
    (void)state;
    check_states(false);
}

static void states_on_a_gpu(void **state)
{
    (void)state;
    ig_device_set_default(ig_cuda_device_of(tested_driver(1)));
    check_states(true);
    ig_device_set_default(&ig_device_host);
}

/* Gemma reads its words times √D and predicts them as they are; without a head there is no decoder.
 */
static void words_of_gemma(void **state)
{
    (void)state;
    static const char *const name[] = {"gemma3", "gemma3-embedding"};
    for (int k = 0; k < 2; k++) {
        char dir[900];
        ig_err err;
        ig_bert *m;
        ig_bert_report report;
        snprintf(dir, sizeof dir, "%s/%s", root(), name[k]);
        assert_ok(ig_bert_load(&m, dir, &report, &err), &err);
        assert_int_equal(report.n_missing, 0);
        const ig_bert_param *in = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight"),
                            *out = ig_bert_param_find(m, "cls.predictions.decoder.weight");
        assert_true((out != NULL) == (k == 0));
        const float *w = ig_bert_weights(m);
        int64_t n_other = 0; /* the row of padding is 0 */
        for (int64_t i = 0; out != NULL && i < (int64_t)out->rows * out->cols; i++) {
            const float of_head = w[out->offset + i];
            assert_true(w[in->offset + i] == of_head * sqrtf((float)in->cols));
            n_other += w[in->offset + i] != of_head;
        }
        assert_true(out == NULL || n_other > 100);
        ig_bert_report_free(&report);
        ig_bert_free(m);
    }
}

/* What a key of config.json, or a key that is not there, is in a family. */
static void keys_of_families(void **state)
{
    (void)state;
    static const struct {
        const char *name, *key, *value; /* value NULL: the key is taken out */
        bool untied, causal;
        const char *why; /* NULL: it is read */
    } row[] = {
        {"llama", "tie_word_embeddings", NULL, true, true, NULL},
        {"qwen3-tied", "tie_word_embeddings", NULL, true, true, NULL},
        {"eurobert", "tie_word_embeddings", NULL, true, false, NULL},
        {"gpt2", "tie_word_embeddings", NULL, false, true, NULL},
        {"mpnet", "tie_word_embeddings", NULL, false, false, NULL},
        {"llama", "tie_word_embeddings", "true", false, true, NULL},
        {"bert", "is_decoder", "true", false, true, NULL},
        {"gpt2", "is_causal", "false", false, false, NULL},
        {"llama", "is_causal", "false", true, false, NULL},
        {"qwen3", "is_causal", "false", true, false, NULL},
        {"gemma3", "is_causal", "false", false, false, "\"is_causal\" is false"},
        {"gemma3-embedding", "is_causal", "false", false, false, "\"is_causal\" is false"},
        {"distilbert", "is_decoder", "true", false, false, NULL},
        {"mpnet", "is_decoder", "true", false, false, NULL},
        {"eurobert", "is_decoder", "true", true, false, NULL},
        /* The head for words alone is left out. */
        {"modernbert", "classifier_activation", "\"silu\"", false, false, NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char path[900];
        ig_err err;
        ig_bert_config c;
        json_t *j;
        snprintf(path, sizeof path, "%s/%s/config.json", root(), row[i].name);
        assert_ok(ig_json_read(&j, path, &err), &err);
        if (row[i].value == NULL)
            assert_int_equal(json_object_del(j, row[i].key), 0);
        else
            json_object_set_new(j, row[i].key, json_loads(row[i].value, JSON_DECODE_ANY, NULL));
        char *text = json_dumps(j, 0);
        json_decref(j);
        const ig_code code = ig_bert_config_parse(&c, text, (int64_t)strlen(text), "c", &err);
        free(text);
        if (row[i].why != NULL) {
            assert_int_equal(code, IG_ERR_INPUT);
            assert_non_null(strstr(err.msg, row[i].why));
            continue;
        }
        assert_ok(code, &err);
        if (strcmp(row[i].key, "classifier_activation") == 0)
            assert_int_equal(ig_bert_config_n_label(&c, IG_HEAD_MASKED), 0);
        if (c.untied != row[i].untied || c.causal != row[i].causal)
            fail_msg("%s, %s: untied %d, causal %d", row[i].name, row[i].key, c.untied, c.causal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_transformers), cmocka_unit_test(states_on_a_gpu),
        cmocka_unit_test(words_of_gemma), cmocka_unit_test(keys_of_families)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
