/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores word alignments by every layer against a gold standard. Sentences go through the model in
 * the order of the file, the second of a pair after the first, whose states are kept until the
 * second comes out. Words are cut into pieces one by one, each but the first with the blank before
 * it, which byte-level vocabularies have in their pieces.
 */
#include "evaluate/gold_alignment.h"

#include "base/id_pairs.h"
#include "base/memory.h"
#include "measure/alignment.h"
#include "text/white_space.h"

#include <string.h>

/* A layer's part of a pair. */
typedef struct {
    ig_alignment_buffers buffers;
    ig_word_link *link;
    int64_t have_link;
    ig_code code;
    ig_err err;
} layer_scratch;

typedef struct {
    ig_gold_pairs *out;
    ig_states *s;
    const int *language; /* [2] */
    int n_layer, d;
    ig_word_link *gold;               /* of all pairs */
    int32_t *word;                    /* of each piece of all sentences */
    int64_t *first_gold, *first_word; /* [n_pair + 1], [2 n_pair + 1] */
    int64_t n_pair, n_gold, n_word, have[4];
    int32_t *piece; /* of the sentence that is read */
    ig_spaced_word spaced;
    int64_t have_piece;
    ig_tokens tokens;
    int64_t pair;           /* that is compared */
    layer_scratch *scratch; /* [n_layer] */
} aligner;

/* --- the file */

ig_code ig_spaced_word_set(ig_spaced_word *s, const char *word, int64_t n, bool first, ig_err *err)
{
    s->n = n + !first;
    IG_TRY(ig_grow(&s->text, &s->have, n + 2, 1, "word", err));
    s->text[0] = ' ';
    memcpy(s->text + !first, word, (size_t)n);
    return IG_ERR_OK;
}

/* Cuts a sentence into a->piece and appends their word numbers to a->word; *n receives the number
 * of pieces. */
static ig_code cut_words(aligner *a, int language, const char *text, int64_t *n, ig_err *err)
{
    const ig_tokenizer *own = ig_states_languages(a->s)->language[language].own,
                       *t = own != NULL ? own : ig_states_encoder(a->s)->tokenizer;
    const char *p = text, *found, *const end = text + strlen(text);
    int64_t size;
    *n = 0;
    for (int32_t word = 0; (found = ig_next_word(&p, end, &size)) != NULL; word++) {
        const int64_t from = *n;
        IG_TRY(ig_spaced_word_set(&a->spaced, found, size, word == 0, err));
        IG_TRY(
            ig_tokenizer_encode(t, a->spaced.text, a->spaced.n, &a->piece, n, &a->have_piece, err));
        IG_TRY(ig_grow(&a->word, &a->have[0], a->n_word + *n, sizeof *a->word, "words", err));
        for (int64_t i = from; i < *n; i++)
            a->word[a->n_word + i] = word;
    }
    return IG_ERR_OK;
}

/* Sends a sentence to the model as the language's transforms have it; a token's word is that of the
 * piece it comes from. */
static ig_code put_sentence(aligner *a, int side, const char *text, ig_err *err)
{
    const ig_model_languages *l = ig_states_languages(a->s);
    const int language = a->language[side];
    const int32_t positions = ig_states_room(a->s, language);
    int32_t of[IG_SEQUENCE_MAX];
    int64_t n;
    ig_tokens *t = &a->tokens;
    /* Arrays are allocated for a sentence without words, too, and may be empty. */
    IG_TRY(ig_grow(&a->word, &a->have[0], a->n_word + 1, sizeof *a->word, "words", err));
    IG_TRY(ig_grow(&a->piece, &a->have_piece, 1, sizeof *a->piece, "pieces", err));
    IG_TRY(cut_words(a, language, text, &n, err));
    const int32_t most = positions < IG_SEQUENCE_MAX ? positions : IG_SEQUENCE_MAX;
    ig_model_language_tokens(l, language, a->n_pair, a->piece, n < most ? (int32_t)n : most, t);
    t->n = t->n < most ? t->n : most;
    memset(of, 0, sizeof of);
    for (int32_t i = 0; i < t->n_link; i++)
        if (t->link[i][1] < t->n)
            of[t->link[i][1]] = a->word[a->n_word + t->link[i][0]];
    IG_TRY(ig_grow(&a->word, &a->have[0], a->n_word + t->n, sizeof *a->word, "words", err));
    if (t->n > 0)
        memcpy(a->word + a->n_word, of, (size_t)t->n * sizeof *of);
    a->n_word += t->n;
    a->first_word[2 * a->n_pair + side + 1] = a->n_word;
    return ig_states_put_pieces(a->s, language, t->id, t->n, err);
}

