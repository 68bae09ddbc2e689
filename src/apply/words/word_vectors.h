/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of the words of a text from the hidden states of a BERT: the mean over all occurrences of
 * the word (Liu et al. 2020, "A Study", §3.1.1). A word of several pieces has their mean.
 */
#pragma once

#include "corpus/read/sentences.h"
#include "embed/vectors/vectors.h"

typedef struct {
    const char *model;        /* a Hugging Face folder or a run */
    int layer;                /* 0 embeddings … number of blocks; −1: two thirds of the depth */
    const char *language;     /* of the run's languages; NULL: the first */
    int32_t window;           /* pieces of a sequence at most; 0: as many as the model can take */
    int64_t min_count;        /* words with fewer occurrences have no vector */
    bool allow_unknown;       /* else a text with too many unknown pieces is an error */
    bool lowercase;           /* else as the model's tokenizer_config.json says */
    ig_sentence_options text; /* how the files are read; they are read into memory */
    int n_thread;             /* 0: all processors; the same bits for any */
    const char *device;       /* of ig_device_choose; NULL: the one that is chosen */
} ig_word_vectors_options;

typedef struct {
    int layer;          /* that was taken */
    int64_t n_line;     /* sentences */
    int64_t n_sequence; /* that the model saw: longer sentences are cut between words */
    int64_t n_token;    /* of these, special ones included */
    int64_t n_read;     /* words of the text */
    int64_t n_type;     /* different ones */
    int64_t n_no_word;  /* not among them: longer than any word (embed/train/text_ids.h) */
    int64_t n_used;     /* occurrences that went into the means */
    int64_t n_unknown;  /* different words left out because a piece is [UNK] */
    int64_t n_long;     /* different words left out because they do not fit a sequence */
    double piece_share; /* pieces per word, over the occurrences */
} ig_word_vectors_report;

typedef struct {
    const char *const *path;
    int n;
} ig_path_list;
/* Words, cut as BERT does it, most frequent first. */
ig_code ig_word_vectors(ig_vectors *out, ig_word_vectors_report *r, ig_path_list files,
                        const ig_word_vectors_options *o, ig_err *err);
