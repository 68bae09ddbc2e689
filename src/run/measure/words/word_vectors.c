/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a text as means of hidden states: see word_vectors.h. Each different word is cut into
 * pieces once; sentences are laid one behind another into batches, and sums are made in the order
 * of the text, in double.
 */
#include "run/measure/words/word_vectors.h"

#include "base/log.h"
#include "base/settings/json_file.h"
#include "base/memory.h"
#include "base/settings/options.h"
#include "embed/train/text_ids.h"
#include "run/measure/encoder.h"
#include "run/manifest.h"
#include "run/measure/token_batch.h"

#include <jansson.h>
#include <string.h>

/* What a language's sequences look like. */
typedef struct {
    int32_t number, first_id, position, segment, cls, sep, unk;
} language;

typedef struct {
    const ig_word_vectors_options *o;
    ig_word_vectors_report *report;
    ig_team *team;
    ig_text_ids text;
    /* The pieces of word w are piece[start[w]] … */
    int64_t *start, have_piece;
    int32_t *piece;
    ig_encoder encoder; /* of static vectors the tokenizer alone */
    ig_engine *engine;
    ig_vectors vectors; /* of pieces */
    int32_t *row;       /* [pieces] of `vectors`; −1: none */
    language language;
    int d;
    int32_t longest; /* pieces of a sequence, special tokens not counted */
    double *sum;     /* [words, d] */
    int64_t *n;      /* [words] places */
    ig_token_batch batch;
    int32_t *word; /* [n_tok] of the batch: the word that a piece is of */
    int64_t have_word;
} averager;

/* --- what knows the pieces ------------------------------------------------------------------- */

static int32_t number(const json_t *j, const char *key, int32_t none)
{
    const json_t *v = json_object_get(j, key);
    return json_is_integer(v) ? (int32_t)json_integer_value(v) : none;
}

/* The language of the options among those that config.json tells of. */
static ig_code find_language(averager *a, const char *dir, ig_err *err)
{
    json_t *config;
    IG_TRY(ig_folder_json(&config, dir, "config.json", err));
    const json_t *all = json_object_get(json_object_get(config, "isoglot"), "languages"), *l;
    const char *want = a->o->language, *name[32];
    size_t i;
    int n = 0;
    bool found = want == NULL;
    json_array_foreach(all, i, l)
    {
        const char *is = json_string_value(json_object_get(l, "name"));
        if (is != NULL && n < 32)
            name[n++] = is;
        if (is == NULL || (want != NULL ? strcmp(is, want) != 0 : i > 0))
            continue;
        const json_t *special = json_object_get(l, "special");
        found = true;
        a->language = (language){.number = (int32_t)i,
                                 .first_id = number(l, "first_id", 0),
                                 .position = number(l, "position_offset", 0),
                                 .segment = number(l, "segment", 0),
                                 .cls = number(special, "cls", a->language.cls),
                                 .sep = number(special, "sep", a->language.sep),
                                 .unk = number(special, "unk", a->language.unk)};
    }
    ig_code code = IG_ERR_OK;
    if (!found) {
        const char *near = ig_nearest(want, name, n);
        code = ig_fail(err, IG_ERR_USAGE, "--language", 0, "no language '%.100s' in %s", want, dir);
        if (near != NULL)
            ig_hint(err, "did you mean '%s'?", near);
    }
    json_decref(config);
    return code;
}

/* Of a vocabulary alone. */
static ig_code open_vocab(averager *a, const char *path, bool lowercase, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = lowercase};
    IG_TRY(ig_tokenizer_load(&a->encoder.tokenizer, path, &how, err));
    a->language.unk = ig_tokenizer_special(a->encoder.tokenizer, IG_TOKENIZER_UNK);
    return IG_ERR_OK;
}

