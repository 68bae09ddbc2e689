/* SPDX-License-Identifier: Apache-2.0
 *
 * Tagging with a linear-chain conditional random field (Lafferty et al. 2001), as K et al. 2020
 * have it from AllenNLP 0.9: from the states of a sequence's words a score for each label, linear,
 * and a trained score for each pair of neighbouring labels; the loss is −log p(labels | sentence).
 * Labels that a scheme forbids (no I-x after O) count in decoding alone (crf.constraints).
 */
#include "model/head/crf.h"

#include "model/head/head.h"

#include <stddef.h>
#include <string.h>

/* --- layers of bidirectional LSTMs below the scores ------------------------------------------- */

/* Tensors of one direction of one layer, in PyTorch's order and with its names; direction r of
 * layer l has numbers from 4 (2 l + r) on. */
enum { IG_LSTM_INPUT_W, IG_LSTM_STATE_W, IG_LSTM_INPUT_B, IG_LSTM_STATE_B, IG_LSTM_N_PARAM };
enum { BILSTM_MAX_PARAM = 2 * IG_LSTM_N_PARAM * IG_LSTM_MAX_LAYER };

/* Buffers and shape; N targets. */
typedef struct {
    int n_layer, size;                 /* of each direction: H */
    int in[IG_LSTM_MAX_LAYER];         /* columns of a layer's input: D, 2H */
    float *packed[IG_LSTM_MAX_LAYER];  /* [N, in] */
    float *gate[IG_LSTM_MAX_LAYER][2]; /* [N, 4H] */
    float *cell[IG_LSTM_MAX_LAYER][2], *slope[IG_LSTM_MAX_LAYER][2],
        *before[IG_LSTM_MAX_LAYER][2]; /* [N, H] */
    float *out;                        /* [N, 2H] */
    float *dcell[2];                   /* [N, H] */
    float *bias;                       /* [4H] */
    int32_t *order, *place, *length;   /* ig_steps */
} bilstm;

/* At this rate of dropout or above, products skip zeros. */
static const float least_dropped = 0.5f;

/* The size H in a head's settings. */
static int32_t bilstm_size(const ig_head_config *h)
{
    return h->lstm_size == 0 ? 200 : h->lstm_size;
}

/* Lays it out from `base` on (NULL: only counts) for n targets of n_seq sequences; returns the
 * floats. */
static int64_t bilstm_place(bilstm *w, const ig_bert_config *c, ig_head_kind head, int64_t n,
                            int64_t n_seq, float *base)
{
    const int h = bilstm_size(&c->head[head]);
    int64_t used = 0;
    *w = (bilstm){.n_layer = c->head[head].lstm_layers, .size = h};
    if (w->n_layer == 0)
        return 0;
    for (int l = 0; l < w->n_layer; l++) {
        w->in[l] = l == 0 ? c->hidden_size : 2 * h;
        w->packed[l] = ig_take(base, &used, n * w->in[l]);
        for (int r = 0; r < 2; r++) {
            w->gate[l][r] = ig_take(base, &used, n * 4 * h);
            w->cell[l][r] = ig_take(base, &used, n * h);
            w->slope[l][r] = ig_take(base, &used, n * h);
            w->before[l][r] = ig_take(base, &used, n * h);
        }
    }
    w->out = ig_take(base, &used, n * 2 * h);
    for (int r = 0; r < 2; r++)
        w->dcell[r] = ig_take(base, &used, n * h);
    w->bias = ig_take(base, &used, 4 * h);
    w->order = (int32_t *)(void *)ig_take(base, &used, n);
    w->place = (int32_t *)(void *)ig_take(base, &used, n > n_seq ? n : n_seq);
    w->length = (int32_t *)(void *)ig_take(base, &used, n_seq);
    return used;
}

