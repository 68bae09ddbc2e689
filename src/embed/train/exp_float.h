/* SPDX-License-Identifier: Apache-2.0
 *
 * eˣ in float, for loops that the compiler vectorises.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* −87 ≤ x ≤ 87. As 2ⁿ · 2ᶠ: a polynomial for |f| ≤ ½, relative error below 3·10⁻⁷ (of x · log₂ e;
 * for large x the rounding of that product adds to it). */
static inline float ig_exp_float(float x)
{
    float y = x * 1.44269504f, whole = (y + 12582912.0f) - 12582912.0f, f = y - whole;
    float e =
        1.0f + f * (0.693147181f +
                    f * (0.240226507f +
                         f * (0.0555041087f +
                              f * (0.00961812911f + f * (0.00133335581f + f * 0.000154035304f)))));
    int32_t bits = ((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}
