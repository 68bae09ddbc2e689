/* SPDX-License-Identifier: Apache-2.0
 *
 * The page: its head, the results, and the order of its sections. HTML that is well-formed XML,
 * with its style (page.css) and script (page.js) inside; the policy in its head lets a browser load
 * nothing and run no script but ours, by its SHA-256.
 */
#include "report/page/page.h"
#include "base/output/written.h"
#include "base/sha256.h"
#include "report/table/html.h"
#include "report/page/page_parts.h"

#include <openssl/evp.h>
#include <string.h>

/* page.css and page.js, put into the program by the build (cmake/embed.cmake). */
extern const char ig_page_css[], ig_page_js[];
extern const int64_t ig_page_css_size, ig_page_js_size;

static int hex_digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The script's hash as a content security policy writes it. */
static ig_code script_hash(char out[48], ig_err *err)
{
    char hex[IG_SHA256_HEX];
    unsigned char raw[32];
    IG_TRY(ig_sha256_of(hex, ig_page_js, ig_page_js_size, err));
    for (int i = 0; i < 32; i++)
        raw[i] = (unsigned char)(hex_digit(hex[2 * i]) * 16 + hex_digit(hex[2 * i + 1]));
    EVP_EncodeBlock((unsigned char *)out, raw, 32);
    return IG_ERR_OK;
}

void ig_page_head(FILE *fp, const char *title, const char *script)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n" IG_PAGE_GENERATOR
          " report\"/>\n",
          fp);
    fprintf(fp,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
            "style-src &#39;unsafe-inline&#39;; img-src data:; base-uri &#39;none&#39;; "
            "form-action &#39;none&#39;; script-src %s%s%s\"/>\n<title>",
            script != NULL ? "&#39;sha256-" : "&#39;none", script != NULL ? script : "", "&#39;");
    ig_html_put(fp, "%s</title>\n<style>", title);
    fwrite(ig_page_css, 1, (size_t)ig_page_css_size, fp);
    fputs("</style>\n</head>\n<body>\n", fp);
}

static ig_code head(FILE *fp, const ig_page *p, ig_err *err)
{
    char hash[48];
    IG_TRY(script_hash(hash, err));
    ig_page_head(fp, p->title != NULL ? p->title : p->name, hash);
    return IG_ERR_OK;
}

/* One line on how far it is. */
static void progress(FILE *fp, const ig_page *p)
{
    int64_t n[IG_RUN_DONE + 1] = {0}, all = p->results->store->n_entry;
    for (int i = 0; i < p->results->n_cell; i++)
        for (int s = 0; s <= IG_RUN_DONE; s++)
            n[s] += p->results->cell[i].n_status[s];
    fprintf(fp, "<p class=\"progress\"><span>%d cell%s</span> <span>%lld run%s</span> ",
            p->results->n_cell, p->results->n_cell == 1 ? "" : "s", (long long)all,
            all == 1 ? "" : "s");
    if (n[IG_RUN_DONE] == all) {
        fputs("<span>all done</span>", fp);
    } else {
        for (int s = IG_RUN_DONE; s >= 0; s--)
            if (n[s] > 0)
                fprintf(fp, "<span class=\"%s\">%lld %s</span> ",
                        ig_run_status_name((ig_run_status)s), (long long)n[s],
                        ig_run_status_name((ig_run_status)s));
        fputs("<a href=\"#missing\">what is missing</a>", fp);
    }
    fputs("</p>\n", fp);
}

