/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the page's data: results, missing runs, every run under an anchor of its own, and what
 * they were made with. Manifests are long and nearly alike, so the parts that runs have in common
 * are written once, under a letter. The page is HTML that is well-formed XML,
 * with its style (page.css) and script (page.js) inside; the policy in its head lets a browser load
 * nothing and run no script but ours, by its SHA-256.
 */
#include "report/page/page.h"
#include "base/memory.h"
#include "base/output/written.h"
#include "base/settings/json_text.h"
#include "report/page/page_answer.h"
#include "report/results/results_internal.h"
#include "report/shown/table_results.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* page.css and page.js, put into the program by the build (cmake/embed.cmake). */
extern const char ig_page_css[], ig_page_js[];
extern const int64_t ig_page_css_size, ig_page_js_size;

void ig_page_head(json_t *data, bool script)
{
    unsigned char raw[32], hash[48];
    json_object_set_new(data, "generator", ig_page_text(IG_PAGE_GENERATOR));
    json_object_set_new(data, "css", ig_page_text(ig_page_css));
    if (!script || !EVP_Digest(ig_page_js, (size_t)ig_page_js_size, raw, NULL, EVP_sha256(), NULL))
        return;
    EVP_EncodeBlock(hash, raw, sizeof raw);
    json_object_set_new(data, "script", ig_page_text((char *)hash));
    json_object_set_new(data, "js", ig_page_text(ig_page_js));
}

ig_code ig_page_put(FILE *fp, const char *part, const json_t *data, ig_err *err)
{
    if (data == NULL || ig_json_lost())
        return ig_fail(err, IG_ERR_MEMORY, "page", 0, "not enough memory for its data");
    ig_template_put(fp, part, data);
    fputc('\n', fp);
    return IG_ERR_OK;
}

