/* SPDX-License-Identifier: Apache-2.0
 *
 * Words counted and sorted: see word_list.h.
 */
#include "corpus/words/word_list.h"

#include "base/strings/lexicon.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *word;
    int64_t count;
} entry;

static int by_count(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->word, y->word);
}

typedef struct {
    ig_lexicon words;
    int64_t *count, have;
} counted;

static ig_code count_line(counted *c, const char *line, int64_t n, ig_err *err)
{
    for (int64_t from = 0, to = 0; from < n; from = to + 1) {
        int32_t id;
        for (to = from; to < n && line[to] != ' ';)
            to++;
        if (to == from)
            continue;
        IG_TRY(ig_lexicon_add(&c->words, line + from, to - from, &id, err));
        IG_TRY(ig_grow(&c->count, &c->have, c->words.n, sizeof *c->count, "words", err));
        c->count[id]++;
    }
    return IG_ERR_OK;
}

ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, int64_t most,
                     ig_err *err)
{
    static const char special[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    counted c = {0};
    entry *all = NULL;
    const char *line;
    int64_t n = 0, room = (int64_t)sizeof special;
    *out = NULL;
    ig_code code;
    while ((code = next(source, &line, &n, err)) == IG_ERR_OK && line != NULL)
        if ((code = count_line(&c, line, n, err)) != IG_ERR_OK)
            break;
    IG_THEN(code, ig_alloc(&all, c.words.n, sizeof *all, "words", err));
    if (code != IG_ERR_OK)
        goto done;
    for (int32_t i = 0; i < c.words.n; i++) {
        all[i] = (entry){ig_lexicon_get(&c.words, i), c.count[i]};
        room += ig_lexicon_size(&c.words, i) + 1;
    }
    qsort(all, (size_t)c.words.n, sizeof *all, by_count);
    code = ig_alloc(out, room, 1, "vocabulary", err);
    if (code != IG_ERR_OK)
        goto done;
    *size = (int64_t)strlen(special);
    memcpy(*out, special, (size_t)*size);
    for (int64_t i = 0; i < c.words.n && (most <= 0 || i < most - 5); i++) {
        const size_t bytes = strlen(all[i].word);
        memcpy(*out + *size, all[i].word, bytes);
        *size += (int64_t)bytes;
        (*out)[(*size)++] = '\n';
    }
done:
    ig_lexicon_free(&c.words);
    IG_FREE(c.count, all);
    return code;
}
