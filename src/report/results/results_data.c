/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes results as JSON and as tidy tables, and onsets as data and as text. A missing number is
 * null or an empty field, never 0.
 */
#include "report/results/results_data.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "report/results/results_contrast.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 256 };

static json_t *seeds_json(const ig_result_number *n)
{
    json_t *all = json_array();
    for (int i = 0; i < n->n_value; i++) {
        const ig_result_value *v = &n->value[i];
        /* There may be a hundred thousand; json_pack would take twice the time. */
        json_t *one = json_object();
        json_object_set_new_nocheck(one, "seed", json_integer((json_int_t)v->seed));
        json_object_set_new_nocheck(one, "address", json_string_nocheck(v->address));
        json_object_set_new_nocheck(one, "status",
                                    json_string_nocheck(ig_run_status_name(v->status)));
        json_object_set_new_nocheck(one, "value", ig_json_number(v->value));
        json_object_set_new_nocheck(one, "candidates", json_integer((json_int_t)v->n));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *against_json(const ig_result_number *n)
{
    if (n->against.n == 0)
        return json_null();
    json_t *out = json_pack("{s:I}", "n", (json_int_t)n->against.n);
    ig_contrast_json(out, &n->against, n->seeds_needed);
    return out;
}

/* Variance parts of a score after fine-tuning. */
static json_t *parts_json(const ig_variance_parts *p)
{
    if (p->n == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)p->n, "between_sd",
                     ig_json_number(sqrt(p->between)), "within_sd", ig_json_number(sqrt(p->within)),
                     "between_share", ig_json_number(p->between / (p->between + p->within)));
}

static json_t *number_json(const ig_result_number *n)
{
    json_t *paper = isfinite(n->reference)
                        ? json_pack("{s:o, s:o, s:o}", "mean", ig_json_number(n->reference), "sd",
                                    ig_json_number(n->reference_sd), "difference",
                                    ig_json_number(n->difference))
                        : json_null();
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:o}", "n",
                     (json_int_t)n->summary.n, "mean", ig_json_number(n->summary.mean), "sd",
                     ig_json_number(n->summary.sd), "min", ig_json_number(n->summary.min), "max",
                     ig_json_number(n->summary.max), "median", ig_json_number(n->summary.median),
                     "low", ig_json_number(n->interval.low), "high",
                     ig_json_number(n->interval.high), "layer",
                     n->layer >= 0 ? json_integer(n->layer) : json_null(), "paper", paper,
                     "against", against_json(n), "tunings", parts_json(&n->parts), "missing",
                     n->missing, "seeds", seeds_json(n));
}

static json_t *order_json(const ig_kendall *k)
{
    return json_pack("{s:I, s:o, s:I, s:I}", "n", (json_int_t)k->n, "tau_b",
                     k->n > 1 ? ig_json_number(k->tau_b) : json_null(), "concordant",
                     (json_int_t)k->concordant, "discordant", (json_int_t)k->discordant);
}

/* The paper's numbers of a row that are not measured here. */
static json_t *row_proxies_json(const ig_result_table *t, int r)
{
    json_t *all = json_object();
    for (int i = 0; i < t->n_proxy; i++) {
        const ig_reference_value *v = t->proxy[i].value[r];
        if (v != NULL)
            json_object_set_new(all, t->proxy[i].what->name,
                                json_pack("{s:o, s:o}", "mean", ig_json_number(v->mean), "sd",
                                          ig_json_number(v->sd)));
    }
    return all;
}

static json_t *proxies_json(const ig_result_table *t)
{
    json_t *all = json_array();
    for (int i = 0; i < t->n_proxy; i++) {
        const ig_result_proxy *p = &t->proxy[i];
        json_t *order = json_object();
        for (int c = 0; c < t->n_column; c++) {
            char key[NAME];
            ig_quantity_format(key, sizeof key, &t->spec->column[c].q);
            if (p->order[c].n > 0)
                json_object_set_new(order, key, order_json(&p->order[c]));
        }
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:o}", "name", p->what->name, "what", p->what->what,
                           "better", p->what->better > 0 ? "higher" : "lower", "order", order));
    }
    return all;
}