static ig_code take_layer(averager *a, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(a->encoder.model);
    IG_TRY(ig_encoder_layer(&a->report->layer, &a->encoder, a->o->layer, err));
    const int64_t room = (int64_t)c->max_position_embeddings - a->language.position - 2;
    if (room < 1)
        return ig_fail(err, IG_ERR_INPUT, a->o->model, 0, "%d positions, expected at least %d",
                       c->max_position_embeddings, a->language.position + 3);
    a->longest = a->o->window > 0 && a->o->window < room ? a->o->window : (int32_t)room;
    return IG_ERR_OK;
}

static ig_code open_model(averager *a, ig_err *err)
{
    IG_TRY(ig_encoder_open(&a->encoder, a->o->model, a->o->lowercase, err));
    a->language = (language){.cls = a->encoder.cls, .sep = a->encoder.sep, .unk = a->encoder.unk};
    IG_TRY(find_language(a, a->encoder.dir, err));
    IG_TRY(take_layer(a, err));
    a->d = ig_bert_get_config(a->encoder.model)->hidden_size;
    a->batch.language = a->language.number;
    a->batch.position = a->language.position;
    a->batch.segment = a->language.segment;
    return ig_engine_new(&a->engine, a->encoder.model, a->team, NULL, IG_PRECISION_F32, err);
}

static ig_code open_pieces(averager *a, ig_err *err)
{
    if (a->o->vocab == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--vocab", 0,
                       "not given, expected the vocabulary whose pieces --pieces has");
    if (a->o->language != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--language", 0,
                       "together with --pieces, expected a --model");
    if (a->o->layer >= 0 || a->o->window > 0)
        return ig_fail(err, IG_ERR_USAGE, a->o->layer >= 0 ? "--layer" : "--window", 0,
                       "together with --pieces, expected a --model");
    IG_TRY(open_vocab(a, a->o->vocab, a->o->lowercase, err));
    IG_TRY(ig_manifest_vectors(&a->vectors, a->o->pieces, IG_VEC_AUTO, 0, a->team, err));
    const int32_t n = ig_tokenizer_size(a->encoder.tokenizer);
    IG_TRY(ig_alloc(&a->row, n, sizeof *a->row, "pieces", err));
    int32_t known = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *p = ig_tokenizer_piece(a->encoder.tokenizer, i);
        a->row[i] = ig_lexicon_find(&a->vectors.words, p, (int64_t)strlen(p));
        known += a->row[i] >= 0;
    }
    if (known == 0)
        return ig_fail(err, IG_ERR_INPUT, a->o->pieces, 0, "has none of the pieces of %s",
                       a->o->vocab);
    a->d = a->vectors.d;
    a->report->layer = -1;
    return IG_ERR_OK;
}

/* --- words and their pieces ------------------------------------------------------------------ */

/* Marks as unusable: no pieces. */
static ig_code cut_words(averager *a, ig_err *err)
{
    const ig_lexicon *words = &a->text.words;
    int64_t n = 0;
    IG_TRY(ig_alloc(&a->start, (int64_t)words->n + 1, sizeof *a->start, "words", err));
    for (int32_t w = 0; w < words->n; w++) {
        a->start[w] = n;
        IG_TRY(ig_tokenizer_encode(a->encoder.tokenizer, ig_lexicon_get(words, w),
                                   ig_lexicon_size(words, w), &a->piece, &n, &a->have_piece, err));
        a->start[w + 1] = n;
    }
    return IG_ERR_OK;
}

/* A word that is to have a vector: it is frequent enough, and all its pieces are known. */
static bool is_wanted(const averager *a, int32_t w)
{
    if (a->text.count[w] < a->o->min_count || a->start[w + 1] == a->start[w])
        return false;
    for (int64_t i = a->start[w]; i < a->start[w + 1]; i++)
        if (a->piece[i] == ig_tokenizer_special(a->encoder.tokenizer, IG_TOKENIZER_UNK) ||
            (a->row != NULL && a->row[a->piece[i]] < 0))
            return false;
    return true;
}

