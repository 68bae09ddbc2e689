/* SPDX-License-Identifier: Apache-2.0
 *
 * The claims of a replication, and its page (report/page/replication.h): the experiments below a
 * folder, each with the results that lie in results/ beside it, in every variant that these are of.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/pool.h"
#include "lab/report/lab_report_parts.h"
#include "report/page/replication.h"
#include "report/shown/table_results.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASKED_MAX = 32 };

typedef struct {
    ig_experiment e;
    ig_lab_report r; /* where there are results */
    ig_results none; /* where there are not */
    ig_claim_results claims;
    ig_table **table; /* [r.n_table] where there are results */
} tested;

typedef struct {
    const char *dir, *to; /* of the experiments; of the page, NULL: only claims */
    ig_pool pool;
    tested **test; /* [n] */
    ig_replication_part *part;
    int n;
    int64_t room, room_part;
    const char *folder, *paper; /* of the file that is read */
    ig_err *err;
} gathering;

/* --- one experiment --------------------------------------------------------------------------- */

/* Splits a text in place; NULL has no parts. Returns their number. */
static int split(const char *part[ASKED_MAX], char *text, const char *by)
{
    char *save;
    int n = 0;
    if (text != NULL)
        for (char *at = strtok_r(text, by, &save); at != NULL && n < ASKED_MAX;
             at = strtok_r(NULL, by, &save))
            part[n++] = at;
    return n;
}

/* Splits "NAME:variant,variant;key=value;…" in place. */
static void take_apart(char *name, ig_experiment_request *asked, const char **variant,
                       const char **set)
{
    char *sets = strchr(name, ';'), *variants;
    *asked = (ig_experiment_request){.variant = variant, .set = set};
    if (sets != NULL)
        *sets++ = '\0';
    variants = strchr(name, ':');
    asked->n_variant = split(variant, variants != NULL ? variants + 1 : NULL, ",");
    asked->n_set = split(set, sets, ";");
}

/* The README of its folder, seen from the page: it is there, and both folders are below the working
 * directory, or there is no link. */
static ig_code link_of(gathering *g, const char **out, const char *path)
{
    const char *slash = strrchr(path, '/'), *up = "";
    char readme[PATH_MAX];
    *out = NULL;
    if (slash != NULL)
        snprintf(readme, sizeof readme, "%.*sREADME.md", (int)(slash + 1 - path), path);
    if (path[0] == '/' || g->to[0] == '/' || strstr(g->to, "..") != NULL || slash == NULL ||
        !ig_file_exists(readme))
        return IG_ERR_OK;
    for (const char *p = g->to; *p != '\0'; p++)
        if (*p != '/' && (p[1] == '/' || p[1] == '\0'))
            IG_TRY(ig_pool_print(&g->pool, &up, g->err, "%s../", up));
    return ig_pool_print(&g->pool, out, g->err, "%s%s", up, readme);
}

/* A drawing of the gallery beside the page, as seen from here, and as the page sees it; false: it
 * is not there. NAME is of a file of results, or NULL: of the folder's picture. */
static bool drawing(const gathering *g, char path[PATH_MAX], char link[PATH_MAX], const char *name)
{
    const int n = name != NULL ? (int)strcspn(name, ".") : 0;
    size_t parent = strlen(g->to); /* the page's folder need not be there yet */
    while (parent > 0 && g->to[parent - 1] == '/')
        parent--;
    while (parent > 0 && g->to[parent - 1] != '/')
        parent--;
    snprintf(link, PATH_MAX, "gallery/%s%s%.*s.svg", g->folder, n > 0 ? "-" : "", n,
             name != NULL ? name : "");
    snprintf(path, PATH_MAX, "%.*s%.1000s", (int)parent, g->to, link);
    return ig_file_exists(path);
}

