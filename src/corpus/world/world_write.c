/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a world as files: text, tags and trees a language; alignment and dictionary a pair;
 * world.json. Sentences are made again for every file, which costs less than holding them: memory
 * is that of one sentence, and of the dictionary of one pair.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "corpus/world/world.h"
#include "corpus/world/world_language.h"
#include "corpus/world/world_put.h"
#include "text/train/word_counts.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Two versions of one sentence; too large for a stack of 8 MiB to hold many. */
typedef struct {
    ig_world_tree tree;
    ig_world_words a, b;
    int32_t pairs[2 * IG_WORLD_NODES];
} sentence;

typedef struct {
    const ig_world *w;
    const char *dir;
    const ig_world_write_options *o;
    sentence *s;
} writer;

/* Makes sentence i in one language, or in two: b −1 if there is only one. */
static void make(const writer *f, int64_t i, int a, int b)
{
    ig_world_sentence(f->w, i, &f->s->tree);
    ig_world_linearise(f->w, a, &f->s->tree, &f->s->a);
    if (b >= 0)
        ig_world_linearise(f->w, b, &f->s->tree, &f->s->b);
}

/* Writes the name of a file of one language, or of two. */
static const char *name_of(char out[64], const ig_world *w, int a, int b, const char *suffix)
{
    snprintf(out, 64, "%s%s%s.%s", w->lang[a].profile.name, b < 0 ? "" : "-",
             b < 0 ? "" : w->lang[b].profile.name, suffix);
    return out;
}

static ig_code open_file(ig_out *out, const writer *f, int a, int b, const char *suffix,
                         ig_err *err)
{
    char name[64];
    return ig_out_new_in(out, f->dir, name_of(name, f->w, a, b, suffix), err);
}

static bool has_held_out(const writer *f, int language)
{
    return f->w->lang[language].profile.held_out > 0;
}

enum { TEXT, TAGS, TREES, HELD_OUT };

static ig_code language_write(const writer *f, int language, int kind, ig_err *err)
{
    sentence *s = f->s;
    static const char *const suffix[] = {"txt", "tags", "conllu", "held-out"};
    ig_out out = {0};
    IG_TRY(open_file(&out, f, language, -1, suffix[kind], err));
    for (int64_t i = 0; i < f->o->n_sentence && !ferror(out.fp); i++) {
        make(f, i, language, -1);
        if (kind == TEXT)
            ig_world_text_put(out.fp, &s->a, '\n');
        else if (kind == TAGS)
            ig_world_tags_put(out.fp, &s->tree, &s->a);
        else if (kind == HELD_OUT)
            fprintf(out.fp, "%d\n", ig_world_sentence_held_out(f->w, language, &s->tree));
        else
            ig_world_conllu_put(out.fp, f->w, language, &s->tree, &s->a);
    }
    return ig_out_close(&out, IG_ERR_OK, err);
}

/* A pair of inflected words, as the two forms of one lemma; its bytes are the key of the counts. */
typedef struct {
    int32_t lemma;
    uint32_t form[2];
} form_pair;

static form_pair pair_of(const ig_counted_word *w)
{
    form_pair p;
    memcpy(&p, w->word, sizeof p);
    return p;
}

/* The most frequent first, then by lemma and forms. */
static int by_count(const void *a, const void *b)
{
    const ig_counted_word *x = a, *y = b;
    const form_pair p = pair_of(x), q = pair_of(y);
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (p.lemma != q.lemma)
        return p.lemma < q.lemma ? -1 : 1;
    const int k = p.form[0] == q.form[0];
    return (p.form[k] > q.form[k]) - (p.form[k] < q.form[k]);
}

/* The dictionary, or its part that is held out of a training text of either language. */
static ig_code dictionary_write(const writer *f, int a, int b, const ig_word_counts *c,
                                bool held_out, ig_err *err)
{
    const ig_world *w = f->w;
    IG_OWNED ig_counted_word *list = NULL;
    ig_out out = {0};
    IG_TRY(ig_word_counts_sorted(&list, c, by_count, err));
    ig_code code = open_file(&out, f, a, b, held_out ? "held-out.dict" : "dict", err);
    for (int32_t i = 0; i < c->words.n && code == IG_ERR_OK; i++) {
        const form_pair p = pair_of(&list[i]);
        char x[IG_WORLD_WORD], y[IG_WORLD_WORD];
        if (held_out && !ig_world_held_out(w, a, p.lemma) && !ig_world_held_out(w, b, p.lemma))
            continue;
        ig_world_form_text(w, a, p.lemma, p.form[0], x);
        ig_world_form_text(w, b, p.lemma, p.form[1], y);
        fprintf(out.fp, "%s\t%s\t%lld\t%s\n", x, y, (long long)list[i].count,
                ig_upos_name(ig_world_lemma_upos(w, p.lemma)));
    }
    return ig_out_close(&out, code, err);
}

