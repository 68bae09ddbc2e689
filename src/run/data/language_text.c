/* SPDX-License-Identifier: Apache-2.0
 *
 * From a language's description to its sentences: see language_text.h. Development texts of verses
 * that several languages have of their own are joined by the verses' ids, so that they are
 * parallel; so are lines of the same number with --dev-parallel. With tlm, training texts are
 * compared in the same two ways, sentence by sentence where both have as many in a line or verse.
 * Everything else is numbered as it stands.
 */
#include "run/data/language_text.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/named_files.h"
#include "corpus/read/conllu.h"
#include "corpus/read/sentences.h"
#include "corpus/world/world.h"
#include "embed/search/dictionary.h"
#include "text/normalize.h"
#include "text/sentence.h"

#include <stdlib.h>
#include <string.h>

typedef enum { FROM_FILE, FROM_VERSES, FROM_LINES, FROM_TREES, FROM_WORLD } source_kind;

struct ig_language_texts {
    const ig_run_config *config;
    const ig_language_words *language;
    int n;
    ig_chars *chars;
    ig_world *world; /* NULL: no language is a world's */
    int world_of[IG_RUN_MAX_LANGUAGE];
    bool joined; /* development texts are verses, of which `verse` are in all of them; with
                  * --dev-parallel these are the numbers of lines */
    int32_t *verse;
    int64_t n_verse;
};

struct ig_language_text {
    const ig_language_texts *all;
    const ig_language_words *language;
    int number;
    source_kind kind;
    bool dev;
    char *path;
    const char *name; /* of the text: not the path, where files lie makes no other data */
    ig_sentences *sentences;
    ig_text_source *records; /* verses, lines */
    ig_conllu *trees;
    ig_world_tree *tree;
    ig_world_words *words;
    ig_word_pipeline *pipeline;
    int64_t next, most; /* sentences so far; at most (0: all) */
    int64_t number_of;  /* see ig_language_text_number */
    uint64_t numbers;   /* key of the numbers; 0: that of the text */
    ig_phrase phrase;
};

/* ---- files by name ---- */

static ig_code read_dictionary(void *arg, const char *name, ig_pair_fn *each, void *each_arg,
                               ig_err *err)
{
    const ig_run_config *c = arg;
    ig_dictionary d = {0};
    char *path;
    IG_TRY(ig_named_file_find(c->data.files, name, &path, err));
    ig_code code = ig_dictionary_read(&d, path, false, err);
    for (int64_t i = 0; i < d.n_pair && code == IG_ERR_OK; i++)
        code = each(each_arg, ig_lexicon_get(&d.word[0], d.pair[2 * i]),
                    ig_lexicon_get(&d.word[1], d.pair[2 * i + 1]), err);
    if (code == IG_ERR_OK)
        ig_dictionary_free(&d);
    ig_free(path);
    return code;
}

static ig_code read_treebank(void *arg, const char *name, ig_tree_fn *each, void *each_arg,
                             ig_err *err)
{
    const ig_run_config *c = arg;
    ig_conllu *trees = NULL;
    ig_phrase p = {0};
    char *path;
    IG_TRY(ig_named_file_find(c->data.files, name, &path, err));
    ig_code code = ig_conllu_open(&trees, path, err);
    while (code == IG_ERR_OK) {
        code = ig_conllu_next(trees, &p, err);
        if (code == IG_ERR_OK && p.n == 0)
            break;
        if (code == IG_ERR_OK)
            code = each(each_arg, &p, err);
    }
    ig_conllu_close(trees);
    ig_phrase_free(&p);
    ig_free(path);
    return code;
}

ig_file_finder ig_language_files(const ig_run_config *c)
{
    return (ig_file_finder){read_dictionary, read_treebank, (void *)(uintptr_t)c};
}

/* ---- what languages have in common ---- */

