/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the states of sentences in batches. Sentences wait as tokens until a batch is full; it
 * is then laid out with the sentences of one language together, as the engine needs it, and handed
 * out in the order of input.
 */
#include "apply/states.h"

#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/text_source.h"
#include "isoglot/batch.h"
#include "model/bert_params.h"
#include "model/device/device_name.h"

#include <math.h>
#include <string.h>

/* A batch has so many tokens at most, fewer where their states would take more bytes. */
enum { BATCH_TOKENS = 8192, BATCH_BYTES = 64 << 20, LEAST_TOKENS = 512 };

/* A sentence that waits: tokens first .. first + n of `id`; in the batch they begin at `at`. */
typedef struct {
    int language;
    int32_t first, n, at;
    bool cut;
} waiting;

struct ig_states {
    ig_states_options o;
    ig_encoder encoder;
    ig_model_languages languages;
    ig_team *team;
    ig_engine *engine;
    bool borrowed;               /* all of the above … */
    ig_model_language *language; /* … but those that are a corpus's */
    int *layer;
    int n_layer, d;
    int32_t full; /* tokens of a full batch */
    ig_states_fn *fn;
    void *arg;
    int64_t number;   /* of the next sentence that is handed out */
    const char *text; /* where the sentences come from, for messages; NULL: the language's name */
    uint64_t line;    /* of the sentence there; 0: unknown */
    waiting *sentence;
    int32_t n_sentence, n_token;
    int32_t *id, *piece;
    ig_unknown_pieces *watch;
    bool *special;
    ig_tokens tokens;
    /* the batch */
    int32_t *start, *b_language, *b_id, *b_pos, *b_seg, *row;
    float *hidden, **layer_states; /* [n_layer] each [tokens, d] */
    const float **out;             /* [n_layer] of the sentence that is handed out */
    int64_t have_sentence, have_id, have_special, have_piece, have_start, have_tokens[5], have_rows;
};

/* --- the model ------------------------------------------------------------------------------- */

static ig_code take_layers(ig_states *s, ig_err *err)
{
    const int depth = ig_bert_get_config(s->encoder.model)->num_hidden_layers;
    s->n_layer = s->o.all_layers ? depth + 1 : s->o.n_layer;
    IG_FREE(s->layer, s->out, s->layer_states);
    s->out = NULL;
    s->layer_states = NULL;
    IG_TRY(ig_alloc(&s->layer, s->n_layer, sizeof *s->layer, "layers", err));
    IG_TRY(ig_alloc(&s->out, s->n_layer, sizeof *s->out, "layers", err));
    IG_TRY(ig_alloc(&s->layer_states, s->n_layer, sizeof *s->layer_states, "layers", err));
    for (int i = 0; i < s->n_layer; i++) {
        s->layer[i] = s->o.all_layers ? i : s->o.layer[i];
        if (s->layer[i] < 0 || s->layer[i] > depth || (i > 0 && s->layer[i] <= s->layer[i - 1]))
            return ig_fail(err, IG_ERR_USAGE, "layer", 0,
                           "found %d, expected layers from 0 (embeddings) to %d, ascending",
                           s->layer[i], depth);
    }
    s->o.layer = s->layer;
    return IG_ERR_OK;
}

static ig_code check_model(const ig_states *s, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(s->encoder.model);
    for (int k = 0; k < s->languages.n; k++)
        if (ig_model_languages_positions(&s->languages, k, c) < 3)
            return ig_fail(err, IG_ERR_INPUT, s->o.model, 0, "%d positions, expected at least 3",
                           ig_model_languages_positions(&s->languages, k, c));
    if (s->o.likeliest && (c->causal || c->shifted))
        return ig_fail(err, IG_ERR_INPUT, s->o.model, 0,
                       "its states predict the next token, expected a model that predicts the "
                       "token itself");
    if (s->o.likeliest && !s->encoder.masked)
        return ig_fail(err, IG_ERR_INPUT, s->o.model, 0,
                       "has no head of masked words (cls.predictions), which says the likeliest");
    return IG_ERR_OK;
}

/* Computes the size of a batch. */
static ig_code set_size(ig_states *s, ig_err *err)
{
    IG_TRY(take_layers(s, err));
    const ig_bert_config *c = ig_bert_get_config(s->encoder.model);
    s->d = s->o.inner == IG_INNER_NONE ? c->hidden_size : ig_inner_width(c, s->o.inner);
    const int64_t per_token = (int64_t)s->n_layer * s->d * (int64_t)sizeof(float),
                  most = per_token > 0 ? BATCH_BYTES / per_token : BATCH_TOKENS;
    s->full = most > BATCH_TOKENS   ? BATCH_TOKENS
              : most < LEAST_TOKENS ? LEAST_TOKENS
                                    : (int32_t)most;
    return IG_ERR_OK;
}

