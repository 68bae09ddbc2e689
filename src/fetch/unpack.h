/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of an archive as files, by libarchive: zip, tar (plain, gzip, bzip2, xz, zstd), 7-zip.
 * The archive is a stranger's: its names never become names of files.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Writes the one member that fits the shell pattern member[i] to out[i], for each i; a file that is
 * there already is an error. "INNER//MEMBER" is a member of the archive that is the member INNER;
 * that is unpacked beside out[i] for a while. A "./" before a name is no part of it. Refused
 * (IG_ERR_INPUT), with no file left: an archive in which any name is absolute or has "..", or any
 * member is a device, a pipe or a socket; a chosen member that is a link or a folder; a pattern
 * that fits no member or several; damage; more than `limit` bytes in what is unpacked or passed
 * over. */
ig_code ig_unpack(const char *archive, char *const *member, char *const *out, int n, int64_t limit,
                  ig_err *err);
