/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends chunks of sentence pairs through a model and aligns their words. The default layer is that
 * of Dufter & Schütze 2020, 8 of 12, scaled to any depth.
 */
#include "evaluate/align_words.h"

#include "base/id_pairs.h"
#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/parallel_text.h"
#include "measure/alignment.h"
#include "analyse/links/assignment.h"
#include "apply/states.h"
#include "evaluate/gold_alignment.h"
#include "text/tokenizer/pipeline.h"
#include "text/white_space.h"

#include <string.h>

enum { chunk = 64 };

/* One sentence of the chunk: its pieces, the unit of each, and its units as text. */
typedef struct {
    int32_t *id, *unit;
    int64_t n, have_id, have_unit;
    int32_t n_unit;
    char *text;
    int64_t n_text, have_text;
    ig_byte_text shown; /* a piece */
    ig_spaced_word spaced;
    bool cut;
} sentence;

typedef struct {
    sentence side[2];
    ig_alignment_buffers room; /* its pairs are links of units, sorted, each once */
    ig_assignment_memory match;
    int32_t n_link;
    ig_code code;
    ig_err err;
} pair;

typedef struct {
    const ig_align_options *o;
    int32_t longest; /* pieces of a sentence */
    ig_states *states;
    const ig_encoder *encoder;
    pair *pair; /* [chunk] */
    int n_pair;
} aligner;

/* --- sentences into pieces and units
 * -------------------------------------------------------------------- */

static ig_code add_text(sentence *s, const char *p, int64_t n, bool space, ig_err *err)
{
    IG_TRY(ig_grow(&s->text, &s->have_text, s->n_text + n + 2, 1, "words", err));
    if (space && s->n_text > 0)
        s->text[s->n_text++] = ' ';
    memcpy(s->text + s->n_text, p, (size_t)n);
    s->n_text += n;
    s->text[s->n_text] = '\0';
    return IG_ERR_OK;
}

/* The pieces from .. n of one word between white space; what begins a unit depends on its kind. */
static ig_code add_units(const aligner *a, sentence *s, int64_t from, const char *word, int64_t n,
                         ig_err *err)
{
    IG_TRY(ig_grow(&s->unit, &s->have_unit, s->n + 1, sizeof *s->unit, "units", err));
    if (a->o->unit == IG_ALIGN_WORD) {
        for (int64_t i = from; i < s->n; i++)
            s->unit[i] = s->n_unit;
        s->n_unit++;
        return add_text(s, word, n, true, err);
    }
    const ig_tokenizer *t = a->encoder->tokenizer;
    /* Of Unigram an unknown piece is characters of a word, not the whole word. */
    const int32_t within = ig_tokenizer_get_kind(t) == IG_TOKENIZER_UNIGRAM
                               ? ig_tokenizer_special(t, IG_TOKENIZER_UNK)
                               : -1;
    for (int64_t i = from; i < s->n; i++) {
        const char *piece = ig_tokenizer_piece(t, s->id[i]);
        int64_t n_piece = (int64_t)strlen(piece);
        const bool bare = a->o->unit == IG_ALIGN_TOKEN,
                   begins = !bare || i == from ||
                            (s->id[i] != within && !ig_tokenizer_continues(t, s->id[i]));
        s->n_unit += begins;
        s->unit[i] = s->n_unit - 1;
        if (bare) {
            s->shown.n = 0;
            IG_TRY(ig_tokenizer_piece_text(&s->shown, t, s->id[i], err));
            piece = (const char *)s->shown.text;
            n_piece = s->shown.n;
        }
        IG_TRY(add_text(s, piece, n_piece, begins, err));
    }
    return IG_ERR_OK;
}

/* Words are encoded one by one, as in gold_alignment.c. */
static ig_code take_sentence(const aligner *a, sentence *s, ig_unknown_pieces *unknown,
                             const char *text, ig_err *err)
{
    s->n = 0;
    s->n_text = 0;
    s->n_unit = 0;
    IG_TRY(add_text(s, "", 0, false, err));
    const char *word, *const end = text + strlen(text);
    for (int64_t n; (word = ig_next_word(&text, end, &n)) != NULL;) {
        const int64_t from = s->n;
        IG_TRY(ig_spaced_word_set(&s->spaced, word, n, s->n == 0, err));
        IG_TRY(ig_tokenizer_encode(a->encoder->tokenizer, s->spaced.text, s->spaced.n, &s->id,
                                   &s->n, &s->have_id, err));
        IG_TRY(ig_unknown_add(
            unknown, a->encoder->tokenizer,
            &(ig_cut_text){word, n, s->n > from ? s->id + from : NULL, s->n - from, 1}, err));
        IG_TRY(add_units(a, s, from, word, n, err));
    }
    s->cut = s->n > a->longest;
    if (s->cut)
        s->n = a->longest;
    return IG_ERR_OK;
}

/* --- a chunk through the model
 * ------------------------------------------------------------------------------ */

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    const aligner *a = arg;
    const int d = ig_bert_get_config(a->encoder->model)->hidden_size;
    return ig_alignment_put(&a->pair[s->number / 2].room, (int)(s->number % 2),
                            s->states[0] + (int64_t)s->first * d, s->n_own, d, err);
}

static ig_code encode(aligner *a, ig_err *err)
{
    ig_states_begin(a->states, take, a);
    for (int i = 0; i < a->n_pair; i++)
        for (int x = 0; x < 2; x++) {
            const sentence *s = &a->pair[i].side[x];
            IG_TRY(ig_states_put_pieces(a->states, 0, s->id, (int32_t)s->n, err));
        }
    return ig_states_end(a->states, err);
}

