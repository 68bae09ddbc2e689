/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that ops of this folder need element by element, without branches, so that loops of
 * them become vector code.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* eˣ to a relative error of 2e-7 for |x| ≤ 87, constant beyond; NaN stays NaN. x = n ln 2 + r, and
 * e^r by its Taylor series; written without branches, so that it becomes vector code. */
static inline float ig_exp(float x)
{
    const float shifter = 12582912.0f; /* 1.5 · 2²³: adding it rounds to an integer */
    x = x < -87.0f ? -87.0f : x;
    x = x > 87.0f ? 87.0f : x;
    const float shifted = x * 1.44269504f + shifter, n = shifted - shifter;
    const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000u; /* 2ⁿ, from n's lowest bits alone */
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
