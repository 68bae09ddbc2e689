/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the other ranks: a call, the engine's or the optimizer's part of it, and the next.
 */
#include "train/rank_model.h"

#include "base/ranks/ranks.h"
#include "model/bert_params.h"
#include "model/ranks/calls.h"
#include "model/ranks/serve.h"
#include "train/optimizer.h"

#include <stdio.h>

static int64_t weight_bytes(const ig_bert *m)
{
    return ig_bert_n_weight(m) * (int64_t)sizeof(float);
}

/* Whether the others have a model; of rank 0. */
static bool they_have;

ig_code ig_rank_model_call(ig_engine *e, ig_bert *model, const ig_training_settings *set,
                           ig_err *err)
{
    ig_wire w = {0};
    if (ig_ranks_n() == 1)
        return IG_ERR_OK;
    IG_TRY(ig_engine_spread(e, err));
    ig_code code = ig_wire_put(&w, ig_bert_get_config(model), sizeof(ig_bert_config), err);
    IG_THEN(code, ig_wire_put(&w, set, sizeof *set, err));
    if (code == IG_ERR_OK) {
        ig_rank_model_drop();
        ig_ranks_call(IG_CALL_MODEL, &w);
        ig_ranks_to_all(ig_bert_weights(model), weight_bytes(model));
        ig_ranks_called();
        they_have = true;
    }
    ig_wire_free(&w);
    return code;
}

void ig_rank_model_drop(void)
{
    const ig_wire none = {0};
    if (!they_have || ig_ranks_n() == 1)
        return;
    ig_ranks_call(IG_CALL_DROP, &none);
    ig_ranks_called();
    they_have = false;
}

/* --- the others ------------------------------------------------------------------------------- */

typedef struct {
    ig_team *team;
    ig_bert *model;
    ig_engine *engine;
    ig_optimizer *optimizer;
} server;

static void drop(server *s)
{
    ig_optimizer_free(s->optimizer);
    ig_engine_free(s->engine);
    ig_bert_free(s->model);
    *s = (server){.team = s->team};
}

static ig_code make(server *s, ig_wire *w, ig_err *err)
{
    ig_bert_config c;
    ig_training_settings set;
    ig_wire_take(w, &c, sizeof c);
    ig_wire_take(w, &set, sizeof set);
    IG_TRY(ig_bert_new_zero(&s->model, &c, 0, err));
    ig_ranks_to_all(ig_bert_weights(s->model), weight_bytes(s->model));
    IG_TRY(ig_engine_new(&s->engine, s->model, s->team, NULL,
                         (ig_precision)(set.precision % IG_N_PRECISION), err));
    IG_TRY(ig_engine_spread(s->engine, err));
    return ig_optimizer_new_spread(&s->optimizer, s->model, &set.adam, ig_ops_best(), s->team, err);
}

static ig_code serve(server *s, int what, ig_wire *w, ig_err *err)
{
    if (what == IG_CALL_MODEL)
        return make(s, w, err);
    if (what == IG_CALL_DROP)
        drop(s);
    else if (what < IG_CALL_OF_ENGINE)
        return ig_engine_serve(s->engine, what, w, err);
    else
        ig_optimizer_serve(s->optimizer, what, w, ig_engine_gradient_part(s->engine));
    if (what == IG_CALL_UPDATE)
        ig_engine_weights_changed(s->engine);
    return IG_ERR_OK;
}

ig_code ig_rank_serve(int n_thread, ig_err *err)
{
    server s = {0};
    ig_wire w = {0};
    int what;
    ig_code code = ig_team_new(&s.team, n_thread, err);
    while (code == IG_ERR_OK) {
        code = ig_ranks_serve(&what, &w, err);
        if (code == IG_ERR_OK && ig_ranks_n() == 1) /* rank 0 has left */
            break;
        IG_THEN(code, serve(&s, what, &w, err));
    }
    drop(&s);
    ig_team_free(s.team);
    ig_wire_free(&w);
    return code;
}

/* --- starting --------------------------------------------------------------------------------- */

void ig_rank_kernels(char *out, size_t size)
{
    const ig_ops *f32 = ig_ops_best(), *bf16 = ig_ops_bfloat16();
    snprintf(out, size, "%s, %s", f32 != NULL ? f32->name : "none",
             bf16 != NULL ? bf16->name : "none");
}

int ig_rank_threads(int n, int asked)
{
    const int all = ig_cpu_count();
    return asked > 0 ? asked : all > n ? all / n : 1;
}

ig_code ig_rank_start(int n, int n_thread, ig_err *err)
{
    char kernels[100], threads[16], name[] = IG_RANK_COMMAND;
    char *const arguments[] = {name, threads, NULL};
    ig_rank_kernels(kernels, sizeof kernels);
    snprintf(threads, sizeof threads, "%d", n_thread);
    return ig_ranks_start(arguments, n, &(ig_ranks_same){kernels, ""}, err);
}

ig_code ig_rank_started(int n_thread, ig_err *err)
{
    char kernels[100];
    ig_rank_kernels(kernels, sizeof kernels);
    IG_TRY(ig_ranks_join_starter(&(ig_ranks_same){kernels, ""}, err));
    return ig_rank_serve(n_thread, err);
}
