/* SPDX-License-Identifier: Apache-2.0
 *
 * The three passes of a measurement, each of which fills its part of the result: over the parallel
 * sentences of the development set, over the words of the dictionary, over masked text.
 */
#pragma once

#include "measure/measure.h"

/* Counts edges into layer[].edges and fills layer[].sentence; n_sentence. Nothing when the two
 * languages' texts are not parallel. */
ig_code ig_measure_sentences(ig_measure_result *r, const ig_measure_with *with,
                             const ig_corpus *dev, ig_err *err);

/* Fills layer[].word, n_word and n_special. Nothing when there is no dictionary. */
ig_code ig_measure_words(ig_measure_result *r, const ig_measure_with *with, const ig_corpus *corpus,
                         ig_err *err);
