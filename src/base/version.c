/* SPDX-License-Identifier: Apache-2.0
 *
 * The version, which CMakeLists.txt states once.
 */
#include "isoglot/version.h"

const char *ig_version(void)
{
    return IG_VERSION;
}
