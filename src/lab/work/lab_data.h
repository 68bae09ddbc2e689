/* SPDX-License-Identifier: Apache-2.0
 *
 * Data shared by runs of a store: STORE/data/<address>/ has vocabulary and shards of all runs
 * whose texts are split and tokenised in the same way; made once, mapped by every process.
 */
#pragma once

#include "experiment/experiment.h"

#include <jansson.h>
#include <signal.h>

/* Makes the data of a run unless they are there, under a lock that another process may hold for a
 * while (then this one waits, until *stop: IG_ERR_STOPPED). data.json, written last, has the
 * SHA-256 of each file. */
ig_code ig_lab_data_make(char address[IG_ADDRESS], const ig_run_config *c, const char *store,
                         ig_hash_cache *cache, const volatile sig_atomic_t *stop, ig_err *err);
/* STORE/data/<address>, when it is complete; else NULL. Freed with ig_free. */
ig_code ig_lab_data_find(char **dir, const char *store, const char *address, ig_err *err);
/* The content of its data.json; owned by the caller. */
ig_code ig_lab_data_json(json_t **j, const char *store, const char *address, ig_err *err);
/* Points RUN/data at it. */
ig_code ig_lab_data_link(const char *run_dir, const char *address, ig_err *err);
