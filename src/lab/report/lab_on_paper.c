/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluates claims on the numbers of the paper: those of the reference files of the experiment's
 * tables. A quantity has the number that the paper prints of it, or else that of each proxy that
 * it stands for; a statement must hold in all of them. Constants are in the unit of the quantity,
 * so a comparison with one is read through a proxy only where it is what guessing scores.
 */
#include "lab/report/lab_on_paper.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/numeric/statistics.h"
#include "report/results/results_contrast.h"
#include "report/table/reference.h"
#include "store/store_task.h"

#include <math.h>
#include <string.h>

enum { READINGS_MAX = 32, REFERENCES_MAX = 32 };

typedef struct {
    const ig_experiment *e;
    ig_reference reference[REFERENCES_MAX];
    int n_reference;
    ig_err *err;
} paper;

/* Where numbers are read: reference and set NULL: those of the quantities themselves, in any file.
 */
typedef struct {
    const ig_reference *reference;
    const char *set;
    int row; /* which of the rows that a cell stands for */
} reading;

/* --- one number ------------------------------------------------------------------------------- */

static double own_number(const paper *p, const reading *of, const char *cell, const ig_quantity *q)
{
    for (int i = 0; i < p->n_reference; i++) {
        const ig_reference *r = &p->reference[i];
        const char *row = ig_reference_row(r, cell, of->row);
        const ig_reference_value *v = row != NULL ? ig_reference_find(r, row, q) : NULL;
        for (int k = 0; k < r->n_chance; k++)
            if (ig_quantity_same(&r->chance[k].quantity, q))
                return r->chance[k].value;
        if (v != NULL)
            return v->mean;
    }
    return (double)NAN;
}

/* Returns what guessing scores in a set of proxies; NaN: not given. */
static double chance_of(const reading *of)
{
    for (int i = 0; i < of->reference->n_proxy; i++) {
        const ig_reference_proxy *x = &of->reference->proxy[i];
        if (strcmp(x->set, of->set) == 0 && isfinite(x->chance))
            return x->chance;
    }
    return (double)NAN;
}

/* Returns which proxy of the set has a number for the quantity in this cell; −1: none. */
static int proxy_of(const reading *of, const char *cell, const ig_quantity *q)
{
    const char *row = ig_reference_row(of->reference, cell, of->row);
    for (int i = 0; i < of->reference->n_proxy && row != NULL; i++) {
        const ig_reference_proxy *x = &of->reference->proxy[i];
        if (strcmp(x->set, of->set) == 0 && ig_reference_stands_for(x, q) &&
            ig_reference_find_proxy(of->reference, row, i) != NULL)
            return i;
    }
    return -1;
}

/* The sign of a proxy's numbers in place of a quantity's: the better stays the better. */
static int sign_of(const ig_reference_proxy *x, const ig_quantity *q)
{
    return x->better * ig_store_task_sign(q->task);
}

static double number(const paper *p, const reading *of, const char *cell, const ig_quantity *q)
{
    if (of->reference == NULL)
        return own_number(p, of, cell, q);
    if (ig_store_task_is_guess(q->task))
        return chance_of(of);
    const int proxy = proxy_of(of, cell, q);
    return proxy < 0 ? (double)NAN
                     : sign_of(&of->reference->proxy[proxy], q) *
                           ig_reference_find_proxy(
                               of->reference, ig_reference_row(of->reference, cell, of->row), proxy)
                               ->mean;
}

/* --- a term ----------------------------------------------------------------------------------- */

/* Over the cells that have both numbers. */
static ig_code correlation(double *out, const paper *p, const reading *of, const ig_claim_term *t)
{
    IG_OWNED double *y = NULL, *x = NULL;
    int64_t n = 0;
    *out = (double)NAN;
    IG_TRY(ig_alloc(&x, p->e->n_cell, sizeof *x, "numbers of the paper", p->err));
    IG_TRY(ig_alloc(&y, p->e->n_cell, sizeof *y, "numbers of the paper", p->err));
    for (int i = 0; i < p->e->n_cell; i++) {
        const char *cell = p->e->cell[i].name;
        if (!ig_cell_matches(cell, t->pattern, t->n_pattern))
            continue;
        x[n] = number(p, of, cell, &t->q);
        if (t->has_less)
            x[n] -= number(p, of, cell, &t->less);
        y[n] = t->paper != NULL  ? x[n]
               : t->axis != NULL ? ig_cell_axis(cell, t->axis)
                                 : number(p, of, cell, &t->with);
        n += isfinite(x[n]) && isfinite(y[n]);
    }
    return ig_claim_correlate(out, t, x, y, n, p->err);
}

