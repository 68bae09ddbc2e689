/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files written into a folder of the test's own, and read.
 */
#pragma once

#include "test.h"
#include "fault.h"

#include "base/file.h"
#include "base/memory.h"
#include "experiment/experiment.h"

#include <stdlib.h>
#include <string.h>

static char dir[128];
static ig_err err;

/* NAME in the test's folder; overwritten by the fourth call after it. */
static inline const char *path_of(const char *name)
{
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", dir, name);
    return path[next];
}

static inline void write_file(const char *name, const char *text)
{
    write_fast(path_of(name), text, (int64_t)strlen(text));
}

static inline ig_code read_variant(ig_experiment *e, const char *name, const char *variant)
{
    memset(&err, 0, sizeof err);
    return ig_experiment_read(e, path_of(name), &variant, variant != NULL, dir, &err);
}

/* Reads a text that has no mistake. */
static inline ig_experiment read_good(const char *text)
{
    ig_experiment e;
    write_file("e.yaml", text);
    assert_ok(read_variant(&e, "e.yaml", NULL), &err);
    return e;
}

/* Takes the folder's name out of a message. */
static inline void without_folder(char *text)
{
    size_t n = strlen(dir) + 1;
    for (char *p; (p = strstr(text, dir)) != NULL;)
        memmove(p, p + n, strlen(p + n) + 1);
}

/* A file with a mistake, and what is said of it. */
typedef struct {
    const char *text, *where;
    int line;
    const char *msg, *hint;
} mistake;

/* A message that ends in * may go on: a list of names that grows. */
static inline bool says(const char *found, const char *expected)
{
    const size_t n = strlen(expected);
    return n > 0 && expected[n - 1] == '*' ? strncmp(found, expected, n - 1) == 0
                                           : strcmp(found, expected) == 0;
}

static inline void is_told(const mistake *m)
{
    ig_experiment e;
    char msg[sizeof err.msg];
    write_file("e.yaml", m->text);
    ig_code code = read_variant(&e, "e.yaml", NULL);
    if (code == IG_ERR_OK)
        fail_msg("no mistake found in: %s", m->text);
    snprintf(msg, sizeof msg, "%s", err.msg);
    without_folder(msg);
    if ((code != IG_ERR_USAGE && code != IG_ERR_IO) || (int)err.line != m->line ||
        strcmp(err.where, path_of(m->where)) != 0 || !says(msg, m->msg) ||
        strcmp(err.hint, m->hint) != 0)
        fail_msg("%s\n%s:%d: %s\n%s", m->text, err.where, (int)err.line, msg, err.hint);
}

static inline int make_folder(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return ig_dir_remove(dir, &err) == IG_ERR_OK ? 0 : 1;
}
