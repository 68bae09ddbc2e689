/* SPDX-License-Identifier: Apache-2.0
 *
 * Which runs an experiment has, and in which order they are worked on; see lab_list.h.
 */
#include "lab/runs/lab_list.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "lab/runs/run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the selector names this very cell, rather than a pattern that it fits. */
static bool named(const char *selector, const char *cell)
{
    const size_t n = strlen(cell);
    for (const char *p = selector; p != NULL; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        while (*p == ' ')
            p++;
        if (strncmp(p, cell, n) == 0 && (p[n] == '\0' || p[n] == ',' || p[n] == ':'))
            return true;
    }
    return false;
}

static bool can_run(const ig_cell *c, const char *selector, bool gpu)
{
    return gpu || !(c->needs & IG_NEEDS_GPU) || named(selector, c->name);
}

typedef struct {
    ig_lab_list *l;
    int64_t have;
    const ig_experiment *e;
    const char *store, *selector;
    bool work; /* in the order of work */
    bool gpu;
    bool *on; /* [n_cell, stride] */
    int64_t stride;
    char (*address)[IG_ADDRESS];       /* [n_cell, stride] of every run */
    char (*parent)[IG_ADDRESS];        /* likewise, of the run that it starts from */
    const struct settings_list *found; /* in place of addresses of settings those of their runs */
    ig_err *err;
} listing;

/* A run of a store, and the address of the settings that its folder has. */
typedef struct settings_list {
    struct {
        char settings[IG_ADDRESS], address[IG_ADDRESS];
    } * run;
    int n;
    int64_t room;
    ig_hash_cache *by_name;
    ig_err *err;
} settings_list;

static ig_code add(listing *g, int cell, int i_seed, const char *address)
{
    ig_lab_list *l = g->l;
    IG_TRY(ig_grow(&l->item, &g->have, l->n + 1, sizeof *l->item, "list of runs", g->err));
    ig_lab_item *it = &l->item[l->n];
    *it = (ig_lab_item){.cell = cell, .seed = g->e->cell[cell].seed[i_seed]};
    char dir[IG_PATH];
    memcpy(it->address, address, IG_ADDRESS);
    if (g->parent != NULL)
        memcpy(it->parent, g->parent[cell * g->stride + i_seed], IG_ADDRESS);
    IG_TRY(ig_folder_path(dir, g->store != NULL ? g->store : "", g->err, "runs/%s", address));
    IG_TRY(ig_copy_text(&it->dir, dir, "path", g->err));
    l->n++;
    return IG_ERR_OK;
}

/* Two cells may be the same run; the first stays. */
static bool seen_before(const ig_lab_list *l)
{
    const ig_lab_item *last = &l->item[l->n - 1];
    for (int i = 0; i < l->n - 1; i++)
        if (strcmp(l->item[i].address, last->address) == 0)
            return true;
    return false;
}

static ig_code fill(listing *g)
{
    ig_lab_list *l = g->l;
    const ig_experiment *e = g->e;
    const bool work = g->work, *on = g->on;
    const int64_t stride = g->stride;
    int most = 0;
    for (int k = 0; k < e->n_cell; k++)
        most = e->cell[k].n_seed > most ? e->cell[k].n_seed : most;
    for (int k = 0; k < e->n_cell; k++) {
        bool any = false;
        for (int s = 0; s < e->cell[k].n_seed; s++)
            any |= on[k * stride + s] && (!work || can_run(&e->cell[k], g->selector, g->gpu));
        l->n_cell += any;
    }
    const int outer = work ? most : e->n_cell, inner = work ? e->n_cell : most;
    for (int i = 0; i < outer; i++)
        for (int j = 0; j < inner; j++) {
            const int k = work ? j : i, s = work ? i : j;
            if (s >= e->cell[k].n_seed || !on[k * stride + s])
                continue;
            if (work && !can_run(&e->cell[k], g->selector, g->gpu)) {
                l->n_skipped++;
                continue;
            }
            if (g->address[k * stride + s][0] == '\0')
                continue; /* the store has no such run */
            IG_TRY(add(g, k, s, g->address[k * stride + s]));
            if (work && seen_before(l))
                ig_free(l->item[--l->n].dir);
        }
    return IG_ERR_OK;
}

