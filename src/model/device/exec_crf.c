/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear-chain conditional random fields (Lafferty et al. 2001; Sutton & McCallum 2012, §4.1):
 * losses and gradients by the forward–backward algorithm, decoding by Viterbi's. Messages are
 * logarithms in double. A sum of exponentials over pairs of labels is taken as one of products,
 * each factor scaled by its own largest; where that could lose what counts, the exponentials are
 * taken one by one.
 */
#include "model/device/exec_parts.h"

#include <math.h>
#include <string.h>

typedef struct {
    const ig_crf *a;
    int n;                     /* labels */
    double *out_of, *most_out; /* [n, n] e^(t_ij − most_out_j), j the row; [n] */
    double *into, *most_in;    /* [n, n] e^(t_ij − most_in_i), i the row; [n] */
    double *factor, *next;     /* [n] */
    double *pair;              /* [n, n] expected transitions, less those of the labels */
    double *ahead,
        *behind;   /* [longest, n] messages from the left, with the score; from the right */
    int32_t *from; /* [longest, n] Viterbi: the label before; shares the buffer of behind */
} crf_work;

int64_t ig_crf_room(int n_label, int longest)
{
    const int64_t n = n_label;
    return (3 * n * n + 4 * n + 2 * longest * n) * (int64_t)(sizeof(double) / sizeof(float));
}

static crf_work lay_out(const ig_crf *a)
{
    const int64_t n = a->n_label;
    crf_work w = {.a = a, .n = a->n_label, .out_of = (double *)(void *)a->room};
    w.into = w.out_of + n * n;
    w.pair = w.into + n * n;
    w.most_out = w.pair + n * n;
    w.most_in = w.most_out + n;
    w.factor = w.most_in + n;
    w.next = w.factor + n;
    w.ahead = w.next + n;
    w.behind = w.ahead + a->longest * n;
    w.from = (int32_t *)(void *)w.behind;
    return w;
}

static double optional(const float *v, int i)
{
    return v == NULL ? 0 : (double)v[i];
}

static double largest(const double *v, int n)
{
    double top = v[0];
    for (int i = 1; i < n; i++)
        top = fmax(top, v[i]);
    return top;
}

static double log_sum(const double *v, int n)
{
    const double top = largest(v, n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(v[i] - top);
    return log(sum) + top;
}

/* The transitions scaled, by column and by row. */
static void scale_transitions(const crf_work *w)
{
    const int n = w->n;
    const float *t = w->a->transition;
    for (int j = 0; j < n; j++) {
        w->most_out[j] = w->most_in[j] = (double)-INFINITY;
        for (int i = 0; i < n; i++) {
            w->most_out[j] = fmax(w->most_out[j], (double)t[i * n + j]);
            w->most_in[j] = fmax(w->most_in[j], (double)t[j * n + i]);
        }
        for (int i = 0; i < n; i++) {
            w->out_of[j * n + i] = exp((double)t[i * n + j] - w->most_out[j]);
            w->into[j * n + i] = exp((double)t[j * n + i] - w->most_in[j]);
        }
    }
}

/* out_j = log Σ_i exp(m_i + t_ij); back: out_i = log Σ_j exp(t_ij + m_j). */
static void pass_on(const crf_work *w, const double *m, double *out, bool back)
{
    const int n = w->n;
    const double *scaled = back ? w->into : w->out_of, *most = back ? w->most_in : w->most_out;
    const double top = largest(m, n);
    for (int i = 0; i < n; i++)
        w->factor[i] = exp(m[i] - top);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += w->factor[i] * scaled[j * n + i];
        out[j] = log(sum) + top + most[j];
        if (sum >= 1e-200) /* values that became 0 in the sum were below 1e-100 of it */
            continue;
        for (int i = 0; i < n; i++)
            w->factor[i] = m[i] + (double)w->a->transition[back ? j * n + i : i * n + j];
        out[j] = log_sum(w->factor, n);
        for (int i = 0; i < n; i++)
            w->factor[i] = exp(m[i] - top);
    }
}

/* ahead_t(j): log of the sum over all prefixes that end in j at t; behind_t(j): over all suffixes
 * after a j at t. Returns log Z. */
static double messages(const crf_work *w, const float *score, int length)
{
    const ig_crf *a = w->a;
    const int n = w->n;
    for (int64_t t = 0; t < length; t++) {
        double *m = w->ahead + t * n;
        if (t > 0)
            pass_on(w, m - n, m, false);
        for (int j = 0; j < n; j++)
            m[j] = (t > 0 ? m[j] : optional(a->start, j)) + (double)score[t * a->ld + j];
    }
    for (int64_t t = length - 1; t >= 0; t--) {
        double *m = w->behind + t * n;
        for (int j = 0; j < n && t + 1 == length; j++)
            m[j] = optional(a->end, j);
        if (t + 1 == length)
            continue;
        for (int j = 0; j < n; j++)
            w->next[j] = m[n + j] + (double)score[(t + 1) * a->ld + j];
        pass_on(w, w->next, m, true);
    }
    for (int j = 0; j < n; j++)
        w->next[j] = w->ahead[(length - 1) * (int64_t)n + j] + optional(a->end, j);
    return log_sum(w->next, n);
}

