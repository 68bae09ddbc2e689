/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the configurations of the two models that papers name, and checks whether a configuration
 * is possible.
 */
#include "base/number_text.h"
#include "isoglot/bert.h"
#include "model/block/block.h"
#include "model/head/head.h"
#include "model/separate.h"

#include <stddef.h>

const char *const ig_position_names[] = {
    "learned", "none", "sinusoidal", "relative-key", "relative-key-query", "rotary", NULL};

const char *const ig_bert_init_names[] = {"normal", "truncated-normal", "xlm", NULL};

ig_bert_config ig_bert_config_small(int32_t vocab_size)
{
    return (ig_bert_config){.vocab_size = vocab_size,
                            .hidden_size = 64,
                            .num_hidden_layers = 12,
                            .num_attention_heads = 1,
                            .intermediate_size = 256,
                            .max_position_embeddings = 512,
                            .type_vocab_size = 2,
                            .pad_token_id = 0,
                            .hidden_dropout_prob = 0.1f,
                            .attention_probs_dropout_prob = 0.1f,
                            .layer_norm_eps = 1e-12f,
                            .initializer_range = 0.02f};
}

ig_bert_config ig_bert_config_base(int32_t vocab_size)
{
    ig_bert_config c = ig_bert_config_small(vocab_size);
    c.hidden_size = 768;
    c.num_attention_heads = 12;
    c.intermediate_size = 3072;
    return c;
}

bool ig_bert_is_relative(const ig_bert_config *c)
{
    return c->position == IG_POSITION_RELATIVE_KEY || c->position == IG_POSITION_RELATIVE_KEY_QUERY;
}

bool ig_bert_is_local(const ig_bert_config *c, int l)
{
    return (c->local[l / 64] >> l % 64 & 1) != 0;
}

int ig_bert_embedding(const ig_bert_config *c)
{
    return c->embedding_size > 0 ? c->embedding_size : c->hidden_size;
}

bool ig_bert_is_projected(const ig_bert_config *c)
{
    return ig_bert_embedding(c) != c->hidden_size;
}

int ig_bert_head_dim(const ig_bert_config *c)
{
    return c->head_dim > 0 ? c->head_dim : c->hidden_size / c->num_attention_heads;
}

int ig_bert_query_dim(const ig_bert_config *c)
{
    return c->num_attention_heads * ig_bert_head_dim(c);
}

int ig_bert_qkv_dim(const ig_bert_config *c)
{
    const int n = c->num_key_value_heads > 0 ? c->num_key_value_heads : c->num_attention_heads;
    return (c->num_attention_heads + 2 * n) * ig_bert_head_dim(c);
}

void ig_bert_config_drop_labels(ig_bert_config *c)
{
    c->head[IG_HEAD_SEQUENCE] = c->head[IG_HEAD_TOKEN] = (ig_head_config){0};
}

const char *ig_bert_config_untrained(const ig_bert_config *c)
{
    return ig_blocks[c->block]->backward == NULL ? "blocks with RMSNorm are read, not trained"
           : ig_bert_is_projected(c) ? "embeddings of another size than the hidden size are read, "
                                       "not trained"
           : c->position_buckets > 0 ? "distances in buckets (MPNet) are read, not trained"
           : c->rope_scaling[0].factor + c->rope_scaling[1].factor > 0
               ? "stretched rotary positions (rope_type) are read, not trained"
           : c->head[IG_HEAD_SEQUENCE].pooler + c->head[IG_HEAD_TOKEN].pooler > 0
               ? "a head for labels that is not BERT's is read, not trained; finetune draws a new "
                 "one"
               : NULL;
}

ig_code ig_bert_fail_untrained(const char *where, const char *why, ig_err *err)
{
    ig_fail(err, IG_ERR_USAGE, where, 0, "%s", why);
    return ig_hint(
        err, "it can be trained elsewhere and measured here; what is trained here: docs/model.md, "
             "\"Families\"");
}

static ig_code check_int(const char *key, int32_t found, int32_t min, int32_t max,
                         const char *where, ig_err *err)
{
    if (found >= min && found <= max)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, where, 0, "%s is %d, expected %d to %d", key, found, min,
                   max);
}

