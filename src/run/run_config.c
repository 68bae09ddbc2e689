/* SPDX-License-Identifier: Apache-2.0
 *
 * Derives settings of a run from others: contradictions, and the values for the model, its batches
 * and its trainer.
 */
#include "run/run_config.h"

#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "measure/measure.h"
#include "model/checkpoint_config.h"
#include "model/separate.h"
#include "run/phases.h"
#include "train/named_parts.h"
#include "train/schedule.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static ig_code check_neighbours(const ig_run_config *c, ig_err *err)
{
    const double random = c->objective.no_random == IG_NO_RANDOM_OFF ||
                                  c->objective.no_random == IG_NO_RANDOM_CODE
                              ? c->objective.batching.random_share
                              : 0,
                 sum = c->objective.batching.mask_share + random + c->objective.batching.near_share;
    if (c->objective.knn_replace == 0)
        return IG_ERR_OK;
    if (sum > 1 + 1e-12) {
        ig_fail(err, IG_ERR_USAGE, "knn-share", 0,
                "mask-share %g, random-share %g and knn-share %g add up to %g, expected at most 1",
                c->objective.batching.mask_share, random, c->objective.batching.near_share, sum);
        return ig_hint(err, "the paper has mask-share 0.5, random-share 0.1, knn-share 0.3");
    }
    if (c->languages.n == 1)
        return ig_fail(err, IG_ERR_USAGE, "knn-replace", 0,
                       "neighbours in other languages, but there is only one");
    return IG_ERR_OK;
}

bool ig_run_from_cell(char name[IG_FROM_CELL], const char *from)
{
    static const char key[] = "{cell:";
    const size_t n = sizeof key - 1, length = from != NULL ? strlen(from) : 0;
    if (length < n + 2 || strncmp(from, key, n) != 0 || from[length - 1] != '}')
        return false;
    const char *at = from + n + strspn(from + n, " '");
    size_t rest = length - 1 - (size_t)(at - from);
    while (rest > 0 && (at[rest - 1] == ' ' || at[rest - 1] == '\''))
        rest--;
    snprintf(name, IG_FROM_CELL, "%.*s", (int)rest, at);
    return rest > 0;
}

/* Returns whether the model that the run starts from is a folder, whose shape it has; else it is
 * the run of another cell, of the same shape. */
static bool from_folder(const ig_run_model *model)
{
    return model->from != NULL && model->from[0] != '{' &&
           strncmp(model->from, IG_FROM_RUN, sizeof IG_FROM_RUN - 1) != 0;
}

/* The shape of the model that the run starts from, with the heads of pre-training. */
static ig_bert_config parent_of(const ig_run_model *model, int32_t vocab_size)
{
    ig_bert_config m = model->parent;
    memset(m.head, 0, sizeof m.head);
    m.vocab_size = vocab_size;
    m.n_language = 0;
    m.separate = (ig_bert_separate){0};
    m.first_position = m.family = 0;
    return m;
}

/* Returns the preset, or the model that the run starts from, with the requested number of layers.
 */
static ig_bert_config preset_of(const ig_run_model *model, int32_t vocab_size)
{
    const bool known = from_folder(model) && model->parent.hidden_size > 0;
    ig_bert_config m = known                             ? parent_of(model, vocab_size)
                       : model->preset == IG_PRESET_BASE ? ig_bert_config_base(vocab_size)
                                                         : ig_bert_config_small(vocab_size);
    if (model->preset == IG_PRESET_TINY && !from_folder(model)) {
        m.num_hidden_layers = 2;
        m.hidden_size = 32;
        m.num_attention_heads = 2;
        m.intermediate_size = 64;
    }
    if (from_folder(model) && !known) /* parts of any layer may be named, and all measured */
        m.num_hidden_layers = IG_MEASURE_MAX_LAYER - 1;
    if (model->layers > 0)
        m.num_hidden_layers = (int32_t)model->layers;
    return m;
}

/* A run that has begun needs the model no longer: its newest checkpoint has the shape. False: it
 * has none, or the model is there. */
