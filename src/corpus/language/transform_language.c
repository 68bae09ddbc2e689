/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of a language's identity, after Dufter & Schütze 2020, §2.1 and §2.3: "shift" makes
 * Fake-English (every id but the special tokens moves to a block of its own), "specials" gives the
 * language special tokens of its own (their shift-special), "positions" its own positions and
 * segment (their lang-pos).
 */
#include "corpus/language/transform.h"

static ig_code shift_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)s;
    if (a->shared_id > 0) {
        l->first_id = a->shared_id;
        return IG_ERR_OK;
    }
    if (a->n_id > INT32_MAX - a->next_id)
        return ig_fail(err, IG_ERR_USAGE, l->name, 0, "more than %d ids in all", INT32_MAX);
    l->first_id = a->next_id;
    a->next_id += a->n_id;
    return IG_ERR_OK;
}

/* [UNK] is a special token and is not shifted, as in the paper's program. */
static int32_t shift_map(const ig_step *s, const ig_step_context *c, int32_t id)
{
    const int32_t marker = c->language->reverse;
    if (ig_is_special_piece(c->options, id) || (marker > 0 && id == marker))
        return id;
    const bool one = c->language->n_id == c->options->base_vocab;
    const int32_t common = c->same != NULL ? c->same[id] : one ? id : -1;
    /* Drawn for the string, so that languages of the same name have the same anchors. */
    if (s->number[0] > 0 && common >= 0 && ig_step_id_unit(s, c, common) < s->number[0])
        return common;
    return id + c->language->first_id;
}

const ig_transform ig_transform_shift = {
    .name = "shift",
    .summary = "moves every id but the special tokens to the next free block of the vocabulary; "
               "SHARE of the strings that both vocabularies have stay common",
    .arg = {{IG_ARG_SHARE, "anchors=SHARE", 0, 0, 1}},
    .once = true,
    .attach = shift_attach,
    .map = shift_map,
};

static ig_code specials_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)a;
    if (l->first_id == 0)
        return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                       "transform 'specials' needs a block of its own: put 'shift' before it");
    l->pad += l->first_id;
    if (s->number[0] > 0)
        return IG_ERR_OK;
    l->unk += l->first_id;
    l->cls += l->first_id;
    if (l->sep != IG_ROW_LAST)
        l->sep += l->first_id;
    l->mask += l->first_id;
    return IG_ERR_OK;
}

static int32_t specials_map(const ig_step *s, const ig_step_context *c, int32_t id)
{
    /* [PAD] is in no text: the batcher inserts the language's. */
    if (s->number[0] > 0)
        return id;
    return id < c->language->first_id && ig_is_special(c, id) ? id + c->language->first_id : id;
}

const ig_transform ig_transform_specials = {
    .name = "specials",
    .summary = "special tokens of the language's own, in its block; pad: [PAD] alone",
    .arg = {{IG_ARG_CHOICE, "|pad"}},
    .once = true,
    .attach = specials_attach,
    .map = specials_map,
};

static ig_code positions_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    int32_t k = ++a->n_positioned;
    if (s->number[0] < 0 && k > INT32_MAX / a->options->block)
        return ig_fail(err, IG_ERR_USAGE, l->name, 0, "positions beyond %d", INT32_MAX);
    l->pos_offset = s->number[0] >= 0 ? (int32_t)s->number[0] : k * a->options->block;
    l->segment = s->number[1] >= 0 ? (int32_t)s->number[1] : k;
    return IG_ERR_OK;
}

const ig_transform ig_transform_positions = {
    .name = "positions",
    .summary = "positions OFFSET + 0, 1, … and a segment; default: block · k and k for the k-th "
               "language with positions",
    .arg = {{IG_ARG_COUNT, "OFFSET", IG_UNSET, 0, INT32_MAX / 2},
            {IG_ARG_COUNT, "SEGMENT", IG_UNSET, 0, INT32_MAX / 2}},
    .once = true,
    .attach = positions_attach,
};
