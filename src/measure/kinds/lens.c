/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `lens`: the logit lens (nostalgebraist 2020; by language Wendler et al. 2024, "Do
 * Llamas Work in English?", §3). The head of predicted words reads each layer's states in place of
 * the last one's; which language do the words have that it predicts? By probability mass and by the
 * likeliest word, over the tokens that perplexity predicts.
 *
 * A piece is of the language whose sequences alone have it, or, if neither has it, in whose block
 * of the vocabulary alone it is; pieces that both have and special tokens are shared.
 */
#include "apply/states.h"
#include "base/memory.h"
#include "isoglot/batch.h"
#include "measure/measure_list.h"
#include "model/block/block.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 16,  /* tokens whose logits are computed together */
    MOST = 1024, /* tokens of a language */
    SHARED = 2,
    NONE,
    N_GROUP
};

/* ---- the language of pieces ---- */

static void note_text(uint8_t *seen, const ig_corpus *c, int language, int64_t most, int bit)
{
    int32_t id[IG_SEQUENCE_MAX];
    const ig_language *l = ig_corpus_language(c, language);
    const int64_t all = ig_corpus_n_sequence(c, language);
    for (int64_t i = 0; i < all && (most == 0 || i < most); i++) {
        const int32_t n = ig_corpus_sequence(c, language, i, id) - (l->sep >= 0);
        for (int32_t j = l->cls >= 0; j < n; j++)
            seen[id[j]] |= (uint8_t)bit;
    }
}

static bool in_block(const ig_language *l, int32_t id)
{
    return id >= l->first_id && id < l->first_id + l->n_id;
}

/* The group of each piece: 0 and 1 the two languages, SHARED, NONE. */
static ig_code group_pieces(uint8_t **out, const ig_corpus *c, const int language[2], int64_t most,
                            ig_err *err)
{
    const ig_corpus_options *o = ig_corpus_get_options(c);
    const ig_language *l[] = {ig_corpus_language(c, language[0]),
                              ig_corpus_language(c, language[1])};
    const int32_t n = ig_corpus_vocab_size(c);
    IG_TRY(ig_alloc(out, n, sizeof **out, "pieces", err));
    for (int k = 0; k < 2; k++)
        note_text(*out, c, language[k], most, 1 << k);
    for (int32_t i = 0; i < n; i++) {
        const int seen = (*out)[i];
        const bool a = in_block(l[0], i), b = in_block(l[1], i);
        bool special = i == o->pad || i == o->unk || i == o->cls || i == o->sep || i == o->mask;
        for (int k = 0; k < 2; k++)
            special = special || i == l[k]->pad || i == l[k]->unk || i == l[k]->cls ||
                      i == l[k]->sep || i == l[k]->mask;
        (*out)[i] = (uint8_t)(special || seen == 3 ? SHARED
                              : seen != 0          ? seen - 1
                              : a != b             ? b
                                                   : NONE);
    }
    return IG_ERR_OK;
}

/* ---- the head ---- */

/* A tensor of the model as numbers; NULL: it has none. */
static ig_code tensor(float **out, const ig_bert *m, const char *name, ig_err *err)
{
    const ig_bert_param *p = ig_bert_param_find(m, name);
    *out = NULL;
    if (p == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(out, (int64_t)p->rows * p->cols, sizeof **out, "head", err));
    ig_bert_get_values(m, p, *out);
    return IG_ERR_OK;
}

/* The head of one language's model. */
typedef struct {
    const ig_bert_config *c;
    float *dense_w, *dense_b, *norm_w, *norm_b; /* NULL: no transform */
    float *decoder, *bias;                      /* [V, D], [V] or NULL */
    float *last_w, *last_b; /* pre-LN: the norm after the last block; biases may be NULL */
} head;

static void head_free(head *h)
{
    IG_FREE(h->dense_w, h->dense_b, h->norm_w, h->norm_b, h->decoder, h->bias, h->last_w,
            h->last_b);
}

