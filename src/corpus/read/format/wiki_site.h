/* SPDX-License-Identifier: Apache-2.0
 *
 * A wiki's names of its namespaces, and its language: the names that a dump declares in
 * <siteinfo>, the English ones, which are valid in every wiki, and older names that its language
 * still accepts.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Keys of namespaces, as in dumps; OTHER stands for those of every wiki whose pages are no
 * articles. */
enum {
    IG_WIKI_MEDIA = -2,
    IG_WIKI_ARTICLE = 0,
    IG_WIKI_OTHER = 1,
    IG_WIKI_FILE = 6,
    IG_WIKI_CATEGORY = 14
};

typedef struct ig_wiki_site ig_wiki_site;

ig_code ig_wiki_site_new(ig_wiki_site **out, ig_err *err);
void ig_wiki_site_free(ig_wiki_site *s);
/* Adds a name of a namespace; "" is ignored. */
ig_code ig_wiki_site_add(ig_wiki_site *s, int key, const char *name, int64_t n, ig_err *err);
/* Sets the value of xml:lang. */
void ig_wiki_site_set_language(ig_wiki_site *s, const char *tag);
/* Returns its first part in lower case, such as "zh"; "" if it is unknown. */
const char *ig_wiki_site_language(const ig_wiki_site *s);

/* Returns the namespace that a title begins with; IG_WIKI_ARTICLE if it begins with none. Case is
 * ignored, and underscores equal spaces. */
int ig_wiki_site_namespace(const ig_wiki_site *s, const char *title, int64_t n);
/* Returns whether a title begins with the code of a Wikipedia of some language ("fr:"). */
bool ig_wiki_is_interlanguage(const char *title, int64_t n);
