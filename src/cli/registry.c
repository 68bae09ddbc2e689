/* SPDX-License-Identifier: Apache-2.0
 *
 * The options common to all commands, and looking a command up.
 */
#include "cli/registry.h"

#include "base/strings/append.h"

#include <string.h>

static const ig_option common[] = {
    {.group = "Common options", IG_FLAG(ig_common, "help", help, NULL, "show this help and exit")},
    {IG_FLAG(ig_common, "quiet", quiet, NULL, "errors only on stderr")},
    {IG_FLAG(ig_common, "verbose", verbose, NULL, "print more on stderr")},
    {IG_FLAG(ig_common, "progress", progress, NULL,
             "progress line on stderr; default: when it is a terminal")},
    {IG_FLAG(ig_common, "overwrite", overwrite, NULL,
             "replace files that isoglot did not write, or that were changed since")},
    {IG_FLAG(ig_common, "ignore-extra", ignore_extra, NULL,
             "read models whose encoder has more tensors than config.json describes")},
};
const ig_option_table ig_common_options = IG_OPTION_TABLE(common);

const ig_command *ig_command_find(char *const *word, int n_word, int *n_used)
{
    for (int i = 0; i < ig_n_command; i++) {
        const char *name = ig_commands[i]->name, *space = strchr(name, ' ');
        if (space == NULL && strcmp(name, word[0]) == 0) {
            *n_used = 1;
            return ig_commands[i];
        }
        if (space != NULL && n_word > 1 && strlen(word[0]) == (size_t)(space - name) &&
            strncmp(name, word[0], (size_t)(space - name)) == 0 &&
            strcmp(space + 1, word[1]) == 0) {
            *n_used = 2;
            return ig_commands[i];
        }
    }
    return NULL;
}

/* The second words of the commands that begin with `first`; their number. */
static int second_words(const char *first, const char **out, int most)
{
    size_t len = strlen(first);
    int n = 0;
    for (int i = 0; i < ig_n_command && n < most; i++) {
        const char *name = ig_commands[i]->name;
        if (strncmp(name, first, len) == 0 && name[len] == ' ')
            out[n++] = name + len + 1;
    }
    return n;
}

/* Finds the command for a name that people try for it. */
static const char *other_name(const char *word)
{
    static const char *const names[][2] = {
        {"bench", "benchmarks are a program of their own: build/isoglot-bench"},
        {"demo", "./dev demo, or isoglot run experiments/demo.yaml"},
        {"evaluate", "did you mean 'isoglot eval'?"},
        {"install", "cmake --install build --prefix ~/.local"},
        {"measure", "isoglot eval measures a model, 'isoglot help measures' lists the measures"},
        {"measures", "'isoglot help measures' lists them"},
        {"pretrain", "did you mean 'isoglot train'?"},
        {"test", "./dev test"},
        {"version", "isoglot --version, isoglot info"},
        {"world", "did you mean 'isoglot corpus world'?"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], word) == 0)
            return names[i][1];
    return NULL;
}

ig_code ig_command_unknown(char *const *word, int n_word, ig_err *err)
{
    enum { most = 64 };
    const char *name[most];
    int n = second_words(word[0], name, most);
    if (n > 0) {
        char list[200] = "";
        for (int i = 0; i < n; i++)
            ig_append_name(list, sizeof list, name[i]);
        if (n_word < 2 || word[1][0] == '-')
            return ig_fail(err, IG_ERR_USAGE, "", 0, "'%.60s' alone is no command, expected %s %s",
                           word[0], word[0], list);
        ig_fail(err, IG_ERR_USAGE, "", 0, "unknown command '%.60s %.60s', expected %s %s", word[0],
                word[1], word[0], list);
        const char *near = ig_nearest(word[1], name, n);
        if (near != NULL)
            ig_hint(err, "did you mean '%s %s %s'?", ig_program_name, word[0], near);
        return IG_ERR_USAGE;
    }
    ig_fail(err, IG_ERR_USAGE, "", 0, "unknown command '%.60s'", word[0]);
    for (n = 0; n < ig_n_command && n < most; n++)
        name[n] = ig_commands[n]->name;
    /* One more letter may be wrong than in other words: 'trane' is 'train'. */
    const char *near = ig_nearest_within(word[0], name, n, 1), *other = other_name(word[0]);
    if (other != NULL)
        ig_hint(err, "%s", other);
    else if (near != NULL)
        ig_hint(err, "did you mean '%s %s'?", ig_program_name, near);
    else
        ig_hint(err, "'%s --help' lists the commands", ig_program_name);
    return IG_ERR_USAGE;
}
