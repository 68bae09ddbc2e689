/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: whole reads, memory maps, and writes that appear under their final name complete or not
 * at all (temporary name in the same folder, fsync, rename, fsync of the folder). Every error
 * names the path and the system's reason.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const uint8_t *data; /* NULL for an empty file */
    int64_t size;        /* bytes */
    void *map;
} ig_map;

/* Maps a regular file read-only. Directories, missing and unreadable files are errors of their
 * own. */
ig_code ig_map_open(ig_map *out, const char *path, ig_err *err);
void ig_map_close(ig_map *map);

/* Reads a regular file of at most `limit` bytes; *out is NUL-terminated, freed with ig_free. */
ig_code ig_file_read(char **out, int64_t *size, const char *path, int64_t limit, ig_err *err);

/* A file being written. Between open and commit it has only a temporary name. */
typedef struct {
    FILE *fp;
    char *path, *tmp;
    bool standard; /* a file that is copied to standard output when it is complete */
} ig_out;

/* Opens a file of the program's own, which may exist. NULL: standard output, directly; "-":
 * standard output, when it is complete (base/output/standard_output.h). */
ig_code ig_out_open(ig_out *out, const char *path, ig_err *err);
ig_code ig_out_open_in(ig_out *out, const char *dir, const char *name, ig_err *err);
/* Opens a file whose name the user gave, or in a folder of the user's: replaces only files that the
 * program wrote (base/output/written.h). "-" is standard output, directly. */
ig_code ig_out_new(ig_out *out, const char *path, ig_err *err);
ig_code ig_out_new_in(ig_out *out, const char *dir, const char *name, ig_err *err);
/* Checks, before hours of work, that ig_out_new will succeed: a file can be made there, and would
 * replace only one of the program's. NULL is no file and succeeds. Leaves no file. */
ig_code ig_out_try(const char *path, ig_err *err);
ig_code ig_out_try_in(const char *dir, const char *name, ig_err *err);
/* Returns whether two paths denote the same output file, however they are spelled; NULL is none.
 * Hard links differ, since a name gets a new file. */
bool ig_out_same(const char *a, const char *b);
/* Flushes and syncs, so that a full disk is noticed here and not in a later commit: files that
 * belong together are all flushed before the first is committed. */
ig_code ig_out_flush(ig_out *out, ig_err *err);
/* Flushes, syncs, renames. On failure the temporary file is removed and the old file unchanged. */
ig_code ig_out_commit(ig_out *out, ig_err *err);
/* Removes the temporary file. Accepts a zeroed or committed ig_out. */
void ig_out_discard(ig_out *out);
/* Commits if `code` is IG_ERR_OK, otherwise discards; returns the first error. */
ig_code ig_out_close(ig_out *out, ig_code code, ig_err *err);
/* Returns whether an error is for lack of space: a full disk, a quota, the limit on a file's size.
 */
bool ig_is_no_space(const ig_err *err);
/* fwrite that reports a full disk immediately. */
ig_code ig_out_write(ig_out *out, const void *data, int64_t size, ig_err *err);

/* open + write + commit. */
ig_code ig_file_write(const char *path, const void *data, int64_t size, ig_err *err);

bool ig_file_exists(const char *path);
/* Returns whether two paths denote the same file, or a file and its copy. */
bool ig_same_content(const char *a, const char *b);
bool ig_dir_exists(const char *path);
/* Like mkdir -p. */
ig_code ig_dir_make(const char *path, ig_err *err);
/* Removes a folder with its content; a missing one is not an error. Never follows links: a link to
 * a folder is itself removed. */
ig_code ig_dir_remove(const char *path, ig_err *err);
/* Makes an empty folder in TMPDIR (/tmp), whose name begins with `prefix`; freed with ig_free. */
ig_code ig_dir_temporary(char **out, const char *prefix, ig_err *err);
/* Makes an empty folder with a temporary name beside the future folder `path`, and the folders
 * above; freed with ig_free. */
ig_code ig_dir_beside(char **out, const char *path, ig_err *err);
/* rename(2) of a file or folder, then fsync of the parent. */
ig_code ig_rename(const char *from, const char *to, ig_err *err);
/* Makes "dir" + "/" + "name", freed with ig_free. */
ig_code ig_path_join(char **out, const char *dir, const char *name, ig_err *err);
/* The file or folder that `file` (NULL: nothing) calls `name`: if that is relative, the absolute
 * path of what lies beside `file`, where there is such a thing, else DIR/NAME (dir NULL: NAME).
 * Freed with ig_free. */
ig_code ig_path_named(char **out, const char *file, const char *dir, const char *name, ig_err *err);

/* 64-bit content hash (FNV-1a over bytes, then one SplitMix64 finaliser): fingerprints, not
 * security. */
uint64_t ig_hash(const void *data, int64_t size, uint64_t seed);

/* A file that is hashed while it is written, in blocks of `size` bytes, each seeded with the hash
 * of the previous. */
typedef struct {
    ig_out out;
    uint8_t *block; /* [size] the caller's, for bytes not yet written */
    int64_t size, n;
    uint64_t hash; /* of all blocks written */
} ig_hashed_out;

ig_code ig_hashed_put(ig_hashed_out *h, const void *data, int64_t n, ig_err *err);
/* Writes the last block. */
ig_code ig_hashed_flush(ig_hashed_out *h, ig_err *err);
/* Returns the hash of bytes written in that way. */
uint64_t ig_hash_blocks(const uint8_t *data, int64_t n, int64_t size);
