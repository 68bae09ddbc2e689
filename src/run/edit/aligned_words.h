/* SPDX-License-Identifier: Apache-2.0
 *
 * States of words that translate each other in parallel sentences: what a map between two models is
 * learned from at the contextual level (Conneau et al. 2020, §5.1.2).
 */
#pragma once

#include "run/edit/state_sample.h"

/* Rows 2 i and 2 i + 1 are a token of the first source and the one of the second that it is linked
 * with. Links are learned from the sentences themselves: IBM Model 2 with the diagonal prior over
 * tokens, both ways, those that both have (measure/links/ibm2.h; the paper takes fast_align). The
 * sentences go through the model twice. None linked is IG_ERR_INPUT. */
ig_code ig_state_sample_words(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err);
