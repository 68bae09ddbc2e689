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
#include "model/bert_params.h"
#include "model/checkpoint_head.h"
#include "model/head/head.h"
#include "model/separate.h"

#include <stdio.h>
#include <string.h>

enum { CONFIG_MAX = 16 << 20 };

/* The exact GELU, and names of its approximation by tanh. */
static const char *const activations[] = {"gelu", "gelu_new", "gelu_pytorch_tanh"};
/* By ig_position_kind; fixed tables are learned ones to programs that only run the model. */
static const char *const position_types[] = {"absolute",     "absolute",           "absolute",
                                             "relative_key", "relative_key_query", NULL};

/* model_type and architecture, by ig_bert_family. */
static const char *const family_names[][2] = {{"bert", "BertForMaskedLM"},
                                              {"megatron-bert", "MegatronBertForMaskedLM"},
                                              {"roformer", "RoFormerForMaskedLM"},
                                              {"isoglot", "IsoglotForMaskedLM"}};
/* Likewise for models with a head for next sentences. */
static const char *const next_names[] = {"BertForPreTraining", "MegatronBertForPreTraining", NULL,
                                         "IsoglotForPreTraining"};

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
    const bool rotary = c->position == IG_POSITION_ROTARY, pre = c->block == IG_BLOCK_PRE_NORM;
    /* transformers 5 has no relative positions and opens such a folder as a BERT without any, which
     * is another model. */
    if (c->no_transform || ig_bert_is_relative(c) || (pre && rotary) ||
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
    if (c->causal)
        return causal_names[f];
    if (c->shifted && f != IG_FAMILY_OWN)
        return own_names[2][f];
    return ig_bert_config_n_label(c, IG_HEAD_NEXT) > 0 ? next_names[f] : family_names[f][1];
}

const char *ig_bert_opens_as(const ig_bert_config *c)
{
    const ig_bert_family f = ig_bert_family_of(c);
    if (f == IG_FAMILY_OWN)
        return NULL;
    int number;
    if (own_head(c, &number) != NULL)
        return own_names[number == IG_HEAD_SEQUENCE ? 0 : number == IG_HEAD_TOKEN ? 1 : 2][f];
    return plain_name(c);
}

static ig_code int_of(const json_t *v, const char *key, int32_t *out, const char *where,
                      ig_err *err)
{
    if (!json_is_integer(v))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is not an integer", key);
    json_int_t n = json_integer_value(v);
    if (n < -1 || n > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is %lld, expected 0 to %d", key,
                       (long long)n, INT32_MAX);
    *out = (int32_t)n;
    return IG_ERR_OK;
}

static ig_code need_int(const json_t *j, const char *key, int32_t *out, const char *where,
                        ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    return v == NULL ? ig_fail(err, IG_ERR_INPUT, where, 0, "no key \"%s\"", key)
                     : int_of(v, key, out, where, err);
}

static ig_code get_int(const json_t *j, const char *key, int32_t def, int32_t *out,
                       const char *where, ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = def;
    return v == NULL || json_is_null(v) ? IG_ERR_OK : int_of(v, key, out, where, err);
}

static ig_code get_real(const json_t *j, const char *key, float def, float *out, const char *where,
                        ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = def;
    if (v == NULL)
        return IG_ERR_OK;
    if (!json_is_number(v))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is not a number", key);
    *out = (float)json_number_value(v);
    return IG_ERR_OK;
}

static ig_code not_true(const json_t *j, const char *key, const char *where, ig_err *err)
{
    if (!json_is_true(json_object_get(j, key)))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is true, which is not computed here", key);
}

static ig_code get_string(const json_t *j, const char *key, const char **out, const char *where,
                          ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = json_string_value(v);
    if (v == NULL || *out != NULL)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is not a string", key);
}

static ig_code get_activation(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const char *name;
    IG_TRY(get_string(j, "hidden_act", &name, where, err));
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (name == NULL || strcmp(name, activations[i]) == 0) {
            c->gelu_tanh = i > 0;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, where, 0,
                   "\"hidden_act\" is \"%.60s\", expected \"gelu\", \"gelu_new\" or "
                   "\"gelu_pytorch_tanh\"",
                   name);
}

/* RoBERTa and its kin: a BERT with other names, whose first token has position pad_token_id + 1
 * (Liu et al. 2019, in transformers' arrangement). */
static const char *const roberta_names[][2] = {
    {"roberta", "Roberta"}, {"xlm-roberta", "XLMRoberta"}, {"camembert", "Camembert"}};

/* Index in the list; −1: another model. */
static int roberta_of(const json_t *j)
{
    const char *type = json_string_value(json_object_get(j, "model_type"));
    for (size_t i = 0; i < sizeof roberta_names / sizeof *roberta_names && type != NULL; i++)
        if (strcmp(type, roberta_names[i][0]) == 0)
            return (int)i;
    return -1;
}

