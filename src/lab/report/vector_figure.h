/* SPDX-License-Identifier: Apache-2.0
 *
 * Two spaces of word vectors in one picture: principal components, with translations linked.
 */
#ifndef IG_LAB_REPORT_VECTOR_FIGURE_H
#define IG_LAB_REPORT_VECTOR_FIGURE_H

#include "embed/search/dictionary.h"
#include "embed/vectors/vectors.h"
#include "report/figure/figure.h"

#include <jansson.h>

typedef struct {
    const char *name[2]; /* of the spaces, for the legend */
    int64_t first;       /* words of each in the first panel, from the front; 0: 1000 */
    int64_t count;       /* pairs with names in the second panel; 0: 16 */
} ig_vector_figure_options;

/* Adds two panels: the first words of both spaces; and a sample of translations with names and
 * links, from the most frequent to the rarest of the source (files have frequent words first). v:
 * rows of length one (ig_unit_rows), of one dimension. Components are exact, of what a panel shows.
 * `numbers` (NULL: not wanted) is an array that gets an object. Without a pair that both spaces
 * know: IG_ERR_INPUT. */
ig_code ig_vector_figure_add(ig_figure *f, const ig_vectors v[2], const ig_dictionary *d,
                             const ig_vector_figure_options *o, json_t *numbers, ig_err *err);

#endif
