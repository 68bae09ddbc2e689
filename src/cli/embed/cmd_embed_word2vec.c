/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed word2vec: skip-gram and CBOW.
 */
#include "base/log.h"

#include "cli/commands.h"
#include "cli/embed/context_options.h"
#include "cli/embed/embed_options.h"
#include "embed/train/word2vec.h"

typedef struct {
    ig_context_config train;
    ig_embed_config embed;
} config;

static const ig_option options[] = {
    IG_CONTEXT_OPTIONS(config, train, "cbow", "0.001", "0.5", "0",
                       "initial learning rate; 0: 0.025 for skip-gram, 0.05 for CBOW"),
    IG_EMBED_OPTIONS(config, embed, "5"),
};

static ig_code run_embed_word2vec(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    config *c = settings;
    ig_embedding e = {.config = &c->embed, .max_line = 1000};
    ig_context_report report;
    ig_context_options o;
    if (c->train.o.lr <= 0)
        c->train.o.lr = c->train.o.model == IG_CONTEXT_SKIPGRAM ? 0.025 : 0.05;
    IG_TRY(ig_context_config_resolve(&o, &c->train, c->embed.seed, err));
    o.min_lr = 1e-4 * o.lr;
    o.ns_exponent = 0.75;
    ig_code code = ig_embed_begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_word2vec(&e.v, &e.text, &o, e.team, &report, err));
    if (code == IG_ERR_OK)
        ig_context_facts_add(e.facts, &report, ig_clock() - e.start);
    return ig_embed_end(&e, code, &ig_cmd_embed_word2vec, c, err);
}

const ig_command ig_cmd_embed_word2vec = {
    .name = "embed word2vec",
    .summary = "train word vectors: skip-gram or CBOW",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads standard input or files (plain or compressed text, a token shard, or a run's "
        "folder). Parameters and defaults are word2vec's; how the work is batched, and why any "
        "number of threads gives the same bits, is in docs/embeddings.md.\nExample:\n"
        "  isoglot embed word2vec --model skipgram --dim 300 --split words --lowercase\n"
        "    --out eng.vec eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_word2vec,
};
