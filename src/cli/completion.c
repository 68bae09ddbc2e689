/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion. A shell asks `isoglot __complete WORDS…` for what the last of the words may become;
 * the scripts for bash, zsh and fish only pass words on and show the answer, so nothing in them
 * depends on the commands. An answer is a line "WORD", tab, description for each; the line ":file"
 * stands for names of files.
 */
#include "cli/registry.h"

#include "experiment/experiment.h"
#include "fetch/catalogue.h"

#include <string.h>

/* A word if it continues what is typed; `before` is in front of it. */
static void offer(FILE *fp, const char *typed, const char *before, const char *word,
                  const char *about)
{
    const size_t n = strlen(before), n_typed = strlen(typed);
    if (strncmp(before, typed, n < n_typed ? n : n_typed) == 0 &&
        (n_typed <= n || strncmp(word, typed + n, n_typed - n) == 0))
        fprintf(fp, "%s%s\t%s\n", before, word, about);
}

/* The first words of commands; with `first`, the second words of those that begin with it. */
static void offer_commands(FILE *fp, const char *typed, const char *first)
{
    const char *before = "";
    for (int i = 0; i < ig_n_command; i++) {
        const char *name = ig_commands[i]->name, *about = ig_commands[i]->summary;
        const size_t n = strcspn(name, " ");
        if (first != NULL && strncmp(name, first, n) == 0 && first[n] == '\0' && name[n] != '\0')
            offer(fp, typed, "", name + n + 1, about);
        /* Commands with the same first word follow each other. */
        if (first != NULL || (strncmp(name, before, n) == 0 && strcspn(before, " ") == n))
            continue;
        before = name;
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, name);
        offer(fp, typed, "", word, name[n] == '\0' ? about : "");
    }
}

static void offer_options(FILE *fp, const char *typed, const ig_option_table *t)
{
    for (int i = 0; t != NULL && i < t->n; i++) {
        const ig_option *o = &t->row[i];
        const char letter[] = {ig_option_letter(o->name), '\0'};
        if (letter[0] != '\0')
            offer(fp, typed, "-", letter, o->help);
        offer(fp, typed, "--", o->name, o->help);
        if (o->kind == IG_OPT_FLAG)
            offer(fp, typed, "--no-", o->name, o->help);
    }
}

/* The option with a value that a word names, --name or -n; NULL: none. */
static const ig_option *find_option(const ig_option_table *t, const char *word, size_t n)
{
    for (int i = 0; t != NULL && i < t->n && n > 1 && word[0] == '-'; i++) {
        const ig_option *o = &t->row[i];
        const bool is_short = n == 2 && word[1] == ig_option_letter(o->name),
                   is_long = strncmp(word, "--", 2) == 0 && strlen(o->name) == n - 2 &&
                             strncmp(word + 2, o->name, n - 2) == 0;
        if (o->kind != IG_OPT_FLAG && (is_short || is_long))
            return o;
    }
    return NULL;
}

static void offer_values(FILE *fp, const char *typed, const char *before, const ig_option *o)
{
    for (int i = 0; o->kind == IG_OPT_ENUM && o->names[i] != NULL; i++)
        offer(fp, typed, before, o->names[i], "");
    if (o->kind == IG_OPT_PATH)
        fprintf(fp, ":file\n");
}

/* The variants of the experiment file among the words, after those that are there with a comma. */
static void offer_variants(FILE *fp, const char *typed, char *const *word, int n)
{
    const char *comma = strrchr(typed, ',');
    char before[256] = "";
    snprintf(before, sizeof before, "%.*s", comma != NULL ? (int)(comma + 1 - typed) : 0, typed);
    for (int i = 0; i < n; i++) {
        ig_experiment e;
        const size_t len = strlen(word[i]);
        if (len < 6 || strcmp(word[i] + len - 5, ".yaml") != 0)
            continue;
        if (ig_experiment_read(&e, word[i], NULL, 0, NULL, NULL) != IG_ERR_OK)
            continue;
        for (int k = 0; k < e.n_variant; k++)
            offer(fp, typed, before, e.variant[k], "");
        ig_experiment_free(&e);
    }
}

