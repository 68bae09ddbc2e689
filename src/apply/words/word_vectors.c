/* SPDX-License-Identifier: Apache-2.0
 *
 * Averages hidden states into vectors of words. Each different word is cut into pieces once, or
 * twice where a blank before it may be part of a piece (byte-level vocabularies);
 * sentences are laid out one after another in batches, and sums are made in the order of the text,
 * in double.
 */
#include "apply/words/word_vectors.h"
#include "text/tokenizer/unknown_pieces.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/settings/options.h"
#include "embed/train/text_ids.h"
#include "apply/words/word_sums.h"

#include <string.h>

typedef struct {
    const ig_word_vectors_options *o;
    ig_word_vectors_report *report;
    ig_text_ids text;
    /* The pieces of word w are piece[start[2 w]] …, with a blank before it piece[start[2 w + 1]] …
     */
    int64_t *start, have_piece;
    int32_t *piece, *id; /* as the tokenizer and as the model have them */
    const ig_tokenizer *tokenizer;
    ig_states *states;
    int language;
    const ig_language *info; /* of that number */
    int32_t block;           /* tokens of a sequence at most */
    ig_word_sums sums;
} averager;

/* --- the model ------------------------------------------------------------------------------- */

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
    const ig_states_options how = {.model = a->o->model,
                                   .lowercase = a->o->lowercase,
                                   .device = a->o->device,
                                   .n_thread = a->o->n_thread};
    IG_TRY(ig_states_open(&a->states, &how, err));
    const ig_encoder *e = ig_states_encoder(a->states);
    const ig_bert_config *c = ig_bert_get_config(e->model);
    IG_TRY(find_language(a, err));
    IG_TRY(ig_encoder_layer(&a->report->layer, e, a->o->layer, err));
    const int32_t room = c->max_position_embeddings - a->info->pos_offset - 2;
    a->block = 2 + (a->o->window > 0 && a->o->window < room ? a->o->window : room);
    a->tokenizer = e->tokenizer;
    return ig_states_set_layers(a->states, &a->report->layer, 1, err);
}

/* --- words and their pieces ------------------------------------------------------------------ */

/* Appends the pieces of a word with a blank before it. */
static ig_code cut_spaced(averager *a, const char *word, int64_t size, int64_t *n, ig_err *err)
{
    IG_OWNED char *spaced = NULL;
    IG_TRY(ig_alloc(&spaced, size + 1, 1, "word", err));
    spaced[0] = ' ';
    memcpy(spaced + 1, word, (size_t)size);
    return ig_tokenizer_encode(a->tokenizer, spaced, size + 1, &a->piece, n, &a->have_piece, err);
}

/* Marks as unusable: no pieces. */
static ig_code cut_words(averager *a, const char *where, ig_err *err)
{
    const ig_lexicon *words = &a->text.words;
    ig_unknown_pieces unknown = {0};
    int64_t n = 0;
    IG_TRY(ig_alloc(&a->start, 2 * (int64_t)words->n + 1, sizeof *a->start, "words", err));
    for (int32_t w = 0; w < words->n; w++) {
        const char *word = ig_lexicon_get(words, w);
        const int64_t size = ig_lexicon_size(words, w), from = n;
        IG_TRY(ig_tokenizer_encode(a->tokenizer, word, size, &a->piece, &n, &a->have_piece, err));
        a->start[2 * w + 1] = n;
        IG_TRY(ig_unknown_add(
            &unknown, a->tokenizer,
            &(ig_cut_text){word, size, a->piece + from, n - from, a->text.count[w]}, err));
        if (a->text.joined != NULL)
            IG_TRY(cut_spaced(a, word, size, &n, err));
        a->start[2 * w + 2] = n;
    }
    return ig_unknown_check(&unknown, where, a->o->allow_unknown, err);
}

/* A word that is to have a vector: it is frequent enough, and all its pieces are known. */
static bool is_wanted(const averager *a, int32_t w)
{
    if (a->text.count[w] < a->o->min_count || a->start[2 * w + 1] == a->start[2 * w])
        return false;
    for (int64_t i = a->start[2 * w]; i < a->start[2 * w + 2]; i++)
        if (a->piece[i] == ig_tokenizer_special(a->tokenizer, IG_TOKENIZER_UNK))
            return false;
    return true;
}

static ig_code read_text(averager *a, const char *const *path, int n_path, bool lowercase,
                         ig_err *err)
{
    const ig_text_ids_options o = {.split = IG_SPLIT_WORDS,
                                   .lowercase = lowercase,
                                   .min_count = 1,
                                   .joined = ig_tokenizer_has_own_split(a->tokenizer)};
    ig_sentences *s;
    IG_TRY(ig_sentences_open(&s, path, n_path, &a->o->text, err));
    ig_code code = ig_text_ids_read(&a->text, s, NULL, &o, err);
    ig_sentences_close(s);
    IG_THEN(code, cut_words(a, path[0], err));
    return code;
}

