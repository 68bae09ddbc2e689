/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches for benchmarks: of a real text, or generated with the sentence lengths of a Bible.
 */
#pragma once

#include "isoglot/batch.h"
#include "isoglot/error.h"

#include <stdbool.h>

typedef struct {
    int n_batch;
    ig_batch *batch;       /* [n_batch] */
    int32_t *block;        /* all their arrays */
    int32_t *target_block; /* of ig_bench_batches_ask, or NULL */
    int64_t n_tok, longest;
} ig_bench_batches;

enum { IG_BENCH_PAIRS = -1, IG_BENCH_N_BATCH = 8 };

/* length > 0: all sequences have this many tokens. 0: lengths are log-normal, mean 26.5 with [CLS]
 * and [SEP], at most 90 (those of the New Testament of the Bible in Basic English with 2048
 * pieces). IG_BENCH_PAIRS: mean 40.1, at most 128, as in pairs of MultiNLI with bert-base-uncased's
 * pieces (10 071 of TaxiNLI: median 37, standard deviation of the logarithm .45); ids by Zipf's
 * law; 15 % of the tokens masked as usual. The second half of a batch is in language 1. */
ig_code ig_bench_batches_generate(ig_bench_batches *out, int batch, int length, int32_t vocab_size,
                                  ig_err *err);
/* Makes batches of a text and its shifted copy, as `isoglot train` does with its defaults;
 * *vocab_size: rows of the model. `ids` as there (may be NULL). grouped: the sequences of a
 * language are adjacent, as a model with separate parts requires. */
typedef struct {
    const char *text, *ids;
    bool grouped;
} ig_bench_text;
ig_code ig_bench_batches_text(ig_bench_batches *out, const ig_bench_text *t, int batch,
                              int32_t *vocab_size, ig_err *err);
/* Gives every token, or every sequence, a target of a head of n_label labels, instead of masked
 * words: labels are random, and so are heads for a parser. */
ig_code ig_bench_batches_ask(ig_bench_batches *b, ig_head_kind head, int32_t n_label, ig_err *err);
/* Gives every token but the last of a sequence the next one as target, as causal batches do. */
ig_code ig_bench_batches_next(ig_bench_batches *b, ig_err *err);
void ig_bench_batches_free(ig_bench_batches *b);

/* Writes one JSON object a line: {"start": […], "input": […], "position": […], "segment": […],
 * "row": […], "label": […]}, for other programs to run. */
ig_code ig_bench_batches_write(const ig_bench_batches *b, const char *path, ig_err *err);
