/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens tokenizers from files: a vocab.txt or a tokenizer.json, distinguished by their first
 * bytes.
 */
#include "isoglot/tokenizer.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/strings/encoding.h"
#include "text/tokenizer/tokenizer_internal.h"

/* Returns whether the bytes begin a JSON object, as no vocab.txt made by isoglot does. */
static bool is_json(const char *data, int64_t n)
{
    int64_t i = 0;
    while (i < n && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t'))
        i++;
    if (i == n || data[i] != '{')
        return false;
    for (i++; i < n && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t');
         i++)
        ;
    return i < n && data[i] == '"';
}

/* Returns whether the data begin as a protobuf of pieces: field 1 of some bytes, in it field 1, a
 * text. */
static bool is_sentencepiece(const char *data, int64_t n)
{
    return n > 4 && data[0] == 0x0A && data[2] == 0x0A && data[1] > data[3] && data[3] > 0 &&
           memchr(data, '\0', (size_t)n) != NULL;
}

static ig_code check_form(const char *data, int64_t n, const char *where, ig_err *err)
{
    if (!is_sentencepiece(data, n))
        return ig_check_text(data, n, where, err);
    ig_fail(err, IG_ERR_INPUT, where, 0,
            "found a model of SentencePiece, expected vocab.txt or tokenizer.json");
    return ig_hint(err, "python -c \"from transformers import AutoTokenizer as A; "
                        "A.from_pretrained('DIR').save_pretrained('DIR')\" makes a tokenizer.json "
                        "in DIR, the folder of the model that it belongs to");
}

ig_code ig_tokenizer_parse(ig_tokenizer **out, const char *data, int64_t n, const char *where,
                           const ig_tokenizer_options *options, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    ig_tokenizer *t;
    *out = NULL;
    IG_TRY(check_form(data, n, where, err));
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "tokenizer", err));
    if (options != NULL)
        t->options = *options;
    ig_code code;
    if (is_json(data, n)) {
        code = ig_tokenizer_json_parse(t, data, n, where, err);
        if (code == IG_ERR_OK && options != NULL && options->lowercase && !t->options.lowercase)
            code = ig_fail(err, IG_ERR_USAGE, where, 0,
                           "a tokenizer.json that keeps case, expected no lowercase with it");
    } else {
        code = ig_vocab_parse(&t->vocab, data, n, where, err);
        IG_THEN(code, ig_tokenizer_prepare(t, NULL, 0, where, err));
    }
    IG_RETURN_NEW(code, out, t, ig_tokenizer_free);
}

ig_code ig_tokenizer_load(ig_tokenizer **out, const char *path, const ig_tokenizer_options *options,
                          ig_err *err)
{
    IG_PLAIN_NUMBERS;
    ig_map map;
    *out = NULL;
    IG_TRY(ig_map_open(&map, path, err));
    ig_code code = ig_tokenizer_parse(out, (const char *)map.data, map.size, path, options, err);
    ig_map_close(&map);
    return code;
}
