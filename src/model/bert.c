/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of BERT (Devlin et al. 2019, in the arrangement of Hugging Face's transformers),
 * of its blocks (block/) and heads (head/): tables drive names, shapes, initial values, weight
 * decay and where each role's tensor lies. Weight decay leaves out every bias and LayerNorm
 * (Loshchilov & Hutter 2019 as BERT's programs use it).
 */
#include "isoglot/bert.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "model/bert_init.h"
#include "model/bert_params.h"
#include "model/block/block.h"
#include "model/head/head.h"
#include "model/separate.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool has_position_table(const ig_bert_config *c)
{
    return c->position != IG_POSITION_ROTARY;
}

/* Kinds of blocks with RMSNorm or a gated FFN have no segments. */
static bool has_segment_table(const ig_bert_config *c)
{
    return !ig_blocks[c->block]->gated;
}

static bool has_buckets(const ig_bert_config *c)
{
    return c->position_buckets > 0;
}

static const ig_param_row embedding_rows[] = {
    {"bert.embeddings.word_embeddings.weight", IG_DIM_V, IG_DIM_E, IG_INIT_WORDS, .decay = true,
     .part = IG_PART_WORDS},
    {"bert.embeddings.position_embeddings.weight", IG_DIM_P, IG_DIM_E, IG_INIT_POSITION,
     .decay = true, .part = IG_PART_POSITIONS, .when = has_position_table},
    {"bert.embeddings.token_type_embeddings.weight", IG_DIM_S, IG_DIM_E, IG_INIT_EMBEDDING,
     .decay = true, .part = IG_PART_SEGMENTS, .when = has_segment_table},
    {IG_ROW_MATRIX(IG_PART_HEAD, "bert.embeddings_project.weight", IG_DIM_D, IG_DIM_E),
     .when = ig_bert_is_projected},
    {IG_ROW_BIAS(IG_PART_HEAD, "bert.embeddings_project.bias", IG_DIM_D, IG_DIM_E),
     .when = ig_bert_is_projected},
    {"bert.encoder.relative_attention_bias.weight", IG_DIM_BUCKETS, IG_DIM_HEADS, IG_INIT_EMBEDDING,
     .part = IG_PART_HEAD, .when = has_buckets, .decay = true},
};

enum {
    n_embedding = sizeof embedding_rows / sizeof embedding_rows[0],
    n_outside = 4, /* two of the embeddings' LayerNorm, two of that after the last block */
    name_bytes = 96
};

struct ig_bert {
    ig_bert_config config;
    uint64_t seed; /* of the initial values */
    int n_param;
    ig_bert_param *param;
    char *name;                           /* [n_param][name_bytes] */
    ig_bert_offsets *offsets;             /* [languages] */
    ig_bert_layer_offsets *layer_offsets; /* [languages][L] */
    int64_t n_weight, largest;            /* floats of the block, of its largest parameter */
    const ig_device *device;
    float *weight;   /* on the device */
    float *room;     /* [largest] a buffer for initial values while they are drawn … */
    const bool *has; /* … for parameters without any; NULL: for all */
    ig_team *team;   /* … by these threads; NULL: by the caller alone */
};

int ig_bert_n_language(const ig_bert_config *c)
{
    return c->n_language > 1 && ig_bert_separate_any(&c->separate) ? c->n_language : 1;
}

static bool has_row(const ig_bert_config *c, const ig_param_row *row, int layer)
{
    return row->name != NULL && !(row->not_first && layer == 0) &&
           (row->when == NULL || row->when(c));
}

static bool is_frozen(const ig_bert_config *c, const ig_param_row *row)
{
    return row->fixed || (row->init == IG_INIT_POSITION && c->position != IG_POSITION_LEARNED);
}

static bool is_separate(const ig_bert_config *c, const ig_param_row *row, int layer)
{
    const ig_bert_separate *s = &c->separate;
    if (ig_bert_n_language(c) == 1 || is_frozen(c, row))
        return false;
    switch (row->part) {
    case IG_PART_WORDS:
        return s->words;
    case IG_PART_POSITIONS:
        return s->positions;
    case IG_PART_SEGMENTS:
        return s->segments;
    case IG_PART_NORM:
        return s->norm;
    case IG_PART_DISTANCES:
        return s->positions || ig_bert_separate_layer(s, layer);
    case IG_PART_LAYER:
        return ig_bert_separate_layer(s, layer);
    case IG_PART_HEAD:
        return s->head;
    case IG_PART_OUTPUT:
        return s->output;
    case IG_PART_BIAS:
        return s->bias || s->output;
    }
    return false;
}

/* Returns whether an earlier head has added this tensor, which both then use (the pooler). */
static bool is_brought(const ig_bert_config *c, int head, const char *name)
{
    const ig_param_row *row;
    int at;
    for (int h = 0; h < head; h++)
        for (int i = 0; (row = ig_head_param(c, (ig_head_kind)h, i, &at)) != NULL; i++)
            if (strcmp(row->name, name) == 0)
                return true;
    return false;
}

static int64_t count_row(const ig_bert_config *c, const ig_param_row *row, int layer, int head)
{
    if (!has_row(c, row, layer) || is_frozen(c, row))
        return 0;
    return (int64_t)ig_param_dim(c, head, row->rows) * ig_param_dim(c, head, row->cols) *
           (is_separate(c, row, layer) ? c->n_language : 1);
}

static int64_t count_rows(const ig_bert_config *c, const ig_param_row *row, int n, int layer)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += count_row(c, &row[i], layer, IG_OF_BLOCK);
    return sum;
}

int64_t ig_bert_config_n_value(const ig_bert_config *c)
{
    const ig_block *block = ig_blocks[c->block];
    int64_t n = count_rows(c, embedding_rows, n_embedding, -1) +
                count_rows(c, block->outside, n_outside, -1);
    for (int l = 0; l < c->num_hidden_layers; l++)
        n += count_rows(c, block->param, block->n_param, l);
    const ig_param_row *row;
    int at;
    for (int h = 0; h < IG_N_HEAD; h++)
        for (int i = 0; (row = ig_head_param(c, (ig_head_kind)h, i, &at)) != NULL; i++)
            if (!is_brought(c, h, row->name))
                n += count_row(c, row, -1, h);
    return n;
}

static void name_row(char *name, const ig_param_row *row, int layer, int language)
{
    char before[32] = "";
    if (language > 0)
        snprintf(before, sizeof before, "language.%d.", language);
    if (layer < 0)
        snprintf(name, name_bytes, "%s%s", before, row->name);
    else
        snprintf(name, name_bytes, "%sbert.encoder.layer.%d.%s", before, layer, row->name);
}

/* Appends one row's tensor, of a head or not, with initial values where these are drawn; *offset
 * gets its position. */
static void add_row(ig_bert *m, const ig_param_row *row, int layer, int language, int head,
                    int64_t *offset)
{
    const int64_t line = IG_ALIGN / (int64_t)sizeof(float);
    ig_bert_param *p = &m->param[m->n_param];
    char *name = m->name + (size_t)m->n_param * name_bytes;
    name_row(name, row, layer, language);
    if (!row->joined)
        m->n_weight = (m->n_weight + line - 1) / line * line;
    *offset = m->n_weight;
    *p = (ig_bert_param){.name = name,
                         .offset = m->n_weight,
                         .rows = ig_param_dim(&m->config, head, row->rows),
                         .cols = ig_param_dim(&m->config, head, row->cols),
                         .decay = row->decay,
                         .frozen = is_frozen(&m->config, row),
                         .language = is_separate(&m->config, row, layer) ? language : -1};
    const int64_t n = (int64_t)p->rows * p->cols;
    if (m->room != NULL && (m->has == NULL || !m->has[m->n_param])) {
        ig_bert_init(m->room, &m->config, p, row->init, ig_param_dim(&m->config, head, row->inputs),
                     m->seed, m->team);
        ig_bert_set_values(m, p, m->room);
    }
    m->largest = n > m->largest ? n : m->largest;
    m->n_weight += n;
    m->n_param++;
}

/* Appends a tensor that is no head's where the model has it and the language its own; `layer` −1:
 * no prefix. Offsets of language 0 are also the shared ones. */
static void add_own(ig_bert *m, const ig_param_row *row, int layer, int language, int64_t *offset)
{
    if (has_row(&m->config, row, layer) && (language == 0 || is_separate(&m->config, row, layer)))
        add_row(m, row, layer, language, IG_OF_BLOCK, offset);
}

/* Appends a head's tensors. Where an earlier head has added a tensor, or the words are tied to it,
 * the offset is that one's. */
static void add_head(ig_bert *m, int head, int language, ig_bert_offsets *o)
{
    char name[name_bytes];
    const ig_param_row *row;
    int place;
    IG_ASSERT(ig_heads[head]->n_param <= IG_HEAD_MIX);
    for (int i = 0; (row = ig_head_param(&m->config, (ig_head_kind)head, i, &place)) != NULL; i++) {
        int64_t *at = &o->head[head][place];
        if (!has_row(&m->config, row, -1)) {
            *at = row->tied ? o->word : -1;
            continue;
        }
        if (language > 0 && !is_separate(&m->config, row, -1))
            continue;
        if (is_brought(&m->config, head, row->name)) {
            name_row(name, row, -1, language);
            *at = ig_bert_param_find(m, name)->offset;
        } else
            add_row(m, row, -1, language, head, at);
    }
}

/* Builds the whole table: a plain model, then the further languages' own parts. */
static void add_all(ig_bert *m)
{
    const int n_layer = m->config.num_hidden_layers;
    const ig_block *block = ig_blocks[m->config.block];
    m->n_param = 0;
    m->n_weight = 0;
    /* All bits set are −1: a role that this model does not have. */
    memset(m->offsets, 0xFF, sizeof *m->offsets);
    memset(m->layer_offsets, 0xFF, (size_t)n_layer * sizeof *m->layer_offsets);
    for (int k = 0; k < ig_bert_n_language(&m->config); k++) {
        ig_bert_offsets *o = &m->offsets[k];
        *o = m->offsets[0];
        int64_t *const table[n_embedding] = {&o->word,      &o->position,  &o->segment,
                                             &o->project_w, &o->project_b, &o->buckets};
        for (int i = 0; i < n_embedding; i++)
            add_own(m, &embedding_rows[i], -1, k, table[i]);
        for (int i = 0; i < n_outside / 2; i++)
            add_own(m, &block->outside[i], -1, k, &o->outside[i]);
        for (int l = 0; l < n_layer; l++) {
            ig_bert_layer_offsets *at = &m->layer_offsets[k * n_layer + l];
            *at = m->layer_offsets[l];
            for (int i = 0; i < block->n_param; i++)
                add_own(m, &block->param[i], l, k, &at->at[i]);
        }
        for (int i = n_outside / 2; i < n_outside; i++)
            add_own(m, &block->outside[i], -1, k, &o->outside[i]);
        for (int h = 0; h < IG_N_HEAD; h++)
            add_head(m, h, k, o);
    }
}

ig_code ig_bert_draw(ig_bert *m, const bool *has, ig_err *err)
{
    int64_t largest = 0;
    for (int i = 0; i < m->n_param; i++) {
        const int64_t n = (int64_t)m->param[i].rows * m->param[i].cols;
        largest = (has == NULL || !has[i]) && n > largest ? n : largest;
    }
    if (largest == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&m->room, largest, sizeof *m->room, "model parameters", err));
    m->has = has;
    add_all(m);
    ig_free(m->room);
    m->room = NULL;
    m->has = NULL;
    return IG_ERR_OK;
}

