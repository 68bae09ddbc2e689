/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine of a rank other than 0.
 */
#pragma once

#include "base/ranks/wire.h"
#include "model/engine/engine.h"

/* Another rank: what the call (calls.h) asks of the engine. */
ig_code ig_engine_serve(ig_engine *e, int what, ig_wire *w, ig_err *err);
