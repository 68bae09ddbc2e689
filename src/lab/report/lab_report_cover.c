/* SPDX-License-Identifier: Apache-2.0
 *
 * Selects the finished runs that a report shows. A run is identified by its training, so a store,
 * or a file of results, may have it measured or fine-tuned in another way than the experiment's
 * file requests now. Such numbers answer another question: the run counts as missing, as in
 * `isoglot status` and `isoglot run` (lab/runs/lab_cover.c).
 */
#include "base/log.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_list.h"
#include "report/results/results_internal.h"

#include <string.h>

enum { REASONS = 3 };

/* Runs that are left out for one reason. */
typedef struct {
    const char *why; /* the message of the runs */
    int64_t n;
} reason;

typedef struct {
    ig_lab_report *r;
    reason of[REASONS];
    int64_t n; /* all of them */
} covering;

/* Settings that results of files do not record are assumed as requested. Their values are those
 * that tables needed when they were written: a missing kind of measure is shown as not measured. */
static void fill_in(json_t *measured, const ig_measure_plan *want)
{
    static const char *const sizes[] = {"max_sentences", "curve_max_sentences"};
    const int64_t size[] = {want->max_sentences, want->curve_max_sentences > 0
                                                     ? want->curve_max_sentences
                                                     : want->max_sentences};
    for (int i = 0; i < 2; i++)
        if (json_object_get(measured, sizes[i]) == NULL)
            json_object_set_new(measured, sizes[i], json_integer((json_int_t)size[i]));
    json_object_set_new(measured, "what",
                        ig_measure_names_json(want->what | IG_MEASURE_BIT(distinct)));
    json_object_set_new(measured, "translations", json_string("all"));
    json_object_del(measured, "curve");
}

/* Returns whether the file requests only the finished model, and the run has a curve over another
 * number of sentences, which another file requests. */
static bool other_curve(const json_t *measured, const ig_measure_plan *want)
{
    return want->at.kind == IG_CHECKPOINTS_END &&
           json_array_size(json_object_get(measured, "steps")) > 0 &&
           json_integer_value(json_object_get(measured, "curve_max_sentences")) !=
               want->max_sentences;
}

/* *message: why a finished run is left out; NULL: it is shown. *no_curve: without its curve. */
static ig_code look_at(const covering *c, const char **message, bool *no_curve,
                       const ig_store_run *run, ig_err *err)
{
    ig_result_origin o;
    char why[IG_LAB_WHY];
    const ig_measure_plan *want = &c->r->experiment->measure;
    *message = NULL;
    *no_curve = false;
    IG_TRY(ig_result_origin_read(&o, run, err));
    json_t *measured = json_object_get(o.manifest, "measure");
    const json_t *config = json_object_get(o.manifest, "config");
    const ig_measure_languages languages =
        ig_measure_languages_json(config != NULL ? config : o.config);
    ig_lab_cover cover = IG_LAB_COVERED;
    if (measured != NULL) {
        if (c->r->n_file > 0)
            fill_in(measured, want);
        cover = ig_lab_covers(why, measured, want, &languages, run->updates,
                              ig_result_origin_layers(&o));
        *no_curve = other_curve(measured, want);
    }
    ig_result_origin_free(&o);
    return cover == IG_LAB_COVERED
               ? IG_ERR_OK
               : ig_pool_print(&c->r->pool, message, err, "%s than the experiment asks (%s)",
                               cover == IG_LAB_TUNE ? "fine-tuned otherwise" : "measured otherwise",
                               why);
}

static void count(covering *c, const char *message)
{
    int i = 0;
    c->n++;
    while (i < REASONS && c->of[i].n > 0 && strcmp(c->of[i].why, message) != 0)
        i++;
    if (i == REASONS)
        return;
    c->of[i].why = message;
    c->of[i].n++;
}

/* Returns whether the file asks for a measured value: another file may have had more pairs of
 * languages measured, or other steps, over which this file's means and onsets are not taken. */
static bool is_asked(const ig_experiment *e, const ig_cell *cell, const ig_row *m)
{
    size_t n;
    const ig_store_task *task = ig_store_task_find(m->task);
    if (cell != NULL && task != NULL && task->pair && m->languages[0] != '\0' &&
        ig_tag_find(ig_row_tags(m), "text", &n) == NULL &&
        !ig_experiment_pair_measured(e, cell, m->languages))
        return false;
    bool asked = m->last || e->measure.at.kind == IG_CHECKPOINTS_END ||
                 ig_checkpoints_due(&e->measure.at, m->step);
    for (int i = 0; i < e->measure.n_task && !asked; i++)
        asked = ig_checkpoints_due(&e->measure.task[i].at, m->step);
    return asked;
}

/* Leaves the values that are asked for; without a curve, those of the finished model alone. */
static void drop_others(const covering *c, ig_store_entry *e, bool no_curve)
{
    const ig_experiment *x = c->r->experiment;
    ig_row *m = c->r->stored.metric + e->first_metric;
    const int at = ig_lab_cell_of(x, e->cell.cell, -1);
    int64_t n = 0;
    for (int64_t i = 0; i < e->n_metric; i++)
        if ((m[i].last || !no_curve) && is_asked(x, at >= 0 ? &x->cell[at] : NULL, &m[i]))
            m[n++] = m[i];
    e->n_metric = n;
}

static ig_code cover_run(covering *c, ig_store_entry *e, ig_err *err)
{
    const char *message;
    bool no_curve;
    IG_TRY(look_at(c, &message, &no_curve, &e->run, err));
    if (message == NULL)
        drop_others(c, e, no_curve);
    if (message == NULL)
        return IG_ERR_OK;
    count(c, message);
    e->run.status = IG_RUN_MISSING;
    e->run.message = message;
    e->run.manifest = NULL;
    e->n_metric = 0;
    return IG_ERR_OK;
}

/* Finds how many runs, why, and what to do. */
static ig_code say(const covering *c, ig_err *err)
{
    char *command = NULL, text[1000] = "";
    int64_t rest = c->n;
    IG_TRY(ig_lab_report_command(&command, c->r, "run", NULL, err));
    for (int i = 0; i < REASONS && c->of[i].n > 0; i++) {
        ig_append(text, sizeof text, "%s%lld %s", i > 0 ? "; " : "", (long long)c->of[i].n,
                  c->of[i].why);
        rest -= c->of[i].n;
    }
    if (rest > 0)
        ig_append(text, sizeof text, "; %lld for other reasons", (long long)rest);
    ig_log(IG_LOG_NORMAL, "%s: left out: %lld run%s: %s; mended by: %s%s", c->r->experiment->path,
           (long long)c->n, c->n == 1 ? "" : "s", text, command,
           c->r->n_file > 0 ? ", then isoglot export" : "");
    ig_free(command);
    return IG_ERR_OK;
}

ig_code ig_lab_report_cover(ig_lab_report *r, ig_err *err)
{
    covering c = {.r = r};
    for (int64_t i = 0; i < r->stored.n_entry; i++)
        if (r->stored.entry[i].run.status == IG_RUN_DONE)
            IG_TRY(cover_run(&c, &r->stored.entry[i], err));
    return c.n > 0 ? say(&c, err) : IG_ERR_OK;
}
