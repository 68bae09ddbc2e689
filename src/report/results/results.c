/* SPDX-License-Identifier: Apache-2.0
 *
 * The runs of an experiment by cell: which there are, which are missing, whether they may be
 * averaged, and the value that one run has of a quantity.
 */
#include "report/results/results.h"
#include "base/strings/append.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- incomplete cells ------------------------------------------------------------------------ */

static const char *status_word(ig_run_status s)
{
    static const char *const words[] = {"not run", "running", "stopped", "failed", "done"};
    return words[s];
}

static const char *message_of(const ig_store_run *r)
{
    return r->message != NULL ? r->message : "";
}

static bool alike(const ig_store_run *a, const ig_store_run *b)
{
    return a->status == b->status && strcmp(message_of(a), message_of(b)) == 0;
}

/* "seeds 3, 4 not run; seed 2 failed: out of memory": runs of one status and message together. */
static ig_code describe_incomplete(ig_pool *pool, ig_result_cell *c, ig_err *err)
{
    char text[400] = "";
    if (c->n_status[IG_RUN_DONE] == c->n_entry)
        return IG_ERR_OK;
    ig_append(text, sizeof text, "%d of %lld seed%s done", c->n_status[IG_RUN_DONE],
              (long long)c->n_entry, c->n_entry == 1 ? "" : "s");
    const char *between = ": ";
    for (int s = IG_RUN_MISSING; s < IG_RUN_DONE; s++)
        for (int64_t i = 0; i < c->n_entry; i++) {
            const ig_store_run *r = &c->entry[i].run;
            int64_t first = 0, n = 0;
            while (!alike(&c->entry[first].run, r))
                first++;
            if ((int)r->status != s || first < i)
                continue; /* reported with the first */
            for (int64_t k = i; k < c->n_entry; k++)
                n += alike(&c->entry[k].run, r);
            ig_append(text, sizeof text, "%s%s", between, n > 1 ? "seeds" : "seed");
            between = "; ";
            for (int64_t k = i; k < c->n_entry; k++)
                if (alike(&c->entry[k].run, r))
                    ig_append(text, sizeof text, "%s %lld", k > i ? "," : "",
                              (long long)c->entry[k].run.seed);
            ig_append(text, sizeof text, " %s%s%s", status_word((ig_run_status)s),
                      message_of(r)[0] != '\0' ? ": " : "", message_of(r));
        }
    for (char *p = text; *p != '\0'; p++)
        *p = (unsigned char)*p < ' ' ? ' ' : *p;
    return ig_pool_text(pool, &c->incomplete, text, strlen(text), err);
}

/* --- which runs may be averaged --------------------------------------------------------------- */

/* The pair of μ: as the run's own measures say, else from the number of its layers
 * (docs/measures.md: 0 and ⌈2L/3⌉). */
static void mu_layers(ig_result_cell *c, const ig_store_result *s, const ig_store_entry *e,
                      int layers)
{
    if (layers > 0) {
        c->layer_low = 0;
        c->layer_high = (2 * layers + 2) / 3;
    }
    for (int64_t i = e->first_metric; i < e->first_metric + e->n_metric; i++) {
        const ig_row *m = &s->metric[i];
        if (!(m->value >= 0 && m->value < 1000))
            continue;
        if (strcmp(m->task, "mu_low") == 0)
            c->layer_low = (int)m->value;
        else if (strcmp(m->task, "mu_high") == 0)
            c->layer_high = (int)m->value;
    }
}

/* The first task of both runs whose formula differs. */
static const char *other_version(const ig_store_result *s, const ig_store_entry *a,
                                 const ig_store_entry *b)
{
    const ig_row *m = ig_store_rows(s, a), *n = ig_store_rows(s, b);
    int64_t i = 0, k = 0;
    while (i < a->n_metric && k < b->n_metric) {
        const int order = strcmp(m[i].task, n[k].task);
        if (order == 0 && m[i].task_version != n[k].task_version)
            return m[i].task;
        i += order <= 0;
        k += order >= 0;
    }
    return NULL;
}

/* A property that varies over the runs of the experiment without a restriction. */
typedef struct {
    const char *key, *what;
    char first[160];
    bool varies, more; /* more: a third one */
    char other[160];
} variety;

