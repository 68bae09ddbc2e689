/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes the settings of a head in config.json. One table lists the settings, for reading
 * and for writing.
 */
#include "model/checkpoint_head.h"

#include "base/number_text.h"

#include <stddef.h>
#include <string.h>

typedef enum { READS, WHOLE, REAL, SWITCH } setting_kind;

static const struct {
    const char *name;
    setting_kind kind;
    size_t at;
} settings[] = {
#define SETTING(kind, member)                                                                      \
    {                                                                                              \
#member, kind, offsetof(ig_head_config, member)                                            \
    }
    SETTING(READS, reads),          SETTING(WHOLE, layer),         SETTING(SWITCH, frozen),
    SETTING(REAL, dropout),         SETTING(REAL, inner_dropout),  SETTING(SWITCH, variational),
    SETTING(WHOLE, lstm_layers),    SETTING(WHOLE, lstm_size),     SETTING(SWITCH, ends),
    SETTING(SWITCH, sum),           SETTING(WHOLE, arc_size),      SETTING(WHOLE, label_size),
    SETTING(SWITCH, linear_labels), SETTING(SWITCH, joint_labels), SETTING(SWITCH, free_root),
#undef SETTING
};
enum { N_SETTING = sizeof settings / sizeof *settings };

static const char *const reads_names[IG_N_READ] = {"last", "layer", "mix"};

json_t *ig_json_real(float x)
{
    return json_real(ig_number_of_float(x));
}

/* NULL: it is 0. */
static json_t *value_of(const char *at, setting_kind kind)
{
    int32_t whole;
    float number;
    bool on;
    switch (kind) {
    case READS:
        memcpy(&whole, at, sizeof whole);
        return whole == 0 ? NULL : json_string(reads_names[whole]);
    case WHOLE:
        memcpy(&whole, at, sizeof whole);
        return whole == 0 ? NULL : json_integer(whole);
    case REAL:
        memcpy(&number, at, sizeof number);
        return number == 0 ? NULL : ig_json_real(number);
    case SWITCH:
        memcpy(&on, at, sizeof on);
        return on ? json_true() : NULL;
    }
    return NULL;
}

json_t *ig_head_settings_write(const ig_head_config *h, bool *bad)
{
    json_t *j = json_object();
    *bad = j == NULL;
    for (int i = 0; i < N_SETTING; i++) {
        json_t *v = value_of((const char *)h + settings[i].at, settings[i].kind);
        if (v != NULL)
            *bad |= json_object_set_new(j, settings[i].name, v) != 0;
    }
    if (json_object_size(j) > 0)
        return j;
    json_decref(j);
    return NULL;
}

static bool read_value(char *at, setting_kind kind, const json_t *v)
{
    int32_t whole = 0;
    float number;
    bool on;
    switch (kind) {
    case READS:
        while (whole < IG_N_READ &&
               (!json_is_string(v) || strcmp(json_string_value(v), reads_names[whole]) != 0))
            whole++;
        memcpy(at, &whole, sizeof whole);
        return whole < IG_N_READ;
    case WHOLE:
        whole = (int32_t)json_integer_value(v);
        memcpy(at, &whole, sizeof whole);
        return json_is_integer(v) && json_integer_value(v) == whole;
    case REAL:
        number = (float)json_number_value(v);
        memcpy(at, &number, sizeof number);
        return json_is_number(v);
    case SWITCH:
        on = json_is_true(v);
        memcpy(at, &on, sizeof on);
        return json_is_boolean(v);
    }
    return false;
}

ig_code ig_head_settings_read(ig_head_config *h, const json_t *j, const char *where, ig_err *err)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)j, key, v)
    {
        int i = 0;
        while (i < N_SETTING && strcmp(settings[i].name, key) != 0)
            i++;
        if (i == N_SETTING)
            return ig_fail(err, IG_ERR_INPUT, where, 0, "isoglot.model.head has no \"%.40s\"", key);
        if (!read_value((char *)h + settings[i].at, settings[i].kind, v))
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "isoglot.model.head: \"%s\" has a value of another kind than expected",
                           key);
    }
    return IG_ERR_OK;
}
