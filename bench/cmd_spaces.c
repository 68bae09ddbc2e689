/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot-bench spaces: the time of comparing two spaces of vectors, as `diagnose` and `similarity`
 * do. bench/spaces_peers.py runs numpy, scipy and faiss beside it.
 */
#include "analyse/similarity.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "bench/commands.h"
#include "cli/print/print.h"
#include "embed/map/map_linear.h"
#include "embed/map/map_polar.h"
#include "measure/nearest/retrieval.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

typedef struct {
    int64_t rows, dim, rounds, threads;
    bool wall_time, json;
} spaces_config;

static const ig_option options[] = {
    {IG_INT(spaces_config, "rows", rows, "10000", 10, 1000000, "rows of each of the two spaces")},
    {IG_INT(spaces_config, "dim", dim, "768", 2, 8192, "numbers of a row")},
    {IG_INT(spaces_config, "rounds", rounds, "3", 1, 100, "times each is done; the best counts")},
    {IG_INT(spaces_config, "threads", threads, "1", 0, 1024, "threads; 0: all processors")},
    {IG_FLAG(spaces_config, "wall-time", wall_time, NULL,
             "wall-clock time, not CPU time: for a machine without other load")},
    {IG_FLAG(spaces_config, "json", json, NULL, "print the result as JSON")},
};

typedef struct {
    const spaces_config *c;
    float *x[2]; /* [rows, dim] of unit length; row i of one belongs to row i of the other */
    double *cross, *w;
    ig_retrieval_with with;
} spaces;

typedef ig_code work_fn(const spaces *s, ig_err *err);

static ig_code compare(const spaces *s, ig_err *err)
{
    ig_similarity_room room = {0};
    const ig_similarity_with with = {s->with.ops, s->with.team, &room};
    ig_space x = {0}, y = {0};
    ig_cka cka;
    ig_code code = ig_space_new(&x, s->x[0], s->c->rows, (int)s->c->dim, &with, err);
    IG_THEN(code, ig_space_new(&y, s->x[1], s->c->rows, (int)s->c->dim, &with, err));
    IG_THEN(code, ig_similarity_cka(&cka, &x, &y, &with, err));
    ig_space_free(&x);
    ig_space_free(&y);
    ig_free(room.block);
    return code;
}

static ig_code retrieve(const spaces *s, ig_err *err)
{
    ig_retrieval_score score;
    const ig_vector_pair v = {.x = {s->x[0], s->x[1]},
                              .n = {s->c->rows, s->c->rows},
                              .d = (int)s->c->dim,
                              .n_gold = s->c->rows};
    return ig_retrieval_run(&score, &v, &s->with, err);
}

static ig_code rotate(const spaces *s, ig_err *err)
{
    const int d = (int)s->c->dim;
    const ig_retrieve_side x = {s->x[0], NULL, s->c->rows}, y = {s->x[1], NULL, s->c->rows};
    IG_TRY(ig_map_cross(s->cross, x, y, (ig_vector_work){d, s->with.ops, s->with.team}, err));
    return ig_map_rotation(s->w, s->cross, d, s->with.ops, s->with.team, err);
}

static const struct {
    const char *name, *what;
    work_fn *work;
} works[] = {{"cka", "linear CKA, biased and debiased", compare},
             {"retrieval", "the nearest row of the other space, both ways", retrieve},
             {"procrustes", "the rotation of one onto the other", rotate}};
enum { WORKS = sizeof works / sizeof *works };

/* Draws normal numbers, and the same rotated and with noise. */
static ig_code draw(spaces *s, ig_err *err)
{
    const int64_t n = s->c->rows, d = s->c->dim;
    IG_TRY(ig_alloc(&s->x[0], n * d, sizeof **s->x, "rows", err));
    IG_TRY(ig_alloc(&s->x[1], n * d, sizeof **s->x, "rows", err));
    IG_TRY(ig_alloc(&s->cross, 2 * d * d, sizeof *s->cross, "rotation", err));
    s->w = s->cross + d * d;
    ig_rng r = ig_rng_make(0, IG_STREAM_TEST, 0, 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++) {
            const double v = ig_rng_normal(&r);
            s->x[0][i * d + k] = (float)v;
            s->x[1][i * d + d - 1 - k] = (float)(v + ig_rng_normal(&r));
        }
    IG_TRY(ig_unit_rows(s->x[0], n, (int)d, "rows", err));
    return ig_unit_rows(s->x[1], n, (int)d, "rows", err);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ig_code measure(double best[WORKS], spaces *s, ig_err *err)
{
    const clockid_t clock = s->c->wall_time ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    IG_TRY(draw(s, err));
    for (int i = 0; i < WORKS; i++)
        best[i] = HUGE_VAL;
    for (int64_t round = 0; round < s->c->rounds; round++)
        for (int i = 0; i < WORKS; i++) {
            const double begin = now(clock);
            IG_TRY(works[i].work(s, err));
            best[i] = fmin(best[i], now(clock) - begin);
        }
    return IG_ERR_OK;
}

static ig_code run(void *config, int n_arg, char *const *arg, ig_err *err)
{
    spaces s = {.c = config, .with = {.ops = ig_ops_best()}};
    double best[WORKS];
    (void)n_arg;
    (void)arg;
    ig_code code = ig_team_new(&s.with.team, (int)s.c->threads, err);
    IG_THEN(code, measure(best, &s, err));
    ig_team_free(s.with.team);
    IG_FREE(s.x[0], s.x[1], s.cross);
    IG_TRY(code);
    json_t *seconds = json_object();
    for (int i = 0; i < WORKS; i++) {
        json_object_set_new(seconds, works[i].name, json_real(best[i]));
        if (!s.c->json)
            printf("%-12s %8.3f s  %s\n", works[i].name, best[i], works[i].what);
    }
    if (s.c->json)
        return ig_json_print(json_pack("{s:I, s:I, s:I, s:o}", "rows", (json_int_t)s.c->rows, "dim",
                                       (json_int_t)s.c->dim, "threads", (json_int_t)s.c->threads,
                                       "seconds", seconds),
                             err);
    json_decref(seconds);
    return IG_ERR_OK;
}

const ig_command ig_cmd_bench_spaces = {
    .name = "spaces",
    .summary = "speed of comparing two spaces: CKA, retrieval, Procrustes",
    .details = "CPU time of all threads, the best of some rounds, on random numbers. "
               "bench/spaces_peers.py runs numpy, scipy and faiss in turns with it.",
    IG_COMMAND_OPTIONS(options, spaces_config),
    .run = run,
};
