/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of a language's identity, after Dufter & Schütze 2020, §2.1 and §2.3: "shift" makes
 * Fake-English (every id but the special tokens moves to a block of its own), "specials" gives the
 * language special tokens of its own (their shift-special), "positions" its own positions and
 * segment (their lang-pos).
 */
#include "corpus/language/transform.h"

#include "base/number_text.h"
#include "corpus/words/word_orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads "anchors=X": the share of the strings in both vocabularies that stay common. */
static ig_code shift_parse(ig_step *s, const char *text, ig_err *err)
{
    static const char key[] = "anchors=";
    if (text == NULL)
        return IG_ERR_OK;
    if (strncmp(text, key, sizeof key - 1) != 0 ||
        !ig_number_read(&s->share, text + sizeof key - 1) || !(s->share >= 0 && s->share <= 1))
        return ig_fail(err, IG_ERR_USAGE, "", 0,
                       "found '%.32s', expected anchors=SHARE, a number from 0 to 1", text);
    return IG_ERR_OK;
}

static void shift_print(const ig_step *s, char *out, size_t size)
{
    char share[40];
    ig_number_print(share, sizeof share, s->share);
    if (s->share > 0)
        snprintf(out, size, "anchors=%s", share);
}

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
    if (ig_is_special_piece(c->options, id))
        return id;
    const bool one = c->language->n_id == c->options->base_vocab;
    const int32_t common = c->same != NULL ? c->same[id] : one ? id : -1;
    /* Drawn for the string, so that languages of the same name have the same anchors. */
    if (s->share > 0 && common >= 0 && ig_step_id_unit(s, c, common) < s->share)
        return common;
    return id + c->language->first_id;
}

const ig_transform ig_transform_shift = {
    .name = "shift",
    .args = "[anchors=SHARE]",
    .summary = "moves every id but the special tokens to the next free block of the vocabulary; "
               "SHARE of the strings that both vocabularies have stay common",
    .once = true,
    .parse = shift_parse,
    .print = shift_print,
    .attach = shift_attach,
    .map = shift_map,
};

static ig_code specials_parse(ig_step *s, const char *text, ig_err *err)
{
    s->arg[0] = text != NULL && strcmp(text, "pad") == 0;
    if (text == NULL || s->arg[0] == 1)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected pad, or no argument", text);
}

static void specials_print(const ig_step *s, char *out, size_t size)
{
    if (s->arg[0] == 1)
        snprintf(out, size, "pad");
}

static ig_code specials_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    (void)a;
    if (l->first_id == 0)
        return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                       "transform 'specials' needs a block of its own: put 'shift' before it");
    l->pad += l->first_id;
    if (s->arg[0] == 1)
        return IG_ERR_OK;
    l->unk += l->first_id;
    l->cls += l->first_id;
    if (l->sep != IG_SEP_LAST)
        l->sep += l->first_id;
    l->mask += l->first_id;
    return IG_ERR_OK;
}

static int32_t specials_map(const ig_step *s, const ig_step_context *c, int32_t id)
{
    /* [PAD] is in no text: the batcher inserts the language's. */
    if (s->arg[0] == 1)
        return id;
    return id < c->language->first_id && ig_is_special(c, id) ? id + c->language->first_id : id;
}

const ig_transform ig_transform_specials = {
    .name = "specials",
    .args = "[pad]",
    .summary = "special tokens of the language's own, in its block; pad: [PAD] alone",
    .once = true,
    .parse = specials_parse,
    .print = specials_print,
    .attach = specials_attach,
    .map = specials_map,
};

static ig_code read_number(const char **p, int64_t *out, ig_err *err)
{
    char *end;
    if (**p < '0' || **p > '9')
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.32s', expected a number", *p);
    long long v = strtoll(*p, &end, 10);
    if (v > INT32_MAX / 2)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found %.32s, expected at most %d", *p,
                       INT32_MAX / 2);
    *out = v;
    *p = end;
    return IG_ERR_OK;
}

static ig_code positions_parse(ig_step *s, const char *text, ig_err *err)
{
    s->arg[0] = s->arg[1] = -1;
    if (text == NULL)
        return IG_ERR_OK;
    IG_TRY(read_number(&text, &s->arg[0], err));
    if (*text == ',') {
        text++;
        IG_TRY(read_number(&text, &s->arg[1], err));
    }
    return *text == '\0'
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "", 0,
                         "found '%.32s', expected the offset or the offset,segment", text);
}

static void positions_print(const ig_step *s, char *out, size_t size)
{
    if (s->arg[0] >= 0 && s->arg[1] >= 0)
        snprintf(out, size, "%lld,%lld", (long long)s->arg[0], (long long)s->arg[1]);
    else if (s->arg[0] >= 0)
        snprintf(out, size, "%lld", (long long)s->arg[0]);
}

static ig_code positions_attach(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err)
{
    int32_t k = ++a->n_positioned;
    if (s->arg[0] < 0 && k > INT32_MAX / a->options->block)
        return ig_fail(err, IG_ERR_USAGE, l->name, 0, "positions beyond %d", INT32_MAX);
    l->pos_offset = s->arg[0] >= 0 ? (int32_t)s->arg[0] : k * a->options->block;
    l->segment = s->arg[1] >= 0 ? (int32_t)s->arg[1] : k;
    return IG_ERR_OK;
}

const ig_transform ig_transform_positions = {
    .name = "positions",
    .args = "[OFFSET[,SEGMENT]]",
    .summary = "positions OFFSET + 0, 1, … and a segment; default: block · k and k for the k-th "
               "language with positions",
    .once = true,
    .parse = positions_parse,
    .print = positions_print,
    .attach = positions_attach,
};
