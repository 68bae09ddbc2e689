/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference files: the numbers of a paper, as YAML (docs/experiments.md).
 */
#include "report/table/reference.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads a number and counts the digits after its point; −1 for 1e3 and the like. */
static ig_code read_number(double *x, int *digits, const ig_yaml *node, const char *key,
                           ig_err *err)
{
    enum { MOST = 9 };
    IG_TRY(ig_yaml_real(x, node, key, err));
    const char *point = strchr(node->text, '.');
    const size_t n = point != NULL ? strspn(point + 1, "0123456789") : 0;
    const bool plain = node->text[strspn(node->text, "+-.0123456789")] == '\0';
    *digits = plain && n <= MOST ? (int)n : -1;
    return IG_ERR_OK;
}

/* 0.70, [0.70], [0.70, 0.02] of a row. */
static ig_code read_value(ig_reference_value *v, const ig_yaml *cell, const ig_yaml *node,
                          const char *key, ig_err *err)
{
    v->sd = (double)NAN;
    v->sd_digits = -1;
    v->cell = cell->text;
    v->line = (uint32_t)cell->line;
    if (node->kind == IG_YAML_SCALAR)
        return read_number(&v->mean, &v->digits, node, key, err);
    if (node->kind != IG_YAML_LIST || node->n < 1 || node->n > 2)
        return ig_yaml_wrong(node, key, "a number or [mean, sd]", err);
    IG_TRY(read_number(&v->mean, &v->digits, node->item[0], key, err));
    if (node->n > 1)
        IG_TRY(read_number(&v->sd, &v->sd_digits, node->item[1], key, err));
    if (v->sd < 0)
        return ig_yaml_wrong(node->item[1], key, "a standard deviation of at least 0", err);
    return IG_ERR_OK;
}

static int find_proxy(const ig_reference *r, const char *name)
{
    for (int i = 0; i < r->n_proxy; i++)
        if (r->proxy[i].name != NULL && strcmp(r->proxy[i].name, name) == 0)
            return i;
    return -1;
}

static ig_code read_row(ig_reference *r, const ig_yaml *cell, const ig_yaml *row, ig_err *err)
{
    int first = r->n_value;
    IG_TRY(ig_yaml_is(row, IG_YAML_MAP, cell->text, err));
    for (int i = 0; i < row->n; i++) {
        const ig_yaml *key = row->key[i];
        const int proxy = find_proxy(r, key->text);
        if (proxy >= 0) {
            if (ig_yaml_is_null(row->item[i]))
                continue; /* the paper does not say it */
            ig_reference_value *v = &r->proxy_value[r->n_proxy_value];
            v->proxy = proxy;
            IG_TRY(read_value(v, cell, row->item[i], key->text, err));
            r->n_proxy_value++;
            continue;
        }
        ig_reference_value *v = &r->value[r->n_value];
        IG_TRY(ig_quantity_parse(&v->quantity, key->text, key->file, key->line, err));
        for (int k = first; k < r->n_value; k++)
            if (ig_quantity_same(&r->value[k].quantity, &v->quantity))
                return ig_yaml_fail(key, err, "row '%.60s': '%.60s' is there twice", cell->text,
                                    key->text);
        if (ig_yaml_is_null(row->item[i]))
            continue;
        IG_TRY(read_value(v, cell, row->item[i], key->text, err));
        r->n_value++;
    }
    return IG_ERR_OK;
}

/* Adds the quantities of a list to those that represent p. */
static ig_code read_stand_ins(ig_reference *r, ig_reference_proxy *p, const ig_yaml *list,
                              const char *key, ig_err *err)
{
    const char *text;
    ig_quantity *of;
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, key, err));
    IG_TRY(ig_pool_alloc(r->pool, &of, p->n_of + list->n, sizeof *of, err));
    for (int i = 0; i < p->n_of; i++)
        of[i] = p->of[i];
    p->of = of;
    for (int i = 0; i < list->n; i++) {
        const ig_yaml *x = list->item[i];
        IG_TRY(ig_yaml_text(&text, x, key, err));
        IG_TRY(ig_quantity_parse(&of[p->n_of++], text, x->file, x->line, err));
    }
    return IG_ERR_OK;
}

/* "XNLI es": {what: …, better: higher, of: ["rho[high]"], also: ["accuracy[task=nli,es]"], set: es,
 * chance: 33.3} */
