/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing above the ops touches a parameter, a gradient, a moment or an activation: trainings,
 * their checkpoints, going on from them, all measures, figures and vectors give the same bits on a
 * device whose memory is inaccessible whenever no op runs.
 */
#include "base/file.h"
#include "base/memory.h"
#include "engine_fixture.h"
#include "guarded_device.h"
#include "lab/report/run_figure.h"
#include "model/bert_params.h"
#include "model/engine/engine.h"
#include "root_fixture.h"
#include "apply/words/word_vectors.h"
#include "run/train/run_train.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UPDATES = 8 };

/* Measures that are off by default work on states that have left the device: it is measured where
 * these come from one language's parts, from shared ones, from ops over the team. */
typedef struct {
    const char *name;
    bool nsp, separate, pre_norm, xlm, large, bf16, all;
    int position, threads;
} kind;

static const kind kinds[] = {
    {.name = "lanes", .nsp = true, .threads = 1, .all = true},
    {.name = "threads", .threads = 2},
    {.name = "separate", .separate = true, .pre_norm = true, .threads = 1, .all = true},
    {.name = "xlm", .xlm = true, .position = IG_POSITION_SINUSOIDAL, .threads = 1},
    {.name = "relative", .position = IG_POSITION_RELATIVE_KEY_QUERY, .threads = 1},
    {.name = "team",
     .large = true,
     .position = IG_POSITION_RELATIVE_KEY,
     .threads = 1,
     .all = true},
    {.name = "rotary", .large = true, .position = IG_POSITION_ROTARY, .nsp = true, .threads = 2},
    {.name = "bf16", .bf16 = true, .threads = 1}};
enum { N_KIND = sizeof kinds / sizeof *kinds };

static ig_run_config settings(const kind *k, const char *where)
{
    char name[64];
    ig_run_config c = {0};
    snprintf(name, sizeof name, "%s-%s", k->name, where);
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.out = strdup(in_root(name));
    c.data.world_sentences = 60;
    c.data.dev_take = 20;
    c.tokens.vocab_size = 200;
    c.model.preset = IG_PRESET_TINY;
    c.optimisation.updates = UPDATES;
    c.objective.batching.batch = 12;
    c.optimisation.accum = 2;
    c.optimisation.warmup = 3;
    c.objective.block = 48;
    c.save_every = 3;
    c.log_every = 2;
    c.languages.lang_pos = k->position == IG_POSITION_LEARNED;
    c.threads = k->threads;
    c.model.position_type = k->position;
    c.model.pre_norm = k->pre_norm;
    c.optimisation.precision = k->bf16 ? IG_PRECISION_BF16 : IG_PRECISION_F32;
    if (k->separate)
        c.model.separate = strdup("embeddings;layers=1-1;output");
    if (k->xlm) {
        c.model.tied = c.model.transform = false;
        c.model.gelu_tanh = c.objective.batching.pad_attend = true;
    }
    if (k->nsp) {
        c.objective.nsp = true;
        c.objective.batching.instances = IG_INSTANCES_PAIRS;
        c.objective.batching.document = 10;
    }
    if (k->large) { /* ops over the team */
        c.model.layers = 2;
        c.model.hidden = 192;
        c.model.heads = 4;
        c.model.ffn = 512;
        c.objective.batching.batch = 6;
    }
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static void same_file(const char *a, const char *b, const char *name)
{
    char path[2][300], *text[2];
    int64_t n[2];
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", i == 0 ? a : b, name);
        assert_ok(ig_file_read(&text[i], &n[i], path[i], 1 << 28, &err), &err);
    }
    if (n[0] != n[1] || memcmp(text[0], text[1], (size_t)n[0]) != 0)
        fail_msg("%s and %s differ", path[0], path[1]);
    ig_free(text[0]);
    ig_free(text[1]);
}

static volatile sig_atomic_t stop_now;
static void stop_at(void *arg, const ig_run_result *so_far)
{
    stop_now = so_far->update == *(const int64_t *)arg;
}

/* A run, stopped after update `stop` and gone on with; −1: not. What not every kind measures is
 * measured at the end alone; maps of wide states take long, so these are those of one layer. */
