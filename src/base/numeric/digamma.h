/* SPDX-License-Identifier: Apache-2.0
 *
 * The digamma function.
 */
#pragma once

/* Returns the derivative of log Γ at x > 0, to about 10⁻¹² (Abramowitz & Stegun 1964, 6.3.5 and
 * 6.3.18). */
double ig_digamma(double x);
