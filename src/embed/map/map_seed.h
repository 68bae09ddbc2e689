/* SPDX-License-Identifier: Apache-2.0
 *
 * The pairs that a mapping starts from.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "embed/map/map_linear.h"
#include "embed/map/map_normalise.h"

/* Words that are spelled the same; in the source's order. */
ig_code ig_map_seed_identical(ig_map_pairs *p, const ig_lexicon *source, const ig_lexicon *target,
                              ig_err *err);
/* Adds only those words that are digits 0-9 alone. */
ig_code ig_map_seed_numerals(ig_map_pairs *p, const ig_lexicon *source, const ig_lexicon *target,
                             ig_err *err);

/* Pairs words that are as similar to the words of their own language, whichever these are: the rows
 * of √(X Xᵀ), sorted, of the first n words of both sides; n at most the smaller side. They are
 * normalised by the same steps, and each gets its best by CSLS with k neighbours (Artetxe et al.
 * 2018, §3.2). The pairs of both directions. 2 n² floats of memory. */
ig_code ig_map_seed_similarity(ig_map_pairs *p, const ig_map_spaces *s, int64_t n, int k,
                               const ig_steps *steps, ig_err *err);