static json_t *row_json(const ig_result_table *t, int r)
{
    json_t *values = json_object();
    for (int c = 0; c < t->n_column; c++) {
        char key[NAME];
        ig_quantity_format(key, sizeof key, &t->spec->column[c].q);
        json_object_set_new(values, key, number_json(&t->number[r * t->n_column + c]));
    }
    return json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o}", "cell", t->row[r]->name, "label",
                     t->row[r]->label, "title", t->row[r]->title, "lacking", t->row[r]->incomplete,
                     "values", values, "paper", row_proxies_json(t, r));
}

/* Correlations of a column: {QUANTITY: {"n", "rho", "low", "high", "partial", …}}. */
static json_t *correlations_json(const ig_result_table *t, int column)
{
    json_t *all = json_object();
    for (int i = 0; i < t->spec->n_correlate; i++) {
        const ig_rank_correlation *x = &t->correlation[i * t->n_column + column];
        char key[NAME];
        ig_quantity_format(key, sizeof key, &t->spec->column[t->spec->correlate[i]].q);
        if (x->n > 0)
            json_object_set_new(
                all, key,
                json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)x->n, "rho",
                          ig_json_number(x->rho), "low", ig_json_number(x->interval.low), "high",
                          ig_json_number(x->interval.high), "partial", ig_json_number(x->partial),
                          "partial_low", ig_json_number(x->partial_interval.low), "partial_high",
                          ig_json_number(x->partial_interval.high)));
    }
    return all;
}

static json_t *columns_json(const ig_result_table *t)
{
    json_t *all = json_array();
    for (int c = 0; c < t->n_column; c++) {
        const ig_column *col = &t->spec->column[c];
        char key[NAME];
        ig_quantity_format(key, sizeof key, &col->q);
        json_t *order = t->reference == NULL ? json_null() : order_json(&t->order[c]);
        const char *better = col->higher_is_better  ? "higher"
                             : col->lower_is_better ? "lower"
                                                    : NULL;
        json_array_append_new(all, json_pack("{s:s, s:s?, s:s?, s:o, s:o}", "quantity", key,
                                             "title", col->title, "better", better, "order", order,
                                             "correlations", correlations_json(t, c)));
    }
    return all;
}

json_t *ig_result_table_json(const ig_result_table *t)
{
    json_t *rows = json_array();
    for (int r = 0; r < t->n_row; r++)
        json_array_append_new(rows, row_json(t, r));
    json_t *reference =
        t->reference != NULL
            ? json_pack("{s:s, s:b, s:o}", "source", t->reference->source, "verified",
                        t->reference->verified, "proxies", proxies_json(t))
            : json_null();
    return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:o, s:o}", "name", t->spec->name, "title",
                     t->spec->title, "base", t->base != NULL ? t->base->name : NULL, "reference",
                     reference, "columns", columns_json(t), "rows", rows, "notes",
                     ig_json_texts(t->note, t->n_note));
}

static json_t *run_json(const ig_store_entry *e)
{
    const ig_store_run *r = &e->run;
    bool done = r->status == IG_RUN_DONE;
    return json_pack("{s:I, s:s, s:s, s:o, s:o, s:s?}", "seed", (json_int_t)e->cell.seed, "address",
                     e->cell.address, "status", ig_run_status_name(r->status), "seconds",
                     done ? ig_json_number(r->seconds) : json_null(), "tokens_per_second",
                     done ? ig_json_number(r->tokens_per_second) : json_null(), "message",
                     r->message);
}

