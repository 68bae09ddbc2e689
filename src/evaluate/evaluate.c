/* SPDX-License-Identifier: Apache-2.0
 *
 * From a run's folder to its measures: record, corpora, newest checkpoint, engine, measurement; or
 * from a model's folder and texts (folder_corpus.h). Another development text is prepared in a
 * temporary folder, so that the run's folder is only read.
 */
#include "evaluate/evaluate.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "apply/edit/edit_make.h"
#include "model/bert_params.h"
#include "model/device/device_name.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/open_run.h"
#include "run/measure/pair_text.h"
#include "run/measure/word_retrieval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    m->pooling = ig_measure_poolings[o->pooling < 0 ? c->measuring.pooling : o->pooling];
    m->max_sentence = o->max_sentence;
    m->what |= o->also;
    return IG_ERR_OK;
}

/* Words are looked up in the training text and retrieved from the first language. */
static ig_code may_retrieve_words(const ig_measure_options *m, const ig_setup *s,
                                  const ig_evaluate_options *o, ig_err *err)
{
    if (o->n_text > 0)
        return ig_fail(
            err, IG_ERR_USAGE, "words", 0,
            "are retrieved in the training text of a run, expected no texts of languages");
    if (o->text != NULL || o->parallel != NULL)
        return ig_fail(
            err, IG_ERR_USAGE, "words", 0,
            "are retrieved in the training text, which another development text does not "
            "change; expected no text");
    if (ig_corpus_n_language(s->train) < 2)
        return ig_fail(err, IG_ERR_USAGE, "words", 0, "the run has one language, expected two");
    if (m->a != 0)
        return ig_fail(err, IG_ERR_USAGE, "words", 0,
                       "are retrieved from the first language, found a pair that begins with %s, "
                       "expected %s,%s",
                       ig_corpus_language(s->train, m->a)->name,
                       ig_corpus_language(s->train, 0)->name,
                       ig_corpus_language(s->train, m->b > 0 ? m->b : m->a)->name);
    return IG_ERR_OK;
}

/* The model or run that is measured. Zeroed: none. */
typedef struct {
    ig_open_run run;         /* of a model folder its settings and model_path alone */
    ig_pair_text pair;       /* the same over a parallel text … */
    int columns[2];          /* … of these languages */
    ig_corpus *text;         /* another development text */
    ig_shard *shard;         /* of it */
    ig_folder_corpus folder; /* of a model folder */
    ig_bert *model;
    const ig_corpus *train, *dev; /* train NULL: there is none */
    const ig_corpus *learn;       /* NULL: maps are learned on dev */
    char *tmp;                    /* folder */
} subject;

static void subject_close(subject *x)
{
    ig_pair_text_close(&x->pair);
    ig_corpus_free(x->text);
    ig_shard_close(x->shard);
    ig_folder_corpus_close(&x->folder);
    ig_open_run_close(&x->run);
    if (x->tmp != NULL) {
        ig_err ignored;
        ig_dir_remove(x->tmp, &ignored);
    }
    ig_free(x->tmp);
}

/* The two languages of "fr-en=FILE", in any order of the run's, and the file. */
static ig_code read_parallel(ig_pair_file *file, const ig_run_languages *l, const char *text,
                             ig_err *err)
{
    const char *equals = strchr(text, '=');
    char name[IG_MEASURE_PAIR] = "";
    *file = (ig_pair_file){.path = equals != NULL ? equals + 1 : NULL};
    if (equals != NULL && (size_t)(equals - text) < sizeof name)
        memcpy(name, text, (size_t)(equals - text));
    if (name[0] != '\0' && file->path[0] != '\0' &&
        ig_measure_columns_find(file->language, name, l))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_USAGE, "parallel", 0,
            "found '%.80s', expected A-B=FILE, A and B languages of the run in the order of the "
            "file's columns",
            text);
    return ig_hint(err, "its languages are: %.200s", l->spec);
}

static ig_code open_parallel(subject *x, const ig_evaluate_options *o, ig_err *err)
{
    ig_pair_file file;
    char data[IG_PATH];
    IG_TRY(read_parallel(&file, &x->run.config.languages, o->parallel, err));
    file.take = o->text_take > 0 ? o->text_take : 0;
    memcpy(x->columns, file.language, sizeof x->columns);
    IG_TRY(ig_dir_temporary(&x->tmp, "isoglot-eval", err));
    IG_TRY(ig_folder_path(data, x->run.run, err, "data"));
    char *full = realpath(data, NULL); /* links lead there from anywhere */
    const ig_data_settings settings = ig_run_config_data(&x->run.config);
    const ig_code code = full != NULL ? ig_pair_text_open(&x->pair, &file, &settings,
                                                          &(ig_data_link){data, x->tmp, full}, err)
                                      : ig_fail(err, IG_ERR_IO, data, 0, "%s", strerror(errno));
    free(full);
    x->learn = x->dev;
    x->dev = x->pair.setup.dev;
    return code;
}