static void header(FILE *fp, const ig_page *p)
{
    ig_html_put(fp,
                "<header>\n<p class=\"over\">isoglot experiment <span>%s</span></p>\n<h1>%s</h1>\n",
                p->name, p->title != NULL ? p->title : p->name);
    if (p->question != NULL)
        ig_html_put(fp, "<p class=\"question\">%s</p>\n", p->question);
    if (p->paper != NULL)
        ig_html_put(fp, "<p class=\"paper\">After %s</p>\n", p->paper);
    progress(fp, p);
    fputs("<nav aria-label=\"Sections\"><ul>", fp);
    for (int i = 0; i < p->n_table; i++) {
        ig_html_id(fp, "<li><a href=\"#table-", p->table[i]->name);
        ig_html_put(fp, "\">%s</a></li>", p->table[i]->title);
    }
    if (p->claims != NULL)
        fputs("<li><a href=\"#table-claims\">Claims</a></li>", fp);
    if (p->n_figure > 0)
        fputs("<li><a href=\"#figures\">Figures</a></li>", fp);
    if (ig_page_has_missing(p))
        fputs("<li><a href=\"#missing\">What is missing</a></li>", fp);
    fputs("<li><a href=\"#setup\">Setup</a></li><li><a href=\"#runs\">Runs</a></li>"
          "<li><a href=\"#statistics\">Statistics</a></li></ul></nav>\n</header>\n<main>\n",
          fp);
    if (p->note != NULL)
        ig_html_put(fp, "<section class=\"text\"><p>%s</p></section>\n", p->note);
}

/* Which lines of the tables are shown is chosen without a script, by the style. */
static void switches(FILE *fp, const ig_page *p)
{
    static const struct {
        const char *key, *label;
        bool on;
    } lines[] = {{"sd", "spread", true},
                 {"interval", "95 % intervals", false},
                 {"paper", "the paper\xE2\x80\x99s numbers", true},
                 {"difference", "ours \xE2\x88\x92 the paper", false},
                 {"compare", "comparison with the base", false}};
    bool any[sizeof lines / sizeof *lines] = {true};
    for (int t = 0; t < p->n_table; t++)
        for (int64_t r = 0; r < p->table[t]->n_row; r++)
            for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
                any[i] = any[i] || (p->table[t]->row[r].kind == IG_ROW_SUB &&
                                    strcmp(p->table[t]->row[r].key, lines[i].key) == 0);
    fputs("<fieldset class=\"switches\"><legend>Show</legend>", fp);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (any[i])
            fprintf(fp, "<label><input type=\"checkbox\" id=\"show-%s\"%s/> %s</label> ",
                    lines[i].key, lines[i].on ? " checked=\"checked\"" : "", lines[i].label);
    fputs("</fieldset>\n", fp);
}

ig_code ig_page_table(FILE *fp, const char *id, const ig_table *t, const ig_page *p, bool brief,
                      ig_err *err)
{
    fputs("<section class=\"result\" id=\"", fp);
    ig_html_id(fp, id, t->name);
    ig_html_put(fp, "\">\n<h2>%s</h2>\n", t->title);
    if (t->caption != NULL && t->caption[0] != '\0')
        ig_html_put(fp, "<p class=\"caption\">%s</p>\n", t->caption);
    if (p != NULL)
        switches(fp, p);
    ig_html_put(fp, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
                t->title);
    IG_TRY(ig_table_html(fp, t, brief, err));
    fputs("</div>\n", fp);
    if (t->n_note > 0)
        fputs("<ul class=\"notes\">\n", fp);
    for (int k = 0; k < t->n_note; k++)
        ig_html_put(fp, "<li>%s</li>\n", t->note[k]);
    fputs(t->n_note > 0 ? "</ul>\n</section>\n" : "</section>\n", fp);
    return IG_ERR_OK;
}

static ig_code tables(FILE *fp, const ig_page *p, ig_err *err)
{
    const bool many = p->results->store->n_entry > IG_PAGE_MANY_RUNS;
    for (int i = 0; i < p->n_table; i++)
        IG_TRY(ig_page_table(fp, "table-", p->table[i], i == 0 ? p : NULL, many, err));
    return p->claims != NULL ? ig_page_table(fp, "table-", p->claims, NULL, many, err) : IG_ERR_OK;
}

