/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs another rank's part when rank 0 calls: the same function of its engine that rank 0 is in.
 */
#include "model/ranks/serve.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/ranks/batch_wire.h"
#include "model/ranks/spread.h"

static ig_code serve_train(ig_engine *e, ig_wire *w, ig_err *err)
{
    ig_pass pass;
    ig_batch b;
    ig_wire_take(w, &e->spread->alone, sizeof e->spread->alone);
    ig_wire_take(w, &pass, sizeof pass);
    ig_batch_take(&b, w);
    ig_engine_gradient_clear(e);
    return ig_engine_train(e, &b, &pass, err);
}

static ig_code serve_predict(ig_engine *e, ig_wire *w, ig_err *err)
{
    ig_batch b;
    ig_wire_take(w, &e->keep_logits, sizeof e->keep_logits);
    ig_batch_take(&b, w);
    e->spread->alone = false;
    return ig_engine_predict(e, &b, err);
}

static ig_code serve_encode(ig_engine *e, ig_wire *w, ig_err *err)
{
    struct ig_spread *s = e->spread;
    float *out[IG_BERT_MAX_LAYER + 1];
    ig_inner which;
    ig_batch b;
    int n_layer;
    ig_wire_take(w, &which, sizeof which);
    ig_wire_take(w, &n_layer, sizeof n_layer);
    const int *layers = ig_wire_at(w, n_layer * (int64_t)sizeof *layers);
    ig_batch_take(&b, w);
    s->alone = false;
    const int64_t each =
        (int64_t)b.n_tok *
        (which == IG_INNER_NEURONS ? e->config->intermediate_size : e->config->hidden_size);
    IG_TRY(ig_grow(&s->out, &s->have_out, n_layer * each, sizeof *s->out, "ranks", err));
    for (int k = 0; k < n_layer; k++)
        out[k] = s->out + k * each;
    return ig_engine_inner(e, &b, which, layers, n_layer, out, err);
}

ig_code ig_engine_serve(ig_engine *e, int what, ig_wire *w, ig_err *err)
{
    switch (what) {
    case IG_CALL_TRAIN:
        return serve_train(e, w, err);
    case IG_CALL_PREDICT:
        return serve_predict(e, w, err);
    case IG_CALL_ENCODE:
        return serve_encode(e, w, err);
    case IG_CALL_WHOLE:
        ig_spread_gather(e);
        return IG_ERR_OK;
    default: {
        const int64_t n = ig_bert_n_param(e->model);
        const bool *frozen = ig_wire_at(w, n * (int64_t)sizeof *frozen);
        IG_ASSERT(what == IG_CALL_FROZEN && frozen != NULL);
        return ig_engine_set_frozen(e, frozen, err);
    }
    }
}
