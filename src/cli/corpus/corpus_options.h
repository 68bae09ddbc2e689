/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that say which sentences of which text are meant, shared by the commands that read
 * text.
 */
#pragma once

#include "base/settings/options.h"
#include "corpus/read/sentences.h"

typedef struct {
    ig_sentence_options o; /* without `verses` */
    char *ids;
} ig_text_config;

/* Entries for an option table whose struct has an ig_text_config as its member `m`. */
#define IG_TEXT_OPTIONS(type, m)                                                                   \
    {.group = "Text",                                                                              \
     IG_ENUM(type, "format", m.o.kind, "auto", ig_text_kind_names,                                 \
             "plain: a sentence or paragraph a line; verses: id, tab, text; mediawiki: a dump")},  \
        {IG_TEXT(type, "ids", m.ids, NULL, "SET",                                                  \
                 "verses to keep: NT, OT, 40-66, 40001001-40028020, 4*, or a list of these")},     \
        {IG_FLAG(type, "strip-quotes", m.o.strip_quotes, NULL,                                     \
                 "delete \xE2\x80\x9D \xE2\x80\x99 \xE2\x80\x98 \xE2\x80\x9C ( )")},               \
        {IG_FLAG(type, "whole-lines", m.o.whole_lines, NULL, "a line or verse is one sentence")},  \
        {IG_FLAG(type, "clauses", m.o.clauses, NULL, "also break after ; and :")},                 \
        {IG_TEXT(type, "locale", m.o.locale, "en", "NAME",                                         \
                 "language whose rules break sentences")},                                         \
        {IG_FLAG(type, "abbreviations", m.o.abbreviations, NULL,                                   \
                 "no break after the abbreviations of the locale (Mr., etc.)")},                   \
    {                                                                                              \
        IG_INT(type, "take", m.o.take, "0", 0, 9e15, "the first N sentences; 0: all")              \
    }

static inline ig_code ig_text_config_resolve(ig_sentence_options *o, const ig_text_config *c,
                                             ig_err *err)
{
    *o = c->o;
    return ig_verse_set_parse(&o->verses, c->ids, "ids", err);
}
