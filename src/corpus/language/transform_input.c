/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms that identify the language of a model's input: "segment" adds the vector of a segment
 * of the language's own to every token, like XLM's language embeddings (Lample & Conneau 2019,
 * §3.1); "marker" closes the language's sentences with a [SEP] of its own (the language identity
 * markers [SEP-A], [SEP-B] of K et al. 2020, §3.4.2).
 */
#include "corpus/language/transform.h"

static ig_code segment_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)a;
    (void)err;
    l->segment = (int32_t)s->number[0];
    return IG_ERR_OK;
}

const ig_transform ig_transform_segment = {
    .name = "segment",
    .summary = "segment N, a vector that is added to all of the language's tokens",
    .arg = {{IG_ARG_COUNT, "N", IG_REQUIRED, 0, INT16_MAX}},
    .once = true,
    .attach = segment_attach,
};

/* Its row is known only after all languages have their blocks. */
static ig_code marker_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)s;
    (void)a;
    (void)err;
    l->sep = IG_ROW_LAST;
    return IG_ERR_OK;
}

const ig_transform ig_transform_marker = {
    .name = "marker",
    .summary = "a [SEP] of the language's own, in a row after all vocabularies",
    .once = true,
    .attach = marker_attach,
};
