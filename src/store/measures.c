/* SPDX-License-Identifier: Apache-2.0
 *
 * See measures.h. The keys are those of docs/measures.md, the tasks those of store/task.h.
 */
#include "store/measures.h"
#include "base/memory.h"
#include "base/pool.h"
#include "store/task.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_store_metrics *to;
    ig_pool *pool;
    const char *where, *split, *pair;
    int64_t step;
    bool last, listed; /* listed: all translations of a dictionary that is a file counted */
    ig_err *err;
} reading;

static ig_code bad(const reading *g, const char *key, const char *expected)
{
    return ig_fail(g->err, IG_ERR_INPUT, g->where, 0, "measures: %.80s: expected %s", key,
                   expected);
}

/* The object below a key; *out is NULL where there is none or null. */
static ig_code object_at(const reading *g, const json_t **out, const json_t *in, const char *key)
{
    *out = json_object_get(in, key);
    if (json_is_null(*out))
        *out = NULL;
    return *out == NULL || json_is_object(*out) ? IG_ERR_OK : bad(g, key, "an object");
}

static ig_code count_at(const reading *g, int64_t *out, const json_t *in, const char *key)
{
    const json_t *n = json_object_get(in, key);
    *out = json_integer_value(n);
    if (n != NULL && !json_is_null(n) && (!json_is_integer(n) || *out < 0))
        return bad(g, key, "a count");
    return IG_ERR_OK;
}

static ig_code put(const reading *g, const char *task, const char *split, const char *languages,
                   int layer, int64_t n, double value)
{
    ig_store_metrics *m = g->to;
    const ig_task *is = ig_task_find(task);
    IG_TRY(ig_grow(&m->metric, &m->capacity, m->n + 1, sizeof *m->metric, "measures", g->err));
    m->metric[m->n++] = (ig_store_metric){
        .task = task,
        .task_version = g->listed && is->version_listed > 0 ? is->version_listed : is->version,
        .split = split,
        .languages = languages,
        .layer = layer,
        .step = g->step,
        .last = g->last,
        .n = n,
        .value = value};
    return IG_ERR_OK;
}

/* A number that is there; null and nothing are passed over. */
static ig_code put_at(const reading *g, const json_t *in, const char *key, const char *task,
                      const char *split, const char *languages, int layer, int64_t n)
{
    const json_t *x = json_object_get(in, key);
    if (x == NULL || json_is_null(x))
        return IG_ERR_OK;
    if (!json_is_number(x))
        return bad(g, key, "a number");
    return put(g, task, split, languages, layer, n, json_number_value(x));
}

/* rho or tau: P@1 each way, and the means of P@5 and P@10 both ways. */
static ig_code retrieval(const reading *g, const json_t *layer, const char *key,
                         const char *const task[5], int number)
{
    static const char *const ways[] = {"forward", "backward"}, *const at[] = {"p@5", "p@10"};
    const json_t *both, *way[2] = {NULL, NULL};
    int64_t n[2] = {0, 0};
    IG_TRY(object_at(g, &both, layer, key));
    for (int i = 0; i < 2 && both != NULL; i++) {
        IG_TRY(object_at(g, &way[i], both, ways[i]));
        IG_TRY(count_at(g, &n[i], way[i], "n_candidates"));
        IG_TRY(put_at(g, way[i], "p@1", task[1 + i], g->split, g->pair, number, n[i]));
    }
    for (int k = 0; k < 2; k++) {
        const json_t *x = json_object_get(way[0], at[k]), *y = json_object_get(way[1], at[k]);
        if (json_is_number(x) && json_is_number(y))
            IG_TRY(put(g, task[3 + k], g->split, g->pair, number, n[0],
                       (json_number_value(x) + json_number_value(y)) / 2));
    }
    return put_at(g, layer, task[0], task[0], g->split, g->pair, number, n[0]);
}

/* Word retrieval; layer −1: of static vectors. */
static ig_code read_words(const reading *g, const json_t *in, int layer)
{
    static const struct {
        const char *group, *task;
    } of[] = {{"open", "mrr_open"}, {"closed", "mrr_closed"}, {"noun", "mrr_noun"},
              {"verb", "mrr_verb"}, {"adverb", "mrr_adverb"}, {"adjective", "mrr_adjective"}};
    static const char *const key[] = {"mrr", "p@1", "p@5", "p@10"}, *const task[] = {
                                                                        "mrr", "p_at_1", "p_at_5",
                                                                        "p_at_10"};
    const json_t *words, *by, *group;
    int64_t n;
    IG_TRY(object_at(g, &words, in, "words"));
    IG_TRY(count_at(g, &n, words, "n_queries"));
    for (int i = 0; i < 4; i++)
        IG_TRY(put_at(g, words, key[i], task[i], g->split, g->pair, layer, n));
    IG_TRY(object_at(g, &by, words, "by"));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        IG_TRY(object_at(g, &group, by, of[i].group));
        IG_TRY(count_at(g, &n, group, "n_queries"));
        IG_TRY(put_at(g, group, "mrr", of[i].task, g->split, g->pair, layer, n));
    }
    return IG_ERR_OK;
}

