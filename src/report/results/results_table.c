/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of a table: values by seed, their summary, the difference from the base cell, the
 * paper's number, whether our rows stand in its order, and why a cell has no value.
 */
#include "base/settings/options.h"
#include "base/strings/append.h"
#include "report/results/results.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEEDS_NOTES = 12 };

/* --- why a value is missing ------------------------------------------------------------------- */

/* A kind of measure was measured of this run. A language or a file may be called so, hence the
 * parsing, and hence the look before it: a store has thousands of runs for which it was not
 * requested. */
static bool measured(const ig_store_run *run, const char *kind)
{
    if (run->manifest == NULL || strstr(run->manifest, kind) == NULL)
        return false;
    json_auto_t *manifest = json_loads(run->manifest, 0, NULL);
    const json_t *what = json_object_get(json_object_get(manifest, "measure"), "what");
    bool yes = false;
    for (size_t i = 0; i < json_array_size(what); i++) {
        const char *name = json_string_value(json_array_get(what, i));
        yes = yes || (name != NULL && strcmp(name, kind) == 0);
    }
    return yes;
}

/* Finished runs whose perplexity was measured and has no value: e to the power of their mean loss
 * is more than a number holds. That is a result, and no mean has it. */
static int64_t beyond_numbers(const ig_result_cell *c, const ig_result_number *x,
                              const ig_quantity *q)
{
    int64_t n = 0;
    /* That of next tokens is of models with causal batches alone. */
    if (strncmp(q->task, "perplexity", strlen("perplexity")) != 0 ||
        strcmp(q->task, "perplexity_causal") == 0)
        return 0;
    for (int64_t i = 0; i < c->n_entry; i++)
        n += c->entry[i].run.status == IG_RUN_DONE && !isfinite(x->value[i].value) &&
             measured(&c->entry[i].run, "perplexity");
    return n;
}

/* Counts the languages of a run's configuration (separated by ';'); 0: not given. */
static int languages_of(const ig_store_run *run)
{
    json_auto_t *config = run->config != NULL ? json_loads(run->config, 0, NULL) : NULL;
    const char *p = json_string_value(json_object_get(config, "languages"));
    int n = 0;
    while (p != NULL && *p != '\0') {
        const size_t len = strcspn(p, ";");
        n += strspn(p, " \t\r\n") < len;
        p += len + (p[len] == ';');
    }
    return n;
}

/* Returns whether a quantity compares two languages and the cell, whose finished runs are alike in
 * that, has one. */
static bool nothing_to_compare(const ig_result_cell *c, const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    const ig_store_entry *e = task != NULL && task->pair ? ig_result_finished(c, -1) : NULL;
    return e != NULL && languages_of(&e->run) == 1;
}

/* What the manifest of a finished run has as missing of each pair of languages, parsed; NULL:
 * nothing. */
static json_t *missing_pairs(const ig_result_cell *c)
{
    const char *manifest = NULL;
    for (int64_t i = 0; i < c->n_entry; i++)
        if (c->entry[i].run.status == IG_RUN_DONE && c->entry[i].run.manifest != NULL)
            manifest = c->entry[i].run.manifest;
    if (manifest == NULL || strstr(manifest, "\"missing\"") == NULL)
        return NULL;
    json_auto_t *j = json_loads(manifest, 0, NULL);
    return json_incref(json_object_get(json_object_get(j, "measure"), "missing"));
}

