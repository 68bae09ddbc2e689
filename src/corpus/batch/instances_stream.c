/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of a stream, as XLM divides its text (Conneau & Lample 2019): the sentences of a
 * language in sequence, each followed by [SEP], divided every `block` tokens regardless of
 * sentences. No [CLS]. The end of the stream is a shorter window, unless it would contain only a
 * [SEP].
 */
#include "corpus/batch/instances_parts.h"

#include "base/memory.h"

ig_code ig_windows_make(ig_windows *s, const ig_instances *x, int language, ig_err *err)
{
    const int64_t n_sentence = ig_corpus_n_sequence(x->corpus, language);
    int64_t have = 0;
    int32_t room = 0, last = 0; /* tokens that still fit into the window; tokens it has */
    *s = (ig_windows){0};
    for (int64_t i = 0; i < n_sentence; i++) {
        const int32_t n = ig_sentence_length(x, language, i) + 1;
        for (int32_t at = 0; at < n;) {
            if (room == 0) {
                IG_TRY(ig_grow(&s->start, &have, s->n + 1, sizeof *s->start, "windows", err));
                s->start[s->n++] = (ig_window_place){(int32_t)i, at};
                room = x->block;
            }
            const int32_t step = n - at < room ? n - at : room;
            at += step;
            room -= step;
            last = x->block - room;
        }
    }
    if (last == 1 && s->n > 1)
        s->n--;
    return IG_ERR_OK;
}

void ig_windows_write(const ig_instances *x, ig_writer *w, int language, int64_t window)
{
    const ig_language *l = ig_corpus_language(x->corpus, language);
    const int64_t n_sentence = ig_corpus_n_sequence(x->corpus, language);
    const ig_window_place *p = &x->stream[language].start[window];
    int32_t skip = p->skip;
    for (int64_t i = p->sentence; i < n_sentence && w->n < x->block; i++, skip = 0) {
        (void)ig_write_content(x, w, language, i, skip, x->block - w->n);
        if (w->n < x->block)
            ig_write_special(x, w, language, l->sep);
    }
}