enum { N_VARIETY = 6 };
static void look_at(variety v[N_VARIETY], const ig_result_origin *o)
{
    for (int i = 0; i < N_VARIETY; i++) {
        const char *text = ig_result_origin_program(o, v[i].key);
        if (text[0] == '\0')
            continue;
        if (v[i].first[0] == '\0')
            snprintf(v[i].first, sizeof v[i].first, "%s", text);
        else if (strncmp(v[i].first, text, sizeof v[i].first - 1) == 0)
            continue;
        else if (!v[i].varies) {
            v[i].varies = true;
            snprintf(v[i].other, sizeof v[i].other, "%s", text);
        } else if (strncmp(v[i].other, text, sizeof v[i].other - 1) != 0)
            v[i].more = true;
    }
}

/* The latest manifest: its runs need not be read again where theirs is the same. */
typedef struct {
    ig_result_print print;
    int layers; /* 0: nothing is known */
} known_manifest;

typedef struct {
    ig_results *r;
    variety v[N_VARIETY];
    known_manifest known;
    ig_err *err;
} checking;

/* The first finished run of a cell: what it says of all that are the same. It is parsed only where
 * its manifest is another than the last. */
static ig_code look_at_first(checking *k, ig_result_cell *c, const ig_store_entry *e,
                             const ig_result_print *print, bool printed)
{
    known_manifest *known = &k->known;
    int layers = known->layers;
    if (!printed || layers <= 0 || known->print.manifest != print->manifest ||
        known->print.program != print->program) {
        ig_result_origin o;
        IG_TRY(ig_result_origin_read(&o, &e->run, k->err));
        look_at(k->v, &o);
        layers = ig_result_origin_layers(&o);
        /* The manifest gives it, so that another configuration changes nothing. */
        const json_t *recorded = json_object_get(o.manifest, "layers");
        known->layers = printed && json_integer_value(recorded) == layers ? layers : 0;
        known->print = *print;
        ig_result_origin_free(&o);
    }
    mu_layers(c, k->r->store, e, layers);
    return IG_ERR_OK;
}

/* Adds a key to those that differ, as long as it fits. */
typedef struct {
    char *text;
    size_t size;
} key_list;

static void add_key(void *arg, const char *key, const json_t *a, const json_t *b)
{
    const key_list *to = arg;
    const size_t used = strlen(to->text);
    (void)a, (void)b;
    if (used + strlen(key) + 2 < to->size)
        snprintf(to->text + used, to->size - used, "%s%s", used > 0 ? ", " : "", key);
}

/* Another finished run of the cell that is not quite as the first: *keys are those that forbid to
 * average the two. */
static ig_code look_at_other(char *keys, size_t size, checking *k, const ig_store_entry *with,
                             const ig_store_entry *e)
{
    ig_result_origin first, other;
    IG_TRY(ig_result_origin_read(&first, &with->run, k->err));
    ig_code code = ig_result_origin_read(&other, &e->run, k->err);
    if (code == IG_ERR_OK) {
        look_at(k->v, &other);
        keys[0] = '\0';
        ig_result_origin_differ(&first, &other, add_key, &(key_list){keys, size});
        ig_result_origin_free(&other);
    }
    ig_result_origin_free(&first);
    return code;
}

static ig_code check_cell(checking *k, ig_result_cell *c)
{
    ig_result_print print = {0}, mine;
    const ig_store_entry *with = NULL;
    bool printed = false;
    for (int64_t i = 0; i < c->n_entry; i++) {
        const ig_store_entry *e = &c->entry[i];
        char keys[200];
        if (e->run.status != IG_RUN_DONE)
            continue;
        const bool can = ig_result_print_of(&mine, &e->run);
        if (with == NULL) {
            IG_TRY(look_at_first(k, c, e, &mine, can));
            with = e;
            print = mine;
            printed = can;
            continue;
        }
        const char *task = other_version(k->r->store, with, e);
        if (task == NULL && printed && can && mine.same == print.same &&
            mine.program == print.program)
            continue;
        IG_TRY(look_at_other(keys, sizeof keys, k, with, e));
        if (keys[0] == '\0' && task != NULL)
            snprintf(keys, sizeof keys, "version of the measure %s", task);
        if (keys[0] != '\0' && c->mixed == NULL)
            IG_TRY(ig_pool_print(&k->r->pool, &c->mixed, k->err,
                                 "runs %.16s (seed %lld) and %.16s (seed %lld) differ in more than "
                                 "the seed: %s",
                                 with->cell.address, (long long)with->cell.seed, e->cell.address,
                                 (long long)e->cell.seed, keys));
    }
    return IG_ERR_OK;
}