static ig_code pair_count(const ig_world_tree *t, const ig_world_words *a, const ig_world_words *b,
                          ig_word_counts *dictionary, ig_err *err)
{
    int32_t own[IG_WORLD_NODES];
    for (int i = 0; i < t->n; i++)
        own[i] = -1;
    for (int i = 0; i < b->n; i++)
        own[b->node[i]] = i;
    for (int i = 0; i < a->n; i++) {
        const int k = a->node[i], j = own[k];
        if (j < 0 || t->node[k].upos == IG_UPOS_PUNCT)
            continue;
        const form_pair p = {t->node[k].lemma, {a->form[i], b->form[j]}};
        IG_TRY(ig_word_counts_add(dictionary, (const char *)&p, sizeof p, 1, NULL, err));
    }
    return IG_ERR_OK;
}

static ig_code pair_write(const writer *f, int a, int b, ig_err *err)
{
    const ig_world_write_options *o = f->o;
    sentence *s = f->s;
    ig_out out = {0};
    ig_word_counts dictionary = {0};
    ig_code code = IG_ERR_OK;
    if (o->alignment)
        IG_TRY(open_file(&out, f, a, b, "align", err));
    for (int64_t i = 0; i < o->n_sentence && code == IG_ERR_OK; i++) {
        make(f, i, a, b);
        if (o->alignment) {
            const int n = ig_world_links(&s->a, &s->b, s->tree.n, s->pairs);
            for (int k = 0; k < n; k++)
                fprintf(out.fp, "%s%d-%d", k > 0 ? " " : "", s->pairs[2 * k], s->pairs[2 * k + 1]);
            fputc('\n', out.fp);
        }
        if (o->dictionary)
            code = pair_count(&s->tree, &s->a, &s->b, &dictionary, err);
    }
    if (o->alignment)
        code = ig_out_close(&out, code, err);
    if (code == IG_ERR_OK && o->dictionary)
        code = dictionary_write(f, a, b, &dictionary, false, err);
    if (code == IG_ERR_OK && o->dictionary && (has_held_out(f, a) || has_held_out(f, b)))
        code = dictionary_write(f, a, b, &dictionary, true, err);
    ig_word_counts_free(&dictionary);
    return code;
}

/* The words of a language's sentences, one after another. */
typedef struct {
    const writer *f;
    int language;
    int64_t i; /* the next sentence */
    int k;     /* the next word of the one before it */
} word_source;

static ig_code next_word(void *source, const char **word, int64_t *n, ig_err *err)
{
    word_source *x = source;
    const ig_world_words *s = &x->f->s->a;
    (void)err;
    while (x->k == s->n && x->i < x->f->o->n_sentence) {
        make(x->f, x->i++, x->language, -1);
        x->k = 0;
    }
    *word = x->k < s->n ? s->text[x->k++] : NULL;
    *n = *word != NULL ? (int64_t)strlen(*word) : 0;
    return IG_ERR_OK;
}

/* Writes the words as the lines of a vocab.txt: the five special tokens, then all words, the most
 * frequent first. So a model reads whole words, and every piece is a word of the text. A trained
 * WordPiece vocabulary of a small lexicon is full of intermediate pieces that occur in no text:
 * their rows learn nothing, and no measure should count them as candidates. */
static ig_code vocab_write(const writer *f, int language, ig_err *err)
{
    word_source words = {.f = f, .language = language};
    IG_OWNED char *text = NULL;
    int64_t size;
    f->s->a.n = 0;
    IG_TRY(ig_word_list(&text, &size, next_word, &words, err));
    ig_out out = {0};
    ig_code code = open_file(&out, f, language, -1, "vocab", err);
    IG_THEN(code, ig_out_close(&out, ig_out_write(&out, text, size, err), err));
    return code;
}

