/* SPDX-License-Identifier: Apache-2.0
 *
 * `claims:` of an experiment file: the claim, its source, and the statement that decides it
 * (report/table/claim.h), checked against the cells and measures. A mapping by name, so that a
 * variant can change or remove one.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "report/table/reference.h"

#include <math.h>
#include <string.h>

/* A statement, premise or control, and its key. */
typedef struct {
    const ig_yaml *v;
    const char *key;
} place;

/* The quantity is measured in these cells. */
static ig_code check_quantity(const ig_quantity *q, ig_experiment *e, const place *at,
                              char *const *pattern, int n, ig_err *err)
{
    char name[160];
    ig_quantity read;
    ig_yaml v = *at->v;
    ig_quantity_format(name, sizeof name, q);
    v.text = name;
    return ig_experiment_read_quantity(&read, e, &v,
                                       &(ig_quantity_place){at->key, pattern, n, false}, err);
}

static ig_code check_over_training(const ig_experiment *e, const ig_quantity *q, const place *at,
                                   ig_err *err)
{
    bool task;
    if (ig_experiment_over_training(&task, e, q))
        return IG_ERR_OK;
    ig_yaml_fail(at->v, err, "%s: onset, best or reach, but only the finished models are %s",
                 at->key, task ? "fine-tuned" : "measured");
    return ig_hint(err, "%s: {checkpoints: log}", task ? ig_quantity_text(q) : "measure");
}

/* The table is there and has a reference file, which knows the proxy. */
static ig_code find_paper(ig_claim_term *t, const ig_experiment *e, const place *at, ig_err *err)
{
    ig_reference paper;
    bool known = false;
    for (int i = 0; i < e->report.n_table; i++)
        if (strcmp(e->report.table[i].name, t->paper) == 0)
            t->reference = e->report.table[i].reference;
    if (t->reference == NULL)
        return ig_yaml_fail(at->v, err,
                            "%s: found paper=%.60s, expected a table of the file with a reference",
                            at->key, t->paper);
    IG_TRY(ig_reference_read(&paper, t->reference, err));
    for (int i = 0; t->proxy != NULL && i < paper.n_proxy; i++)
        known = known || strcmp(paper.proxy[i].name, t->proxy) == 0;
    for (int i = 0; t->proxy == NULL && i < paper.n_value; i++)
        known = known || ig_quantity_same(&paper.value[i].quantity, &t->q);
    ig_reference_free(&paper);
    return known
               ? IG_ERR_OK
               : ig_yaml_fail(at->v, err, "%s: found paper=%.60s%s%.60s, expected what %.100s has",
                              at->key, t->paper, t->proxy != NULL ? ":" : "",
                              t->proxy != NULL ? t->proxy : "", t->reference);
}

static ig_code check_correlation(ig_claim_term *t, ig_experiment *e, const place *at, ig_err *err)
{
    int n = 0;
    for (int i = 0; i < t->n_pattern; i++) {
        bool any = false;
        for (int c = 0; c < e->n_cell; c++)
            any = any || ig_cell_matches(e->cell[c].name, &t->pattern[i], 1);
        if (!any)
            return ig_yaml_fail(at->v, err, "%s: found no cell %.60s, expected one of the file",
                                at->key, t->pattern[i]);
    }
    for (int c = 0; c < e->n_cell; c++)
        n += ig_cell_matches(e->cell[c].name, t->pattern, t->n_pattern) &&
             (t->axis == NULL || isfinite(ig_cell_axis(e->cell[c].name, t->axis)));
    if (n < 3)
        return ig_yaml_fail(at->v, err, "%s: found %d cell%s to correlate over, expected 3",
                            at->key, n, n == 1 ? "" : "s");
    IG_TRY(check_quantity(&t->q, e, at, t->pattern, t->n_pattern, err));
    if (t->has_less)
        IG_TRY(check_quantity(&t->less, e, at, t->pattern, t->n_pattern, err));
    if (t->paper != NULL)
        return find_paper(t, e, at, err);
    return t->axis != NULL ? IG_ERR_OK
                           : check_quantity(&t->with, e, at, t->pattern, t->n_pattern, err);
}

static ig_code check_cell(const ig_experiment *e, const char *name, const place *at, ig_err *err)
{
    for (int c = 0; c < e->n_cell; c++)
        if (strcmp(e->cell[c].name, name) == 0)
            return IG_ERR_OK;
    ig_yaml_fail(at->v, err, "%s: found cell '%.60s', expected one of the file", at->key, name);
    return ig_experiment_hint_cell(err, e, name);
}

