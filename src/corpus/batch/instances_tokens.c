/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the tokens of a sequence, for sentences, windows and pairs.
 */
#include "corpus/batch/instances_parts.h"

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