static json_t *counted(int64_t n, const char *what)
{
    return json_sprintf("%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

/* Finds how far it is. */
static void add_progress(json_t *data, const ig_results *r)
{
    json_t *status = json_array();
    int64_t n[IG_RUN_DONE + 1] = {0}, all = r->store->n_entry;
    for (int i = 0; i < r->n_cell; i++)
        for (int s = 0; s <= IG_RUN_DONE; s++)
            n[s] += r->cell[i].n_status[s];
    for (int s = IG_RUN_DONE; s >= 0; s--)
        if (n[s] > 0)
            json_array_append_new(status, json_pack("{s:s, s:I}", "name",
                                                    ig_run_status_name((ig_run_status)s), "n",
                                                    (json_int_t)n[s]));
    json_object_set_new(data, "n_cell", counted(r->n_cell, "cell"));
    json_object_set_new(data, "n_run", counted(all, "run"));
    json_object_set_new(data, "done", json_boolean(n[IG_RUN_DONE] == all));
    json_object_set_new(data, "many", json_boolean(all > IG_PAGE_MANY_RUNS));
    json_object_set_new(data, "status", status);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Returns which lines of the tables are shown is chosen without a script, by the style. */
static json_t *switches(ig_table *const *table, int n_table)
{
    static const struct {
        const char *key, *label;
        bool on;
    } lines[] = {{"sd", "spread", true},
                 {"interval", "95 % intervals", false},
                 {"paper", "the paper\xE2\x80\x99s numbers", true},
                 {"difference", "ours \xE2\x88\x92 the paper", false},
                 {"compare", "comparison with the base", false}};
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool any = i == 0;
        for (int t = 0; t < n_table; t++)
            for (int64_t r = 0; r < table[t]->n_row && !any; r++)
                any = table[t]->row[r].kind == IG_ROW_SUB &&
                      strcmp(table[t]->row[r].key, lines[i].key) == 0;
        if (any)
            json_array_append_new(all, json_pack("{s:s, s:s, s:b}", "key", lines[i].key, "label",
                                                 lines[i].label, "checked", lines[i].on));
    }
    return all;
}

ig_code ig_page_table(json_t **out, const char *id, const ig_table *t, bool brief, ig_err *err)
{
    char *html;
    size_t size;
    FILE *fp = open_memstream(&html, &size);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, t->name, 0, "not enough memory for a table");
    ig_code code = ig_table_html(fp, t, brief, err);
    fclose(fp);
    json_t *notes = json_array();
    for (int k = 0; k < t->n_note; k++)
        json_array_append_new(notes, ig_page_text(t->note[k]));
    *out = ig_page_texts("id", id, "name", t->name, "title", t->title, "caption", t->caption,
                         "html", html, "switches", NULL, NULL);
    json_object_set_new(*out, "notes", notes);
    free(html);
    return code;
}

/* With very many runs, the tooltips of numbers and the lines below are left to --json. */
static ig_code add_tables(json_t *data, const ig_page *p, ig_err *err)
{
    const bool few = p->results->store->n_entry <= IG_PAGE_MANY_RUNS;
    const ig_result_lines lines = {
        .interval = few, .paper = true, .compare = few, .link = true, .tooltip = few};
    ig_table **table, *claims = NULL;
    json_t *all = json_array(), *t = NULL;
    json_object_set_new(data, "tables", all);
    IG_TRY(ig_alloc(&table, p->n_table, sizeof *table, "tables", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < p->n_table && code == IG_ERR_OK; i++) {
        code = ig_table_of_results(&table[i], &p->table[i], &lines, err);
        IG_THEN(code, ig_page_table(&t, "table-", table[i], !few, err));
        if (code == IG_ERR_OK)
            json_array_append_new(all, t);
    }
    if (code == IG_ERR_OK && p->n_table > 0)
        json_object_set_new(json_array_get(all, 0), "switches", switches(table, p->n_table));
    if (code == IG_ERR_OK && p->claims != NULL && p->claims->n_claim > 0) {
        code = ig_claim_results_table(&claims, p->claims, err);
        IG_THEN(code, ig_page_table(&t, "table-", claims, !few, err));
        if (code == IG_ERR_OK)
            json_object_set_new(data, "claims", t);
    }
    for (int i = 0; i < p->n_table; i++)
        ig_table_free(table[i]);
    ig_table_free(claims);
    ig_free(table);
    return code;
}

/* Adds what the claims come to, on top. */
static ig_code add_answer(json_t *data, const ig_page *p, ig_err *err)
{
    const int n = p->claims != NULL ? p->claims->n_claim : 0;
    ig_page_claim *claim;
    IG_TRY(ig_alloc(&claim, n, sizeof *claim, "claims", err));
    for (int i = 0; i < n; i++)
        claim[i] = (ig_page_claim){.result = &p->claims->claim[i],
                                   .verdict = (int)p->claims->claim[i].verdict,
                                   .n_test = 1};
    json_object_set_new(data, "answer", ig_page_answer(claim, n));
    ig_free(claim);
    return IG_ERR_OK;
}

/* --- what is not there ------------------------------------------------------------------------ */

/* Lists cells that miss the same runs in one line. */
static json_t *incomplete_cells(const json_t *cells)
{
    json_t *all = json_array(), *line, *cell;
    size_t i, k;
    json_array_foreach(cells, i, cell)
    {
        json_t *why = json_object_get(cell, "lacking"), *note = json_object_get(cell, "note"),
               *names = NULL;
        if (json_is_null(why))
            continue;
        json_array_foreach(all, k, line) if (json_equal(json_object_get(line, "why"), why) &&
                                             json_equal(json_object_get(line, "note"), note))
            names = json_object_get(line, "names");
        if (names == NULL) {
            names = json_array();
            json_array_append_new(
                all, json_pack("{s:O, s:O, s:o}", "why", why, "note", note, "names", names));
        }
        json_array_append(names, json_object_get(cell, "name"));
    }
    return all;
}

/* Some of a list have such a text. */
static bool any_has(const json_t *list, const char *key)
{
    json_t *one;
    size_t i;
    json_array_foreach(list, i, one) if (json_is_string(json_object_get(one, key))) return true;
    return false;
}

/* The first failed runs; *n: of all. */
static json_t *failures(const ig_results *r, int64_t *n)
{
    enum { MOST = 50 };
    json_t *all = json_array();
    for (int i = 0; i < r->n_cell; i++)
        for (int64_t k = 0; k < r->cell[i].n_entry; k++) {
            const ig_store_entry *e = &r->cell[i].entry[k];
            if (e->run.status != IG_RUN_FAILED || ++*n > MOST)
                continue;
            const char *message = e->run.message != NULL ? e->run.message : "no message";
            json_t *run = ig_page_texts("cell", r->cell[i].name, "message", message, NULL);
            json_object_set_new(run, "seed", json_integer(e->cell.seed));
            json_array_append_new(all, run);
        }
    return all;
}

static void add_missing(json_t *data, const ig_results *r)
{
    const json_t *cells = json_object_get(data, "cells");
    int64_t n = 0;
    if (!any_has(cells, "lacking") && !any_has(cells, "mixed") &&
        !any_has(json_object_get(data, "figures"), "missing"))
        return;
    json_t *failed = failures(r, &n);
    const json_int_t more = n - (json_int_t)json_array_size(failed);
    json_object_set_new(data, "missing",
                        json_pack("{s:o, s:o, s:o}", "lacking", incomplete_cells(cells), "failed",
                                  failed, "more", more > 0 ? json_integer(more) : json_null()));
}

/* --- software, data and machines -------------------------------------------------------------- */

/* The parts of a manifest that runs may have in common (lab/work/lab_child.c writes it). */
static const char *const common_keys[] = {"data", "host", "program", "threads", NULL};

/* {}: no manifest, or none that can be read. */
static json_t *common_of(const char *manifest)
{
    json_t *j = manifest != NULL ? json_loads(manifest, 0, NULL) : NULL, *common = json_object();
    for (size_t i = 0; common_keys[i] != NULL; i++)
        json_object_set(common, common_keys[i], json_object_get(j, common_keys[i]));
    json_decref(j);
    return common;
}

/* The machines found: the common parts, a copy of the first manifest that has them, and the number
 * of runs. */
typedef struct {
    json_t *common;
    uint64_t print;
    int64_t n_run;
} machine;

typedef struct {
    machine *m;
    int n;
    int64_t room;
} machines;

/* The machine of a manifest, a new one where there is none such; −1: none. */
static ig_code machine_of(int *out, machines *all, const char *manifest, ig_err *err)
{
    uint64_t print;
    const bool printed = ig_result_print_keys(&print, manifest, common_keys);
    for (*out = 0; *out < all->n && printed; ++*out)
        if (all->m[*out].print == print)
            return IG_ERR_OK;
    json_t *common = common_of(manifest);
    for (*out = json_object_size(common) > 0 ? 0 : -1; *out >= 0 && *out < all->n; ++*out)
        if (json_equal(all->m[*out].common, common))
            break;
    if (*out < 0 || *out < all->n) {
        json_decref(common);
        return IG_ERR_OK;
    }
    ig_code code = ig_grow(&all->m, &all->room, all->n + 1, sizeof *all->m, "machines", err);
    if (code != IG_ERR_OK)
        json_decref(common);
    else
        all->m[all->n++] = (machine){common, printed ? print : 0, 0};
    return code;
}

/* Returns one text if all entries (several) are the same: kernels of one table. */
static json_t *one_for_all(json_t *j)
{
    json_t *first = json_object_iter_value(json_object_iter(j)), *x;
    const char *key;
    if (json_object_size(j) < 4 || !json_is_string(first))
        return NULL;
    json_object_foreach(j, key, x) if (!json_equal(x, first)) return NULL;
    return first;
}

/* Nested JSON as rows "program / cpu / name". */
static void add_rows(json_t *rows, const char *path, json_t *j)
{
    const char *key;
    json_t *x;
    char below[300];
    if (!json_is_object(j)) {
        ig_page_fact(rows, path, ig_page_value(j));
    } else if (one_for_all(j) != NULL) {
        snprintf(below, sizeof below, "%s (all %zu)", path, json_object_size(j));
        add_rows(rows, below, one_for_all(j));
    } else {
        json_object_foreach(j, key, x)
        {
            if (strncmp(key, "isoglot_", 8) == 0)
                continue; /* the version of a format */
            snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? " / " : "", key);
            add_rows(rows, below, x);
        }
    }
}

/* A, B, …, Z, AA, … */
static json_t *letter(int i)
{
    char name[16];
    char *p = name + sizeof name - 1;
    for (*p = '\0'; i >= 0; i = i / 26 - 1)
        *--p = (char)('A' + i % 26);
    return json_string(p);
}

static json_t *machine_json(const machine *m, int i, bool alone)
{
    const json_t *program = json_object_get(m->common, "program"),
                 *cpu = json_object_get(program, "cpu");
    const json_t *said[] = {json_object_get(cpu, "name"), json_object_get(program, "version"),
                            json_object_get(program, "commit"),
                            json_object_get(program, "compiler")};
    json_t *out = json_object(),
           *summary = json_sprintf("%lld run%s", (long long)m->n_run, m->n_run == 1 ? "" : "s");
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        if (json_is_string(said[k]))
            ig_page_append(summary, "; %s%s", k == 1 ? "isoglot " : "", json_string_value(said[k]));
    add_rows(out, "", m->common);
    json_object_set_new(out, "index", json_integer(i));
    json_object_set_new(out, "letter", letter(i));
    json_object_set_new(out, "summary", summary);
    json_object_set_new(out, "alone", json_boolean(alone));
    return out;
}

/* Adds `machines` to the data: what of their manifests runs have in common, once for all of them.
 * *of_run: [results->store->n_entry] the machine of each, −1: no manifest; freed with ig_free. */
static ig_code add_machines(json_t *data, int **of_run, const ig_results *r, ig_err *err)
{
    machines all = {0};
    json_t *list = json_array();
    ig_code code = ig_alloc(of_run, r->store->n_entry, sizeof **of_run, "machines", err);
    for (int64_t i = 0; i < r->store->n_entry && code == IG_ERR_OK; i++) {
        int *k = *of_run + i;
        code = machine_of(k, &all, r->store->entry[i].run.manifest, err);
        if (code == IG_ERR_OK && *k >= 0)
            all.m[*k].n_run++;
    }
    for (int i = 0; i < all.n; i++) {
        json_array_append_new(list, machine_json(&all.m[i], i, all.n == 1));
        json_decref(all.m[i].common);
    }
    json_object_set_new(data, "machines", list);
    ig_free(all.m);
    return code;
}

/* --- the cells with their runs ---------------------------------------------------------------- */

typedef struct {
    const ig_result_table *t; /* NULL: none */
    int row;
} place;

/* The first table that has the cell gives the columns of its runs. */
static place place_of(const ig_page *p, const ig_result_cell *c)
{
    for (int i = 0; i < p->n_table; i++)
        for (int r = 0; r < p->table[i].n_row; r++)
            if (p->table[i].row[r] == c)
                return (place){&p->table[i], r};
    return (place){0};
}

static json_t *columns(const ig_result_table *t)
{
    json_t *all = json_array();
    for (int c = 0; t != NULL && c < t->n_column; c++) {
        char title[128];
        ig_result_title(title, sizeof title, t, c);
        json_array_append_new(all, ig_page_text(title));
    }
    return all;
}

/* The value of one run in a column: that of its seed and address. */
static json_t *value(place in, int c, int64_t i, const ig_store_entry *e)
{
    const ig_column *column = &in.t->spec->column[c];
    const ig_result_number *n = &in.t->number[in.row * in.t->n_column + c];
    if (i >= n->n_value || strcmp(n->value[i].address, e->cell.address) != 0 ||
        !isfinite(n->value[i].value))
        return json_string("\xE2\x80\x93");
    double x = n->value[i].value;
    const int digits = ig_result_digits(column, n);
    if (strcmp(column->q.task, "peak_memory") == 0)
        x /= 1 << 20;
    return json_sprintf("%.*f", digits < 3 && fabs(x) <= 1 ? 3 : digits, x);
}

/* "3 min"; what a run that is not done is. */
static json_t *time_of(const ig_store_run *run)
{
    const double seconds = run->seconds;
    const long long s = seconds > 0 && seconds < 1e15 ? llround(seconds) : 0;
    return run->status != IG_RUN_DONE ? json_string(ig_run_status_name(run->status))
           : seconds < 10             ? json_sprintf("%.1f s", seconds)
           : s < 120                  ? json_sprintf("%lld s", s)
           : s < 7200                 ? json_sprintf("%lld min", (s + 30) / 60)
                                      : json_sprintf("%.1f h", seconds / 3600);
}

static json_t *machine_link(int k)
{
    return k < 0 ? json_null() : json_pack("{s:i, s:o}", "index", k, "letter", letter(k));
}

static json_t *run_json(const ig_store_entry *e, int from, place in, int64_t i)
{
    const bool done = e->run.status == IG_RUN_DONE;
    char when[40] = "";
    const time_t at = (time_t)e->run.finished;
    struct tm tm;
    if (done && e->run.finished > 0 && gmtime_r(&at, &tm) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
    json_t *values = json_array();
    for (int k = 0; in.t != NULL && k < in.t->n_column; k++)
        json_array_append_new(values, value(in, k, i, e));
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:s, s:o}", "seed", (json_int_t)e->cell.seed, "address",
        ig_page_text(e->cell.address), "values", values, "time", time_of(&e->run), "rate",
        done && isfinite(e->run.tokens_per_second) ? json_sprintf("%.0f", e->run.tokens_per_second)
                                                   : json_null(),
        "finished", when, "machine", machine_link(from));
}

