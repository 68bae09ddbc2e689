/* SPDX-License-Identifier: Apache-2.0
 *
 * Formatting that the writers of a table share: a number as parts that can be aligned, the display
 * width of Unicode text.
 */
#pragma once

#include "report/table/table.h"

/* A number's parts as text: "+", "217", ".4" | "7", ".8". Signs are ASCII; a writer with a better
 * minus puts it in. `shown` is false for a cell without a value. */
enum { IG_NUMBER_PART = 48 };
typedef struct {
    bool shown, interval;
    char whole[IG_NUMBER_PART], part[IG_NUMBER_PART];       /* value, or low of an interval */
    char sd_whole[IG_NUMBER_PART], sd_part[IG_NUMBER_PART]; /* "" if not known; or high */
    char count[IG_NUMBER_PART];                             /* "(3)" or "" */
} ig_number_parts;
void ig_table_number_parts(ig_number_parts *p, const ig_table_cell *c);
/* Both parts, with the typographic minus. */
void ig_number_put(FILE *fp, const char *whole, const char *part);
/* "[low, high]" in these brackets. */
void ig_interval_put(FILE *fp, const ig_number_parts *p, const char *open, const char *close);

/* Display cells of UTF-8 text on a terminal: by grapheme, wide East Asian and emoji 2, combining
 * marks 0, what is not printable or not UTF-8 1 (it is shown as a replacement). */
int ig_text_width(const char *s);
int ig_text_width_of(const char *s, size_t size);
/* Measures the grapheme at `at` of so many bytes; returns where the next one begins. */
int32_t ig_text_grapheme(const char *s, int32_t at, int32_t size, int *width);
/* Writes at most `width` display cells, "…" for what is cut; control characters and broken bytes
 * come out as U+FFFD, so no text of a file can steer a terminal. Returns the cells written. */
int ig_text_put(FILE *fp, const char *s, int width);
/* Writes all of it. */
void ig_text_put_of(FILE *fp, const char *s, size_t size);

/* Returns whether columns c−1 and c are under one group's heading. */
bool ig_table_same_group(const ig_table *t, int c);
