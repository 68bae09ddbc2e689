/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a catalogue: refused with a message, or entries all of whose files stay below the
 * data root.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "fetch/catalogue.h"

#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_catalogue c = {0};
    ig_err err = {0};
    if (ig_catalogue_parse(&c, (const char *)data, (int64_t)size, "fuzz", &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, "fuzz") == 0);
    for (int i = 0; i < c.n; i++) {
        const ig_catalogue_entry *e = &c.entry[i];
        IG_ASSERT(e->n_file > 0 && e->n_to > 0);
        for (int k = 0; k < e->n_to && k < 100; k++)
            IG_ASSERT(e->to[k][0] != '/' && e->to[k][0] != '.' && strstr(e->to[k], "/.") == NULL);
        json_t *j = ig_catalogue_entry_json(e);
        IG_ASSERT(j != NULL);
        json_decref(j);
    }
    ig_catalogue_free(&c);
    return 0;
}
