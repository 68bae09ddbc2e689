/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of a report card at each layer, from the mean states of sentences and words.
 */
#pragma once

#include "evaluate/card/card_vectors.h"

ig_code ig_card_measure(const ig_card_job *j, ig_err *err);
