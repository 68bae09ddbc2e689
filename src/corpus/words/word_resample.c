/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that keeps only frequencies: "unigram" draws every word from those of the training text (K
 * et al. 2020, §3.2.3, "word frequency"), "ngrams" from the words that follow the N − 1 before
 * (their tri- and other k-gram frequencies). Lines keep their lengths. The result is not aligned
 * with the text; the words themselves are unchanged.
 *
 * For ngrams the end of a line is an event that belongs to its last word. If a context was
 * followed only by last words before the line is full, or by none where it has to end, a context
 * shorter by one word is used instead. So the few words that follow a closing bracket within a
 * line do not get all of its occurrences, and the words before an end do not continue.
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "base/strings/lexicon.h"

#include <string.h>

enum { N_MAX = 8, START = -1 };

/* Positions of the text, sorted by the words before them, nearest first: those that follow a
 * context of any length up to N − 1 are consecutive. */
typedef struct {
    int64_t *at;
    int64_t n, have;
} places;

/* The training text as one line of word numbers, N − 1 times START before each sentence. */
typedef struct {
    ig_lexicon words;
    int32_t *id;
    int64_t n, have;
    places all;
    places of[2]; /* ngrams, in the order of the text: words within a line; last words */
    int order;
} sample;

static ig_code sample_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    sample *m = s->state;
    (void)files;
    (void)err;
    m->order = s->kind == &ig_word_ngrams ? (int)s->number[0] : 1;
    return IG_ERR_OK;
}

static ig_code push(sample *m, int32_t id, ig_err *err)
{
    IG_TRY(ig_grow(&m->id, &m->have, m->n + 1, sizeof *m->id, "text", err));
    m->id[m->n++] = id;
    return IG_ERR_OK;
}

static ig_code push_place(places *p, int64_t at, ig_err *err)
{
    IG_TRY(ig_grow(&p->at, &p->have, p->n + 1, sizeof *p->at, "text", err));
    p->at[p->n++] = at;
    return IG_ERR_OK;
}

static ig_code sample_see(ig_word_step *s, const ig_phrase *in, ig_err *err)
{
    sample *m = s->state;
    for (int k = 1; k < m->order; k++)
        IG_TRY(push(m, START, err));
    for (int32_t i = 0; i < in->n; i++) {
        int32_t id;
        IG_TRY(ig_lexicon_add(&m->words, ig_phrase_word(in, i), ig_phrase_length(in, i), &id, err));
        IG_TRY(push_place(&m->all, m->n, err));
        if (m->order > 1)
            IG_TRY(push_place(&m->of[i + 1 == in->n], m->n, err));
        IG_TRY(push(m, id, err));
    }
    return IG_ERR_OK;
}

/* Compares two contexts of n words that end before a and b; returns the sign of the first
 * difference. */
static int compare_contexts(const int32_t *a, const int32_t *b, int n)
{
    for (int k = 1; k <= n; k++)
        if (a[-k] != b[-k])
            return a[-k] < b[-k] ? -1 : 1;
    return 0;
}

/* Merge sort, since qsort has no argument: stable, so that equal contexts keep the text's order. */
static void sort_places(const sample *m, int64_t *place, int64_t *work, int64_t n)
{
    if (n < 2)
        return;
    const int64_t half = n / 2;
    sort_places(m, place, work, half);
    sort_places(m, place + half, work, n - half);
    memcpy(work, place, (size_t)half * sizeof *work);
    for (int64_t i = 0, j = half, to = 0; i < half; to++)
        if (j < n && compare_contexts(m->id + place[j], m->id + work[i], m->order - 1) < 0)
            place[to] = place[j++];
        else
            place[to] = work[i++];
}

static ig_code sample_ready(ig_word_step *s, ig_err *err)
{
    sample *m = s->state;
    IG_OWNED int64_t *work = NULL;
    if (m->order == 1)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&work, m->all.n / 2 + 1, sizeof *work, "text", err));
    sort_places(m, m->all.at, work, m->all.n);
    return IG_ERR_OK;
}

/* Returns the number of positions whose context of n words is before that of `before` (`not_after`:
 * not after it), which ends there. */
static int64_t bound(const sample *m, const int32_t *before, int n, bool not_after)
{
    int64_t from = 0, to = m->all.n;
    while (from < to) {
        const int64_t mid = from + (to - from) / 2;
        const int sign = compare_contexts(m->id + m->all.at[mid], before, n);
        if (sign < 0 || (not_after && sign == 0))
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static int64_t draw(const places *p, int64_t from, int64_t to, ig_rng *r)
{
    return p->at[from + (int64_t)(ig_rng_unit(r) * (double)(to - from))];
}

static bool ends_line(const sample *m, int64_t place)
{
    return place + 1 == m->n || m->id[place + 1] == START;
}

/* Returns the next word's position in the text; `last`: the last of its line. */
static int64_t next_place(const sample *m, const int32_t *before, int context, bool last, ig_rng *r)
{
    for (int n = context; n > 0; n--) {
        const int64_t from = bound(m, before, n, false), to = bound(m, before, n, true);
        if (from == to)
            continue;
        const int64_t place = draw(&m->all, from, to, r);
        if (ends_line(m, place) == last)
            return place;
    }
    const places *rest = context > 0 && m->of[last].n > 0 ? &m->of[last] : &m->all;
    return draw(rest, 0, rest->n, r);
}

static ig_code sample_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                            ig_phrase *out, ig_err *err)
{
    const sample *m = s->state;
    ig_rng r = ig_word_step_rng(s, sentence);
    const int context = m->order - 1;
    int32_t last[2 * N_MAX]; /* the words before, the nearest last */
    for (int k = 0; k < context; k++)
        last[k] = START;
    for (int32_t i = 0; i < in->n && m->all.n > 0; i++) {
        const int32_t id = m->id[next_place(m, last + context, context, i + 1 == in->n, &r)];
        IG_TRY(
            ig_phrase_add(out, ig_lexicon_get(&m->words, id), ig_lexicon_size(&m->words, id), err));
        if (context > 0) {
            memmove(last, last + 1, (size_t)(context - 1) * sizeof *last);
            last[context - 1] = id;
        }
    }
    return IG_ERR_OK;
}

static void sample_free(ig_word_step *s)
{
    sample *m = s->state;
    ig_lexicon_free(&m->words);
    IG_FREE(m->id, m->all.at, m->of[0].at, m->of[1].at);
}

const ig_word_transform ig_word_unigram = {
    .name = "unigram",
    .summary = "every word is drawn from the frequencies of the training text; lines keep their "
               "lengths",
    .training_only = true,
    .state_size = sizeof(sample),
    .begin = sample_begin,
    .see = sample_see,
    .ready = sample_ready,
    .apply = sample_apply,
    .free = sample_free,
};

const ig_word_transform ig_word_ngrams = {
    .name = "ngrams",
    .summary =
        "every word is drawn from those that follow the N − 1 words before it in the training "
        "text, the end of a line being an event; lines keep their lengths",
    .arg = {{IG_ARG_COUNT, "N", 2, 1, N_MAX}},
    .training_only = true,
    .state_size = sizeof(sample),
    .begin = sample_begin,
    .see = sample_see,
    .ready = sample_ready,
    .apply = sample_apply,
    .free = sample_free,
};
