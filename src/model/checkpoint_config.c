/* SPDX-License-Identifier: Apache-2.0
 *
 * config.json, as transformers' BertConfig, MegatronBertConfig and RoFormerConfig read and write it
 * (https://huggingface.co/docs/transformers, model_doc/bert and model_doc/roformer). Settings that
 * those have no key for are under "isoglot", "model".
 */
#include "model/checkpoint_config.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/strings/encoding.h"
#include "model/bert_params.h"
#include "model/block/block.h"
#include "model/checkpoint_head.h"
#include "model/family/config_json.h"
#include "model/head/head.h"
#include "model/separate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONFIG_MAX = 16 << 20 };

/* By ig_activation_name. */
static const char *const activations[IG_N_ACTIVATION] = {"gelu", "gelu_new", "gelu_pytorch_tanh",
                                                         "silu"};
/* By ig_position_kind; fixed tables are learned ones to programs that only run the model. */
static const char *const position_types[] = {"absolute",     "absolute",           "absolute",
                                             "relative_key", "relative_key_query", NULL};

/* Architectures of the first families: of models with a head for next sentences. */
static const char *const next_names[] = {"BertForPreTraining", "MegatronBertForPreTraining", NULL,
                                         "IsoglotForPreTraining"};

/* For a model with the head of masked words. */
static const char *const usual_names[] = {"BertForMaskedLM", "MegatronBertForMaskedLM",
                                          "RoFormerForMaskedLM", "IsoglotForMaskedLM",
                                          "ModernBertForMaskedLM"};

/* For a causal model, whose head has the same tensors. */
static const char *const causal_names[] = {"BertLMHeadModel", "MegatronBertForCausalLM",
                                           "RoFormerForCausalLM", "IsoglotForCausalLM"};

/* For a model with a head for sequences or for tokens; else the encoder alone. */
static const char *const own_names[][3] = {
    {"BertForSequenceClassification", "MegatronBertForSequenceClassification",
     "RoFormerForSequenceClassification"},
    {"BertForTokenClassification", "MegatronBertForTokenClassification",
     "RoFormerForTokenClassification"},
    {"BertModel", "MegatronBertModel", "RoFormerModel"}};

/* The head of a model that has an architecture of its own in transformers; NULL: none. */
static const ig_head *own_head(const ig_bert_config *c, int *number)
{
    for (*number = 0; *number < IG_N_HEAD; ++*number)
        if (ig_heads[*number]->architecture != NULL &&
            ig_bert_config_n_label(c, (ig_head_kind)*number) > 0)
            return ig_heads[*number];
    return NULL;
}

ig_bert_family ig_bert_family_of(const ig_bert_config *c)
{
    if (c->block == IG_BLOCK_MODERN)
        return IG_FAMILY_MODERNBERT;
    if (ig_blocks[c->block]->gated)
        return IG_FAMILY_OWN;
    const bool rotary = c->position == IG_POSITION_ROTARY, pre = c->block == IG_BLOCK_PRE_NORM;
    /* transformers 5 has no relative positions and opens such a folder as a BERT without any, which
     * is another model. */
    if (c->no_transform || c->no_decoder_bias || ig_bert_is_relative(c) || (pre && rotary) ||
        (rotary && (ig_bert_config_n_label(c, IG_HEAD_NEXT) > 0 ||
                    ig_bert_config_n_label(c, IG_HEAD_SEQUENCE) > 0)))
        return IG_FAMILY_OWN;
    return pre ? IG_FAMILY_MEGATRON : rotary ? IG_FAMILY_ROFORMER : IG_FAMILY_BERT;
}

/* The architecture of a model without a head of its own. A shifted head is nothing that
 * transformers has: the encoder alone. */
static const char *plain_name(const ig_bert_config *c)
{
    const ig_bert_family f = ig_bert_family_of(c);
    if (f == IG_FAMILY_MODERNBERT && c->shifted)
        return "ModernBertModel";
    if (f == IG_FAMILY_MODERNBERT)
        return usual_names[f];
    if (c->causal)
        return causal_names[f];
    if (c->shifted && f != IG_FAMILY_OWN)
        return own_names[2][f];
    return ig_bert_config_n_label(c, IG_HEAD_NEXT) > 0 ? next_names[f] : usual_names[f];
}