static ig_code head_read(head *h, const ig_bert *m, ig_err *err)
{
    *h = (head){.c = ig_bert_get_config(m)};
    if (ig_bert_config_n_label(h->c, IG_HEAD_MASKED) == 0)
        return IG_ERR_OK;
    IG_TRY(tensor(&h->dense_w, m, "cls.predictions.transform.dense.weight", err));
    IG_TRY(tensor(&h->dense_b, m, "cls.predictions.transform.dense.bias", err));
    IG_TRY(tensor(&h->norm_w, m, "cls.predictions.transform.LayerNorm.weight", err));
    IG_TRY(tensor(&h->norm_b, m, "cls.predictions.transform.LayerNorm.bias", err));
    IG_TRY(tensor(&h->decoder, m, "cls.predictions.decoder.weight", err));
    if (h->decoder == NULL)
        IG_TRY(tensor(&h->decoder, m, "bert.embeddings.word_embeddings.weight", err));
    IG_TRY(tensor(&h->last_w, m, "bert.encoder.ln.weight", err));
    IG_TRY(tensor(&h->last_b, m, "bert.encoder.ln.bias", err));
    return tensor(&h->bias, m, "cls.predictions.bias", err);
}

/* LayerNorm, or in models that have it RMSNorm, which subtracts no mean. */
static void norm(double *x, const float *w, const float *b, const ig_bert_config *c)
{
    const int d = c->hidden_size;
    const bool centred = !ig_blocks[c->block]->rms;
    double mean = 0, square = 0;
    for (int k = 0; k < d && centred; k++)
        mean += x[k] / d;
    for (int k = 0; k < d; k++)
        square += (x[k] - mean) * (x[k] - mean) / d;
    for (int k = 0; k < d; k++)
        x[k] = (x[k] - mean) / sqrt(square + (double)c->layer_norm_eps) * (double)w[k] +
               (b != NULL ? (double)b[k] : 0);
}

static double gelu(double z, bool by_tanh)
{
    return by_tanh
               ? z / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (z + .044715 * z * z * z)))
               : z / 2 * (1 + erf(z / sqrt(2)));
}

/* Makes what the decoder reads of a state: x, work [D]. */
static void transform(double *x, double *work, const head *h, bool last)
{
    const int d = h->c->hidden_size;
    if (h->last_w != NULL && !last)
        norm(x, h->last_w, h->last_b, h->c);
    if (h->dense_w == NULL)
        return;
    for (int r = 0; r < d; r++) {
        double z = h->dense_b != NULL ? (double)h->dense_b[r] : 0;
        for (int k = 0; k < d; k++)
            z += (double)h->dense_w[(int64_t)r * d + k] * x[k];
        work[r] = gelu(z, h->c->gelu_tanh);
    }
    memcpy(x, work, (size_t)d * sizeof *x);
    norm(x, h->norm_w, h->norm_b, h->c);
}

/* ---- its predictions ---- */

typedef struct {
    double mass[N_GROUP];
    int top;
} prediction;

typedef struct {
    const head *h;
    const uint8_t *group;
    const float *x; /* [n, D] states */
    int64_t n;
    bool last;
    float *room;     /* [threads, (V + D) BLOCK] */
    double *work;    /* [threads, 2 D] */
    prediction *out; /* [n] */
} job;

/* Sums up the probabilities of token t of a block. */
static prediction sum_up(const job *j, const float *logit, int t)
{
    const int v = j->h->c->vocab_size;
    prediction p = {.top = 0};
    double all = 0;
    int best = 0;
    for (int i = 1; i < v; i++)
        if (logit[i * BLOCK + t] > logit[best * BLOCK + t])
            best = i;
    for (int i = 0; i < v; i++) {
        const double e = exp((double)logit[i * BLOCK + t] - (double)logit[best * BLOCK + t]);
        p.mass[j->group[i]] += e;
        all += e;
    }
    for (int g = 0; g < N_GROUP; g++)
        p.mass[g] /= all;
    p.top = j->group[best];
    return p;
}

