/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the mean states of sentences in two models, or of two languages in one. A side is one
 * text in one model: its sentences' mean states at all layers, prepared once for all comparisons.
 */
#include "evaluate/model_similarity.h"
#include "base/settings/json_text.h"

#include "base/log.h"
#include "base/memory.h"
#include "apply/text_vectors.h"
#include "measure/words/word_levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names and descriptions of the numbers that follow the similarities. */
static const char *const map_names[][2] = {
    {"map_cosine", "P@1 mapped"},           {"map_csls", "CSLS mapped"},
    {"map_word_cosine", "P@1 words"},       {"map_word_csls", "CSLS words"},
    {"map_context_cosine", "P@1 contexts"}, {"map_context_csls", "CSLS contexts"}};

static const char *compared_key(int m)
{
    return m < IG_SIMILARITY_N ? ig_similarity_keys[m] : map_names[m - IG_SIMILARITY_N][0];
}

const char *ig_compared_title(int m)
{
    return m < IG_SIMILARITY_N ? ig_similarity_titles[m] : map_names[m - IG_SIMILARITY_N][1];
}

enum { LEAST = 10 };

typedef struct {
    ig_space *layer; /* [n_layer] */
    int n_layer;
    ig_text_vectors judge, learn; /* what is compared; of a map, else none */
    ig_text_vectors made;         /* judge, as the folder's modules make it; n 0: it has none */
    ig_space sentence;            /* of `made` */
    bool of_file;                 /* judge is borrowed from files */
    ig_level_states level[IG_N_LEVEL]; /* of the other side: of words on both */
} side;

typedef struct {
    ig_comparisons *out;
    const ig_compare_options *o;
    ig_texts texts, learn;
    ig_file_states files; /* n 0: models */
    side first;
    ig_team *team;
} work;

/* --- sides */

static void side_free(side *s)
{
    for (int l = 0; s->layer != NULL && l < s->n_layer; l++)
        ig_space_free(&s->layer[l]);
    ig_free(s->layer);
    if (!s->of_file)
        ig_text_vectors_free(&s->judge);
    ig_text_vectors_free(&s->learn);
    ig_text_vectors_free(&s->made);
    ig_space_free(&s->sentence);
    ig_word_levels_free(s->level);
    *s = (side){0};
}

static ig_code make_ready(side *s, const ig_text_vectors *v, ig_team *team, ig_err *err)
{
    const ig_similarity_with with = {.ops = ig_ops_best(), .team = team};
    s->n_layer = v->n_layer;
    IG_TRY(ig_alloc(&s->layer, s->n_layer, sizeof *s->layer, "layers", err));
    for (int l = 0; l < s->n_layer; l++) {
        IG_TRY(ig_space_new(&s->layer[l], v->x[l], v->n, v->d, &with, err));
        IG_TRY(ig_space_axes(&s->layer[l], &with, err));
    }
    return IG_ERR_OK;
}

/* The sentence row of text k. */
static ig_code read_sentence(side *s, const work *w, ig_states *states, int language, int k,
                             ig_err *err)
{
    const ig_similarity_with with = {.ops = ig_ops_best(), .team = w->team};
    const char *dir = ig_states_encoder(states)->dir;
    ig_sentence_model *m;
    IG_TRY(ig_sentence_model_open(&m, dir, ig_states_encoder(states),
                                  &(ig_sentence_model_options){0}, err));
    if (m == NULL)
        return IG_ERR_OK;
    ig_log(IG_LOG_NORMAL, "%s: sentence vectors by %s", dir, ig_sentence_model_text(m));
    ig_code code =
        ig_text_vectors_make(&s->made, states, language,
                             &(ig_short_texts){.sentences = &w->texts.of[k], .modules = m}, err);
    ig_sentence_model_close(m);
    IG_THEN(code, ig_space_new(&s->sentence, s->made.x[0], s->made.n, s->made.d, &with, err));
    IG_THEN(code, ig_space_axes(&s->sentence, &with, err));
    return code;
}

/* Reads text k with a model: the vectors that are compared, and those that a map is learned from.
 */
static ig_code read_side(side *s, const work *w, ig_states *states, int k, ig_err *err)
{
    const ig_sentence_list *judge = &w->texts.of[k], *learn = &w->learn.of[k];
    int language;
    IG_TRY(ig_model_languages_find_requested(&language, ig_states_languages(states),
                                             w->o->texts.text[k].name, "--text", err));
    IG_TRY(ig_text_vectors_make(&s->judge, states, language, &(ig_short_texts){.sentences = judge},
                                err));
    IG_TRY(read_sentence(s, w, states, language, k, err));
    if (learn->n > 0)
        IG_TRY(ig_text_vectors_make(&s->learn, states, language,
                                    &(ig_short_texts){.sentences = learn}, err));
    return make_ready(s, &s->judge, w->team, err);
}

