/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of a replication: see replication.h.
 *
 * A claim is supported, contradicted or undecided where all experiments that measured it say so,
 * and mixed where they disagree: they may share runs, so that none of them outvotes another.
 */
#include "report/page/replication.h"
#include "base/memory.h"
#include "report/page/page.h"
#include "report/table/html.h"

#include <math.h>
#include <string.h>

/* A verdict of ig_verdict, and one more. */
enum { MIXED = IG_CLAIM_NOT_MEASURED + 1, N_VERDICT };

static const char *verdict_name(int v)
{
    return v == MIXED ? "mixed" : ig_verdict_name((ig_verdict)v);
}

typedef struct {
    const ig_replication_part *part;
    const ig_claim_result *result;
    int first; /* which of all is the first with this text and source */
} test;

typedef struct {
    test *test;
    int n;
} replication;

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static ig_code gather(replication *r, const ig_replication_part *part, int n, ig_err *err)
{
    int64_t all = 0;
    for (int i = 0; i < n; i++)
        all += part[i].claims->n_claim;
    IG_TRY(ig_alloc(&r->test, all, sizeof *r->test, "claims", err));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < part[i].claims->n_claim; k++) {
            test *t = &r->test[r->n];
            *t = (test){&part[i], &part[i].claims->claim[k], r->n};
            for (int before = 0; before < r->n; before++) {
                const ig_claim *c = r->test[before].result->claim;
                if (r->test[before].first == before && same_text(c->text, t->result->claim->text) &&
                    same_text(c->source, t->result->claim->source)) {
                    t->first = before;
                    break;
                }
            }
            r->n++;
        }
    return IG_ERR_OK;
}

/* Of all tests of the claim that comes first at `first`. */
static int verdict_of(const replication *r, int first)
{
    int n[IG_CLAIM_NOT_MEASURED + 1] = {0};
    for (int i = first; i < r->n; i++)
        if (r->test[i].first == first)
            n[r->test[i].result->verdict]++;
    const int decided = (n[IG_CLAIM_SUPPORTED] > 0) + (n[IG_CLAIM_CONTRADICTED] > 0);
    return decided > 0 && decided + (n[IG_CLAIM_UNDECIDED] > 0) > 1 ? MIXED
           : n[IG_CLAIM_SUPPORTED] > 0                              ? IG_CLAIM_SUPPORTED
           : n[IG_CLAIM_CONTRADICTED] > 0                           ? IG_CLAIM_CONTRADICTED
           : n[IG_CLAIM_UNDECIDED] > 0                              ? IG_CLAIM_UNDECIDED
                                                                    : IG_CLAIM_NOT_MEASURED;
}

static bool in_folder(const replication *r, int i, const char *folder)
{
    return r->test[i].first == i && strcmp(r->test[i].part->folder, folder) == 0;
}

/* Whether this part begins a folder that has claims of its own. */
static bool begins(const replication *r, const ig_replication_part *part, int i)
{
    if (i > 0 && strcmp(part[i - 1].folder, part[i].folder) == 0)
        return false;
    for (int k = 0; k < r->n; k++)
        if (in_folder(r, k, part[i].folder))
            return true;
    return false;
}

/* Authors and year of "Authors 2020, Title"; else the whole. */
static int length_of_name(const char *paper)
{
    for (const char *p = paper; *p != '\0'; p++)
        if (strspn(p, "0123456789") == 4 && (p[4] == ',' || p[4] == '\0'))
            return (int)(p + 4 - paper);
    return (int)strlen(paper);
}

/* --- at a glance ------------------------------------------------------------------------------ */

static void glance_row(FILE *fp, const replication *r, const char *folder, const char *title)
{
    int n[N_VERDICT] = {0}, all = 0;
    for (int i = 0; i < r->n; i++)
        if (folder == NULL ? r->test[i].first == i : in_folder(r, i, folder)) {
            n[verdict_of(r, i)]++;
            all++;
        }
    fputs("<tr><th scope=\"row\">", fp);
    if (folder != NULL)
        ig_html_id(fp, "<a href=\"#", folder);
    fputs(folder != NULL ? "\">" : "", fp);
    char name[200];
    const bool ours = strncmp(title, "not in a paper", 14) == 0;
    snprintf(name, sizeof name, "%.*s", length_of_name(title), title);
    ig_html_text(fp, ours ? folder : name);
    fputs(ours ? ", not in a paper" : "", fp);
    fputs(folder != NULL ? "</a></th>" : "</th>", fp);
    static const int order[] = {IG_CLAIM_SUPPORTED, IG_CLAIM_CONTRADICTED, MIXED,
                                IG_CLAIM_UNDECIDED, IG_CLAIM_NOT_MEASURED};
    for (size_t v = 0; v < sizeof order / sizeof *order; v++)
        fprintf(fp, "<td data-of=\"%s\">%d</td>", verdict_name(order[v]), n[order[v]]);
    fprintf(fp, "<td data-of=\"claims\">%d</td></tr>\n", all);
}

