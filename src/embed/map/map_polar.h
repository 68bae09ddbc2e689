/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest orthogonal matrix by products alone, for rotations between spaces of states.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/error.h"
#include "tensor/ops.h"

/* Procrustes: the rotation w[d, d] = U Vᵀ of c[d, d] = U S Vᵀ, computed in float32 where that is
 * orthogonal within 1e-5, else by the singular vectors in double, many times slower. Its elements
 * are those of ig_map_orthogonal up to float32's rounding over a direction's singular value:
 * directions with small singular values are the least exact. The same bits for any team. */
ig_code ig_map_rotation(double *w, const double *c, int d, const ig_ops *ops, ig_team *team,
                        ig_err *err);
