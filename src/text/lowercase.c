/* SPDX-License-Identifier: Apache-2.0
 *
 * Lower case by ICU's case map (ucasemap), with a buffer that is kept between calls.
 */
#include "text/lowercase.h"

#include "base/memory.h"

#include <unicode/ucasemap.h>

struct ig_lowercase {
    UCaseMap *map;
    char *text;
    int64_t have;
};

ig_code ig_lowercase_new(ig_lowercase **out, ig_err *err)
{
    UErrorCode status = U_ZERO_ERROR;
    IG_TRY(ig_alloc(out, 1, sizeof **out, "case map", err));
    (*out)->map = ucasemap_open("", 0, &status);
    if (U_SUCCESS(status))
        return IG_ERR_OK;
    ig_free(*out);
    *out = NULL;
    return ig_fail(err, IG_ERR_IO, "", 0, "ICU's case map: %s", u_errorName(status));
}

void ig_lowercase_free(ig_lowercase *l)
{
    if (l == NULL)
        return;
    ucasemap_close(l->map);
    IG_FREE(l->text, l);
}

ig_code ig_lowercase_text(ig_lowercase *l, const char **text, int64_t *n, ig_err *err)
{
    UErrorCode status = U_ZERO_ERROR;
    int64_t room = 3 * *n + 16;
    if (room > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "line of %lld bytes, too long for lower case",
                       (long long)*n);
    IG_TRY(ig_grow(&l->text, &l->have, room, 1, "line", err));
    *n = ucasemap_utf8ToLower(l->map, l->text, (int32_t)room, *text, (int32_t)*n, &status);
    if (U_FAILURE(status))
        return ig_fail(err, IG_ERR_INPUT, "", 0, "cannot be made lower case: %s",
                       u_errorName(status));
    *text = l->text;
    return IG_ERR_OK;
}
