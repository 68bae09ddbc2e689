/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kernel this CPU runs.
 */
#include "embed/induce/screen_kernel.h"

#include "tensor/ops.h"

#include <stddef.h>
#include <string.h>

const ig_screen_table *ig_screen_best(void)
{
#if defined(__x86_64__)
    const ig_ops *ops = ig_ops_best();
    if (ops != NULL && strncmp(ops->name, "avx512", 6) == 0 && __builtin_cpu_supports("avx512vnni"))
        return &ig_screen_avx512vnni;
#endif
    return NULL;
}
