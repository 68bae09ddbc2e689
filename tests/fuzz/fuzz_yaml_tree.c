/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a YAML tree: refused with a message, or a tree whose keys are unique.
 */
#include "base/assert.h"
#include "base/settings/yaml_tree.h"

#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ig_yaml *y)
{
    IG_ASSERT(y->line >= 1 && strcmp(y->file, "fuzz") == 0);
    for (int i = 0; i < y->n; i++) {
        if (y->kind == IG_YAML_MAP)
            IG_ASSERT(ig_yaml_find(y, y->key[i]->text) == i);
        check(y->item[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_yaml_pool *pool;
    ig_yaml *y;
    ig_err err = {0};
    IG_ASSERT(ig_yaml_pool_new(&pool, &err) == IG_ERR_OK);
    if (ig_yaml_parse(&y, pool, (const char *)data, (int64_t)size, "fuzz", &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0');
    else if (y != NULL)
        check(y);
    ig_yaml_pool_free(pool);
    return 0;
}