static bool own_checkpoint(char dir[IG_PATH], const ig_run_config *c)
{
    int64_t *steps = NULL;
    int n = 0;
    if (c->out == NULL || ig_dir_exists(c->model.from) ||
        ig_run_checkpoints(&steps, &n, c->out, false, NULL) != IG_ERR_OK)
        return false;
    const bool has = n > 0 && ig_run_checkpoint_path(dir, c->out, steps[n - 1], NULL) == IG_ERR_OK;
    ig_free(steps);
    return has;
}

/* The shape of the model that the run starts from. */
static ig_code read_parent(ig_run_config *c, ig_err *err)
{
    char dir[IG_PATH];
    c->model.parent = (ig_bert_config){0};
    if (c->reported && !ig_file_exists(c->model.from))
        return IG_ERR_OK;
    if (!own_checkpoint(dir, c))
        IG_TRY(ig_run_latest(dir, c->model.from, err));
    IG_TRY(ig_bert_config_read(&c->model.parent, dir, NULL, err));
    ig_bert_config encoder = c->model.parent;
    ig_bert_config_drop_labels(&encoder);
    const char *why = ig_bert_config_untrained(&encoder);
    return why != NULL ? ig_bert_fail_untrained(dir, why, err) : IG_ERR_OK;
}

bool ig_run_config_no_shape(const ig_run_config *c)
{
    return from_folder(&c->model) && c->model.parent.hidden_size == 0;
}

ig_code ig_run_config_parse(ig_run_config *c, ig_err *err)
{
    char cell[IG_FROM_CELL];
    const char *from = c->model.from;
    if (from != NULL && (from[0] == '{' || from[0] == '[') && !ig_run_from_cell(cell, from))
        return ig_fail(err, IG_ERR_USAGE, "from", 0,
                       "found '%.60s', expected a folder or {cell: NAME}", from);
    if (from_folder(&c->model))
        IG_TRY(read_parent(c, err));
    const ig_bert_config m = preset_of(&c->model, 16);
    IG_TRY(ig_bert_separate_parse(&c->model.parts, c->model.separate, m.num_hidden_layers,
                                  "separate", err));
    IG_TRY(ig_run_languages_parse(&c->languages, c->model.parts.specials, err));
    ig_named_files_free(&c->data.named);
    IG_TRY(ig_named_files_parse(&c->data.named, c->data.files, "files", err));
    IG_TRY(ig_verse_set_parse(&c->data.verses, c->data.ids, "ids", err));
    IG_TRY(ig_verse_set_parse(&c->data.dev_verses, c->data.dev_ids, "dev-ids", err));
    return ig_run_instances_parse(&c->objective, &c->languages, err);
}

static ig_code check_eval_layers(const ig_int_list *layers, int n_layer, ig_err *err)
{
    for (int i = 0; i < layers->n; i++) {
        long long layer = (long long)layers->v[i];
        if (i > 0 && layer <= layers->v[i - 1])
            return ig_fail(err, IG_ERR_USAGE, "eval-layers", 0,
                           "%lld after %lld, expected ascending", layer,
                           (long long)layers->v[i - 1]);
        if (layer > n_layer)
            return ig_fail(err, IG_ERR_USAGE, "eval-layers", 0,
                           "no layer %lld: the model has 0 (embeddings) to %d", layer, n_layer);
    }
    if (layers->n > IG_MEASURE_MAX_LAYER)
        return ig_fail(err, IG_ERR_USAGE, "eval-layers", 0, "%d layers, expected at most %d",
                       layers->n, IG_MEASURE_MAX_LAYER);
    return IG_ERR_OK;
}

/* Takes lower case from the tokenizer of the model in dir, and finds whether the vocabulary in
 * `path` alone cuts text as that does; NULL: a run's, which does. */
static ig_code parents_switches(ig_run_config *c, const char *dir, const char *path, ig_err *err)
{
    ig_tokenizer_options how = {.lowercase = c->tokens.lowercase};
    ig_tokenizer *t, *own = NULL;
    IG_TRY(ig_tokenizer_open(&t, dir, &how, err));
    how.lowercase = c->tokens.lowercase = ig_tokenizer_get_options(t).lowercase;
    ig_code code = path != NULL ? ig_tokenizer_load(&own, path, &how, err) : IG_ERR_OK;
    c->tokens.vocab_folder =
        own != NULL && (ig_tokenizer_get_options(own).lowercase != how.lowercase ||
                        ig_tokenizer_rules_hash(own) != ig_tokenizer_rules_hash(t));
    c->tokens.rules = ig_tokenizer_rules_hash(t);
    ig_tokenizer_free(own);
    ig_tokenizer_free(t);
    return code;
}

