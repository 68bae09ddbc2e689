/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the page's data: results, and missing runs. The page is HTML that is well-formed XML,
 * with its style (page.css) and script (page.js) inside; the policy in its head lets a browser load
 * nothing and run no script but ours, by its SHA-256.
 */
#include "report/page/page.h"
#include "base/memory.h"
#include "base/output/written.h"
#include "base/settings/json_text.h"
#include "report/page/page_answer.h"
#include "report/page/page_parts.h"
#include "report/shown/table_results.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

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

/* How far it is. */
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

/* Which lines of the tables are shown is chosen without a script, by the style. */
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

ig_code ig_page_write(FILE *fp, const ig_page *p, ig_err *err)
{
    json_t *data = p->about, *notes = json_array();
    int *of_run = NULL;
    for (int i = 0; i < p->results->n_note; i++)
        json_array_append_new(notes, ig_page_text(p->results->note[i]));
    json_object_set_new(data, "cautions", notes);
    ig_page_head(data, true);
    add_progress(data, p->results);
    ig_code code = add_tables(data, p, err);
    IG_THEN(code, add_answer(data, p, err));
    IG_THEN(code, ig_page_machines(data, &of_run, p->results, err));
    if (code == IG_ERR_OK) {
        ig_page_runs(data, p, of_run);
        add_missing(data, p->results);
    }
    IG_THEN(code, ig_page_put(fp, "page", data, err));
    ig_free(of_run);
    return code;
}