/* Of measure/spaces.h, where it was asked for. */
static ig_code mapped(const reading *g, const json_t *layer, int number)
{
    static const char *const task[][2] = {{"rho_mapped", "mapped_retrieval"},
                                          {"tau_mapped", "mapped_translation"}};
    IG_TRY(put_at(g, layer, "cka", "cka", g->split, g->pair, number, 0));
    for (int i = 0; i < 2; i++) {
        const json_t *both, *way = NULL;
        int64_t n;
        IG_TRY(object_at(g, &both, layer, task[i][1]));
        if (both != NULL)
            IG_TRY(object_at(g, &way, both, "forward"));
        IG_TRY(count_at(g, &n, way, "n_candidates"));
        IG_TRY(put_at(g, layer, task[i][0], task[i][0], g->split, g->pair, number, n));
    }
    return IG_ERR_OK;
}

static ig_code read_layer(const reading *g, const char *name, const json_t *layer)
{
    static const char *const rho[] = {"rho", "rho_forward", "rho_backward", "rho_at_5",
                                      "rho_at_10"},
                             *const tau[] = {"tau", "tau_forward", "tau_backward", "tau_at_5",
                                             "tau_at_10"},
                             *const distinct[] = {"tau_distinct", "tau_distinct_forward",
                                                  "tau_distinct_backward", "tau_distinct_at_5",
                                                  "tau_distinct_at_10"};
    char *end;
    const long number = strtol(name, &end, 10);
    const json_t *edges;
    int64_t n;
    if (*name < '0' || *name > '9' || *end != '\0' || number > 999)
        return bad(g, name, "the number of a layer");
    if (!json_is_object(layer))
        return bad(g, name, "an object");
    IG_TRY(object_at(g, &edges, layer, "alignment"));
    IG_TRY(count_at(g, &n, edges, "n_gold"));
    IG_TRY(put_at(g, layer, "f1", "f1", g->split, g->pair, (int)number, n));
    IG_TRY(put_at(g, edges, "precision", "precision", g->split, g->pair, (int)number, n));
    IG_TRY(put_at(g, edges, "recall", "recall", g->split, g->pair, (int)number, n));
    IG_TRY(read_words(g, layer, (int)number));
    IG_TRY(retrieval(g, layer, "retrieval", rho, (int)number));
    IG_TRY(mapped(g, layer, (int)number));
    IG_TRY(retrieval(g, layer, "distinct_translation", distinct, (int)number));
    return retrieval(g, layer, "translation", tau, (int)number);
}

static ig_code means(const reading *g, const json_t *in, const char *key, const char *split,
                     const char *languages)
{
    const json_t *p;
    int64_t n;
    IG_TRY(object_at(g, &p, in, key));
    IG_TRY(count_at(g, &n, p, "n_tokens"));
    IG_TRY(put_at(g, p, "by_token", "perplexity_by_token", split, languages, -1, n));
    return put_at(g, p, "by_batch", "perplexity_by_batch", split, languages, -1, n);
}

static ig_code read_perplexity(const reading *g, const json_t *measures)
{
    const json_t *p, *pooled[2], *languages;
    json_t *of;
    const char *name,
        *kept, *const key[] = {"train", "dev"}, *const below[] = {"pooled_train", "pooled_dev"};
    int64_t n;
    IG_TRY(object_at(g, &p, measures, "perplexity"));
    if (p == NULL)
        return IG_ERR_OK;
    const char *mean = json_string_value(json_object_get(p, "mean"));
    const bool by_batch = mean != NULL && strstr(mean, "batch") != NULL;
    for (int i = 0; i < 2; i++) {
        const char *split = i == 0 ? "train" : g->split;
        IG_TRY(object_at(g, &pooled[i], p, below[i]));
        IG_TRY(count_at(g, &n, pooled[i], "n_tokens"));
        IG_TRY(put_at(g, p, key[i], "perplexity", split, "", -1, n));
        IG_TRY(means(g, p, below[i], split, ""));
    }
    IG_TRY(object_at(g, &languages, p, "languages"));
    json_object_foreach((json_t *)(uintptr_t)languages, name, of)
    {
        if (!json_is_object(of))
            return bad(g, name, "an object");
        IG_TRY(ig_pool_text(g->pool, &kept, name, strlen(name), g->err));
        for (int i = 0; i < 2; i++) {
            const char *split = i == 0 ? "train" : g->split;
            const json_t *one;
            IG_TRY(object_at(g, &one, of, key[i]));
            IG_TRY(count_at(g, &n, one, "n_tokens"));
            IG_TRY(put_at(g, one, by_batch ? "by_batch" : "by_token", "perplexity", split, kept, -1,
                          n));
            IG_TRY(means(g, of, key[i], split, kept));
        }
    }
    return IG_ERR_OK;
}

