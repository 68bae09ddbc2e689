/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the states of words that translate each other. Tokens come first, from which links and
 * pairs of words are made; then each side's sentences go through its model once, and a state is
 * added to its word's rows.
 */
#include "measure/words/word_levels.h"

#include "base/memory.h"
#include "analyse/links/ibm2.h"

#include <stdlib.h>
#include <string.h>

/* Two words that are linked n times. */
typedef struct {
    int32_t word[2];
    int64_t n;
} link;

typedef struct {
    const ig_linked_texts *of;
    ig_level_states *level;
    ig_bitext text;      /* the sentences to learn from, then those to judge by */
    int32_t *partner[2]; /* [tokens] the index of its partner in the other's sentence, −1 */
    link *pair;          /* [n_pair] */
    int64_t n_pair, have_pair;
    int32_t *pair_of[2];               /* [words] of side x; −1: none */
    int64_t *row[2];                   /* [tokens] of CONTEXT; −1: none */
    int64_t *count;                    /* [n_pair] positions of a pair's word on the current side */
    int32_t sequence[IG_SEQUENCE_MAX]; /* of a corpus */
    int side;
} work;

static int64_t n_learn(const work *w)
{
    return w->of->corpus != NULL ? (w->of->n + 1) / 2 : w->of->learn[0]->n;
}

static int64_t n_sentence(const work *w)
{
    return w->of->corpus != NULL ? w->of->n : w->of->learn[0]->n + w->of->judge[0]->n;
}

static const char *sentence(const work *w, int side, int64_t i)
{
    const int64_t n = n_learn(w);
    return i < n ? ig_sentence(w->of->learn[side], i) : ig_sentence(w->of->judge[side], i - n);
}

/* Reads a sequence of a corpus: [CLS] … [SEP]. */
static int32_t sequence(work *w, int side, int64_t i)
{
    const int64_t n = n_learn(w), number = i < n ? 2 * i : 2 * (i - n) + 1;
    return ig_corpus_sequence(w->of->corpus, w->of->language[side], number, w->sequence);
}

/* --- links ----------------------------------------------------------------------------------- */

/* A sentence's tokens without the special ones. */
static ig_code tokens(const int32_t **id, int32_t *n, work *w, int x, int64_t i, ig_err *err)
{
    const ig_tokens *t;
    bool cut;
    if (w->of->corpus != NULL) {
        const ig_language *l = ig_corpus_language(w->of->corpus, w->of->language[x]);
        *n = sequence(w, x, i) - ig_language_around(l);
        *id = w->sequence + (l->cls >= 0);
        return IG_ERR_OK;
    }
    const char *text = sentence(w, x, i);
    IG_TRY(ig_states_tokens(
        &t, &cut, w->of->states[x],
        &(ig_states_sentence){w->of->language[x], i, text, (int64_t)strlen(text)}, err));
    *id = t->id;
    *n = t->n;
    return IG_ERR_OK;
}

/* Links, as fast_align has them. */
static ig_code align(work *w, ig_err *err)
{
    for (int64_t i = 0; i < n_sentence(w); i++)
        for (int x = 0; x < 2; x++) {
            const int32_t *id;
            int32_t n;
            IG_TRY(tokens(&id, &n, w, x, i, err));
            IG_TRY(ig_bitext_add_numbers(&w->text, x, id, n, err));
        }
    return ig_ibm2_both(w->partner, &w->text, ig_states_team(w->of->states[0]), err);
}

static int by_words(const void *a, const void *b)
{
    const link *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->word[k] != y->word[k])
            return x->word[k] < y->word[k] ? -1 : 1;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const link *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : by_words(a, b);
}

/* Finds which words are linked, the most often linked first. */
static ig_code count_links(work *w, ig_err *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->text.n; i++)
        for (int64_t t = w->text.first[0][i]; t < w->text.first[0][i + 1]; t++) {
            const int64_t other = ig_ibm2_linked(&w->text, w->partner, i, t);
            if (other < 0)
                continue;
            IG_TRY(ig_grow(&w->pair, &w->have_pair, n + 1, sizeof *w->pair, "links", err));
            w->pair[n++] = (link){{w->text.word[0][t], w->text.word[1][other]}, 1};
        }
    if (n == 0)
        return IG_ERR_OK;
    qsort(w->pair, (size_t)n, sizeof *w->pair, by_words);
    for (int64_t i = 0; i < n; i++)
        if (w->n_pair > 0 && by_words(&w->pair[w->n_pair - 1], &w->pair[i]) == 0)
            w->pair[w->n_pair - 1].n++;
        else
            w->pair[w->n_pair++] = w->pair[i];
    qsort(w->pair, (size_t)w->n_pair, sizeof *w->pair, by_number);
    return IG_ERR_OK;
}