static ig_code open_states(ig_states **states, const work *w, const char *model, bool fresh,
                           ig_err *err)
{
    ig_states_options how = w->o->states;
    how.model = model;
    how.all_layers = true;
    how.bare = w->o->learn.n_text == 0;
    how.fresh = fresh;
    return ig_states_open(states, &how, err);
}

/* Words of text 0 in the first model and of text k in the other. */
static ig_code link_words(side *s, const work *w, ig_states *other, int k, ig_err *err)
{
    ig_linked_texts t = {.states = {NULL, other},
                         .learn = {&w->learn.of[0], &w->learn.of[k]},
                         .judge = {&w->texts.of[0], &w->texts.of[k]}};
    IG_TRY(open_states(&t.states[0], w, w->o->states.model, false, err));
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2; x++)
        IG_THEN(code,
                ig_model_languages_find_requested(&t.language[x], ig_states_languages(t.states[x]),
                                                  w->o->texts.text[x * k].name, "--text", err));
    IG_THEN(code, ig_word_levels_make(s->level, &t, err));
    ig_states_close(t.states[0]);
    return code;
}

static ig_code count_pieces(const work *w, ig_states *states, int k, ig_err *err)
{
    const ig_named_text *text = &w->o->texts.text[k];
    ig_unknown_pieces unknown = {0};
    int language;
    IG_TRY(ig_model_languages_find_requested(&language, ig_states_languages(states), text->name,
                                             "--text", err));
    const ig_tokenizer *own = ig_states_languages(states)->language[language].own;
    IG_TRY(ig_sentences_count(&unknown, &w->texts.of[k],
                              own != NULL ? own : ig_states_encoder(states)->tokenizer, err));
    return ig_states_watched(states, &unknown, text->path, err);
}

/* Makes a side: text k in a model, with its own or with random weights. */
static ig_code make_side(side *s, const work *w, const char *model, int k, bool fresh, ig_err *err)
{
    ig_states *states;
    if (w->files.n > 0) {
        s->of_file = true;
        s->judge = w->files.of[k];
        return make_ready(s, &s->judge, w->team, err);
    }
    IG_TRY(open_states(&states, w, model, fresh, err));
    ig_code code = fresh ? IG_ERR_OK : count_pieces(w, states, k, err);
    IG_THEN(code, read_side(s, w, states, k, err));
    if (code == IG_ERR_OK && !fresh)
        ig_report_cut(w->o->texts.text[k].path, s->judge.n_cut, s->judge.n);
    if (s != &w->first && w->o->learn.n_text > 0)
        IG_THEN(code, link_words(s, w, states, k, err));
    ig_states_close(states);
    return code;
}

/* --- comparisons */

/* All numbers of layer i of the first side and j of the other. */
static ig_code compare_layers(double *at, const work *w, const side *other, int i, int j,
                              ig_err *err)
{
    const ig_similarity_with with = {.ops = ig_ops_best(), .team = w->team};
    const ig_retrieval_with retrieval = {ig_ops_best(), w->team, &w->o->states.stop};
    ig_neighbour_scores found;
    IG_TRY(ig_similarities(at, &w->first.layer[i], &other->layer[j], &with, err));
    if (other->learn.n == 0)
        return IG_ERR_OK;
    if (other->learn.d != w->first.learn.d)
        return ig_fail(err, IG_ERR_INPUT, "--learn", 0,
                       "found models of hidden sizes %d and %d, expected one size for a rotation",
                       w->first.learn.d, other->learn.d);
    const ig_space_pair pair = {.learn = {w->first.learn.x[i], other->learn.x[j]},
                                .judge = {w->first.judge.x[i], other->judge.x[j]},
                                .n_learn = other->learn.n,
                                .n_judge = other->judge.n,
                                .d = other->learn.d};
    IG_TRY(ig_space_map_judge(&found, &pair, &retrieval, err));
    at[IG_COMPARED_MAP] = found.cosine;
    at[IG_COMPARED_MAP_CSLS] = found.csls;
    for (int k = 0; k < IG_N_LEVEL; k++) {
        IG_TRY(ig_level_judge(&found, &other->level[k], i, j, &retrieval, err));
        at[IG_COMPARED_WORD + 2 * k] = found.cosine;
        at[IG_COMPARED_WORD_CSLS + 2 * k] = found.csls;
    }
    return IG_ERR_OK;
}