ig_code ig_bert_redraw(ig_bert *m, uint64_t seed, ig_team *team, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    m->seed = seed;
    m->team = team;
    const ig_code code = ig_bert_draw(m, NULL, err);
    m->team = NULL;
    return code;
}

ig_code ig_bert_new(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    IG_TRY(ig_bert_new_zero(out, config, seed, err));
    ig_code code = ig_bert_draw(*out, NULL, err);
    if (code != IG_ERR_OK) {
        ig_bert_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_bert_new_zero(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err)
{
    *out = NULL;
    IG_TRY(ig_bert_config_check(config, "", err));
    ig_bert *m;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "model", err));
    m->config = *config;
    m->config.first_position = m->config.family = 0;
    m->seed = seed;
    m->device = ig_device_for(config);
    const int64_t n_layer = config->num_hidden_layers, n_language = ig_bert_n_language(config),
                  n_param =
                      (n_embedding + n_outside + IG_MAX_PARAM * (n_layer + IG_N_HEAD)) * n_language;
    ig_code code = ig_alloc(&m->param, n_param, sizeof *m->param, "parameter table", err);
    IG_THEN(code, ig_alloc(&m->name, n_param * name_bytes, 1, "parameter names", err));
    IG_THEN(code, ig_alloc(&m->offsets, n_language, sizeof *m->offsets, "table", err));
    IG_THEN(code, ig_alloc(&m->layer_offsets, n_layer * n_language, sizeof *m->layer_offsets,
                           "layer table", err));
    if (code == IG_ERR_OK) {
        add_all(m);
        code =
            m->device->alloc(&m->weight, m->n_weight, sizeof *m->weight, "model parameters", err);
    }
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
    IG_FREE(m->param, m->name, m->offsets, m->layer_offsets);
    m->device->free(m->weight);
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
    for (int i = 0; i < m->n_param; i++)
        if (!m->param[i].frozen)
            n += (int64_t)m->param[i].rows * m->param[i].cols;
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

const ig_device *ig_bert_get_device(const ig_bert *m)
{
    return m->device;
}

static int64_t bytes_of(const ig_bert_param *p)
{
    return (int64_t)p->rows * p->cols * (int64_t)sizeof(float);
}

void ig_bert_get_values(const ig_bert *m, const ig_bert_param *p, float *out)
{
    m->device->download(out, m->weight + p->offset, bytes_of(p));
}

void ig_bert_set_values(ig_bert *m, const ig_bert_param *p, const float *values)
{
    m->device->upload(m->weight + p->offset, values, bytes_of(p));
}

/* By its value, as a training makes it a parameter like any other. */
const ig_bert_param *ig_bert_zero_segment(const ig_bert *m)
{
    const ig_bert_param *p = ig_bert_param_find(m, "bert.embeddings.token_type_embeddings.weight");
    if (p == NULL || p->rows > 1)
        return NULL;
    for (int k = 0; k < p->cols; k++) {
        float value;
        m->device->download(&value, m->weight + p->offset + k, sizeof value);
        if (value != 0)
            return NULL;
    }
    return p;
}

int64_t ig_bert_n_parameter(const ig_bert *m)
{
    const ig_bert_param *absent = ig_bert_zero_segment(m);
    return ig_bert_n_value(m) - (absent != NULL ? absent->cols : 0);
}

const ig_bert_param *ig_bert_not_finite(const ig_bert *m, const float *block)
{
    enum { piece = 4096 };
    float some[piece];
    for (int i = 0; i < m->n_param; i++) {
        const ig_bert_param *p = &m->param[i];
        const int64_t all = (int64_t)p->rows * p->cols;
        for (int64_t from = 0; from < all; from += piece) {
            const int64_t n = all - from < piece ? all - from : piece;
            m->device->download(some, block + p->offset + from, n * (int64_t)sizeof *some);
            for (int64_t j = 0; j < n; j++)
                if (!isfinite(some[j]))
                    return p;
        }
    }
    return NULL;
}

ig_bert_offsets ig_bert_get_offsets(const ig_bert *m, int language)
{
    IG_ASSERT(language >= 0 && language < ig_bert_n_language(&m->config));
    return m->offsets[language];
}

bool ig_bert_shares_words(const ig_bert *m, int a, int b)
{
    return ig_bert_n_language(&m->config) == 1 ||
           ig_bert_get_offsets(m, a).word == ig_bert_get_offsets(m, b).word;
}

const ig_bert_layer_offsets *ig_bert_get_layer_offsets(const ig_bert *m, int language)
{
    IG_ASSERT(language >= 0 && language < ig_bert_n_language(&m->config));
    return &m->layer_offsets[language * m->config.num_hidden_layers];
}

static bool has_suffix(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

bool ig_bert_is_of_words(const char *name)
{
    return has_suffix(name, "embeddings.word_embeddings.weight") ||
           has_suffix(name, "cls.predictions.bias") ||
           has_suffix(name, "cls.predictions.decoder.weight");
}

ig_code ig_bert_view(ig_bert **out, const ig_bert *m, int language, ig_err *err)
{
    ig_bert_config c = m->config;
    char name[2 * name_bytes];
    IG_ASSERT(language >= 0 && language < ig_bert_n_language(&m->config));
    c.n_language = 0;
    c.separate = (ig_bert_separate){0};
    IG_TRY(ig_bert_new(out, &c, 0, err));
    float *values;
    ig_code code = ig_alloc(&values, (*out)->largest, sizeof *values, "model parameters", err);
    if (code != IG_ERR_OK) {
        ig_bert_free(*out);
        *out = NULL;
        return code;
    }
    for (int i = 0; i < (*out)->n_param; i++) {
        const ig_bert_param *to = &(*out)->param[i];
        snprintf(name, sizeof name, "language.%d.%s", language, to->name);
        const ig_bert_param *from = ig_bert_param_find(m, name);
        if (from == NULL)
            from = ig_bert_param_find(m, to->name);
        ig_bert_get_values(m, from, values);
        ig_bert_set_values(*out, to, values);
    }
    ig_free(values);
    return IG_ERR_OK;
}
