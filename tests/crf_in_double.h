/* SPDX-License-Identifier: Apache-2.0
 *
 * The CRF head a second time, in double and by enumeration of all paths; part of
 * bert_in_double.h.
 */
#pragma once

/* Scores of a path: score [T, n], transition [n, n], start and end [n] or NULL. */
static inline double crf_path(const double *score, const double *transition, const double *start,
                              const double *end, int length, int n, const int32_t *y)
{
    double sum = (start == NULL ? 0 : start[y[0]]) + (end == NULL ? 0 : end[y[length - 1]]);
    for (int t = 0; t < length; t++)
        sum += score[t * n + y[t]] + (t > 0 ? transition[y[t - 1] * n + y[t]] : 0);
    return sum;
}

/* The next of n^length paths, from all 0 on; false: that was the last. */
static inline bool crf_next_path(int32_t *y, int length, int n)
{
    for (int t = 0; t < length; t++) {
        if (++y[t] < n)
            return true;
        y[t] = 0;
    }
    return false;
}

/* log Σ over all paths of e^(their score). */
static inline double crf_log_z(const double *score, const double *transition, const double *start,
                               const double *end, int length, int n)
{
    double most = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        int32_t y[8] = {0};
        do {
            const double x = crf_path(score, transition, start, end, length, n, y);
            most = pass == 0 ? fmax(most, x) : most;
            sum += pass == 1 ? exp(x - most) : 0;
        } while (crf_next_path(y, length, n));
    }
    return log(sum) + most;
}

/* Dropout of a head's places (model/head/head.h). */
static inline double twin_head_drop(const twin *t, ig_head_kind head, int place, int row,
                                    int origin, int col, double x)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const ig_head_config *h = &c->head[head];
    const double own = (double)(place == 0 ? h->dropout : h->inner_dropout),
                 p = own == 0  ? (double)c->hidden_dropout_prob
                     : own > 0 ? own
                               : 0;
    const uint32_t site =
        3 * (uint32_t)c->num_hidden_layers + 1 + (uint32_t)head + 64 * (uint32_t)place;
    return twin_drop(t, p, site, (uint32_t)(h->variational ? origin : row), (uint32_t)col, x);
}

static inline double twin_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One direction of layer l over a sentence x [T, in], into columns of y [T, 2H] (torch.nn.LSTM). */
static inline void twin_lstm(const twin *t, int l, bool reverse, const double *x, int n, int in,
                             int h, double *y)
{
    static const char *const tensor[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    const double *p[4];
    double state[64] = {0}, cell[64] = {0}, gate[256], more[256];
    assert_true(h <= 64);
    for (int k = 0; k < 4; k++) {
        char name[48];
        snprintf(name, sizeof name, "crf.lstm.%s_l%d%s", tensor[k], l, reverse ? "_reverse" : "");
        p[k] = twin_at(t, -1, name);
    }
    for (int i = 0; i < n; i++) {
        const int at = reverse ? n - 1 - i : i;
        twin_linear(gate, x + at * in, p[0], p[2], 4 * h, in);
        twin_linear(more, state, p[1], p[3], 4 * h, h);
        for (int e = 0; e < 4 * h; e++)
            gate[e] += more[e];
        for (int e = 0; e < h; e++) {
            cell[e] =
                twin_sigmoid(gate[h + e]) * cell[e] + twin_sigmoid(gate[e]) * tanh(gate[2 * h + e]);
            state[e] = twin_sigmoid(gate[3 * h + e]) * tanh(cell[e]);
            y[at * 2 * h + (reverse ? h : 0) + e] = state[e];
        }
    }
}

/* Σ −log p of the paths, in units of a masked token's loss. */
static inline double twin_crf_loss(const twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size, n = ig_bert_config_n_label(c, IG_HEAD_CRF);
    const ig_targets *of = &b->target[IG_HEAD_CRF];
    if (n == 0)
        return 0;
    const ig_head_config *own = &c->head[IG_HEAD_CRF];
    const int h = own->lstm_size, wide = d + 2 * h;
    double *x = calloc((size_t)(b->n_tok * d + 16 * wide + 8 * n), sizeof *x),
           *row = x + b->n_tok * d, *other = row + 8 * wide, *score = other + 8 * wide, loss = 0;
    assert_non_null(x);
    twin_read(t, b, IG_HEAD_CRF, x);
    const bool ends = c->head[IG_HEAD_CRF].ends;
    const double *transition = twin_at(t, -1, "crf.transitions"),
                 *start = ends ? twin_at(t, -1, "crf.start") : NULL,
                 *end = ends ? twin_at(t, -1, "crf.end") : NULL;
    for (int s = 0, k = 0; s < b->n_seq; s++) {
        const int from = k, origin = b->seq_start[s];
        for (; k < of->n && of->row[k] < b->seq_start[s + 1]; k++) {
            for (int e = 0; e < d; e++)
                row[(k - from) * d + e] =
                    twin_head_drop(t, IG_HEAD_CRF, 0, of->row[k], origin, e, x[of->row[k] * d + e]);
        }
        int in = d;
        for (int l = 0; l < own->lstm_layers; l++) {
            for (int r = 0; r < 2; r++)
                twin_lstm(t, l, r == 1, row, k - from, in, h, other);
            in = 2 * h;
            for (int i = 0; i < (k - from) * in; i++)
                row[i] = twin_head_drop(t, IG_HEAD_CRF, l + 1 < own->lstm_layers ? 1 : 2,
                                        of->row[from + i / in], origin, i % in, other[i]);
        }
        for (int i = 0; i < k - from; i++)
            twin_linear(score + i * n, row + i * in, twin_at(t, -1, "crf.score.weight"),
                        twin_at(t, -1, "crf.score.bias"), n, in);
        if (k > from)
            loss += crf_log_z(score, transition, start, end, k - from, n) -
                    crf_path(score, transition, start, end, k - from, n, of->label + from);
    }
    free(x);
    return loss * (double)t->pass->scale[IG_HEAD_CRF] / (double)t->pass->scale[IG_HEAD_MASKED];
}
