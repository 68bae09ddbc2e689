/* SPDX-License-Identifier: Apache-2.0
 *
 * An experiment of invented numbers in a real store, for tests of what is computed from it.
 */
#pragma once

#include "base/memory.h"
#include "report/results/results.h"

#include "fault.h"

typedef struct {
    char dir[256];
    ig_store *s;
    ig_store_cell cell[512];
    char address[512][17];
    int n;
    const char *label; /* of the next runs' cells; NULL: "a label" */
} lab;

static inline void lab_open(lab *l)
{
    ig_err err = {0};
    memset(l, 0, sizeof *l);
    fault_folder(l->dir, sizeof l->dir);
    assert_ok(ig_store_open(&l->s, l->dir, true, &err), &err);
}

static inline void lab_close(lab *l)
{
    ig_err err = {0};
    ig_store_close(l->s);
    assert_ok(ig_dir_remove(l->dir, &err), &err);
}

static inline const char *lab_manifest(const char *data, const char *version, const char *kernels)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "{\"isoglot_manifest\": 1, \"seed\": %d, \"host\": \"h%d\", \"layers\": 12,"
             " \"data\": {\"train\": \"%s\", \"vocab\": \"v1\"}, \"time\": {\"seconds\": %d},"
             " \"measure\": {\"layers\": [0, 8], \"max_sentences\": 2000},"
             " \"program\": {\"version\": \"%s\", \"kernels\": {\"table\": \"%s\"}}}",
             rand() % 1000, rand() % 1000, data, rand() % 1000, version, kernels);
    return text;
}

/* A run of cell `name` (the cells in the order they are first named). */
static inline void lab_run(lab *l, const char *name, int64_t seed, ig_run_status status,
                           const char *config, const char *manifest, const char *message)
{
    ig_err err = {0};
    int order = 0;
    for (int i = 0; i < l->n; i++)
        order = strcmp(l->cell[i].cell, name) == 0 ? l->cell[i].order
                : l->cell[i].order >= order        ? l->cell[i].order + 1
                                                   : order;
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->cell[i].cell, name) == 0)
            order = l->cell[i].order;
    snprintf(l->address[l->n], 17, "%016x", (unsigned)l->n + 1);
    l->cell[l->n] = (ig_store_cell){"e",   name, l->label != NULL ? l->label : "a label",
                                    order, seed, l->address[l->n]};
    if (status != IG_RUN_MISSING)
        assert_ok(ig_store_put_run(l->s,
                                   &(ig_store_run){.address = l->address[l->n],
                                                   .status = status,
                                                   .seed = seed,
                                                   .config = config,
                                                   .manifest = manifest,
                                                   .message = message,
                                                   .seconds = 100 + (double)seed,
                                                   .tokens_per_second = (double)NAN,
                                                   .updates = 500},
                                   &err),
                  &err);
    l->n++;
}

static inline void lab_metrics(lab *l, const ig_row *m, int64_t n)
{
    ig_err err = {0};
    ig_row_set rows = {0};
    for (int64_t i = 0; i < n; i++)
        assert_ok(ig_row_set_put(&rows, &m[i], &err), &err);
    assert_ok(ig_store_put_rows(l->s, l->address[l->n - 1], rows.row, n, &err), &err);
    ig_row_set_free(&rows);
}

static inline void lab_read(ig_store_result *r, lab *l, bool last_only)
{
    ig_err err = {0};
    assert_ok(ig_store_put_cells(l->s, "e", l->cell, l->n, &err), &err);
    assert_ok(ig_store_read(r, l->s, "e", last_only, &err), &err);
}

static inline ig_quantity quantity(const char *text)
{
    ig_quantity q;
    ig_err err = {0};
    assert_ok(ig_quantity_parse(&q, text, "test", 0, &err), &err);
    return q;
}
