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

/* Maps a regular file read-only. A directory, a missing or an unreadable file is reported as such.
 */
ig_code ig_map_open(ig_map *out, const char *path, ig_err *err);
void ig_map_close(ig_map *map);

/* Reads all of a regular file, at most `limit` bytes; *out is NUL-terminated, freed with ig_free.
 */
ig_code ig_file_read(char **out, int64_t *size, const char *path, int64_t limit, ig_err *err);

/* A file that is being written. Between open and commit only a temporary name exists. */
typedef struct {
    FILE *fp;
    char *path, *tmp;
    bool standard; /* a file that goes to standard output when it is complete */
} ig_out;

/* A file of the program's own, which may be there already. NULL: standard output, as it is
 * written; "-": standard output, when it is complete (base/output/standard_output.h). */
ig_code ig_out_open(ig_out *out, const char *path, ig_err *err);
ig_code ig_out_open_in(ig_out *out, const char *dir, const char *name, ig_err *err);
/* A file whose name the user gave, or that goes into a folder of the user's: replaces none that is
 * not the program's (base/output/written.h). "-" is standard output, as it is written. */
ig_code ig_out_new(ig_out *out, const char *path, ig_err *err);
ig_code ig_out_new_in(ig_out *out, const char *dir, const char *name, ig_err *err);
/* The same, reported before hours of work: whether a file can be made there, and replaces none but
 * the program's. NULL is no file, and well. Leaves nothing behind. */
ig_code ig_out_try(const char *path, ig_err *err);
ig_code ig_out_try_in(const char *dir, const char *name, ig_err *err);
/* Whether two names are of one file to write, however they are spelled; NULL is none. Hard links
 * are two: a name gets a new file. */
bool ig_out_same(const char *a, const char *b);
/* Flushes and syncs: a disk that is full is noticed here, not in a later commit. For files that
 * belong together: all of them are flushed before the first is committed. */
ig_code ig_out_flush(ig_out *out, ig_err *err);
/* Flushes, syncs, renames. On failure the temporary file is gone and the old file untouched. */
ig_code ig_out_commit(ig_out *out, ig_err *err);
/* Gives up: removes the temporary file. Safe on a zeroed or committed ig_out. */
void ig_out_discard(ig_out *out);
/* Commits when all has gone well (`code` IG_ERR_OK), else gives up; returns the first error. */
ig_code ig_out_close(ig_out *out, ig_code code, ig_err *err);
/* Whether an error says that there was no room: a full disk, a quota, the limit on a file's size.
 */
bool ig_is_no_room(const ig_err *err);
/* fwrite that reports a full disk at once. */
ig_code ig_out_write(ig_out *out, const void *data, int64_t size, ig_err *err);

/* open + write + commit. */
ig_code ig_file_write(const char *path, const void *data, int64_t size, ig_err *err);

bool ig_file_exists(const char *path);
/* Whether two paths are of one file. */
bool ig_same_file(const char *a, const char *b);
bool ig_dir_exists(const char *path);
/* Like mkdir -p. */
ig_code ig_dir_make(const char *path, ig_err *err);
/* Removes a folder with all that is in it; a missing one is no error. Never follows links: of a
 * link to a folder only the link goes. */
ig_code ig_dir_remove(const char *path, ig_err *err);
/* A new empty folder below TMPDIR (/tmp), whose name begins with `prefix`; freed with ig_free. */
ig_code ig_dir_temporary(char **out, const char *prefix, ig_err *err);
/* A new empty folder beside the one that `path` is to be, with a temporary name; freed with
 * ig_free. The folders above are made. */
ig_code ig_dir_beside(char **out, const char *path, ig_err *err);
/* rename(2) of a file or folder, then fsync of the parent. */
ig_code ig_rename(const char *from, const char *to, ig_err *err);
/* "dir" + "/" + "name", freed with ig_free. */
ig_code ig_path_join(char **out, const char *dir, const char *name, ig_err *err);

/* 64-bit content hash (FNV-1a over bytes, then one SplitMix64 finaliser): fingerprints, not
 * security. */
uint64_t ig_hash(const void *data, int64_t size, uint64_t seed);

/* A file that is hashed as it is written, in blocks of `size` bytes, each with the hash of those
 * before as its seed. */
typedef struct {
    ig_out out;
    uint8_t *block; /* [size] the caller's, for the bytes that are not written yet */
    int64_t size, n;
    uint64_t hash; /* of all blocks that are written */
} ig_hashed_out;

ig_code ig_hashed_put(ig_hashed_out *h, const void *data, int64_t n, ig_err *err);
/* Writes the last block. */
ig_code ig_hashed_flush(ig_hashed_out *h, ig_err *err);
/* The hash of bytes that were written so. */
uint64_t ig_hash_blocks(const uint8_t *data, int64_t n, int64_t size);