/* Another development text. */
static ig_code open_text(subject *x, const ig_evaluate_options *o, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(&x->run.config);
    const ig_run_data *d = &x->run.config.data;
    char shard[IG_PATH];
    ig_setup_text text = {.path = o->text,
                          .format = IG_TEXT_AUTO,
                          .verses = d->dev_verses,
                          .take = o->text_take >= 0 ? o->text_take : d->dev_take,
                          .shard = shard};
    if (o->text_ids != NULL)
        IG_TRY(ig_verse_set_parse(&text.verses, o->text_ids, "ids", err));
    IG_TRY(ig_dir_temporary(&x->tmp, "isoglot-eval", err));
    IG_TRY(ig_folder_path(shard, x->tmp, err, "text.shard"));
    IG_TRY(ig_setup_open_text(&x->text, &x->shard, &x->run.setup, &settings, &text, err));
    x->dev = x->text;
    return IG_ERR_OK;
}

static ig_code open_run(subject *x, const char *dir, const ig_evaluate_options *o, ig_err *err)
{
    IG_TRY(ig_open_run_open(&x->run, dir, o->step, err));
    x->model = x->run.model;
    x->train = x->run.setup.train;
    x->dev = x->run.setup.dev;
    x->run.config.tokens.allow_unknown |= o->allow_unknown;
    if (o->text != NULL)
        IG_TRY(open_text(x, o, err));
    return o->parallel != NULL ? open_parallel(x, o, err) : IG_ERR_OK;
}

/* Fills in the defaults of the settings that a run would give. */
static ig_code default_settings(ig_run_config *c, ig_err *err)
{
    IG_TRY(ig_options_default(&ig_run_options, c, err));
    return ig_run_config_resolve(c, err);
}

static ig_code open_folder(subject *x, const char *dir, const ig_evaluate_options *o, ig_err *err)
{
    ig_verse_set verses;
    if (o->step >= 0)
        return ig_fail(err, IG_ERR_USAGE, "step", 0,
                       "is of a run, expected the folder of a checkpoint");
    IG_TRY(default_settings(&x->run.config, err));
    IG_TRY(ig_verse_set_parse(&verses, o->text_ids, "ids", err));
    const ig_folder_options f = {.model = dir,
                                 .lowercase = o->lowercase,
                                 .allow_unknown = o->allow_unknown,
                                 .texts = {.text = o->texts,
                                           .n_text = o->n_text,
                                           .verses = &verses,
                                           .take = o->text_take > 0 ? o->text_take : 0,
                                           .least = 1,
                                           .unrelated = o->unrelated},
                                 .dictionary = o->dictionary};
    IG_TRY(ig_folder_corpus_open(&x->folder, &f, err));
    x->model = x->folder.encoder.model;
    x->dev = x->folder.corpus;
    memcpy(x->run.model_path, x->folder.encoder.dir, sizeof x->run.model_path);
    return IG_ERR_OK;
}

/* Names the options that give what the model or its texts do not have. */
static void folder_options(ig_measure_options *m, const subject *x, const ig_evaluate_options *o)
{
    m->need_rho = "needs parallel texts: as many lines in each, or verses";
    m->need_tau =
        o->dictionary == NULL
            ? "needs a dictionary: --dictionary FILE"
            : "needs pairs of --dictionary both of whose words are one piece; it has none";
    if (x->folder.encoder.masked)
        return;
    m->need_perplexity =
        "needs a head of masked words (cls.predictions), which the model does not have";
    m->what &= ~IG_MEASURE_BIT(perplexity);
}

/* An edit of a folder with several languages reads its texts by itself. */
static ig_code make_edits(ig_made_edits *made, const ig_evaluate_options *o,
                          const ig_measure_with *with, const subject *x, ig_err *err)
{
    const bool plain = x->train == NULL && x->folder.languages.n == 1;
    const ig_edit_on on = {.parts = {.engine = with->engine,
                                     .model = x->model,
                                     .team = with->team,
                                     .tokenizer = plain ? x->folder.encoder.tokenizer : NULL,
                                     .corpus = x->train != NULL ? x->train : x->dev},
                           .dir = x->run.model_path};
    if (o->edits == NULL || o->edits->n == 0)
        return IG_ERR_OK;
    return ig_edits_make(made, o->edits, &on, err);
}