const char *ig_bert_opens_as(const ig_bert_config *c)
{
    const ig_bert_family f = ig_bert_family_of(c);
    if (f == IG_FAMILY_OWN)
        return NULL;
    int number;
    if (own_head(c, &number) != NULL && f == IG_FAMILY_MODERNBERT)
        return "ModernBertModel";
    if (own_head(c, &number) != NULL)
        return own_names[number == IG_HEAD_SEQUENCE ? 0 : number == IG_HEAD_TOKEN ? 1 : 2][f];
    return plain_name(c);
}

/* A config.json, with the keys of its family. */
typedef struct {
    const json_t *j;
    const ig_family *f;
    const char *where;
} source;

static ig_code get_int(const source *s, const char *key, double usual, int32_t *out, ig_err *err)
{
    const char *theirs = ig_family_key_of(s->f, key, &usual);
    *out = isnan(usual) ? 0 : (int32_t)usual;
    if (theirs == NULL)
        return IG_ERR_OK;
    return isnan(usual) ? ig_json_need_int(s->j, theirs, out, s->where, err)
                        : ig_json_int(s->j, theirs, (int32_t)usual, out, s->where, err);
}

static ig_code get_real(const source *s, const char *key, double usual, float *out, ig_err *err)
{
    const char *theirs = ig_family_key_of(s->f, key, &usual);
    *out = (float)usual;
    return theirs == NULL ? IG_ERR_OK
                          : ig_json_float(s->j, theirs, (float)usual, out, s->where, err);
}

static ig_code not_true(const json_t *j, const char *key, const char *where, ig_err *err)
{
    if (!json_is_true(json_object_get(j, key)))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is true, which is not computed here", key);
}

static ig_code get_activation(ig_bert_config *c, const source *s, ig_err *err)
{
    const char *name;
    double usual = IG_ACTIVATION_GELU;
    const char *key = ig_family_key_of(s->f, "hidden_act", &usual);
    const bool gated = ig_blocks[s->f->block]->gated;
    IG_TRY(ig_json_string(s->j, key, &name, s->where, err));
    for (int i = 0; i < IG_N_ACTIVATION; i++)
        if (name == NULL
                ? i == (int)usual
                : strcmp(name, activations[i]) == 0 && (gated || i != IG_ACTIVATION_SILU)) {
            c->silu = i == IG_ACTIVATION_SILU;
            c->gelu_tanh = i == IG_ACTIVATION_NEW || i == IG_ACTIVATION_TANH;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                   "\"%s\" is \"%.60s\", expected %s\"gelu\", \"gelu_new\" or "
                   "\"gelu_pytorch_tanh\"",
                   key, name, gated ? "\"silu\", " : "");
}

/* Returns whether the class has the family's encoder: its name begins as those of the family. */
static bool is_of(const char *class, const ig_family *f)
{
    return class != NULL && strncmp(class, f->prefix, strlen(f->prefix)) == 0;
}

const char *ig_bert_folder_opens_as(char *room, size_t n, const ig_bert_config *c,
                                    const json_t *config)
{
    const char *says =
        json_string_value(json_array_get(json_object_get(config, "architectures"), 0));
    ig_bert_family of;
    int number;
    if (ig_family_of_json(&of, config, "", NULL) != IG_ERR_OK)
        return NULL;
    /* A head of this program is not one of transformers'. */
    if (of <= IG_FAMILY_MODERNBERT && (ig_bert_opens_as(c) == NULL || own_head(c, &number) != NULL))
        return ig_bert_opens_as(c);
    const ig_family *f = ig_families[of <= IG_FAMILY_OWN ? ig_bert_family_of(c) : of];
    snprintf(room, n, "%s%s", f->prefix, f->usual);
    return is_of(says, f) ? says : room;
}

static ig_code get_first_position(ig_bert_config *c, const char *where, ig_err *err)
{
    c->first_position = c->pad_token_id + 1;
    if (c->max_position_embeddings <= c->first_position)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"max_position_embeddings\" is %d, expected more than the %d positions "
                       "that this kind of model does not use",
                       c->max_position_embeddings, c->first_position);
    c->max_position_embeddings -= c->first_position;
    return IG_ERR_OK;
}

