/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads measures of a run's folder as rows. A table here maps the names of version 0.2; it will be
 * removed with the next version.
 */
#include "store/old_measures.h"

#include "base/memory.h"
#include "store/store_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a number in the measures of a pair of languages or of a layer, unless below its own
 * name: keys separated by /, or the number of an element; two: their mean. count: the number of
 * items. */
typedef struct {
    const char *task, *path[2], *count;
    bool everywhere; /* of a layer, and of static vectors in the same place */
} place;

#define RETRIEVAL(task, key)                                                                       \
    {task, {task}, key "/forward/n_candidates", false},                                            \
        {task "_forward", {key "/forward/p@1"}, key "/forward/n_candidates", false},               \
        {task "_backward", {key "/backward/p@1"}, key "/backward/n_candidates", false},            \
        {task "_at_5",                                                                             \
         {key "/forward/p@5", key "/backward/p@5"},                                                \
         key "/forward/n_candidates",                                                              \
         false},                                                                                   \
    {                                                                                              \
        task "_at_10", {key "/forward/p@10", key "/backward/p@10"}, key "/forward/n_candidates",   \
            false                                                                                  \
    }
#define GROUP(name)                                                                                \
    {                                                                                              \
        "mrr_" name, {"words/by/" name "/mrr"}, "words/by/" name "/n_queries", true                \
    }

static const place places[] = {
    {"f1", {"f1"}, "alignment/n_gold", false},
    {"precision", {"alignment/precision"}, "alignment/n_gold", false},
    {"recall", {"alignment/recall"}, "alignment/n_gold", false},
    RETRIEVAL("rho", "retrieval"),
    RETRIEVAL("tau", "translation"),
    RETRIEVAL("tau_distinct", "distinct_translation"),
    {"rho_mapped", {"rho_mapped"}, "mapped_retrieval/forward/n_candidates", false},
    {"tau_mapped", {"tau_mapped"}, "mapped_translation/forward/n_candidates", false},
    {"mrr", {"words/mrr"}, "words/n_queries", true},
    {"p_at_1", {"words/p@1"}, "words/n_queries", true},
    {"p_at_5", {"words/p@5"}, "words/n_queries", true},
    {"p_at_10", {"words/p@10"}, "words/n_queries", true},
    GROUP("open"),
    GROUP("closed"),
    GROUP("noun"),
    GROUP("verb"),
    GROUP("adverb"),
    GROUP("adjective"),
    {"positions_nearest", {"positions/nearest"}, "positions/n_frequent", false},
    {"positions_diagonal", {"positions/diagonal"}, "positions/n_frequent", false},
    {"positions_order", {"positions/order"}, "positions/n_frequent", false},
    {"positions_nearest_rare", {"positions/nearest_rare"}, "positions/n_rare", false},
    {"positions_diagonal_rare", {"positions/diagonal_rare"}, "positions/n_rare", false},
    {"mu", {"mu"}, "n_sentences", false},
    {"mu_distinct", {"mu_distinct"}, "n_sentences", false},
    {"identical_share", {"identical_share"}, "n_words", false},
    {"mu_low", {"mu_layers/0"}, NULL, false},
    {"mu_high", {"mu_layers/1"}, NULL, false},
};

static place place_of(const char *task)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].task, task) == 0)
            return places[i];
    return (place){task, {task, NULL}, NULL, false};
}

