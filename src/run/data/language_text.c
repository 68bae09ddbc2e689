/* SPDX-License-Identifier: Apache-2.0
 *
 * From a language's description to its sentences: see language_text.h. Development texts that are
 * joined (run/data/dev_texts.h) are numbered by what they are joined by. With tlm, training texts
 * are compared in the same two ways, sentence by sentence where both have as many in a line or
 * verse. Everything else is numbered as it stands.
 */
#include "run/data/language_text.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/format/conllu.h"
#include "corpus/read/parallel_text.h"
#include "corpus/read/sentences.h"
#include "corpus/world/world.h"
#include "embed/search/dictionary.h"
#include "run/data/dev_texts.h"
#include "text/normalize.h"
#include "text/sentence.h"

#include <string.h>

typedef enum { FROM_FILE, FROM_VERSES, FROM_LINES, FROM_TREES, FROM_WORLD } source_kind;

struct ig_language_texts {
    ig_data_settings settings;
    const ig_language_words *language; /* [n] of the settings */
    int n;
    ig_chars *chars;
    ig_world *world; /* NULL: no language is a world's */
    int world_of[IG_RUN_MAX_LANGUAGE];
    ig_dev_texts dev;
    bool whole_lines; /* no words are transformed, and all languages have one vocabulary */
};

struct ig_language_text {
    const ig_language_texts *all;
    const ig_language_words *language;
    int number;
    source_kind kind;
    bool dev, whole;
    const char *path; /* NULL: none, sentences are generated */
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
    const char *line; /* [n_line] the sentence as its file has it; NULL: generated, or a tree's */
    int64_t n_line;
};

/* ---- files by name ---- */

static ig_code read_dictionary(void *arg, const char *name, ig_pair_fn *each, void *each_arg,
                               ig_err *err)
{
    const ig_run_data *d = arg;
    ig_dictionary pairs = {0};
    const char *path;
    IG_TRY(ig_named_files_find(&path, &d->named, name, err));
    ig_code code = ig_dictionary_read(&pairs, path, false, err);
    for (int64_t i = 0; i < pairs.n_pair && code == IG_ERR_OK; i++)
        code = each(each_arg, ig_lexicon_get(&pairs.word[0], pairs.pair[2 * i]),
                    ig_lexicon_get(&pairs.word[1], pairs.pair[2 * i + 1]), err);
    if (code == IG_ERR_OK)
        ig_dictionary_free(&pairs);
    return code;
}

static ig_code read_treebank(void *arg, const char *name, ig_tree_fn *each, void *each_arg,
                             ig_err *err)
{
    const ig_run_data *d = arg;
    ig_conllu *trees = NULL;
    ig_phrase p = {0};
    const char *path;
    IG_TRY(ig_named_files_find(&path, &d->named, name, err));
    ig_code code = ig_conllu_open(&trees, path, err);
    while (code == IG_ERR_OK) {
        code = ig_conllu_next(trees, &p, err);
        if (code == IG_ERR_OK && p.n == 0)
            break;
        IG_THEN(code, each(each_arg, &p, err));
    }
    ig_conllu_close(trees);
    ig_phrase_free(&p);
    return code;
}

ig_file_finder ig_language_files(const ig_run_data *d)
{
    return (ig_file_finder){read_dictionary, read_treebank, (void *)(uintptr_t)d};
}

/* ---- what languages have in common ---- */

static bool is_world(const ig_language_texts *t, int k)
{
    return t->language[k].text[0] == '\0' && t->settings.data->text == NULL;
}

ig_code ig_run_world_new(ig_world **out, const ig_run_data *d, const char *languages, ig_err *err)
{
    ig_world_options o;
    ig_world_language language[IG_WORLD_LANGUAGES];
    int n;
    IG_ASSERT(ig_world_preset(&o, ig_world_preset_names[d->world]));
    o.seed = (uint64_t)d->world_seed;
    IG_TRY(ig_world_languages_parse(language, &n, languages, err));
    return ig_world_new(out, &o, language, n, err);
}