static bool is_world(const ig_language_texts *t, int k)
{
    return t->language[k].text[0] == '\0' && t->config->data.text == NULL;
}

/* One world of all languages, so that two with the same words are told. */
static ig_code make_world(ig_language_texts *t, ig_err *err)
{
    ig_world_language language[IG_WORLD_LANGUAGES];
    ig_world_options o;
    char text[IG_RUN_MAX_LANGUAGE * 200] = "";
    int n = 0, n_parsed;
    bool plain = false;
    for (int k = 0; k < t->n; k++) {
        const ig_language_words *l = &t->language[k];
        const size_t at = strlen(text);
        if (!is_world(t, k))
            continue;
        if (!l->world) { /* the run's own text */
            plain = true;
            continue;
        }
        snprintf(text + at, sizeof text - at, "%s%s%s%s", n > 0 ? "; " : "", l->name,
                 l->grammar[0] != '\0' ? ":" : "", l->grammar);
        t->world_of[k] = n++;
    }
    if (plain) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%seng", n > 0 ? "; " : "");
        for (int k = 0; k < t->n; k++)
            if (is_world(t, k) && !t->language[k].world)
                t->world_of[k] = n;
        n++;
    }
    if (n == 0)
        return IG_ERR_OK;
    if (n > IG_WORLD_LANGUAGES)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "%d languages of a world, expected at most %d", n, IG_WORLD_LANGUAGES);
    if (!ig_world_preset(&o, ig_world_preset_names[t->config->data.world]))
        return ig_fail(err, IG_ERR_USAGE, "world", 0, "no such world");
    o.seed = (uint64_t)t->config->data.world_seed;
    IG_TRY(ig_world_languages_parse(language, &n_parsed, text, err));
    return ig_world_new(&t->world, &o, language, n_parsed, err);
}

/* Lines of a file, empty ones too. */
static ig_code count_lines(uint64_t *n, const char *path, ig_text_kind kind, ig_err *err)
{
    ig_text_source *s;
    ig_text_record r;
    ig_code code;
    *n = 0;
    IG_TRY(ig_text_open(&s, path, kind, NULL, err));
    while ((code = ig_text_next(s, &r, err)) == IG_ERR_OK && r.text != NULL)
        ;
    *n = ig_text_line(s);
    ig_text_close(s);
    return code;
}

/* The file of a language's development text in *path; NULL: it has none of its own. */
static ig_code dev_path(const ig_language_texts *t, int k, char **path, ig_err *err)
{
    const ig_language_words *l = &t->language[k];
    *path = NULL;
    if (l->dev[0] != '\0')
        return ig_named_file_find(t->config->data.files, l->dev, path, err);
    if (l->text[0] != '\0' || t->config->data.dev_text == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(path, (int64_t)strlen(t->config->data.dev_text) + 1, 1, "file name", err));
    strcpy(*path, t->config->data.dev_text);
    return IG_ERR_OK;
}

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool is_treebank(const char *path)
{
    return strstr(path, ".conllu") != NULL;
}

static ig_code is_verses(bool *yes, const char *path, int format, ig_err *err)
{
    ig_text_source *s;
    ig_text_record r;
    IG_TRY(ig_text_open(&s, path, (ig_text_kind)format, NULL, err));
    ig_code code = ig_text_next(s, &r, err);
    *yes = code == IG_ERR_OK && r.text != NULL && r.id != 0;
    ig_text_close(s);
    return code;
}

