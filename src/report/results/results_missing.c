/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds why a cell has no value of a quantity.
 */
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Perplexity was measured of this run. A language or a file may be called so, hence the parsing,
 * and hence the look before it: a store has thousands of runs for which it was not requested. */
static bool measured_perplexity(const ig_store_run *run)
{
    if (run->manifest == NULL || strstr(run->manifest, "\"perplexity\"") == NULL)
        return false;
    json_t *manifest = json_loads(run->manifest, 0, NULL);
    const json_t *what = json_object_get(json_object_get(manifest, "measure"), "what");
    bool yes = false;
    for (size_t i = 0; i < json_array_size(what); i++) {
        const char *name = json_string_value(json_array_get(what, i));
        yes = yes || (name != NULL && strcmp(name, "perplexity") == 0);
    }
    json_decref(manifest);
    return yes;
}

int64_t ig_result_beyond_numbers(const ig_result_cell *c, const ig_result_number *x,
                                 const ig_quantity *q)
{
    int64_t n = 0;
    /* That of next tokens is of models with causal batches alone. */
    if (strncmp(q->task, "perplexity", strlen("perplexity")) != 0 ||
        strcmp(q->task, "perplexity_causal") == 0)
        return 0;
    for (int64_t i = 0; i < c->n_entry; i++)
        n += c->entry[i].run.status == IG_RUN_DONE && !isfinite(x->value[i].value) &&
             measured_perplexity(&c->entry[i].run);
    return n;
}

/* Counts the languages of a run's configuration (separated by ';'); 0: not given. */
static int languages_of(const ig_store_run *run)
{
    json_t *config = run->config != NULL ? json_loads(run->config, 0, NULL) : NULL;
    const char *p = json_string_value(json_object_get(config, "languages"));
    int n = 0;
    while (p != NULL && *p != '\0') {
        const size_t len = strcspn(p, ";");
        n += strspn(p, " \t\r\n") < len;
        p += len + (p[len] == ';');
    }
    json_decref(config);
    return n;
}

bool ig_result_nothing_to_compare(const ig_result_cell *c, const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    if (task == NULL || !task->pair)
        return false;
    for (int64_t i = 0; i < c->n_entry; i++)
        if (c->entry[i].run.status == IG_RUN_DONE)
            return languages_of(&c->entry[i].run) == 1;
    return false;
}

/* The manifest's reason why a measure of two languages is missing in a finished run, "needs a
 * dictionary en–de: gold=FILE"; NULL: none. */
static ig_code what_it_needs(ig_pool *pool, const char **out, const ig_result_cell *c,
                             const ig_quantity *q, ig_err *err)
{
    static const char *const of[][2] = {
        {"mu", "mu"}, {"tau", "tau"}, {"rho", "rho"}, {"identical", "tau"}, {"cka", "rho"}};
    const char *kind = NULL, *manifest = NULL;
    *out = NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(q->task, of[i][0], strlen(of[i][0])) == 0)
            kind = of[i][1];
    for (int64_t i = 0; i < c->n_entry && kind != NULL; i++)
        if (c->entry[i].run.status == IG_RUN_DONE && c->entry[i].run.manifest != NULL)
            manifest = c->entry[i].run.manifest;
    if (manifest == NULL || strstr(manifest, "\"missing\"") == NULL)
        return IG_ERR_OK;
    json_t *j = json_loads(manifest, 0, NULL), *pair;
    json_t *missing = json_object_get(json_object_get(j, "measure"), "missing");
    const char *name, *why = NULL;
    json_object_foreach(missing, name, pair)
    {
        if (why == NULL && (q->languages[0] == '\0' || strcmp(q->languages, name) == 0))
            why = json_string_value(json_object_get(pair, kind));
    }
    const ig_code code = why != NULL ? ig_pool_text(pool, out, why, strlen(why), err) : IG_ERR_OK;
    json_decref(j);
    return code;
}

ig_code ig_result_why_missing(ig_pool *pool, const ig_results *r, const ig_result_cell *c,
                              const ig_quantity *q, ig_result_number *x, ig_err *err)
{
    const char **out = &x->missing;
    const ig_store_task *task = ig_store_task_find(q->task);
    if (c->n_status[IG_RUN_DONE] == 0) {
        *out = c->incomplete;
        return IG_ERR_OK;
    }
    IG_TRY(what_it_needs(pool, out, c, q, err));
    if (*out != NULL)
        return IG_ERR_OK;
    if (ig_result_beyond_numbers(c, x, q) > 0)
        return ig_pool_print(pool, out, err, "too large for a number");
    if (ig_result_nothing_to_compare(c, q))
        return ig_pool_print(pool, out, err, "of two languages, and the cell has one");
    if (task != NULL && task->kind == IG_STORE_TASK_LAYERED) {
        if ((q->layer == IG_LAYER_LOW || q->layer == IG_LAYER_HIGH) && c->layer_low < 0)
            return ig_pool_print(pool, out, err, "which layers are those of μ is not known");
        if (q->layer == IG_LAYER_NONE && ig_result_layers(NULL, 0, r, &c, 1, q->task) > 1)
            return ig_pool_print(pool, out, err, "measured at several layers: name one, %s[high]",
                                 q->task);
        const int layer = q->layer == IG_LAYER_LOW    ? c->layer_low
                          : q->layer == IG_LAYER_HIGH ? c->layer_high
                                                      : q->layer;
        if (layer >= 0)
            return ig_pool_print(pool, out, err, "not measured at layer %d", layer);
    }
    if (task != NULL && task->tuned && q->languages[0] != '\0')
        return ig_pool_print(pool, out, err, "the task has no data of '%s' to test on",
                             q->languages);
    return ig_pool_print(pool, out, err, "not measured");
}
