/* SPDX-License-Identifier: Apache-2.0
 *
 * Fifty updates of each head against PyTorch: classes of sequences and of tokens, BiLSTM-CRF on a
 * mixture of layers, biaffine parser; same weights, same batches, AdamW, clipping, no dropout. The
 * losses were made in double precision by tools/heads_torch.py and lie in tests/data/heads. With
 * ISOGLOT_WRITE_HEADS=FOLDER the models and batches are written there, for that script.
 *
 * The trainings differ by our float32 alone. 1e-5 of the loss is some hundred roundings; a wrong
 * factor of a gradient (2 instead of 1) shows at 1e-3 after one update.
 */
#include "engine_fixture.h"
#include "model/head/head.h"
#include "train/trainer.h"

#include <jansson.h>
#include <sys/stat.h>

enum { n_update = 50, n_batch = 5, n_seq = 6, most_target = 64 };

typedef struct {
    const char *name;
    ig_head_kind kind;
    ig_head_config head;
} parity_case;

static const parity_case cases[] = {
    {"sequence", IG_HEAD_SEQUENCE, {.n_label = 3}},
    {"token", IG_HEAD_TOKEN, {.n_label = 5}},
    {"crf",
     IG_HEAD_CRF,
     {.n_label = 5, .reads = IG_READ_MIX, .ends = true, .lstm_layers = 2, .lstm_size = 6}},
    {"parser",
     IG_HEAD_PARSER,
     {.n_label = 4, .arc_size = 12, .label_size = 7, .linear_labels = true}}};

typedef struct {
    test_batch t[n_batch];
    int32_t row[n_batch][most_target], label[n_batch][most_target], head[n_batch][most_target];
} batches;

/* Which tokens the head is asked about: the first of each sequence; two of three words; ROOT and
 * those. */
static void make_targets(batches *all, int k, const parity_case *of)
{
    ig_rng r = ig_rng_make((uint64_t)k, IG_STREAM_TEST, 5, 0);
    ig_batch *b = &all->t[k].b;
    int n = 0;
    for (int s = 0; s < n_seq; s++) {
        const int from = n, first = b->seq_start[s];
        for (int i = first; i < b->seq_start[s + 1]; i++) {
            const bool root = i == first && of->kind == IG_HEAD_PARSER;
            if (of->kind == IG_HEAD_SEQUENCE ? i > first : !root && (i == first || i % 3 == 0))
                continue;
            all->row[k][n] = i;
            all->label[k][n++] = root ? -1 : (int32_t)ig_rng_below(&r, (uint32_t)of->head.n_label);
        }
        for (int i = from; i < n; i++)
            all->head[k][i] = of->kind == IG_HEAD_PARSER && i > from
                                  ? (int32_t)ig_rng_below(&r, (uint32_t)(n - from))
                                  : -1;
    }
    b->target[of->kind] = (ig_targets){n, all->row[k], all->label[k], all->head[k]};
}

static void make_batches(batches *all, const ig_bert_config *c, const parity_case *of)
{
    for (int k = 0; k < n_batch; k++) {
        int length[n_seq];
        for (int s = 0; s < n_seq; s++)
            length[s] = 1 + (7 * k + 5 * s) % 11;
        all->t[k] = make_batch(c, length, n_seq, 0, (uint64_t)k + 1);
        make_targets(all, k, of);
    }
}

static ig_code get_batch(void *of, int64_t i, ig_batch *out, ig_err *err)
{
    (void)err;
    *out = ((batches *)of)->t[i % n_batch].b;
    return IG_ERR_OK;
}

static json_t *array_of(const int32_t *v, int n)
{
    json_t *a = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(a, json_integer(v[i]));
    return a;
}

