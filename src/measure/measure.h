/* SPDX-License-Identifier: Apache-2.0
 *
 * All measures of a bilingual masked language model in one pass over the data: word alignment,
 * sentence retrieval (ρ), word translation (τ), μ, pseudo-perplexity. docs/measures.md gives every
 * formula, its source and its rule for ties.
 */
#pragma once

#include "apply/encoder.h"
#include "base/threads/stop.h"
#include "corpus/batch/batcher.h"
#include "isoglot/model.h"
#include "measure/spaces.h"
#include "model/engine/engine.h"
#include "store/row.h"
#include "store/store_task.h"

/* Which measures, a bit each (measure/measure_list.h). */
typedef uint32_t ig_measure_set;
enum { IG_MEASURE_MOST = 32 };

enum { IG_MEASURE_MAX_LAYER = 64, IG_MEASURE_MAX_LANGUAGE = 32, IG_MEASURE_NAME = 32 };

typedef struct {
    int n_layer;                     /* 0: the pair of μ, ig_measure_mu_layers */
    int layer[IG_MEASURE_MAX_LAYER]; /* ascending; 0 = embeddings after LayerNorm, l = output of
                                        block l */
    int a, b;                        /* the two languages compared; default 0 and 1 */
    const char *split; /* what rows call the development text; borrowed; NULL: "dev" */
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
    ig_pooling pooling;   /* vectors of sentences: the mean of their pieces' states, the last one's,
                           * or the mean weighted by position; not IG_POOL_CLS */
    int64_t max_sentence; /* first so many sentences of each language and corpus; 0: all */
    /* The measures to run. `distinct` (translation of the words that are not one piece in both
     * languages) is added to word translation where some words are one piece. */
    ig_measure_set what;
    /* Reasons for missing measures (measure/missing.h); borrowed; NULL: the settings of a run would
     * give them. */
    const char *need_tau, *need_rho, *need_perplexity;
} ig_measure_options;

/* mean, last, weighted, and which of ig_pooling each is. NULL-terminated. */
extern const char *const ig_measure_pooling_names[];
extern const ig_pooling ig_measure_poolings[];

typedef struct ig_measure_result ig_measure_result;
typedef struct ig_measure_with ig_measure_with;

/* The engine and threads that measures use, and what they learn from; all borrowed. */
struct ig_measure_with {
    ig_engine *engine;
    ig_bert *model;
    ig_team *team;
    const ig_ops *ops;
    ig_stop stop; /* polled before each batch and each few rows of a retrieval */
    /* Text that languages' means are learned from, for `shift` and `away`: the training text; NULL:
     * they have no numbers. */
    const ig_corpus *means;
    const ig_edit *edit; /* [n_edit] that the engine has */
    int n_edit;
    /* Text on which maps of sentences are learned, of the same languages; NULL: every second
     * sentence of the measured text. */
    const ig_corpus *learn;
};

/* Numbers are rows. A measure that was not requested, or cannot be computed (texts not parallel, no
 * gold), has none. Zeroed at first; freed with ig_measure_result_free. */
struct ig_measure_result {
    ig_measure_options options; /* as used: the layers filled in */
    int mu_layer[2];
    int n_language;
    char language[IG_MEASURE_MAX_LANGUAGE][IG_MEASURE_NAME];
    char pair[2 * IG_MEASURE_NAME]; /* "en-fake"; "": there are no two languages */
    ig_row_set rows;
    int64_t n_sentence;         /* pairs of the development set that were compared */
    int64_t n_word;             /* entries of the dictionary that τ counts … */
    int64_t n_special;          /* … and how many of them are special tokens */
    int64_t n_same, n_distinct; /* … and how many are one piece in both languages, with
                                 * one vector in the table of words, or two */
    char no_positions[96];      /* why position embeddings cannot be compared; "" */
    const char *no_gradients;   /* why there are none; NULL */
    const char *no_shift;       /* likewise of translation by shifted means */
    bool listed;                /* the dictionary is a file, all of whose translations count */
    json_t *of_pairs;           /* {"en-de": why a measure of that pair is missing}; NULL: none */
};
void ig_measure_result_free(ig_measure_result *r);

/* The name of the development text in rows. */
const char *ig_measure_split(const ig_measure_options *o);
/* The value of a number of the table (measure/measure_list.h) in the rows of the pair that was
 * compared: NaN where it has no row. layer −1: a number of no layer. */
double ig_measure_value(const ig_measure_result *r, const char *measure, int layer);
/* Pooled over languages and by options.perplexity; split "train" or that of the options. */
double ig_measure_perplexity(const ig_measure_result *r, const char *split);

/* Where the rows of a measure go, and what they have in common. */
typedef struct {
    ig_row_set *rows;
    const char *split, *languages;
    int layer;                   /* −1: none */
    bool listed;                 /* as of the result */
    const ig_store_task *number; /* of the measure that runs */
} ig_measure_out;
ig_measure_out ig_measure_out_of(ig_measure_result *r, int layer);
/* Appends a row of that number of the table, measured on n; NaN: none. */
ig_code ig_measure_put(const ig_measure_out *out, const char *measure, int64_t n, double value,
                       ig_err *err);

/* The measures on by default at the paper's layers, languages 0 and 1, `fixed`, all sentences. */
ig_measure_options ig_measure_defaults(const ig_batch_options *batching, uint64_t seed);

/* The layers of the options ascending and each once; none: those of μ. A layer that a model of that
 * depth does not have is IG_ERR_USAGE. */
ig_code ig_measure_take_layers(ig_measure_options *o, int depth, ig_err *err);

/* `train` gives perplexity only; NULL leaves it out. `dev` gives everything. A layer that the model
 * does not have is IG_ERR_USAGE, a non-finite hidden state IG_ERR_NUMERIC; IG_ERR_STOPPED when that
 * was asked for: nothing of the result is to be used. The same numbers for any team. */
ig_code ig_measure_run(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *train,
                       const ig_corpus *dev, const ig_measure_options *options, ig_err *err);

/* Returns whether translation of words of two pieces is reported: it was requested, or some words
 * are one piece. */
bool ig_measure_has_distinct(const ig_measure_result *r);
/* The share of the dictionary's entries that are one piece in both languages; NaN: there is none.
 */
double ig_measure_identical(const ig_measure_result *r);

json_t *ig_measure_names_json(ig_measure_set what); /* ["retrieval", …] */
/* {"rows": [{"measure", "split", "languages", "layer", "n", "value"}, …], "mu_layers",
 * "n_sentences", "missing", …}. Owned by the caller; NULL: no memory. The keys are in
 * docs/measures.md. */
json_t *ig_measure_json(const ig_measure_result *r);
