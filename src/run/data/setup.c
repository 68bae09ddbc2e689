/* SPDX-License-Identifier: Apache-2.0
 *
 * Vocabulary, shards and corpora of a run: see setup.h. Each file is made when it is missing and
 * appears complete or not at all, so a killed preparation goes on where it was.
 */
#include "run/data/setup.h"
#include "base/file.h"
#include "base/memory.h"
#include "corpus/read/sentences.h"
#include "corpus/words/word_list.h"
#include "run/data/world_text.h"
#include "model/checkpoint_config.h"

#include <stdio.h>
#include <string.h>

enum { VOCAB_MAX = 1 << 30 };

typedef enum { PART_TRAIN, PART_DEV } part;

/* The sentences of a part of the data: of a text of the settings, or of the generated world. */
typedef struct {
    ig_sentences *sentences;
    const char *path; /* borrowed by `sentences` */
    char *world;
} text_part;

static void close_text(text_part *t)
{
    if (t->sentences != NULL)
        ig_sentences_close(t->sentences);
    ig_free(t->world);
}

static ig_code open_text(text_part *t, const ig_data_settings *d, part which, const char *data_dir,
                         ig_err *err)
{
    bool generated = d->data->text == NULL, dev = which == PART_DEV;
    *t = (text_part){.path = dev ? d->data->dev_text : d->data->text};
    ig_sentence_options o = ig_run_data_sentences(d->data, dev);
    if (!dev)
        o.take = ig_data_settings_take(d, 0);
    if (generated) {
        IG_TRY(ig_world_text(&t->world, d->data, data_dir, dev, err));
        t->path = t->world;
        o = (ig_sentence_options){.kind = IG_TEXT_PLAIN, .whole_lines = true};
    }
    return ig_sentences_open(&t->sentences, &t->path, 1, &o, err);
}

static ig_code next_line(void *source, const char **line, int64_t *n, ig_err *err)
{
    return ig_sentences_next(source, line, n, err);
}

/* As pieces, where these say everything, else as a tokenizer.json; whoever reads it sees which. */
static ig_code write_vocabulary(const ig_tokenizer *t, const char *path, ig_err *err)
{
    char *text;
    int64_t n;
    if (ig_tokenizer_get_kind(t) != IG_TOKENIZER_WORDPIECE)
        return ig_tokenizer_json_write(t, path, err);
    IG_TRY(ig_tokenizer_vocab_text(t, &text, &n, err));
    ig_code code = ig_file_write(path, text, n, err);
    ig_free(text);
    return code;
}

/* A vocabulary of lines, wherever they come from. */
static ig_code train_on_lines(const ig_run_tokens *k, int n_thread, const char *path,
                              ig_text_source_fn *next, void *source, ig_err *err)
{
    ig_tokenizer *t = NULL;
    ig_wordpiece_options o = {.size = (int32_t)k->vocab_size,
                              .min_frequency = 2,
                              .lowercase = k->lowercase,
                              .model = (ig_vocab_model)k->vocab_model,
                              .max_words = k->max_words,
                              .limit_alphabet = (int32_t)k->limit_alphabet,
                              .n_thread = n_thread};
    ig_code code = ig_vocab_train(&t, next, source, &o, NULL, err);
    IG_THEN(code, write_vocabulary(t, path, err));
    ig_tokenizer_free(t);
    return code;
}

/* Whole words, of worlds. */
static ig_code words_of_lines(const ig_run_tokens *k, int n_thread, const char *path,
                              ig_text_source_fn *next, void *source, ig_err *err)
{
    char *text;
    int64_t n;
    (void)k;
    (void)n_thread;
    IG_TRY(ig_word_list(&text, &n, next, source, 0, err));
    ig_code code = ig_file_write(path, text, n, err);
    ig_free(text);
    return code;
}

