/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors as values: sets messages and hints, names codes. The only list of codes is in error.h.
 */
#include "isoglot/error.h"

#include "base/number_text.h"

#include <stdarg.h>
#include <stdio.h>

ig_code ig_fail(ig_err *err, ig_code code, const char *where, uint64_t line, const char *fmt, ...)
{
    IG_PLAIN_NUMBERS;
    if (err != NULL) {
        va_list ap;
        err->code = code;
        err->line = line;
        err->hint[0] = '\0';
        snprintf(err->where, sizeof err->where, "%s", where != NULL ? where : "");
        va_start(ap, fmt);
        vsnprintf(err->msg, sizeof err->msg, fmt, ap);
        va_end(ap);
    }
    return code;
}

ig_code ig_hint(ig_err *err, const char *fmt, ...)
{
    IG_PLAIN_NUMBERS;
    va_list ap;
    if (err == NULL)
        return IG_ERR_INPUT; /* a caller without an ig_err must not mistake it for success */
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
    return err->code;
}

void ig_err_at(ig_err *err, const char *where)
{
    if (err != NULL && err->where[0] == '\0')
        snprintf(err->where, sizeof err->where, "%s", where);
}

const char *ig_code_text(ig_code code)
{
    switch (code) {
#define IG_ERR_CASE(name, number, text)                                                            \
    case IG_ERR_##name:                                                                            \
        return text;
        IG_ERR_LIST(IG_ERR_CASE)
#undef IG_ERR_CASE
    }
    return "unknown code";
}