static ig_lstm direction(const ig_head_call *h, const bilstm *w, int l, int r)
{
    return (ig_lstm){.n_seq = h->t->n_seq,
                     .h = w->size,
                     .length = w->length,
                     .reverse = r == 1,
                     .gate = w->gate[l][r],
                     .cell = w->cell[l][r],
                     .slope = w->slope[l][r],
                     .before = w->before[l][r],
                     .out = w->out + r * w->size,
                     .ld = 2 * w->size,
                     .dcell = w->dcell[r]};
}

/* Number of direction r of layer l's first tensor. */
static int tensors_of(int param, int l, int r)
{
    return param + IG_LSTM_N_PARAM * (2 * l + r);
}

/* Whether dropout has made so many zeros of layer l's input that it pays to skip them. */
static bool dropped(const ig_head_call *h, int l)
{
    const ig_head_config *c = &h->net->config->head[h->kind];
    return h->net->train && (l == 0 ? c->dropout : c->inner_dropout) >= least_dropped;
}

/* y [N, 2H] of x [N, D], which is not stored; between layers ig_head_drop's place 1. Tensors from
 * number `param` of the head's table on. */
static void bilstm_forward(const ig_head_call *h, const bilstm *w, int param, const float *x,
                           float *y)
{
    const int n = h->t->n, wide = 4 * w->size;
    const ig_steps steps = {.n_seq = h->t->n_seq,
                            .first = h->t->first,
                            .order = w->order,
                            .place = w->place,
                            .length = w->length};
    h->x->run->steps(h->x, &steps);
    for (int l = 0; l < w->n_layer; l++) {
        h->x->run->gather_rows(h->x, w->packed[l], l == 0 ? x : y, w->order, n, w->in[l]);
        ig_lstm a[2];
        for (int r = 0; r < 2; r++) {
            const int p = tensors_of(param, l, r);
            a[r] = direction(h, w, l, r);
            h->x->run->copy(h->x, w->bias, h->net->weight + h->offset[p + IG_LSTM_INPUT_B], wide);
            h->x->run->add(h->x, w->bias, h->net->weight + h->offset[p + IG_LSTM_STATE_B], wide);
            h->x->run->linear(h->x,
                              &(ig_gemm){.m = n,
                                         .a = w->packed[l],
                                         .lda = w->in[l],
                                         .c = a[r].gate,
                                         .ldc = wide,
                                         .epilogue = IG_EPI_BIAS,
                                         .bias = w->bias,
                                         .sparse = dropped(h, l)},
                              &h->p->forward[p + IG_LSTM_INPUT_W]);
            a[r].w = &h->p->forward[p + IG_LSTM_STATE_W];
        }
        h->x->run->lstm(h->x, a, 2);
        h->x->run->gather_rows(h->x, y, w->out, w->place, n, 2 * w->size);
        if (l + 1 < w->n_layer)
            ig_head_drop(h, y, 2 * w->size, 0, n, 1);
    }
}

/* Computes the gradients of a direction's tensors from that of its gates. */
static void tensors_back(const ig_head_call *h, const bilstm *w, int param, int l, int r)
{
    const int p = tensors_of(param, l, r);
    for (int k = 0; k < 2; k++)
        h->x->run->layer_grad(
            h->x,
            &(ig_layer_grad){
                .dw = ig_net_grad(h->net, h->grad,
                                  h->offset[p + (k == 0 ? IG_LSTM_INPUT_W : IG_LSTM_STATE_W)]),
                .db = ig_net_grad(h->net, h->grad,
                                  h->offset[p + (k == 0 ? IG_LSTM_INPUT_B : IG_LSTM_STATE_B)]),
                .m = 4 * w->size,
                .n = k == 0 ? w->in[l] : w->size,
                .k = h->t->n,
                .dy = w->gate[l][r],
                .ld_dy = 4 * w->size,
                .x = k == 0 ? w->packed[l] : w->before[l][r],
                .sparse = k == 0 && dropped(h, l)});
}

/* Adds gradients of parameters; dy [N, 2H] is overwritten, dx [N, D] is written unless it is
 * NULL. */
