/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration files: one mapping of keys to values, in YAML 1.1 or JSON (which is read as YAML).
 * libyaml's events are walked with their line marks, so that every message names a line and a key
 * written twice is seen; nothing is ever loaded into a document. Anchors, tags and further
 * documents are refused: one file says one thing.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/options_internal.h"

#include <string.h>
#include <yaml.h>

enum { largest_file = 1 << 20 };

typedef struct {
    yaml_parser_t parser;
    const char *path;
    const char *text;
    int64_t size;
    yaml_event_t event;
    bool have_event;
    ig_option_source at; /* line of the last event */
} reader;

static uint64_t line_of_offset(const reader *r, size_t offset)
{
    uint64_t line = 1;
    for (size_t i = 0; i < offset && i < (size_t)r->size; i++)
        line += r->text[i] == '\n';
    return line;
}

/* Moves to the next event, which stays owned by the reader. */
static ig_code next(reader *r, ig_err *err)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    r->have_event = false;
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        const char *problem = r->parser.problem != NULL ? r->parser.problem : "cannot be read";
        if (r->parser.error == YAML_MEMORY_ERROR)
            return ig_fail(err, IG_ERR_MEMORY, r->path, 0, "not enough memory to read the file");
        if (r->parser.error == YAML_READER_ERROR)
            return ig_fail(err, IG_ERR_USAGE, r->path, line_of_offset(r, r->parser.problem_offset),
                           "found bytes that are not UTF-8 text (%s)", problem);
        return ig_fail(err, IG_ERR_USAGE, r->path, (uint64_t)r->parser.problem_mark.line + 1,
                       "not valid YAML: %s (column %zu)", problem,
                       r->parser.problem_mark.column + 1);
    }
    r->have_event = true;
    r->at.line = (uint64_t)r->event.start_mark.line + 1;
    return IG_ERR_OK;
}

/* A plain or quoted scalar without anchor or tag; its text. */
static ig_code scalar(reader *r, const char **text, bool *plain, ig_err *err)
{
    const char *found = NULL;
    *text = "";
    *plain = false;
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        if (r->event.data.scalar.anchor != NULL || r->event.data.scalar.tag != NULL)
            found = "an anchor or a tag";
        else if (strlen((const char *)r->event.data.scalar.value) != r->event.data.scalar.length)
            found = "a zero byte";
        break;
    case YAML_ALIAS_EVENT:
        found = "an alias";
        break;
    case YAML_MAPPING_START_EVENT:
        found = "a mapping";
        break;
    case YAML_SEQUENCE_START_EVENT:
        found = "a list";
        break;
    default:
        found = "no value";
    }
    if (found != NULL)
        return ig_fail(err, IG_ERR_USAGE, r->path, r->at.line, "found %s, expected one value",
                       found);
    *text = (const char *)r->event.data.scalar.value;
    *plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return IG_ERR_OK;
}

static bool is_null(const char *text, bool plain)
{
    return plain && (strcmp(text, "null") == 0 || strcmp(text, "~") == 0 || text[0] == '\0');
}

static ig_code read_list(reader *r, const ig_option *o, void *field, ig_err *err)
{
    const char *text;
    bool plain;
    ((ig_int_list *)field)->n = 0;
    for (;;) {
        int64_t v;
        IG_TRY(next(r, err));
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return IG_ERR_OK;
        IG_TRY(scalar(r, &text, &plain, err));
        if (!plain || !ig_option_parse_int(text, &v)) {
            char found[112];
            snprintf(found, sizeof found, "'%.96s'", text);
            return ig_option_wrong(o, &r->at, found, err);
        }
        IG_TRY(ig_option_append(o, field, v, &r->at, err));
    }
}

static ig_code read_value(reader *r, const ig_option *o, void *field, ig_err *err)
{
    const char *text;
    bool plain;
    bool textual = o->kind == IG_OPT_STRING || o->kind == IG_OPT_PATH;
    if (o->kind == IG_OPT_INTS && r->event.type == YAML_SEQUENCE_START_EVENT)
        return read_list(r, o, field, err);
    if (r->event.type == YAML_MAPPING_START_EVENT)
        return ig_option_wrong(o, &r->at, "a mapping", err);
    if (r->event.type == YAML_SEQUENCE_START_EVENT)
        return ig_option_wrong(o, &r->at, "a list", err);
    IG_TRY(scalar(r, &text, &plain, err));
    if (is_null(text, plain)) {
        if (!textual)
            return ig_option_wrong(o, &r->at, "null", err);
        ig_option_clear(o, field);
        return IG_ERR_OK;
    }
    /* A quoted number is a text: "256" where 256 is wanted is a mistake that is told. */
    if (!plain && !textual && o->kind != IG_OPT_ENUM) {
        char found[128];
        snprintf(found, sizeof found, "the text \"%.96s\"", text);
        return ig_option_wrong(o, &r->at, found, err);
    }
    if (strcmp(o->name, "config") == 0)
        return ig_option_wrong(o, &r->at, "a further configuration file", err);
    return ig_option_put(o, field, text, &r->at, err);
}

