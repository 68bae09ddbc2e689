/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads vocab.txt as Hugging Face's BertTokenizer does (`tokenizers`, WordPiece::read_file: white
 * space at a line's end is not part of a piece), if that reading is unambiguous; lines that older
 * versions read differently, or that look like something else, are errors.
 */
#include "text/tokenizer/vocab.h"

#include "base/memory.h"
#include "base/strings/encoding.h"
#include "text/utf8.h"

#include <string.h>
#include <unicode/uchar.h>

const char *const ig_bert_tokens[IG_N_BERT_TOKEN] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

enum { VOCAB_BYTES_MAX = 1 << 28 }; /* so that offsets in a trie fit 32 bits; mBERT's has 1 MB */

/* Returns the length of a line without the white space at its end. */
static int64_t without_blanks(const char *line, int64_t n)
{
    const uint8_t *p = (const uint8_t *)line;
    uint32_t c;
    for (int length; n > 0; n -= length) {
        length = ig_utf8_before(p, p + n, &c);
        if (!u_isUWhiteSpace((UChar32)c))
            break;
    }
    return n;
}

static ig_code parse_line(ig_vocab *v, const char *line, int64_t n, const char *where, ig_err *err)
{
    uint64_t number = (uint64_t)v->n + 1;
    if (n > 0 && line[n - 1] == '\r')
        n--;
    int64_t bad = ig_utf8_check((const uint8_t *)line, n);
    if (bad >= 0)
        return ig_not_utf8(where, number, bad, (uint8_t)line[bad], err);
    const char *cr = n > 0 ? memchr(line, '\r', (size_t)n) : NULL;
    if (cr != NULL)
        return ig_fail(err, IG_ERR_INPUT, where, number,
                       "found a carriage return at column %lld, expected one piece a line",
                       (long long)(cr - line) + 1);
    n = without_blanks(line, n);
    if (v->n == 0 && n >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 1,
                       "found a byte order mark before the first piece, expected none");
    char *to = v->text + v->start[v->n];
    if (n > 0)
        memcpy(to, line, (size_t)n);
    to[n] = '\0';
    v->start[v->n + 1] = v->start[v->n] + n + 1;
    v->n++;
    return IG_ERR_OK;
}

static ig_code parse_lines(ig_vocab *v, const char *data, int64_t n, const char *where, ig_err *err)
{
    int64_t n_line = 0;
    for (int64_t i = 0; i < n; i++)
        n_line += data[i] == '\n';
    if (n > 0 && data[n - 1] != '\n')
        n_line++;
    IG_TRY(ig_alloc(&v->text, n + 1, 1, where, err));
    IG_TRY(ig_alloc(&v->start, n_line + 1, sizeof *v->start, where, err));
    for (int64_t i = 0; i < n;) {
        const char *stop = memchr(data + i, '\n', (size_t)(n - i));
        int64_t len = stop != NULL ? stop - (data + i) : n - i;
        IG_TRY(parse_line(v, data + i, len, where, err));
        i += len + 1;
    }
    return IG_ERR_OK;
}

ig_code ig_vocab_parse(ig_vocab *out, const char *data, int64_t n, const char *where, ig_err *err)
{
    ig_vocab v = {0};
    *out = v;
    if (n > VOCAB_BYTES_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "%lld bytes, expected at most %d", (long long)n,
                       VOCAB_BYTES_MAX);
    IG_TRY(ig_check_text(data, n, where, err));
    ig_code code = parse_lines(&v, data, n, where, err);
    if (code != IG_ERR_OK)
        ig_vocab_free(&v);
    *out = v;
    return code;
}

void ig_vocab_free(ig_vocab *v)
{
    IG_FREE(v->text, v->start);
    *v = (ig_vocab){0};
}
