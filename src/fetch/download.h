/* SPDX-License-Identifier: Apache-2.0
 *
 * One address into one file, by libcurl: resumed where it stopped, tried again when it may help,
 * checked before it gets its name. Proxies come from the environment, as libcurl has it
 * (https_proxy, no_proxy).
 */
#pragma once

#include "base/sha256.h"
#include "isoglot/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t size;       /* bytes it must have; −1: not known */
    const char *sha256; /* expected SHA-256; NULL or "": unknown */
    bool open;          /* redirects may lead to addresses that ig_address_is_safe refuses */
    int64_t limit;      /* bytes it may have at most */
    int retries;        /* in a row without a new byte, after the first try */
    double timeout;     /* seconds without a byte, and to connect */
    double wait;        /* seconds before the first retry; doubled for each further one */
    const volatile sig_atomic_t *stop; /* NULL: never */
} ig_download_options;

typedef struct {
    int64_t size;
    char sha256[IG_SHA256_HEX];
    char etag[256];  /* "": the server sent none */
    int n_request;   /* requests made; redirects do not count */
    int64_t resumed; /* bytes that the last request did not have to get again */
} ig_download_result;

/* Returns whether nobody on the way can change the content: https, or this machine (file, or http
 * of localhost, 127.0.0.1 or ::1). */
bool ig_address_is_safe(const char *url);
/* Returns whether a redirect from `from` to `to` is allowed: not from https to another protocol,
 * not to an unsafe address unless `open`, and never to a file of this machine. */
bool ig_address_may_lead(const char *from, const char *to, bool open);

/* While it comes, the bytes are in PATH.part and what is known of them in PATH.part.json; when all
 * are there and size and SHA-256 are right, PATH.part becomes PATH. A server that ignores the wish
 * for the rest, or has another file by now (ETag, Last-Modified), makes it start again. Each
 * redirect is held to the rule of the first address: from https to https alone, else
 * to http and https, without `open` to safe addresses alone; never to a file. Errors:
 *   IG_ERR_STOPPED  *stop was set; the same call resumes
 *   IG_ERR_IO       cannot be reached, or answers with an error; the part is kept
 *   IG_ERR_INPUT    another size or SHA-256 than expected, or beyond the limit; the part is removed
 */
ig_code ig_download(ig_download_result *r, const char *url, const char *path,
                    const ig_download_options *o, ig_err *err);
