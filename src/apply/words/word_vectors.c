/* SPDX-License-Identifier: Apache-2.0
 *
 * Averages hidden states into vectors of words. Each different word is cut into pieces once;
 * sentences are laid out one after another in batches, and sums are made in the order of the text,
 * in double.
 */
#include "apply/words/word_vectors.h"
#include "text/tokenizer/unknown_pieces.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/settings/options.h"
#include "embed/train/text_ids.h"
#include "apply/folder/manifest.h"
#include "apply/states.h"

#include <string.h>

typedef struct {
    const ig_word_vectors_options *o;
    ig_word_vectors_report *report;
    ig_text_ids text;
    /* The pieces of word w are piece[start[w]] … */
    int64_t *start, have_piece;
    int32_t *piece;
    const ig_tokenizer *tokenizer;
    ig_states *states;        /* of a model; NULL: of static vectors */
    ig_tokenizer *vocabulary; /* of these */
    int language;
    const ig_language *info; /* of that number */
    ig_vectors vectors;      /* of pieces */
    int32_t *row;            /* [pieces] of `vectors`; −1: none */
    int d;
    int32_t longest;   /* pieces of a sequence, special tokens not counted */
    double *sum;       /* [words, d] */
    int64_t *n;        /* [words] occurrences */
    int32_t *id, n_id; /* the sequence that is open */
    int64_t have_id;
    int32_t
        *word; /* [n_word] the word that each token of the sequences that wait is of, −1: none */
    int64_t n_word, n_taken, have_word;
} averager;

/* --- what knows the pieces ------------------------------------------------------------------- */

/* Finds the language of the options in config.json. */
static ig_code find_language(averager *a, ig_err *err)
{
    const ig_model_languages *l = ig_states_languages(a->states);
    const char *want = a->o->language, *name[IG_LANGUAGES_MAX];
    a->language = want != NULL ? ig_model_languages_find(l, want) : 0;
    if (a->language >= 0) {
        a->info = &l->language[a->language].info;
        return IG_ERR_OK;
    }
    for (int k = 0; k < l->n; k++)
        name[k] = l->language[k].info.name;
    const char *near = ig_nearest(want, name, l->n);
    ig_fail(err, IG_ERR_USAGE, "--language", 0, "no language '%.100s' in %s", want,
            ig_states_encoder(a->states)->dir);
    return near != NULL ? ig_hint(err, "did you mean '%s'?", near) : IG_ERR_USAGE;
}

static ig_code open_model(averager *a, ig_err *err)
{
    const ig_states_options how = {
        .model = a->o->model, .lowercase = a->o->lowercase, .n_thread = a->o->n_thread};
    IG_TRY(ig_states_open(&a->states, &how, err));
    const ig_encoder *e = ig_states_encoder(a->states);
    const ig_bert_config *c = ig_bert_get_config(e->model);
    IG_TRY(find_language(a, err));
    IG_TRY(ig_encoder_layer(&a->report->layer, e, a->o->layer, err));
    const int32_t room = c->max_position_embeddings - a->info->pos_offset - 2;
    a->longest = a->o->window > 0 && a->o->window < room ? a->o->window : room;
    a->d = c->hidden_size;
    a->tokenizer = e->tokenizer;
    return ig_states_set_layers(a->states, &a->report->layer, 1, err);
}

