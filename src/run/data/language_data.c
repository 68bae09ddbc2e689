/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes shards, traces and vocabularies of languages. Each file is made if it is missing and
 * appears complete or not at all, so a killed preparation continues with the missing files;
 * existing ones are used unchanged. Languages with the same text share its shard.
 */
#include "run/data/language_data.h"

#include "base/file.h"
#include "base/id_pairs.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "embed/search/dictionary.h"
#include "run/data/anchor_list.h"
#include "run/data/data_files.h"
#include "run/data/run_text.h"
#include "run/data/word_pairs.h"
#include "text/tokenizer/vocab.h"
#include "text/train/word_counts.h"

#include <stdio.h>
#include <string.h>

enum { TRAIN, DEV };

/* The inputs of files that are made. */
typedef struct {
    const ig_data_settings *settings;
    const char *dir;
    ig_language_data *data;
    ig_run_texts texts;
} maker;

/* ---- vocabularies ---- */

enum { VOCAB_MAX = 1 << 30 };

static ig_code special_token(const ig_tokenizer *t, ig_tokenizer_role role, int32_t *id,
                             const char *where, ig_err *err)
{
    *id = ig_tokenizer_special(t, role);
    if (*id >= 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, where, 0, "no piece %s, which masked language models need",
            ig_bert_tokens[role]);
    return ig_hint(err, "isoglot vocab makes one that has it, --vocab names it");
}

static ig_code load_vocabulary(ig_tokenizer **out, const ig_run_tokens *k, const char *path,
                               ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = k->lowercase};
    return ig_tokenizer_load(out, path, &how, err);
}

/* Writes a text and frees it. */
static ig_code put(const char *path, char *text, int64_t n, ig_err *err)
{
    ig_code code = ig_file_write(path, text, n, err);
    ig_free(text);
    return code;
}

static ig_code copy_file(const ig_run_tokens *k, const char *path, ig_err *err)
{
    char *text;
    int64_t n;
    IG_TRY(ig_file_read(&text, &n, k->vocab, VOCAB_MAX, err));
    return put(path, text, n, err);
}

/* Opens the tokenizer of the folder around the vocabulary that the settings name. */
static ig_code open_folder(ig_tokenizer **out, const ig_run_tokens *k, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = k->lowercase};
    const char *slash = strrchr(k->vocab, '/');
    char dir[IG_PATH];
    snprintf(dir, sizeof dir, "%.*s", slash != NULL ? (int)(slash - k->vocab) : 1,
             slash != NULL ? k->vocab : ".");
    return ig_tokenizer_open(out, dir, &how, err);
}

/* Copies the vocabulary that the settings name; with k->vocab_folder as a tokenizer.json that cuts
 * text as its folder does. */
static ig_code copy_vocabulary(const ig_run_tokens *k, const char *path, ig_err *err)
{
    ig_tokenizer *t;
    int32_t id;
    IG_TRY(k->vocab_folder ? open_folder(&t, k, err) : load_vocabulary(&t, k, k->vocab, err));
    ig_code code = special_token(t, IG_TOKENIZER_MASK, &id, k->vocab, err);
    IG_THEN(code,
            k->vocab_folder ? ig_tokenizer_json_write(t, path, err) : copy_file(k, path, err));
    ig_tokenizer_free(t);
    return code;
}

static ig_code write_pieces(const ig_tokenizer *t, const char *path, ig_err *err)
{
    char *text;
    int64_t n;
    if (ig_tokenizer_get_kind(t) != IG_TOKENIZER_WORDPIECE)
        return ig_tokenizer_json_write(t, path, err);
    IG_TRY(ig_tokenizer_vocab_text(t, &text, &n, err));
    return put(path, text, n, err);
}

/* Made of lines, and written to path: of pieces that say everything as a vocab.txt, else as a
 * tokenizer.json; whoever reads it sees which. With k->world_words it has the whole words of the
 * lines. */
