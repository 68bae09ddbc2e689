/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes and writes fine-tuned models. Names of tensors and keys are those of transformers'
 * BertForSequenceClassification and BertForTokenClassification.
 */
#include "finetune/tuned_model.h"

#include "apply/edit/edit_weights.h"
#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/named_parts.h"
#include "model/checkpoint_config.h"
#include "model/head/crf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double INITIAL = 0.02; /* initializer_range */

/* --- its shape --- */

/* Returns which head a task gets, and a model's configuration with it: `base` is that of the
 * folder. */
static ig_head_kind head_of(const ig_finetune_config *c, ig_task_kind kind)
{
    const bool words = kind == IG_TASK_TAGGING;
    if (c->top == IG_TOP_CRF)
        return IG_HEAD_CRF;
    if (kind == IG_TASK_PARSING)
        return IG_HEAD_PARSER;
    return words || c->top == IG_TOP_FIRST ? IG_HEAD_TOKEN : IG_HEAD_SEQUENCE;
}

/* Converts a probability for ig_head_config: 0 is the model's, −1 none. */
static float dropout(double asked, double usual)
{
    const double p = asked < 0 ? usual : asked;
    return p > 0 ? (float)p : -1;
}

/* The first layers of a model, and new ones, which all languages have in common. */
static ig_code cut_layers(ig_bert_config *out, const ig_finetune_config *c, ig_err *err)
{
    const int64_t n = c->keep_layers + c->new_layers;
    if (c->keep_layers < 0)
        return IG_ERR_OK;
    if (c->keep_layers > out->num_hidden_layers || n > IG_BERT_MAX_LAYER)
        return ig_fail(err, IG_ERR_USAGE, "keep-layers", 0,
                       "found %lld, and %lld new ones, expected 0 to %d, %d in all at most",
                       (long long)c->keep_layers, (long long)c->new_layers, out->num_hidden_layers,
                       IG_BERT_MAX_LAYER);
    out->num_hidden_layers = (int32_t)n;
    for (int64_t l = c->keep_layers; l < IG_BERT_MAX_LAYER; l++)
        out->separate.layer[l / 64] &= ~((uint64_t)1 << (l % 64));
    return IG_ERR_OK;
}

/* The parts that are not trained: those named by `freeze`, and the kept layers of a model with new
 * layers. */
static ig_code frozen_parts(ig_parts *out, const ig_finetune_config *c, int n_layer, ig_err *err)
{
    IG_TRY(ig_parts_parse(out, c->freeze, false, n_layer, "freeze", err));
    if (c->keep_layers >= 0)
        out->embeddings = 1;
    for (int64_t l = 0; l < c->keep_layers; l++)
        out->layer[l] = 1;
    return IG_ERR_OK;
}

static ig_code tuned_config(ig_bert_config *out, const ig_bert_config *base,
                            const ig_finetune_config *c, ig_task_kind kind, int32_t n_label,
                            ig_err *err)
{
    if (kind == IG_TASK_PAIR || kind == IG_TASK_SINGLE) /* whichever head reads it */
        IG_TRY(ig_bert_config_first_token(base, "task", err));
    const double usual = c->dropout >= 0 ? c->dropout : (double)base->hidden_dropout_prob;
    ig_parts freeze;
    *out = *base;
    out->separate.head = false; /* a task's head is trained on some languages, and for all */
    IG_TRY(cut_layers(out, c, err));
    IG_TRY(frozen_parts(&freeze, c, out->num_hidden_layers, err));
    for (int h = 0; h < IG_N_HEAD; h++)
        out->head[h] = (ig_head_config){.n_label = h == IG_HEAD_MASKED ? -1 : 0};
    const bool frozen = ig_parts_encoder_frozen(&freeze, out->num_hidden_layers);
    if (c->dropout >= 0) {
        out->hidden_dropout_prob = (float)c->dropout;
        out->attention_probs_dropout_prob = (float)c->dropout;
    }
    if (frozen && !c->frozen_dropout)
        out->hidden_dropout_prob = out->attention_probs_dropout_prob = 0;
    out->init = (ig_bert_init_rule)c->init;
    out->head[head_of(c, kind)] = (ig_head_config){
        .n_label = n_label,
        .reads = c->reads == IG_READ_MIX ? IG_READ_MIX : IG_READ_LAST,
        .frozen = frozen,
        .dropout = dropout(c->head_dropout, usual),
        .inner_dropout = dropout(c->inner_dropout, c->head_dropout >= 0 ? c->head_dropout : usual),
        .variational = c->variational,
        .lstm_layers = c->top == IG_TOP_CRF ? (int32_t)c->lstm_layers : 0,
        .lstm_size = c->top == IG_TOP_CRF ? (int32_t)c->lstm_size : 0,
        .sum = c->crf_sum};
    if (head_of(c, kind) == IG_HEAD_PARSER) {
        ig_head_config *h = &out->head[IG_HEAD_PARSER];
        h->arc_size = (int32_t)c->arc_size;
        h->label_size = (int32_t)c->label_size;
        h->linear_labels = c->linear_labels;
        h->joint_labels = c->joint_labels;
        h->free_root = c->free_root;
    }
    return ig_bert_config_check(out, "task", err);
}

