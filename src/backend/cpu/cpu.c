/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tables this CPU runs.
 */
#include "backend/cpu/cpu.h"

#include <stddef.h>

const ig_ops *ig_ops_portable(void)
{
    return NULL;
}

const ig_ops *ig_ops_avx2(void)
{
    return NULL;
}

const ig_ops *ig_ops_avx512(void)
{
    return NULL;
}