static ig_code train_vocabulary(const ig_data_settings *d, const char *path,
                                ig_text_source_fn *next, void *source, ig_err *err)
{
    const ig_run_tokens *k = d->tokens;
    ig_tokenizer *t = NULL;
    const ig_wordpiece_options o = {.size = (int32_t)k->vocab_size,
                                    .min_frequency = 2,
                                    .lowercase = k->lowercase,
                                    .model = (ig_vocab_model)k->vocab_model,
                                    .max_words = k->max_words,
                                    .limit_alphabet = (int32_t)k->limit_alphabet,
                                    .n_thread = d->n_thread};
    if (k->world_words) {
        char *text;
        int64_t n;
        IG_TRY(ig_word_list(&text, &n, next, source, err));
        return put(path, text, n, err);
    }
    ig_code code = ig_vocab_train(&t, next, source, &o, NULL, err);
    IG_THEN(code, write_pieces(t, path, err));
    ig_tokenizer_free(t);
    return code;
}

/* The special tokens and the size of the base vocabulary, which lies at path. */
static ig_code special_tokens(ig_corpus_options *o, const ig_tokenizer *t, const char *path,
                              ig_err *err)
{
    int32_t *const id[] = {&o->pad, &o->unk, &o->cls, &o->sep, &o->mask};
    for (int role = 0; role < IG_N_TOKENIZER_ROLE; role++)
        IG_TRY(special_token(t, (ig_tokenizer_role)role, id[role], path, err));
    o->base_vocab = ig_tokenizer_size(t);
    return IG_ERR_OK;
}

/* The lines of all languages of a vocabulary, one text after the other. */
typedef struct {
    maker *m;
    const char *name;
    int k; /* the language that is read */
    ig_run_text text;
} lines;

static ig_code next_line(void *source, const char **line, int64_t *n, ig_err *err)
{
    lines *s = source;
    const ig_language_data *d = s->m->data;
    *line = NULL;
    *n = 0;
    for (; s->k < d->n; s->k = s->m->texts.shared ? d->n : s->k + 1) {
        if (strcmp(ig_data_vocabulary(&d->language[s->k]), s->name) != 0)
            continue;
        if (s->text.lines == NULL && s->text.words == NULL)
            IG_TRY(ig_run_text_open(&s->text, &s->m->texts, s->k, false, err));
        if (s->m->settings->tokens->world_words && s->text.words != NULL)
            ig_language_text_whole(s->text.words); /* a world knows its words */
        IG_TRY(ig_run_text_line(&s->text, line, n, err));
        if (*line != NULL)
            return IG_ERR_OK;
        ig_run_text_close(&s->text);
    }
    return IG_ERR_OK;
}

static ig_code make_vocabulary(maker *m, int k, const char *path, ig_err *err)
{
    const ig_language_data *d = m->data;
    const char *text = m->settings->data->text;
    lines s = {.m = m, .name = ig_data_vocabulary(&d->language[k])};
    if (s.name[0] == '\0' && m->settings->tokens->vocab != NULL)
        return copy_vocabulary(m->settings->tokens, path, err);
    ig_code code = train_vocabulary(m->settings, path, next_line, &s, err);
    if (code != IG_ERR_OK)
        ig_err_at(err, m->texts.shared && text != NULL ? text : d->language[k].name);
    ig_run_text_close(&s.text);
    return code;
}

static ig_code open_vocabulary(maker *m, int k, ig_corpus_options *o, ig_err *err)
{
    ig_language_data *d = m->data;
    char path[IG_PATH];
    for (int i = 0; i < k; i++)
        if (strcmp(ig_data_vocabulary(&d->language[i]), ig_data_vocabulary(&d->language[k])) == 0) {
            d->tokenizer[k] = d->tokenizer[i];
            return IG_ERR_OK;
        }
    IG_TRY(ig_data_file_path(path, m->dir, m->settings->languages, k, IG_DATA_VOCABULARY, err));
    if (!ig_file_exists(path))
        IG_TRY(make_vocabulary(m, k, path, err));
    IG_TRY(load_vocabulary(&d->tokenizer[k], m->settings->tokens, path, err));
    return k == 0 ? special_tokens(o, d->tokenizer[k], path, err) : IG_ERR_OK;
}

