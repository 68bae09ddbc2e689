/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures an encoder for its report card. The model runs once over each text, and an untrained one
 * of its shape once more; the mean state of every sentence at every layer is kept, and all measures
 * follow from these.
 */
#include "evaluate/card/diagnose.h"

#include "apply/text_vectors.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/text_source.h"
#include "embed/search/dictionary.h"
#include "evaluate/card/held_out.h"
#include "evaluate/card/layer_numbers.h"
#include "evaluate/card/line_shift.h"
#include "evaluate/masked.h"
#include "model/weight_files.h"
#include "run/measure/open_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST = 10 };

typedef struct {
    ig_diagnosis *out;
    const ig_diagnose_options *o;
    ig_states *s;        /* NULL: of files */
    ig_file_states file; /* their texts; the vectors go to `vectors` */
    ig_open_run run;     /* its development text, where none is given */
    bool of_run;
    ig_team *team; /* NULL: that of s */
    ig_texts texts;
    int of_model[IG_DIAGNOSE_LANGUAGES]; /* the model's languages */
    ig_dictionary dictionary;
    ig_sentence_model *modules;        /* of a folder of sentence-transformers; NULL: it is none */
    ig_card_vectors vectors, sentence; /* of the layers; of the sentence row */
    ig_retrieval_with with;
} work;

/* --- before the model runs */

static const ig_tokenizer *tokenizer_of(const work *w, int k)
{
    const ig_tokenizer *own = ig_states_languages(w->s)->language[w->of_model[k]].own;
    return own != NULL ? own : ig_states_encoder(w->s)->tokenizer;
}

/* How the vocabulary cuts a text, all of it: also what exceeds the model's positions. */
static ig_code count_text(ig_diagnose_language *l, const ig_sentence_list *text,
                          const ig_tokenizer *t, ig_err *err)
{
    ig_text_counts *c = &l->text;
    const int64_t n = text->n;
    IG_TRY(ig_text_counts_make(c, text, t, err));
    l->unknown = l->pieces_per_word = l->pieces_per_character = l->bytes_per_piece = ig_card_none();
    if (t == NULL)
        return IG_ERR_OK;
    const double *piece = c->piece[IG_SPELLED_AS_IS];
    l->unknown = ig_card_ratio(c->unknown[IG_SPELLED_AS_IS], piece, n, IG_RANGE_SHARE);
    l->pieces_per_word = ig_card_ratio(piece, c->word, n, IG_RANGE_POSITIVE);
    l->pieces_per_character = ig_card_ratio(piece, c->character, n, IG_RANGE_POSITIVE);
    l->bytes_per_piece = ig_card_ratio(c->byte, piece, n, IG_RANGE_POSITIVE);
    /* Unknown pieces are a finding here, so that no text is refused. */
    return ig_unknown_check(&c->pieces, l->path, true, err);
}

/* Neither verses nor compressed. */
static ig_code find_plain(work *w, ig_err *err)
{
    static const char *const packed[] = {".zst", ".gz", ".xz", ".bz2", ".lz4", ".zip"};
    ig_diagnosis *d = w->out;
    d->plain = true;
    for (int k = 0; k < d->n_language; k++) {
        const char *path = d->language[k].path;
        const size_t n = strlen(path);
        bool verses;
        IG_TRY(ig_text_has_verses(&verses, path, IG_TEXT_AUTO, err));
        d->plain = d->plain && !verses;
        for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
            d->plain = d->plain && (n < strlen(packed[i]) ||
                                    strcmp(path + n - strlen(packed[i]), packed[i]) != 0);
    }
    return IG_ERR_OK;
}

/* Finds whether language k has the sentences of one before it that the model does not tell apart.
 */
