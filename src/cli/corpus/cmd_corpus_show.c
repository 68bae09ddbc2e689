/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus show: what a token shard holds; and what a pipeline makes of its sentences.
 */
#include "cli/commands.h"
#include "corpus/read/sentences.h"
#include "corpus/read/shard.h"
#include "isoglot/corpus.h"

#include <stdio.h>

typedef struct {
    char *vocab, *pipeline;
    int64_t from, count, block;
    bool json;
} config;

static const ig_option options[] = {
    {IG_PATH(config, "vocab", vocab, "FILE",
             "vocab.txt of the shard: print its sentences as pieces")},
    {IG_TEXT(config, "pipeline", pipeline, NULL, "TEXT",
             "transforms of the text, e.g. 'shift | invert' (with --vocab)")},
    {IG_INT(config, "from", from, "1", 1, 9e15, "first sentence to print")},
    {IG_INT(config, "count", count, "5", 0, 9e15, "sentences to print")},
    {IG_INT(config, "block", block, "128", 3, IG_SEQUENCE_MAX, "longest sequence")},
    {IG_FLAG(config, "json", json, NULL, "print the sizes as a JSON object")},
};

/* A piece in the language's own block is shown with "::" before it. */
static void print_token(const ig_tokenizer *t, const ig_language *l, int32_t id)
{
    int32_t local = id >= l->first_id ? id - l->first_id : id;
    if (id >= l->first_id && l->first_id > 0)
        fputs("::", stdout);
    fputs(ig_tokenizer_piece(t, local), stdout);
}

static ig_code print_sentences(const config *c, const ig_shard *s, const char *path, ig_err *err)
{
    ig_tokenizer_options how = {0};
    ig_tokenizer *t = NULL;
    ig_corpus *corpus = NULL;
    ig_code code = ig_tokenizer_load(&t, c->vocab, &how, err);
    if (code == IG_ERR_OK && ig_vocab_fingerprint(t) != ig_shard_vocab_hash(s))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "was made with another vocabulary than %.200s",
                       c->vocab);
    if (code != IG_ERR_OK)
        goto done;
    ig_language_spec spec = {"text", c->pipeline, s};
    ig_corpus_options o = {.base_vocab = ig_tokenizer_size(t),
                           .pad = ig_tokenizer_id(t, "[PAD]"),
                           .unk = ig_tokenizer_id(t, "[UNK]"),
                           .cls = ig_tokenizer_id(t, "[CLS]"),
                           .sep = ig_tokenizer_id(t, "[SEP]"),
                           .mask = ig_tokenizer_id(t, "[MASK]"),
                           .block = (int32_t)c->block};
    code = ig_corpus_new(&corpus, &spec, 1, &o, err);
    if (code != IG_ERR_OK)
        goto done;
    if (c->from > ig_corpus_n_sequence(corpus, 0)) {
        code = ig_fail(err, IG_ERR_USAGE, "--from", 0, "found %lld, expected 1 to %lld sentence%s",
                       (long long)c->from, (long long)ig_corpus_n_sequence(corpus, 0),
                       ig_corpus_n_sequence(corpus, 0) == 1 ? "" : "s");
        goto done;
    }
    for (int64_t i = c->from - 1; i < ig_corpus_n_sequence(corpus, 0) && i - c->from + 1 < c->count;
         i++) {
        int32_t id[IG_SEQUENCE_MAX], n = ig_corpus_sequence(corpus, 0, i, id);
        for (int32_t j = 0; j < n; j++) {
            if (j > 0)
                putchar(' ');
            print_token(t, ig_corpus_language(corpus, 0), id[j]);
        }
        putchar('\n');
    }
done:
    ig_corpus_free(corpus);
    ig_tokenizer_free(t);
    return code;
}

static void print_sizes(const ig_shard *s, bool json)
{
    int32_t n, longest = 0;
    long long n_sentence = ig_shard_n_sentence(s), n_token = ig_shard_n_token(s);
    unsigned long long hash = ig_shard_vocab_hash(s);
    for (int64_t i = 0; i < n_sentence; i++) {
        ig_shard_sentence(s, i, &n);
        longest = n > longest ? n : longest;
    }
    n = ig_shard_vocab_size(s);
    if (json)
        printf("{\"sentences\": %lld, \"tokens\": %lld, \"longest\": %d, \"vocab_size\": %d, "
               "\"vocab_hash\": \"%016llx\"}\n",
               n_sentence, n_token, longest, n, hash);
    else
        printf("sentences  %lld\ntokens     %lld\nlongest    %d\nvocabulary %d pieces, %016llx\n",
               n_sentence, n_token, longest, n, hash);
}

static ig_code run_corpus_show(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_shard *s;
    (void)n_arg;
    if (c->pipeline != NULL && c->vocab == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--pipeline", 0, "needs --vocab to print what it makes");
    if (c->json && c->vocab != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--json", 0,
                       "prints sizes, and --vocab prints sentences");
    IG_TRY(ig_shard_open(&s, arg[0], err));
    ig_code code = IG_ERR_OK;
    if (c->vocab != NULL)
        code = print_sentences(c, s, arg[0], err);
    else
        print_sizes(s, c->json);
    ig_shard_close(s);
    return code;
}

const ig_command ig_cmd_corpus_show = {
    .name = "corpus show",
    .summary = "print the contents of a token shard, and the output of a pipeline on it",
    .args = "SHARD",
    .min_arg = 1,
    .max_arg = 1,
    .details = "  isoglot corpus show train.shard\n"
               "  isoglot corpus show train.shard --vocab vocab.txt --pipeline 'shift | invert'",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_show,
};
