/* SPDX-License-Identifier: Apache-2.0
 *
 * The biaffine dependency parser (Dozat & Manning 2017), straight on the states of words' first
 * pieces as in crosslingual-nlp (Wu & Dredze 2019): four layers with ELU make of each word a head
 * and a dependent, for arcs and for labels; an arc's score is h_head W h_dep + b h_head, a label's
 * h_head U_r h_dep + b_r. The first token of a sequence is ROOT. (A bias on the side of the
 * dependent gives all heads of a word the same and falls out of softmax and tree alike.)
 */
#include "model/head/head.h"

#include <stddef.h>

/* The four layers come first, weight and bias. */
enum { ARC_HEAD, ARC_WORD, LABEL_HEAD, LABEL_WORD, N_SIDE };
enum { ARC_W = 2 * N_SIDE, ARC_B, LABEL_W, LABEL_B, BY_HEAD_W, BY_WORD_W, N_PARAM };
enum { SIZE_ARC, SIZE_LABEL, SIZE_ALL_LABELS };

static int32_t size(const ig_bert_config *c, int i)
{
    const ig_head_config *h = &c->head[IG_HEAD_PARSER];
    const int32_t label = h->label_size == 0 ? 128 : h->label_size;
    if (i == SIZE_ARC)
        return h->arc_size == 0 ? 512 : h->arc_size;
    return i == SIZE_LABEL ? label : label * ig_bert_config_n_label(c, IG_HEAD_PARSER);
}

static int32_t size_of_side(const ig_bert_config *c, int side)
{
    return size(c, side == ARC_HEAD || side == ARC_WORD ? SIZE_ARC : SIZE_LABEL);
}

static bool has_linear(const ig_bert_config *c)
{
    return c->head[IG_HEAD_PARSER].linear_labels;
}

/* The layer that makes one side of words. */
#define SIDE(side, n, out)                                                                         \
    [2 * side] = {IG_HEAD_UNIFORM_MATRIX("parser." n ".weight", IG_DIM_OWN + out, IG_DIM_D,        \
                                         IG_DIM_D)},                                               \
         [2 * side + 1] = {IG_HEAD_UNIFORM_BIAS("parser." n ".bias", IG_DIM_OWN + out, IG_DIM_D)}

static const ig_param_row params[N_PARAM] = {
    SIDE(ARC_HEAD, "arc_head", SIZE_ARC),
    SIDE(ARC_WORD, "arc_word", SIZE_ARC),
    SIDE(LABEL_HEAD, "label_head", SIZE_LABEL),
    SIDE(LABEL_WORD, "label_word", SIZE_LABEL),
    [ARC_W] = {"parser.arc.weight", IG_DIM_OWN + SIZE_ARC, IG_DIM_OWN + SIZE_ARC, IG_INIT_XAVIER,
               .decay = true, .part = IG_PART_HEAD, .product = true},
    [ARC_B] = {"parser.arc.bias", IG_DIM_OWN + SIZE_ARC, IG_DIM_1, IG_INIT_ZERO,
               .part = IG_PART_HEAD},
    [LABEL_W] = {IG_HEAD_UNIFORM_MATRIX("parser.label.weight", IG_DIM_OWN + SIZE_ALL_LABELS,
                                        IG_DIM_OWN + SIZE_LABEL, IG_DIM_OWN + SIZE_LABEL)},
    [LABEL_B] = {IG_HEAD_UNIFORM_BIAS("parser.label.bias", IG_DIM_LABELS, IG_DIM_OWN + SIZE_LABEL)},
    [BY_HEAD_W] = {IG_HEAD_UNIFORM_MATRIX("parser.label.by_head.weight", IG_DIM_LABELS,
                                          IG_DIM_OWN + SIZE_LABEL, IG_DIM_OWN + SIZE_LABEL),
                   .when = has_linear},
    [BY_WORD_W] = {IG_HEAD_UNIFORM_MATRIX("parser.label.by_word.weight", IG_DIM_LABELS,
                                          IG_DIM_OWN + SIZE_LABEL, IG_DIM_OWN + SIZE_LABEL),
                   .when = has_linear},
};

