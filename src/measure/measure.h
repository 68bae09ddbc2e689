/* SPDX-License-Identifier: Apache-2.0
 *
 * All measures of a bilingual masked language model in one pass over the data: word alignment,
 * sentence retrieval (ρ), word translation (τ), μ, pseudo-perplexity. docs/measures.md gives every
 * formula, its source and its rule for ties.
 */
#pragma once

#include "base/threads/stop.h"
#include "corpus/batch/batcher.h"
#include "measure/alignment.h"
#include "measure/perplexity.h"
#include "measure/nearest/retrieval.h"
#include "measure/position_cosines.h"
#include "measure/spaces.h"
#include "model/engine/engine.h"

#include <jansson.h>

/* Which measures, a bit each, and room for the numbers of those that have no place of their own in
 * ig_measure_layer (measure/measure_list.h). */
typedef uint32_t ig_measure_set;
enum { IG_MEASURE_MOST = 32, IG_MEASURE_NUMBERS = 12 };

enum { IG_MEASURE_MAX_LAYER = 64, IG_MEASURE_MAX_LANGUAGE = 32 };

typedef struct {
    int n_layer;                     /* 0: the pair of μ, ig_measure_mu_layers */
    int layer[IG_MEASURE_MAX_LAYER]; /* ascending; 0 = embeddings after LayerNorm, l = output of
                                        block l */
    int a, b;                        /* the two languages compared; default 0 and 1 */
    /* Which words τ counts. fixed: the entries of the gold dictionary. paper-text and paper-code:
     * all ids of the language's block (2048), its special tokens too, though some may never have
     * been trained. */
    ig_variant translation;
    /* Which mean `perplexity.train` and `.dev` are; both are always reported. fixed, paper-text: by
     * token; paper-code: exp of the mean of the batches' means. */
    ig_variant perplexity;
    /* As in training: batch, mask_prob, pad_attend and shift_special are used; the shares of
     * masking are always (1, 0, 0). */
    ig_batch_options batching;
    uint64_t seed;        /* of the masks (IG_STREAM_EVAL) */
    int64_t max_sentence; /* first so many sentences of each language and corpus; 0: all */
    /* What is measured. `distinct` (translation of the words that are not the same piece in both
     * languages) is taken with word translation where some words are one piece, asked for or not.
     */
    ig_measure_set what;
    /* What measure/missing.h says of the measures that cannot be had; borrowed; NULL: as of a run,
     * whose settings would give them. */
    const char *need_tau, *need_rho, *need_perplexity;
} ig_measure_options;

typedef struct ig_measure_result ig_measure_result;
typedef struct ig_measure_with ig_measure_with;

/* A measure that is taken with more than is here; fills its own `value` of each layer. `arg` is
 * borrowed; run NULL: none. */
typedef struct {
    ig_code (*run)(const void *arg, ig_measure_result *out, const ig_measure_with *with,
                   const ig_corpus *dev, ig_err *err);
    const void *arg;
} ig_measure_above;

/* What works for it; all borrowed. */
struct ig_measure_with {
    ig_engine *engine;
    ig_bert *model;
    ig_team *team;
    const ig_ops *ops;
    ig_stop stop;           /* asked before each batch and each few rows of a retrieval */
    ig_measure_above shift; /* `shift` and `away` (run/edit/measure_shift.h) */
    ig_measure_above maps;  /* that of that name (run/measure/words/measure_maps.h) */
    /* Where maps of sentences are learned, of the same languages; NULL: on every second sentence of
     * the text that is measured. */
    const ig_corpus *learn;
};

/* What was not asked for, or cannot be had (texts not parallel, no gold), is NaN with counts of 0.
 */
typedef struct {
    int layer;
    ig_alignment_count edges;
    ig_alignment_score alignment;
    ig_retrieval_score sentence;                       /* .mean is ρ */
    ig_retrieval_score word;                           /* .mean is τ */
    ig_retrieval_score distinct_word;                  /* of pairs of two pieces alone */
    double cka;                                        /* of the sentences' vectors, linear */
    ig_retrieval_score mapped_sentence, mapped_word;   /* after a map learned on the other half */
    double value[IG_MEASURE_MOST][IG_MEASURE_NUMBERS]; /* of measures without a place above */
} ig_measure_layer;

typedef struct {
    char name[32];
    ig_perplexity train, dev;
} ig_measure_language;

struct ig_measure_result {
    ig_measure_options options; /* as used: the layers filled in */
    int n_layer;
    ig_measure_layer layer[IG_MEASURE_MAX_LAYER];
    int mu_layer[2];
    double mu;          /* NaN unless both layers of μ were measured */
    double mu_distinct; /* the same with translation of words of two pieces; NaN likewise */
    int n_language;
    ig_measure_language language[IG_MEASURE_MAX_LANGUAGE];
    ig_perplexity train, dev;                /* pooled over the languages */
    double perplexity_train, perplexity_dev; /* by options.perplexity */
    int64_t n_sentence;                      /* pairs of the development set that were compared */
    int64_t n_word;                          /* entries of the dictionary that τ counts … */
    int64_t n_special;                       /* … and how many of them are special tokens */
    int64_t n_same, n_distinct; /* … and how many are one piece in both languages, with
                                 * one vector in the table of words, or two */
    ig_position_cosines positions;
    bool listed; /* the dictionary is a file, all of whose translations count */
};

/* The paper's layers 0 and 8 of 12, carried over to any depth L: 0 and ⌈2L/3⌉. */
void ig_measure_mu_layers(int num_hidden_layers, int layer[2]);

/* What is measured by default, the paper's layers, languages 0 and 1, `fixed`, all sentences. */
ig_measure_options ig_measure_defaults(const ig_batch_options *batching, uint64_t seed);

/* `train` gives perplexity only; NULL leaves it out. `dev` gives everything. A layer that the model
 * does not have is IG_ERR_USAGE, a non-finite hidden state IG_ERR_NUMERIC; IG_ERR_STOPPED when that
 * was asked for: nothing of the result is to be used. The same numbers for any team. */
ig_code ig_measure_run(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *train,
                       const ig_corpus *dev, const ig_measure_options *options, ig_err *err);

/* Whether translation of words of two pieces is told: it was asked for, or some are one. */
bool ig_measure_has_distinct(const ig_measure_result *r);
/* The share of the dictionary's entries that are one piece in both languages; NaN: there is none.
 */
double ig_measure_identical(const ig_measure_result *r);

/* One layer of it. */
json_t *ig_measure_layer_json(const ig_measure_layer *l, ig_measure_set what);

json_t *ig_measure_names_json(ig_measure_set what); /* ["retrieval", …] */
/* {"forward": {"p@1", …}, "backward": {…}} */
json_t *ig_retrieval_json(const ig_retrieval_score *s);

/* {"layers": {"0": {"f1", "rho", "tau", …}}, "mu", "perplexity": {"train", "dev", …}, …}; null for
 * NaN. Owned by the caller; NULL: no memory. The keys are in docs/measures.md. */
json_t *ig_measure_json(const ig_measure_result *r);