/* The ids of a file of verses, ascending; *id is NULL for another kind of file. */
static ig_code read_ids(const ig_run_config *c, const char *path, int32_t **id, int64_t *n,
                        ig_err *err)
{
    ig_text_source *s;
    ig_text_record r;
    ig_verse_set set;
    int64_t have = 0;
    ig_code code;
    *id = NULL;
    *n = 0;
    bool verses;
    IG_TRY(is_verses(&verses, path, c->data.dev_format, err));
    if (!verses)
        return IG_ERR_OK;
    IG_TRY(ig_verse_set_parse(&set, c->data.dev_ids, err));
    IG_TRY(ig_text_open(&s, path, IG_TEXT_VERSES, &set, err));
    while ((code = ig_text_next(s, &r, err)) == IG_ERR_OK && r.text != NULL) {
        if (ig_text_clean(r.text, r.text, r.n, c->data.strip_quotes) == 0)
            continue;
        code = ig_grow(id, &have, *n + 1, sizeof **id, "verses", err);
        if (code != IG_ERR_OK)
            break;
        (*id)[(*n)++] = r.id;
    }
    ig_text_close(s);
    if (code == IG_ERR_OK && *n > 0)
        qsort(*id, (size_t)*n, sizeof **id, by_value);
    if (code == IG_ERR_OK && *n == 0)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "none of its verses is among the dev-ids");
    return code;
}

/* Keeps of t->verse what is in id, too; the first list is taken as it is. */
static void meet(ig_language_texts *t, int32_t **id, int64_t n, bool first)
{
    if (first) {
        t->verse = *id;
        t->n_verse = n;
        *id = NULL;
        return;
    }
    int64_t kept = 0;
    for (int64_t i = 0, j = 0; i < t->n_verse; i++) {
        while (j < n && (*id)[j] < t->verse[i])
            j++;
        if (j < n && (*id)[j] == t->verse[i])
            t->verse[kept++] = t->verse[i];
    }
    t->n_verse = kept;
}

/* Joins the development texts when they are several files and all of them are verses. */
static ig_code join_verses(ig_language_texts *t, ig_err *err)
{
    bool several = false, all = true, first = true;
    char *path, *before = NULL;
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < t->n && code == IG_ERR_OK; k++) {
        code = dev_path(t, k, &path, err);
        all = all && path != NULL;
        several = several || (before != NULL && path != NULL && strcmp(before, path) != 0);
        ig_free(before);
        before = path;
    }
    ig_free(before);
    if (code != IG_ERR_OK || !several || !all)
        return code;
    for (int k = 0; k < t->n && all; k++) {
        int32_t *id;
        int64_t n;
        IG_TRY(dev_path(t, k, &path, err));
        code = read_ids(t->config, path, &id, &n, err);
        all = id != NULL;
        if (all)
            meet(t, &id, n, first);
        first = false;
        ig_free(id);
        ig_free(path);
        IG_TRY(code);
    }
    t->joined = all;
    if (t->joined && t->n_verse == 0)
        return ig_fail(err, IG_ERR_INPUT, "files", 0,
                       "the development texts have no verse in common");
    return IG_ERR_OK;
}

/* The lines of a plain file that hold something, by their numbers from 0, and how many lines there
 * are. */
static ig_code read_lines(const ig_run_config *c, const char *path, int32_t **id, int64_t *n,
                          uint64_t *n_line, ig_err *err)
{
    ig_text_source *s;
    ig_text_record r;
    int64_t have = 0;
    bool verses;
    ig_code code;
    IG_TRY(is_verses(&verses, path, c->data.dev_format, err));
    if (verses || is_treebank(path))
        return ig_fail(err, IG_ERR_USAGE, "dev-parallel", 0,
                       "%.200s is %s, expected plain text, a sentence a line", path,
                       verses ? "a file of verses" : "a treebank");
    IG_TRY(ig_text_open(&s, path, IG_TEXT_PLAIN, NULL, err));
    while ((code = ig_text_next(s, &r, err)) == IG_ERR_OK && r.text != NULL) {
        if (ig_text_clean(r.text, r.text, r.n, c->data.strip_quotes) == 0)
            continue;
        code = ig_grow(id, &have, *n + 1, sizeof **id, "lines", err);
        if (code == IG_ERR_OK && ig_text_line(s) > INT32_MAX)
            code =
                ig_fail(err, IG_ERR_INPUT, path, ig_text_line(s), "more lines than %d", INT32_MAX);
        if (code != IG_ERR_OK)
            break;
        (*id)[(*n)++] = (int32_t)(ig_text_line(s) - 1);
    }
    *n_line = ig_text_line(s);
    ig_text_close(s);
    return code;
}

