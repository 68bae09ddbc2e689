/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the labels and the task of a fine-tuned model's folder. Keys are those of transformers'
 * PretrainedConfig (id2label, label2id, num_labels, problem_type, architectures), and
 * isoglot.task, which `isoglot finetune` writes.
 */
#include "finetune/tuned_record.h"

#include "base/settings/json_file.h"

#include <stdio.h>
#include <string.h>

static void numbered(char *out, size_t room, const char *before, int32_t i)
{
    snprintf(out, room, "%s%d", before, i);
}

/* label2id, where it is given: the same as id2label. transformers leaves its default, LABEL_0, … ,
 * where a program has set the names alone. */
static ig_code check_ids(const ig_tuned_record *r, const json_t *j, const char *where, ig_err *err)
{
    const json_t *ids = json_object_get(j, "label2id");
    char usual[32];
    for (int32_t i = 0; i < r->labels.n && json_is_object(ids); i++) {
        numbered(usual, sizeof usual, "LABEL_", i);
        const json_t *id = json_object_get(ids, r->labels.name[i]);
        if (id == NULL && json_object_get(ids, usual) != NULL)
            continue;
        const json_int_t k = json_is_integer(id) ? json_integer_value(id) : -1;
        if (k == i ||
            (k >= 0 && k < r->labels.n && strcmp(r->labels.name[k], r->labels.name[i]) == 0))
            continue;
        if (!json_is_integer(id))
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "id2label has \"%.60s\" for %d, label2id has no such label",
                           r->labels.name[i], i);
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "id2label has \"%.60s\" for %d, label2id has %lld for it, expected the same",
                       r->labels.name[i], i, (long long)k);
    }
    return IG_ERR_OK;
}

static ig_code read_labels(ig_tuned_record *r, const json_t *j, int32_t n, const char *where,
                           ig_err *err)
{
    const json_t *names = json_object_get(j, "id2label"), *count = json_object_get(j, "num_labels");
    if (json_is_null(names))
        names = NULL;
    if (json_is_integer(count) && json_integer_value(count) != n)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"num_labels\" is %lld, id2label has %d labels",
                       (long long)json_integer_value(count), n);
    IG_TRY(ig_pool_alloc(&r->pool, &r->labels.name, n, sizeof *r->labels.name, err));
    for (int32_t i = 0; i < n; i++) {
        char number[32];
        numbered(number, sizeof number, "", i);
        const char *name = json_string_value(json_object_get(names, number));
        if (names != NULL && name == NULL)
            return ig_fail(err, IG_ERR_INPUT, where, 0, "id2label has no name of label %d", i);
        numbered(number, sizeof number, "LABEL_", i);
        r->named = r->named || (name != NULL && strcmp(name, number) != 0);
        name = name != NULL ? name : number;
        IG_TRY(ig_pool_text(&r->pool, &r->labels.name[i], name, strlen(name), err));
    }
    r->labels.n = n;
    return check_ids(r, j, where, err);
}

/* A model without a head that predict can use: why. */
static ig_code no_head(const json_t *j, const ig_encoder *e, const char *where, ig_err *err)
{
    static const char usable[] = "expected one that ends in ForSequenceClassification or "
                                 "ForTokenClassification";
    const char *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    const char *of = name != NULL ? strstr(name, "For") : NULL;
    const json_t *type = json_object_get(j, "model_type"), *id = json_object_get(j, "id2label");
    const char *from = json_string_value(json_object_get(j, "classifier_pooling"));
    const bool several = json_object_size(id) > 1;
    if (several && json_is_string(type) && strcmp(json_string_value(type), "roformer") == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "%.80s is not computed here: its head has an activation of its own", name);
    if (of != NULL && !several &&
        (strcmp(of, "ForSequenceClassification") == 0 || strcmp(of, "ForTokenClassification") == 0))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "%.80s has one output, a number (regression), expected two labels or more",
                       name);
    if (several && of != NULL && strcmp(of, "ForSequenceClassification") == 0 && from != NULL &&
        strcmp(from, "cls") != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"classifier_pooling\" is \"%.40s\", expected \"cls\": another head is not "
                       "computed here",
                       from);
    if (of != NULL && strcmp(of, "ForMaskedLM") != 0 && strcmp(of, "ForPreTraining") != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"architectures\" is \"%.80s\", whose head is not for labels of texts or "
                       "words, %s",
                       name, usable);
    if (e->head_tensor[0] != '\0')
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "model.safetensors has the tensor \"%.80s\", but \"architectures\" is "
                       "\"%.80s\", %s",
                       e->head_tensor, name != NULL ? name : "not there", usable);
    ig_fail(err, IG_ERR_INPUT, where, 0, "the model has no head for labels");
    return ig_hint(err, "isoglot finetune trains one");
}