/* ---- shards ---- */

/* A sentence, in parts where it is `cut`; links go with their pieces. */
static ig_code write_sentence(ig_shard_writer *w, ig_trace_writer *t, int64_t number,
                              const ig_pieces *p, const ig_tokenizer *cut, ig_err *err)
{
    ig_trace_link *link = p->link, *const end = p->n_link > 0 ? link + p->n_link : link;
    for (int64_t from = 0, to; from < p->n_id; from = to) {
        to = cut != NULL ? ig_sentence_part(cut, p->id, p->n_id, from) : p->n_id;
        IG_TRY(ig_shard_add(w, p->id + from, (int32_t)(to - from), err));
        ig_trace_link *const first = link;
        for (; link < end && link->piece < to; link++)
            link->piece -= (int32_t)from;
        if (t != NULL)
            IG_TRY(ig_trace_add(t, number, first, (int32_t)(link - first), err));
    }
    return IG_ERR_OK;
}

/* t: NULL for a shared text, whose sentences are those of the shard. Sentences that are longer than
 * any sequence are cut, but not those of development texts of their own: these are parallel one by
 * one. */
static ig_code write_sentences(ig_shard_writer *w, ig_trace_writer *t, ig_run_text *text,
                               const ig_tokenizer *tokenizer, bool cut, ig_err *err)
{
    const ig_pieces *p;
    int64_t n = 0;
    ig_code code;
    while ((code = ig_run_text_pieces(text, tokenizer, &p, err)) == IG_ERR_OK && p != NULL) {
        if (p->n_id > INT32_MAX)
            code = ig_fail(err, IG_ERR_INPUT, ig_run_text_where(text), 0,
                           "sentence of %lld tokens, expected at most %d", (long long)p->n_id,
                           INT32_MAX);
        const int64_t number = t != NULL ? ig_language_text_number(text->words) : 0;
        IG_THEN(code, write_sentence(w, t, number, p, cut ? tokenizer : NULL, err));
        if (code != IG_ERR_OK)
            break;
        n++;
    }
    if (code == IG_ERR_OK && n == 0)
        code = ig_fail(err, IG_ERR_INPUT, ig_run_text_where(text), 0,
                       "found no sentence, expected at least 1");
    return code;
}

static ig_code make_shard(maker *m, int k, int part, const char *shard, const char *trace,
                          ig_err *err)
{
    const ig_tokenizer *tokenizer = m->data->tokenizer[k];
    ig_run_text text;
    ig_shard_writer *w = NULL;
    ig_trace_writer *t = NULL;
    ig_code code = ig_run_text_open(&text, &m->texts, k, part == DEV, err);
    IG_THEN(code, ig_shard_create(&w, shard, ig_tokenizer_size(tokenizer),
                                  ig_vocab_fingerprint(tokenizer), err));
    if (trace != NULL)
        IG_THEN(code, ig_trace_create(&t, trace, ig_language_text_key(text.words),
                                      ig_language_text_numbers(text.words), err));
    IG_THEN(code, write_sentences(w, t, &text, tokenizer, part == TRAIN || trace == NULL, err));
    const bool unread = part == DEV && m->settings->languages->language[k].dev_unread;
    IG_THEN(code, ig_unknown_check(&text.unknown, ig_run_text_where(&text),
                                   m->settings->tokens->allow_unknown || unread, err));
    ig_run_text_close(&text);
    if (code == IG_ERR_OK && t != NULL) {
        code = ig_trace_commit(t, err);
        t = NULL;
    }
    if (code == IG_ERR_OK) {
        code = ig_shard_commit(w, err);
        w = NULL;
    }
    ig_trace_discard(t);
    ig_shard_discard(w);
    return code;
}

