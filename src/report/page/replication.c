/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the page of a replication. A claim that several experiments measured is mixed where one
 * supports it, or a part of it, that another contradicts, and partly supported where some support
 * it and the rest leave it open: they may share runs, so that none of them outvotes another.
 */
#include "report/page/replication.h"
#include "base/memory.h"
#include "base/pool.h"
#include "report/page/page.h"

#include <math.h>
#include <string.h>

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

/* Returns whether a test supports the claim, or a part of it, that another contradicts. */
static bool contradict(const ig_claim_result *no, const ig_claim_result *yes)
{
    if (no->verdict != IG_CLAIM_CONTRADICTED || yes->verdict != IG_CLAIM_PARTLY)
        return no->verdict == IG_CLAIM_CONTRADICTED && yes->verdict == IG_CLAIM_SUPPORTED;
    for (int i = 0; i < no->claim->n_comparison; i++)
        for (int k = 0; k < yes->claim->n_comparison; k++) {
            const ig_claimed *x = &no->compared[i], *y = &yes->compared[k];
            if (x->verdict == IG_CLAIM_CONTRADICTED && y->verdict == IG_CLAIM_SUPPORTED &&
                x->what->role != IG_CLAIM_PREMISE && x->what->role == y->what->role &&
                strcmp(x->what->text, y->what->text) == 0)
                return true;
        }
    return false;
}

static bool is_mixed(const replication *r, int first)
{
    for (int i = first; i < r->n; i++)
        for (int k = first; k < r->n && r->test[i].first == first; k++)
            if (r->test[k].first == first && contradict(r->test[i].result, r->test[k].result))
                return true;
    return false;
}

/* The verdict over all tests of the claim that occurs first at `first`. */
static int verdict_of(const replication *r, int first)
{
    /* Where no test decides, the first of these that a test has. */
    static const int else_first[] = {IG_CLAIM_UNDECIDED, IG_CLAIM_NOT_TESTABLE, IG_CLAIM_AT_FLOOR,
                                     IG_CLAIM_NOT_COMPARABLE};
    int n[IG_N_VERDICT] = {0};
    for (int i = first; i < r->n; i++)
        if (r->test[i].first == first)
            n[r->test[i].result->verdict]++;
    if (n[IG_CLAIM_CONTRADICTED] > 0)
        return is_mixed(r, first) ? IG_PAGE_MIXED : IG_CLAIM_CONTRADICTED;
    if (n[IG_CLAIM_SUPPORTED] + n[IG_CLAIM_PARTLY] > 0)
        return n[IG_CLAIM_PARTLY] + n[IG_CLAIM_UNDECIDED] > 0 ? IG_CLAIM_PARTLY
                                                              : IG_CLAIM_SUPPORTED;
    for (size_t i = 0; i < sizeof else_first / sizeof *else_first; i++)
        if (n[else_first[i]] > 0)
            return else_first[i];
    return IG_CLAIM_NOT_MEASURED;
}

static bool in_folder(const replication *r, int i, const char *folder)
{
    return r->test[i].first == i && strcmp(r->test[i].part->folder, folder) == 0;
}

/* Returns whether this part begins a folder that has claims of its own. */
static bool begins(const replication *r, const ig_replication_part *part, int i)
{
    if (i > 0 && strcmp(part[i - 1].folder, part[i].folder) == 0)
        return false;
    for (int k = 0; k < r->n; k++)
        if (in_folder(r, k, part[i].folder))
            return true;
    return false;
}

int ig_paper_name_length(const char *paper)
{
    for (const char *p = paper; *p != '\0'; p++)
        if (strspn(p, "0123456789") == 4 && (p[4] == ',' || p[4] == '\0'))
            return (int)(p + 4 - paper);
    return (int)strlen(paper);
}

/* Claims without a source are of no paper: they are counted apart. */
static bool is_ours(const replication *r, int i)
{
    return r->test[i].result->claim->source == NULL;
}

static bool is_paper(const char *paper)
{
    return strncmp(paper, "not in a paper", 14) != 0;
}

/* --- at a glance ------------------------------------------------------------------------------ */

/* Counts the claims of a folder, NULL: of all, that are of the paper, or those that are not.
 * NULL: there are none. */
