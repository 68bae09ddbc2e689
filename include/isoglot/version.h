/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the library, as "MAJOR.MINOR.PATCH", and the commit it was built from: twelve
 * digits, "+" after them when files were changed; "unknown" where it was not built from a clone.
 */
#ifndef ISOGLOT_VERSION_H
#define ISOGLOT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

const char *ig_version(void);
const char *ig_commit(void);

#ifdef __cplusplus
}
#endif

#endif
