/* SPDX-License-Identifier: Apache-2.0
 *
 * libcurl, loaded when something is fetched (base/on_demand.h). Its macros that compare the types
 * of options call the functions themselves, so they are off.
 */
#pragma once

#include "base/on_demand.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

extern ig_on_demand ig_libcurl; /* download.c */

#undef curl_easy_getinfo
#undef curl_easy_setopt
#define curl_easy_cleanup IG_ON_DEMAND(ig_libcurl, curl_easy_cleanup)
#define curl_easy_getinfo IG_ON_DEMAND(ig_libcurl, curl_easy_getinfo)
#define curl_easy_init IG_ON_DEMAND(ig_libcurl, curl_easy_init)
#define curl_easy_perform IG_ON_DEMAND(ig_libcurl, curl_easy_perform)
#define curl_easy_reset IG_ON_DEMAND(ig_libcurl, curl_easy_reset)
#define curl_easy_setopt IG_ON_DEMAND(ig_libcurl, curl_easy_setopt)
#define curl_easy_strerror IG_ON_DEMAND(ig_libcurl, curl_easy_strerror)
#define curl_free IG_ON_DEMAND(ig_libcurl, curl_free)
#define curl_global_init IG_ON_DEMAND(ig_libcurl, curl_global_init)
#define curl_slist_append IG_ON_DEMAND(ig_libcurl, curl_slist_append)
#define curl_slist_free_all IG_ON_DEMAND(ig_libcurl, curl_slist_free_all)
#define curl_url IG_ON_DEMAND(ig_libcurl, curl_url)
#define curl_url_cleanup IG_ON_DEMAND(ig_libcurl, curl_url_cleanup)
#define curl_url_get IG_ON_DEMAND(ig_libcurl, curl_url_get)
#define curl_url_set IG_ON_DEMAND(ig_libcurl, curl_url_set)
