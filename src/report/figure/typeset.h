/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of figures, shaped by pango: how wide it is, what of it fits, which letters no font has.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { IG_ALIGN_LEFT, IG_ALIGN_MIDDLE, IG_ALIGN_RIGHT } ig_align;

typedef struct {
    double size;     /* points */
    uint32_t colour; /* 0xRRGGBB */
    ig_align align;
    bool bold;
    double angle; /* degrees, anticlockwise */
    bool halo;    /* a white edge, for text on top of marks */
} ig_text_style;

/* The families that are asked for, the first one there is taken; letters it lacks come from any
 * font that has them. */
extern const char *const ig_typeset_families;

typedef struct ig_typesetter ig_typesetter;
ig_code ig_typesetter_new(ig_typesetter **out, ig_err *err);
void ig_typesetter_free(ig_typesetter *t);

/* Points from end to end; 0 for "" and NULL. */
double ig_type_width(ig_typesetter *t, const char *text, const ig_text_style *s);
/* The text, or its beginning and "…", so that it is no wider than `most`. out has IG_TEXT_MAX. */
enum { IG_TEXT_MAX = 256 };
void ig_type_fit(ig_typesetter *t, char out[IG_TEXT_MAX], const char *text, const ig_text_style *s,
                 double most);
/* Valid UTF-8 without control characters, at most IG_TEXT_MAX − 1 bytes, cut between characters. */
void ig_type_clean(char out[IG_TEXT_MAX], const char *text);
/* Whether the text as a whole runs from right to left. */
bool ig_type_is_rtl(ig_typesetter *t, const char *text, const ig_text_style *s);

/* The families beyond the usual one that the text is set in, with commas; false: none. */
bool ig_type_families(ig_typesetter *t, char out[IG_TEXT_MAX], const char *text,
                      const ig_text_style *s);

/* The line as pango has it, for cairo; a PangoLayout, valid until the next call. */
void *ig_type_layout(ig_typesetter *t, const char *text, const ig_text_style *s);
/* Counts texts with letters that no font has; the first is kept for the message. */
void ig_type_check(ig_typesetter *t, const char *text, const ig_text_style *s);
int ig_typesetter_missing(const ig_typesetter *t, const char **first);
