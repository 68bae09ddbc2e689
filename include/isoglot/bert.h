/* SPDX-License-Identifier: Apache-2.0
 *
 * BERT with its masked-language-model head: configuration, parameters, checkpoints.
 * Devlin et al. 2019 as in Hugging Face's BertForMaskedLM: post-LN, erf-GELU, learned positions,
 * tied decoder with a bias of its own; each of these can be another (docs/model.md). Letters: V
 * vocabulary, P positions, S segment types, D hidden size, H heads, F FFN size, L layers.
 */
#ifndef ISOGLOT_BERT_H
#define ISOGLOT_BERT_H

#include "isoglot/error.h"
#include "isoglot/head_config.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the model knows the order of its tokens. */
typedef enum {
    IG_POSITION_LEARNED,      /* a trained table, added to the word embeddings */
    IG_POSITION_NONE,         /* not at all */
    IG_POSITION_SINUSOIDAL,   /* a fixed table, added (Vaswani et al. 2017, §3.5) */
    IG_POSITION_RELATIVE_KEY, /* a trained vector for each distance, against the query, in every
                               * layer (Shaw et al. 2018, eq. 4; Hugging Face's relative_key) */
    IG_POSITION_RELATIVE_KEY_QUERY, /* against query and key (Huang et al. 2020, method 4) */
    IG_POSITION_ROTARY              /* queries and keys rotated (Su et al. 2021, eq. 16 and 34) */
} ig_position_kind;
enum { IG_N_POSITION_KIND = 6 };
/* learned, none, sinusoidal, relative-key, relative-key-query, rotary. NULL-terminated. */
extern const char *const ig_position_names[];

/* The kinds of blocks, and of what stands around them. ID, and its table in src/model/block. */
#define IG_BLOCK_LIST(X)                                                                           \
    X(POST_NORM, post_norm) /* LayerNorm after each sublayer and after the embeddings (BERT) */    \
    X(PRE_NORM, pre_norm)   /* before each sublayer, and after the last (MegatronBERT) */          \
    X(MODERN, modern)       /* pre-norm, a gated FFN, alternating attention (ModernBERT) */        \
    X(LLAMA, llama)         /* RMSNorm before each sublayer, a gated FFN (Llama, EuroBERT) */      \
    X(QWEN3, qwen3)         /* the same with norms of queries and keys */                          \
    X(GEMMA3, gemma3)       /* the same with norms after each sublayer, too */

#define IG_BLOCK_ID(id, table) IG_BLOCK_##id,
typedef enum { IG_BLOCK_LIST(IG_BLOCK_ID) IG_N_BLOCK } ig_block_kind;
#undef IG_BLOCK_ID

/* Rules of initial weights; biases are 0 and LayerNorm 1 and 0 unless the rule sets them. */
typedef enum {
    IG_BERT_INIT_NORMAL,    /* matrices N(0, initializer_range²) (Hugging Face's BERT) */
    IG_BERT_INIT_TRUNCATED, /* the same, drawn again beyond two standard deviations (Google's BERT)
                             */
    IG_BERT_INIT_XLM        /* tables N(0, 1/columns), the PAD row of words 0; matrices and biases
                             * uniform within ± 1/√inputs (XLM: PyTorch's linear layers) */
} ig_bert_init_rule;
/* normal, truncated-normal, xlm. NULL-terminated. */
extern const char *const ig_bert_init_names[];

enum { IG_BERT_MAX_LAYER = 1024, IG_BERT_MAX_LANGUAGE = 32 };

/* The parts of a model that each language has separately; the rest is shared by all. */
typedef struct {
    bool words, positions, segments; /* tables; positions: also the distances of every layer */
    bool norm;                       /* LayerNorm of the embeddings */
    bool head;                       /* between the last layer and the decoder, and other heads */
    bool output;                     /* the decoder: its matrix where it is untied; implies bias */
    bool bias;                       /* of the decoder */
    uint64_t layer[IG_BERT_MAX_LAYER / 64]; /* bit l % 64 of number l / 64: layer l, from 0 */
    bool specials; /* the special tokens of the languages: rows of their own, no tensor */
} ig_bert_separate;

/* How rotary positions are stretched beyond the tokens that a model was trained on, by the names of
 * transformers' rope_type "linear", and "llama3" (Llama 3.1). */