/* The name there of what the quantity rests on; NULL: of nothing. */
static const char *missing_kind(const ig_quantity *q)
{
    static const char *const of[][2] = {
        {"mu", "mu"}, {"tau", "tau"}, {"rho", "rho"}, {"identical", "tau"}, {"cka", "rho"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(q->task, of[i][0], strlen(of[i][0])) == 0)
            return of[i][1];
    return NULL;
}

/* The manifest's reason why a measure of two languages is missing in a finished run, "needs a
 * dictionary en–de: gold=FILE"; NULL: none. */
static ig_code what_it_needs(ig_pool *pool, const char **out, json_t *missing, const ig_quantity *q,
                             ig_err *err)
{
    json_t *pair;
    const char *name, *why = NULL, *kind = missing_kind(q);
    *out = NULL;
    json_object_foreach(missing, name, pair)
    {
        if (why == NULL && kind != NULL &&
            (q->languages[0] == '\0' || strcmp(q->languages, name) == 0))
            why = json_string_value(json_object_get(pair, kind));
    }
    return why != NULL ? ig_pool_text(pool, out, why, strlen(why), err) : IG_ERR_OK;
}

/* Returns whether word alignment was measured and has no number at any layer: texts that say the
 * same in other words have no gold alignment. */
static bool aligns_nothing(const ig_results *r, const ig_result_cell *c, const ig_quantity *q)
{
    const ig_store_entry *e = ig_result_finished(c, -1);
    return (strcmp(q->task, "f1") == 0 || strcmp(q->task, "precision") == 0 ||
            strcmp(q->task, "recall") == 0) &&
           e != NULL && measured(&e->run, "alignment") &&
           ig_result_layers(NULL, 0, r, &c, 1, q->task) == 0;
}

/* Returns whether a run of the cell has a score of the task in the quantity's language. */
static bool has_scores(const ig_results *r, const ig_result_cell *c, const ig_quantity *q)
{
    for (int64_t i = 0; i < c->n_entry; i++) {
        const ig_row *row = ig_store_rows(r->store, &c->entry[i]);
        for (int64_t k = 0; k < c->entry[i].n_metric; k++)
            if (strcmp(row[k].split, q->split) == 0 && strcmp(row[k].languages, q->languages) == 0)
                return true;
    }
    return false;
}

/* Sets x->missing: why a cell has no value of a quantity, in one line. */
static ig_code why_missing(ig_result_number *x, ig_result_table *t, const ig_result_cell *c,
                           json_t *missing, const ig_quantity *q, ig_err *err)
{
    const ig_results *r = t->results;
    ig_pool *pool = &t->pool;
    const char **out = &x->missing;
    const ig_store_task *task = ig_store_task_find(q->task);
    if (c->n_status[IG_RUN_DONE] == 0) {
        *out = c->incomplete;
        return IG_ERR_OK;
    }
    IG_TRY(what_it_needs(pool, out, missing, q, err));
    if (*out != NULL)
        return IG_ERR_OK;
    if (beyond_numbers(c, x, q) > 0)
        return ig_pool_print(pool, out, err, "too large for a number");
    if (nothing_to_compare(c, q))
        return ig_pool_print(pool, out, err, "of two languages, and the cell has one");
    if (task != NULL && task->kind == IG_STORE_TASK_LAYERED) {
        if (aligns_nothing(r, c, q))
            return ig_pool_print(pool, out, err,
                                 "needs languages of one text, whose words are known to be "
                                 "aligned");
        if ((q->layer == IG_LAYER_LOW || q->layer == IG_LAYER_HIGH) && c->layer_low < 0)
            return ig_pool_print(pool, out, err, "which layers are those of μ is not known");
        if (q->layer == IG_LAYER_NONE && ig_result_layers(NULL, 0, r, &c, 1, q->task) > 1)
            return ig_pool_print(pool, out, err, "measured at several layers: name one, %s[high]",
                                 q->task);
        const int layer = q->layer == IG_LAYER_LOW    ? c->layer_low
                          : q->layer == IG_LAYER_HIGH ? c->layer_high
                                                      : q->layer;
        if (layer >= 0)
            return ig_pool_print(pool, out, err, "not measured at layer %d", layer);
    }
    if (strcmp(q->task, "tuning_sd") == 0 && has_scores(r, c, q))
        return ig_pool_print(pool, out, err, "needs two seeds of fine-tuning: seeds of the task");
    if (task != NULL && task->tuned && q->languages[0] != '\0')
        return ig_pool_print(pool, out, err, "the task has no data of '%s' to test on",
                             q->languages);
    return ig_pool_print(pool, out, err, "not measured");
}

/* --- numbers ---------------------------------------------------------------------------------- */

static ig_result_number nothing(void)
{
    const double nan = (double)NAN;
    const ig_interval none = {nan, nan, 0.95};
    return (ig_result_number){
        .summary = ig_summarise(NULL, 0),
        .interval = none,
        .against = {.mean = nan, .sd = nan, .interval = none, .p = nan, .p_adjusted = nan},
        .seeds_needed = -1,
        .reference = nan,
        .reference_sd = nan,
        .reference_digits = -1,
        .reference_sd_digits = -1,
        .difference = nan,
        .layer = -1};
}

/* Values of a cell's runs, and what they are together; `missing`: of its pairs of languages. */
static ig_code gather(ig_result_number *x, ig_result_table *t, const ig_result_cell *c,
                      json_t *missing, const ig_quantity *q, ig_err *err)
{
    ig_seed_values all;
    *x = nothing();
    IG_TRY(ig_seed_values_of(&all, &t->pool, t->results, c, q, -1, err));
    x->value = all.value;
    x->n_value = (int)all.n;
    x->layer = all.layer;
    x->missing = c->mixed;
    if (c->mixed != NULL)
        return IG_ERR_OK;
    if (all.summary.n == 0)
        return why_missing(x, t, c, missing, q, err);
    x->summary = all.summary;
    x->interval = ig_interval_of_mean(&x->summary, ig_store_task_range(q->task), 0.95);
    return ig_result_tuned_parts(&x->parts, &t->pool, t->results, c, q, err);
}

/* A number of a column; row −1: the base cell's. */
static ig_result_number *number_at(const ig_result_table *t, int row, int column)
{
    return row < 0 ? &t->base_number[column] : &t->number[row * t->n_column + column];
}

/* The rows of a column against the base cell, each one of as many tests as there are. */
static void compare(ig_result_table *t, int column)
{
    const ig_result_number *base = &t->base_number[column];
    int n = 0;
    for (int i = 0; i < t->n_row; i++)
        n += t->row[i] != t->base && number_at(t, i, column)->summary.n > 0;
    for (int i = 0; i < t->n_row; i++) {
        ig_result_number *x = number_at(t, i, column);
        if (t->row[i] == t->base || x->summary.n == 0 || base->summary.n == 0)
            continue;
        x->against = ig_result_difference(&x->summary, &base->summary, n);
        x->seeds_needed = ig_result_seeds_needed(&x->against, 1 - x->against.interval.level);
    }
}

/* Kendall's τ of our means, times `sign`, against the paper's numbers: of the column, or of the
 * proxy p. */
static ig_code order(ig_kendall *out, ig_result_table *t, int column, const ig_result_proxy *p,
                     double sign, ig_err *err)
{
    double *ours, *theirs;
    int64_t n = 0;
    IG_TRY(ig_pool_alloc(&t->pool, &ours, t->n_row, sizeof *ours, err));
    IG_TRY(ig_pool_alloc(&t->pool, &theirs, t->n_row, sizeof *theirs, err));
    for (int i = 0; i < t->n_row; i++) {
        const ig_result_number *x = number_at(t, i, column);
        ours[n] = sign * x->summary.mean;
        theirs[n] = p == NULL             ? x->reference
                    : p->value[i] == NULL ? (double)NAN
                                          : p->what->better * p->value[i]->mean;
        n += isfinite(ours[n]) && isfinite(theirs[n]);
    }
    return ig_kendall_tau(out, ours, theirs, n, err);
}

/* The rank correlation of two columns over the rows that have both means, and the third's. */
static ig_code correlate_pair(ig_rank_correlation *out, ig_result_table *t, const int column[3],
                              ig_err *err)
{
    double *v[3] = {NULL};
    int64_t n = 0;
    const int n_side = column[2] >= 0 ? 3 : 2;
    for (int k = 0; k < n_side; k++)
        IG_TRY(ig_pool_alloc(&t->pool, &v[k], t->n_row, sizeof *v[k], err));
    for (int i = 0; i < t->n_row; i++) {
        bool all = true;
        for (int k = 0; k < n_side; k++) {
            v[k][n] = t->number[i * t->n_column + column[k]].summary.mean;
            all = all && isfinite(v[k][n]);
        }
        n += all;
    }
    return ig_correlate_ranks(out, (const double *const[]){v[0], v[1], v[2]}, n, 0, err);
}

static ig_code correlations(ig_result_table *t, ig_err *err)
{
    const ig_table_spec *s = t->spec;
    IG_TRY(ig_pool_alloc(&t->pool, &t->correlation, (int64_t)s->n_correlate * t->n_column,
                         sizeof *t->correlation, err));
    for (int i = 0; i < s->n_correlate; i++)
        for (int c = 0; c < t->n_column; c++) {
            const int at = s->correlate[i], given = c == s->given || at == s->given ? -1 : s->given;
            if (c != at)
                IG_TRY(correlate_pair(&t->correlation[i * t->n_column + c], t,
                                      (const int[]){c, at, given}, err));
        }
    return IG_ERR_OK;
}

/* Adds the proxies of the reference file. */
static ig_code proxies(ig_result_table *t, ig_err *err)
{
    const ig_reference *r = t->reference;
    ig_result_proxy *all;
    if (r == NULL || r->n_proxy == 0)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(&t->pool, &all, r->n_proxy, sizeof *all, err));
    t->proxy = all;
    for (int i = 0; i < r->n_proxy; i++) {
        ig_result_proxy *p = &all[t->n_proxy];
        const ig_reference_value **value;
        ig_kendall *of;
        bool any = false;
        p->what = &r->proxy[i];
        IG_TRY(ig_pool_alloc(&t->pool, &value, t->n_row, sizeof *value, err));
        IG_TRY(ig_pool_alloc(&t->pool, &of, t->n_column, sizeof *of, err));
        p->value = value;
        p->order = of;
        for (int k = 0; k < t->n_row; k++) {
            value[k] = ig_reference_find_proxy(r, t->row[k]->name, i);
            any = any || value[k] != NULL;
        }
        for (int c = 0; c < t->n_column; c++) {
            of[c].tau_b = (double)NAN;
            if (ig_reference_stands_for(p->what, &t->spec->column[c].q))
                IG_TRY(order(&of[c], t, c, p, t->spec->column[c].lower_is_better ? -1 : 1, err));
        }
        t->n_proxy += any;
    }
    return IG_ERR_OK;
}

