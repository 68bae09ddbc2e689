/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library hands out and the caller frees.
 */
#ifndef ISOGLOT_MEMORY_H
#define ISOGLOT_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Frees a block that a function of the library gave, where its comment says "freed with ig_free";
 * NULL is none. */
void ig_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
