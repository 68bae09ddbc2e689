/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: the tokenizer files of a model folder. Each file is named in a line "== NAME", and
 * what follows up to the next such line is its text. What is read cuts text into ids that are
 * there, and its templates name such ids, too.
 */
#include "base/assert.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "text/folder/tokenizer_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
    "config.json",       "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "tokenizer.json",        "vocab.txt"};
enum { N_NAME = sizeof names / sizeof *names };
static char *folder;

static void remove_folder(void)
{
    (void)ig_dir_remove(folder, NULL);
    ig_free(folder);
}

/* The text after the line "== NAME"; NULL: there is none. */
static const char *part(const char *all, size_t size, const char *name, size_t *n)
{
    const char *end = all + size, *from = NULL;
    const size_t n_name = strlen(name);
    for (const char *line = all, *lf; line < end; line = lf + 1) {
        lf = memchr(line, '\n', (size_t)(end - line));
        lf = lf != NULL ? lf : end;
        if (lf - line < 3 || memcmp(line, "== ", 3) != 0)
            continue;
        if (from != NULL) {
            *n = (size_t)(line - from);
            return from;
        }
        if ((size_t)(lf - line) == 3 + n_name && memcmp(line + 3, name, n_name) == 0 && lf < end)
            from = lf + 1;
    }
    *n = from != NULL ? (size_t)(end - from) : 0;
    return from;
}

static void write_all(const char *all, size_t size)
{
    for (int i = 0; i < N_NAME; i++) {
        char path[512];
        size_t n;
        const char *text = part(all, size, names[i], &n);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
        if (text == NULL)
            continue;
        FILE *f = fopen(path, "wb");
        if (f == NULL || fwrite(text, 1, n, f) != n || fclose(f) != 0)
            abort();
    }
}

static void check(const ig_tokenizer *t, const ig_tokenizer_choice *choice)
{
    static const char text[] = "the Cat S\xC3\xA4T, [MASK] <s>e\xCC\x81 \xE6\x9D\xB1 <ENT>ab";
    int32_t *id = NULL;
    int64_t n = 0, have = 0;
    char *shown;
    (void)ig_tokenizer_encode(t, text, sizeof text - 1, &id, &n, &have,
                              NULL); /* an expression may end at its limit */
    for (int64_t i = 0; i < n; i++)
        IG_ASSERT(id[i] >= 0 && id[i] < ig_tokenizer_size(t));
    for (int pair = 0; pair < 2; pair++) {
        const ig_template *of = ig_tokenizer_template(t, pair);
        IG_ASSERT(of->n_text == 1 + pair);
        for (int k = 0; k <= of->n_text; k++)
            for (int i = 0; i < of->n[k]; i++)
                IG_ASSERT(ig_tokenizer_piece(t, of->token[k][i].id) != NULL);
    }
    IG_ASSERT(ig_tokenizer_choice_text(&shown, t, choice, NULL) == IG_ERR_OK);
    json_decref(ig_tokenizer_choice_json(t, choice));
    ig_free(shown);
    ig_free(id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    ig_err err;
    if (folder == NULL) {
        ig_log_set_level(IG_LOG_QUIET);
        if (ig_dir_temporary(&folder, "isoglot-fuzz", &err) != IG_ERR_OK)
            abort();
        atexit(remove_folder);
    }
    if (size > 1 << 16)
        return 0;
    write_all((const char *)data, size);
    if (ig_tokenizer_folder_open(&t, &choice, folder, NULL, &err) == IG_ERR_OK)
        check(t, &choice);
    else
        IG_ASSERT(t == NULL && err.msg[0] != '\0');
    ig_tokenizer_free(t);
    return 0;
}
