/* SPDX-License-Identifier: Apache-2.0
 *
 * The digamma function.
 */
#ifndef IG_BASE_NUMERIC_DIGAMMA_H
#define IG_BASE_NUMERIC_DIGAMMA_H

/* The derivative of log Γ at x > 0, to about 10⁻¹² (Abramowitz & Stegun 1964, 6.3.5 and 6.3.18). */
double ig_digamma(double x);

#endif