static void find_same(work *w, int k)
{
    ig_diagnose_language *l = &w->out->language[k];
    l->same_as = -1;
    for (int j = 0; j < k; j++) {
        const int64_t same = ig_same_sentences(&w->texts.of[j], &w->texts.of[k]);
        if (!ig_model_languages_alike(ig_states_languages(w->s),
                                      ig_bert_get_config(ig_states_encoder(w->s)->model),
                                      w->of_model[j], w->of_model[k]))
            continue;
        if (ig_same_content(l->path, l[j - k].path))
            ig_warn_once("%s and %s have one text, %s: a language is compared with itself",
                         l[j - k].name, l->name, l->path);
        if (same > l->n_same) {
            l->n_same = same;
            l->same_as = j;
        }
    }
}

/* A file or a tensor of an adapter that the model runs without. */
static ig_code find_adapter(work *w, ig_err *err)
{
    static const char *const file[] = {"adapter_config.json", "adapter_model.safetensors",
                                       "adapter_model.bin"};
    static const char *const part[] = {"lora_", "adapter"};
    const char *dir = ig_states_encoder(w->s)->dir;
    ig_diagnosis *d = w->out;
    ig_safetensors s;
    for (int i = 0; i < 3 && d->adapter[0] == '\0'; i++)
        if (ig_folder_has(dir, file[i]))
            snprintf(d->adapter, sizeof d->adapter, "%s", file[i]);
    if (d->adapter[0] != '\0')
        return IG_ERR_OK;
    IG_TRY(ig_weights_open(&s, dir, err));
    for (int i = 0; i < s.n && d->adapter[0] == '\0'; i++)
        for (int k = 0; k < 2; k++)
            if (strstr(s.tensors[i].name, part[k]) != NULL)
                snprintf(d->adapter, sizeof d->adapter, "%s", s.tensors[i].name);
    ig_safetensors_close(&s);
    return IG_ERR_OK;
}

/* The texts, the model, its languages. */
static ig_code open_model(work *w, ig_err *err)
{
    const ig_diagnose_options *o = w->o;
    ig_texts_options texts = o->texts;
    ig_diagnosis *d = w->out;
    ig_states_options how = o->states;
    const int *layer;
    texts.least = LEAST;
    IG_TRY(ig_texts_read(&w->texts, &texts, err));
    if (o->dictionary != NULL)
        IG_TRY(ig_dictionary_read(&w->dictionary, o->dictionary, false, err));
    how.all_layers = how.bare = true;
    how.allow_unknown = true;
    IG_TRY(ig_states_open(&w->s, &how, err));
    d->parallel = w->texts.parallel;
    d->n_layer = ig_states_layers(w->s, &layer);
    d->d = ig_bert_get_config(ig_states_encoder(w->s)->model)->hidden_size;
    IG_TRY(ig_sentence_model_open(&w->modules, o->states.model, ig_states_encoder(w->s),
                                  &(ig_sentence_model_options){0}, err));
    if (w->modules != NULL) {
        snprintf(d->modules, sizeof d->modules, "%s", ig_sentence_model_text(w->modules));
        d->d_sentence = ig_sentence_model_size(w->modules);
        ig_log(IG_LOG_NORMAL, "%s: sentence vectors by %s", o->states.model, d->modules);
    }
    d->lowercase = o->states.lowercase;
    d->own_rules = !ig_tokenizer_is_bert(ig_states_encoder(w->s)->tokenizer) &&
                   strcmp(ig_states_encoder(w->s)->choice.file, "tokenizer.json") == 0;
    d->ignore_extra = ig_bert_ignore_extra(false);
    (void)ig_bert_ignore_extra(d->ignore_extra);
    d->lowercases = strcmp(ig_states_encoder(w->s)->choice.file, "vocab.txt") == 0 &&
                    !ig_states_encoder(w->s)->lowercase;
    w->with.team = ig_states_team(w->s);
    for (int k = 0; k < texts.n_text; k++) {
        ig_diagnose_language *l = &d->language[k];
        l->n_sentence = w->texts.of[k].n;
        l->n_line = w->texts.of[k].n_line;
        l->line = w->texts.of[k].line;
        w->texts.of[k].line = NULL;
        IG_TRY(ig_model_languages_find_requested(&w->of_model[k], ig_states_languages(w->s),
                                                 l->name, "--text", err));
        find_same(w, k);
        IG_TRY(count_text(l, &w->texts.of[k], tokenizer_of(w, k), err));
    }
    IG_TRY(find_plain(w, err));
    return find_adapter(w, err);
}

