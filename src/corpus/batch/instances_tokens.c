/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the tokens of a sequence, for sentences, windows and pairs. Windows of a stream, as XLM
 * divides its text (Conneau & Lample 2019): the sentences of a language in sequence, each followed
 * by [SEP], divided every `block` tokens regardless of sentences. No [CLS]. The end of the stream
 * is a shorter window, unless it would contain only a [SEP].
 */
#include "corpus/batch/instances_parts.h"

#include "base/memory.h"

void ig_write_special(const ig_instances *x, ig_writer *w, int language, int32_t id)
{
    const ig_language *l = ig_corpus_language(x->corpus, language);
    const ig_instance_room *r = w->room;
    const int32_t j = w->n++;
    r->id[j] = id;
    r->pos[j] = l->pos_offset + j - w->pos0;
    r->seg[j] = l->segment + w->segment;
    r->language[j] = language;
    r->key[j] = (ig_token_key){0};
}

int32_t ig_write_content(const ig_instances *x, ig_writer *w, int language, int64_t sentence,
                         int32_t skip, int32_t most)
{
    int32_t id[IG_SEQUENCE_MAX];
    uint32_t origin[IG_SEQUENCE_MAX], word[IG_SEQUENCE_MAX];
    const int32_t n = ig_corpus_content(x->corpus, language, sentence, w->keep, id, origin, word);
    int32_t written = 0;
    for (int32_t j = skip; j < n && written < most; j++, written++) {
        const int32_t at = w->n;
        ig_write_special(x, w, language, id[j]);
        w->room->key[at] = (ig_token_key){.origin = origin[j],
                                          .word = word[j],
                                          .sequence = (uint32_t)sentence | w->use,
                                          .language = (uint32_t)language | w->group << 16};
    }
    return written;
}

int32_t ig_sentence_length(const ig_instances *x, int language, int64_t sentence)
{
    int32_t id[IG_SEQUENCE_MAX];
    uint32_t origin[IG_SEQUENCE_MAX], word[IG_SEQUENCE_MAX];
    return ig_corpus_content(x->corpus, language, sentence, IG_SENTENCE_WHOLE, id, origin, word);
}

/* ---- windows ---- */

ig_code ig_windows_make(ig_windows *w, const ig_instances *x, int language, ig_err *err)
{
    const int64_t n_sentence = ig_corpus_n_sequence(x->corpus, language);
    int64_t have = 0;
    int32_t room = 0, last = 0; /* tokens that still fit into the window; tokens it has */
    *w = (ig_windows){0};
    for (int64_t i = 0; i < n_sentence; i++) {
        const ig_said s = ig_said_of(x, language, i);
        const int32_t n = ig_sentence_length(x, s.language, s.sentence) + 1;
        for (int32_t at = 0; at < n;) {
            if (room == 0) {
                IG_TRY(ig_grow(&w->start, &have, w->n + 1, sizeof *w->start, "windows", err));
                w->start[w->n++] = (ig_window_place){(int32_t)i, at};
                room = x->block;
            }
            const int32_t step = n - at < room ? n - at : room;
            at += step;
            room -= step;
            last = x->block - room;
        }
    }
    if (last == 1 && w->n > 1)
        w->n--;
    return IG_ERR_OK;
}

void ig_windows_write(const ig_instances *x, ig_writer *w, int language, int64_t window)
{
    const int64_t n_sentence = ig_corpus_n_sequence(x->corpus, language);
    const ig_window_place *p = &x->stream[language].start[window];
    int32_t skip = p->skip;
    for (int64_t i = p->sentence; i < n_sentence && w->n < x->block; i++, skip = 0) {
        const ig_said s = ig_said_of(x, language, i);
        /* A sentence said in place of another has draws of its own, beside those of pairs. */
        w->group = s.language == language ? 0 : (uint32_t)(x->options.n_tlm + 1 + language);
        (void)ig_write_content(x, w, s.language, s.sentence, skip, x->block - w->n);
        if (w->n < x->block)
            ig_write_special(x, w, s.language, ig_corpus_language(x->corpus, s.language)->sep);
    }
}