static json_t *glance_row(const replication *r, const char *folder, const char *title, bool ours)
{
    json_t *counts = json_array();
    int n[IG_PAGE_N_VERDICT] = {0}, all = 0;
    for (int i = 0; i < r->n; i++)
        if (is_ours(r, i) == ours &&
            (folder == NULL ? r->test[i].first == i : in_folder(r, i, folder))) {
            n[verdict_of(r, i)]++;
            all++;
        }
    if (all == 0) {
        json_decref(counts);
        return NULL;
    }
    for (int v = 0; v < IG_PAGE_N_VERDICT; v++)
        json_array_append_new(counts, json_pack("{s:s, s:i}", "verdict",
                                                ig_page_verdict_name(ig_page_verdict_order[v]), "n",
                                                n[ig_page_verdict_order[v]]));
    char name[200];
    snprintf(name, sizeof name, "%.*s", ig_paper_name_length(title), title);
    json_t *row =
        ig_page_texts("folder", folder, "title", ours && folder != NULL ? folder : name, NULL);
    json_object_set_new(row, "ours", json_boolean(ours));
    json_object_set_new(row, "counts", counts);
    json_object_set_new(row, "all", json_integer(all));
    return row;
}

/* --- a claim ---------------------------------------------------------------------------------- */

/* The interval on a scale of its own, symmetric about 0. */
static json_t *interval(const ig_contrast *p)
{
    enum { WIDE = 140 };
    const bool bar = isfinite(p->interval.low);
    double most = fabs(p->mean);
    if (bar)
        most = fmax(most, fmax(fabs(p->interval.low), fabs(p->interval.high)));
    if (!(most > 0))
        return json_null();
    const double unit = (WIDE / 2. - 4) / most, middle = WIDE / 2.;
    json_t *out =
        json_pack("{s:o, s:b}", "mean", json_sprintf("%.1f", middle + p->mean * unit), "bar", bar);
    json_object_set_new(out, "low", json_sprintf("%.1f", middle + p->interval.low * unit));
    json_object_set_new(out, "high", json_sprintf("%.1f", middle + p->interval.high * unit));
    return out;
}

static json_t *comparison(const ig_claimed *c)
{
    const ig_contrast *p = &c->tested;
    const ig_claim_role role = c->what->role;
    json_t *out =
        ig_page_texts("role", role == IG_CLAIM_STATEMENT ? NULL : ig_claim_role_name(role), "text",
                      c->what->text, "missing", c->missing, NULL);
    if (c->missing != NULL)
        return out;
    json_object_set_new(out, "interval", interval(p));
    json_object_set_new(out, "estimate",
                        isfinite(p->interval.low) ? json_sprintf("%+.3g [%.3g, %.3g]", p->mean,
                                                                 p->interval.low, p->interval.high)
                                                  : json_sprintf("%+.3g", p->mean));
    json_object_set_new(out, "test", json_sprintf("n %lld", (long long)p->n));
    json_object_set_new(out, "verdict", json_string(ig_verdict_name(c->verdict)));
    json_object_set_new(out, "seeds",
                        c->verdict == IG_CLAIM_UNDECIDED && c->seeds_needed >= 0
                            ? json_integer(c->seeds_needed)
                            : json_null());
    return out;
}

static json_t *cost_of(const test *t)
{
    char cost[IG_CLAIM_COST_TEXT];
    return ig_page_text(ig_claim_cost(cost, t->part->claims, t->result));
}

/* `of`: the claim as it first occurs; what a variant says otherwise is said beside its test. */
static json_t *measured(const test *t, const ig_claim *of)
{
    const ig_replication_part *p = t->part;
    json_t *compared = json_array();
    json_t *out =
        ig_page_texts("readme", p->readme, "figure", p->figure, "folder", p->folder, "name",
                      p->name, "data", p->claims->data, "id", p->n_table > 0 ? p->id : NULL,
                      "verdict", ig_verdict_name(t->result->verdict), NULL);
    if (t->result->n_spread > 0)
        json_object_set_new(
            out, "within",
            json_sprintf("%d of %d means", t->result->n_within, t->result->n_spread));
    for (int i = 0; i < t->result->claim->n_comparison; i++)
        json_array_append_new(compared, comparison(&t->result->compared[i]));
    const ig_claim *c = t->result->claim;
    if (c->caveat != NULL && !same_text(c->caveat, of->caveat))
        json_object_set_new(out, "caveat", json_string(c->caveat));
    if (c->after != NULL && !same_text(c->after, of->after))
        json_object_set_new(out, "after", json_string(c->after));
    if (c->earlier_looks > 0)
        json_object_set_new(out, "looks", json_integer(1 + c->earlier_looks));
    json_object_set_new(out, "number", json_integer(t->result->verdict));
    json_object_set_new(out, "cost", cost_of(t));
    json_object_set_new(out, "tables", json_boolean(p->n_table > 1));
    json_object_set_new(out, "comparisons", compared);
    return out;
}

