/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the library, as "MAJOR.MINOR.PATCH".
 */
#ifndef ISOGLOT_VERSION_H
#define ISOGLOT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

const char *ig_version(void);

#ifdef __cplusplus
}
#endif

#endif