static ig_code side(double *out, const paper *p, const reading *of, const ig_claim_side *s)
{
    const bool own = of->reference == NULL;
    *out = own ? s->plus : s->plus - s->of_chance;
    for (int i = 0; i < s->n_term; i++) {
        const ig_claim_term *t = &s->term[i];
        double x = (double)NAN;
        if (t->cell == NULL)
            IG_TRY(correlation(&x, p, of, t));
        else if (t->kind == IG_CLAIM_VALUE)
            x = number(p, of, t->cell, &t->q);
        *out += t->times * x;
    }
    if (!own && fabs(s->chances) > 1e-9)
        *out += s->chances * chance_of(of);
    return IG_ERR_OK;
}

/* --- a comparison ----------------------------------------------------------------------------- */

/* Returns whether the comparison is of a share, as in mu(1) > .8 * mu(0). */
static bool is_of_share(const ig_claim_comparison *c)
{
    double times = 0;
    for (int i = 0; i < c->more.n_term; i++)
        times += c->more.term[i].times;
    for (int i = 0; i < c->less.n_term; i++)
        times -= c->less.term[i].times;
    return fabs(times) > 1e-9;
}

/* Returns whether proxies cannot be put in: a constant is in the unit of the quantities, a share is
 * one of what is the better the more of it there is, or one proxy stands for two of them, so that
 * its numbers do not tell them apart. */
static bool only_own(const ig_claim_comparison *c, const reading *of)
{
    const ig_claim_term *t, *before;
    const bool constant = fabs(c->more.plus - c->more.of_chance) > 1e-9 ||
                          fabs(c->less.plus - c->less.of_chance) > 1e-9,
               share = is_of_share(c);
    for (int i = 0; (t = ig_claim_term_at(c, i)) != NULL; i++) {
        if (t->cell == NULL)
            continue;
        if (constant)
            return true;
        const int proxy = proxy_of(of, t->cell, &t->q);
        const ig_reference_proxy *x = proxy >= 0 ? &of->reference->proxy[proxy] : NULL;
        if (share && x != NULL && (x->better < 0 || sign_of(x, &t->q) < 0))
            return true;
        for (int k = 0; k < i && proxy >= 0; k++) {
            before = ig_claim_term_at(c, k);
            if (before->cell != NULL && !ig_quantity_same(&t->q, &before->q) &&
                proxy == proxy_of(of, before->cell, &before->q))
                return true;
        }
    }
    return false;
}

/* The most rows that one of its cells stands for. */
static int n_rows(const ig_claim_comparison *c, const paper *p)
{
    const ig_claim_term *t;
    int most = 1;
    for (int i = 0; (t = ig_claim_term_at(c, i)) != NULL; i++)
        for (int k = 0; k < p->n_reference && t->cell != NULL; k++) {
            const int rows = ig_reference_rows(&p->reference[k], t->cell);
            most = rows > most ? rows : most;
        }
    return most;
}

/* Reads it once more, if there are numbers. */
static ig_code read_as(ig_paper_comparison *c, const paper *p, const reading *of)
{
    ig_paper_reading x = {.by = of->set};
    if (of->reference != NULL && only_own(c->what, of))
        return IG_ERR_OK;
    IG_TRY(side(&x.more, p, of, &c->what->more));
    IG_TRY(side(&x.less, p, of, &c->what->less));
    if (!isfinite(x.more) || !isfinite(x.less) || c->n_reading == READINGS_MAX)
        return IG_ERR_OK;
    /* Printed numbers are decimal: equal ones may differ in the last bit. */
    x.holds = x.more - x.less > 1e-9;
    c->reading[c->n_reading++] = x;
    return IG_ERR_OK;
}

static bool is_first_of_set(const ig_reference *r, int proxy)
{
    for (int i = 0; i < proxy; i++)
        if (strcmp(r->proxy[i].set, r->proxy[proxy].set) == 0)
            return false;
    return true;
}

/* Returns whether a claim's `proxy:`, "XNLI" or "XNLI and NER es", names a proxy, or its set, by
 * the beginning. */
