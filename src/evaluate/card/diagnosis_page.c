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
#include <unistd.h>

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

/* A number at a layer, of pairs the mean of those that have it: the value, the ends of its
 * interval, chance, the untrained model's. */
enum { VALUE, LOW, HIGH, CHANCE, UNTRAINED };

static double part_of(const ig_card_number *x, int part)
{
    return (const double[]){x->value, x->low, x->high, x->chance, x->untrained}[part];
}

static double value_at(const ig_diagnosis *d, int layer, int number, int part)
{
    double sum = 0;
    int n = 0;
    if (number < IG_DIAGNOSE_N_OF_LAYER)
        return part_of(&ig_diagnose_at(d, layer, -1)[number], part);
    for (int i = 0; i < d->n_pair; i++) {
        const double x = part_of(&ig_diagnose_at(d, layer, i)[number], part);
        sum += isfinite(x) ? x : 0;
        n += isfinite(x);
    }
    return n > 0 ? sum / n : (double)NAN;
}

static bool is_measured(const ig_diagnosis *d, int number, int part)
{
    for (int l = 0; l < d->n_layer; l++)
        if (isfinite(value_at(d, l, number, part)))
            return true;
    return false;
}

static ig_code fill_part(double **out, ig_figure *f, const ig_diagnosis *d, int number, int part,
                         ig_err *err)
{
    IG_TRY(ig_pool_alloc(&f->pool, out, d->n_layer, sizeof **out, err));
    for (int l = 0; l < d->n_layer; l++)
        (*out)[l] = part < 0 ? l : value_at(d, l, number, part);
    return IG_ERR_OK;
}

static ig_code fill_series(ig_figure *f, ig_plot_series *s, const ig_diagnosis *d, int number,
                           int part, ig_err *err)
{
    double *x, *y, *low, *high;
    IG_TRY(fill_part(&x, f, d, number, -1, err));
    IG_TRY(fill_part(&y, f, d, number, part, err));
    s->name = part == CHANCE      ? "chance"
              : part == UNTRAINED ? "untrained, cosine"
                                  : ig_diagnose_numbers[number].name;
    s->n = d->n_layer;
    s->x = x;
    s->y = y;
    if (part != VALUE || number != IG_DIAGNOSE_COSINE)
        return IG_ERR_OK;
    IG_TRY(fill_part(&low, f, d, number, LOW, err));
    IG_TRY(fill_part(&high, f, d, number, HIGH, err));
    s->low = low;
    s->high = high;
    return IG_ERR_OK;
}

/* The numbers, and of retrieval by cosine also the untrained model's, and chance. */
static ig_code fill_curves(ig_figure *f, ig_plot_curves *p, const ig_diagnosis *d,
                           const int *number, ig_err *err)
{
    int at = 0;
    p->x = (ig_plot_axis){"layer", IG_SCALE_LINEAR, 0, d->n_layer - 1};
    p->y = (ig_plot_axis){"", IG_SCALE_LINEAR, 0, 1};
    for (int i = 0; number[i] >= 0; i++)
        for (int part = 0; part <= UNTRAINED; part++)
            p->n_series += (part == VALUE || (part >= CHANCE && number[i] == IG_DIAGNOSE_COSINE)) &&
                           is_measured(d, number[i], part);
    IG_TRY(ig_figure_series(f, &p->series, p->n_series, err));
    for (int i = 0; number[i] >= 0; i++)
        for (int part = 0; part <= UNTRAINED; part++)
            if ((part == VALUE || (part >= CHANCE && number[i] == IG_DIAGNOSE_COSINE)) &&
                is_measured(d, number[i], part))
                IG_TRY(fill_series(f, &p->series[at++], d, number[i], part, err));
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
    IG_SCOPED(ig_figure_free) ig_figure f = {.title = second ? "The spaces." : "Retrieval."};
    const char *caption =
        second ? "CKA 1: the same up to rotation. Probe: how often a linear classifier finds the "
                 "language. "
                 "Isotropy 1: all directions vary alike."
               : "Share of sentences whose nearest in the other language is their translation, "
                 "mean of both ways and of all pairs; centred: by cosine, without each language's "
                 "mean. Words of a dictionary and F1 of word alignments, where given.";
    ig_panel *p;
    IG_TRY(ig_figure_panels(&f, IG_PLOT_CURVES, 1, &p, err));
    IG_TRY(fill_curves(&f, &p->as.curves, d, second ? spaces : retrieval, err));
    if (p->as.curves.n_series > 0)
        IG_TRY(add_figure(figures, &f, second ? "spaces" : "retrieval", caption, err));
    return IG_ERR_OK;
}