/* A head for labels that the folder has is of another task, or of other labels. */
static void report_head(const ig_bert_config *base, const char *model)
{
    const ig_head_kind heads[] = {IG_HEAD_SEQUENCE, IG_HEAD_TOKEN, IG_HEAD_CRF, IG_HEAD_PARSER};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (ig_bert_config_n_label(base, heads[i]) > 0)
            ig_log(IG_LOG_NORMAL,
                   "%s is a fine-tuned model: its encoder is taken, its %d labels are not; a new "
                   "classifier is drawn",
                   model, ig_bert_config_n_label(base, heads[i]));
}

ig_code ig_tuned_base_open(ig_tuned_base *b, const ig_finetune_config *c, const ig_task *t,
                           ig_err *err)
{
    *b = (ig_tuned_base){.kind = t->kind, .head = head_of(c, t->kind)};
    if (t->labels.n == 1 && t->kind != IG_TASK_PARSING)
        return ig_fail(err, IG_ERR_INPUT, t->path, 0,
                       "found one label in the training files, '%.60s', expected at least two",
                       t->labels.name[0]);
    IG_TRY(ig_encoder_open(&b->source, c->model, c->lowercase, err));
    IG_TRY(ig_bert_digest(b->digest, b->source.model, err));
    const ig_bert_config base = *ig_bert_get_config(b->source.model);
    report_head(&base, c->model);
    ig_bert_free(b->source.model);
    b->source.model = NULL;
    ig_bert_config file;
    IG_TRY(ig_bert_config_read(&file, b->source.dir, NULL, err));
    b->first_position = file.first_position;
    b->family = file.family;
    ig_bert_config_drop_labels(&file);
    const char *why = ig_bert_config_untrained(&file);
    if (why != NULL)
        return ig_bert_fail_untrained(c->model, why, err);
    IG_TRY(tuned_config(&b->config, &base, c, t->kind, t->labels.n, err));
    if (c->length > b->config.max_position_embeddings)
        ig_log(IG_LOG_NORMAL, "%s has %d positions: length %lld counts as %d", c->model,
               b->config.max_position_embeddings, (long long)c->length,
               b->config.max_position_embeddings);
    return ig_model_languages_read(&b->languages, b->source.dir, &b->config, b->source.tokenizer,
                                   err);
}

void ig_tuned_base_close(ig_tuned_base *b)
{
    ig_model_languages_free(&b->languages);
    ig_encoder_close(&b->source);
}

/* --- its weights --- */

/* Returns whether a pre-trained tensor is used: all except heads, and the pooler, which BERT
 * pre-trains. */
static bool is_encoder(const char *name)
{
    if (strncmp(name, "language.", 9) == 0) {
        name = strchr(name + 9, '.');
        name = name != NULL ? name + 1 : "";
    }
    return strncmp(name, "bert.", 5) == 0;
}