/* The states themselves; texts tell the number of words alone. */
static ig_code open_files(work *w, ig_err *err)
{
    const ig_diagnose_options *o = w->o;
    ig_diagnosis *d = w->out;
    ig_states_files files = o->files;
    if (o->dictionary != NULL || o->gold != NULL)
        return ig_fail(err, IG_ERR_USAGE, o->gold != NULL ? "--gold" : "--dictionary", 0,
                       "needs words in a model, expected MODEL in place of --states");
    files.least = LEAST;
    files.text = o->texts.text;
    files.n_text = o->texts.n_text;
    files.take = o->texts.take;
    files.unrelated = o->texts.unrelated;
    if (o->fresh.n > 0 && o->fresh.n != files.n)
        return ig_fail(err, IG_ERR_USAGE, "--untrained", 0,
                       "found %d of them, expected one for each of %d --states", o->fresh.n,
                       files.n);
    IG_TRY(ig_file_states_read(&w->file, &files, err));
    IG_TRY(ig_team_new(&w->team, o->states.n_thread, err));
    w->with.team = w->team;
    d->of_files = true;
    d->in_order = w->file.in_order;
    for (int i = 0; i < o->texts.n_text; i++)
        for (int k = 0; k < files.n; k++)
            if (strcmp(o->texts.text[i].name, files.file[k].name) == 0)
                d->language[k].path = o->texts.text[i].path;
    d->parallel = w->file.parallel;
    d->n_layer = w->file.of[0].n_layer;
    d->d = w->file.of[0].d;
    memcpy(d->model, w->file.model, sizeof d->model);
    for (int k = 0; k < files.n; k++) {
        ig_diagnose_language *l = &d->language[k];
        w->vectors.sentence[k] = w->file.of[k];
        w->file.of[k] = (ig_text_vectors){0};
        l->n_sentence = w->vectors.sentence[k].n;
        l->same_as = -1;
        for (int j = 0; j < k; j++)
            if (ig_same_content(files.file[j].path, files.file[k].path))
                ig_warn_once("%s and %s have one file, %s: a language is compared with itself",
                             files.file[j].name, files.file[k].name, files.file[k].path);
        IG_TRY(count_text(l, &w->file.texts.of[k], NULL, err));
    }
    d->n_untrained = o->fresh.n > 0 ? d->language[0].n_sentence : 0;
    ig_log(IG_LOG_NORMAL,
           "states from files have no pieces and words: neither unknown pieces, "
           "perplexity, word translation nor word alignment is measured%s",
           o->fresh.n > 0 ? "" : "; the states of an untrained model can be given beside");
    return IG_ERR_OK;
}

/* The development text of a run, in its languages. */
static ig_code open_run(work *w, ig_err *err)
{
    const ig_diagnose_options *o = w->o;
    ig_diagnosis *d = w->out;
    ig_states_options how = o->states;
    const int *layer;
    const ig_corpus *c = w->run.setup.dev;
    how.all_layers = true;
    IG_TRY(ig_states_open(&w->s, &how, err));
    w->with.team = ig_states_team(w->s);
    d->of_files = true;
    d->parallel = !o->texts.unrelated;
    d->n_layer = ig_states_layers(w->s, &layer);
    d->d = ig_bert_get_config(ig_states_encoder(w->s)->model)->hidden_size;
    snprintf(d->model, sizeof d->model, "%s", o->states.model);
    for (int k = 0; k < d->n_language; k++) {
        ig_diagnose_language *l = &d->language[k];
        const int64_t n = ig_corpus_n_sequence(c, k);
        w->of_model[k] = k;
        l->same_as = -1;
        l->n_sentence = o->texts.take > 0 && o->texts.take < n ? o->texts.take : n;
        l->unknown = l->pieces_per_word = l->pieces_per_character = l->bytes_per_piece =
            ig_card_none();
        if (l->n_sentence < LEAST)
            return ig_fail(err, IG_ERR_INPUT, l->name, 0,
                           "found %lld sentences in the run's development text, expected at least "
                           "%d",
                           (long long)l->n_sentence, LEAST);
        for (int j = 0; j < k && d->parallel; j++) {
            d->parallel = l->n_sentence == d->language[j].n_sentence;
            for (int64_t i = 0; i < l->n_sentence && d->parallel; i++)
                d->parallel = ig_corpus_parallel(c, j, k, i);
        }
    }
    d->unrelated = !d->parallel;
    return IG_ERR_OK;
}

