/* SPDX-License-Identifier: Apache-2.0
 *
 * Help in the terminal: the list of commands, one command with its options, the exit codes.
 */
#include "cli/registry.h"

#include "base/strings/append.h"
#include "isoglot/version.h"
#include "report/table/table_format.h"

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

static void option_help(FILE *fp, const ig_option *o)
{
    char left[256], right[640] = "", letter[8] = "";
    if (ig_option_letter(o->name) != '\0')
        snprintf(letter, sizeof letter, "-%c, ", ig_option_letter(o->name));
    if (o->kind == IG_OPT_FLAG) {
        bool on = o->def != NULL && strcmp(o->def, "true") == 0;
        snprintf(left, sizeof left, "  %s--%s%s", letter, on ? "[no-]" : "", o->name);
    } else if (o->kind == IG_OPT_ENUM) {
        snprintf(left, sizeof left, "  %s--%s NAME", letter, o->name);
    } else {
        snprintf(left, sizeof left, "  %s--%s %s", letter, o->name,
                 o->value != NULL ? o->value : "VALUE");
    }
    ig_append(right, sizeof right, "%s", o->help);
    if (o->kind == IG_OPT_FLAG && o->def != NULL && strcmp(o->def, "true") == 0)
        ig_append(right, sizeof right, " [on]");
    if (o->kind == IG_OPT_ENUM) {
        for (int i = 0; o->names[i] != NULL; i++)
            ig_append(right, sizeof right, "%s%s", i > 0 ? ", " : ": ", o->names[i]);
    }
    if (o->kind != IG_OPT_FLAG && o->def != NULL)
        ig_append(right, sizeof right, " [%s]", o->def);
    int n = ig_text_width(left);
    fputs(left, fp);
    if (n >= column) {
        fputc('\n', fp);
        n = 0;
    }
    fprintf(fp, "%*s", column - n, "");
    wrap(fp, right, column, column);
}

static void option_list(FILE *fp, const ig_option_table *t)
{
    for (int i = 0; t != NULL && i < t->n; i++) {
        const ig_option *o = t->row;
        if (o[i].group != NULL)
            fprintf(fp, "\n%s:\n", o[i].group);
        else if (i == 0)
            fprintf(fp, "\nOptions:\n");
        option_help(fp, &o[i]);
    }
}

/* "isoglot NAME [OPTIONS] DIR …" */
static void usage_line(FILE *fp, const ig_command *c)
{
    fprintf(fp, "%s %s%s%s%s", ig_program_name, c->name, c->options != NULL ? " [OPTIONS]" : "",
            c->args != NULL && c->args[0] != '\0' ? " " : "", c->args != NULL ? c->args : "");
}

void ig_help_command(FILE *fp, const ig_command *c)
{
    fprintf(fp, "Usage: ");
    usage_line(fp, c);
    fprintf(fp, "\n\n%s\n", c->summary);
    if (c->details != NULL) {
        fputc('\n', fp);
        print_details(fp, c->details);
    }
    option_list(fp, c->options);
    option_list(fp, &ig_common_options);
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
            "%s %s: a laboratory for multilingual masked language models\n"
            "\nUsage: %s COMMAND [OPTIONS] [ARGUMENTS]\n\n",
            ig_program_name, ig_version(), ig_program_name);
    command_lines(fp, NULL);
    fprintf(fp, "\n%sResults go to standard output, everything else to standard error.\n",
            ig_program_help);
}

void ig_help_exit_codes(FILE *fp)
{
#define IG_CODE_LINE(name, number, text) fprintf(fp, "%d  %-8s  %s\n", number, #name, text);
    IG_ERR_LIST(IG_CODE_LINE)
#undef IG_CODE_LINE
}