/* Sets which tags may follow which: only spans' tags are constrained. */
static ig_code set_constraints(ig_bert *m, const ig_task *t, bool bioul, ig_err *err)
{
    const ig_bert_param *p = ig_bert_param_find(m, IG_CRF_CONSTRAINTS);
    IG_OWNED float *values = NULL;
    if (p == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&values, (int64_t)p->rows * p->cols, sizeof *values, "constraints", err));
    ig_crf_constraints(values, t->labels.name, t->labels.n,
                       t->scheme == IG_SCHEME_PLAIN ? IG_LABELS_ANY
                       : bioul                      ? IG_LABELS_BIOUL
                                                    : IG_LABELS_IOB2);
    ig_bert_set_values(m, p, values);
    return IG_ERR_OK;
}

/* Returns whether a tensor is of a layer after the kept ones. */
static bool is_new(const char *name, const ig_finetune_config *c)
{
    const char *layer = strstr(name, "bert.encoder.layer.");
    return c->keep_layers >= 0 && layer != NULL &&
           strtol(layer + strlen("bert.encoder.layer."), NULL, 10) >= c->keep_layers;
}

/* whole: of a checkpoint, which must be complete. */
static ig_code check_report(const ig_bert_report *r, const char *from, bool whole,
                            const ig_finetune_config *c, ig_err *err)
{
    for (int i = 0; i < r->n_missing; i++)
        if (whole || (is_encoder(r->missing[i]) && !is_new(r->missing[i], c) &&
                      strstr(r->missing[i], "bert.pooler.") == NULL))
            return ig_fail(err, IG_ERR_INPUT, from, 0, "the tensor %s is missing", r->missing[i]);
    return IG_ERR_OK;
}

/* Rows of `table` [pieces, D] that have a vector become it, scaled so that the root mean square of
 * their numbers is that of BERT's initial weights. Returns how many. */
static int32_t put_vectors(float *table, const ig_bert_param *p, const ig_vectors *v,
                           const ig_tokenizer *t)
{
    double squares = 0;
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        const double scale = squares > 0 ? INITIAL / sqrt(squares / ((double)n * v->d)) : 0;
        for (int32_t i = 0; i < p->rows && i < ig_tokenizer_size(t); i++) {
            const char *piece = ig_tokenizer_piece(t, i);
            const int32_t of = ig_lexicon_find(&v->words, piece, (int64_t)strlen(piece));
            n += pass == 0 && of >= 0;
            for (int k = 0; k < v->d && of >= 0; k++) {
                const double x = (double)ig_vectors_row(v, of)[k];
                if (pass == 0)
                    squares += x * x;
                else
                    table[(int64_t)i * v->d + k] = (float)(scale * x);
            }
        }
    }
    return n;
}

/* Static vectors as the word embeddings of a model that is new in all else; special tokens and
 * other pieces without a vector keep their initial values. */
static ig_code take_vectors(ig_bert *m, const ig_tuned_base *b, const char *path, ig_err *err)
{
    const ig_bert_param *p = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight");
    ig_vectors v;
    IG_OWNED float *table = NULL;
    int32_t n = 0;
    IG_TRY(ig_manifest_vectors(&v, path, (ig_vec_how){0}, NULL, err));
    ig_code code = ig_alloc(&table, (int64_t)p->rows * p->cols, sizeof *table, "vectors", err);
    if (code == IG_ERR_OK && v.d != p->cols)
        code = ig_fail(err, IG_ERR_USAGE, path, 0,
                       "found vectors of %d numbers, expected %d, the model's hidden size", v.d,
                       p->cols);
    if (code == IG_ERR_OK) {
        ig_bert_get_values(m, p, table);
        n = put_vectors(table, p, &v, b->source.tokenizer);
        ig_bert_set_values(m, p, table);
        ig_log(IG_LOG_VERBOSE, "%d of %d pieces have a vector", n, p->rows);
    }
    if (code == IG_ERR_OK && n == 0)
        code =
            ig_fail(err, IG_ERR_USAGE, path, 0,
                    "found vectors of %d words, none of which is a piece of the vocabulary", v.n);
    ig_vectors_free(&v);
    return code;
}