static ig_code read_proxy(ig_reference *r, ig_reference_proxy *p, const ig_yaml *name,
                          const ig_yaml *map, ig_err *err)
{
    static const char *const keys[] = {"what", "better", "of", "also", "set", "chance"};
    const ig_yaml *v;
    const char *text = "higher";
    ig_quantity hidden;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, name->text, err));
    if (ig_quantity_parse(&hidden, name->text, name->file, name->line, NULL) == IG_ERR_OK) {
        ig_yaml_fail(name, err,
                     "proxies: '%.60s' is a quantity that isoglot measures, expected another name",
                     name->text);
        return ig_hint(err, "its numbers are in rows without a proxy");
    }
    IG_TRY(ig_yaml_keys(map, keys, sizeof keys / sizeof *keys, "proxy", err));
    p->name = p->set = name->text;
    p->chance = (double)NAN;
    if ((v = ig_yaml_get(map, "better")) != NULL)
        IG_TRY(ig_yaml_text(&text, v, "better", err));
    p->better = strcmp(text, "higher") == 0 ? 1 : strcmp(text, "lower") == 0 ? -1 : 0;
    if (p->better == 0)
        return ig_yaml_wrong(v, "better", "higher or lower", err);
    if ((v = ig_yaml_get(map, "what")) == NULL)
        return ig_yaml_fail(map, err, "proxy '%.60s' has no 'what', expected what it is",
                            name->text);
    IG_TRY(ig_yaml_text(&p->what, v, "what", err));
    if ((v = ig_yaml_get(map, "of")) != NULL)
        IG_TRY(read_stand_ins(r, p, v, "of", err));
    p->all = v == NULL;
    if ((v = ig_yaml_get(map, "also")) != NULL)
        IG_TRY(read_stand_ins(r, p, v, "also", err));
    if ((v = ig_yaml_get(map, "set")) != NULL)
        IG_TRY(ig_yaml_text(&p->set, v, "set", err));
    return (v = ig_yaml_get(map, "chance")) != NULL ? ig_yaml_real(&p->chance, v, "chance", err)
                                                    : IG_ERR_OK;
}

static ig_code read_proxies(ig_reference *r, const ig_yaml *map, ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "proxies", err));
    IG_TRY(ig_pool_alloc(r->pool, &r->proxy, map->n, sizeof *r->proxy, err));
    for (int i = 0; i < map->n; i++)
        IG_TRY(read_proxy(r, &r->proxy[r->n_proxy++], map->key[i], map->item[i], err));
    return IG_ERR_OK;
}

/* as: {"15c": "15", "base": ["en→de", "en→fr"]}, cells and the rows that they stand for. */
static ig_code read_as(ig_reference *r, const ig_yaml *map, const ig_yaml *rows, ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "as", err));
    IG_TRY(ig_pool_alloc(r->pool, &r->stand_in, map->n, sizeof *r->stand_in, err));
    for (int i = 0; i < map->n; i++) {
        const ig_yaml *v = map->item[i];
        const bool list = v->kind == IG_YAML_LIST;
        ig_reference_stand_in *s = &r->stand_in[r->n_stand_in++];
        s->cell = map->key[i]->text;
        IG_TRY(ig_pool_alloc(r->pool, &s->row, list ? v->n : 1, sizeof *s->row, err));
        for (int k = 0; k < (list ? v->n : 1); k++) {
            const ig_yaml *row = list ? v->item[k] : v;
            IG_TRY(ig_yaml_text(&s->row[s->n_row++], row, "as", err));
            if (ig_yaml_find(rows, row->text) < 0)
                return ig_yaml_wrong(row, "as", "one of the rows", err);
        }
    }
    return IG_ERR_OK;
}

/* chance: {"majority[task=nli,x]": .333} */
static ig_code read_chance(ig_reference *r, const ig_yaml *map, ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "chance", err));
    IG_TRY(ig_pool_alloc(r->pool, &r->chance, map->n, sizeof *r->chance, err));
    for (int i = 0; i < map->n; i++) {
        const ig_yaml *key = map->key[i];
        ig_reference_chance *c = &r->chance[r->n_chance++];
        IG_TRY(ig_quantity_parse(&c->quantity, key->text, key->file, key->line, err));
        IG_TRY(ig_yaml_real(&c->value, map->item[i], "chance", err));
    }
    return IG_ERR_OK;
}

/* only: [mBERT] */
static ig_code read_only(ig_reference *r, const ig_yaml *list, const ig_yaml *rows, ig_err *err)
{
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "only", err));
    IG_TRY(ig_pool_alloc(r->pool, &r->only, list->n, sizeof *r->only, err));
    for (int i = 0; i < list->n; i++) {
        IG_TRY(ig_yaml_text(&r->only[r->n_only++], list->item[i], "only", err));
        if (ig_yaml_find(rows, list->item[i]->text) < 0)
            return ig_yaml_wrong(list->item[i], "only", "one of the rows", err);
    }
    return IG_ERR_OK;
}

