/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentence pairs as in Google's BERT (Devlin et al. 2019, §3.1 and appendix A.2; K et al. 2020 use
 * it): a document's sentences are gathered until they fill a sequence, divided into two parts at a
 * random sentence, and in half of the cases the second part is replaced by sentences of another
 * document, and the unused ones are used again. One document in ten has shorter pairs. A part that
 * is too long loses tokens at its two ends at random. A document is a range of consecutive
 * sentences of the text.
 */
#include "corpus/batch/instances_parts.h"

#include "base/memory.h"
#include "base/rng.h"

enum { SPECIAL = 3, SHORT_IN = 10, TRIES = 10 };

/* The sentences of a language that have tokens, and their lengths. */
typedef struct {
    int32_t *sentence, *length; /* [n] */
    int64_t n;
} sentences;

/* Documents of all languages: number d of language k begins at sentence d · size[k]. */
typedef struct {
    ig_instances *x;
    sentences *text;     /* [n_language] */
    int64_t *n_document; /* [n_language] */
    int64_t *size;       /* [n_language] */
    int64_t all;         /* documents of all languages */
} library;

int64_t ig_pairs_document(int64_t n_sentence, int64_t requested)
{
    const int64_t least = 32, most = 4096, part = n_sentence / 100;
    return requested > 0 ? requested : part < least ? least : part < most ? part : most;
}

static int64_t document_end(const library *b, int language, int64_t d)
{
    const int64_t end = (d + 1) * b->size[language], n = b->text[language].n;
    return end < n ? end : n;
}

/* Returns sentences from..to−1 of a language as a range, with its tokens. */
static ig_stretch stretch_of(const sentences *t, int64_t from, int64_t to)
{
    ig_stretch s = {.sentence = t->sentence[from]};
    for (int64_t i = from; i < to; i++)
        s.n += t->length[i];
    return s;
}

/* Removes tokens of the longer part at a random end until both fit together. */
static void truncate(ig_stretch part[2], int32_t most, ig_rng *r)
{
    while (part[0].n + part[1].n > most) {
        ig_stretch *longer = part[0].n > part[1].n ? &part[0] : &part[1];
        if (ig_rng_unit(r) < .5)
            longer->skip++;
        longer->n--;
    }
}

/* Returns a range of another document, at least `least` tokens if it has them. */
static ig_stretch random_next(const library *b, int language, int64_t document, int32_t least,
                              ig_rng *r, int16_t *of)
{
    const bool any = b->x->options.next_from == IG_NEXT_ANY;
    int k = language;
    int64_t d = document;
    for (int i = 0; i < TRIES && k == language && d == document; i++) {
        d = ig_rng_below(r, (uint32_t)(any ? b->all : b->n_document[language]));
        for (k = any ? 0 : language; any && d >= b->n_document[k]; k++)
            d -= b->n_document[k];
    }
    const int64_t from = d * b->size[k], end = document_end(b, k, d);
    const int64_t start = from + ig_rng_below(r, (uint32_t)(end - from));
    ig_stretch s = {.sentence = b->text[k].sentence[start]};
    for (int64_t i = start; i < end && (i == start || s.n < least); i++)
        s.n += b->text[k].length[i];
    *of = (int16_t)k;
    return s;
}

static ig_code pair_document(const library *b, int language, int64_t document, ig_rng *r,
                             ig_err *err)
{
    const sentences *t = &b->text[language];
    ig_pairs *out = &b->x->pairs[language];
    const int32_t most = b->x->block - SPECIAL;
    int32_t target = most;
    if (ig_rng_below(r, SHORT_IN) == 0)
        target = 2 + (int32_t)ig_rng_below(r, (uint32_t)most - 1);
    const int64_t end = document_end(b, language, document);
    int32_t length = 0;
    for (int64_t i = document * b->size[language], first = i; i < end; i++) {
        length += t->length[i];
        if (i + 1 < end && length < target)
            continue;
        const int64_t n = i + 1 - first;
        const int64_t cut = first + (n < 2 ? 1 : 1 + ig_rng_below(r, (uint32_t)n - 1));
        ig_pair p = {.part[0] = stretch_of(t, first, cut), .second_language = (int16_t)language};
        p.random = n == 1 || ig_rng_unit(r) < .5;
        if (p.random) {
            p.part[1] =
                random_next(b, language, document, target - p.part[0].n, r, &p.second_language);
            i = cut - 1;
        } else
            p.part[1] = stretch_of(t, cut, i + 1);
        truncate(p.part, most, r);
        IG_TRY(ig_grow(&out->pair, &out->have, out->n + 1, sizeof *out->pair, "pairs", err));
        out->pair[out->n++] = p;
        first = i + 1;
        length = 0;
    }
    return IG_ERR_OK;
}