/* The drawing of a file of results; NULL: there is none. */
static ig_code figure_of(gathering *g, const char **out, const char *results)
{
    char path[PATH_MAX], link[PATH_MAX];
    *out = NULL;
    return drawing(g, path, link, strrchr(results, '/') + 1)
               ? ig_pool_print(&g->pool, out, g->err, "../%s", link)
               : IG_ERR_OK;
}

/* The drawing with its names ("figure-clip1") as the folder's, since one page has several. */
static ig_code renamed(gathering *g, const char **out, const char *svg)
{
    static const char name[] = "figure-";
    char *text;
    size_t size;
    FILE *fp = open_memstream(&text, &size);
    if (fp == NULL)
        return ig_fail(g->err, IG_ERR_MEMORY, g->folder, 0, "not enough memory for a drawing");
    for (const char *p = svg; *p != '\0';) {
        if (p > svg && strchr("\"#", p[-1]) != NULL && strncmp(p, name, sizeof name - 1) == 0) {
            fprintf(fp, "%s-", g->folder);
            p += sizeof name - 1;
        } else
            putc(*p++, fp);
    }
    ig_code code = ig_memstream_close(fp) ? ig_pool_text(&g->pool, out, text, size, g->err)
                                          : ig_fail(g->err, IG_ERR_MEMORY, g->folder, 0,
                                                    "not enough memory for a drawing");
    free(text);
    return code;
}

/* The folder's picture, as SVG: gallery/FOLDER.svg, or else that of these results; NULL: neither is
 * there. */
static ig_code picture_of(gathering *g, const char **out, const char **caption, const char *results)
{
    enum { MOST = 1 << 20 };
    char path[PATH_MAX], link[PATH_MAX], *svg;
    int64_t n;
    *out = *caption = NULL;
    if (!drawing(g, path, link, NULL) && !drawing(g, path, link, strrchr(results, '/') + 1))
        return IG_ERR_OK;
    IG_TRY(ig_file_read(&svg, &n, path, MOST, g->err));
    const char *from = strstr(svg, "<svg");
    ig_code code = from != NULL ? renamed(g, out, from)
                                : ig_fail(g->err, IG_ERR_INPUT, path, 0, "found no <svg>");
    const char *title = strstr(svg, "<title"), *end = strstr(svg, "</title>");
    if (code == IG_ERR_OK && title != NULL && end != NULL && title < end) {
        title += strcspn(title, ">") + 1;
        code = ig_pool_text(&g->pool, caption, title, (size_t)(end - title), g->err);
    }
    ig_free(svg);
    return code;
}

static ig_code tables_of(gathering *g, tested *t)
{
    const ig_result_lines lines = {.interval = true, .paper = true};
    IG_TRY(ig_pool_alloc(&g->pool, &t->table, t->r.n_table, sizeof *t->table, g->err));
    for (int i = 0; i < t->r.n_table; i++)
        IG_TRY(ig_table_of_results(&t->table[i], &t->r.table[i], &lines, g->err));
    return IG_ERR_OK;
}

/* Adds the experiment, which the gathering then owns. */
static ig_code add(gathering *g, tested *t, const char *results)
{
    char *run = NULL;
    ig_replication_part p = {.folder = g->folder, .paper = g->paper, .claims = &t->claims};
    t->r.experiment = &t->e;
    IG_TRY(ig_pool_text(&g->pool, &p.name, t->e.name, strlen(t->e.name), g->err));
    IG_TRY(ig_pool_print(&g->pool, &p.id, g->err, "%s-%s", g->folder, t->e.name));
    ig_lab_claims_size(&p.size, &p.natural, &t->e);
    if (g->to != NULL)
        IG_TRY(link_of(g, &p.readme, t->e.path));
    if (g->to != NULL && results != NULL) {
        IG_TRY(figure_of(g, &p.figure, results));
        IG_TRY(picture_of(g, &p.picture, &p.caption, results));
        IG_TRY(tables_of(g, t));
        p.table = t->table;
        p.n_table = t->r.n_table;
    }
    ig_code code = ig_lab_report_command(&run, &t->r, "run", NULL, g->err);
    IG_THEN(code, ig_pool_text(&g->pool, &p.run, run, strlen(run), g->err));
    ig_free(run);
    if (code != IG_ERR_OK)
        return code;
    IG_TRY(ig_grow(&g->part, &g->room_part, g->n + 1, sizeof *g->part, "experiments", g->err));
    IG_TRY(ig_grow(&g->test, &g->room, g->n + 1, sizeof *g->test, "experiments", g->err));
    g->part[g->n] = p;
    g->test[g->n++] = t;
    return IG_ERR_OK;
}

