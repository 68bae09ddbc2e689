/* SPDX-License-Identifier: Apache-2.0
 *
 * From a run's folder to its measures: record, corpora, newest checkpoint, engine, measurement.
 * Another development text is prepared in a temporary folder beside links to the run's own data, so
 * that the run's folder is only read.
 */
#include "evaluate/evaluate.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "run/edit/edit_make.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/open_run.h"
#include "run/measure/word_retrieval.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ig_code link_into(const char *from_dir, const char *name, const char *to_dir, ig_err *err)
{
    char *from = NULL, *to = NULL, *full = NULL;
    ig_code code = ig_path_join(&from, from_dir, name, err);
    if (code == IG_ERR_OK)
        code = ig_path_join(&to, to_dir, name, err);
    if (code == IG_ERR_OK && (full = realpath(from, NULL)) == NULL)
        code = ig_fail(err, IG_ERR_IO, from, 0, "%s", strerror(errno));
    if (code == IG_ERR_OK && symlink(full, to) != 0)
        code = ig_fail(err, IG_ERR_IO, to, 0, "cannot make a link: %s", strerror(errno));
    free(full);
    ig_free(from);
    ig_free(to);
    return code;
}

static ig_code replace(char **field, const char *text, ig_err *err)
{
    ig_free(*field);
    IG_TRY(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "path", err));
    memcpy(*field, text, strlen(text));
    return IG_ERR_OK;
}

/* Corpora as the run's, but for the development text. `tmp` [at least 64] gets the temporary
 * folder's name as soon as there is one. */
static ig_code open_with_text(ig_setup *s, ig_run_config *c, const char *run,
                              const ig_evaluate_options *o, char *tmp, size_t n_tmp, ig_err *err)
{
    char *data = NULL;
    if (ig_run_languages_have_texts(&c->languages))
        return ig_fail(err, IG_ERR_USAGE, "text", 0,
                       "languages have texts of their own; one further text cannot be all of "
                       "theirs");
    IG_TRY(replace(&c->data.dev_text, o->text, err));
    /* The training shard is there already, so this is read by nobody; it says that the development
     * text is a text, also when the run's own is a generated world. */
    IG_TRY(replace(&c->data.text, o->text, err));
    if (o->text_ids != NULL) {
        IG_TRY(replace(&c->data.dev_ids, o->text_ids, err));
        IG_TRY(ig_verse_set_parse(&c->data.dev_verses, o->text_ids, "ids", err));
    }
    if (o->text_take >= 0)
        c->data.dev_take = o->text_take;
    c->data.dev_format = IG_TEXT_AUTO;

    const char *base = getenv("TMPDIR");
    char name[192];
    snprintf(name, sizeof name, "%s/isoglot-eval-XXXXXX", base != NULL && *base ? base : "/tmp");
    if (strlen(name) >= n_tmp || mkdtemp(name) == NULL)
        return ig_fail(err, IG_ERR_IO, name, 0, "cannot make a temporary folder: %s",
                       strerror(errno));
    memcpy(tmp, name, strlen(name) + 1);
    ig_code code = ig_path_join(&data, run, "data", err);
    if (code == IG_ERR_OK)
        code = link_into(data, "vocab.txt", tmp, err);
    if (code == IG_ERR_OK)
        code = link_into(data, "train.shard", tmp, err);
    ig_free(data);
    IG_TRY(code);
    const ig_data_settings settings = ig_run_config_data(c);
    return ig_setup_open(s, &settings, tmp, err);
}

static ig_code fill_options(ig_measure_options *m, const ig_run_config *c,
                            const ig_evaluate_options *o, ig_err *err)
{
    ig_batch_options batching = ig_run_config_batch(c);
    *m = ig_measure_defaults(&batching, (uint64_t)c->optimisation.seed);
    if (o->n_layer > IG_MEASURE_MAX_LAYER)
        return ig_fail(err, IG_ERR_USAGE, "layers", 0, "%d layers, at most %d are measured at once",
                       o->n_layer, IG_MEASURE_MAX_LAYER);
    m->n_layer = o->n_layer;
    for (int i = 0; i < o->n_layer; i++)
        m->layer[i] = (int)o->layer[i];
    m->translation =
        (ig_variant)(o->translation < 0 ? c->measuring.translation_words : o->translation);
    m->perplexity =
        (ig_variant)(o->perplexity < 0 ? c->measuring.perplexity_average : o->perplexity);
    m->max_sentence = o->max_sentence;
    m->what |= o->also;
    return IG_ERR_OK;
}

/* Words are looked for in the training text, and asked from the first language. */
static ig_code may_ask_words(const ig_measure_options *m, const ig_setup *s,
                             const ig_evaluate_options *o, ig_err *err)
{
    if (o->text != NULL)
        return ig_fail(err, IG_ERR_USAGE, "words", 0,
                       "stand in the training text, which another development text does not "
                       "change; expected no text");
    if (ig_corpus_n_language(s->train) < 2)
        return ig_fail(err, IG_ERR_USAGE, "words", 0, "the run has one language, expected two");
    if (m->a != 0)
        return ig_fail(err, IG_ERR_USAGE, "words", 0,
                       "are asked from the first language, found a pair that begins with %s, "
                       "expected %s,%s",
                       ig_corpus_language(s->train, m->a)->name,
                       ig_corpus_language(s->train, 0)->name,
                       ig_corpus_language(s->train, m->b > 0 ? m->b : m->a)->name);
    return IG_ERR_OK;
}