ig_code ig_language_shard_open(ig_shard **out, const char *path, const ig_tokenizer *t, ig_err *err)
{
    IG_TRY(ig_shard_open(out, path, err));
    if ((*out)->vocab_hash == ig_vocab_fingerprint(t))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, path, 0,
                   "made with another vocabulary than the one beside it");
}

static ig_code open_shard(maker *m, int k, int part, ig_err *err)
{
    ig_language_data *d = m->data;
    const ig_run_languages *l = m->settings->languages;
    const bool dev = part == DEV;
    char shard[IG_PATH], trace[IG_PATH];
    if (m->texts.shared && k > 0) {
        d->shard[part][k] = d->shard[part][0];
        return IG_ERR_OK;
    }
    IG_TRY(ig_data_file_path(shard, m->dir, l, k, dev ? IG_DATA_DEV : IG_DATA_TRAIN, err));
    IG_TRY(
        ig_data_file_path(trace, m->dir, l, k, dev ? IG_DATA_DEV_TRACE : IG_DATA_TRAIN_TRACE, err));
    const bool traced = trace[0] != '\0';
    if (!ig_file_exists(shard) || (traced && !ig_file_exists(trace)))
        IG_TRY(make_shard(m, k, part, shard, traced ? trace : NULL, err));
    IG_TRY(ig_language_shard_open(&d->shard[part][k], shard, d->tokenizer[k], err));
    return traced ? ig_trace_open(&d->trace[part][k], trace, err) : IG_ERR_OK;
}

/* A shared text without a development text is measured on itself. */
static ig_code open_shards(maker *m, ig_err *err)
{
    ig_language_data *d = m->data;
    const ig_run_data *data = m->settings->data;
    const bool itself = m->texts.shared && data->dev_text == NULL && data->text != NULL;
    for (int part = TRAIN; part <= (itself ? TRAIN : DEV); part++)
        for (int k = 0; k < d->n; k++)
            IG_TRY(open_shard(m, k, part, err));
    for (int k = 0; k < d->n && itself; k++)
        d->shard[DEV][k] = d->shard[TRAIN][k];
    return IG_ERR_OK;
}

/* ---- dictionaries ---- */

/* Returns the piece that piece i of the first language's vocabulary becomes by spelling; −1:
 * none. */
static int32_t piece_becomes(const maker *m, int k, int32_t i)
{
    const ig_language_data *d = m->data;
    const ig_tokenizer *to = d->tokenizer[k];
    const char *piece = ig_tokenizer_piece(d->tokenizer[0], i);
    const int32_t part = strncmp(piece, "##", 2) == 0 && piece[2] != '\0' ? 2 : 0;
    char word[IG_WORD_BYTES + 2] = "##";
    if (piece[0] == '[' && piece[1] != '\0') /* special */
        return ig_tokenizer_id(to, piece);
    if (k == 0)
        return i;
    return ig_word_pipeline_map(&m->texts.pipeline[k], piece + part, part > 0, word + part)
               ? ig_tokenizer_id(to, word)
               : -1;
}

static ig_code make_dictionary(maker *m, int k, const char *path, ig_err *err)
{
    IG_TRY(ig_run_texts_fit(&m->texts, 0, err));
    IG_TRY(ig_run_texts_fit(&m->texts, k, err));
    json_t *ids = json_array();
    for (int32_t i = 0; i < ig_tokenizer_size(m->data->tokenizer[0]); i++)
        json_array_append_new(ids, json_integer(piece_becomes(m, k, i)));
    return ig_json_write(json_pack("{s:i, s:o}", "isoglot_dictionary", 1, "pieces", ids), path, 17,
                         err);
}

/* A dictionary, a file or a world's: all translations that it lists, as far as both words are
 * pieces. */
