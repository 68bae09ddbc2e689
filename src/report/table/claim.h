/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody claims of an experiment, as a statement that its runs decide:
 *
 *   mu(0) > mu(1)                                  order of cells
 *   mu(2) > mu(0) - .05                            with a margin: hardly less
 *   mu(2) > .9 * mu(0)                             a ratio
 *   mu(3) < .02                                    nothing is left
 *   mu(0) > mu(1) > mu(2) and mu(3) < .02          all of them
 *   rho[low](a) > rho[low](b) or rho[high](a) > rho[high](b)
 *
 * QUANTITY(CELL) is a quantity as tables have it (report/table/spec.h), of a cell. `and` binds more
 * tightly than `or`.
 */
#ifndef IG_REPORT_TABLE_CLAIM_H
#define IG_REPORT_TABLE_CLAIM_H

#include "report/table/spec.h"

/* times × quantity of the cell + plus; without a cell the number `plus`. */
typedef struct {
    double times, plus;
    ig_quantity q;
    char *cell; /* NULL: none */
} ig_claim_side;

/* more > less */
typedef struct {
    ig_claim_side more, less;
    char *text; /* as the statement has it */
    int part;   /* of the statement: parts are joined by `or`, comparisons of one by `and` */
} ig_claim_comparison;

typedef struct {
    char *id, *text, *source; /* source: NULL where nobody said it before */
    char *statement;          /* NULL where nothing here decides it: `needs` says why */
    char *proxy;              /* NULL; else what the source measures in place of the statement's */
    char *needs;              /* NULL; else what is missing to decide it */
    ig_claim_comparison *comparison;
    int n_comparison, n_part;
} ig_claim;

/* Fills statement, comparison and the counts. A mistake is IG_ERR_USAGE at `where`, with what was
 * found and what was expected. Free with ig_claim_free, also after an error. */
ig_code ig_claim_parse(ig_claim *c, const char *statement, const char *where, uint64_t line,
                       ig_err *err);
void ig_claim_free(ig_claim *c);

#endif
