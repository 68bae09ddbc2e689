/* SPDX-License-Identifier: Apache-2.0
 *
 * See run_figure_parts.h.
 */
#include "lab/report/run_figure_parts.h"

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

ig_code ig_look_axis(ig_look *l, const char **out, int component, double share, ig_err *err)
{
    return ig_pool_print(&l->f->pool, out, err, "PC %d (%.0f %%)", component + 1, 100 * share);
}
