/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps from a page's markup to its text (wikitext.c), in MediaWiki's order. Each changes the
 * text in place, never makes it longer, takes linear time, and leaves unclosed markup unchanged.
 * Control characters, which do not occur in XML, are marks between steps.
 */
#pragma once

#include "corpus/read/format/wiki_site.h"

/* NOTHING: removed markup that shows nothing but separates the text around it, such as a tag.
 * TEMPLATE: likewise, of a template. FIRST and following: characters that <nowiki> protects. */
enum { IG_WIKI_NOTHING = 1, IG_WIKI_TEMPLATE = 2, IG_WIKI_FIRST = 14 };

/* An open construct: its kind, the start of its content in the output, the number of characters
 * that opened it, and in the output its first two bars, which other constructs do not enclose (0:
 * none). */
typedef struct {
    int64_t from, count, bar[2];
    char kind;
} ig_wiki_open;

/* The stack of open constructs. Zeroed memory is empty; freed with ig_free(stack.open). */
typedef struct {
    ig_wiki_open *open;
    int64_t n, have;
} ig_wiki_stack;

ig_code ig_wiki_push(ig_wiki_stack *s, char kind, int64_t from, int64_t count, ig_err *err);

/* Returns the character that a mark of FIRST and following represents; other characters are
 * unchanged. */
char ig_wiki_unprotected(char c);
/* Returns whether n bytes begin with `with`, which is in lower case, ignoring case. */
bool ig_wiki_starts(const char *text, int64_t n, const char *with);

/* Removes comments, elements of extensions, templates and parameters, which have their defaults. */
ig_code ig_wiki_drop_templates(char *text, int64_t *n, ig_err *err);
/* Returns the length of the address of another site at text[0]; 0: there is none. */
int64_t ig_wiki_address(const char *text, int64_t n);
/* Puts the definition of "; term : definition" in a line of its own. */
void ig_wiki_split_terms(char *text, int64_t n);
/* Removes tags of HTML, and tables with their content. */
ig_code ig_wiki_drop_tags(char *text, int64_t *n, ig_err *err);
/* Removes tables {| … |}; of an unclosed one only the cells. */
ig_code ig_wiki_drop_tables(char *text, int64_t *n, ig_err *err);
/* Replaces [[…]] by the text that a link shows; removes files, categories and links to other
 * languages. */
int64_t ig_wiki_show_links(const ig_wiki_site *site, char *text, int64_t n);
/* Removes runs of apostrophes that are bold or italics, line by line. */
int64_t ig_wiki_drop_quotes(char *text, int64_t n);
/* Replaces -{…}- by one variant, in languages that have variants. */
ig_code ig_wiki_choose_variants(const ig_wiki_site *site, char *text, int64_t *n, ig_err *err);