static ig_code read_rows(ig_reference *r, const ig_yaml *rows, ig_err *err)
{
    int64_t n = 0;
    IG_TRY(ig_yaml_is(rows, IG_YAML_MAP, "rows", err));
    for (int i = 0; i < rows->n; i++)
        n += rows->item[i]->n;
    IG_TRY(ig_pool_alloc(r->pool, &r->value, n, sizeof *r->value, err));
    IG_TRY(ig_pool_alloc(r->pool, &r->proxy_value, n, sizeof *r->proxy_value, err));
    for (int i = 0; i < rows->n; i++)
        IG_TRY(read_row(r, rows->key[i], rows->item[i], err));
    return IG_ERR_OK;
}

static ig_code read_tree(ig_reference *r, const ig_yaml *root, ig_err *err)
{
    static const char *const keys[] = {"source", "verified", "note", "proxies", "rows",
                                       "as",     "chance",   "only", "at"};
    const ig_yaml *v, *rows;
    const char *text;
    IG_TRY(ig_yaml_keys(root, keys, sizeof keys / sizeof *keys, "reference", err));
    if ((v = ig_yaml_get(root, "source")) == NULL)
        return ig_yaml_fail(root, err, "no source, expected whose numbers these are");
    IG_TRY(ig_yaml_text(&r->source, v, "source", err));
    if ((v = ig_yaml_get(root, "verified")) != NULL)
        IG_TRY(ig_yaml_flag(&r->verified, v, "verified", err));
    if ((v = ig_yaml_get(root, "note")) != NULL)
        IG_TRY(ig_yaml_text(&text, v, "note", err));
    if ((v = ig_yaml_get(root, "proxies")) != NULL)
        IG_TRY(read_proxies(r, v, err));
    if ((rows = ig_yaml_get(root, "rows")) == NULL)
        return ig_yaml_fail(root, err, "no rows, expected CELL: {QUANTITY: NUMBER, …}");
    IG_TRY(read_rows(r, rows, err));
    if ((v = ig_yaml_get(root, "as")) != NULL)
        IG_TRY(read_as(r, v, rows, err));
    if ((v = ig_yaml_get(root, "only")) != NULL)
        IG_TRY(read_only(r, v, rows, err));
    if ((r->at = ig_yaml_get(root, "at")) != NULL)
        IG_TRY(ig_yaml_is(r->at, IG_YAML_MAP, "at", err));
    return (v = ig_yaml_get(root, "chance")) != NULL ? read_chance(r, v, err) : IG_ERR_OK;
}

ig_code ig_reference_read(ig_reference *r, const char *path, ig_err *err)
{
    ig_yaml *root;
    *r = (ig_reference){0};
    IG_TRY(ig_yaml_pool_new(&r->pool, err));
    IG_TRY(ig_yaml_read(&root, r->pool, path, err));
    return root != NULL
               ? read_tree(r, root, err)
               : ig_fail(err, IG_ERR_USAGE, path, 0, "found nothing, expected source and rows");
}

const ig_reference_value *ig_reference_find(const ig_reference *r, const char *cell,
                                            const ig_quantity *q)
{
    for (int i = 0; i < r->n_value; i++)
        if (strcmp(r->value[i].cell, cell) == 0 && ig_quantity_same(&r->value[i].quantity, q))
            return &r->value[i];
    return NULL;
}

const ig_reference_value *ig_reference_find_proxy(const ig_reference *r, const char *cell,
                                                  int proxy)
{
    for (int i = 0; i < r->n_proxy_value; i++)
        if (r->proxy_value[i].proxy == proxy && strcmp(r->proxy_value[i].cell, cell) == 0)
            return &r->proxy_value[i];
    return NULL;
}

const char *ig_reference_row(const ig_reference *r, const char *cell, int k)
{
    for (int i = 0; i < r->n_stand_in; i++)
        if (strcmp(r->stand_in[i].cell, cell) == 0)
            return k < r->stand_in[i].n_row ? r->stand_in[i].row[k] : NULL;
    return cell;
}

int ig_reference_rows(const ig_reference *r, const char *cell)
{
    for (int i = 0; i < r->n_stand_in; i++)
        if (strcmp(r->stand_in[i].cell, cell) == 0)
            return r->stand_in[i].n_row;
    return 1;
}

bool ig_reference_is_only(const ig_reference *r, const char *row)
{
    for (int i = 0; i < r->n_only; i++)
        if (strcmp(r->only[i], row) == 0)
            return true;
    return false;
}

bool ig_reference_stands_for(const ig_reference_proxy *p, const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    for (int i = 0; i < p->n_of; i++)
        if (ig_quantity_same(&p->of[i], q))
            return true;
    return p->all && task != NULL && task->pair && task->better != 0;
}

void ig_reference_text(char *out, size_t size, double x, int digits)
{
    if (digits >= 0)
        snprintf(out, size, "%.*f", digits, x);
    else
        snprintf(out, size, "%.6g", x);
}

void ig_reference_free(ig_reference *r)
{
    ig_yaml_pool_free(r->pool);
    *r = (ig_reference){0};
}
