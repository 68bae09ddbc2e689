/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalogue of public texts that `isoglot fetch` can download: addresses, sizes, SHA-256 if
 * known, licences, and their conversion to files of isoglot's formats. docs/fetch.md describes the
 * format. One catalogue is compiled in (fetch/catalogue.yaml).
 */
#pragma once

#include "base/pool.h"
#include "base/sha256.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Conversions of the files of an entry to its results; fetch/convert.h. */
typedef enum {
    IG_CONVERT_COPY,  /* as they are */
    IG_CONVERT_TEXT,  /* lines of UTF-8: LF, no byte order mark */
    IG_CONVERT_VPL,   /* "GEN 1:1 text" → verses */
    IG_CONVERT_VREF,  /* a list of references and texts parallel to it → verses */
    IG_CONVERT_PASTE, /* texts parallel by line → columns */
    IG_CONVERT_NLI, /* a table with gold_label, sentence1, sentence2 (language) → three columns */
    IG_N_CONVERT
} ig_convert_kind;
extern const char *const ig_convert_names[]; /* copy, text, vpl, …; NULL-terminated */

typedef struct {
    char *url;
    int64_t size;               /* bytes; −1: not known */
    char sha256[IG_SHA256_HEX]; /* "": not known */
} ig_catalogue_file;

typedef struct {
    char *name, *about, *licence, *home; /* home: a page about it; may be NULL */
    char *
        approximate_size; /* of the downloads, as "14 GB"; NULL: not known. Nothing is held to it */
    ig_catalogue_file *file;
    int n_file;
    char **member; /* names (shell patterns) inside the archive that file[0] is; none: no archive */
    int n_member;
    char **language; /* the values of {language} in `to`, in order */
    int n_language;
    char **to; /* the files it gives, below the data root: the first of every language, the second
                  of every language, …; compressed where they end in .zst, .gz or .xz */
    int n_to;
    ig_convert_kind convert;
    const char *where; /* the catalogue it is from */
    uint64_t line;
} ig_catalogue_entry;

typedef struct {
    ig_catalogue_entry *entry;
    int n;
    int64_t have;
    ig_pool pool; /* of the texts and lists of the entries */
} ig_catalogue;

/* The one that is compiled in. Freed with ig_catalogue_free. */
ig_code ig_catalogue_new(ig_catalogue *c, ig_err *err);
/* Adds the entries of a text or a file; an entry with the name of an earlier catalogue's replaces
 * it. A mistake (IG_ERR_USAGE) names file and line, and leaves c as it was but for entries added
 * before it. */
ig_code ig_catalogue_parse(ig_catalogue *c, const char *text, int64_t size, const char *where,
                           ig_err *err);
ig_code ig_catalogue_read(ig_catalogue *c, const char *path, ig_err *err);
void ig_catalogue_free(ig_catalogue *c);

/* The entry that gives this file (a path below the data root); NULL: none. */
const ig_catalogue_entry *ig_catalogue_giving(const ig_catalogue *c, const char *path);
/* Entries whose name fits a shell pattern, in order: chosen[c->n] is set. Nothing fits:
 * IG_ERR_USAGE with the nearest name. */
ig_code ig_catalogue_choose(bool *chosen, const ig_catalogue *c, const char *pattern, ig_err *err);

/* Returns {"name", "about", "licence", "home", "approximate_size", "convert", "files": [{"url",
 * "size", "sha256"}], "to": […]}, null for unknown values. NULL: no memory. */
json_t *ig_catalogue_entry_json(const ig_catalogue_entry *e);
