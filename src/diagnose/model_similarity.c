/* SPDX-License-Identifier: Apache-2.0
 *
 * See model_similarity.h. A side is one text in one model: its sentences' mean states at all
 * layers, made ready once for all comparisons.
 */
#include "diagnose/model_similarity.h"

#include "base/log.h"
#include "base/memory.h"
#include "diagnose/text_vectors.h"
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_space *layer; /* [n_layer] */
    int n_layer;
} side;

typedef struct {
    ig_comparisons *out;
    const ig_compare_options *o;
    ig_texts texts;
    side first;
    ig_team *team;
} work;

/* --- sides */

static void side_free(side *s)
{
    for (int l = 0; s->layer != NULL && l < s->n_layer; l++)
        ig_space_free(&s->layer[l]);
    ig_free(s->layer);
    *s = (side){0};
}

static const char *sentence_at(const void *arg, int64_t i)
{
    return ig_sentence(arg, i);
}

static ig_code make_ready(side *s, const ig_text_vectors *v, ig_team *team, ig_err *err)
{
    const ig_similarity_with with = {ig_ops_best(), team};
    s->n_layer = v->n_layer;
    IG_TRY(ig_alloc(&s->layer, s->n_layer, sizeof *s->layer, "layers", err));
    for (int l = 0; l < s->n_layer; l++) {
        IG_TRY(ig_space_new(&s->layer[l], v->x[l], v->n, v->d, &with, err));
        IG_TRY(ig_space_axes(&s->layer[l], &with, err));
    }
    return IG_ERR_OK;
}

/* Text k in a model, as it is or drawn anew. */
static ig_code make_side(side *s, const work *w, const char *model, int k, bool fresh, ig_err *err)
{
    ig_states_options how = w->o->states;
    ig_states *states;
    ig_text_vectors v = {0};
    int language;
    how.model = model;
    how.all_layers = true;
    how.fresh = fresh;
    IG_TRY(ig_states_open(&states, &how, err));
    ig_code code = ig_model_languages_ask(&language, ig_states_languages(states),
                                          w->o->texts.text[k].name, "--text", err);
    if (code == IG_ERR_OK)
        code = ig_text_vectors_make(&v, states, language, w->texts.of[k].n, sentence_at,
                                    &w->texts.of[k], err);
    if (code == IG_ERR_OK)
        code = make_ready(s, &v, w->team, err);
    ig_text_vectors_free(&v);
    ig_states_close(states);
    return code;
}

/* --- comparisons */

static ig_code compare(double **value, ig_comparison *c, const work *w, const side *other,
                       ig_err *err)
{
    const ig_similarity_with with = {ig_ops_best(), w->team};
    const int n = w->first.n_layer, m = other->n_layer;
    IG_TRY(ig_alloc(value, (int64_t)n * m * IG_SIMILARITY_N, sizeof **value, "similarities", err));
    c->n_layer[0] = n;
    c->n_layer[1] = m;
    ig_progress_begin("layers", n);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m && code == IG_ERR_OK; j++) {
            double *at = *value + ((int64_t)i * m + j) * IG_SIMILARITY_N;
            for (int k = 0; k < IG_SIMILARITY_N; k++)
                at[k] = (double)NAN;
            code = ig_stop_check(&w->o->states.stop, "similarity", err);
            if (code == IG_ERR_OK && (i == j || w->o->all_pairs))
                code = ig_similarities(at, &w->first.layer[i], &other->layer[j], &with, err);
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
    snprintf(c->name, sizeof c->name, "%s-%s", o->texts.text[0].name, o->texts.text[k].name);
    ig_code code = IG_ERR_OK;
    for (int random = 0; random <= o->random && code == IG_ERR_OK; random++) {
        side other = {0};
        code = make_side(&other, w, model, k, random, err);
        if (code == IG_ERR_OK)
            code = compare(random ? &c->random : &c->value, c, w, &other, err);
        side_free(&other);
    }
    return code;
}

