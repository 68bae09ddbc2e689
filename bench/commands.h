/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of `isoglot-bench`; cmd_NAME.c defines ig_cmd_bench_NAME.
 */
#pragma once

#include "base/settings/options.h"

extern const ig_command ig_cmd_bench_gemm, ig_cmd_bench_ops, ig_cmd_bench_spaces,
    ig_cmd_bench_train;
