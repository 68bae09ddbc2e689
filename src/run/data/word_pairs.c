/* SPDX-License-Identifier: Apache-2.0
 *
 * From dictionaries, treebanks and parallel sentences to pairs of words: see word_pairs.h. Open and
 * closed classes are those of universaldependencies.org; punctuation, symbols and X are in neither.
 */
#include "run/data/word_pairs.h"

#include "base/memory.h"
#include "run/data/language_text.h"
#include "text/lowercase.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const ig_word_group_names[] = {"open", "closed", "noun", "verb", "adverb", "adjective"};

bool ig_word_in_group(const char *tag, int group)
{
    static const char *const of[IG_WORD_GROUPS][9] = {
        {"ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB", NULL},
        {"ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ", NULL},
        {"NOUN", NULL},
        {"VERB", NULL},
        {"ADV", NULL},
        {"ADJ", NULL}};
    for (int i = 0; of[group][i] != NULL; i++)
        if (strcmp(of[group][i], tag) == 0)
            return true;
    return false;
}

typedef struct {
    const ig_data_settings *settings;
    int64_t take;                      /* sentences of the training text; 0: all */
    const ig_language_words *language; /* of the settings */
    int b;
    ig_language_texts *texts;
    ig_word_pipeline pipeline[2]; /* of language 0 and of b */
    ig_word_pairs *out;
    ig_lexicon both; /* "word\1translation", so that each pair is there once */
    bool plain; /* sentences are read before the transforms, which lose where words come from */
    int64_t have_pair, have_tag;
    /* tags of lower-case words, from a treebank */
    ig_lexicon tagged; /* "word\1TAG" … */
    int64_t *n_tagged; /* … and how often */
    int64_t have_tagged;
    ig_lexicon word; /* of those */
    int32_t *best;   /* [word.n] which of `tagged` */
    int64_t have_best;
    ig_lowercase *lower;
} maker;

static bool is_punctuation(const char *word)
{
    for (; *word != '\0'; word++)
        if (!ispunct((unsigned char)*word))
            return false;
    return true;
}

static ig_code add_pair(maker *m, const char *a, const char *b, const char *tag, ig_err *err)
{
    ig_dictionary *d = &m->out->pairs;
    char key[2 * IG_WORD_BYTES + 2];
    int32_t id, x, y;
    if (a[0] == '\0' || b[0] == '\0' || is_punctuation(a) || strcmp(tag, "PUNCT") == 0)
        return IG_ERR_OK;
    const int n = snprintf(key, sizeof key, "%s\1%s", a, b);
    if (n < 0 || (size_t)n >= sizeof key)
        return IG_ERR_OK; /* longer than any word */
    const int32_t n_both = m->both.n;
    IG_TRY(ig_lexicon_add(&m->both, key, n, &id, err));
    if (id < n_both)
        return IG_ERR_OK;
    const int32_t n_word = d->word[0].n;
    IG_TRY(ig_lexicon_add(&d->word[0], a, (int64_t)strlen(a), &x, err));
    IG_TRY(ig_lexicon_add(&d->word[1], b, (int64_t)strlen(b), &y, err));
    IG_TRY(ig_grow(&m->out->tag, &m->have_tag, d->word[0].n, sizeof *m->out->tag, "tags", err));
    if (x == n_word)
        snprintf(m->out->tag[x], sizeof m->out->tag[x], "%.11s", tag);
    IG_TRY(ig_grow(&d->pair, &m->have_pair, 2 * (d->n_pair + 1), sizeof *d->pair, "pairs", err));
    d->pair[2 * d->n_pair] = x;
    d->pair[2 * d->n_pair++ + 1] = y;
    return IG_ERR_OK;
}

/* ---- tags of a treebank ---- */

/* The lower case of a word, valid until the next call. */
static ig_code lower(maker *m, const char **word, int64_t *n, ig_err *err)
{
    *n = (int64_t)strlen(*word);
    return ig_lowercase_text(m->lower, word, n, err);
}