static ig_code train_vocabulary(const ig_data_settings *d, const char *data_dir, const char *path,
                                ig_err *err)
{
    text_part source;
    ig_code code = open_text(&source, d, PART_TRAIN, data_dir, err);
    IG_THEN(code, train_on_lines(d->tokens, d->n_thread, path, next_line, source.sentences, err));
    if (code != IG_ERR_OK && source.sentences != NULL)
        ig_err_at(err, ig_sentences_where(source.sentences));
    close_text(&source);
    return code;
}

static ig_code copy_vocabulary(const char *from, const char *to, ig_err *err)
{
    char *text;
    int64_t n;
    IG_TRY(ig_file_read(&text, &n, from, VOCAB_MAX, err));
    ig_code code = ig_file_write(to, text, n, err);
    ig_free(text);
    return code;
}

static ig_code special_token(const ig_tokenizer *t, const char *piece, int32_t *id,
                             const char *where, ig_err *err)
{
    *id = ig_tokenizer_id(t, piece);
    if (*id < 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "no piece %s, which masked language models need", piece);
    return IG_ERR_OK;
}

static ig_code load_tokenizer(ig_tokenizer **out, const ig_run_tokens *k, const char *path,
                              ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = k->lowercase};
    return ig_tokenizer_load(out, path, &how, err);
}

static ig_code load_vocabulary(ig_setup *s, const ig_data_settings *d, const char *data_dir,
                               ig_corpus_options *o, ig_err *err)
{
    char *path;
    /* A vocabulary that is no good shall not be copied first. */
    if (d->tokens->vocab != NULL) {
        ig_tokenizer *t;
        IG_TRY(load_tokenizer(&t, d->tokens, d->tokens->vocab, err));
        int32_t id;
        ig_code code = special_token(t, "[MASK]", &id, d->tokens->vocab, err);
        ig_tokenizer_free(t);
        IG_TRY(code);
    }
    IG_TRY(ig_path_join(&path, data_dir, "vocab.txt", err));
    ig_code code = IG_ERR_OK;
    const bool texts = ig_run_languages_have_texts(d->languages);
    if (!ig_file_exists(path) && (d->tokens->vocab != NULL || !texts))
        code = d->tokens->vocab != NULL ? copy_vocabulary(d->tokens->vocab, path, err)
               : d->tokens->world_words ? ig_world_words_vocab(path, d->data, err)
                                        : train_vocabulary(d, data_dir, path, err);
    if (code == IG_ERR_OK && texts) {
        const ig_vocabulary_maker maker = {d->tokens->world_words ? words_of_lines : train_on_lines,
                                           load_tokenizer};
        code = ig_language_data_open(&s->languages, d, data_dir, &maker, err);
        if (code == IG_ERR_OK)
            s->tokenizer = s->languages->tokenizer[0];
    } else if (code == IG_ERR_OK) {
        code = load_tokenizer(&s->tokenizer, d->tokens, path, err);
    }
    const struct {
        const char *piece;
        int32_t *id;
    } special[] = {{"[PAD]", &o->pad},
                   {"[UNK]", &o->unk},
                   {"[CLS]", &o->cls},
                   {"[SEP]", &o->sep},
                   {"[MASK]", &o->mask}};
    for (size_t i = 0; i < sizeof special / sizeof *special && code == IG_ERR_OK; i++)
        code = special_token(s->tokenizer, special[i].piece, special[i].id, path, err);
    if (code == IG_ERR_OK)
        o->base_vocab = ig_tokenizer_size(s->tokenizer);
    ig_free(path);
    return code;
}

/* What is there is used as it is, if it was made with this vocabulary. */
static ig_code open_made(ig_shard **out, const ig_setup *s, const char *path, ig_err *err)
{
    IG_TRY(ig_shard_open(out, path, err));
    if (ig_shard_vocab_hash(*out) == ig_vocab_fingerprint(s->tokenizer))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, path, 0,
                   "made with another vocabulary than the one beside it");
}

