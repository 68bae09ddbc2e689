/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a corpus of texts for a model folder. The texts become token shards in a temporary folder,
 * so that they are measured by the same passes as those of a run. Shards of parallel texts number
 * their sentences alike; no gold alignment is known.
 */
#include "evaluate/folder_corpus.h"
#include "text/tokenizer/unknown_pieces.h"

#include "apply/text_vectors.h"
#include "base/file.h"
#include "base/id_pairs.h"
#include "base/memory.h"
#include "embed/search/dictionary.h"

#include <string.h>

/* While the corpus is made. */
typedef struct {
    ig_folder_corpus *f;
    const ig_folder_options *o;
    ig_texts texts;
    int of_text[IG_NAMED_TEXTS_MAX]; /* of language k of the corpus */
    int32_t *id;                     /* pieces of a sentence or word */
    int64_t have_id;
} maker;

/* The folder's language of a text. A folder without a list of languages has one for all texts. */
static const ig_model_language *language_of(const maker *m, int k)
{
    const ig_model_languages *l = &m->f->languages;
    return &l->language[l->n > 1 ? k : 0];
}

static const ig_tokenizer *tokenizer_of(const maker *m, int k)
{
    const ig_tokenizer *own = language_of(m, k)->own;
    return own != NULL ? own : m->f->encoder.tokenizer;
}

/* The corpus has the folder's languages in their order, as their blocks of the vocabulary lie. */
static ig_code order_texts(maker *m, ig_err *err)
{
    const ig_texts_options *t = &m->o->texts;
    const ig_model_languages *l = &m->f->languages;
    for (int k = 0; k < t->n_text; k++) {
        int of = k;
        if (l->n > 1)
            IG_TRY(ig_model_languages_find_requested(&of, l, t->text[k].name, "--text", err));
        m->of_text[of] = k;
    }
    if (l->n > 1 && l->n != t->n_text)
        return ig_fail(err, IG_ERR_USAGE, "--text", 0,
                       "found %d, expected a text of each of the model's %d languages", t->n_text,
                       l->n);
    return IG_ERR_OK;
}

/* --- shards */

/* As long as every language has positions. */
static int32_t block_of(const maker *m)
{
    const ig_model_languages *l = &m->f->languages;
    int32_t block = IG_SEQUENCE_MAX;
    for (int k = 0; k < l->n; k++) {
        const int32_t room =
            ig_model_languages_positions(l, k, ig_bert_get_config(m->f->encoder.model));
        block = room < block ? room : block;
    }
    return block;
}

static ig_code write_shard(maker *m, int k, const char *path, ig_err *err)
{
    const ig_sentence_list *text = &m->texts.of[m->of_text[k]];
    const ig_model_languages *l = &m->f->languages;
    const ig_model_language *of = language_of(m, k);
    const int32_t room = block_of(m) - ig_language_around(&of->info);
    int64_t n_cut = 0;
    ig_unknown_pieces unknown = {0};
    ig_shard_writer *w;
    /* The hash distinguishes vocabularies. */
    IG_TRY(ig_shard_create(&w, path, of->own != NULL ? of->info.n_id : l->options.base_vocab,
                           of->own != NULL ? (uint64_t)k : 0, err));
    for (int64_t i = 0; i < text->n; i++) {
        const char *sentence = ig_sentence(text, i);
        int64_t n = 0;
        ig_code code = ig_tokenizer_encode(tokenizer_of(m, k), sentence, (int64_t)strlen(sentence),
                                           &m->id, &n, &m->have_id, err);
        IG_THEN(code, ig_unknown_add(
                          &unknown, tokenizer_of(m, k),
                          &(ig_cut_text){sentence, (int64_t)strlen(sentence), m->id, n, 1}, err));
        if (code == IG_ERR_OK && n == 0 && ig_language_around(&of->info) == 0)
            code = ig_fail(err, IG_ERR_INPUT, m->o->texts.text[m->of_text[k]].path, 0,
                           "sentence %lld has no token, expected text: the model has no special "
                           "tokens",
                           (long long)i + 1);
        n_cut += n > room;
        IG_THEN(code,
                ig_shard_add(w, m->id, n < IG_SEQUENCE_MAX ? (int32_t)n : IG_SEQUENCE_MAX, err));
        if (code != IG_ERR_OK) {
            ig_shard_discard(w);
            return code;
        }
    }
    const ig_code code =
        ig_unknown_check(&unknown, m->o->texts.text[m->of_text[k]].path, m->o->allow_unknown, err);
    if (code != IG_ERR_OK) {
        ig_shard_discard(w);
        return code;
    }
    ig_report_cut(m->o->texts.text[m->of_text[k]].path, n_cut, text->n);
    return ig_shard_commit(w, err);
}

