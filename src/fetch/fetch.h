/* SPDX-License-Identifier: Apache-2.0
 *
 * An entry of the catalogue into the data root: download, check, unpack, convert, put in place,
 * record (docs/fetch.md).
 *
 *   ROOT/fetched/NAME.json      what was fetched: addresses, sizes, SHA-256, results
 *               /NAME.0, .1, …  downloads, while the entry is not finished (.part: not complete)
 *               /NAME.work/     what was unpacked and converted, likewise
 */
#pragma once

#include "fetch/catalogue.h"
#include "fetch/download.h"

typedef struct {
    bool force;    /* get again what is there; overwrite what fetch did not write */
    bool keep;     /* leave the downloads in fetched/ */
    int64_t limit; /* maximum bytes of one download, and of an unpacked archive */
    int retries;
    double timeout, wait; /* as in ig_download_options */
    const volatile sig_atomic_t *stop;
} ig_fetch_options;

typedef struct {
    bool already;   /* was there, and is as it was fetched */
    int n_trusted;  /* files of unknown SHA-256: recorded now, expected from now on */
    json_t *record; /* of NAME.json; freed with json_decref */
} ig_fetch_result;

/* IG_ERR_INPUT for unexpected content, IG_ERR_IO and IG_ERR_STOPPED as ig_download; IG_ERR_USAGE if
 * there is a file that fetch did not write, or for an address that is not encrypted, is of another
 * machine and has no SHA-256. Results appear when all of them are ready. */
ig_code ig_fetch(ig_fetch_result *r, const ig_catalogue_entry *e, const char *root,
                 const ig_fetch_options *o, ig_err *err);

/* Returns whether the results of an entry exist with the recorded sizes (nothing is hashed). */
bool ig_fetch_is_there(const ig_catalogue_entry *e, const char *root);