/* Refuses a language that has a vocabulary of its own in the run of this record, and would be cut
 * by the first one's here. */
static ig_code check_own(const ig_run_config *c, const char *from, const char *record, ig_err *err)
{
    json_auto_t *run = NULL;
    ig_run_languages was = {0};
    if (!ig_folder_has(from, record))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&run, from, record, err));
    const char *spec =
        json_string_value(json_object_get(json_object_get(run, "config"), "languages"));
    if (spec == NULL)
        return IG_ERR_OK;
    was.spec = (char *)(uintptr_t)spec;
    ig_code code = ig_run_languages_parse(&was, false, err);
    for (int k = 0; k < c->languages.n && code == IG_ERR_OK; k++)
        for (int i = 1; i < was.n && code == IG_ERR_OK; i++) {
            const char *name = c->languages.language[k].name;
            if (was.language[i].vocab[0] == '\0' || strcmp(name, was.language[i].name) != 0)
                continue;
            code =
                ig_fail(err, IG_ERR_USAGE, "from", 0,
                        "language '%s' has a vocabulary of its own in '%.200s', expected a model "
                        "of it alone",
                        name, c->model.from);
            ig_hint(err,
                    "isoglot model %.200s --language %s --out DIR writes one; --vocab FILE takes "
                    "another",
                    c->model.from, name);
        }
    ig_run_languages_free(&was);
    return code;
}

/* The vocabulary of a model that is started from: a run's base vocabulary, or a foreign folder's.
 * The vocab.txt of a model that was trained here has the copies of languages, too: it is none, and
 * that of the run around it is taken. */
static ig_code parents_vocabulary(ig_run_config *c, ig_err *err)
{
    static const char *const foreign[] = {"data/vocab.txt", "data/tokenizer.json", "tokenizer.json",
                                          "vocab.txt"},
                             *const around[] = {"../../data/vocab.txt",
                                                "../../data/tokenizer.json"};
    char dir[IG_PATH];
    json_t *config = NULL;
    const char *from = c->model.from;
    bool own = c->tokens.vocab != NULL || c->tokens.world_words || !from_folder(&c->model);
    for (int k = 0; k < c->languages.n; k++)
        own = own || c->languages.language[k].vocab[0] != '\0';
    if (!own && own_checkpoint(dir, c))
        from = c->out;
    else if (!own && ig_dir_exists(from))
        IG_TRY(ig_run_latest(dir, from, err));
    if (!own && ig_folder_has(from, "config.json"))
        IG_TRY(ig_folder_json(&config, from, "config.json", err));
    const json_t *base = json_object_get(json_object_get(config, "isoglot"), "base_vocab_size"),
                 *rows = json_object_get(config, "vocab_size");
    const bool copies = base != NULL && !json_equal(base, rows),
               checkpoint = base != NULL && ig_folder_has(from, "../../run.json");
    json_decref(config);
    if (own)
        return IG_ERR_OK;
    IG_TRY(check_own(c, from, checkpoint ? "../../run.json" : "run.json", err));
    const char *const *name = checkpoint ? around : foreign;
    for (size_t i = 0; i < (checkpoint ? sizeof around : sizeof foreign) / sizeof *name; i++) {
        char path[IG_PATH];
        if ((copies && !checkpoint) || !ig_folder_has(from, name[i]))
            continue;
        IG_TRY(ig_folder_path(path, from, err, "%s", name[i]));
        c->model.parents_vocab = true;
        IG_TRY(ig_copy_text(&c->tokens.vocab, path, "vocabulary", err));
        return parents_switches(c, dir,
                                strncmp(name[i], "data/", 5) == 0 || checkpoint ? NULL : path, err);
    }
    return !copies ? IG_ERR_OK
                   : ig_fail(err, IG_ERR_USAGE, "from", 0,
                             "'%.200s' has the copies of languages in its vocabulary and is not in "
                             "its run's folder, expected a vocab",
                             from);
}

