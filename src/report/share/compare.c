/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs the cells of two sets of results, tests each quantity over their seeds, and finds in which
 * settings their runs differ: the keys that forbid to average two runs (docs/report.md), with the
 * values of both, of the first finished run of each side.
 */
#include "report/share/compare.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/options.h"
#include "report/results/results_internal.h"
#include "report/shown/table_results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_comparison *out;
    const ig_comparison_of *of;
    ig_pool *pool;
    ig_err *err;
} work;

/* --- which cells ------------------------------------------------------------------------------ */

static ig_code find(const ig_result_cell **out, const work *w, const ig_results *r,
                    const char *name)
{
    const char **names;
    *out = ig_results_cell(r, name);
    if (*out != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(w->pool, &names, r->n_cell, sizeof *names, w->err));
    for (int i = 0; i < r->n_cell; i++)
        names[i] = r->cell[i].name;
    ig_fail(w->err, IG_ERR_USAGE, "--cell", 0, "%s has no cell '%.80s'",
            r == w->of->a ? "the first" : "the second", name);
    return ig_hint_nearest(w->err, name, names, r->n_cell);
}

/* "8/batch=64" is a name, "8=9" are two: where A has no cell of the whole name, the first '=' whose
 * left side is one parts them. */
static ig_code named_pair(work *w, const char *text)
{
    ig_compared_cells *c = &w->out->cells[w->out->n_cells++];
    const char *left = text, *right = text;
    for (const char *p = strchr(text, '='); p != NULL && ig_results_cell(w->of->a, text) == NULL;
         p = strchr(p + 1, '=')) {
        IG_TRY(ig_pool_text(w->pool, &left, text, (size_t)(p - text), w->err));
        right = p + 1;
        if (ig_results_cell(w->of->a, left) != NULL)
            break;
    }
    IG_TRY(find(&c->a, w, w->of->a, left));
    return find(&c->b, w, w->of->b, right);
}

static ig_code choose_cells(work *w)
{
    ig_comparison *out = w->out;
    const ig_results *side[] = {w->of->a, w->of->b};
    const int room = w->of->n_pair > 0 ? w->of->n_pair : side[0]->n_cell;
    IG_TRY(ig_pool_alloc(w->pool, &out->cells, room, sizeof *out->cells, w->err));
    for (int i = 0; i < w->of->n_pair; i++)
        IG_TRY(named_pair(w, w->of->pair[i]));
    for (int s = 0; s < 2 && w->of->n_pair == 0; s++) {
        IG_TRY(
            ig_pool_alloc(w->pool, &out->only[s], side[s]->n_cell, sizeof *out->only[s], w->err));
        for (int i = 0; i < side[s]->n_cell; i++) {
            const ig_result_cell *c = &side[s]->cell[i],
                                 *other = ig_results_cell(side[1 - s], c->name);
            if (other == NULL)
                out->only[s][out->n_only[s]++] = c->name;
            else if (s == 0)
                out->cells[out->n_cells++] = (ig_compared_cells){c, other};
        }
    }
    return IG_ERR_OK;
}

/* --- the values of one cell and quantity ------------------------------------------------------ */

