/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the report card as a page: two figures of what changes over the layers, one of what does
 * not, then the findings and all numbers.
 */
#include "evaluate/card/diagnosis_page.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "evaluate/card/findings.h"
#include "report/figure/figure.h"
#include "report/page/page.h"

#include <math.h>
#include <string.h>

/* --- figures */

/* The numbers of a figure; −1: the end. */
static const int retrieval[] = {IG_DIAGNOSE_COSINE,
                                IG_DIAGNOSE_CSLS,
                                IG_DIAGNOSE_MARGIN,
                                IG_DIAGNOSE_CENTRED,
                                IG_DIAGNOSE_WORDS,
                                IG_DIAGNOSE_F1,
                                -1},
                 spaces[] = {IG_DIAGNOSE_CKA,      IG_DIAGNOSE_PROBE,    IG_DIAGNOSE_OWN,
                             IG_DIAGNOSE_CONSTANT, IG_DIAGNOSE_ISOTROPY, -1};

/* A number at a layer; of pairs the mean of those that have it. */
static double value_at(const ig_diagnosis *d, int layer, int number)
{
    double sum = 0;
    int n = 0;
    if (number < IG_DIAGNOSE_N_OF_LAYER)
        return ig_diagnose_at(d, layer, -1)[number].value;
    for (int i = 0; i < d->n_pair; i++) {
        const double x = ig_diagnose_at(d, layer, i)[number].value;
        sum += isfinite(x) ? x : 0;
        n += isfinite(x);
    }
    return n > 0 ? sum / n : (double)NAN;
}

static bool is_measured(const ig_diagnosis *d, int number)
{
    for (int l = 0; l < d->n_layer; l++)
        if (isfinite(value_at(d, l, number)))
            return true;
    return false;
}

static ig_code fill_curves(ig_figure *f, ig_plot_curves *p, const ig_diagnosis *d,
                           const int *number, ig_err *err)
{
    double *y;
    p->x = (ig_plot_axis){"layer", IG_SCALE_LINEAR, 0, d->n_layer - 1};
    p->y = (ig_plot_axis){"", IG_SCALE_LINEAR, 0, 1};
    for (int i = 0; number[i] >= 0; i++)
        p->n_series += is_measured(d, number[i]);
    IG_TRY(ig_figure_series(f, &p->series, p->n_series, err));
    for (int i = 0, at = 0; number[i] >= 0; i++) {
        double *x;
        if (!is_measured(d, number[i]))
            continue;
        IG_TRY(ig_pool_alloc(&f->pool, &x, d->n_layer, sizeof *x, err));
        IG_TRY(ig_pool_alloc(&f->pool, &y, d->n_layer, sizeof *y, err));
        for (int l = 0; l < d->n_layer; l++) {
            x[l] = l;
            y[l] = value_at(d, l, number[i]);
        }
        ig_plot_series *s = &p->series[at++];
        s->name = ig_diagnose_numbers[number[i]].name;
        s->n = d->n_layer;
        s->x = x;
        s->y = y;
    }
    return IG_ERR_OK;
}

static const ig_card_number *number_of(const ig_diagnose_language *l, size_t offset)
{
    return (const ig_card_number *)((const char *)l + offset);
}

static ig_code fill_values(ig_figure *f, ig_plot_values *p, const ig_diagnosis *d, size_t of,
                           ig_err *err)
{
    double most = 0;
    for (int k = 0; k < d->n_language; k++)
        most = fmax(most, number_of(&d->language[k], of)->value);
    p->x.low = 0;
    if (most == 0)
        p->x.high = 1; /* an axis from 0 to 0 has no ends */
    p->n_value = d->n_language;
    IG_TRY(ig_pool_alloc(&f->pool, &p->value, d->n_language, sizeof *p->value, err));
    for (int k = 0; k < d->n_language; k++)
        p->value[k] = (ig_plot_value){.name = d->language[k].name,
                                      .value = number_of(&d->language[k], of)->value,
                                      .low = number_of(&d->language[k], of)->low,
                                      .high = number_of(&d->language[k], of)->high,
                                      .reference = (double)NAN};
    return IG_ERR_OK;
}