static bool names_proxy(const char *list, const ig_reference_proxy *x)
{
    while (list != NULL && *list != '\0') {
        const char *comma = strstr(list, ", "), *word = strstr(list, " and ");
        const char *end = comma != NULL && (word == NULL || comma < word) ? comma : word;
        const size_t n = end != NULL ? (size_t)(end - list) : strlen(list);
        if (n > 0 && (strncmp(list, x->set, n) == 0 || strncmp(list, x->name, n) == 0))
            return true;
        list += n;
        list += *list == '\0' ? 0 : *list == ',' ? 2 : 5;
    }
    return false;
}

static bool names_any(const paper *p, const char *list)
{
    for (int i = 0; i < p->n_reference; i++)
        for (int k = 0; k < p->reference[i].n_proxy; k++)
            if (names_proxy(list, &p->reference[i].proxy[k]))
                return true;
    return false;
}

static bool names_any_of_set(const char *list, const ig_reference *r, const char *set)
{
    for (int i = 0; i < r->n_proxy; i++)
        if (strcmp(r->proxy[i].set, set) == 0 && names_proxy(list, &r->proxy[i]))
            return true;
    return false;
}

/* Reads it in the sets that `list` names; NULL: in all. */
static ig_code through_proxies(ig_paper_comparison *c, const paper *p, const char *list)
{
    for (int i = 0; i < p->n_reference; i++)
        for (int k = 0; k < p->reference[i].n_proxy; k++) {
            const ig_reference *r = &p->reference[i];
            const char *set = r->proxy[k].set;
            if (is_first_of_set(r, k) && (list == NULL || names_any_of_set(list, r, set)))
                for (int row = 0; row < n_rows(c->what, p); row++)
                    IG_TRY(read_as(c, p, &(reading){r, set, row}));
        }
    return IG_ERR_OK;
}

static ig_code compare(ig_paper_comparison *c, const paper *p, const ig_claim *claim, ig_pool *pool)
{
    IG_TRY(ig_pool_alloc(pool, &c->reading, READINGS_MAX, sizeof *c->reading, p->err));
    for (int row = 0; row < n_rows(c->what, p); row++)
        IG_TRY(read_as(c, p, &(reading){NULL, NULL, row}));
    if (c->n_reading == 0)
        IG_TRY(through_proxies(c, p, names_any(p, claim->proxy) ? claim->proxy : NULL));
    for (int i = 0; i < c->n_reading; i++)
        if (c->reading[i].by != NULL)
            IG_TRY(ig_pool_text(pool, &c->reading[i].by, c->reading[i].by, strlen(c->reading[i].by),
                                p->err));
    c->verdict = c->n_reading > 0 ? IG_ON_PAPER_HOLDS : IG_ON_PAPER_NO_NUMBERS;
    for (int i = 0; i < c->n_reading; i++)
        if (!c->reading[i].holds)
            c->verdict = IG_ON_PAPER_FAILS;
    return IG_ERR_OK;
}

/* --- a claim ---------------------------------------------------------------------------------- */

/* Joins comparisons by `and`: one that fails decides, then one without numbers. */
static ig_on_paper all_of(const ig_paper_claim *c, ig_claim_role role, int part)
{
    int count[IG_N_ON_PAPER] = {0};
    for (int i = 0; i < c->claim->n_comparison; i++)
        if (c->comparison[i].what->role == role && c->comparison[i].what->part == part)
            count[c->comparison[i].verdict]++;
    return count[IG_ON_PAPER_FAILS] > 0        ? IG_ON_PAPER_FAILS
           : count[IG_ON_PAPER_NO_NUMBERS] > 0 ? IG_ON_PAPER_NO_NUMBERS
                                               : IG_ON_PAPER_HOLDS;
}

/* Returns whether a side is of scores of finished models: steps, correlations and perplexities have
 * no floor. */
static bool has_floor(const ig_claim_side *s)
{
    for (int i = 0; i < s->n_term; i++) {
        const ig_store_task *task = ig_store_task_find(s->term[i].q.task);
        if (s->term[i].kind != IG_CLAIM_VALUE || task == NULL || task->better < 0)
            return false;
    }
    return true;
}

/* Returns what guessing scores on a side, by its chance(…); without: `otherwise`. */
static double floor_of(const ig_claim_side *s, double otherwise)
{
    return fabs(s->chances) > 1e-9 ? s->of_chance / s->chances : otherwise;
}