static void run_block(void *arg, int64_t i_block, int thread)
{
    const job *j = arg;
    const int d = j->h->c->hidden_size, v = j->h->c->vocab_size;
    float *x = j->room + (int64_t)thread * (v + d) * BLOCK, *logit = x + (int64_t)d * BLOCK;
    double *work = j->work + (int64_t)thread * 2 * d;
    const int64_t first = i_block * BLOCK, n = j->n - first < BLOCK ? j->n - first : BLOCK;
    memset(x, 0, (size_t)d * BLOCK * sizeof *x);
    for (int64_t t = 0; t < n; t++) {
        for (int k = 0; k < d; k++)
            work[k] = (double)j->x[(first + t) * d + k];
        transform(work, work + d, j->h, j->last);
        for (int k = 0; k < d; k++)
            x[k * BLOCK + t] = (float)work[k];
    }
    for (int i = 0; i < v; i++) {
        const float *row = j->h->decoder + (int64_t)i * d;
        float sum[BLOCK];
        for (int t = 0; t < BLOCK; t++)
            sum[t] = j->h->bias != NULL ? j->h->bias[i] : 0;
        for (int k = 0; k < d; k++)
            for (int t = 0; t < BLOCK; t++)
                sum[t] += row[k] * x[k * BLOCK + t];
        memcpy(logit + (int64_t)i * BLOCK, sum, sizeof sum);
    }
    for (int64_t t = 0; t < n; t++)
        j->out[first + t] = sum_up(j, logit, (int)t);
}

static ig_code predict(job *j, ig_team *team, ig_err *err)
{
    const int64_t d = j->h->c->hidden_size, v = j->h->c->vocab_size, n_thread = ig_team_size(team);
    IG_TRY(ig_alloc(&j->room, n_thread * (v + d) * BLOCK, sizeof *j->room, "logits", err));
    IG_TRY(ig_alloc(&j->work, n_thread * 2 * d, sizeof *j->work, "logits", err));
    IG_TRY(ig_alloc(&j->out, j->n, sizeof *j->out, "predictions", err));
    ig_team_for(team, (j->n + BLOCK - 1) / BLOCK, run_block, j);
    return IG_ERR_OK;
}

/* ---- the measure ---- */

/* States of predicted tokens of one language: [n_layer] each [n, D]. */
typedef struct {
    float *x[IG_MEASURE_MAX_LAYER];
    int64_t n;
} rows;

static ig_code read_rows(rows *r, ig_states *s, ig_batcher *batcher, int language,
                         const ig_measure_options *o, int d, ig_err *err)
{
    int64_t from = ig_batcher_first(batcher, language),
            end = ig_batcher_first(batcher, language + 1);
    if (o->max_sentence > 0 && end - from > o->max_sentence)
        end = from + o->max_sentence;
    for (int l = 0; l < o->n_layer; l++)
        IG_TRY(ig_alloc(&r->x[l], (int64_t)MOST * d, sizeof *r->x[l], "states", err));
    for (int64_t to; from < end && r->n < MOST; from = to) {
        const float *const *states;
        ig_batch b;
        to = end - from < o->batching.batch ? end : from + o->batching.batch;
        IG_TRY(ig_batcher_get_range(batcher, from, to, true, &b, err));
        IG_TRY(ig_states_encode(&states, s, &b, err));
        const ig_targets *t = &b.target[IG_HEAD_MASKED];
        for (int32_t i = 0; i < t->n && r->n < MOST; i++, r->n++)
            for (int l = 0; l < o->n_layer; l++)
                memcpy(r->x[l] + r->n * d, states[l] + (int64_t)t->row[i] * d,
                       (size_t)d * sizeof **states);
    }
    return IG_ERR_OK;
}

/* Adds half of a language's means: of the own, the other and shared pieces; of masses and of the
 * likeliest. */
static ig_code add_layer(double sum[6], const head *h, const rows *r, int l, bool last,
                         const uint8_t *group, int own, const ig_measure_with *with, ig_err *err)
{
    job j = {.h = h, .group = group, .x = r->x[l], .n = r->n, .last = last};
    const int of[] = {own, 1 - own, SHARED};
    const ig_code code = predict(&j, with->team, err);
    for (int64_t i = 0; i < r->n && code == IG_ERR_OK; i++)
        for (int k = 0; k < 3; k++) {
            sum[k] += j.out[i].mass[of[k]] / (2 * (double)r->n);
            sum[3 + k] += (j.out[i].top == of[k]) / (2 * (double)r->n);
        }
    IG_FREE(j.room, j.work, j.out);
    return code;
}