static ig_code open_shard(ig_shard **out, const ig_setup *s, const ig_data_settings *d, part which,
                          const char *data_dir, ig_err *err)
{
    char *path;
    IG_TRY(ig_path_join(&path, data_dir, which == PART_DEV ? "dev.shard" : "train.shard", err));
    ig_code code = IG_ERR_OK;
    if (!ig_file_exists(path)) {
        text_part text;
        code = open_text(&text, d, which, data_dir, err);
        IG_THEN(code, ig_shard_from_sentences(path, text.sentences, s->tokenizer, NULL, err));
        close_text(&text);
    }
    IG_THEN(code, open_made(out, s, path, err));
    ig_free(path);
    return code;
}

/* Words are known of the languages that the tokenizer cut. */
static void set_words(const ig_setup *s, ig_corpus *c)
{
    for (int k = 0; k < ig_corpus_n_language(c); k++)
        if (ig_corpus_language(c, k)->n_id == ig_tokenizer_size(s->tokenizer))
            ig_corpus_set_words(c, k, s->continues);
}

static ig_code list_continues(ig_setup *s, ig_err *err)
{
    const int32_t n = ig_tokenizer_size(s->tokenizer);
    IG_TRY(ig_alloc(&s->continues, n, sizeof *s->continues, "pieces of words", err));
    for (int32_t i = 0; i < n; i++)
        s->continues[i] = ig_tokenizer_continues(s->tokenizer, i);
    return IG_ERR_OK;
}

/* The development text is never halved. */
static ig_code make_corpus(ig_corpus **out, const ig_run_languages *l, const ig_shard *shard,
                           const ig_corpus_options *o, ig_err *err)
{
    ig_language_spec spec[IG_RUN_MAX_LANGUAGE];
    for (int k = 0; k < l->n; k++)
        spec[k] = (ig_language_spec){l->language[k].name,
                                     o->development ? l->whole[k] : l->language[k].pipeline, shard};
    return ig_corpus_new(out, spec, l->n, o, err);
}

ig_code ig_setup_open(ig_setup *s, const ig_data_settings *d, const char *data_dir, ig_err *err)
{
    *s = (ig_setup){0};
    if (d->data->text != NULL && strcmp(d->data->text, "-") == 0)
        return ig_fail(err, IG_ERR_USAGE, "text", 0,
                       "standard input, expected a file: the text is read twice");
    ig_corpus_options o = {.block = (int32_t)d->objective->block,
                           .seed = (uint64_t)d->languages->transform_seed,
                           .parts = d->objective->instances == IG_INSTANCES_PAIRS ? 2 : 1};
    bool has_dev = d->data->dev_text != NULL || d->data->text == NULL;
    IG_TRY(ig_dir_make(data_dir, err));
    ig_code code = load_vocabulary(s, d, data_dir, &o, err);
    if (code == IG_ERR_OK && s->languages != NULL) {
        code = ig_language_data_corpus(&s->train, s->languages, d->languages, &o, err);
        o.development = true;
        IG_THEN(code, ig_language_data_corpus(&s->dev, s->languages, d->languages, &o, err));
        if (code != IG_ERR_OK)
            ig_setup_close(s);
        return code;
    }
    IG_THEN(code, open_shard(&s->train_shard, s, d, PART_TRAIN, data_dir, err));
    if (code == IG_ERR_OK && has_dev)
        code = open_shard(&s->dev_shard, s, d, PART_DEV, data_dir, err);
    IG_THEN(code, make_corpus(&s->train, d->languages, s->train_shard, &o, err));
    o.development = true;
    IG_THEN(code,
            make_corpus(&s->dev, d->languages, has_dev ? s->dev_shard : s->train_shard, &o, err));
    IG_THEN(code, list_continues(s, err));
    if (code == IG_ERR_OK) {
        set_words(s, s->train);
        set_words(s, s->dev);
    }
    if (code != IG_ERR_OK)
        ig_setup_close(s);
    return code;
}

