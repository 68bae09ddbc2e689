/* SPDX-License-Identifier: Apache-2.0
 *
 * The heads that a model may have, and the settings of one. Apart from the targets of a batch, so
 * that most code, which knows models but no batches, is not built again for a change of those.
 */
#ifndef ISOGLOT_HEAD_CONFIG_H
#define ISOGLOT_HEAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The heads, which are put on the encoder and predict something about a batch. ID, and the name of
 * its file in src/model/head. Their order is that of their tensors in a model. */
#define IG_HEAD_LIST(X)                                                                            \
    X(MASKED, masked_lm)   /* the word at a masked token (BertForMaskedLM) */                      \
    X(NEXT, next_sentence) /* 0: the second part of a pair follows the first, 1: it is a random    \
                              one (BertForPreTraining) */                                          \
    X(SEQUENCE, sequence_classification) /* a class of the sequence */                             \
    X(TOKEN, token_classification)       /* a class of the token */                                \
    X(CRF, crf)                          /* a class of each token, by the sequence's best path */  \
    X(PARSER, parser)                    /* head and label of each word, by the best tree */

#define IG_HEAD_ID(id, file) IG_HEAD_##id,
typedef enum { IG_HEAD_LIST(IG_HEAD_ID) IG_N_HEAD } ig_head_kind;
#undef IG_HEAD_ID

/* Which hidden states a head reads. */
typedef enum {
    IG_READ_LAST,  /* the last layer's */
    IG_READ_LAYER, /* those of one layer */
    IG_READ_MIX /* γ Σ softmax(s)_l h_l over the layers 1 .. L, s [L] and γ trained (Peters et al.
                 * 2018, eq. 1) */
} ig_read_kind;
enum { IG_N_READ = 3, IG_LSTM_MAX_LAYER = 2 };

/* Names what a head for labels of sequences or tokens does to a state before its classes. All but
 * the first are of models that are read, not trained. */
typedef enum {
    IG_POOLER_USUAL, /* BERT's: of sequences tanh(W h + b), of tokens nothing */
    IG_POOLER_RELU,  /* of sequences ReLU(W h + b) (DistilBERT) */
    IG_POOLER_GELU,  /* of sequences GELU(W h + b) (ELECTRA) */
    IG_POOLER_NORM   /* LN(GELU(W h + b)), as of masked words (ModernBERT) */
} ig_pooler_kind;

/* One head of a model. */
typedef struct {
    int32_t n_label; /* number of labels; 0: as in BertForMaskedLM, which has the head of masked
                      * words, with the vocabulary as labels, and no other; −1: the model does not
                      * have the head */
    ig_read_kind reads;
    int32_t layer; /* IG_READ_LAYER: 0 embeddings .. L */
    bool frozen;   /* the states it reads are not trained by it */
    /* Dropout of a head's input, and of its own activations; 0: hidden_dropout_prob, −1: none.
     * variational: all tokens of a sequence lose the same columns (Gal & Ghahramani 2016). */
    float dropout, inner_dropout;
    bool variational;
    ig_pooler_kind pooler;
    /* crf */
    int32_t lstm_layers, lstm_size; /* BiLSTM below it, 0: none; of each direction, 0: 200 */
    bool ends;                      /* scores of the first and the last label, too */
    bool sum;                       /* an update's loss is the sum over sequences, not their mean */
    /* parser */
    int32_t arc_size, label_size; /* 0: 512, 128 */
    bool linear_labels;           /* scores of labels by the head and by the word alone, too */
    bool joint_labels;            /* labels take part in choosing the tree */
    bool free_root;               /* ROOT is not trained, as in crosslingual-nlp's program */
} ig_head_config;

/* Sequences and their targets: isoglot/batch.h. */
typedef struct ig_batch ig_batch;

#ifdef __cplusplus
}
#endif

#endif