/* Returns what a side is where all scores are at the floor. */
static double at_floor(const ig_claim_side *s, double floor)
{
    double sum = s->plus;
    for (int i = 0; i < s->n_term; i++)
        sum += s->term[i].times * floor;
    return sum;
}

/* Returns whether a comparison of the statement holds where all scores are at their floor, as those
 * of models that know nothing: with a margin in place of a share of what there is to lose, and no
 * premise that there is something. */
static bool is_vacuous(const ig_claim *c)
{
    for (int i = 0; i < c->n_comparison; i++)
        if (c->comparison[i].role == IG_CLAIM_PREMISE)
            return false;
    for (int i = 0; i < c->n_comparison; i++) {
        const ig_claim_side *more = &c->comparison[i].more, *less = &c->comparison[i].less;
        const double above = at_floor(more, floor_of(more, floor_of(less, 0))),
                     below = at_floor(less, floor_of(less, floor_of(more, 0)));
        if (c->comparison[i].role == IG_CLAIM_STATEMENT && has_floor(more) && has_floor(less) &&
            above > below + 1e-9)
            return true;
    }
    return false;
}

/* A premise or a control that fails makes the claim fail; one without numbers does not count. */
static ig_on_paper sum_up(const ig_paper_claim *c)
{
    int count[IG_N_ON_PAPER] = {0};
    if (is_vacuous(c->claim))
        return IG_ON_PAPER_VACUOUS;
    if (c->claim->source == NULL)
        return IG_ON_PAPER_NONE;
    for (int part = 0; part < c->claim->n_part; part++)
        count[all_of(c, IG_CLAIM_STATEMENT, part)]++;
    if (all_of(c, IG_CLAIM_PREMISE, -1) == IG_ON_PAPER_FAILS ||
        all_of(c, IG_CLAIM_CONTROL, -1) == IG_ON_PAPER_FAILS)
        return IG_ON_PAPER_FAILS;
    return count[IG_ON_PAPER_HOLDS] > 0 ? IG_ON_PAPER_HOLDS
           : count[IG_ON_PAPER_FAILS] > 0 && count[IG_ON_PAPER_NO_NUMBERS] == 0
               ? IG_ON_PAPER_FAILS
               : IG_ON_PAPER_NO_NUMBERS;
}

/* Reads each reference file of the tables once. Freed with paper_close, also after an error. */
static ig_code paper_open(paper **out, const ig_experiment *e, ig_err *err)
{
    IG_TRY(ig_alloc(out, 1, sizeof **out, "numbers of the paper", err));
    paper *p = *out;
    p->e = e;
    p->err = err;
    for (int i = 0; i < p->e->report.n_table; i++) {
        const char *path = p->e->report.table[i].reference;
        bool known = path == NULL || p->n_reference == REFERENCES_MAX;
        for (int k = 0; k < i && !known; k++)
            known = p->e->report.table[k].reference != NULL &&
                    strcmp(p->e->report.table[k].reference, path) == 0;
        if (!known)
            IG_TRY(ig_reference_read(&p->reference[p->n_reference++], path, p->err));
    }
    return IG_ERR_OK;
}

static void paper_close(paper *p)
{
    for (int i = 0; p != NULL && i < p->n_reference; i++)
        ig_reference_free(&p->reference[i]);
    ig_free(p);
}

static ig_code evaluate(ig_paper_claims *out, const paper *p)
{
    IG_TRY(ig_pool_alloc(&out->pool, &out->claim, p->e->n_claim, sizeof *out->claim, p->err));
    for (int i = 0; i < p->e->n_claim; i++) {
        ig_paper_claim *c = &out->claim[out->n_claim++];
        c->claim = &p->e->claim[i];
        IG_TRY(ig_pool_alloc(&out->pool, &c->comparison, c->claim->n_comparison,
                             sizeof *c->comparison, p->err));
        for (int k = 0; k < c->claim->n_comparison; k++) {
            c->comparison[k].what = &c->claim->comparison[k];
            IG_TRY(compare(&c->comparison[k], p, c->claim, &out->pool));
        }
        c->verdict = sum_up(c);
        out->n_verdict[c->verdict]++;
    }
    return IG_ERR_OK;
}

