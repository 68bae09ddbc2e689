/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed word2vec, fasttext, glove, contextual: word vectors of a text. The trained ones
 * share the options of their text and of their result, and what they do before and after training.
 */
#include "apply/words/word_vectors.h"
#include "base/log.h"
#include "base/settings/options.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"
#include "embed/train/context.h"
#include "embed/train/glove/glove.h"
#include "embed/train/input.h"
#include "embed/train/word2vec.h"
#include "embed/vectors/vectors.h"
#include "model/device/device_name.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdio.h>

typedef struct {
    ig_text_config text;
    ig_embed_input_options o;
    bool json;
    char *out;
    int64_t seed;
    int threads;
    ig_vec_format as;
} embed_config;

static const char *const split_names[] = {"blanks", "words", NULL};

/* Entries for an option table whose struct has an embed_config as its member `m`. */
#define EMBED_OPTIONS(type, m, min_count_default)                                                  \
    {.group = "Result", IG_PATH(type, "out", m.out, "FILE", "write the vectors there")},           \
        {IG_ENUM(type, "as", m.as, "auto", ig_vec_format_names,                                    \
                 "format of the vectors; auto: by the name, .bin binary, .txt plain, else text")}, \
        {IG_FLAG(type, "json", m.json, NULL, "print the summary as one JSON object")},             \
        {IG_INT(type, "seed", m.seed, "0", 0, 9e15,                                                \
                "the same seed gives the same bits on any number of threads")},                    \
        {IG_INT(type, "threads", m.threads, "0", 0, 1024, "threads; 0: all processors")},          \
        {.group = "Words",                                                                         \
         IG_INT(type, "min-count", m.o.words.min_count, min_count_default, 1, 9e15,                \
                "ignore words that occur less often")},                                            \
        {IG_ENUM(type, "split", m.o.words.split, "blanks", split_names,                            \
                 "words: between blanks, or as BERT cuts, punctuation apart")},                    \
        {IG_FLAG(type, "lowercase", m.o.words.lowercase, NULL,                                     \
                 "lower case, accents stay; with --vocab: as an uncased BERT")},                   \
        {IG_PATH(type, "vocab", m.o.vocab, "FILE",                                                 \
                 "pieces of this vocab.txt or tokenizer.json in place of words")},                 \
        {IG_UNKNOWN_OPTION(type, m.o.words.allow_unknown)}, IG_TEXT_OPTIONS(type, m.text)

/* One training, from begin to end. */
typedef struct {
    const embed_config *config;
    const char *line_end; /* these two as in embed/train/text_ids.h */
    int32_t max_line;
    ig_team *team;
    ig_text_ids text;
    ig_vectors v;  /* the result */
    json_t *facts; /* pairs of name and number, for the summary; begins with those of the text */
    ig_out with;   /* written and flushed, committed with the vectors or, like them, not at all; not
                    * open: none */
    double start;  /* when the text was read (ig_clock) */
} embedding;

typedef struct {
    ig_context_options o;
    bool sequential;
} context_config;

static const char *const model_names[] = {"skipgram", "cbow", NULL};

