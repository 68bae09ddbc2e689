/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: tokenizing. The first byte chooses the options; every id is in range, every call
 * gives the same, and a line end between two halves separates them.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "isoglot/tokenizer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char vocab[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##a\n##b\nab\n##ab\n!\n[\n]\n\xC3\xA9\n"
    "##\xE3\x80\xAE\n\xE4\xB8\xAD\n##\xEF\xBF\xBD\n\xE1\x84\x80\n##\xE1\x85\xA1\n";

static int64_t encode(const ig_tokenizer *t, const char *text, int64_t n, int32_t **id)
{
    int64_t n_id = 0, have = 0;
    ig_err err;
    *id = NULL;
    IG_ASSERT(ig_tokenizer_encode(t, text, n, id, &n_id, &have, &err) == IG_ERR_OK);
    IG_ASSERT(n_id <= 4 * n); /* one byte gives at most the pieces of one character */
    for (int64_t i = 0; i < n_id; i++)
        IG_ASSERT((*id)[i] >= 0 && (*id)[i] < ig_tokenizer_size(t));
    return n_id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ig_tokenizer *t[4];
    ig_err err;
    if (size == 0)
        return 0;
    int kind = data[0] & 3;
    ig_tokenizer_options o = {.lowercase = (kind & 1) != 0, .keep_controls = (kind & 2) != 0};
    if (t[kind] == NULL)
        IG_ASSERT(ig_tokenizer_parse(&t[kind], vocab, sizeof vocab - 1, "v", &o, &err) ==
                  IG_ERR_OK);
    const char *text = (const char *)data + 1, *end;
    int64_t n = (int64_t)size - 1;
    int32_t *all, *part;
    int64_t n_all = encode(t[kind], text, n, &all), done = 0;
    while (n > 0) {
        end = memchr(text, '\n', (size_t)n);
        int64_t len = end != NULL ? end - text : n;
        int64_t n_part = encode(t[kind], text, len, &part);
        IG_ASSERT(done + n_part <= n_all);
        IG_ASSERT(n_part == 0 || memcmp(all + done, part, (size_t)n_part * sizeof *all) == 0);
        done += n_part;
        ig_free(part);
        len += end != NULL;
        text += len;
        n -= len;
    }
    IG_ASSERT(done == n_all);
    ig_free(all);
    return 0;
}