/* nll_t = −log p(label_t | those before it, the sentence); their sum is the sentence's loss. */
static void losses(const crf_work *w, const float *score, const int32_t *label, int length,
                   double log_z, double *nll)
{
    const ig_crf *a = w->a;
    const int n = w->n;
    for (int64_t t = 0; t < length; t++) {
        const int y = label[t], x = t > 0 ? label[t - 1] : 0;
        const double before = t > 0 ? w->behind[(t - 1) * n + x] : log_z;
        const double move = t > 0 ? (double)a->transition[x * n + y] : optional(a->start, y);
        nll[t] = before - (move + (double)score[t * a->ld + y] + w->behind[t * n + y]);
    }
}

/* Adds the probabilities of the pairs of labels at t and t + 1. */
static void add_pairs(const crf_work *w, const float *score, int64_t t, double log_z)
{
    const ig_crf *a = w->a;
    const int n = w->n;
    const double *ahead = w->ahead + t * n, top = largest(ahead, n);
    for (int j = 0; j < n; j++)
        w->factor[j] = exp(ahead[j] - top);
    for (int j = 0; j < n; j++) {
        const double after = (double)score[(t + 1) * a->ld + j] + w->behind[(t + 1) * n + j];
        const double rest = after + top + w->most_out[j] - log_z;
        const double all = exp(rest);
        for (int i = 0; i < n; i++)
            w->pair[i * n + j] +=
                rest < 300 ? w->factor[i] * w->out_of[j * n + i] * all
                           : exp(ahead[i] + (double)a->transition[i * n + j] + after - log_z);
    }
}

static void sentence_gradient(const crf_work *w, float *score, const int32_t *label, int length,
                              double log_z, int32_t *best)
{
    const ig_crf *a = w->a;
    const int n = w->n;
    for (int64_t t = 0; t + 1 < length && a->dtransition != NULL; t++) {
        add_pairs(w, score, t, log_z);
        w->pair[label[t] * n + label[t + 1]] -= 1;
    }
    for (int64_t t = 0; t < length; t++) {
        double most = -1;
        for (int j = 0; j < n; j++) {
            const double p = exp(w->ahead[t * n + j] + w->behind[t * n + j] - log_z);
            const float slope = (float)((double)a->scale * (p - (j == label[t])));
            if (p > most)
                best[t] = j;
            most = fmax(most, p);
            score[t * a->ld + j] = slope;
            if (t == 0 && a->dstart != NULL)
                a->dstart[j] += slope;
            if (t + 1 == length && a->dend != NULL)
                a->dend[j] += slope;
        }
    }
}

/* The likeliest path among those that the constraints allow. */
static void viterbi(const crf_work *w, const float *score, int length, int32_t *best)
{
    const ig_crf *a = w->a;
    const int n = w->n, side = n + 2;
    const float *bar = a->constraint;
    for (int64_t t = 0; t < length; t++) {
        double *m = w->ahead + t * n;
        for (int j = 0; j < n; j++) {
            double most = optional(a->start, j) + (double)bar[n * side + j];
            for (int i = 0; i < n && t > 0; i++) {
                const double x =
                    m[i - n] + (double)a->transition[i * n + j] + (double)bar[i * side + j];
                if (i == 0 || x > most) {
                    most = x;
                    w->from[t * n + j] = i;
                }
            }
            m[j] = most + (double)score[t * a->ld + j];
        }
    }
    const double *last = w->ahead + (length - 1) * (int64_t)n;
    double most = (double)-INFINITY;
    best[length - 1] = 0;
    for (int j = 0; j < n; j++) {
        const double x = last[j] + optional(a->end, j) + (double)bar[j * side + n + 1];
        if (x > most) {
            most = x;
            best[length - 1] = j;
        }
    }
    for (int64_t t = length - 1; t > 0; t--)
        best[t - 1] = w->from[t * n + best[t]];
}

void ig_rows_crf(const ig_exec *x, const ig_crf *a)
{
    const crf_work w = lay_out(a);
    (void)x;
    memset(w.pair, 0, (size_t)w.n * (size_t)w.n * sizeof *w.pair);
    scale_transitions(&w);
    for (int s = 0; s < a->n_seq; s++) {
        const int32_t at = a->first[s];
        const int length = a->first[s + 1] - at;
        float *score = a->score + (int64_t)at * a->ld;
        if (length == 0)
            continue;
        const double log_z = messages(&w, score, length);
        losses(&w, score, a->label + at, length, log_z, a->nll + at);
        if (a->train)
            sentence_gradient(&w, score, a->label + at, length, log_z, a->best + at);
        else
            viterbi(&w, score, length, a->best + at);
    }
    for (int64_t i = 0; i < (int64_t)w.n * w.n && a->dtransition != NULL; i++)
        a->dtransition[i] += (float)((double)a->scale * w.pair[i]);
}
