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

ig_code ig_states_text_parse(ig_named_text *out, const char *text, const char *option, ig_err *err)
{
    const char *path = strchr(text, '=');
    const size_t n = path != NULL ? (size_t)(path - text) : 0;
    if (path == NULL || n == 0 || n >= sizeof out->name || path[1] == '\0')
        return ig_fail(err, IG_ERR_USAGE, option, 0, "found '%.100s', expected LANGUAGE=FILE",
                       text);
    memcpy(out->name, text, n);
    out->name[n] = '\0';
    out->path = path + 1;
    return IG_ERR_OK;
}

/* All of one option. */
static ig_code parse_all(ig_named_text *out, const ig_text_list *list, const char *option,
                         ig_err *err)
{
    if (list->n > IG_NAMED_TEXTS_MAX)
        return ig_fail(err, IG_ERR_USAGE, option, 0, "found %d of them, expected at most %d",
                       list->n, IG_NAMED_TEXTS_MAX);
    for (int i = 0; i < list->n; i++)
        IG_TRY(ig_states_text_parse(&out[i], list->text[i], option, err));
    return IG_ERR_OK;
}

ig_code ig_states_texts(ig_named_text *out, const ig_text_list *list, ig_err *err)
{
    return parse_all(out, list, "--text", err);
}

ig_code ig_states_files_take(ig_states_files *out, ig_named_text *file, const ig_text_list *list,
                             const char *model, ig_err *err)
{
    *out = (ig_states_files){.file = file, .n = list->n};
    if (list->n > 0 && model != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--states", 0,
                       "found beside the model %.200s, expected one of them", model);
    return parse_all(file, list, "--states", err);
}