void ig_run_config_given(ig_run_config *c, const unsigned char *given)
{
    for (int i = 0; i < ig_run_options.n; i++)
        if (strcmp(ig_run_options.row[i].name, "causal-share") == 0)
            c->model.causal_given = given[i] != IG_GIVEN_NOT;
}

/* Takes the share of causal batches from the model that is started from, unless one is given. Its
 * config.json says whether all were; of some, the record of its run has the share. */
static ig_code parents_causal(ig_run_config *c, ig_err *err)
{
    char dir[IG_PATH];
    json_auto_t *run = NULL;
    if (c->model.causal_given || !from_folder(&c->model))
        return IG_ERR_OK;
    c->model.parents_causal = true;
    c->objective.batching.causal_share = c->model.parent.causal;
    if (!c->model.parent.shifted)
        return IG_ERR_OK;
    if (!own_checkpoint(dir, c))
        IG_TRY(ig_run_latest(dir, c->model.from, err));
    if (ig_folder_has(dir, "../../run.json"))
        IG_TRY(ig_folder_json(&run, dir, "../../run.json", err));
    c->objective.batching.causal_share =
        json_number_value(json_object_get(json_object_get(run, "config"), "causal_share"));
    return c->objective.batching.causal_share > 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "causal-share", 0,
                         "is not given, and '%.200s', which had masked and causal batches, is not "
                         "in its run's folder, which says how many",
                         c->model.from);
}

ig_code ig_run_config_resolve(ig_run_config *c, ig_err *err)
{
    IG_TRY(ig_run_config_parse(c, err));
    IG_TRY(parents_causal(c, err));
    IG_TRY(parents_vocabulary(c, err));
    if (c->optimisation.updates > 0 && c->optimisation.epochs > 0)
        return ig_fail(err, IG_ERR_USAGE, "epochs", 0,
                       "updates %lld and epochs %lld are both given, expected one of them",
                       (long long)c->optimisation.updates, (long long)c->optimisation.epochs);
    if (c->optimisation.updates == 0 && c->optimisation.epochs == 0)
        c->optimisation.epochs = 100;
    c->optimisation.precision %=
        IG_N_PRECISION; /* the short spellings are written back as the long ones */
    if (c->objective.batching.mask_share + c->objective.batching.random_share > 1 + 1e-12)
        return ig_fail(err, IG_ERR_USAGE, "random-share", 0,
                       "mask-share %g and random-share %g add up to %g, expected at most 1",
                       c->objective.batching.mask_share, c->objective.batching.random_share,
                       c->objective.batching.mask_share + c->objective.batching.random_share);
    IG_TRY(check_neighbours(c, err));
    if (c->data.ids != NULL && c->data.text == NULL)
        return ig_fail(err, IG_ERR_USAGE, "ids", 0, "ids without a text to take them from");
    if (c->data.dev_ids != NULL && c->data.dev_text == NULL)
        return ig_fail(err, IG_ERR_USAGE, "dev-ids", 0, "dev-ids without a dev-text");
    if (c->data.dev_text != NULL && c->data.text == NULL)
        return ig_fail(err, IG_ERR_USAGE, "dev-text", 0,
                       "dev-text without a text: a generated world brings its own");
    if (c->data.dev_parallel && !ig_run_languages_have_texts(&c->languages))
        return ig_fail(err, IG_ERR_USAGE, "dev-parallel", 0,
                       "no language has a text of its own, and of one text all languages are "
                       "parallel");
    if (c->tokens.world_words && (c->data.text != NULL || c->tokens.vocab != NULL))
        return ig_fail(err, IG_ERR_USAGE, "world-words", 0, "together with a %s, expected %s",
                       c->data.text != NULL ? "text" : "vocab",
                       c->data.text != NULL ? "a generated world"
                                            : "no vocab: its words are a world's own");
    if (c->data.dev_take == 0 && c->data.text == NULL && ig_run_config_has_world(c))
        return ig_fail(err, IG_ERR_USAGE, "dev-take", 0,
                       "0 stands for all sentences, but a generated world has no end, expected at "
                       "least 1");
    if (c->model.parameters > 0 && c->model.hidden > 0)
        return ig_fail(err, IG_ERR_USAGE, "parameters", 0,
                       "parameters %lld and hidden %lld are both given, expected one of them",
                       (long long)c->model.parameters, (long long)c->model.hidden);
    IG_TRY(ig_run_instances_check(&c->objective, &c->model.parts, err));
    if (c->optimisation.schedule == IG_SCHEDULE_INVERSE_SQRT && c->optimisation.warmup == 0)
        return ig_fail(err, IG_ERR_USAGE, "warmup", 0,
                       "0, expected at least 1: the inverse square root counts from there");
    const ig_bert_config m = ig_run_config_model(c, 16, 0);
    ig_parts parts;
    bool permute;
    IG_TRY(ig_parts_parse(&parts, c->model.freeze, false, m.num_hidden_layers, "freeze", err));
    if (!isnan(parts.separate) && !ig_bert_separate_any(&c->model.parts))
        return ig_fail(err, IG_ERR_USAGE, "freeze", 0,
                       "found separate, but languages have no parts of their own (separate)");
    IG_TRY(
        ig_parts_parse_new(&parts, &permute, c->model.reinit, m.num_hidden_layers, "reinit", err));
    IG_TRY(ig_phases_check(c, m.num_hidden_layers, err));
    IG_TRY(ig_bert_config_check(&m, "", err));
    int32_t need = (int32_t)c->objective.block * (c->languages.lang_pos ? 2 : 1);
    if (m.max_position_embeddings < need)
        return ig_fail(err, IG_ERR_USAGE, "max-positions", 0,
                       "%d, expected at least %d (block %lld%s)", m.max_position_embeddings, need,
                       (long long)c->objective.block,
                       c->languages.lang_pos ? ", twice for lang-pos" : "");
    IG_TRY(check_eval_layers(&c->measuring.eval_layers, m.num_hidden_layers, err));
    return ig_run_config_check_languages(c, err);
}

