/* SPDX-License-Identifier: Apache-2.0
 *
 * Times updates in turns with matrix products. Ratios within one run are reliable: a shared or
 * throttled machine slows both alike.
 */
#include "bench/bench_train.h"

#include "base/log.h"
#include "base/memory.h"
#include "bench/bench_kernels.h"
#include "model/bert_params.h"
#include "model/engine/shards.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const ig_bench_train_options *o;
    const ig_bench_batches *batches;
    ig_bert *model;
    ig_engine *engine;
    ig_optimizer *optimizer;
    int n_thread, next;
    double tokens, flop, loss, in_optimizer;
} bench;

/* Freezes the parameters that the options name, for the engine and for the optimizer. */
static ig_code freeze(bench *b, ig_err *err)
{
    const int n = ig_bert_n_param(b->model);
    bool *frozen;
    IG_TRY(ig_alloc(&frozen, n, sizeof *frozen, "frozen tensors", err));
    for (int i = 0; i < n; i++) {
        const ig_bert_param *p = &ig_bert_params(b->model)[i];
        ig_param_group g = ig_optimizer_get_group(b->optimizer, p);
        const char *layer = strstr(p->name, "encoder.layer.");
        g.frozen |= strstr(p->name, "bert.embeddings.") != NULL ||
                    (layer != NULL && atoi(layer + strlen("encoder.layer.")) < b->o->freeze);
        ig_optimizer_set_group(b->optimizer, p, &g);
        frozen[i] = g.frozen;
    }
    const ig_code code = ig_engine_set_frozen(b->engine, frozen, err);
    ig_free(frozen);
    return code;
}

static ig_code update(bench *b, ig_err *err)
{
    const ig_batch *x = &b->batches->batch[b->next++ % b->batches->n_batch];
    const int32_t n = x->target[b->o->head].n > 0 ? x->target[b->o->head].n : 1;
    ig_pass pass = {.dropout_key = ig_rng_key_make(0, IG_STREAM_DROPOUT),
                    .step = (uint32_t)b->next,
                    .dropout = true};
    pass.scale[b->o->head] = 1.0f / (float)n;
    ig_engine_gradient_clear(b->engine);
    IG_TRY(ig_engine_train(b->engine, x, &pass, err));
    const double t = ig_bench_seconds(b->n_thread, b->o->busy_time);
    IG_TRY(ig_optimizer_step(b->optimizer, ig_engine_gradient(b->engine), 1e-4, NULL, err));
    ig_engine_weights_changed(b->engine);
    b->in_optimizer += ig_bench_seconds(b->n_thread, b->o->busy_time) - t;
    b->tokens += x->n_tok;
    b->flop += ig_engine_train_flop(&b->o->model, x);
    b->loss = ig_engine_result(b->engine, b->o->head).loss / n;
    return IG_ERR_OK;
}

static ig_code describe(ig_bench_train_result *out, const bench *b, ig_err *err)
{
    ig_shards s = {0};
    const ig_plan plan = ig_bert_get_device(b->model)->plan(&b->o->model);
    IG_TRY(
        ig_shards_cut(&s, &plan, &b->batches->batch[0], ig_bert_n_language(&b->o->model) > 1, err));
    out->team = plan.split;
    out->shard_tokens = plan.target;
    out->n_shard = s.n_shard;
    out->n_lane = s.n_lane;
    ig_shards_free(&s);
    return IG_ERR_OK;
}

