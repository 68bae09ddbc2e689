/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures that look into the model of one run: positions, tokens, states
 * (docs/figures.md). What the run was is read from its folder, as for an evaluation.
 */
#pragma once

#include "embed/search/dictionary.h"
#include "embed/vectors/vectors.h"
#include "report/figure/figure.h"
#include "report/table/spec.h"

#include <jansson.h>

enum { IG_RUN_FIGURE_MAX_LAYER = 24 };

typedef struct {
    int a, b;         /* the two languages, by number */
    const char *pair; /* as ig_language_pair has it, in their place; NULL: a and b */
    int64_t step;     /* the checkpoint of that update; −1: the newest */
    /* For states, a panel each: a number, IG_LAYER_LOW, IG_LAYER_HIGH. None: HIGH. */
    int layer[IG_RUN_FIGURE_MAX_LAYER];
    int n_layer;
    /* positions: of each language (default: as many as its sequences may have); tokens: words with
     * names (16); states: sentences (100). 0: the default. */
    int64_t count;
    int n_thread;     /* 0: as many as this process may use */
    const char *name; /* begins the panels' titles; NULL: none */
    json_t *numbers;  /* an array that gets an object for each panel: what the picture shows; NULL:
                       * not wanted */
} ig_run_figure_options;

/* Languages 0 and 1, the newest checkpoint, defaults for the rest. */
ig_run_figure_options ig_run_figure_defaults(void);

/* Adds the panels of one run to a figure. A kind that does not show one model, a layer or language
 * that there is not: IG_ERR_USAGE. */
ig_code ig_run_figure_add(ig_figure *f, ig_figure_kind kind, const char *dir,
                          const ig_run_figure_options *o, ig_err *err);

/* Two spaces of word vectors in one picture: principal components, with translations linked. */
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
