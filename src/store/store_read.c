/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read from the store: the cells of an experiment with their runs and metrics, within one
 * read transaction, so that a writer in between is seen whole or not at all.
 */
#include "store/store.h"
#include "base/memory.h"
#include "store/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Strings of a result: blocks that are never moved. */
typedef struct block {
    struct block *next;
    size_t used, size;
    char text[];
} block;

static ig_code keep(block **pool, const char **out, const void *text, size_t n, ig_err *err)
{
    enum { BLOCK = 1 << 16 };
    block *b = *pool;
    if (b == NULL || b->size - b->used < n + 1) {
        const size_t size = n + 1 > BLOCK ? n + 1 : BLOCK;
        IG_TRY(ig_alloc(&b, (int64_t)(sizeof *b + size), 1, "results", err));
        b->size = size;
        b->next = *pool;
        *pool = b;
    }
    char *to = b->text + b->used;
    memcpy(to, text, n);
    to[n] = '\0';
    b->used += n + 1;
    *out = to;
    return IG_ERR_OK;
}

/* A column's text; NULL where it is null. */
static ig_code text_at(block **pool, const char **out, sqlite3_stmt *st, int column, ig_err *err)
{
    const unsigned char *text = sqlite3_column_text(st, column);
    *out = NULL;
    if (text == NULL)
        return IG_ERR_OK;
    return keep(pool, out, text, (size_t)sqlite3_column_bytes(st, column), err);
}

/* As text_at; the same text as the row before shares its memory. */
static ig_code again_at(block **pool, const char **out, const char *before, sqlite3_stmt *st,
                        int column, ig_err *err)
{
    const unsigned char *text = sqlite3_column_text(st, column);
    if (before != NULL && text != NULL && strcmp(before, (const char *)text) == 0) {
        *out = before;
        return IG_ERR_OK;
    }
    return text_at(pool, out, st, column, err);
}

static double real_at(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL ? (double)NAN
                                                          : sqlite3_column_double(st, column);
}

static ig_code status_at(const ig_store *s, ig_run_status *out, sqlite3_stmt *st, int column,
                         ig_err *err)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    *out = IG_RUN_MISSING;
    if (text == NULL)
        return IG_ERR_OK;
    for (int k = IG_RUN_MISSING; k <= IG_RUN_DONE; k++)
        if (strcmp(text, ig_run_status_name((ig_run_status)k)) == 0) {
            *out = (ig_run_status)k;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, s->path, 0, "found the status '%.40s' of a run", text);
}

typedef struct {
    ig_store_result *r;
    block *pool;
    int64_t entry_room, metric_room;
} reading;

static ig_code read_entries(reading *g, ig_store *s, const char *experiment, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_prepare(
        s, &st,
        "SELECT cell.experiment, cell.name, cell.label, cell.position, cell.seed, cell.address,"
        " status, config, manifest, message, seconds, tokens_per_second, updates, tokens,"
        " peak_memory, finished"
        " FROM cell LEFT JOIN run USING(address) WHERE cell.experiment = ?1"
        " ORDER BY cell.position, cell.seed",
        err));
    sqlite3_bind_text(st, 1, experiment, -1, SQLITE_STATIC);
    ig_code code = IG_ERR_OK;
    ig_store_entry before = {0};
    int rc;
    while (code == IG_ERR_OK && (rc = sqlite3_step(st)) != SQLITE_DONE) {
        if (rc != SQLITE_ROW) {
            code = ig_store_fail(s, rc, err);
            break;
        }
        code = ig_grow(&g->r->entry, &g->entry_room, g->r->n_entry + 1, sizeof *g->r->entry,
                       "results", err);
        if (code != IG_ERR_OK)
            break;
        ig_store_entry *e = &g->r->entry[g->r->n_entry++];
        block **p = &g->pool;
        if ((code = again_at(p, &e->cell.experiment, before.cell.experiment, st, 0, err)) !=
                IG_ERR_OK ||
            (code = again_at(p, &e->cell.cell, before.cell.cell, st, 1, err)) != IG_ERR_OK ||
            (code = again_at(p, &e->cell.label, before.cell.label, st, 2, err)) != IG_ERR_OK ||
            (code = text_at(p, &e->cell.address, st, 5, err)) != IG_ERR_OK ||
            (code = status_at(s, &e->run.status, st, 6, err)) != IG_ERR_OK ||
            (code = text_at(p, &e->run.config, st, 7, err)) != IG_ERR_OK ||
            (code = text_at(p, &e->run.manifest, st, 8, err)) != IG_ERR_OK ||
            (code = text_at(p, &e->run.message, st, 9, err)) != IG_ERR_OK)
            break;
        e->cell.order = sqlite3_column_int(st, 3);
        e->cell.seed = e->run.seed = sqlite3_column_int64(st, 4);
        e->run.address = e->cell.address;
        e->run.seconds = real_at(st, 10);
        e->run.tokens_per_second = real_at(st, 11);
        e->run.updates = sqlite3_column_int64(st, 12);
        e->run.tokens = sqlite3_column_int64(st, 13);
        e->run.peak_memory = sqlite3_column_int64(st, 14);
        e->run.finished = sqlite3_column_int64(st, 15);
        before = *e;
    }
    sqlite3_finalize(st);
    return code;
}