/* The engine keeps copies. */
static ig_code make_edits(const ig_evaluate_options *o, const ig_measure_with *with,
                          const ig_setup *s, const char *dir, ig_err *err)
{
    ig_made_edits made;
    const ig_edit_on on = {.parts = {.engine = with->engine,
                                     .model = (ig_bert *)(uintptr_t)with->model,
                                     .team = with->team,
                                     .corpus = s->train},
                           .dir = dir};
    if (o->edits == NULL || o->edits->n == 0)
        return IG_ERR_OK;
    ig_code code = ig_edits_make(&made, o->edits, &on, err);
    ig_made_edits_free(&made);
    return code;
}

ig_code ig_evaluate(ig_evaluation *out, const char *dir, const ig_evaluate_options *o, ig_err *err)
{
    ig_run_config c = {0};
    ig_setup s = {0};
    ig_bert *model = NULL;
    ig_engine *engine = NULL;
    ig_team *team = NULL;
    ig_measure_options m;
    char *run = NULL, *record = NULL, *data = NULL, tmp[256] = "";
    double start = ig_clock();
    *out = (ig_evaluation){.step = -1};

    ig_code code = ig_run_find(&run, dir, err);
    if (code != IG_ERR_OK)
        goto done;
    code = ig_path_join(&record, run, "run.json", err);
    if (code == IG_ERR_OK)
        code = ig_run_config_load(&c, record, err);
    if (code == IG_ERR_OK)
        code = ig_run_check_data(run, &c, o->text == NULL, err);
    if (code == IG_ERR_OK)
        code = ig_run_find_model(&out->model, run, dir, o->step, err);
    if (code == IG_ERR_OK && o->text != NULL)
        code = open_with_text(&s, &c, run, o, tmp, sizeof tmp, err);
    else if (code == IG_ERR_OK && (code = ig_path_join(&data, run, "data", err)) == IG_ERR_OK) {
        const ig_data_settings settings = ig_run_config_data(&c);
        code = ig_setup_open(&s, &settings, data, err);
    }
    if (code == IG_ERR_OK)
        code = ig_run_load_model(&model, out->model, err);
    if (code == IG_ERR_OK)
        code = fill_options(&m, &c, o, err);
    /* A run of one language has no pair; what is left is its perplexity. */
    if (code == IG_ERR_OK && o->pair != NULL)
        code = ig_language_pair(&m.a, &m.b, o->pair, s.train, err);
    if (code == IG_ERR_OK && ig_measure_asks(o->also, IG_MEASURE_words))
        code = may_ask_words(&m, &s, o, err);
    if (code == IG_ERR_OK)
        code = ig_team_new(&team, o->n_thread, err);
    if (code == IG_ERR_OK)
        code = ig_engine_new(&engine, model, team, NULL, IG_PRECISION_F32, err);
    if (code != IG_ERR_OK)
        goto done;
    out->step = ig_run_model_step(out->model);
    out->n_parameter = ig_bert_n_value(model);
    const ig_measure_with with = {
        .engine = engine, .model = model, .team = team, .ops = ig_ops_best()};
    code = make_edits(o, &with, &s, out->model, err);
    if (code == IG_ERR_OK)
        code = ig_measure_run(&out->measure, &with, o->skip_train ? NULL : s.train, s.dev, &m, err);
    if (code == IG_ERR_OK && (out->json = ig_measure_json(&out->measure)) == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for measures");
    if (code == IG_ERR_OK && ig_measure_asks(o->also, IG_MEASURE_words)) {
        const ig_data_settings settings = ig_run_config_data(&c);
        const ig_word_asking of = {&settings, &c.measuring, &s, o->max_sentence, NULL};
        code = ig_word_retrieval_pair(out->json, NULL, &of, m.b, &with, err);
    }
    if (code == IG_ERR_OK && o->edits != NULL && o->edits->n > 0 &&
        json_object_set_new(out->json, "edit", ig_edit_specs_json(o->edits)) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for edits");
    out->seconds = ig_clock() - start;
done:
    ig_engine_free(engine);
    ig_team_free(team);
    ig_bert_free(model);
    ig_setup_close(&s);
    ig_run_config_free(&c);
    ig_free(run);
    ig_free(record);
    ig_free(data);
    if (tmp[0] != '\0') {
        ig_err ignored;
        ig_dir_remove(tmp, &ignored);
    }
    return code;
}

void ig_evaluation_free(ig_evaluation *e)
{
    ig_free(e->model);
    json_decref(e->json);
    e->model = NULL;
    e->json = NULL;
}

double ig_evaluation_mrr(const ig_evaluation *e, int i)
{
    char key[16];
    snprintf(key, sizeof key, "%d", e->measure.layer[i].layer);
    const json_t *layer = json_object_get(json_object_get(e->json, "layers"), key),
                 *mrr = json_object_get(json_object_get(layer, "words"), "mrr");
    return json_is_number(mrr) ? json_number_value(mrr) : (double)NAN;
}

json_t *ig_evaluation_json(const ig_evaluation *e, const char *dir)
{
    json_t *j = json_copy(e->json);
    json_t *about = json_pack("{s:s, s:s, s:o, s:I, s:f}", "run", dir, "model", e->model, "step",
                              e->step < 0 ? json_null() : json_integer(e->step), "n_parameters",
                              (json_int_t)e->n_parameter, "seconds", e->seconds);
    int bad = j == NULL || about == NULL || json_object_update(j, about) != 0;
    json_decref(about);
    if (bad) {
        json_decref(j);
        return NULL;
    }
    return j;
}
