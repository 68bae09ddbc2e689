/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the values of a run as an event file of TensorBoard: TFRecords with masked CRC-32C around
 * hand-encoded protocol buffers.
 */
#include "report/share/events.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "report/table/spec.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, MESSAGE = 32768, VALUE = 600 };

uint32_t ig_crc32c(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0); /* Castagnoli, reflected */
    }
    return ~crc;
}

/* --- a message -------------------------------------------------------------------------------- */

typedef struct {
    unsigned char byte[MESSAGE];
    size_t n;
} message;

static void put_varint(message *m, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        m->byte[m->n++] = (unsigned char)(x | 0x80);
    m->byte[m->n++] = (unsigned char)x;
}

/* An integer, least byte first. */
static void put_fixed(message *m, uint64_t x, int size)
{
    for (int i = 0; i < size; i++)
        m->byte[m->n++] = (unsigned char)(x >> 8 * i);
}

enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };
static void put_key(message *m, unsigned field, unsigned type)
{
    put_varint(m, field << 3 | type);
}

static void put_bytes(message *m, unsigned field, const void *data, size_t n)
{
    put_key(m, field, BYTES);
    put_varint(m, n);
    memcpy(m->byte + m->n, data, n);
    m->n += n;
}

/* Begins an event with the fields that every event has. */
static void begin(message *m, double wall_time, int64_t step)
{
    uint64_t bits;
    memcpy(&bits, &wall_time, sizeof bits);
    m->n = 0;
    put_key(m, 1, FIXED64);
    put_fixed(m, bits, 8);
    put_key(m, 2, VARINT);
    put_varint(m, (uint64_t)step);
}

static void make_scalar(message *m, double wall_time, int64_t step, const char *tag, double value)
{
    message v, summary;
    v.n = summary.n = 0;
    const float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bytes(&v, 1, tag, strlen(tag));
    put_key(&v, 2, FIXED32);
    put_fixed(&v, bits, 4);
    put_bytes(&summary, 1, v.byte, v.n);
    begin(m, wall_time, step);
    put_bytes(m, 5, summary.byte, summary.n);
}

/* --- hyperparameters -------------------------------------------------------------------------- */

/* A google.protobuf.Value: number 2, string 3, bool 4. */
static void put_value(message *m, unsigned field, const json_t *x)
{
    message v;
    v.n = 0;
    if (json_is_number(x)) {
        const double number = json_number_value(x);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        put_key(&v, 2, FIXED64);
        put_fixed(&v, bits, 8);
    } else if (json_is_boolean(x)) {
        put_key(&v, 4, VARINT);
        put_varint(&v, json_is_true(x));
    } else {
        char *other = json_is_string(x) ? NULL : ig_json_text(x, JSON_COMPACT | JSON_ENCODE_ANY);
        const char *text = other != NULL ? other : json_is_string(x) ? json_string_value(x) : "";
        put_bytes(&v, 3, text, strnlen(text, VALUE));
        free(other);
    }
    put_bytes(m, field, v.byte, v.n);
}

/* The settings as TensorBoard's hparams plugin has them: SessionStartInfo.hparams 1 in
 * HParamsPluginData.session_start_info 3, in Summary.Value.metadata 9. Null ones are left out. */
static void make_settings(message *m, double wall_time, const json_t *settings)
{
    static const char plugin[] = "hparams", tag[] = "_hparams_/session_start_info";
    message inner, outer;
    const char *key;
    json_t *x;
    inner.n = 0;
    json_object_foreach((json_t *)(uintptr_t)settings, key, x)
    {
        if (json_is_null(x) || strlen(key) > VALUE || inner.n + 4L * VALUE > MESSAGE)
            continue;
        outer.n = 0;
        put_bytes(&outer, 1, key, strlen(key));
        put_value(&outer, 2, x);
        put_bytes(&inner, 1, outer.byte, outer.n);
    }
    outer.n = 0; /* HParamsPluginData */
    put_bytes(&outer, 3, inner.byte, inner.n);
    inner.n = 0; /* PluginData: name 1, content 2 */
    put_bytes(&inner, 1, plugin, sizeof plugin - 1);
    put_bytes(&inner, 2, outer.byte, outer.n);
    outer.n = 0; /* SummaryMetadata.plugin_data 1 */
    put_bytes(&outer, 1, inner.byte, inner.n);
    inner.n = 0; /* Summary.Value */
    put_bytes(&inner, 1, tag, sizeof tag - 1);
    put_bytes(&inner, 9, outer.byte, outer.n);
    outer.n = 0; /* Summary */
    put_bytes(&outer, 1, inner.byte, inner.n);
    begin(m, wall_time, 0);
    put_bytes(m, 5, outer.byte, outer.n);
}