static void test_free(tested *t)
{
    ig_claim_results_free(&t->claims);
    for (int i = 0; t->table != NULL && i < t->r.n_table; i++)
        ig_table_free(t->table[i]);
    ig_lab_report_close(&t->r);
    ig_experiment_free(&t->e);
    ig_free(t);
}

/* Evaluates the experiment as `asked` by a file of results; without a file nothing is measured. */
static ig_code test_of(gathering *g, const char *path, const ig_experiment_request *asked,
                       const char *results)
{
    tested *t;
    const ig_lab_report_options o = {.results = &results, .n_results = 1};
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "an experiment", g->err));
    ig_code code = ig_experiment_read_request(&t->e, path, asked, g->err);
    const bool any = code == IG_ERR_OK && t->e.n_claim > 0;
    if (any && results != NULL)
        code = ig_lab_report_open(&t->r, &t->e, NULL, &o, g->err);
    if (any && code == IG_ERR_OK)
        code = ig_lab_claims(&t->claims, &t->e, results != NULL ? &t->r.results : &t->none, g->err);
    if (any && code == IG_ERR_OK)
        code = add(g, t, results);
    if (!any || code != IG_ERR_OK)
        test_free(t);
    return code;
}

/* Evaluates all results of this experiment in a file, in any variants. */
static ig_code tests_of_file(gathering *g, const char *path, const char *name, const char *results,
                             bool *any)
{
    IG_SCOPED(ig_result_file_free) ig_result_file f = {0};
    IG_TRY(ig_result_file_read(&f, results, g->err));
    for (int i = 0; i < f.n_experiment; i++) {
        const char *variant[ASKED_MAX], *set[ASKED_MAX];
        ig_experiment_request asked;
        char of[PATH_MAX];
        snprintf(of, sizeof of, "%s", f.experiment[i]);
        take_apart(of, &asked, variant, set);
        if (strcspn(f.experiment[i], ":;") != strlen(name) ||
            strncmp(f.experiment[i], name, strlen(name)) != 0)
            continue;
        *any = true;
        IG_TRY(test_of(g, path, &asked, results));
    }
    return IG_ERR_OK;
}

static ig_code experiment(gathering *g, const char *path)
{
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    glob_t found;
    bool any = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    ig_code code = IG_ERR_OK;
    if (ig_lab_glob(&found, path, (int)(slash - path), "/results/*.jsonl"))
        for (size_t i = 0; i < found.gl_pathc && code == IG_ERR_OK; i++)
            code = tests_of_file(g, path, name, found.gl_pathv[i], &any);
    globfree(&found);
    const ig_experiment_request plain = {0};
    return code != IG_ERR_OK || any ? code : test_of(g, path, &plain, NULL);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Adds the files of a folder: setup.yaml names the paper, or the file itself. */
static ig_code enter(gathering *g, const char *path)
{
    char setup[PATH_MAX];
    ig_experiment e = {0};
    const char *slash = strrchr(path, '/'), *from = slash;
    while (from > path && from[-1] != '/')
        from--;
    if (g->folder != NULL && strlen(g->folder) == (size_t)(slash - from) &&
        strncmp(g->folder, from, (size_t)(slash - from)) == 0)
        return IG_ERR_OK;
    IG_TRY(ig_pool_text(&g->pool, &g->folder, from, (size_t)(slash - from), g->err));
    snprintf(setup, sizeof setup, "%.*s/setup.yaml", (int)(slash - path), path);
    const ig_experiment_request plain = {0};
    ig_code code =
        ig_experiment_read_request(&e, ig_file_exists(setup) ? setup : path, &plain, g->err);
    const char *paper = e.paper != NULL ? e.paper : g->folder;
    IG_THEN(code, ig_pool_text(&g->pool, &g->paper, paper, strlen(paper), g->err));
    ig_experiment_free(&e);
    return code;
}

/* Returns whether a file has claims, or the files that it extends: files of tasks have none. */
static bool may_claim(const char *path)
{
    char line[16];
    bool found = false, begins = true;
    FILE *fp = fopen(path, "r");
    if (fp == NULL)
        return true; /* reading it says why */
    while (!found && fgets(line, sizeof line, fp) != NULL) {
        found = begins && (strncmp(line, "claims:", 7) == 0 || strncmp(line, "extends:", 8) == 0);
        begins = strchr(line, '\n') != NULL;
    }
    fclose(fp);
    return found;
}

static ig_code no_claims(const char *dir, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, dir, 0,
                   "found no experiment with claims in it or its folders, expected some");
}

