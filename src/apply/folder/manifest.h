/* SPDX-License-Identifier: Apache-2.0
 *
 * The manifest of a finished run lists its files: each has a SHA-256, which is compared
 * whenever a model or vectors of such a run are opened, so that a damaged file is never measured.
 */
#pragma once

#include "embed/vectors/vectors.h"
#include "isoglot/error.h"

#include <jansson.h>

/* The file that a manifest means by one of its members {"path", "sha256"}: of a model's folder the
 * weights. *path is below the run's folder, freed with ig_free; NULL: the member is none. */
ig_code ig_manifest_file(char **path, const char **sha256, const json_t *manifest, const char *kind,
                         ig_err *err);

/* Compares a file with a SHA-256: IG_ERR_INPUT when it is another, IG_ERR_IO when it cannot be
 * read. */
ig_code ig_manifest_compare(const char *path, const char *sha256, ig_err *err);

/* Compares `path`, a file or a model's folder, with the manifest of the run that it lies in. No
 * error where it lies in no finished run, or is not what that run's manifest says (an earlier
 * checkpoint). */
ig_code ig_manifest_check(const char *path, ig_err *err);
/* The same, then ig_vectors_read. */
ig_code ig_manifest_vectors(ig_vectors *out, const char *path, ig_vec_how how, ig_team *team,
                            ig_err *err);
