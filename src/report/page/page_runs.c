/* SPDX-License-Identifier: Apache-2.0
 *
 * The page's section on runs: for each cell its settings, the command that repeats it, and each of
 * its runs under an anchor of its own with the values it gave.
 */
#include "report/page/page_parts.h"
#include "report/table/html.h"
#include "report/shown/table_results.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct {
    const ig_result_table *t; /* NULL: none */
    int row;
} place;

/* The first table that has the cell gives the columns of its runs. */
static place place_of(const ig_page *p, const ig_result_cell *c)
{
    for (int i = 0; i < p->n_table; i++)
        for (int r = 0; r < p->value[i]->n_row; r++)
            if (p->value[i]->row[r] == c)
                return (place){p->value[i], r};
    return (place){0};
}

static void head(FILE *fp, const ig_result_table *t)
{
    fputs(
        "<thead><tr><th scope=\"col\" class=\"n\">seed</th><th scope=\"col\" class=\"s\">run</th>",
        fp);
    for (int c = 0; t != NULL && c < t->n_column; c++) {
        char title[128];
        ig_result_title(title, sizeof title, t, c);
        ig_html_put(fp, "<th scope=\"col\" class=\"n\">%s</th>", title);
    }
    fputs("<th scope=\"col\" class=\"n\">time</th><th scope=\"col\" class=\"n\">tokens/s</th>"
          "<th scope=\"col\" class=\"s\">finished (UTC)</th>"
          "<th scope=\"col\" class=\"s\">made with</th></tr></thead>\n",
          fp);
}

/* The value of one run in a column: that of its seed and address. */
static void value(FILE *fp, place in, int c, int64_t i, const ig_store_entry *e)
{
    const ig_result_table *t = in.t;
    const ig_result_number *n = &t->number[in.row * t->n_column + c];
    fputs("<td class=\"n\">", fp);
    if (i < n->n_value && strcmp(n->value[i].address, e->cell.address) == 0 &&
        isfinite(n->value[i].value)) {
        double x = n->value[i].value;
        int digits = ig_result_digits(&t->spec->column[c], n);
        if (strcmp(t->spec->column[c].q.task, "peak_memory") == 0)
            x /= 1 << 20;
        fprintf(fp, "%.*f", digits < 3 && fabs(x) <= 1 ? 3 : digits, x);
    } else {
        fputs("\xE2\x80\x93", fp);
    }
    fputs("</td>", fp);
}

static void machine_link(FILE *fp, int k)
{
    if (k < 0)
        return;
    fprintf(fp, "<a href=\"#machine-%d\">", k);
    ig_page_machine_name(fp, k);
    fputs("</a>", fp);
}

static void run_row(FILE *fp, const ig_page *p, const ig_page_machines *m, place in,
                    const ig_result_cell *c, int64_t i)
{
    const ig_store_entry *e = &c->entry[i];
    bool done = e->run.status == IG_RUN_DONE;
    char when[40] = "";
    const time_t at = (time_t)e->run.finished;
    struct tm tm;
    if (done && e->run.finished > 0 && gmtime_r(&at, &tm) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
    ig_html_id(fp, "<tr id=\"run-", c->name);
    fprintf(fp, ":%lld\"><th scope=\"row\" class=\"n\">%lld</th><td class=\"s\"><code>",
            (long long)e->cell.seed, (long long)e->cell.seed);
    ig_html_put(fp, "%s</code></td>", e->cell.address);
    for (int k = 0; in.t != NULL && k < in.t->n_column; k++)
        value(fp, in, k, i, e);
    fputs("<td class=\"n\">", fp);
    if (done)
        ig_page_seconds(fp, e->run.seconds);
    else
        fputs(ig_run_status_name(e->run.status), fp);
    fputs("</td><td class=\"n\">", fp);
    if (done && isfinite(e->run.tokens_per_second))
        fprintf(fp, "%.0f", e->run.tokens_per_second);
    fprintf(fp, "</td><td class=\"s\">%s</td><td class=\"s\">", when);
    machine_link(fp, m->of_run[e - p->results->store->entry]);
    fputs("</td></tr>\n", fp);
}

/* Of very many runs a paragraph a cell: its runs' seeds, addresses and times. */
static void cell_brief(FILE *fp, const ig_result_cell *c)
{
    ig_html_id(fp, "<p class=\"list\" id=\"cell-", c->name);
    ig_html_put(fp, "\"><b>%s</b> %s:", c->name, c->label);
    for (int64_t i = 0; i < c->n_entry; i++) {
        const ig_store_entry *e = &c->entry[i];
        fprintf(fp, "%s\n%lld ", i > 0 ? "," : "", (long long)e->cell.seed);
        ig_html_put(fp, "%s ", e->cell.address);
        if (e->run.status == IG_RUN_DONE)
            ig_page_seconds(fp, e->run.seconds);
        else
            fputs(ig_run_status_name(e->run.status), fp);
    }
    fputs("</p>\n", fp);
}

static void cell_section(FILE *fp, const ig_page *p, const ig_page_machines *m, int i)
{
    const ig_result_cell *c = &p->results->cell[i];
    const ig_page_cell *about = &p->cell[i];
    ig_html_id(fp, "<section class=\"cell\" id=\"cell-", c->name);
    ig_html_put(fp, "\">\n<h3><span class=\"id\">%s</span> %s</h3>\n", c->name, c->label);
    if (about->title != NULL)
        ig_html_put(fp, "<p>%s</p>\n", about->title);
    if (about->n_fact > 0)
        ig_page_facts(fp, about->fact, about->n_fact);
    if (c->lacking != NULL) {
        ig_html_put(fp, "<p class=\"caution\">%s", c->lacking);
        if (about->note != NULL)
            ig_html_put(fp, " (%s)", about->note);
        fputs("</p>\n", fp);
    }
    const place in = place_of(p, c);
    ig_html_put(fp,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"runs of cell "
                "%s\">\n<table class=\"runs\">\n",
                c->name);
    head(fp, in.t);
    fputs("<tbody>\n", fp);
    for (int64_t k = 0; k < c->n_entry; k++)
        run_row(fp, p, m, in, c, k);
    fputs("</tbody></table></div>\n", fp);
    if (about->command != NULL)
        ig_page_command(fp, about->command);
    fputs("</section>\n", fp);
}

void ig_page_runs(FILE *fp, const ig_page *p, const ig_page_machines *m)
{
    bool many = p->results->store->n_entry > IG_PAGE_MANY_RUNS;
    fputs("<section class=\"all-runs\" id=\"runs\">\n<h2>Runs</h2>\n<p>", fp);
    if (p->store != NULL)
        ig_html_put(fp,
                    "A run\xE2\x80\x99s folder is <code>%s/runs/</code> and its address, a hash of "
                    "all that decides its result; there lie its settings, log, checkpoints, "
                    "measures and manifest. ",
                    p->store);
    fputs("A seed is named behind a colon: <code>--only 8:0</code>.</p>\n", fp);
    if (many) {
        fputs("<p>So many runs are listed without their values; all of them:</p>\n", fp);
        char command[600];
        snprintf(command, sizeof command, "%s --metrics", p->report_command);
        ig_page_command(fp, command);
    }
    for (int i = 0; i < p->results->n_cell; i++)
        if (many)
            cell_brief(fp, &p->results->cell[i]);
        else
            cell_section(fp, p, m, i);
    fputs("</section>\n", fp);
}