static void offer_catalogue(FILE *fp, const char *typed)
{
    ig_catalogue c;
    if (ig_catalogue_new(&c, NULL) == IG_ERR_OK)
        for (int i = 0; i < c.n; i++)
            offer(fp, typed, "", c.entry[i].name, c.entry[i].about);
    ig_catalogue_free(&c);
}

static void offer_arguments(FILE *fp, const char *typed, const ig_command *c)
{
    if (strcmp(c->name, "help") == 0)
        offer_commands(fp, typed, NULL);
    else if (strcmp(c->name, "fetch") == 0)
        offer_catalogue(fp, typed);
    else
        fprintf(fp, ":file\n");
}

void ig_complete(FILE *fp, char *const *word, int n)
{
    const char *typed = n > 0 ? word[n - 1] : "", *equal = strchr(typed, '=');
    char before[96];
    int n_used;
    const ig_command *c = n > 1 ? ig_command_find(word, n - 1, &n_used) : NULL;
    if (n <= 2)
        offer_commands(fp, typed, n == 2 ? word[0] : NULL);
    if (c == NULL)
        return;
    const ig_option *given = find_option(c->options, word[n - 2], strlen(word[n - 2])),
                    *now = equal != NULL ? find_option(c->options, typed, (size_t)(equal - typed))
                                         : NULL;
    if (given != NULL && strcmp(given->name, "variant") == 0) {
        offer_variants(fp, typed, word, n - 1);
    } else if (given != NULL) {
        offer_values(fp, typed, "", given);
    } else if (now != NULL) {
        snprintf(before, sizeof before, "--%s=", now->name);
        offer_values(fp, typed, before, now);
    } else if (typed[0] == '-') {
        offer_options(fp, typed, c->options);
        offer_options(fp, typed, &ig_common_options);
    } else {
        offer_arguments(fp, typed, c);
    }
}

void ig_completion(FILE *fp, const char *shell)
{
    static const char *const scripts[][2] = {
        {"bash", "_isoglot() {\n"
                 "  local word about\n"
                 "  COMPREPLY=()\n"
                 "  while IFS=$'\\t' read -r word about; do\n"
                 "    if [ \"$word\" = :file ]; then\n"
                 "      mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- "
                 "\"${COMP_WORDS[COMP_CWORD]}\")\n"
                 "    else\n"
                 "      COMPREPLY+=(\"$word\")\n"
                 "    fi\n"
                 "  done < <(\"${COMP_WORDS[0]}\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
                 "2>/dev/null)\n"
                 "}\n"
                 "complete -o filenames -F _isoglot isoglot\n"},
        {"zsh", "_isoglot() {\n"
                "  local line\n"
                "  local -a offered\n"
                "  for line in \"${(@f)$(\"$words[1]\" __complete \"${(@Q)words[2,CURRENT]}\" "
                "2>/dev/null)}\"; do\n"
                "    if [[ $line == :file ]]; then\n"
                "      _files\n"
                "    elif [[ -n $line ]]; then\n"
                "      offered+=(\"${${line//:/\\\\:}/$'\\t'/:}\")\n"
                "    fi\n"
                "  done\n"
                "  _describe isoglot offered\n"
                "}\n"
                "_isoglot \"$@\"\n"},
        {"fish", "function __isoglot_complete\n"
                 "  set -l words (commandline -opc)\n"
                 "  set -l typed (commandline -ct)\n"
                 "  for line in ($words[1] __complete $words[2..-1] \"$typed\" 2>/dev/null)\n"
                 "    if test \"$line\" = :file\n"
                 "      __fish_complete_path \"$typed\"\n"
                 "    else\n"
                 "      echo $line\n"
                 "    end\n"
                 "  end\n"
                 "end\n"
                 "complete -c isoglot -f -a '(__isoglot_complete)'\n"}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i][0], shell) == 0)
            fprintf(
                fp, "%s# %s completion of isoglot, written by 'isoglot help --completion %s'\n%s",
                strcmp(shell, "zsh") == 0 ? "#compdef isoglot\n" : "", shell, shell, scripts[i][1]);
}
