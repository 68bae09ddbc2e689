/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine: runs a BERT over batches of packed tokens, forward and backward, on a team of
 * threads. Only real tokens are computed; attention stays within a sequence; the output layer runs
 * on the masked positions only.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/bert.h"
#include "model/edit/edit_list.h"
#include "tensor/ops.h"

typedef struct {
    ig_rng_key dropout_key; /* of IG_STREAM_DROPOUT */
    uint32_t step;          /* micro-step since the start of training */
    float scale[IG_N_HEAD]; /* the loss of each of a head's targets is multiplied by this before the
                             * gradient */
    bool dropout;           /* the configuration's probabilities, or none */
} ig_pass;

/* A head's results on its targets in the last batch. */
typedef struct {
    int64_t n;                /* targets; 0 where the batch has none for the head, or the model does
                               * not have it */
    double loss;              /* Σ −log p (natural, not scaled) */
    int64_t n_right;          /* number of them whose prediction was the label (and the head) */
    const double *nll;        /* [n] −log p of each */
    const int32_t *best;      /* [n] the likeliest label of each */
    const int32_t *best_head; /* [n] of a head that predicts trees; else NULL */
    const float *logits;      /* [n, labels] if they are kept and the head has them; else NULL */
} ig_head_result;

/* Precision of the operands of matrix products with weights and with weights' gradients. Weights,
 * activations, gradients, attention, sums and the optimiser are float32 either way. */
typedef enum { IG_PRECISION_F32 = 0, IG_PRECISION_BF16 = 1 } ig_precision;
enum { IG_N_PRECISION = 2 };
/* float32, bfloat16 and their short spellings f32, bf16: the ig_precision is index %
 * IG_N_PRECISION. NULL-terminated. */
extern const char *const ig_precision_names[];

/* The best op table of this CPU for a precision; an error (usage) where it has none. */
ig_code ig_engine_ops(const ig_ops **out, ig_precision precision, ig_err *err);

typedef struct ig_engine ig_engine;

/* Borrows model and team. `ops` NULL: ig_engine_ops(precision); else precision is not read. Freed
 * with ig_engine_free. */
ig_code ig_engine_new(ig_engine **out, ig_bert *model, ig_team *team, const ig_ops *ops,
                      ig_precision precision, ig_err *err);
void ig_engine_free(ig_engine *e);

/* Sets changes of hidden states, made in this order in every pass from now on (0: none); copied.
 * Bad ones are an error, and the previous ones stay. */
ig_code ig_engine_set_edits(ig_engine *e, const ig_edit *edits, int n, ig_err *err);

/* frozen[ig_bert_n_param]: their gradients are not computed from now on, and their parts of the
 * gradient block are undefined. The backward pass ends where nothing below is trained. */
ig_code ig_engine_set_frozen(ig_engine *e, const bool *frozen, ig_err *err);

/* From now on results have logits, of the heads whose predictions do not depend on each other. */
void ig_engine_keep_logits(ig_engine *e);

/* Must be called after the model's weights were changed (packed copies are made again). */
void ig_engine_weights_changed(ig_engine *e);

/* Adds the gradient of each head's scale · Σ nll to the gradient block. */
ig_code ig_engine_train(ig_engine *e, const ig_batch *b, const ig_pass *pass, ig_err *err);
/* Runs forward without dropout. */
ig_code ig_engine_predict(ig_engine *e, const ig_batch *b, ig_err *err);
/* Result of the last batch trained or predicted; its arrays belong to the engine and last until the
 * next. */
ig_head_result ig_engine_result(const ig_engine *e, ig_head_kind head);
/* The gradient block (laid out as the weights, on the device): complete after ig_engine_train; zero
 * it with _clear. */
float *ig_engine_gradient(ig_engine *e);
void ig_engine_gradient_clear(ig_engine *e);
/* The same with this rank's slice alone (model/ranks/slices.h). */
float *ig_engine_gradient_part(ig_engine *e);

/* From now on all ranks compute this engine's batches (base/ranks/ranks.h), to the same bits; in
 * the others an engine of the same model serves (model/ranks/spread.h). */
ig_code ig_engine_spread(ig_engine *e, ig_err *err);
bool ig_engine_is_spread(const ig_engine *e);

/* Computes hidden states without dropout. layers[n_layer] ascending: 0 = embeddings after
 * LayerNorm, l = output of block l; pre-LN: the sum of the sublayers of 0 .. l, for the last layer
 * its LayerNorm. out[i] is [N, D] of layer layers[i]. Stops after the last requested layer. */
ig_code ig_engine_encode(ig_engine *e, const ig_batch *b, const int *layers, int n_layer,
                         float *const *out, ig_err *err);

/* Names what a block computes on its way: its heads' outputs side by side, before the product that
 * joins them [Q]; what its neurons give [F]; or numbers whose sign is that of their activation [F],
 * which in a gated FFN is one of two factors of what they give. */
typedef enum { IG_INNER_NONE, IG_INNER_HEADS, IG_INNER_NEURONS, IG_INNER_ACTIVE } ig_inner;
int ig_inner_width(const ig_bert_config *c, ig_inner which);
/* As ig_engine_encode, but of blocks layers[i] ≥ 1: out[i] is [N, ig_inner_width]. */
ig_code ig_engine_inner(ig_engine *e, const ig_batch *b, ig_inner which, const int *layers,
                        int n_layer, float *const *out, ig_err *err);

/* FLOP of one ig_engine_train on this batch, a multiply-add being two: the model's products over
 * real tokens (blocks, attention within sequences, head on masked rows; × 3, blocks under frozen
 * heads × 1). The rows that the last block leaves out count as well: it is the model's cost, not
 * this engine's. */
double ig_engine_train_flop(const ig_bert_config *c, const ig_batch *b);
/* Bytes the engine holds or will hold for batches of this many tokens. */
int64_t ig_engine_memory(const ig_bert_config *c, int32_t n_tok, int32_t longest, int n_thread);
