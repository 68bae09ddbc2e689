/* SPDX-License-Identifier: Apache-2.0
 *
 * A row: one number and everything that identifies it. Measures append rows; a row is an element
 * of a run's measures, a row of the store, and the input of tables, figures and claims
 * (docs/results.md).
 */
#pragma once

#include "base/pool.h"
#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A value that cannot be computed has no row: a value is never NaN. */
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
    uint64_t line; /* of the file that it was read from; 0: none */
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
 * A value that is no number has no row, here and in lines. Owned by the caller; NULL: no memory. */
json_t *ig_row_set_json(const ig_row_set *s);
/* Writes a row as a line of JSON: the same keys, "step", and "last": false of an earlier
 * checkpoint. The value is the shortest text that reads back as the same double. Whoever
 * closes the file reports a failed write. */
ig_code ig_row_put_line(FILE *fp, const ig_row *row, ig_err *err);

/* Where a row is read: a line of a file, or an element of an array. */
typedef struct {
    const char *path;
    uint64_t line;  /* 0: none */
    int64_t number; /* of the element, from 1; 0: none */
} ig_row_source;
/* Appends the row of such an object; missing step and last are those of `like`. An object that is
 * not a row is IG_ERR_INPUT, with the value found and the one expected. */
ig_code ig_row_set_read(ig_row_set *s, const json_t *row, const ig_row *like, ig_row_source from,
                        ig_err *err);
/* Appends an array of them. */
ig_code ig_row_set_read_all(ig_row_set *s, const json_t *rows, const ig_row *like, const char *path,
                            ig_err *err);

/* Sorts the rows from the k-th on by ig_row_compare, without those that are NaN. A row twice is
 * IG_ERR_INPUT. */
ig_code ig_row_set_order(ig_row_set *s, int64_t k, const char *path, ig_err *err);
