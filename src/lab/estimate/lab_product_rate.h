/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of this machine's matrix products: for the dry run, where no run could be timed.
 */
#pragma once

#include "isoglot/error.h"

/* GFLOP in a second of one processor's time, the best of three products of 768 x 768 numbers. */
ig_code ig_lab_product_rate(double *gflops, ig_err *err);
