/* SPDX-License-Identifier: Apache-2.0
 *
 * Verses as in the Parallel Bible Corpus: eight digits, a tab, the text. Lines that begin with #
 * are comments (the corpus keeps its metadata there). A verse without text does not exist in this
 * version.
 */
#include "corpus/read/text_source.h"

#include <stddef.h>

static bool read_id(const char *line, int64_t n, int32_t *id)
{
    *id = 0;
    for (int i = 0; i < 8; i++) {
        if (i >= n || line[i] < '0' || line[i] > '9')
            return false;
        *id = *id * 10 + (line[i] - '0');
    }
    return n > 8 && line[8] == '\t';
}

static bool is_verse(const char *line, int64_t n)
{
    int32_t id;
    return read_id(line, n, &id);
}

static ig_code next_verse(ig_line_reader *r, void *state, const ig_verse_set *ids,
                          ig_text_record *out, ig_err *err)
{
    (void)state;
    for (;;) {
        IG_TRY(ig_line_next(r, &out->text, &out->n, err));
        if (out->text == NULL)
            return IG_ERR_OK;
        if (out->n == 0 || out->text[0] == '#')
            continue;
        if (!read_id(out->text, out->n, &out->id))
            return ig_line_fail(
                r, err, "found '%.24s', expected a verse: 8 digits, a tab, the text", out->text);
        if (!ig_verse_set_has(ids, out->id))
            continue;
        out->text += 9;
        out->n -= 9;
        return IG_ERR_OK;
    }
}

const ig_text_format ig_text_verses = {
    .name = "verses",
    .has_ids = true,
    .is = is_verse,
    .next = next_verse,
};
