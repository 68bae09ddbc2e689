/* SPDX-License-Identifier: Apache-2.0
 *
 * Confusion matrices as figures. The counts are those of scores.json (docs/finetuning.md,
 * "detail").
 */
#include "lab/report/run_figure.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "lab/runs/lab_scores.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS_MOST = 12 }; /* labels whose cells have room for numbers */

typedef struct {
    json_t *labels;
    double *count; /* [n, n]; the last row and column: unknown labels */
    int n;
} confusion;

/* Adds one fine-tuning; others of the same task have the same labels. */
static ig_code add_counts(confusion *c, ig_figure *f, const json_t *scores, const char *language,
                          ig_err *err)
{
    const json_t *of = json_object_get(json_object_get(scores, "scores"), language),
                 *test = json_object_get(of, "test"),
                 *rows = json_object_get(
                     json_object_get(test != NULL ? test : json_object_get(of, "dev"), "detail"),
                     "confusion");
    json_t *labels = json_object_get(scores, "labels");
    const size_t n = json_array_size(labels) + 1;
    if (json_array_size(rows) != n || (c->labels != NULL && !json_equal(labels, c->labels)))
        return IG_ERR_OK;
    if (c->labels == NULL) {
        IG_TRY(ig_pool_alloc(&f->pool, &c->count, (int64_t)(n * n), sizeof *c->count, err));
        c->labels = json_incref(labels);
        c->n = (int)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            c->count[i * n + k] += json_number_value(json_array_get(json_array_get(rows, i), k));
    return IG_ERR_OK;
}

/* All fine-tunings of a run for this task, in this way. */
static ig_code add_run(confusion *c, ig_figure *f, const char *dir, const ig_quantity *q,
                       ig_err *err)
{
    ig_lab_score_file *file;
    int n;
    char way[sizeof q->tags];
    ig_quantity_way(way, sizeof way, q);
    IG_TRY(ig_lab_score_files(&file, &n, dir, err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        char path[IG_PATH];
        json_t *scores = NULL;
        if (strcmp(file[i].task, q->split) != 0 || strcmp(file[i].way, way) != 0)
            continue;
        code = ig_folder_path(path, dir, err, "%s", file[i].path);
        IG_THEN(code, ig_json_read(&scores, path, err));
        IG_THEN(code, add_counts(c, f, scores, q->languages, err));
        json_decref(scores);
    }
    ig_free(file);
    return code;
}

/* Shares of the rows, without the unknown label where nothing is there. */
static ig_code fill(ig_plot_matrix *m, ig_figure *f, const confusion *c, ig_err *err)
{
    const int all = c->n;
    bool unknown = false;
    for (int i = 0; i < all; i++)
        unknown = unknown || c->count[i * all + all - 1] > 0 || c->count[(all - 1) * all + i] > 0;
    const int n = unknown ? all : all - 1;
    double *value;
    const char **label;
    IG_TRY(ig_pool_alloc(&f->pool, &value, (int64_t)n * n, sizeof *value, err));
    IG_TRY(ig_pool_alloc(&f->pool, &label, n, sizeof *label, err));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += c->count[i * all + k];
        for (int k = 0; k < n; k++)
            value[i * n + k] = sum > 0 ? c->count[i * all + k] / sum : (double)NAN;
        IG_TRY(ig_pool_print(&f->pool, &label[i], err, "%s",
                             i < all - 1 ? json_string_value(json_array_get(c->labels, (size_t)i))
                                         : "(unknown)"));
    }
    *m = (ig_plot_matrix){.rows = n,
                          .cols = n,
                          .value = value,
                          .row_label = label,
                          .col_label = label,
                          .row_title = "gold",
                          .col_title = "predicted",
                          .map = IG_MAP_SEQUENTIAL,
                          .low = 0,
                          .high = 1,
                          .bar_label = "share of the gold label",
                          .digits = n <= NUMBERS_MOST ? 2 : -1};
    return IG_ERR_OK;
}

static ig_code add_all(confusion *c, ig_figure *f, const ig_confusion_of *of, ig_err *err)
{
    for (int64_t i = 0; i < of->cell->n_entry; i++) {
        const ig_store_entry *e = &of->cell->entry[i];
        char dir[IG_PATH];
        if (e->run.status != IG_RUN_DONE || (of->seed >= 0 && e->cell.seed != of->seed))
            continue;
        IG_TRY(ig_folder_path(dir, of->store, err, "runs/%.20s", e->cell.address));
        IG_TRY(add_run(c, f, dir, of->q, err));
    }
    return c->n > 1 ? IG_ERR_OK
                    : ig_fail(err, IG_ERR_INPUT, of->cell->name, 0,
                              "found no confusions of %.60s in %.40s, expected a finished "
                              "fine-tuning for labels",
                              of->q->split, of->q->languages);
}

ig_code ig_confusion_figure_add(ig_figure *f, const ig_confusion_of *of, ig_err *err)
{
    confusion sum = {NULL, NULL, 0};
    ig_panel *p;
    ig_code code = add_all(&sum, f, of, err);
    IG_THEN(code, ig_figure_panels(f, IG_PLOT_MATRIX, 1, &p, err));
    IG_THEN(code,
            ig_pool_print(&f->pool, &p->title, err, "%s%s%s, %s", of->name != NULL ? of->name : "",
                          of->name != NULL ? ": " : "", of->q->split, of->q->languages));
    IG_THEN(code, fill(&p->as.matrix, f, &sum, err));
    json_decref(sum.labels);
    return code;
}