ig_code ig_paper_claims_make(ig_paper_claims *out, const ig_experiment *e, ig_err *err)
{
    paper *p = NULL;
    *out = (ig_paper_claims){0};
    ig_code code = paper_open(&p, e, err);
    IG_THEN(code, evaluate(out, p));
    paper_close(p);
    return code;
}

void ig_paper_claims_free(ig_paper_claims *c)
{
    ig_pool_free(&c->pool);
    *c = (ig_paper_claims){0};
}

/* --- the paper's spread ----------------------------------------------------------------------- */

static bool same_setting(const json_t *own, const char *text)
{
    const char *end;
    double x;
    if (json_is_string(own))
        return strcmp(json_string_value(own), text) == 0;
    if (json_is_boolean(own))
        return (strcmp(text, "true") == 0) == json_is_true(own);
    return json_is_number(own) && ig_number_parse(&x, text, &end) && *end == '\0' &&
           fabs(json_number_value(own) - x) < 1e-9;
}

/* Returns whether the base cell has the settings of the paper's size. */
static bool has_size(const ig_experiment *e, const ig_reference *r)
{
    if (r->at == NULL || e->n_cell == 0)
        return false;
    json_t *own = ig_options_json(&ig_run_options, &e->cell[e->base >= 0 ? e->base : 0].config);
    bool same = true;
    for (int i = 0; i < r->at->n; i++)
        same = same && r->at->item[i]->kind == IG_YAML_SCALAR &&
               same_setting(json_object_get(own, r->at->key[i]->text), r->at->item[i]->text);
    json_decref(own);
    return same;
}

/* Finds what the paper prints of the cell, with its spread; NULL: nothing, or not of this size. */
static const ig_reference_value *printed(const paper *p, const ig_claim_term *t)
{
    for (int i = 0; i < p->n_reference && t->cell != NULL && t->kind == IG_CLAIM_VALUE; i++) {
        const ig_reference_value *v = ig_reference_find(&p->reference[i], t->cell, &t->q);
        if (v != NULL && isfinite(v->sd) && has_size(p->e, &p->reference[i]))
            return v;
    }
    return NULL;
}

/* Returns whether a comparison of the statement before the term k, i has the same mean. */
static bool counted(const ig_claim *c, int k, int i, const ig_claim_term *of)
{
    const ig_claim_term *t;
    for (int a = 0; a <= k; a++)
        for (int b = 0; (a < k || b < i) && (t = ig_claim_term_at(&c->comparison[a], b)) != NULL;
             b++)
            if (c->comparison[a].role == IG_CLAIM_STATEMENT && t->kind == IG_CLAIM_VALUE &&
                t->cell != NULL && strcmp(t->cell, of->cell) == 0 &&
                ig_quantity_same(&t->q, &of->q))
                return true;
    return false;
}

static ig_code add_spread(ig_claim_result *c, const paper *p, const ig_results *r, ig_pool *pool)
{
    for (int k = 0; k < c->claim->n_comparison; k++) {
        const ig_claim_comparison *of = &c->claim->comparison[k];
        const ig_claim_term *t;
        for (int i = 0; of->role == IG_CLAIM_STATEMENT && (t = ig_claim_term_at(of, i)) != NULL;
             i++) {
            const ig_reference_value *v = printed(p, t);
            const ig_result_cell *cell = v != NULL ? ig_results_cell(r, t->cell) : NULL;
            ig_seed_values all;
            if (cell == NULL || cell->mixed != NULL || counted(c->claim, k, i, t))
                continue;
            IG_TRY(ig_seed_values_of(&all, pool, r, cell, &t->q, -1, p->err));
            c->n_spread += all.summary.n > 0;
            c->n_within += all.summary.n > 0 && fabs(all.summary.mean - v->mean) <= v->sd + 1e-9;
        }
    }
    return IG_ERR_OK;
}

ig_code ig_paper_spread(ig_claim_results *out, const ig_experiment *e, const ig_results *r,
                        ig_err *err)
{
    paper *p = NULL;
    ig_code code = paper_open(&p, e, err);
    for (int i = 0; i < out->n_claim && code == IG_ERR_OK; i++)
        code = add_spread(&out->claim[i], p, r, &out->pool);
    paper_close(p);
    return code;
}

/* --- as a table and as JSON ------------------------------------------------------------------- */

enum { CLAIM = 1, VERDICT, BY, MORE, LESS };

