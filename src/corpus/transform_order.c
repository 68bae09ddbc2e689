/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the order of a sentence's tokens. "invert" reverses it (Dufter & Schütze 2020,
 * §2.3, inv-order). In their program only the positions with an id of the Fake language change
 * places, so that an [UNK], which is never shifted, keeps its own: "invert:paper-code".
 */
#include "corpus/transform.h"

#include <stdio.h>
#include <string.h>

static ig_code invert_parse(ig_step *s, const char *text, ig_err *err)
{
    s->arg[0] = text != NULL && strcmp(text, "paper-code") == 0;
    if (text == NULL || s->arg[0] == 1 || strcmp(text, "fixed") == 0)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected fixed or paper-code", text);
}

static void invert_print(const ig_step *s, char *out, size_t size)
{
    if (s->arg[0] == 1)
        snprintf(out, size, "paper-code");
}

static void invert_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    int32_t from = in->n;
    for (int32_t to = 0; to < in->n; to++) {
        if (s->arg[0] == 1 && ig_is_special(c, in->id[to])) {
            ig_tokens_push(out, in->id[to]);
            ig_tokens_link(out, to, to);
            continue;
        }
        do
            from--;
        while (s->arg[0] == 1 && ig_is_special(c, in->id[from]));
        ig_tokens_push(out, in->id[from]);
        ig_tokens_link(out, from, to);
    }
}

const ig_transform ig_transform_invert = {
    .name = "invert",
    .args = "[fixed|paper-code]",
    .summary = "reverses the order of the tokens; paper-code: special tokens keep their places",
    .parse = invert_parse,
    .print = invert_print,
    .apply = invert_apply,
};
