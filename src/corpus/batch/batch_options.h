/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of batches: instances, masks, order.
 */
#pragma once

#include "corpus/language/neighbour_table.h"
#include "isoglot/corpus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Choices where a paper's text, its program and good practice differ. */
typedef enum { IG_VARIANT_FIXED, IG_VARIANT_PAPER_TEXT, IG_VARIANT_PAPER_CODE } ig_variant;

/* The ids from which a random replacement is drawn. */
typedef enum {
    IG_RANDOM_ALL, /* every id of the vocabulary, special tokens too (the papers' programs) */
    IG_RANDOM_NONSPECIAL, /* every id but special tokens */
    IG_RANDOM_OWN         /* content ids of the sequence's own language */
} ig_random_vocab;

/* How languages share batches. */
typedef enum {
    IG_BATCH_MIXED,  /* in the order of the epoch */
    IG_BATCH_SINGLE, /* each batch of one language, batches in random order */
    IG_BATCH_GROUPED /* as mixed, but sorted by language in a batch */
} ig_batch_languages;

/* Pairs: the language of a random next sentence. */
typedef enum { IG_NEXT_OWN, IG_NEXT_ANY } ig_next_from;
/* The languages whose tokens become neighbours in others. */
typedef enum { IG_NEAR_ALL, IG_NEAR_FIRST } ig_near_languages;

/* The kinds of sequences. */
typedef enum {
    IG_INSTANCES_LINES,  /* [CLS] sentence [SEP] (Dufter & Schütze 2020) */
    IG_INSTANCES_STREAM, /* sentence [SEP] sentence [SEP] …, divided into blocks (XLM) */
    IG_INSTANCES_PAIRS   /* [CLS] sentences [SEP] sentences [SEP] (Devlin et al. 2019) */
} ig_instance_kind;

enum { IG_TLM_MAX = 64 };
typedef struct {
    int32_t a, b;
} ig_tlm_pair;

/* Fields that an option sets are as its table has them (run/run_options.c). */
typedef struct {
    int32_t batch;       /* sequences */
    double causal_share; /* of batches: each token predicts the next, none is masked. Above 0 the
                          * state of a masked token's predecessor predicts it, too */
    double mask_prob;    /* .15; of each token that is not [CLS], [SEP] or [PAD] */
    double mask_share;   /* of the chosen: becomes [MASK] */
    double random_share; /* of the chosen: becomes a random id; the rest stays */
    ig_random_vocab random_vocab;
    bool pad_attend; /* pad every sequence to the batch's longest and compute the padding */
    ig_variant shift_special; /* paper-code: a row gets a language's own special tokens when any id
                               * of its block is in it after masking (docs/batches.md) */
    bool drop_last;           /* leave out an epoch's last, smaller batch */
    ig_batch_languages languages;
    const ig_neighbour_table *near; /* borrowed; NULL: the following have no effect */
    double near_share;   /* of the chosen: becomes a neighbour, each of its row equally likely; a
                          * token without neighbours stays */
    double near_growth;  /* with every batch this much of random_share moves to near_share, as
                          * long as there is as much */
    double near_context; /* of the tokens that are not chosen: become a neighbour */
    ig_near_languages near_languages;
    /* Sampling of languages (corpus/batch/language_sampling.h). Off: every sequence once an
     * epoch. */
    bool sampled;
    double alpha;
    int64_t epoch_size; /* sequences of an epoch; 0: as many as there are */
    double share[IG_LANGUAGES_MAX];
    ig_instance_kind instances;
    int32_t document; /* pairs: longest document in sentences; 0: by ig_pairs_document */
    ig_next_from next_from;
    int32_t copies; /* of each sequence in an epoch, each with pairs and masks of its own; 0: 1 */
    bool static_masks; /* a copy has the same masks in every epoch */
    bool whole_words;  /* all tokens of a word are chosen, or none */
    int n_tlm;         /* translation language modelling: languages a and b of parallel text also
                        * come as [CLS] a [SEP] [CLS] b [SEP], each with positions from its own 0 */
    ig_tlm_pair tlm[IG_TLM_MAX];
    double tlm_share;     /* of their parallel sentences: come so, the same in every epoch */
    double mix_documents; /* stream: of each language's documents, have sentences of others; */
    double mix_sentences; /* of the sentences of those */
    uint64_t order; /* added to the seed of the order and of masks that are not static: 0, or a
                     * phase's. Pairs, parallel sentences and mixed documents stay the seed's */
} ig_batch_options;

/* The setting that lets a sequence have several languages; NULL: none does. */
static inline const char *ig_batch_mixes(const ig_batch_options *o)
{
    return o->n_tlm > 0                  ? "tlm"
           : o->mix_documents > 0        ? "mix-documents"
           : o->next_from == IG_NEXT_ANY ? "next-from any"
                                         : NULL;
}
