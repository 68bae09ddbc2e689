/* SPDX-License-Identifier: Apache-2.0
 *
 * "hop": the hopping languages of Kallini et al. 2024, "Mission: Impossible Language Models", table
 * 1. A finite verb in the third person of the present becomes its bare form, and a marker of its
 * number comes so many words after it, punctuation not counted: 0 in their NoHop, 4 in WordHop.
 * (Of TokenHop, which counts pieces, words that are one piece are the same.) A marker for which the
 * sentence has too few words comes before its final punctuation; their program leaves such
 * sentences out.
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "base/strings/lexicon.h"

#include <string.h>

/* The singular's and the plural's are those of their program. */
static const char *const marker[] = {"\U0001F142", "\U0001F13F"};

/* A marker on its way: words that it has still to pass. */
typedef struct {
    int32_t left;
    int plural;
} hop;

static bool is_punctuation(const ig_phrase *p, int32_t i)
{
    const int32_t node = p->node[i];
    return node >= 0 && node < p->n_node && strcmp(p->tree[node].upos, "PUNCT") == 0;
}

static ig_code put_marker(ig_phrase *out, int plural, ig_err *err)
{
    return ig_phrase_add(out, marker[plural], (int64_t)strlen(marker[plural]), err);
}

/* Puts the markers that have passed enough words, in their order. */
static ig_code put_ready(ig_phrase *out, hop *wait, int32_t *n, bool all, ig_err *err)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < *n; k++) {
        if (wait[k].left <= 0 || all)
            IG_TRY(put_marker(out, wait[k].plural, err));
        else
            wait[kept++] = wait[k];
    }
    *n = kept;
    return IG_ERR_OK;
}

static ig_code hop_words(const ig_word_step *s, const ig_phrase *in, ig_phrase *out, hop *wait,
                         ig_err *err)
{
    int32_t n_wait = 0, end = in->n; /* end: of the words before final punctuation */
    while (end > 0 && is_punctuation(in, end - 1))
        end--;
    for (int32_t i = 0; i < in->n; i++) {
        const int32_t node = in->node[i];
        const ig_tree_node *t = node >= 0 && node < in->n_node ? &in->tree[node] : NULL;
        if (i == end)
            IG_TRY(put_ready(out, wait, &n_wait, true, err));
        if (t == NULL || t->number == 0)
            IG_TRY(ig_phrase_keep(out, in, i, err));
        else
            IG_TRY(ig_phrase_replace(out, in, i, t->bare, (int64_t)strlen(t->bare), err));
        for (int32_t k = 0; k < n_wait && !is_punctuation(in, i); k++)
            wait[k].left--;
        if (t != NULL && t->number > 0)
            wait[n_wait++] = (hop){(int32_t)s->number[0], t->number == 2};
        IG_TRY(put_ready(out, wait, &n_wait, false, err));
    }
    return put_ready(out, wait, &n_wait, true, err);
}

/* What the training text has of such verbs: whether there is one, and those that are not bare. */
typedef struct {
    bool any;
    ig_lexicon changed;
} verbs;

static ig_code hop_see(ig_word_step *s, const ig_phrase *in, ig_err *err)
{
    verbs *v = s->state;
    int32_t id;
    for (int32_t i = 0; i < in->n; i++) {
        const char *word = ig_phrase_word(in, i);
        if (in->node[i] < 0 || in->node[i] >= in->n_node || in->tree[in->node[i]].number == 0)
            continue;
        v->any = true;
        if (strcmp(in->tree[in->node[i]].bare, word) != 0)
            IG_TRY(ig_lexicon_add(&v->changed, word, ig_phrase_length(in, i), &id, err));
    }
    return IG_ERR_OK;
}

static ig_code hop_ready(ig_word_step *s, ig_err *err)
{
    if (((const verbs *)s->state)->any)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, "hop", 0,
                   "no verb of the training text has Person=3, Tense=Pres, VerbForm=Fin and "
                   "Number=Sing or Plur, expected a treebank with these features");
}

static ig_code hop_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                         ig_phrase *out, ig_err *err)
{
    IG_OWNED hop *wait = NULL;
    (void)sentence;
    IG_TRY(ig_alloc(&wait, in->n, sizeof *wait, "words", err));
    return hop_words(s, in, out, wait, err);
}

static bool hop_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    const verbs *v = s->state;
    memcpy(out, word, strlen(word) + 1);
    return piece || ig_lexicon_find(&v->changed, word, (int64_t)strlen(word)) < 0;
}

static void hop_free(ig_word_step *s)
{
    ig_lexicon_free(&((verbs *)s->state)->changed);
}

const ig_word_transform ig_word_hop = {
    .name = "hop",
    .summary = "a marker of the number of verbs in the present's third person comes WORDS after "
               "them (texts with trees)",
    .arg = {{IG_ARG_COUNT, "WORDS", IG_REQUIRED, 0, 1000}},
    .trees = true,
    .agreement = true,
    .state_size = sizeof(verbs),
    .see = hop_see,
    .ready = hop_ready,
    .apply = hop_apply,
    .map = hop_map,
    .free = hop_free,
};
