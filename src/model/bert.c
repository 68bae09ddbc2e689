/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of BertForMaskedLM (Devlin et al. 2019, in the arrangement of Hugging Face's
 * transformers): one table drives names, shapes, initial values and weight decay. Initialisation as
 * in the original: every matrix N(0, σ²), not truncated, the PAD row as well; biases 0, LayerNorm 1
 * and 0. Weight decay leaves out every bias and LayerNorm (Loshchilov & Hutter 2019 as BERT's
 * programs use it).
 */
#include "isoglot/bert.h"
#include "base/assert.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/bert_params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum { INIT_NORMAL, INIT_ONE, INIT_ZERO } init_kind;
typedef enum { DIM_1, DIM_D, DIM_F, DIM_V, DIM_P, DIM_S } dim;

typedef struct {
    const char *name; /* of a layer: without "bert.encoder.layer.N." */
    dim rows, cols;
    init_kind init;
    bool decay;
    bool follows; /* directly behind the one before, without padding to a cache line */
} param_row;

static const param_row embedding_rows[] = {
    {"bert.embeddings.word_embeddings.weight", DIM_V, DIM_D, INIT_NORMAL, true, false},
    {"bert.embeddings.position_embeddings.weight", DIM_P, DIM_D, INIT_NORMAL, true, false},
    {"bert.embeddings.token_type_embeddings.weight", DIM_S, DIM_D, INIT_NORMAL, true, false},
    {"bert.embeddings.LayerNorm.weight", DIM_D, DIM_1, INIT_ONE, false, false},
    {"bert.embeddings.LayerNorm.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
};

static const param_row layer_rows[] = {
    {"attention.self.query.weight", DIM_D, DIM_D, INIT_NORMAL, true, false},
    {"attention.self.key.weight", DIM_D, DIM_D, INIT_NORMAL, true, true},
    {"attention.self.value.weight", DIM_D, DIM_D, INIT_NORMAL, true, true},
    {"attention.self.query.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"attention.self.key.bias", DIM_D, DIM_1, INIT_ZERO, false, true},
    {"attention.self.value.bias", DIM_D, DIM_1, INIT_ZERO, false, true},
    {"attention.output.dense.weight", DIM_D, DIM_D, INIT_NORMAL, true, false},
    {"attention.output.dense.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"attention.output.LayerNorm.weight", DIM_D, DIM_1, INIT_ONE, false, false},
    {"attention.output.LayerNorm.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"intermediate.dense.weight", DIM_F, DIM_D, INIT_NORMAL, true, false},
    {"intermediate.dense.bias", DIM_F, DIM_1, INIT_ZERO, false, false},
    {"output.dense.weight", DIM_D, DIM_F, INIT_NORMAL, true, false},
    {"output.dense.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"output.LayerNorm.weight", DIM_D, DIM_1, INIT_ONE, false, false},
    {"output.LayerNorm.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
};

static const param_row head_rows[] = {
    {"cls.predictions.transform.dense.weight", DIM_D, DIM_D, INIT_NORMAL, true, false},
    {"cls.predictions.transform.dense.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"cls.predictions.transform.LayerNorm.weight", DIM_D, DIM_1, INIT_ONE, false, false},
    {"cls.predictions.transform.LayerNorm.bias", DIM_D, DIM_1, INIT_ZERO, false, false},
    {"cls.predictions.bias", DIM_V, DIM_1, INIT_ZERO, false, false},
};

enum {
    n_embedding = sizeof embedding_rows / sizeof embedding_rows[0],
    n_layer_param = sizeof layer_rows / sizeof layer_rows[0],
    n_head = sizeof head_rows / sizeof head_rows[0],
    name_bytes = 80
};
_Static_assert((int)n_embedding == IG_BERT_N_EMBEDDING, "bert_params.h follows this table");
_Static_assert((int)n_layer_param == IG_BERT_N_LAYER, "bert_params.h follows this table");
_Static_assert((int)n_head == IG_BERT_N_HEAD, "bert_params.h follows this table");

struct ig_bert {
    ig_bert_config config;
    int n_param;
    ig_bert_param *param;
    char *name; /* [n_param][name_bytes] */
    int64_t n_weight;
    float *weight;
};

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

ig_code ig_bert_config_check(const ig_bert_config *c, const char *where, ig_err *err)
{
    IG_TRY(check_int("vocab_size", c->vocab_size, 1, 1 << 24, where, err));
    IG_TRY(check_int("hidden_size", c->hidden_size, 1, 1 << 15, where, err));
    IG_TRY(check_int("num_hidden_layers", c->num_hidden_layers, 1, 1 << 10, where, err));
    IG_TRY(check_int("num_attention_heads", c->num_attention_heads, 1, c->hidden_size, where, err));
    if (c->hidden_size % c->num_attention_heads != 0)
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
    return check_real("initializer_range", c->initializer_range, 0, 1e3, where, err);
}

static int32_t dim_of(const ig_bert_config *c, dim d)
{
    switch (d) {
    case DIM_D:
        return c->hidden_size;
    case DIM_F:
        return c->intermediate_size;
    case DIM_V:
        return c->vocab_size;
    case DIM_P:
        return c->max_position_embeddings;
    case DIM_S:
        return c->type_vocab_size;
    case DIM_1:
        break;
    }
    return 1;
}

/* Appends a table's rows; `layer` −1: no prefix. */
static void add_rows(ig_bert *m, const param_row *row, int n, int layer)
{
    const int64_t line = IG_ALIGN / (int64_t)sizeof(float);
    for (int i = 0; i < n; i++) {
        ig_bert_param *p = &m->param[m->n_param];
        char *name = m->name + (size_t)m->n_param * name_bytes;
        if (layer < 0)
            snprintf(name, name_bytes, "%s", row[i].name);
        else
            snprintf(name, name_bytes, "bert.encoder.layer.%d.%s", layer, row[i].name);
        if (!row[i].follows)
            m->n_weight = (m->n_weight + line - 1) / line * line;
        *p = (ig_bert_param){.name = name,
                             .offset = m->n_weight,
                             .rows = dim_of(&m->config, row[i].rows),
                             .cols = dim_of(&m->config, row[i].cols),
                             .decay = row[i].decay};
        m->n_weight += (int64_t)p->rows * p->cols;
        m->n_param++;
    }
}

/* Element i of a tensor takes number i % 4 of block i / 4; the tensor enters by its name, so that
 * neither depth nor the size of another tensor changes it. 32 bits make a uniform in (0, 1). */
static void fill_normal(float *out, int64_t n, double sigma, ig_rng_key key, const char *name)
{
    const uint64_t h = ig_hash(name, (int64_t)strlen(name), 0);
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t r[4];
        uint64_t block = (uint64_t)i / 4;
        ig_philox(key, (uint32_t)block, (uint32_t)(block >> 32), (uint32_t)h, (uint32_t)(h >> 32),
                  r);
        for (int64_t j = 0; j < 4 && i + j < n; j++) {
            double u = ((double)r[j & 2] + 0.5) * 0x1p-32;
            double angle = 6.283185307179586476925 * ((double)r[(j & 2) + 1] * 0x1p-32);
            double radius = sigma * sqrt(-2.0 * log(u));
            out[i + j] = (float)(radius * (j % 2 == 0 ? cos(angle) : sin(angle)));
        }
    }
}

static init_kind init_of(const ig_bert *m, int i)
{
    if (i < n_embedding)
        return embedding_rows[i].init;
    i -= n_embedding;
    if (i < n_layer_param * m->config.num_hidden_layers)
        return layer_rows[i % n_layer_param].init;
    return head_rows[i - n_layer_param * m->config.num_hidden_layers].init;
}

static void init_weights(ig_bert *m, uint64_t seed)
{
    const ig_rng_key key = ig_rng_key_make(seed, IG_STREAM_INIT);
    for (int i = 0; i < m->n_param; i++) {
        const ig_bert_param *p = &m->param[i];
        float *w = m->weight + p->offset;
        const int64_t n = (int64_t)p->rows * p->cols;
        switch (init_of(m, i)) {
        case INIT_NORMAL:
            fill_normal(w, n, (double)m->config.initializer_range, key, p->name);
            break;
        case INIT_ONE:
            for (int64_t j = 0; j < n; j++)
                w[j] = 1;
            break;
        case INIT_ZERO:
            memset(w, 0, (size_t)n * sizeof *w);
            break;
        }
    }
}

ig_code ig_bert_new(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err)
{
    *out = NULL;
    IG_TRY(ig_bert_config_check(config, "", err));
    ig_bert *m;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "model", err));
    m->config = *config;
    const int64_t n_param =
        n_embedding + n_head + (int64_t)n_layer_param * config->num_hidden_layers;
    ig_code code = ig_alloc(&m->param, n_param, sizeof *m->param, "parameter table", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&m->name, n_param * name_bytes, 1, "parameter names", err);
    if (code != IG_ERR_OK)
        goto done;
    add_rows(m, embedding_rows, n_embedding, -1);
    for (int l = 0; l < config->num_hidden_layers; l++)
        add_rows(m, layer_rows, n_layer_param, l);
    add_rows(m, head_rows, n_head, -1);
    code = ig_alloc(&m->weight, m->n_weight, sizeof *m->weight, "model parameters", err);
    if (code == IG_ERR_OK)
        init_weights(m, seed);
done:
    if (code != IG_ERR_OK) {
        ig_bert_free(m);
        m = NULL;
    }
    *out = m;
    return code;
}

void ig_bert_free(ig_bert *m)
{
    if (m == NULL)
        return;
    ig_free(m->param);
    ig_free(m->name);
    ig_free(m->weight);
    ig_free(m);
}

const ig_bert_config *ig_bert_get_config(const ig_bert *m)
{
    return &m->config;
}

int ig_bert_n_param(const ig_bert *m)
{
    return m->n_param;
}

const ig_bert_param *ig_bert_params(const ig_bert *m)
{
    return m->param;
}

const ig_bert_param *ig_bert_param_find(const ig_bert *m, const char *name)
{
    for (int i = 0; i < m->n_param; i++)
        if (strcmp(m->param[i].name, name) == 0)
            return &m->param[i];
    return NULL;
}

int64_t ig_bert_n_value(const ig_bert *m)
{
    int64_t n = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++)
        n += (int64_t)ig_bert_params(m)[i].rows * ig_bert_params(m)[i].cols;
    return n;
}

int64_t ig_bert_n_weight(const ig_bert *m)
{
    return m->n_weight;
}

float *ig_bert_weights(ig_bert *m)
{
    return m->weight;
}

ig_bert_offsets ig_bert_get_offsets(const ig_bert *m)
{
    const ig_bert_param *p = m->param;
    const ig_bert_param *h = p + m->n_param - n_head;
    return (ig_bert_offsets){.word = p[0].offset,
                             .position = p[1].offset,
                             .segment = p[2].offset,
                             .norm_w = p[3].offset,
                             .norm_b = p[4].offset,
                             .head_w = h[0].offset,
                             .head_b = h[1].offset,
                             .head_norm_w = h[2].offset,
                             .head_norm_b = h[3].offset,
                             .decoder_b = h[4].offset};
}

ig_bert_layer_offsets ig_bert_get_layer_offsets(const ig_bert *m, int layer)
{
    IG_ASSERT(layer >= 0 && layer < m->config.num_hidden_layers);
    const ig_bert_param *p = m->param + n_embedding + layer * n_layer_param;
    return (ig_bert_layer_offsets){.qkv_w = p[0].offset,
                                   .qkv_b = p[3].offset,
                                   .o_w = p[6].offset,
                                   .o_b = p[7].offset,
                                   .norm1_w = p[8].offset,
                                   .norm1_b = p[9].offset,
                                   .up_w = p[10].offset,
                                   .up_b = p[11].offset,
                                   .down_w = p[12].offset,
                                   .down_b = p[13].offset,
                                   .norm2_w = p[14].offset,
                                   .norm2_b = p[15].offset};
}
