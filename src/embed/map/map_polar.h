/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest orthogonal matrix by products alone: used in rounds in which the map is rough anyway
 * and, with a check, for rotations between spaces of states.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/error.h"
#include "tensor/ops.h"

/* w[d, d] ≈ U Vᵀ of c[d, d] = U S Vᵀ, computed in float32: singular values of w are 1 ± 1e-5 where
 * those of c are above 1e-5 of its Frobenius norm, and smaller, down to 0, below that (where
 * rounding decides the direction). c = 0 gives 0. The same bits for any team. */
ig_code ig_map_polar(double *w, const double *c, int d, const ig_ops *ops, ig_team *team,
                     ig_err *err);

/* Procrustes: the rotation w[d, d] = U Vᵀ of c, by ig_map_polar where that is orthogonal within
 * 1e-5, else by the singular vectors in double, many times slower. Its elements are those of
 * ig_map_orthogonal up to float32's rounding over a direction's singular value: directions with
 * small singular values are the least exact. */
ig_code ig_map_rotation(double *w, const double *c, int d, const ig_ops *ops, ig_team *team,
                        ig_err *err);
