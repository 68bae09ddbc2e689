/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms that identify the language of a model's input: "segment" adds the vector of a segment
 * of the language's own to every token, like XLM's language embeddings (Lample & Conneau 2019,
 * §3.1); "marker" closes the language's sentences with a [SEP] of its own (the language identity
 * markers [SEP-A], [SEP-B] of K et al. 2020, §3.4.2).
 */
#include "corpus/language/transform.h"

static ig_code segment_parse(ig_step *s, const char *text, ig_err *err)
{
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected a number",
                       text == NULL ? "" : text);
    if (!ig_step_read_number(s, text) || s->arg[0] > INT16_MAX)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected 0 to %d", text,
                       INT16_MAX);
    return IG_ERR_OK;
}

static ig_code segment_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)a;
    (void)err;
    l->segment = (int32_t)s->arg[0];
    return IG_ERR_OK;
}

const ig_transform ig_transform_segment = {
    .name = "segment",
    .args = "N",
    .summary = "segment N, a vector that is added to all of the language's tokens",
    .once = true,
    .parse = segment_parse,
    .print = ig_step_print_number,
    .attach = segment_attach,
};

/* Its row is known only after all languages have their blocks. */
static ig_code marker_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)s;
    (void)a;
    (void)err;
    l->sep = IG_SEP_LAST;
    return IG_ERR_OK;
}

const ig_transform ig_transform_marker = {
    .name = "marker",
    .args = "",
    .summary = "a [SEP] of the language's own, in a row after all vocabularies",
    .once = true,
    .attach = marker_attach,
};
