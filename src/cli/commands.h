/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of commands, one line each; cmd_NAME.c defines ig_cmd_NAME. Longer names first where one
 * begins with another ("corpus world" before "corpus").
 */
#pragma once

#include "base/settings/options.h"

#define IG_COMMANDS(X)                                                                             \
    X(align_ibm2)                                                                                  \
    X(align_order)                                                                                 \
    X(align_score)                                                                                 \
    X(align_transfer)                                                                              \
    X(align_words)                                                                                 \
    X(bli)                                                                                         \
    X(claims)                                                                                      \
    X(compare)                                                                                     \
    X(corpus_sentences)                                                                            \
    X(corpus_stats)                                                                                \
    X(corpus_transform)                                                                            \
    X(corpus_world)                                                                                \
    X(diagnose)                                                                                    \
    X(embed_contextual)                                                                            \
    X(embed_fasttext)                                                                              \
    X(embed_glove)                                                                                 \
    X(embed_neighbours)                                                                            \
    X(embed_word2vec)                                                                              \
    X(encode)                                                                                      \
    X(eval)                                                                                        \
    X(export)                                                                                      \
    X(fetch)                                                                                       \
    X(figure)                                                                                      \
    X(finetune)                                                                                    \
    X(help)                                                                                        \
    X(info)                                                                                        \
    X(map)                                                                                         \
    X(means)                                                                                       \
    X(model)                                                                                       \
    X(predict)                                                                                     \
    X(report)                                                                                      \
    X(run)                                                                                         \
    X(similarity)                                                                                  \
    X(status)                                                                                      \
    X(tokenize)                                                                                    \
    X(train)                                                                                       \
    X(translate)                                                                                   \
    X(vocab_overlap)                                                                               \
    X(vocab)

#define IG_COMMAND_DECLARE(name) extern const ig_command ig_cmd_##name;
IG_COMMANDS(IG_COMMAND_DECLARE)
#undef IG_COMMAND_DECLARE
