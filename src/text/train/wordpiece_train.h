/* SPDX-License-Identifier: Apache-2.0
 *
 * Training by merges, with the merges themselves.
 */
#pragma once

#include "isoglot/tokenizer.h"
#include "text/tokenizer/bpe.h"
#include "text/train/word_counts.h"

/* The result of a training; freed by the caller, also after an error. */
typedef struct {
    char *text;    /* of a vocab.txt, NUL-terminated: the five special tokens, then the pieces */
    int64_t n;     /* its bytes */
    ig_bpe bpe;    /* the merges, with IG_VOCAB_BPE */
    double *score; /* [lines] of a unigram model: log probabilities, 0 of special tokens */
    ig_wordpiece_report report;
} ig_trained;

/* Trains on words that have been counted, by merging the most frequent pair of neighbouring pieces
 * within words, as Hugging Face `tokenizers` 0.5.2 does (docs/tokenizer.md), ties to the pair with
 * the smaller ids. After the special tokens come the characters in the order of their code points,
 * "##" characters likewise, merges. With model IG_VOCAB_CHARS no pair is merged, and only the most
 * frequent characters that fit into `size` are kept. */
ig_code ig_merges_train(ig_trained *out, const ig_word_counts *words,
                        const ig_wordpiece_options *options, ig_err *err);
