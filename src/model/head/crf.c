/* SPDX-License-Identifier: Apache-2.0
 *
 * Tagging with a linear-chain conditional random field (Lafferty et al. 2001), as K et al. 2020
 * have it from AllenNLP 0.9: from the states of a sequence's words a score for each label, linear,
 * and a trained score for each pair of neighbouring labels; the loss is −log p(labels | sentence).
 * Labels that a scheme forbids (no I-x after O) count in decoding alone (crf.constraints).
 */
#include "model/head/crf.h"

#include "model/head/bilstm.h"

#include <stddef.h>
#include <string.h>

enum {
    SCORE_W,
    SCORE_B,
    TRANSITION,
    START,
    END,
    CONSTRAINT,
    LSTM,
    N_PARAM = LSTM + IG_BILSTM_MAX_PARAM
};
/* The inputs of scores; labels and both ends; an LSTM's state, gates and output. */
enum { SIZE_IN, SIZE_SIDE, SIZE_STATE, SIZE_GATES, SIZE_OUT };

static int32_t size(const ig_bert_config *c, int i)
{
    const ig_head_config *h = &c->head[IG_HEAD_CRF];
    switch (i) {
    case SIZE_IN:
        return h->lstm_layers == 0 ? c->hidden_size : 2 * ig_bilstm_size(h);
    case SIZE_SIDE:
        return ig_bert_config_n_label(c, IG_HEAD_CRF) + 2;
    case SIZE_STATE:
        return ig_bilstm_size(h);
    case SIZE_GATES:
        return 4 * ig_bilstm_size(h);
    default:
        return 2 * ig_bilstm_size(h);
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
    ig_bilstm lstm;
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
           ig_bilstm_place(&b->lstm, c, IG_HEAD_CRF, n, n_seq, base == NULL ? NULL : base + used);
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
        ig_bilstm_forward(h, &b.lstm, LSTM, b.read, b.in);
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
        ig_bilstm_backward(h, &b.lstm, LSTM, b.in, h->dhidden == NULL ? NULL : b.read);
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

/* Returns whether label `to` may follow label `from`; NULL: the start, the end. */
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