static ig_code read_text(averager *a, const char *const *path, int n_path, bool lowercase,
                         ig_err *err)
{
    const ig_text_ids_options o = {.split = IG_SPLIT_WORDS, .lowercase = lowercase, .min_count = 1};
    ig_sentences *s;
    IG_TRY(ig_sentences_open(&s, path, n_path, &a->o->text, err));
    ig_code code = ig_text_ids_read(&a->text, s, &o, err);
    ig_sentences_close(s);
    IG_THEN(code, cut_words(a, err));
    IG_THEN(code, ig_alloc(&a->sum, (int64_t)a->text.words.n * a->d, sizeof *a->sum, "sums", err));
    IG_THEN(code, ig_alloc(&a->n, a->text.words.n, sizeof *a->n, "words", err));
    return code;
}

/* --- sequences through the model ------------------------------------------------------------- */

static ig_code put(averager *a, int32_t id, int32_t word, ig_err *err)
{
    const int32_t n = a->batch.n_tok;
    IG_TRY(ig_grow(&a->word, &a->have_word, (int64_t)n + 1, sizeof *a->word, "batch", err));
    a->word[n] = word;
    return ig_token_batch_put(&a->batch, id, err);
}

static ig_code run_batch(averager *a, ig_err *err)
{
    ig_token_batch *b = &a->batch;
    IG_TRY(ig_token_batch_encode(b, a->engine, &a->report->layer, 1, a->d, err));
    for (int32_t i = 0; i < b->n_tok;) {
        const int32_t w = a->word[i];
        /* A word's pieces stand together; the same word twice is told apart by their number. */
        const int32_t n = w < 0 ? 1 : (int32_t)(a->start[w + 1] - a->start[w]);
        for (int32_t j = i; w >= 0 && j < i + n; j++)
            for (int k = 0; k < a->d; k++)
                a->sum[(int64_t)w * a->d + k] += (double)b->hidden[0][(int64_t)j * a->d + k] / n;
        if (w >= 0)
            a->n[w]++;
        i += n;
    }
    a->report->n_sequence += b->n_seq;
    a->report->n_token += b->n_tok;
    ig_token_batch_clear(b);
    return IG_ERR_OK;
}

static ig_code end_sequence(averager *a, ig_err *err)
{
    IG_TRY(put(a, a->language.sep, -1, err));
    IG_TRY(ig_token_batch_end(&a->batch, err));
    return a->batch.n_tok >= IG_TOKEN_BATCH ? run_batch(a, err) : IG_ERR_OK;
}

/* A sentence, cut between words where it is longer than a sequence. A word that is longer by itself
 * is left out. */
static ig_code take_sentence(averager *a, const int32_t *word, int64_t n, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(a->encoder.tokenizer, IG_TOKENIZER_UNK);
    int32_t length = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = a->start[word[i]], pieces = a->start[word[i] + 1] - from;
        if (pieces == 0 || pieces > a->longest)
            continue;
        if (length > 0 && length + pieces > a->longest) {
            IG_TRY(end_sequence(a, err));
            length = 0;
        }
        if (length == 0)
            IG_TRY(put(a, a->language.cls, -1, err));
        for (int64_t j = from; j < from + pieces; j++)
            IG_TRY(put(a, a->piece[j] == unk ? a->language.unk : a->language.first_id + a->piece[j],
                       word[i], err));
        length += (int32_t)pieces;
    }
    return length > 0 ? end_sequence(a, err) : IG_ERR_OK;
}

static ig_code run_text(averager *a, ig_err *err)
{
    ig_progress_begin("words in context", a->text.n_line);
    for (int64_t l = 0; l < a->text.n_line; l++) {
        IG_TRY(take_sentence(a, a->text.id + a->text.line[l], a->text.line[l + 1] - a->text.line[l],
                             err));
        ig_progress(l + 1, NULL);
    }
    return run_batch(a, err);
}