/* Written so that NaN fails. */
static ig_code check_real(const char *key, float found, double min, double below, const char *where,
                          ig_err *err)
{
    if ((double)found >= min && (double)found < below)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, where, 0, "%s is %g, expected at least %g and below %g", key,
                   (double)found, min, below);
}

/* A part that is named alone, but that the model does not have, would leave its languages as they
 * are. With `embeddings` and `all` it is one of several. */
static ig_code check_separate_exists(const ig_bert_config *c, const char *where, ig_err *err)
{
    const ig_bert_separate *s = &c->separate;
    const bool embeddings = s->words && s->positions && s->segments && s->norm;
    if (s->positions && !embeddings && c->position != IG_POSITION_LEARNED &&
        !ig_bert_is_relative(c))
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "positions are separate, but with position-type %s none are trained, "
                       "expected learned or relative ones",
                       ig_position_names[c->position]);
    if (s->norm && !embeddings && ig_blocks[c->block]->outside[0].name == NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "norm is separate, but with pre-norm the embeddings have no LayerNorm");
    if (s->head && !(embeddings && s->output) && c->no_transform && !ig_blocks[c->block]->stream &&
        ig_bert_config_n_label(c, IG_HEAD_NEXT) == 0)
        return ig_fail(
            err, IG_ERR_USAGE, where, 0,
            "head is separate, but without the transform nothing stands between the last "
            "layer and the decoder");
    return IG_ERR_OK;
}

static ig_code check_head(const ig_head_config *h, const char *where, ig_err *err)
{
    if (h->dropout != -1)
        IG_TRY(check_real("a head's dropout", h->dropout, 0, 1, where, err));
    if (h->inner_dropout != -1)
        IG_TRY(check_real("a head's inner_dropout", h->inner_dropout, 0, 1, where, err));
    IG_TRY(check_int("a head's lstm_layers", h->lstm_layers, 0, IG_LSTM_MAX_LAYER, where, err));
    IG_TRY(check_int("a head's arc_size", h->arc_size, 0, 1 << 13, where, err));
    IG_TRY(check_int("a head's label_size", h->label_size, 0, 1 << 13, where, err));
    return check_int("a head's lstm_size", h->lstm_size, 0, 1 << 13, where, err);
}

/* Refuses what a model with ModernBERT's blocks cannot be, as nothing else would open it. */
static ig_code check_modern(const ig_bert_config *c, const char *where, ig_err *err)
{
    const char *what = c->position != IG_POSITION_ROTARY ? "positions but rotary ones"
                       : c->causal                       ? "attention that is causal alone"
                       : c->no_transform                 ? "decoder without a transform before it"
                       : c->type_vocab_size > 1          ? "segments"
                       : ig_bert_config_n_label(c, IG_HEAD_NEXT) > 0 ? "head for next sentences"
                                                                     : NULL;
    return what == NULL || c->block != IG_BLOCK_MODERN
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, where, 0, "a ModernBERT has no %s", what);
}

/* Checks what only families other than BERT's have. */
static ig_code check_kind(const ig_bert_config *c, const char *where, ig_err *err)
{
    IG_TRY(check_int("head_dim", c->head_dim, 0, 1 << 12, where, err));
    IG_TRY(check_int("embedding_size", c->embedding_size, 0, 1 << 15, where, err));
    IG_TRY(check_int("num_key_value_heads", c->num_key_value_heads, 0, c->num_attention_heads,
                     where, err));
    if (c->num_key_value_heads > 0 && c->num_attention_heads % c->num_key_value_heads != 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "num_attention_heads is %d, expected a multiple of num_key_value_heads (%d)",
                       c->num_attention_heads, c->num_key_value_heads);
    if (ig_bert_is_projected(c) && ig_bert_config_n_label(c, IG_HEAD_MASKED) > 0)
        return ig_fail(
            err, IG_ERR_USAGE, where, 0,
            "embedding_size is %d, expected hidden_size (%d) for the head of masked words",
            c->embedding_size, c->hidden_size);
    if (c->position == IG_POSITION_ROTARY && ig_bert_head_dim(c) % 2 != 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "rotary positions turn pairs, but a head has %d columns, expected an even "
                       "number",
                       ig_bert_head_dim(c));
    return IG_ERR_OK;
}