/* Reads what this program's own models have: isoglot.model. */
static ig_code get_own(ig_bert_config *c, const json_t *model, const char *own, const char *where,
                       ig_err *err)
{
    if (json_is_true(json_object_get(model, "pre_norm")))
        c->block = IG_BLOCK_PRE_NORM;
    c->no_transform = json_is_false(json_object_get(model, "transform"));
    c->no_decoder_bias = json_is_false(json_object_get(model, "decoder_bias"));
    for (int k = 0; k < IG_N_POSITION_KIND; k++)
        if (own != NULL && strcmp(own, ig_position_names[k]) == 0) {
            c->position = (ig_position_kind)k;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, where, 0, "no kind of positions that is known here");
}

static ig_code check_roformer(const ig_bert_config *c, const json_t *j, const char *where,
                              ig_err *err)
{
    IG_TRY(not_true(j, "rotary_value", where, err));
    const json_t *size = json_object_get(j, "embedding_size");
    if (json_is_integer(size) && json_integer_value(size) != c->hidden_size)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"embedding_size\" is %lld, expected hidden_size (%d)",
                       (long long)json_integer_value(size), c->hidden_size);
    return IG_ERR_OK;
}

/* From model_type, position_embedding_type and isoglot.model.positions. */
static ig_code get_position(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const char *table, *own;
    const json_t *model = json_object_get(json_object_get(j, "isoglot"), "model");
    IG_TRY(ig_json_string(j, "position_embedding_type", &table, where, err));
    IG_TRY(ig_json_string(model, "positions", &own, where, err));
    if (c->family == IG_FAMILY_OWN)
        return get_own(c, model, own, where, err);
    if (c->family == IG_FAMILY_ROFORMER)
        return check_roformer(c, j, where, err);
    if (ig_families[c->family]->roberta)
        IG_TRY(get_first_position(c, where, err));
    if (ig_families[c->family]->name != NULL)
        return IG_ERR_OK;
    if (table == NULL)
        table = position_types[IG_POSITION_LEARNED];
    for (int k = 0; k < IG_N_POSITION_KIND; k++)
        if (position_types[k] != NULL && strcmp(table, position_types[k]) == 0 &&
            (own == NULL || strcmp(own, ig_position_names[k]) == 0)) {
            c->position = (ig_position_kind)k;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, where, 0,
                   "\"position_embedding_type\" is \"%.60s\"%s%.60s, expected \"absolute\", "
                   "\"relative_key\" or \"relative_key_query\"",
                   table, own != NULL ? " and isoglot's positions are " : "",
                   own != NULL ? own : "");
}

/* isoglot.model.separate and .languages */
static ig_code get_separate(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const json_t *model = json_object_get(json_object_get(j, "isoglot"), "model");
    const char *parts;
    IG_TRY(ig_json_string(model, "separate", &parts, where, err));
    if (parts == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_json_need_int(model, "languages", &c->n_language, where, err));
    if (c->num_hidden_layers < 1 || c->num_hidden_layers > IG_BERT_MAX_LAYER)
        return IG_ERR_OK; /* is refused for that */
    return ig_bert_separate_parse(&c->separate, parts, c->num_hidden_layers, where, err);
}

/* Returns whether the file is of a model that predicts next sentences. */
static bool has_next(const json_t *j)
{
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    for (size_t i = 0; i < sizeof next_names / sizeof *next_names && name != NULL; i++)
        if (next_names[i] != NULL && strcmp(name, next_names[i]) == 0)
            return true;
    return false;
}

/* Finds how many classes the file names: id2label, num_labels, or transformers' default. */
static ig_code get_n_class(const json_t *j, int32_t *n, const char *where, ig_err *err)
{
    const json_t *names = json_object_get(j, "id2label");
    if (json_is_object(names)) {
        *n = (int32_t)json_object_size(names);
        return IG_ERR_OK;
    }
    return ig_json_int(j, "num_labels", 2, n, where, err);
}

/* Returns whether a head of that many outputs is computed here. A single output is a number
 * (regression), ModernBERT's may read a mean over tokens, and RoFormer's for sequences has the
 * activation of its layers; such a model is read as an encoder alone. */
static bool is_computed(const json_t *j, int family, const ig_head *head, int32_t n)
{
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    const bool roformer = family == IG_FAMILY_ROFORMER;
    const char *from = json_string_value(json_object_get(j, "classifier_pooling"));
    if (ig_families[family]->name != NULL && !is_of(name, &ig_family_own) &&
        (ig_families[family]->label == NULL ||
         (head == ig_heads[IG_HEAD_SEQUENCE] && from != NULL && strcmp(from, "cls") != 0)))
        return false;
    return n >= head->least_label && !(roformer && head == ig_heads[IG_HEAD_SEQUENCE]);
}