static void add_reading(ig_table *t, const ig_paper_comparison *c, const ig_paper_reading *x)
{
    const int64_t row = ig_table_add_row(t, IG_ROW_SUB, "comparison");
    ig_table_text(t, row, CLAIM, c->what->text);
    ig_table_text(t, row, VERDICT,
                  x == NULL ? ig_on_paper_name(IG_ON_PAPER_NO_NUMBERS)
                            : ig_on_paper_name(x->holds ? IG_ON_PAPER_HOLDS : IG_ON_PAPER_FAILS));
    ig_table_text(t, row, BY, x != NULL && x->by != NULL ? x->by : "");
    for (int i = 0; i < 2; i++)
        if (x != NULL)
            ig_table_text(t, row, i == 0 ? MORE : LESS,
                          ig_table_keep(t, "%.4g", i == 0 ? x->more : x->less));
        else
            ig_table_at(t, row, i == 0 ? MORE : LESS)->absent = true;
}

ig_code ig_paper_claims_table(ig_table **out, const ig_paper_claims *c, ig_err *err)
{
    IG_TRY(ig_table_new(out, "on-paper", "Claims on the paper's numbers", NULL, err));
    ig_table_add_row_head(*out, "id", "ID");
    ig_table_add_column(*out, "claim", "claim", NULL, IG_TABLE_LEFT);
    ig_table_add_column(*out, "verdict", "on the paper's numbers", NULL, IG_TABLE_LEFT);
    ig_table_add_column(*out, "by", "read as", NULL, IG_TABLE_LEFT);
    ig_table_add_column(*out, "more", "more", NULL, IG_TABLE_RIGHT);
    ig_table_add_column(*out, "less", "less", NULL, IG_TABLE_RIGHT);
    for (int i = 0; i < c->n_claim; i++) {
        const ig_paper_claim *x = &c->claim[i];
        const int64_t row = ig_table_add_row(*out, IG_ROW_BODY, NULL);
        ig_table_text(*out, row, 0, x->claim->id);
        ig_table_text(*out, row, CLAIM, x->claim->text);
        ig_table_text(*out, row, VERDICT, ig_on_paper_name(x->verdict));
        for (int k = BY; k <= LESS; k++)
            ig_table_at(*out, row, k)->absent = true;
        for (int k = 0; k < x->claim->n_comparison && x->verdict != IG_ON_PAPER_NONE; k++) {
            const ig_paper_comparison *y = &x->comparison[k];
            if (y->n_reading == 0)
                add_reading(*out, y, NULL);
            for (int m = 0; m < y->n_reading; m++)
                add_reading(*out, y, &y->reading[m]);
        }
    }
    const char *counts = ig_table_keep(*out, "%d claim%s", c->n_claim, c->n_claim == 1 ? "" : "s");
    for (int v = 0, n = 0; v < IG_N_ON_PAPER; v++)
        if (c->n_verdict[v] > 0)
            counts = ig_table_keep(*out, "%s%s %d %s", counts, n++ == 0 ? ":" : ",",
                                   c->n_verdict[v], ig_on_paper_name((ig_on_paper)v));
    ig_table_add_note(*out, "%s", counts);
    return IG_ERR_OK;
}

json_t *ig_paper_claims_json(const ig_paper_claims *c)
{
    json_t *all = json_array();
    for (int i = 0; i < c->n_claim; i++) {
        const ig_paper_claim *x = &c->claim[i];
        json_t *comparisons = json_array();
        for (int k = 0; k < x->claim->n_comparison; k++) {
            const ig_paper_comparison *y = &x->comparison[k];
            json_t *readings = json_array();
            for (int m = 0; m < y->n_reading; m++)
                json_array_append_new(readings,
                                      json_pack("{s:s?, s:f, s:f, s:b}", "by", y->reading[m].by,
                                                "more", y->reading[m].more, "less",
                                                y->reading[m].less, "holds", y->reading[m].holds));
            json_array_append_new(comparisons,
                                  json_pack("{s:s, s:s, s:s, s:o}", "text", y->what->text, "role",
                                            ig_claim_role_name(y->what->role), "on_paper",
                                            ig_on_paper_name(y->verdict), "readings", readings));
        }
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:o}", "id", x->claim->id,
                                        "text", x->claim->text, "source", x->claim->source,
                                        "statement", x->claim->statement, "on_paper",
                                        ig_on_paper_name(x->verdict), "comparisons", comparisons));
    }
    return all;
}
