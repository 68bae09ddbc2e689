/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: training a small vocabulary on any bytes, and tokenizing them with it. The first two
 * bytes choose the options.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "isoglot/tokenizer.h"
#include "wordpiece_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const char *text;
    int64_t n;
} source;

static ig_code next_line(void *arg, const char **line, int64_t *n, ig_err *err)
{
    source *s = arg;
    (void)err;
    *line = s->n > 0 ? s->text : NULL;
    const char *end = s->n > 0 ? memchr(s->text, '\n', (size_t)s->n) : NULL;
    *n = end != NULL ? end - s->text : s->n;
    int64_t used = *n + (end != NULL);
    s->text += used;
    s->n -= used;
    return IG_ERR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_err err;
    if (size < 2)
        return 0;
    ig_wordpiece_options o = {.size = 6 + data[0],
                              .min_frequency = data[1] >> 6,
                              .limit_alphabet = data[1] >> 2 & 15,
                              .lowercase = (data[1] & 1) != 0,
                              .keep_controls = (data[1] & 2) != 0,
                              .n_thread = 1};
    source s = {(const char *)data + 2, (int64_t)size - 2};
    ig_wordpiece_report report;
    ig_tokenizer *t;
    ig_tokenizer_options to = {.lowercase = o.lowercase, .keep_controls = o.keep_controls};
    char *vocab;
    int64_t n;
    if (wordpiece_text(&vocab, &n, next_line, &s, &o, &report, &err) != IG_ERR_OK)
        return 0;
    IG_ASSERT(report.n_piece <= o.size);
    IG_ASSERT(ig_tokenizer_parse(&t, vocab, n, "trained", &to, &err) == IG_ERR_OK);
    IG_ASSERT(ig_tokenizer_size(t) == report.n_piece);
    for (int32_t i = 0; i < report.n_piece; i++) /* no piece twice */
        IG_ASSERT(ig_tokenizer_id(t, ig_tokenizer_piece(t, i)) == i);
    ig_tokenizer_free(t);
    ig_free(vocab);
    return 0;
}