static ig_code add_coverage(json_t *figures, const ig_diagnosis *d, ig_err *err)
{
    static const struct {
        const char *title;
        size_t of;
    } panel[] = {{"pieces a word", offsetof(ig_diagnose_language, pieces_per_word)},
                 {"bytes a piece", offsetof(ig_diagnose_language, bytes_per_piece)},
                 {"share unknown", offsetof(ig_diagnose_language, unknown)}};
    IG_SCOPED(ig_figure_free)
    ig_figure f = {.title = "The vocabulary, language by language.", .columns = 1};
    ig_panel *p;
    IG_TRY(ig_figure_panels(&f, IG_PLOT_VALUES, 3, &p, err));
    for (int i = 0; i < 3; i++) {
        p[i].title = panel[i].title;
        IG_TRY(fill_values(&f, &p[i].as.values, d, panel[i].of, err));
    }
    return add_figure(figures, &f, "coverage",
                      "Many pieces a word and few bytes a piece: the vocabulary hardly "
                      "knows the language. Unknown pieces are lost to the model.",
                      err);
}

/* --- text and tables */

/* A, B and C */
static json_t *names(const ig_diagnosis *d)
{
    json_t *all = json_string("");
    for (int k = 0; k < d->n_language; k++)
        ig_page_append(all, "%s%s",
                       k == 0                   ? ""
                       : k == d->n_language - 1 ? " and "
                                                : ", ",
                       d->language[k].name);
    return all;
}

static ig_code add_findings(json_t *data, const ig_diagnosis *d, const char *model, ig_err *err)
{
    ig_findings f;
    json_t *all = json_array();
    json_object_set_new(data, "findings", all);
    ig_code code = ig_findings_make(&f, d, model, err);
    json_object_set_new(data, "checked", json_integer(f.n_checked));
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        const ig_card_number *gain = &f.finding[i].gain;
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o}", "text", ig_page_text(f.finding[i].text), "command",
                           ig_page_text(f.finding[i].command), "gain",
                           isfinite(gain->value)
                               ? json_sprintf("%.2f [%.2f, %.2f], n %lld", gain->value, gain->low,
                                              gain->high, (long long)gain->n)
                               : json_null()));
    }
    ig_findings_free(&f);
    return code;
}

static json_t *cell(double x, int digits)
{
    return isfinite(x) ? json_sprintf("%.*f", digits, x) : json_string("\xE2\x80\x93");
}

/* A table of numbers, its first column called so. */
static json_t *table_new(json_t *tables, const char *title, const char *first)
{
    static const char *const column[] = {"", "value", "95 % interval", "chance", "untrained", "n"};
    json_t *table = ig_page_texts("title", title, NULL), *columns = ig_json_texts(column, 6),
           *rows = json_array();
    json_array_set_new(columns, 0, json_string(first));
    json_object_set_new(table, "columns", columns);
    json_object_set_new(table, "rows", rows);
    json_array_append_new(tables, table);
    return rows;
}

/* A row; of a number that was not measured, none. */
static void add_number(json_t *rows, const char *name, const ig_card_number *x, int digits)
{
    if (!isfinite(x->value))
        return;
    json_t *range = isfinite(x->low) ? json_sprintf("%.*f to %.*f", digits, x->low, digits, x->high)
                                     : json_string("\xE2\x80\x93");
    json_array_append_new(rows, json_pack("{s:[o, o, o, o, o, I]}", "cells", ig_page_text(name),
                                          cell(x->value, digits), range, cell(x->chance, digits),
                                          cell(x->untrained, digits), (json_int_t)x->n));
}

static void add_language(json_t *tables, const ig_diagnose_language *l)
{
    json_t *rows = table_new(tables, l->name, "pieces");
    add_number(rows, "pieces a word", &l->pieces_per_word, 2);
    add_number(rows, "pieces a character", &l->pieces_per_character, 2);
    add_number(rows, "bytes a piece", &l->bytes_per_piece, 2);
    add_number(rows, "unknown pieces", &l->unknown, 4);
    add_number(rows, "cut sentences", &l->cut, 4);
    add_number(rows, "pseudo-perplexity", &l->perplexity, 1);
}

/* Numbers of a layer, or of a pair at it (−1: none). */
static void add_layer(json_t *rows, const ig_diagnosis *d, int l, int pair)
{
    char name[64], row[32];
    ig_diagnose_row_name(row, sizeof row, d, l);
    for (int i = pair < 0 ? 0 : IG_DIAGNOSE_N_OF_LAYER;
         i < (pair < 0 ? IG_DIAGNOSE_N_OF_LAYER : IG_DIAGNOSE_N); i++) {
        snprintf(name, sizeof name, "%s, %s", ig_diagnose_numbers[i].name, row);
        add_number(rows, name, &ig_diagnose_at(d, l, pair)[i], ig_diagnose_numbers[i].digits);
    }
}