ig_code ig_states_draw(ig_states *s, uint64_t seed, ig_err *err)
{
    IG_TRY(ig_bert_redraw(s->encoder.model, seed, s->team, err));
    ig_engine_weights_changed(s->engine);
    return IG_ERR_OK;
}

static ig_code open_model(ig_states *s, ig_err *err)
{
    IG_TRY(ig_device_choose(s->o.device, err));
    IG_TRY(ig_encoder_open_any(&s->encoder, s->o.model, s->o.lowercase, s->o.bare, err));
    ig_device_report(s->o.device, ig_bert_get_config(s->encoder.model));
    IG_TRY(ig_model_languages_read(&s->languages, s->encoder.dir,
                                   ig_bert_get_config(s->encoder.model), s->encoder.tokenizer,
                                   err));
    IG_TRY(check_model(s, err));
    IG_TRY(set_size(s, err));
    IG_TRY(ig_team_new(&s->team, s->o.n_thread, err));
    IG_TRY(ig_engine_new(&s->engine, s->encoder.model, s->team, NULL, s->o.precision, err));
    return s->o.fresh ? ig_states_draw(s, s->o.seed, err) : IG_ERR_OK;
}

static ig_code borrow(ig_states *s, const ig_states_parts *p, ig_err *err)
{
    s->borrowed = true;
    s->engine = p->engine;
    s->team = p->team;
    s->encoder.model = p->model;
    s->encoder.tokenizer = p->tokenizer;
    s->encoder.masked = ig_bert_config_n_label(ig_bert_get_config(p->model), IG_HEAD_MASKED) > 0;
    s->o.model = "the model";
    if (p->languages != NULL) {
        s->languages = *p->languages;
    } else if (p->corpus != NULL) {
        s->languages.n = ig_corpus_n_language(p->corpus);
        IG_TRY(ig_alloc(&s->language, s->languages.n, sizeof *s->language, "languages", err));
        for (int k = 0; k < s->languages.n; k++)
            s->language[k].info = *ig_corpus_language(p->corpus, k);
        s->languages.language = s->language;
        s->languages.options = *ig_corpus_get_options(p->corpus);
    }
    IG_TRY(check_model(s, err));
    return set_size(s, err);
}

static ig_code make(ig_states **out, const ig_states_options *o, const ig_states_parts *p,
                    ig_err *err)
{
    ig_states *s;
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "states", err));
    s->o = *o;
    ig_code code = p != NULL ? borrow(s, p, err) : open_model(s, err);
    if (code != IG_ERR_OK)
        ig_states_close(s);
    else
        *out = s;
    return code;
}

ig_code ig_states_open(ig_states **out, const ig_states_options *o, ig_err *err)
{
    return make(out, o, NULL, err);
}

ig_code ig_states_over(ig_states **out, const ig_states_options *o, const ig_states_parts *parts,
                       ig_err *err)
{
    return make(out, o, parts, err);
}

static void close_model(ig_states *s)
{
    ig_free(s->language);
    if (s->borrowed)
        return;
    ig_engine_free(s->engine);
    ig_team_free(s->team);
    ig_model_languages_free(&s->languages);
    ig_encoder_close(&s->encoder);
}

void ig_states_close(ig_states *s)
{
    if (s == NULL)
        return;
    close_model(s);
    IG_FREE(s->layer, s->sentence, s->id, s->piece, s->special, s->start, s->b_language, s->b_id,
            s->b_pos, s->b_seg, s->row, s->hidden, s->layer_states, s->out, s);
}

const ig_encoder *ig_states_encoder(const ig_states *s)
{
    return &s->encoder;
}

const ig_model_languages *ig_states_languages(const ig_states *s)
{
    return &s->languages;
}

ig_team *ig_states_team(ig_states *s)
{
    return s->team;
}

int ig_states_layers(const ig_states *s, const int **layer)
{
    *layer = s->layer;
    return s->n_layer;
}

ig_code ig_states_set_layers(ig_states *s, const int *layer, int n_layer, ig_err *err)
{
    s->o.layer = layer;
    s->o.n_layer = n_layer;
    s->o.all_layers = layer == NULL;
    return set_size(s, err);
}

void ig_states_set_most(ig_states *s, int32_t most_token)
{
    s->o.most_token = most_token;
}