static void bilstm_backward(const ig_head_call *h, const bilstm *w, int param, float *dy, float *dx)
{
    const int n = h->t->n;
    for (int l = w->n_layer - 1; l >= 0; l--) {
        h->x->run->gather_rows(h->x, w->out, dy, w->order, n, 2 * w->size);
        ig_lstm a[2];
        for (int r = 0; r < 2; r++) {
            a[r] = direction(h, w, l, r);
            a[r].w = &h->p->backward[tensors_of(param, l, r) + IG_LSTM_STATE_W];
        }
        h->x->run->lstm_grad(h->x, a, 2);
        for (int r = 0; r < 2; r++)
            tensors_back(h, w, param, l, r);
        if (l == 0 && dx == NULL)
            return;
        for (int r = 0; r < 2; r++)
            h->x->run->linear(h->x,
                              &(ig_gemm){.m = n,
                                         .a = w->gate[l][r],
                                         .lda = 4 * w->size,
                                         .c = w->packed[l],
                                         .ldc = w->in[l],
                                         .accumulate = r == 1},
                              &h->p->backward[tensors_of(param, l, r) + IG_LSTM_INPUT_W]);
        h->x->run->gather_rows(h->x, l == 0 ? dx : dy, w->packed[l], w->place, n, w->in[l]);
        if (l > 0)
            ig_head_drop(h, dy, 2 * w->size, 0, n, 1);
    }
}

/* --- the head --------------------------------------------------------------------------------- */

enum {
    SCORE_W,
    SCORE_B,
    TRANSITION,
    START,
    END,
    CONSTRAINT,
    LSTM,
    N_PARAM = LSTM + BILSTM_MAX_PARAM
};
/* The inputs of scores; labels and both ends; an LSTM's state, gates and output. */
enum { SIZE_IN, SIZE_SIDE, SIZE_STATE, SIZE_GATES, SIZE_OUT };

static int32_t size(const ig_bert_config *c, int i)
{
    const ig_head_config *h = &c->head[IG_HEAD_CRF];
    switch (i) {
    case SIZE_IN:
        return h->lstm_layers == 0 ? c->hidden_size : 2 * bilstm_size(h);
    case SIZE_SIDE:
        return ig_bert_config_n_label(c, IG_HEAD_CRF) + 2;
    case SIZE_STATE:
        return bilstm_size(h);
    case SIZE_GATES:
        return 4 * bilstm_size(h);
    default:
        return 2 * bilstm_size(h);
    }
}

static bool has_first(const ig_bert_config *c)
{
    return c->head[IG_HEAD_CRF].lstm_layers > 0;
}

static bool has_second(const ig_bert_config *c)
{
    return c->head[IG_HEAD_CRF].lstm_layers > 1;
}

/* One direction of one layer, of `in` inputs. */
#define LSTM_MATRIX(n, in, has)                                                                    \
    {                                                                                              \
        IG_HEAD_UNIFORM_MATRIX(n, IG_DIM_OWN + SIZE_GATES, in, IG_DIM_OWN + SIZE_STATE),           \
            .when = has                                                                            \
    }
#define LSTM_BIAS(n, has)                                                                          \
    {                                                                                              \
        IG_HEAD_UNIFORM_BIAS(n, IG_DIM_OWN + SIZE_GATES, IG_DIM_OWN + SIZE_STATE), .when = has     \
    }
#define LSTM_DIRECTION(at, suffix, in, has)                                                        \
    [at + IG_LSTM_INPUT_W] = LSTM_MATRIX("crf.lstm.weight_ih_" suffix, in, has),                   \
          [at + IG_LSTM_STATE_W] =                                                                 \
              LSTM_MATRIX("crf.lstm.weight_hh_" suffix, IG_DIM_OWN + SIZE_STATE, has),             \
          [at + IG_LSTM_INPUT_B] = LSTM_BIAS("crf.lstm.bias_ih_" suffix, has),                     \
          [at + IG_LSTM_STATE_B] = LSTM_BIAS("crf.lstm.bias_hh_" suffix, has)