/* The addresses of a cell that starts from another, whose addresses are there. */
static ig_code addresses_of_child(listing *g, int k, ig_hash_cache *cache)
{
    const ig_cell *c = &g->e->cell[k], *from = &g->e->cell[c->parent];
    for (int s = 0; s < c->n_seed; s++) {
        const int64_t at = k * g->stride + s;
        int i = 0;
        while (from->seed[i] != c->seed[s])
            i++;
        memcpy(g->parent[at], g->address[c->parent * g->stride + i], IG_ADDRESS);
        ig_run_config config;
        IG_TRY(ig_experiment_config(&config, g->e, k, c->seed[s], g->err));
        ig_code code = ig_lab_from_run(&config, g->parent[at], g->err);
        IG_THEN(code, ig_run_address(g->address[at], &config, cache, g->err));
        ig_run_config_free(&config);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

ig_code ig_lab_from_run(ig_run_config *c, const char *address, ig_err *err)
{
    char text[sizeof IG_FROM_RUN + IG_ADDRESS];
    snprintf(text, sizeof text, "%s%s", IG_FROM_RUN, address);
    ig_free(c->model.from);
    c->model.from = NULL;
    return ig_copy_text(&c->model.from, text, "address", err);
}

/* The runs of the store with these settings; "": it has none. */
static void find_runs(listing *g, int k)
{
    const settings_list *s = g->found;
    for (int i = 0; s != NULL && i < g->e->cell[k].n_seed; i++) {
        char *address = g->address[k * g->stride + i];
        int at = 0;
        while (at < s->n && strcmp(s->run[at].settings, address) != 0)
            at++;
        snprintf(address, IG_ADDRESS, "%s", at < s->n ? s->run[at].address : "");
    }
}

/* A cell's after those of the cell that it starts from. */
static ig_code addresses_of(listing *g, int k, ig_hash_cache *cache)
{
    const ig_cell *c = &g->e->cell[k];
    const ig_code code = c->parent >= 0 ? addresses_of_child(g, k, cache)
                                        : ig_run_addresses(g->address + k * g->stride, &c->config,
                                                           c->seed, c->n_seed, cache, g->err);
    if (code == IG_ERR_OK)
        find_runs(g, k);
    return code == IG_ERR_OK ? code : ig_experiment_at_cell(g->e, k, g->err);
}

static ig_code addresses(listing *g, ig_hash_cache *cache)
{
    const ig_experiment *e = g->e;
    const int64_t n = e->n_cell * g->stride;
    IG_TRY(ig_alloc(&g->address, n, sizeof *g->address, "addresses", g->err));
    IG_TRY(ig_alloc(&g->parent, n, sizeof *g->parent, "addresses", g->err));
    for (int k = 0; k < e->n_cell; k++) {
        int chain[64], m = 0;
        for (int at = k; at >= 0 && m < 64 && g->address[at * g->stride][0] == '\0';
             at = e->cell[at].parent)
            chain[m++] = at;
        while (m > 0)
            IG_TRY(addresses_of(g, chain[--m], cache));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_list_make(ig_lab_list *l, const ig_experiment *e, const ig_lab_listed *what,
                         ig_hash_cache *cache, ig_err *err)
{
    const char *store = what->store, *selector = what->selector;
    listing g = {.l = l,
                 .e = e,
                 .store = store,
                 .selector = selector,
                 .work = what->order == IG_LAB_WORK_ORDER,
                 .gpu = what->gpu,
                 .err = err};
    *l = (ig_lab_list){0};
    if (store != NULL && ig_file_exists(store) && !ig_dir_exists(store))
        return ig_fail(err, IG_ERR_IO, store, 0, "found a file, expected a folder");
    ig_hash_cache *own = NULL;
    IG_TRY(ig_experiment_select(&g.on, &g.stride, e, selector != NULL ? selector : "*", err));
    ig_code code = cache != NULL   ? IG_ERR_OK
                   : store == NULL ? ig_hash_cache_new_by_name(&own, err)
                                   : ig_hash_cache_new(&own, err);
    IG_THEN(code, addresses(&g, cache != NULL ? cache : own));
    IG_THEN(code, fill(&g));
    ig_hash_cache_free(own);
    IG_FREE(g.address, g.parent, g.on);
    if (code != IG_ERR_OK)
        ig_lab_list_free(l);
    return code;
}

int ig_lab_cell_of(const ig_experiment *e, const char *name, int near)
{
    for (int i = 0, k = near > 0 ? near : 0; i < e->n_cell; i++, k = (k + 1) % e->n_cell)
        if (strcmp(e->cell[k].name, name) == 0)
            return k;
    return -1;
}

int ig_lab_run_of(const ig_lab_list *l, const ig_experiment *e, const ig_store_cell *c, int near)
{
    for (int i = 0, k = near > 0 ? near : 0; i < l->n; i++, k = (k + 1) % l->n)
        if (l->item[k].seed == c->seed && strcmp(e->cell[l->item[k].cell].name, c->cell) == 0)
            return k;
    return -1;
}

/* The seed's place in a cell; −1: it has none of that number. */
static int place_of(const ig_cell *c, int64_t seed)
{
    for (int i = 0; i < c->n_seed; i++)
        if (c->seed[i] == seed)
            return i;
    return -1;
}

/* Of two folders of the same settings one has the measures that were set aside of the other, which
 * knows of it. */
static ig_code put_settings(void *arg, const char *runs, const char *name)
{
    settings_list *s = arg;
    char dir[IG_PATH], settings[IG_ADDRESS];
    ig_run_config c = {0};
    int at = 0;
    IG_TRY(ig_folder_path(dir, runs, s->err, "%s", name));
    if (strlen(name) != IG_ADDRESS - 1 || ig_run_config_load_in(&c, dir, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    /* Its folder has the path of the run of another cell that it starts from. */
    const char *slash = c.model.from != NULL ? strrchr(c.model.from, '/') : NULL;
    ig_code code = slash != NULL && strlen(slash) == IG_ADDRESS && ig_folder_has(runs, slash + 1)
                       ? ig_lab_from_run(&c, slash + 1, s->err)
                       : IG_ERR_OK;
    IG_THEN(code, ig_run_address(settings, &c, s->by_name, s->err));
    ig_run_config_free(&c);
    IG_TRY(code);
    while (at < s->n && strcmp(s->run[at].settings, settings) != 0)
        at++;
    if (at < s->n && !ig_folder_has(dir, "measured"))
        return IG_ERR_OK;
    if (at == s->n)
        IG_TRY(ig_grow(&s->run, &s->room, ++s->n, sizeof *s->run, "runs", s->err));
    memcpy(s->run[at].settings, settings, IG_ADDRESS);
    memcpy(s->run[at].address, name, IG_ADDRESS);
    return IG_ERR_OK;
}

/* The runs of a store by the settings that their folders have. */
static ig_code list_by_settings(listing *g)
{
    settings_list found = {.err = g->err};
    char runs[IG_PATH];
    g->found = &found;
    IG_TRY(ig_folder_path(runs, g->store, g->err, "runs"));
    if (!ig_dir_exists(runs))
        return IG_ERR_OK;
    ig_code code = ig_hash_cache_new_by_name(&found.by_name, g->err);
    IG_THEN(code, ig_lab_each_name(runs, put_settings, &found, g->err));
    IG_THEN(code, ig_experiment_select(&g->on, &g->stride, g->e, "*", g->err));
    IG_THEN(code, addresses(g, found.by_name));
    IG_THEN(code, fill(g));
    ig_hash_cache_free(found.by_name);
    IG_FREE(g->address, g->parent, g->on, found.run);
    return code;
}

ig_code ig_lab_list_known(ig_lab_list *l, const ig_experiment *e, const char *store, ig_store *s,
                          ig_err *err)
{
    ig_store_result r = {0};
    listing g = {.l = l, .e = e, .store = store, .err = err};
    *l = (ig_lab_list){0};
    ig_code code = ig_store_read(&r, s, e->name, true, err);
    int cell = 0;
    for (int64_t i = 0; i < r.n_entry && code == IG_ERR_OK; i++) {
        const ig_store_cell *c = &r.entry[i].cell;
        cell = ig_lab_cell_of(e, c->cell, cell);
        const int at = cell >= 0 ? place_of(&e->cell[cell], c->seed) : -1;
        if (at >= 0 && strlen(c->address) == IG_ADDRESS - 1)
            code = add(&g, cell, at, c->address);
    }
    ig_store_result_free(&r);
    if (code == IG_ERR_OK && l->n == 0)
        code = list_by_settings(&g);
    if (code != IG_ERR_OK)
        ig_lab_list_free(l);
    return code;
}

void ig_lab_list_free(ig_lab_list *l)
{
    for (int i = 0; i < l->n; i++)
        ig_free(l->item[i].dir);
    ig_free(l->item);
    *l = (ig_lab_list){0};
}

const char *ig_lab_store(const char *given)
{
    const char *set = getenv("ISOGLOT_STORE");
    return given != NULL ? given : set != NULL && *set != '\0' ? set : "isoglot-store";
}