static void refer(ig_result_number *x, const ig_reference *reference, const char *cell,
                  const ig_quantity *q)
{
    const ig_reference_value *v = reference != NULL ? ig_reference_find(reference, cell, q) : NULL;
    if (v == NULL)
        return;
    x->reference = v->mean;
    x->reference_sd = v->sd;
    x->reference_digits = v->digits;
    x->reference_sd_digits = v->sd_digits;
    x->difference = x->summary.mean - v->mean;
}

/* The numbers of a row; −1: the base cell's. */
static ig_code gather_row(ig_result_table *t, int row, ig_err *err)
{
    const ig_result_cell *of = row < 0 ? t->base : t->row[row];
    json_auto_t *missing = missing_pairs(of);
    for (int c = 0; c < t->n_column; c++) {
        const ig_quantity *q = &t->spec->column[c].q;
        ig_result_number *x = number_at(t, row, c);
        IG_TRY(gather(x, t, of, missing, q, err));
        refer(x, t->reference, of->name, q);
    }
    return IG_ERR_OK;
}

static ig_code choose_rows(ig_result_table *t, const ig_results *r, ig_err *err)
{
    const ig_table_spec *spec = t->spec;
    bool fits = r->n_cell == 0;
    IG_TRY(ig_pool_alloc(&t->pool, &t->row, r->n_cell, sizeof *t->row, err));
    for (int i = 0; i < r->n_cell + r->n_hidden; i++)
        if (ig_cell_matches(r->cell[i].name, spec->row, spec->n_row)) {
            fits = true;
            if (i < r->n_cell)
                t->row[t->n_row++] = &r->cell[i];
        }
    if (fits)
        return IG_ERR_OK;
    const char **names;
    IG_TRY(ig_pool_alloc(&t->pool, &names, r->n_cell, sizeof *names, err));
    for (int i = 0; i < r->n_cell; i++)
        names[i] = r->cell[i].name;
    const char *pattern = spec->n_row > 0 ? spec->row[0] : "";
    ig_fail(err, IG_ERR_USAGE, spec->name != NULL ? spec->name : "table", 0,
            "no cell is called '%.80s'%s", pattern,
            spec->n_row > 1 ? " or as its other patterns say" : "");
    return ig_hint_nearest(err, pattern, names, r->n_cell);
}