/* The cells are there, and the quantities are measured of them. */
static ig_code check_side(ig_claim_side *s, ig_experiment *e, const place *at, ig_err *err)
{
    for (int i = 0; i < s->n_term; i++) {
        ig_claim_term *t = &s->term[i];
        if (t->cell == NULL) {
            IG_TRY(check_correlation(t, e, at, err));
            continue;
        }
        IG_TRY(check_cell(e, t->cell, at, err));
        if (t->other != NULL)
            IG_TRY(check_cell(e, t->other, at, err));
        if (ig_claim_over_training(t))
            IG_TRY(check_over_training(e, &t->q, at, err));
        char *cell = (char *)t->cell;
        IG_TRY(check_quantity(&t->q, e, at, &cell, 1, err));
    }
    return IG_ERR_OK;
}

/* --- comparisons that decide nothing -----------------------------------------------------------
 */

/* The first cell with the settings of the one of that name: cells may be the same under two names.
 */
static int first_alike(const ig_experiment *e, const char *name)
{
    int at = 0, first = 0;
    while (at < e->n_cell - 1 && strcmp(e->cell[at].name, name) != 0)
        at++;
    json_auto_t *own = ig_options_json(&ig_run_options, &e->cell[at].config);
    json_object_del(own, "seed");
    for (; first < at; first++) {
        json_t *other = ig_options_json(&ig_run_options, &e->cell[first].config);
        json_object_del(other, "seed");
        const bool same = json_equal(own, other);
        json_decref(other);
        if (same)
            break;
    }
    return first;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Returns whether it is the same quantity, under either name of its layer in a model of this depth.
 */
static bool same_quantity(const ig_quantity *a, const ig_quantity *b, int depth)
{
    ig_quantity q[2] = {*a, *b};
    int mu[2];
    ig_measure_mu_layers(depth, mu);
    for (int i = 0; i < 2; i++)
        q[i].layer = q[i].layer == IG_LAYER_LOW    ? mu[0]
                     : q[i].layer == IG_LAYER_HIGH ? mu[1]
                                                   : q[i].layer;
    return ig_quantity_same(&q[0], &q[1]);
}

static bool same_patterns(const ig_claim_term *a, const ig_claim_term *b)
{
    bool same = a->n_pattern == b->n_pattern;
    for (int i = 0; i < a->n_pattern && same; i++)
        same = strcmp(a->pattern[i], b->pattern[i]) == 0;
    return same;
}

static bool same_term(const ig_experiment *e, const ig_claim_term *a, const ig_claim_term *b)
{
    if (a->kind != b->kind || (a->cell == NULL) != (b->cell == NULL))
        return false;
    if (a->cell == NULL)
        return ig_quantity_same(&a->q, &b->q) && a->has_less == b->has_less &&
               (!a->has_less || ig_quantity_same(&a->less, &b->less)) &&
               same_text(a->axis, b->axis) && same_text(a->paper, b->paper) &&
               same_text(a->proxy, b->proxy) &&
               (a->axis != NULL || a->paper != NULL || ig_quantity_same(&a->with, &b->with)) &&
               same_patterns(a, b);
    const int cell = first_alike(e, a->cell);
    return cell == first_alike(e, b->cell) && a->share >= b->share && a->share <= b->share &&
           same_quantity(&a->q, &b->q, ig_cell_depth(&e->cell[cell]));
}

/* Returns whether terms are left once those that are the same are added up. */
static bool any_left(const ig_experiment *e, const ig_claim_term *const *term, const double *times,
                     int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0, size = 0;
        bool first = true;
        for (int k = 0; k < n; k++)
            if (same_term(e, term[i], term[k])) {
                first = first && k >= i;
                sum += times[k];
                size += fabs(times[k]);
            }
        if (first && fabs(sum) > 1e-9 * size)
            return true;
    }
    return false;
}

/* Where the values of a term lie. */
static void range_of(double *low, double *high, const ig_claim_term *t)
{
    const bool correlation = t->cell == NULL, value = t->kind == IG_CLAIM_VALUE;
    const ig_value_range range = value ? ig_store_task_range(t->q.task) : IG_RANGE_POSITIVE;
    *low = correlation ? -1 : range == IG_RANGE_ANY ? -(double)INFINITY : 0;
    *high = correlation || range == IG_RANGE_SHARE ? 1 : (double)INFINITY;
}

/* The range of its quantities leaves the outcome open. */
static ig_code check_bound(const ig_claim_comparison *c, const place *at, ig_err *err)
{
    const double ROUNDING = 1e-12;
    double low = c->more.plus - c->less.plus, high = low;
    const ig_claim_side *const side[] = {&c->more, &c->less};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < side[s]->n_term; i++) {
            const double times = (s == 0 ? 1 : -1) * side[s]->term[i].times;
            double from, to;
            range_of(&from, &to, &side[s]->term[i]);
            low += times > 0 ? times * from : times < 0 ? times * to : 0;
            high += times > 0 ? times * to : times < 0 ? times * from : 0;
        }
    return low < ROUNDING && high > ROUNDING
               ? IG_ERR_OK
               : ig_yaml_fail(at->v, err,
                              "%s: found '%.100s', which %s by the range of its quantities, "
                              "expected a comparison that runs decide",
                              at->key, c->text, low < ROUNDING ? "never holds" : "always holds");
}