static void add_held_out(json_t *rows, const ig_diagnosis *d, int pair)
{
    static const char *const name[] = {"cosine", "CSLS", "centred", "LEACE", "rotated"},
                             *const probe[] = {"language probe", "probe, centred", "probe, LEACE"};
    const ig_diagnose_pair *p = &d->of_pair[pair];
    char row[64];
    static const char *const where[] = {"last layer", "best layer", "sentence vectors"};
    for (int at = 0; at < IG_HELD_AT_N; at++)
        for (int h = 0; h < (at == IG_HELD_AT_BEST ? IG_HELD_N : IG_HELD_ROTATED); h++) {
            snprintf(row, sizeof row, "%s, held out, %s", name[h],
                     h == IG_HELD_ROTATED ? "its own layer" : where[at]);
            add_number(rows, row, &p->held[at][h], 3);
        }
    for (int k = 0; k < 3; k++)
        add_number(rows, probe[k], &p->probe[k], 3);
}

/* Adds what a first look needs of a pair: retrieval and CKA at the last layer and at the best. */
static void add_summary(json_t *summary, const ig_diagnosis *d)
{
    static const int shown[] = {IG_DIAGNOSE_COSINE, IG_DIAGNOSE_CENTRED, IG_DIAGNOSE_CKA_DEBIASED};
    const int used = ig_diagnose_used(d), best = ig_diagnose_best_layer(d, IG_USE_RETRIEVAL);
    char name[2 * IG_DIAGNOSE_NAME + 64], pair[2 * IG_DIAGNOSE_NAME + 1], row[32];
    if (!d->parallel)
        return;
    json_t *rows = table_new(summary, "At a glance", "languages, vectors");
    for (int i = 0; i < d->n_pair && i < 3; i++)
        for (int at = 0; at < (best != used ? 2 : 1); at++)
            for (int k = 0; k < 3; k++) {
                const int l = at == 0 ? used : best;
                ig_diagnose_row_name(row, sizeof row, d, l);
                ig_diagnose_pair_name(pair, sizeof pair, d, i);
                snprintf(name, sizeof name, "%s, %s: %s", pair, row,
                         ig_diagnose_numbers[shown[k]].name);
                add_number(rows, name, &ig_diagnose_at(d, l, i)[shown[k]], 3);
            }
}

static ig_code fill(json_t *data, const ig_diagnosis *d, const char *model, ig_err *err)
{
    json_t *figures = json_object_get(data, "figures"), *tables = json_object_get(data, "tables");
    char name[2 * IG_DIAGNOSE_NAME + 1];
    ig_page_head(data, false);
    add_summary(json_object_get(data, "summary"), d);
    IG_TRY(add_curves(figures, d, false, err));
    IG_TRY(add_curves(figures, d, true, err));
    if (!d->of_files)
        IG_TRY(add_coverage(figures, d, err));
    for (int i = 0; i < d->n_pair && ig_diagnosis_has_pairs(d); i++) {
        ig_diagnose_pair_name(name, sizeof name, d, i);
        json_t *rows = table_new(tables, name, "number");
        for (int l = 0; l < d->n_row; l++)
            add_layer(rows, d, l, i);
        add_held_out(rows, d, i);
    }
    json_t *rows = table_new(tables, "Layers", "number");
    for (int l = 0; l < d->n_row; l++)
        add_layer(rows, d, l, -1);
    for (int k = 0; k < d->n_language && !d->of_files; k++)
        add_language(tables, &d->language[k]);
    return add_findings(data, d, model, err);
}

ig_code ig_diagnosis_page(const ig_diagnosis *d, const char *model, const char *dir, ig_err *err)
{
    ig_out out = {0};
    const bool there = ig_dir_exists(dir);
    IG_TRY(ig_out_try_in(dir, "index.html", err));
    json_t *data = json_pack(
        "{s:s, s:o, s:o, s:i, s:i, s:s, s:[], s:[], s:[]}", "title", "isoglot diagnose", "model",
        ig_page_text(model), "languages", names(d), "layers", d->n_layer - 1, "width", d->d, "kind",
        d->parallel ? "parallel" : "unrelated", "figures", "tables", "summary");
    ig_code code = fill(data, d, model, err);
    IG_THEN(code, ig_dir_make(dir, err));
    IG_THEN(code, ig_out_open_in(&out, dir, "index.html", err));
    IG_THEN(code, ig_out_close(&out, ig_page_put(out.fp, "card", data, err), err));
    if (code != IG_ERR_OK && !there)
        rmdir(dir); /* which is empty */
    json_decref(data);
    return code;
}