/* Some comparison of the claim has values. */
static bool has_values(const ig_claim_result *c)
{
    for (int i = 0; i < c->claim->n_comparison; i++)
        if (c->compared[i].missing == NULL)
            return true;
    return false;
}

/* Returns whether test i of a claim goes before test k: natural text before generated text, then
 * the larger, then the one that occurs first. */
static bool goes_before(const replication *r, int i, int k)
{
    const ig_replication_part *a = r->test[i].part, *b = r->test[k].part;
    if (a->natural != b->natural)
        return a->natural;
    return a->size > b->size || (!(a->size < b->size) && i < k);
}

/* The test with values of the claim that goes next after test `last`, −1: the first; −1: none. */
static int next_test(const replication *r, int first, int last)
{
    int next = -1;
    for (int i = first; i < r->n; i++)
        if (r->test[i].first == first && has_values(r->test[i].result) &&
            (last < 0 || goes_before(r, last, i)) && (next < 0 || goes_before(r, i, next)))
            next = i;
    return next;
}

/* `number`: of the claim among those of its folder. A claim without measurements lists what is
 * missing, or the commands that measure it. */
static json_t *claim(const replication *r, int first, int number)
{
    const ig_claim *c = r->test[first].result->claim;
    const int v = verdict_of(r, first);
    json_t *tests = json_array(), *missing = json_array(), *needs;
    json_t *out = ig_page_texts("folder", r->test[first].part->folder, "verdict",
                                ig_page_verdict_name(v), "text", c->text, "source", c->source,
                                "proxy", c->proxy, "caveat", c->caveat, "after", c->after, NULL);
    for (int i = next_test(r, first, -1); i >= 0; i = next_test(r, first, i))
        json_array_append_new(tests, measured(&r->test[i], c));
    for (int i = first; i < r->n; i++) {
        const test *t = &r->test[i];
        if (t->first != first || has_values(t->result))
            continue;
        needs = ig_page_texts("needs", t->result->claim->needs, "run", t->part->run, NULL);
        json_object_set_new(needs, "cost", cost_of(t));
        json_array_append_new(missing, needs);
    }
    bool stated = false, numbers = c->source == NULL;
    for (int i = first; i < r->n; i++) {
        if (r->test[i].first != first)
            continue;
        stated = stated || r->test[i].result->claim->n_comparison > 0;
        numbers = numbers || r->test[i].result->on_paper == IG_ON_PAPER_HOLDS;
    }
    json_object_set_new(out, "numberless", json_boolean(stated && !numbers));
    json_object_set_new(out, "number", json_integer(number));
    json_object_set_new(out, "verdict_number", json_integer(v));
    json_object_set_new(out, "tests", tests);
    json_object_set_new(out, "missing", missing);
    return out;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Makes what the claims of a folder come to, with links to them; folder NULL: of all papers. */
static ig_code answer(json_t **out, const replication *r, const char *folder, ig_err *err)
{
    IG_OWNED ig_page_claim *claim = NULL;
    ig_pool pool = {0};
    int n = 0;
    IG_TRY(ig_alloc(&claim, r->n, sizeof *claim, "claims", err));
    ig_code code = IG_ERR_OK;
    for (int k = 0, number = 0; k < r->n && code == IG_ERR_OK; k++) {
        if (folder == NULL ? r->test[k].first != k : !in_folder(r, k, folder))
            continue;
        number++;
        if (is_ours(r, k) && (folder == NULL || is_paper(r->test[k].part->paper)))
            continue;
        ig_page_claim *c = &claim[n++];
        const int best = next_test(r, k, -1);
        *c = (ig_page_claim){.result = r->test[best >= 0 ? best : k].result,
                             .verdict = verdict_of(r, k)};
        for (int i = k; i < r->n; i++)
            c->n_test += r->test[i].first == k && has_values(r->test[i].result);
        /* The first test that gives the claim's verdict has the number for it. */
        for (int i = best; i >= 0 && (int)c->result->verdict != c->verdict; i = next_test(r, k, i))
            c->result = r->test[i].result;
        code = ig_pool_print(&pool, &c->link, err, "#%s-%d", r->test[k].part->folder, number);
    }
    *out = code == IG_ERR_OK ? ig_page_answer(claim, n) : NULL;
    ig_pool_free(&pool);
    return code;
}

/* A paper or a question of one's own: its claims, what they come to, its picture. */
static ig_code add_paper(json_t *papers, const replication *r, const ig_replication_part *part,
                         const ig_replication_part *pictured, ig_err *err)
{
    json_t *claims = json_array(), *sum;
    char name[200];
    const int n = ig_paper_name_length(part->paper);
    snprintf(name, sizeof name, "%.*s", n, part->paper);
    json_t *paper =
        ig_page_texts("folder", part->folder, "paper", part->paper, "name", name, "title",
                      part->paper + n + strspn(part->paper + n, ", "), "readme", part->readme,
                      "picture", pictured != NULL ? pictured->picture : NULL, "caption",
                      pictured != NULL ? pictured->caption : NULL, NULL);
    json_array_append_new(papers, paper);
    json_object_set_new(paper, "claims", claims);
    json_object_set_new(paper, "card", json_boolean(is_paper(part->paper)));
    for (int k = 0, number = 0; k < r->n; k++)
        if (in_folder(r, k, part->folder))
            json_array_append_new(claims, claim(r, k, ++number));
    IG_TRY(answer(&sum, r, part->folder, err));
    json_object_set_new(paper, "answer", sum);
    return IG_ERR_OK;
}

static void add_row(json_t *rows, json_t *row)
{
    if (row != NULL)
        json_array_append_new(rows, row);
}

/* The papers, and a row of counts for each; after them the claims that are in no paper. */
static ig_code add_papers(json_t *data, const replication *r, const ig_replication_part *part,
                          int n, ig_err *err)
{
    enum { PICTURES = 3 }; /* on the first screen */
    json_t *papers = json_array(), *rows = json_array(), *sum;
    int n_picture = 0;
    json_object_set_new(data, "papers", papers);
    json_object_set_new(data, "glance", rows);
    for (int i = 0; i < n; i++)
        if (begins(r, part, i)) {
            const ig_replication_part *pictured = NULL;
            for (int k = i; k < n && pictured == NULL && n_picture < PICTURES; k++)
                if (is_paper(part[i].paper) && part[k].picture != NULL &&
                    strcmp(part[k].folder, part[i].folder) == 0)
                    pictured = &part[k];
            n_picture += pictured != NULL;
            IG_TRY(add_paper(papers, r, &part[i], pictured, err));
            add_row(rows, glance_row(r, part[i].folder, part[i].paper, false));
        }
    add_row(rows, glance_row(r, NULL, "All papers", false));
    for (int i = 0; i < n; i++)
        if (begins(r, part, i))
            add_row(rows, glance_row(r, part[i].folder, part[i].paper, true));
    IG_TRY(answer(&sum, r, NULL, err));
    json_object_set_new(data, "answer", sum);
    return IG_ERR_OK;
}

/* Adds the tables that the claims rest on. */
static ig_code add_tables(json_t *data, const ig_replication_part *part, int n, ig_err *err)
{
    json_t *all = json_array(), *tables, *t;
    json_object_set_new(data, "parts", all);
    for (int i = 0; i < n; i++) {
        char id[160];
        snprintf(id, sizeof id, "%s-", part[i].id);
        if (part[i].n_table == 0)
            continue;
        t = ig_page_texts("id", part[i].id, "folder", part[i].folder, "name", part[i].name, NULL);
        json_object_set_new(t, "tables", tables = json_array());
        json_array_append_new(all, t);
        for (int k = 0; k < part[i].n_table; k++) {
            IG_TRY(ig_page_table(&t, id, part[i].table[k], true, err));
            json_array_append_new(tables, t);
        }
    }
    return IG_ERR_OK;
}

ig_code ig_replication_count(int n_verdict[IG_PAGE_N_VERDICT], const ig_replication_part *part,
                             int n, ig_err *err)
{
    replication r = {0};
    memset(n_verdict, 0, IG_PAGE_N_VERDICT * sizeof *n_verdict);
    IG_TRY(gather(&r, part, n, err));
    for (int i = 0; i < r.n; i++)
        if (r.test[i].first == i && !is_ours(&r, i))
            n_verdict[verdict_of(&r, i)]++;
    ig_free(r.test);
    return IG_ERR_OK;
}

ig_code ig_replication_write(FILE *fp, const ig_replication_part *part, int n, ig_err *err)
{
    replication r = {0};
    json_t *data = json_pack("{s:s}", "title", "The replication");
    ig_page_head(data, false);
    ig_code code = gather(&r, part, n, err);
    IG_THEN(code, add_papers(data, &r, part, n, err));
    IG_THEN(code, add_tables(data, part, n, err));
    IG_THEN(code, ig_page_put(fp, "replication", data, err));
    json_decref(data);
    ig_free(r.test);
    return code;
}