/* The text of world.json; freed with free. */
static ig_code settings_text(char **out, const ig_world *w, const ig_world_write_options *o,
                             ig_err *err)
{
    const ig_world_options *p = &w->o;
    json_t *languages = json_array(), *j = NULL;
    for (int i = 0; i < w->n_language; i++) {
        char full[1024];
        ig_world_language_print(&w->lang[i].profile, full, sizeof full);
        json_array_append_new(languages, json_pack("{s:s, s:s}", "name", w->lang[i].profile.name,
                                                   "description", full));
    }
    j = json_pack("{s:i, s:I, s:I, s:o}", "format", 1, "sentences", (json_int_t)o->n_sentence,
                  "seed", (json_int_t)p->seed, "languages", languages);
#define SET_INT(field, key, min, max, help) json_object_set_new(j, key, json_integer(p->field));
#define SET_REAL(field, key, min, max, help) json_object_set_new(j, key, json_real(p->field));
    IG_WORLD_INT_LIST(SET_INT)
    IG_WORLD_REAL_LIST(SET_REAL)
#undef SET_INT
#undef SET_REAL
#define DELETE_ZERO(field, key, min, max, help)                                                    \
    if (p->field == 0)                                                                             \
        json_object_del(j, key);
    IG_WORLD_LATER_LIST(DELETE_ZERO)
#undef DELETE_ZERO
    *out = j != NULL ? ig_json_text(j, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(j);
    return *out != NULL ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_MEMORY, "world.json", 0, "not enough memory for it");
}

/* A world may be written again into its folder; files of another world would be left among its
 * own. */
static ig_code check_folder(const char *dir, const char *settings, ig_err *err)
{
    IG_OWNED char *path = NULL, *have = NULL;
    int64_t n = 0, size = (int64_t)strlen(settings);
    IG_TRY(ig_path_join(&path, dir, "world.json", err));
    if (ig_file_exists(path)) {
        IG_TRY(ig_file_read(&have, &n, path, INT64_MAX - 1, err));
        if (n != size + 1 || memcmp(have, settings, (size_t)size) != 0) {
            ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds another world");
            return ig_hint(err, "choose another --out; %s has the settings of that one", path);
        }
    }
    return IG_ERR_OK;
}

/* Checks before writing that none of the files replaces another's. */
static ig_code check_names(const ig_world *w, const char *dir, ig_err *err)
{
    static const char *const of_one[] = {"txt", "tags", "conllu", "vocab", "held-out"},
                             *const of_two[] = {"align", "dict", "held-out.dict"};
    char name[64];
    for (int a = 0; a < w->n_language; a++) {
        for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
            IG_TRY(ig_out_try_in(dir, name_of(name, w, a, -1, of_one[i]), err));
        for (int b = a + 1; b < w->n_language; b++)
            for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
                IG_TRY(ig_out_try_in(dir, name_of(name, w, a, b, of_two[i]), err));
    }
    return IG_ERR_OK;
}

static ig_code settings_write(const char *dir, const char *text, ig_err *err)
{
    ig_out out = {0};
    IG_TRY(ig_out_new_in(&out, dir, "world.json", err));
    fprintf(out.fp, "%s\n", text);
    return ig_out_close(&out, IG_ERR_OK, err);
}

static ig_code write_all(const ig_world *w, const char *dir, const ig_world_write_options *o,
                         ig_err *err)
{
    IG_TRY(ig_dir_make(dir, err));
    IG_OWNED sentence *s = NULL;
    IG_OWNED char *settings = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    const writer f = {w, dir, o, s};
    IG_TRY(settings_text(&settings, w, o, err));
    IG_TRY(check_folder(dir, settings, err));
    IG_TRY(check_names(w, dir, err));
    for (int a = 0; a < w->n_language; a++) {
        IG_TRY(language_write(&f, a, TEXT, err));
        if (o->tags)
            IG_TRY(language_write(&f, a, TAGS, err));
        if (o->vocab)
            IG_TRY(vocab_write(&f, a, err));
        if (o->trees)
            IG_TRY(language_write(&f, a, TREES, err));
        if (has_held_out(&f, a))
            IG_TRY(language_write(&f, a, HELD_OUT, err));
        for (int b = a + 1; b < w->n_language; b++)
            if (o->alignment || o->dictionary)
                IG_TRY(pair_write(&f, a, b, err));
    }
    return settings_write(dir, settings, err);
}

ig_code ig_world_write(const ig_world *w, const char *dir, const ig_world_write_options *o,
                       ig_err *err)
{
    const bool there = ig_dir_exists(dir);
    ig_code code = write_all(w, dir, o, err);
    if (code != IG_ERR_OK && !there)
        rmdir(dir); /* if nothing was written */
    return code;
}
