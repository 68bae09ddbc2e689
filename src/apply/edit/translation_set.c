/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the sentences to translate from files, or from a run's own corpus.
 */
#include "apply/edit/translation.h"

#include "base/memory.h"
#include "corpus/read/parallel_text.h"
#include "corpus/read/text_source.h"

#include <string.h>

static ig_code put_id(ig_translation_set *t, int32_t id, ig_err *err)
{
    const int64_t at = t->start[t->n + 1]++;
    IG_TRY(ig_grow(&t->id, &t->have[3], at + 1, sizeof *t->id, "sentences", err));
    t->id[at] = id;
    return IG_ERR_OK;
}

static ig_code put_reference(ig_translation_set *t, const int32_t *id, int32_t n, ig_err *err)
{
    const int64_t at = t->ref_start[t->n + 1];
    IG_TRY(ig_grow(&t->ref, &t->have[4], at + n + 1, sizeof *t->ref, "sentences", err));
    for (int32_t i = 0; i < n; i++) {
        t->ref[at + i] = id[i];
        t->target[id[i]] = true;
    }
    t->ref_start[t->n + 1] += n;
    return IG_ERR_OK;
}

static ig_code put_gold(ig_translation_set *t, int32_t place, int32_t id, ig_err *err)
{
    const int64_t at = t->gold_start[t->n + 1]++;
    IG_TRY(ig_grow(&t->gold, &t->have[5], at + 1, sizeof *t->gold, "sentences", err));
    t->gold[at][0] = place;
    t->gold[at][1] = id;
    return IG_ERR_OK;
}

/* Begins sentence n. */
static ig_code begin(ig_translation_set *t, ig_err *err)
{
    const int64_t n = t->n + 2;
    IG_TRY(ig_grow(&t->start, &t->have[0], n, sizeof *t->start, "sentences", err));
    IG_TRY(ig_grow(&t->ref_start, &t->have[1], n, sizeof *t->ref_start, "sentences", err));
    IG_TRY(ig_grow(&t->gold_start, &t->have[2], n, sizeof *t->gold_start, "sentences", err));
    if (t->n == 0)
        t->start[0] = t->ref_start[0] = t->gold_start[0] = 0;
    t->start[t->n + 1] = t->start[t->n];
    t->ref_start[t->n + 1] = t->ref_start[t->n];
    t->gold_start[t->n + 1] = t->gold_start[t->n];
    return IG_ERR_OK;
}

static ig_code alloc_sets(ig_translation_set *t, const ig_states *s, ig_err *err)
{
    const int32_t v = ig_bert_get_config(ig_states_encoder(s)->model)->vocab_size;
    IG_TRY(ig_alloc(&t->source, v, sizeof *t->source, "pieces", err));
    return ig_alloc(&t->target, v, sizeof *t->target, "pieces", err);
}

/* --- files ----------------------------------------------------------------------------------- */

typedef struct {
    ig_text_source *line[2]; /* line[1] NULL: no reference */
    bool copies;
    ig_tokens *first; /* the source's tokens */
    ig_unknown_pieces unknown[2];
} reader;

static ig_code put_source(ig_translation_set *t, ig_states *s, const char *text, int64_t n,
                          reader *r, ig_err *err)
{
    const ig_language *l = &ig_states_languages(s)->language[t->from].info;
    const ig_tokens *tokens;
    bool cut;
    IG_TRY(ig_states_tokens(&tokens, &cut, s, &(ig_states_sentence){t->from, t->n, text, n}, err));
    *r->first = *tokens;
    t->n_cut += cut;
    IG_TRY(put_id(t, l->cls, err));
    for (int32_t i = 0; i < tokens->n; i++) {
        t->source[tokens->id[i]] = true;
        IG_TRY(put_id(t, tokens->id[i], err));
    }
    return put_id(t, l->sep, err);
}

/* Tokens of the source and of its copy that come from the same piece of the text. */
static ig_code put_links(ig_translation_set *t, const ig_tokens *a, const ig_tokens *b, ig_err *err)
{
    for (int32_t place = 0; place < a->n; place++)
        for (int32_t i = 0; i < a->n_link; i++)
            for (int32_t k = 0; a->link[i][1] == place && k < b->n_link; k++)
                if (b->link[k][0] == a->link[i][0] && b->link[k][1] < b->n)
                    IG_TRY(put_gold(t, place + 1, b->id[b->link[k][1]], err));
    return IG_ERR_OK;
}

/* A sentence and its translation: both there, and of verses the same one. */
static ig_code check_pair(const reader *r, const ig_text_record x[2], ig_err *err)
{
    if ((x[0].text == NULL) != (x[1].text == NULL)) {
        const int ended = x[0].text != NULL;
        return ig_fail(
            err, IG_ERR_INPUT, ig_text_where(r->line[ended]), ig_text_line(r->line[ended]),
            "ends here, expected as many lines as %.200s has", ig_text_where(r->line[1 - ended]));
    }
    if (x[0].id != x[1].id)
        return ig_fail(err, IG_ERR_INPUT, ig_text_where(r->line[1]), ig_text_line(r->line[1]),
                       "found verse %08d, expected %08d, as %.200s has (0: none)", (int)x[1].id,
                       (int)x[0].id, ig_text_where(r->line[0]));
    return IG_ERR_OK;
}

