/* SPDX-License-Identifier: Apache-2.0
 *
 * Which addresses are taken: from a catalogue, and from a server that leads elsewhere (RFC 9110,
 * §15.4); see download.h.
 */
#include "fetch/curl.h"

#include "fetch/download.h"

#include <string.h>
#include <strings.h>

static bool begins_with(const char *url, const char *scheme)
{
    return strncasecmp(url, scheme, strlen(scheme)) == 0;
}

bool ig_address_is_safe(const char *url)
{
    static const char *const near[] = {"localhost", "127.0.0.1", "[::1]"};
    /* Without libcurl nothing is fetched; a catalogue can still be read. */
    if (ig_on_demand_load(&ig_libcurl, NULL) != IG_ERR_OK)
        return begins_with(url, "https://") || begins_with(url, "file://");
    CURLU *u = curl_url();
    char *scheme = NULL, *host = NULL;
    bool safe = false;
    if (u != NULL && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) {
        safe = strcmp(scheme, "https") == 0 || strcmp(scheme, "file") == 0;
        if (!safe && strcmp(scheme, "http") == 0 &&
            curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK)
            for (int i = 0; i < 3; i++)
                safe = safe || strcasecmp(host, near[i]) == 0;
    }
    curl_free(scheme);
    curl_free(host);
    curl_url_cleanup(u);
    return safe;
}

bool ig_address_may_lead(const char *from, const char *to, bool open)
{
    if (begins_with(to, "https:"))
        return true;
    return begins_with(to, "http:") && !begins_with(from, "https:") &&
           (open || ig_address_is_safe(to));
}
