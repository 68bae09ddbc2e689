/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus shard: the sentences of texts as tokens, in a file that training maps.
 */
#include "base/file.h"
#include "cli/commands.h"
#include "text/tokenizer/unknown_pieces.h"
#include "cli/print/json_print.h"
#include "cli/corpus/corpus_options.h"
#include "corpus/read/shard.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_text_config text;
    char *vocab, *out;
    bool lowercase, allow_unknown, json;
} config;

static const ig_option options[] = {
    IG_TEXT_OPTIONS(config, text),
    {.group = "Tokens",
     IG_PATH(config, "vocab", vocab, "FILE", "vocab.txt of the word pieces (required)")},
    {IG_FLAG(config, "lowercase", lowercase, NULL,
             "lower case and no accents, as in uncased BERT")},
    {IG_UNKNOWN_OPTION(config, allow_unknown)},
    {IG_PATH(config, "out", out, "FILE", "the shard to write (required)")},
    {IG_FLAG(config, "json", json, NULL, "result as JSON")},
};

static ig_code run_corpus_shard(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_sentence_options o;
    IG_TRY(ig_text_config_resolve(&o, &c->text, err));
    ig_tokenizer_options how = {.lowercase = c->lowercase};
    ig_tokenizer *t = NULL;
    ig_sentences *s = NULL;
    ig_shard *shard = NULL;
    if (c->vocab == NULL)
        return ig_fail(err, IG_ERR_USAGE, "vocab", 0, "no vocabulary is given");
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "out", 0, "no file to write is given");
    IG_TRY(ig_out_try(c->out, err));
    ig_code code = ig_tokenizer_load(&t, c->vocab, &how, err);
    IG_THEN(code, ig_sentences_open(&s, (const char *const *)arg, n_arg, &o, err));
    IG_THEN(code, ig_shard_from_sentences(c->out, s, t, c->allow_unknown, err));
    if (code == IG_ERR_OK && strcmp(c->out, "-") == 0)
        goto done;
    IG_THEN(code, ig_shard_open(&shard, c->out, err));
    const long long n = code == IG_ERR_OK ? (long long)ig_shard_n_sentence(shard) : 0,
                    n_token = code == IG_ERR_OK ? (long long)ig_shard_n_token(shard) : 0;
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_pack("{s:s, s:I, s:I}", "shard", c->out, "sentences",
                                       (json_int_t)n, "tokens", (json_int_t)n_token),
                             err);
    else if (code == IG_ERR_OK)
        printf("%s: %lld sentence%s, %lld token%s\n", c->out, n, n == 1 ? "" : "s", n_token,
               n_token == 1 ? "" : "s");
done:
    ig_shard_close(shard);
    ig_sentences_close(s);
    ig_tokenizer_free(t);
    return code;
}

const ig_command ig_cmd_corpus_shard = {
    .name = "corpus shard",
    .summary = "turn texts into a token shard",
    .args = "FILE…",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "Sentences as in `corpus sentences`, through the tokenizer, into one file that appears "
        "complete or\n"
        "not at all.\n"
        "  isoglot corpus shard eng-bbe.tsv.zst --ids NT --vocab vocab.txt --out train.shard",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_shard,
};
