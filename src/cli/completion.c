/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion scripts for bash, zsh and fish: commands, options, the names an option takes, files.
 * The scripts are plain lists made from the option tables; the shells do the rest.
 */
#include "cli/registry.h"

#include <string.h>

static bool takes_file(const ig_option *o)
{
    return o->kind == IG_OPT_PATH;
}

/* Those that an option takes, with blanks between. */
static void put_names(FILE *fp, const ig_option *o)
{
    for (int k = 0; o->names[k] != NULL; k++)
        fprintf(fp, "%s%s", k > 0 ? " " : "", o->names[k]);
}

/* bash: one case per command for its options, one per option that has a list of names or files. */
static void bash_words(FILE *fp, const ig_option_table *t)
{
    for (int i = 0; t != NULL && i < t->n; i++) {
        const ig_option *o = t->row;
        if (ig_option_letter(o[i].name) != '\0')
            fprintf(fp, " -%c", ig_option_letter(o[i].name));
        fprintf(fp, " --%s%s%s", o[i].name, o[i].kind == IG_OPT_FLAG ? " --no-" : "",
                o[i].kind == IG_OPT_FLAG ? o[i].name : "");
    }
}

static int n_own(const ig_command *c)
{
    return c->options != NULL ? c->options->n : 0;
}

static void bash_values(FILE *fp, const ig_command *c)
{
    for (int i = 0; i < n_own(c); i++) {
        const ig_option *o = &c->options->row[i];
        if (o->kind == IG_OPT_FLAG)
            continue;
        fprintf(fp, "    '%s:--%s'", c->name, o->name);
        if (ig_option_letter(o->name) != '\0')
            fprintf(fp, "|'%s:-%c'", c->name, ig_option_letter(o->name));
        fprintf(fp, ") ");
        if (o->kind == IG_OPT_ENUM) {
            fprintf(fp, "COMPREPLY=($(compgen -W '");
            put_names(fp, o);
            fprintf(fp, "' -- \"$cur\")) ;;\n");
        } else if (takes_file(o)) {
            fprintf(fp, "COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n");
        } else {
            fprintf(fp, "COMPREPLY=() ;;\n");
        }
    }
}

static void bash(FILE *fp)
{
    fprintf(fp, "# bash completion of isoglot, written by 'isoglot help --completion bash'\n"
                "_isoglot() {\n"
                "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "  local cmd=${COMP_WORDS[1]}\n"
                "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]-}\" in\n");
    for (int i = 0; i < ig_n_command; i++) {
        if (strchr(ig_commands[i]->name, ' ') != NULL)
            fprintf(fp, "    '%s') cmd='%s' ;;\n", ig_commands[i]->name, ig_commands[i]->name);
    }
    fprintf(fp, "  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '");
    for (int i = 0; i < ig_n_command; i++) {
        const char *name = ig_commands[i]->name;
        /* A shared first word appears once: compgen does not drop doubles. */
        size_t len = strcspn(name, " ");
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || (strncmp(ig_commands[k]->name, name, len) == 0 &&
                              strcspn(ig_commands[k]->name, " ") == len);
        if (!again)
            fprintf(fp, "%s%.*s", i > 0 ? " " : "", (int)len, name);
    }
    fprintf(fp, "' -- \"$cur\"))\n    return\n  fi\n  case \"$cmd:$prev\" in\n");
    for (int i = 0; i < ig_n_command; i++)
        bash_values(fp, ig_commands[i]);
    fprintf(fp, "    *)\n      case \"$cmd:$cur\" in\n");
    for (int i = 0; i < ig_n_command; i++) {
        const ig_command *c = ig_commands[i];
        fprintf(fp, "        '%s:-'*) COMPREPLY=($(compgen -W '", c->name);
        bash_words(fp, c->options);
        bash_words(fp, &ig_common_options);
        fprintf(fp, "' -- \"$cur\")) ;;\n");
    }
    for (int i = 0; i < ig_n_command; i++) {
        const char *name = ig_commands[i]->name, *space = strchr(name, ' ');
        bool again = false;
        if (space == NULL)
            continue;
        size_t len = (size_t)(space - name);
        for (int k = 0; k < i; k++)
            again = again || strncmp(ig_commands[k]->name, name, len + 1) == 0;
        if (again)
            continue;
        fprintf(fp, "        '%.*s:'*) COMPREPLY=($(compgen -W '", (int)len, name);
        for (int k = i; k < ig_n_command; k++) {
            if (strncmp(ig_commands[k]->name, name, len + 1) == 0)
                fprintf(fp, "%s ", ig_commands[k]->name + len + 1);
        }
        fprintf(fp, "' -- \"$cur\")) ;;\n");
    }
    fprintf(fp, "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n      esac ;;\n  esac\n}\n"
                "complete -o filenames -F _isoglot isoglot\n");
}

/* Single-quoted for zsh and fish; brackets and colons mean something to _arguments. */
static void quoted(FILE *fp, const char *text, bool zsh)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'')
            fputs(zsh ? "'\\''" : "\\'", fp);
        else if (zsh && (*p == '[' || *p == ']' || *p == ':'))
            fprintf(fp, "\\%c", *p);
        else if (!zsh && *p == '\\')
            fputs("\\\\", fp);
        else
            fputc(*p, fp);
    }
}