ig_code ig_lab_replication_files(const char *dir, ig_lab_file_fn *each, void *user, ig_err *err)
{
    static const char *const below[] = {"/*.yaml", "/*/*.yaml"};
    const int n_dir = (int)(strlen(dir) - (dir[strlen(dir) - 1] == '/'));
    int n = 0;
    ig_code code = IG_ERR_OK;
    for (size_t k = 0; k < 2 && code == IG_ERR_OK; k++) {
        glob_t found;
        if (ig_lab_glob(&found, dir, n_dir, below[k]))
            for (size_t i = 0; i < found.gl_pathc && code == IG_ERR_OK; i++)
                if (may_claim(found.gl_pathv[i])) {
                    n++;
                    code = each(user, found.gl_pathv[i], err);
                }
        globfree(&found);
    }
    return code == IG_ERR_OK && n == 0 ? no_claims(dir, err) : code;
}

static ig_code gather_file(void *user, const char *path, ig_err *err)
{
    (void)err; /* that of the gathering */
    IG_TRY(enter(user, path));
    return experiment(user, path);
}

static ig_code gather(gathering *g)
{
    IG_TRY(ig_lab_replication_files(g->dir, gather_file, g, g->err));
    return g->n == 0 ? no_claims(g->dir, g->err) : IG_ERR_OK;
}

static void gathering_free(gathering *g)
{
    for (int i = 0; i < g->n; i++)
        test_free(g->test[i]);
    IG_FREE(g->test, g->part);
    ig_pool_free(&g->pool);
}

ig_code ig_lab_replication_claims(const char *dir, ig_lab_claims_put *put, void *user,
                                  int n_verdict[IG_PAGE_N_VERDICT], ig_err *err)
{
    IG_SCOPED(gathering_free) gathering g = {.dir = dir, .err = err};
    IG_TRY(gather(&g));
    for (int i = 0; i < g.n; i++)
        IG_TRY(put(user, &g.test[i]->e, &g.test[i]->claims, err));
    return ig_replication_count(n_verdict, g.part, g.n, err);
}

ig_code ig_lab_replication_page(const char *dir, const char *to, ig_err *err)
{
    gathering g = {.dir = dir, .to = to, .err = err};
    ig_out out = {0};
    const bool there = ig_dir_exists(to);
    ig_code code = ig_out_try_in(to, "index.html", err);
    IG_THEN(code, gather(&g));
    IG_THEN(code, ig_dir_make(to, err));
    IG_THEN(code, ig_out_open_in(&out, to, "index.html", err));
    IG_THEN(code, ig_out_close(&out, ig_replication_write(out.fp, g.part, g.n, err), err));
    if (code != IG_ERR_OK && !there)
        rmdir(to); /* which is empty */
    gathering_free(&g);
    return code;
}
