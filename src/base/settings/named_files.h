/* SPDX-License-Identifier: Apache-2.0
 *
 * Files by name, as options of the kind IG_OPT_FILES hold them: "deu=bible/deu.tsv.zst;
 * dict=en-de.txt".
 */
#ifndef IG_BASE_SETTINGS_NAMED_FILES_H
#define IG_BASE_SETTINGS_NAMED_FILES_H

#include "isoglot/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { IG_NAMED_FILE = 32 };

typedef struct {
    char name[IG_NAMED_FILE]; /* no white space and none of ;=():,/ */
    const char *path;         /* [n], not NUL-terminated */
    size_t n;
} ig_named_file;

/* The item at *at, which moves behind it; false at the end or where there is none: then *at is not
 * at the text's end. */
bool ig_named_file_next(const char **at, ig_named_file *out);
/* The file of that name in *path, freed with ig_free; IG_ERR_USAGE with the nearest name when there
 * is none. */
ig_code ig_named_file_find(const char *text, const char *name, char **path, ig_err *err);
/* The same text with `dir` before every relative path (NULL: none), in its normal form; freed with
 * ig_free. NULL when it is not in that form or names a file twice; IG_ERR_MEMORY. */
ig_code ig_named_files_below(char **out, const char *text, const char *dir, ig_err *err);

#endif
