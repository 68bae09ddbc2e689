/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures an encoder for its report card. The model runs once over each text; the mean state of
 * every sentence at every layer is kept, and all measures follow from these.
 */
#include "evaluate/diagnose.h"

#include "analyse/moments.h"
#include "analyse/similarity.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "evaluate/gold_alignment.h"
#include "evaluate/masked.h"
#include "apply/text_vectors.h"
#include "embed/search/dictionary.h"
#include "text/white_space.h"

#include <math.h>
#include <string.h>

enum { LEAST = 10 };

typedef struct {
    ig_diagnosis *out;
    const ig_diagnose_options *o;
    ig_states *s;        /* NULL: of files */
    ig_file_states file; /* their texts; the vectors go to `sentence` */
    ig_team *team;       /* NULL: that of s */
    ig_texts texts;
    int of_model[IG_DIAGNOSE_LANGUAGES]; /* the model's languages */
    ig_text_vectors sentence[IG_DIAGNOSE_LANGUAGES];
    ig_dictionary dictionary;
    ig_text_vectors word[2];
    ig_alignment_error *alignment;         /* [n_layer] against gold */
    float *unit[IG_DIAGNOSE_LANGUAGES];    /* of a layer: rows of unit length */
    float *nearest[IG_DIAGNOSE_LANGUAGES]; /* the largest cosine within the language */
    ig_space space[IG_DIAGNOSE_LANGUAGES]; /* the rows for CKA */
    ig_similarity_room room;
    ig_retrieval_with with;
} work;

/* --- before the model runs */

static const ig_tokenizer *tokenizer_of(const work *w, int k)
{
    const ig_tokenizer *own = ig_states_languages(w->s)->language[w->of_model[k]].own;
    return own != NULL ? own : ig_states_encoder(w->s)->tokenizer;
}

static void count_words(ig_diagnose_language *l, const ig_sentence_list *text)
{
    for (int64_t i = 0; i < text->n; i++) {
        const char *sentence = ig_sentence(text, i);
        const int64_t n_byte = (int64_t)strlen(sentence);
        l->n_word += ig_n_words(sentence, n_byte);
        l->n_byte += n_byte;
    }
}

/* Counts how the vocabulary cuts a text. All of it counts, including what exceeds the model's
 * positions. */
static ig_code count_pieces(ig_diagnose_language *l, const ig_sentence_list *text,
                            const ig_tokenizer *t, bool allow_unknown, ig_err *err)
{
    IG_TRY(ig_sentences_count(&l->unknown, text, t, err));
    return ig_unknown_check(&l->unknown, l->path, allow_unknown, err);
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
    how.all_layers = true;
    IG_TRY(ig_states_open(&w->s, &how, err));
    d->parallel = w->texts.parallel;
    d->n_layer = ig_states_layers(w->s, &layer);
    d->d = ig_bert_get_config(ig_states_encoder(w->s)->model)->hidden_size;
    w->with.team = ig_states_team(w->s);
    for (int k = 0; k < texts.n_text; k++) {
        ig_diagnose_language *l = &d->language[k];
        l->n_sentence = w->texts.of[k].n;
        IG_TRY(ig_model_languages_find_requested(&w->of_model[k], ig_states_languages(w->s),
                                                 l->name, "--text", err));
        for (int j = 0; j < k; j++)
            if (w->of_model[j] == w->of_model[k] && ig_same_content(l->path, d->language[j].path))
                ig_warn_once("%s and %s have one text, %s: a language is compared with itself",
                             d->language[j].name, l->name, l->path);
        count_words(l, &w->texts.of[k]);
        IG_TRY(count_pieces(l, &w->texts.of[k], tokenizer_of(w, k), o->states.allow_unknown, err));
    }
    return IG_ERR_OK;
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
    IG_TRY(ig_file_states_read(&w->file, &files, err));
    IG_TRY(ig_team_new(&w->team, o->states.n_thread, err));
    w->with.team = w->team;
    d->of_files = true;
    d->parallel = w->file.parallel;
    d->n_layer = w->file.of[0].n_layer;
    d->d = w->file.of[0].d;
    memcpy(d->model, w->file.model, sizeof d->model);
    for (int k = 0; k < files.n; k++) {
        ig_diagnose_language *l = &d->language[k];
        w->sentence[k] = w->file.of[k];
        w->file.of[k] = (ig_text_vectors){0};
        l->n_sentence = w->sentence[k].n;
        l->perplexity = (double)NAN;
        count_words(l, &w->file.texts.of[k]);
    }
    ig_log(IG_LOG_NORMAL, "states from files have no pieces and words: neither unknown pieces, "
                          "perplexity, word translation nor word alignment is measured");
    return IG_ERR_OK;
}