/* Fills the cells of the data: their names, labels, runs and values. */
static void add_runs(json_t *data, const ig_page *p, const int *of_run)
{
    for (int i = 0; i < p->results->n_cell; i++) {
        const ig_result_cell *c = &p->results->cell[i];
        json_t *cell = json_array_get(json_object_get(data, "cells"), (size_t)i);
        json_t *runs = json_array();
        const place in = place_of(p, c);
        for (int64_t k = 0; k < c->n_entry; k++)
            json_array_append_new(
                runs,
                run_json(&c->entry[k], of_run[&c->entry[k] - p->results->store->entry], in, k));
        json_object_set_new(cell, "name", ig_page_text(c->name));
        json_object_set_new(cell, "label", ig_page_text(c->label));
        json_object_set_new(cell, "lacking", ig_page_text(c->incomplete));
        json_object_set_new(cell, "mixed", ig_page_text(c->mixed));
        json_object_set_new(cell, "columns", columns(in.t));
        json_object_set_new(cell, "runs", runs);
    }
}

/* --- all of it ------------------------------------------------------------------------------- */

ig_code ig_page_write(FILE *fp, const ig_page *p, ig_err *err)
{
    json_t *data = p->about, *notes = json_array();
    IG_OWNED int *of_run = NULL;
    for (int i = 0; i < p->results->n_note; i++)
        json_array_append_new(notes, ig_page_text(p->results->note[i]));
    json_object_set_new(data, "cautions", notes);
    ig_page_head(data, true);
    add_progress(data, p->results);
    IG_TRY(add_tables(data, p, err));
    IG_TRY(add_answer(data, p, err));
    IG_TRY(add_machines(data, &of_run, p->results, err));
    add_runs(data, p, of_run);
    add_missing(data, p->results);
    return ig_page_put(fp, "page", data, err);
}