/* Development texts that are said to be parallel line by line: each language has one, and they end
 * together. */
static ig_code join_lines(ig_language_texts *t, ig_err *err)
{
    char *path, *first = NULL;
    uint64_t n_line = 0, n_first = 0;
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < t->n && code == IG_ERR_OK; k++) {
        int32_t *id = NULL;
        int64_t n = 0;
        code = dev_path(t, k, &path, err);
        if (code == IG_ERR_OK && path == NULL)
            code = ig_fail(err, IG_ERR_USAGE, "dev-parallel", 0,
                           "language '%s' has no development text, expected one of each",
                           t->language[k].name);
        if (code == IG_ERR_OK)
            code = read_lines(t->config, path, &id, &n, &n_line, err);
        if (code == IG_ERR_OK && k > 0 && n_line != n_first)
            code = ig_fail(err, IG_ERR_INPUT, path, 0,
                           "%llu lines, %.200s has %llu: they are not parallel",
                           (unsigned long long)n_line, first, (unsigned long long)n_first);
        if (code == IG_ERR_OK)
            meet(t, &id, n, k == 0);
        if (k == 0) {
            first = path;
            n_first = n_line;
        } else {
            ig_free(path);
        }
        ig_free(id);
    }
    ig_free(first);
    if (code == IG_ERR_OK && t->n_verse == 0)
        code = ig_fail(err, IG_ERR_INPUT, "dev-parallel", 0,
                       "the development texts have no line in common");
    return code;
}

ig_code ig_language_texts_new(ig_language_texts **out, const ig_run_config *c,
                              const ig_language_words *language, int n, ig_err *err)
{
    ig_language_texts *t;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "languages", err));
    t->config = c;
    t->language = language;
    t->n = n;
    ig_code code = ig_chars_new(&t->chars, false, false, err);
    if (code == IG_ERR_OK)
        code = make_world(t, err);
    if (code == IG_ERR_OK)
        code = c->data.dev_parallel ? join_lines(t, err) : join_verses(t, err);
    if (code != IG_ERR_OK)
        ig_language_texts_free(t);
    else
        *out = t;
    return code;
}

void ig_language_texts_free(ig_language_texts *t)
{
    if (t == NULL)
        return;
    ig_chars_free(t->chars);
    ig_world_free(t->world);
    ig_free(t->verse);
    ig_free(t);
}

/* ---- one language's sentences ---- */

static ig_code open_file(ig_language_text *t, bool own_dev, ig_err *err)
{
    const ig_run_config *c = t->all->config;
    if (is_treebank(t->path)) {
        t->kind = FROM_TREES;
        return ig_conllu_open(&t->trees, t->path, err);
    }
    if (own_dev && c->data.dev_parallel) {
        t->kind = FROM_LINES;
        return ig_text_open(&t->records, t->path, IG_TEXT_PLAIN, NULL, err);
    }
    if (own_dev && t->all->joined) {
        ig_verse_set set;
        t->kind = FROM_VERSES;
        IG_TRY(ig_verse_set_parse(&set, c->data.dev_ids, err));
        return ig_text_open(&t->records, t->path, IG_TEXT_VERSES, &set, err);
    }
    /* Verses are selected of texts that have them: one --ids for all. */
    bool verses = true;
    if (t->language->text[0] != '\0' || t->language->dev[0] != '\0')
        IG_TRY(is_verses(&verses, t->path, own_dev ? c->data.dev_format : c->data.format, err));
    const ig_sentence_options o = {
        .kind = (ig_text_kind)(own_dev ? c->data.dev_format : c->data.format),
        .ids = !verses   ? NULL
               : own_dev ? c->data.dev_ids
                         : c->data.ids,
        .places = c->objective.tlm != NULL && !t->dev,
        .strip_quotes = c->data.strip_quotes,
        .whole_lines = !c->data.sentences,
        .clauses = c->data.clauses};
    return ig_sentences_open(&t->sentences, (const char *const *)&t->path, 1, &o, err);
}