static ig_code see_tree(void *arg, const ig_phrase *p, ig_err *err)
{
    maker *m = arg;
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t node = p->node[i];
        const char *word = ig_phrase_word(p, i);
        char key[IG_WORD_BYTES + 16];
        int32_t id, at;
        int64_t n;
        if (node < 0 || node >= p->n_node || ig_phrase_length(p, i) >= IG_WORD_BYTES)
            continue;
        IG_TRY(lower(m, &word, &n, err));
        const int length = snprintf(key, sizeof key, "%.*s\1%s", (int)n, word, p->tree[node].upos);
        if (length < 0 || (size_t)length >= sizeof key)
            continue;
        IG_TRY(ig_lexicon_add(&m->tagged, key, length, &id, err));
        IG_TRY(
            ig_grow(&m->n_tagged, &m->have_tagged, m->tagged.n, sizeof *m->n_tagged, "tags", err));
        m->n_tagged[id]++;
        const int32_t n_word = m->word.n;
        IG_TRY(ig_lexicon_add(&m->word, word, n, &at, err));
        IG_TRY(ig_grow(&m->best, &m->have_best, m->word.n, sizeof *m->best, "tags", err));
        /* The earlier of equally frequent tags is kept. */
        if (at == n_word || m->n_tagged[id] > m->n_tagged[m->best[at]])
            m->best[at] = id;
    }
    return IG_ERR_OK;
}

static ig_code read_tags(maker *m, ig_err *err)
{
    const char *file = m->language[0].tags;
    if (file[0] == '\0')
        return IG_ERR_OK;
    const ig_file_finder files = ig_language_files(m->settings->data);
    IG_TRY(ig_lowercase_new(&m->lower, err));
    return files.treebank(files.arg, file, see_tree, m, err);
}

/* "": not known. */
static ig_code tag_of(const char **tag, maker *m, const char *word, ig_err *err)
{
    int64_t n;
    *tag = "";
    if (m->lower == NULL)
        return IG_ERR_OK;
    IG_TRY(lower(m, &word, &n, err));
    const int32_t at = ig_lexicon_find(&m->word, word, n);
    if (at >= 0)
        *tag = strchr(ig_lexicon_get(&m->tagged, m->best[at]), '\1') + 1;
    return IG_ERR_OK;
}

/* ---- a dictionary ---- */

/* Adds two words as the transforms spell them. */
static ig_code add_spelt(maker *m, const char *word, const char *translation, const char *tag,
                         ig_err *err)
{
    char a[IG_WORD_BYTES], b[IG_WORD_BYTES];
    return ig_word_pipeline_map(&m->pipeline[0], word, false, a) &&
                   ig_word_pipeline_map(&m->pipeline[1], translation, false, b)
               ? add_pair(m, a, b, tag, err)
               : IG_ERR_OK;
}

static ig_code see_pair(void *arg, const char *word, const char *translation, ig_err *err)
{
    const char *tag;
    IG_TRY(tag_of(&tag, arg, word, err));
    return add_spelt(arg, word, translation, tag, err);
}

static ig_code from_dictionary(maker *m, ig_err *err)
{
    const ig_file_finder files = ig_language_files(m->settings->data);
    return files.dictionary(files.arg, m->language[m->b].gold, see_pair, m, err);
}

/* ---- parallel sentences ---- */

/* The word of the text, or node of the tree, that a word begins with; −1: none. */
static int32_t origin(const ig_phrase *p, int32_t i)
{
    return p->first[i] < p->first[i + 1] ? p->stretch[p->first[i]].from / IG_TRACE_UNIT : -1;
}

static ig_code see_sentences(maker *m, const ig_phrase *a, const ig_phrase *b, ig_err *err)
{
    for (int32_t i = 0; i < a->n; i++) {
        const int32_t from = origin(a, i), node = a->node[i];
        const char *tag = node >= 0 && node < a->n_node ? a->tree[node].upos : "";
        if (tag[0] == '\0')
            IG_TRY(tag_of(&tag, m, ig_phrase_word(a, i), err));
        for (int32_t j = 0; from >= 0 && j < b->n; j++)
            if (origin(b, j) == from)
                IG_TRY((m->plain ? add_spelt : add_pair)(m, ig_phrase_word(a, i),
                                                         ig_phrase_word(b, j), tag, err));
    }
    return IG_ERR_OK;
}

