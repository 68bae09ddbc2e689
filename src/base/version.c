/* SPDX-License-Identifier: Apache-2.0
 *
 * The version, which CMakeLists.txt states once, and the commit, which the build looks up
 * (cmake/commit.cmake).
 */
#include "isoglot/version.h"

#include <commit.inc>

const char *ig_version(void)
{
    return IG_VERSION;
}

const char *ig_commit(void)
{
    return IG_COMMIT;
}