ig_code ig_bert_config_first_token(const ig_bert_config *c, const char *where, ig_err *err)
{
    if (!c->causal)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, where, 0,
                   "a class of the whole sequence is read at its first token, which in a causal "
                   "model sees no other: expected a model that reads both sides, or labels of "
                   "words");
}

ig_code ig_bert_config_check(const ig_bert_config *c, const char *where, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    IG_TRY(check_int("vocab_size", c->vocab_size, 1, 1 << 24, where, err));
    IG_TRY(check_int("hidden_size", c->hidden_size, 1, 1 << 15, where, err));
    IG_TRY(check_int("num_hidden_layers", c->num_hidden_layers, 1, IG_BERT_MAX_LAYER, where, err));
    IG_TRY(check_int("num_attention_heads", c->num_attention_heads, 1, c->hidden_size, where, err));
    if (c->head_dim == 0 && c->hidden_size % c->num_attention_heads != 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "hidden_size is %d, expected a multiple of num_attention_heads (%d)",
                       c->hidden_size, c->num_attention_heads);
    IG_TRY(check_int("intermediate_size", c->intermediate_size, 1, 1 << 17, where, err));
    IG_TRY(
        check_int("max_position_embeddings", c->max_position_embeddings, 1, 1 << 20, where, err));
    IG_TRY(check_int("type_vocab_size", c->type_vocab_size, 1, 1 << 20, where, err));
    IG_TRY(check_int("pad_token_id", c->pad_token_id, -1, c->vocab_size - 1, where, err));
    IG_TRY(check_real("hidden_dropout_prob", c->hidden_dropout_prob, 0, 1, where, err));
    IG_TRY(check_real("attention_probs_dropout_prob", c->attention_probs_dropout_prob, 0, 1, where,
                      err));
    IG_TRY(check_real("layer_norm_eps", c->layer_norm_eps, 1e-30, 1, where, err));
    IG_TRY(check_real("initializer_range", c->initializer_range, 0, 1e3, where, err));
    IG_TRY(check_int("n_language", c->n_language, 0, IG_BERT_MAX_LANGUAGE, where, err));
    for (int h = 0; h < IG_N_HEAD; h++)
        if (c->head[h].reads == IG_READ_LAYER)
            IG_TRY(check_int("the layer that a head reads", c->head[h].layer, 0,
                             c->num_hidden_layers, where, err));
    for (int h = 0; h < IG_N_HEAD; h++)
        IG_TRY(check_head(&c->head[h], where, err));
    if (c->head[IG_HEAD_NEXT].n_label > 0 || c->head[IG_HEAD_SEQUENCE].n_label > 0)
        IG_TRY(ig_bert_config_first_token(c, where, err));
    if (c->head[IG_HEAD_SEQUENCE].n_label > 0 && c->head[IG_HEAD_TOKEN].n_label > 0)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "labels of sequences and of tokens in one model: their tensors have the "
                       "same names");
    for (int h = 0; h < IG_N_HEAD; h++)
        if (c->head[h].n_label > 0)
            IG_TRY(check_int(ig_heads[h]->name, c->head[h].n_label, ig_heads[h]->least_label,
                             ig_heads[h]->most_label, where, err));
    if (c->separate.output && !c->untied && !c->separate.words)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "output is separate, but the decoder is tied to the words, which are "
                       "shared: expected words too, an untied decoder, or only its bias");
    IG_TRY(check_separate_exists(c, where, err));
    for (int l = c->num_hidden_layers; l < IG_BERT_MAX_LAYER; l++)
        if (ig_bert_separate_layer(&c->separate, l))
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "layer %d is separate, but the model has 1 to %d", l + 1,
                           c->num_hidden_layers);
    IG_TRY(check_modern(c, where, err));
    return check_kind(c, where, err);
}
