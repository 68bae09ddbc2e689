/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the measures of a model: either an error with a message, or metrics with known
 * tasks.
 */
#include "store/old_measures.h"
#include "base/assert.h"
#include "store/store_task.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_row_set m = {0};
    ig_err err = {0};
    const ig_store_measured of = {.step = 1, .last = true, .where = "measures"};
    json_t *j = json_loadb((const char *)data, size, 0, NULL);
    if (j == NULL)
        return 0;
    if (ig_measures_read(&m, j, &of, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0');
    for (int64_t i = 0; i < m.n; i++)
        IG_ASSERT(ig_store_task_find(m.row[i].task) != NULL && m.row[i].layer >= -1 &&
                  m.row[i].n >= 0 && m.row[i].languages != NULL);
    ig_row_set_free(&m);
    json_decref(j);
    return 0;
}