static ig_code from_sentences(maker *m, ig_err *err)
{
    ig_language_text *text[2] = {NULL, NULL};
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++)
        code = ig_language_text_open(&text[x], m->texts, x == 0 ? 0 : m->b, false,
                                     m->plain ? NULL : &m->pipeline[x], err);
    for (int64_t i = 0; code == IG_ERR_OK && (m->take == 0 || i < m->take); i++) {
        const ig_phrase *p[2];
        int64_t number[2];
        for (int x = 0; x < 2 && code == IG_ERR_OK; x++)
            code = ig_language_text_next(text[x], &p[x], NULL, &number[x], err);
        if (code != IG_ERR_OK || p[0] == NULL || p[1] == NULL)
            break;
        code = see_sentences(m, p[0], p[1], err);
    }
    for (int x = 0; x < 2; x++)
        ig_language_text_close(text[x]);
    return code;
}

/* Both say the same sentences, one after the other. */
static bool is_parallel(const maker *m)
{
    const ig_language_words *a = &m->language[0], *b = &m->language[m->b];
    return ig_run_languages_of_world(m->settings->data, a, b) || strcmp(a->text, b->text) == 0;
}

static ig_code make(maker *m, ig_err *err)
{
    const int of[2] = {0, m->b};
    m->language = m->settings->languages->language;
    const bool gold = m->language[m->b].gold[0] != '\0';
    if (!gold && !is_parallel(m)) {
        ig_fail(err, IG_ERR_USAGE, "languages", 0,
                "no dictionary of '%s' and '%s' is known, which word retrieval asks for",
                m->language[0].name, m->language[m->b].name);
        return ig_hint(err, "%s(gold=FILE, …) names one (docs/languages.md)",
                       m->language[m->b].name);
    }
    IG_TRY(ig_language_texts_new(&m->texts, m->settings, err));
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_language_texts_fit(&m->pipeline[x], m->texts, of[x], err));
    IG_TRY(read_tags(m, err));
    IG_TRY(gold ? from_dictionary(m, err) : from_sentences(m, err));
    if (m->out->pairs.n_pair == 0 && !gold) {
        m->plain = true;
        IG_TRY(from_sentences(m, err));
    }
    if (m->out->pairs.n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, m->language[m->b].name, 0,
                       "found no pair of words, expected some to ask for");
    return IG_ERR_OK;
}

ig_code ig_word_pairs_make(ig_word_pairs *out, const ig_data_settings *settings, int64_t take,
                           int b, ig_err *err)
{
    maker m = {.settings = settings, .take = take, .b = b, .out = out};
    *out = (ig_word_pairs){0};
    ig_code code = make(&m, err);
    for (int x = 0; x < 2; x++)
        ig_word_pipeline_free(&m.pipeline[x]);
    ig_language_texts_free(m.texts);
    ig_lexicon_free(&m.both);
    ig_lexicon_free(&m.tagged);
    ig_lexicon_free(&m.word);
    IG_FREE(m.n_tagged, m.best);
    ig_lowercase_free(m.lower);
    return code;
}

void ig_word_pairs_free(ig_word_pairs *p)
{
    ig_dictionary_free(&p->pairs);
    ig_free(p->tag);
    *p = (ig_word_pairs){0};
}

json_t *ig_word_pairs_json(const ig_word_pairs *p)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < p->pairs.n_pair && all != NULL; i++) {
        const int32_t a = p->pairs.pair[2 * i], b = p->pairs.pair[2 * i + 1];
        json_t *tag = p->tag[a][0] != '\0' ? json_string(p->tag[a]) : json_null();
        json_t *one = json_pack("[s, s, o]", ig_lexicon_get(&p->pairs.word[0], a),
                                ig_lexicon_get(&p->pairs.word[1], b), tag);
        if (json_array_append_new(all, one) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}
