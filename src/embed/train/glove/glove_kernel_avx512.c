/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles glove_kernel.inc for one instruction set.
 */
#include "embed/train/glove/glove_kernel.h"

#include "backend/cpu/simd/simd_avx512.h"

#include <math.h>

#define GLOVE_KERNEL ig_glove_avx512
#include "embed/train/glove/glove_kernel.inc"
