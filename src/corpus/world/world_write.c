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
#include <stdlib.h>
#include <string.h>

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

enum { TEXT, TAGS, TREES };

static ig_code language_write(const writer *f, int language, int kind, ig_err *err)
{
    const ig_world *w = f->w;
    sentence *s = f->s;
    static const char *const suffix[] = {"txt", "tags", "conllu"};
    char name[64];
    snprintf(name, sizeof name, "%s.%s", w->lang[language].profile.name, suffix[kind]);
    ig_out out = {0};
    IG_TRY(ig_out_new_in(&out, f->dir, name, err));
    for (int64_t i = 0; i < f->o->n_sentence && !ferror(out.fp); i++) {
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, language, &s->tree, &s->a);
        if (kind == TEXT)
            ig_world_text_put(out.fp, &s->a, '\n');
        else if (kind == TAGS)
            ig_world_tags_put(out.fp, &s->tree, &s->a);
        else
            ig_world_conllu_put(out.fp, w, language, &s->tree, &s->a);
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

static ig_code dictionary_write(const writer *f, int a, int b, const ig_word_counts *c, ig_err *err)
{
    const ig_world *w = f->w;
    ig_counted_word *list;
    char name[64];
    snprintf(name, sizeof name, "%s-%s.dict", w->lang[a].profile.name, w->lang[b].profile.name);
    ig_out out = {0};
    IG_TRY(ig_word_counts_sorted(&list, c, by_count, err));
    ig_code code = ig_out_new_in(&out, f->dir, name, err);
    for (int32_t i = 0; i < c->words.n && code == IG_ERR_OK; i++) {
        const form_pair p = pair_of(&list[i]);
        char x[IG_WORLD_WORD], y[IG_WORLD_WORD];
        ig_world_form_text(w, a, p.lemma, p.form[0], x);
        ig_world_form_text(w, b, p.lemma, p.form[1], y);
        fprintf(out.fp, "%s\t%s\t%lld\t%s\n", x, y, (long long)list[i].count,
                ig_upos_name(ig_world_lemma_upos(w, p.lemma)));
    }
    ig_free(list);
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
    const ig_world *w = f->w;
    const ig_world_write_options *o = f->o;
    sentence *s = f->s;
    char name[64];
    snprintf(name, sizeof name, "%s-%s.align", w->lang[a].profile.name, w->lang[b].profile.name);
    ig_out out = {0};
    ig_word_counts dictionary = {0};
    ig_code code = IG_ERR_OK;
    if (o->alignment)
        IG_TRY(ig_out_new_in(&out, f->dir, name, err));
    for (int64_t i = 0; i < o->n_sentence && code == IG_ERR_OK; i++) {
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, a, &s->tree, &s->a);
        ig_world_linearise(w, b, &s->tree, &s->b);
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
        code = dictionary_write(f, a, b, &dictionary, err);
    ig_word_counts_free(&dictionary);
    return code;
}

static ig_code vocab_write(const writer *f, int language, ig_err *err)
{
    const ig_world *w = f->w;
    char name[64], *text = NULL;
    int64_t size;
    snprintf(name, sizeof name, "%s.vocab", w->lang[language].profile.name);
    IG_TRY(ig_world_vocab(w, language, f->o->n_sentence, &text, &size, err));
    ig_out out = {0};
    ig_code code = ig_out_new_in(&out, f->dir, name, err);
    IG_THEN(code, ig_out_close(&out, ig_out_write(&out, text, size, err), err));
    ig_free(text);
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
    char *path = NULL, *have = NULL;
    int64_t n = 0, size = (int64_t)strlen(settings);
    IG_TRY(ig_path_join(&path, dir, "world.json", err));
    ig_code code = IG_ERR_OK;
    if (ig_file_exists(path)) {
        code = ig_file_read(&have, &n, path, INT64_MAX - 1, err);
        if (code == IG_ERR_OK && (n != size + 1 || memcmp(have, settings, (size_t)size) != 0)) {
            code = ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds another world");
            ig_hint(err, "choose another --out; %s has the settings of that one", path);
        }
    }
    IG_FREE(have, path);
    return code;
}

/* Checks before writing that none of the files replaces another's. */
static ig_code check_names(const ig_world *w, const char *dir, ig_err *err)
{
    static const char *const of_one[] = {"txt", "tags", "conllu", "vocab"}, *const of_two[] = {
                                                                                "align", "dict"};
    char name[64];
    for (int a = 0; a < w->n_language; a++) {
        for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++) {
            snprintf(name, sizeof name, "%s.%s", w->lang[a].profile.name, of_one[i]);
            IG_TRY(ig_out_try_in(dir, name, err));
        }
        for (int b = a + 1; b < w->n_language; b++)
            for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++) {
                snprintf(name, sizeof name, "%s-%s.%s", w->lang[a].profile.name,
                         w->lang[b].profile.name, of_two[i]);
                IG_TRY(ig_out_try_in(dir, name, err));
            }
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

ig_code ig_world_write(const ig_world *w, const char *dir, const ig_world_write_options *o,
                       ig_err *err)
{
    IG_TRY(ig_dir_make(dir, err));
    sentence *s = NULL;
    char *settings = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    const writer f = {w, dir, o, s};
    ig_code code = settings_text(&settings, w, o, err);
    IG_THEN(code, check_folder(dir, settings, err));
    IG_THEN(code, check_names(w, dir, err));
    for (int a = 0; a < w->n_language && code == IG_ERR_OK; a++) {
        code = language_write(&f, a, TEXT, err);
        if (code == IG_ERR_OK && o->tags)
            code = language_write(&f, a, TAGS, err);
        if (code == IG_ERR_OK && o->vocab)
            code = vocab_write(&f, a, err);
        if (code == IG_ERR_OK && o->trees)
            code = language_write(&f, a, TREES, err);
        for (int b = a + 1; b < w->n_language && code == IG_ERR_OK; b++)
            if (o->alignment || o->dictionary)
                code = pair_write(&f, a, b, err);
    }
    IG_THEN(code, settings_write(dir, settings, err));
    free(settings);
    ig_free(s);
    return code;
}
