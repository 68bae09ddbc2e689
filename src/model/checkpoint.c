/* SPDX-License-Identifier: Apache-2.0
 *
 * A model as a Hugging Face folder: ig_bert_load and ig_bert_save of isoglot/bert.h. Names are
 * those of BertForMaskedLM; older files call LayerNorm's tensors gamma and beta, and a BertModel
 * saved without a head leaves out the "bert." in front.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/checkpoint_config.h"
#include "model/weight_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "bert.";
static const char own_prefix[] = "language.";      /* before the names of further languages' own
                                                    * tensors */
static const char roformer_prefix[] = "roformer."; /* before the names of the same tensors in a
                                                    * RoFormer */
static const char roformer_positions[] = "encoder.embed_positions.weight";
static const char roberta_prefix[] = "roberta.";
static const char roberta_dense[] = "classifier.dense.";
static const char tied_weight[] = "cls.predictions.decoder.weight";
static const char word_table[] = "bert.embeddings.word_embeddings.weight";
static const char position_table[] = "bert.embeddings.position_embeddings.weight";
static const char tied_bias[] = "cls.predictions.decoder.bias";

void ig_bert_report_free(ig_bert_report *r)
{
    if (r == NULL)
        return;
    ig_free_list(r->missing, r->n_missing);
    ig_free_list(r->unexpected, r->n_unexpected);
    *r = (ig_bert_report){0};
}

static bool ignore_extra;

bool ig_bert_ignore_extra(bool ignore)
{
    const bool before = ignore_extra;
    ignore_extra = ignore;
    return before;
}

/* Returns whether a tensor is between the input and the last state, with any prefix; else it is one
 * of a head. */
