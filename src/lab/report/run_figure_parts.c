/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the run of a figure and reads its words and vectors.
 */
#include "lab/report/run_figure_parts.h"

#include "analyse/components.h"
#include "base/memory.h"

#include <math.h>

ig_code ig_look_title(ig_look *l, const char **out, ig_err *err, const char *more)
{
    *out = NULL;
    if (l->name == NULL && more == NULL)
        return IG_ERR_OK;
    return ig_pool_print(&l->f->pool, out, err, "%s%s%s", l->name != NULL ? l->name : "",
                         l->name != NULL && more != NULL ? ", " : "", more != NULL ? more : "");
}

ig_code ig_look_numbers(ig_look *l, json_t *numbers, ig_err *err)
{
    if (l->numbers == NULL || numbers == NULL) {
        json_decref(numbers);
        return IG_ERR_OK;
    }
    json_t *name = l->name != NULL ? json_string(l->name) : json_null();
    if (json_object_set_new(numbers, "name", name) != 0 ||
        json_object_set_new(numbers, "run", json_string(l->run.run)) != 0 ||
        json_object_set_new(numbers, "step",
                            l->run.step < 0 ? json_null() : json_integer(l->run.step)) != 0 ||
        json_array_append(l->numbers, numbers) != 0) {
        json_decref(numbers);
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory for its numbers");
    }
    json_decref(numbers);
    return IG_ERR_OK;
}

bool ig_look_is_content(const ig_look *l, int language, int32_t id)
{
    const ig_language *g = l->language[language];
    const ig_corpus_options *base = ig_corpus_get_options(l->corpus);
    const int32_t own = id - g->first_id,
                  special[] = {base->pad, base->unk, base->cls, base->sep, base->mask};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (id == special[i] || own == special[i])
            return false;
    return true;
}

ig_code ig_cloud_panel(ig_figure *f, ig_panel **out, ig_cloud *c, ig_err *err)
{
    const int64_t n = c->n[0] + c->n[1];
    ig_components pc = {0};
    int32_t *group;
    IG_TRY(ig_figure_panels(f, IG_PLOT_SCATTER, 1, out, err));
    ig_plot_scatter *s = &(*out)->as.scatter;
    IG_TRY(ig_pool_alloc(&f->pool, &s->group, c->n_group, sizeof *s->group, err));
    s->n_group = c->n_group;
    IG_TRY(ig_alloc(&group, n, sizeof *group, "groups", err));
    for (int64_t i = 0; i < n; i++)
        group[i] = i >= c->n[0];
    ig_code code = ig_components_fit(&pc, c->x, n, c->d, err);
    if (c->n_group == 2)
        IG_THEN(code,
                ig_between_share(&c->between, &(ig_grouped_rows){c->x, n, c->d, group, 2}, err));
    ig_free(group);
    for (int64_t g = 0, at = 0; g < c->n_group && code == IG_ERR_OK; at += c->n[g++]) {
        double *xy = NULL;
        const char **label = NULL;
        code = ig_pool_alloc(&f->pool, &xy, 2 * c->n[g], sizeof *xy, err);
        if (c->label != NULL)
            IG_THEN(code, ig_pool_alloc(&f->pool, &label, c->n[g], sizeof *label, err));
        for (int64_t i = 0; i < c->n[g] && c->label != NULL && code == IG_ERR_OK; i++)
            code = ig_pool_print(&f->pool, &label[i], err, "%s", c->label[at + i]);
        if (code == IG_ERR_OK)
            ig_components_project(&pc, xy, 2, c->x + at * c->d, c->n[g]);
        s->group[g] = (ig_plot_group){.n = c->n[g], .xy = xy, .label = label, .style = (int)g};
        IG_THEN(code, ig_pool_print(&f->pool, &s->group[g].name, err, "%s", c->name[g]));
    }
    for (int a = 0; a < 2 && a < c->d && code == IG_ERR_OK; a++) {
        c->share[a] = pc.share[a];
        code = ig_pool_print(&f->pool, a == 0 ? &s->x_label : &s->y_label, err, "PC %d (%.0f %%)",
                             a + 1, 100 * pc.share[a]);
    }
    ig_components_free(&pc);
    return code;
}

ig_code ig_cloud_link(ig_figure *f, ig_panel *p, int64_t n, ig_err *err)
{
    ig_plot_link *link;
    IG_TRY(ig_pool_alloc(&f->pool, &link, n, sizeof *link, err));
    for (int64_t i = 0; i < n; i++)
        link[i] = (ig_plot_link){0, (int32_t)i, 1, (int32_t)i};
    p->as.scatter.link = link;
    p->as.scatter.n_link = n;
    p->as.scatter.link_name = "translation";
    return IG_ERR_OK;
}

int64_t ig_sample_rank(int64_t i, int64_t wanted, int64_t n, int64_t before)
{
    const double share = wanted > 1 ? (double)i / (double)(wanted - 1) : 0;
    int64_t rank = (int64_t)floor(pow((double)n, share)) - 1;
    /* The frequent ones stand close together: each is taken once. */
    rank = rank > before ? rank : before + 1;
    return rank < n ? rank : n - 1;
}