static ig_code measure(ig_bench_train_result *out, bench *b, ig_team *team, ig_err *err)
{
    ig_bench_kernel best = {.ops = ig_ops_bfloat16()};
    if (b->o->precision == IG_PRECISION_BF16 && best.ops != NULL)
        snprintf(best.name, sizeof best.name, "%s", best.ops->name); /* no BLAS here has them */
    else
        IG_TRY(ig_bench_gemm_best(&best, team, b->o->busy_time, b->o->program, err));
    memcpy(out->gemm_kernel, best.name, sizeof out->gemm_kernel);
    for (int i = 0; i < 2; i++)
        IG_TRY(update(b, err));
    b->tokens = b->flop = b->in_optimizer = 0;
    if (b->o->profile)
        ig_op_profile_clear();
    double spent = 0, gemm = 0;
    int done = 0;
    for (int round = 0; round < b->o->n_round; round++) {
        double rate;
        IG_TRY(ig_bench_gemm(&rate, &best, team, b->o->busy_time, b->o->program, err));
        gemm += rate;
        const double t = ig_bench_seconds(b->n_thread, b->o->busy_time);
        for (; done < (int)((int64_t)b->o->n_update * (round + 1) / b->o->n_round); done++)
            IG_TRY(update(b, err));
        spent += ig_bench_seconds(b->n_thread, b->o->busy_time) - t;
    }
    double rate;
    IG_TRY(ig_bench_gemm(&rate, &best, team, b->o->busy_time, b->o->program, err));
    out->gemm_gflops = (gemm + rate) / (b->o->n_round + 1);
    out->seconds_per_update = spent / done;
    out->optimizer_share = b->in_optimizer / spent;
    out->tokens_per_second = b->tokens / spent;
    out->model_gflops = b->flop / spent * 1e-9;
    out->efficiency = out->model_gflops / out->gemm_gflops;
    out->loss = b->loss;
    return IG_ERR_OK;
}

/* A product with an epilogue would take as long a flop as the others, without one. */
static ig_bench_bound bound(const ig_bench_train_result *r)
{
    double seconds[IG_OP_PRODUCT_EPILOGUE + 1] = {0}, flop[IG_OP_PRODUCT_EPILOGUE + 1] = {0};
    double all = 0;
    for (int i = 0; i < r->n_op; i++) {
        seconds[r->op[i].kind] += r->op[i].seconds;
        flop[r->op[i].kind] += r->op[i].flop;
        all += r->op[i].seconds;
    }
    const double plain = flop[IG_OP_PRODUCT], ends = flop[IG_OP_PRODUCT_EPILOGUE];
    if (all <= 0 || plain <= 0)
        return (ig_bench_bound){0};
    const double ideal = (plain + ends) / (r->gemm_gflops * 1e9 / r->n_thread);
    const double alone = (plain + ends) * seconds[IG_OP_PRODUCT] / plain;
    ig_bench_bound b = {.products = ideal / all,
                        .small = (alone - ideal) / all,
                        .packing = seconds[IG_OP_PACK] / all,
                        .other = seconds[IG_OP_OTHER] / all};
    b.epilogues = 1 - b.products - b.small - b.packing - b.other;
    b.efficiency = r->efficiency / (b.products + b.other);
    return b;
}

ig_code ig_bench_train(ig_bench_train_result *out, const ig_bench_train_options *o,
                       const ig_bench_batches *batches, ig_err *err)
{
    *out = (ig_bench_train_result){0};
    const ig_optimizer_options adam = {
        .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .weight_decay = 0.01, .clip = 1};
    const ig_ops *ops;
    ig_team *team = NULL;
    bench b = {.o = o, .batches = batches};
    IG_TRY(ig_engine_ops(&ops, o->precision, err));
    const ig_ops *used = ops;
    if (o->profile)
        used = ig_op_profile_begin(ops, o->busy_time);
    ig_code code = ig_team_new(&team, o->n_thread, err);
    IG_THEN(code, ig_bert_new(&b.model, &o->model, 0, err));
    IG_THEN(code, ig_engine_new(&b.engine, b.model, team, used, o->precision, err));
    IG_THEN(code, ig_optimizer_new(&b.optimizer, b.model, &adam, used, team, err));
    if (code == IG_ERR_OK && o->freeze > 0)
        code = freeze(&b, err);
    if (code != IG_ERR_OK)
        goto done;
    b.n_thread = out->n_thread = ig_team_size(team);
    out->ops = ops->name;
    code = describe(out, &b, err);
    IG_THEN(code, measure(out, &b, team, err));
    out->peak_memory = ig_peak_memory();
    while (o->profile && out->n_op < IG_BENCH_MAX_OP &&
           ig_op_profile_get(out->n_op, &out->op[out->n_op]))
        out->n_op++;
    out->bound = bound(out);
done:
    ig_optimizer_free(b.optimizer);
    ig_engine_free(b.engine);
    ig_bert_free(b.model);
    ig_team_free(team);
    return code;
}