static bool is_roberta(const json_t *j)
{
    return roberta_of(j) >= 0;
}

const char *ig_bert_folder_opens_as(char *room, size_t n, const ig_bert_config *c,
                                    const json_t *config)
{
    static const char usual[] = "ForMaskedLM";
    const char *says =
        json_string_value(json_array_get(json_object_get(config, "architectures"), 0));
    const int kin = roberta_of(config);
    int number;
    /* A head of this program is not one of transformers'. */
    if (kin < 0 && (ig_bert_opens_as(c) == NULL || own_head(c, &number) != NULL))
        return ig_bert_opens_as(c);
    const char *masked = family_names[ig_bert_family_of(c)][1];
    const int prefix =
        kin >= 0 ? (int)strlen(roberta_names[kin][1]) : (int)(strlen(masked) - strlen(usual));
    snprintf(room, n, "%.*s%s", prefix, kin >= 0 ? roberta_names[kin][1] : masked, usual);
    return says != NULL && strncmp(says, room, (size_t)prefix) == 0 ? says : room;
}

/* Another model has other keys, too: the error names its kind. A config.json without model_type is
 * an old BERT's, unless its architecture is another model's. */
static ig_code check_type(const json_t *j, const char *where, ig_err *err)
{
    const char *type,
        *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    IG_TRY(get_string(j, "model_type", &type, where, err));
    if (type == NULL && name != NULL && strncmp(name, "Bert", 4) != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"model_type\" is missing, expected that of \"%.60s\"", name);
    for (size_t f = 0; f < sizeof family_names / sizeof *family_names && type != NULL; f++)
        if (strcmp(type, family_names[f][0]) == 0)
            return IG_ERR_OK;
    return type == NULL || is_roberta(j)
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, where, 0,
                         "\"model_type\" is \"%.60s\", expected \"bert\", \"megatron-bert\", "
                         "\"roformer\", \"roberta\", \"xlm-roberta\" or \"camembert\"",
                         type);
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

/* From model_type, position_embedding_type and isoglot.model.positions. */
static ig_code get_position(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    const char *type, *table, *own;
    IG_TRY(get_string(j, "model_type", &type, where, err));
    IG_TRY(get_string(j, "position_embedding_type", &table, where, err));
    IG_TRY(get_string(json_object_get(json_object_get(j, "isoglot"), "model"), "positions", &own,
                      where, err));
    const json_t *model = json_object_get(json_object_get(j, "isoglot"), "model");
    if (type != NULL && strcmp(type, family_names[IG_FAMILY_OWN][0]) == 0) {
        if (json_is_true(json_object_get(model, "pre_norm")))
            c->block = IG_BLOCK_PRE_NORM;
        c->no_transform = json_is_false(json_object_get(model, "transform"));
        for (int k = 0; k < IG_N_POSITION_KIND; k++)
            if (own != NULL && strcmp(own, ig_position_names[k]) == 0) {
                c->position = (ig_position_kind)k;
                return IG_ERR_OK;
            }
        return ig_fail(err, IG_ERR_INPUT, where, 0, "no kind of positions that is known here");
    }
    if (type != NULL && strcmp(type, family_names[IG_FAMILY_MEGATRON][0]) == 0)
        c->block = IG_BLOCK_PRE_NORM;
    if (type != NULL && strcmp(type, "roformer") == 0) {
        c->position = IG_POSITION_ROTARY;
        IG_TRY(not_true(j, "rotary_value", where, err));
        const json_t *size = json_object_get(j, "embedding_size");
        if (json_is_integer(size) && json_integer_value(size) != c->hidden_size)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "\"embedding_size\" is %lld, expected hidden_size (%d)",
                           (long long)json_integer_value(size), c->hidden_size);
        return IG_ERR_OK;
    }
    if (is_roberta(j))
        IG_TRY(get_first_position(c, where, err));
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
    IG_TRY(get_string(model, "separate", &parts, where, err));
    if (parts == NULL)
        return IG_ERR_OK;
    IG_TRY(need_int(model, "languages", &c->n_language, where, err));
    if (c->num_hidden_layers < 1 || c->num_hidden_layers > IG_BERT_MAX_LAYER)
        return IG_ERR_OK; /* is refused for that */
    return ig_bert_separate_parse(&c->separate, parts, c->num_hidden_layers, where, err);
}

/* Whether the file is of a model that predicts next sentences. */
static bool has_next(const json_t *j)
{
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    for (size_t i = 0; i < sizeof next_names / sizeof *next_names && name != NULL; i++)
        if (next_names[i] != NULL && strcmp(name, next_names[i]) == 0)
            return true;
    return false;
}