/* Lists what of a row is in no mean, being beyond all numbers, "perplexity[dev] (2 of 5 seeds)"; or
 * (alone) what is empty because it compares two languages, "mu, rho[low]". */
static ig_code note_row(ig_result_table *t, int row, bool alone, ig_err *err)
{
    const ig_result_cell *c = t->row[row];
    char text[400] = "";
    for (int k = 0; k < t->n_column; k++) {
        const ig_quantity *q = &t->spec->column[k].q;
        const ig_result_number *x = number_at(t, row, k);
        const int64_t beyond = alone ? 0 : beyond_numbers(c, x, q);
        char name[120];
        ig_quantity_format(name, sizeof name, q);
        if (alone && c->mixed == NULL && x->summary.n == 0 && nothing_to_compare(c, q))
            ig_append_name(text, sizeof text, name);
        if (beyond > 0)
            ig_append(text, sizeof text, "%s%s (%lld of %lld seed%s)", text[0] != '\0' ? ", " : "",
                      name, (long long)beyond, (long long)c->n_entry, c->n_entry == 1 ? "" : "s");
    }
    if (text[0] == '\0')
        return IG_ERR_OK;
    return ig_pool_print(&t->pool, &t->note[t->n_note++], err,
                         alone ? "Cell %s has one language, with nothing to compare it to: no %s"
                               : "Cell %s: too large for a number, and in no mean: %s",
                         c->name, text);
}

