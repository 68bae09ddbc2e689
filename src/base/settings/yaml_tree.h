/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML 1.1 (and JSON, which is read as YAML) as a tree whose every node has its file and line, for
 * messages about mistakes. Read from libyaml's events, never loaded into one of its documents:
 * anchors, aliases, tags, further documents and keys that are not texts are refused, depth and
 * size are bounded, a key written twice in one mapping is an error.
 */
#pragma once

#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_YAML_MAX_SIZE = 1 << 20, IG_YAML_MAX_DEPTH = 32, IG_YAML_MAX_NODE = 100000 };

typedef enum { IG_YAML_SCALAR, IG_YAML_LIST, IG_YAML_MAP } ig_yaml_kind;

typedef struct ig_yaml {
    ig_yaml_kind kind;
    bool plain;       /* scalar without quotes */
    bool removed;     /* set by code that merges trees: removed; ig_yaml_get ignores it */
    bool variant;     /* set by code that merges trees: from a selected variant */
    const char *file; /* as given to the reader */
    uint64_t line;    /* 1-based */
    const char *text; /* scalar; "" of others */
    int n;            /* items of a list, pairs of a mapping */
    struct ig_yaml **item;
    struct ig_yaml **key; /* mapping: scalars */
} ig_yaml;

/* Owner of nodes and texts. */
typedef ig_pool ig_yaml_pool;
ig_code ig_yaml_pool_new(ig_yaml_pool **pool, ig_err *err);
void ig_yaml_pool_free(ig_yaml_pool *pool);

/* Reads a file whose top is a mapping. *root is NULL for a file with only comments. A mistake is
 * IG_ERR_USAGE with file and line. */
ig_code ig_yaml_read(ig_yaml **root, ig_yaml_pool *pool, const char *path, ig_err *err);
/* Reads a text in memory; `where` replaces the path. */
ig_code ig_yaml_parse(ig_yaml **root, ig_yaml_pool *pool, const char *text, int64_t size,
                      const char *where, ig_err *err);

/* Returns the value of a key, NULL if there is none ("_" and "-" are the same in a key). */
ig_yaml *ig_yaml_get(const ig_yaml *map, const char *key);
/* Returns the index of a key, removed ones included; −1: none. */
int ig_yaml_find(const ig_yaml *map, const char *key);
bool ig_yaml_same_key(const char *a, const char *b);
/* Returns whether it is null, ~ or empty. */
bool ig_yaml_is_null(const ig_yaml *v);

/* Fails with IG_ERR_USAGE at a node's file and line. */
ig_code ig_yaml_fail(const ig_yaml *at, ig_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with "KEY: found a list, expected a text". */
ig_code ig_yaml_wrong(const ig_yaml *v, const char *key, const char *expected, ig_err *err);

/* Makes the text of a node on one line, in flow style; freed with ig_free. */
ig_code ig_yaml_flow(char **out, const ig_yaml *v, ig_err *err);

/* Read values of a kind; `key` is used in the message. Quoted numbers and flags are texts. Text is
 * not empty and stays the pool's. */
ig_code ig_yaml_text(const char **out, const ig_yaml *v, const char *key, ig_err *err);
ig_code ig_yaml_flag(bool *out, const ig_yaml *v, const char *key, ig_err *err);
/* Reads 10000, 10k, 2M; from min to max. */
ig_code ig_yaml_int(int64_t *out, const ig_yaml *v, const char *key, int64_t min, int64_t max,
                    ig_err *err);
ig_code ig_yaml_real(double *out, const ig_yaml *v, const char *key, ig_err *err);
ig_code ig_yaml_is(const ig_yaml *v, ig_yaml_kind kind, const char *key, ig_err *err);
/* Checks that a mapping has no other keys than these; the error names the nearest, or all if none
 * is near. */
ig_code ig_yaml_keys(const ig_yaml *map, const char *const *known, int n_known, const char *what,
                     ig_err *err);