static ig_code write_trace(const maker *m, int k, const char *path, ig_err *err)
{
    const uint64_t own = (uint64_t)k + 1;
    ig_trace_writer *w;
    IG_TRY(ig_trace_create(&w, path, own, m->texts.parallel ? 0 : own, err));
    for (int64_t i = 0; i < m->texts.of[m->of_text[k]].n; i++) {
        ig_code code = ig_trace_add(w, i, NULL, 0, err);
        if (code != IG_ERR_OK) {
            ig_trace_discard(w);
            return code;
        }
    }
    return ig_trace_commit(w, err);
}

static ig_code make_shard(maker *m, int k, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, m->f->dir, err, "%d.shard", k));
    IG_TRY(write_shard(m, k, path, err));
    IG_TRY(ig_shard_open(&m->f->shard[k], path, err));
    IG_TRY(ig_folder_path(path, m->f->dir, err, "%d.trace", k));
    IG_TRY(write_trace(m, k, path, err));
    return ig_trace_open(&m->f->trace[k], path, err);
}

/* --- the dictionary */

/* The piece that a word is in language k; −1: none, or several. */
static ig_code piece_of(maker *m, int32_t *id, int k, const char *word, ig_err *err)
{
    const ig_tokenizer *t = tokenizer_of(m, k);
    int64_t n = 0;
    IG_TRY(ig_tokenizer_encode(t, word, (int64_t)strlen(word), &m->id, &n, &m->have_id, err));
    *id = n == 1 && m->id[0] != ig_tokenizer_special(t, IG_TOKENIZER_UNK) ? m->id[0] : -1;
    return IG_ERR_OK;
}

static ig_code add_pairs(maker *m, const ig_dictionary *d, ig_err *err)
{
    ig_folder_corpus *f = m->f;
    const int side = m->of_text[0] == 0 ? 0 : 1; /* of the file, that language 0 has */
    IG_TRY(ig_alloc(&f->gold, d->n_pair, sizeof *f->gold, "dictionary", err));
    for (int64_t i = 0; i < d->n_pair; i++) {
        int32_t *to = f->gold[f->n_gold];
        for (int x = 0; x < 2; x++) {
            const int of = x ^ side;
            IG_TRY(piece_of(m, &to[x], x, ig_lexicon_get(&d->word[of], d->pair[2 * i + of]), err));
        }
        f->n_gold += to[0] >= 0 && to[1] >= 0;
    }
    f->n_gold = ig_id_pairs_unique(*f->gold, f->n_gold);
    ig_dictionary_say(m->o->dictionary, f->n_gold, d->n_pair);
    return IG_ERR_OK;
}

static ig_code make_gold(maker *m, ig_err *err)
{
    IG_SCOPED(ig_dictionary_free) ig_dictionary d = {0};
    const int32_t rows = m->f->languages.options.base_vocab;
    const int64_t both = m->of_text[0] + m->of_text[1];
    if (m->o->dictionary == NULL)
        return IG_ERR_OK;
    if (m->o->texts.n_text < 2 || both != 1)
        return ig_fail(err, IG_ERR_USAGE, "--dictionary", 0,
                       "is of the first two texts, expected these of the model's first languages");
    IG_TRY(ig_alloc(&m->f->pieces, rows, sizeof *m->f->pieces, "pieces", err));
    for (int32_t i = 0; i < rows; i++)
        m->f->pieces[i] = i;
    IG_TRY(ig_dictionary_read(&d, m->o->dictionary, false, err));
    return add_pairs(m, &d, err);
}