const char *const ig_run_architecture_names[] = {"bert", "modernbert", NULL};

/* ModernBERT's blocks and positions (Warner et al. 2024, table 4), without biases. */
static void set_modernbert(ig_bert_config *m, const ig_run_config *c)
{
    m->block = IG_BLOCK_MODERN;
    m->position = IG_POSITION_ROTARY;
    m->rope_theta[0] = 160000;
    m->rope_theta[1] = 10000;
    m->local_window = (int32_t)c->model.local_attention / 2;
    for (int l = 0; l < m->num_hidden_layers && l < IG_BERT_MAX_LAYER; l++)
        m->local[l / 64] |= (uint64_t)(l % c->model.global_every != 0) << l % 64;
    m->no_attention_bias = m->no_ffn_bias = m->no_norm_bias = m->no_head_bias = true;
    if (c->model.segments == 0)
        m->type_vocab_size = ig_run_instances_segments(&c->objective, &c->languages);
}

ig_bert_config ig_run_config_model(const ig_run_config *c, int32_t vocab_size, int32_t pad_id)
{
    ig_bert_config m = preset_of(&c->model, vocab_size);
    if (c->model.hidden > 0)
        m.hidden_size = (int32_t)c->model.hidden;
    if (c->model.heads > 0)
        m.num_attention_heads = (int32_t)c->model.heads;
    if (c->model.ffn > 0)
        m.intermediate_size = (int32_t)c->model.ffn;
    if (c->model.max_positions > 0)
        m.max_position_embeddings = (int32_t)c->model.max_positions;
    if (c->model.segments > 0)
        m.type_vocab_size = (int32_t)c->model.segments;
    else if (m.type_vocab_size < ig_run_instances_segments(&c->objective, &c->languages))
        m.type_vocab_size = ig_run_instances_segments(&c->objective, &c->languages);
    m.head[IG_HEAD_NEXT].n_label = c->objective.nsp ? 2 : 0;
    m.hidden_dropout_prob = (float)c->model.hidden_dropout;
    m.attention_probs_dropout_prob = (float)c->model.attention_dropout;
    m.initializer_range = (float)c->model.init_range;
    if (!from_folder(&c->model)) {
        m.layer_norm_eps = (float)c->model.layer_norm_eps;
        m.position = (ig_position_kind)c->model.position_type;
        m.untied = !c->model.tied;
        m.no_transform = !c->model.transform;
        m.block = c->model.pre_norm ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        m.gelu_tanh = c->model.gelu_tanh;
        if (c->model.architecture == IG_ARCHITECTURE_MODERNBERT)
            set_modernbert(&m, c);
    }
    m.causal = c->objective.batching.causal_share == 1;
    m.shifted = !m.causal && c->objective.batching.causal_share > 0;
    m.separate = c->model.parts;
    m.n_language = ig_bert_separate_any(&m.separate) ? c->languages.n : 0;
    m.pad_token_id = pad_id;
    m.init = (ig_bert_init_rule)c->model.init;
    if (c->model.parameters > 0)
        ig_bert_config_solve(&m, c->model.parameters, c->model.ffn > 0);
    return m;
}