/* From the architecture, and what isoglot.model says beside it. */
static ig_code get_heads(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    const json_t *model = json_object_get(json_object_get(j, "isoglot"), "model");
    c->head[IG_HEAD_NEXT].n_label = has_next(j) ? 2 : 0;
    for (int h = 0; h < IG_N_HEAD && name != NULL; h++) {
        const char *own = ig_heads[h]->architecture;
        const size_t n = strlen(name), k = own == NULL ? 0 : strlen(own);
        if (own == NULL || n < k || strcmp(name + n - k, own) != 0)
            continue;
        int32_t n_class;
        IG_TRY(get_n_class(j, &n_class, where, err));
        if (!is_computed(j, c->family, ig_heads[h], n_class))
            continue;
        c->head[h].n_label = n_class;
        /* Other families' heads are not BERT's; those that are trained here say so. */
        if (ig_families[c->family]->label != NULL && !is_of(name, &ig_family_own))
            c->head[h].pooler = ig_families[c->family]->label[h == IG_HEAD_TOKEN];
        IG_TRY(ig_head_settings_read(&c->head[h], json_object_get(model, "head"), where, err));
        if (!json_is_true(json_object_get(model, "masked_words")))
            c->head[IG_HEAD_MASKED].n_label = -1;
    }
    return IG_ERR_OK;
}

/* Returns whether the file has what predicts words: families with names of their own say so. */
static bool has_words(const json_t *j, const ig_family *f)
{
    static const char *const heads[] = {"ForMaskedLM", "ForCausalLM", "LMHeadModel",
                                        "ForPreTraining"};
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    for (size_t i = 0; i < sizeof heads / sizeof *heads && name != NULL; i++)
        if (strstr(name, heads[i]) != NULL)
            return true;
    const json_t *model = json_object_get(json_object_get(j, "isoglot"), "model");
    return f->name == NULL || ig_json_flag(model, "shifted", false) ||
           ig_json_flag(model, "masked_words", false);
}

static ig_code get_sizes(ig_bert_config *c, const source *s, ig_err *err)
{
    IG_TRY(get_int(s, "vocab_size", (double)NAN, &c->vocab_size, err));
    IG_TRY(get_int(s, "hidden_size", (double)NAN, &c->hidden_size, err));
    IG_TRY(get_int(s, "num_hidden_layers", (double)NAN, &c->num_hidden_layers, err));
    IG_TRY(get_int(s, "num_attention_heads", (double)NAN, &c->num_attention_heads, err));
    IG_TRY(get_int(s, "intermediate_size", (double)NAN, &c->intermediate_size, err));
    IG_TRY(get_int(s, "max_position_embeddings", (double)NAN, &c->max_position_embeddings, err));
    IG_TRY(get_int(s, "type_vocab_size", 2, &c->type_vocab_size, err));
    IG_TRY(get_int(s, "pad_token_id",
                   json_is_null(json_object_get(s->j, "pad_token_id")) ? -1 : s->f->roberta,
                   &c->pad_token_id, err));
    if (json_is_null(json_object_get(s->j, "pad_token_id")))
        c->pad_token_id = -1;
    IG_TRY(get_real(s, "hidden_dropout_prob", 0.1, &c->hidden_dropout_prob, err));
    IG_TRY(get_real(s, "attention_probs_dropout_prob", 0.1, &c->attention_probs_dropout_prob, err));
    IG_TRY(get_real(s, "layer_norm_eps", 1e-12, &c->layer_norm_eps, err));
    return get_real(s, "initializer_range", 0.02, &c->initializer_range, err);
}