typedef struct {
    double factor;    /* angles are divided by it; 0: they are not */
    double low, high; /* llama3: those whose wavelength is below trained / high are not divided, up
                       * to trained / low in part; high 0: linear */
    int32_t trained_on; /* tokens */
} ig_rope_scaling;

/* Names as in config.json. A model whose other fields are 0 is BERT. */
typedef struct {
    int32_t vocab_size;              /* V */
    int32_t hidden_size;             /* D, a multiple of H */
    int32_t num_hidden_layers;       /* L */
    int32_t num_attention_heads;     /* H */
    int32_t intermediate_size;       /* F */
    int32_t max_position_embeddings; /* P */
    int32_t type_vocab_size;         /* S */
    int32_t pad_token_id;            /* gets no gradient through the input embedding; −1: none */
    float hidden_dropout_prob, attention_probs_dropout_prob;
    float layer_norm_eps;
    float initializer_range;
    ig_block_kind block;
    ig_position_kind position; /* relative: sequences up to P tokens; rotary: D/H is even */
    bool untied;               /* the decoder has a matrix of its own */
    bool gelu_tanh;            /* GELU by its approximation with tanh (Google's BERT) */
    bool no_transform;         /* the decoder follows the last layer (XLM) */
    bool causal;               /* a token attends to none after it (is_decoder) */
    bool shifted; /* the head of masked words predicts a token from the state of the one
                   * before, of masked batches too (Charpentier & Samuel 2024); of a
                   * causal model it always does */
    ig_bert_init_rule init;
    ig_head_config head[IG_N_HEAD];
    int32_t n_language; /* 0 and 1: nothing is separate */
    ig_bert_separate separate;
    int32_t embedding_size; /* E of the embeddings, which a matrix takes to D (ELECTRA); 0: D */
    int32_t head_dim;       /* columns of a head; 0: D/H */
    int32_t num_key_value_heads; /* a divisor of H, each for as many queries' heads; 0: H */
    int32_t position_buckets; /* distances, in so many buckets, add a learned number to the scores
                               * of each head (MPNet); 0: they do not */
    int32_t local_window; /* of local layers, whose tokens attend to those at most so far away */
    uint64_t local[IG_BERT_MAX_LAYER / 64]; /* which are local, as ig_bert_separate.layer */
    double rope_theta[2]; /* base of rotary positions, and that of local layers; 0: 10 000 */
    ig_rope_scaling rope_scaling[2]; /* of these */
    float attention_scale;           /* of scores; 0: 1 / √(columns of a head) */
    bool silu;                       /* SiLU in place of GELU */
    bool no_attention_bias, no_ffn_bias, no_norm_bias; /* of blocks whose kind leaves it open */
    bool no_head_bias, no_decoder_bias;                /* of the head of masked words */
    /* For a file: rows of its position table before the first token's (RoBERTa: pad_token_id + 1).
     * Reading leaves them out, and P counts the rest; 0 in a model. */
    int32_t first_position;
    int32_t family; /* for a file: which family's names its tensors have (model/family); 0 in a
                     * model */
} ig_bert_config;

/* 12 layers, D 64, 1 head, F 256, P 512 (Dufter & Schütze 2020, §2.2); and BERT-base. */
ig_bert_config ig_bert_config_small(int32_t vocab_size);
ig_bert_config ig_bert_config_base(int32_t vocab_size);
/* Numbers in all parameters that a model of this shape trains. */
int64_t ig_bert_config_n_value(const ig_bert_config *c);
/* Why a model of this shape is read, but not trained; NULL: it is. */
const char *ig_bert_config_untrained(const ig_bert_config *c);
/* IG_ERR_USAGE with that reason, and the way out. */
ig_code ig_bert_fail_untrained(const char *where, const char *why, ig_err *err);
/* The shape without its heads for labels of sequences and tokens, which a new task does not keep.
 */
void ig_bert_config_drop_labels(ig_bert_config *c);
/* Finds the hidden size, a multiple of the heads (with rotary positions an even one of each), whose
 * model comes nearest to `wanted` numbers, the smaller of two; FFN size 4 D unless `keep_ffn`. */
void ig_bert_config_solve(ig_bert_config *c, int64_t wanted, bool keep_ffn);
/* Number of labels of a head; 0: the model does not have this head. */
int32_t ig_bert_config_n_label(const ig_bert_config *c, ig_head_kind head);
/* Checks every range and combination; the message names the key. */
ig_code ig_bert_config_check(const ig_bert_config *c, const char *where, ig_err *err);
/* IG_ERR_USAGE for a causal model, which has no class of a sequence at its first token. */
ig_code ig_bert_config_first_token(const ig_bert_config *c, const char *where, ig_err *err);