/* Both means and why they cannot be compared. */
static ig_code gather(work *w, ig_compared *c)
{
    const ig_result_cell *a = c->cells->a, *b = c->cells->b;
    const char *mixed = a->mixed != NULL ? a->mixed : b->mixed;
    ig_seed_values x, y;
    IG_TRY(ig_seed_values_of(&x, w->pool, w->of->a, a, c->q, -1, w->err));
    IG_TRY(ig_seed_values_of(&y, w->pool, w->of->b, b, c->q, -1, w->err));
    c->a = x.summary;
    c->b = y.summary;
    c->seeds_needed = -1;
    c->neither = c->a.n == 0 && c->b.n == 0;
    c->missing = mixed != NULL ? mixed
                 : c->neither  ? "not measured"
                 : c->b.n == 0 ? "not measured in B"
                 : c->a.n == 0 ? "not measured in A"
                               : NULL;
    return IG_ERR_OK;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* All cells of a quantity, each one of as many tests as there are. */
static ig_code test(work *w, int quantity)
{
    ig_comparison *out = w->out;
    int n = 0;
    for (int i = 0; i < out->n_cells; i++) {
        ig_compared *c = &out->value[i * out->n_quantity + quantity];
        *c = (ig_compared){.cells = &out->cells[i], .q = &w->of->q[quantity]};
        IG_TRY(gather(w, c));
        n += c->missing == NULL;
    }
    for (int i = 0; i < out->n_cells; i++) {
        ig_compared *c = &out->value[i * out->n_quantity + quantity];
        if (c->missing != NULL)
            continue;
        c->tested = ig_result_difference(&c->b, &c->a, n);
        c->seeds_needed = ig_result_seeds_needed(&c->tested, 1 - c->tested.interval.level);
    }
    return IG_ERR_OK;
}

/* --- settings --------------------------------------------------------------------------------- */

enum { VALUE = 60 };

/* A value as text, "" for none; long ones are cut. */
static ig_code value_of(const char **out, ig_pool *pool, const json_t *x, ig_err *err)
{
    IG_OWNED char *text = NULL;
    if (x != NULL && !json_is_string(x))
        text = ig_json_text(x, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    const char *all = json_is_string(x) ? json_string_value(x) : text != NULL ? text : "";
    size_t n = strlen(all);
    const bool cut = n > VALUE;
    for (n = cut ? VALUE : n; cut && (all[n] & 0xC0) == 0x80; n--)
        ; /* not within a character */
    return ig_pool_print(pool, out, err, "%.*s%s", (int)n, all, cut ? "…" : "");
}

typedef struct {
    ig_comparison *out;
    const ig_compared_cells *cells; /* that are compared */
    int64_t room;
    ig_code code;
    ig_err *err;
} finding;

/* Adds that these cells differ in the key. */
static ig_code put(finding *f, const ig_compared_setting *what)
{
    ig_comparison *out = f->out;
    int i = 0;
    while (i < out->n_setting &&
           (strcmp(out->setting[i].key, what->key) != 0 ||
            strcmp(out->setting[i].a, what->a) != 0 || strcmp(out->setting[i].b, what->b) != 0))
        i++;
    if (i == out->n_setting) {
        IG_TRY(ig_grow(&out->setting, &f->room, i + 1, sizeof *what, "settings", f->err));
        out->setting[out->n_setting++] = *what;
        IG_TRY(ig_pool_alloc(&out->pool, &out->setting[i].cells, out->n_cells, sizeof f->cells,
                             f->err));
    }
    ig_compared_setting *s = &out->setting[i];
    s->cells[s->n_cells++] = f->cells;
    return IG_ERR_OK;
}

static void put_key(void *arg, const char *key, const json_t *a, const json_t *b)
{
    finding *f = arg;
    ig_pool *pool = &f->out->pool;
    ig_compared_setting s = {0};
    IG_THEN(f->code, ig_pool_text(pool, &s.key, key, strlen(key), f->err));
    IG_THEN(f->code, value_of(&s.a, pool, a, f->err));
    IG_THEN(f->code, value_of(&s.b, pool, b, f->err));
    IG_THEN(f->code, put(f, &s));
}

/* Files of results have of a configuration its languages alone. */
static bool has_settings(const ig_result_origin *o)
{
    return json_object_size(o->config) > 1 ||
           json_is_object(json_object_get(o->manifest, "config"));
}

static ig_code compare_settings(finding *f, const ig_compared_cells *cells)
{
    const ig_store_entry *e[] = {ig_result_finished(cells->a, -1),
                                 ig_result_finished(cells->b, -1)};
    ig_result_origin o[2] = {{0}};
    if (e[0] == NULL || e[1] == NULL)
        return IG_ERR_OK;
    f->out->n_both++;
    ig_code code = ig_result_origin_read(&o[0], &e[0]->run, f->err);
    IG_THEN(code, ig_result_origin_read(&o[1], &e[1]->run, f->err));
    if (code == IG_ERR_OK) {
        f->out->n_unknown_settings += !has_settings(&o[0]) || !has_settings(&o[1]);
        f->cells = cells;
        if (has_settings(&o[0]) && has_settings(&o[1]))
            ig_result_origin_differ(&o[0], &o[1], put_key, f);
        code = f->code;
    }
    ig_result_origin_free(&o[0]);
    ig_result_origin_free(&o[1]);
    return code;
}

static ig_code find_settings(ig_comparison *c, ig_err *err)
{
    finding f = {.out = c, .err = err};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < c->n_cells && code == IG_ERR_OK; i++)
        code = compare_settings(&f, &c->cells[i]);
    return code;
}

ig_code ig_comparison_make(ig_comparison *out, const ig_comparison_of *of, ig_err *err)
{
    work w = {out, of, &out->pool, err};
    *out = (ig_comparison){.n_quantity = of->n_q};
    IG_TRY(choose_cells(&w));
    IG_TRY(ig_pool_alloc(w.pool, &out->value, (int64_t)out->n_cells * out->n_quantity,
                         sizeof *out->value, err));
    for (int i = 0; i < out->n_quantity; i++)
        IG_TRY(test(&w, i));
    return find_settings(out, err);
}

void ig_comparison_free(ig_comparison *c)
{
    ig_pool_free(&c->pool);
    ig_free(c->setting);
    *c = (ig_comparison){0};
}

/* --- as a table ------------------------------------------------------------------------------- */

enum { A = 2, B, TESTED, NAME = 160, LIST = 400 };

static void cell_name(char out[NAME], const ig_compared_cells *c)
{
    const bool same = strcmp(c->a->name, c->b->name) == 0;
    snprintf(out, NAME, "%s%s%s", c->a->name, same ? "" : " → ", same ? "" : c->b->name);
}

static void put_mean(ig_table *t, int64_t row, int column, const ig_summary *s, int digits)
{
    ig_table_number(t, row, column, s->mean, digits);
    ig_table_at(t, row, column)->sd = s->sd;
}

static void add_row(ig_table *t, const ig_compared *c)
{
    char name[NAME];
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    const ig_contrast *p = &c->tested;
    const int digits = ig_contrast_digits(p->sd > 0 ? p->sd : fabs(c->a.mean));
    cell_name(name, c->cells);
    ig_table_text(t, row, 0, name);
    ig_quantity_format(name, sizeof name, c->q);
    ig_table_text(t, row, 1, name);
    ig_contrast_cells(t, row, TESTED, p, digits, c->seeds_needed);
    if (c->missing != NULL) {
        ig_table_at(t, row, A)->absent = ig_table_at(t, row, B)->absent = true;
        ig_table_add_note(t, "%s of %s: %s", name, c->cells->a->name, c->missing);
        return;
    }
    put_mean(t, row, A, &c->a, digits);
    put_mean(t, row, B, &c->b, digits);
    ig_table_at(t, row, TESTED + IG_CONTRAST_DIFFERENCE)->mark = ig_result_stars(p->p_adjusted);
}

/* Adds a name to a list, and "…" instead of those that do not fit. */
static void join(char list[LIST], const char *name)
{
    const size_t used = strlen(list), n = strlen(name);
    if (used + n + 8 < LIST)
        snprintf(list + used, LIST - used, "%s%s", used > 0 ? ", " : "", name);
    else if (used < 3 || strcmp(list + used - 3, "…") != 0)
        snprintf(list + used, LIST - used, ", …");
}

/* "config.updates: 500 → 1000 (all cells)" */
static void note_setting(ig_table *t, const ig_comparison *c, const ig_compared_setting *s)
{
    char cells[LIST] = "", name[NAME];
    for (int i = 0; i < s->n_cells && s->n_cells < c->n_cells; i++) {
        cell_name(name, s->cells[i]);
        join(cells, name);
    }
    ig_table_add_note(t, "%s: %s → %s (%s)", s->key, s->a[0] != '\0' ? s->a : "none",
                      s->b[0] != '\0' ? s->b : "none", cells[0] != '\0' ? cells : "all cells");
}

static void note_only(ig_table *t, const char *const *name, int n, const char *side)
{
    char list[LIST] = "";
    for (int i = 0; i < n; i++)
        join(list, name[i]);
    if (n > 0)
        ig_table_add_note(t, "only in %s: %s", side, list);
}

static void add_notes(ig_table *t, const ig_comparison *c, const char *a, const char *b)
{
    ig_table_add_note(t, "A %s; B %s", a, b);
    for (int i = 0; i < c->n_setting; i++)
        note_setting(t, c, &c->setting[i]);
    if (c->n_unknown_settings > 0)
        ig_table_add_note(
            t,
            "The settings in which %d cell%s differ%s are not known: files of results "
            "do not have them",
            c->n_unknown_settings, c->n_unknown_settings == 1 ? "" : "s",
            c->n_unknown_settings == 1 ? "s" : "");
    else if (c->n_setting == 0 && c->n_both > 0)
        ig_table_add_note(t, "The settings are the same");
    note_only(t, c->only[0], c->n_only[0], "A");
    note_only(t, c->only[1], c->n_only[1], "B");
    ig_table_add_note(t,
                      "Two-sided t tests of unequal spreads over seeds; intervals and p adjusted "
                      "for the cells of a quantity (Bonferroni); seeds that would show it: "
                      "power .8");
}

ig_code ig_comparison_table(ig_table **out, const ig_comparison *c, const char *a, const char *b,
                            ig_err *err)
{
    IG_TRY(ig_table_new(out, "comparison", "Comparison", NULL, err));
    ig_table_add_row_head(*out, "cell", "cell");
    ig_table_add_row_head(*out, "quantity", "quantity");
    ig_table_add_column(*out, "a", "A", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(*out, "b", "B", NULL, IG_TABLE_NUMBER);
    ig_contrast_columns(*out, "B − A", "seeds that would show it");
    for (int i = 0; i < c->n_cells * c->n_quantity; i++)
        if (!c->value[i].neither)
            add_row(*out, &c->value[i]);
    add_notes(*out, c, a, b);
    return IG_ERR_OK;
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *value_json(const ig_compared *c)
{
    char name[NAME];
    ig_quantity_format(name, sizeof name, c->q);
    if (c->missing != NULL)
        return json_pack("{s:s, s:s, s:s, s:s}", "cell_a", c->cells->a->name, "cell_b",
                         c->cells->b->name, "quantity", name, "missing", c->missing);
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "cell_a", c->cells->a->name, "cell_b",
                  c->cells->b->name, "quantity", name, "n", (json_int_t)c->tested.n, "mean_a",
                  ig_json_number(c->a.mean), "sd_a", ig_json_number(c->a.sd), "mean_b",
                  ig_json_number(c->b.mean), "sd_b", ig_json_number(c->b.sd));
    ig_contrast_json(j, &c->tested, c->seeds_needed);
    json_object_set_new(j, "missing", json_null());
    return j;
}

static json_t *setting_json(const ig_compared_setting *s)
{
    json_t *cells = json_array();
    for (int i = 0; i < s->n_cells; i++)
        json_array_append_new(cells, json_string(s->cells[i]->a->name));
    return json_pack("{s:s, s:s, s:s, s:o}", "key", s->key, "a", s->a, "b", s->b, "cells", cells);
}

json_t *ig_comparison_json(const ig_comparison *c, const char *a, const char *b)
{
    json_t *settings = json_array(), *values = json_array();
    for (int i = 0; i < c->n_setting; i++)
        json_array_append_new(settings, setting_json(&c->setting[i]));
    for (int i = 0; i < c->n_cells * c->n_quantity; i++)
        if (!c->value[i].neither)
            json_array_append_new(values, value_json(&c->value[i]));
    return json_pack("{s:i, s:s, s:s, s:o, s:i, s:o, s:o, s:o}", "isoglot_compare", 1, "a", a, "b",
                     b, "settings", settings, "settings_untold", c->n_unknown_settings, "only_a",
                     ig_json_texts(c->only[0], c->n_only[0]), "only_b",
                     ig_json_texts(c->only[1], c->n_only[1]), "comparisons", values);
}
