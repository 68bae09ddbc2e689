/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes the software, data and machines of a page's runs. Manifests are long and nearly alike,
 * so the parts that runs have in common are written once, under a letter.
 */
#include "base/memory.h"
#include "report/page/page_parts.h"
#include "report/results/results_internal.h"

#include <string.h>

/* The parts of a manifest that runs may have in common (lab/work/lab_child.c writes it). */
static const char *const common_keys[] = {"data", "host", "program", "threads", NULL};

/* {}: no manifest, or none that can be read. */
static json_t *common_of(const char *manifest)
{
    json_t *j = manifest != NULL ? json_loads(manifest, 0, NULL) : NULL, *common = json_object();
    for (size_t i = 0; common_keys[i] != NULL; i++)
        json_object_set(common, common_keys[i], json_object_get(j, common_keys[i]));
    json_decref(j);
    return common;
}

/* The machines found: the common parts, a copy of the first manifest that has them, and the number
 * of runs. */
typedef struct {
    json_t *common;
    uint64_t print;
    int64_t n_run;
} machine;

typedef struct {
    machine *m;
    int n;
    int64_t room;
} machines;

/* The machine of a manifest, a new one where there is none such; −1: none. */
static ig_code machine_of(int *out, machines *all, const char *manifest, ig_err *err)
{
    uint64_t print;
    const bool printed = ig_result_print_keys(&print, manifest, common_keys);
    for (*out = 0; *out < all->n && printed; ++*out)
        if (all->m[*out].print == print)
            return IG_ERR_OK;
    json_t *common = common_of(manifest);
    for (*out = json_object_size(common) > 0 ? 0 : -1; *out >= 0 && *out < all->n; ++*out)
        if (json_equal(all->m[*out].common, common))
            break;
    if (*out < 0 || *out < all->n) {
        json_decref(common);
        return IG_ERR_OK;
    }
    ig_code code = ig_grow(&all->m, &all->room, all->n + 1, sizeof *all->m, "machines", err);
    if (code != IG_ERR_OK)
        json_decref(common);
    else
        all->m[all->n++] = (machine){common, printed ? print : 0, 0};
    return code;
}

/* Returns one text if all entries (several) are the same: kernels of one table. */
static json_t *one_for_all(json_t *j)
{
    json_t *first = json_object_iter_value(json_object_iter(j)), *x;
    const char *key;
    if (json_object_size(j) < 4 || !json_is_string(first))
        return NULL;
    json_object_foreach(j, key, x) if (!json_equal(x, first)) return NULL;
    return first;
}

/* Nested JSON as rows "program / cpu / name". */
static void add_rows(json_t *rows, const char *path, json_t *j)
{
    const char *key;
    json_t *x;
    char below[300];
    if (!json_is_object(j)) {
        ig_page_fact(rows, path, ig_page_value(j));
    } else if (one_for_all(j) != NULL) {
        snprintf(below, sizeof below, "%s (all %zu)", path, json_object_size(j));
        add_rows(rows, below, one_for_all(j));
    } else {
        json_object_foreach(j, key, x)
        {
            if (strncmp(key, "isoglot_", 8) == 0)
                continue; /* the version of a format */
            snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? " / " : "", key);
            add_rows(rows, below, x);
        }
    }
}

json_t *ig_page_letter(int i)
{
    char name[16];
    char *p = name + sizeof name - 1;
    for (*p = '\0'; i >= 0; i = i / 26 - 1)
        *--p = (char)('A' + i % 26);
    return json_string(p);
}

static json_t *machine_json(const machine *m, int i, bool alone)
{
    const json_t *program = json_object_get(m->common, "program"),
                 *cpu = json_object_get(program, "cpu");
    const json_t *said[] = {json_object_get(cpu, "name"), json_object_get(program, "version"),
                            json_object_get(program, "commit"),
                            json_object_get(program, "compiler")};
    json_t *out = json_object(),
           *summary = json_sprintf("%lld run%s", (long long)m->n_run, m->n_run == 1 ? "" : "s");
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        if (json_is_string(said[k])) {
            ig_page_append(summary, k == 1 ? "; isoglot " : "; ");
            ig_page_append(summary, json_string_value(said[k]));
        }
    add_rows(out, "", m->common);
    json_object_set_new(out, "index", json_integer(i));
    json_object_set_new(out, "letter", ig_page_letter(i));
    json_object_set_new(out, "summary", summary);
    json_object_set_new(out, "alone", json_boolean(alone));
    return out;
}

ig_code ig_page_machines(json_t *data, int **of_run, const ig_results *r, ig_err *err)
{
    machines all = {0};
    json_t *list = json_array();
    ig_code code = ig_alloc(of_run, r->store->n_entry, sizeof **of_run, "machines", err);
    for (int64_t i = 0; i < r->store->n_entry && code == IG_ERR_OK; i++) {
        int *k = *of_run + i;
        code = machine_of(k, &all, r->store->entry[i].run.manifest, err);
        if (code == IG_ERR_OK && *k >= 0)
            all.m[*k].n_run++;
    }
    for (int i = 0; i < all.n; i++) {
        json_array_append_new(list, machine_json(&all.m[i], i, all.n == 1));
        json_decref(all.m[i].common);
    }
    json_object_set_new(data, "machines", list);
    ig_free(all.m);
    return code;
}
