/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects a split while it is read: arrays that grow, and are then moved to the task's pool.
 */
#include "task/task_internal.h"

#include "base/memory.h"

#include <string.h>

const char *ig_task_renamed(ig_task_part *p, const char *label)
{
    const ig_yaml *map = p->form->rename;
    for (int i = 0; map != NULL && i < map->n; i++)
        if (strcmp(map->key[i]->text, label) == 0) {
            p->count.renamed++;
            return map->item[i]->text;
        }
    return label;
}

static ig_code add_label(ig_task_part *p, const char *name, int64_t n, uint64_t line, ig_err *err)
{
    const int64_t need = p->n_label + 1;
    IG_TRY(ig_grow(&p->label, &p->have_label, need, sizeof *p->label, "labels", err));
    IG_TRY(
        ig_grow(&p->label_line, &p->have_label_line, need, sizeof *p->label_line, "labels", err));
    p->label[p->n_label] = IG_LABEL_NONE;
    if (name != NULL)
        IG_TRY(ig_lexicon_add(p->name, name, n, &p->label[p->n_label], err));
    p->label_line[p->n_label++] = (int64_t)line;
    return IG_ERR_OK;
}

/* Ends a sentence that is kept. What is left out after it counts to the next. */
static void end_sentence(ig_task_part *p, uint64_t line)
{
    p->line[p->n++] = (int64_t)line;
    if (p->n == p->from)
        p->before = p->count;
    if (p->n == p->to)
        p->within = p->count;
}

ig_code ig_task_part_row(ig_task_part *p, const char *const *text, int n, const char *label,
                         uint64_t line, ig_err *err)
{
    IG_TRY(ig_grow(&p->text, &p->have_text, (p->n + 1) * n, sizeof *p->text, "texts", err));
    IG_TRY(ig_grow(&p->line, &p->have_line, p->n + 1, sizeof *p->line, "texts", err));
    for (int k = 0; k < n; k++)
        IG_TRY(ig_pool_text(p->pool, &p->text[p->n * n + k], text[k], strlen(text[k]), err));
    IG_TRY(add_label(p, label, label != NULL ? (int64_t)strlen(label) : 0, line, err));
    end_sentence(p, line);
    return IG_ERR_OK;
}

ig_code ig_task_part_word(ig_task_part *p, const ig_task_word *w, ig_err *err)
{
    const char *label = ig_task_renamed(p, w->label);
    const bool parsing = p->form->kind == IG_TASK_PARSING,
               none = !parsing && strcmp(label, "_") == 0;
    const int64_t need = p->n_word + 1;
    size_t n_label = strlen(label);
    IG_TRY(ig_grow(&p->word, &p->have_word, need, sizeof *p->word, "words", err));
    IG_TRY(ig_pool_text(p->pool, &p->word[p->n_word], w->form, strlen(w->form), err));
    if (parsing) {
        const size_t colon = strcspn(label, ":");
        IG_TRY(ig_grow(&p->pos, &p->have_pos, need, sizeof *p->pos, "words", err));
        IG_TRY(ig_grow(&p->head, &p->have_head, need, sizeof *p->head, "words", err));
        IG_TRY(ig_pool_text(p->pool, &p->pos[p->n_word], w->pos, strlen(w->pos), err));
        p->head[p->n_word] = w->head;
        if (!p->form->subtypes && colon < n_label) {
            n_label = colon;
            p->count.subtype++;
        }
    }
    p->count.unlabelled += none;
    IG_TRY(add_label(p, none ? NULL : label, (int64_t)n_label, w->line, err));
    p->n_word = need;
    return IG_ERR_OK;
}

ig_code ig_task_part_sentence(ig_task_part *p, uint64_t line, const char *where, ig_err *err)
{
    IG_TRY(ig_grow(&p->first, &p->have_first, p->n + 2, sizeof *p->first, "sentences", err));
    IG_TRY(ig_grow(&p->line, &p->have_line, p->n + 1, sizeof *p->line, "sentences", err));
    const int64_t from = p->first[p->n];
    bool hidden = p->n_word - from > 1;
    for (int64_t i = from; i < p->n_word && hidden; i++)
        hidden = strcmp(p->word[i], "_") == 0;
    p->count.read++;
    if (p->n_word == from || hidden) {
        if (!p->form->skip_without_words) {
            ig_fail(err, IG_ERR_INPUT, where, line, "found a sentence %s, expected words",
                    hidden ? "of nothing but '_'" : "without words");
            return ig_hint(err, "'without_words: skip' in the task leaves such sentences out");
        }
        p->count.without_words++;
        p->n_word = p->n_label = from;
        return IG_ERR_OK;
    }
    end_sentence(p, line);
    p->first[p->n] = p->n_word;
    return IG_ERR_OK;
}

