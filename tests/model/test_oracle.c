/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole model against PyTorch and transformers: hidden states of every layer, loss, the
 * gradient of every parameter, and 20 or 50 AdamW steps by both conventions of epsilon, on every op
 * table that this CPU runs. The numbers were made in double precision by tools/oracle_torch.py and
 * lie in tests/data/oracle.
 *
 * Tolerances. Both sides start from the same float32 weights, the other side computes in double, so
 * the difference is our rounding. With unit roundoff u = 2⁻²⁴, an inner product of K terms is off
 * by about √K·u times its magnitude (rounding errors as a random walk: Higham & Mary 2019, SIAM J.
 * Sci. Comput. 41(5)); K ≤ 60 here, so c = 8. LayerNorm after each block keeps values at order 1,
 * so the errors of blocks add up instead of multiplying: c·(l + 1)·u·max|h| for layer l; a gradient
 * passes the blocks twice, hence c·2(L + 1)·u·max|g| over the whole gradient. For the weights after
 * Adam, the script stores how far an error of 1 in each step's gradient could move each weight (Σ
 * lr / (√v + eps)); times the gradient's tolerance, plus the rounding of the updates of two
 * operations. Besides, losses of all steps are within 1e-5 of their size, and weights within 1e-5,
 * but biases of keys: these change no score's difference, so their gradients are rounding alone,
 * which Adam makes large.
 */
#include "base/memory.h"
#include "isoglot/batch.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/engine/engine.h"
#include "tensor/ops.h"
#include "test.h"
#include "train/optimizer.h"
#include "train/schedule.h"

#include <jansson.h>
#include <string.h>

static const double u = 1.0 / (1 << 24);
enum { walk = 8 };

typedef struct {
    char dir[512];
    json_t *doc;
    ig_batch batch;
    int32_t *seq_start, *id, *pos, *seg, *pred_row, *pred_label;
} oracle;

static int32_t *ints(const json_t *doc, const char *key, int32_t *n)
{
    const json_t *a = json_object_get(doc, key);
    int32_t *out = NULL;
    ig_err err;
    assert_true(json_is_array(a));
    assert_ok(ig_alloc(&out, (int64_t)json_array_size(a), sizeof *out, key, &err), &err);
    for (size_t i = 0; i < json_array_size(a); i++)
        out[i] = (int32_t)json_integer_value(json_array_get(a, i));
    *n = (int32_t)json_array_size(a);
    return out;
}

static void oracle_open(oracle *o, const char *name)
{
    char path[600];
    json_error_t je;
    int32_t n_start, n;
    snprintf(o->dir, sizeof o->dir, "%s/oracle/%s", IG_TEST_DATA, name);
    snprintf(path, sizeof path, "%s/batch.json", o->dir);
    o->doc = json_load_file(path, 0, &je);
    if (o->doc == NULL)
        fail_msg("%s: %s", path, je.text);
    o->seq_start = ints(o->doc, "seq_start", &n_start);
    o->id = ints(o->doc, "id", &n);
    o->pos = ints(o->doc, "pos", &n);
    o->seg = ints(o->doc, "seg", &n);
    o->pred_label = ints(o->doc, "pred_label", &o->batch.target[IG_HEAD_MASKED].n);
    o->pred_row = ints(o->doc, "pred_row", &o->batch.target[IG_HEAD_MASKED].n);
    o->batch = (ig_batch){.n_seq = n_start - 1,
                          .n_tok = n,
                          .seq_start = o->seq_start,
                          .id = o->id,
                          .pos = o->pos,
                          .seg = o->seg,
                          .target[IG_HEAD_MASKED] = {.n = o->batch.target[IG_HEAD_MASKED].n,
                                                     .row = o->pred_row,
                                                     .label = o->pred_label}};
    assert_int_equal(o->seq_start[n_start - 1], n);
}

static void oracle_close(oracle *o)
{
    json_decref(o->doc);
    ig_free(o->seq_start);
    ig_free(o->id);
    ig_free(o->pos);
    ig_free(o->seg);
    ig_free(o->pred_row);
    ig_free(o->pred_label);
}

static ig_bert *load(const oracle *o, const char *what)
{
    char path[600];
    ig_bert *m = NULL;
    ig_bert_report report = {0};
    ig_err err;
    snprintf(path, sizeof path, "%s/%s", o->dir, what);
    assert_ok(ig_bert_load(&m, path, &report, &err), &err);
    assert_int_equal(report.n_missing, 0);
    assert_int_equal(report.n_unexpected, 0);
    ig_bert_report_free(&report);
    return m;
}

static double largest(const float *x, int64_t n)
{
    double m = 0;
    for (int64_t i = 0; i < n; i++)
        m = fmax(m, fabs((double)x[i]));
    return m;
}

/* Worst |got − want| / tolerance over all checks of a kind, printed so that a reader sees the
 * margin. */
