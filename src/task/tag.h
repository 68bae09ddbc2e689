/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags that name spans: the mark before the hyphen says whether a span begins, continues or ends,
 * and is followed by its type (Ramshaw & Marcus 1995; BIOUL: Ratinov & Roth 2009).
 */
#pragma once

#include <stdbool.h>

typedef struct {
    char mark;        /* O B I L U */
    const char *type; /* after the hyphen; "" for O, and for tags without one */
} ig_tag;

/* Reads "O", or B, I, L, U, with a hyphen and a type or alone; M is read as I, E as L, S and W as U
 * (BMES, BMEWO, BIOES). False: not such a tag. */
bool ig_tag_parse(ig_tag *out, const char *name);
/* Returns whether a span is still open after a tag: L and U end theirs, O has none. */
static inline bool ig_tag_leaves_open(char mark)
{
    return mark == 'B' || mark == 'I';
}
/* Returns whether a tag can continue an open span. */
static inline bool ig_tag_continues(char mark)
{
    return mark == 'I' || mark == 'L';
}