/* --- sequences through the model ------------------------------------------------------------- */

/* From the tokenizer's pieces to the language's ids. */
static void map_pieces(averager *a)
{
    const int32_t unk = ig_tokenizer_special(a->tokenizer, IG_TOKENIZER_UNK);
    for (int64_t i = 0; i < a->start[2 * a->text.words.n]; i++)
        a->id[i] = a->piece[i] == unk ? a->info->unk : a->info->first_id + a->piece[i];
}

static ig_code run_text(averager *a, ig_err *err)
{
    const ig_text_ids *t = &a->text;
    const ig_word_sequences how = {a->block, false};
    IG_TRY(ig_alloc(&a->id, a->start[2 * t->words.n], sizeof *a->id, "pieces", err));
    map_pieces(a);
    IG_TRY(ig_word_sums_begin(&a->sums, a->states, a->language, &how, t->words.n, err));
    ig_progress_begin("words in context", t->n_line);
    for (int64_t l = 0; l < t->n_line; l++) {
        for (int64_t i = t->line[l]; i < t->line[l + 1]; i++) {
            const int32_t w = t->id[i];
            const bool spaced = t->joined != NULL && !t->joined[i];
            const int64_t from = a->start[2 * w + spaced], n = a->start[2 * w + spaced + 1] - from;
            if (n > 0)
                IG_TRY(ig_word_sums_put(&a->sums, is_wanted(a, w) ? w : -1, a->id + from,
                                        (int32_t)n, err));
        }
        IG_TRY(ig_word_sums_end_sentence(&a->sums, err));
        ig_progress(l + 1, NULL);
    }
    return ig_word_sums_end(&a->sums, err);
}

/* --- the result ------------------------------------------------------------------------------ */

static ig_code finish(averager *a, ig_vectors *out, ig_err *err)
{
    ig_word_vectors_report *r = a->report;
    ig_lexicon kept = {0};
    int32_t id;
    ig_code code = IG_ERR_OK;
    for (int32_t w = 0; w < a->text.words.n && code == IG_ERR_OK; w++) {
        const bool frequent = a->text.count[w] >= a->o->min_count, known = is_wanted(a, w);
        r->n_long += frequent && known && a->sums.n[w] == 0;
        r->n_unknown += frequent && !known;
        if (!known || a->sums.n[w] == 0)
            continue;
        r->n_used += a->sums.n[w];
        code = ig_lexicon_add(&kept, ig_lexicon_get(&a->text.words, w),
                              ig_lexicon_size(&a->text.words, w), &id, err);
    }
    r->n_sequence = a->sums.n_sequence;
    r->n_token = a->sums.n_token;
    r->n_line = a->text.n_line;
    r->n_read = a->text.n_read;
    r->n_type = a->text.n_type;
    r->n_no_word = a->text.n_too_long;
    r->piece_share = r->n_used > 0 ? (double)a->sums.n_piece / (double)r->n_used : 0;
    if (code == IG_ERR_OK && kept.n == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       "no word of %lld has a vector (minimum count %lld, %lld unknown)",
                       (long long)r->n_type, (long long)a->o->min_count, (long long)r->n_unknown);
    IG_THEN(code, ig_vectors_new(out, &kept, a->sums.d, err));
    ig_lexicon_free(&kept);
    IG_TRY(code);
    int32_t to = 0;
    for (int32_t w = 0; w < a->text.words.n; w++)
        if (is_wanted(a, w) && a->sums.n[w] > 0) {
            for (int k = 0; k < a->sums.d; k++)
                ig_vectors_row(out, to)[k] =
                    (float)(a->sums.sum[0][(int64_t)w * a->sums.d + k] / (double)a->sums.n[w]);
            to++;
        }
    return IG_ERR_OK;
}

static void close_all(averager *a)
{
    ig_text_ids_free(&a->text);
    IG_FREE(a->start, a->piece, a->id);
    ig_word_sums_free(&a->sums);
    ig_states_close(a->states);
}

ig_code ig_word_vectors(ig_vectors *out, ig_word_vectors_report *r, ig_path_list files,
                        const ig_word_vectors_options *o, ig_err *err)
{
    averager a = {.o = o, .report = r};
    *out = (ig_vectors){0};
    *r = (ig_word_vectors_report){0};
    if (o->model == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "not given, expected a BERT");
    ig_code code = open_model(&a, err);
    IG_THEN(code, read_text(&a, files.path, files.n, ig_states_encoder(a.states)->lowercase, err));
    IG_THEN(code, run_text(&a, err));
    ig_progress_end();
    IG_THEN(code, finish(&a, out, err));
    close_all(&a);
    return code;
}
