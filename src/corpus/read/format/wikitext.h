/* SPDX-License-Identifier: Apache-2.0
 *
 * The running text of a page in wiki markup. docs/formats.md, "MediaWiki".
 */
#pragma once

#include <stdint.h>

/* Changes text[n] into its paragraphs, a line each, and returns their length; never longer than the
 * text. Any bytes will do; time is linear in n. */
int64_t ig_wikitext_plain(char *text, int64_t n);
