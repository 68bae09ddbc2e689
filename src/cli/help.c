/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot help: the list of commands, one command with its options, the exit codes; the manual page
 * with all of it, and for the installation the shell completions.
 */
#include "cli/registry.h"

#include "base/strings/append.h"
#include "cli/commands.h"
#include "cli/print/measure_table.h"
#include "isoglot/version.h"
#include "report/table/table_format.h"

#include <stdio.h>
#include <string.h>

enum { width = 96, column = 30 };

/* Words of the line `text` from column `at` on, broken before `width`, further lines indented by
 * `indent`. */
static void wrap(FILE *fp, const char *text, int at, int indent)
{
    for (const char *p = text; *p != '\0' && *p != '\n';) {
        size_t len = strcspn(p, " \n");
        int n = ig_text_width_of(p, len);
        if (at > indent && at + 1 + n > width) {
            fprintf(fp, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', fp);
            at++;
        }
        fwrite(p, 1, len, fp);
        at += n;
        p += len;
        p += strspn(p, " ");
    }
    fputc('\n', fp);
}

/* Paragraphs are wrapped; lines that begin with a blank stay as they are. */
static void print_details(FILE *fp, const char *text)
{
    for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (*text == ' ')
            fprintf(fp, "%.*s\n", (int)n, text);
        else
            wrap(fp, text, 0, 0);
    }
}

/* "-o, --out FILE" and what it does. */
static void option_texts(char left[256], char right[640], const ig_option *o)
{
    const bool on = o->kind == IG_OPT_FLAG && o->def != NULL && strcmp(o->def, "true") == 0;
    const char letter[] = {ig_option_letter(o->name), '\0'};
    left[0] = right[0] = '\0';
    ig_append(left, 256, "%s%s%s--%s%s", letter[0] != '\0' ? "-" : "", letter,
              letter[0] != '\0' ? ", " : "", on ? "[no-]" : "", o->name);
    if (o->kind != IG_OPT_FLAG)
        ig_append(left, 256, " %s",
                  o->kind == IG_OPT_ENUM ? "NAME"
                  : o->value != NULL     ? o->value
                                         : "VALUE");
    ig_append(right, 640, "%s%s", o->help, on ? " [on]" : "");
    for (int i = 0; o->kind == IG_OPT_ENUM && o->names[i] != NULL; i++)
        ig_append(right, 640, "%s%s", i > 0 ? ", " : ": ", o->names[i]);
    if (o->kind != IG_OPT_FLAG && o->def != NULL)
        ig_append(right, 640, " [%s]", o->def);
}

static void option_help(FILE *fp, const ig_option *o)
{
    char left[256], right[640];
    option_texts(left, right, o);
    int n = fprintf(fp, "  %s", left) - (int)strlen(left) + ig_text_width(left);
    if (n >= column) {
        fputc('\n', fp);
        n = 0;
    }
    fprintf(fp, "%*s", column - n, "");
    wrap(fp, right, column, column);
}

/* Returns whether an option is among these; NULL: all are. */
static bool is_usual(const char *const *usual, const char *name)
{
    for (int i = 0; usual != NULL && usual[i] != NULL; i++)
        if (strcmp(usual[i], name) == 0)
            return true;
    return usual == NULL;
}

/* A heading is printed with the first of its options that is. */
static void option_list(FILE *fp, const ig_option_table *t, const char *const *usual)
{
    const char *group = "Options";
    for (int i = 0; t != NULL && i < t->n; i++) {
        const ig_option *o = t->row;
        group = o[i].group != NULL ? o[i].group : group;
        if (!is_usual(usual, o[i].name))
            continue;
        if (group != NULL)
            fprintf(fp, "\n%s:\n", group);
        group = NULL;
        option_help(fp, &o[i]);
    }
}

/* "isoglot NAME [OPTIONS] DIR …" */
static void usage_line(FILE *fp, const ig_command *c)
{
    fprintf(fp, "%s %s%s%s%s", ig_program_name, c->name, c->options != NULL ? " [OPTIONS]" : "",
            c->args != NULL && c->args[0] != '\0' ? " " : "", c->args != NULL ? c->args : "");
}

void ig_help_command(FILE *fp, const ig_command *c, bool all)
{
    const char *const *usual = all ? NULL : c->usual;
    fprintf(fp, "Usage: ");
    usage_line(fp, c);
    fprintf(fp, "\n\n%s\n", c->summary);
    if (c->details != NULL) {
        fputc('\n', fp);
        print_details(fp, c->details);
    }
    option_list(fp, c->options, usual);
    if (usual != NULL)
        fprintf(fp, "\nThese are the options that are used most; '%s help %s all' lists all %d.\n",
                ig_program_name, c->name, c->options->n);
    option_list(fp, &ig_common_options, NULL);
}

