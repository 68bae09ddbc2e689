/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference files: a paper's numbers by cell and quantity, and its numbers that have no quantity
 * here, of which only the order of rows is compared (docs/experiments.md).
 */
#pragma once

#include "base/settings/yaml_tree.h"
#include "report/table/spec.h"

typedef struct {
    const char *cell;
    ig_quantity quantity;  /* of a proxy's number: not set */
    double mean, sd;       /* sd NaN: not given */
    uint32_t line;         /* of its row in the file */
    int digits, sd_digits; /* after the point, as the paper has them; −1: not known */
    int proxy;             /* of a proxy's number: which */
} ig_reference_value;

/* A number of a paper that is not measured here (XNLI accuracy) and that other quantities
 * represent: a proxy. */
typedef struct {
    const char *name, *what; /* "XNLI es", "accuracy in per cent, Spanish" */
    int better;              /* 1: higher, −1: lower */
    ig_quantity *of;         /* [n_of] the quantities that represent it */
    int n_of;
    bool all;        /* besides, all that compare languages */
    const char *set; /* proxies of one set are of one experiment of the paper; its name: alone */
    double chance;   /* what guessing scores; NaN: not given */
} ig_reference_proxy;

/* A cell that stands for a row of the paper, 15c for 15, or for several. */
typedef struct {
    const char *cell, **row;
    int n_row;
} ig_reference_stand_in;

/* Names what guessing scores, as a quantity: majority[task=nli,x]. */
typedef struct {
    ig_quantity quantity;
    double value;
} ig_reference_chance;

typedef struct {
    const char *source;
    bool verified;
    ig_reference_value *value;
    int n_value;
    ig_reference_proxy *proxy;
    int n_proxy;
    ig_reference_value *proxy_value;
    int n_proxy_value;
    ig_reference_stand_in *stand_in;
    int n_stand_in;
    ig_reference_chance *chance;
    int n_chance;
    const char **only; /* [n_only] rows that are no cells: the paper's alone */
    int n_only;
    const ig_yaml *at;  /* settings of the paper's size, by option; NULL: not given */
    ig_yaml_pool *pool; /* of all that */
} ig_reference;

/* A mistake names file and line. Freed with ig_reference_free, also after an error. */
ig_code ig_reference_read(ig_reference *r, const char *path, ig_err *err);
const ig_reference_value *ig_reference_find(const ig_reference *r, const char *cell,
                                            const ig_quantity *q);
/* NULL: the paper does not say. */
const ig_reference_value *ig_reference_find_proxy(const ig_reference *r, const char *cell,
                                                  int proxy);
/* The k-th row that a cell stands for, NULL after the last; otherwise its own name, whatever k. */
const char *ig_reference_row(const ig_reference *r, const char *cell, int k);
/* Returns how many rows it stands for: 1 of its own name. */
int ig_reference_rows(const ig_reference *r, const char *cell);
/* Returns whether a row is the paper's alone. */
bool ig_reference_is_only(const ig_reference *r, const char *row);
/* Returns whether a quantity represents a proxy. */
bool ig_reference_stands_for(const ig_reference_proxy *p, const ig_quantity *q);
/* A number with the paper's digits. */
void ig_reference_text(char *out, size_t size, double x, int digits);
void ig_reference_free(ig_reference *r);