static void glance(FILE *fp, const replication *r, const ig_replication_part *part, int n)
{
    fputs(
        "<section id=\"glance\"><h2>At a glance</h2>\n<div class=\"scroll\"><table><thead><tr>"
        "<th></th>"
        "<th class=\"n\">supported</th><th class=\"n\">contradicted</th><th class=\"n\">mixed</th>"
        "<th class=\"n\">undecided</th><th class=\"n\">not measured</th><th "
        "class=\"n\">claims</th></tr></thead><tbody>\n",
        fp);
    for (int i = 0; i < n; i++)
        if (begins(r, part, i))
            glance_row(fp, r, part[i].folder, part[i].paper);
    glance_row(fp, r, NULL, "All");
    fputs("</tbody></table></div>\n<p>Each comparison is a paired sign-flip permutation test over "
          "the seeds that both sides share, two-sided, with Holm\xE2\x80\x99s correction over the "
          "comparisons of its experiment, decided below .05. Bars are 95 % intervals of more "
          "\xE2\x88\x92 less; the line is 0. A claim that several "
          "experiments test is supported where all that measured it support it, and mixed where "
          "they disagree; they may share runs. Models are small, and many claims stand on a "
          "proxy: each says which. Costs are by the number of operations; <code>isoglot run "
          "FILE --dry-run</code> times them on your machine.</p></section>\n",
          fp);
}

/* --- a claim ---------------------------------------------------------------------------------- */

/* The interval on a scale of its own, symmetric about 0. */
static void interval(FILE *fp, const ig_paired *p)
{
    enum { WIDE = 140, TALL = 14 };
    double most = fabs(p->mean);
    if (isfinite(p->interval.low))
        most = fmax(most, fmax(fabs(p->interval.low), fabs(p->interval.high)));
    if (!(most > 0))
        return;
    const double unit = (WIDE / 2. - 4) / most, middle = WIDE / 2.;
    fprintf(fp,
            "<svg class=\"interval\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "aria-hidden=\"true\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>",
            WIDE, TALL, WIDE, TALL, middle, middle, TALL);
    if (isfinite(p->interval.low))
        fprintf(fp, "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"7\" y2=\"7\"/>",
                middle + p->interval.low * unit, middle + p->interval.high * unit);
    fprintf(fp, "<circle cx=\"%.1f\" cy=\"7\" r=\"3\"/></svg>", middle + p->mean * unit);
}

static void comparison(FILE *fp, const ig_claimed *c)
{
    const ig_paired *p = &c->paired;
    ig_html_put(fp, "<tr><td class=\"s\"><code>%s</code></td>", c->what->text);
    if (c->missing != NULL) {
        ig_html_put(fp, "<td class=\"s\" colspan=\"4\">%s</td></tr>\n", c->missing);
        return;
    }
    fputs("<td>", fp);
    interval(fp, p);
    fprintf(fp, "</td><td>%+.3g [%.3g, %.3g]</td><td>n %lld, p %.2g</td><td class=\"s\">%s",
            p->mean, p->interval.low, p->interval.high, (long long)p->n, p->p_holm,
            ig_verdict_name(c->verdict));
    if (c->verdict == IG_CLAIM_UNDECIDED && c->seeds_needed >= 0)
        fprintf(fp, "; %lld seeds would decide", (long long)c->seeds_needed);
    fputs("</td></tr>\n", fp);
}

/* To the tables and the drawing that it rests on. */
static void links(FILE *fp, const ig_replication_part *p)
{
    if (p->n_table > 0) {
        ig_html_id(fp, " (<a href=\"#tables-", p->id);
        fprintf(fp, "\">table%s</a>", p->n_table > 1 ? "s" : "");
        if (p->figure != NULL)
            ig_html_put(fp, ", <a href=\"%s\">figure</a>", p->figure);
        fputs(")", fp);
    }
}