static ig_code make_numbers(ig_diagnosis *d, ig_err *err)
{
    d->n_row = d->n_layer + (d->modules[0] != '\0');
    const int64_t n = (int64_t)d->n_row * (d->n_pair + 1) * IG_DIAGNOSE_N,
                  hits = (int64_t)d->n_row * d->n_pair * IG_HELD_LAYERED;
    IG_TRY(ig_alloc(&d->value, n, sizeof *d->value, "numbers", err));
    for (int64_t i = 0; i < n; i++)
        d->value[i] = ig_card_none();
    for (int i = 0; i < d->n_pair; i++) {
        ig_diagnose_pair *p = &d->of_pair[i];
        p->rotated_layer = -1;
        for (int h = 0; h < IG_HELD_N; h++)
            for (int at = 0; at < IG_HELD_AT_N; at++)
                p->held[at][h] = ig_card_none();
        for (int h = 0; h < 3; h++)
            p->probe[h] = ig_card_none();
    }
    if (!d->parallel)
        return IG_ERR_OK;
    for (int of = 0; of < IG_CARD_N; of++)
        if (of != IG_CARD_BESIDE || d->n_untrained < ig_diagnose_n(d))
            IG_TRY(
                ig_alloc(&d->hit[of], hits * ig_diagnose_n_of(d, (ig_card_of)of), 1, "hits", err));
    return IG_ERR_OK;
}

static int64_t beside_of(int64_t n)
{
    return n < IG_DIAGNOSE_UNTRAINED ? n : IG_DIAGNOSE_UNTRAINED;
}

static ig_code prepare(work *w, ig_err *err)
{
    const ig_diagnose_options *o = w->o;
    ig_diagnosis *d = w->out;
    const bool files = o->files.n > 0;
    if (!files && o->fresh.n > 0)
        return ig_fail(err, IG_ERR_USAGE, "--untrained", 0,
                       "is of --states; an untrained model is drawn where there is a model");
    const char *given = files ? "--states" : "--text";
    const ig_named_text *name = files ? o->files.file : o->texts.text;
    int64_t floats = 0;
    char folder[IG_PATH];
    w->of_run =
        !files && o->texts.n_text == 0 && ig_run_find(folder, o->states.model, NULL) == IG_ERR_OK;
    if (w->of_run)
        IG_TRY(ig_open_run_corpora(&w->run, o->states.model, err));
    d->n_language = files       ? o->files.n
                    : w->of_run ? ig_corpus_n_language(w->run.setup.dev)
                                : o->texts.n_text;
    d->n_pair = d->n_language * (d->n_language - 1) / 2;
    d->unrelated = o->texts.unrelated;
    if (d->n_language < 2 || d->n_language > IG_DIAGNOSE_LANGUAGES)
        return ig_fail(err, IG_ERR_USAGE, w->of_run ? o->states.model : given, 0,
                       "found %d, expected 2 to %d languages", d->n_language,
                       IG_DIAGNOSE_LANGUAGES);
    for (int k = 0; k < d->n_language; k++) {
        if (w->of_run)
            snprintf(d->language[k].name, sizeof d->language[k].name, "%s",
                     ig_corpus_language(w->run.setup.dev, k)->name);
        else
            memcpy(d->language[k].name, name[k].name, sizeof d->language[k].name);
        d->language[k].path = w->of_run || files ? "" : name[k].path;
        d->language[k].states = files ? name[k].path : NULL;
        d->language[k].perplexity = d->language[k].cut = ig_card_none();
    }
    w->with = (ig_retrieval_with){ig_ops_best(), NULL, &o->states.stop};
    IG_TRY((files ? open_files : w->of_run ? open_run : open_model)(w, err));
    for (int a = 0, i = 0; a < d->n_language; a++)
        for (int b = a + 1; b < d->n_language; b++, i++) {
            d->pair[i][0] = a;
            d->pair[i][1] = b;
        }
    for (int k = 0; k < d->n_language; k++)
        floats += d->language[k].n_sentence * d->d * (d->n_layer + 3);
    if (w->s != NULL)
        d->n_untrained = beside_of(ig_diagnose_n(d));
    floats += (int64_t)(w->dictionary.word[0].n + w->dictionary.word[1].n) * d->d * d->n_layer;
    ig_log(IG_LOG_NORMAL, "%d languages, %d layers of %d: %.1f MiB of vectors%s", d->n_language,
           d->n_layer, d->d, (double)floats * sizeof(float) / (1 << 20),
           files ? "" : " beside the model");
    return make_numbers(d, err);
}