static ig_code prepare(work *w, ig_err *err)
{
    const ig_diagnose_options *o = w->o;
    ig_diagnosis *d = w->out;
    const bool files = o->files.n > 0;
    const ig_named_text *name = files ? o->files.file : o->texts.text;
    int64_t floats = 0;
    d->n_language = files ? o->files.n : o->texts.n_text;
    d->n_pair = d->n_language * (d->n_language - 1) / 2;
    if (d->n_language < 2)
        return ig_fail(err, IG_ERR_USAGE, files ? "--states" : "--text", 0,
                       "found %d of them, expected 2 to %d", d->n_language, IG_DIAGNOSE_LANGUAGES);
    for (int k = 0; k < d->n_language; k++) {
        memcpy(d->language[k].name, name[k].name, sizeof d->language[k].name);
        d->language[k].path = name[k].path;
    }
    w->with = (ig_retrieval_with){ig_ops_best(), NULL, &o->states.stop};
    IG_TRY((files ? open_files : open_model)(w, err));
    const int64_t n = (int64_t)d->n_layer * (d->n_pair + 1) * IG_DIAGNOSE_N;
    IG_TRY(ig_alloc(&d->value, n, sizeof *d->value, "numbers", err));
    for (int64_t i = 0; i < n; i++)
        d->value[i] = (double)NAN;
    for (int a = 0, i = 0; a < d->n_language; a++)
        for (int b = a + 1; b < d->n_language; b++, i++) {
            d->pair[i][0] = a;
            d->pair[i][1] = b;
        }
    for (int k = 0; k < d->n_language; k++)
        floats += d->language[k].n_sentence * d->d * (d->n_layer + 1);
    floats += (int64_t)(w->dictionary.word[0].n + w->dictionary.word[1].n) * d->d * d->n_layer;
    ig_log(IG_LOG_NORMAL, "%d languages, %d layers of %d: %.1f MiB of vectors%s", d->n_language,
           d->n_layer, d->d, (double)floats * sizeof(float) / (1 << 20),
           files ? "" : " beside the model");
    return IG_ERR_OK;
}

/* --- the model runs */

static ig_code run_model(work *w, ig_err *err)
{
    ig_diagnosis *d = w->out;
    const bool masked = ig_states_encoder(w->s)->masked;
    for (int k = 0; k < d->n_language; k++) {
        ig_diagnose_language *l = &d->language[k];
        ig_text_vectors *v = &w->sentence[k];
        const int of = w->of_model[k];
        IG_TRY(ig_text_vectors_make(v, w->s, of, &(ig_short_texts){.sentences = &w->texts.of[k]},
                                    err));
        l->n_cut = v->n_cut;
        l->perplexity = (double)NAN;
        if (masked && ig_states_languages(w->s)->language[of].info.mask >= 0)
            IG_TRY(
                ig_masked_perplexity(&l->perplexity, &l->n_masked, w->s, of, &w->texts.of[k], err));
    }
    d->n_word_pair = w->dictionary.n_pair;
    for (int x = 0; x < 2 && d->n_word_pair > 0; x++) {
        d->n_word[x] = w->dictionary.word[x].n;
        IG_TRY(ig_text_vectors_make(&w->word[x], w->s, w->of_model[x],
                                    &(ig_short_texts){.words = &w->dictionary.word[x]}, err));
    }
    if (w->o->gold == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&w->alignment, d->n_layer, sizeof *w->alignment, "layers", err));
    IG_TRY(ig_gold_alignment(w->alignment, w->s, w->of_model, w->o->gold, err));
    d->n_gold_pair = w->alignment[0].n_sentence;
    return IG_ERR_OK;
}

/* --- measures of a layer */

