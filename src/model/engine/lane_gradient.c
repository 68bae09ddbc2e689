/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the parts of a lane's gradient that need no clearing, because the lane's first shard writes
 * them.
 */
#include "model/engine/lane_gradient.h"

#include "base/memory.h"
#include "model/bert_params.h"
#include "model/param_row.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
    const ig_span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

ig_code ig_lane_spans_make(ig_lane_spans *out, const ig_bert *model, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(model);
    const ig_bert_layer_offsets *o = ig_bert_get_layer_offsets(model, 0);
    const int n = ig_param_table_of(c, IG_OF_BLOCK).n;
    *out = (ig_lane_spans){0};
    if (ig_bert_n_language(c) > 1)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&out->written, (int64_t)n * c->num_hidden_layers, sizeof *out->written,
                    "gradients of lanes", err));
    for (int l = 0; l < c->num_hidden_layers; l++)
        for (int i = 0, n_out, n_in; i < n; i++)
            if (ig_param_product(c, IG_OF_BLOCK, i, &n_out, &n_in))
                out->written[out->n_written++] =
                    (ig_span){o[l].at[i], o[l].at[i] + (int64_t)n_out * n_in};
    qsort(out->written, (size_t)out->n_written, sizeof *out->written, by_place);
    return IG_ERR_OK;
}

void ig_lane_spans_free(ig_lane_spans *s)
{
    ig_free(s->written);
    *s = (ig_lane_spans){0};
}

void ig_lane_write_zero(const ig_lane_spans *s, const ig_exec *x, float *gradient)
{
    for (int i = 0; i < s->n_written; i++)
        x->run->zero(x, gradient + s->written[i].from, s->written[i].to - s->written[i].from);
}

void ig_lane_clear_rest(const ig_lane_spans *s, const ig_exec *x, float *gradient, int64_t n)
{
    int64_t from = 0;
    for (int i = 0; i < s->n_written; i++) {
        x->run->zero_block(x, gradient + from, s->written[i].from - from);
        from = s->written[i].to;
    }
    x->run->zero_block(x, gradient + from, n - from);
}