/* Linked pieces link their units. */
static ig_code align_pair(const aligner *a, pair *p, ig_err *err)
{
    ig_alignment_buffers *r = &p->room;
    const int32_t n = r->n[0], m = r->n[1];
    IG_TRY(ig_alignment_cosines(r, ig_ops_best(), err));
    if (a->o->method == IG_ALIGN_ITERMAX)
        p->n_link = ig_alignment_itermax(r->sim, m, n, m, r->pairs, r->work);
    else if (a->o->method == IG_ALIGN_ARGMAX)
        p->n_link = ig_alignment_argmax(r->sim, m, n, m, r->pairs, r->work);
    else if (n > 0 && m > 0)
        IG_TRY(ig_assignment(r->pairs, &p->n_link, &(ig_score_matrix){r->sim, m, n, m}, &p->match,
                             err));
    else
        p->n_link = 0;
    for (int32_t i = 0; i < 2 * p->n_link; i++)
        r->pairs[i] = p->side[i % 2].unit[r->pairs[i]];
    p->n_link = (int32_t)ig_id_pairs_unique(r->pairs, p->n_link);
    return IG_ERR_OK;
}

static void pair_task(void *arg, int64_t i, int i_thread)
{
    aligner *a = arg;
    pair *p = &a->pair[i];
    (void)i_thread;
    p->code = align_pair(a, p, &p->err);
}

static ig_code align_chunk(aligner *a, ig_align_report *r, ig_aligned_fn *each, void *arg,
                           ig_err *err)
{
    IG_TRY(encode(a, err));
    ig_team_for(ig_states_team(a->states), a->n_pair, pair_task, a);
    for (int i = 0; i < a->n_pair; i++) {
        pair *p = &a->pair[i];
        if (p->code != IG_ERR_OK) {
            if (err != NULL)
                *err = p->err;
            return p->code;
        }
        r->n_cut += p->side[0].cut || p->side[1].cut;
        r->n_link += p->n_link;
        r->n_pair++;
        const ig_aligned out = {p->room.pairs, p->n_link, {p->side[0].text, p->side[1].text}};
        IG_TRY(each(arg, &out, err));
    }
    return IG_ERR_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

static ig_code open_model(aligner *a, ig_align_report *r, ig_err *err)
{
    const ig_states_options how = {.model = a->o->model,
                                   .bare = true,
                                   .lowercase = a->o->lowercase,
                                   .device = a->o->device,
                                   .n_thread = a->o->n_thread};
    IG_TRY(ig_states_open(&a->states, &how, err));
    a->encoder = ig_states_encoder(a->states);
    IG_TRY(ig_encoder_layer(&r->layer, a->encoder, a->o->layer, err));
    IG_TRY(ig_states_set_layers(a->states, &r->layer, 1, err));
    a->longest = ig_states_room(a->states, 0);
    return ig_alloc(&a->pair, chunk, sizeof *a->pair, "pairs", err);
}

static void close_model(aligner *a)
{
    for (int i = 0; a->pair != NULL && i < chunk; i++) {
        pair *p = &a->pair[i];
        for (int x = 0; x < 2; x++)
            IG_FREE(p->side[x].id, p->side[x].unit, p->side[x].text, p->side[x].shown.text,
                    p->side[x].spaced.text);
        ig_alignment_buffers_free(&p->room);
        ig_assignment_free(&p->match);
    }
    ig_free(a->pair);
    ig_states_close(a->states);
}

static ig_code align_text(aligner *a, ig_align_report *r, ig_parallel *text, ig_aligned_fn *each,
                          void *arg, ig_err *err)
{
    const ig_align_options *o = a->o;
    bool end = false;
    ig_progress_begin("aligning", o->take);
    while (!end) {
        a->n_pair = 0;
        while (a->n_pair < chunk && !end && (o->take == 0 || r->n_pair + a->n_pair < o->take)) {
            const char *t[2];
            IG_TRY(ig_parallel_next(text, t, err));
            end = t[0] == NULL;
            for (int x = 0; x < 2 && !end; x++)
                IG_TRY(take_sentence(a, &a->pair[a->n_pair].side[x], &r->unknown[x], t[x], err));
            a->n_pair += !end;
        }
        if (a->n_pair == 0)
            break;
        for (int x = 0; x < 2; x++)
            if (end || ig_unknown_refused(&r->unknown[x], o->allow_unknown))
                IG_TRY(ig_unknown_check(&r->unknown[x], x > 0 && o->b != NULL ? o->b : o->a,
                                        o->allow_unknown, err));
        IG_TRY(align_chunk(a, r, each, arg, err));
        ig_progress(r->n_pair, NULL);
        if (o->stop != NULL && *o->stop != 0)
            return ig_fail(err, IG_ERR_STOPPED, ig_parallel_where(text), 0,
                           "stopped after %lld pairs", (long long)r->n_pair);
    }
    if (r->n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, ig_parallel_where(text), 0,
                       "found no pair of sentences, expected at least one");
    return IG_ERR_OK;
}

ig_code ig_align_words(ig_align_report *r, const ig_align_options *o, ig_aligned_fn *each,
                       void *arg, ig_err *err)
{
    aligner a = {.o = o};
    ig_parallel *text = NULL;
    *r = (ig_align_report){0};
    ig_code code = ig_parallel_open(&text, o->a, o->b, o->ids, err);
    IG_THEN(code, open_model(&a, r, err));
    IG_THEN(code, align_text(&a, r, text, each, arg, err));
    ig_progress_end();
    close_model(&a);
    ig_parallel_close(text);
    return code;
}