static void run_static(averager *a)
{
    for (int32_t w = 0; w < a->text.words.n; w++) {
        const int64_t n = a->start[w + 1] - a->start[w];
        if (!is_wanted(a, w))
            continue;
        for (int64_t i = a->start[w]; i < a->start[w + 1]; i++) {
            const float *x = ig_vectors_row(&a->vectors, a->row[a->piece[i]]);
            for (int k = 0; k < a->d; k++)
                a->sum[(int64_t)w * a->d + k] +=
                    (double)x[k] / (double)n * (double)a->text.count[w];
        }
        a->n[w] = a->text.count[w];
    }
}

/* --- the result ------------------------------------------------------------------------------ */

static ig_code finish(averager *a, ig_vectors *out, ig_err *err)
{
    ig_word_vectors_report *r = a->report;
    ig_lexicon kept = {0};
    int32_t id;
    int64_t n_piece = 0;
    ig_code code = IG_ERR_OK;
    for (int32_t w = 0; w < a->text.words.n && code == IG_ERR_OK; w++) {
        const int64_t pieces = a->start[w + 1] - a->start[w];
        const bool frequent = a->text.count[w] >= a->o->min_count, known = is_wanted(a, w);
        r->n_long += frequent && known && a->n[w] == 0;
        r->n_unknown += frequent && !known;
        if (!known || a->n[w] == 0)
            continue;
        r->n_used += a->n[w];
        n_piece += a->n[w] * pieces;
        code = ig_lexicon_add(&kept, ig_lexicon_get(&a->text.words, w),
                              ig_lexicon_size(&a->text.words, w), &id, err);
    }
    r->n_line = a->text.n_line;
    r->n_read = a->text.n_read;
    r->n_type = a->text.n_type;
    r->n_no_word = a->text.n_too_long;
    r->piece_share = r->n_used > 0 ? (double)n_piece / (double)r->n_used : 0;
    if (code == IG_ERR_OK && kept.n == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       "no word of %lld has a vector (minimum count %lld, %lld unknown)",
                       (long long)r->n_type, (long long)a->o->min_count, (long long)r->n_unknown);
    IG_THEN(code, ig_vectors_new(out, &kept, a->d, err));
    ig_lexicon_free(&kept);
    IG_TRY(code);
    int32_t to = 0;
    for (int32_t w = 0; w < a->text.words.n; w++)
        if (is_wanted(a, w) && a->n[w] > 0) {
            for (int k = 0; k < a->d; k++)
                ig_vectors_row(out, to)[k] =
                    (float)(a->sum[(int64_t)w * a->d + k] / (double)a->n[w]);
            to++;
        }
    return IG_ERR_OK;
}

static void close_all(averager *a)
{
    ig_text_ids_free(&a->text);
    IG_FREE(a->start, a->piece);
    ig_engine_free(a->engine);
    ig_encoder_close(&a->encoder);
    ig_vectors_free(&a->vectors);
    IG_FREE(a->row, a->sum, a->n, a->word);
    ig_token_batch_free(&a->batch);
}

ig_code ig_word_vectors(ig_vectors *out, ig_word_vectors_report *r, ig_path_list files,
                        const ig_word_vectors_options *o, ig_team *team, ig_err *err)
{
    averager a = {.o = o, .report = r, .team = team};
    *out = (ig_vectors){0};
    *r = (ig_word_vectors_report){0};
    if ((o->model == NULL) == (o->pieces == NULL))
        return ig_fail(err, IG_ERR_USAGE, "--model", 0,
                       o->model == NULL ? "not given, expected a BERT, or --pieces"
                                        : "together with --pieces, expected one of them");
    ig_code code = o->model != NULL ? open_model(&a, err) : open_pieces(&a, err);
    IG_THEN(code, read_text(&a, files.path, files.n, o->lowercase || a.encoder.lowercase, err));
    if (code == IG_ERR_OK) {
        if (o->model != NULL)
            code = run_text(&a, err);
        else
            run_static(&a);
    }
    ig_progress_end();
    IG_THEN(code, finish(&a, out, err));
    close_all(&a);
    return code;
}
