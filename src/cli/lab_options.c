/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_options.h.
 */
#include "cli/lab_options.h"
#include "base/memory.h"

#include <string.h>

enum { VARIANTS_MAX = 32 };

ig_code ig_lab_place_read(ig_experiment *e, const char *file, const ig_lab_place *p, ig_err *err)
{
    const char *variant[VARIANTS_MAX];
    char *text = NULL;
    int n = 0;
    if (p->variant != NULL) {
        const size_t size = strlen(p->variant) + 1;
        IG_TRY(ig_alloc(&text, (int64_t)size, 1, "variants", err));
        memcpy(text, p->variant, size);
    }
    ig_code code = IG_ERR_OK;
    for (char *at = text; at != NULL && code == IG_ERR_OK;) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma = '\0';
        if (n == VARIANTS_MAX || *at == '\0')
            code = ig_fail(err, IG_ERR_USAGE, "--variant", 0,
                           "found '%.80s', expected names with a comma between them", p->variant);
        else
            variant[n++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    if (code == IG_ERR_OK)
        code = ig_experiment_read(e, file, variant, n, p->data, err);
    ig_free(text);
    return code;
}
