/* SPDX-License-Identifier: Apache-2.0
 *
 * See run_pace.h. The time of a batch is taken to be a + b · FLOP: what is done once for a batch
 * (clearing gradients, packing weights) and what every token costs. Both sizes are of the same
 * model, so that attention and head are in the FLOP and no other model of the machine is needed.
 */
#include "run/train/run_pace.h"
#include "base/log.h"

#include <math.h>
#include <stddef.h>

/* An update that is expected to be quicker is made whole; of a slower one the first size is to take
 * so long, and the second so many times as much. */
static const double whole_seconds = 1.5, small_seconds = 0.4;
enum { PROBE = 4, LARGER = 3 };

typedef struct {
    double seconds, flop;
    int32_t n_tok, n_seq, longest;
} sample;

static void describe(sample *s, const ig_pace_of *of, const ig_batch *b)
{
    *s = (sample){.flop = ig_engine_train_flop(ig_bert_get_config(of->model), b),
                  .n_tok = b->n_tok,
                  .n_seq = b->n_seq};
    for (int32_t i = 0; i < b->n_seq; i++)
        if (s->longest < b->seq_start[i + 1] - b->seq_start[i])
            s->longest = b->seq_start[i + 1] - b->seq_start[i];
}

/* Gradients of the first `n` sequences, the second time they are made: the first one finds buffers
 * and caches empty. */
static ig_code take(sample *s, const ig_pace_of *of, int64_t n, int times, ig_err *err)
{
    ig_batch_options few = *of->batch;
    ig_batcher *batcher;
    ig_batch b;
    if (n < few.batch)
        few.batch = (int32_t)n;
    IG_TRY(ig_batcher_new(&batcher, of->corpus, &few, of->seed, err));
    ig_code code = ig_batcher_get(batcher, 0, &b, err);
    if (code == IG_ERR_OK)
        describe(s, of, &b);
    for (int i = 0; i < times && code == IG_ERR_OK; i++) {
        const ig_pass pass = {
            .dropout_key = ig_rng_key_make(of->seed, IG_STREAM_DROPOUT),
            .scale[IG_HEAD_MASKED] =
                1.0f / (float)(b.target[IG_HEAD_MASKED].n > 0 ? b.target[IG_HEAD_MASKED].n : 1),
            .dropout = true};
        const double from = ig_clock();
        ig_engine_gradient_clear(of->engine);
        code = ig_engine_train(of->engine, &b, &pass, err);
        s->seconds = ig_clock() - from;
    }
    ig_batcher_free(batcher);
    return code;
}

static ig_code optimizer_step(double *seconds, const ig_pace_of *of, ig_err *err)
{
    for (int i = 0; i < 2; i++) {
        const double from = ig_clock();
        IG_TRY(ig_optimizer_step(of->optimizer, ig_engine_gradient(of->engine), of->trainer->lr,
                                 NULL, err));
        ig_engine_weights_changed(of->engine);
        *seconds = ig_clock() - from;
    }
    return IG_ERR_OK;
}

ig_code ig_run_pace(ig_pace *out, const ig_pace_of *of, ig_err *err)
{
    ig_batch b;
    sample whole, probe, few, more;
    double step;
    *out = (ig_pace){.slow = false};
    IG_TRY(ig_batcher_get(of->batcher, 0, &b, err));
    describe(&whole, of, &b);
    const double accum = (double)of->trainer->accum;
    IG_TRY(take(&probe, of, PROBE, 1, err));
    if (!of->parts && probe.seconds / probe.flop * whole.flop * accum <= whole_seconds)
        return IG_ERR_OK;
    const double sequence = probe.seconds / (double)probe.n_seq;
    int64_t n = (int64_t)(small_seconds / sequence);
    n = n < 1 ? 1 : n;
    /* The first size warms up for both. */
    IG_TRY(take(&few, of, n, 2, err));
    IG_TRY(take(&more, of, LARGER * n, 1, err));
    double b1 = more.flop > few.flop ? (more.seconds - few.seconds) / (more.flop - few.flop) : 0;
    /* On a busy machine the smaller one may have taken longer. */
    if (b1 < more.seconds / more.flop / 4)
        b1 = more.seconds / more.flop;
    const double a = fmax(0, more.seconds - b1 * more.flop);
    IG_TRY(optimizer_step(&step, of, err));
    const ig_bert_config *c = ig_bert_get_config(of->model);
    *out = (ig_pace){.slow = true,
                     .update = accum * (a + b1 * whole.flop) + step,
                     .tokens = accum * whole.n_tok,
                     .token_forward = b1 * whole.flop / 3 / whole.n_tok,
                     .sequence = (double)whole.n_tok / whole.n_seq,
                     .more_memory = ig_engine_memory(c, whole.n_tok, whole.longest, of->n_thread) -
                                    ig_engine_memory(c, more.n_tok, more.longest, of->n_thread)};
    if (out->more_memory < 0)
        out->more_memory = 0;
    return IG_ERR_OK;
}