ig_code ig_states_set_edits(ig_states *s, const ig_edit *edit, int n, ig_err *err)
{
    return ig_engine_set_edits(s->engine, edit, n, err);
}

/* --- batches --------------------------------------------------------------------------------- */

static ig_code grow_batch(ig_states *s, ig_err *err)
{
    const int64_t n = s->n_token;
    int64_t have = s->have_start;
    IG_TRY(ig_grow(&s->start, &have, s->n_sentence + 1, sizeof *s->start, "batch", err));
    IG_TRY(ig_grow(&s->b_language, &s->have_start, s->n_sentence + 1, sizeof *s->b_language,
                   "batch", err));
    IG_TRY(ig_grow(&s->b_id, &s->have_tokens[0], n, sizeof *s->b_id, "batch", err));
    IG_TRY(ig_grow(&s->b_pos, &s->have_tokens[1], n, sizeof *s->b_pos, "batch", err));
    IG_TRY(ig_grow(&s->b_seg, &s->have_tokens[2], n, sizeof *s->b_seg, "batch", err));
    return ig_grow(&s->row, &s->have_tokens[3], n, sizeof *s->row, "batch", err);
}

static void lay_out(ig_states *s, const waiting *w, int32_t at)
{
    const ig_language *l = &s->languages.language[w->language].info;
    memcpy(s->b_id + at, s->id + w->first, (size_t)w->n * sizeof *s->id);
    for (int32_t i = 0; i < w->n; i++) {
        s->b_pos[at + i] = l->pos_offset + i;
        s->b_seg[at + i] = l->segment;
        s->row[at + i] = at + i;
    }
}

/* The sentences that wait, those of one language together. */
static ig_batch make_batch(ig_states *s)
{
    int32_t at = 0, q = 0;
    for (int k = 0; k < s->languages.n; k++)
        for (int32_t i = 0; i < s->n_sentence; i++) {
            waiting *w = &s->sentence[i];
            if (w->language != k)
                continue;
            w->at = at;
            lay_out(s, w, at);
            s->start[q] = at;
            s->b_language[q++] = k;
            at += w->n;
        }
    s->start[q] = at;
    return (ig_batch){.n_seq = q,
                      .n_tok = at,
                      .seq_start = s->start,
                      .id = s->b_id,
                      .pos = s->b_pos,
                      .seg = s->b_seg,
                      .language = s->b_language};
}

ig_code ig_states_encode(const float *const **out, ig_states *s, const ig_batch *b, ig_err *err)
{
    const int64_t size = (int64_t)b->n_tok * s->d;
    IG_TRY(ig_stop_check(&s->o.stop, "the text", err));
    IG_TRY(ig_grow(&s->hidden, &s->have_rows, size * s->n_layer, sizeof *s->hidden, "hidden states",
                   err));
    for (int l = 0; l < s->n_layer; l++)
        s->layer_states[l] = s->hidden + l * size;
    *out = (const float *const *)s->layer_states;
    return s->n_layer > 0 ? ig_engine_inner(s->engine, b, s->o.inner, s->layer, s->n_layer,
                                            s->layer_states, err)
                          : IG_ERR_OK;
}

ig_code ig_states_predict(ig_head_result *out, ig_states *s, const ig_batch *b, ig_head_kind head,
                          ig_err *err)
{
    IG_TRY(ig_stop_check(&s->o.stop, "the text", err));
    IG_TRY(ig_engine_predict(s->engine, b, err));
    *out = ig_engine_result(s->engine, head);
    for (int64_t i = 0; i < out->n; i++)
        if (isnan(out->nll[i]))
            return ig_fail(err, IG_ERR_NUMERIC, s->text != NULL ? s->text : s->o.model, 0,
                           "found scores that are not numbers, expected finite ones");
    return IG_ERR_OK;
}

/* A state that is not finite would give a plausible number, or none. */
static ig_code check_finite(const ig_states *s, const waiting *w, ig_err *err)
{
    const char *text = s->text != NULL ? s->text : s->languages.language[w->language].info.name;
    for (int l = 0; l < s->n_layer; l++)
        for (int64_t i = 0; i < (int64_t)w->n * s->d; i++)
            if (!isfinite(s->out[l][i]))
                return ig_fail(err, IG_ERR_NUMERIC, text != NULL ? text : s->o.model, 0,
                               "sentence %lld: found a state that is not finite at layer %d of %s, "
                               "expected numbers",
                               (long long)s->number + 1, s->layer[l], s->o.model);
    return IG_ERR_OK;
}