static bool is_of_encoder(const char *name)
{
    static const char *const anywhere[] = {"encoder.layer.", "adapter", "lora_", "prefix_tuning",
                                           "ia3_"};
    static const char *const begin[] = {"bert.", roberta_prefix, roformer_prefix, "encoder.",
                                        "embeddings."};
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (strstr(name, anywhere[i]) != NULL)
            return true;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(name, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

ig_code ig_bert_report_check(const ig_bert_report *r, const char *dir, ig_err *err)
{
    const char *first = NULL;
    int n = 0;
    for (int i = 0; i < r->n_unexpected; i++)
        if (is_of_encoder(r->unexpected[i])) {
            first = first == NULL ? r->unexpected[i] : first;
            n++;
        }
    char *adapter;
    IG_TRY(ig_path_join(&adapter, dir, "adapter_config.json", err));
    const bool has_adapter = ig_file_exists(adapter);
    ig_free(adapter);
    if (has_adapter) {
        ig_fail(err, IG_ERR_INPUT, dir, 0,
                "found an adapter (adapter_config.json), which is not read; with it the model is "
                "another");
        return ig_hint(err, "peft's merge_and_unload makes one model; --ignore-extra reads the "
                            "rest");
    }
    if (n == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, dir, 0,
            "found %d tensor%s of the encoder that config.json does not describe, \"%.100s\"%s; "
            "without %s the model is another",
            n, n == 1 ? "" : "s", first, n == 1 ? "" : " and others", n == 1 ? "it" : "them");
    return ig_hint(err, "--ignore-extra reads the rest; isoglot model lists them");
}

static ig_code list_add(char ***list, int *n, int64_t *have, const char *name, ig_err *err)
{
    IG_TRY(ig_grow(list, have, (int64_t)*n + 1, sizeof **list, "tensor names", err));
    size_t length = strlen(name) + 1;
    IG_TRY(ig_alloc(&(*list)[*n], (int64_t)length, 1, "tensor name", err));
    memcpy((*list)[*n], name, length);
    (*n)++;
    return IG_ERR_OK;
}

/* BERT's name for RoBERTa's name of a tensor of a head, into `room` bytes; else the name itself.
 * RoBERTa's head for sequences (RobertaClassificationHead: dense, tanh, out_proj on the first
 * token) is BERT's pooler and classifier. */
static const char *bert_head_name(char *room, size_t n, const char *name, bool roberta)
{
    static const struct {
        const char *roberta, *bert;
    } part[] = {{"lm_head.dense.", "cls.predictions.transform.dense."},
                {"lm_head.layer_norm.", "cls.predictions.transform.LayerNorm."},
                {roberta_dense, "bert.pooler.dense."},
                {"classifier.out_proj.", "classifier."},
                {"lm_head.", "cls.predictions."}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const size_t k = strlen(part[i].roberta);
        if (strncmp(name, part[i].roberta, k) != 0 || (name[0] == 'c' && !roberta))
            continue;
        snprintf(room, n, "%s%s", part[i].bert, name + k);
        return room;
    }
    return name;
}

/* The name in our own spelling: with "bert.", weight and bias; *row: that of a family with names of
 * its own. */
static void normal_name(char *out, size_t room, const char *name, const ig_family *f,
                        const ig_family_name **row)
{
    char head[240];
    *row = NULL;
    if (f->name != NULL) {
        if (!ig_family_our_name(f, name, out, room, row))
            snprintf(out, room, "%s", name);
        return;
    }
    name = bert_head_name(head, sizeof head, name, f->roberta);
    if (strncmp(name, roberta_prefix, sizeof roberta_prefix - 1) == 0)
        name += sizeof roberta_prefix - 1;
    if (strncmp(name, roformer_prefix, sizeof roformer_prefix - 1) == 0)
        name += sizeof roformer_prefix - 1;
    bool bare = strncmp(name, prefix, sizeof prefix - 1) != 0 && strncmp(name, "cls.", 4) != 0 &&
                strncmp(name, "classifier.", 11) != 0 &&
                strncmp(name, own_prefix, sizeof own_prefix - 1) != 0;
    snprintf(out, room, "%s%s", bare ? prefix : "", name);
    size_t n = strlen(out);
    static const struct {
        const char *old, *now;
    } endings[] = {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}};
    for (size_t i = 0; i < 2; i++) {
        size_t k = strlen(endings[i].old);
        if (n >= k && strcmp(out + n - k, endings[i].old) == 0)
            snprintf(out + n - k, room - (n - k), "%s", endings[i].now);
    }
}

static bool is_roberta_dense(const ig_safetensor *t)
{
    return strncmp(t->name, roberta_dense, sizeof roberta_dense - 1) == 0;
}

/* Returns whether the file has RoBERTa's head for sequences, which does not read a pooler. */
static bool has_roberta_dense(const ig_safetensors *s)
{
    int i = 0;
    while (i < s->n && !is_roberta_dense(&s->tensors[i]))
        i++;
    return i < s->n;
}

/* Tensors that transformers stores beside the weights, or that are not needed here. */
static bool is_ignored(const char *name)
{
    return strncmp(name, "bert.pooler.", 12) == 0 ||
           strcmp(name, "bert.encoder.embed_positions.weight") == 0 || /* fixed: we have our own */
           strcmp(name, "bert.embeddings.position_ids") == 0 ||
           strcmp(name, "bert.embeddings.token_type_ids") == 0 ||
           strstr(name, "rotary_emb.inv_freq") != NULL;
}

/* A bias or LayerNorm; a matrix of one column is none. */
static bool is_vector(const ig_bert_param *p)
{
    return !p->decay;
}

/* A tensor of a file, as a parameter of ours. */
typedef struct {
    const ig_safetensor *t;
    int32_t before;            /* rows that the file has before the parameter's */
    const ig_family_name *row; /* NULL: BERT's */
    float times;               /* 0: 1 */
} reading;

static int joined_of(const reading *r)
{
    return r->row != NULL && r->row->joined > 1 ? r->row->joined : 1;
}

static bool is_transposed(const reading *r)
{
    return r->row != NULL && r->row->transposed && r->t->n_dim == 2;
}

static bool same_shape(const reading *r, const ig_bert_param *p)
{
    const ig_safetensor *t = r->t;
    const int64_t rows = (int64_t)p->rows * joined_of(r) + r->before;
    const int of_rows = is_transposed(r) ? 1 : 0;
    return is_vector(p)
               ? (t->n_dim == 1 && t->shape[0] == rows)
               : (t->n_dim == 2 && t->shape[of_rows] == rows && t->shape[1 - of_rows] == p->cols);
}

static ig_code wrong_shape(const reading *r, const ig_bert_param *p, const char *where, ig_err *err)
{
    char shape[96] = "";
    const ig_safetensor *t = r->t;
    const int rows = p->rows * joined_of(r) + r->before;
    for (int i = 0, at = 0; i < t->n_dim && at < (int)sizeof shape; i++)
        at += snprintf(shape + at, sizeof shape - (size_t)at, "%s%lld", i > 0 ? "×" : "",
                       (long long)t->shape[i]);
    if (is_vector(p))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "tensor \"%.100s\" is %s, expected %d", t->name,
                       shape, rows);
    const bool other = is_transposed(r);
    return ig_fail(err, IG_ERR_INPUT, where, 0, "tensor \"%.100s\" is %s, expected %d×%d", t->name,
                   shape, other ? p->cols : rows, other ? rows : p->cols);
}

