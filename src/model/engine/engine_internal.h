/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of an engine, and the preparation of a batch: for the passes (engine.c) and the setup
 * (engine_setup.c) alone.
 */
#pragma once

#include "model/edit/edit.h"
#include "model/engine/engine.h"
#include "model/engine/frozen.h"
#include "model/engine/lane_gradient.h"
#include "model/engine/shard_view.h"
#include "model/engine/shards.h"
#include "model/engine/state.h"
#include "model/engine/weights.h"
#include "model/head/head.h"

/* Holds what the engine derives from positions, as far as a batch has had them. */
typedef struct {
    int n;            /* positions that the tables have */
    float *rotary[2]; /* [n, 2 D/H] of all layers and of local ones, or NULL */
    float *addend;    /* [H, 2 n − 1] of attention, or NULL */
} ig_positions;

/* A worker that runs shards: its buffers for activations, and its ops. */
typedef struct {
    ig_state state;
    ig_exec exec;
} ig_worker;

/* How shards are cut and who runs them: lanes, a worker for each thread; team: one. */
typedef struct {
    ig_plan plan;
    int n;
    ig_worker *worker;
} ig_workers;

struct ig_engine {
    ig_bert *model;
    const ig_bert_config *config;
    const ig_device *device; /* the model's */
    ig_team *team;
    const ig_ops *ops;
    ig_workers train, infer;
    int n_language;
    ig_bert_offsets *offsets; /* [languages] */
    ig_bf16 bf16;
    ig_exec all; /* ops over blocks of parameters */
    ig_weights weights;
    bool stale;                    /* the packed copies are older than the weights */
    ig_scratch *scratch;           /* [threads] */
    float *part, *pack, *distance; /* of the team's ops, see exec.h */
    ig_positions positions;
    int64_t have_pack;
    float *gradient[IG_LANES_MAX]; /* [0] is the public one; the others: of further lanes, or of
                                    * sums that wait for others */
    ig_lane_spans spans;
    ig_shards shards;
    ig_edits edits;
    ig_patch *patch; /* [L] of edits of attention; NULL: none */
    ig_frozen frozen;
    ig_head_places places; /* of the last batch, as are results */
    int64_t room_nll[IG_N_HEAD], room_best[IG_N_HEAD], room_best_head[IG_N_HEAD];
    double *nll[IG_N_HEAD]; /* the same on the host */
    int32_t *best[IG_N_HEAD], *best_head[IG_N_HEAD];
    int64_t have_nll[IG_N_HEAD], have_best[IG_N_HEAD], have_best_head[IG_N_HEAD];
    bool keep_logits;
    float *logits[IG_N_HEAD]; /* NULL: not kept */
    int64_t room_logits[IG_N_HEAD], have_logits[IG_N_HEAD];
    ig_head_result result[IG_N_HEAD];
    struct ig_spread *spread; /* over ranks (model/ranks/spread.h); NULL: this process alone */
};

/* Prepares everything a batch needs before it runs: checks and cuts it, allocates memory, and packs
 * the weights again where they changed. */
ig_code ig_engine_prepare(ig_engine *e, const ig_batch *b, bool train, ig_err *err);
/* Makes the tables of rotary positions and of distances in buckets for the first n positions where
 * they have fewer, or where the weights have changed. */
ig_code ig_engine_positions(ig_engine *e, int n, ig_err *err);
void ig_positions_free(ig_positions *p, const ig_device *device);
/* The net without a pass: for inference. */
ig_net ig_engine_net(const ig_engine *e);
