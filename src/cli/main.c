/* SPDX-License-Identifier: Apache-2.0
 *
 * The program, and isoglot-bench with other commands: finds the command, parses its options, runs
 * it, turns its error into one line on stderr and an exit code. Standard output is checked at the
 * end: a result that could not be written is an error.
 */
#include "base/log.h"

#include "base/memory.h"
#include "base/output/written.h"
#include "base/settings/json_text.h"
#include "cli/ranked.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "isoglot/bert.h"
#include "isoglot/version.h"
#include "train/rank_model.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Prints one line, even if a message quotes line ends from a file. */
static void print_line(const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        fputc((unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p, stderr);
}

static void print_error(const char *command, const ig_err *err)
{
    const char *space = command[0] != '\0' ? " " : "";
    fprintf(stderr, "%s%s%s: error: ", ig_program_name, space, command);
    if (err->where[0] != '\0') {
        print_line(err->where);
        if (err->line > 0)
            fprintf(stderr, ":%llu", (unsigned long long)err->line);
        fputs(": ", stderr);
    }
    print_line(err->msg);
    if (err->hint[0] != '\0') {
        fputs(" (", stderr);
        print_line(err->hint);
        fputc(')', stderr);
    }
    fputc('\n', stderr);
}

/* Joins the command's options and the common ones, whose struct follows the command's. */
static ig_code merge_options(ig_option **row, ig_option_table *out, const ig_command *c,
                             size_t *common_offset, ig_err *err)
{
    const size_t align = IG_ALIGN;
    const int own = c->options != NULL ? c->options->n : 0;
    *common_offset = (c->config_size + align - 1) / align * align;
    IG_TRY(ig_alloc(row, own + ig_common_options.n, sizeof **row, "options", err));
    for (int i = 0; i < own; i++)
        (*row)[i] = c->options->row[i];
    for (int i = 0; i < ig_common_options.n; i++) {
        (*row)[own + i] = ig_common_options.row[i];
        (*row)[own + i].offset += *common_offset;
    }
    *out = (ig_option_table){*row, own + ig_common_options.n};
    return IG_ERR_OK;
}

/* The least and the most positional arguments of a command; −1: any number. */
static void count_arguments(int *least, int *most, const ig_command *c)
{
    *least = c->min_arg;
    *most = c->max_arg;
    if (c->args == NULL || c->max_arg != 0)
        return;
    for (const char *p = c->args; *p != '\0'; p++)
        if (p == c->args || p[-1] == ' ') {
            *least += *p != '[';
            ++*most;
        }
    *most = strstr(c->args, "…") != NULL ? -1 : *most;
}

static ig_code check_arguments(const ig_command *c, int n, ig_err *err)
{
    int least, most;
    count_arguments(&least, &most, c);
    if (n >= least && (most < 0 || n <= most))
        return IG_ERR_OK;
    if (most == least)
        ig_fail(err, IG_ERR_USAGE, "", 0, "found %d argument%s, expected %d", n, n == 1 ? "" : "s",
                least);
    else if (n < least)
        ig_fail(err, IG_ERR_USAGE, "", 0, "found %d argument%s, expected at least %d", n,
                n == 1 ? "" : "s", least);
    else
        ig_fail(err, IG_ERR_USAGE, "", 0, "found %d arguments, expected at most %d", n, most);
    return ig_hint(
        err, "usage: %s %s%s%s%s", ig_program_name, c->name, c->options != NULL ? " [OPTIONS]" : "",
        c->args != NULL && c->args[0] != '\0' ? " " : "", c->args != NULL ? c->args : "");
}

static ig_code run_command(const ig_command *c, int argc, char **argv, const ig_common *leading,
                           ig_err *err)
{
    ig_option *o = NULL;
    char *config = NULL, **arg = NULL;
    unsigned char *given = NULL;
    ig_option_table t;
    int n_arg = 0;
    size_t common_offset = 0;
    ig_code code = merge_options(&o, &t, c, &common_offset, err);
    IG_THEN(code,
            ig_alloc(&config, (int64_t)(common_offset + sizeof(ig_common)), 1, "options", err));
    IG_THEN(code, ig_alloc(&arg, argc + 1, sizeof *arg, "arguments", err));
    IG_THEN(code, ig_options_default(&t, config, err));
    if (code != IG_ERR_OK)
        goto done;
    ig_common *common = (ig_common *)(void *)(config + common_offset);
    *common = *leading;
    /* Commands copy IG_OPTION_MAX of them, whatever their own number. */
    IG_THEN(code, ig_alloc(&given, t.n > IG_OPTION_MAX ? t.n : IG_OPTION_MAX, sizeof *given,
                           "options", err));
    if (code != IG_ERR_OK)
        goto done;
    code = ig_options_parse(&t, config, &(ig_arguments){argc, argv, arg, &n_arg, given}, err);
    if (code != IG_ERR_OK)
        goto done;
    if (common->help) {
        ig_help_command(stdout, c, n_arg == 1 && strcmp(arg[0], "all") == 0);
        goto done;
    }
    ig_log_set_level(common->quiet     ? IG_LOG_QUIET
                     : common->verbose ? IG_LOG_VERBOSE
                                       : IG_LOG_NORMAL);
    ig_log_set_progress(common->progress && !common->quiet);
    ig_written_allow(common->overwrite);
    (void)ig_bert_ignore_extra(common->ignore_extra);
    static char standard_input[] = "-";
    if (n_arg == 0 && c->args != NULL && strcmp(c->args, "[FILE…]") == 0)
        arg[n_arg++] = standard_input;
    code = check_arguments(c, n_arg, err);
    if (code == IG_ERR_OK && c->check != NULL)
        code = c->check(config, given, err);
    IG_THEN(code, c->run(config, n_arg, arg, err));
    ig_progress_end();
done:
    if (config != NULL && c->free != NULL)
        c->free(config);
    if (config != NULL)
        ig_options_free(&t, config);
    IG_FREE(given, arg, config, o);
    return code;
}

/* Options before the command, then the command. */
static ig_code find_and_run(int argc, char **argv, const ig_command **command, ig_err *err)
{
    ig_common common = {.progress = isatty(STDERR_FILENO) != 0};
    int n_used, n_leading = 0, i = 1;
    char *unused[1];
    for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s\n", ig_program_name, ig_version());
            return IG_ERR_OK;
        }
    }
    IG_TRY(ig_options_parse(&ig_common_options, &common,
                            &(ig_arguments){i - 1, argv + 1, unused, &n_leading, NULL}, err));
    if (common.help || i == argc) {
        ig_help_overview(stdout);
        return IG_ERR_OK;
    }
    if (i < argc && strcmp(argv[i], "__complete") == 0) {
        ig_complete(stdout, argv + i + 1, argc - i - 1);
        return IG_ERR_OK;
    }
    if (i + 1 < argc && strcmp(argv[i], IG_RANK_COMMAND) == 0)
        return ig_ranked_started(argv[i + 1], err);
    const ig_command *c = ig_command_find(argv + i, argc - i, &n_used);
    const bool help =
        i + 1 < argc && (strcmp(argv[i + 1], "--help") == 0 || strcmp(argv[i + 1], "-h") == 0);
    if (c == NULL && help && ig_help_group(stdout, argv[i]))
        return IG_ERR_OK;
    if (c == NULL)
        return ig_command_unknown(argv + i, argc - i, err);
    *command = c;
    return run_command(c, argc - i - n_used, argv + i + n_used, &common, err);
}

