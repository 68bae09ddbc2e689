/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads values of config.json, and those that several families have alike: rotary positions and the
 * kinds of attention of the layers.
 */
#include "model/family/config_json.h"

#include <string.h>

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

ig_code ig_json_need_int(const json_t *j, const char *key, int32_t *out, const char *where,
                         ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    return v == NULL ? ig_fail(err, IG_ERR_INPUT, where, 0, "no key \"%s\"", key)
                     : int_of(v, key, out, where, err);
}

ig_code ig_json_int(const json_t *j, const char *key, int32_t usual, int32_t *out,
                    const char *where, ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = usual;
    return v == NULL || json_is_null(v) ? IG_ERR_OK : int_of(v, key, out, where, err);
}

ig_code ig_json_float(const json_t *j, const char *key, float usual, float *out, const char *where,
                      ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = usual;
    if (v == NULL)
        return IG_ERR_OK;
    if (!json_is_number(v))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is not a number", key);
    *out = (float)json_number_value(v);
    return IG_ERR_OK;
}

ig_code ig_json_string(const json_t *j, const char *key, const char **out, const char *where,
                       ig_err *err)
{
    const json_t *v = json_object_get(j, key);
    *out = json_string_value(v);
    if (v == NULL || *out != NULL)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, where, 0, "\"%s\" is not a string", key);
}

bool ig_json_flag(const json_t *j, const char *key, bool usual)
{
    const json_t *v = json_object_get(j, key);
    return json_is_boolean(v) ? json_is_true(v) : usual;
}

static bool above(const json_t *v, double least)
{
    return json_is_number(v) && json_number_value(v) > least;
}

/* rope_type and what belongs to it. */
static ig_code read_scaling(ig_rope_scaling *out, const ig_bert_config *c, const json_t *j,
                            const char *name, const char *where, ig_err *err)
{
    const char *type = json_string_value(json_object_get(j, "rope_type"));
    type = type == NULL ? json_string_value(json_object_get(j, "type")) : type;
    if (type == NULL || strcmp(type, "default") == 0)
        return IG_ERR_OK;
    const bool llama = strcmp(type, "llama3") == 0;
    if (!llama && strcmp(type, "linear") != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"%s\" has rope_type \"%.40s\", expected \"default\", \"linear\" or "
                       "\"llama3\"; other rotary positions are not computed here",
                       name, type);
    const json_t *factor = json_object_get(j, "factor"),
                 *low = json_object_get(j, "low_freq_factor"),
                 *high = json_object_get(j, "high_freq_factor");
    const char *key = !above(factor, 0)                               ? "factor"
                      : llama && !above(low, 0)                       ? "low_freq_factor"
                      : llama && !above(high, json_number_value(low)) ? "high_freq_factor"
                                                                      : NULL;
    if (key != NULL)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"%s\" has rope_type \"%s\", but no \"%s\" above %s", name, type, key,
                       strcmp(key, "high_freq_factor") == 0 ? "low_freq_factor" : "0");
    *out = (ig_rope_scaling){.factor = json_number_value(factor)};
    if (!llama)
        return IG_ERR_OK;
    out->low = json_number_value(low);
    out->high = json_number_value(high);
    return ig_json_int(j, "original_max_position_embeddings", c->max_position_embeddings,
                       &out->trained_on, where, err);
}

/* The rotary positions of all layers (0) or of local ones (1). */
static ig_code read_rope(ig_bert_config *c, int local, const json_t *j, const char *name,
                         const char *where, ig_err *err)
{
    const json_t *base = json_object_get(j, "rope_theta"),
                 *part = json_object_get(j, "partial_rotary_factor");
    if (json_is_number(part) && json_number_value(part) < 1)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"%s\" has partial_rotary_factor %g, expected 1", name,
                       json_number_value(part));
    if (base != NULL && (!json_is_number(base) || !(json_number_value(base) >= 1)))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"%s\" has a rope_theta that is not a number from 1 on", name);
    c->rope_theta[local] = base != NULL ? json_number_value(base) : c->rope_theta[local];
    return read_scaling(&c->rope_scaling[local], c, j, name, where, err);
}

ig_code ig_json_rope(ig_bert_config *c, const json_t *j, const double usual[2], const char *where,
                     ig_err *err)
{
    static const char name[] = "rope_parameters";
    const json_t *all = json_object_get(j, name), *full = json_object_get(all, "full_attention"),
                 *local = json_object_get(all, "sliding_attention"),
                 *old = json_object_get(j, "rope_scaling");
    c->rope_theta[0] = usual[0];
    c->rope_theta[1] = usual[1];
    IG_TRY(read_rope(c, 0, j, "config", where, err));
    if (json_is_object(old))
        IG_TRY(read_rope(c, 0, old, "rope_scaling", where, err));
    if (!json_is_object(all))
        return IG_ERR_OK;
    if (full == NULL && local == NULL)
        return read_rope(c, 0, all, name, where, err);
    if (json_is_object(full))
        IG_TRY(read_rope(c, 0, full, name, where, err));
    return json_is_object(local) ? read_rope(c, 1, local, name, where, err) : IG_ERR_OK;
}

ig_code ig_json_layer_types(ig_bert_config *c, const json_t *j, int n, int first, const char *where,
                            ig_err *err)
{
    const json_t *types = json_object_get(j, "layer_types");
    const int n_layer = c->num_hidden_layers;
    if (n_layer < 1 || n_layer > IG_BERT_MAX_LAYER)
        return IG_ERR_OK; /* is refused for that */
    if (json_is_array(types) && (int)json_array_size(types) != n_layer)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"layer_types\" has %d, expected %d",
                       (int)json_array_size(types), n_layer);
    for (int l = 0; l < n_layer; l++) {
        bool local = n > 0 && l % n != first;
        const char *type = json_string_value(json_array_get(types, (size_t)l));
        if (json_is_array(types)) {
            local = type != NULL && strcmp(type, "sliding_attention") == 0;
            if (!local && (type == NULL || strcmp(type, "full_attention") != 0))
                return ig_fail(err, IG_ERR_INPUT, where, 0,
                               "\"layer_types\" has \"%.40s\", expected \"full_attention\" or "
                               "\"sliding_attention\"",
                               type == NULL ? "no text" : type);
        }
        c->local[l / 64] |= (uint64_t)local << l % 64;
    }
    return IG_ERR_OK;
}