/* --- a record --------------------------------------------------------------------------------- */

static uint32_t masked(const void *data, size_t n)
{
    const uint32_t crc = ig_crc32c(data, n);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static ig_code put_record(ig_out *out, const message *m, ig_err *err)
{
    message head, foot;
    head.n = foot.n = 0;
    put_fixed(&head, m->n, 8);
    put_fixed(&head, masked(head.byte, 8), 4);
    put_fixed(&foot, masked(m->byte, m->n), 4);
    IG_TRY(ig_out_write(out, head.byte, (int64_t)head.n, err));
    IG_TRY(ig_out_write(out, m->byte, (int64_t)m->n, err));
    return ig_out_write(out, foot.byte, (int64_t)foot.n, err);
}

/* --- a file ----------------------------------------------------------------------------------- */

static int by_step(const void *x, const void *y)
{
    const ig_row *a = *(const ig_row *const *)x, *b = *(const ig_row *const *)y;
    return a->step != b->step ? (a->step > b->step) - (a->step < b->step) : (a > b) - (a < b);
}

static ig_code put_events(ig_out *out, const ig_row *const *row, int64_t n, const ig_store_run *run,
                          ig_err *err)
{
    const double wall_time = (double)run->finished;
    static const char version[] = "brain.Event:2";
    message m;
    begin(&m, wall_time, 0);
    put_bytes(&m, 3, version, sizeof version - 1);
    IG_TRY(put_record(out, &m, err));
    json_t *settings = run->config != NULL ? json_loads(run->config, 0, NULL) : NULL;
    ig_code code = IG_ERR_OK;
    if (json_is_object(settings)) {
        make_settings(&m, wall_time, settings);
        code = put_record(out, &m, err);
    }
    json_decref(settings);
    IG_TRY(code);
    for (int64_t i = 0; i < n; i++) {
        char tag[NAME];
        const ig_quantity q = ig_quantity_of(row[i]);
        ig_quantity_format(tag, sizeof tag, &q);
        make_scalar(&m, wall_time, row[i]->step, tag, row[i]->value);
        IG_TRY(put_record(out, &m, err));
    }
    return IG_ERR_OK;
}

/* Makes DIR/name; a name of a store may be anything. */
static ig_code enter(char path[PATH_MAX], const char *name, ig_err *err)
{
    const size_t n = strlen(path);
    if (n + strlen(name) + 2 > PATH_MAX)
        return ig_fail(err, IG_ERR_IO, path, 0, "the name of a folder is too long");
    snprintf(path + n, PATH_MAX - n, "/%s", name);
    for (char *p = path + n + 1; *p != '\0'; p++)
        *p = *p == '/' || (*p == '.' && p == path + n + 1) ? '_' : *p;
    return ig_dir_make(path, err);
}

ig_code ig_result_events_put(const char *dir, const ig_store_entry *e, const ig_row *row, int64_t n,
                             ig_err *err)
{
    const ig_store_cell *c = &e->cell;
    char path[PATH_MAX], name[64], seed[40];
    IG_OWNED const ig_row **order = NULL;
    ig_out out = {0};
    snprintf(path, sizeof path, "%s", dir);
    snprintf(seed, sizeof seed, "seed-%lld", (long long)c->seed);
    snprintf(name, sizeof name, "events.out.tfevents.%010lld.isoglot", (long long)e->run.finished);
    IG_TRY(ig_dir_make(path, err));
    IG_TRY(enter(path, c->experiment, err));
    IG_TRY(enter(path, c->cell, err));
    IG_TRY(enter(path, seed, err));
    IG_TRY(ig_alloc(&order, n, sizeof *order, "events", err));
    for (int64_t i = 0; i < n; i++)
        order[i] = &row[i];
    if (n > 0)
        qsort(order, (size_t)n, sizeof *order, by_step);
    ig_code code = ig_out_new_in(&out, path, name, err);
    IG_THEN(code, ig_out_close(&out, put_events(&out, order, n, &e->run, err), err));
    return code;
}
