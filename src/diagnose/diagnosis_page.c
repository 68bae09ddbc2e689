/* SPDX-License-Identifier: Apache-2.0
 *
 * See diagnosis_page.h. Two figures of what changes over the layers, one of what does not; then the
 * findings and all numbers.
 */
#include "diagnose/diagnosis_page.h"

#include "base/file.h"
#include "base/memory.h"
#include "diagnose/findings.h"
#include "report/figure/figure.h"
#include "report/page/page.h"
#include "report/table/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- figures */

/* The numbers of a figure, by their keys. */
static const char *const retrieval[] = {"retrieval_cosine",
                                        "retrieval_csls",
                                        "retrieval_margin",
                                        "retrieval_centred",
                                        "word_translation",
                                        "alignment_f1",
                                        NULL},
                         *const spaces[] = {"cka",      "probe",    "own_language",
                                            "constant", "isotropy", NULL};

static const ig_diagnose_number *find(const ig_diagnose_number *n, const char *key)
{
    while (n->key != NULL && strcmp(n->key, key) != 0)
        n++;
    return n->key != NULL ? n : NULL;
}

/* A number at a layer; of pairs the mean of those that have it. */
static double value_at(const ig_diagnosis *d, int layer, const char *key)
{
    const ig_diagnose_layer *l = &d->layer[layer];
    const ig_diagnose_number *number = find(ig_diagnose_layer_numbers, key);
    double sum = 0;
    int n = 0;
    if (number != NULL)
        return ig_diagnose_get(l, number);
    number = find(ig_diagnose_pair_numbers, key);
    for (int i = 0; i < d->n_pair; i++) {
        const double x = ig_diagnose_get(&l->pair[i], number);
        sum += isfinite(x) ? x : 0;
        n += isfinite(x);
    }
    return n > 0 ? sum / n : (double)NAN;
}

static const char *name_of(const char *key)
{
    const ig_diagnose_number *of_layer = find(ig_diagnose_layer_numbers, key);
    return (of_layer != NULL ? of_layer : find(ig_diagnose_pair_numbers, key))->name;
}

static bool is_measured(const ig_diagnosis *d, const char *key)
{
    for (int l = 0; l < d->n_layer; l++)
        if (isfinite(value_at(d, l, key)))
            return true;
    return false;
}

static ig_code fill_curves(ig_figure *f, ig_plot_curves *p, const ig_diagnosis *d,
                           const char *const *key, ig_err *err)
{
    double *y;
    p->x = (ig_plot_axis){"layer", IG_SCALE_LINEAR, 0, d->n_layer - 1};
    p->y = (ig_plot_axis){"", IG_SCALE_LINEAR, 0, 1};
    for (int i = 0; key[i] != NULL; i++)
        p->n_series += is_measured(d, key[i]);
    IG_TRY(ig_figure_series(f, &p->series, p->n_series, err));
    for (int i = 0, at = 0; key[i] != NULL; i++) {
        double *x;
        if (!is_measured(d, key[i]))
            continue;
        IG_TRY(ig_pool_alloc(&f->pool, &x, d->n_layer, sizeof *x, err));
        IG_TRY(ig_pool_alloc(&f->pool, &y, d->n_layer, sizeof *y, err));
        for (int l = 0; l < d->n_layer; l++) {
            x[l] = l;
            y[l] = value_at(d, l, key[i]);
        }
        ig_plot_series *s = &p->series[at++];
        s->name = name_of(key[i]);
        s->n = d->n_layer;
        s->x = x;
        s->y = y;
    }
    return IG_ERR_OK;
}

static ig_code fill_values(ig_figure *f, ig_plot_values *p, const ig_diagnosis *d,
                           double (*of)(const ig_diagnose_language *l), ig_err *err)
{
    double most = 0;
    for (int k = 0; k < d->n_language; k++)
        most = fmax(most, of(&d->language[k]));
    p->x.low = 0;
    if (most == 0)
        p->x.high = 1; /* an axis from 0 to 0 has no ends */
    p->n_value = d->n_language;
    IG_TRY(ig_pool_alloc(&f->pool, &p->value, d->n_language, sizeof *p->value, err));
    for (int k = 0; k < d->n_language; k++)
        p->value[k] = (ig_plot_value){.name = d->language[k].name,
                                      .value = of(&d->language[k]),
                                      .low = (double)NAN,
                                      .high = (double)NAN,
                                      .reference = (double)NAN};
    return IG_ERR_OK;
}

