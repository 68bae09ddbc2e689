/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles glove_kernel.inc for any architecture.
 */
#include "backend/cpu/simd/simd_portable.h"
#include "embed/train/glove/glove_kernel.h"

#include <math.h>

#define GLOVE_KERNEL ig_glove_portable
#include "embed/train/glove/glove_kernel.inc"
