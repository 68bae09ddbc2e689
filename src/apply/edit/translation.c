/* SPDX-License-Identifier: Apache-2.0
 *
 * Translates a set token by token in one pass through a shifted model.
 */
#include "apply/edit/translation.h"

#include "base/memory.h"
#include "base/strings/lexicon.h"

#include <stdio.h>

/* A list of pieces, or of words by numbers of their own. */
typedef struct {
    int32_t *unit;
    int64_t n, have;
} units;

typedef struct {
    const ig_states *states;
    const ig_translation_set *set;
    const ig_translation *how;
    ig_translation_count *count;
    ig_lexicon words; /* each as the numbers of its pieces */
    units output, words_of[2];
    ig_bleu_buffers room;
    char *key;
    int64_t have_key;
} scorer;

/* The language whose block of the vocabulary has the piece, and its number there. */
static const ig_model_language *owner(const ig_model_languages *l, int32_t id, int32_t *piece)
{
    for (int k = l->n - 1; k >= 0; k--) {
        const ig_language *i = &l->language[k].info;
        *piece = id - i->first_id;
        if (*piece >= 0 && *piece < i->n_id)
            return &l->language[k];
    }
    *piece = id;
    return &l->language[0];
}

static bool goes_on(const ig_states *s, int32_t id)
{
    int32_t piece;
    const ig_model_language *l = owner(ig_states_languages(s), id, &piece);
    return ig_tokenizer_continues(l->own != NULL ? l->own : ig_states_encoder(s)->tokenizer, piece);
}

const char *ig_translation_piece(const ig_states *s, int32_t id)
{
    int32_t piece;
    const ig_tokenizer *t = ig_states_encoder(s)->tokenizer;
    const char *row = ig_tokenizer_piece(t, id);
    if (row != NULL)
        return row;
    const ig_model_language *l = owner(ig_states_languages(s), id, &piece);
    row = ig_tokenizer_piece(l->own != NULL ? l->own : t, piece);
    return row != NULL ? row : "?";
}

/* Pieces joined into words: each is one that begins and all that go on with it. */
static ig_code make_words(scorer *a, units *out, const int32_t *piece, int64_t n, ig_err *err)
{
    out->n = 0;
    IG_TRY(ig_grow(&out->unit, &out->have, n + 1, sizeof *out->unit, "words", err));
    for (int64_t i = 0; i < n;) {
        int64_t size = 0, k = i;
        do {
            IG_TRY(ig_grow(&a->key, &a->have_key, size + 16, 1, "word", err));
            size += snprintf(a->key + size, 16, "%d ", piece[k++]);
        } while (k < n && goes_on(a->states, piece[k]));
        IG_TRY(ig_lexicon_add(&a->words, a->key, size, &out->unit[out->n++], err));
        i = k;
    }
    return IG_ERR_OK;
}

static ig_code score_bleu(scorer *a, int64_t q, ig_err *err)
{
    const ig_translation_set *t = a->set;
    ig_bleu_units of[2] = {{a->output.unit, a->output.n},
                           {t->ref + t->ref_start[q], t->ref_start[q + 1] - t->ref_start[q]}};
    for (int k = 0; k < 2 && a->how->words; k++) {
        IG_TRY(make_words(a, &a->words_of[k], of[k].unit, of[k].n, err));
        of[k] = (ig_bleu_units){a->words_of[k].unit, a->words_of[k].n};
    }
    return ig_bleu1_add(a->count, of[0], of[1], &a->room, err);
}

/* A token is right if its piece is one of those that are. */
static void score_gold(scorer *a, const ig_sentence_states *s)
{
    const ig_translation_set *t = a->set;
    const int64_t end = t->gold_start[s->number + 1];
    for (int64_t i = t->gold_start[s->number], next; i < end; i = next) {
        const int32_t place = t->gold[i][0];
        bool right = false;
        for (next = i; next < end && t->gold[next][0] == place; next++)
            right = right || s->likeliest[place] == t->gold[next][1];
        a->count->n_gold++;
        a->count->n_right += right;
    }
}

static ig_code take_output(void *arg, const ig_sentence_states *s, ig_err *err)
{
    scorer *a = arg;
    units *o = &a->output;
    o->n = 0;
    IG_TRY(ig_grow(&o->unit, &o->have, s->n_token, sizeof *o->unit, "output", err));
    for (int32_t i = 0; i < s->n_token; i++)
        if (!s->special[i])
            o->unit[o->n++] = s->likeliest[i];
    if (a->how->each != NULL)
        IG_TRY(a->how->each(a->how->arg, o->unit, (int32_t)o->n, err));
    if (a->set->has_reference) {
        ig_convert_rate_add(a->count, o->unit, o->n, a->set->source, a->set->target);
        IG_TRY(score_bleu(a, s->number, err));
    }
    if (a->set->has_gold)
        score_gold(a, s);
    return IG_ERR_OK;
}

static ig_code score_translations(ig_states *states, const ig_translation_set *t, scorer *a,
                                  ig_err *err)
{
    ig_states_begin(states, take_output, a);
    for (int64_t q = 0; q < t->n; q++)
        IG_TRY(ig_states_put_tokens(states, t->from, t->id + t->start[q],
                                    (int32_t)(t->start[q + 1] - t->start[q]), err));
    return ig_states_end(states, err);
}

/* Edits are made in their order: the shift comes last at its layer. */
static ig_code set_shift(ig_states *states, const ig_translation *how, const float *shift,
                         ig_err *err)
{
    IG_OWNED ig_edit *all = NULL;
    IG_TRY(ig_alloc(&all, how->n_edit + 1, sizeof *all, "edits", err));
    for (int i = 0; i < how->n_edit; i++)
        all[i] = how->edit[i];
    all[how->n_edit] = (ig_edit){
        .layer = how->layer, .language = -1, .kind = IG_EDIT_SHIFT, .n = 1, .data = shift};
    return ig_states_set_edits(states, all, how->n_edit + 1, err);
}

ig_code ig_translate(ig_translation_count *count, ig_states *states, const ig_translation_set *t,
                     const ig_translation *how, const double *const mean[2], ig_err *err)
{
    const int d = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
    scorer a = {.states = states, .set = t, .how = how, .count = count};
    IG_OWNED float *shift = NULL;
    *count = (ig_translation_count){0};
    IG_TRY(ig_alloc(&shift, d, sizeof *shift, "shift", err));
    for (int k = 0; k < d; k++)
        shift[k] = (float)(how->alpha * (mean[1][k] - mean[0][k]));
    ig_code code = set_shift(states, how, shift, err);
    IG_THEN(code, score_translations(states, t, &a, err));
    ig_lexicon_free(&a.words);
    IG_FREE(a.output.unit, a.words_of[0].unit, a.words_of[1].unit, a.key);
    ig_bleu_buffers_free(&a.room);
    return code;
}