/* Returns whether a number of these rows and columns is missing for this reason. */
static bool needs(const ig_result_table *t, const char *why, const int row[2], const int column[2])
{
    for (int r = row[0]; r < row[1]; r++)
        for (int c = column[0]; c < column[1]; c++) {
            const char *missing = number_at(t, r, c)->missing;
            if (missing != NULL && strcmp(missing, why) == 0)
                return true;
        }
    return false;
}

/* "No mu, tau[low]: needs a dictionary en–de: gold=FILE (cells a, b)": each reason once, with what
 * it keeps from being computed. */
static ig_code note_needs(ig_result_table *t, ig_err *err)
{
    const int n = t->n_row * t->n_column;
    int n_reported = 0;
    for (int i = 0; i < n; i++) {
        const char *why = t->number[i].missing;
        char names[200] = "", cells[300] = "";
        const int row = i / t->n_column, all_rows[] = {0, t->n_row}, all[] = {0, t->n_column};
        if (why == NULL || strncmp(why, "needs ", 6) != 0 ||
            needs(t, why, (const int[]){0, row}, all) ||
            needs(t, why, (const int[]){row, row + 1}, (const int[]){0, i % t->n_column}))
            continue;
        for (int c = 0; c < t->n_column; c++) {
            char name[120];
            ig_quantity_format(name, sizeof name, &t->spec->column[c].q);
            if (needs(t, why, all_rows, (const int[]){c, c + 1}))
                ig_append_name(names, sizeof names, name);
        }
        for (int r = 0; r < t->n_row; r++)
            if (needs(t, why, (const int[]){r, r + 1}, all))
                ig_append_name(cells, sizeof cells, t->row[r]->name);
        IG_TRY(ig_pool_print(&t->pool, &t->note[t->n_note++], err, "No %s: %s (cell%s %s)", names,
                             why, strchr(cells, ',') != NULL ? "s" : "", cells));
        if (++n_reported == NEEDS_NOTES)
            return IG_ERR_OK;
    }
    return IG_ERR_OK;
}