/* Returns the size of a language's prefix, "en:" or "zh-min-nan:", that a word begins with; 0:
 * none. */
static size_t prefix_length(const char *word)
{
    size_t n = 0;
    while ((word[n] >= 'a' && word[n] <= 'z') || (word[n] == '-' && n >= 2))
        n++;
    return n >= 2 && word[n] == ':' ? n + 1 : 0;
}

int64_t ig_task_cut_prefix(const char **word, int64_t n_word)
{
    const size_t n = n_word > 0 ? prefix_length(word[0]) : 0;
    bool all = n > 0;
    for (int64_t i = 1; i < n_word && all; i++)
        all = strncmp(word[i], word[0], n) == 0;
    for (int64_t i = 0; i < n_word && all; i++)
        word[i] += n;
    return all ? n_word : 0;
}

/* Moves items from..from + n − 1 of an array (NULL: none) to its beginning. */
static void to_front(void *items, int64_t from, int64_t n, size_t size)
{
    if (items != NULL)
        memmove(items, (char *)items + (size_t)from * size, (size_t)n * size);
}

/* Leaves the counts of sentences from..to − 1. */
static void counts_cut(ig_task_part *p)
{
    enum { N_COUNT = sizeof p->count / sizeof(int64_t) };
    int64_t count[N_COUNT], before[N_COUNT];
    memcpy(count, p->n >= p->to ? &p->within : &p->count, sizeof count);
    memcpy(before, &p->before, sizeof before);
    for (int i = 0; i < N_COUNT; i++)
        count[i] -= before[i];
    memcpy(&p->count, count, sizeof count);
}

ig_code ig_task_part_cut(ig_task_part *p, const char *where, ig_err *err)
{
    const int64_t from = p->from, to = p->to;
    if (from >= p->n)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "found %lld sentences, expected more than %lld, which dev_from_test takes",
                       (long long)p->n, (long long)from);
    const int64_t n = (to < p->n ? to : p->n) - from,
                  each = ig_task_n_text(p->form->kind) == 2 ? 2 : 1;
    const int64_t label = p->first != NULL ? p->first[from] : from,
                  n_label = p->first != NULL ? p->first[from + n] - label : n;
    counts_cut(p);
    to_front(p->text, from * each, n * each, sizeof *p->text);
    to_front(p->line, from, n, sizeof *p->line);
    to_front(p->label, label, n_label, sizeof *p->label);
    to_front(p->label_line, label, n_label, sizeof *p->label_line);
    to_front(p->word, label, n_label, sizeof *p->word);
    to_front(p->pos, label, n_label, sizeof *p->pos);
    to_front(p->head, label, n_label, sizeof *p->head);
    to_front(p->first, from, n + 1, sizeof *p->first);
    for (int64_t i = 0; p->first != NULL && i <= n; i++)
        p->first[i] -= label;
    p->n = n;
    p->n_label = n_label;
    p->n_word = p->first != NULL ? n_label : 0;
    return IG_ERR_OK;
}

ig_code ig_task_part_finish(ig_task_part *p, ig_task_set *set, ig_err *err)
{
    const ig_task_kind kind = p->form->kind;
    if (kind == IG_TASK_TAGGING)
        p->count.prefix += ig_task_cut_prefix(p->word, p->n_word);
    set->n = p->n;
    set->count = p->count;
    IG_TRY(ig_pool_copy(p->pool, &set->line, p->line, p->n, sizeof *p->line, err));
    IG_TRY(ig_pool_copy(p->pool, &set->label, p->label, p->n_label, sizeof *p->label, err));
    if (ig_task_n_text(kind) > 0)
        return ig_pool_copy(p->pool, &set->text, p->text, p->n * ig_task_n_text(kind),
                            sizeof *p->text, err);
    IG_TRY(ig_pool_copy(p->pool, &set->first, p->first, p->n + 1, sizeof *p->first, err));
    IG_TRY(ig_pool_copy(p->pool, &set->word, p->word, p->n_word, sizeof *p->word, err));
    if (kind == IG_TASK_TAGGING)
        return IG_ERR_OK;
    IG_TRY(ig_pool_copy(p->pool, &set->pos, p->pos, p->n_word, sizeof *p->pos, err));
    return ig_pool_copy(p->pool, &set->head, p->head, p->n_word, sizeof *p->head, err);
}

void ig_task_part_free(ig_task_part *p)
{
    IG_FREE(p->text, p->word, p->pos, p->head, p->first, p->label, p->label_line, p->line);
}