static ig_code add_figure(json_t *figures, ig_figure *f, const char *id, const char *caption,
                          ig_err *err)
{
    char *svg;
    IG_TRY(ig_figure_svg(&svg, f, id, err));
    json_array_append_new(figures, json_pack("{s:o, s:o, s:s}", "svg", ig_page_text(svg), "title",
                                             ig_page_text(f->title), "caption", caption));
    ig_free(svg);
    return IG_ERR_OK;
}

static ig_code add_curves(json_t *figures, const ig_diagnosis *d, bool second, ig_err *err)
{
    ig_figure f = {.title = second ? "The spaces." : "Retrieval."};
    const char *caption =
        second ? "CKA 1: the same up to rotation. Probe: how often a linear classifier finds the "
                 "language. "
                 "Isotropy 1: all directions vary alike."
               : "Share of sentences whose nearest in the other language is their translation, "
                 "mean of both ways and of all pairs; centred: by cosine, without each language's "
                 "mean. Words of a dictionary and F1 of word alignments, where given.";
    ig_panel *p;
    ig_code code = ig_figure_panels(&f, IG_PLOT_CURVES, 1, &p, err);
    IG_THEN(code, fill_curves(&f, &p->as.curves, d, second ? spaces : retrieval, err));
    if (code == IG_ERR_OK && p->as.curves.n_series > 0)
        code = add_figure(figures, &f, second ? "spaces" : "retrieval", caption, err);
    ig_figure_free(&f);
    return code;
}

static ig_code add_coverage(json_t *figures, const ig_diagnosis *d, ig_err *err)
{
    static const struct {
        const char *title;
        size_t of;
    } panel[] = {{"pieces a word", offsetof(ig_diagnose_language, pieces_per_word)},
                 {"bytes a piece", offsetof(ig_diagnose_language, bytes_per_piece)},
                 {"share unknown", offsetof(ig_diagnose_language, unknown)}};
    ig_figure f = {.title = "The vocabulary, language by language.", .columns = 1};
    ig_panel *p;
    ig_code code = ig_figure_panels(&f, IG_PLOT_VALUES, 3, &p, err);
    for (int i = 0; i < 3 && code == IG_ERR_OK; i++) {
        p[i].title = panel[i].title;
        code = fill_values(&f, &p[i].as.values, d, panel[i].of, err);
    }
    IG_THEN(code, add_figure(figures, &f, "coverage",
                             "Many pieces a word and few bytes a piece: the vocabulary hardly "
                             "knows the language. Unknown pieces are lost to the model.",
                             err));
    ig_figure_free(&f);
    return code;
}

/* --- text and tables */

/* A, B and C */
static json_t *names(const ig_diagnosis *d)
{
    json_t *all = json_string("");
    for (int k = 0; k < d->n_language; k++) {
        ig_page_append(all, k == 0 ? "" : k == d->n_language - 1 ? " and " : ", ");
        ig_page_append(all, d->language[k].name);
    }
    return all;
}

static ig_code add_findings(json_t *data, const ig_diagnosis *d, const char *model, ig_err *err)
{
    ig_findings f;
    json_t *all = json_array();
    json_object_set_new(data, "findings", all);
    ig_code code = ig_findings_make(&f, d, model, err);
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++)
        json_array_append_new(all, json_pack("{s:o, s:o}", "text", ig_page_text(f.finding[i].text),
                                             "command", ig_page_text(f.finding[i].command)));
    ig_findings_free(&f);
    return code;
}

/* A row with its head; returns its cells. */
static json_t *add_row(json_t *rows, json_t *head)
{
    json_t *cells = json_pack("[o]", head);
    json_array_append_new(rows, json_pack("{s:o}", "cells", cells));
    return cells;
}

static void add_number(json_t *cells, double x, int digits)
{
    json_array_append_new(cells, isfinite(x) ? json_sprintf("%.*f", digits, x)
                                             : json_string("\xE2\x80\x93"));
}