static void measured(FILE *fp, const test *t)
{
    fputs("<p class=\"test\">", fp);
    if (t->part->readme != NULL)
        ig_html_put(fp, "<a href=\"%s\">", t->part->readme);
    ig_html_put(fp, "%s/%s", t->part->folder, t->part->name);
    fprintf(fp, "%s: <span class=\"verdict-%d\">%s</span> on ",
            t->part->readme != NULL ? "</a>" : "", (int)t->result->verdict,
            ig_verdict_name(t->result->verdict));
    ig_html_text(fp, t->part->claims->data);
    char cost[IG_CLAIM_COST_TEXT];
    if (ig_claim_cost(cost, t->part->claims, t->result)[0] != '\0')
        fprintf(fp, "; at most %s would decide it", cost);
    links(fp, t->part);
    fputs("</p>\n<div class=\"scroll\"><table><tbody>\n", fp);
    for (int i = 0; i < t->result->claim->n_comparison; i++)
        comparison(fp, &t->result->compared[i]);
    fputs("</tbody></table></div>\n", fp);
}

/* Some comparison of it has values. */
static bool has_values(const ig_claim_result *c)
{
    for (int i = 0; i < c->claim->n_comparison; i++)
        if (c->compared[i].missing == NULL)
            return true;
    return false;
}

/* What nobody has measured: what is missing, or the commands that measure it. */
static void not_measured(FILE *fp, const replication *r, int first)
{
    for (int i = first; i < r->n; i++) {
        const test *t = &r->test[i];
        if (t->first != first || has_values(t->result))
            continue;
        if (t->result->claim->needs != NULL) {
            ig_html_put(fp, "<p class=\"test\">It needs %s.</p>\n", t->result->claim->needs);
            continue;
        }
        ig_html_put(fp, "<p class=\"test\"><code>%s", t->part->run);
        char cost[IG_CLAIM_COST_TEXT];
        fprintf(fp, "</code> measures it: at most %s.</p>\n",
                ig_claim_cost(cost, t->part->claims, t->result));
    }
}

/* `number`: of the claim among those of its folder. */
static void claim(FILE *fp, const replication *r, int first, int number)
{
    const ig_claim *c = r->test[first].result->claim;
    const int v = verdict_of(r, first);
    bool any = false;
    fprintf(fp,
            "<article class=\"claim\" id=\"%s-%d\"><h3><span class=\"verdict-%d\">%s</span> %d. ",
            r->test[first].part->folder, number, v, verdict_name(v), number);
    ig_html_put(fp, "%s</h3>\n<p class=\"source\">%s", c->text,
                c->source != NULL ? c->source : "not in a paper");
    if (c->proxy != NULL)
        ig_html_put(fp, "; here a proxy for %s", c->proxy);
    fputs("</p>\n", fp);
    for (int i = first; i < r->n; i++)
        if (r->test[i].first == first && has_values(r->test[i].result)) {
            measured(fp, &r->test[i]);
            any = true;
        }
    if (!any)
        not_measured(fp, r, first);
    fputs("</article>\n", fp);
}

/* What a part's claims rest on. */
static ig_code tables(FILE *fp, const ig_replication_part *p, ig_err *err)
{
    if (p->n_table == 0)
        return IG_ERR_OK;
    ig_html_id(fp, "<section id=\"tables-", p->id);
    ig_html_put(fp, "\"><h2>%s/%s</h2>\n<details><summary>Tables</summary>\n", p->folder, p->name);
    char id[160];
    snprintf(id, sizeof id, "%s-", p->id);
    for (int i = 0; i < p->n_table; i++)
        IG_TRY(ig_page_table(fp, id, p->table[i], NULL, true, err));
    fputs("</details></section>\n", fp);
    return IG_ERR_OK;
}

ig_code ig_replication_write(FILE *fp, const ig_replication_part *part, int n, ig_err *err)
{
    replication r = {0};
    IG_TRY(gather(&r, part, n, err));
    ig_page_head(fp, "The replication", NULL);
    fputs(
        "<header>\n<p class=\"over\">isoglot</p>\n<h1>The replication</h1>\n<p class=\"question\">"
        "What do papers claim about why a masked language model becomes multilingual, and what "
        "do runs say of it?</p>\n</header>\n<main>\n",
        fp);
    glance(fp, &r, part, n);
    for (int i = 0; i < n; i++) {
        if (!begins(&r, part, i))
            continue;
        ig_html_id(fp, "<section id=\"", part[i].folder);
        ig_html_put(fp, "\"><h2>%s</h2>\n", part[i].paper);
        for (int k = 0, number = 0; k < r.n; k++)
            if (in_folder(&r, k, part[i].folder))
                claim(fp, &r, k, ++number);
        fputs("</section>\n", fp);
    }
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        code = tables(fp, &part[i], err);
    fputs("</main>\n</body>\n</html>\n", fp);
    ig_free(r.test);
    return code;
}