static ig_code compare(double **value, ig_comparison *c, const work *w, const side *other,
                       ig_err *err)
{
    const int n = w->first.n_layer, m = other->n_layer;
    c->n_number = other->learn.n > 0 ? IG_COMPARED_N : IG_SIMILARITY_N;
    const int64_t all = (int64_t)n * m * c->n_number;
    const ig_similarity_with with = {.ops = ig_ops_best(), .team = w->team};
    IG_TRY(ig_alloc(value, all + c->n_number, sizeof **value, "similarities", err));
    c->n_layer[0] = n;
    c->n_layer[1] = m;
    c->sentence = w->first.made.n > 0 && other->made.n > 0;
    for (int k = 0; k < c->n_number; k++)
        (*value)[all + k] = (double)NAN;
    if (c->sentence)
        IG_TRY(ig_similarities(*value + all, &w->first.sentence, &other->sentence, &with, err));
    ig_progress_begin("layers", n);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m && code == IG_ERR_OK; j++) {
            double *at = *value + ((int64_t)i * m + j) * c->n_number;
            for (int k = 0; k < c->n_number; k++)
                at[k] = (double)NAN;
            code = ig_stop_check(&w->o->states.stop, "similarity", err);
            if (code == IG_ERR_OK && (i == j || w->o->all_pairs))
                code = compare_layers(at, w, other, i, j, err);
            ig_progress(i + 1, NULL);
        }
    ig_progress_end();
    return code;
}

/* The first text with text k. */
static ig_code compare_with(ig_comparison *c, const work *w, int k, ig_err *err)
{
    const ig_compare_options *o = w->o;
    const char *model = o->other != NULL ? o->other : o->states.model;
    const ig_named_text *name = w->files.n > 0 ? o->files.file : o->texts.text;
    snprintf(c->name, sizeof c->name, "%s-%s", name[0].name, name[k].name);
    ig_code code = IG_ERR_OK;
    for (int random = 0; random <= o->random && code == IG_ERR_OK; random++) {
        side other = {0};
        code = make_side(&other, w, model, k, random, err);
        IG_THEN(code, compare(random ? &c->random : &c->value, c, w, &other, err));
        side_free(&other);
    }
    return code;
}

static ig_code read_parallel(ig_texts *out, const ig_texts_options *o, ig_err *err)
{
    ig_texts_options texts = *o;
    texts.least = LEAST;
    texts.parallel = true;
    return ig_texts_read(out, &texts, err);
}

/* The k-th text to learn from is of the same language as text k. */
static ig_code read_texts(work *w, ig_err *err)
{
    const ig_texts_options *texts = &w->o->texts, *learn = &w->o->learn;
    if (texts->n_text < 1)
        return ig_fail(err, IG_ERR_USAGE, "--text", 0, "not given, expected LANGUAGE=FILE");
    if (learn->n_text > 0 && learn->n_text != texts->n_text)
        return ig_fail(err, IG_ERR_USAGE, "--learn", 0,
                       "found %d of them, expected one for each of %d --text", learn->n_text,
                       texts->n_text);
    for (int k = 0; k < learn->n_text; k++)
        if (strcmp(learn->text[k].name, texts->text[k].name) != 0)
            return ig_fail(err, IG_ERR_USAGE, "--learn", 0,
                           "found '%s', expected '%s', in the order of --text", learn->text[k].name,
                           texts->text[k].name);
    IG_TRY(read_parallel(&w->texts, texts, err));
    return learn->n_text > 0 ? read_parallel(&w->learn, learn, err) : IG_ERR_OK;
}

static ig_code read_files(work *w, ig_err *err)
{
    const ig_compare_options *o = w->o;
    ig_states_files files = o->files;
    if (o->texts.n_text > 0 || o->learn.n_text > 0 || o->random)
        return ig_fail(err, IG_ERR_USAGE, "--states", 0,
                       "has no model, which --text, --learn and --random need");
    files.take = o->texts.take;
    files.least = LEAST;
    files.parallel = files.models = true;
    return ig_file_states_read(&w->files, &files, err);
}