static ig_code put_pair(aligner *a, const ig_word_links *l, ig_err *err)
{
    const char *const text[] = {l->text_a, l->text_b};
    IG_TRY(ig_grow(&a->gold, &a->have[1], a->n_gold + l->n + 1, sizeof *a->gold, "links", err));
    IG_TRY(
        ig_grow(&a->first_gold, &a->have[2], a->n_pair + 2, sizeof *a->first_gold, "pairs", err));
    IG_TRY(ig_grow(&a->first_word, &a->have[3], 2 * a->n_pair + 3, sizeof *a->first_word, "pairs",
                   err));
    if (l->n > 0)
        memcpy(a->gold + a->n_gold, l->link, (size_t)l->n * sizeof *a->gold);
    a->n_gold += l->n;
    a->first_gold[a->n_pair + 1] = a->n_gold;
    for (int x = 0; x < 2; x++)
        IG_TRY(put_sentence(a, x, text[x], err));
    IG_TRY(ig_grow(&a->out->cell, &a->out->have_cell, a->n_pair + 1, sizeof *a->out->cell, "pairs",
                   err));
    a->out->cell[a->n_pair] = (double)ig_n_words(text[0], (int64_t)strlen(text[0])) *
                              (double)ig_n_words(text[1], (int64_t)strlen(text[1]));
    a->n_pair++;
    return IG_ERR_OK;
}

static ig_code put_all(aligner *a, const char *path, ig_err *err)
{
    ig_word_link_reader *r;
    ig_word_links l;
    bool end = false;
    IG_TRY(ig_word_links_open(&r, path, 0, err));
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && (code = ig_word_links_next(r, &l, &end, err)) == IG_ERR_OK &&
           !end) {
        if (l.text_a == NULL)
            code = ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                           "found links alone, expected both sentences before them");
        else
            code = put_pair(a, &l, err);
    }
    if (code == IG_ERR_OK && a->n_pair == 0)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "found no pair of sentences");
    ig_word_links_close(r);
    return code == IG_ERR_OK ? ig_states_end(a->s, err) : code;
}

/* --- a pair */

/* Linked pieces link their words. */
static ig_code align_layer(const aligner *a, layer_scratch *k, int layer, ig_err *err)
{
    ig_alignment_buffers *r = &k->buffers;
    const int64_t *first = a->first_word + 2 * a->pair;
    IG_TRY(ig_alignment_cosines(r, ig_ops_best(), err));
    int32_t n = ig_alignment_argmax(r->sim, r->n[1], r->n[0], r->n[1], r->pairs, r->work);
    for (int32_t i = 0; i < 2 * n; i++)
        r->pairs[i] = a->word[first[i % 2] + r->pairs[i]];
    n = (int32_t)ig_id_pairs_unique(r->pairs, n);
    IG_TRY(ig_grow(&k->link, &k->have_link, (int64_t)n + 1, sizeof *k->link, "links", err));
    for (int32_t i = 0; i < n; i++)
        k->link[i] = (ig_word_link){r->pairs[2 * i], r->pairs[2 * i + 1], false};
    const ig_word_links predicted = {.link = k->link, .n = n},
                        gold = {.link = a->gold + a->first_gold[a->pair],
                                .n =
                                    (int32_t)(a->first_gold[a->pair + 1] - a->first_gold[a->pair])};
    ig_alignment_error_add(&a->out->e[a->pair * a->n_layer + layer], &predicted, &gold);
    return IG_ERR_OK;
}

static void layer_task(void *arg, int64_t layer, int i_thread)
{
    aligner *a = arg;
    layer_scratch *k = &a->scratch[layer];
    (void)i_thread;
    k->code = align_layer(a, k, (int)layer, &k->err);
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    aligner *a = arg;
    const int side = (int)(s->number % 2);
    a->pair = s->number / 2;
    for (int l = 0; l < a->n_layer; l++)
        IG_TRY(ig_alignment_put(&a->scratch[l].buffers, side,
                                s->states[l] + (int64_t)s->first * a->d, s->n_own, a->d, err));
    if (side == 0)
        return IG_ERR_OK;
    a->out->n_pair = a->pair + 1;
    IG_TRY(ig_grow(&a->out->e, &a->out->have_e, a->out->n_pair * a->n_layer, sizeof *a->out->e,
                   "pairs", err));
    ig_team_for(ig_states_team(a->s), a->n_layer, layer_task, a);
    for (int l = 0; l < a->n_layer; l++)
        if (a->scratch[l].code != IG_ERR_OK) {
            if (err != NULL)
                *err = a->scratch[l].err;
            return a->scratch[l].code;
        }
    return IG_ERR_OK;
}

void ig_gold_pairs_free(ig_gold_pairs *p)
{
    IG_FREE(p->e, p->cell);
    *p = (ig_gold_pairs){0};
}

static void free_all(aligner *a)
{
    for (int l = 0; a->scratch != NULL && l < a->n_layer; l++) {
        ig_alignment_buffers_free(&a->scratch[l].buffers);
        ig_free(a->scratch[l].link);
    }
    IG_FREE(a->scratch, a->gold, a->word, a->first_gold, a->first_word, a->piece, a->spaced.text);
}

ig_code ig_gold_alignment(ig_gold_pairs *out, ig_states *s, const int language[2], const char *path,
                          ig_err *err)
{
    const int *layer;
    IG_OWNED aligner *a = NULL;
    *out = (ig_gold_pairs){0};
    IG_TRY(ig_alloc(&a, 1, sizeof *a, "aligner", err));
    a->out = out;
    a->s = s;
    a->language = language;
    a->n_layer = ig_states_layers(s, &layer);
    a->d = ig_bert_get_config(ig_states_encoder(s)->model)->hidden_size;
    ig_code code = ig_alloc(&a->scratch, a->n_layer, sizeof *a->scratch, "layers", err);
    ig_states_begin(s, take, a);
    IG_THEN(code, put_all(a, path, err));
    free_all(a);
    return code;
}