/* Brings the file's numbers w into our order and scale; `room` has as many if they are transposed.
 */
static void arrange(float *w, float *room, const reading *r)
{
    const int64_t n = r->t->count;
    if (is_transposed(r)) {
        const int64_t rows = r->t->shape[0], cols = r->t->shape[1];
        memcpy(room, w, (size_t)n * sizeof *w);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < cols; k++)
                w[k * rows + i] = room[i * cols + k];
    }
    for (int64_t i = 0; i < n && r->row != NULL && r->row->plus_one; i++)
        w[i] += 1;
    for (int64_t i = 0; i < n && r->times != 0; i++)
        w[i] *= r->times;
}

/* p: the first of the parameters that the tensor holds. */
static ig_code read_param(ig_bert *m, const ig_bert_param *p, const ig_safetensors *s,
                          const reading *r, ig_err *err)
{
    const ig_safetensor *t = r->t;
    IG_OWNED float *w = NULL;
    if (!same_shape(r, p))
        return wrong_shape(r, p, s->where, err);
    IG_TRY(ig_alloc(&w, is_transposed(r) ? 2 * t->count : t->count, sizeof *w, "tensor", err));
    IG_TRY(ig_safetensors_read(s, t, w, err));
    for (int64_t i = 0; i < t->count; i++)
        if (!isfinite(w[i]))
            return ig_fail(err, IG_ERR_NUMERIC, s->where, 0,
                           "tensor \"%.100s\": value %lld is not finite, expected numbers", t->name,
                           (long long)i);
    arrange(w, w + t->count, r);
    const float *at = w + (int64_t)r->before * p->cols;
    for (int k = 0; k < joined_of(r); k++, p++) {
        ig_bert_set_values(m, p, at);
        at += (int64_t)p->rows * p->cols;
    }
    return IG_ERR_OK;
}

/* A decoder weight in the file is accepted when it equals the tied matrix, the only one that is
 * computed. */
static ig_code check_tied(const ig_bert *m, const ig_safetensors *s, const ig_safetensor *t,
                          bool *tied, ig_err *err)
{
    const ig_bert_param *p = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight");
    *tied = false;
    if (!same_shape(&(reading){.t = t}, p))
        return IG_ERR_OK;
    IG_OWNED float *w = NULL;
    IG_TRY(ig_alloc(&w, 2 * t->count, sizeof *w, "decoder weight", err));
    ig_code code = ig_safetensors_read(s, t, w, err);
    ig_bert_get_values(m, p, w + t->count);
    *tied = code == IG_ERR_OK && memcmp(w, w + t->count, (size_t)t->count * sizeof *w) == 0;
    return code;
}

