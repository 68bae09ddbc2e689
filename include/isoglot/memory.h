/* SPDX-License-Identifier: Apache-2.0
 *
 * Frees memory that the library returns to the caller.
 */
#ifndef ISOGLOT_MEMORY_H
#define ISOGLOT_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Frees a block that a function of the library returned, where its comment says "freed with
 * ig_free"; NULL is none. */
void ig_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