static ig_code read_pieces(averager *a, ig_err *err)
{
    ig_team *team;
    IG_TRY(ig_team_new(&team, a->o->n_thread, err));
    const ig_code code = ig_manifest_vectors(&a->vectors, a->o->pieces, (ig_vec_how){0}, team, err);
    ig_team_free(team);
    return code;
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
    const ig_tokenizer_options how = {.lowercase = a->o->lowercase};
    IG_TRY(ig_tokenizer_load(&a->vocabulary, a->o->vocab, &how, err));
    IG_TRY(read_pieces(a, err));
    a->tokenizer = a->vocabulary;
    const int32_t n = ig_tokenizer_size(a->tokenizer);
    IG_TRY(ig_alloc(&a->row, n, sizeof *a->row, "pieces", err));
    int32_t known = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *p = ig_tokenizer_piece(a->tokenizer, i);
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
static ig_code cut_words(averager *a, const char *where, ig_err *err)
{
    const ig_lexicon *words = &a->text.words;
    ig_unknown_pieces unknown = {0};
    int64_t n = 0;
    IG_TRY(ig_alloc(&a->start, (int64_t)words->n + 1, sizeof *a->start, "words", err));
    for (int32_t w = 0; w < words->n; w++) {
        a->start[w] = n;
        IG_TRY(ig_tokenizer_encode(a->tokenizer, ig_lexicon_get(words, w),
                                   ig_lexicon_size(words, w), &a->piece, &n, &a->have_piece, err));
        a->start[w + 1] = n;
        IG_TRY(ig_unknown_add(&unknown, a->tokenizer,
                              &(ig_cut_text){ig_lexicon_get(words, w), ig_lexicon_size(words, w),
                                             a->piece + a->start[w], n - a->start[w],
                                             a->text.count[w]},
                              err));
    }
    return ig_unknown_check(&unknown, where, a->o->allow_unknown, err);
}

/* A word that is to have a vector: it is frequent enough, and all its pieces are known. */
static bool is_wanted(const averager *a, int32_t w)
{
    if (a->text.count[w] < a->o->min_count || a->start[w + 1] == a->start[w])
        return false;
    for (int64_t i = a->start[w]; i < a->start[w + 1]; i++)
        if (a->piece[i] == ig_tokenizer_special(a->tokenizer, IG_TOKENIZER_UNK) ||
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
    IG_THEN(code, cut_words(a, path[0], err));
    IG_THEN(code, ig_alloc(&a->sum, (int64_t)a->text.words.n * a->d, sizeof *a->sum, "sums", err));
    IG_THEN(code, ig_alloc(&a->n, a->text.words.n, sizeof *a->n, "words", err));
    return code;
}

/* --- sequences through the model ------------------------------------------------------------- */

static ig_code put(averager *a, int32_t id, int32_t word, ig_err *err)
{
    IG_TRY(ig_grow(&a->word, &a->have_word, a->n_word + 1, sizeof *a->word, "batch", err));
    IG_TRY(ig_grow(&a->id, &a->have_id, (int64_t)a->n_id + 1, sizeof *a->id, "batch", err));
    a->word[a->n_word++] = word;
    a->id[a->n_id++] = id;
    return IG_ERR_OK;
}

static ig_code take(void *arg, const ig_sentence_states *s, ig_err *err)
{
    averager *a = arg;
    (void)err;
    for (int32_t i = 0; i < s->n_token;) {
        const int32_t w = a->word[a->n_taken + i];
        /* A word's pieces are adjacent; their number separates a repeated word from a single one.
         */
        const int32_t n = w < 0 ? 1 : (int32_t)(a->start[w + 1] - a->start[w]);
        for (int32_t j = i; w >= 0 && j < i + n; j++)
            for (int k = 0; k < a->d; k++)
                a->sum[(int64_t)w * a->d + k] += (double)s->states[0][(int64_t)j * a->d + k] / n;
        if (w >= 0)
            a->n[w]++;
        i += n;
    }
    a->report->n_sequence++;
    a->report->n_token += s->n_token;
    a->n_taken += s->n_token;
    if (a->n_taken == a->n_word)
        a->n_taken = a->n_word = 0;
    return IG_ERR_OK;
}

static ig_code end_sequence(averager *a, ig_err *err)
{
    IG_TRY(put(a, a->info->sep, -1, err));
    const int32_t n = a->n_id;
    a->n_id = 0;
    return ig_states_put_tokens(a->states, a->language, a->id, n, err);
}

/* A sentence, cut between words where it is longer than a sequence. A word that is longer by itself
 * is left out. */
static ig_code take_sentence(averager *a, const int32_t *word, int64_t n, ig_err *err)
{
    const int32_t unk = ig_tokenizer_special(a->tokenizer, IG_TOKENIZER_UNK);
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
            IG_TRY(put(a, a->info->cls, -1, err));
        for (int64_t j = from; j < from + pieces; j++)
            IG_TRY(put(a, a->piece[j] == unk ? a->info->unk : a->info->first_id + a->piece[j],
                       word[i], err));
        length += (int32_t)pieces;
    }
    return length > 0 ? end_sequence(a, err) : IG_ERR_OK;
}

static ig_code run_text(averager *a, ig_err *err)
{
    ig_progress_begin("words in context", a->text.n_line);
    ig_states_begin(a->states, take, a);
    for (int64_t l = 0; l < a->text.n_line; l++) {
        IG_TRY(take_sentence(a, a->text.id + a->text.line[l], a->text.line[l + 1] - a->text.line[l],
                             err));
        ig_progress(l + 1, NULL);
    }
    return ig_states_end(a->states, err);
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
    ig_states_close(a->states);
    ig_tokenizer_free(a->vocabulary);
    ig_vectors_free(&a->vectors);
    IG_FREE(a->row, a->sum, a->n, a->id, a->word);
}

ig_code ig_word_vectors(ig_vectors *out, ig_word_vectors_report *r, ig_path_list files,
                        const ig_word_vectors_options *o, ig_err *err)
{
    averager a = {.o = o, .report = r};
    *out = (ig_vectors){0};
    *r = (ig_word_vectors_report){0};
    if ((o->model == NULL) == (o->pieces == NULL))
        return ig_fail(err, IG_ERR_USAGE, "--model", 0,
                       o->model == NULL ? "not given, expected a BERT, or --pieces"
                                        : "together with --pieces, expected one of them");
    ig_code code = o->model != NULL ? open_model(&a, err) : open_pieces(&a, err);
    const bool lowercase =
        o->lowercase || (a.states != NULL && ig_states_encoder(a.states)->lowercase);
    IG_THEN(code, read_text(&a, files.path, files.n, lowercase, err));
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