/* A decoder weight is read as the word embeddings where the file has none; else it is checked. */
static ig_code read_tied(ig_bert *m, const ig_safetensors *s, const ig_safetensor *weight,
                         bool *seen, bool *unexpected, ig_err *err)
{
    const ig_bert_param *words = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight");
    bool *there = &seen[words - ig_bert_params(m)], tied = true;
    ig_code code = *there ? check_tied(m, s, weight, &tied, err)
                          : read_param(m, words, s, &(reading){.t = weight}, err);
    *there = true;
    *unexpected = !tied;
    return code;
}

/* Reads the tensors that `take` selects by our names; NULL: all. */
static ig_code read_tensors(ig_bert *m, const ig_safetensors *s, bool (*take)(const char *name),
                            const ig_bert_config *c, ig_bert_report *r, ig_err *err)
{
    const ig_bert_param *params = ig_bert_params(m);
    int n_param = ig_bert_n_param(m);
    IG_OWNED bool *seen = NULL;
    int64_t have_missing = 0, have_unexpected = 0;
    const ig_safetensor *weight = NULL, *bias = NULL, *scaled = NULL;
    const ig_family *f = ig_families[c->family];
    const bool own_dense = f->roberta && has_roberta_dense(s);
    IG_TRY(ig_alloc(&seen, n_param, sizeof *seen, "tensor list", err));
    for (int i = 0; i < s->n; i++) {
        const ig_safetensor *t = &s->tensors[i];
        char name[256];
        const ig_bert_param *p = f->name == NULL ? ig_bert_param_find(m, t->name) : NULL;
        reading as = {.t = t};
        normal_name(name, sizeof name, p != NULL ? p->name : t->name, f, &as.row);
        if (p == NULL)
            p = ig_bert_param_find(m, name);
        if (take != NULL && !take(p != NULL ? p->name : name))
            continue;
        if (own_dense && is_ignored(name) && !is_roberta_dense(t))
            continue;
        if (p != NULL) {
            if (seen[p - params])
                return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                               "tensor \"%s\" is there under two names", name);
            for (int k = 0; k < joined_of(&as); k++)
                seen[p - params + k] = true;
            as.before = strcmp(p->name, position_table) == 0 ? c->first_position : 0;
            if (f->scaled_words && strcmp(p->name, word_table) == 0) {
                as.times = sqrtf((float)c->hidden_size);
                scaled = t;
            }
            IG_TRY(read_param(m, p, s, &as, err));
        } else if (strcmp(name, tied_weight) == 0)
            weight = t;
        else if (strcmp(name, tied_bias) == 0)
            bias = t;
        else if (!is_ignored(name))
            IG_TRY(list_add(&r->unexpected, &r->n_unexpected, &have_unexpected,
                            as.row != NULL ? name : t->name, err));
    }
    if (weight != NULL) {
        bool unexpected;
        IG_TRY(read_tied(m, s, weight, seen, &unexpected, err));
        if (unexpected)
            IG_TRY(list_add(&r->unexpected, &r->n_unexpected, &have_unexpected, weight->name, err));
    }
    /* Words that are read multiplied are predicted as they are. */
    const ig_bert_param *decoder = ig_bert_param_find(m, tied_weight);
    if (scaled != NULL && decoder != NULL && !seen[decoder - params]) {
        seen[decoder - params] = true;
        IG_TRY(read_param(m, decoder, s, &(reading){.t = scaled}, err));
    }
    const ig_bert_param *out_bias = ig_bert_param_find(m, "cls.predictions.bias");
    /* transformers 5 computes with this one; where matrices are tied, the two are the same. */
    if (bias != NULL && out_bias != NULL && (c->untied || !seen[out_bias - params])) {
        seen[out_bias - params] = true;
        IG_TRY(read_param(m, out_bias, s, &(reading){.t = bias}, err));
    }
    /* A family without segments is a model with one, whose vector is 0. */
    const ig_bert_param *segments =
        ig_bert_param_find(m, "bert.embeddings.token_type_embeddings.weight");
    if (f->name != NULL && segments != NULL && segments->rows == 1)
        seen[segments - params] = true;
    IG_TRY(ig_bert_draw(m, seen, err));
    for (int i = 0; i < n_param; i++)
        if (!seen[i])
            IG_TRY(list_add(&r->missing, &r->n_missing, &have_missing, params[i].name, err));
    return IG_ERR_OK;
}

