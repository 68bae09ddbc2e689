/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of words of a run: its settings, over a small generated world or files.
 */
#pragma once

#include "root_fixture.h"

#include "base/memory.h"
#include "run/run_config.h"

static inline void set(char **field, const char *text)
{
    ig_free(*field);
    *field = NULL;
    if (text == NULL)
        return;
    assert_ok(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "test", &err), &err);
    strcpy(*field, text);
}

static inline ig_run_config config(const char *languages)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.data.world_sentences = 60;
    c.data.dev_take = 10;
    c.optimisation.updates = 10;
    c.threads = 1;
    c.data.world = 1; /* short sentences */
    c.model.preset = IG_PRESET_TINY;
    set(&c.languages.spec, languages);
    set(&c.out, root);
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static inline void speak(ig_run_config *c, const char *languages)
{
    set(&c->languages.spec, languages);
    assert_ok(ig_run_config_parse(c, &err), &err);
}

/* Words of a plain text between blanks. */
static inline int64_t count_in(const char *path, const char *word, int64_t first)
{
    char *text, *line_end = NULL;
    int64_t n, found = 0, line_number = 0;
    assert_ok(ig_file_read(&text, &n, path, 1 << 24, &err), &err);
    for (char *line = strtok_r(text, "\n", &line_end); line != NULL;
         line = strtok_r(NULL, "\n", &line_end), line_number++) {
        char *end = NULL;
        for (char *w = strtok_r(line, " ", &end); w != NULL; w = strtok_r(NULL, " ", &end))
            found += strcmp(w, word) == 0 && (first == 0 || line_number < first);
    }
    ig_free(text);
    return found;
}
