/* SPDX-License-Identifier: Apache-2.0
 *
 * The page's sections on what was run, on what and with what; and on what is not there.
 *
 * Manifests are long and nearly alike: what they say of data, program and machine is told once for
 * all runs that have it in common, under a letter.
 */
#include "report/page/page_parts.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "report/table/html.h"
#include "report/results/results_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- machines --------------------------------------------------------------------------------- */

/* The parts of a manifest that runs may have in common (lab/work/lab_child.c writes it). */
static const char *const common_keys[] = {"data", "program", "host", "threads", NULL};

/* NULL: no manifest, or none that can be read; freed with free. */
static char *common_of(const char *manifest, int64_t *parameters)
{
    json_error_t why;
    json_t *j = manifest != NULL ? json_loads(manifest, 0, &why) : NULL, *common = json_object();
    char *text = NULL;
    for (size_t i = 0; common_keys[i] != NULL; i++) {
        json_t *x = json_object_get(j, common_keys[i]);
        if (x != NULL)
            json_object_set(common, common_keys[i], x);
    }
    const json_t *n = json_object_get(j, "parameters");
    if (json_is_integer(n) && *parameters == 0)
        *parameters = json_integer_value(n);
    if (json_object_size(common) > 0)
        text = ig_json_text(common, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(common);
    json_decref(j);
    return text;
}

/* A quick look at a manifest, and the machine that it was found to tell of. */
typedef struct {
    uint64_t print;
    int machine;
} seen;

/* The machine of a text, a new one where there is none such; takes the text. −1: NULL. */
static ig_code machine_of(int *out, ig_page_machines *m, int64_t *have, char *text, ig_err *err)
{
    int k = text != NULL ? 0 : -1;
    while (k >= 0 && k < m->n_machine && strcmp(m->machine[k].text, text) != 0)
        k++;
    *out = k;
    ig_code code = IG_ERR_OK;
    if (k >= 0 && k == m->n_machine) {
        code = ig_grow(&m->machine, have, k + 1, sizeof *m->machine, "machines", err);
        if (code == IG_ERR_OK) {
            m->machine[m->n_machine++].text = text;
            return IG_ERR_OK;
        }
    }
    free(text);
    return code;
}

/* Manifests are read once for each print. */
ig_code ig_page_machines_make(ig_page_machines *m, const ig_results *r, ig_err *err)
{
    int64_t have = 0, room = 0;
    seen *s = NULL;
    int n_seen = 0;
    memset(m, 0, sizeof *m);
    ig_code code = ig_alloc(&m->of_run, r->store->n_entry, sizeof *m->of_run, "machines", err);
    for (int64_t i = 0; i < r->store->n_entry && code == IG_ERR_OK; i++) {
        const char *manifest = r->store->entry[i].run.manifest;
        uint64_t print;
        const bool printed = ig_result_print_keys(&print, manifest, common_keys);
        int at = 0, k;
        while (printed && at < n_seen && s[at].print != print)
            at++;
        if (printed && at < n_seen)
            k = s[at].machine;
        else
            code = machine_of(&k, m, &have, common_of(manifest, &m->parameters), err);
        if (code == IG_ERR_OK && printed && at == n_seen) {
            code = ig_grow(&s, &room, n_seen + 1, sizeof *s, "machines", err);
            if (code == IG_ERR_OK)
                s[n_seen++] = (seen){print, k};
        }
        m->of_run[i] = k;
        if (k >= 0 && code == IG_ERR_OK)
            m->machine[k].n_run++;
    }
    ig_free(s);
    if (code != IG_ERR_OK)
        ig_page_machines_free(m);
    return code;
}

void ig_page_machines_free(ig_page_machines *m)
{
    for (int i = 0; i < m->n_machine; i++)
        free((void *)(uintptr_t)m->machine[i].text);
    IG_FREE(m->machine, m->of_run);
    memset(m, 0, sizeof *m);
}

/* --- parts ------------------------------------------------------------------------------------ */

void ig_page_facts(FILE *fp, const ig_page_fact *f, int n)
{
    if (n == 0)
        return;
    fputs("<dl class=\"facts\">\n", fp);
    for (int i = 0; i < n; i++)
        ig_html_put(fp, "<div><dt>%s</dt><dd>%s</dd></div>\n", f[i].key, f[i].value);
    fputs("</dl>\n", fp);
}

void ig_page_command(FILE *fp, const char *command)
{
    ig_html_put(fp, "<pre class=\"command\" tabindex=\"0\"><code>%s</code></pre>\n", command);
}

void ig_page_seconds(FILE *fp, double seconds)
{
    long long s = isfinite(seconds) && seconds > 0 ? llround(seconds) : 0;
    if (seconds < 10)
        fprintf(fp, "%.1f s", seconds);
    else if (s < 120)
        fprintf(fp, "%lld s", s);
    else if (s < 7200)
        fprintf(fp, "%lld min", (s + 30) / 60);
    else
        fprintf(fp, "%.1f h", seconds / 3600);
}

/* --- setup ------------------------------------------------------------------------------------ */

/* Whether all entries (several) are the same text: kernels of one table. */
static const json_t *one_for_all(const json_t *j)
{
    const json_t *first = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)j));
    const char *key;
    json_t *x;
    if (json_object_size(j) < 4 || !json_is_string(first))
        return NULL;
    json_object_foreach((json_t *)(uintptr_t)j, key, x)
    {
        if (!json_equal(x, first))
            return NULL;
    }
    return first;
}

