/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a table of neighbours, as they are and with the checksum made true: refused with
 * where it lies, or every row lies inside the table and every neighbour inside the vocabulary.
 */
#include "base/assert.h"
#include "base/file.h"
#include "corpus/language/neighbour_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_and_walk(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_neighbour_table t;
    if (ig_neighbour_table_parse(&t, data, (int64_t)size, "input", &err) != IG_ERR_OK) {
        IG_ASSERT(strcmp(err.where, "input") == 0 && err.msg[0] != '\0');
        return;
    }
    for (int k = 0; k < t.n_language; k++)
        for (int64_t row = t.first[k]; row < t.first[k + 1]; row++)
            for (int64_t i = t.start[row]; i < t.start[row + 1]; i++)
                IG_ASSERT(t.id[i] >= 0 && t.id[i] < t.vocab_size);
    ig_neighbour_table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t n_language;
    uint64_t n_row;
    parse_and_walk(data, size);
    if (size < 40)
        return 0;
    /* The hash is over the header and three parts, one seeded with the other. */
    memcpy(&n_language, data + 12, sizeof n_language);
    memcpy(&n_row, data + 24, sizeof n_row);
    const uint64_t body = size - 40, a = ((uint64_t)n_language + 1) * 8;
    if (a > body || n_row > body / 8 || a + (n_row + 1) * 8 > body)
        return 0;
    const int64_t b = (int64_t)(n_row + 1) * 8;
    uint8_t *forged = malloc(size);
    IG_ASSERT(forged != NULL);
    memcpy(forged, data, size);
    memset(forged + 32, 0, 8);
    uint64_t h = ig_hash(forged, 40, 0);
    h = ig_hash(forged + 40, (int64_t)a, h);
    h = ig_hash(forged + 40 + a, b, h);
    h = ig_hash(forged + 40 + a + b, (int64_t)body - (int64_t)a - b, h);
    memcpy(forged + 32, &h, 8);
    parse_and_walk(forged, size);
    free(forged);
    return 0;
}
