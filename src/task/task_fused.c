/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes words of CoNLL-U as XTREME's program does (Hu et al. 2020, udpos: ud-conversion-tools with
 * fused forms, then utils_preprocess.py): a multiword token is one word, whose tag is that of its
 * part nearest to the root; of parts that are equally near the one whose tag is first in a list of
 * the language. Spaces and U+200C are removed from words. A sentence is left out if all of its
 * words except at most one are "_".
 */
#include "task/task_fused.h"

#include "base/memory.h"

#include <string.h>

static const char *const common[] = {"VERB",  "NOUN",  "PROPN", "PRON",  "ADJ", "NUM",
                                     "ADV",   "INTJ",  "AUX",   "ADP",   "DET", "PART",
                                     "CCONJ", "SCONJ", "X",     "PUNCT", NULL};
static const char *const spanish[] = {"VERB", "AUX", "PRON", "ADP", "DET", NULL};
static const char *const french[] = {"VERB", "AUX", "PRON", "NOUN",  "ADJ",  "ADV",
                                     "ADP",  "DET", "PART", "SCONJ", "CONJ", NULL};
static const char *const italian[] = {"VERB", "AUX", "ADV", "PRON", "ADP", "DET", "INTJ", NULL};

static const char *const *preferred(const char *language)
{
    return strcmp(language, "es") == 0   ? spanish
           : strcmp(language, "fr") == 0 ? french
           : strcmp(language, "it") == 0 ? italian
                                         : common;
}

static int rank_of(const char *const *list, const char *tag)
{
    int i = 0;
    while (list[i] != NULL && strcmp(list[i], tag) != 0)
        i++;
    return i;
}

void ig_task_fused_free(ig_task_fused *f)
{
    IG_FREE(f->word, f->token);
}

/* Adds the form without the characters that the program deletes. */
static ig_code add_form(ig_task_part *p, const char **out, char *form, ig_err *err)
{
    char *to = form;
    for (const char *from = form; *from != '\0';) {
        const size_t skip = *from == ' ' ? 1 : strncmp(from, "\xE2\x80\x8C", 3) == 0 ? 3 : 0;
        if (skip == 0)
            *to++ = *from;
        from += skip > 0 ? skip : 1;
    }
    return ig_pool_text(p->pool, out, form, (size_t)(to - form), err);
}

ig_code ig_task_fused_word(ig_task_fused *f, ig_task_part *p, const ig_conllu_row *row, ig_err *err)
{
    IG_TRY(ig_grow(&f->word, &f->have_word, f->n_word + 1, sizeof *f->word, "words", err));
    ig_task_word *w = &f->word[f->n_word];
    *w = (ig_task_word){.head = row->head, .line = row->line};
    IG_TRY(add_form(p, &w->form, row->form, err));
    IG_TRY(ig_pool_text(p->pool, &w->label, row->upos, strlen(row->upos), err));
    f->n_word++;
    return IG_ERR_OK;
}

ig_code ig_task_fused_token(ig_task_fused *f, ig_task_part *p, const ig_conllu_row *row,
                            const char *where, ig_err *err)
{
    const int32_t before = f->n_token > 0 ? f->token[f->n_token - 1].to : 0;
    if (row->from != f->n_word + 1 || row->to < row->from || row->from <= before)
        return ig_fail(err, IG_ERR_INPUT, where, row->line,
                       "found a multiword token that does not begin with the next word, expected "
                       "%d-%d or more",
                       (int)f->n_word + 1, (int)f->n_word + 2);
    IG_TRY(ig_grow(&f->token, &f->have_token, f->n_token + 1, sizeof *f->token, "words", err));
    ig_task_token *t = &f->token[f->n_token];
    *t = (ig_task_token){.from = row->from, .to = row->to, .line = row->line};
    IG_TRY(add_form(p, &t->form, row->form, err));
    f->n_token++;
    return IG_ERR_OK;
}

static int depth_of(const ig_task_fused *f, int32_t i)
{
    int depth = 0;
    for (int32_t h = i; h > 0; h = f->word[h - 1].head)
        depth++;
    return depth;
}

/* Returns the part, a 1-based word, whose tag the token gets. The tree has been checked. */
static int32_t head_of(const ig_task_fused *f, const ig_task_token *t, const char *const *list)
{
    int32_t best = t->from;
    for (int32_t i = t->from + 1; i <= t->to; i++) {
        const int a = depth_of(f, i), b = depth_of(f, best);
        if (a < b || (a == b &&
                      rank_of(list, f->word[i - 1].label) < rank_of(list, f->word[best - 1].label)))
            best = i;
    }
    return best;
}

/* Moves words and fused tokens of the sentence, in their order, to the front of f->word. */
static void fuse(ig_task_fused *f, const char *language)
{
    const char *const *list = preferred(language);
    /* Heads first: their tags are read from words that the following loop overwrites. */
    for (int32_t k = 0; k < f->n_token; k++)
        f->token[k].label = f->word[head_of(f, &f->token[k], list) - 1].label;
    int32_t n = 0, k = 0;
    for (int32_t i = 1; i <= f->n_word; n++) {
        const ig_task_token *t = k < f->n_token && f->token[k].from == i ? &f->token[k++] : NULL;
        f->word[n] = f->word[i - 1];
        if (t != NULL)
            f->word[n] = (ig_task_word){.form = t->form, .label = t->label, .line = t->line};
        i = t != NULL ? t->to + 1 : i + 1;
    }
    f->n_word = n;
}

ig_code ig_task_fused_sentence(ig_task_fused *f, ig_task_part *p, const ig_conllu *c,
                               const char *where, ig_err *err)
{
    if (f->n_token > 0) {
        const ig_task_token *last = &f->token[f->n_token - 1];
        if (last->to > f->n_word)
            return ig_fail(err, IG_ERR_INPUT, where, last->line,
                           "found a multiword token of words %d to %d in a sentence of %d",
                           (int)last->from, (int)last->to, (int)f->n_word);
        IG_TRY(ig_conllu_check_tree(c, err));
        fuse(f, p->language);
    }
    int32_t n_hidden = 0;
    for (int32_t i = 0; i < f->n_word; i++)
        n_hidden += strcmp(f->word[i].form, "_") == 0;
    const bool kept = f->n_word > 0 && (n_hidden == 0 || n_hidden < f->n_word - 1);
    for (int32_t i = 0; i < f->n_word && kept; i++)
        IG_TRY(ig_task_part_word(p, &f->word[i], err));
    f->n_word = f->n_token = 0;
    if (kept)
        return ig_task_part_sentence(p, ig_conllu_first_line(c), where, err);
    p->count.read++;
    p->count.without_words++;
    return IG_ERR_OK;
}