/* --- all cells -------------------------------------------------------------------------------- */

ig_code ig_results_make(ig_results *r, const ig_store_result *s, bool keep_mixed, ig_err *err)
{
    checking k = {.r = r,
                  .v = {{.key = "version", .what = "version of isoglot"},
                        {.key = "commit", .what = "commit of isoglot"},
                        {.key = "compiler", .what = "compiler"},
                        {.key = "build", .what = "build type"},
                        {.key = "cpu.name", .what = "processor"},
                        {.key = "kernels.table", .what = "kernels (their last bits differ)"}},
                  .err = err};
    *r = (ig_results){.store = s};
    IG_TRY(ig_pool_alloc(&r->pool, &r->cell, s->n_entry, sizeof *r->cell, err));
    IG_TRY(ig_pool_alloc(&r->pool, &r->note, N_VARIETY, sizeof *r->note, err));
    for (int64_t i = 0; i < s->n_entry; i++) {
        const ig_store_entry *e = &s->entry[i];
        ig_result_cell *c = r->n_cell > 0 ? &r->cell[r->n_cell - 1] : NULL;
        if (c == NULL || c->order != e->cell.order) {
            c = &r->cell[r->n_cell++];
            *c = (ig_result_cell){.name = e->cell.cell,
                                  .label = e->cell.label,
                                  .order = e->cell.order,
                                  .entry = e,
                                  .layer_low = -1,
                                  .layer_high = -1};
        }
        c->n_entry++;
        c->n_status[e->run.status]++;
    }
    for (int i = 0; i < r->n_cell; i++) {
        ig_result_cell *c = &r->cell[i];
        IG_TRY(describe_incomplete(&r->pool, c, err));
        IG_TRY(check_cell(&k, c));
        if (c->mixed != NULL && !keep_mixed) {
            ig_fail(err, IG_ERR_INPUT, c->entry->cell.experiment, 0, "cell %s: %s", c->name,
                    c->mixed);
            return ig_hint(err, "run the older ones again (remove their folders, then isoglot "
                                "run), or give them a cell of their own");
        }
    }
    for (const variety *v = k.v; v < k.v + N_VARIETY; v++)
        if (v->varies)
            IG_TRY(ig_pool_print(&r->pool, &r->note[r->n_note++], err,
                                 "The runs were not all made with the same %s: '%s', '%s'%s",
                                 v->what, v->first, v->other, v->more ? ", …" : ""));
    return IG_ERR_OK;
}

void ig_results_free(ig_results *r)
{
    ig_pool_free(&r->pool);
    *r = (ig_results){0};
}

const ig_result_cell *ig_results_cell(const ig_results *r, const char *name)
{
    for (int i = 0; i < r->n_cell + r->n_hidden && name != NULL; i++)
        if (strcmp(r->cell[i].name, name) == 0)
            return &r->cell[i];
    return NULL;
}

const ig_store_entry *ig_result_finished(const ig_result_cell *c, int64_t seed)
{
    for (int64_t i = 0; i < c->n_entry; i++)
        if (c->entry[i].run.status == IG_RUN_DONE && (seed < 0 || c->entry[i].cell.seed == seed))
            return &c->entry[i];
    return NULL;
}