/* Buffers for all the shard's targets, N. */
typedef struct {
    int ld;
    float *read, *dread;         /* [N, D] */
    float *elu[N_SIDE];          /* [N, size] */
    float *side[N_SIDE];         /* [N, size] after dropout */
    float *dside[N_SIDE];        /* [N, size] training */
    float *arc, *darc;           /* [N, arc size] */
    float *label;                /* [N, labels · label size] */
    float *by_word, *by_head;    /* [N, ld] linear terms; training also of the scores' gradients */
    float *dscore, *dscore_head; /* [N, ld] */
    float *room;
} buffers;

static int64_t place(buffers *b, const ig_bert_config *c, int64_t n, int longest, bool train,
                     float *base)
{
    const int n_label = ig_bert_config_n_label(c, IG_HEAD_PARSER);
    const int64_t d = c->hidden_size, arc = size(c, SIZE_ARC);
    int64_t used = 0;
    *b = (buffers){.ld = (n_label + 15) / 16 * 16 + 16};
    b->read = ig_take(base, &used, n * d);
    for (int k = 0; k < N_SIDE; k++) {
        b->elu[k] = ig_take(base, &used, n * size_of_side(c, k));
        b->side[k] = ig_take(base, &used, n * size_of_side(c, k));
        b->dside[k] = train ? ig_take(base, &used, n * size_of_side(c, k)) : NULL;
    }
    b->arc = ig_take(base, &used, n * arc);
    b->label = ig_take(base, &used, n * size(c, SIZE_ALL_LABELS));
    if (has_linear(c)) {
        b->by_word = ig_take(base, &used, n * b->ld);
        b->by_head = ig_take(base, &used, n * b->ld);
    }
    if (train) {
        b->dread = ig_take(base, &used, n * d);
        b->darc = ig_take(base, &used, n * arc);
        b->dscore = ig_take(base, &used, n * b->ld);
        b->dscore_head = ig_take(base, &used, n * b->ld);
    }
    b->room = ig_take(base, &used, ig_parser_room(n_label, (int)n, longest));
    return used;
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    buffers none;
    return place(&none, c, z->n_tok, z->longest, z->train, NULL);
}

static void forward(const ig_head_call *h, const buffers *b)
{
    const ig_bert_config *c = h->net->config;
    const int n = h->t->n;
    ig_head_read(h, b->read, 0, n);
    ig_head_drop(h, b->read, c->hidden_size, 0, n, 0);
    for (int k = 0; k < N_SIDE; k++) {
        const int m = size_of_side(c, k);
        ig_head_dense_forward(h, &(ig_head_dense){2 * k, 2 * k + 1, n, b->read, b->elu[k], m});
        h->x->run->elu(h->x, b->elu[k], (int64_t)n * m);
        h->x->run->copy(h->x, b->side[k], b->elu[k], (int64_t)n * m);
        ig_head_drop(h, b->side[k], m, 0, n, 1 + k);
    }
    ig_head_dense_forward(
        h, &(ig_head_dense){ARC_W, ARC_B, n, b->side[ARC_WORD], b->arc, size(c, SIZE_ARC)});
    ig_head_dense_forward(h, &(ig_head_dense){LABEL_W, -1, n, b->side[LABEL_WORD], b->label,
                                              size(c, SIZE_ALL_LABELS)});
    if (has_linear(c)) {
        ig_head_dense_forward(
            h, &(ig_head_dense){BY_HEAD_W, -1, n, b->side[LABEL_HEAD], b->by_head, b->ld});
        ig_head_dense_forward(
            h, &(ig_head_dense){BY_WORD_W, -1, n, b->side[LABEL_WORD], b->by_word, b->ld});
    }
}