/* Blocks of up to 32 MiB, the most that glibc takes, stay with the program when they are freed:
 * measures ask for such blocks at each layer, and the kernel clears each page that it hands out. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argc, char **argv)
{
    ig_err err = {0};
    const ig_command *command = NULL;
    /* A write past the file size limit is then an error like any other (EFBIG), not a death. */
    signal(SIGXFSZ, SIG_IGN);
    keep_memory();
    ig_signals_failed_reads();
    ig_code code = find_and_run(argc, argv, &command, &err);
    if (code == IG_ERR_IO && ig_signals_asked() && strstr(err.msg, strerror(EINTR)) != NULL) {
        char where[sizeof err.where];
        snprintf(where, sizeof where, "%s", err.where);
        code = ig_fail(&err, IG_ERR_STOPPED, where, 0, "stopped while it waited for input");
    }
    errno = 0;
    bool broken = ferror(stdout) != 0;
    if (code == IG_ERR_OK && ig_json_lost())
        code = ig_fail(&err, IG_ERR_MEMORY, "", 0,
                       "memory ran out, and what was printed or written may lack something");
    if ((fflush(stdout) != 0 || broken) && code == IG_ERR_OK)
        code = ig_fail(&err, IG_ERR_IO, "standard output", 0, "cannot write: %s",
                       errno != 0 ? strerror(errno) : "an earlier write failed");
    if (code != IG_ERR_OK && !ig_ranked_silent(command))
        print_error(command != NULL ? command->name : "", &err);
    ig_ranked_end(code);
    return (int)code;
}