static void write_case(const char *folder, const ig_bert *m, const batches *all,
                       const parity_case *of)
{
    char path[512];
    ig_err err;
    json_t *list = json_array();
    snprintf(path, sizeof path, "%s/%s", folder, of->name);
    mkdir(path, 0777);
    assert_ok(ig_bert_save(m, path, NULL, &err), &err);
    for (int k = 0; k < n_batch; k++) {
        const ig_batch *b = &all->t[k].b;
        const ig_targets *t = &b->target[of->kind];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "seq_start",
                            array_of(b->seq_start, n_seq + 1), "id", array_of(b->id, b->n_tok),
                            "pos", array_of(b->pos, b->n_tok), "seg", array_of(b->seg, b->n_tok),
                            "row", array_of(t->row, t->n), "label", array_of(t->label, t->n),
                            "head", array_of(t->head, t->n)));
    }
    snprintf(path, sizeof path, "%s/%s/batches.json", folder, of->name);
    assert_int_equal(json_dump_file(list, path, 0), 0);
    json_decref(list);
}

/* The loss that each update begins with. */
static void train(ig_bert *m, batches *all, const parity_case *of, double *loss)
{
    const ig_trainer_options options = {
        .source = {.get = get_batch, .of = all, .steps_per_epoch = n_batch},
        .n_update = n_update,
        .set = {.accum = 1,
                .lr = 1e-3,
                .schedule = IG_SCHEDULE_CONSTANT,
                .adam = {.beta1 = 0.9,
                         .beta2 = 0.999,
                         .eps = 1e-8,
                         .weight_decay = 0.01,
                         .clip = 1,
                         .rule = IG_ADAM_PYTORCH}}};
    ig_err err;
    ig_trainer *t;
    ig_engine *e = make_engine(m, NULL, NULL);
    assert_ok(ig_trainer_new(&t, m, e, &options, NULL, &err), &err);
    for (int k = 0; k < n_update; k++) {
        ig_trainer_report r;
        const ig_batch *b = &all->t[k % n_batch].b;
        assert_ok(ig_trainer_step(t, &r, &err), &err);
        loss[k] = r.head[of->kind].loss / (double)ig_head_count(ig_bert_get_config(m), of->kind, b);
    }
    ig_trainer_free(t);
    ig_engine_free(e);
}

static void fifty_updates(void **state)
{
    (void)state;
    const char *folder = getenv("ISOGLOT_WRITE_HEADS");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static batches all;
        ig_bert_config c = {.vocab_size = 30,
                            .hidden_size = 16,
                            .num_hidden_layers = 2,
                            .num_attention_heads = 2,
                            .intermediate_size = 40,
                            .max_position_embeddings = 12,
                            .type_vocab_size = 2,
                            .pad_token_id = 0,
                            .layer_norm_eps = 1e-12f,
                            .initializer_range = 0.02f};
        c.head[IG_HEAD_MASKED].n_label = -1;
        c.head[cases[k].kind] = cases[k].head;
        ig_bert *m = make_model(&c, 1);
        stir(m, 0.25, 4);
        const ig_bert_param *gamma = ig_bert_param_find(m, "crf.scalar_mix.gamma");
        if (gamma != NULL)
            ig_bert_set_values(m, gamma, &(float){1.2f});
        make_batches(&all, &c, &cases[k]);
        if (folder != NULL) {
            write_case(folder, m, &all, &cases[k]);
            continue;
        }
        double loss[n_update];
        train(m, &all, &cases[k], loss);
        char path[512];
        json_error_t why;
        snprintf(path, sizeof path, "%s/heads/%s.json", IG_TEST_DATA, cases[k].name);
        json_t *want = json_load_file(path, 0, &why);
        if (want == NULL)
            fail_msg("%s: %s", path, why.text);
        assert_int_equal(json_array_size(want), n_update);
        double worst = 0;
        for (size_t i = 0; i < n_update; i++) {
            const double x = json_real_value(json_array_get(want, i));
            worst = fmax(worst, fabs(loss[i] - x) / x);
        }
        print_message("%s: losses within %.2g of PyTorch's\n", cases[k].name, worst);
        assert_true(worst <= 1e-5);
        json_decref(want);
        for (int i = 0; i < n_batch; i++)
            free_batch(&all.t[i]);
        ig_bert_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fifty_updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
