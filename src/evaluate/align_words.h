/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments of parallel sentences by a model: each sentence goes through it alone, pieces are
 * compared by the cosine of one layer's states, and linked pieces link their words. Jalili Sabet et
 * al. 2020 (SimAlign), §2; no fine-tuning, no parallel text to learn from.
 */
#pragma once

#include "isoglot/error.h"
#include "text/tokenizer/unknown_pieces.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* argmax: each the other's nearest. match: the matching of greatest sum (the paper's Match).
 * itermax: the paper's IterMax. */
typedef enum { IG_ALIGN_ARGMAX, IG_ALIGN_MATCH, IG_ALIGN_ITERMAX } ig_align_method;
/* Units that are aligned: words between white space; the model's words, a piece and those that
 * continue it (of BERT's, punctuation marks and Chinese characters are words of their own); word
 * pieces. */
typedef enum { IG_ALIGN_WORD, IG_ALIGN_TOKEN, IG_ALIGN_PIECE } ig_align_unit;

typedef struct {
    const char *model; /* a model folder with vocab.txt, or the folder of a run */
    const char *a, *b; /* corpus/read/parallel_text.h; b may be NULL */
    const char *ids;   /* NULL: all */
    int layer;         /* −1: the upper layer of μ (8 of 12) */
    ig_align_method method;
    ig_align_unit unit;
    bool lowercase;     /* overrides tokenizer_config.json */
    bool allow_unknown; /* else a side with too many unknown pieces is an error */
    int64_t take;       /* the first N pairs; 0: all */
    int n_thread;
    const char *device;                /* of ig_device_choose; NULL: the one that is chosen */
    const volatile sig_atomic_t *stop; /* NULL: never */
} ig_align_options;

/* One pair: n links (a, b), sorted, from 0. Valid during the call. */
typedef struct {
    const int32_t *pairs;
    int32_t n;
    const char *text[2]; /* the units with single spaces between */
} ig_aligned;
typedef ig_code ig_aligned_fn(void *arg, const ig_aligned *pair, ig_err *err);

typedef struct {
    int layer;             /* as used */
    int64_t n_pair, n_cut; /* n_cut: pairs of which a side is longer than the model's positions */
    int64_t n_link;
    ig_unknown_pieces unknown[2]; /* of either side */
} ig_align_report;

/* Calls `each` for every pair in order. Same links for any number of threads. */
ig_code ig_align_words(ig_align_report *r, const ig_align_options *o, ig_aligned_fn *each,
                       void *arg, ig_err *err);