static void add_languages(json_t *tables, const ig_diagnosis *d)
{
    static const char *const column[] = {"language", "sentences",     "pieces a word",
                                         "unknown",  "bytes a piece", "pseudo-perplexity"};
    json_t *rows = json_array();
    json_array_append_new(tables, json_pack("{s:s, s:o, s:o}", "title", "Languages", "columns",
                                            ig_json_texts(column, 6), "rows", rows));
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        json_t *cells = add_row(rows, ig_page_text(l->name));
        add_number(cells, (double)l->n_sentence, 0);
        add_number(cells, l->pieces_per_word.value, 2);
        add_number(cells, l->unknown.value, 4);
        add_number(cells, l->bytes_per_piece.value, 2);
        add_number(cells, l->perplexity.value, 1);
    }
}

/* Numbers of the layers, or of a pair at them (−1: none), a column each that was measured at any
 * layer. */
static void add_layers(json_t *tables, const ig_diagnosis *d, int pair)
{
    char name[2 * IG_DIAGNOSE_NAME + 1] = "Layers";
    if (pair >= 0)
        ig_diagnose_pair_name(name, sizeof name, d, pair);
    json_t *table = ig_page_texts("title", name, NULL), *columns = json_pack("[s]", "layer"),
           *rows = json_array();
    for (int l = 0; l < d->n_layer; l++)
        add_row(rows, json_sprintf("%d", l));
    for (int i = pair < 0 ? 0 : IG_DIAGNOSE_N_OF_LAYER;
         i < (pair < 0 ? IG_DIAGNOSE_N_OF_LAYER : IG_DIAGNOSE_N); i++) {
        bool any = false;
        for (int l = 0; l < d->n_layer; l++)
            any = any || isfinite(ig_diagnose_at(d, l, pair)[i].value);
        for (int l = 0; l < d->n_layer && any; l++)
            add_number(json_object_get(json_array_get(rows, (size_t)l), "cells"),
                       ig_diagnose_at(d, l, pair)[i].value, ig_diagnose_numbers[i].digits);
        if (any)
            json_array_append_new(columns, json_string(ig_diagnose_numbers[i].name));
    }
    if (json_array_size(columns) > 1)
        json_array_append(tables, table);
    json_object_set_new(table, "columns", columns);
    json_object_set_new(table, "rows", rows);
    json_decref(table);
}

static ig_code fill(json_t *data, const ig_diagnosis *d, const char *model, ig_err *err)
{
    json_t *figures = json_object_get(data, "figures"), *tables = json_object_get(data, "tables");
    ig_page_head(data, false);
    IG_TRY(add_curves(figures, d, false, err));
    IG_TRY(add_curves(figures, d, true, err));
    if (!d->of_files)
        IG_TRY(add_coverage(figures, d, err));
    for (int i = 0; i < d->n_pair; i++)
        add_layers(tables, d, i);
    add_layers(tables, d, -1);
    add_languages(tables, d);
    return add_findings(data, d, model, err);
}

ig_code ig_diagnosis_page(const ig_diagnosis *d, const char *model, const char *dir, ig_err *err)
{
    ig_out out = {0};
    IG_TRY(ig_out_try_in(dir, "index.html", err));
    json_t *data = json_pack("{s:s, s:o, s:o, s:i, s:i, s:s, s:[], s:[]}", "title",
                             "isoglot diagnose", "model", ig_page_text(model), "languages",
                             names(d), "layers", d->n_layer - 1, "width", d->d, "kind",
                             d->parallel ? "parallel" : "unrelated", "figures", "tables");
    ig_code code = fill(data, d, model, err);
    IG_THEN(code, ig_dir_make(dir, err));
    IG_THEN(code, ig_out_open_in(&out, dir, "index.html", err));
    IG_THEN(code, ig_out_close(&out, ig_page_put(out.fp, "card", data, err), err));
    json_decref(data);
    return code;
}