static void within(double got, double want, double tolerance, const char *what, double *worst)
{
    double ratio = fabs(got - want) / tolerance;
    if (!(ratio <= 1))
        fail_msg("%s: got %.9g, want %.9g, tolerance %.3g", what, got, want, tolerance);
    *worst = fmax(*worst, ratio);
}

static void check_hidden(const oracle *o, ig_engine *e, const ig_bert_config *c, const char *ops)
{
    int layers[3] = {0, 1, 2};
    float *out[3];
    ig_err err;
    double worst = 0;
    int64_t n = (int64_t)o->batch.n_tok * c->hidden_size;
    assert_int_equal(c->num_hidden_layers, 2);
    for (int l = 0; l < 3; l++)
        assert_ok(ig_alloc(&out[l], n, sizeof **out, "hidden", &err), &err);
    assert_ok(ig_engine_encode(e, &o->batch, layers, 3, out, &err), &err);
    for (int l = 0; l < 3; l++) {
        const json_t *want = json_array_get(json_object_get(o->doc, "hidden"), (size_t)l);
        assert_int_equal((int64_t)json_array_size(want), n);
        double top = 0;
        for (int64_t i = 0; i < n; i++)
            top = fmax(top, fabs(json_number_value(json_array_get(want, (size_t)i))));
        for (int64_t i = 0; i < n; i++)
            within((double)out[l][i], json_number_value(json_array_get(want, (size_t)i)),
                   walk * (l + 1) * u * top, "hidden state", &worst);
    }
    print_message("  %-9s hidden states: worst %.3f of the tolerance\n", ops, worst);
    for (int l = 0; l < 3; l++)
        ig_free(out[l]);
}

static double train(ig_engine *e, const oracle *o)
{
    ig_pass pass = {.scale[IG_HEAD_MASKED] = 1.0f / (float)o->batch.target[IG_HEAD_MASKED].n};
    double loss;
    ig_err err;
    ig_engine_gradient_clear(e);
    assert_ok(ig_engine_train(e, &o->batch, &pass, &err), &err);
    loss = ig_engine_result(e, IG_HEAD_MASKED).loss;
    return loss / o->batch.target[IG_HEAD_MASKED].n;
}

static void check_gradient(const oracle *o, ig_engine *e, const ig_bert *m, const char *ops)
{
    double worst = 0;
    int L = ig_bert_get_config(m)->num_hidden_layers;
    within(train(e, o), json_number_value(json_object_get(o->doc, "loss")), walk * (L + 2) * u * 10,
           "loss", &worst); /* logits of order 10 */
    ig_bert *want = load(o, "gradient");
    double tolerance = walk * 2 * (L + 1) * u * largest(ig_bert_weights(want), ig_bert_n_weight(m));
    worst = 0;
    for (int p = 0; p < ig_bert_n_param(m); p++) {
        const ig_bert_param *a = &ig_bert_params(m)[p];
        for (int64_t i = a->offset; i < a->offset + (int64_t)a->rows * a->cols; i++)
            within((double)ig_engine_gradient(e)[i], (double)ig_bert_weights(want)[i], tolerance,
                   a->name, &worst);
    }
    print_message("  %-9s gradients: worst %.3f of the tolerance %.2g\n", ops, worst, tolerance);
    ig_bert_free(want);
}

static double opt(const oracle *o, const char *key)
{
    return json_number_value(json_object_get(json_object_get(o->doc, "optimizer"), key));
}