/* Entries for an option table whose struct has an context_config as its member `m`. */
#define CONTEXT_OPTIONS(type, m, model_default, sample_default, init_default, lr_default, lr_help) \
    {.group = "Training",                                                                          \
     .old = "model",                                                                               \
     IG_ENUM(                                                                                      \
         type, "embed-model", m.o.model, model_default, model_names,                               \
         "what is predicted: the words around it from a word, or a word from those around it")},   \
        {IG_INT_AS(type, "dim", m.o.dim, "100", "D", 1, 65536, "dimensions")},                     \
        {IG_INT(type, "window", m.o.window, "5", 1, 1000,                                          \
                "words on each side, at most; for each word 1 to N are drawn")},                   \
        {IG_INT_AS(type, "negative", m.o.negative, "5", "K", 1, 1000,                              \
                   "negative words for each pair")},                                               \
        {IG_INT(type, "epochs", m.o.epochs, "5", 1, 1000000, "passes over the text")},             \
        {IG_REAL_AS(type, "lr", m.o.lr, lr_default, "RATE", 0, 10, lr_help)},                      \
        {IG_REAL_AS(type, "sample", m.o.sample, sample_default, "T", 0, 1,                         \
                    "threshold of subsampling frequent words; 0: none")},                          \
        {.old = "init",                                                                            \
         IG_REAL(type, "init-uniform", m.o.init, init_default, 0, 1e6,                             \
                 "vectors begin uniform in +-X/D (word2vec 0.5; gensim, fastText 1)")},            \
        {IG_INT(type, "shared", m.o.shared, "0", 0, 100000,                                        \
                "negatives that the words of a group share; 0: 64 (skipgram), 32 (cbow)")},        \
        {IG_INT(type, "group", m.o.group, "0", 0, 1024,                                            \
                "words that share their negatives and are one matrix product; 0: by the data")},   \
        {IG_FLAG(type, "sequential", m.sequential, NULL,                                           \
                 "two words after the other in the order of the text, as the original programs "   \
                 "do: --group 2 --groups 1, one thread's work")},                                  \
    {                                                                                              \
        IG_INT(type, "groups", m.o.groups, "0", 0, 256, "groups computed at once; 0: by the data") \
    }

/* --- before and after training ---------------------------------------------------------------- */

/* The original programs read whole lines, too, unless sentences are requested. */
static bool whole_lines(const embed_config *c)
{
    return c->text.o.whole_lines || (!c->text.o.clauses && !c->text.o.abbreviations);
}

static ig_code read_text(embedding *e, int n_arg, char *const *arg, ig_err *err)
{
    const embed_config *c = e->config;
    ig_embed_input_options o = c->o;
    o.words.line_end = e->line_end;
    o.words.max_line = e->max_line;
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the vectors");
    if (c->as == IG_VEC_FASTTEXT) {
        ig_fail(err, IG_ERR_USAGE, "--as", 0, "found fasttext, expected text, plain or binary");
        return ig_hint(err, "'isoglot embed fasttext --save FILE' writes a fastText model");
    }
    IG_TRY(ig_text_config_resolve(&o.text, &c->text, err));
    o.text.whole_lines = whole_lines(c);
    IG_TRY(ig_out_try(c->out, err));
    IG_TRY(ig_team_new(&e->team, c->threads, err));
    return ig_embed_input(&e->text, (const char *const *)arg, n_arg, &o, err);
}

/* Counts of the text and of the words, sentences and tokens left out. */
static json_t *context_facts(const ig_text_ids *text)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "words_read", (json_int_t)text->n_read,
                     "distinct_words", (json_int_t)text->n_type, "words_too_long",
                     (json_int_t)text->n_too_long, "lines", (json_int_t)text->n_line, "vocabulary",
                     (json_int_t)text->words.n, "words_in_vocabulary", (json_int_t)text->n_token);
}

/* Checks the options, starts the team and reads the text; the fields up to max_line are set. Ended
 * with `end`, also after an error. */
static ig_code begin(embedding *e, int n_arg, char *const *arg, ig_err *err)
{
    const ig_code code = read_text(e, n_arg, arg, err);
    e->facts = context_facts(&e->text);
    e->start = ig_clock();
    return code;
}

/* Words of the text that are longer than any word and were left out. */
static void warn_long(int64_t n)
{
    if (n == 1)
        ig_log(IG_LOG_NORMAL,
               "warning: 1 word of the text is too long to be a word and was left out");
    else if (n > 1)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words of the text are too long to be words and were left out",
               (long long)n);
}

/* Vectors of next to no text are little else than the random ones that they began as. */
static void warn_of_little(const ig_vectors *v, const json_t *facts)
{
    enum { FEW_WORDS = 1000, FEW_TIMES = 10 };
    const json_t *trained = json_object_get(facts, "words_trained");
    const int64_t n_word = json_integer_value(json_object_get(facts, "words_in_vocabulary")),
                  n_trained = json_integer_value(trained);
    if (n_word < FEW_WORDS)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words of text are too few for vectors that mean anything",
               (long long)n_word);
    else if (trained != NULL && n_trained / FEW_TIMES < v->n)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld words were trained in all epochs, too few for %lld vectors that mean "
               "anything",
               (long long)n_trained, (long long)v->n);
}

