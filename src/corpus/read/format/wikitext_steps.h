/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps from a page's markup to its text (wikitext.c), in MediaWiki's order. Each changes the
 * text in place, never makes it longer, takes linear time, and leaves markup that is not closed as
 * it is. Control characters, which XML has none of, are marks between steps.
 */
#pragma once

#include "corpus/read/format/wiki_site.h"

/* NOTHING: something was here that shows nothing but separates what stands at its sides, as a tag.
 * TEMPLATE: the same, of a template. FIRST and following: characters that <nowiki> protects. */
enum { IG_WIKI_NOTHING = 1, IG_WIKI_TEMPLATE = 2, IG_WIKI_FIRST = 14 };

/* Something open: its kind, what follows it in the text that is written, how many characters opened
 * it. */
typedef struct {
    int64_t from, count;
    char kind;
} ig_wiki_open;

/* What is open, innermost last. Zeroed memory has nothing; freed with ig_free(stack.open). */
typedef struct {
    ig_wiki_open *open;
    int64_t n, have;
} ig_wiki_stack;

ig_code ig_wiki_push(ig_wiki_stack *s, char kind, int64_t from, int64_t count, ig_err *err);

/* What a mark of FIRST and following stands for; other characters are themselves. */
char ig_wiki_unprotected(char c);
/* Whether n bytes begin with `with`, in lower case, whatever their case. */
bool ig_wiki_starts(const char *text, int64_t n, const char *with);

/* Comments, elements of extensions, templates and parameters go. */
ig_code ig_wiki_drop_templates(char *text, int64_t *n, ig_err *err);
/* Tags of HTML go, tables with their content. */
ig_code ig_wiki_drop_tags(char *text, int64_t *n, ig_err *err);
/* Tables {| … |} go; of one that is not closed what are no cells stays. */
ig_code ig_wiki_drop_tables(char *text, int64_t *n, ig_err *err);
/* [[…]]: what a link shows; files, categories and links to other languages go. */
int64_t ig_wiki_show_links(const ig_wiki_site *site, char *text, int64_t n);
/* Runs of apostrophes that are bold or italics go, line by line. */
int64_t ig_wiki_drop_quotes(char *text, int64_t n);
/* -{…}-: one variant, in languages that have variants. */
ig_code ig_wiki_choose_variants(const ig_wiki_site *site, char *text, int64_t *n, ig_err *err);