static void train(const ig_run_config *c, const kind *k, int64_t stop)
{
    const ig_measure_set every = ((ig_measure_set)1 << IG_MEASURE_N) - 1;
    const ig_measure_set few = IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                               IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(perplexity);
    const ig_measure_plan plan = {
        .what = k->all ? every : few,
        .all_layers = !k->large,
        .at = {.kind = IG_CHECKPOINTS_EVERY, .every = k->all ? UPDATES : UPDATES / 2}};
    const ig_run_with with = {.lock = -1, .plan = &plan, .update = stop_at, .arg = &stop};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    if (stop >= 0)
        assert_int_equal(ig_run_train_with(c, &with, &stop_now, r, &err), IG_ERR_STOPPED);
    stop = -1;
    stop_now = 0;
    assert_ok(ig_run_train_with(c, &with, &stop_now, r, &err), &err);
    assert_true(r->finished && r->measured);
    ig_run_result_free(r);
    ig_free(r);
}

/* Writes the numbers behind a model's figures into DIR/figures.json. */
static void figures(const kind *k, const char *dir)
{
    static const ig_figure_kind shown[] = {IG_FIG_TOKENS, IG_FIG_STATES, IG_FIG_POSITIONS};
    json_t *numbers = json_array();
    ig_figure f = {0};
    char path[300];
    const int n = k->position == IG_POSITION_LEARNED ? 3 : 2;
    for (int i = 0; i < n; i++) {
        ig_run_figure_options o = ig_run_figure_defaults();
        o.n_thread = k->threads;
        o.name = "run";
        o.numbers = numbers;
        assert_ok(ig_run_figure_add(&f, shown[i], dir, &o, &err), &err);
    }
    for (size_t i = 0; i < json_array_size(numbers); i++)
        json_object_del(json_array_get(numbers, i), "run"); /* the folder */
    snprintf(path, sizeof path, "%s/figures.json", dir);
    assert_int_equal(json_dump_file(numbers, path, JSON_REAL_PRECISION(17)), 0);
    json_decref(numbers);
    ig_figure_free(&f);
}

/* Vectors of the words of a text, into DIR/vectors. */
static void word_vectors(const kind *k, const char *dir)
{
    const char *text = in_root("text.txt");
    char path[300];
    ig_vectors v;
    ig_word_vectors_report r;
    FILE *f = fopen(text, "w");
    assert_non_null(f);
    fputs("ba be bi bo bu\nbu bo ba\n", f);
    fclose(f);
    const ig_word_vectors_options o = {.model = dir,
                                       .layer = -1,
                                       .min_count = 1,
                                       .text = {.whole_lines = true},
                                       .n_thread = k->threads};
    assert_ok(ig_word_vectors(&v, &r, (ig_path_list){&text, 1}, &o, &err), &err);
    snprintf(path, sizeof path, "%s/vectors", dir);
    f = fopen(path, "wb");
    assert_non_null(f);
    for (int64_t i = 0; i < v.n; i++)
        assert_int_equal(fwrite(ig_vectors_row(&v, i), sizeof(float), (size_t)v.d, f), v.d);
    fclose(f);
    ig_vectors_free(&v);
}

static void same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < N_KIND; i++) {
        ig_run_config c[2] = {settings(&kinds[i], "host"), settings(&kinds[i], "guarded")};
        for (int g = 0; g < 2; g++) {
            const int64_t before = guarded.n_open;
            ig_device_set_default(g == 1 ? &guarded_device : &ig_device_host);
            train(&c[g], &kinds[i], g == 1 ? 5 : -1);
            figures(&kinds[i], c[g].out);
            word_vectors(&kinds[i], c[g].out);
            ig_device_set_default(&ig_device_host);
            if (g == 1)
                assert_true(guarded.n_open > before + 1000);
            else
                assert_int_equal(guarded.n_open, before);
        }
        same_file(c[0].out, c[1].out, "model/model.safetensors");
        same_file(c[0].out, c[1].out, "model/config.json");
        same_file(c[0].out, c[1].out, "measures.jsonl");
        same_file(c[0].out, c[1].out, "figures.json");
        same_file(c[0].out, c[1].out, "vectors");
        ig_run_config_free(&c[0]);
        ig_run_config_free(&c[1]);
    }
}

