/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and results that embed word2vec and embed fasttext share.
 */
#pragma once

#include "base/settings/options.h"
#include "embed/train/context.h"

typedef struct {
    ig_context_options o;
    bool sequential;
} ig_context_config;

extern const char *const ig_context_model_names[], *const ig_context_loss_names[];

/* Entries for an option table whose struct has an ig_context_config as its member `m`. */
#define IG_CONTEXT_OPTIONS(type, m, model_default, sample_default, init_default, lr_default,       \
                           lr_help)                                                                \
    {.group = "Training",                                                                          \
     IG_ENUM(type, "model", m.o.model, model_default, ig_context_model_names,                      \
             "what is predicted: the contexts from the word, or it from them")},                   \
        {IG_ENUM(type, "loss", m.o.loss, "negative", ig_context_loss_names,                        \
                 "negative sampling or hierarchical softmax")},                                    \
        {IG_INT_AS(type, "dim", m.o.dim, "100", "D", 1, 65536, "dimensions")},                     \
        {IG_INT(type, "window", m.o.window, "5", 1, 1000,                                          \
                "words on each side, at most; for each word 1 to N are drawn")},                   \
        {IG_INT_AS(type, "negative", m.o.negative, "5", "K", 1, 1000,                              \
                   "negative words for each pair")},                                               \
        {IG_INT(type, "epochs", m.o.epochs, "5", 1, 1000000, "passes over the text")},             \
        {IG_REAL_AS(type, "lr", m.o.lr, lr_default, "RATE", 0, 10, lr_help)},                      \
        {IG_REAL_AS(type, "sample", m.o.sample, sample_default, "T", 0, 1,                         \
                    "threshold of subsampling frequent words; 0: none")},                          \
        {IG_REAL(type, "init", m.o.init, init_default, 0, 1e6,                                     \
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

/* IG_ERR_USAGE for options that contradict each other. */
ig_code ig_context_config_resolve(ig_context_options *o, const ig_context_config *c, int64_t seed,
                                  ig_err *err);

/* Counts of the text and of the words, sentences and tokens left out. */
json_t *ig_context_facts(const ig_text_ids *text);
void ig_context_facts_add(json_t *facts, const ig_context_report *r, double seconds);
