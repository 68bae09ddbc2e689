/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of tasks in a temporary folder, and what reading them says.
 */
#pragma once

#include "root_fixture.h"
#include "task/task.h"

static void put(const char *name, const char *text)
{
    write_fast(in_root(name), text, (int64_t)strlen(text));
}

/* Reads a task whose TASK.yaml is this text. */
static ig_code read_yaml(const char *yaml, ig_task **t)
{
    put("TASK.yaml", yaml);
    err = (ig_err){0};
    return ig_task_read(in_root("TASK.yaml"), NULL, t, &err);
}

static ig_task *read_ok(const char *yaml)
{
    ig_task *t;
    assert_ok(read_yaml(yaml, &t), &err);
    return t;
}

/* It fails in this file ("" for TASK.yaml) and line, with a message that has both texts in it. */
__attribute__((unused)) static void fails_at(const char *yaml, const char *file, uint64_t line,
                                             const char *found, const char *expected,
                                             const char *at_file, int at_line)
{
    ig_task *t;
    const ig_code code = read_yaml(yaml, &t);
    const bool in_yaml = file[0] == '\0';
    const char *where = in_root(in_yaml ? "TASK.yaml" : file);
    if (code != (in_yaml ? IG_ERR_USAGE : IG_ERR_INPUT) || strcmp(err.where, where) != 0 ||
        err.line != line || strstr(err.msg, found) == NULL || strstr(err.msg, expected) == NULL ||
        t != NULL) {
        print_error("%s:%d: code %d %s:%llu: %s\n", at_file, at_line, (int)code, err.where,
                    (unsigned long long)err.line, err.msg);
        _fail(at_file, at_line);
    }
}
#define fails(yaml, file, line, found, expected)                                                   \
    fails_at((yaml), (file), (line), (found), (expected), __FILE__, __LINE__)