ig_code ig_setup_open_text(ig_corpus **corpus, ig_shard **tokens, const ig_setup *s,
                           const ig_data_settings *d, const ig_setup_text *text, ig_err *err)
{
    *corpus = NULL;
    *tokens = NULL;
    if (s->languages != NULL)
        return ig_fail(err, IG_ERR_USAGE, "text", 0,
                       "languages have texts of their own; one further text cannot be all of "
                       "theirs");
    if (!ig_file_exists(text->shard)) {
        ig_sentence_options o = ig_run_data_sentences(d->data, true);
        o.kind = text->format;
        o.verses = text->verses;
        o.take = text->take;
        ig_sentences *sentences;
        IG_TRY(ig_sentences_open(&sentences, &text->path, 1, &o, err));
        ig_code code = ig_shard_from_sentences(text->shard, sentences, s->tokenizer, NULL, err);
        ig_sentences_close(sentences);
        IG_TRY(code);
    }
    ig_corpus_options o = *ig_corpus_get_options(s->train);
    o.development = true;
    IG_TRY(open_made(tokens, s, text->shard, err));
    IG_TRY(make_corpus(corpus, d->languages, *tokens, &o, err));
    set_words(s, *corpus);
    return IG_ERR_OK;
}

ig_code ig_setup_fits(const ig_setup *s, const ig_bert_config *model, ig_err *err)
{
    const ig_corpus_options *o = ig_corpus_get_options(s->train);
    const int32_t block = o->block;
    for (int i = 0; i < ig_corpus_n_language(s->train); i++) {
        const ig_language *l = ig_corpus_language(s->train, i);
        if (l->pos_offset > model->max_position_embeddings - block)
            return ig_fail(err, IG_ERR_USAGE, "max-positions", 0,
                           "found %d, but language '%s' has positions from %d to %lld",
                           model->max_position_embeddings, l->name, l->pos_offset,
                           (long long)l->pos_offset + block - 1);
        const int32_t last = l->segment + o->parts - 1;
        if (last >= model->type_vocab_size)
            return ig_fail(err, IG_ERR_USAGE, "segments", 0,
                           "found %d, but language '%s' has segment %d (the first is 0)",
                           model->type_vocab_size, l->name, last);
    }
    return IG_ERR_OK;
}

ig_code ig_setup_open_run(ig_setup *s, ig_run_config *c, const char *run_dir, ig_err *err)
{
    *s = (ig_setup){0};
    *c = (ig_run_config){0};
    char *record, *data = NULL;
    IG_TRY(ig_path_join(&record, run_dir, "run.json", err));
    ig_code code = ig_run_config_load(c, record, err);
    IG_THEN(code, ig_path_join(&data, run_dir, "data", err));
    if (code == IG_ERR_OK) {
        const ig_data_settings d = ig_run_config_data(c);
        code = ig_setup_open(s, &d, data, err);
    }
    ig_free(record);
    ig_free(data);
    return code;
}

void ig_setup_close(ig_setup *s)
{
    ig_corpus_free(s->train);
    ig_corpus_free(s->dev);
    if (s->train_shard != NULL)
        ig_shard_close(s->train_shard);
    if (s->dev_shard != NULL)
        ig_shard_close(s->dev_shard);
    ig_free(s->continues);
    if (s->languages != NULL)
        ig_language_data_close(s->languages);
    else
        ig_tokenizer_free(s->tokenizer);
    *s = (ig_setup){0};
}

/* A row's piece: of block b ≥ 1 behind b + 1 colons. */
static ig_code one_piece(char **out, const char *piece, int block, ig_err *err)
{
    size_t n = strlen(piece), colons = block > 0 ? (size_t)block + 1 : 0;
    IG_TRY(ig_alloc(out, (int64_t)(n + colons + 1), 1, "vocabulary", err));
    memset(*out, ':', colons);
    memcpy(*out + colons, piece, n + 1);
    return IG_ERR_OK;
}

/* The language whose marker a row is; NULL: it is none. */
static const ig_language *marked(const ig_setup *s, int32_t row)
{
    for (int k = 0; k < ig_corpus_n_language(s->train); k++) {
        const ig_language *l = ig_corpus_language(s->train, k);
        if (l->sep == row && row != ig_corpus_get_options(s->train)->sep &&
            (row < l->first_id || row >= l->first_id + l->n_id))
            return l;
    }
    return NULL;
}