/* Makes one world of all languages, so that two with the same words are noticed. */
static ig_code make_world(ig_language_texts *t, ig_err *err)
{
    char text[IG_RUN_MAX_LANGUAGE * 200] = "";
    int n = 0;
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
    return ig_run_world_new(&t->world, t->settings.data, text, err);
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

/* The file of a language's training text: its own, or the run's. */
static ig_code training_path(const char **path, const ig_run_data *d, const ig_language_words *l,
                             ig_err *err)
{
    *path = d->text;
    return l->text[0] != '\0' ? ig_named_files_find(path, &d->named, l->text, err) : IG_ERR_OK;
}

/* Two languages of different texts: one file for both, or lines that tlm cannot pair. */
static ig_code check_pair(const ig_language_texts *t, int a, int b, bool tlm, ig_err *err)
{
    const ig_language_words *x = &t->language[a], *y = &t->language[b];
    const ig_run_data *d = t->settings.data;
    const char *path[2];
    bool verses = false;
    if ((x->text[0] == '\0' && y->text[0] == '\0') || is_world(t, a) || is_world(t, b))
        return IG_ERR_OK;
    IG_TRY(training_path(&path[0], d, x, err));
    IG_TRY(training_path(&path[1], d, y, err));
    if (strcmp(x->words, y->words) == 0 && strcmp(x->pipeline, y->pipeline) == 0 &&
        ig_same_content(path[0], path[1]))
        ig_warn_once("languages '%s' and '%s' have one text, %s, and it is transformed in neither "
                     "or alike",
                     x->name, y->name, path[0]);
    for (int i = 0; i < 2 && tlm && !verses; i++) {
        IG_TRY(ig_text_has_verses(&verses, path[i], d->format, err));
        verses = verses || ig_text_has_trees(path[i]);
    }
    return tlm && !verses ? ig_parallel_lines(path[0], path[1], err) : IG_ERR_OK;
}

static ig_code check_pairs(const ig_language_texts *t, ig_err *err)
{
    const ig_run_objective *o = t->settings.objective;
    for (int a = 0; a < t->n; a++)
        for (int b = a + 1; b < t->n; b++)
            IG_TRY(check_pair(t, a, b, false, err));
    for (int i = 0; o != NULL && i < o->batching.n_tlm; i++)
        IG_TRY(check_pair(t, o->batching.tlm[i].a, o->batching.tlm[i].b, true, err));
    return IG_ERR_OK;
}

ig_code ig_language_texts_new(ig_language_texts **out, const ig_data_settings *settings,
                              ig_err *err)
{
    ig_language_texts *t;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "languages", err));
    t->settings = *settings;
    t->language = settings->languages->language;
    t->n = settings->languages->n;
    t->whole_lines = true;
    for (int k = 0; k < t->n; k++)
        t->whole_lines =
            t->whole_lines && t->language[k].words[0] == '\0' && t->language[k].vocab[0] == '\0';
    ig_code code = ig_chars_new(&t->chars, &(ig_chars_rules){0}, err);
    IG_THEN(code, make_world(t, err));
    IG_THEN(code, check_pairs(t, err));
    IG_THEN(code, ig_dev_texts_join(&t->dev, settings->data, t->language, t->n, err));
    IG_RETURN_NEW(code, out, t, ig_language_texts_free);
}

void ig_language_texts_free(ig_language_texts *t)
{
    if (t == NULL)
        return;
    ig_chars_free(t->chars);
    ig_world_free(t->world);
    ig_dev_texts_free(&t->dev);
    ig_free(t);
}

/* ---- one language's sentences ---- */

static ig_code open_file(ig_language_text *t, bool own_dev, ig_err *err)
{
    const ig_run_data *d = t->all->settings.data;
    if (ig_text_has_trees(t->path)) {
        t->kind = FROM_TREES;
        return ig_conllu_open(&t->trees, t->path, err);
    }
    if (own_dev && d->dev_parallel) {
        t->kind = FROM_LINES;
        return ig_text_open(&t->records, t->path, IG_TEXT_PLAIN, NULL, err);
    }
    if (own_dev && t->all->dev.joined) {
        t->kind = FROM_VERSES;
        return ig_text_open(&t->records, t->path, IG_TEXT_VERSES, &d->dev_verses, err);
    }
    /* Verses are selected of texts that have them: one --ids for all. */
    bool verses = true;
    if (t->language->text[0] != '\0' || t->language->dev[0] != '\0')
        IG_TRY(ig_text_has_verses(&verses, t->path, own_dev ? d->dev_format : d->format, err));
    ig_sentence_options o = ig_run_data_sentences(d, own_dev);
    if (!verses)
        o.verses.n = 0;
    o.take = 0; /* counted in next_source */
    o.places = ig_run_objective_parallel(t->all->settings.objective) && !t->dev;
    return ig_sentences_open(&t->sentences, &t->path, 1, &o, err);
}

/* Training texts for tlm or mixed documents: verses are numbered by their ids, lines as they stand
 * in the file, where files with as many lines have the same key. */