static void drawing(FILE *fp, const ig_page_figure *f)
{
    const char *alt = f->alt != NULL ? f->alt : f->title != NULL ? f->title : f->name;
    if (f->svg == NULL) {
        ig_html_put(fp, "<p class=\"undrawn\">Not drawn: %s</p>\n", f->missing);
        return;
    }
    fprintf(fp, "<div class=\"drawing%s\"", f->wide ? " wide" : "");
    fputs(" role=\"img\" aria-label=\"", fp);
    ig_html_text(fp, alt);
    fprintf(fp, "\">%s</div>\n", f->svg);
}

static void figures(FILE *fp, const ig_page *p)
{
    if (p->n_figure == 0)
        return;
    fputs("<section class=\"figures\" id=\"figures\">\n<h2>Figures</h2>\n", fp);
    for (int i = 0; i < p->n_figure; i++) {
        const ig_page_figure *f = &p->figure[i];
        ig_html_id(fp, "<figure id=\"figure-", f->name);
        fputs("\">\n", fp);
        drawing(fp, f);
        ig_html_put(fp, "<figcaption><strong>%s</strong>", f->title != NULL ? f->title : f->name);
        if (f->caption != NULL)
            ig_html_put(fp, ". %s", f->caption);
        if (f->onset != NULL)
            ig_html_put(fp, " <span class=\"onset\">%s</span>", f->onset);
        if (f->missing != NULL && f->svg != NULL)
            ig_html_put(fp, " <span class=\"caution\">Left out: %s</span>", f->missing);
        fputs("</figcaption>\n</figure>\n", fp);
    }
    fputs("</section>\n", fp);
}

static void statistics(FILE *fp)
{
    fputs(
        "<section class=\"text\" id=\"statistics\">\n<h2>Statistics</h2>\n<dl>\n"
        "<dt>mean \xC2\xB1 sd</dt><dd>over the seeds of a cell; the standard deviation is that of "
        "the sample (divisor n \xE2\x88\x92 1). Runs are averaged only when they differ in "
        "nothing but the seed.</dd>\n"
        "<dt>95 % interval</dt><dd>of the mean over seeds, by Student's t of a share's logit and "
        "of a size's logarithm; none of one seed.</dd>\n"
        "<dt>comparison with the base</dt><dd>over the seeds both cells have: mean of the paired "
        "differences, a two-sided sign-flip permutation test (exact up to 20 pairs), p adjusted "
        "over the rows of a column (Holm 1979). With n pairs no p can be below "
        "2<sup>1\xE2\x88\x92n</sup>.</dd>\n"
        "<dt>seeds that would show it</dt><dd>pairs a paired t test needs to find the observed "
        "difference at 5 % with power 0.8, and at least 6.</dd>\n"
        "<dt>order as the paper\xE2\x80\x99s</dt><dd>Kendall\xE2\x80\x99s \xCF\x84 (b) between our "
        "means and the paper\xE2\x80\x99s numbers over the rows that have both: 1, the same "
        "order; 0, unrelated; \xE2\x88\x92"
        "1, reversed.</dd>\n</dl>\n</section>\n",
        fp);
}

ig_code ig_page_write(FILE *fp, const ig_page *p, ig_err *err)
{
    ig_page_machines m = {0};
    IG_TRY(ig_page_machines_make(&m, p->results, err));
    ig_code code = head(fp, p, err);
    if (code == IG_ERR_OK) {
        header(fp, p);
        code = tables(fp, p, err);
    }
    if (code == IG_ERR_OK) {
        figures(fp, p);
        ig_page_missing(fp, p);
        code = ig_page_setup(fp, p, &m, err);
    }
    if (code == IG_ERR_OK) {
        ig_page_runs(fp, p, &m);
        statistics(fp);
        ig_html_put(fp, "</main>\n<footer><p>Made by <code>%s</code></p></footer>\n<script>",
                    p->report_command);
        fwrite(ig_page_js, 1, (size_t)ig_page_js_size, fp);
        fputs("</script>\n</body>\n</html>\n", fp);
    }
    ig_page_machines_free(&m);
    return code;
}