/* A head of several labels of which a text has any number, or of numbers. */
static ig_code check_problem(const json_t *j, const char *where, ig_err *err)
{
    const char *type = json_string_value(json_object_get(j, "problem_type"));
    return type == NULL || strcmp(type, "single_label_classification") == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, where, 0,
                         "\"problem_type\" is \"%.60s\", expected \"single_label_classification\": "
                         "one label for each text",
                         type);
}

/* The kind that the folder says, or that the user does. */
static ig_code find_kind(ig_tuned_record *r, const json_t *task, int asked, const char *where,
                         ig_err *err)
{
    const char *kind = json_string_value(json_object_get(task, "kind"));
    const bool words = r->head != IG_HEAD_SEQUENCE;
    r->kind = words ? IG_TASK_TAGGING : IG_TASK_SINGLE;
    r->kind_known = words;
    for (int k = 0; k < IG_N_TASK_KIND && kind != NULL; k++)
        if (strcmp(kind, ig_task_kind_names[k]) == 0) {
            r->kind = (ig_task_kind)k;
            r->kind_known = true;
        }
    if (asked < 0 || (r->kind_known && r->kind == (ig_task_kind)asked))
        return IG_ERR_OK;
    if (r->kind_known || (asked != IG_TASK_SINGLE && asked != IG_TASK_PAIR))
        return ig_fail(err, IG_ERR_USAGE, "--kind", 0,
                       "found '%s', expected '%s' for the head that %s describes",
                       ig_task_kind_names[asked],
                       r->kind_known ? ig_task_kind_names[r->kind] : "single' or 'pair", where);
    r->kind = (ig_task_kind)asked;
    r->kind_known = true;
    return IG_ERR_OK;
}

static ig_code read_json(ig_tuned_record *r, const json_t *j, const ig_encoder *e, int kind,
                         const char *where, ig_err *err)
{
    const ig_head_kind heads[] = {IG_HEAD_SEQUENCE, IG_HEAD_TOKEN, IG_HEAD_CRF, IG_HEAD_PARSER};
    int32_t n = 0;
    for (size_t i = 0; i < sizeof heads / sizeof *heads && n == 0; i++) {
        r->head = heads[i];
        n = ig_bert_config_n_label(ig_bert_get_config(e->model), heads[i]);
    }
    if (n == 0)
        return no_head(j, e, where, err);
    IG_TRY(check_problem(j, where, err));
    const json_t *task = json_object_get(json_object_get(j, "isoglot"), "task");
    r->defaults = task == NULL;
    IG_TRY(find_kind(r, task, kind, where, err));
    IG_TRY(ig_options_default(&ig_finetune_options, &r->input, err));
    const json_t *input = json_object_get(task, "input"),
                 *columns = json_object_get(task, "columns");
    for (size_t k = 0; k < 2; k++) {
        const char *name = json_string_value(json_array_get(columns, k));
        if (name != NULL)
            IG_TRY(ig_pool_text(&r->pool, &r->column[k], name, strlen(name), err));
    }
    if (input != NULL)
        IG_TRY(ig_options_from_json(&ig_finetune_options, &r->input, input, where, err));
    return read_labels(r, j, n, where, err);
}

ig_code ig_tuned_record_read(ig_tuned_record *r, const ig_encoder *e, int kind, ig_err *err)
{
    char path[IG_PATH];
    json_auto_t *j = NULL;
    *r = (ig_tuned_record){.kind = IG_TASK_SINGLE};
    IG_TRY(ig_folder_path(path, e->dir, err, "config.json"));
    IG_TRY(ig_json_read(&j, path, err));
    return read_json(r, j, e, kind, path, err);
}

void ig_tuned_record_free(ig_tuned_record *r)
{
    ig_options_free(&ig_finetune_options, &r->input);
    ig_pool_free(&r->pool);
    *r = (ig_tuned_record){.kind = IG_TASK_SINGLE};
}
