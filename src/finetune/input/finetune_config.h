/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a fine-tuning: one struct, one option table (base/settings/options.h), and the
 * recipes, which are values for that table (recipe.c).
 */
#pragma once

#include "base/settings/options.h"
#include "task/task.h"
#include "train/trainer.h"

typedef enum {
    IG_RECIPE_BERT,
    IG_RECIPE_XTREME,
    IG_RECIPE_XLM,
    IG_RECIPE_CROSSLINGUAL_NLP,
    IG_RECIPE_K2020,
    IG_RECIPE_MINIMULT,
    IG_N_RECIPE
} ig_recipe;
extern const char *const ig_recipe_names[];

/* Where a paper, its program and good practice differ. */
typedef enum { IG_FINETUNE_FIXED, IG_FINETUNE_PAPER_TEXT, IG_FINETUNE_PAPER_CODE } ig_finetune_as;

/* How a pair becomes a sequence: by the tokenizer's template, or as XLM's [SEP] a [SEP] b [SEP]. */
typedef enum { IG_PAIR_BERT, IG_PAIR_XLM } ig_pair_input;
/* Segments of the two parts: 0 and 1 unless languages have segments of their own, 0 and 1, each its
 * language's, or 0. */
typedef enum {
    IG_SEGMENT_AUTO,
    IG_SEGMENT_PARTS,
    IG_SEGMENT_LANGUAGE,
    IG_SEGMENT_ZERO
} ig_segment_use;
/* Treatment of a sentence of words that is too long: windows that overlap by half, each word
 * predicted in the one where it has most context; several consecutive sequences; or truncation. */
typedef enum { IG_LONG_WINDOWS, IG_LONG_SPLIT, IG_LONG_TRUNCATE } ig_long_use;
/* A word without pieces is [UNK], or the same, but not trained. */
typedef enum { IG_EMPTY_UNK, IG_EMPTY_DROP } ig_empty_use;
/* auto: pooled for pairs and single texts, linear for tagging; first: linear on the bare first
 * token; crf: on the words' states, with lstm_layers BiLSTMs below; parser: biaffine. */
typedef enum {
    IG_TOP_AUTO,
    IG_TOP_POOLED,
    IG_TOP_FIRST,
    IG_TOP_LINEAR,
    IG_TOP_CRF,
    IG_TOP_PARSER
} ig_top_kind;
typedef enum { IG_SELECT_LAST, IG_SELECT_SOURCE, IG_SELECT_TARGET, IG_N_SELECT } ig_select_kind;
extern const char *const ig_select_names[]; /* last source-dev target-dev, NULL */

typedef struct {
    char *model, *task, *out, *config;
    char
        *vectors; /* NULL, or a file whose rows are the word embeddings of an otherwise new model */
    int recipe, as; /* ig_recipe, ig_finetune_as */
    char *edit;     /* of hidden states, in every pass (apply/edit/edit_spec.h); NULL: none */
    /* input */
    int64_t length;      /* longest sequence; 0: as many as the model has positions */
    int64_t text_length; /* pieces of each text of a pair; 0: any */
    int pair_input, segments, too_long, empty_words;
    bool cut_eval; /* evaluation has that length, too */
    bool lowercase;
    /* the encoder: its first keep_layers, frozen, and new_layers of random weights; −1:
     * unchanged */
    int64_t keep_layers, new_layers;
    /* head */
    int top, reads; /* ig_top_kind, ig_read_kind */
    int64_t lstm_layers, lstm_size;
    double dropout;       /* of the encoder; −1: the model's own */
    double head_dropout;  /* of the head's input; −1: the encoder's */
    double inner_dropout; /* within the head; −1: the encoder's */
    bool variational, frozen_dropout;
    bool crf_sum, bioul;
    int64_t arc_size, label_size;
    bool linear_labels, joint_labels, free_root;
    int init;
    /* optimisation */
    ig_training_settings training;
    double warmup; /* share of the updates, or their number from 1 on */
    int64_t epoch_size, batch;
    bool allow_unknown;
    char *rates, *freeze; /* named_parts.h */
    /* selection */
    int select;        /* ig_select_kind */
    double eval_every; /* below 1: share of an epoch (0: 1), otherwise updates */
    int64_t patience;  /* evaluations without a better source-dev score; 0: never stops */
    /* running: nothing below but another device changes a bit of the result */
    int64_t threads, save_every, log_every;
    double max_time;
    char
        *device; /* of ig_device_choose; NULL: the one that is chosen; another rounds differently */
    bool json;
} ig_finetune_config;

extern const ig_option_table ig_finetune_options;

/* Returns whether the option (a row of them) decides the result, or only how it is run and shown.
 */
bool ig_finetune_option_decides(const ig_option *o);
/* Returns whether it decides only what training makes: minimal pairs train nothing. */
bool ig_finetune_option_trains(const ig_option *o);

enum { IG_RECIPE_TEXT = 32 };
/* Writes the recipe's value of a key for a task of this kind; NULL: it has none. */
const char *ig_recipe_value(char value[IG_RECIPE_TEXT], const ig_finetune_config *c,
                            ig_task_kind kind, const char *key);
/* Fills in the recipe's values for a task of this kind where an option was not given, and checks
 * what depends on more than one key. */
ig_code ig_recipe_apply(ig_finetune_config *c, ig_task_kind kind, const unsigned char *given,
                        ig_err *err);