static ig_code marker_piece(char **out, const char *name, ig_err *err)
{
    const size_t size = strlen(name) + sizeof "[SEP-]";
    IG_TRY(ig_alloc(out, (int64_t)size, 1, "vocabulary", err));
    snprintf(*out, size, "[SEP-%s]", name);
    return IG_ERR_OK;
}

static ig_code put_block(char **out, const ig_tokenizer *t, int block, ig_err *err)
{
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++)
        IG_TRY(one_piece(&out[i], ig_tokenizer_piece(t, i), block, err));
    return IG_ERR_OK;
}

ig_code ig_setup_pieces(const ig_setup *s, char ***pieces, int32_t *n, ig_err *err)
{
    *n = ig_corpus_vocab_size(s->train);
    IG_TRY(ig_alloc(pieces, *n, sizeof **pieces, "vocabulary", err));
    ig_code code = put_block(*pieces, s->tokenizer, 0, err);
    /* Every further block is a copy of its language's vocabulary, in the order of their first ids;
     * a row that is in no block is a language's marker. */
    int block = 0;
    for (int32_t first = ig_tokenizer_size(s->tokenizer); first < *n && code == IG_ERR_OK;) {
        const ig_tokenizer *t = s->tokenizer;
        if (marked(s, first) != NULL) {
            code = marker_piece(&(*pieces)[first], marked(s, first)->name, err);
            first++;
            continue;
        }
        for (int k = 0; k < ig_corpus_n_language(s->train) && s->languages != NULL; k++)
            if (ig_corpus_language(s->train, k)->first_id == first)
                t = s->languages->tokenizer[k];
        code = put_block(*pieces + first, t, ++block, err);
        first += ig_tokenizer_size(t);
    }
    IG_THEN(code, ig_bert_pieces_check((const char *const *)*pieces, *n, "vocab.txt", err));
    if (code != IG_ERR_OK) {
        ig_setup_pieces_free(*pieces, *n);
        *pieces = NULL;
        *n = 0;
    }
    return code;
}

void ig_setup_pieces_free(char **pieces, int32_t n)
{
    for (int32_t i = 0; i < n && pieces != NULL; i++)
        ig_free(pieces[i]);
    ig_free(pieces);
}

ig_code ig_setup_tokenizer_write(const ig_setup *s, char *const *pieces, int32_t n, int32_t block,
                                 const char *dir, ig_err *err)
{
    const ig_tokenizer *t = s->tokenizer;
    const bool bert = ig_tokenizer_get_kind(t) == IG_TOKENIZER_WORDPIECE;
    char *path;
    IG_TRY(ig_bert_tokenizer_write(dir, bert ? (const char *const *)pieces : NULL, n,
                                   ig_tokenizer_get_options(t).lowercase, block, err));
    if (bert)
        return IG_ERR_OK;
    IG_TRY(ig_path_join(&path, dir, "tokenizer.json", err));
    ig_code code = ig_tokenizer_json_write(t, path, err);
    ig_free(path);
    return code;
}

json_t *ig_setup_json(const ig_setup *s)
{
    json_t *languages = json_array();
    for (int i = 0; i < ig_corpus_n_language(s->train); i++) {
        const ig_language *l = ig_corpus_language(s->train, i);
        const int failed = json_array_append_new(
            languages,
            json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}", "name",
                      l->name, "pipeline", l->pipeline, "first_id", l->first_id, "n_id", l->n_id,
                      "position_offset", l->pos_offset, "segment", l->segment, "special", "pad",
                      l->pad, "unk", l->unk, "cls", l->cls, "sep", l->sep, "mask", l->mask));
        if (failed != 0) {
            json_decref(languages);
            return NULL;
        }
    }
    return json_pack("{s:{s:i, s:I, s:o}}", "isoglot", "base_vocab_size",
                     ig_tokenizer_size(s->tokenizer), "transform_seed",
                     (json_int_t)ig_corpus_get_options(s->train)->seed, "languages", languages);
}