/* The pairs: each word once. */
static ig_code choose_pairs(work *w, ig_err *err)
{
    int64_t n = 0;
    IG_TRY(count_links(w, err));
    for (int x = 0; x < 2; x++) {
        const int32_t n_word = w->text.lexicon[x].n;
        IG_TRY(ig_alloc(&w->pair_of[x], n_word, sizeof *w->pair_of[x], "words", err));
        memset(w->pair_of[x], -1, (size_t)n_word * sizeof *w->pair_of[x]);
    }
    for (int64_t i = 0; i < w->n_pair; i++) {
        const link *p = &w->pair[i];
        if (w->pair_of[0][p->word[0]] >= 0 || w->pair_of[1][p->word[1]] >= 0)
            continue;
        w->pair_of[0][p->word[0]] = w->pair_of[1][p->word[1]] = (int32_t)n;
        w->pair[n++] = *p;
    }
    w->n_pair = n;
    return IG_ERR_OK;
}

/* A pair's first link in each text is a row; returns how many rows there are up to sentence `end`.
 */
static int64_t choose_rows(work *w, int64_t row, int64_t from, int64_t end)
{
    memset(w->count, 0, (size_t)w->n_pair * sizeof *w->count);
    for (int64_t i = from; i < end; i++)
        for (int64_t t = w->text.first[0][i]; t < w->text.first[0][i + 1]; t++) {
            const int64_t other = ig_ibm2_linked(&w->text, w->partner, i, t);
            const int32_t pair = w->pair_of[0][w->text.word[0][t]];
            if (other < 0 || pair < 0 || pair != w->pair_of[1][w->text.word[1][other]] ||
                w->count[pair]++ > 0)
                continue;
            w->row[0][t] = w->row[1][other] = row++;
        }
    return row;
}

static ig_code choose_contexts(work *w, ig_err *err)
{
    ig_level_states *words = &w->level[IG_LEVEL_WORD], *context = &w->level[IG_LEVEL_CONTEXT];
    IG_TRY(ig_alloc(&w->count, w->n_pair, sizeof *w->count, "words", err));
    for (int x = 0; x < 2; x++) {
        const int64_t n = w->text.first[x][w->text.n];
        IG_TRY(ig_alloc(&w->row[x], n, sizeof *w->row[x], "words", err));
        memset(w->row[x], -1, (size_t)n * sizeof *w->row[x]);
    }
    context->n_learn = choose_rows(w, 0, 0, n_learn(w));
    context->n_judge = choose_rows(w, context->n_learn, n_learn(w), w->text.n) - context->n_learn;
    words->n_judge = w->n_pair / 2;
    words->n_learn = w->n_pair - words->n_judge;
    return IG_ERR_OK;
}

/* --- states ---------------------------------------------------------------------------------- */

/* Where the mean of a pair's word is: even pairs are learned from. */
static int64_t word_row(const work *w, int32_t pair)
{
    return pair / 2 + (pair % 2 == 0 ? 0 : w->level[IG_LEVEL_WORD].n_learn);
}