static ig_code number_records(ig_language_text *t, ig_err *err)
{
    const ig_data_settings *c = &t->all->settings;
    bool verses;
    if (!ig_run_objective_parallel(c->objective) || t->dev || t->sentences == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_text_has_verses(&verses, t->path, c->data->format, err));
    if (verses) {
        t->numbers = ig_hash("verses", 6, 3);
        return IG_ERR_OK;
    }
    uint64_t n_line;
    IG_TRY(count_lines(&n_line, t->path, (ig_text_kind)c->data->format, err));
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
        const char *path = NULL;
        if (!is_world(t->all, j))
            IG_TRY(ig_dev_text_path(&path, t->all->settings.data, &t->all->language[j], err));
        if (path == NULL || strcmp(path, t->path) != 0)
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
    const ig_run_data *d = all->settings.data;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "text", err));
    t->all = all;
    t->language = &all->language[k];
    t->number = k;
    t->dev = dev;
    t->pipeline = p;
    const int64_t take = ig_data_settings_take(&all->settings, t->language->take);
    t->most = dev ? d->dev_take : take;
    ig_code code = IG_ERR_OK;
    bool own_dev = false;
    if (is_world(all, k)) {
        t->kind = FROM_WORLD;
        t->most = dev                                     ? d->dev_take
                  : take > 0 && take < d->world_sentences ? take
                                                          : d->world_sentences;
        code = ig_alloc(&t->tree, 1, sizeof *t->tree, "sentence", err);
        IG_THEN(code, ig_alloc(&t->words, 1, sizeof *t->words, "sentence", err));
    } else {
        if (dev)
            code = ig_dev_text_path(&t->path, d, t->language, err);
        own_dev = t->path != NULL;
        if (code == IG_ERR_OK && t->path == NULL)
            code = training_path(&t->path, d, t->language, err);
        IG_THEN(code, open_file(t, own_dev, err));
        IG_THEN(code, number_records(t, err));
    }
    IG_THEN(code, name_text(t, own_dev, err));
    IG_RETURN_NEW(code, out, t, ig_language_text_close);
}

void ig_language_text_close(ig_language_text *t)
{
    if (t == NULL)
        return;
    if (t->sentences != NULL)
        ig_sentences_close(t->sentences);
    ig_text_close(t->records);
    ig_conllu_close(t->trees);
    IG_FREE(t->tree, t->words);
    ig_phrase_free(&t->phrase);
    ig_free(t);
}

/* The next sentence of the world into t->tree; a training text goes past those with words that are
 * held out of it. false: there is none. */
static bool world_tree(ig_language_text *t)
{
    const ig_world *w = t->all->world;
    const int64_t first = t->dev ? t->all->settings.data->world_sentences : 0;
    for (; t->most == 0 || t->next < t->most; t->next++) {
        ig_world_sentence(w, first + t->next, t->tree);
        if (t->dev || t->whole ||
            !ig_world_sentence_held_out(w, t->all->world_of[t->number], t->tree))
            return true;
    }
    return false;
}

/* A sentence of the world: a word covers the nodes that it realises, its own first. */
static ig_code world_sentence(ig_language_text *t, ig_err *err)
{
    const ig_world *w = t->all->world;
    ig_phrase *p = &t->phrase;
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
        node->number =
            ig_world_verb_number(w, t->all->world_of[t->number], t->tree, s, i, node->bare);
    }
    p->n_node = s->n;
    return IG_ERR_OK;
}

/* The next sentence of the source in t->phrase, no words at the end. */
static ig_code next_source(ig_language_text *t, int64_t *number, ig_err *err)
{
    const bool strip = t->all->settings.data->strip_quotes;
    IG_TRY(ig_phrase_clear(&t->phrase, err));
    t->line = NULL;
    const bool some = t->kind == FROM_WORLD ? world_tree(t) : t->most == 0 || t->next != t->most;
    *number = t->next;
    if (!some)
        return IG_ERR_OK;
    if (t->kind == FROM_WORLD)
        return world_sentence(t, err);
    if (t->kind == FROM_TREES)
        return ig_conllu_next(t->trees, &t->phrase, err);
    while (t->phrase.n == 0) {
        const char *text;
        int64_t n;
        if (t->kind == FROM_VERSES || t->kind == FROM_LINES) {
            ig_text_record r;
            do {
                IG_TRY(ig_text_next(t->records, &r, err));
                *number = t->kind == FROM_VERSES ? r.id : (int64_t)ig_text_line(t->records) - 1;
            } while (r.text != NULL && !ig_dev_texts_have(&t->all->dev, (int32_t)*number));
            text = r.text;
            n = text != NULL ? ig_text_clean(r.text, r.text, r.n, strip) : 0;
        } else {
            IG_TRY(ig_sentences_next(t->sentences, &text, &n, err));
        }
        if (text == NULL)
            return IG_ERR_OK;
        IG_TRY(ig_phrase_read(&t->phrase, t->all->chars, text, n, err));
        t->line = text;
        t->n_line = n;
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

const char *ig_language_text_line(const ig_language_text *t, int64_t *n)
{
    *n = t->n_line;
    return t->all->whole_lines ? t->line : NULL;
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

void ig_language_text_whole(ig_language_text *t)
{
    t->whole = true;
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

ig_code ig_language_texts_fit(ig_word_pipeline *p, const ig_language_texts *t, int k, ig_err *err)
{
    const ig_file_finder files = ig_language_files(t->settings.data);
    const ig_language_words *l = &t->language[k];
    IG_TRY(ig_word_pipeline_parse(p, l->words, l->name, l->at_words, err));
    IG_TRY(ig_word_pipeline_begin(p, (uint64_t)t->settings.languages->transform_seed, l->name,
                                  &files, err));
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
        IG_THEN(code, ig_word_pipeline_ready(p, step, err));
        IG_TRY(code);
    }
    return IG_ERR_OK;
}