static ig_code prepare(ig_measure_options *m, const subject *x, const ig_evaluate_options *o,
                       ig_err *err)
{
    IG_TRY(fill_options(m, &x->run.config, o, err));
    if (o->n_text > 0)
        folder_options(m, x, o);
    if (o->parallel != NULL) {
        const int *column = x->columns;
        m->a = column[column[0] < column[1] ? 0 : 1];
        m->b = column[0] + column[1] - m->a;
        m->what &= ~IG_MEASURE_BIT(perplexity);
    }
    /* A run of one language has no pair; what is left is its perplexity. */
    if (o->pair != NULL)
        IG_TRY(ig_language_pair(&m->a, &m->b, o->pair, x->dev, err));
    return ig_word_retrieval_in(o->also) ? may_retrieve_words(m, &x->run.setup, o, err) : IG_ERR_OK;
}

static ig_code measure_edited(ig_evaluation *out, const subject *x, const ig_measure_with *with,
                              const ig_measure_options *m, const ig_evaluate_options *o,
                              ig_err *err)
{
    IG_TRY(ig_measure_run(&out->measure, with, o->skip_train ? NULL : x->train, x->dev, m, err));
    if (ig_word_retrieval_in(o->also)) {
        const ig_data_settings settings = ig_run_config_data(&x->run.config);
        const ig_word_query of = {.what = o->also,
                                  .settings = &settings,
                                  .measuring = &x->run.config.measuring,
                                  .setup = &x->run.setup,
                                  .most = o->max_sentence};
        IG_TRY(ig_word_retrieval_pair(&out->measure, &of, m->b, with, err));
    }
    if (o->edits != NULL && o->edits->n > 0 && (out->edits = ig_edit_specs_json(o->edits)) == NULL)
        return ig_fail(err, IG_ERR_MEMORY, x->run.model_path, 0, "not enough memory for edits");
    return IG_ERR_OK;
}

static ig_code measure(ig_evaluation *out, subject *x, const ig_measure_with *with,
                       const ig_measure_options *m, const ig_evaluate_options *o, ig_err *err)
{
    IG_SCOPED(ig_made_edits_free) ig_made_edits made = {0};
    const bool says = o->n_text == 0 || x->folder.encoder.masked;
    ig_measure_with use = *with;
    IG_TRY(make_edits(&made, o, with, x, err));
    use.means = says && x->train == NULL ? x->dev : x->train;
    use.edit = made.edit;
    use.n_edit = made.n;
    use.learn = x->learn;
    return measure_edited(out, x, &use, m, o, err);
}

ig_code ig_evaluate(ig_evaluation *out, const char *dir, const ig_evaluate_options *o, ig_err *err)
{
    subject x = {0};
    ig_engine *engine = NULL;
    ig_team *team = NULL;
    ig_measure_options m;
    const double start = ig_clock();
    *out = (ig_evaluation){.step = -1};

    ig_code code = ig_device_choose(o->device, err);
    IG_THEN(code, o->n_text > 0 ? open_folder(&x, dir, o, err) : open_run(&x, dir, o, err));
    IG_THEN(code, prepare(&m, &x, o, err));
    IG_THEN(code, ig_team_new(&team, o->n_thread, err));
    IG_THEN(code, ig_engine_new(&engine, x.model, team, NULL, IG_PRECISION_F32, err));
    if (code == IG_ERR_OK) {
        const ig_measure_with with = {
            .engine = engine, .model = x.model, .team = team, .ops = ig_ops_best()};
        out->step = ig_run_model_step(x.run.model_path);
        out->n_parameter = ig_bert_n_parameter(x.model);
        code = measure(out, &x, &with, &m, o, err);
    }
    IG_THEN(code, ig_copy_text(&out->model, x.run.model_path, "path", err));
    out->seconds = ig_clock() - start;
    ig_engine_free(engine);
    ig_team_free(team);
    subject_close(&x);
    return code;
}

void ig_evaluation_free(ig_evaluation *e)
{
    ig_free(e->model);
    json_decref(e->edits);
    ig_measure_result_free(&e->measure);
    e->model = NULL;
    e->edits = NULL;
}

json_t *ig_evaluation_json(const ig_evaluation *e, const char *dir)
{
    json_t *j = ig_measure_json(&e->measure);
    json_t *about = json_pack("{s:s, s:s, s:o, s:o, s:f}", "run", dir, "model", e->model, "step",
                              e->step < 0 ? json_null() : json_integer(e->step), "n_parameters",
                              e->n_parameter > 0 ? json_integer(e->n_parameter) : json_null(),
                              "seconds", e->seconds);
    if (e->edits != NULL)
        json_object_set(about, "edit", e->edits);
    int bad = j == NULL || about == NULL || json_object_update(j, about) != 0;
    json_decref(about);
    if (bad) {
        json_decref(j);
        return NULL;
    }
    return j;
}
