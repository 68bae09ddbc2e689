/* SPDX-License-Identifier: Apache-2.0
 *
 * A row: one number, and all that says which number it is. Measures append rows; a row is an
 * element of a run's measures, a row of the store, and what tables, figures and claims read
 * (docs/results.md).
 */
#pragma once

#include "base/pool.h"
#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What cannot be computed has no row: a value is never NaN. */
typedef struct {
    const char *task;      /* the measure: f1, rho, mu, perplexity, loss … (docs/results.md) */
    const char *split;     /* train, dev, or the name of another text */
    const char *languages; /* "en", "en-fake"; "" pooled */
    const char *tags;      /* which of several: "lr=1e-5;select=last"; "" or NULL: there is one */
    int task_version;      /* 1; rises when the formula changes */
    int layer;             /* −1: none */
    bool last;             /* of the finished model */
    int64_t step;          /* update of the checkpoint */
    int64_t n;             /* candidates, tokens … that it was measured on; 0: unknown */
    double value;
} ig_row;
/* By task, split, tags, languages, layer and step: as strcmp. */
int ig_row_compare(const ig_row *a, const ig_row *b);

/* Its tags; "" where it has none. */
const char *ig_row_tags(const ig_row *row);
/* The value of a tag, which is `*n` bytes long; NULL: there is none of that key. */
const char *ig_tag_find(const char *tags, const char *key, size_t *n);

/* Zeroed: none. Freed with ig_row_set_free. */
typedef struct {
    ig_row *row; /* [n] */
    int64_t n, capacity;
    ig_pool pool; /* their strings */
} ig_row_set;
/* Appends a row, whose strings are copied. */
ig_code ig_row_set_put(ig_row_set *s, const ig_row *row, ig_err *err);
/* Appends all rows of another set. */
ig_code ig_row_set_append(ig_row_set *s, const ig_row_set *from, ig_err *err);
void ig_row_set_free(ig_row_set *s);

/* [{"measure", "split", "languages", "tags", "layer", "version", "n", "value"}, …]: tags as an
 * object of strings; tags, layer, n and a version other than 1 only where there is one; no step.
 * Owned by the caller; NULL: no memory. */
json_t *ig_row_set_json(const ig_row_set *s);
/* Appends the rows of such an array; `like` has what its rows lack: step and last. A row that is
 * not one is IG_ERR_INPUT with its number, in `where`. */
ig_code ig_row_set_read(ig_row_set *s, const json_t *rows, const ig_row *like, const char *where,
                        ig_err *err);
