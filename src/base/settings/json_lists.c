/* SPDX-License-Identifier: Apache-2.0
 *
 * See json_lists.h. Only what leads to a list is written here; jansson writes the rest, and what
 * it writes is moved to the right: line ends within a text are escaped, so every one is layout.
 */
#include "base/settings/json_lists.h"

#include "base/settings/json_text.h"

#include <string.h>

enum { INDENT = 2 };

typedef struct {
    const ig_json_list *list;
    int n_list, depth;
    size_t flags;
    json_dump_callback_t put;
    void *to;
} dumping;

static bool put(const dumping *d, const char *text)
{
    return d->put(text, strlen(text), d->to) == 0;
}

static bool put_margin(const dumping *d)
{
    static const char blanks[] = "                ";
    int n = INDENT * d->depth;
    for (int some; n > 0; n -= some) {
        some = n < (int)sizeof blanks - 1 ? n : (int)sizeof blanks - 1;
        if (d->put(blanks, (size_t)some, d->to) != 0)
            return false;
    }
    return true;
}

static bool put_line(const dumping *d)
{
    return put(d, "\n") && put_margin(d);
}

/* Of jansson: the same with a margin. */
static int put_moved(const char *text, size_t n, void *arg)
{
    const dumping *d = arg;
    const char *end;
    while ((end = memchr(text, '\n', n)) != NULL) {
        const size_t line = (size_t)(end - text) + 1;
        if (d->put(text, line, d->to) != 0 || !put_margin(d))
            return -1;
        text += line;
        n -= line;
    }
    return n > 0 ? d->put(text, n, d->to) : 0;
}

static bool put_whole(dumping *d, const json_t *j)
{
    return json_dump_callback(j, put_moved, d, d->flags | JSON_ENCODE_ANY) == 0;
}

static const ig_json_list *list_at(const dumping *d, const json_t *j)
{
    for (int i = 0; i < d->n_list; i++)
        if (d->list[i].at == j)
            return &d->list[i];
    return NULL;
}

static bool leads_to_list(const dumping *d, const json_t *j)
{
    const char *key;
    json_t *of;
    size_t i;
    if (list_at(d, j) != NULL)
        return true;
    json_object_foreach((json_t *)(uintptr_t)j, key, of) if (leads_to_list(d, of)) return true;
    json_array_foreach(j, i, of) if (leads_to_list(d, of)) return true;
    return false;
}

static bool put_value(dumping *d, const json_t *j);

static bool put_list(dumping *d, const ig_json_list *l)
{
    if (l->n == 0)
        return put(d, "[]");
    bool ok = put(d, "[");
    d->depth++;
    for (int64_t i = 0; i < l->n && ok; i++) {
        json_t *of = l->make(l->of, i);
        ok = of != NULL && put(d, i > 0 ? "," : "") && put_line(d) && put_whole(d, of);
        json_decref(of);
    }
    d->depth--;
    return ok && put_line(d) && put(d, "]");
}

static bool put_members(dumping *d, const json_t *j)
{
    const bool object = json_is_object(j);
    const char *key;
    json_t *of;
    size_t i;
    bool ok = put(d, object ? "{" : "["), first = true;
    d->depth++;
    json_object_foreach((json_t *)(uintptr_t)j, key, of)
    {
        json_t *name = json_string(key);
        ok = ok && name != NULL && put(d, first ? "" : ",") && put_line(d) && put_whole(d, name) &&
             put(d, ": ") && put_value(d, of);
        json_decref(name);
        first = false;
    }
    json_array_foreach(j, i, of)
    {
        ok = ok && put(d, first ? "" : ",") && put_line(d) && put_value(d, of);
        first = false;
    }
    d->depth--;
    return ok && put_line(d) && put(d, object ? "}" : "]");
}

static bool put_value(dumping *d, const json_t *j)
{
    const ig_json_list *l = list_at(d, j);
    return l != NULL ? put_list(d, l) : leads_to_list(d, j) ? put_members(d, j) : put_whole(d, j);
}

bool ig_json_dump(const json_t *j, const ig_json_list *list, int n_list, size_t flags,
                  json_dump_callback_t to_put, void *to)
{
    dumping d = {.list = list,
                 .n_list = n_list,
                 .flags = flags | JSON_INDENT(INDENT),
                 .put = to_put,
                 .to = to};
    return j != NULL && !ig_json_lost() && put_value(&d, j) && !ig_json_lost();
}