typedef struct {
    maker *m;
    int k;
    int32_t *pair; /* [n, 2] */
    int64_t n, have;
    int64_t listed; /* pairs, of one piece or of several */
    bool spelt;     /* the words are already as the transforms spell them */
    int32_t *id;    /* of a word that is cut */
    int64_t have_id;
} gold_file;

/* The piece that a word of the file is, as the transforms of its language spell it and as its
 * vocabulary is normalised (lower case, accents); −1: none, or several. */
static ig_code gold_piece(gold_file *x, int32_t *id, int k, const char *word, ig_err *err)
{
    const ig_tokenizer *t = x->m->data->tokenizer[k];
    char spelt[IG_WORD_BYTES];
    int64_t n = 0;
    *id = -1;
    if (!x->spelt && !ig_word_pipeline_map(&x->m->texts.pipeline[k], word, false, spelt))
        return IG_ERR_OK;
    const char *as = x->spelt ? word : spelt;
    IG_TRY(ig_tokenizer_encode(t, as, (int64_t)strlen(as), &x->id, &n, &x->have_id, err));
    if (n == 1 && x->id[0] != ig_tokenizer_special(t, IG_TOKENIZER_UNK))
        *id = x->id[0];
    return IG_ERR_OK;
}

static ig_code add_gold(void *arg, const char *word, const char *translation, ig_err *err)
{
    gold_file *x = arg;
    int32_t from, to;
    x->listed++;
    IG_TRY(gold_piece(x, &from, 0, word, err));
    IG_TRY(gold_piece(x, &to, x->k, translation, err));
    if (from < 0 || to < 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&x->pair, &x->have, 2 * (x->n + 1), sizeof *x->pair, "dictionary", err));
    x->pair[2 * x->n] = from;
    x->pair[2 * x->n++ + 1] = to;
    return IG_ERR_OK;
}

/* The pairs that the sentences of a world have: words that say one node of its trees. */
static ig_code world_gold(gold_file *x, ig_err *err)
{
    IG_SCOPED(ig_word_pairs_free) ig_word_pairs w = {0};
    IG_TRY(ig_word_pairs_make(&w, x->m->settings, 0, x->k, err));
    x->spelt = true;
    for (int64_t i = 0; i < w.pairs.n_pair; i++)
        IG_TRY(add_gold(x, ig_lexicon_get(&w.pairs.word[0], w.pairs.pair[2 * i]),
                        ig_lexicon_get(&w.pairs.word[1], w.pairs.pair[2 * i + 1]), err));
    return IG_ERR_OK;
}

static ig_code make_gold(maker *m, int k, const char *path, ig_err *err)
{
    gold_file x = {.m = m, .k = k};
    const char *name = m->data->language[k].gold;
    IG_TRY(ig_run_texts_fit(&m->texts, 0, err));
    IG_TRY(ig_run_texts_fit(&m->texts, k, err));
    const ig_file_finder files = ig_language_files(m->settings->data);
    ig_code code = name[0] == '\0' ? world_gold(&x, err)
                                   : files.dictionary(files.arg, name, add_gold, &x, err);
    if (code == IG_ERR_OK) {
        json_t *pairs = json_array();
        x.n = ig_id_pairs_unique(x.pair, x.n);
        if (name[0] != '\0')
            ig_dictionary_say(name, x.n, x.listed);
        for (int64_t i = 0; i < x.n; i++)
            json_array_append_new(pairs,
                                  json_pack("[i, i]", (int)x.pair[2 * i], (int)x.pair[2 * i + 1]));
        code = ig_json_write(json_pack("{s:i, s:o}", "isoglot_gold", 1, "pairs", pairs), path, 17,
                             err);
    }
    IG_FREE(x.pair, x.id);
    return code;
}