/* One language's part of all layers; *n gets the number of its tokens, 0: the model has no such
 * head. */
static ig_code add_language(double (*sum)[6], int64_t *n, int k, const uint8_t *group, ig_states *s,
                            ig_batcher *batcher, const ig_measure_options *o,
                            const ig_measure_with *with, ig_err *err)
{
    const int language = k == 0 ? o->a : o->b;
    const ig_bert_config *c = ig_bert_get_config(with->model);
    ig_bert *view = NULL;
    head h = {0};
    rows r = {.n = 0};
    ig_code code = ig_bert_view(&view, with->model, c->n_language > 1 ? language : 0, err);
    IG_THEN(code, head_read(&h, view, err));
    if (code == IG_ERR_OK && h.decoder != NULL)
        code = read_rows(&r, s, batcher, language, o, c->hidden_size, err);
    for (int l = 0; l < o->n_layer && r.n > 0 && code == IG_ERR_OK; l++) {
        code = ig_stop_check(&with->stop, "lens", err);
        IG_THEN(code, add_layer(sum[l], &h, &r, l, o->layer[l] == c->num_hidden_layers, group, k,
                                with, err));
    }
    *n = r.n;
    for (int l = 0; l < o->n_layer; l++)
        ig_free(r.x[l]);
    head_free(&h);
    ig_bert_free(view);
    return code;
}

static ig_code put_layers(ig_measure_result *out, double (*sum)[6], int64_t n, ig_err *err)
{
    for (int l = 0; l < out->options.n_layer; l++) {
        const ig_measure_out to = ig_measure_out_of(out, out->options.layer[l]);
        for (int k = 0; k < 6; k++)
            IG_TRY(ig_measure_put(&to, ig_numbers_lens[k].name, n, sum[l][k], err));
    }
    return IG_ERR_OK;
}

static ig_code lens(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *text,
                    ig_err *err)
{
    const ig_measure_options *o = &out->options;
    const int language[] = {o->a, o->b};
    const ig_batch_options bo =
        ig_measure_batching(o, with, ig_bert_get_config(with->model)->causal);
    const ig_states_options requested = {
        .layer = o->layer, .n_layer = o->n_layer, .stop = with->stop};
    const ig_states_parts parts = {
        .engine = with->engine, .model = with->model, .team = with->team, .corpus = text};
    double sum[IG_MEASURE_MAX_LAYER][6] = {{0}};
    int64_t n[2] = {0};
    IG_OWNED uint8_t *group = NULL;
    ig_states *s = NULL;
    ig_batcher *batcher = NULL;
    ig_code code = group_pieces(&group, text, language, o->max_sentence, err);
    IG_THEN(code, ig_batcher_new(&batcher, text, &bo, o->seed, err));
    IG_THEN(code, ig_states_over(&s, &requested, &parts, err));
    for (int k = 0; k < 2 && code == IG_ERR_OK; k++)
        code = add_language(sum, &n[k], k, group, s, batcher, o, with, err);
    if (code == IG_ERR_OK && n[0] > 0 && n[1] > 0)
        code = put_layers(out, sum, n[0] + n[1], err);
    ig_states_close(s);
    ig_batcher_free(batcher);
    return code;
}

#define SHARE                                                                                      \
    .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true, .share = true

const ig_store_task ig_numbers_lens[] = {
    {"lens_own", "lens own", "probability that the layer gives to words of the text's language",
     SHARE},
    {"lens_other", "lens other", "the same to words of the other language", SHARE},
    {"lens_shared", "lens shared", "the same to words that both languages have", SHARE},
    {"lens_own_top", "top own", "share of tokens whose likeliest word is of the text's language",
     SHARE},
    {"lens_other_top", "top other", "the same of the other language", SHARE},
    {"lens_shared_top", "top shared", "the same of both languages", SHARE},
    {0}};

const ig_measure_kind ig_measure_kind_lens = {
    .text = lens, .number = ig_numbers_lens, .n_shown = 3};
