/* SPDX-License-Identifier: Apache-2.0
 *
 * A family of transformers' models is a row: its keys in config.json, the values that are not
 * computed here, and its tensors' names. It is one file, or a row of one, and a line of
 * IG_FAMILY_LIST. The checkpoint's reader is written against this table.
 */
#pragma once

#include "isoglot/bert.h"

#include <jansson.h>

/* Row, in the order of ig_families; the first four are those that are written, and BERT is 0. */
#define IG_FAMILY_LIST(X)                                                                          \
    X(BERT, bert)                                                                                  \
    X(MEGATRON, megatron) /* BERT with LayerNorm before sublayers */                               \
    X(ROFORMER, roformer)                                                                          \
    X(OWN, own) /* no model of transformers */                                                     \
    X(MODERNBERT, modernbert)                                                                      \
    X(ROBERTA, roberta)                                                                            \
    X(XLM_ROBERTA, xlm_roberta)                                                                    \
    X(CAMEMBERT, camembert)                                                                        \
    X(DISTILBERT, distilbert)                                                                      \
    X(ELECTRA, electra)                                                                            \
    X(MPNET, mpnet)                                                                                \
    X(GPT2, gpt2)                                                                                  \
    X(LLAMA, llama)                                                                                \
    X(QWEN3, qwen3)                                                                                \
    X(EUROBERT, eurobert)                                                                          \
    X(GEMMA3, gemma3)

#define IG_FAMILY_ID(id, table) IG_FAMILY_##id,
typedef enum { IG_FAMILY_LIST(IG_FAMILY_ID) IG_N_FAMILY } ig_bert_family;
#undef IG_FAMILY_ID

/* Names of activations in config.json; two are of GELU's approximation by tanh. */
typedef enum {
    IG_ACTIVATION_GELU,
    IG_ACTIVATION_NEW,
    IG_ACTIVATION_TANH,
    IG_ACTIVATION_SILU,
    IG_N_ACTIVATION
} ig_activation_name;

/* A key that has another name than BERT's, or another default. */
typedef struct {
    const char *ours, *theirs; /* theirs NULL: the file has no such key, and `usual` holds */
    double usual; /* where the file leaves it out; NAN: it may not; an ig_activation_name */
} ig_family_key;

/* A key with one value that is computed here; it is that where the file leaves it out, too. */
typedef struct {
    const char *key, *json;
} ig_family_must;

/* A beginning of tensors' names; # is the number of a layer. */
typedef struct {
    const char *theirs, *ours;
    bool transposed; /* [inputs, outputs] (GPT-2's Conv1D) */
    int joined;      /* one tensor holds the rows of so many of ours; 0: 1 */
    bool plus_one;   /* its values are those less 1 */
} ig_family_name;
#define IG_FAMILY_NAME(of_file, of_bert) .theirs = of_file, .ours = of_bert

typedef struct {
    const char *type;   /* model_type */
    const char *prefix; /* of its classes: "DistilBert" */
    const char *usual;  /* the rest of the one that opens a folder: "ForMaskedLM" */
    ig_block_kind block;
    ig_position_kind position;
    bool roberta;                /* RoBERTa and its kin */
    bool causal, plain_output;   /* attention; logits are products of states and word embeddings */
    bool untied;                 /* where the file does not say, words are not tied */
    bool scaled_words;           /* word embeddings are multiplied by √D */
    const ig_pooler_kind *label; /* [2] of heads for labels of sequences and of tokens; NULL: they
                                  * are not read, where the family has names of its own */
    const char *inside; /* before names, where a model with a head was saved: "distilbert." */
    const ig_family_name *name; /* NULL: BERT's */
    const ig_family_key *key;
    const ig_family_must *must;
    /* Further settings; NULL: none. */
    ig_code (*read)(ig_bert_config *c, const json_t *j, const char *where, ig_err *err);
} ig_family;

#define IG_FAMILY_DECLARE(id, table) extern const ig_family ig_family_##table;
IG_FAMILY_LIST(IG_FAMILY_DECLARE)
#undef IG_FAMILY_DECLARE
extern const ig_family *const ig_families[IG_N_FAMILY];

/* The family of a config.json, by its model_type, or an error that names those that are read. One
 * without model_type is an old BERT's, unless its architecture is another model's. */
ig_code ig_family_of_json(ig_bert_family *f, const json_t *j, const char *where, ig_err *err);
/* The key's name in the file, and its default (`usual` unless the family has another). */
const char *ig_family_key_of(const ig_family *f, const char *ours, double *usual);
/* Refuses values that are not computed here, by name. */
ig_code ig_family_check(const ig_family *f, const json_t *j, const char *where, ig_err *err);
/* Gives BERT's keys of a config.json the family's names, and takes out those that it does not have.
 */
int ig_family_rename(json_t *j, const ig_family *f);
/* Adds the keys that only ModernBERT has. */
int ig_family_write_modernbert(json_t *j, const ig_bert_config *c);
/* Our name of a tensor of the file into `out`, and its row; false: it has none. */
bool ig_family_our_name(const ig_family *f, const char *theirs, char *out, size_t room,
                        const ig_family_name **row);
/* The file's name of one of ours. */
bool ig_family_their_name(const ig_family *f, const char *ours, char *out, size_t room);