static json_t *cell_json(const ig_result_cell *c)
{
    json_t *runs = json_array(), *status = json_object();
    for (int64_t k = 0; k < c->n_entry; k++)
        json_array_append_new(runs, run_json(&c->entry[k]));
    for (ig_run_status s = IG_RUN_MISSING; s <= IG_RUN_DONE; s++)
        json_object_set_new(status, ig_run_status_name(s), json_integer(c->n_status[s]));
    return json_pack("{s:s, s:s, s:s?, s:o, s:s?, s:s?, s:o}", "cell", c->name, "label", c->label,
                     "title", c->title, "status", status, "lacking", c->incomplete, "mixed",
                     c->mixed, "runs", runs);
}

json_t *ig_result_cells_json(const ig_results *r)
{
    json_t *cells = json_array();
    for (int i = 0; i < r->n_cell; i++)
        json_array_append_new(cells, cell_json(&r->cell[i]));
    return cells;
}

/* --- tidy tables ------------------------------------------------------------------------------ */

static const char *const tidy_keys[] = {
    "table",  "cell",       "label",        "quantity",   "layer",          "n",
    "mean",   "sd",         "min",          "max",        "median",         "low",
    "high",   "base",       "base_n",       "difference", "difference_low", "difference_high",
    "p",      "p_adjusted", "seeds_needed", "paper",      "paper_sd",       "minus_paper",
    "missing"};
enum { N_TIDY = sizeof tidy_keys / sizeof *tidy_keys };

static void tidy_row(ig_table *out, const ig_result_table *t, int r, int c)
{
    const ig_result_number *x = &t->number[r * t->n_column + c];
    const ig_contrast *p = &x->against;
    const bool tested = p->n > 0;
    const double none = (double)NAN;
    char quantity[NAME];
    ig_quantity_format(quantity, sizeof quantity, &t->spec->column[c].q);
    int64_t row = ig_table_add_row(out, IG_ROW_BODY, NULL);
    int k = 0;
    ig_table_text(out, row, k++, t->spec->name);
    ig_table_text(out, row, k++, t->row[r]->name);
    ig_table_text(out, row, k++, t->row[r]->label);
    ig_table_text(out, row, k++, quantity);
    ig_table_number(out, row, k++, x->layer >= 0 ? x->layer : none, 0);
    const ig_summary *s = &x->summary;
    const double spread[] = {(double)s->n, s->mean,   s->sd,           s->min,
                             s->max,       s->median, x->interval.low, x->interval.high};
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
        ig_table_number(out, row, k++, spread[i], 0);
    ig_table_text(out, row, k++, tested && t->base != NULL ? t->base->name : "");
    const double compared[] = {(double)p->n,
                               p->mean,
                               p->interval.low,
                               p->interval.high,
                               p->p,
                               p->p_adjusted,
                               x->seeds_needed >= 0 ? (double)x->seeds_needed : none};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        ig_table_number(out, row, k++, tested ? compared[i] : none, 0);
    ig_table_number(out, row, k++, x->reference, 0);
    ig_table_number(out, row, k++, x->reference_sd, 0);
    ig_table_number(out, row, k++, x->difference, 0);
    ig_table_text(out, row, k++, x->missing != NULL ? x->missing : "");
}

ig_code ig_result_table_tidy(ig_table **out, const ig_result_table *t, ig_err *err)
{
    IG_TRY(ig_table_new(out, t->spec->name, NULL, NULL, err));
    for (int i = 0; i < N_TIDY; i++)
        ig_table_add_column(*out, tidy_keys[i], tidy_keys[i], NULL, IG_TABLE_LEFT);
    for (int r = 0; r < t->n_row; r++)
        for (int c = 0; c < t->n_column; c++)
            tidy_row(*out, t, r, c);
    return IG_ERR_OK;
}

/* --- onsets ----------------------------------------------------------------------------------- */

/* The onsets themselves are those that the curves have (report/results/results_curve.c). */

enum { SAID_MAX = 12 };

static json_t *seeds(const ig_result_curve *c)
{
    json_t *list = json_array();
    for (int i = 0; i < c->n_seed; i++)
        json_array_append_new(list, json_pack("{s:I, s:o}", "seed", (json_int_t)c->seed[i], "step",
                                              ig_json_number(c->onset[i])));
    return list;
}

