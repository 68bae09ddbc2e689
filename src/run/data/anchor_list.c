/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a list of anchors.
 */
#include "run/data/anchor_list.h"

#include "base/memory.h"
#include "corpus/read/line_reader.h"

#include <string.h>

ig_code ig_anchor_list_keep(int32_t *same, const ig_tokenizer *t, const char *path, ig_err *err)
{
    ig_line_reader *r = NULL;
    IG_OWNED bool *listed = NULL;
    char *line;
    int64_t n, n_found = 0;
    ig_code code = ig_line_open(&r, path, err);
    IG_THEN(code, ig_alloc(&listed, ig_tokenizer_size(t), sizeof *listed, "anchors", err));
    while (code == IG_ERR_OK && (code = ig_line_next(r, &line, &n, err)) == IG_ERR_OK &&
           line != NULL) {
        line[strcspn(line, "\t")] = '\0';
        const int32_t i = ig_tokenizer_id(t, line);
        n_found += i >= 0 && same[i] >= 0 && !listed[i];
        if (i >= 0)
            listed[i] = true;
    }
    if (code == IG_ERR_OK && n_found == 0)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no piece that both vocabularies have, expected one a line");
    for (int32_t i = 0; code == IG_ERR_OK && i < ig_tokenizer_size(t); i++)
        same[i] = listed[i] ? same[i] : -1;
    ig_line_close(r);
    return code;
}