/* Keeps a small file with a monstrous configuration from allocating all memory: a model may have a
 * head more than its file, not sixteen times the weights. */
static ig_code check_size(const ig_bert_config *c, const ig_safetensors *s, ig_err *err)
{
    const double want = (double)ig_bert_config_n_value(c);
    double have = 0;
    for (int i = 0; i < s->n; i++)
        have += (double)s->tensors[i].count;
    if (want > 16 * have + 1e6)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "%.0f values, expected about %.0f for the shape in config.json", have, want);
    return IG_ERR_OK;
}

static ig_code check_folder(const char *dir, ig_err *err)
{
    return ig_dir_exists(dir) ? IG_ERR_OK
                              : ig_fail(err, IG_ERR_IO, dir, 0,
                                        "no such folder, expected one with config.json and "
                                        "model.safetensors");
}

ig_code ig_bert_load_as(ig_bert **out, const char *dir, const ig_bert_config *c, uint64_t seed,
                        bool (*take)(const char *name), ig_bert_report *report, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    *out = NULL;
    ig_bert_report r = {0};
    if (report != NULL)
        *report = r;
    IG_TRY(check_folder(dir, err));
    ig_safetensors s = {0};
    ig_bert *m = NULL;
    ig_code code = ig_weights_open(&s, dir, err);
    IG_THEN(code, check_size(c, &s, err));
    IG_THEN(code, ig_bert_new_zero(&m, c, seed, err));
    IG_THEN(code, read_tensors(m, &s, take, c, &r, err));
    ig_safetensors_close(&s);
    if (code == IG_ERR_OK && report != NULL)
        *report = r;
    else
        ig_bert_report_free(&r);
    if (code == IG_ERR_OK)
        *out = m;
    else
        ig_bert_free(m);
    return code;
}

ig_code ig_bert_load(ig_bert **out, const char *dir, ig_bert_report *report, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    *out = NULL;
    if (report != NULL)
        *report = (ig_bert_report){0};
    IG_TRY(check_folder(dir, err));
    ig_bert_config c;
    ig_bert_report own = {0}, *r = report != NULL ? report : &own;
    IG_TRY(ig_bert_config_read(&c, dir, NULL, err));
    IG_TRY(ig_bert_load_as(out, dir, &c, 0, NULL, r, err));
    const ig_code code = ignore_extra ? IG_ERR_OK : ig_bert_report_check(r, dir, err);
    if (code != IG_ERR_OK) {
        ig_bert_free(*out);
        *out = NULL;
    }
    if (code != IG_ERR_OK || report == NULL)
        ig_bert_report_free(r);
    return code;
}

/* The tensors to write, with those that only the file has and their names. */
typedef struct {
    ig_tensor_out *tensor;
    int n;
    char *name;   /* [n][name_bytes], for names that differ from ours */
    float *fixed; /* [P, D/H]: the table that RoFormer keeps in its file */
    int bias;     /* index of the parameter whose copy the decoder's bias is */
    const ig_bert *model;
} tensor_list;
enum { name_bytes = 128 };

