/* SPDX-License-Identifier: Apache-2.0
 *
 * One vector of a sentence's states.
 */
#pragma once

#include "apply/states.h"
#include "isoglot/model.h"

/* Pools the states of the l-th of the requested layers into out [d]. */
void ig_pool_states(float *out, const ig_sentence_states *s, int l, int d, ig_pooling pool);