/* --- the model runs */

static ig_code read_language(work *w, int k, bool untrained, ig_err *err)
{
    ig_states *const s = w->s;
    ig_diagnose_language *l = &w->out->language[k];
    ig_text_vectors *v = &w->vectors.sentence[k];
    ig_masked_sentences m;
    const int of = w->of_model[k];
    const int64_t n = untrained ? beside_of(l->n_sentence) : l->n_sentence;
    if (w->of_run)
        return ig_text_vectors_make(v, s, k, &(ig_short_texts){.corpus = w->run.setup.dev, .n = n},
                                    err);
    ig_sentence_list text = w->texts.of[k];
    text.n = n;
    IG_TRY(ig_text_vectors_make(v, s, of, &(ig_short_texts){.sentences = &text}, err));
    if (w->modules != NULL) {
        v = &w->sentence.sentence[k];
        IG_TRY(ig_text_vectors_make(
            v, s, of, &(ig_short_texts){.sentences = &text, .modules = w->modules}, err));
    }
    if (!untrained) {
        l->n_cut = v->n_cut;
        l->cut = ig_card_share((double)v->n_cut / (double)v->n, v->n, (double)NAN);
    }
    const ig_language *info = &ig_states_languages(s)->language[of].info;
    const ig_encoder *e = ig_states_encoder(w->s);
    const ig_bert_config *c = ig_bert_get_config(e->model);
    if (!e->masked || (!c->causal && (info->mask < 0 || info->cls < 0 || info->sep < 0)))
        return IG_ERR_OK;
    IG_TRY(ig_masked_run(&m, s, of, &text, err));
    ig_card_number p = ig_card_ratio(m.nll, m.masked, m.n, IG_RANGE_POSITIVE);
    if (untrained) {
        l->perplexity.untrained = exp(p.value);
        return IG_ERR_OK;
    }
    for (int64_t i = 0; i < m.n; i++)
        l->n_masked += (int64_t)m.masked[i];
    l->perplexity = (ig_card_number){exp(p.value),          exp(p.low),  exp(p.high),
                                     (double)c->vocab_size, (double)NAN, l->n_masked};
    return IG_ERR_OK;
}

/* Reads the texts. */
static ig_code run_model(work *w, bool untrained, ig_err *err)
{
    ig_states *const s = w->s;
    ig_diagnosis *d = w->out;
    for (int k = 0; k < d->n_language; k++)
        IG_TRY(read_language(w, k, untrained, err));
    d->n_word_pair = w->dictionary.n_pair;
    for (int x = 0; x < 2 && d->n_word_pair > 0; x++) {
        d->n_word[x] = w->dictionary.word[x].n;
        IG_TRY(ig_text_vectors_make(&w->vectors.word[x], s, w->of_model[x],
                                    &(ig_short_texts){.words = &w->dictionary.word[x]}, err));
    }
    if (w->o->gold == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_gold_alignment(&w->vectors.gold, s, w->of_model, w->o->gold, err));
    d->n_gold_pair = w->vectors.gold.n_pair;
    return IG_ERR_OK;
}