/* How many classes the file names: id2label, num_labels, or transformers' default. */
static ig_code get_n_class(const json_t *j, int32_t *n, const char *where, ig_err *err)
{
    const json_t *names = json_object_get(j, "id2label");
    if (json_is_object(names)) {
        *n = (int32_t)json_object_size(names);
        return IG_ERR_OK;
    }
    return get_int(j, "num_labels", 2, n, where, err);
}

/* Whether a head of that many outputs is computed here. A single output is a number (regression),
 * and RoFormer's for sequences has the activation of its layers; such a model is read as an encoder
 * alone. */
static bool is_computed(const json_t *j, const ig_head *head, int32_t n)
{
    const char *type = json_string_value(json_object_get(j, "model_type"));
    const bool roformer = type != NULL && strcmp(type, family_names[IG_FAMILY_ROFORMER][0]) == 0;
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
        if (!is_computed(j, ig_heads[h], n_class))
            continue;
        c->head[h].n_label = n_class;
        IG_TRY(ig_head_settings_read(&c->head[h], json_object_get(model, "head"), where, err));
        if (!json_is_true(json_object_get(model, "masked_words")))
            c->head[IG_HEAD_MASKED].n_label = -1;
    }
    return IG_ERR_OK;
}

static ig_code from_json(ig_bert_config *c, const json_t *j, const char *where, ig_err *err)
{
    *c = (ig_bert_config){0};
    IG_TRY(check_type(j, where, err));
    IG_TRY(get_activation(c, j, where, err));
    IG_TRY(not_true(j, "add_cross_attention", where, err));
    IG_TRY(need_int(j, "vocab_size", &c->vocab_size, where, err));
    IG_TRY(need_int(j, "hidden_size", &c->hidden_size, where, err));
    IG_TRY(need_int(j, "num_hidden_layers", &c->num_hidden_layers, where, err));
    IG_TRY(need_int(j, "num_attention_heads", &c->num_attention_heads, where, err));
    IG_TRY(need_int(j, "intermediate_size", &c->intermediate_size, where, err));
    IG_TRY(need_int(j, "max_position_embeddings", &c->max_position_embeddings, where, err));
    IG_TRY(get_int(j, "type_vocab_size", 2, &c->type_vocab_size, where, err));
    IG_TRY(get_int(j, "pad_token_id",
                   json_is_null(json_object_get(j, "pad_token_id")) ? -1 : is_roberta(j),
                   &c->pad_token_id, where, err));
    IG_TRY(get_real(j, "hidden_dropout_prob", 0.1f, &c->hidden_dropout_prob, where, err));
    IG_TRY(get_real(j, "attention_probs_dropout_prob", 0.1f, &c->attention_probs_dropout_prob,
                    where, err));
    IG_TRY(get_real(j, "layer_norm_eps", 1e-12f, &c->layer_norm_eps, where, err));
    IG_TRY(get_real(j, "initializer_range", 0.02f, &c->initializer_range, where, err));
    IG_TRY(get_position(c, j, where, err));
    IG_TRY(get_heads(c, j, where, err));
    c->untied = json_is_false(json_object_get(j, "tie_word_embeddings"));
    c->causal = json_is_true(json_object_get(j, "is_decoder"));
    c->shifted = json_is_true(
        json_object_get(json_object_get(json_object_get(j, "isoglot"), "model"), "shifted"));
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
    const char *masked = family_names[f][1];
    if (own != NULL)
        snprintf(name, sizeof name, "%.*s%s", (int)(strlen(masked) - strlen("ForMaskedLM")), masked,
                 own->architecture);
    else
        snprintf(name, sizeof name, "%s", plain_name(c));
    int bad = json_object_set_new(j, "architectures", json_pack("[s]", name));
    if (own != NULL)
        bad |= set_classes(j, ig_bert_config_n_label(c, (ig_head_kind)number));
    bad |= json_object_set_new(j, "model_type", json_string(family_names[f][0]));
    bad |= json_object_set_new(j, "hidden_act", json_string(activations[c->gelu_tanh ? 1 : 0]));
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
    ig_code code;
    if (j == NULL || set_kind(j, c) != 0 || json_object_update(j, shape) != 0 ||
        json_object_set_new(j, "pad_token_id",
                            c->pad_token_id < 0 ? json_null() : json_integer(c->pad_token_id)) !=
            0 ||
        (extra != NULL && json_object_update(j, (json_t *)(uintptr_t)extra) != 0) ||
        set_own(j, c) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for config.json");
    else
        code = write_json(j, dir, "config.json", err);
    json_decref(shape);
    json_decref(j);
    return code;
}
