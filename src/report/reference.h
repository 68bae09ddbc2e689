/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference files: a paper's numbers by cell and quantity (docs/experiments.md).
 */
#ifndef IG_REPORT_REFERENCE_H
#define IG_REPORT_REFERENCE_H

#include "report/spec.h"

typedef struct {
    char *cell;
    ig_quantity quantity;
    double mean, sd; /* sd NaN: not told */
    uint32_t line;   /* of its row in the file */
} ig_reference_value;

typedef struct {
    char *source;
    bool verified;
    ig_reference_value *value;
    int n_value;
} ig_reference;

/* A mistake names file and line. Freed with ig_reference_free, also after an error. */
ig_code ig_reference_read(ig_reference *r, const char *path, ig_err *err);
const ig_reference_value *ig_reference_find(const ig_reference *r, const char *cell,
                                            const ig_quantity *q);
void ig_reference_free(ig_reference *r);

#endif
