/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a finished run that a report reads, and their verification: "files" of the manifest has
 * the SHA-256 of each, and DONE that of the manifest. (The model and its training data have theirs
 * in members of their own, apply/folder/manifest.h.)
 */
#pragma once

#include "isoglot/error.h"
#include "store/row.h"

#include <jansson.h>
#include <stdbool.h>

/* Calls `visit` with every name in a folder, in their order, but those that begin with a dot; a
 * folder that is not there has none. */
typedef ig_code ig_lab_visit(void *arg, const char *dir, const char *name);
ig_code ig_lab_each_name(const char *dir, ig_lab_visit *visit, void *arg, ig_err *err);
/* Adds "NAME": the SHA-256 of DIR/NAME, unless there is no such file. */
ig_code ig_lab_hash(json_t *files, const char *dir, const char *name, ig_err *err);
/* Sets "files" of a manifest to those that lie in the folder: measures, log, settings, scores of
 * fine-tunings. */
ig_code ig_run_files_put(json_t *manifest, const char *dir, ig_err *err);
/* Returns whether a folder's files are those of its manifest; true for a manifest from before it
 * had their hashes. */
bool ig_run_files_same(const json_t *manifest, const char *dir);
/* That a report finds the settings and the files of a manifest: scores of fine-tunings are in
 * tasks.json, too. */
ig_code ig_run_files_there(const json_t *manifest, const char *dir, ig_err *err);
/* Returns whether manifest.json has the hash that DONE has of it; true where that is "". */
bool ig_run_manifest_same(const char *dir, const char *sha256);
/* Returns what the store has of a finished run, from its folder; config: of its manifest. Start
 * with a zeroed struct. */
ig_code ig_lab_run_metrics(ig_row_set *m, const char *dir, const json_t *config, ig_err *err);
/* DONE, after manifest.json. */
ig_code ig_run_files_done(const char *dir, ig_err *err);
