/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and results that embed word2vec and embed fasttext share.
 */
#ifndef IG_CLI_EMBED_CONTEXT_OPTIONS_H
#define IG_CLI_EMBED_CONTEXT_OPTIONS_H

#include "base/settings/options.h"
#include "embed/train/context.h"

typedef struct {
    int model, loss; /* ig_context_model, ig_context_loss */
    int64_t dim, window, negative, epochs, shared, group, groups;
    double lr, sample, init;
    bool sequential;
} ig_context_config;

extern const char *const ig_context_model_names[], *const ig_context_loss_names[];

/* Entries for an option table whose struct has an ig_context_config as its member `m`. */
#define IG_CONTEXT_OPTIONS(type, m, model_default, sample_default, init_default, lr_default,       \
                           lr_help)                                                                \
    {.name = "model",                                                                              \
     .kind = IG_OPT_ENUM,                                                                          \
     .offset = offsetof(type, m.model),                                                            \
     .def = model_default,                                                                         \
     .names = ig_context_model_names,                                                              \
     .help = "what is predicted: the contexts from the word, or it from them",                     \
     .group = "Training"},                                                                         \
        {.name = "loss",                                                                           \
         .kind = IG_OPT_ENUM,                                                                      \
         .offset = offsetof(type, m.loss),                                                         \
         .def = "negative",                                                                        \
         .names = ig_context_loss_names,                                                           \
         .help = "negative sampling or hierarchical softmax"},                                     \
        {.name = "dim",                                                                            \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.dim),                                                          \
         .def = "100",                                                                             \
         .value = "D",                                                                             \
         .help = "dimensions",                                                                     \
         .min = 1,                                                                                 \
         .max = 65536},                                                                            \
        {.name = "window",                                                                         \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.window),                                                       \
         .def = "5",                                                                               \
         .value = "N",                                                                             \
         .help = "words on each side, at most; for each word 1 to N are drawn",                    \
         .min = 1,                                                                                 \
         .max = 1000},                                                                             \
        {.name = "negative",                                                                       \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.negative),                                                     \
         .def = "5",                                                                               \
         .value = "K",                                                                             \
         .help = "negative words for each pair",                                                   \
         .min = 1,                                                                                 \
         .max = 1000},                                                                             \
        {.name = "epochs",                                                                         \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.epochs),                                                       \
         .def = "5",                                                                               \
         .value = "N",                                                                             \
         .help = "passes over the text",                                                           \
         .min = 1,                                                                                 \
         .max = 1000000},                                                                          \
        {.name = "lr",                                                                             \
         .kind = IG_OPT_REAL,                                                                      \
         .offset = offsetof(type, m.lr),                                                           \
         .def = lr_default,                                                                        \
         .value = "RATE",                                                                          \
         .help = lr_help,                                                                          \
         .min = 0,                                                                                 \
         .max = 10},                                                                               \
        {.name = "sample",                                                                         \
         .kind = IG_OPT_REAL,                                                                      \
         .offset = offsetof(type, m.sample),                                                       \
         .def = sample_default,                                                                    \
         .value = "T",                                                                             \
         .help = "threshold of subsampling frequent words; 0: none",                               \
         .min = 0,                                                                                 \
         .max = 1},                                                                                \
        {.name = "init",                                                                           \
         .kind = IG_OPT_REAL,                                                                      \
         .offset = offsetof(type, m.init),                                                         \
         .def = init_default,                                                                      \
         .value = "X",                                                                             \
         .help = "vectors begin uniform in +-X/D (word2vec 0.5; gensim, fastText 1)",              \
         .min = 0,                                                                                 \
         .max = 1e6},                                                                              \
        {.name = "shared",                                                                         \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.shared),                                                       \
         .def = "0",                                                                               \
         .value = "N",                                                                             \
         .help = "negatives that the words of a group share; 0: 64 (skipgram), 32 (cbow)",         \
         .min = 0,                                                                                 \
         .max = 100000},                                                                           \
        {.name = "group",                                                                          \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.group),                                                        \
         .def = "0",                                                                               \
         .value = "N",                                                                             \
         .help = "words that share their negatives and are one matrix product; 0: by the data",    \
         .min = 0,                                                                                 \
         .max = 1024},                                                                             \
        {.name = "sequential",                                                                     \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.sequential),                                                   \
         .help = "two words after the other in the order of the text, as the original programs "   \
                 "do: --group 2 --groups 1, one thread's work"},                                   \
    {                                                                                              \
        .name = "groups", .kind = IG_OPT_INT, .offset = offsetof(type, m.groups), .def = "0",      \
        .value = "N", .help = "groups computed at once; 0: by the data", .min = 0, .max = 256      \
    }

/* IG_ERR_USAGE for options that contradict each other. */
ig_code ig_context_config_check(const ig_context_config *c, ig_err *err);
ig_context_options ig_context_config_resolve(const ig_context_config *c, uint64_t seed);

/* What was read; what came of it. */
json_t *ig_context_facts(const ig_text_ids *text);
void ig_context_facts_add(json_t *facts, const ig_context_report *r, double seconds);

#endif