/* Pairs of a piece of each of the two vocabularies, sorted, each once. */
static ig_code read_gold(ig_language_data *d, int k, const char *path, ig_err *err)
{
    const json_int_t size[2] = {ig_tokenizer_size(d->tokenizer[0]),
                                ig_tokenizer_size(d->tokenizer[k])};
    json_auto_t *j = NULL;
    IG_TRY(ig_json_read(&j, path, err));
    const json_t *pairs = json_object_get(j, "pairs"), *pair;
    size_t i;
    if (!json_is_array(pairs))
        return ig_fail(err, IG_ERR_INPUT, path, 0, "no \"pairs\"");
    IG_TRY(ig_alloc(&d->gold[k], (int64_t)json_array_size(pairs), sizeof **d->gold, "dictionary",
                    err));
    json_array_foreach(pairs, i, pair)
    {
        int32_t *to = d->gold[k][i];
        for (int x = 0; x < 2; x++) {
            const json_t *id = json_array_get(pair, (size_t)x);
            const json_int_t v = json_is_integer(id) ? json_integer_value(id) : -1;
            if (v < 0 || v >= size[x] || json_array_size(pair) != 2)
                return ig_fail(err, IG_ERR_INPUT, path, 0,
                               "pair %zu: expected two pieces of vocabularies of %lld and %lld", i,
                               (long long)size[0], (long long)size[1]);
            to[x] = (int32_t)v;
        }
    }
    d->n_gold[k] = ig_id_pairs_unique(*d->gold[k], (int64_t)json_array_size(pairs));
    return IG_ERR_OK;
}

static ig_code read_dictionary(ig_language_data *d, int k, const char *path, ig_err *err)
{
    json_auto_t *j = NULL;
    IG_TRY(ig_json_read(&j, path, err));
    const json_t *ids = json_object_get(j, "pieces");
    const int32_t n = ig_tokenizer_size(d->tokenizer[0]);
    if (!json_is_array(ids) || json_array_size(ids) != (size_t)n)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "no \"pieces\" for a vocabulary of %d", n);
    IG_TRY(ig_alloc(&d->from_pivot[k], n, sizeof **d->from_pivot, "dictionary", err));
    for (int32_t i = 0; i < n; i++) {
        const json_int_t id = json_integer_value(json_array_get(ids, (size_t)i));
        if (id < -1 || id >= ig_tokenizer_size(d->tokenizer[k]))
            return ig_fail(err, IG_ERR_INPUT, path, 0, "piece %d becomes %lld, expected −1 to %d",
                           i, (long long)id, ig_tokenizer_size(d->tokenizer[k]) - 1);
        d->from_pivot[k][i] = (int32_t)id;
    }
    return IG_ERR_OK;
}

/* Where to find what becomes of the first language's pieces: in a dictionary, a file or the
 * world's; or by spelling, where both have one text and the first one's words are those of the
 * text. Of a shared text they become themselves. */
static bool has_dictionary(bool *gold, const maker *m, int k)
{
    const ig_language_data *d = m->data;
    const ig_language_words *a = &d->language[0], *b = &d->language[k];
    *gold = false;
    if (d->trace[TRAIN][0] == NULL)
        return false;
    const bool spelt = a->words[0] == '\0' &&
                       d->trace[TRAIN][0]->text == d->trace[TRAIN][k]->text &&
                       a->world == b->world && strcmp(a->grammar, b->grammar) == 0;
    *gold = b->gold[0] != '\0' ||
            (k > 0 && !spelt && ig_run_languages_of_world(m->settings->data, a, b));
    return k == 0 || spelt || *gold;
}

static ig_code open_dictionary(maker *m, int k, ig_err *err)
{
    ig_language_data *d = m->data;
    char path[IG_PATH];
    bool gold;
    if (!has_dictionary(&gold, m, k))
        return IG_ERR_OK;
    IG_TRY(ig_data_file_path(path, m->dir, m->settings->languages, k,
                             gold ? IG_DATA_GOLD : IG_DATA_DICTIONARY, err));
    if (!ig_file_exists(path))
        IG_TRY((gold ? make_gold : make_dictionary)(m, k, path, err));
    return (gold ? read_gold : read_dictionary)(d, k, path, err);
}

