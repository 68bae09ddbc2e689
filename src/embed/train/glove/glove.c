/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimises equation 8 of GloVe's paper (Pennington, Socher, Manning, EMNLP 2014) by AdaGrad, one
 * stratum of blocks after another.
 */
#include "embed/train/glove/glove.h"

#include "base/log.h"
#include "base/memory.h"
#include "embed/train/context.h"
#include "embed/train/glove/glove_kernel.h"
#include "tensor/ops.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    ig_glove_tables t;
    ig_glove_cells cells;
    ig_glove_kernel *kernel;
    atomic_int *done; /* [parts] strata of this iteration that a part of the words has finished */
    double *cost;     /* [strata, parts] */
} trainer;

static ig_glove_kernel *best_kernel(void)
{
#if defined(__x86_64__)
    const char *name = ig_ops_best()->name;
    if (strncmp(name, "avx512", 6) == 0)
        return ig_glove_avx512;
    if (strcmp(name, "avx2") == 0)
        return ig_glove_avx2;
#elif defined(__aarch64__)
    if (strncmp(ig_ops_best()->name, "neon", 4) == 0)
        return ig_glove_neon;
#endif
    return ig_glove_portable;
}

/* Waiting is rare, and lasts while the system has a thread suspended: so it sleeps after a
 * while. */
static void await(const atomic_int *done, int stratum)
{
    const struct timespec pause = {.tv_nsec = 50000};
    for (int k = 0; atomic_load_explicit(done, memory_order_acquire) < stratum; k++)
        if (k < 20)
            sched_yield();
        else
            nanosleep(&pause, NULL);
}

/* Stratum s has the blocks (p, p + s). A block needs the rows that its words and its contexts left
 * in the stratum before: blocks (p, p + s − 1) and (p + 1, p + s). So no stratum waits for the last
 * block of another, and tasks that are started in order never wait for one not started. */
static void block_task(void *arg, int64_t task, int i_thread)
{
    trainer *t = arg;
    const int parts = t->cells.parts, p = (int)(task % parts), stratum = (int)(task / parts);
    const int64_t b = (int64_t)p * parts + (p + stratum) % parts;
    (void)i_thread;
    await(&t->done[p], stratum);
    await(&t->done[(p + 1) % parts], stratum);
    t->cost[task] = t->kernel(&t->t, t->cells.cell + t->cells.start[b],
                              t->cells.start[b + 1] - t->cells.start[b]);
    atomic_store_explicit(&t->done[p], stratum + 1, memory_order_release);
}

/* Values uniform in ±1/2 over dim, sums of squares (and so their roots' reciprocals) 1. Rows of the
 * two tables and the biases are one sequence of random rows. */
static ig_code make_table(float **table, float **bias, int32_t n, const ig_glove_options *o,
                          int64_t which, ig_err *err)
{
    const int64_t ld = ig_context_stride(o->dim);
    float first[16];
    IG_TRY(ig_alloc(table, n * 2 * ld, sizeof **table, "vectors", err));
    IG_TRY(ig_alloc(bias, 2 * (int64_t)n, sizeof **bias, "biases", err));
    for (int64_t i = 0; i < n; i++) {
        ig_context_init(*table + i * 2 * ld, which * n + i, 1, o->dim, 0.5 / o->dim, o->seed);
        ig_context_init(first, (2 + which) * n + i, 1, 1, 0.5 / o->dim, o->seed);
        (*bias)[2 * i] = first[0];
        (*bias)[2 * i + 1] = 1;
        for (int64_t k = 0; k < ld; k++)
            (*table)[i * 2 * ld + ld + k] = 1;
    }
    return IG_ERR_OK;
}

static double iterate(trainer *t, ig_team *team)
{
    const int64_t parts = t->cells.parts;
    double sum = 0;
    for (int p = 0; p < parts; p++)
        atomic_store_explicit(&t->done[p], 0, memory_order_relaxed);
    ig_team_for(team, parts * parts, block_task, t);
    for (int64_t k = 0; k < parts * parts; k++)
        sum += t->cost[k];
    return sum / (double)t->cells.n;
}

static ig_code result(ig_vectors *out, ig_text_ids *text, const trainer *t,
                      const ig_glove_options *o, ig_err *err)
{
    const int64_t ld = t->t.ld;
    IG_TRY(ig_vectors_new(out, &text->words, o->dim, err));
    for (int32_t i = 0; i < out->n; i++)
        for (int k = 0; k < o->dim; k++) {
            float x = t->t.word[i * 2 * ld + k];
            if (o->result == IG_GLOVE_SUM)
                x += t->t.context[i * 2 * ld + k];
            if (!isfinite(x))
                return ig_fail(err, IG_ERR_NUMERIC, "", 0, "the vector of '%.60s' is not finite",
                               ig_lexicon_get(&out->words, i));
            ig_vectors_row(out, i)[k] = x;
        }
    return IG_ERR_OK;
}

static ig_code train(trainer *t, const ig_text_ids *text, const ig_glove_options *o, ig_team *team,
                     ig_glove_report *report, ig_err *err)
{
    char note[64] = "";
    double start = ig_clock();
    IG_TRY(ig_glove_cells_count(&t->cells, text, o, team, err));
    report->n_cell = t->cells.n;
    report->spilled = t->cells.mapped;
    report->seconds_count = ig_clock() - start;
    t->kernel = best_kernel();
    t->t.ld = ig_context_stride(o->dim);
    t->t.eta = (float)o->eta;
    t->t.bias_rate = o->bias == IG_GLOVE_BIAS_ETA ? (float)o->eta : 1.0f;
    IG_TRY(make_table(&t->t.word, &t->t.word_bias, text->words.n, o, 0, err));
    IG_TRY(make_table(&t->t.context, &t->t.context_bias, text->words.n, o, 1, err));
    IG_TRY(ig_alloc(&t->done, t->cells.parts, sizeof *t->done, "blocks", err));
    IG_TRY(ig_alloc(&t->cost, (int64_t)t->cells.parts * t->cells.parts, sizeof *t->cost, "costs",
                    err));
    start = ig_clock();
    ig_progress_begin("training", o->iterations);
    for (int i = 0; i < o->iterations; i++) {
        report->cost = iterate(t, team);
        snprintf(note, sizeof note, "cost %.5f", report->cost);
        ig_progress(i + 1, note);
        ig_log(IG_LOG_VERBOSE, "iteration %d: cost %.6f", i + 1, report->cost);
    }
    ig_progress_end();
    report->seconds_train = ig_clock() - start;
    return IG_ERR_OK;
}

ig_code ig_glove(ig_vectors *out, ig_text_ids *text, const ig_glove_options *o, ig_team *team,
                 ig_glove_report *report, ig_err *err)
{
    trainer t = {0};
    *out = (ig_vectors){0};
    *report = (ig_glove_report){0};
    ig_code code = train(&t, text, o, team, report, err);
    IG_THEN(code, result(out, text, &t, o, err));
    if (code != IG_ERR_OK)
        ig_vectors_free(out);
    ig_glove_cells_free(&t.cells);
    IG_FREE(t.t.word, t.t.context, t.t.word_bias, t.t.context_bias, t.done, t.cost);
    return code;
}