static ig_code hand_out(ig_states *s, const waiting *w, const int32_t *likeliest, ig_err *err)
{
    for (int l = 0; l < s->n_layer; l++)
        s->out[l] = s->hidden + ((int64_t)l * s->n_token + w->at) * s->d;
    IG_TRY(check_finite(s, w, err));
    const ig_language *of = &s->languages.language[w->language].info;
    const int has_cls = of->cls >= 0;
    const ig_sentence_states one = {.number = s->number++,
                                    .language = w->language,
                                    .cut = w->cut,
                                    .n_token = w->n,
                                    .first = has_cls,
                                    .n_own = w->n - has_cls - (of->sep >= 0),
                                    .id = s->id + w->first,
                                    .special = s->special + w->first,
                                    .states = s->out,
                                    .likeliest = likeliest != NULL ? likeliest + w->at : NULL};
    return s->fn(s->arg, &one, err);
}

static ig_code run_batch(ig_states *s, ig_err *err)
{
    const float *const *ignored;
    ig_head_result r = {0};
    IG_TRY(grow_batch(s, err));
    ig_batch b = make_batch(s);
    IG_TRY(ig_states_encode(&ignored, s, &b, err));
    if (s->o.likeliest) {
        /* The input is the label: the loss of it is computed, and nobody reads it. */
        b.target[IG_HEAD_MASKED] = (ig_targets){.n = b.n_tok, .row = s->row, .label = b.id};
        IG_TRY(ig_states_predict(&r, s, &b, IG_HEAD_MASKED, err));
    }
    for (int32_t i = 0; i < s->n_sentence; i++)
        IG_TRY(hand_out(s, &s->sentence[i], r.best, err));
    s->n_sentence = s->n_token = 0;
    return IG_ERR_OK;
}

/* --- sentences ------------------------------------------------------------------------------- */

void ig_states_begin(ig_states *s, ig_states_fn *fn, void *arg)
{
    s->fn = fn;
    s->arg = arg;
    s->number = 0;
    s->text = NULL;
    s->line = 0;
    s->n_sentence = s->n_token = 0;
}

static ig_code put_token(ig_states *s, int32_t id, bool special, ig_err *err)
{
    const int64_t n = s->n_token + 1;
    IG_TRY(ig_grow(&s->id, &s->have_id, n, sizeof *s->id, "batch", err));
    IG_TRY(ig_grow(&s->special, &s->have_special, n, sizeof *s->special, "batch", err));
    s->id[s->n_token] = id;
    s->special[s->n_token++] = special;
    return IG_ERR_OK;
}

int32_t ig_states_room(const ig_states *s, int language)
{
    const ig_language *of = &s->languages.language[language].info;
    const int32_t special = (of->cls >= 0) + (of->sep >= 0),
                  room = ig_model_languages_positions(&s->languages, language,
                                                      ig_bert_get_config(s->encoder.model)) -
                         special,
                  most = s->o.most_token > special ? s->o.most_token - special : IG_SEQUENCE_MAX;
    return room < most ? room : most;
}

/* The text's end is lost before the transforms, so that copies of a language lose the same. */
ig_code ig_states_tokens(const ig_tokens **out, bool *cut, ig_states *s,
                         const ig_states_sentence *of, ig_err *err)
{
    const ig_tokenizer *own = s->languages.language[of->language].own,
                       *t = own != NULL ? own : s->encoder.tokenizer;
    const int32_t room = ig_states_room(s, of->language);
    int64_t n_piece = 0;
    IG_TRY(ig_tokenizer_encode(t, of->text, of->n, &s->piece, &n_piece, &s->have_piece, err));
    if (s->watch != NULL)
        IG_TRY(ig_unknown_add(s->watch, t, &(ig_cut_text){of->text, of->n, s->piece, n_piece, 1},
                              err));
    *cut = n_piece > room;
    ig_model_language_tokens(&s->languages, of->language, of->number, s->piece,
                             *cut ? room : (int32_t)n_piece, &s->tokens);
    if (s->tokens.n > room)
        s->tokens.n = room;
    *out = &s->tokens;
    return IG_ERR_OK;
}

/* The sentence is there as tokens. */
static ig_code wait_for_batch(ig_states *s, waiting w, ig_err *err)
{
    IG_TRY(ig_grow(&s->sentence, &s->have_sentence, s->n_sentence + 1, sizeof *s->sentence, "batch",
                   err));
    w.n = s->n_token - w.first;
    s->sentence[s->n_sentence++] = w;
    return s->n_token >= s->full ? run_batch(s, err) : IG_ERR_OK;
}