/* All or none. */
static ig_code write_vectors(const embed_config *c, const ig_vectors *v, ig_out *with, ig_err *err)
{
    ig_out out;
    IG_TRY(ig_out_open(&out, c->out, err));
    ig_code code = ig_vectors_put(v, &out, c->as, err);
    IG_THEN(code, ig_out_flush(&out, err));
    if (with->fp != NULL)
        code = ig_out_close(with, code, err);
    return ig_out_close(&out, code, err);
}

static ig_code finish(embedding *e, const ig_command *command, const void *settings, ig_err *err)
{
    const embed_config *c = e->config;
    json_t *facts = e->facts;
    const char *key;
    json_t *value;
    json_auto_t *all = json_object(), *set = ig_options_json(command->options, settings);
    json_object_set_new(set, "whole_lines", json_boolean(whole_lines(c)));
    ig_code code = write_vectors(c, &e->v, &e->with, err);
    if (code == IG_ERR_OK) {
        warn_long(json_integer_value(json_object_get(facts, "words_too_long")));
        warn_of_little(&e->v, facts);
    }
    if (code == IG_ERR_OK && c->json) {
        json_object_set(all, "settings", set);
        json_object_update(all, facts);
        code = ig_json_print(all, err);
        all = NULL;
    } else if (code == IG_ERR_OK) {
        json_object_foreach(set, key, value) ig_json_print_value(key, 20, value);
        printf("\n");
        json_object_foreach(facts, key, value) ig_json_print_value(key, 20, value);
    }
    return code;
}

/* Unless `code` is an error: writes the vectors, warns where the text was too little for them, and
 * prints the summary: the settings of the command's table, then the facts. Frees all but the
 * config; returns `code` or its own error. */
static ig_code end(embedding *e, ig_code code, const ig_command *command, const void *settings,
                   ig_err *err)
{
    IG_THEN(code, finish(e, command, settings, err));
    ig_out_discard(&e->with);
    json_decref(e->facts);
    ig_vectors_free(&e->v);
    ig_text_ids_free(&e->text);
    ig_team_free(e->team);
    return code;
}

/* IG_ERR_USAGE for options that contradict each other. */
static ig_code context_resolve(ig_context_options *o, const context_config *c, int64_t seed,
                               ig_err *err)
{
    *o = c->o;
    o->seed = (uint64_t)seed;
    if (!c->sequential)
        return IG_ERR_OK;
    if (o->group > 0 || o->groups > 0)
        return ig_fail(err, IG_ERR_USAGE, "--sequential", 0,
                       "together with --%s, expected one of them",
                       o->group > 0 ? "group" : "groups");
    o->group = 2;
    o->groups = 1;
    return IG_ERR_OK;
}

static void add_context_facts(json_t *facts, const ig_context_report *r, double seconds)
{
    json_object_set_new(facts, "shared", json_integer(r->shared));
    json_object_set_new(facts, "group", json_integer(r->group));
    json_object_set_new(facts, "groups", json_integer(r->groups));
    json_object_set_new(facts, "window_parts", json_integer(r->parts));
    json_object_set_new(facts, "words_trained", json_integer(r->n_trained));
    json_object_set_new(facts, "loss", json_real(r->loss));
    json_object_set_new(facts, "seconds", json_real(seconds));
    json_object_set_new(facts, "words_per_second",
                        json_real(seconds > 0 ? (double)r->n_word / seconds : 0));
}

/* --- word2vec --------------------------------------------------------------------------------- */

typedef struct {
    context_config train;
    embed_config embed;
} word2vec_config;

static const ig_option word2vec_options[] = {
    CONTEXT_OPTIONS(word2vec_config, train, "cbow", "0.001", "0.5", "0",
                    "initial learning rate; 0: 0.025 for skip-gram, 0.05 for CBOW"),
    EMBED_OPTIONS(word2vec_config, embed, "5"),
};