/* Writes an option with a value, from its help on. */
static void zsh_value(FILE *fp, const ig_option *o)
{
    quoted(fp, o->help, true);
    fprintf(fp, "]:");
    quoted(fp, o->value != NULL ? o->value : "value", true);
    if (o->kind == IG_OPT_ENUM) {
        fprintf(fp, ":(");
        put_names(fp, o);
        fprintf(fp, ")'");
    } else {
        fprintf(fp, takes_file(o) ? ":_files'" : ":'");
    }
}

static void zsh_option(FILE *fp, const ig_option *o)
{
    const char letter = ig_option_letter(o->name);
    if (o->kind == IG_OPT_FLAG) {
        if (letter != '\0') {
            fprintf(fp, " \\\n        '-%c[", letter);
            quoted(fp, o->help, true);
            fprintf(fp, "]'");
        }
        fprintf(fp, " \\\n        '--%s[", o->name);
        quoted(fp, o->help, true);
        fprintf(fp, "]' '--no-%s[", o->name);
        quoted(fp, o->help, true);
        fprintf(fp, " (off)]'");
        return;
    }
    if (letter != '\0') {
        fprintf(fp, " \\\n        '-%c[", letter);
        zsh_value(fp, o);
    }
    fprintf(fp, " \\\n        '--%s=[", o->name);
    zsh_value(fp, o);
}

static void zsh(FILE *fp)
{
    fprintf(fp, "#compdef isoglot\n"
                "# zsh completion of isoglot, written by 'isoglot help --completion zsh'\n"
                "_isoglot() {\n  local -a commands\n  commands=(");
    for (int i = 0; i < ig_n_command; i++) {
        fprintf(fp, "\n    '");
        quoted(fp, ig_commands[i]->name, true);
        fputc(':', fp);
        quoted(fp, ig_commands[i]->summary, true);
        fputc('\'', fp);
    }
    fprintf(fp, "\n  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n"
                "  fi\n  case \"$words[2] $words[3]\" in\n");
    /* Two-word names come first: the first pattern that fits is taken. */
    for (int two = 1; two >= 0; two--) {
        for (int i = 0; i < ig_n_command; i++) {
            const ig_command *c = ig_commands[i];
            if ((strchr(c->name, ' ') != NULL) != two)
                continue;
            fprintf(fp, "    '%s'%s)\n      _arguments", c->name, two ? "" : "' '*");
            for (int k = 0; k < n_own(c); k++)
                zsh_option(fp, &c->options->row[k]);
            for (int k = 0; k < ig_common_options.n; k++)
                zsh_option(fp, &ig_common_options.row[k]);
            fprintf(fp, " \\\n        '*:file:_files' ;;\n");
        }
    }
    fprintf(fp, "  esac\n}\n_isoglot \"$@\"\n");
}

static void fish_option(FILE *fp, const char *name, const ig_option *o)
{
    const char *space = name == NULL ? NULL : strchr(name, ' ');
    fprintf(fp, "complete -c isoglot");
    if (space != NULL)
        fprintf(fp, " -n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'",
                (int)(space - name), name, space + 1);
    else if (name != NULL)
        fprintf(fp, " -n '__fish_seen_subcommand_from %s'", name);
    if (ig_option_letter(o->name) != '\0')
        fprintf(fp, " -s %c", ig_option_letter(o->name));
    fprintf(fp, " -l %s", o->name);
    if (o->kind == IG_OPT_ENUM) {
        fprintf(fp, " -x -a '");
        put_names(fp, o);
        fprintf(fp, "'");
    } else if (o->kind != IG_OPT_FLAG) {
        fprintf(fp, takes_file(o) ? " -r -F" : " -x");
    }
    fprintf(fp, " -d '");
    quoted(fp, o->help, false);
    fprintf(fp, "'\n");
}

static void fish(FILE *fp)
{
    fprintf(fp, "# fish completion of isoglot, written by 'isoglot help --completion fish'\n");
    for (int i = 0; i < ig_n_command; i++) {
        const ig_command *c = ig_commands[i];
        const char *space = strchr(c->name, ' ');
        if (space == NULL)
            fprintf(fp, "complete -c isoglot -n __fish_use_subcommand -f -a %s -d '", c->name);
        else
            fprintf(fp,
                    "complete -c isoglot -n __fish_use_subcommand -f -a %.*s\n"
                    "complete -c isoglot -n '__fish_seen_subcommand_from %.*s' -f -a %s -d '",
                    (int)(space - c->name), c->name, (int)(space - c->name), c->name, space + 1);
        quoted(fp, c->summary, false);
        fprintf(fp, "'\n");
        for (int k = 0; k < n_own(c); k++)
            fish_option(fp, c->name, &c->options->row[k]);
    }
    for (int k = 0; k < ig_common_options.n; k++)
        fish_option(fp, NULL, &ig_common_options.row[k]);
}

bool ig_completion(FILE *fp, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash(fp);
    else if (strcmp(shell, "zsh") == 0)
        zsh(fp);
    else if (strcmp(shell, "fish") == 0)
        fish(fp);
    else
        return false;
    return true;
}