static ig_code read_metrics(reading *g, ig_store *s, bool last_only, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_prepare(s, &st,
                            last_only
                                ? "SELECT task, task_version, split, languages, layer, step,"
                                  " last, n, value FROM metric WHERE address = ?1 AND last = 1"
                                  " ORDER BY task, split, languages, layer, step"
                                : "SELECT task, task_version, split, languages, layer, step,"
                                  " last, n, value FROM metric WHERE address = ?1"
                                  " ORDER BY task, split, languages, layer, step",
                            err));
    ig_code code = IG_ERR_OK;
    ig_store_metric before = {0};
    for (int64_t i = 0; i < g->r->n_entry && code == IG_ERR_OK; i++) {
        ig_store_entry *e = &g->r->entry[i];
        e->first_metric = g->r->n_metric;
        sqlite3_bind_text(st, 1, e->cell.address, -1, SQLITE_STATIC);
        int rc;
        while (code == IG_ERR_OK && (rc = sqlite3_step(st)) != SQLITE_DONE) {
            if (rc != SQLITE_ROW) {
                code = ig_store_fail(s, rc, err);
                break;
            }
            code = ig_grow(&g->r->metric, &g->metric_room, g->r->n_metric + 1, sizeof *g->r->metric,
                           "results", err);
            if (code != IG_ERR_OK)
                break;
            ig_store_metric *m = &g->r->metric[g->r->n_metric++];
            block **p = &g->pool;
            if ((code = again_at(p, &m->task, before.task, st, 0, err)) != IG_ERR_OK ||
                (code = again_at(p, &m->split, before.split, st, 2, err)) != IG_ERR_OK ||
                (code = again_at(p, &m->languages, before.languages, st, 3, err)) != IG_ERR_OK)
                break;
            m->task_version = sqlite3_column_int(st, 1);
            m->layer = sqlite3_column_int(st, 4);
            m->step = sqlite3_column_int64(st, 5);
            m->last = sqlite3_column_int(st, 6) != 0;
            m->n = sqlite3_column_int64(st, 7);
            m->value = sqlite3_column_double(st, 8);
            before = *m;
        }
        sqlite3_reset(st);
        e->n_metric = g->r->n_metric - e->first_metric;
    }
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_read(ig_store_result *out, ig_store *s, const char *experiment, bool last_only,
                      ig_err *err)
{
    reading g = {.r = out};
    *out = (ig_store_result){0};
    const bool own = !s->in_transaction;
    if (own)
        IG_TRY(ig_store_exec(s, "BEGIN", err));
    ig_code code = read_entries(&g, s, experiment, err);
    if (code == IG_ERR_OK)
        code = read_metrics(&g, s, last_only, err);
    if (own)
        sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    out->memory = g.pool;
    if (code != IG_ERR_OK)
        ig_store_result_free(out);
    return code;
}

void ig_store_result_free(ig_store_result *r)
{
    if (r == NULL)
        return;
    for (block *b = r->memory, *next; b != NULL; b = next) {
        next = b->next;
        ig_free(b);
    }
    ig_free(r->entry);
    ig_free(r->metric);
    *r = (ig_store_result){0};
}

ig_code ig_store_done(char ***address, int64_t *n, ig_store *s, ig_err *err)
{
    sqlite3_stmt *st;
    enum { HEX = 17 };
    int64_t count = 0, k = 0;
    *address = NULL;
    *n = 0;
    const bool own = !s->in_transaction;
    if (own)
        IG_TRY(ig_store_exec(s, "BEGIN", err));
    ig_code code =
        ig_store_integer(s, &count, "SELECT count(*) FROM run WHERE status = 'done'", err);
    char **list = NULL;
    if (code == IG_ERR_OK)
        code = ig_alloc(&list, count * (int64_t)(sizeof *list + HEX) + 1, 1, "runs", err);
    if (code == IG_ERR_OK)
        code = ig_store_prepare(
            s, &st, "SELECT address FROM run WHERE status = 'done' ORDER BY address", err);
    if (code == IG_ERR_OK) {
        char *text = (char *)(list + count);
        int rc;
        while ((rc = sqlite3_step(st)) == SQLITE_ROW && k < count) {
            const char *a = (const char *)sqlite3_column_text(st, 0);
            list[k] = text + k * HEX;
            memcpy(list[k], a, strlen(a) < HEX ? strlen(a) : HEX - 1);
            k++;
        }
        if (rc != SQLITE_DONE)
            code = ig_store_fail(s, rc, err);
        sqlite3_finalize(st);
    }
    if (own)
        sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    if (code != IG_ERR_OK) {
        ig_free(list);
        return code;
    }
    *address = list;
    *n = k;
    return IG_ERR_OK;
}

ig_code ig_store_finished(int64_t *when, ig_store *s, const char *address, ig_err *err)
{
    sqlite3_stmt *st;
    *when = -1;
    IG_TRY(ig_store_prepare(
        s, &st, "SELECT finished FROM run WHERE address = ?1 AND status = 'done'", err));
    sqlite3_bind_text(st, 1, address, -1, SQLITE_STATIC);
    const int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *when = sqlite3_column_int64(st, 0);
    ig_code code = rc == SQLITE_ROW || rc == SQLITE_DONE ? IG_ERR_OK : ig_store_fail(s, rc, err);
    sqlite3_finalize(st);
    return code;
}
