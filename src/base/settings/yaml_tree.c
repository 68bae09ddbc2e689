/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a tree with line marks from libyaml's events. Nodes and texts are in a pool, so a tree of
 * thousands of nodes is freed at once and trees can share parts.
 */
#include "base/settings/yaml_tree.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/strings/encoding.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

ig_code ig_yaml_pool_new(ig_yaml_pool **pool, ig_err *err)
{
    return ig_alloc(pool, 1, sizeof **pool, "YAML", err);
}

void ig_yaml_pool_free(ig_yaml_pool *pool)
{
    if (pool != NULL)
        ig_pool_free(pool);
    ig_free(pool);
}

typedef struct {
    yaml_parser_t parser;
    const char *path;
    const char *text;
    int64_t size;
    yaml_event_t event;
    bool have_event;
    uint64_t line; /* of the last event */
    int n_node;
    ig_yaml_pool *pool;
    const char *file; /* the pool's copy of the path */
} reader;

static uint64_t line_of_offset(const reader *r, size_t offset)
{
    uint64_t line = 1;
    for (size_t i = 0; i < offset && i < (size_t)r->size; i++)
        line += r->text[i] == '\n';
    return line;
}

/* Returns whether the line begins with a tab, which YAML does not accept as indentation. */
static bool tab_in_line(const reader *r, size_t line)
{
    const char *p = r->text, *end = p + r->size;
    for (; line > 0 && p < end; p++)
        line -= *p == '\n';
    while (p < end && *p == ' ')
        p++;
    return p < end && *p == '\t';
}

/* Moves to the next event, which the reader owns. */
static ig_code next(reader *r, ig_err *err)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    r->have_event = false;
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        const char *problem = r->parser.problem != NULL ? r->parser.problem : "cannot be read";
        if (r->parser.error == YAML_MEMORY_ERROR)
            return ig_fail(err, IG_ERR_MEMORY, r->path, 0, "not enough memory to read the file");
        if (r->parser.error == YAML_READER_ERROR) {
            ig_fail(err, IG_ERR_USAGE, r->path, line_of_offset(r, r->parser.problem_offset),
                    "found bytes that are not UTF-8 text (%s)", problem);
            ig_hint_encoding(err);
            return IG_ERR_USAGE;
        }
        ig_fail(err, IG_ERR_USAGE, r->path, (uint64_t)r->parser.problem_mark.line + 1,
                "not valid YAML: %s (column %zu)", problem, r->parser.problem_mark.column + 1);
        if (tab_in_line(r, r->parser.problem_mark.line))
            ig_hint(err, "the line begins with a tab; YAML is indented with spaces");
        return IG_ERR_USAGE;
    }
    r->have_event = true;
    r->line = (uint64_t)r->event.start_mark.line + 1;
    return IG_ERR_OK;
}

static ig_code refuse(const reader *r, const char *found, const char *expected, ig_err *err)
{
    return ig_fail(err, IG_ERR_USAGE, r->path, r->line, "found %s, expected %s", found, expected);
}

static ig_code new_node(ig_yaml **out, reader *r, ig_yaml_kind kind, ig_err *err)
{
    if (++r->n_node > IG_YAML_MAX_NODE)
        return ig_fail(err, IG_ERR_USAGE, r->path, r->line,
                       "more than %d values, expected a file of settings", IG_YAML_MAX_NODE);
    IG_TRY(ig_pool_alloc(r->pool, out, 1, sizeof **out, err));
    **out = (ig_yaml){.kind = kind, .file = r->file, .line = r->line, .text = ""};
    return IG_ERR_OK;
}

static ig_code read_scalar(ig_yaml **out, reader *r, ig_err *err)
{
    const char *value = (const char *)r->event.data.scalar.value;
    size_t length = r->event.data.scalar.length;
    if (r->event.data.scalar.anchor != NULL || r->event.data.scalar.tag != NULL)
        return refuse(r, "an anchor or a tag", "one value", err);
    if (strlen(value) != length)
        return refuse(r, "a zero byte", "one value", err);
    IG_TRY(new_node(out, r, IG_YAML_SCALAR, err));
    IG_TRY(ig_pool_text(r->pool, &(*out)->text, value, length, err));
    (*out)->plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return IG_ERR_OK;
}

typedef struct {
    ig_yaml **v;
    int64_t room;
    int n;
} nodes;

static ig_code push(nodes *list, ig_yaml *v, ig_err *err)
{
    IG_TRY(ig_grow(&list->v, &list->room, list->n + 1, sizeof *list->v, "YAML", err));
    list->v[list->n++] = v;
    return IG_ERR_OK;
}