/* Training texts for tlm: verses are numbered by their ids, lines as they stand in the file, where
 * files with as many lines have the same key. */
static ig_code number_records(ig_language_text *t, ig_err *err)
{
    const ig_run_config *c = t->all->config;
    bool verses;
    if (c->objective.tlm == NULL || t->dev || t->sentences == NULL)
        return IG_ERR_OK;
    IG_TRY(is_verses(&verses, t->path, c->data.format, err));
    if (verses) {
        t->numbers = ig_hash("verses", 6, 3);
        return IG_ERR_OK;
    }
    uint64_t n_line;
    IG_TRY(count_lines(&n_line, t->path, (ig_text_kind)c->data.format, err));
    t->numbers = ig_hash(&n_line, sizeof n_line, 3);
    return IG_ERR_OK;
}

/* The name that a text goes by. A development text that an earlier language has under another name
 * goes by that one, so that the two are known to be parallel. */
static ig_code name_text(ig_language_text *t, bool own_dev, ig_err *err)
{
    const ig_language_words *l = t->language;
    t->name = t->dev && l->dev[0] != '\0' ? l->dev : l->text;
    for (int j = 0; own_dev && j < t->number; j++) {
        char *path = NULL;
        if (!is_world(t->all, j))
            IG_TRY(dev_path(t->all, j, &path, err));
        const bool same = path != NULL && strcmp(path, t->path) == 0;
        ig_free(path);
        if (!same)
            continue;
        t->name = t->all->language[j].dev;
        break;
    }
    return IG_ERR_OK;
}

ig_code ig_language_text_open(ig_language_text **out, const ig_language_texts *all, int k, bool dev,
                              ig_word_pipeline *p, ig_err *err)
{
    ig_language_text *t;
    const ig_run_config *c = all->config;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "text", err));
    t->all = all;
    t->language = &all->language[k];
    t->number = k;
    t->dev = dev;
    t->pipeline = p;
    const int64_t sample = ig_run_config_sample(c);
    int64_t take = t->language->take > 0 ? t->language->take : c->data.take;
    if (sample > 0 && (take == 0 || take > sample))
        take = sample;
    t->most = dev ? c->data.dev_take : take;
    ig_code code = IG_ERR_OK;
    bool own_dev = false;
    if (is_world(all, k)) {
        t->kind = FROM_WORLD;
        t->most = dev                                          ? c->data.dev_take
                  : take > 0 && take < c->data.world_sentences ? take
                                                               : c->data.world_sentences;
        code = ig_alloc(&t->tree, 1, sizeof *t->tree, "sentence", err);
        if (code == IG_ERR_OK)
            code = ig_alloc(&t->words, 1, sizeof *t->words, "sentence", err);
    } else {
        if (dev)
            code = dev_path(all, k, &t->path, err);
        own_dev = t->path != NULL;
        if (code == IG_ERR_OK && t->path == NULL && t->language->text[0] != '\0')
            code = ig_named_file_find(c->data.files, t->language->text, &t->path, err);
        else if (code == IG_ERR_OK && t->path == NULL) {
            code = ig_alloc(&t->path, (int64_t)strlen(c->data.text) + 1, 1, "file name", err);
            if (code == IG_ERR_OK)
                strcpy(t->path, c->data.text);
        }
        if (code == IG_ERR_OK)
            code = open_file(t, own_dev, err);
        if (code == IG_ERR_OK)
            code = number_records(t, err);
    }
    if (code == IG_ERR_OK)
        code = name_text(t, own_dev, err);
    if (code != IG_ERR_OK)
        ig_language_text_close(t);
    else
        *out = t;
    return code;
}