ig_code ig_results_sequences(int64_t *out, const ig_results *r, const char *cell, ig_err *err)
{
    const ig_result_cell *c = ig_results_cell(r, cell);
    const ig_store_entry *e = c != NULL ? ig_result_finished(c, -1) : NULL;
    ig_result_origin o;
    *out = 0;
    if (e == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_result_origin_read(&o, &e->run, err));
    *out = json_integer_value(json_object_get(o.manifest, "sequences"));
    ig_result_origin_free(&o);
    return IG_ERR_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

void ig_run_numbers(ig_run_number out[IG_RUN_NUMBERS], const ig_store_run *r)
{
    const ig_run_number of[IG_RUN_NUMBERS] = {{"updates", (double)r->updates},
                                              {"tokens", (double)r->tokens},
                                              {"seconds", r->seconds},
                                              {"tokens_per_second", r->tokens_per_second},
                                              {"peak_memory", (double)r->peak_memory}};
    memcpy(out, of, sizeof of);
}

static bool value_of_run(double *out, const ig_store_run *r, const char *task)
{
    ig_run_number of[IG_RUN_NUMBERS];
    ig_run_numbers(of, r);
    for (int i = 0; i < IG_RUN_NUMBERS; i++)
        if (strcmp(of[i].name, task) == 0) {
            /* 0 of a count or a time means that it was not recorded. */
            *out = of[i].value > 0 ? of[i].value : (double)NAN;
            return true;
        }
    return false;
}

/* First metric of the run whose task is not before `task`; they are sorted by it. */
static int64_t first_of(const ig_row *m, int64_t n, const char *task)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (strcmp(m[mid].task, task) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* A measure that has layers and was taken without one is of static vectors, which are the same at
 * every layer. */
static bool layer_fits(const ig_row *m, const ig_quantity *q, const ig_result_cell *c,
                       const ig_store_task *task)
{
    if (m->layer < 0 && task != NULL && task->kind == IG_STORE_TASK_LAYERED)
        return true;
    switch (q->layer) {
    case IG_LAYER_NONE:
        return true;
    case IG_LAYER_LOW:
        return c->layer_low >= 0 && m->layer == c->layer_low;
    case IG_LAYER_HIGH:
        return c->layer_high >= 0 && m->layer == c->layer_high;
    default:
        return m->layer == q->layer;
    }
}

static bool fits(const ig_row *m, const ig_quantity *q, const ig_result_cell *c,
                 const ig_store_task *task)
{
    const char *split = q->split[0] != '\0' ? q->split : task != NULL ? task->split : "";
    return strcmp(m->split, split) == 0 && strcmp(ig_row_tags(m), q->tags) == 0 &&
           layer_fits(m, q, c, task);
}

static ig_result_value measured_value(const ig_results *r, const ig_result_cell *c,
                                      const ig_store_entry *e, const ig_quantity *q, int64_t step)
{
    ig_result_value v = {.seed = e->cell.seed,
                         .address = e->cell.address,
                         .status = e->run.status,
                         .value = (double)NAN,
                         .layer = -1};
    if (value_of_run(&v.value, &e->run, q->task))
        return v;
    const ig_store_task *task = ig_store_task_find(q->task);
    const ig_row *m = ig_store_rows(r->store, e), *found = NULL;
    const int64_t n = e->n_metric;
    double sum = 0;
    int64_t count = 0;
    int n_pair = 0;
    for (int64_t i = first_of(m, n, q->task); i < n && strcmp(m[i].task, q->task) == 0; i++) {
        if ((step < 0 ? !m[i].last : m[i].step != step) || !fits(&m[i], q, c, task))
            continue;
        if (strcmp(m[i].languages, q->languages) == 0) {
            /* A layer that is not named must be the only one. */
            if (found != NULL && strcmp(found->languages, q->languages) == 0)
                return v;
            found = &m[i];
        } else if (q->languages[0] == '\0' && task != NULL && task->pair) {
            /* The mean of several pairs is meant, and a pooled value comes first. */
            if (found != NULL && found->languages[0] == '\0')
                continue;
            if (found != NULL && found->layer != m[i].layer)
                return v;
            found = &m[i];
            sum += m[i].value;
            count += m[i].n;
            n_pair++;
        }
    }
    const bool mean = found != NULL && n_pair > 1 && found->languages[0] != '\0';
    const double value = mean ? sum / n_pair : found != NULL ? found->value : (double)NAN;
    if (isfinite(value)) {
        v.value = value;
        v.layer = found->layer;
        v.n = mean ? count : found->n;
    }
    /* Files of before have means. */
    return found == NULL && task != NULL && task->tuned && ig_quantity_text(q) != NULL
               ? ig_result_tuned_value(v, r, e, q, step)
               : v;
}

/* The measure that another one is in a cell none of whose words is one piece in two of its
 * languages; NULL: none. */
static const char *same_apart(const ig_result_cell *c, const char *task)
{
    static const char *const of[][2] = {{"mu_distinct", "mu"},
                                        {"tau_distinct", "tau"},
                                        {"tau_distinct_forward", "tau_forward"},
                                        {"tau_distinct_backward", "tau_backward"},
                                        {"tau_distinct_at_5", "tau_at_5"},
                                        {"tau_distinct_at_10", "tau_at_10"}};
    for (size_t i = 0; i < sizeof of / sizeof *of && c->apart; i++)
        if (strcmp(task, of[i][0]) == 0)
            return of[i][1];
    return NULL;
}

/* Finds the value of a quantity that names no checkpoint. */
static ig_result_value value_at(const ig_results *r, const ig_result_cell *c,
                                const ig_store_entry *e, const ig_quantity *q, int64_t step)
{
    ig_result_value v = measured_value(r, c, e, q, step);
    const char *same = same_apart(c, q->task);
    ig_quantity other = *q;
    /* Version 0.1 took ids for words, even of two tables: its value is not used. */
    if (c->apart && strcmp(q->task, "identical_share") == 0) {
        memcpy(other.task, "tau", sizeof "tau");
        other.layer = IG_LAYER_LOW;
        if (isfinite(v.value) || isfinite(measured_value(r, c, e, &other, step).value))
            v.value = 0;
    }
    if (same == NULL)
        return v;
    snprintf(other.task, sizeof other.task, "%s", same);
    const ig_result_value as_all = measured_value(r, c, e, &other, step);
    return isfinite(as_all.value) ? as_all : v;
}

ig_result_value ig_result_value_of(const ig_results *r, const ig_result_cell *c,
                                   const ig_store_entry *e, const ig_quantity *q, int64_t step)
{
    const int64_t own = ig_quantity_step(q);
    if (own < 0)
        return value_at(r, c, e, q, step);
    const ig_quantity any = ig_quantity_at_any_step(q);
    ig_result_value v = value_at(r, c, e, &any, own);
    if (step >= 0 && step != own)
        v.value = (double)NAN; /* a curve has that point alone */
    return v;
}

bool ig_result_takes(const ig_row *m, const ig_quantity *asked, const ig_result_cell *c)
{
    const int64_t step = ig_quantity_step(asked);
    const ig_quantity any = ig_quantity_at_any_step(asked), *q = &any;
    if (step >= 0 && m->step != step)
        return false;
    const ig_store_task *task = ig_store_task_find(q->task);
    const char *same = same_apart(c, q->task);
    ig_quantity of = *q;
    if (c->apart && strcmp(q->task, "identical_share") == 0) {
        same = "tau";
        of.layer = strcmp(m->task, same) == 0 ? IG_LAYER_LOW : of.layer;
    }
    if (task != NULL && task->tuned && ig_result_tuned_takes(m, q))
        return true;
    return task != NULL &&
           (strcmp(m->task, q->task) == 0 || (same != NULL && strcmp(m->task, same) == 0)) &&
           fits(m, &of, c, ig_store_task_find(m->task)) &&
           (strcmp(m->languages, q->languages) == 0 || (q->languages[0] == '\0' && task->pair));
}

int ig_result_layers(int *layer, int max, const ig_results *r, const ig_result_cell *const *cell,
                     int n_cell, const char *task)
{
    enum { LIMIT = 1024 };
    bool have[LIMIT] = {false};
    int n = 0;
    for (int c = 0; c < n_cell; c++)
        for (int64_t k = 0; k < cell[c]->n_entry; k++) {
            const ig_store_entry *e = &cell[c]->entry[k];
            const ig_row *m = ig_store_rows(r->store, e);
            for (int64_t i = first_of(m, e->n_metric, task);
                 i < e->n_metric && strcmp(m[i].task, task) == 0; i++)
                if (m[i].last && m[i].layer >= 0 && m[i].layer < LIMIT)
                    have[m[i].layer] = true;
        }
    for (int l = 0; l < LIMIT; l++)
        if (have[l]) {
            if (n < max)
                layer[n] = l;
            n++;
        }
    return n;
}