/* "en-fake": the first two languages, which are those that are compared; "" with fewer. Static
 * vectors have no perplexity, and say it themselves. */
static ig_code pair_of(reading *g, const json_t *measures)
{
    const char *said = json_string_value(json_object_get(measures, "pair"));
    if (said != NULL)
        return ig_pool_text(g->pool, &g->pair, said, strlen(said), g->err);
    const json_t *p = json_object_get(measures, "perplexity"),
                 *languages = json_object_get(p, "languages");
    const char *name, *two[2] = {NULL, NULL};
    json_t *x;
    int n = 0;
    json_object_foreach((json_t *)(uintptr_t)languages, name, x)
    {
        if (n < 2)
            two[n] = name;
        n++;
    }
    g->pair = "";
    return n < 2 ? IG_ERR_OK : ig_pool_print(g->pool, &g->pair, g->err, "%s-%s", two[0], two[1]);
}

/* Layers and μ of a pair. */
static ig_code read_pair(reading *g, const json_t *measures)
{
    const json_t *layers;
    const char *name;
    json_t *layer;
    int64_t n;
    const char *translations = json_string_value(json_object_get(measures, "translations"));
    g->listed = translations != NULL && strcmp(translations, "all") == 0;
    IG_TRY(object_at(g, &layers, measures, "layers"));
    json_object_foreach((json_t *)(uintptr_t)layers, name, layer)
        IG_TRY(read_layer(g, name, layer));
    IG_TRY(read_words(g, measures, -1));
    IG_TRY(count_at(g, &n, measures, "n_sentences"));
    IG_TRY(put_at(g, measures, "mu", "mu", g->split, g->pair, -1, n));
    IG_TRY(put_at(g, measures, "mu_distinct", "mu_distinct", g->split, g->pair, -1, n));
    IG_TRY(count_at(g, &n, measures, "n_words"));
    IG_TRY(put_at(g, measures, "identical_share", "identical_share", g->split, g->pair, -1, n));
    const json_t *mu = json_object_get(measures, "mu_layers");
    if (json_array_size(mu) == 2 && json_is_integer(json_array_get(mu, 0)) &&
        json_is_integer(json_array_get(mu, 1))) {
        IG_TRY(
            put(g, "mu_low", g->split, g->pair, -1, 0, json_number_value(json_array_get(mu, 0))));
        IG_TRY(
            put(g, "mu_high", g->split, g->pair, -1, 0, json_number_value(json_array_get(mu, 1))));
    }
    return IG_ERR_OK;
}

static ig_code add(reading *g, const json_t *measures)
{
    const json_t *pairs;
    const char *name;
    json_t *pair;
    if (!json_is_object(measures))
        return bad(g, "measures", "an object");
    IG_TRY(pair_of(g, measures));
    IG_TRY(read_pair(g, measures));
    IG_TRY(read_perplexity(g, measures));
    IG_TRY(object_at(g, &pairs, measures, "pairs"));
    json_object_foreach((json_t *)(uintptr_t)pairs, name, pair)
    {
        if (!json_is_object(pair))
            return bad(g, name, "an object");
        IG_TRY(ig_pool_text(g->pool, &g->pair, name, strlen(name), g->err));
        IG_TRY(read_pair(g, pair));
    }
    return IG_ERR_OK;
}

/* The same of further texts, whose names are their splits. */
static ig_code add_texts(reading *g, const json_t *measures)
{
    const json_t *texts;
    const char *name;
    json_t *text;
    IG_TRY(object_at(g, &texts, measures, "texts"));
    json_object_foreach((json_t *)(uintptr_t)texts, name, text)
    {
        if (name[0] == '\0' || strcmp(name, "train") == 0 || strcmp(name, "dev") == 0)
            return bad(g, "texts", "names other than train and dev");
        IG_TRY(ig_pool_text(g->pool, &g->split, name, strlen(name), g->err));
        IG_TRY(add(g, text));
    }
    return IG_ERR_OK;
}

ig_code ig_store_metrics_add(ig_store_metrics *m, const json_t *measures, const char *split,
                             int64_t step, bool last, const char *where, ig_err *err)
{
    ig_pool *pool = m->memory;
    if (pool == NULL) {
        IG_TRY(ig_alloc(&pool, 1, sizeof *pool, "measures", err));
        m->memory = pool;
    }
    reading g = {.to = m, .pool = pool, .where = where, .step = step, .last = last, .err = err};
    IG_TRY(ig_pool_text(pool, &g.split, split, strlen(split), err));
    IG_TRY(add(&g, measures));
    return add_texts(&g, measures);
}

void ig_store_metrics_free(ig_store_metrics *m)
{
    if (m->memory != NULL)
        ig_pool_free(m->memory);
    ig_free(m->memory);
    ig_free(m->metric);
    *m = (ig_store_metrics){0};
}