/* All steps; `rule` is "hf28" or "pytorch". */
static void check_steps(const oracle *o, const char *rule, const ig_ops *ops, ig_team *team)
{
    ig_err err;
    ig_bert *m = load(o, "initial"), *want = load(o, rule), *gradient = load(o, "gradient");
    char name[64];
    snprintf(name, sizeof name, "gain-%s", rule);
    ig_bert *gain = load(o, name);
    ig_engine *e = NULL;
    ig_optimizer *adam = NULL;
    assert_ok(ig_engine_new(&e, m, team, ops, IG_PRECISION_F32, &err), &err);
    ig_optimizer_options oo = {.beta1 = opt(o, "beta1"),
                               .beta2 = opt(o, "beta2"),
                               .eps = opt(o, "eps"),
                               .weight_decay = opt(o, "decay"),
                               .clip = opt(o, "clip"),
                               .rule =
                                   strcmp(rule, "pytorch") == 0 ? IG_ADAM_PYTORCH : IG_ADAM_HF28};
    assert_ok(ig_optimizer_new(&adam, m, &oo, ops, team, &err), &err);
    int n = (int)opt(o, "steps"), L = ig_bert_get_config(m)->num_hidden_layers;
    const json_t *stored = json_object_get(o->doc, rule);
    double worst_loss = 0, worst = 0, loss_apart = 0, apart = 0;
    double g_tolerance =
        walk * 2 * (L + 1) * u * largest(ig_bert_weights(gradient), ig_bert_n_weight(m));
    for (int k = 0; k < n; k++) {
        double loss = train(e, o), norm;
        double want_loss =
            json_number_value(json_array_get(json_object_get(stored, "loss"), (size_t)k));
        double want_norm =
            json_number_value(json_array_get(json_object_get(stored, "norm"), (size_t)k));
        /* The weights' own error enters through the gradient: norm 1 after clipping at most 4 here.
         */
        within(loss, want_loss, walk * (L + 2 + k) * u * 10, "loss of a step", &worst_loss);
        loss_apart = fmax(loss_apart, fabs(loss / want_loss - 1));
        double lr = opt(o, "lr") * ig_schedule(IG_SCHEDULE_LINEAR, k, (int64_t)opt(o, "warmup"), n);
        assert_ok(ig_optimizer_step(adam, ig_engine_gradient(e), lr, &norm, &err), &err);
        within(norm, want_norm, walk * 2 * (L + 1) * (k + 1) * u * want_norm, "gradient norm",
               &worst_loss);
        ig_engine_weights_changed(e);
    }
    for (int p = 0; p < ig_bert_n_param(m); p++) {
        const ig_bert_param *a = &ig_bert_params(m)[p];
        for (int64_t i = a->offset; i < a->offset + (int64_t)a->rows * a->cols; i++) {
            double w = (double)ig_bert_weights(want)[i];
            if (strstr(a->name, "self.key.bias") == NULL)
                apart = fmax(apart, fabs((double)ig_bert_weights(m)[i] - w));
            within((double)ig_bert_weights(m)[i], w,
                   (double)ig_bert_weights(gain)[i] * g_tolerance + 2 * n * u * fmax(fabs(w), 0.01),
                   a->name, &worst);
        }
    }
    print_message("  %-9s %-8s %d steps: losses %.3f, weights %.3f of the tolerance; %.1e and %.1e "
                  "apart\n",
                  ops->name, rule, n, worst_loss, worst, loss_apart, apart);
    assert_true(loss_apart <= 1e-5 && apart <= 1e-5);
    ig_optimizer_free(adam);
    ig_engine_free(e);
    ig_bert_free(m);
    ig_bert_free(want);
    ig_bert_free(gradient);
    ig_bert_free(gain);
}

static void check_case(const char *name)
{
    oracle o;
    ig_err err;
    ig_team *team = NULL;
    int n_table = 0;
    oracle_open(&o, name);
    assert_ok(ig_team_new(&team, 2, &err), &err);
    for (size_t t = 0; ig_ops_names[t] != NULL; t++) {
        const ig_ops *ops = ig_ops_named(ig_ops_names[t]);
        if (ops == NULL) {
            skip_here("this CPU does not run the kernels '%s'", ig_ops_names[t]);
            continue;
        }
        n_table++;
        ig_bert *m = load(&o, "initial");
        ig_engine *e = NULL;
        assert_ok(ig_engine_new(&e, m, team, ops, IG_PRECISION_F32, &err), &err);
        check_hidden(&o, e, ig_bert_get_config(m), ops->name);
        check_gradient(&o, e, m, ops->name);
        ig_engine_free(e);
        ig_bert_free(m);
        check_steps(&o, "hf28", ops, team);
        check_steps(&o, "pytorch", ops, team);
    }
    assert_true(n_table >= 1);
    ig_team_free(team);
    oracle_close(&o);
}

static void padding_masked(void **state)
{
    (void)state;
    check_case("packed");
}

static void padding_attended(void **state)
{
    (void)state;
    check_case("pad");
}

static void causal(void **state)
{
    (void)state;
    check_case("causal");
}

static void modern(void **state)
{
    (void)state;
    check_case("modern");
}

/* The rule for [PAD]'s row stands in the stored gradient itself: what flows in comes through the
 * decoder only, which sees every row of the vocabulary, so it is not zero either. */
static void pad_row_has_its_rule(void **state)
{
    (void)state;
    oracle o;
    oracle_open(&o, "pad");
    ig_bert *g = load(&o, "gradient");
    const ig_bert_param *w = ig_bert_param_find(g, "bert.embeddings.word_embeddings.weight");
    assert_non_null(w);
    int n_pad = 0;
    for (int32_t i = 0; i < o.batch.n_tok; i++)
        n_pad += o.id[i] == 0;
    assert_true(n_pad > 5);
    assert_true(largest(ig_bert_weights(g) + w->offset, w->cols) > 1e-3);
    ig_bert_free(g);
    oracle_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_masked),
        cmocka_unit_test(padding_attended),
        cmocka_unit_test(causal),
        cmocka_unit_test(modern),
        cmocka_unit_test(pad_row_has_its_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