static ig_code run_embed_word2vec(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    word2vec_config *c = settings;
    embedding e = {.config = &c->embed, .max_line = 1000};
    ig_context_report report;
    ig_context_options o;
    if (c->train.o.lr <= 0)
        c->train.o.lr = c->train.o.model == IG_CONTEXT_SKIPGRAM ? 0.025 : 0.05;
    IG_TRY(context_resolve(&o, &c->train, c->embed.seed, err));
    o.min_lr = 1e-4 * o.lr;
    o.ns_exponent = 0.75;
    ig_code code = begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_word2vec(&e.v, &e.text, &o, e.team, &report, err));
    if (code == IG_ERR_OK)
        add_context_facts(e.facts, &report, ig_clock() - e.start);
    return end(&e, code, &ig_cmd_embed_word2vec, c, err);
}

const ig_command ig_cmd_embed_word2vec = {
    .name = "embed word2vec",
    .summary = "train word vectors: skip-gram or CBOW",
    .args = "[FILE…]",
    .details =
        "Reads standard input or files (plain or compressed text, a token shard, or a run's "
        "folder). Parameters and defaults are word2vec's; how the work is batched, and why any "
        "number of threads gives the same bits, is in docs/embeddings.md.\nExample:\n"
        "  isoglot embed word2vec --embed-model skipgram --dim 300 --split words --lowercase\n"
        "    --out eng.vec eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(word2vec_options, word2vec_config),
    .run = run_embed_word2vec,
};

/* --- fasttext --------------------------------------------------------------------------------- */

typedef struct {
    context_config train;
    ig_fasttext_options o;
    embed_config embed;
} fasttext_config;

static const ig_option fasttext_options[] = {
    CONTEXT_OPTIONS(fasttext_config, train, "skipgram", "0.0001", "1", "0.05",
                    "initial learning rate"),
    {.group = "Character n-grams",
     IG_INT(fasttext_config, "minn", o.minn, "3", 0, 1000, "shortest n-gram, in characters")},
    {IG_INT(fasttext_config, "maxn", o.maxn, "6", 0, 1000, "longest n-gram; 0: none, words only")},
    {IG_INT(fasttext_config, "bucket", o.bucket, "2M", 1, 2e9, "rows that n-grams are hashed to")},
    {IG_PATH(fasttext_config, "save", o.model, "FILE",
             "write the whole model there as fastText's .bin")},
    EMBED_OPTIONS(fasttext_config, embed, "5"),
};

static ig_code run_embed_fasttext(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const fasttext_config *c = settings;
    embedding e = {.config = &c->embed, .line_end = "</s>", .max_line = 1024};
    ig_context_report report;
    ig_context_options o;
    ig_fasttext_options f = c->o;
    IG_TRY(context_resolve(&o, &c->train, c->embed.seed, err));
    o.ns_exponent = 0.5;
    f.context = &o;
    f.min_count = c->embed.o.words.min_count;
    f.out = &e.with;
    if (f.maxn > 0 && f.minn > f.maxn)
        return ig_fail(err, IG_ERR_USAGE, "--minn", 0, "found %d, expected at most --maxn %d",
                       f.minn, f.maxn);
    if (ig_out_same(f.model, c->embed.out))
        return ig_fail(err, IG_ERR_USAGE, "--save", 0, "is the same file as --out");
    IG_TRY(ig_out_try(f.model, err));
    ig_code code = begin(&e, n_arg, arg, err);
    IG_THEN(code, ig_fasttext_train(&e.v, &e.text, &f, e.team, &report, err));
    if (code == IG_ERR_OK)
        add_context_facts(e.facts, &report, ig_clock() - e.start);
    return end(&e, code, &ig_cmd_embed_fasttext, c, err);
}

const ig_command ig_cmd_embed_fasttext = {
    .name = "embed fasttext",
    .summary = "train word vectors with character n-grams",
    .args = "[FILE…]",
    .details =
        "Reads what embed word2vec reads. Parameters and defaults are fastText's, and so are the "
        "n-grams, their hash and the model file of --save, which fastText opens.\nExample:\n"
        "  isoglot embed fasttext --dim 300 --epochs 10 --min-count 2 --split words --lowercase\n"
        "    --out eng.vec --save eng.bin eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(fasttext_options, fasttext_config),
    .run = run_embed_fasttext,
};

/* --- glove ------------------------------------------------------------------------------------ */

