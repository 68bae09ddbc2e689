/* SPDX-License-Identifier: Apache-2.0
 *
 * One language's view of a model whose languages have parts of their own, as a model folder that
 * any program for such folders opens.
 */
#pragma once

#include "isoglot/error.h"

/* Writes the folder `out`, which must not be there yet, from the model folder `dir`: the tensors
 * that the language uses under their plain names, with the rows of its pieces, positions and
 * segment, and its own vocabulary. `language` is a name of config.json's isoglot.languages, or the
 * number of one. One whose transforms order a text is IG_ERR_USAGE. */
ig_code ig_model_view(const char *dir, const char *language, const char *out, ig_err *err);