/* Nested JSON as rows "program / cpu / name". */
static void json_rows(FILE *fp, const char *path, const json_t *j)
{
    const char *key;
    json_t *x;
    char below[300];
    if (json_is_object(j) && one_for_all(j) != NULL) {
        snprintf(below, sizeof below, "%s (all %zu)", path, json_object_size(j));
        json_rows(fp, below, one_for_all(j));
        return;
    }
    if (json_is_object(j)) {
        json_object_foreach((json_t *)(uintptr_t)j, key, x)
        {
            if (strncmp(key, "isoglot_", 8) == 0)
                continue; /* the version of a format */
            snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? " / " : "", key);
            json_rows(fp, below, x);
        }
        return;
    }
    char *text = json_is_string(j) ? NULL : ig_json_text(j, JSON_ENCODE_ANY);
    if (json_is_array(j)) { /* a list of names as words */
        free(text);
        text = NULL;
        size_t size, i;
        FILE *words = open_memstream(&text, &size);
        json_array_foreach((json_t *)(uintptr_t)j, i, x) if (words != NULL && json_is_string(x))
            fprintf(words, "%s%s", i > 0 ? " " : "", json_string_value(x));
        if (words != NULL)
            fclose(words);
    }
    ig_html_put(fp, "<div><dt>%s</dt><dd>%s</dd></div>\n", path,
                json_is_string(j) ? json_string_value(j) : text);
    free(text);
}

void ig_page_machine_name(FILE *fp, int i)
{
    if (i >= 26)
        ig_page_machine_name(fp, i / 26 - 1);
    fputc('A' + i % 26, fp);
}

static ig_code machines(FILE *fp, const ig_page_machines *m, ig_err *err)
{
    if (m->n_machine > 0)
        fputs("<h3>Data, program, machine</h3>\n", fp);
    for (int i = 0; i < m->n_machine; i++) {
        json_t *j = json_loads(m->machine[i].text, 0, NULL);
        if (j == NULL)
            return ig_fail(err, IG_ERR_MEMORY, "page", 0, "not enough memory for the manifests");
        const json_t *program = json_object_get(j, "program"),
                     *cpu = json_object_get(program, "cpu");
        fprintf(fp, "<details id=\"machine-%d\"%s>\n<summary><b>", i,
                m->n_machine == 1 ? " open=\"open\"" : "");
        ig_page_machine_name(fp, i);
        fprintf(fp, "</b> %lld run%s", (long long)m->machine[i].n_run,
                m->machine[i].n_run == 1 ? "" : "s");
        const json_t *said[] = {json_object_get(cpu, "name"), json_object_get(program, "version"),
                                json_object_get(program, "commit"),
                                json_object_get(program, "compiler")};
        for (size_t k = 0; k < sizeof said / sizeof *said; k++)
            if (json_is_string(said[k])) {
                fputs(k == 1 ? "; isoglot " : "; ", fp);
                ig_html_text(fp, json_string_value(said[k]));
            }
        fputs("</summary>\n<dl class=\"facts\">\n", fp);
        json_rows(fp, "", j);
        fputs("</dl>\n</details>\n", fp);
        json_decref(j);
    }
    return IG_ERR_OK;
}

ig_code ig_page_setup(FILE *fp, const ig_page *p, const ig_page_machines *m, ig_err *err)
{
    fputs("<section class=\"text\" id=\"setup\">\n<h2>Setup</h2>\n", fp);
    for (int i = 0; i < p->n_caution; i++)
        ig_html_put(fp, "<p class=\"caution\">%s</p>\n", p->caution[i]);
    for (int i = 0; i < p->results->n_note; i++)
        ig_html_put(fp, "<p class=\"caution\">%s</p>\n", p->results->note[i]);
    ig_html_put(fp,
                "<p>The experiment is one file, <code>%s</code>. This runs it, or what of it is "
                "missing:</p>\n",
                p->file);
    ig_page_command(fp, p->run_command);
    fputs(
        "<h3>Base configuration</h3>\n<p>What is not the program\xE2\x80\x99s default; every cell "
        "differs from it as its label says.</p>\n",
        fp);
    ig_page_facts(fp, p->setting, p->n_setting);
    if (p->n_normal > 0) {
        fputs("<details><summary>All other settings that decide a result</summary>\n", fp);
        ig_page_facts(fp, p->normal, p->n_normal);
        fputs("</details>\n", fp);
    }
    if (p->n_measured > 0) {
        fputs("<h3>What is measured</h3>\n", fp);
        ig_page_facts(fp, p->measured, p->n_measured);
    }
    IG_TRY(machines(fp, m, err));
    fputs("</section>\n", fp);
    return IG_ERR_OK;
}