/* Hits of the sentences that the untrained model reads, among themselves. */
static ig_code measure_beside(const work *w, const ig_card_job *all, ig_err *err)
{
    ig_card_vectors few = {0};
    const ig_diagnosis *d = w->out;
    ig_card_job j = *all;
    if (d->hit[IG_CARD_BESIDE] == NULL || d->n_untrained == 0)
        return IG_ERR_OK;
    j.which = IG_CARD_BESIDE;
    j.of = &few;
    for (int k = 0; k < d->n_language; k++) {
        few.sentence[k] = all->of->sentence[k];
        few.sentence[k].n = d->n_untrained;
    }
    for (int l = 0; l < few.sentence[0].n_layer; l++)
        for (int i = 0; i < d->n_pair; i++)
            IG_TRY(ig_held_layer(&j, i, l, err));
    return IG_ERR_OK;
}

static ig_code measure_rows(const work *w, const ig_card_job *j, ig_err *err)
{
    IG_TRY(ig_card_measure(j, err));
    if (w->out->parallel) {
        IG_TRY(ig_held_pairs(j, err));
        return ig_card_untrained(j) ? IG_ERR_OK : measure_beside(w, j, err);
    }
    for (int i = 0;
         i < w->out->n_pair && j->which == IG_CARD_MODEL && j->row == 0 && !w->out->unrelated; i++)
        IG_TRY(ig_shift_search(j, i, err));
    return IG_ERR_OK;
}

static ig_code measure(work *w, ig_card_of which, ig_err *err)
{
    const ig_dictionary no_words = {0};
    IG_TRY(measure_rows(w, &(ig_card_job){w->out, which, 0, &w->dictionary, &w->vectors, w->with},
                        err));
    return w->modules == NULL ? IG_ERR_OK
                              : measure_rows(w,
                                             &(ig_card_job){w->out, which, w->out->n_layer,
                                                            &no_words, &w->sentence, w->with},
                                             err);
}

/* All vectors of parameters but those of heads, one after another. */
static ig_code take_vectors(float **out, int64_t *n, const ig_bert *m, ig_err *err)
{
    const ig_bert_param *p = ig_bert_params(m);
    int64_t have = 0;
    *out = NULL;
    *n = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        if (p[i].cols != 1 || strncmp(p[i].name, "cls.", 4) == 0)
            continue;
        IG_TRY(ig_grow(out, &have, *n + p[i].rows, sizeof **out, "parameters", err));
        ig_bert_get_values(m, &p[i], *out + *n);
        *n += p[i].rows;
    }
    return IG_ERR_OK;
}

/* Draws all weights anew. A model whose vectors of parameters stay what they were was only drawn:
 * their initial values are constant, and one update of any optimizer changes biases and norms. */
static ig_code draw_weights(work *w, ig_err *err)
{
    const ig_bert *m = ig_states_encoder(w->s)->model;
    IG_OWNED float *was = NULL, *is = NULL;
    int64_t n, again;
    ig_code code = take_vectors(&was, &n, m, err);
    IG_THEN(code, ig_states_draw(w->s, 1, err));
    IG_THEN(code, take_vectors(&is, &again, m, err));
    bool same = code == IG_ERR_OK && n > 0;
    for (int64_t i = 0; same && i < n; i++)
        same = was[i] == is[i];
    w->out->as_drawn = same;
    return code;
}