static ig_code put_figure(FILE *fp, ig_figure *f, const char *id, const char *caption, ig_err *err)
{
    char *svg;
    IG_TRY(ig_figure_svg(&svg, f, id, err));
    fprintf(fp, "<figure><div class=\"drawing\">%s</div><figcaption><strong>", svg);
    ig_html_put(fp, "%s</strong> %s</figcaption></figure>\n", f->title, caption);
    ig_free(svg);
    return IG_ERR_OK;
}

static ig_code draw_curves(FILE *fp, const ig_diagnosis *d, const char *title, const char *caption,
                           bool second, ig_err *err)
{
    ig_figure f = {.title = title};
    ig_panel *p;
    ig_code code = ig_figure_panels(&f, IG_PLOT_CURVES, 1, &p, err);
    IG_THEN(code, fill_curves(&f, &p->as.curves, d, second ? spaces : retrieval, err));
    if (code == IG_ERR_OK && p->as.curves.n_series > 0)
        code = put_figure(fp, &f, second ? "spaces" : "retrieval", caption, err);
    ig_figure_free(&f);
    return code;
}

static ig_code draw_coverage(FILE *fp, const ig_diagnosis *d, ig_err *err)
{
    static const struct {
        const char *title;
        double (*of)(const ig_diagnose_language *l);
    } panel[] = {{"pieces a word", ig_diagnose_pieces_per_word},
                 {"bytes a piece", ig_diagnose_bytes_per_piece},
                 {"share unknown", ig_diagnose_unknown}};
    ig_figure f = {.title = "The vocabulary, language by language.", .columns = 1};
    ig_panel *p;
    ig_code code = ig_figure_panels(&f, IG_PLOT_VALUES, 3, &p, err);
    for (int i = 0; i < 3 && code == IG_ERR_OK; i++) {
        p[i].title = panel[i].title;
        code = fill_values(&f, &p[i].as.values, d, panel[i].of, err);
    }
    IG_THEN(code,
            put_figure(fp, &f, "coverage",
                       "Many pieces a word and few bytes a piece: the vocabulary hardly knows "
                       "the language. Unknown pieces are lost to the model.",
                       err));
    ig_figure_free(&f);
    return code;
}

/* --- text and tables */

static void header(FILE *fp, const ig_diagnosis *d, const char *model)
{
    ig_html_put(fp,
                "<header>\n<p class=\"over\">isoglot diagnose</p>\n<h1>%s</h1>\n<p "
                "class=\"question\">How alike are its spaces of ",
                model);
    for (int k = 0; k < d->n_language; k++) {
        fputs(k == 0 ? "" : k == d->n_language - 1 ? " and " : ", ", fp);
        ig_html_text(fp, d->language[k].name);
    }
    fprintf(fp,
            ", layer by layer?</p>\n<p class=\"progress\"><span>%d layers of %d</span> "
            "<span>%s texts</span></p>\n</header>\n<main>\n",
            d->n_layer - 1, d->d, d->parallel ? "parallel" : "unrelated");
}

static ig_code findings(FILE *fp, const ig_diagnosis *d, const char *model, ig_err *err)
{
    ig_findings f;
    ig_code code = ig_findings_make(&f, d, model, err);
    fputs("<section class=\"text\" id=\"findings\"><h2>What to know, and what to do</h2>\n<ul>\n",
          fp);
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        ig_html_put(fp, "<li><p>%s</p>", f.finding[i].text);
        if (f.finding[i].command != NULL)
            ig_html_put(fp, "<pre class=\"command\"><code>%s</code></pre>", f.finding[i].command);
        fputs("</li>\n", fp);
    }
    fputs("</ul></section>\n", fp);
    ig_findings_free(&f);
    return code;
}

static void cell(FILE *fp, double x, int digits)
{
    if (isfinite(x))
        fprintf(fp, "<td>%.*f</td>", digits, x);
    else
        fputs("<td>\xE2\x80\x93</td>", fp);
}

static void head_row(FILE *fp, const char *title, const char *const *column, int n)
{
    ig_html_put(fp, "<section class=\"result\"><h2>%s</h2><div class=\"scroll\"><table><thead><tr>",
                title);
    for (int i = 0; i < n; i++)
        fprintf(fp, "<th class=\"%s\" scope=\"col\">%s</th>", i == 0 ? "s" : "n", column[i]);
    fputs("</tr></thead><tbody>\n", fp);
}

static void end_table(FILE *fp)
{
    fputs("</tbody></table></div></section>\n", fp);
}

