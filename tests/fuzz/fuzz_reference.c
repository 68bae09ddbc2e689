/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file of reference numbers: refused with a message and a place, or numbers that are
 * found again under their cell and quantity.
 */
#include "fuzz_file.h"

#include "report/table/reference.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    ig_reference r;
    ig_err err = {0};
    if (ig_reference_read(&r, path, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, path) == 0);
    for (int i = 0; i < r.n_value && i < 100; i++) {
        const ig_reference_value *v = &r.value[i];
        ig_quantity q;
        char text[160];
        IG_ASSERT(isfinite(v->mean) && (isnan(v->sd) || v->sd >= 0));
        IG_ASSERT(ig_reference_find(&r, v->cell, &v->quantity) == v);
        ig_quantity_format(text, sizeof text, &v->quantity);
        IG_ASSERT(ig_quantity_parse(&q, text, path, 1, &err) == IG_ERR_OK);
        IG_ASSERT(ig_reference_find(&r, v->cell, &q) == v);
    }
    for (int i = 0; i < r.n_proxy_value && i < 100; i++) {
        const ig_reference_value *v = &r.proxy_value[i];
        IG_ASSERT(isfinite(v->mean) && (isnan(v->sd) || v->sd >= 0));
        IG_ASSERT(v->proxy >= 0 && v->proxy < r.n_proxy);
        IG_ASSERT(ig_reference_find_proxy(&r, v->cell, v->proxy) != NULL);
    }
    ig_reference_free(&r);
    unlink(path);
    return 0;
}