static ig_code read_texts(work *w, ig_err *err)
{
    enum { least = 10 };
    ig_texts_options texts = w->o->texts;
    if (texts.n_text < 1)
        return ig_fail(err, IG_ERR_USAGE, "--text", 0, "not given, expected LANGUAGE=FILE");
    texts.least = least;
    IG_TRY(ig_texts_read(&w->texts, &texts, err));
    if (!w->texts.parallel)
        return ig_fail(err, IG_ERR_INPUT, texts.text[0].path, 0,
                       "found another number of lines than in another text, expected parallel "
                       "texts");
    return IG_ERR_OK;
}

static ig_code run(work *w, ig_err *err)
{
    const ig_compare_options *o = w->o;
    ig_comparisons *out = w->out;
    const int n = o->texts.n_text > 1 ? o->texts.n_text - 1 : 1;
    IG_TRY(read_texts(w, err));
    IG_TRY(ig_team_new(&w->team, o->states.n_thread, err));
    IG_TRY(make_side(&w->first, w, o->states.model, 0, false, err));
    IG_TRY(ig_alloc(&out->of, n, sizeof *out->of, "similarities", err));
    out->n = n;
    out->n_sentence = w->texts.of[0].n;
    out->all_pairs = o->all_pairs;
    for (int i = 0; i < n; i++)
        IG_TRY(compare_with(&out->of[i], w, o->texts.n_text > 1 ? i + 1 : 0, err));
    return IG_ERR_OK;
}

ig_code ig_compare(ig_comparisons *out, const ig_compare_options *o, ig_err *err)
{
    work w = {.out = out, .o = o};
    *out = (ig_comparisons){0};
    ig_code code = run(&w, err);
    side_free(&w.first);
    ig_texts_free(&w.texts);
    ig_team_free(w.team);
    return code;
}

void ig_comparisons_free(ig_comparisons *c)
{
    for (int i = 0; i < c->n; i++) {
        ig_free(c->of[i].value);
        ig_free(c->of[i].random);
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
        for (int m = 0; m < IG_SIMILARITY_N; m++)
            json_object_set_new(at, ig_similarity_keys[m],
                                ig_measure_number(ig_compared(c, value, l, l, m)));
        json_object_set_new(layers, name, at);
    }
    for (int m = 0; m < IG_SIMILARITY_N; m++)
        json_object_set_new(mean, ig_similarity_keys[m],
                            ig_measure_number(ig_compared_mean(c, value, m)));
    return json_pack("{s:o, s:o}", "layers", layers, "mean", mean);
}

/* {"cka": [[…], …], …}, a row for each layer of the first. */
static json_t *all_layers(const ig_comparison *c)
{
    json_t *all = json_object();
    for (int m = 0; m < IG_SIMILARITY_N; m++) {
        json_t *rows = json_array();
        for (int i = 0; i < c->n_layer[0]; i++) {
            json_t *row = json_array();
            for (int j = 0; j < c->n_layer[1]; j++)
                json_array_append_new(row, ig_measure_number(ig_compared(c, c->value, i, j, m)));
            json_array_append_new(rows, row);
        }
        json_object_set_new(all, ig_similarity_keys[m], rows);
    }
    return all;
}

json_t *ig_comparisons_json(const ig_comparisons *c)
{
    json_t *pairs = json_object();
    for (int i = 0; i < c->n; i++) {
        const ig_comparison *of = &c->of[i];
        json_t *pair = equal_layers(of, of->value);
        if (c->all_pairs)
            json_object_set_new(pair, "all_layers", all_layers(of));
        if (of->random != NULL)
            json_object_set_new(pair, "random", equal_layers(of, of->random));
        json_object_set_new(pairs, of->name, pair);
    }
    return json_pack("{s:I, s:o}", "sentences", (json_int_t)c->n_sentence, "pairs", pairs);
}