/* Both sides are the same, or one of them takes a quantity from itself: no run decides that. */
static ig_code check_decides(const ig_claim_comparison *c, const ig_experiment *e, const place *at,
                             ig_err *err)
{
    const ig_claim_term *term[2 * IG_CLAIM_TERMS_MAX];
    double times[2 * IG_CLAIM_TERMS_MAX];
    const ig_claim_side *const side[] = {&c->more, &c->less};
    bool left = true;
    int n = 0;
    for (int s = 0; s < 2; s++) {
        const int from = n;
        for (int i = 0; i < side[s]->n_term; i++) {
            term[n] = &side[s]->term[i];
            times[n++] = (s == 0 ? 1 : -1) * side[s]->term[i].times;
        }
        left = left && (n == from || any_left(e, term + from, times + from, n - from));
    }
    return left && any_left(e, term, times, n)
               ? check_bound(c, at, err)
               : ig_yaml_fail(at->v, err,
                              "%s: found '%.100s', whose quantities cancel out, expected a "
                              "comparison that runs decide",
                              at->key, c->text);
}

/* More looks than one are said in words, too: what was added, and what had been seen. */
static ig_code read_looks(ig_claim *c, const ig_yaml *map, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, "looks");
    int64_t looks = 1;
    if (v != NULL)
        IG_TRY(ig_yaml_int(&looks, v, "looks", 1, 100, err));
    c->earlier_looks = (int)looks - 1;
    return looks == 1 || c->after != NULL
               ? IG_ERR_OK
               : ig_yaml_fail(v, err,
                              "looks: found '%s' without 'after', expected it to say which seeds "
                              "were added",
                              v->text);
}

static ig_code read_claim(ig_claim *c, ig_experiment *e, const char *id, const ig_yaml *map,
                          ig_err *err)
{
    static const char *const keys[] = {"text",    "source",  "statement", "proxy", "needs",
                                       "premise", "control", "caveat",    "after", "looks"};
    static const struct {
        const char *key;
        ig_claim_role role;
    } beside[] = {{"premise", IG_CLAIM_PREMISE}, {"control", IG_CLAIM_CONTROL}};
    const char *text, *statement;
    IG_TRY(ig_copy_text(&c->id, id, "experiment", err));
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, id, err));
    IG_TRY(ig_yaml_keys(map, keys, sizeof keys / sizeof *keys, "claim", err));
    if (ig_yaml_get(map, "text") == NULL)
        return ig_yaml_fail(map, err, "the claim has no text, expected one");
    IG_TRY(ig_yaml_text(&text, ig_yaml_get(map, "text"), "text", err));
    IG_TRY(ig_copy_text(&c->text, text, "experiment", err));
    IG_TRY(ig_experiment_read_text(&c->source, map, "source", err));
    IG_TRY(ig_experiment_read_text(&c->proxy, map, "proxy", err));
    IG_TRY(ig_experiment_read_text(&c->needs, map, "needs", err));
    IG_TRY(ig_experiment_read_text(&c->caveat, map, "caveat", err));
    IG_TRY(ig_experiment_read_text(&c->after, map, "after", err));
    IG_TRY(read_looks(c, map, err));
    const ig_yaml *v = ig_experiment_value(map, "statement");
    const bool none = v == NULL;
    if (none != (c->needs != NULL))
        return ig_yaml_fail(map, err, "the claim has %s, expected one of them",
                            none ? "neither statement nor needs" : "statement and needs");
    if (none)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_text(&statement, v, "statement", err));
    IG_TRY(ig_claim_parse(c, statement, v->file, v->line, err));
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const ig_yaml *b = ig_experiment_value(map, beside[i].key);
        if (b == NULL)
            continue;
        IG_TRY(ig_yaml_text(&statement, b, beside[i].key, err));
        IG_TRY(ig_claim_parse_beside(c, beside[i].role, statement, b->file, b->line, err));
    }
    for (int i = 0; i < c->n_comparison; i++) {
        const ig_claim_role role = c->comparison[i].role;
        const char *key = role == IG_CLAIM_STATEMENT ? "statement" : beside[role - 1].key;
        const place at = {ig_experiment_value(map, key), key};
        IG_TRY(check_side(&c->comparison[i].more, e, &at, err));
        IG_TRY(check_side(&c->comparison[i].less, e, &at, err));
        IG_TRY(check_decides(&c->comparison[i], e, &at, err));
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_claims(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "claims");
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "claims", err));
    IG_TRY(ig_alloc(&e->claim, map->n, sizeof *e->claim, "claims", err));
    for (int i = 0; i < map->n; i++) {
        if (map->item[i]->removed || ig_yaml_is_null(map->item[i]))
            continue;
        IG_TRY(read_claim(&e->claim[e->n_claim++], e, map->key[i]->text, map->item[i], err));
    }
    return IG_ERR_OK;
}