static ig_code from_json(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    ig_bert_family of;
    IG_TRY(ig_family_of_json(&of, j, where, err));
    const ig_family *f = ig_families[of];
    const source s = {j, f, where};
    *c = (ig_bert_config){.family = (int32_t)of, .block = f->block, .position = f->position};
    IG_TRY(get_activation(c, &s, err));
    IG_TRY(not_true(j, "add_cross_attention", where, err));
    IG_TRY(ig_family_check(f, j, where, err));
    IG_TRY(get_sizes(c, &s, err));
    IG_TRY(get_position(c, j, where, err));
    IG_TRY(get_heads(c, j, where, err));
    c->untied = !ig_json_flag(j, "tie_word_embeddings", !f->untied);
    /* transformers ignores is_decoder in families with names of their own; ELECTRA's is refused. */
    c->causal = f->causal || (f->name == NULL && ig_json_flag(j, "is_decoder", false));
    /* A causal model that transformers 5 makes attend to both sides: the encoder alone. */
    const bool both = c->causal && !ig_json_flag(j, "is_causal", true);
    c->causal &= !both;
    c->no_transform |= f->plain_output;
    c->no_decoder_bias |= f->plain_output;
    if (both || !has_words(j, f))
        c->head[IG_HEAD_MASKED].n_label = -1;
    c->shifted = json_is_true(
        json_object_get(json_object_get(json_object_get(j, "isoglot"), "model"), "shifted"));
    if (f->read != NULL)
        IG_TRY(f->read(c, j, where, err));
    ig_code code = get_separate(c, j, where, err);
    IG_THEN(code, ig_bert_config_check(c, where, err));
    if (code == IG_ERR_USAGE && err != NULL)
        err->code = IG_ERR_INPUT; /* the file is at fault, not the command line */
    return code == IG_ERR_USAGE ? IG_ERR_INPUT : code;
}

static ig_code parse(ig_bert_config *c, json_t **whole, const char *text, int64_t size,
                     const char *where, ig_err *err)
{
    json_error_t why;
    json_t *j;
    IG_TRY(ig_check_text(text, size, where, err));
    ig_code code = ig_json_load(&j, text, size, JSON_REJECT_DUPLICATES, &why, where, err);
    if (code != IG_ERR_OK && code != IG_ERR_INPUT)
        return code;
    if (!json_is_object(j)) {
        bool parsed = j != NULL;
        json_decref(j);
        return ig_fail(err, IG_ERR_INPUT, where, parsed || why.line < 0 ? 0 : (uint64_t)why.line,
                       "%s", parsed ? "expected a JSON object" : why.text);
    }
    code = from_json(c, j, where, err);
    if (code == IG_ERR_OK && whole != NULL)
        *whole = j;
    else
        json_decref(j);
    return code;
}

ig_code ig_bert_config_parse(ig_bert_config *c, const char *text, int64_t size, const char *where,
                             ig_err *err)
{
    return parse(c, NULL, text, size, where, err);
}

ig_code ig_bert_config_read(ig_bert_config *c, const char *dir, json_t **extra, ig_err *err)
{
    char *path, *text;
    int64_t size;
    IG_TRY(ig_path_join(&path, dir, "config.json", err));
    ig_code code = ig_file_read(&text, &size, path, CONFIG_MAX, err);
    if (code == IG_ERR_OK) {
        code = parse(c, extra, text, size, path, err);
        ig_free(text);
    }
    ig_free(path);
    return code;
}

static ig_code write_json(json_t *j, const char *dir, const char *name, ig_err *err)
{
    char *path = NULL;
    ig_code code = ig_path_join(&path, dir, name, err);
    IG_THEN(code, ig_json_write(json_incref(j), path, 9, err));
    ig_free(path);
    return code;
}

/* Names of classes, until better ones are set. */
static int set_classes(json_t *j, int32_t n)
{
    json_t *id = json_object(), *label = json_object();
    char number[16], name[32];
    int bad = 0;
    for (int32_t i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%d", i);
        snprintf(name, sizeof name, "LABEL_%d", i);
        bad |= json_object_set_new(id, number, json_string(name));
        bad |= json_object_set_new(label, name, json_integer(i));
    }
    bad |= json_object_set_new(j, "id2label", id);
    return bad | json_object_set_new(j, "label2id", label);
}

/* Sets the keys for the kind of model; `j` is the whole file. */
static int set_kind(json_t *j, const ig_bert_config *c)
{
    const ig_bert_family f = ig_bert_family_of(c);
    int number;
    char name[80];
    const ig_head *own = own_head(c, &number);
    if (own != NULL)
        snprintf(name, sizeof name, "%s%s",
                 ig_families[f]->name != NULL ? ig_family_own.prefix : ig_families[f]->prefix,
                 own->architecture);
    else
        snprintf(name, sizeof name, "%s", plain_name(c));
    int bad = json_object_set_new(j, "architectures", json_pack("[s]", name));
    if (own != NULL)
        bad |= set_classes(j, ig_bert_config_n_label(c, (ig_head_kind)number));
    bad |= json_object_set_new(j, "model_type", json_string(ig_families[f]->type));
    bad |= json_object_set_new(j, "hidden_act", json_string(activations[c->gelu_tanh ? 1 : 0]));
    if (f == IG_FAMILY_MODERNBERT)
        return bad | ig_family_write_modernbert(j, c);
    if (f == IG_FAMILY_ROFORMER) {
        bad |= json_object_set_new(j, "embedding_size", json_integer(c->hidden_size));
        bad |= json_object_set_new(j, "rotary_value", json_false());
    } else if (f != IG_FAMILY_OWN)
        bad |= json_object_set_new(j, "position_embedding_type",
                                   json_string(position_types[c->position]));
    if (c->causal)
        bad |= json_object_set_new(j, "is_decoder", json_true());
    return bad;
}