void ig_language_text_close(ig_language_text *t)
{
    if (t == NULL)
        return;
    if (t->sentences != NULL)
        ig_sentences_close(t->sentences);
    ig_text_close(t->records);
    ig_conllu_close(t->trees);
    ig_free(t->tree);
    ig_free(t->words);
    ig_free(t->path);
    ig_phrase_free(&t->phrase);
    ig_free(t);
}

/* A sentence of the world: a word covers the nodes that it realises, its own first. */
static ig_code world_sentence(ig_language_text *t, ig_err *err)
{
    const ig_world *w = t->all->world;
    ig_phrase *p = &t->phrase;
    const int64_t first = t->dev ? t->all->config->data.world_sentences : 0;
    ig_world_sentence(w, first + t->next, t->tree);
    ig_world_linearise(w, t->all->world_of[t->number], t->tree, t->words);
    const ig_world_words *s = t->words;
    IG_TRY(ig_grow(&p->tree, &p->have_tree, s->n + 1, sizeof *p->tree, "tree", err));
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t own = s->node[i];
        IG_TRY(ig_phrase_add(p, s->text[i], (int64_t)strlen(s->text[i]), err));
        IG_TRY(ig_phrase_cover_units(p, own * IG_TRACE_UNIT, (own + 1) * IG_TRACE_UNIT, err));
        for (int32_t v = 0; v < t->tree->n; v++)
            if (v != own && s->word_of_node[v] == i)
                IG_TRY(ig_phrase_cover_units(p, v * IG_TRACE_UNIT, (v + 1) * IG_TRACE_UNIT, err));
        ig_tree_node *node = &p->tree[i];
        p->node[i] = i;
        node->head = s->head[i];
        snprintf(node->upos, sizeof node->upos, "%s",
                 ig_upos_name((ig_upos)t->tree->node[own].upos));
        snprintf(node->rel, sizeof node->rel, "%s",
                 ig_deprel_name((ig_deprel)t->tree->node[own].rel));
    }
    p->n_node = s->n;
    return IG_ERR_OK;
}

static bool has_verse(const ig_language_texts *t, int32_t id)
{
    return bsearch(&id, t->verse, (size_t)t->n_verse, sizeof id, by_value) != NULL;
}

/* The next sentence of the source in t->phrase, no words at the end. */
static ig_code next_source(ig_language_text *t, int64_t *number, ig_err *err)
{
    const bool strip = t->all->config->data.strip_quotes;
    *number = t->next;
    IG_TRY(ig_phrase_clear(&t->phrase, err));
    if (t->most > 0 && t->next == t->most)
        return IG_ERR_OK;
    if (t->kind == FROM_WORLD)
        return world_sentence(t, err);
    if (t->kind == FROM_TREES)
        return ig_conllu_next(t->trees, &t->phrase, err);
    while (t->phrase.n == 0) {
        const char *text;
        int64_t n;
        if (t->kind == FROM_VERSES) {
            ig_text_record r;
            do
                IG_TRY(ig_text_next(t->records, &r, err));
            while (r.text != NULL && !has_verse(t->all, r.id));
            text = r.text;
            n = text != NULL ? ig_text_clean(r.text, r.text, r.n, strip) : 0;
            *number = r.id;
        } else if (t->kind == FROM_LINES) {
            ig_text_record r;
            do {
                IG_TRY(ig_text_next(t->records, &r, err));
                *number = (int64_t)ig_text_line(t->records) - 1;
            } while (r.text != NULL && !has_verse(t->all, (int32_t)*number));
            text = r.text;
            n = text != NULL ? ig_text_clean(r.text, r.text, r.n, strip) : 0;
        } else {
            IG_TRY(ig_sentences_next(t->sentences, &text, &n, err));
        }
        if (text == NULL)
            return IG_ERR_OK;
        IG_TRY(ig_phrase_read(&t->phrase, t->all->chars, text, n, err));
    }
    return IG_ERR_OK;
}

