/* SPDX-License-Identifier: Apache-2.0
 *
 * The running text of a page in wiki markup. docs/formats.md, "MediaWiki".
 */
#pragma once

#include "corpus/read/format/wiki_site.h"

/* Changes text[*n] into its paragraphs, one a line; never longer than the text. Accepts any bytes;
 * time is linear in *n. */
ig_code ig_wikitext_plain(const ig_wiki_site *site, char *text, int64_t *n, ig_err *err);
/* Returns whether a page only redirects to another, in any language: #REDIRECT [[title]]. */
bool ig_wikitext_is_redirect(const char *text, int64_t n);