/* Copies of a language's vectors at a layer, of unit length; without their mean if `centre`. */
static ig_code make_unit(const work *w, float *out, int k, int l, bool centre, ig_err *err)
{
    const ig_text_vectors *v = &w->sentence[k];
    memcpy(out, v->x[l], (size_t)(v->n * v->d) * sizeof *out);
    for (int i = 0; i < v->d && centre; i++) {
        double mean = 0;
        for (int64_t s = 0; s < v->n; s++)
            mean += (double)out[s * v->d + i] / (double)v->n;
        for (int64_t s = 0; s < v->n; s++)
            out[s * v->d + i] = (float)((double)out[s * v->d + i] - mean);
    }
    return ig_unit_rows(out, v->n, v->d, "sentence vectors", err);
}

static ig_code alone(work *w, int l, ig_err *err)
{
    const float *x[IG_DIAGNOSE_LANGUAGES], *unit[IG_DIAGNOSE_LANGUAGES];
    int64_t n[IG_DIAGNOSE_LANGUAGES];
    double *out = ig_diagnose_at(w->out, l, -1);
    for (int k = 0; k < w->out->n_language; k++) {
        x[k] = w->sentence[k].x[l];
        n[k] = w->sentence[k].n;
        unit[k] = w->unit[k];
    }
    ig_moments m;
    const ig_language_vectors v = {x, n, w->out->n_language, w->out->d},
                              u = {unit, n, w->out->n_language, w->out->d};
    ig_code code = ig_moments_make(&m, &v, w->with.team, err);
    IG_THEN(code, ig_language_probe(&out[IG_DIAGNOSE_PROBE], &m, &v, w->with.team, err));
    if (code == IG_ERR_OK) {
        out[IG_DIAGNOSE_ISOTROPY] = ig_isotropy(&m, &v);
        out[IG_DIAGNOSE_CONSTANT] = ig_constant_share(&v);
        out[IG_DIAGNOSE_MEAN_COSINE] = ig_mean_cosine(&u);
    }
    ig_moments_free(&m);
    return code;
}

/* Retrieval by cosine between copies without their means. */
static ig_code centred(const work *w, double *out, const int pair[2], int l, ig_err *err)
{
    float *copy[2] = {NULL, NULL};
    const int64_t n = w->sentence[pair[0]].n;
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        code = ig_alloc(&copy[x], n * w->out->d, sizeof *copy[x], "centred vectors", err);
        IG_THEN(code, make_unit(w, copy[x], pair[x], l, true, err));
    }
    if (code == IG_ERR_OK) {
        const ig_vector_pair v = {{copy[0], copy[1]}, {n, n}, w->out->d, NULL, n};
        ig_retrieval_score s;
        code = ig_retrieval_run(&s, &v, &w->with, err);
        *out = s.mean;
    }
    IG_FREE(copy[0], copy[1]);
    return code;
}

static ig_code words(work *w, double *out, int l, ig_err *err)
{
    ig_dictionary_rows rows;
    ig_retrieval_score s;
    const ig_dictionary *d = &w->dictionary;
    for (int x = 0; x < 2; x++)
        IG_TRY(ig_unit_rows(w->word[x].x[l], w->word[x].n, w->out->d, "word vectors", err));
    IG_TRY(ig_dictionary_find(&rows, d, &d->word[0], &d->word[1], err));
    const ig_vector_pair v = {{w->word[0].x[l], w->word[1].x[l]},
                              {w->word[0].n, w->word[1].n},
                              w->out->d,
                              rows.pair,
                              rows.n_pair};
    ig_code code = ig_retrieval_run(&s, &v, &w->with, err);
    *out = s.mean;
    ig_dictionary_rows_free(&rows);
    return code;
}

