/* SPDX-License-Identifier: Apache-2.0
 *
 * The manual page, in the macros of man(7): every command with its options, from the same tables
 * that parse the command line.
 */
#include "cli/registry.h"

#include "isoglot/version.h"

#include <stdio.h>
#include <string.h>

/* Text with the characters escaped that roff would read: backslash, hyphen, and a dot or a quote
 * that begins a line. */
static void roff(FILE *fp, const char *text)
{
    bool start = true;
    for (const char *p = text; *p != '\0'; p++) {
        if (start && (*p == '.' || *p == '\''))
            fputs("\\&", fp);
        if (*p == '\\')
            fputs("\\e", fp);
        else if (*p == '-')
            fputs("\\-", fp);
        else
            fputc(*p, fp);
        start = *p == '\n';
    }
}

/* Paragraphs are filled; lines that begin with a blank stay as they are. */
static void details(FILE *fp, const char *text)
{
    for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
        char line[2048];
        n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        fputs(*text == ' ' ? ".nf\n" : ".PP\n", fp);
        roff(fp, line);
        fputs(*text == ' ' ? "\n.fi\n" : "\n", fp);
    }
}

static void option(FILE *fp, const ig_option *o)
{
    fprintf(fp, ".TP\n\\fB");
    if (ig_option_letter(o->name) != '\0')
        fprintf(fp, "\\-%c\\fR, \\fB", ig_option_letter(o->name));
    fprintf(fp, "\\-\\-");
    if (o->kind == IG_OPT_FLAG)
        fprintf(fp, "[no\\-]");
    roff(fp, o->name);
    fprintf(fp, "\\fR");
    if (o->kind == IG_OPT_ENUM) {
        fprintf(fp, " ");
        for (int i = 0; o->names[i] != NULL; i++) {
            fprintf(fp, "%s\\fB", i > 0 ? "|" : "");
            roff(fp, o->names[i]);
            fprintf(fp, "\\fR");
        }
    } else if (o->kind != IG_OPT_FLAG) {
        fprintf(fp, " \\fI");
        roff(fp, o->value != NULL ? o->value : "VALUE");
        fprintf(fp, "\\fR");
    }
    fputc('\n', fp);
    roff(fp, o->help);
    if (o->def != NULL) {
        fprintf(fp, " (default: ");
        roff(fp, o->def);
        fputc(')', fp);
    }
    fprintf(fp, ".\n");
}

static void options(FILE *fp, const ig_option_table *t)
{
    for (int i = 0; t != NULL && i < t->n; i++)
        option(fp, &t->row[i]);
}

void ig_man_page(FILE *fp)
{
    fprintf(fp, ".TH ISOGLOT 1 \"\" \"isoglot %s\" \"User Commands\"\n", ig_version());
    fprintf(fp,
            ".SH NAME\nisoglot \\- a laboratory for multilingual masked language models\n"
            ".SH SYNOPSIS\n.B isoglot\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
            ".SH DESCRIPTION\nTrains BERT models on text of one or more languages under "
            "controlled conditions and measures how multilingual they become.\n"
            "Results go to standard output, messages and progress to standard error.\n"
            "Options may also be set in a YAML or JSON file given with \\fB\\-\\-config\\fR where "
            "a command has it; the command line wins.\n"
            "Integers may be written 10k, 2M or 1G.\n.SH COMMANDS\n");
    for (int i = 0; i < ig_n_command; i++) {
        const ig_command *c = ig_commands[i];
        fprintf(fp, ".SS ");
        roff(fp, "isoglot ");
        roff(fp, c->name);
        if (c->args != NULL && c->args[0] != '\0') {
            fputc(' ', fp);
            roff(fp, c->args);
        }
        fputc('\n', fp);
        roff(fp, c->summary);
        fprintf(fp, ".\n");
        if (c->details != NULL)
            details(fp, c->details);
        options(fp, c->options);
    }
    fprintf(fp, ".SH COMMON OPTIONS\n");
    options(fp, &ig_common_options);
    fprintf(fp, ".SH EXIT STATUS\n");
#define IG_CODE_ENTRY(name, number, text) fprintf(fp, ".TP\n.B %d\n%s.\n", number, text);
    IG_ERR_LIST(IG_CODE_ENTRY)
#undef IG_CODE_ENTRY
}