typedef struct {
    ig_glove_options o;
    double memory; /* GB */
    bool symmetric;
    embed_config embed;
} glove_config;

static const char *const bias_names[] = {"one", "eta", NULL};
static const char *const result_names[] = {"sum", "word", NULL};

static const ig_option glove_options[] = {
    {.group = "Training", IG_INT_AS(glove_config, "dim", o.dim, "50", "D", 1, 65536, "dimensions")},
    {IG_INT(glove_config, "iterations", o.iterations, "25", 1, 1000000, "passes over the cells")},
    {IG_REAL_AS(glove_config, "eta", o.eta, "0.05", "RATE", 1e-9, 10, "initial learning rate")},
    {IG_ENUM(glove_config, "bias-rate", o.bias, "one", bias_names,
             "rate of the biases: 1, as GloVe does today, or eta, as in 2015")},
    {IG_REAL(glove_config, "x-max", o.x_max, "100", 1e-9, 1e15,
             "count from which a cell has full weight")},
    {IG_REAL_AS(glove_config, "alpha", o.alpha, "0.75", "A", 0, 10,
                "below it the weight is (x / x-max)^A")},
    {IG_ENUM(glove_config, "vectors", o.result, "sum", result_names,
             "word plus context vectors, or word vectors alone")},
    {.group = "Cooccurrences",
     IG_INT(glove_config, "window", o.cooccur.window, "15", 1, 1000,
            "words on each side, not beyond the line")},
    {IG_FLAG(glove_config, "symmetric", symmetric, "true",
             "contexts on both sides; otherwise on the left")},
    {IG_FLAG(glove_config, "distance-weighting", o.cooccur.weighted, "true",
             "a pair at distance k counts 1/k")},
    {IG_REAL_AS(glove_config, "memory", memory, "4", "GB", 0, 1e6,
                "cells beyond that are in a temporary file")},
    {.def = "/tmp", IG_PATH(glove_config, "spill-dir", o.folder, "DIR", "folder of that file")},
    EMBED_OPTIONS(glove_config, embed, "1"),
};

static ig_code run_embed_glove(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const glove_config *c = settings;
    ig_glove_options o = c->o;
    o.cooccur.left_only = !c->symmetric;
    o.memory = c->memory * 1e9;
    o.seed = (uint64_t)c->embed.seed;
    embedding e = {.config = &c->embed};
    ig_glove_report r;
    ig_code code = begin(&e, n_arg, arg, err);
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
    return end(&e, code, &ig_cmd_embed_glove, c, err);
}

const ig_command ig_cmd_embed_glove = {
    .name = "embed glove",
    .summary = "train GloVe vectors from cooccurrence counts",
    .args = "[FILE…]",
    .details =
        "Reads what embed word2vec reads; counts, shuffles and trains. Parameters and defaults "
        "are those of GloVe's programs. Example, with the settings of its demonstration:\n"
        "  isoglot embed glove --min-count 5 --iterations 15 --x-max 10 --out eng.vec "
        "eng-kjv.tsv.zst",
    IG_COMMAND_OPTIONS(glove_options, glove_config),
    .run = run_embed_glove,
};

/* --- contextual ------------------------------------------------------------------------------- */

typedef struct {
    ig_word_vectors_options o;
    char *out;
    ig_vec_format as;
    bool json;
    ig_text_config text;
} contextual_config;