/* One tensor inside the model's one block of parameters. Query, key and value of a layer follow
 * each other, so that the three weights are one [3D, D] matrix and the three biases one [3D]. Of
 * separate parts, language 0's has the plain name and language k's "language.k." before it. */
typedef struct {
    const char *name;   /* Hugging Face's: "bert.encoder.layer.0.attention.self.query.weight" */
    int64_t offset;     /* floats from the start of the block */
    int32_t rows, cols; /* cols = 1 for a vector */
    bool decay;         /* weight decay applies (neither a bias nor LayerNorm) */
    bool frozen;        /* is not trained */
    int32_t language;   /* the language it belongs to; −1: all */
} ig_bert_param;

typedef struct ig_bert ig_bert;

/* A model with initial weights: every weight N(0, initializer_range²) (PAD row too), biases 0,
 * LayerNorm 1 and 0 (or by another rule); drawn per tensor and element from IG_STREAM_INIT, so that
 * one table's size changes no other tensor. Freed with ig_bert_free. */
ig_code ig_bert_new(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err);
void ig_bert_free(ig_bert *m);
/* One language's parts of a model and the shared rest, as a model of its own, a copy. */
ig_code ig_bert_view(ig_bert **out, const ig_bert *m, int language, ig_err *err);

const ig_bert_config *ig_bert_get_config(const ig_bert *m);
int ig_bert_n_param(const ig_bert *m);
const ig_bert_param *ig_bert_params(const ig_bert *m);
const ig_bert_param *ig_bert_param_find(const ig_bert *m, const char *name);
int64_t ig_bert_n_value(const ig_bert *m);  /* numbers in all parameters that are trained */
int64_t ig_bert_n_weight(const ig_bert *m); /* floats in the block, gaps between parameters too */
/* Copies a parameter's numbers [rows, cols]; code that sets some must inform the engine. */
void ig_bert_get_values(const ig_bert *m, const ig_bert_param *p, float *out);
void ig_bert_set_values(ig_bert *m, const ig_bert_param *p, const float *values);

/* The report on a Hugging Face folder: config.json + model.safetensors. Tensors that the folder
 * does not have keep their initial values and are listed in `report` (may be NULL), as are tensors
 * beyond BERT + MLM head (a pooler is neither). Accepts tensors with or without the "bert." prefix,
 * "gamma"/"beta" for LayerNorm, a tied or an explicit "cls.predictions.decoder.weight", F32, F16
 * and BF16. RoBERTa and XLM-R are read as the BERT that computes the same. */
typedef struct {
    int n_missing, n_unexpected;
    char **missing, **unexpected; /* names, owned; freed with ig_bert_report_free */
} ig_bert_report;
void ig_bert_report_free(ig_bert_report *r);
/* IG_ERR_INPUT: a tensor that the folder has beyond the model is of the encoder (an adapter, a
 * layer more than config.json has), without which its states are another model's. */
ig_code ig_bert_report_check(const ig_bert_report *r, const char *dir, ig_err *err);
/* Sets whether such tensors are ignored from now on (--ignore-extra); false at first. Returns the
 * old setting. */
bool ig_bert_ignore_extra(bool ignore);
/* Loads a folder, and checks it unless such tensors are ignored. */
ig_code ig_bert_load(ig_bert **out, const char *dir, ig_bert_report *report, ig_err *err);
/* Loads a folder as a model of another configuration, which has other heads: it takes the folder's
 * tensors that `take` selects by their names in the model (NULL: all); the rest is new, as
 * ig_bert_new makes it with this seed. */
ig_code ig_bert_load_as(ig_bert **out, const char *dir, const ig_bert_config *c, uint64_t seed,
                        bool (*take)(const char *name), ig_bert_report *report, ig_err *err);

/* Writes config.json and model.safetensors into an existing folder, each atomically. `extra` (may
 * be NULL) is a JSON object (jansson json_t) whose keys are added to config.json. */
ig_code ig_bert_save(const ig_bert *m, const char *dir, const void *extra, ig_err *err);

#ifdef __cplusplus
}
#endif

#endif
