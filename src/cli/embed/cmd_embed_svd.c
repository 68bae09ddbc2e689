/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed svd: positive pointwise mutual information, factorised.
 */
#include "base/log.h"
#include "cli/commands.h"
#include "cli/embed/context_options.h"
#include "cli/embed/embed_options.h"
#include "embed/train/svd.h"

typedef struct {
    ig_svd_options o;
    ig_embed_config embed;
} config;

static const ig_option options[] = {
    {.group = "Factorisation", IG_INT_AS(config, "dim", o.dim, "100", "D", 1, 10000, "dimensions")},
    {IG_REAL_AS(config, "power", o.power, "0.5", "P", 0, 10, "vectors are U S^P")},
    {IG_INT(config, "passes", o.passes, "0", 0, 10000,
            "passes of subspace iteration; 0: until the last singular value has converged")},
    {.group = "Cooccurrences",
     IG_INT(config, "window", o.cooccur.window, "5", 1, 1000,
            "words on each side, not beyond the line")},
    {IG_FLAG(config, "distance-weighting", o.cooccur.weighted, NULL,
             "a pair at distance k counts 1/k")},
    {IG_REAL_AS(config, "smoothing", o.smoothing, "0.75", "A", 0, 1,
                "context counts to the power A; 1: none")},
    {IG_REAL_AS(config, "shift", o.shift, "1", "K", 1e-9, 1e9,
                "less log K, as K negative samples would; 1: none")},
    IG_EMBED_OPTIONS(config, embed, "5"),
};

static ig_code run_embed_svd(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_svd_options o = c->o;
    o.seed = (uint64_t)c->embed.seed;
    ig_embedding e = {.config = &c->embed};
    ig_svd_report r;
    ig_code code = ig_embed_begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_svd(&e.v, &e.text, &o, e.team, &r, err));
    if (code == IG_ERR_OK) {
        json_object_set_new(e.facts, "cells", json_integer(r.n_cell));
        json_object_set_new(e.facts, "passes_made", json_integer(r.passes));
        json_object_set_new(e.facts, "singular_value_first", json_real(r.first));
        json_object_set_new(e.facts, "singular_value_last", json_real(r.last));
        json_object_set_new(e.facts, "explained", json_real(r.share));
        json_object_set_new(e.facts, "seconds", json_real(ig_clock() - e.start));
    }
    return ig_embed_end(&e, code, &ig_cmd_embed_svd, c, err);
}

const ig_command ig_cmd_embed_svd = {
    .name = "embed svd",
    .summary = "word vectors from counts: PPMI and a truncated SVD",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads what embed word2vec reads. Example:\n"
        "  isoglot embed svd --dim 300 --split words --lowercase --out eng.vec eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_svd,
};
