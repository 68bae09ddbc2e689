/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as edits in flow style: refused with a message, or a list whose JSON gives it again.
 */
#include "base/assert.h"
#include "apply/edit/edit_spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_again(const ig_edit_specs *s)
{
    ig_edit_specs again = {0};
    ig_err err = {0};
    json_t *j = ig_edit_specs_json(s);
    IG_ASSERT(j != NULL);
    char *text = json_dumps(j, JSON_REAL_PRECISION(17));
    IG_ASSERT(text != NULL && ig_edit_specs_add(&again, text, &err) == IG_ERR_OK);
    IG_ASSERT(again.n == s->n);
    for (int i = 0; i < s->n; i++) {
        const ig_edit_spec *a = &s->spec[i], *b = &again.spec[i];
        IG_ASSERT(a->kind == b->kind && a->layer == b->layer && a->how == b->how);
        IG_ASSERT(!(a->alpha < b->alpha) && !(a->alpha > b->alpha));
        IG_ASSERT(a->take == b->take && a->rounds == b->rounds && a->seed == b->seed);
        IG_ASSERT(same_text(a->from, b->from) && same_text(a->text, b->text) &&
                  same_text(a->model, b->model));
    }
    free(text);
    json_decref(j);
    ig_edit_specs_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_edit_specs s = {0};
    ig_err err = {0};
    char *text = malloc(size + 2);
    IG_ASSERT(text != NULL);
    memcpy(text + 1, data, size);
    text[0] = '[';
    text[size + 1] = '\0';
    if (ig_edit_specs_add(&s, text, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0'); /* may quote a key of several lines, printed with ? */
    else
        check_again(&s);
    ig_edit_specs_free(&s);
    free(text);
    return 0;
}