/* The lines of the commands whose first word is `first`, NULL: of all. Returns their number. */
static int command_lines(FILE *fp, const char *first)
{
    int n_line = 0;
    for (int i = 0; i < ig_n_command; i++) {
        const char *name = ig_commands[i]->name;
        const size_t len = first == NULL ? 0 : strlen(first);
        if (len > 0 && (strncmp(name, first, len) != 0 || name[len] != ' '))
            continue;
        if (n_line++ == 0)
            fprintf(fp, "Commands:\n");
        int n = fprintf(fp, "  %-16s  ", name);
        wrap(fp, ig_commands[i]->summary, n, n);
    }
    return n_line;
}

bool ig_help_group(FILE *fp, const char *first)
{
    if (command_lines(fp, first) == 0)
        return false;
    fprintf(fp, "\n'isoglot help %s COMMAND' describes a command.\n", first);
    return true;
}

void ig_help_overview(FILE *fp)
{
    fprintf(fp,
            "%s %s: a laboratory for multilingual language models\n"
            "\nUsage: %s COMMAND [OPTIONS] [ARGUMENTS]\n\n",
            ig_program_name, ig_version(), ig_program_name);
    command_lines(fp, NULL);
    fprintf(fp, "\n%sResults go to standard output, everything else to standard error.\n",
            ig_program_help);
}

static void print_exit_codes(FILE *fp)
{
#define IG_CODE_LINE(name, number, text) fprintf(fp, "%d  %-8s  %s\n", number, #name, text);
    IG_ERR_LIST(IG_CODE_LINE)
#undef IG_CODE_LINE
}

/* --- the manual page, in the macros of man(7) ------------------------------------------------- */

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
static void man_details(FILE *fp, const char *text)
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

static void man_options(FILE *fp, const ig_option_table *t)
{
    for (int i = 0; t != NULL && i < t->n; i++) {
        char left[256], right[640];
        option_texts(left, right, &t->row[i]);
        fprintf(fp, ".TP\n.B ");
        roff(fp, left);
        fputc('\n', fp);
        roff(fp, right);
        fprintf(fp, ".\n");
    }
}

static void man_page(FILE *fp)
{
    fprintf(fp, ".TH ISOGLOT 1 \"\" \"isoglot %s\" \"User Commands\"\n", ig_version());
    fprintf(fp,
            ".SH NAME\nisoglot \\- a laboratory for multilingual language models\n"
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
            man_details(fp, c->details);
        man_options(fp, c->options);
    }
    fprintf(fp, ".SH COMMON OPTIONS\n");
    man_options(fp, &ig_common_options);
    fprintf(fp, ".SH EXIT STATUS\n");
#define IG_CODE_ENTRY(name, number, text) fprintf(fp, ".TP\n.B %d\n%s.\n", number, text);
    IG_ERR_LIST(IG_CODE_ENTRY)
#undef IG_CODE_ENTRY
}

/* --- the command ------------------------------------------------------------------------------ */

typedef struct {
    bool man;
    int completion;
} help_config;

static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};

static const ig_option help_options[] = {
    {IG_FLAG(help_config, "man", man, NULL, "print the manual page (man 7 source)")},
    {IG_ENUM(help_config, "completion", completion, "none", shells,
             "print the completion script of a shell")},
};

static ig_code run_help(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const help_config *c = config;
    int n_used = 0;
    if (c->man) {
        man_page(stdout);
        return IG_ERR_OK;
    }
    if (c->completion > 0) {
        ig_completion(stdout, shells[c->completion]);
        return IG_ERR_OK;
    }
    if (n_arg == 0) {
        ig_help_overview(stdout);
        return IG_ERR_OK;
    }
    if (n_arg == 1 && strcmp(arg[0], "exit-codes") == 0) {
        print_exit_codes(stdout);
        return IG_ERR_OK;
    }
    if (n_arg == 1 && strcmp(arg[0], "measures") == 0) {
        ig_measure_list(stdout);
        return IG_ERR_OK;
    }
    const ig_command *found = ig_command_find(arg, n_arg, &n_used);
    if (found == NULL && n_arg == 1 && ig_help_group(stdout, arg[0]))
        return IG_ERR_OK;
    const bool all = found != NULL && n_arg == n_used + 1 && strcmp(arg[n_used], "all") == 0;
    if (found != NULL && n_used != n_arg && !all) {
        ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.60s' after '%s', expected nothing or 'all'",
                arg[n_used], found->name);
        return ig_hint(err, "'%s help %s all' describes every option", ig_program_name,
                       found->name);
    }
    if (found == NULL) {
        static const char *const topics[] = {"exit-codes", "measures"};
        const char *near = n_arg == 1 ? ig_nearest(arg[0], topics, 2) : NULL;
        ig_command_unknown(arg, n_arg, err);
        return near != NULL ? ig_hint(err, "did you mean '%s help %s'?", ig_program_name, near)
                            : IG_ERR_USAGE;
    }
    ig_help_command(stdout, found, all);
    return IG_ERR_OK;
}

const ig_command ig_cmd_help = {
    .name = "help",
    .summary = "describe the commands, one command, the exit codes, or the measures",
    .args = "[COMMAND [all] | exit-codes | measures]",
    .max_arg = 3,
    IG_COMMAND_OPTIONS(help_options, help_config),
    .run = run_help,
};
