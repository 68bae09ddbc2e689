/* SPDX-License-Identifier: Apache-2.0
 *
 * Running text from files of several formats behind one interface. A format is one file: a
 * text_NAME.c with an ig_text_format, and a line in text_source.c.
 */
#pragma once

#include "corpus/read/line_reader.h"
#include "corpus/read/verse_ids.h"
#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* AUTO: by the first line. PLAIN: one sentence or paragraph a line. VERSES: id, tab, text a line.
 * MEDIAWIKI: a dump in XML; each paragraph is a record. */
typedef enum { IG_TEXT_AUTO, IG_TEXT_PLAIN, IG_TEXT_VERSES, IG_TEXT_MEDIAWIKI } ig_text_kind;
extern const char *const ig_text_kind_names[]; /* auto plain verses mediawiki, NULL */

typedef struct {
    char *text; /* NUL-terminated, valid until the next record; may be changed; NULL: end of the
                   file */
    int64_t n;
    int32_t id; /* of a verse, 0: none */
} ig_text_record;

typedef struct {
    const char *name;
    bool has_ids;
    /* Whether a file that begins with this line is of the format; NULL: every file is. */
    bool (*is)(const char *line, int64_t n);
    /* Open and close the state of a format between records; both NULL: it has none. close accepts
     * NULL, and the state after a failed open. */
    ig_code (*open)(void **state, ig_line_reader *r, ig_err *err);
    void (*close)(void *state);
    ig_code (*next)(ig_line_reader *r, void *state, const ig_verse_set *ids, ig_text_record *out,
                    ig_err *err);
} ig_text_format;

extern const ig_text_format ig_text_plain, ig_text_verses, ig_text_mediawiki;
/* Returns whether a file that begins with this line is a dump or a piece of one. So is any other
 * XML, which a dump's reader refuses. */
bool ig_text_is_xml(const char *line, int64_t n);

typedef struct ig_text_source ig_text_source;

/* `path` "-" is standard input; may be compressed (corpus/read/line_reader.h). `ids` (NULL: all;
 * copied) selects verses and is an error for a format without ids. */
ig_code ig_text_open(ig_text_source **out, const char *path, ig_text_kind kind,
                     const ig_verse_set *ids, ig_err *err);
/* The same with kind AUTO, for a command that gives a row for each line: blank lines are records,
 * and columns, JSON and markup are text. */
ig_code ig_text_open_rows(ig_text_source **out, const char *path, ig_err *err);
/* Returns the next record that is not blank, of rows the next one. */
ig_code ig_text_next(ig_text_source *s, ig_text_record *out, ig_err *err);
const char *ig_text_where(const ig_text_source *s);
uint64_t ig_text_line(const ig_text_source *s);
void ig_text_close(ig_text_source *s);
/* Finds whether the file's first record is a verse. `format`: ig_text_kind. */
ig_code ig_text_has_verses(bool *yes, const char *path, int format, ig_err *err);

/* Checks that a verse follows one of the id `before`, as texts that are joined by ids need it. */
ig_code ig_text_check_order(const ig_text_source *s, const ig_text_record *r, int32_t before,
                            ig_err *err);

/* Versions of one text aligned by verse id: the verses that all of them have, in the order of ids,
 * which must ascend in each file. */
typedef struct ig_verse_join ig_verse_join;
ig_code ig_verse_join_open(ig_verse_join **out, char *const *path, int n, const ig_verse_set *ids,
                           ig_err *err);
/* Returns record[n]: one of each version, all with the same id; record[0].text is NULL at the
 * end. */
ig_code ig_verse_join_next(ig_verse_join *j, ig_text_record *record, ig_err *err);
void ig_verse_join_close(ig_verse_join *j);
