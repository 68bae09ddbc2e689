/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that say which sentences of which text are meant, shared by the commands that read
 * text.
 */
#ifndef IG_CLI_CORPUS_CORPUS_OPTIONS_H
#define IG_CLI_CORPUS_CORPUS_OPTIONS_H

#include "base/settings/options.h"
#include "corpus/read/sentences.h"

typedef struct {
    int format; /* ig_text_kind */
    char *ids, *locale;
    bool strip_quotes, clauses, whole_lines, abbreviations;
    int64_t take;
} ig_text_config;

/* Entries for an option table whose struct has an ig_text_config as its member `m`. */
#define IG_TEXT_OPTIONS(type, m)                                                                   \
    {.name = "format",                                                                             \
     .kind = IG_OPT_ENUM,                                                                          \
     .offset = offsetof(type, m.format),                                                           \
     .def = "auto",                                                                                \
     .help = "plain: a sentence or paragraph a line; verses: id, tab, text; mediawiki: a dump",    \
     .names = ig_text_kind_names,                                                                  \
     .group = "Text"},                                                                             \
        {.name = "ids",                                                                            \
         .kind = IG_OPT_STRING,                                                                    \
         .offset = offsetof(type, m.ids),                                                          \
         .value = "SET",                                                                           \
         .help = "verses to keep: NT, OT, 40-66, 40001001-40028020, 4*, or a list of these"},      \
        {.name = "strip-quotes",                                                                   \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.strip_quotes),                                                 \
         .help = "delete \xE2\x80\x9D \xE2\x80\x99 \xE2\x80\x98 \xE2\x80\x9C ( )"},                \
        {.name = "whole-lines",                                                                    \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.whole_lines),                                                  \
         .help = "a line or verse is one sentence"},                                               \
        {.name = "clauses",                                                                        \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.clauses),                                                      \
         .help = "break behind ; and : too"},                                                      \
        {.name = "locale",                                                                         \
         .kind = IG_OPT_STRING,                                                                    \
         .offset = offsetof(type, m.locale),                                                       \
         .def = "en",                                                                              \
         .value = "NAME",                                                                          \
         .help = "language whose rules break sentences"},                                          \
        {.name = "abbreviations",                                                                  \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.abbreviations),                                                \
         .help = "no break behind the abbreviations of the locale (Mr., etc.)"},                   \
    {                                                                                              \
        .name = "take", .kind = IG_OPT_INT, .offset = offsetof(type, m.take), .def = "0",          \
        .value = "N", .help = "the first N sentences; 0: all", .min = 0, .max = 9e15               \
    }

ig_code ig_text_config_resolve(ig_sentence_options *o, const ig_text_config *c, ig_err *err);

#endif
