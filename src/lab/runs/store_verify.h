/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole store against its own hashes: every file of every finished run, and the data that runs
 * share.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>

typedef struct {
    int64_t n_run, n_unfinished; /* runs that are finished and were looked at; those that are not */
    int64_t n_data, n_file;      /* folders of data; files compared */
    json_t *damaged;             /* [{"path": below the store, "message": what is wrong}] */
} ig_store_verified;

/* Adds a damage to r->damaged. */
ig_code ig_store_verified_add(ig_store_verified *r, const char *path, const char *message,
                              ig_err *err);
/* Damage is no error here: it is in r->damaged. IG_ERR_IO where the store is no folder,
 * r->damaged is freed with json_decref, also after an error. */
ig_code ig_store_verify(ig_store_verified *r, const char *store, ig_err *err);