ig_code ig_states_put_tokens(ig_states *s, int language, const int32_t *id, int32_t n, ig_err *err)
{
    const waiting w = {.language = language, .first = s->n_token};
    const ig_language *l = &s->languages.language[language].info;
    for (int32_t i = 0; i < n; i++)
        IG_TRY(put_token(s, id[i], (i == 0 && l->cls >= 0) || (i == n - 1 && l->sep >= 0), err));
    return wait_for_batch(s, w, err);
}

/* The pieces of a sentence that began to wait. */
static ig_code put_between(ig_states *s, waiting w, const int32_t *id, int32_t n, ig_err *err)
{
    const ig_language *l = &s->languages.language[w.language].info;
    if (l->cls >= 0)
        IG_TRY(put_token(s, l->cls, true, err));
    for (int32_t i = 0; i < n; i++)
        IG_TRY(put_token(s, id[i], false, err));
    if (l->sep >= 0)
        IG_TRY(put_token(s, l->sep, true, err));
    return s->n_token > w.first
               ? wait_for_batch(s, w, err)
               : ig_fail(err, IG_ERR_INPUT, s->text != NULL ? s->text : s->o.model, s->line,
                         "sentence %lld has no token, expected text: the model has no special "
                         "tokens",
                         (long long)(s->number + s->n_sentence + 1));
}

ig_code ig_states_put_pieces(ig_states *s, int language, const int32_t *id, int32_t n, ig_err *err)
{
    return put_between(s, (waiting){.language = language, .first = s->n_token}, id, n, err);
}

ig_code ig_states_put_sequence(ig_states *s, const ig_corpus *c, int language, int64_t i,
                               ig_err *err)
{
    int32_t id[IG_SEQUENCE_MAX];
    return ig_states_put_tokens(s, language, id, ig_corpus_sequence(c, language, i, id), err);
}

void ig_states_at(ig_states *s, const char *path, uint64_t line)
{
    s->text = path;
    s->line = line;
}

ig_code ig_states_put(ig_states *s, int language, const char *text, int64_t n, ig_err *err)
{
    waiting w = {.language = language, .first = s->n_token};
    const ig_tokens *tokens;
    IG_TRY(ig_states_tokens(&tokens, &w.cut, s,
                            &(ig_states_sentence){language, s->number + s->n_sentence, text, n},
                            err));
    return put_between(s, w, tokens->id, tokens->n, err);
}

ig_code ig_states_end(ig_states *s, ig_err *err)
{
    return s->n_sentence > 0 ? run_batch(s, err) : IG_ERR_OK;
}

void ig_states_watch(ig_states *s, ig_unknown_pieces *u)
{
    s->watch = u;
}

ig_code ig_states_watched(const ig_states *s, const ig_unknown_pieces *u, const char *path,
                          ig_err *err)
{
    return ig_unknown_check(u, path, s->o.allow_unknown, err);
}

static ig_code put_file(ig_states *s, ig_text_source *source, const ig_states_source *from,
                        ig_err *err)
{
    ig_text_record r;
    int64_t n = 0;
    while (from->take == 0 || n < from->take) {
        IG_TRY(ig_text_next(source, &r, err));
        if (r.text == NULL)
            break;
        IG_TRY(ig_states_put(s, from->language, r.text, r.n, err));
        ig_progress(++n, NULL);
    }
    return n > 0 ? ig_states_end(s, err)
                 : ig_fail(err, IG_ERR_INPUT, from->path, 0, "found no sentence");
}

static ig_code put_corpus(ig_states *s, const ig_states_source *from, ig_err *err)
{
    const int64_t n = ig_corpus_n_sequence(from->corpus, from->language);
    for (int64_t i = 0; i < n && (from->take == 0 || i < from->take); i++)
        IG_TRY(ig_states_put_sequence(s, from->corpus, from->language, i, err));
    return ig_states_end(s, err);
}

ig_code ig_states_read(ig_states *s, const ig_states_source *from, ig_states_fn *fn, void *arg,
                       ig_err *err)
{
    ig_text_source *source;
    ig_unknown_pieces unknown = {0};
    ig_states_begin(s, fn, arg);
    if (from->path == NULL)
        return put_corpus(s, from, err);
    s->text = from->path;
    IG_TRY(ig_text_open(&source, from->path, IG_TEXT_AUTO, NULL, err));
    ig_progress_begin("sentences", from->take);
    ig_states_watch(s, &unknown);
    ig_code code = put_file(s, source, from, err);
    ig_progress_end();
    ig_states_watch(s, NULL);
    IG_THEN(code, ig_states_watched(s, &unknown, from->path, err));
    ig_text_close(source);
    return code;
}
