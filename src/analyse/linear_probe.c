/* SPDX-License-Identifier: Apache-2.0
 *
 * Trains a linear classifier by stochastic gradient descent as scikit-learn's SGDClassifier does
 * (Bottou 2012). The shrinking of w by its penalty is a separate factor, so that an example costs
 * one product and at most one sum.
 */
#include "analyse/linear_probe.h"

#include "base/memory.h"
#include "base/numeric/sums.h"
#include "base/rng.h"

#include <math.h>

/* The most epochs, and how many without progress end a training. */
enum { EPOCHS = 100, PATIENCE = 5, HELD_OUT = 10 };
static const double alpha = 1e-4, tolerance = 1e-3;

static bool is_trained(int64_t i)
{
    return i % HELD_OUT != HELD_OUT - 1;
}

/* One direction, w scaled by *scale during training. */
typedef struct {
    double *w, b, scale;
    int64_t step;
    double first; /* t0 of the learning rate 1 / (alpha (t0 + step)) */
} direction;

/* Updates by an example; returns its hinge loss before the step. y is ±1. */
static double learn(direction *z, const float *x, int d, double y)
{
    const double rate = 1 / (alpha * (z->first + (double)z->step++));
    const double margin = y * (z->scale * ig_dot_mixed(z->w, x, d) + z->b);
    z->scale *= 1 - rate * alpha;
    if (z->scale < 1e-9) {
        for (int k = 0; k < d; k++)
            z->w[k] *= z->scale;
        z->scale = 1;
    }
    if (margin < 1) {
        for (int k = 0; k < d; k++)
            z->w[k] += rate * y / z->scale * (double)x[k];
        z->b += rate * y;
    }
    return margin < 1 ? 1 - margin : 0;
}

static void train_one(double *w, double *b, int class, const ig_probe_data *data, int32_t *order,
                      uint64_t seed)
{
    const double typical = sqrt(1 / sqrt(alpha));
    direction z = {.w = w, .scale = 1, .step = 1, .first = 1 / (typical * alpha)};
    double best = (double)INFINITY;
    for (int epoch = 0, idle = 0; epoch < EPOCHS && idle < PATIENCE; epoch++) {
        ig_rng r = ig_rng_make(seed, IG_STREAM_SAMPLE, (uint32_t) class + 1, (uint32_t)epoch);
        double loss = 0;
        ig_rng_permutation(&r, order, (int32_t)data->n);
        for (int64_t i = 0; i < data->n; i++)
            if (is_trained(order[i]))
                loss += learn(&z, data->x + (int64_t)order[i] * data->d, data->d,
                              data->label[order[i]] == class ? 1 : -1);
        idle = loss > best - tolerance * (double)data->n ? idle + 1 : 0;
        best = loss < best ? loss : best;
    }
    for (int k = 0; k < data->d; k++)
        w[k] *= z.scale;
    *b = z.b;
}

ig_code ig_linear_probe_train(ig_linear_probe *p, const ig_probe_data *data, uint64_t seed,
                              ig_err *err)
{
    IG_OWNED int32_t *order = NULL;
    *p = (ig_linear_probe){.n = data->n_class == 2 ? 1 : data->n_class, .d = data->d};
    IG_TRY(ig_alloc(&order, data->n, sizeof *order, "probe", err));
    IG_TRY(ig_alloc(&p->w, (int64_t)p->n * p->d, sizeof *p->w, "probe", err));
    IG_TRY(ig_alloc(&p->b, p->n, sizeof *p->b, "probe", err));
    for (int c = 0; c < p->n; c++)
        train_one(p->w + (int64_t)c * p->d, &p->b[c], p->n == 1 ? 1 : c, data, order, seed);
    return IG_ERR_OK;
}

void ig_linear_probe_free(ig_linear_probe *p)
{
    IG_FREE(p->w, p->b);
    *p = (ig_linear_probe){0};
}

static int32_t predict(const ig_linear_probe *p, const float *x)
{
    int best = 0;
    double most = -(double)INFINITY;
    for (int c = 0; c < p->n; c++) {
        const double v = ig_dot_mixed(p->w + (int64_t)c * p->d, x, p->d) + p->b[c];
        if (v > most) {
            most = v;
            best = c;
        }
    }
    return p->n == 1 ? most > 0 : best;
}

double ig_linear_probe_accuracy(const ig_linear_probe *p, const ig_probe_data *data, int64_t *n,
                                double *chance)
{
    int64_t right = 0, most = 0;
    *n = 0;
    for (int c = 0; c < data->n_class; c++) {
        int64_t of_class = 0;
        for (int64_t i = 0; i < data->n; i++)
            of_class += !is_trained(i) && data->label[i] == c;
        most = of_class > most ? of_class : most;
    }
    for (int64_t i = 0; i < data->n; i++)
        if (!is_trained(i)) {
            right += predict(p, data->x + i * data->d) == data->label[i];
            ++*n;
        }
    *chance = *n > 0 ? (double)most / (double)*n : (double)NAN;
    return *n > 0 ? (double)right / (double)*n : (double)NAN;
}
