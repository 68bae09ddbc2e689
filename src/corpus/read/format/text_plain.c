/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain text: one sentence or paragraph a line.
 */
#include "corpus/read/text_source.h"

static ig_code next_plain(ig_line_reader *r, void *state, const ig_verse_set *ids,
                          ig_text_record *out, ig_err *err)
{
    (void)state;
    (void)ids;
    out->id = 0;
    return ig_line_next(r, &out->text, &out->n, err);
}

const ig_text_format ig_text_plain = {
    .name = "plain",
    .has_ids = false,
    .next = next_plain,
};