/* The same of states of an untrained model, in files of the same sentences. */
static ig_code read_untrained(work *w, ig_err *err)
{
    ig_diagnosis *d = w->out;
    ig_states_files files = w->o->fresh;
    ig_file_states fresh;
    files.least = LEAST;
    files.take = w->o->texts.take;
    files.unrelated = w->o->texts.unrelated;
    ig_code code = ig_file_states_read(&fresh, &files, err);
    for (int k = 0; k < files.n && code == IG_ERR_OK; k++) {
        const ig_text_vectors *v = &fresh.of[k], *of = &w->vectors.sentence[k];
        if (strcmp(files.file[k].name, d->language[k].name) != 0)
            code = ig_fail(err, IG_ERR_USAGE, "--untrained", 0,
                           "found '%s', expected '%s', in the order of --states",
                           files.file[k].name, d->language[k].name);
        else if (v->n != of->n || v->d != of->d || v->n_layer != of->n_layer)
            code = ig_fail(err, IG_ERR_INPUT, files.file[k].path, 0,
                           "found %lld sentences, %d layers of %d, expected %lld, %d of %d as in "
                           "--states",
                           (long long)v->n, v->n_layer, v->d, (long long)of->n, of->n_layer, of->d);
    }
    if (code == IG_ERR_OK) {
        ig_card_vectors_free(&w->vectors);
        memcpy(w->vectors.sentence, fresh.of, sizeof fresh.of);
        memset(fresh.of, 0, sizeof fresh.of);
        code = measure(w, IG_CARD_UNTRAINED, err);
    }
    ig_file_states_free(&fresh);
    return code;
}

/* The same of a model of the same shape that is only drawn; the model itself is lost. */
static ig_code run_untrained(work *w, ig_err *err)
{
    ig_card_vectors_free(&w->vectors);
    ig_card_vectors_free(&w->sentence);
    IG_TRY(draw_weights(w, err));
    IG_TRY(run_model(w, true, err));
    return measure(w, IG_CARD_UNTRAINED, err);
}

ig_code ig_diagnose(ig_diagnosis *out, const ig_diagnose_options *o, ig_err *err)
{
    work w = {.out = out, .o = o};
    const double start = ig_clock();
    *out = (ig_diagnosis){0};
    ig_code code = prepare(&w, err);
    if (w.s != NULL)
        IG_THEN(code, run_model(&w, false, err));
    IG_THEN(code, measure(&w, IG_CARD_MODEL, err));
    if (w.s != NULL)
        IG_THEN(code, run_untrained(&w, err));
    else if (o->fresh.n > 0)
        IG_THEN(code, read_untrained(&w, err));
    ig_sentence_model_close(w.modules);
    ig_states_close(w.s);
    ig_file_states_free(&w.file);
    if (w.of_run)
        ig_open_run_close(&w.run);
    ig_team_free(w.team);
    ig_texts_free(&w.texts);
    ig_dictionary_free(&w.dictionary);
    ig_card_vectors_free(&w.vectors);
    ig_card_vectors_free(&w.sentence);
    out->seconds = ig_clock() - start;
    return code;
}

void ig_diagnosis_free(ig_diagnosis *d)
{
    for (int k = 0; k < IG_DIAGNOSE_LANGUAGES; k++) {
        ig_text_counts_free(&d->language[k].text);
        ig_free(d->language[k].line);
    }
    for (int i = 0; i < IG_DIAGNOSE_PAIRS; i++) {
        IG_FREE(d->of_pair[i].rotated, d->of_pair[i].answer[0], d->of_pair[i].answer[1]);
    }
    IG_FREE(d->value, d->hit[0], d->hit[1], d->hit[2]);
    *d = (ig_diagnosis){0};
}

/* --- its names */

bool ig_diagnosis_has_pairs(const ig_diagnosis *d)
{
    return d->parallel || d->n_word_pair > 0 || d->n_gold_pair > 0;
}

void ig_diagnose_pair_name(char *out, size_t n, const ig_diagnosis *d, int pair)
{
    snprintf(out, n, "%s-%s", d->language[d->pair[pair][0]].name,
             d->language[d->pair[pair][1]].name);
}

void ig_diagnose_row_name(char *out, size_t n, const ig_diagnosis *d, int row)
{
    if (row < d->n_layer)
        snprintf(out, n, "layer %d", row);
    else
        snprintf(out, n, "sentence");
}
