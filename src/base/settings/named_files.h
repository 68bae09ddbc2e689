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
    char *text;          /* what names and paths point into */
} ig_named_files;

/* Reads them from a text; of NULL none. IG_ERR_USAGE at `where` when it is not in that form, names
 * a file twice or names none; freed with the next only on success. */
ig_code ig_named_files_parse(ig_named_files *out, const char *text, const char *where, ig_err *err);
void ig_named_files_free(ig_named_files *f);
/* The path of the file of that name, borrowed; IG_ERR_USAGE with the nearest name when there is
 * none. */
ig_code ig_named_files_find(const char **path, const ig_named_files *f, const char *name,
                            ig_err *err);
/* Such a text with `dir` before every relative path (NULL: none), in its normal form; freed with
 * ig_free. IG_ERR_USAGE as above. */
ig_code ig_named_files_below(char **out, const char *text, const char *dir, ig_err *err);