static ig_code list_continues(ig_language_data *d, int k, ig_err *err)
{
    const ig_tokenizer *t = d->tokenizer[k];
    const int32_t n = ig_tokenizer_size(t);
    IG_TRY(ig_alloc(&d->continues[k], n, sizeof **d->continues, "pieces of words", err));
    for (int32_t i = 0; i < n; i++)
        d->continues[k][i] = ig_tokenizer_continues(t, i);
    return IG_ERR_OK;
}

/* Pieces that the vocabulary of the first language has, too, and that may stay common. */
static ig_code find_same(const maker *m, int k, ig_err *err)
{
    ig_language_data *d = m->data;
    const ig_tokenizer *t = d->tokenizer[k], *base = d->tokenizer[0];
    const char *list = d->language[k].anchors, *path;
    if (t == base && list[0] == '\0')
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&d->same[k], ig_tokenizer_size(t), sizeof **d->same, "anchors", err));
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++)
        d->same[k][i] = ig_tokenizer_id(base, ig_tokenizer_piece(t, i));
    if (list[0] == '\0')
        return IG_ERR_OK;
    IG_TRY(ig_named_files_find(&path, &m->settings->data->named, list, err));
    return ig_anchor_list_keep(d->same[k], t, path, err);
}

/* ---- all of it ---- */

/* Everything that is missing is made, then opened. */
static ig_code open_all(maker *m, ig_corpus_options *o, ig_err *err)
{
    ig_language_data *d = m->data;
    IG_TRY(ig_run_texts_new(&m->texts, m->settings, m->dir, err));
    for (int k = 0; k < d->n; k++)
        IG_TRY(open_vocabulary(m, k, o, err));
    IG_TRY(open_shards(m, err));
    d->n_pivot = ig_tokenizer_size(d->tokenizer[0]);
    for (int k = 0; k < d->n; k++) {
        IG_TRY(open_dictionary(m, k, err));
        IG_TRY(find_same(m, k, err));
        IG_TRY(list_continues(d, k, err));
    }
    return IG_ERR_OK;
}

ig_code ig_language_data_open(ig_language_data **out, const ig_data_settings *settings,
                              const char *data_dir, ig_corpus_options *o, ig_err *err)
{
    maker m = {.settings = settings, .dir = data_dir};
    *out = NULL;
    IG_TRY(ig_alloc(&m.data, 1, sizeof *m.data, "languages", err));
    m.data->language = settings->languages->language;
    m.data->n = settings->languages->n;
    const ig_code code = open_all(&m, o, err);
    ig_run_texts_free(&m.texts);
    IG_RETURN_NEW(code, out, m.data, ig_language_data_close);
}

static void close_shards(ig_language_data *d, int k)
{
    for (int part = DEV; part >= TRAIN; part--) {
        /* A shared text has one shard, and one more where it has a development text. */
        const bool shared = (k > 0 && d->shard[part][k] == d->shard[part][0]) ||
                            (part == DEV && d->shard[DEV][k] == d->shard[TRAIN][k]);
        if (d->shard[part][k] != NULL && !shared)
            ig_shard_close(d->shard[part][k]);
        ig_trace_close(d->trace[part][k]);
    }
}

void ig_language_data_close(ig_language_data *d)
{
    for (int k = d != NULL ? d->n - 1 : -1; k >= 0; k--) {
        bool shared = false;
        for (int i = 0; i < k; i++)
            shared = shared || d->tokenizer[i] == d->tokenizer[k];
        if (!shared)
            ig_tokenizer_free(d->tokenizer[k]);
        close_shards(d, k);
        IG_FREE(d->continues[k], d->same[k], d->from_pivot[k], d->gold[k]);
    }
    ig_free(d);
}
