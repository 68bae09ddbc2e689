/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `maps`: an orthogonal map between two languages at the levels of rows of word
 * embeddings, of words and of words in context, learned from some and judged by others (Conneau et
 * al. 2020, §5.1.1 and §5.1.2, Figures 4 and 5); docs/similarity.md.
 */
#pragma once

#include "measure/measure.h"

/* The hook of ig_measure_with. Words are linked over the parallel sentences of the text that is
 * measured; every second sentence of the text is for learning where words in context are
 * (measure/words/word_levels.h). Texts that are not parallel have no numbers. Rows have theirs
 * at layer 0. */
extern const ig_measure_above ig_measure_maps;
