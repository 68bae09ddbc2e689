/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of figures: its approximate width, and the part that fits. No font is read, as the
 * viewer's is not known: widths are those of Noto Sans, the first family that a figure names,
 * beyond ASCII the usual ones of a script. So a figure is the same bytes on every machine.
 */
#pragma once

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

/* Points from end to end; 0 for "" and NULL. */
double ig_type_width(const char *text, const ig_text_style *s);
/* The text, or its beginning and "…", so that it is no wider than `most`. out has IG_TEXT_MAX. */
enum { IG_TEXT_MAX = 256 };
void ig_type_fit(char out[IG_TEXT_MAX], const char *text, const ig_text_style *s, double most);
/* Returns whether the text as a whole runs from right to left: its first letter does (UAX #9, P2
 * and P3).
 */
bool ig_type_is_rtl(const char *text);
/* The script of its first letter that Noto Sans does not have, as Noto's families are called
 * ("Tamil"); false: none, or one of those that are set in wide letters. */
bool ig_type_script(char out[64], const char *text);