static ig_code put_line(ig_translation_set *t, ig_states *s, reader *r, bool *end, ig_err *err)
{
    ig_text_record x[2] = {{0}};
    const ig_tokens *tokens;
    bool cut;
    for (int i = 0; i < 2 && r->line[i] != NULL; i++)
        IG_TRY(ig_text_next(r->line[i], &x[i], err));
    *end = x[0].text == NULL;
    if (r->line[1] != NULL)
        IG_TRY(check_pair(r, x, err));
    if (*end)
        return IG_ERR_OK;
    IG_TRY(begin(t, err));
    ig_states_watch(s, &r->unknown[0]);
    IG_TRY(put_source(t, s, x[0].text, x[0].n, r, err));
    if (r->line[1] != NULL) {
        ig_states_watch(s, &r->unknown[1]);
        IG_TRY(ig_states_tokens(&tokens, &cut, s,
                                &(ig_states_sentence){t->to, t->n, x[1].text, x[1].n}, err));
        IG_TRY(put_reference(t, tokens->id, tokens->n, err));
        if (r->copies)
            IG_TRY(put_links(t, r->first, tokens, err));
    }
    t->n++;
    return IG_ERR_OK;
}

static ig_code read_lines(ig_translation_set *t, ig_states *s, reader *r,
                          const ig_translation_files *files, ig_err *err)
{
    bool end = false, verses = false;
    if (files->reference != NULL)
        IG_TRY(ig_text_has_verses(&verses, files->text, IG_TEXT_AUTO, err));
    if (files->reference != NULL && !verses)
        IG_TRY(ig_parallel_lines(files->text, files->reference, err));
    IG_TRY(ig_text_open_rows(&r->line[0], files->text, err));
    if (files->reference != NULL)
        IG_TRY(ig_text_open_rows(&r->line[1], files->reference, err));
    IG_TRY(ig_alloc(&r->first, 1, sizeof *r->first, "tokens", err));
    while (!end && (files->take == 0 || t->n < files->take))
        IG_TRY(put_line(t, s, r, &end, err));
    return t->n > 0 ? IG_ERR_OK : ig_fail(err, IG_ERR_INPUT, files->text, 0, "found no sentence");
}

ig_code ig_translation_set_read(ig_translation_set *t, ig_states *s,
                                const ig_translation_files *files, ig_err *err)
{
    const ig_model_languages *l = ig_states_languages(s);
    reader r = {0};
    t->has_reference = files->reference != NULL;
    t->has_gold = r.copies = t->has_reference && strcmp(files->text, files->reference) == 0 &&
                             l->language[t->from].own == NULL && l->language[t->to].own == NULL;
    ig_code code = alloc_sets(t, s, err);
    IG_THEN(code, read_lines(t, s, &r, files, err));
    ig_states_watch(s, NULL);
    IG_THEN(code, ig_states_watched(s, &r.unknown[0], files->text, err));
    IG_THEN(code, ig_states_watched(s, &r.unknown[1],
                                    files->reference != NULL ? files->reference : "", err));
    ig_text_close(r.line[0]);
    ig_text_close(r.line[1]);
    ig_free(r.first);
    return code;
}

/* --- a corpus -------------------------------------------------------------------------------- */

static ig_code put_sequences(ig_translation_set *t, const ig_corpus *c, int64_t i, ig_err *err)
{
    int32_t from[IG_SEQUENCE_MAX], to[IG_SEQUENCE_MAX], pairs[4 * IG_SEQUENCE_MAX];
    const int32_t n = ig_corpus_sequence(c, t->from, i, from),
                  m = ig_corpus_sequence(c, t->to, i, to);
    IG_TRY(begin(t, err));
    for (int32_t k = 0; k < n; k++) {
        t->source[from[k]] = t->source[from[k]] || (k > 0 && k < n - 1);
        IG_TRY(put_id(t, from[k], err));
    }
    IG_TRY(put_reference(t, to + 1, m - 2, err));
    const int32_t n_pair = ig_corpus_gold_alignment(c, t->from, t->to, i, pairs);
    for (int32_t k = 0; k < n_pair; k++)
        IG_TRY(put_gold(t, pairs[2 * k], to[pairs[2 * k + 1]], err));
    t->n++;
    return IG_ERR_OK;
}

ig_code ig_translation_set_corpus(ig_translation_set *t, const ig_states *s, const ig_corpus *c,
                                  int64_t take, ig_err *err)
{
    const int64_t most[2] = {ig_corpus_n_sequence(c, t->from), ig_corpus_n_sequence(c, t->to)};
    const int64_t n = most[0] < most[1] ? most[0] : most[1];
    t->has_reference = t->has_gold = true;
    IG_TRY(alloc_sets(t, s, err));
    for (int64_t i = 0; i < n && (take == 0 || t->n < take); i++)
        if (ig_corpus_parallel(c, t->from, t->to, i))
            IG_TRY(put_sequences(t, c, i, err));
    return t->n > 0 ? IG_ERR_OK
                    : ig_fail(err, IG_ERR_INPUT, ig_corpus_language(c, t->from)->name, 0,
                              "has no sentence parallel to one of %s",
                              ig_corpus_language(c, t->to)->name);
}

void ig_translation_set_free(ig_translation_set *t)
{
    IG_FREE(t->start, t->ref_start, t->gold_start, t->id, t->ref, t->gold, t->source, t->target);
    *t = (ig_translation_set){0};
}