/* "mu, tau[low]: without the pairs en-zh, ru-zh, of which they are missing": means over pairs of
 * languages that some have no value of; NULL: none. */
static ig_code without_pairs(const char **out, ig_result_table *t, int row, json_t *missing,
                             ig_err *err)
{
    char names[200] = "", pairs[200] = "";
    *out = NULL;
    for (int c = 0; c < t->n_column; c++) {
        const ig_quantity *q = &t->spec->column[c].q;
        const ig_store_task *task = ig_store_task_find(q->task);
        json_t *pair;
        const char *name, *kind = missing_kind(q);
        char text[120];
        bool any = false;
        if (number_at(t, row, c)->summary.n == 0 || q->languages[0] != '\0' || task == NULL ||
            !task->pair || kind == NULL)
            continue;
        json_object_foreach(missing, name, pair)
        {
            const bool lacks = json_object_get(pair, kind) != NULL;
            any = any || lacks;
            if (lacks && names[0] == '\0')
                ig_append_name(pairs, sizeof pairs, name);
        }
        ig_quantity_format(text, sizeof text, q);
        if (any)
            ig_append_name(names, sizeof names, text);
    }
    return names[0] == '\0' ? IG_ERR_OK
                            : ig_pool_print(&t->pool, out, err,
                                            "%s: mean over the pairs of languages without %s, of "
                                            "which it cannot be computed",
                                            names, pairs);
}

static ig_code note_pairs(ig_result_table *t, ig_err *err)
{
    const char **of;
    IG_TRY(ig_pool_alloc(&t->pool, &of, t->n_row, sizeof *of, err));
    for (int i = 0; i < t->n_row; i++) {
        json_auto_t *missing = missing_pairs(t->row[i]);
        IG_TRY(without_pairs(&of[i], t, i, missing, err));
    }
    for (int i = 0; i < t->n_row; i++) {
        char cells[300] = "";
        bool before = of[i] == NULL;
        for (int k = 0; k < i && !before; k++)
            before = of[k] != NULL && strcmp(of[k], of[i]) == 0;
        for (int k = i; k < t->n_row && !before; k++)
            if (of[k] != NULL && strcmp(of[k], of[i]) == 0)
                ig_append_name(cells, sizeof cells, t->row[k]->name);
        if (!before)
            IG_TRY(ig_pool_print(&t->pool, &t->note[t->n_note++], err, "%s (cell%s %s)", of[i],
                                 strchr(cells, ',') != NULL ? "s" : "", cells));
    }
    return IG_ERR_OK;
}

static ig_code note_bold(ig_result_table *t, ig_err *err)
{
    bool any = false;
    for (int c = 0; c < t->n_column; c++)
        any = any || t->bold_by[c] != c;
    if (!any)
        return IG_ERR_OK;
    return ig_pool_print(
        &t->pool, &t->note[t->n_note++], err,
        "identical: share of the dictionary that is one piece in both languages, with "
        "one vector in the table of words; distinct: without it. Bold of \xCF\x84 and "
        "\xCE\xBC goes by distinct");
}

