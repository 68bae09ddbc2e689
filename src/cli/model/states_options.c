/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the commands that compute states of texts.
 */
#include "cli/model/states_options.h"

#include <string.h>

ig_code ig_states_options_check(const ig_states_options *o, ig_err *err)
{
    return o->model != NULL ? IG_ERR_OK
                            : ig_fail(err, IG_ERR_USAGE, "--model", 0,
                                      "not given, expected a run or a BERT's folder");
}

ig_code ig_states_text_parse(ig_named_text *out, const char *text, ig_err *err)
{
    const char *path = strchr(text, '=');
    const size_t n = path != NULL ? (size_t)(path - text) : 0;
    if (path == NULL || n == 0 || n >= sizeof out->name || path[1] == '\0')
        return ig_fail(err, IG_ERR_USAGE, "--text", 0, "found '%.100s', expected LANGUAGE=FILE",
                       text);
    memcpy(out->name, text, n);
    out->name[n] = '\0';
    out->path = path + 1;
    return IG_ERR_OK;
}

ig_code ig_states_texts(ig_named_text *out, const ig_text_list *list, ig_err *err)
{
    if (list->n > IG_NAMED_TEXTS_MAX)
        return ig_fail(err, IG_ERR_USAGE, "--text", 0, "found %d of them, expected at most %d",
                       list->n, IG_NAMED_TEXTS_MAX);
    for (int i = 0; i < list->n; i++)
        IG_TRY(ig_states_text_parse(&out[i], list->text[i], err));
    return IG_ERR_OK;
}