static ig_code compare(work *w, double *out, const int pair[2], int l, ig_err *err)
{
    const float *const x[] = {w->unit[pair[0]], w->unit[pair[1]]}, *const nearest[] = {
                                                                       w->nearest[pair[0]],
                                                                       w->nearest[pair[1]]};
    const ig_sentence_rows rows = {x, w->sentence[pair[0]].n, w->out->d, nearest};
    const ig_similarity_with with = {.ops = w->with.ops, .team = w->with.team, .room = &w->room};
    ig_neighbour_scores s;
    ig_cka cka;
    IG_TRY(ig_neighbour_scores_run(&s, &rows, &w->with, err));
    out[IG_DIAGNOSE_COSINE] = s.cosine;
    out[IG_DIAGNOSE_CSLS] = s.csls;
    out[IG_DIAGNOSE_MARGIN] = s.margin;
    out[IG_DIAGNOSE_HUBNESS] = s.hubness;
    out[IG_DIAGNOSE_OWN] = s.own;
    IG_TRY(centred(w, &out[IG_DIAGNOSE_CENTRED], pair, l, err));
    IG_TRY(ig_similarity_cka(&cka, &w->space[pair[0]], &w->space[pair[1]], &with, err));
    out[IG_DIAGNOSE_CKA] = cka.biased;
    out[IG_DIAGNOSE_CKA_DEBIASED] = cka.debiased;
    return IG_ERR_OK;
}

static ig_code measure_layer(work *w, int l, ig_err *err)
{
    const ig_diagnosis *d = w->out;
    double *first = ig_diagnose_at(d, l, 0);
    for (int k = 0; k < d->n_language; k++) {
        const ig_text_vectors *v = &w->sentence[k];
        const ig_similarity_with with = {
            .ops = w->with.ops, .team = w->with.team, .room = &w->room};
        IG_TRY(make_unit(w, w->unit[k], k, l, false, err));
        if (!d->parallel)
            continue;
        IG_TRY(ig_nearest_own(w->nearest[k], w->unit[k], v->n, d->d, &w->with, err));
        ig_space_free(&w->space[k]);
        IG_TRY(ig_space_new(&w->space[k], v->x[l], v->n, d->d, &with, err));
    }
    IG_TRY(alone(w, l, err));
    for (int i = 0; i < d->n_pair && d->parallel; i++)
        IG_TRY(compare(w, ig_diagnose_at(d, l, i), d->pair[i], l, err));
    if (w->alignment != NULL) {
        const ig_alignment_error_score s = ig_alignment_error_get(&w->alignment[l]);
        first[IG_DIAGNOSE_F1] = s.f1;
        first[IG_DIAGNOSE_AER] = s.aer;
    }
    return d->n_word_pair > 0 ? words(w, &first[IG_DIAGNOSE_WORDS], l, err) : IG_ERR_OK;
}

static ig_code measure(work *w, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < w->out->n_language; k++) {
        IG_TRY(ig_alloc(&w->unit[k], w->sentence[k].n * w->out->d, sizeof(float), "vectors", err));
        IG_TRY(ig_alloc(&w->nearest[k], w->sentence[k].n, sizeof(float), "vectors", err));
    }
    ig_progress_begin("layers", w->out->n_layer);
    for (int l = 0; l < w->out->n_layer && code == IG_ERR_OK; l++) {
        code = measure_layer(w, l, err);
        ig_progress(l + 1, NULL);
    }
    ig_progress_end();
    return code;
}

ig_code ig_diagnose(ig_diagnosis *out, const ig_diagnose_options *o, ig_err *err)
{
    work w = {.out = out, .o = o};
    const double start = ig_clock();
    *out = (ig_diagnosis){0};
    ig_code code = prepare(&w, err);
    if (w.s != NULL)
        IG_THEN(code, run_model(&w, err));
    IG_THEN(code, measure(&w, err));
    ig_states_close(w.s);
    ig_file_states_free(&w.file);
    ig_team_free(w.team);
    ig_texts_free(&w.texts);
    ig_dictionary_free(&w.dictionary);
    ig_free(w.room.block);
    for (int k = 0; k < IG_DIAGNOSE_LANGUAGES; k++) {
        ig_text_vectors_free(&w.sentence[k]);
        IG_FREE(w.unit[k], w.nearest[k]);
        ig_space_free(&w.space[k]);
    }
    for (int x = 0; x < 2; x++)
        ig_text_vectors_free(&w.word[x]);
    ig_free(w.alignment);
    out->seconds = ig_clock() - start;
    return code;
}

void ig_diagnosis_free(ig_diagnosis *d)
{
    ig_free(d->value);
    *d = (ig_diagnosis){0};
}