/* A new model, on static vectors. */
static ig_code on_vectors(ig_bert **out, const ig_tuned_base *b, const ig_finetune_config *c,
                          ig_err *err)
{
    if (b->config.n_language > 1 && b->config.separate.words)
        return ig_fail(err, IG_ERR_USAGE, c->model, 0,
                       "found languages with word embeddings of their own, expected common ones "
                       "for the vectors of %s",
                       c->vectors);
    IG_TRY(ig_bert_new(out, &b->config, (uint64_t)c->training.seed, err));
    return take_vectors(*out, b, c->vectors, err);
}

/* The folder's encoder with a new head; from: all of a checkpoint. */
static ig_code load(ig_bert **out, const ig_tuned_base *b, const char *from,
                    const ig_finetune_config *c, ig_err *err)
{
    const char *dir = from != NULL ? from : b->source.dir;
    ig_bert_report report = {0};
    ig_bert_config config = b->config;
    config.first_position = from == NULL ? b->first_position : 0;
    config.family = from == NULL ? b->family : 0;
    IG_TRY(ig_bert_load_as(out, dir, &config, (uint64_t)c->training.seed,
                           from != NULL ? NULL : is_encoder, &report, err));
    ig_code code = check_report(&report, dir, from != NULL, c, err);
    ig_bert_report_free(&report);
    for (int64_t l = c->keep_layers; c->keep_layers >= 0 && from == NULL && code == IG_ERR_OK &&
                                     l < b->config.num_hidden_layers;
         l++)
        code = ig_edit_reinit(*out, (int)l + 1, (uint64_t)c->training.seed, err);
    return code;
}