ig_sentence_options ig_run_data_sentences(const ig_run_data *d, bool dev)
{
    return (ig_sentence_options){.kind = (ig_text_kind)(dev ? d->dev_format : d->format),
                                 .verses = dev ? d->dev_verses : d->verses,
                                 .strip_quotes = d->strip_quotes,
                                 .whole_lines = !d->sentences,
                                 .clauses = d->clauses,
                                 .take = dev ? d->dev_take : d->take};
}

ig_data_settings ig_run_config_data(const ig_run_config *c)
{
    enum { QUICK = 4000 };
    const bool quick = c->quick && c->trainer == IG_TRAINER_BERT && c->optimisation.updates > 0;
    return (ig_data_settings){.data = &c->data,
                              .tokens = &c->tokens,
                              .languages = &c->languages,
                              .objective = &c->objective,
                              .sample = quick ? QUICK : 0,
                              .n_thread = (int)c->threads};
}

int64_t ig_data_settings_take(const ig_data_settings *d, int64_t own)
{
    const int64_t take = own > 0 ? own : d->data->take;
    return d->sample > 0 && (take == 0 || take > d->sample) ? d->sample : take;
}

int ig_run_config_dim(const ig_run_config *c)
{
    return c->vectors.embed_dim > 0    ? (int)c->vectors.embed_dim
           : ig_run_config_no_shape(c) ? 0
                                       : ig_run_config_model(c, 16, 0).hidden_size;
}

ig_batch_options ig_run_config_batch(const ig_run_config *c)
{
    ig_batch_options b = c->objective.batching;
    bool any = false;
    for (int k = 0; k < IG_LANGUAGES_MAX; k++) {
        b.share[k] = k < c->languages.n ? c->languages.language[k].share : 1;
        any = any || b.share[k] != 1;
    }
    b.sampled = any || b.alpha != 1 || b.epoch_size > 0;
    if (b.languages == IG_BATCH_MIXED && ig_bert_separate_any(&c->model.parts))
        b.languages = IG_BATCH_GROUPED;
    /* The random share is kept (the paper's text), or masked (its program). */
    if (c->objective.no_random == IG_NO_RANDOM_CODE)
        b.mask_share += b.random_share;
    if (c->objective.no_random != IG_NO_RANDOM_OFF)
        b.random_share = 0;
    return b;
}

ig_trainer_options ig_run_config_trainer(const ig_run_config *c, int64_t steps_per_epoch)
{
    ig_training_settings s = c->optimisation;
    s.accum_carry = c->accum_carry == IG_VARIANT_PAPER_CODE;
    s.accum_mean = c->accum_mean == IG_VARIANT_PAPER_CODE;
    return ig_trainer_options_of(&s, steps_per_epoch);
}

void ig_run_config_free_parsed(ig_run_config *c)
{
    ig_run_languages_free(&c->languages);
    ig_named_files_free(&c->data.named);
}

void ig_run_config_free(ig_run_config *c)
{
    ig_options_free(&ig_run_options, c);
    ig_run_config_free_parsed(c);
}