/* Heads that see whole sequences: the same gradients and predictions as the host's. */
static void structured_heads(void **state)
{
    (void)state;
    static const int length[] = {5, 1, 9, 4, 7};
    int32_t row[26], label[26], head[26];
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = ig_bert_config_small(50);
        const ig_head_kind which = k % 2 == 0 ? IG_HEAD_CRF : IG_HEAD_PARSER;
        c.num_hidden_layers = 2;
        c.hidden_size = k < 2 ? 16 : 264;
        c.head[which] = (ig_head_config){.n_label = 4,
                                         .reads = IG_READ_MIX,
                                         .lstm_layers = 2,
                                         .lstm_size = 6,
                                         .arc_size = 9,
                                         .label_size = 5,
                                         .linear_labels = true,
                                         .joint_labels = true};
        c.head[IG_HEAD_MASKED].n_label = -1;
        ig_bert *m[2];
        ig_head_result r[2];
        float *gradient[2];
        ig_engine *e[2];
        test_batch t = make_batch(&c, length, 5, 0, 3);
        for (int i = 0, s = 0; i < 26; i++) {
            s += i == t.b.seq_start[s + 1];
            const bool first = i == t.b.seq_start[s];
            row[i] = i;
            label[i] = first && which == IG_HEAD_PARSER ? -1 : i % 4;
            head[i] = first ? -1 : 0;
        }
        t.b.target[which] = (ig_targets){26, row, label, head};
        ig_pass pass = make_pass(true);
        pass.scale[which] = 1;
        for (int i = 0; i < 2; i++) {
            ig_device_set_default(i == 0 ? &ig_device_host : &guarded_device);
            m[i] = make_model(&c, 1);
            ig_device_set_default(&ig_device_host);
            e[i] = make_engine(m[i], NULL, NULL);
            const ig_device *device = ig_bert_get_device(m[i]);
            ig_engine_gradient_clear(e[i]);
            assert_ok(ig_engine_train(e[i], &t.b, &pass, &err), &err);
            const size_t bytes = (size_t)ig_bert_n_weight(m[i]) * sizeof(float);
            gradient[i] = malloc(bytes);
            assert_non_null(gradient[i]);
            device->download(gradient[i], ig_engine_gradient(e[i]), (int64_t)bytes);
            assert_ok(ig_engine_predict(e[i], &t.b, &err), &err);
            r[i] = ig_engine_result(e[i], which);
        }
        assert_memory_equal(gradient[0], gradient[1],
                            (size_t)ig_bert_n_weight(m[0]) * sizeof(float));
        assert_memory_equal(r[0].nll, r[1].nll, 26 * sizeof *r[0].nll);
        assert_memory_equal(r[0].best, r[1].best, 26 * sizeof *r[0].best);
        if (which == IG_HEAD_PARSER)
            assert_memory_equal(r[0].best_head, r[1].best_head, 26 * sizeof *r[0].best_head);
        for (int i = 0; i < 2; i++) {
            ig_engine_free(e[i]);
            ig_bert_free(m[i]);
            free(gradient[i]);
        }
        free_batch(&t);
    }
}

/* The guard guards: whoever reads or writes a parameter or a gradient by its address is killed. */
static void addresses_kill(void **state)
{
    (void)state;
    ig_bert_config shape = ig_bert_config_small(50);
    shape.num_hidden_layers = 1;
    ig_device_set_default(&guarded_device);
    ig_bert *m;
    assert_ok(ig_bert_new(&m, &shape, 1, &err), &err);
    ig_device_set_default(&ig_device_host);
    const ig_bert_param *p = ig_bert_param_find(m, "cls.predictions.transform.LayerNorm.weight");
    float values[64];
    ig_bert_get_values(m, p, values);
    assert_true(values[0] == 1 && values[63] == 1);
    for (int how = 0; how < 3; how++) {
        fflush(NULL);
        const pid_t child = fork();
        int status;
        assert_true(child >= 0);
        if (child == 0) {
            volatile float *w = ig_bert_weights(m) + p->offset;
            signal(SIGSEGV, SIG_DFL);
            if (how == 0)
                w[0] = 2;
            else if (how == 1)
                values[0] = w[0];
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true((WIFEXITED(status) && WEXITSTATUS(status) == 0) == (how == 2));
    }
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses_kill),
                                       cmocka_unit_test(structured_heads),
                                       cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