ig_code ig_tuned_model_new(ig_bert **out, ig_tuned_base *b, const char *from,
                           const ig_finetune_config *c, const ig_task *t, ig_err *err)
{
    *out = NULL;
    ig_code code = from == NULL && c->vectors != NULL ? on_vectors(out, b, c, err)
                                                      : load(out, b, from, c, err);
    IG_THEN(code, set_constraints(*out, t, c->bioul, err));
    if (code != IG_ERR_OK) {
        ig_bert_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_tuned_groups(ig_optimizer *o, const ig_bert *m, const ig_finetune_config *c, ig_err *err)
{
    const int n_layer = ig_bert_get_config(m)->num_hidden_layers;
    ig_parts rates, freeze;
    IG_TRY(ig_parts_parse(&rates, c->rates, true, n_layer, "rates", err));
    IG_TRY(frozen_parts(&freeze, c, n_layer, err));
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        ig_param_group g = ig_optimizer_get_group(o, p);
        const double rate = ig_parts_value(&rates, p);
        g.rate = isnan(rate) ? 1 : rate;
        g.frozen = g.frozen || !isnan(ig_parts_value(&freeze, p)) ||
                   (p->language >= 0 && !isnan(freeze.separate));
        ig_optimizer_set_group(o, p, &g);
    }
    return IG_ERR_OK;
}

/* --- its input --- */

ig_example_input ig_tuned_input(const ig_tuned_base *b, const ig_finetune_config *c, bool train)
{
    const bool cut = train || c->cut_eval;
    return (ig_example_input){.tokenizer = b->source.tokenizer,
                              .languages = &b->languages,
                              .model = &b->config,
                              .length = cut ? c->length : 0,
                              .text_length = cut ? c->text_length : 0,
                              .pair_input = (ig_pair_input)c->pair_input,
                              .segments = (ig_segment_use)c->segments,
                              .too_long = (ig_long_use)c->too_long,
                              .empty_words = (ig_empty_use)c->empty_words,
                              .allow_unknown = c->allow_unknown};
}

static int find_language(const ig_model_languages *l, const char *name)
{
    char first[128]; /* of crossed pairs the premise's */
    snprintf(first, sizeof first, "%.*s", (int)strcspn(name, "+"), name);
    return ig_model_languages_find(l, first);
}

int ig_tuned_language(const ig_model_languages *l, const char *name)
{
    const int found = find_language(l, name);
    return found < 0 ? 0 : found;
}

void ig_tuned_report_languages(const ig_model_languages *l, const ig_task *t)
{
    const ig_task_set *s = t->set;
    for (int i = 0; i < t->n_set && l->n > 1; i++) {
        int before = 0;
        while (strcmp(s[before].language, s[i].language) != 0)
            before++;
        if (before == i && find_language(l, s[i].language) < 0)
            ig_log(IG_LOG_NORMAL,
                   "warning: the model knows no language '%s': its texts are read as '%s'",
                   s[i].language, l->language[0].info.name);
    }
}

/* --- its folder --- */

/* The options of the input, by their keys. */
static json_t *input_json(const ig_finetune_config *c)
{
    const ig_option *o = ig_finetune_options.row;
    int n = 1;
    while (o->group == NULL || strcmp(o->group, "Input") != 0)
        o++;
    while (o[n].group == NULL)
        n++;
    return ig_options_json(&(ig_option_table){o, n}, c);
}

/* Returns the source's own part of config.json, with the task. */
static ig_code own_json(json_t **out, const ig_tuned_base *b, const ig_finetune_config *c,
                        const ig_task *t, ig_err *err)
{
    json_t *columns = NULL;
    json_auto_t *j = NULL;
    *out = NULL;
    IG_TRY(ig_folder_json(&j, b->source.dir, "config.json", err));
    const json_t *old = json_object_get(j, "isoglot");
    *out = json_is_object(old) ? json_copy((json_t *)(uintptr_t)old) : json_object();
    json_object_del(*out, "model");
    json_object_del(*out, "step");
    /* Edits that are given to both read means of the source. */
    json_object_set_new(*out, "tuned_from", json_string(b->digest));
    if (t->column[0] != NULL || t->column[1] != NULL)
        columns = json_pack("[s?, s?]", t->column[0], t->column[1]);
    json_object_set_new(*out, "task",
                        json_pack("{s:s, s:o, s:o*}", "kind", ig_task_kind_names[b->kind], "input",
                                  input_json(c), "columns", columns));
    return IG_ERR_OK;
}

static ig_code config_json(json_t **out, const ig_tuned_base *b, const ig_finetune_config *c,
                           const ig_task *t, ig_err *err)
{
    json_t *own;
    *out = NULL;
    IG_TRY(own_json(&own, b, c, t, err));
    json_t *id = json_object(), *label = json_object();
    for (int32_t i = 0; i < t->labels.n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        json_object_set_new(id, number, json_string(t->labels.name[i]));
        json_object_set_new(label, t->labels.name[i], json_integer(i));
    }
    *out = json_pack("{s:o, s:o, s:o}", "id2label", id, "label2id", label, "isoglot", own);
    return *out != NULL ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_MEMORY, "config.json", 0, "not enough memory");
}

/* Returns the requested length, or the model's positions; segments as transformers supports
 * them. */
static ig_tokenizer_use use_of(const ig_tuned_base *b, const ig_finetune_config *c)
{
    const int32_t positions = b->config.max_position_embeddings;
    return (ig_tokenizer_use){.max_length =
                                  c->length > 0 && c->length < positions ? c->length : positions,
                              .types = c->segments == IG_SEGMENT_ZERO    ? IG_TYPES_ZERO
                                       : c->segments == IG_SEGMENT_PARTS ? IG_TYPES_PARTS
                                                                         : IG_TYPES_SAME};
}

ig_code ig_tuned_model_save(const ig_bert *m, const ig_tuned_base *b, const ig_finetune_config *c,
                            const ig_task *t, const char *dir, ig_err *err)
{
    json_auto_t *extra = NULL;
    const ig_tokenizer_use use = use_of(b, c);
    IG_TRY(ig_tokenizer_folder_copy(b->source.tokenizer, &b->source.choice, b->source.dir, dir,
                                    &use, err));
    IG_TRY(config_json(&extra, b, c, t, err));
    IG_TRY(ig_model_languages_copy(
        &b->languages, json_object_get(json_object_get(extra, "isoglot"), "languages"), dir, err));
    return ig_bert_save(m, dir, extra, err);
}