static const ig_option contextual_options[] = {
    {.group = "What knows the words",
     IG_PATH(contextual_config, "model", o.model, "DIR", "a BERT: a Hugging Face folder or a run")},
    {IG_INT_AS(contextual_config, "layer", o.layer, "-1", "L", -1, 1000,
               "its layer, 0 the embeddings; -1: two thirds of the depth")},
    {IG_INT_AS(
        contextual_config, "window", o.window, "0", "W", 0, 1e6,
        "cut sentences into sequences of at most W word pieces; 0: as many as the model takes")},
    {IG_TEXT(contextual_config, "language", o.language, NULL, "NAME",
             "of a run's languages; default the first")},
    {IG_UNKNOWN_OPTION(contextual_config, o.allow_unknown)},
    {.group = "Result", IG_PATH(contextual_config, "out", out, "FILE", "write the vectors there")},
    {IG_ENUM(contextual_config, "as", as, "auto", ig_vec_format_names,
             "format of the vectors; auto: by the name, .bin binary, .txt plain, else text")},
    {IG_INT(contextual_config, "min-count", o.min_count, "1", 1, 9e15,
            "ignore words that occur less often")},
    {IG_FLAG(contextual_config, "json", json, NULL, "print the summary as one JSON object")},
    {IG_DEVICE_OPTION(contextual_config, o.device)},
    {IG_INT(contextual_config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the result does not depend on it")},
    {IG_FLAG(contextual_config, "lowercase", o.lowercase, NULL,
             "as an uncased BERT; default as the model's tokenizer_config.json says")},
    IG_TEXT_OPTIONS(contextual_config, text),
};

static ig_code print_report(const contextual_config *c, const ig_word_vectors_report *r,
                            const ig_vectors *v, ig_err *err)
{
    if (c->json)
        return ig_json_print(
            json_pack("{s:o, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}",
                      "settings", ig_options_json(ig_cmd_embed_contextual.options, c), "layer",
                      r->layer, "words", v->n, "dimensions", v->d, "sentences",
                      (json_int_t)r->n_line, "sequences", (json_int_t)r->n_sequence, "tokens",
                      (json_int_t)r->n_token, "words_read", (json_int_t)r->n_read, "distinct_words",
                      (json_int_t)r->n_type, "words_too_long", (json_int_t)r->n_no_word, "places",
                      (json_int_t)r->n_used, "unknown", (json_int_t)r->n_unknown, "too_long",
                      (json_int_t)r->n_long, "pieces_per_word", r->piece_share),
            err);
    printf("%d word%s, %d dimension%s, from %lld place%s in %lld sentence%s", v->n, ig_s(v->n),
           v->d, ig_s(v->d), (long long)r->n_used, ig_s(r->n_used), (long long)r->n_line,
           ig_s(r->n_line));
    printf("; layer %d, %lld sequence%s", r->layer, (long long)r->n_sequence, ig_s(r->n_sequence));
    printf("\n%.2f pieces a word; left out: %lld word%s with unknown pieces, %lld too long\n",
           r->piece_share, (long long)r->n_unknown, ig_s(r->n_unknown), (long long)r->n_long);
    return IG_ERR_OK;
}

static ig_code run_embed_contextual(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const contextual_config *c = settings;
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the vectors");
    if (c->as == IG_VEC_FASTTEXT)
        return ig_fail(err, IG_ERR_USAGE, "--as", 0,
                       "found fasttext, expected text, plain or binary");
    IG_TRY(ig_out_try(c->out, err));
    ig_word_vectors_options o = c->o;
    IG_TRY(ig_text_config_resolve(&o.text, &c->text, err));
    ig_vectors v = {0};
    ig_word_vectors_report r;
    ig_code code =
        ig_word_vectors(&v, &r, (ig_path_list){(const char *const *)arg, n_arg}, &o, err);
    IG_THEN(code, ig_vectors_write(&v, c->out, c->as, err));
    if (code == IG_ERR_OK) {
        warn_long(r.n_no_word);
        code = print_report(c, &r, &v, err);
    }
    ig_vectors_free(&v);
    return code;
}

const ig_command ig_cmd_embed_contextual = {
    .name = "embed contextual",
    .summary = "word vectors from a BERT: the mean of a word's states over its occurrences",
    .args = "[FILE…]",
    .details =
        "Every word of the text (tokenized as by BERT) gets the mean of the hidden states of its "
        "pieces, over all its occurrences (Liu et al. 2020). For word retrieval, make a file for "
        "each language's text and compare:\n"
        "  isoglot embed contextual --model runs/b --layer 8 --out en.vec en.txt\n"
        "  isoglot embed contextual --model runs/b --layer 8 --out es.vec es.txt\n"
        "  isoglot bli en.vec es.vec --candidates dictionary --dictionary en-es.5000-6500.txt",
    IG_COMMAND_OPTIONS(contextual_options, contextual_config),
    .run = run_embed_contextual,
};