static bool has_ends(const ig_bert_config *c)
{
    return c->head[IG_HEAD_CRF].ends;
}

static const ig_param_row params[N_PARAM] = {
    [SCORE_W] = {IG_HEAD_UNIFORM_MATRIX("crf.score.weight", IG_DIM_LABELS, IG_DIM_OWN + SIZE_IN,
                                        IG_DIM_OWN + SIZE_IN)},
    [SCORE_B] = {IG_HEAD_UNIFORM_BIAS("crf.score.bias", IG_DIM_LABELS, IG_DIM_OWN + SIZE_IN)},
    [TRANSITION] = {"crf.transitions", IG_DIM_LABELS, IG_DIM_LABELS, IG_INIT_XAVIER_NORMAL,
                    .decay = true, .part = IG_PART_HEAD},
    [START] = {"crf.start", IG_DIM_LABELS, IG_DIM_1, IG_INIT_ZERO, .part = IG_PART_HEAD,
               .when = has_ends},
    [END] = {"crf.end", IG_DIM_LABELS, IG_DIM_1, IG_INIT_ZERO, .part = IG_PART_HEAD,
             .when = has_ends},
    [CONSTRAINT] = {.name = IG_CRF_CONSTRAINTS,
                    .rows = IG_DIM_OWN + SIZE_SIDE,
                    .cols = IG_DIM_OWN + SIZE_SIDE,
                    .init = IG_INIT_ZERO,
                    .decay = true, /* it has two dimensions; it is not trained */
                    .part = IG_PART_HEAD,
                    .fixed = true},
    LSTM_DIRECTION(LSTM, "l0", IG_DIM_D, has_first),
    LSTM_DIRECTION(LSTM + 4, "l0_reverse", IG_DIM_D, has_first),
    LSTM_DIRECTION(LSTM + 8, "l1", IG_DIM_OWN + SIZE_OUT, has_second),
    LSTM_DIRECTION(LSTM + 12, "l1_reverse", IG_DIM_OWN + SIZE_OUT, has_second),
};

/* Buffers for all the shard's targets. */
typedef struct {
    int ld;
    float *read; /* [N, D] */
    int n_in;    /* D, or 2H of an LSTM */
    float *in;   /* [N, n_in] */
    bilstm lstm;
    float *score; /* [N, ld] */
    float *crf;   /* ig_crf_room */
} buffers;

static int64_t place(buffers *b, const ig_bert_config *c, int64_t n, int64_t n_seq, int longest,
                     float *base)
{
    const int n_label = ig_bert_config_n_label(c, IG_HEAD_CRF);
    int64_t used = 0;
    b->ld = (n_label + 15) / 16 * 16 + 16;
    b->read = ig_take(base, &used, n * c->hidden_size);
    b->n_in = size(c, SIZE_IN);
    b->in = c->head[IG_HEAD_CRF].lstm_layers == 0 ? b->read : ig_take(base, &used, n * b->n_in);
    b->score = ig_take(base, &used, n * b->ld);
    b->crf = ig_take(base, &used, ig_crf_room(n_label, longest));
    return used +
           bilstm_place(&b->lstm, c, IG_HEAD_CRF, n, n_seq, base == NULL ? NULL : base + used);
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    buffers none;
    return place(&none, c, z->n_tok, z->n_tok, z->longest, NULL);
}

/* Computes losses and, training, the gradient of b->score; else the best path. */
static void field(const ig_head_call *h, const buffers *b)
{
    const ig_shard_targets *t = h->t;
    const int64_t *o = h->offset;
    const float *weight = h->net->weight;
    ig_crf a = {.n_seq = t->n_seq,
                .n_label = ig_bert_config_n_label(h->net->config, IG_HEAD_CRF),
                .ld = b->ld,
                .longest = t->longest,
                .first = t->first,
                .label = t->label,
                .score = b->score,
                .transition = weight + o[TRANSITION],
                .constraint = weight + o[CONSTRAINT],
                .train = h->net->train,
                .scale = h->scale,
                .room = b->crf,
                .nll = t->nll,
                .best = t->best};
    const bool ends = has_ends(h->net->config);
    if (ends) {
        a.start = weight + o[START];
        a.end = weight + o[END];
    }
    if (a.train)
        a.dtransition = ig_net_grad(h->net, h->grad, o[TRANSITION]);
    if (a.train && ends) {
        a.dstart = ig_net_grad(h->net, h->grad, o[START]);
        a.dend = ig_net_grad(h->net, h->grad, o[END]);
    }
    h->x->run->crf(h->x, &a);
}