/* --- the corpus */

/* The transforms must give the languages that the model was trained on. */
static ig_code check_languages(const maker *m, ig_err *err)
{
    for (int k = 0; k < m->o->texts.n_text; k++) {
        const ig_language *a = ig_corpus_language(m->f->corpus, k), *b = &language_of(m, k)->info;
        if (a->first_id != b->first_id || a->pos_offset != b->pos_offset ||
            a->segment != b->segment || a->cls != b->cls || a->sep != b->sep ||
            a->reverse != b->reverse || a->mask != b->mask)
            return ig_fail(err, IG_ERR_INPUT, m->o->model, 0,
                           "isoglot.languages, '%s': its transforms give another block, position "
                           "or special token than config.json says",
                           a->name);
    }
    return IG_ERR_OK;
}

static ig_code make_corpus(maker *m, ig_err *err)
{
    ig_folder_corpus *f = m->f;
    ig_language_spec spec[IG_NAMED_TEXTS_MAX];
    ig_corpus_options o = f->languages.options;
    o.bare = f->languages.n == 1; /* of several languages the tokens are shifted */
    if (f->encoder.masked && !ig_bert_get_config(f->encoder.model)->causal && o.mask < 0)
        return ig_fail(err, IG_ERR_INPUT, m->o->model, 0,
                       "predicts masked words, but its tokenizer has no [MASK]");
    const int n = m->o->texts.n_text;
    o.block = block_of(m);
    for (int k = 0; k < n; k++) {
        const bool in_pair = f->pieces != NULL && k < 2;
        const ig_model_language *l = language_of(m, k);
        spec[k] = (ig_language_spec){.name = m->o->texts.text[m->of_text[k]].name,
                                     .pipeline = l->info.pipeline,
                                     .source = f->shard[k],
                                     .same = l->same,
                                     .trace = f->trace[k],
                                     .from_pivot = in_pair && k == 0 ? f->pieces : NULL,
                                     .n_pivot = in_pair ? o.base_vocab : 0};
        if (in_pair && k == 1) {
            spec[k].gold = (const int32_t(*)[2])f->gold;
            spec[k].n_gold = f->n_gold;
        }
    }
    IG_TRY(ig_corpus_new(&f->corpus, spec, n, &o, err));
    return check_languages(m, err);
}

static ig_code open_folder(maker *m, ig_err *err)
{
    ig_folder_corpus *f = m->f;
    IG_TRY(ig_encoder_open_any(&f->encoder, m->o->model, m->o->lowercase, true, err));
    IG_TRY(ig_model_languages_read(&f->languages, f->encoder.dir,
                                   ig_bert_get_config(f->encoder.model), f->encoder.tokenizer,
                                   err));
    IG_TRY(order_texts(m, err));
    IG_TRY(ig_texts_read(&m->texts, &m->o->texts, err));
    IG_TRY(ig_dir_temporary(&f->dir, "isoglot-eval", err));
    for (int k = 0; k < m->o->texts.n_text; k++)
        IG_TRY(make_shard(m, k, err));
    IG_TRY(make_gold(m, err));
    return make_corpus(m, err);
}

ig_code ig_folder_corpus_open(ig_folder_corpus *f, const ig_folder_options *o, ig_err *err)
{
    maker m = {.f = f, .o = o};
    *f = (ig_folder_corpus){0};
    ig_code code = open_folder(&m, err);
    ig_texts_free(&m.texts);
    ig_free(m.id);
    return code;
}

void ig_folder_corpus_close(ig_folder_corpus *f)
{
    ig_corpus_free(f->corpus);
    for (int k = 0; k < IG_NAMED_TEXTS_MAX; k++) {
        ig_shard_close(f->shard[k]);
        ig_trace_close(f->trace[k]);
    }
    if (f->dir != NULL) {
        ig_err ignored;
        ig_dir_remove(f->dir, &ignored);
    }
    IG_FREE(f->dir, f->pieces, f->gold);
    ig_model_languages_free(&f->languages);
    ig_encoder_close(&f->encoder);
    *f = (ig_folder_corpus){0};
}