static ig_code read_language(library *b, int language, ig_err *err)
{
    sentences *t = &b->text[language];
    const int64_t n = ig_corpus_n_sequence(b->x->corpus, language);
    IG_TRY(ig_alloc(&t->sentence, n, sizeof *t->sentence, "sentences", err));
    IG_TRY(ig_alloc(&t->length, n, sizeof *t->length, "sentences", err));
    for (int64_t i = 0; i < n; i++) {
        const int32_t length = ig_sentence_length(b->x, language, i);
        if (length == 0)
            continue;
        t->sentence[t->n] = (int32_t)i;
        t->length[t->n++] = length;
    }
    if (t->n == 0)
        return ig_fail(err, IG_ERR_INPUT, ig_corpus_language(b->x->corpus, language)->name, 0,
                       "no sentence has a token, expected at least one for pairs");
    const int64_t size = ig_pairs_document(t->n, b->x->options.document);
    b->size[language] = size;
    b->n_document[language] = (t->n + size - 1) / size;
    b->all += b->n_document[language];
    return IG_ERR_OK;
}

static ig_code pair_language(const library *b, int language, ig_err *err)
{
    ig_instances *x = b->x;
    ig_pairs *out = &x->pairs[language];
    IG_TRY(ig_alloc(&out->first, (int64_t)x->copies + 1, sizeof *out->first, "pairs", err));
    for (int32_t copy = 0; copy < x->copies; copy++) {
        for (int64_t d = 0; d < b->n_document[language]; d++) {
            ig_rng r = ig_rng_make(x->seed, IG_STREAM_PAIRS,
                                   (uint32_t)language << 16 | (uint32_t)copy, (uint32_t)d);
            IG_TRY(pair_document(b, language, d, &r, err));
        }
        out->first[copy + 1] = out->n;
    }
    return IG_ERR_OK;
}

ig_code ig_pairs_make(ig_instances *x, ig_err *err)
{
    library b = {.x = x};
    ig_code code = ig_alloc(&b.text, x->n_language, sizeof *b.text, "documents", err);
    IG_THEN(code, ig_alloc(&b.n_document, x->n_language, sizeof *b.n_document, "documents", err));
    IG_THEN(code, ig_alloc(&b.size, x->n_language, sizeof *b.size, "documents", err));
    for (int k = 0; k < x->n_language && code == IG_ERR_OK; k++)
        code = read_language(&b, k, err);
    for (int k = 0; k < x->n_language && code == IG_ERR_OK; k++)
        code = pair_language(&b, k, err);
    for (int k = 0; k < x->n_language && b.text != NULL; k++)
        IG_FREE(b.text[k].sentence, b.text[k].length);
    IG_FREE(b.text, b.n_document, b.size);
    return code;
}

static void write_part(const ig_instances *x, ig_writer *w, int language, const ig_stretch *s)
{
    int32_t left = s->n, skip = s->skip;
    for (int64_t i = s->sentence; left > 0; i++) {
        const int32_t n = ig_write_content(x, w, language, i, skip, left);
        left -= n;
        if (n > 0)
            skip = 0;
        else if (skip > 0)
            skip -= ig_sentence_length(x, language, i);
    }
    ig_write_special(x, w, language, ig_corpus_language(x->corpus, language)->sep);
}

void ig_pairs_write(const ig_instances *x, ig_writer *w, int language, int64_t i)
{
    const ig_pair *p = &x->pairs[language].pair[i];
    ig_write_special(x, w, language, ig_corpus_language(x->corpus, language)->cls);
    write_part(x, w, language, &p->part[0]);
    w->segment = 1;
    w->use = p->random ? IG_USE_RANDOM_NEXT : 0;
    write_part(x, w, p->second_language, &p->part[1]);
    *w->room->next = p->random ? 1 : 0;
}
