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
    int64_t dim, window, passes;
    double smoothing, shift, power;
    bool distance;
    ig_embed_config embed;
} config;

static const ig_option options[] = {
    {.name = "dim",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, dim),
     .def = "100",
     .value = "D",
     .help = "dimensions",
     .min = 1,
     .max = 10000,
     .group = "Factorisation"},
    {.name = "power",
     .kind = IG_OPT_REAL,
     .offset = offsetof(config, power),
     .def = "0.5",
     .value = "P",
     .help = "vectors are U S^P",
     .min = 0,
     .max = 10},
    {.name = "passes",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, passes),
     .def = "0",
     .value = "N",
     .help = "passes of subspace iteration; 0: until the last singular value has converged",
     .min = 0,
     .max = 10000},
    {.name = "window",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, window),
     .def = "5",
     .value = "N",
     .help = "words on each side, not beyond the line",
     .min = 1,
     .max = 1000,
     .group = "Cooccurrences"},
    {.name = "distance-weighting",
     .kind = IG_OPT_FLAG,
     .offset = offsetof(config, distance),
     .help = "a pair at distance k counts 1/k"},
    {.name = "smoothing",
     .kind = IG_OPT_REAL,
     .offset = offsetof(config, smoothing),
     .def = "0.75",
     .value = "A",
     .help = "context counts to the power A; 1: none",
     .min = 0,
     .max = 1},
    {.name = "shift",
     .kind = IG_OPT_REAL,
     .offset = offsetof(config, shift),
     .def = "1",
     .value = "K",
     .help = "less log K, as K negative samples would; 1: none",
     .min = 1e-9,
     .max = 1e9},
    IG_EMBED_OPTIONS(config, embed, "5"),
};

static ig_code run(const ig_command *self, void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    const ig_svd_options o = {.cooccur = {.window = (int)c->window, .weighted = c->distance},
                              .dim = (int)c->dim,
                              .smoothing = c->smoothing,
                              .shift = c->shift,
                              .power = c->power,
                              .passes = (int)c->passes,
                              .seed = (uint64_t)c->embed.seed};
    ig_team *team;
    ig_text_ids text;
    ig_vectors v = {0};
    ig_svd_report r;
    ig_code code = ig_embed_begin(&c->embed, n_arg, arg, NULL, 0, &team, &text, err);
    json_t *facts = ig_context_facts(&text);
    double start = ig_clock();
    IG_THEN(code, ig_svd(&v, &text, &o, team, &r, err));
    if (code == IG_ERR_OK) {
        json_object_set_new(facts, "cells", json_integer(r.n_cell));
        json_object_set_new(facts, "passes_made", json_integer(r.passes));
        json_object_set_new(facts, "singular_value_first", json_real(r.first));
        json_object_set_new(facts, "singular_value_last", json_real(r.last));
        json_object_set_new(facts, "explained", json_real(r.share));
        json_object_set_new(facts, "seconds", json_real(ig_clock() - start));
        code = ig_embed_end(&c->embed, self, c, &v, json_incref(facts), NULL, err);
    }
    json_decref(facts);
    ig_vectors_free(&v);
    ig_text_ids_free(&text);
    ig_team_free(team);
    return code;
}

const ig_command ig_cmd_embed_svd = {
    .name = "embed svd",
    .summary = "word vectors from counts: PPMI and a truncated SVD",
    .args = "[FILE…]",
    .min_arg = 0,
    .max_arg = -1,
    .details =
        "Reads what embed word2vec reads. Example:\n"
        "  isoglot embed svd --dim 300 --split words --lowercase --out eng.vec eng-kjv.tsv.zst",
    .options = options,
    .n_option = sizeof options / sizeof *options,
    .config_size = sizeof(config),
    .run = run,
};
