/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a pipeline at its bars, and a step at its colon.
 */
#include "corpus/words/pipeline_text.h"

#include <stdio.h>
#include <string.h>

/* Adds the position before the message. */
static ig_code placed(ig_code code, int at, ig_err *err)
{
    char text[sizeof err->msg];
    if (at == 0 || err == NULL)
        return code;
    snprintf(text, sizeof text, "character %d: %.*s", at, (int)sizeof text - 32, err->msg);
    memcpy(err->msg, text, sizeof text);
    return code;
}

ig_code ig_pipeline_read(void *pipeline, ig_pipeline_text of, ig_step_reader *read,
                         const char *where, int first, ig_err *err)
{
    const char *text = of.text, *blanks = of.blanks;
    char part[128];
    const char *p = text == NULL ? "" : text;
    if (p[strspn(p, blanks)] == '\0')
        return IG_ERR_OK;
    for (;; p++) {
        p += strspn(p, blanks);
        const char *const begin = p;
        size_t n = strcspn(p, "|");
        p += n;
        while (n > 0 && strchr(blanks, begin[n - 1]) != NULL)
            n--;
        ig_code code;
        if (n >= sizeof part) {
            code = ig_fail(err, IG_ERR_USAGE, where, 0,
                           "transform of %zu bytes, expected at most %zu", n, sizeof part - 1);
        } else {
            memcpy(part, begin, n);
            part[n] = '\0';
            char *arg = strchr(part, ':');
            if (arg != NULL)
                *arg++ = '\0';
            code = read(pipeline, part, arg, where, err);
        }
        if (code != IG_ERR_OK)
            return placed(code, first > 0 ? first + (int)(begin - text) : 0, err);
        if (*p == '\0')
            return IG_ERR_OK;
    }
}
