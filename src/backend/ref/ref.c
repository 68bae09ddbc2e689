/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference backend in its float storage: double accumulation, obvious loops, never optimised.
 * Everything else is tested against it; its own gradients are tested in double against finite
 * differences (tests/tensor/test_ops_gradient.c).
 */
#include "tensor/ops.h"

#include "backend/ref/ref_table.inc"

const ig_ops *ig_ops_ref(void)
{
    return &ref_table;
}
