/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the post_processor of a tokenizer.json, TemplateProcessing, RobertaProcessing and
 * BertProcessing, after Hugging Face `tokenizers` 0.23: RobertaProcessing gives every token type 0
 * and has two separators between texts, BertProcessing gives type 1 to the second text and the
 * tokens after it. Writes a template as TemplateProcessing.
 */
#include "text/tokenizer/template.h"

#include "text/tokenizer/model_json.h"

#include <string.h>

enum { DEPTH_MAX = 8 };

typedef struct {
    ig_template *out;
    bool *found;
    const ig_tokenizer *t;
    const char *where;
} reader;

/* ["[SEP]", 3] */
static ig_code read_token(int32_t *id, const reader *r, const json_t *p, const char *key,
                          ig_err *err)
{
    const json_t *pair = json_object_get(p, key), *number = json_array_get(pair, 1);
    const char *text = json_string_value(json_array_get(pair, 0));
    *id = text != NULL ? ig_tokenizer_id(r->t, text) : -1;
    return *id >= 0 && json_is_integer(number) && json_integer_value(number) == *id
               ? IG_ERR_OK
               : ig_json_unlike(pair, key[0] == 's' ? "post_processor.sep" : "post_processor.cls",
                                "a piece and its id", r->where, err);
}

static ig_code read_fixed(const reader *r, const json_t *p, bool roberta, ig_err *err)
{
    int32_t cls, sep;
    IG_TRY(read_token(&cls, r, p, "cls", err));
    IG_TRY(read_token(&sep, r, p, "sep", err));
    if (roberta)
        ig_template_roberta(r->out, cls, sep);
    else
        ig_template_bert(r->out, cls, sep);
    return IG_ERR_OK;
}

/* Returns the id of a name in the template's list of tokens: one id, of a piece with that text. */
static ig_code token_id(int32_t *id, const reader *r, const json_t *p, const json_t *name,
                        ig_err *err)
{
    const char *text = json_string_value(name);
    const json_t *of = text != NULL ? json_object_get(json_object_get(p, "special_tokens"), text)
                                    : NULL,
                 *ids = json_object_get(of, "ids");
    *id = text != NULL ? ig_tokenizer_id(r->t, text) : -1;
    const bool same =
        json_array_size(ids) == 1 && json_integer_value(json_array_get(ids, 0)) == *id;
    return *id >= 0 && same ? IG_ERR_OK
                            : ig_json_unlike(*id < 0 ? name : of, "post_processor.special_tokens",
                                             "a piece and its id", r->where, err);
}

static ig_code read_one(ig_template *out, const reader *r, const json_t *p, const char *key,
                        int n_text, ig_err *err)
{
    const json_t *list = json_object_get(p, key);
    int text = 0;
    *out = (ig_template){.n_text = n_text};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *special = json_object_get(json_array_get(list, i), "SpecialToken"),
                     *part = json_object_get(json_array_get(list, i), "Sequence"),
                     *type = json_object_get(special != NULL ? special : part, "type_id");
        const json_int_t kind = json_integer_value(type);
        if (kind < 0 || kind > 1 << 20)
            return ig_json_unlike(type, "post_processor: type_id", "0 or more", r->where, err);
        if (special != NULL && out->n[text] < IG_TEMPLATE_TOKENS) {
            int32_t id;
            IG_TRY(token_id(&id, r, p, json_object_get(special, "id"), err));
            ig_template_add(out, text, id, (int32_t)kind);
        } else if (text < n_text &&
                   ig_json_is(json_object_get(part, "id"), text == 0 ? "A" : "B")) {
            out->type[text++] = (int32_t)kind;
        } else
            return ig_json_unlike(json_array_get(list, i), "post_processor",
                                  n_text == 1 ? "one text with at most 8 tokens on either side"
                                              : "texts A and B with at most 8 tokens around each",
                                  r->where, err);
    }
    return text == n_text
               ? IG_ERR_OK
               : ig_json_unlike(list, n_text == 1 ? "post_processor.single" : "post_processor.pair",
                                n_text == 1 ? "a text A" : "texts A and B", r->where, err);
}

static ig_code read(const reader *r, const json_t *p, int depth, ig_err *err)
{
    const json_t *type = json_object_get(p, "type"), *all = json_object_get(p, "processors");
    if (ig_json_is_none(p) || ig_json_is(type, "ByteLevel"))
        return IG_ERR_OK;
    if (ig_json_is(type, "Sequence") && depth < DEPTH_MAX) {
        for (size_t i = 0; i < json_array_size(all); i++)
            IG_TRY(read(r, json_array_get(all, i), depth + 1, err));
        return IG_ERR_OK;
    }
    const bool roberta = ig_json_is(type, "RobertaProcessing"),
               fixed = roberta || ig_json_is(type, "BertProcessing");
    if (*r->found || (!fixed && !ig_json_is(type, "TemplateProcessing")))
        return ig_json_unlike(json_is_object(p) ? type : p, "post_processor",
                              "one of TemplateProcessing, RobertaProcessing and BertProcessing, "
                              "alone or in a Sequence with ByteLevel",
                              r->where, err);
    *r->found = true;
    if (fixed)
        return read_fixed(r, p, roberta, err);
    IG_TRY(read_one(&r->out[0], r, p, "single", 1, err));
    return read_one(&r->out[1], r, p, "pair", 2, err);
}

ig_code ig_template_read(ig_template out[2], bool *found, const json_t *p, const ig_tokenizer *t,
                         const char *where, ig_err *err)
{
    *found = false;
    return read(&(reader){out, found, t, where}, p, 0, err);
}

/* The tokens and the texts of a template in their order; adds the tokens to `names`. */
static json_t *places_json(const ig_template *a, const ig_tokenizer *t, json_t *names)
{
    json_t *list = json_array();
    for (int k = 0; k <= a->n_text; k++) {
        for (int i = 0; i < a->n[k]; i++) {
            const char *piece = ig_tokenizer_piece(t, a->token[k][i].id);
            json_array_append_new(list, json_pack("{s:{s:s, s:i}}", "SpecialToken", "id", piece,
                                                  "type_id", (int)a->token[k][i].type));
            json_object_set_new(names, piece,
                                json_pack("{s:s, s:[i], s:[s]}", "id", piece, "ids",
                                          (int)a->token[k][i].id, "tokens", piece));
        }
        if (k < a->n_text)
            json_array_append_new(list, json_pack("{s:{s:s, s:i}}", "Sequence", "id",
                                                  k == 0 ? "A" : "B", "type_id", (int)a->type[k]));
    }
    return list;
}

json_t *ig_template_json(const ig_tokenizer *t)
{
    json_t *names = json_object(), *one = places_json(ig_tokenizer_template(t, false), t, names),
           *two = places_json(ig_tokenizer_template(t, true), t, names);
    return json_pack("{s:s, s:o, s:o, s:o}", "type", "TemplateProcessing", "single", one, "pair",
                     two, "special_tokens", names);
}
