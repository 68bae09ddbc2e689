/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix: h Mᵀ, e.g. a rotation of one model's space onto another's (Conneau et al. 2020, §5.1).
 */
#include "model/edit/edit.h"

#include <string.h>

static int64_t n_float(int n, int d)
{
    return n == d ? (int64_t)d * d : -1;
}

static ig_code matrix(float *m, const float *data, int n, int d, const char *where, ig_err *err)
{
    (void)n;
    (void)where;
    (void)err;
    memcpy(m, data, (size_t)d * (size_t)d * sizeof *m);
    return IG_ERR_OK;
}

const ig_edit_rule ig_edit_matrix = {.name = "matrix",
                                     .n_float = n_float,
                                     .matrix = matrix,
                                     .run = ig_edit_forward,
                                     .back = ig_edit_backward};