ig_code ig_language_text_next(ig_language_text *t, const ig_phrase **out, const ig_phrase **source,
                              int64_t *number, ig_err *err)
{
    *out = NULL;
    IG_TRY(next_source(t, number, err));
    if (t->phrase.n == 0)
        return IG_ERR_OK;
    t->number_of = t->numbers == 0 ? *number : ig_sentences_place(t->sentences);
    t->next++;
    if (source != NULL)
        *source = &t->phrase;
    *out = &t->phrase;
    if (t->pipeline == NULL)
        return IG_ERR_OK;
    t->pipeline->development = t->dev;
    /* Training and development draw apart. */
    return ig_word_pipeline_run(t->pipeline, t->dev ? *number | INT32_MIN : *number, &t->phrase,
                                out, err);
}

uint64_t ig_language_text_key(const ig_language_text *t)
{
    const uint64_t h = ig_hash(&t->dev, sizeof t->dev, 1);
    return ig_hash(t->name, (int64_t)strlen(t->name), h);
}

int64_t ig_language_text_number(const ig_language_text *t)
{
    return t->number_of;
}

uint64_t ig_language_text_numbers(const ig_language_text *t)
{
    return t->numbers != 0          ? t->numbers
           : t->kind == FROM_VERSES ? ig_hash("verses", 6, 2)
           : t->kind == FROM_LINES  ? ig_hash("lines", 5, 2)
                                    : ig_language_text_key(t);
}

const char *ig_language_text_where(const ig_language_text *t)
{
    return t->path != NULL ? t->path : t->language->name;
}

/* A transform that reads trees does nothing to a text without: that is told. */
static ig_code check_trees(const ig_word_pipeline *p, const ig_language_texts *t, int k,
                           ig_err *err)
{
    const ig_word_transform *needs = ig_word_pipeline_trees(p);
    const ig_language_words *l = &t->language[k];
    char *path = NULL;
    if (needs == NULL || is_world(t, k))
        return IG_ERR_OK;
    if (l->text[0] != '\0')
        IG_TRY(ig_named_file_find(t->config->data.files, l->text, &path, err));
    const bool trees = is_treebank(path != NULL ? path : t->config->data.text);
    ig_free(path);
    if (trees)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                   "transform '%s' reads trees, expected a text in CoNLL-U (*.conllu) or a "
                   "generated world",
                   needs->name);
}

ig_code ig_language_texts_fit(ig_word_pipeline *p, const ig_language_texts *t, int k, ig_err *err)
{
    const ig_file_finder files = ig_language_files(t->config);
    const ig_language_words *l = &t->language[k];
    IG_TRY(ig_word_pipeline_parse(p, l->words, l->name, l->at_words, err));
    IG_TRY(check_trees(p, t, k, err));
    IG_TRY(ig_word_pipeline_begin(p, (uint64_t)t->config->languages.transform_seed, l->name, &files,
                                  err));
    for (int step = ig_word_pipeline_sees(p, 0); step < p->n;
         step = ig_word_pipeline_sees(p, step + 1)) {
        ig_language_text *text;
        const ig_phrase *s;
        int64_t number;
        IG_TRY(ig_language_text_open(&text, t, k, false, NULL, err));
        ig_code code;
        while ((code = ig_language_text_next(text, &s, NULL, &number, err)) == IG_ERR_OK &&
               s != NULL)
            if ((code = ig_word_pipeline_see(p, step, number, s, err)) != IG_ERR_OK)
                break;
        ig_language_text_close(text);
        if (code == IG_ERR_OK)
            code = ig_word_pipeline_ready(p, step, err);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}