/* RoFormer's table of sines, then cosines, of position · 10000^(−2i / (D/H)). */
static ig_code add_roformer_positions(tensor_list *t, const ig_bert_config *c, ig_err *err)
{
    const int n = c->max_position_embeddings, d = c->hidden_size / c->num_attention_heads;
    IG_TRY(ig_alloc(&t->fixed, (int64_t)n * d, sizeof *t->fixed, "positions", err));
    for (int64_t p = 0; p < n; p++)
        for (int i = 0; i < d / 2; i++) {
            const double angle = (double)p * pow(10000.0, -2.0 * i / d);
            t->fixed[p * d + i] = (float)sin(angle);
            t->fixed[p * d + d / 2 + i] = (float)cos(angle);
        }
    char *name = t->name + (size_t)t->n * name_bytes;
    snprintf(name, name_bytes, "%s%s", roformer_prefix, roformer_positions);
    t->tensor[t->n++] = (ig_tensor_out){.name = name, .data = t->fixed, .rows = n, .cols = d};
    return IG_ERR_OK;
}

static ig_code list_tensors(tensor_list *t, const ig_bert *m, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    const ig_bert_param *params = ig_bert_params(m);
    const ig_bert_family of = ig_bert_family_of(c);
    const bool roformer = of == IG_FAMILY_ROFORMER;
    const ig_family *f = ig_families[of];
    const int n = ig_bert_n_param(m);
    IG_TRY(ig_alloc(&t->tensor, n + 2, sizeof *t->tensor, "tensor list", err));
    IG_TRY(ig_alloc(&t->name, (n + 2) * (int64_t)name_bytes, 1, "tensor names", err));
    for (int i = 0; i < n; i++) {
        const char *name = params[i].name;
        char *theirs = t->name + (size_t)i * name_bytes;
        if (f->name != NULL && ig_family_their_name(f, name, theirs, name_bytes))
            name = theirs;
        if (roformer && strncmp(name, prefix, sizeof prefix - 1) == 0) {
            char *own = t->name + (size_t)i * name_bytes;
            snprintf(own, name_bytes, "%s%s", roformer_prefix, name + sizeof prefix - 1);
            name = own;
        }
        t->tensor[i] = (ig_tensor_out){.name = name,
                                       .rows = params[i].rows,
                                       .cols = is_vector(&params[i]) ? 0 : params[i].cols};
    }
    t->n = n;
    const bool decodes = ig_bert_config_n_label(c, IG_HEAD_MASKED) > 0;
    if (c->untied && f->name == NULL &&
        decodes) { /* transformers 5 ties the two biases only together with the matrices */
        const ig_bert_param *bias = ig_bert_param_find(m, "cls.predictions.bias");
        t->bias = (int)(bias - params);
        t->tensor[t->n++] = (ig_tensor_out){.name = tied_bias, .rows = bias->rows};
    }
    return roformer ? add_roformer_positions(t, c, err) : IG_ERR_OK;
}

/* Values of tensors that are the model's, in its order, or of the copy after them. */
static void tensor_values(const void *from, int i, float *out)
{
    const tensor_list *t = from;
    const bool copy = i >= ig_bert_n_param(t->model);
    ig_bert_get_values(t->model, &ig_bert_params(t->model)[copy ? t->bias : i], out);
}

ig_code ig_bert_save(const ig_bert *m, const char *dir, const void *extra, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    tensor_list t = {.model = m};
    const ig_tensor_source source = {tensor_values, &t};
    IG_OWNED char *path = NULL;
    ig_code code = list_tensors(&t, m, err);
    IG_THEN(code, ig_bert_config_write(ig_bert_get_config(m), dir, extra, err));
    IG_THEN(code, ig_path_join(&path, dir, "model.safetensors", err));
    IG_THEN(code, ig_safetensors_write(path, t.tensor, t.n, &source, NULL, err));
    IG_FREE(t.tensor, t.name, t.fixed);
    return code;
}