static void parse(const ig_head_call *h, const buffers *b)
{
    const ig_bert_config *c = h->net->config;
    const ig_head_config *own = &c->head[IG_HEAD_PARSER];
    const ig_shard_targets *t = h->t;
    const ig_parser a = {.n_seq = t->n_seq,
                         .longest = t->longest,
                         .first = t->first,
                         .head = t->head,
                         .label_of = t->label,
                         .n_arc = size(c, SIZE_ARC),
                         .n_size = size(c, SIZE_LABEL),
                         .n_label = ig_bert_config_n_label(c, IG_HEAD_PARSER),
                         .ld = b->ld,
                         .arc = b->arc,
                         .arc_head = b->side[ARC_HEAD],
                         .label = b->label,
                         .label_head = b->side[LABEL_HEAD],
                         .by_word = b->by_word,
                         .by_head = b->by_head,
                         .bias = h->net->weight + h->offset[LABEL_B],
                         .free_root = own->free_root,
                         .joint = own->joint_labels,
                         .train = h->net->train,
                         .scale = h->scale,
                         .darc = b->darc,
                         .darc_head = b->dside[ARC_HEAD],
                         .dlabel_head = b->dside[LABEL_HEAD],
                         .dscore = b->dscore,
                         .dscore_head = b->dscore_head,
                         .dbias = h->net->train ? ig_net_grad(h->net, h->grad, h->offset[LABEL_B])
                                                : NULL,
                         .room = b->room,
                         .nll = t->nll,
                         .best = t->best,
                         .best_head = t->best_head};
    h->x->run->parse(h->x, &a);
}

static void backward(const ig_head_call *h, const buffers *b)
{
    const ig_bert_config *c = h->net->config;
    const int n = h->t->n, d = c->hidden_size;
    ig_head_dense_backward(
        h, &(ig_head_dense){ARC_W, ARC_B, n, b->side[ARC_WORD], b->darc, size(c, SIZE_ARC)},
        b->dside[ARC_WORD], false);
    ig_head_dense_backward(
        h,
        &(ig_head_dense){LABEL_W, -1, n, b->side[LABEL_WORD], b->label, size(c, SIZE_ALL_LABELS)},
        b->dside[LABEL_WORD], false);
    if (has_linear(c)) {
        ig_head_dense_backward(
            h, &(ig_head_dense){BY_WORD_W, -1, n, b->side[LABEL_WORD], b->dscore, b->ld},
            b->dside[LABEL_WORD], true);
        ig_head_dense_backward(
            h, &(ig_head_dense){BY_HEAD_W, -1, n, b->side[LABEL_HEAD], b->dscore_head, b->ld},
            b->dside[LABEL_HEAD], true);
    }
    for (int k = 0; k < N_SIDE; k++) {
        const int m = size_of_side(c, k);
        ig_head_drop(h, b->dside[k], m, 0, n, 1 + k);
        h->x->run->elu_grad(h->x, b->dside[k], b->elu[k], (int64_t)n * m);
        ig_head_dense_backward(h, &(ig_head_dense){2 * k, 2 * k + 1, n, b->read, b->dside[k], m},
                               b->dread, k > 0);
    }
    ig_head_drop(h, b->dread, d, 0, n, 0);
    ig_head_give(h, b->dread, 0, n);
}

static void run_parser(const ig_head_call *h)
{
    buffers b;
    place(&b, h->net->config, h->t->n, h->t->longest, h->net->train, h->room);
    forward(h, &b);
    parse(h, &b);
    if (h->net->train)
        backward(h, &b);
}

/* Counts the words; with free_root those that have a loss, in trees with one root. */
static int64_t count(const ig_bert_config *c, const ig_targets *t, const ig_batch *b)
{
    int64_t n = t->n;
    int32_t k = 0;
    for (int32_t s = 0; s < b->n_seq; s++) {
        const int32_t from = k;
        while (k < t->n && t->row[k] < b->seq_start[s + 1])
            k++;
        if (k > from)
            n -= c->head[IG_HEAD_PARSER].free_root && k > from + 1 ? 2 : 1;
    }
    return n;
}

const ig_head ig_head_parser = {.name = "heads and labels of words",
                                .least_label = 1,
                                .most_label = 4096,
                                .architecture = "ForParsing",
                                .param = params,
                                .n_param = N_PARAM,
                                .size = size,
                                .count = count,
                                .trees = true,
                                .room = room,
                                .run = run_parser};
