/* SPDX-License-Identifier: Apache-2.0
 *
 * Files by name, as options of the kind IG_OPT_FILES hold them: "deu=bible/deu.tsv.zst;
 * dict=en-de.txt".
 */
#pragma once

#include "isoglot/error.h"

enum { IG_NAMED_FILE = 32 };

typedef struct {
    const char *name; /* under IG_NAMED_FILE bytes, no white space and none of ;=():,/ */
    const char *path;
} ig_named_file;

typedef struct {
    int n;
    ig_named_file *file; /* [n] */
    char *text;          /* memory of names and paths */
} ig_named_files;

/* Parses a text; NULL gives none. IG_ERR_USAGE at `where` if it has another form, or a file has two
 * paths or no name; freed with ig_named_files_free only after success. */
ig_code ig_named_files_parse(ig_named_files *out, const char *text, const char *where, ig_err *err);
void ig_named_files_free(ig_named_files *f);
/* Finds the path of the file of that name, borrowed; IG_ERR_USAGE with the nearest name if there is
 * none. */
ig_code ig_named_files_find(const char **path, const ig_named_files *f, const char *name,
                            ig_err *err);
/* Makes such a text with the paths of ig_path_named, in its normal form; freed with ig_free.
 * IG_ERR_USAGE as above. */
ig_code ig_named_files_below(char **out, const char *text, const char *file, const char *dir,
                             ig_err *err);