static ig_code table_notes(ig_result_table *t, const ig_results *r, const char *base, ig_err *err)
{
    IG_TRY(ig_pool_alloc(&t->pool, &t->note,
                         r->n_note + 4 * t->n_row + 3 + NEEDS_NOTES + IG_TUNED_NOTES + 1,
                         sizeof *t->note, err));
    for (int i = 0; i < r->n_note; i++)
        t->note[t->n_note++] = r->note[i];
    if (base != NULL && t->base == NULL)
        IG_TRY(ig_pool_print(&t->pool, &t->note[t->n_note++], err,
                             "No comparison: there is no cell '%.80s'", base));
    else if (t->base != NULL && t->base->mixed != NULL)
        IG_TRY(ig_pool_print(&t->pool, &t->note[t->n_note++], err, "No comparison with cell %s: %s",
                             t->base->name, t->base->mixed));
    for (int i = 0; i < t->n_row; i++)
        if (t->row[i]->mixed != NULL)
            IG_TRY(ig_pool_print(&t->pool, &t->note[t->n_note++], err,
                                 "Cell %s is not averaged: %s", t->row[i]->name, t->row[i]->mixed));
    for (int i = 0; i < 2 * t->n_row; i++)
        IG_TRY(note_row(t, i % t->n_row, i >= t->n_row, err));
    IG_TRY(note_needs(t, err));
    IG_TRY(note_pairs(t, err));
    IG_TRY(ig_result_tuned_notes(t, err));
    return note_bold(t, err);
}

/* Where languages share strings bold goes by the words that they do not share. */
static int bold_by(const ig_table_spec *s, int column)
{
    static const char *const of[][2] = {{"mu", "mu_distinct"}, {"tau", "tau_distinct"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ig_quantity q = s->column[column].q;
        if (strcmp(q.task, of[i][0]) != 0)
            continue;
        snprintf(q.task, sizeof q.task, "%s", of[i][1]);
        for (int c = 0; c < s->n_column; c++)
            if (ig_quantity_same(&s->column[c].q, &q))
                return c;
    }
    return column;
}

ig_code ig_result_table_make(ig_result_table *t, const ig_results *r, const ig_table_spec *spec,
                             const char *base, const ig_reference *reference, ig_err *err)
{
    *t = (ig_result_table){.results = r, .spec = spec, .reference = reference};
    base = spec->base != NULL ? spec->base : base;
    IG_TRY(choose_rows(t, r, err));
    t->n_column = spec->n_column;
    t->base = ig_results_cell(r, base);
    IG_TRY(ig_pool_alloc(&t->pool, &t->number, (int64_t)t->n_row * t->n_column, sizeof *t->number,
                         err));
    IG_TRY(ig_pool_alloc(&t->pool, &t->order, t->n_column, sizeof *t->order, err));
    IG_TRY(ig_pool_alloc(&t->pool, &t->bold_by, t->n_column, sizeof *t->bold_by, err));
    for (int c = 0; c < t->n_column; c++)
        t->bold_by[c] = bold_by(spec, c);
    if (t->base != NULL)
        IG_TRY(ig_pool_alloc(&t->pool, &t->base_number, t->n_column, sizeof *t->base_number, err));
    for (int i = t->base != NULL ? -1 : 0; i < t->n_row; i++)
        IG_TRY(gather_row(t, i, err));
    for (int c = 0; c < t->n_column; c++) {
        if (t->base != NULL)
            compare(t, c);
        IG_TRY(order(&t->order[c], t, c, NULL, 1, err));
    }
    IG_TRY(correlations(t, err));
    IG_TRY(proxies(t, err));
    return table_notes(t, r, base, err);
}

void ig_result_table_free(ig_result_table *t)
{
    ig_pool_free(&t->pool);
    *t = (ig_result_table){0};
}