static void languages_table(FILE *fp, const ig_diagnosis *d)
{
    static const char *const column[] = {"language", "sentences",     "pieces a word",
                                         "unknown",  "bytes a piece", "pseudo-perplexity"};
    head_row(fp, "Languages", column, 6);
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        ig_html_put(fp, "<tr><th scope=\"row\">%s", l->name);
        fprintf(fp, "</th><td>%lld</td>", (long long)l->n_sentence);
        cell(fp, ig_diagnose_pieces_per_word(l), 2);
        cell(fp, ig_diagnose_unknown(l), 4);
        cell(fp, ig_diagnose_bytes_per_piece(l), 2);
        cell(fp, l->perplexity, 1);
        fputs("</tr>\n", fp);
    }
    end_table(fp);
}

static void layers_table(FILE *fp, const ig_diagnosis *d)
{
    static const char *const column[] = {"layer", "language probe", "isotropy", "constant part",
                                         "mean cosine"};
    head_row(fp, "Layers", column, 5);
    for (int l = 0; l < d->n_layer; l++) {
        fprintf(fp, "<tr><th scope=\"row\">%d</th>", l);
        for (const ig_diagnose_number *n = ig_diagnose_layer_numbers; n->key != NULL; n++)
            cell(fp, ig_diagnose_get(&d->layer[l], n), n->digits);
        fputs("</tr>\n", fp);
    }
    end_table(fp);
}

/* A number of a pair stands there where it was measured at any layer. */
static void pair_table(FILE *fp, const ig_diagnosis *d, int pair)
{
    enum { MOST = 16 };
    const ig_diagnose_number *column[MOST];
    const char *title[MOST + 1] = {"layer"};
    int n = 0;
    char name[2 * IG_DIAGNOSE_NAME + 1];
    for (const ig_diagnose_number *c = ig_diagnose_pair_numbers; c->key != NULL && n < MOST; c++) {
        bool any = false;
        for (int l = 0; l < d->n_layer && !any; l++)
            any = isfinite(ig_diagnose_get(&d->layer[l].pair[pair], c));
        if (any) {
            column[n] = c;
            title[++n] = c->name;
        }
    }
    if (n == 0)
        return;
    ig_diagnose_pair_name(name, sizeof name, d, &d->layer[0].pair[pair]);
    head_row(fp, name, title, n + 1);
    for (int l = 0; l < d->n_layer; l++) {
        fprintf(fp, "<tr><th scope=\"row\">%d</th>", l);
        for (int i = 0; i < n; i++)
            cell(fp, ig_diagnose_get(&d->layer[l].pair[pair], column[i]), column[i]->digits);
        fputs("</tr>\n", fp);
    }
    end_table(fp);
}

static ig_code write_page(FILE *fp, const ig_diagnosis *d, const char *model, ig_err *err)
{
    ig_page_head(fp, "isoglot diagnose", NULL);
    header(fp, d, model);
    fputs("<div class=\"figures\" id=\"figures\">\n", fp);
    IG_TRY(draw_curves(
        fp, d, "Retrieval.",
        "Share of sentences whose nearest in the other language is their "
        "translation, mean of both ways and of all pairs; centred: by cosine, without each "
        "language's mean. Words of a dictionary and F1 of word alignments, where given.",
        false, err));
    IG_TRY(
        draw_curves(fp, d, "The spaces.",
                    "CKA 1: the same up to rotation. Probe: how often a line tells the language. "
                    "Isotropy 1: all directions vary alike.",
                    true, err));
    IG_TRY(draw_coverage(fp, d, err));
    fputs("</div>\n", fp);
    IG_TRY(findings(fp, d, model, err));
    for (int i = 0; i < d->n_pair; i++)
        pair_table(fp, d, i);
    layers_table(fp, d);
    languages_table(fp, d);
    fputs("</main>\n<footer><p>docs/diagnose.md says what each number is.</p></footer>\n</body>\n"
          "</html>\n",
          fp);
    return IG_ERR_OK;
}

ig_code ig_diagnosis_page(const ig_diagnosis *d, const char *model, const char *dir, ig_err *err)
{
    char *text, path[IG_PATH];
    size_t n;
    FILE *fp = open_memstream(&text, &n);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a page");
    ig_code code = write_page(fp, d, model, err);
    if (!ig_memstream_close(fp) && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a page");
    IG_THEN(code, ig_dir_make(dir, err));
    IG_THEN(code, ig_folder_path(path, dir, err, "index.html"));
    IG_THEN(code, ig_out_try(path, err));
    IG_THEN(code, ig_file_write(path, text, (int64_t)n, err));
    free(text);
    return code;
}
