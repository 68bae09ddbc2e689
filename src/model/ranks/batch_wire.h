/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch as a message to other ranks.
 */
#pragma once

#include "base/ranks/wire.h"
#include "isoglot/batch.h"

ig_code ig_batch_put(ig_wire *w, const ig_batch *b, ig_err *err);
/* Its arrays are the message's. */
void ig_batch_take(ig_batch *b, ig_wire *w);