static ig_code add(json_t *list, const ig_results *r, const ig_figure_spec *figure,
                   const ig_result_cell *cell, const ig_quantity *q, ig_err *err)
{
    char name[160];
    ig_result_curve c;
    ig_code code = ig_result_curve_make(&c, r, cell, q, NULL, err);
    ig_quantity_format(name, sizeof name, q);
    /* One step is no curve. */
    if (code == IG_ERR_OK && c.n > 1 && c.n_seed > 0 && cell->mixed == NULL)
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o}", "figure",
                      figure->name, "quantity", name, "cell", cell->name, "label",
                      cell->label != NULL ? cell->label : "", "of", c.n_seed, "n",
                      (json_int_t)c.onset_all.n, "mean", ig_json_number(c.onset_all.mean), "sd",
                      ig_json_number(c.onset_all.sd), "low", ig_json_number(c.onset_interval.low),
                      "high", ig_json_number(c.onset_interval.high), "seeds", seeds(&c)));
    ig_result_curve_free(&c);
    return code;
}

ig_code ig_result_onsets(json_t **out, const ig_results *r, const ig_figure_spec *figure,
                         ig_err *err)
{
    ig_code code = IG_ERR_OK;
    *out = json_array();
    if (figure->kind != IG_FIG_CURVES || !figure->onset)
        return IG_ERR_OK;
    for (int k = 0; k < figure->n_quantity; k++)
        for (int i = 0; i < r->n_cell && code == IG_ERR_OK; i++)
            if (ig_cell_matches(r->cell[i].name, figure->cell, figure->n_cell))
                code = add(*out, r, figure, &r->cell[i], &figure->quantity[k], err);
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

static const char *symbol(char *out, size_t size, const char *quantity)
{
    const size_t n = strcspn(quantity, "[");
    char task[64];
    snprintf(task, sizeof task, "%.*s", (int)(n < sizeof task ? n : sizeof task - 1), quantity);
    const ig_store_task *t = ig_store_task_find(task);
    snprintf(out, size, "%s%s", t != NULL ? t->symbol : task, quantity + n);
    return out;
}

static void put_cell(FILE *f, const json_t *o, const char *before)
{
    const json_int_t n = json_integer_value(json_object_get(o, "n")),
                     of = json_integer_value(json_object_get(o, "of"));
    const char *name = json_string_value(json_object_get(o, "cell"));
    if (n == 0) {
        fprintf(f, "%snowhere in %s (%lld seed%s)", before, name, (long long)of,
                of == 1 ? "" : "s");
        return;
    }
    fprintf(f, "%sat update %.0f", before, json_number_value(json_object_get(o, "mean")));
    if (json_is_number(json_object_get(o, "low")))
        fprintf(f, " [%.0f, %.0f]", json_number_value(json_object_get(o, "low")),
                json_number_value(json_object_get(o, "high")));
    fprintf(f, " in %s (%lld of %lld seed%s)", name, (long long)n, (long long)of,
            of == 1 ? "" : "s");
}

char *ig_result_onsets_text(const json_t *onsets)
{
    char *text = NULL, name[200];
    size_t size, i;
    const json_t *o;
    const char *quantity = "";
    int said = 0;
    if (json_array_size(onsets) == 0)
        return NULL;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        return NULL;
    json_array_foreach(onsets, i, o)
    {
        const char *now = json_string_value(json_object_get(o, "quantity"));
        const bool another = strcmp(now, quantity) != 0;
        if (another) {
            fprintf(f, "%s%s sets in", i > 0 ? ". " : "", symbol(name, sizeof name, now));
            quantity = now;
            said = 0;
        }
        if (said++ < SAID_MAX)
            put_cell(f, o, another ? " " : ", ");
        else if (said == SAID_MAX + 2)
            fputs(", …", f);
    }
    fputc('.', f);
    if (!ig_memstream_close(f)) {
        free(text);
        return NULL;
    }
    return text;
}