static void run_crf(const ig_head_call *h)
{
    const ig_bert_config *c = h->net->config;
    const int d = c->hidden_size, n = h->t->n;
    buffers b;
    place(&b, c, n, h->t->n_seq, h->t->longest, h->room);
    ig_head_read(h, b.read, 0, n);
    ig_head_drop(h, b.read, d, 0, n, 0);
    if (b.lstm.n_layer > 0) {
        bilstm_forward(h, &b.lstm, LSTM, b.read, b.in);
        ig_head_drop(h, b.in, b.n_in, 0, n, 2);
    }
    const ig_head_dense scores = {SCORE_W, SCORE_B, n, b.in, b.score, b.ld};
    ig_head_dense_forward(h, &scores);
    field(h, &b);
    if (!h->net->train)
        return;
    ig_head_dense_backward(h, &scores, b.in, false);
    if (b.lstm.n_layer > 0) {
        ig_head_drop(h, b.in, b.n_in, 0, n, 2);
        bilstm_backward(h, &b.lstm, LSTM, b.in, h->dhidden == NULL ? NULL : b.read);
    }
    ig_head_drop(h, b.read, d, 0, n, 0);
    ig_head_give(h, b.read, 0, n);
}

/* Sequences with words. */
static int64_t count(const ig_bert_config *c, const ig_targets *t, const ig_batch *b)
{
    (void)c;
    int64_t n = 0;
    int32_t k = 0;
    for (int32_t s = 0; s < b->n_seq; s++) {
        const int32_t from = k;
        while (k < t->n && t->row[k] < b->seq_start[s + 1])
            k++;
        n += k > from;
    }
    return n;
}

const ig_head ig_head_crf = {.name = "labels of tokens by a CRF",
                             .least_label = 2,
                             .most_label = 4096,
                             .architecture = "ForCrfTagging",
                             .param = params,
                             .n_param = N_PARAM,
                             .size = size,
                             .count = count,
                             .room = room,
                             .run = run_crf};

/* A label's position in its span: O, B, I, L (E), U (S); its type after the dash. */
static char position_of(const char *label, const char **type)
{
    *type = label[0] != 0 && label[1] == '-' ? label + 2 : "";
    if (label[0] == 'E')
        return 'L';
    return label[0] == 'S' ? 'U' : label[0];
}

/* Whether label `to` may follow label `from`; NULL: the start, the end. */
static bool may_follow(ig_label_scheme scheme, const char *from, const char *to)
{
    const char *from_type = "", *to_type = "";
    const char f = from == NULL ? 'O' : position_of(from, &from_type);
    const char t = to == NULL ? 'O' : position_of(to, &to_type);
    const bool same = strcmp(from_type, to_type) == 0;
    if (scheme == IG_LABELS_IOB2)
        return t != 'I' || ((f == 'B' || f == 'I') && same);
    if (f == 'B' || f == 'I')
        return (t == 'I' || t == 'L') && same;
    return t == 'O' || t == 'B' || t == 'U';
}

void ig_crf_constraints(float *out, const char *const *label, int n, ig_label_scheme scheme)
{
    const int side = n + 2;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            const bool possible = i != n + 1 && j != n && !(i == n && j == n + 1);
            const bool free =
                scheme == IG_LABELS_ANY ||
                (possible && may_follow(scheme, i < n ? label[i] : NULL, j < n ? label[j] : NULL));
            out[i * side + j] = free ? 0 : -1e4f;
        }
}
