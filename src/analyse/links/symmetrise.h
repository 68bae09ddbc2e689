/* SPDX-License-Identifier: Apache-2.0
 *
 * Links of words of both directions made into one set (Och & Ney 2003, §4; Koehn, Och, Marcu
 * 2003).
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef enum {
    IG_LINKS_GROW_DIAG_FINAL_AND, /* the intersection, then neighbours (of 8) of links that are in
                                     the union and link a word that has none; then links of a
                                     direction of which neither word has one */
    IG_LINKS_INTERSECTION,
    IG_LINKS_UNION,
    IG_LINKS_FORWARD, /* of each word of b with a word of a */
    IG_LINKS_BACKWARD
} ig_links_rule;
extern const char *const ig_links_rule_names[]; /* grow-diag-final-and intersection …, NULL */

/* Index of each word's partner, −1: none. */
typedef struct {
    const int32_t *a_of; /* [n_b] */
    int n_b;
    const int32_t *b_of; /* [n_a] */
    int n_a;
} ig_both_links;
/* Writes links (i, j), sorted, to pairs [n_a + n_b, 2] and their number to *n. Memory: n_a · n_b
 * bytes. */
ig_code ig_links_symmetrise(int32_t *pairs, int32_t *n, const ig_both_links *of, ig_links_rule rule,
                            ig_err *err);
