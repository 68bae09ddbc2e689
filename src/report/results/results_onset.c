/* SPDX-License-Identifier: Apache-2.0
 *
 * Onsets as data and as text. The onsets themselves are those that the curves have
 * (report/results/results_curve.c).
 */
#include "report/results/results_data.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "store/store_task.h"

#include <stdio.h>
#include <string.h>

enum { SAID_MAX = 12 };

static json_t *seeds(const ig_result_curve *c)
{
    json_t *list = json_array();
    for (int i = 0; i < c->n_seed; i++)
        json_array_append_new(list, json_pack("{s:I, s:o}", "seed", (json_int_t)c->seed[i], "step",
                                              ig_json_number(c->onset[i])));
    return list;
}

static ig_code add(json_t *list, const ig_results *r, const ig_figure_spec *figure,
                   const ig_result_cell *cell, const ig_quantity *q, ig_err *err)
{
    char name[160];
    ig_result_curve c;
    ig_code code = ig_result_curve_make(&c, r, cell, q, NULL, err);
    ig_quantity_format(name, sizeof name, q);
    /* One step is no curve. */
    if (code == IG_ERR_OK && c.n > 1 && c.n_seed > 0 && cell->mixed == NULL)
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o}", "figure",
                      figure->name, "quantity", name, "cell", cell->name, "label",
                      cell->label != NULL ? cell->label : "", "of", c.n_seed, "n",
                      (json_int_t)c.onset_all.n, "mean", ig_json_number(c.onset_all.mean), "sd",
                      ig_json_number(c.onset_all.sd), "low", ig_json_number(c.onset_interval.low),
                      "high", ig_json_number(c.onset_interval.high), "seeds", seeds(&c)));
    ig_result_curve_free(&c);
    return code;
}

ig_code ig_result_onsets(json_t **out, const ig_results *r, const ig_figure_spec *figure,
                         ig_err *err)
{
    ig_code code = IG_ERR_OK;
    *out = json_array();
    if (figure->kind != IG_FIG_CURVES || !figure->onset)
        return IG_ERR_OK;
    for (int k = 0; k < figure->n_quantity; k++)
        for (int i = 0; i < r->n_cell && code == IG_ERR_OK; i++)
            if (ig_cell_matches(r->cell[i].name, figure->cell, figure->n_cell))
                code = add(*out, r, figure, &r->cell[i], &figure->quantity[k], err);
    if (code != IG_ERR_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

static const char *symbol(char *out, size_t size, const char *quantity)
{
    const size_t n = strcspn(quantity, "[");
    char task[64];
    snprintf(task, sizeof task, "%.*s", (int)(n < sizeof task ? n : sizeof task - 1), quantity);
    const ig_store_task *t = ig_store_task_find(task);
    snprintf(out, size, "%s%s", t != NULL ? t->symbol : task, quantity + n);
    return out;
}

static void put_cell(FILE *f, const json_t *o, const char *before)
{
    const json_int_t n = json_integer_value(json_object_get(o, "n")),
                     of = json_integer_value(json_object_get(o, "of"));
    const char *name = json_string_value(json_object_get(o, "cell"));
    if (n == 0) {
        fprintf(f, "%snowhere in %s (%lld seed%s)", before, name, (long long)of,
                of == 1 ? "" : "s");
        return;
    }
    fprintf(f, "%sat update %.0f", before, json_number_value(json_object_get(o, "mean")));
    if (json_is_number(json_object_get(o, "low")))
        fprintf(f, " [%.0f, %.0f]", json_number_value(json_object_get(o, "low")),
                json_number_value(json_object_get(o, "high")));
    fprintf(f, " in %s (%lld of %lld seed%s)", name, (long long)n, (long long)of,
            of == 1 ? "" : "s");
}

char *ig_result_onsets_text(const json_t *onsets)
{
    char *text = NULL, name[200];
    size_t size, i;
    const json_t *o;
    const char *quantity = "";
    int said = 0;
    if (json_array_size(onsets) == 0)
        return NULL;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        return NULL;
    json_array_foreach(onsets, i, o)
    {
        const char *now = json_string_value(json_object_get(o, "quantity"));
        const bool another = strcmp(now, quantity) != 0;
        if (another) {
            fprintf(f, "%s%s sets in", i > 0 ? ". " : "", symbol(name, sizeof name, now));
            quantity = now;
            said = 0;
        }
        if (said++ < SAID_MAX)
            put_cell(f, o, another ? " " : ", ");
        else if (said == SAID_MAX + 2)
            fputs(", …", f);
    }
    fputc('.', f);
    if (!ig_memstream_close(f)) {
        free(text);
        return NULL;
    }
    return text;
}