/* Orders keys with every '_' as '-': those that ig_yaml_same_key treats as equal are neighbours. */
static int by_key(const void *a, const void *b)
{
    const ig_yaml *const *x = a, *const *y = b;
    const char *s = (*x)->text, *t = (*y)->text;
    while (*s != '\0' && (*s == *t || (*s == '_' && *t == '-') || (*s == '-' && *t == '_')))
        s++, t++;
    int c = *s == '_' ? '-' : (unsigned char)*s, d = *t == '_' ? '-' : (unsigned char)*t;
    return c != d ? c - d : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* `keys` is sorted by this function. */
static ig_code check_twice(const reader *r, nodes *keys, ig_err *err)
{
    if (keys->n > 1)
        qsort(keys->v, (size_t)keys->n, sizeof *keys->v, by_key);
    for (int i = 1; i < keys->n; i++)
        if (ig_yaml_same_key(keys->v[i - 1]->text, keys->v[i]->text))
            return ig_fail(err, IG_ERR_USAGE, r->path, keys->v[i]->line,
                           "%.100s: found twice, expected once (first in line %llu)",
                           keys->v[i]->text, (unsigned long long)keys->v[i - 1]->line);
    return IG_ERR_OK;
}

static ig_code read_node(ig_yaml **out, reader *r, int depth, ig_err *err);

static ig_code read_items(ig_yaml *parent, reader *r, int depth, nodes *key, nodes *item,
                          ig_err *err)
{
    bool map = parent->kind == IG_YAML_MAP;
    yaml_event_type_t end = map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        ig_yaml *v;
        IG_TRY(next(r, err));
        if (r->event.type == end)
            break;
        if (map) {
            if (r->event.type == YAML_MAPPING_START_EVENT ||
                r->event.type == YAML_SEQUENCE_START_EVENT)
                return refuse(r, r->event.type == YAML_MAPPING_START_EVENT ? "a mapping" : "a list",
                              "a key that is a text", err);
            IG_TRY(read_node(&v, r, depth + 1, err));
            IG_TRY(push(key, v, err));
            IG_TRY(next(r, err));
        }
        IG_TRY(read_node(&v, r, depth + 1, err));
        IG_TRY(push(item, v, err));
    }
    int64_t bytes = item->n * (int64_t)sizeof *item->v;
    parent->n = item->n;
    IG_TRY(ig_pool_alloc(r->pool, &parent->item, bytes, 1, err));
    if (bytes > 0)
        memcpy(parent->item, item->v, (size_t)bytes);
    if (!map)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(r->pool, &parent->key, bytes, 1, err));
    if (bytes > 0)
        memcpy(parent->key, key->v, (size_t)bytes);
    return check_twice(r, key, err);
}

/* Reads the node of the current event. */
static ig_code read_node(ig_yaml **out, reader *r, int depth, ig_err *err)
{
    nodes key = {0}, item = {0};
    bool map = r->event.type == YAML_MAPPING_START_EVENT;
    if (r->event.type == YAML_SCALAR_EVENT)
        return read_scalar(out, r, err);
    if (r->event.type == YAML_ALIAS_EVENT)
        return refuse(r, "an alias", "one value", err);
    const yaml_char_t *anchor =
        map ? r->event.data.mapping_start.anchor : r->event.data.sequence_start.anchor;
    const yaml_char_t *tag =
        map ? r->event.data.mapping_start.tag : r->event.data.sequence_start.tag;
    if (anchor != NULL || tag != NULL)
        return refuse(r, "an anchor or a tag", "one value", err);
    if (depth >= IG_YAML_MAX_DEPTH)
        return ig_fail(err, IG_ERR_USAGE, r->path, r->line,
                       "more than %d levels, expected a file of settings", IG_YAML_MAX_DEPTH);
    IG_TRY(new_node(out, r, map ? IG_YAML_MAP : IG_YAML_LIST, err));
    ig_code code = read_items(*out, r, depth, &key, &item, err);
    IG_FREE(key.v, item.v);
    return code;
}

static ig_code read_document(ig_yaml **root, reader *r, ig_err *err)
{
    IG_TRY(next(r, err)); /* start of the stream */
    IG_TRY(next(r, err));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return IG_ERR_OK; /* only comments */
    IG_TRY(next(r, err));
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return refuse(r,
                      r->event.type == YAML_SEQUENCE_START_EVENT ? "a list"
                      : r->event.type == YAML_SCALAR_EVENT       ? "one value"
                                                                 : "an alias",
                      "lines of 'key: value'", err);
    if (r->event.data.mapping_start.anchor != NULL || r->event.data.mapping_start.tag != NULL)
        return refuse(r, "an anchor or a tag", "lines of 'key: value'", err);
    IG_TRY(read_node(root, r, 0, err));
    IG_TRY(next(r, err)); /* end of the document */
    IG_TRY(next(r, err));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return refuse(r, "a second document", "one", err);
    return IG_ERR_OK;
}

ig_code ig_yaml_parse(ig_yaml **root, ig_yaml_pool *pool, const char *text, int64_t size,
                      const char *where, ig_err *err)
{
    reader r = {.path = where, .pool = pool, .text = text, .size = size};
    *root = NULL;
    IG_TRY(ig_check_text(text, size, where, err));
    /* libyaml counts a byte order mark as a column, and takes the second key for one of another
     * mapping. */
    if (r.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        r.text += 3;
        r.size -= 3;
    }
    IG_TRY(ig_pool_text(pool, &r.file, where, strlen(where), err));
    if (!yaml_parser_initialize(&r.parser))
        return ig_fail(err, IG_ERR_MEMORY, where, 0, "not enough memory to read the file");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, (size_t)r.size);
    ig_code code = read_document(root, &r, err);
    if (r.have_event)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return code;
}

ig_code ig_yaml_read(ig_yaml **root, ig_yaml_pool *pool, const char *path, ig_err *err)
{
    IG_OWNED char *text = NULL;
    int64_t size;
    *root = NULL;
    IG_TRY(ig_file_read(&text, &size, path, IG_YAML_MAX_SIZE, err));
    return ig_yaml_parse(root, pool, text, size, path, err);
}
