/* SPDX-License-Identifier: Apache-2.0
 *
 * A claim about an experiment, as a statement that its runs decide:
 *
 *   mu(0) > mu(1)                                  order of cells
 *   mu(2) > mu(0) - .05                            with a margin: hardly less
 *   mu(2) > .9 * mu(0)                             a ratio
 *   tau(2) - chance(.1) > .8 * (tau(0) - chance(.1))  most of what is above chance is left
 *   mu(3) < .02                                    nothing is left
 *   mu(1) - mu(0) > mu(3) - mu(2)                  differences of differences
 *   kendall(mu, paper=table1) > .6                 the cells are in the paper's order
 *   spearman(mu, perplexity[dev]; 0 1 2*) < -.5    correlation over cells
 *   spearman(accuracy[task=nli,en] - accuracy[task=nli,x], perplexity[dev]) > 0
 *   kendall(mu, axis=window) > 0                   mu rises with the window
 *   onset(mu(0)) > best(perplexity[dev](0))        over training: when it starts, when it is best
 *   reach(perplexity[dev,en](mono), both) > 2000   when one has what the other ends with
 *   mu(0) > mu(1) > mu(2) and mu(3) < .02          all of them
 *   rho[low](a) > rho[low](b) or rho[high](a) > rho[high](b)
 *
 * QUANTITY(CELL) is a quantity as tables have it (report/table/spec.h), of a cell. `and` binds more
 * tightly than `or`.
 */
#pragma once

#include "base/pool.h"
#include "report/table/spec.h"

typedef enum {
    IG_CLAIM_VALUE,   /* of a finished model */
    IG_CLAIM_ONSET,   /* step at which the quantity has made `share` of its rise (ig_onset) */
    IG_CLAIM_BEST,    /* step at which the quantity is best */
    IG_CLAIM_REACH,   /* step at which it is what cell `other` ends with, of the same seed */
    IG_CLAIM_KENDALL, /* τ-b over cells, within a seed */
    IG_CLAIM_SPEARMAN /* ρ over cells, within a seed */
} ig_claim_kind;

/* The value of a run, or of the runs of a seed. */
typedef struct {
    ig_claim_kind kind;
    double times;
    ig_quantity q;
    ig_quantity less; /* of a correlation: q − less is correlated; has_less false: q is */
    bool has_less;
    const char *cell;  /* NULL: a correlation over cells */
    double share;      /* of an onset */
    const char *other; /* of IG_CLAIM_REACH; else NULL */
    /* The other variable of a correlation: another quantity, or one of the last two. */
    ig_quantity with;
    const char *axis;      /* NULL; else the value of this axis */
    const char *paper;     /* NULL; else the numbers of this table's reference file, */
    const char *proxy;     /* those of its proxy of this name; NULL: of the same quantity */
    const char *reference; /* that file's path, which whoever knows the tables fills in */
    char **pattern;        /* cells correlated over, shell style; n_pattern 0: all */
    int n_pattern;
} ig_claim_term;

/* The sum of times × term, + plus; without terms a number. */
enum { IG_CLAIM_TERMS_MAX = 4 };
typedef struct {
    ig_claim_term term[IG_CLAIM_TERMS_MAX];
    int n_term;
    double plus;
    double of_chance, chances; /* what of plus is chance(…), and how many times it is there */
} ig_claim_side;

/* The purpose of a comparison: the statement itself; what must hold for it to be testable
 * (something to lose, models above chance); a control that the statement's value must beat. */
typedef enum { IG_CLAIM_STATEMENT, IG_CLAIM_PREMISE, IG_CLAIM_CONTROL } ig_claim_role;

/* more > less */
typedef struct {
    ig_claim_side more, less;
    const char *text; /* as the statement has it */
    int part;         /* of the statement: parts are joined by `or`, comparisons of one by `and` */
    ig_claim_role role;
} ig_claim_comparison;

typedef struct {
    char *id, *text, *source; /* source: NULL where nobody said it before */
    const char *statement;    /* NULL where nothing here decides it: `needs` says why */
    char *proxy;              /* NULL; else what the source measures instead of the statement's */
    char *needs;              /* NULL; else what is missing to decide it */
    char *caveat;             /* NULL; else why the design decides nothing */
    char *after;              /* NULL; else what was changed after results were seen, and why */
    int earlier_looks;        /* times it was tested before, with fewer seeds */
    ig_claim_comparison *comparison;
    int n_comparison, n_part;
    ig_pool pool; /* of the statement's texts */
} ig_claim;

/* Fills statement, comparison and the counts with the statement's. A mistake is IG_ERR_USAGE at
 * `where`, with what was found and what was expected. Free with ig_claim_free, also after an error.
 */
ig_code ig_claim_parse(ig_claim *c, const char *statement, const char *where, uint64_t line,
                       ig_err *err);
/* Adds the comparisons, joined by `and`, of a premise or a control. After ig_claim_parse. */
ig_code ig_claim_parse_beside(ig_claim *c, ig_claim_role role, const char *text, const char *where,
                              uint64_t line, ig_err *err);
/* The i-th term of both sides, more before less; NULL: there are no more. */
const ig_claim_term *ig_claim_term_at(const ig_claim_comparison *c, int i);
/* Returns whether a comparison rests on the cell of this name. */
bool ig_claim_rests_on(const ig_claim *c, const char *cell);
/* Returns whether a term is of more than the finished model. */
bool ig_claim_over_training(const ig_claim_term *t);
void ig_claim_free(ig_claim *c);
