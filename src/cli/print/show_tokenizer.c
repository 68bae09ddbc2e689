/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the tokenizer of a model folder for `model` and `info`, or why there is none.
 */
#include "cli/print/show_tokenizer.h"

#include "base/memory.h"
#include "text/folder/tokenizer_folder.h"

#include <stdio.h>
#include <string.h>

enum { REFUSED_MAX = 1024 };

ig_code ig_show_tokenizer(ig_shown_tokenizer *out, const char *dir, ig_err *err)
{
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    ig_err why = {0};
    const ig_code code = ig_tokenizer_folder_open(&t, &choice, dir, NULL, &why);
    if (code == IG_ERR_MEMORY) {
        *err = why;
        return code;
    }
    if (code != IG_ERR_OK) {
        IG_TRY(ig_alloc(&out->text, REFUSED_MAX, 1, "text", err));
        snprintf(out->text, REFUSED_MAX, "none: %s: %s", why.where, why.msg);
        out->json = json_pack("{s:s}", "refused", out->text + strlen("none: "));
        return IG_ERR_OK;
    }
    out->json = ig_tokenizer_choice_json(t, &choice);
    const ig_code shown = ig_tokenizer_choice_text(&out->text, t, &choice, err);
    ig_tokenizer_free(t);
    return shown;
}

void ig_shown_tokenizer_free(ig_shown_tokenizer *t)
{
    json_decref(t->json);
    ig_free(t->text);
    *t = (ig_shown_tokenizer){0};
}