typedef struct {
    ig_row_set *to;
    ig_pool *pool; /* of names */
    const char *where, *split, *pair;
    int64_t step;
    bool last, by_batch;
    bool listed; /* all translations of a dictionary that is a file counted */
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

/* With task, split, languages, layer, n and value. */
static ig_code put(const reading *g, ig_row x)
{
    const ig_store_task *is = ig_store_task_find(x.task);
    x.task_version = g->listed && is->version_listed > 0 ? is->version_listed : is->version;
    x.step = g->step;
    x.last = g->last;
    return ig_row_set_put(g->to, &x, g->err);
}

/* Returns the value at "retrieval/forward/p@1" below `in`: keys separated by /, or the number of an
 * element. *out is NULL if there is none or null; values on the path must be objects. *key becomes
 * the last key. */
static ig_code value_at(const reading *g, const json_t **out, const char **key, const json_t *in,
                        const char *path)
{
    char part[64];
    *out = in;
    for (const char *next; *out != NULL; path = next) {
        const size_t n = strcspn(path, "/");
        *key = path;
        next = path + n + 1;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        const json_t *array = *out;
        *out = json_is_array(array) ? json_array_get(array, (size_t)strtol(part, NULL, 10))
                                    : json_object_get(array, part);
        if (json_is_null(*out))
            *out = NULL;
        if (path[n] == '\0')
            return IG_ERR_OK;
        if (*out != NULL && !json_is_object(*out) && !json_is_array(*out))
            return bad(g, part, "an object");
    }
    return IG_ERR_OK;
}

/* path NULL: it is unknown, and 0. */
static ig_code count_at(const reading *g, int64_t *out, const json_t *in, const char *path)
{
    const json_t *n = NULL;
    const char *key = "";
    if (path != NULL)
        IG_TRY(value_at(g, &n, &key, in, path));
    *out = json_integer_value(n);
    return n == NULL || (json_is_integer(n) && *out >= 0) ? IG_ERR_OK : bad(g, key, "a count");
}

/* Adds the number at the path, which may be missing or null. */
static ig_code put_at(const reading *g, const json_t *in, const char *path, ig_row m)
{
    const json_t *x;
    const char *key = path;
    IG_TRY(value_at(g, &x, &key, in, path));
    m.value = json_number_value(x);
    return x == NULL ? IG_ERR_OK : json_is_number(x) ? put(g, m) : bad(g, key, "a number");
}

/* Adds the number at the path of its row, or the mean of two. */
static ig_code put_task(const reading *g, const ig_store_task *t, const json_t *in, int layer)
{
    const json_t *x[2] = {NULL, NULL};
    const char *key;
    const place at = place_of(t->name);
    ig_row m = {.task = t->name, .split = g->split, .languages = g->pair, .layer = layer};
    IG_TRY(count_at(g, &m.n, in, at.count));
    if (at.path[1] == NULL)
        return put_at(g, in, at.path[0], m);
    for (int i = 0; i < 2; i++)
        IG_TRY(value_at(g, &x[i], &key, in, at.path[i]));
    m.value = (json_number_value(x[0]) + json_number_value(x[1])) / 2;
    return json_is_number(x[0]) && json_is_number(x[1]) ? put(g, m) : IG_ERR_OK;
}

/* layer −1: measures of the pair, and layered ones of a model without layers. */
static ig_code put_tasks(const reading *g, const json_t *in, int layer)
{
    const bool of_pair = layer < 0;
    for (int l = 0; ig_store_task_lists[l] != NULL; l++)
        for (const ig_store_task *t = ig_store_task_lists[l]; t->name != NULL; t++)
            if (of_pair
                    ? (t->kind == IG_STORE_TASK_PLAIN && strncmp(t->name, "perplexity", 10) != 0) ||
                          place_of(t->name).everywhere
                    : t->kind == IG_STORE_TASK_LAYERED)
                IG_TRY(put_task(g, t, in, layer));
    return IG_ERR_OK;
}

static ig_code read_layer(const reading *g, const char *name, const json_t *layer)
{
    char *end;
    const long number = strtol(name, &end, 10);
    if (*name < '0' || *name > '9' || *end != '\0' || number > 999)
        return bad(g, name, "the number of a layer");
    if (!json_is_object(layer))
        return bad(g, name, "an object");
    return put_tasks(g, layer, (int)number);
}

/* The perplexity of a text at the path `own`, and its means over tokens and batches below a key. */
static ig_code put_means(const reading *g, const json_t *in, const char *key, const char *own,
                         ig_row m)
{
    static const char *const task[] = {"perplexity_by_token", "perplexity_by_batch"},
                             *const mean[] = {"by_token", "by_batch"};
    char path[64];
    snprintf(path, sizeof path, "%s/n_tokens", key);
    IG_TRY(count_at(g, &m.n, in, path));
    m.task = "perplexity";
    IG_TRY(put_at(g, in, own, m));
    for (int i = 0; i < 2; i++) {
        m.task = task[i];
        snprintf(path, sizeof path, "%s/%s", key, mean[i]);
        IG_TRY(put_at(g, in, path, m));
    }
    return IG_ERR_OK;
}

static ig_code read_perplexity(const reading *g, const json_t *measures)
{
    static const char *const key[] = {"train", "dev"}, *const pooled[] = {"pooled_train",
                                                                          "pooled_dev"};
    const char *const split[] = {"train", g->split}, *name;
    const json_t *p, *languages;
    json_t *of;
    IG_TRY(object_at(g, &p, measures, "perplexity"));
    IG_TRY(object_at(g, &languages, p, "languages"));
    for (int i = 0; i < 2; i++)
        IG_TRY(put_means(g, p, pooled[i], key[i],
                         (ig_row){.split = split[i], .languages = "", .layer = -1}));
    json_object_foreach((json_t *)(uintptr_t)languages, name, of)
    {
        ig_row m = {.layer = -1};
        if (!json_is_object(of))
            return bad(g, name, "an object");
        IG_TRY(ig_pool_text(g->pool, &m.languages, name, strlen(name), g->err));
        for (int i = 0; i < 2; i++) {
            char own[32];
            m.split = split[i];
            snprintf(own, sizeof own, "%s/%s", key[i], g->by_batch ? "by_batch" : "by_token");
            IG_TRY(put_means(g, of, key[i], own, m));
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
    const char *translations = json_string_value(json_object_get(measures, "translations"));
    g->listed = translations != NULL && strcmp(translations, "all") == 0;
    IG_TRY(object_at(g, &layers, measures, "layers"));
    json_object_foreach((json_t *)(uintptr_t)layers, name, layer)
        IG_TRY(read_layer(g, name, layer));
    return put_tasks(g, measures, -1);
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

/* Adds further texts, whose names are their splits. */
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

ig_code ig_measures_read(ig_row_set *m, const json_t *measures, const ig_store_measured *of,
                         ig_err *err)
{
    const ig_row like = {.step = of->step, .last = of->last};
    const json_t *rows = json_object_get(measures, "rows");
    if (rows != NULL)
        return ig_row_set_read_all(m, rows, &like, of->where, err);
    IG_SCOPED(ig_pool_free) ig_pool pool = {0};
    reading g = {.to = m,
                 .pool = &pool,
                 .where = of->where,
                 .split = "dev",
                 .step = of->step,
                 .last = of->last,
                 .by_batch = of->by_batch,
                 .err = err};
    IG_TRY(add(&g, measures));
    return add_texts(&g, measures);
}

ig_code ig_training_log_read(ig_row_set *m, const json_t *line, int64_t step, bool last,
                             ig_err *err)
{
    static const char *const names[] = {"loss", "accuracy"};
    for (int i = 0; i < 2; i++) {
        const json_t *x = json_object_get(line, names[i]);
        const ig_store_task *task = ig_store_task_find(names[i]);
        if (!json_is_number(x))
            continue;
        IG_TRY(ig_row_set_put(m,
                              &(ig_row){.task = task->name,
                                        .split = task->split,
                                        .languages = "",
                                        .task_version = task->version,
                                        .layer = -1,
                                        .last = last,
                                        .step = step,
                                        .value = json_number_value(x)},
                              err));
    }
    return IG_ERR_OK;
}