/* Key and value pairs up to the end of the mapping. first_line[n]: where each key was, 0 for
 * nowhere. */
static ig_code read_mapping(reader *r, const ig_option *o, int n, void *config, bool *seen,
                            uint64_t *first_line, ig_err *err)
{
    for (;;) {
        const char *key;
        bool plain;
        IG_TRY(next(r, err));
        if (r->event.type == YAML_MAPPING_END_EVENT)
            return IG_ERR_OK;
        IG_TRY(scalar(r, &key, &plain, err));
        int i = ig_option_find(o, n, key);
        if (i < 0)
            return ig_option_unknown(o, n, key, &r->at, err);
        if (first_line[i] != 0)
            return ig_option_twice(&o[i], &r->at, first_line[i], err);
        first_line[i] = r->at.line;
        IG_TRY(next(r, err));
        if (seen != NULL && seen[i]) {
            ig_option_value unused = {0};
            ig_code code = read_value(r, &o[i], &unused, err);
            ig_option_clear(&o[i], &unused);
            IG_TRY(code);
        } else {
            IG_TRY(read_value(r, &o[i], ig_option_field(&o[i], config), err));
        }
    }
}

static ig_code read_document(reader *r, const ig_option *o, int n, void *config, bool *seen,
                             uint64_t *first_line, ig_err *err)
{
    IG_TRY(next(r, err)); /* start of the stream */
    IG_TRY(next(r, err));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return IG_ERR_OK; /* nothing but comments */
    IG_TRY(next(r, err));
    if (r->event.type != YAML_MAPPING_START_EVENT || r->event.data.mapping_start.anchor != NULL ||
        r->event.data.mapping_start.tag != NULL)
        return ig_fail(err, IG_ERR_USAGE, r->path, r->at.line,
                       "found something else, expected lines of 'key: value'");
    IG_TRY(read_mapping(r, o, n, config, seen, first_line, err));
    IG_TRY(next(r, err)); /* end of the document */
    IG_TRY(next(r, err));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return ig_fail(err, IG_ERR_USAGE, r->path, r->at.line,
                       "found a second document, expected one");
    return IG_ERR_OK;
}

ig_code ig_options_file(const ig_option *o, int n, void *config, const char *path, bool *seen,
                        ig_err *err)
{
    reader r = {.path = path, .at = {path, 0, NULL}};
    char *text = NULL, *dir = NULL;
    uint64_t *first_line = NULL;
    const char *slash = strrchr(path, '/');
    bool have_parser = false;
    ig_code code = ig_file_read(&text, &r.size, path, largest_file, err);
    if (code != IG_ERR_OK)
        goto done;
    r.text = text;
    /* libyaml takes a byte order mark for a column, and the second key for one of another mapping.
     */
    if (r.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        r.text += 3;
        r.size -= 3;
    }
    code = ig_alloc(&first_line, n, sizeof *first_line, path, err);
    if (code != IG_ERR_OK)
        goto done;
    if (slash != NULL) {
        int64_t n_dir = slash == path ? 1 : (int64_t)(slash - path);
        code = ig_alloc(&dir, n_dir + 1, 1, path, err);
        if (code != IG_ERR_OK)
            goto done;
        memcpy(dir, path, (size_t)n_dir);
        r.at.dir = dir;
    }
    if (!yaml_parser_initialize(&r.parser)) {
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory to read the file");
        goto done;
    }
    have_parser = true;
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, (size_t)r.size);
    code = read_document(&r, o, n, config, seen, first_line, err);
    for (int i = 0; code == IG_ERR_OK && seen != NULL && i < n; i++)
        seen[i] = seen[i] || first_line[i] != 0;
done:
    if (r.have_event)
        yaml_event_delete(&r.event);
    if (have_parser)
        yaml_parser_delete(&r.parser);
    ig_free(first_line);
    ig_free(dir);
    ig_free(text);
    return code;
}
