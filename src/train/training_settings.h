/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings that every training has, of a model and of a task on it: one struct and one list of
 * options, in the tables of both (`isoglot train`, `isoglot finetune`). A new setting is a field
 * and a row here, and its use in the trainer or the optimizer: files, records and help follow.
 */
#pragma once

#include "base/settings/options.h"

/* The smallest ε allowed. A float32 gradient below 8e-20 leaves no trace in v (its square times 1 −
 * β2, at most 1.2e-7 for the largest β2 that float32 distinguishes from 1, is below 2⁻¹⁵⁰), so that
 * the step is m / ε: more than the learning rate with a smaller ε, and 0 / 0 with an ε of 0 where
 * the gradient is 0. */
#define IG_ADAM_EPS_MIN 1e-19
#define IG_ADAM_BETA_MAX .9999999

/* Epsilon is added to the root of v before its bias correction, or after it (pytorch); the weights
 * decay before the step, or after it (hf-2.8). */
typedef enum {
    IG_ADAM_HF28,    /* Hugging Face's transformers 2.8 */
    IG_ADAM_PYTORCH, /* torch.optim.AdamW */
    IG_ADAM_XLM,     /* XLM's program */
    IG_ADAM_GOOGLE   /* Google's BERT, without bias corrections */
} ig_adam_rule;
extern const char *const ig_adam_rule_names[];
extern const char *const ig_schedule_names[]; /* of ig_schedule_kind */

typedef struct {
    double beta1, beta2, eps, weight_decay;
    double clip; /* largest norm; 0: no clipping */
    int rule;    /* ig_adam_rule */
} ig_optimizer_options;

typedef struct {
    int64_t updates, epochs; /* updates 0: as many as the epochs give */
    int64_t accum;           /* micro-batches of an update */
    bool accum_carry; /* left-over micro-batches of an epoch join the next epoch's first update, as
                       * in the papers' programs; else they are a smaller update */
    bool accum_mean;  /* a micro-batch's mean weighs 1/accum, as in the papers' programs; else every
                       * target of an update weighs the same, as in one batch of all of them */
    double lr;
    int64_t warmup; /* updates */
    int schedule;   /* ig_schedule_kind: after the warm-up */
    bool early; /* update k has the rate of update k + 1, as where the scheduler's step comes before
                 * the optimizer's (XTREME's tagging): the last update's is 0 with a linear one */
    ig_optimizer_options adam;
    int64_t seed;  /* of dropout */
    int precision; /* ig_precision */
} ig_training_settings;

/* Rows for the member f of a struct, all of that part. The variable arguments are rows of the
 * command's own, which come after the learning rate: how it warms up. */
#define IG_TRAINING_OPTIONS(p, type, f, lr_default, rule_name, rule_default, ...)                  \
    {.part = (p), IG_INT(type, "accum", f.accum, "1", 1, 1e5, "micro-batches of an update")},      \
        {.part = (p), IG_REAL(type, "lr", f.lr, lr_default, 0, 100, "peak learning rate")},        \
        __VA_ARGS__,                                                                               \
        {.part = (p),                                                                              \
         IG_ENUM(type, "schedule", f.schedule, "linear", ig_schedule_names,                        \
                 "after the warm-up: linear to 0 at the end, constant, or falling as the inverse " \
                 "square root of the update (XLM)")},                                              \
        {.part = (p),                                                                              \
         IG_REAL(type, "weight-decay", f.adam.weight_decay, "0.01", 0, 10,                         \
                 "decoupled; none on biases and LayerNorm")},                                      \
        {.part = (p),                                                                              \
         IG_REAL(type, "beta1", f.adam.beta1, "0.9", 0, IG_ADAM_BETA_MAX, "Adam's first moment")}, \
        {.part = (p),                                                                              \
         IG_REAL(type, "beta2", f.adam.beta2, "0.999", 0, IG_ADAM_BETA_MAX,                        \
                 "Adam's second moment")},                                                         \
        {.part = (p),                                                                              \
         IG_REAL(type, "adam-eps", f.adam.eps, "1e-6", IG_ADAM_EPS_MIN, 1, "Adam's epsilon")},     \
        {.part = (p),                                                                              \
         IG_ENUM(type, rule_name, f.adam.rule, rule_default, ig_adam_rule_names,                   \
                 "epsilon outside the bias correction, or inside (pytorch); decay "                \
                 "before the step, or after (hf-2.8); google: no bias correction")},               \
        {.part = (p),                                                                              \
         IG_REAL(type, "clip", f.adam.clip, "1", 0, 1e9,                                           \
                 "largest norm of the gradient; 0: no clipping")},                                 \
    {                                                                                              \
        .part = (p), IG_ENUM(type, "precision", f.precision, "float32", ig_precision_names,        \
                             "of matrix products: float32 or bfloat16 (faster where the CPU has "  \
                             "it)")                                                                \
    }
