/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed fasttext: skip-gram and CBOW with character n-grams.
 */
#include "base/log.h"

#include "cli/commands.h"
#include "cli/embed/context_options.h"
#include "cli/embed/embed_options.h"
#include "embed/train/word2vec.h"

typedef struct {
    ig_context_config train;
    ig_fasttext_options o;
    ig_embed_config embed;
} config;

static const ig_option options[] = {
    IG_CONTEXT_OPTIONS(config, train, "skipgram", "0.0001", "1", "0.05", "initial learning rate"),
    {.group = "Character n-grams",
     IG_INT(config, "minn", o.minn, "3", 0, 1000, "shortest n-gram, in characters")},
    {IG_INT(config, "maxn", o.maxn, "6", 0, 1000, "longest n-gram; 0: none, words only")},
    {IG_INT(config, "bucket", o.bucket, "2M", 1, 2e9, "rows that n-grams are hashed to")},
    {IG_PATH(config, "save", o.model, "FILE", "write the whole model there as fastText's .bin")},
    IG_EMBED_OPTIONS(config, embed, "5"),
};

static ig_code run_embed_fasttext(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_embedding e = {.config = &c->embed, .line_end = "</s>", .max_line = 1024};
    ig_context_report report;
    ig_context_options o;
    ig_fasttext_options f = c->o;
    IG_TRY(ig_context_config_resolve(&o, &c->train, c->embed.seed, err));
    o.ns_exponent = 0.5;
    f.context = &o;
    f.min_count = c->embed.min_count;
    f.out = &e.with;
    if (f.maxn > 0 && f.minn > f.maxn)
        return ig_fail(err, IG_ERR_USAGE, "--minn", 0, "found %d, expected at most --maxn %d",
                       f.minn, f.maxn);
    if (ig_out_same(f.model, c->embed.out))
        return ig_fail(err, IG_ERR_USAGE, "--save", 0, "is the same file as --out");
    IG_TRY(ig_out_try(f.model, err));
    ig_code code = ig_embed_begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_fasttext_train(&e.v, &e.text, &f, e.team, &report, err));
    if (code == IG_ERR_OK)
        ig_context_facts_add(e.facts, &report, ig_clock() - e.start);
    return ig_embed_end(&e, code, &ig_cmd_embed_fasttext, c, err);
}

const ig_command ig_cmd_embed_fasttext = {
    .name = "embed fasttext",
    .summary = "train word vectors with character n-grams",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads what embed word2vec reads. Parameters and defaults are fastText's, and so are the "
        "n-grams, their hash and the model file of --save, which fastText opens.\nExample:\n"
        "  isoglot embed fasttext --dim 300 --epochs 10 --min-count 2 --split words --lowercase\n"
        "    --out eng.vec --save eng.bin eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_fasttext,
};