static ig_code run_model_similarity(work *w, ig_err *err)
{
    const ig_compare_options *o = w->o;
    ig_comparisons *out = w->out;
    const int n_text = o->files.n > 0 ? o->files.n : o->texts.n_text,
              n = n_text > 1 ? n_text - 1 : 1;
    IG_TRY(o->files.n > 0 ? read_files(w, err) : read_texts(w, err));
    IG_TRY(ig_team_new(&w->team, o->states.n_thread, err));
    IG_TRY(make_side(&w->first, w, o->states.model, 0, false, err));
    IG_TRY(ig_alloc(&out->of, n, sizeof *out->of, "similarities", err));
    out->n = n;
    out->n_sentence = w->first.judge.n;
    out->all_pairs = o->all_pairs;
    for (int i = 0; i < n; i++)
        IG_TRY(compare_with(&out->of[i], w, n_text > 1 ? i + 1 : 0, err));
    return IG_ERR_OK;
}

ig_code ig_compare(ig_comparisons *out, const ig_compare_options *o, ig_err *err)
{
    work w = {.out = out, .o = o};
    *out = (ig_comparisons){0};
    ig_code code = run_model_similarity(&w, err);
    side_free(&w.first);
    ig_file_states_free(&w.files);
    ig_texts_free(&w.texts);
    ig_texts_free(&w.learn);
    ig_team_free(w.team);
    return code;
}

void ig_comparisons_free(ig_comparisons *c)
{
    for (int i = 0; i < c->n; i++) {
        IG_FREE(c->of[i].value, c->of[i].random);
    }
    ig_free(c->of);
    *c = (ig_comparisons){0};
}

/* --- as JSON */

static int n_equal(const ig_comparison *c)
{
    return c->n_layer[0] < c->n_layer[1] ? c->n_layer[0] : c->n_layer[1];
}

double ig_compared_mean(const ig_comparison *c, const double *value, int m)
{
    double sum = 0;
    for (int l = 0; l < n_equal(c); l++)
        sum += ig_compared(c, value, l, l, m);
    return sum / n_equal(c);
}

/* {"layers": {"0": {"cka", …}, …}, "mean": {"cka", …}} */
static json_t *equal_layers(const ig_comparison *c, const double *value)
{
    json_t *layers = json_object(), *mean = json_object();
    for (int l = 0; l < n_equal(c); l++) {
        char name[16];
        json_t *at = json_object();
        snprintf(name, sizeof name, "%d", l);
        for (int m = 0; m < c->n_number; m++)
            json_object_set_new(at, compared_key(m),
                                ig_json_number(ig_compared(c, value, l, l, m)));
        json_object_set_new(layers, name, at);
    }
    for (int m = 0; m < c->n_number; m++)
        json_object_set_new(mean, compared_key(m), ig_json_number(ig_compared_mean(c, value, m)));
    return json_pack("{s:o, s:o}", "layers", layers, "mean", mean);
}

/* {"cka", …} of the vectors that modules make. */
static json_t *sentence(const ig_comparison *c, const double *value)
{
    json_t *row = json_object();
    for (int m = 0; m < c->n_number; m++)
        json_object_set_new(row, compared_key(m),
                            ig_json_number(ig_compared_sentence(c, value, m)));
    return row;
}

/* {"cka": [[…], …], …}, a row for each layer of the first. */
static json_t *all_layers(const ig_comparison *c)
{
    json_t *all = json_object();
    for (int m = 0; m < c->n_number; m++) {
        json_t *rows = json_array();
        for (int i = 0; i < c->n_layer[0]; i++) {
            json_t *row = json_array();
            for (int j = 0; j < c->n_layer[1]; j++)
                json_array_append_new(row, ig_json_number(ig_compared(c, c->value, i, j, m)));
            json_array_append_new(rows, row);
        }
        json_object_set_new(all, compared_key(m), rows);
    }
    return all;
}

json_t *ig_comparisons_json(const ig_comparisons *c)
{
    json_t *pairs = json_object();
    for (int i = 0; i < c->n; i++) {
        const ig_comparison *of = &c->of[i];
        json_t *pair = equal_layers(of, of->value);
        json_object_set_new(pair, "sentence", of->sentence ? sentence(of, of->value) : json_null());
        if (c->all_pairs)
            json_object_set_new(pair, "all_layers", all_layers(of));
        if (of->random != NULL) {
            json_t *random = equal_layers(of, of->random);
            json_object_set_new(random, "sentence",
                                of->sentence ? sentence(of, of->random) : json_null());
            json_object_set_new(pair, "random", random);
        }
        json_object_set_new(pairs, of->name, pair);
    }
    return json_pack("{s:I, s:o}", "sentences", (json_int_t)c->n_sentence, "pairs", pairs);
}