static ig_code note_words(const work *w, int x, ig_err *err)
{
    ig_level_states *words = &w->level[IG_LEVEL_WORD];
    IG_TRY(ig_alloc(&words->id[x], w->n_pair, sizeof *words->id[x], "words", err));
    for (int32_t i = 0; i < w->n_pair; i++)
        words->id[x][word_row(w, i)] = ig_bitext_number(&w->text, x, w->pair[i].word[x]);
    return IG_ERR_OK;
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    work *w = arg;
    const int x = w->side, d = w->level->d[x];
    int64_t at = w->text.first[x][s->number];
    (void)err;
    for (int32_t t = 0; t < s->n_token; t++) {
        if (s->special[t])
            continue;
        const int64_t row = w->row[x][at];
        const int32_t pair = w->pair_of[x][w->text.word[x][at++]];
        if (pair < 0)
            continue;
        w->count[pair]++;
        for (int l = 0; l < w->level->n_layer[x]; l++) {
            const float *state = s->states[l] + (int64_t)t * d;
            float *mean = w->level[IG_LEVEL_WORD].x[x][l] + word_row(w, pair) * d;
            for (int k = 0; k < d; k++) /* as they come: no sums to divide, none that grow */
                mean[k] += (state[k] - mean[k]) / (float)w->count[pair];
            if (row >= 0)
                memcpy(w->level[IG_LEVEL_CONTEXT].x[x][l] + row * d, state,
                       (size_t)d * sizeof *state);
        }
    }
    return IG_ERR_OK;
}

static ig_code grow_buffers(ig_level_states *s, int x, ig_states *states, ig_err *err)
{
    const int *layer;
    s->n_layer[x] = ig_states_layers(states, &layer);
    s->d[x] = ig_bert_get_config(ig_states_encoder(states)->model)->hidden_size;
    IG_TRY(ig_alloc(&s->x[x], s->n_layer[x], sizeof *s->x[x], "states", err));
    for (int l = 0; l < s->n_layer[x]; l++)
        IG_TRY(ig_alloc(&s->x[x][l], (s->n_learn + s->n_judge) * s->d[x], sizeof *s->x[x][l],
                        "states", err));
    return IG_ERR_OK;
}

static ig_code gather(work *w, int x, ig_err *err)
{
    ig_states *states = w->of->states[x];
    for (int k = 0; k < IG_N_LEVEL; k++)
        IG_TRY(grow_buffers(&w->level[k], x, states, err));
    IG_TRY(note_words(w, x, err));
    memset(w->count, 0, (size_t)w->n_pair * sizeof *w->count);
    w->side = x;
    ig_states_begin(states, take, w);
    for (int64_t i = 0; i < w->text.n; i++) {
        const int language = w->of->language[x];
        if (w->of->corpus != NULL) {
            const int32_t n = sequence(w, x, i);
            IG_TRY(ig_states_put_tokens(states, language, w->sequence, n, err));
            continue;
        }
        const char *text = sentence(w, x, i);
        IG_TRY(ig_states_put(states, language, text, (int64_t)strlen(text), err));
    }
    return ig_states_end(states, err);
}

ig_code ig_word_levels_make(ig_level_states level[IG_N_LEVEL], const ig_linked_texts *texts,
                            ig_err *err)
{
    work w = {.of = texts, .level = level};
    memset(level, 0, IG_N_LEVEL * sizeof *level);
    ig_code code = align(&w, err);
    IG_THEN(code, choose_pairs(&w, err));
    IG_THEN(code, choose_contexts(&w, err));
    IG_THEN(code, gather(&w, 0, err));
    IG_THEN(code, gather(&w, 1, err));
    ig_bitext_free(&w.text);
    for (int x = 0; x < 2; x++) {
        IG_FREE(w.partner[x], w.pair_of[x], w.row[x]);
    }
    IG_FREE(w.pair, w.count);
    return code;
}

void ig_word_levels_free(ig_level_states level[IG_N_LEVEL])
{
    for (int k = 0; k < IG_N_LEVEL; k++)
        for (int x = 0; x < 2; x++) {
            ig_free_list(level[k].x[x], level[k].n_layer[x]);
            ig_free(level[k].id[x]);
        }
    memset(level, 0, IG_N_LEVEL * sizeof *level);
}

ig_code ig_level_judge(ig_neighbour_scores *out, const ig_level_states *s, int i, int j,
                       const ig_retrieval_with *with, ig_err *err)
{
    const int64_t skip = s->n_learn * s->d[0];
    *out = ig_neighbour_scores_none();
    if (s->n_learn < 1 || s->n_judge < 2)
        return IG_ERR_OK;
    const ig_space_pair pair = {.learn = {s->x[0][i], s->x[1][j]},
                                .judge = {s->x[0][i] + skip, s->x[1][j] + skip},
                                .n_learn = s->n_learn,
                                .n_judge = s->n_judge,
                                .d = s->d[0]};
    return ig_space_map_judge(out, &pair, with, err);
}
