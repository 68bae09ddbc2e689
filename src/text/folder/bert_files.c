/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the files of a model's tokenizer as transformers' BertTokenizer reads and writes them.
 */
#include "text/folder/bert_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/settings/json_file.h"
#include "text/tokenizer/model_json.h"

#include <stdlib.h>
#include <string.h>

static ig_code write_json(json_t *j, const char *dir, const char *name, ig_err *err)
{
    char *path = NULL;
    ig_code code = ig_path_join(&path, dir, name, err);
    if (code == IG_ERR_OK)
        code = ig_json_write(j, path, 9, err);
    else
        json_decref(j);
    ig_free(path);
    return code;
}

ig_code ig_bert_pieces_check(const char *const *pieces, int32_t n, const char *where, ig_err *err)
{
    IG_OWNED const char **sorted = NULL;
    IG_TRY(ig_alloc(&sorted, n, sizeof *sorted, "vocabulary", err));
    for (int32_t i = 0; i < n; i++) {
        sorted[i] = pieces[i];
        if (pieces[i][0] == '\0' || strpbrk(pieces[i], "\r\n") != NULL)
            return ig_fail(err, IG_ERR_INPUT, where, (uint64_t)i + 1,
                           "a piece is empty or contains a line end");
    }
    if (n > 0)
        qsort(sorted, (size_t)n, sizeof *sorted, ig_by_text);
    for (int32_t i = 1; i < n; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return ig_fail(err, IG_ERR_INPUT, where, 0, "piece \"%.100s\" occurs twice", sorted[i]);
    return IG_ERR_OK;
}

static ig_code write_pieces(const char *dir, const char *const *pieces, int32_t n, ig_err *err)
{
    IG_OWNED char *path = NULL;
    IG_TRY(ig_path_join(&path, dir, "vocab.txt", err));
    ig_code code = ig_bert_pieces_check(pieces, n, path, err);
    ig_out out = {0};
    IG_THEN(code, ig_out_open(&out, path, err));
    for (int32_t i = 0; i < n && code == IG_ERR_OK; i++) {
        code = ig_out_write(&out, pieces[i], (int64_t)strlen(pieces[i]), err);
        IG_THEN(code, ig_out_write(&out, "\n", 1, err));
    }
    code = ig_out_close(&out, code, err);
    return code;
}

/* The special tokens by role; NULL: no memory. */
static json_t *special_json(const ig_tokenizer *t)
{
    static const struct {
        const char *key;
        ig_tokenizer_role role;
    } token[] = {{"unk_token", IG_TOKENIZER_UNK},
                 {"sep_token", IG_TOKENIZER_SEP},
                 {"pad_token", IG_TOKENIZER_PAD},
                 {"cls_token", IG_TOKENIZER_CLS},
                 {"mask_token", IG_TOKENIZER_MASK}};
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof token / sizeof *token; i++)
        if (json_object_set_new(
                j, token[i].key,
                json_string(ig_tokenizer_piece(t, ig_tokenizer_special(t, token[i].role)))) != 0) {
            json_decref(j);
            return NULL;
        }
    return j;
}

/* A tokenizer.json of all pieces, those of vocab.txt where it was written. */
static ig_code write_rules(const char *dir, bool lines, const ig_tokenizer *t, ig_err *err)
{
    const ig_tokenizer_options how = ig_tokenizer_get_options(t);
    IG_OWNED char *vocab = NULL, *path = NULL;
    ig_tokenizer *all = NULL;
    IG_TRY(ig_path_join(&vocab, dir, "vocab.txt", err));
    IG_TRY(ig_path_join(&path, dir, "tokenizer.json", err));
    if (lines)
        IG_TRY(ig_tokenizer_load(&all, vocab, &how, err));
    const ig_code code = ig_tokenizer_json_write(lines ? all : t, path, err);
    ig_tokenizer_free(all);
    return code;
}

ig_code ig_bert_tokenizer_write(const char *dir, const char *const *pieces, int32_t n,
                                const ig_tokenizer *t, const ig_bert_tokenizer_use *use,
                                ig_err *err)
{
    const ig_tokenizer_options how = ig_tokenizer_get_options(t);
    const bool generic = pieces == NULL || use->modern;
    if (pieces != NULL)
        IG_TRY(write_pieces(dir, pieces, n, err));
    if (generic)
        IG_TRY(write_rules(dir, pieces != NULL, t, err));
    json_t *j = json_pack("{s:s, s:b, s:b, s:o, s:i}", "tokenizer_class",
                          generic ? "PreTrainedTokenizerFast" : "BertTokenizer", "do_lower_case",
                          (int)how.lowercase, "tokenize_chinese_chars", (int)!how.join_ideographs,
                          "strip_accents", ig_accents_json(how.accents), "model_max_length",
                          use->max_length);
    json_auto_t *special = special_json(t);
    (void)json_object_update(j, special);
    if (generic && j != NULL) /* versions of transformers have different defaults */
        (void)json_object_set_new(
            j, "model_input_names",
            use->modern ? json_pack("[s, s]", "input_ids", "attention_mask")
                        : json_pack("[s, s, s]", "input_ids", "token_type_ids", "attention_mask"));
    IG_TRY(write_json(j, dir, "tokenizer_config.json", err));
    return write_json(json_incref(special), dir, "special_tokens_map.json", err);
}
