/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed glove.
 */
#include "cli/commands.h"

#include "cli/embed/context_options.h"
#include "cli/embed/embed_options.h"
#include "embed/train/glove/glove.h"

typedef struct {
    ig_glove_options o;
    double memory; /* GB */
    bool symmetric;
    ig_embed_config embed;
} config;

static const char *const bias_names[] = {"one", "eta", NULL};
static const char *const result_names[] = {"sum", "word", NULL};

static const ig_option options[] = {
    {.group = "Training", IG_INT_AS(config, "dim", o.dim, "50", "D", 1, 65536, "dimensions")},
    {IG_INT(config, "iterations", o.iterations, "25", 1, 1000000, "passes over the cells")},
    {IG_REAL_AS(config, "eta", o.eta, "0.05", "RATE", 1e-9, 10, "initial learning rate")},
    {IG_ENUM(config, "bias-rate", o.bias, "one", bias_names,
             "rate of the biases: 1, as GloVe does today, or eta, as in 2015")},
    {IG_REAL(config, "x-max", o.x_max, "100", 1e-9, 1e15,
             "count from which a cell has full weight")},
    {IG_REAL_AS(config, "alpha", o.alpha, "0.75", "A", 0, 10,
                "below it the weight is (x / x-max)^A")},
    {IG_ENUM(config, "vectors", o.result, "sum", result_names,
             "word plus context vectors, or word vectors alone")},
    {.group = "Cooccurrences",
     IG_INT(config, "window", o.cooccur.window, "15", 1, 1000,
            "words on each side, not beyond the line")},
    {IG_FLAG(config, "symmetric", symmetric, "true",
             "contexts on both sides; otherwise on the left")},
    {IG_FLAG(config, "distance-weighting", o.cooccur.weighted, "true",
             "a pair at distance k counts 1/k")},
    {IG_REAL_AS(config, "memory", memory, "4", "GB", 0, 1e6,
                "cells beyond that are in a temporary file")},
    {.name = "spill-dir",
     .kind = IG_OPT_PATH,
     .offset = offsetof(config, o.folder),
     .def = "/tmp",
     .value = "DIR",
     .help = "folder of that file"},
    IG_EMBED_OPTIONS(config, embed, "1"),
};

static ig_code run_embed_glove(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_glove_options o = c->o;
    o.cooccur.left_only = !c->symmetric;
    o.memory = c->memory * 1e9;
    o.seed = (uint64_t)c->embed.seed;
    ig_embedding e = {.config = &c->embed};
    ig_glove_report r;
    ig_code code = ig_embed_begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_glove(&e.v, &e.text, &o, e.team, &r, err));
    if (code == IG_ERR_OK) {
        double cells = (double)r.n_cell * (double)o.iterations;
        json_object_set_new(e.facts, "cells", json_integer(r.n_cell));
        json_object_set_new(e.facts, "spilled", json_boolean(r.spilled));
        json_object_set_new(e.facts, "cost", json_real(r.cost));
        json_object_set_new(e.facts, "seconds_counting", json_real(r.seconds_count));
        json_object_set_new(e.facts, "seconds_training", json_real(r.seconds_train));
        json_object_set_new(e.facts, "cells_per_second",
                            json_real(r.seconds_train > 0 ? cells / r.seconds_train : 0));
    }
    return ig_embed_end(&e, code, &ig_cmd_embed_glove, c, err);
}

const ig_command ig_cmd_embed_glove = {
    .name = "embed glove",
    .summary = "train GloVe vectors from cooccurrence counts",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads what embed word2vec reads; counts, shuffles and trains. Parameters and defaults "
        "are those of GloVe's programs. Example, with the settings of its demonstration:\n"
        "  isoglot embed glove --min-count 5 --iterations 15 --x-max 10 --out eng.vec "
        "eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_glove,
};