/* --- what is not there ------------------------------------------------------------------------ */

static bool failed(const ig_store_entry *e)
{
    return e->run.status == IG_RUN_FAILED;
}

bool ig_page_has_missing(const ig_page *p)
{
    for (int i = 0; i < p->results->n_cell; i++)
        if (p->results->cell[i].lacking != NULL || p->results->cell[i].mixed != NULL)
            return true;
    for (int i = 0; i < p->n_figure; i++)
        if (p->figure[i].missing != NULL)
            return true;
    return false;
}

static void link_to_cell(FILE *fp, const ig_result_cell *c)
{
    ig_html_id(fp, "<a href=\"#cell-", c->name);
    ig_html_put(fp, "\">%s</a>", c->name);
}

/* Cells that lack the same, in one line. */
static void lacking(FILE *fp, const ig_page *p)
{
    const ig_results *r = p->results;
    for (int i = 0; i < r->n_cell; i++) {
        const char *why = r->cell[i].lacking, *note = p->cell[i].note;
        bool before = false;
        for (int k = 0; k < i && why != NULL && !before; k++)
            before = r->cell[k].lacking != NULL && strcmp(r->cell[k].lacking, why) == 0 &&
                     p->cell[k].note == note;
        if (why == NULL || before)
            continue;
        fputs("<li>", fp);
        for (int k = i, n = 0; k < r->n_cell; k++)
            if (r->cell[k].lacking != NULL && strcmp(r->cell[k].lacking, why) == 0 &&
                p->cell[k].note == note) {
                fputs(n++ > 0 ? ", " : "", fp);
                link_to_cell(fp, &r->cell[k]);
            }
        ig_html_put(fp, ": %s", why);
        if (note != NULL)
            ig_html_put(fp, " (%s)", note);
        fputs("</li>\n", fp);
    }
}

static void failures(FILE *fp, const ig_page *p)
{
    enum { MOST = 50 };
    int64_t n = 0;
    for (int64_t i = 0; i < p->results->store->n_entry; i++)
        n += failed(&p->results->store->entry[i]) ? 1 : 0;
    if (n == 0)
        return;
    fputs("<h3>Failed runs</h3>\n<ul>\n", fp);
    int64_t told = 0;
    for (int i = 0; i < p->results->n_cell && told < MOST; i++) {
        const ig_result_cell *c = &p->results->cell[i];
        for (int64_t k = 0; k < c->n_entry && told < MOST; k++) {
            if (!failed(&c->entry[k]))
                continue;
            told++;
            fputs("<li>", fp);
            link_to_cell(fp, c);
            fprintf(fp, ", seed %lld: ", (long long)c->entry[k].cell.seed);
            ig_html_put(fp, "%s</li>\n",
                        c->entry[k].run.message != NULL ? c->entry[k].run.message : "no message");
        }
    }
    if (n > told)
        fprintf(fp, "<li>and %lld more</li>\n", (long long)(n - told));
    fputs("</ul>\n", fp);
}

void ig_page_missing(FILE *fp, const ig_page *p)
{
    if (!ig_page_has_missing(p))
        return;
    fputs("<section class=\"text missing\" id=\"missing\">\n<h2>What is missing</h2>\n<ul>\n", fp);
    lacking(fp, p);
    for (int i = 0; i < p->results->n_cell; i++)
        if (p->results->cell[i].mixed != NULL) {
            fputs("<li>", fp);
            link_to_cell(fp, &p->results->cell[i]);
            ig_html_put(fp, " is not averaged: %s</li>\n", p->results->cell[i].mixed);
        }
    for (int i = 0; i < p->n_figure; i++)
        if (p->figure[i].missing != NULL) {
            ig_html_id(fp, "<li><a href=\"#figure-", p->figure[i].name);
            ig_html_put(fp, "\">%s</a>: %s</li>\n",
                        p->figure[i].title != NULL ? p->figure[i].title : p->figure[i].name,
                        p->figure[i].missing);
        }
    fputs("</ul>\n", fp);
    failures(fp, p);
    fputs("<p>The same command goes on with what is missing; <code>--retry</code> runs failed ones "
          "again:</p>\n",
          fp);
    ig_page_command(fp, p->run_command);
    fputs("</section>\n", fp);
}