/* Sets what other programs have no key for, beside the other keys under "isoglot". */
static int set_own(json_t *j, const ig_bert_config *c)
{
    json_t *model = json_object(), *own = json_object_get(j, "isoglot");
    int bad = 0;
    const bool foreign = ig_bert_family_of(c) == IG_FAMILY_OWN;
    if (foreign || c->position == IG_POSITION_NONE || c->position == IG_POSITION_SINUSOIDAL)
        bad |= json_object_set_new(model, "positions", json_string(ig_position_names[c->position]));
    if (foreign) {
        bad |= json_object_set_new(model, "pre_norm", json_boolean(c->block == IG_BLOCK_PRE_NORM));
        bad |= json_object_set_new(model, "transform", json_boolean(!c->no_transform));
        if (c->no_decoder_bias)
            bad |= json_object_set_new(model, "decoder_bias", json_false());
    }
    if (c->shifted)
        bad |= json_object_set_new(model, "shifted", json_true());
    int number;
    if (own_head(c, &number) != NULL) {
        bool no_memory;
        json_t *head = ig_head_settings_write(&c->head[number], &no_memory);
        bad |= no_memory || (head != NULL && json_object_set_new(model, "head", head) != 0);
        if (ig_bert_config_n_label(c, IG_HEAD_MASKED) > 0)
            bad |= json_object_set_new(model, "masked_words", json_true());
    }
    if (ig_bert_n_language(c) > 1) {
        char parts[4096];
        ig_bert_separate_print(&c->separate, c->num_hidden_layers, parts, sizeof parts);
        bad |= json_object_set_new(model, "separate", json_string(parts));
        bad |= json_object_set_new(model, "languages", json_integer(c->n_language));
    }
    if (json_object_size(model) == 0) {
        json_decref(model);
        return bad;
    }
    own = own != NULL ? json_copy(own) : json_object();
    bad |= json_object_set_new(own, "model", model);
    return bad | json_object_set_new(j, "isoglot", own);
}

ig_code ig_bert_config_write(const ig_bert_config *c, const char *dir, const json_t *extra,
                             ig_err *err)
{
    json_t *j = json_object();
    json_t *shape = json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:b, s:s}", "vocab_size",
        c->vocab_size, "hidden_size", c->hidden_size, "num_hidden_layers", c->num_hidden_layers,
        "num_attention_heads", c->num_attention_heads, "intermediate_size", c->intermediate_size,
        "max_position_embeddings", c->max_position_embeddings, "type_vocab_size",
        c->type_vocab_size, "hidden_dropout_prob", ig_json_real(c->hidden_dropout_prob),
        "attention_probs_dropout_prob", ig_json_real(c->attention_probs_dropout_prob),
        "layer_norm_eps", ig_json_real(c->layer_norm_eps), "initializer_range",
        ig_json_real(c->initializer_range), "tie_word_embeddings", (int)!c->untied, "torch_dtype",
        "float32");
    const char *why = ig_bert_config_untrained(c);
    ig_code code;
    if (why != NULL)
        code = ig_fail(err, IG_ERR_USAGE, dir, 0, "%s: nor are they written", why);
    else if (j == NULL || set_kind(j, c) != 0 || json_object_update(j, shape) != 0 ||
             ig_family_rename(j, ig_families[ig_bert_family_of(c)]) != 0 ||
             json_object_set_new(j, "pad_token_id",
                                 c->pad_token_id < 0 ? json_null()
                                                     : json_integer(c->pad_token_id)) != 0 ||
             (extra != NULL && json_object_update(j, (json_t *)(uintptr_t)extra) != 0) ||
             set_own(j, c) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for config.json");
    else
        code = write_json(j, dir, "config.json", err);
    json_decref(shape);
    json_decref(j);
    return code;
}
