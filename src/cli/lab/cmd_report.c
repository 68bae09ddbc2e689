/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot report: the tables of an experiment, its figures and its page.
 */
#include "base/file.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/strings/encoding.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "cli/print/print.h"
#include "lab/laboratory.h"
#include "lab/report/lab_report.h"
#include "report/results/results_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIVE_SECONDS = 5 };

typedef struct {
    ig_lab_place place;
    ig_lab_report_options o; /* steps and results follow from the other options */
    ig_result_lines lines;
    char *html, *figures;
    ig_text_list results;
    ig_table_form format;
    bool json, csv, metrics, bare, readme, check, live;
} report_config;

static const ig_option options[] = {
    {.group = "Tables",
     IG_TEXT(report_config, "table", o.table, NULL, "NAME", "only this table of the file")},
    {IG_TEXT(report_config, "columns", o.columns, NULL, "QUANTITIES",
             "only these columns, and in this order: mu,rho[high],perplexity[dev]")},
    {IG_TEXT(report_config, "only", o.only, NULL, "SELECTOR",
             "only these cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos")},
    {IG_FLAG(report_config, "done", o.done, NULL,
             "only what is finished: no rows of cells without a finished run, nothing of what is "
             "missing")},
    {IG_TEXT(
        report_config, "pivot", o.pivot, NULL, "AXIS",
        "put the values of this axis, or with 'seed' the seeds, side by side, each in a column of "
        "its own")},
    IG_TABLE_FORM_OPTIONS(report_config, format, json, "how tables are written"),
    {IG_FLAG(report_config, "csv", csv, NULL, "as --as csv")},
    {IG_FLAG(report_config, "metrics", metrics, NULL,
             "instead of tables, every measured value of every run and checkpoint as CSV")},
    {IG_FLAG(report_config, "paper", lines.paper, "true",
             "below each row the paper's numbers, and ours minus them")},
    {IG_FLAG(report_config, "beside", lines.beside, NULL,
             "the paper's numbers in columns beside ours instead of lines below")},
    {IG_FLAG(report_config, "interval", lines.interval, NULL,
             "below each row 95 % intervals of the means")},
    {IG_FLAG(report_config, "compare", lines.compare, NULL,
             "below each row the difference from the base cell, its p, and the seeds that would "
             "show it")},
    {IG_FLAG(report_config, "ids", lines.ids, NULL,
             "rows by their names alone, without what they differ in")},
    {IG_FLAG(report_config, "bare", bare, NULL,
             "tables alone: without title, caption and the lines below")},
    {.group = "Files",
     IG_PATH(report_config, "html", html, "DIR",
             "write the page DIR/index.html, one file with everything in it")},
    {IG_FLAG(report_config, "live", live, NULL,
             "write the page (--html; else in the store's folder live) again every five seconds, "
             "until no run may finish any more; in a browser it loads itself again")},
    {IG_PATH(report_config, "figures", figures, "DIR",
             "draw each figure into DIR as NAME.svg, NAME.pdf and NAME.png")},
    {IG_TEXTS(report_config, "results", results, "FILE",
              "read results that isoglot export wrote, in place of a store; may be given more than "
              "once"),
     .group = "Results as files"},
    {IG_FLAG(report_config, "readme", readme, NULL,
             "FILE is a Markdown file: remake its tables, each between <!-- isoglot report "
             "… --> and <!-- end -->")},
    {IG_FLAG(report_config, "check", check, NULL,
             "with --readme: change nothing, and fail where a table is another than its results "
             "give")},
    IG_LAB_PLACE_OPTIONS(report_config, place),
};

static ig_code print_table(FILE *fp, const report_config *c, const ig_lab_report *r, int i,
                           ig_err *err)
{
    const ig_result_table *t = &r->table[i];
    const bool first = i == 0;
    ig_table *table = NULL;
    if (t->n_row == 0 && c->format != IG_FORM_CSV)
        return IG_ERR_OK; /* none of its rows was selected */
    IG_TRY(c->format == IG_FORM_CSV ? ig_result_table_tidy(&table, t, err)
                                    : ig_table_of_results(&table, t, &c->lines, err));
    if (c->format != IG_FORM_CSV)
        ig_lab_report_explain(table, r, i);
    if (c->bare) {
        table->n_note = 0;
        table->title = table->caption = NULL;
    }
    bool another = false;
    for (int k = 0; k < i; k++)
        another = another || r->table[k].n_row > 0;
    if (another && c->format != IG_FORM_CSV)
        putc('\n', fp);
    return ig_table_put(fp, table, c->format, first, err);
}

/* Below all tables. */
static ig_code print_claims(FILE *fp, const report_config *c, const ig_lab_report *r, ig_err *err)
{
    ig_table *t;
    if (r->claims.n_claim == 0 || c->o.table != NULL || c->format == IG_FORM_CSV)
        return IG_ERR_OK;
    IG_TRY(ig_claim_results_table(&t, &r->claims, err));
    putc('\n', fp);
    return ig_table_put(fp, t, c->format, true, err);
}

/* All rows of all finished runs. */
static ig_code print_rows(FILE *fp, const ig_store_result *s, ig_err *err)
{
    IG_TRY(ig_result_file_csv(fp, NULL, NULL, 0, err));
    for (int64_t i = 0; i < s->n_entry; i++)
        if (s->entry[i].run.status == IG_RUN_DONE)
            IG_TRY(ig_result_file_csv(fp, &s->entry[i], ig_store_rows(s, &s->entry[i]),
                                      s->entry[i].n_metric, err));
    return IG_ERR_OK;
}

static ig_code print_results(const report_config *c, const ig_lab_report *r, ig_err *err)
{
    if (c->metrics)
        return print_rows(stdout, r->results.store, err);
    if (c->format == IG_FORM_JSON)
        return ig_json_print(ig_lab_report_json(r), err);
    for (int i = 0; i < r->n_table; i++)
        IG_TRY(print_table(stdout, c, r, i, err));
    for (int i = 0;
         c->format == IG_FORM_TEXT && c->o.table == NULL && i < r->experiment->report.n_figure;
         i++) {
        char *onset = ig_lab_report_onset(r, i);
        if (onset != NULL)
            printf("\n%s: %s\n", r->experiment->report.figure[i].name, onset);
        free(onset);
    }
    return print_claims(stdout, c, r, err);
}

/* Writes the requested parts; tables go to standard output unless only files were requested. */
static ig_code report(const report_config *c, const ig_lab_report *r, ig_err *err)
{
    bool print = c->json || c->csv || c->metrics || c->format != IG_FORM_TEXT ||
                 (c->html == NULL && c->figures == NULL);
    if (c->html != NULL) {
        IG_TRY(ig_lab_report_page(r, c->html, err));
        ig_log(IG_LOG_NORMAL, "%s/index.html", c->html);
    }
    if (c->figures != NULL) {
        int n;
        IG_TRY(ig_lab_report_figures(&n, r, c->figures, err));
        ig_log(IG_LOG_NORMAL, "%s: %d file%s", c->figures, n, ig_s(n));
    }
    return print ? print_results(c, r, err) : IG_ERR_OK;
}

/* Returns the checkpoints whose measures the report needs. */
static ig_lab_steps steps_of(const report_config *c)
{
    return c->metrics                              ? IG_LAB_ALL_STEPS
           : c->html != NULL || c->figures != NULL ? IG_LAB_FIGURES
           : c->format == IG_FORM_JSON || (c->format == IG_FORM_TEXT && c->o.table == NULL)
               ? IG_LAB_ONSETS
               : IG_LAB_FINISHED;
}

static ig_lab_report_options requested(const report_config *c)
{
    ig_lab_report_options o = c->o;
    o.steps = steps_of(c);
    o.results = (const char *const *)c->results.text;
    o.n_results = c->results.n;
    return o;
}

/* --- tables of a Markdown file ---------------------------------------------------------------- */

/* Each stands between two lines,
 *
 *   <!-- isoglot report mini.yaml --results results/mini.jsonl --as markdown -->
 *   <!-- end -->
 *
 * the first of which is the command that prints it, as it is typed in the file's folder. */
static const char begin_mark[] = "<!-- isoglot report ", begin_end[] = "-->",
                  end_mark[] = "<!-- end -->";
static const int64_t size_limit = 64 << 20;
enum { WORDS_MAX = 64 }; /* of a command, its name not counted */

typedef struct {
    const char *path, *p; /* p: what is read next */
    char *dir;
    uint64_t line; /* of p */
    FILE *out;
    int n_table;
    uint64_t differs; /* the line of the first mark whose table is another; 0: none */
    ig_err *err;
} reading;

/* A path of a command as seen from here: "DIR/PATH" unless it is absolute. */
static ig_code path_from(char **path, const char *dir, ig_err *err)
{
    char *joined;
    if ((*path)[0] == '/')
        return IG_ERR_OK;
    IG_TRY(ig_path_join(&joined, dir, *path, err));
    ig_free(*path);
    *path = joined;
    return IG_ERR_OK;
}

/* Writes the text between the marks of one table: the output of `isoglot report` with these
 * arguments, in the folder of the Markdown file. */
static ig_code readme_table(FILE *fp, const char *dir, int argc, char **argv, ig_err *err)
{
    static const ig_option_table table = IG_OPTION_TABLE(options);
    report_config c = {0};
    ig_experiment e = {0};
    ig_lab_report r = {0};
    char *file = NULL, *arg[WORDS_MAX];
    int n_arg = 0;
    IG_TRY(ig_options_default(&table, &c, err));
    ig_code code =
        ig_options_parse(&table, &c, &(ig_arguments){argc, argv, arg, &n_arg, NULL}, err);
    if (code == IG_ERR_OK && (n_arg != 1 || c.results.n == 0 || c.format != IG_FORM_MARKDOWN ||
                              c.json || c.csv || c.metrics || c.html != NULL || c.figures != NULL))
        code = ig_fail(err, IG_ERR_USAGE, "", 0,
                       "expected isoglot report FILE --results FILE --as markdown, and which "
                       "table");
    for (int i = 0; i < c.results.n && code == IG_ERR_OK; i++)
        code = path_from(&c.results.text[i], dir, err);
    IG_THEN(code, ig_path_join(&file, dir, arg[0], err));
    IG_THEN(code, ig_lab_place_read(&e, file, &c.place, err));
    const ig_lab_report_options o = requested(&c);
    IG_THEN(code, ig_lab_report_open(&r, &e, NULL, &o, err));
    for (int i = 0; i < r.n_table && code == IG_ERR_OK; i++)
        code = print_table(fp, &c, &r, i, err);
    IG_THEN(code, print_claims(fp, &c, &r, err));
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
    ig_free(file);
    ig_options_free(&table, &c);
    return code;
}

/* Splits a command into words as a shell does that knows blanks and single quotes; text is
 * overwritten. */
static ig_code split(char **word, int *n, char *text, const reading *r)
{
    char *to = text;
    *n = 0;
    for (const char *p = text;;) {
        p += strspn(p, " \t");
        if (*p == '\0')
            return IG_ERR_OK;
        if (*n == WORDS_MAX)
            return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                           "found more than %d words, expected a command", WORDS_MAX);
        word[(*n)++] = to;
        for (bool quoted = false; *p != '\0' && (quoted || strchr(" \t", *p) == NULL); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else
                *to++ = *p;
            if (quoted && p[1] == '\0')
                return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                               "found a ' without another, expected both");
        }
        p += *p != '\0';
        *to++ = '\0'; /* never after p: each word has given up its blank */
    }
}

static bool is_line(const char *p, const char *mark)
{
    const size_t n = strlen(mark);
    return strncmp(p, mark, n) == 0 && (p[n] == '\n' || p[n] == '\r' || p[n] == '\0');
}

/* Behind the end of the line. */
static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return p + (*p == '\n');
}

/* Makes line ends CR LF. */
static ig_code end_with_crlf(char **text, size_t *size, ig_err *err)
{
    char *old = *text, *to;
    IG_TRY(ig_alloc(&to, 2 * (int64_t)*size + 1, 1, "a table", err));
    *text = to;
    for (const char *p = old; p < old + *size; p++) {
        if (*p == '\n')
            *to++ = '\r';
        *to++ = *p;
    }
    *size = (size_t)(to - *text);
    ig_free(old);
    return IG_ERR_OK;
}

/* Makes the output of a mark's command, with a blank line before and after it. */
static ig_code make_table(char **text, size_t *size, const reading *r, const char *command,
                          size_t n)
{
    char *words, *word[WORDS_MAX];
    int n_word;
    FILE *fp = open_memstream(text, size);
    if (fp == NULL)
        return ig_fail(r->err, IG_ERR_MEMORY, r->path, r->line, "not enough memory for a table");
    ig_code code = ig_alloc(&words, (int64_t)n + 1, 1, "a command", r->err);
    if (code == IG_ERR_OK) {
        memcpy(words, command, n);
        code = split(word, &n_word, words, r);
        putc('\n', fp);
        ig_err why = {0};
        IG_THEN(code, readme_table(fp, r->dir, n_word, word, &why));
        if (why.code != IG_ERR_OK) {
            char at[64] = "";
            if (why.line > 0)
                snprintf(at, sizeof at, ":%llu", (unsigned long long)why.line);
            ig_fail(r->err, code, r->path, r->line, "%.100s%s%s%.250s", why.where, at,
                    why.where[0] != '\0' ? ": " : "", why.msg);
            if (why.hint[0] != '\0')
                ig_hint(r->err, "%s", why.hint);
        }
        putc('\n', fp);
        ig_free(words);
    }
    if (!ig_memstream_close(fp) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, r->path, r->line, "not enough memory for a table");
    return code;
}

/* A mark, and what is between it and its end. */
static ig_code read_table(reading *r)
{
    const char *body = next_line(r->p), *close = strstr(r->p, begin_end), *end = body;
    uint64_t lines = 1;
    if (close == NULL || close >= body || !is_line(close, begin_end))
        return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found a mark without -->, expected it at the end of its line");
    for (; *end != '\0' && !is_line(end, end_mark); end = next_line(end), lines++)
        if (strncmp(end, begin_mark, strlen(begin_mark)) == 0)
            break;
    if (!is_line(end, end_mark))
        return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found no line %s, expected it after the table", end_mark);
    IG_OWNED char *text = NULL;
    size_t size = 0;
    const char *command = r->p + strlen(begin_mark);
    IG_TRY(make_table(&text, &size, r, command, (size_t)(close - command)));
    if (close[strlen(begin_end)] == '\r')
        IG_TRY(end_with_crlf(&text, &size, r->err));
    const bool same = size == (size_t)(end - body) && memcmp(text, body, size) == 0;
    if (!same && r->differs == 0)
        r->differs = r->line;
    fwrite(r->p, 1, (size_t)(body - r->p), r->out);
    fwrite(text, 1, size, r->out);
    r->n_table++;
    r->line += lines;
    r->p = end;
    return IG_ERR_OK;
}

static ig_code read_all(reading *r, const char *text)
{
    r->p = text;
    r->line = 1;
    while (*r->p != '\0') {
        if (strncmp(r->p, begin_mark, strlen(begin_mark)) == 0)
            IG_TRY(read_table(r));
        const char *next = next_line(r->p);
        fwrite(r->p, 1, (size_t)(next - r->p), r->out);
        r->p = next;
        r->line++;
    }
    return IG_ERR_OK;
}

static ig_code folder_of(char **dir, const char *path, ig_err *err)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash == NULL ? 0 : slash > path ? (size_t)(slash - path) : 1;
    IG_TRY(ig_alloc(dir, (int64_t)n + 2, 1, "a folder", err));
    memcpy(*dir, n > 0 ? path : ".", n > 0 ? n : 1);
    return IG_ERR_OK;
}

/* Makes the file with the tables of its results. */
static ig_code make_anew(reading *r, char **made, size_t *size, const char *text)
{
    r->out = open_memstream(made, size);
    if (r->out == NULL)
        return ig_fail(r->err, IG_ERR_MEMORY, r->path, 0, "not enough memory for the file");
    ig_code code = read_all(r, text);
    if (!ig_memstream_close(r->out) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, r->path, 0, "not enough memory for the file");
    return code;
}

/* Nothing but the tables is changed, and a file that has them already is left alone. check: nothing
 * is written, and the first table that is another is IG_ERR_INPUT with its line. */
static ig_code readme_tables(const char *path, bool check, ig_err *err)
{
    reading r = {.path = path, .err = err};
    IG_OWNED char *text = NULL, *made = NULL;
    int64_t n;
    size_t size;
    ig_code code = ig_file_read(&text, &n, path, size_limit, err);
    IG_THEN(code, ig_check_text(text, n, path, err));
    IG_THEN(code, folder_of(&r.dir, path, err));
    IG_THEN(code, make_anew(&r, &made, &size, text));
    if (code == IG_ERR_OK && r.differs > 0 && check) {
        ig_fail(err, IG_ERR_INPUT, path, r.differs,
                "found another table than its results give, expected the same");
        code = ig_hint(err, "isoglot report --readme %s remakes it", path);
    } else if (code == IG_ERR_OK && r.differs > 0)
        code = ig_file_write(path, made, (int64_t)size, err);
    if (code == IG_ERR_OK)
        ig_log(IG_LOG_NORMAL, "%s: %d table%s%s", path, r.n_table, ig_s(r.n_table),
               r.differs > 0 ? ", remade" : "");
    ig_free(r.dir);
    return code;
}

/* --- the command ------------------------------------------------------------------------------ */

static ig_code may_finish(bool *more, const ig_experiment *e, const char *store, ig_err *err)
{
    IG_OWNED ig_lab_state *s = NULL;
    int n;
    const ig_code code = ig_lab_status(&s, &n, e, store, err);
    *more = code == IG_ERR_OK && ig_lab_may_finish(e, s, n);
    return code;
}

/* Reports once. *again: with --live, there is something to wait for. */
static ig_code report_once(bool *again, const report_config *c, const char *file, ig_err *err)
{
    ig_experiment *e = NULL;
    ig_lab_report r = {0};
    const ig_lab_report_options o = requested(c);
    const char *store = ig_lab_store(c->place.store);
    bool more = false;
    IG_TRY(ig_alloc(&e, 1, sizeof *e, "experiment", err));
    ig_code code = ig_lab_place_read(e, file, &c->place, err);
    if (code == IG_ERR_OK) {
        code = ig_lab_report_open(&r, e, store, &o, err);
        if (code == IG_ERR_IO && o.n_results == 0 && !ig_dir_exists(store))
            code = ig_lab_place_no_store(e, code, err);
        if (code == IG_ERR_OK && r.results.n_cell == 0) {
            ig_log(IG_LOG_NORMAL, "%s: no run is finished yet", e->name);
            if (o.n_results == 0)
                code = ig_lab_place_no_store(e, code, err);
        }
        if (code == IG_ERR_OK && c->live)
            code = may_finish(&more, e, store, err);
        r.live = more ? LIVE_SECONDS : 0;
        IG_THEN(code, report(c, &r, err));
        if (code == IG_ERR_OK && o.n_results == 0) /* an error is one line */
            ig_lab_place_store(store);
        ig_lab_report_close(&r);
        ig_experiment_free(e);
    }
    ig_free(e);
    *again = more;
    return code;
}

static ig_code report_file(report_config *c, const char *file, ig_err *err)
{
    bool again = false;
    for (;;) {
        IG_TRY(report_once(&again, c, file, err));
        if (!again)
            return IG_ERR_OK;
        ig_log_set_level(IG_LOG_QUIET); /* it has been said */
        sleep(LIVE_SECONDS);
    }
}

/* A folder of experiments: the page of all their claims. */
static ig_code report_folder(const report_config *c, const char *dir, ig_err *err)
{
    if (c->html == NULL)
        return ig_fail(err, IG_ERR_USAGE, dir, 0,
                       "found a folder, expected a file, or --html for the claims of all its "
                       "experiments");
    IG_TRY(ig_lab_replication_page(dir, c->html, err));
    ig_log(IG_LOG_NORMAL, "%s/index.html", c->html);
    return IG_ERR_OK;
}

static ig_code run_report(void *config, int n_arg, char *const *arg, ig_err *err)
{
    report_config c = *(report_config *)config;
    if (c.check && !c.readme)
        return ig_fail(err, IG_ERR_USAGE, "--check", 0, "is of --readme, which is not given");
    for (int i = 0; i < n_arg && c.readme; i++)
        IG_TRY(readme_tables(arg[i], c.check, err));
    if (c.readme)
        return IG_ERR_OK;
    if (n_arg != 1)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found %d arguments, expected 1", n_arg);
    if (c.json + c.csv + c.metrics + (c.format != IG_FORM_TEXT) > 1)
        return ig_fail(err, IG_ERR_USAGE, "", 0,
                       "found several of --as, --json, --csv, --metrics, expected one");
    if (c.live && c.results.n > 0)
        return ig_fail(err, IG_ERR_USAGE, "--live", 0, "is of a store's runs, not of --results");
    if (ig_dir_exists(arg[0]))
        return report_folder(&c, arg[0], err);
    char *page = NULL;
    if (c.live && c.html == NULL) {
        IG_TRY(ig_path_join(&page, ig_lab_store(c.place.store), "live", err));
        c.html = page;
        ig_log(IG_LOG_NORMAL, "%s/index.html", page);
    }
    c.format = c.json ? IG_FORM_JSON : c.csv ? IG_FORM_CSV : c.format;
    const ig_code code = report_file(&c, arg[0], err);
    ig_free(page);
    return code;
}

const ig_command ig_cmd_report = {
    .name = "report",
    .summary = "tables, figures and the page of an experiment",
    .args = "FILE|DIR|-",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "FILE is the experiment file given to `isoglot run`. Reports the runs that are finished, "
        "and lists what is missing. A row is a cell: mean ± sd of its seeds, below it the "
        "paper's numbers. Stars show the significance of the difference from the base cell. DIR "
        "is a folder of experiments, or of such folders; --html then writes one page of all their "
        "claims, "
        "from the results beside them. --json and --csv give every number with its origin.\n"
        "Examples:\n"
        "  isoglot report experiments/dufter2020/table1-mini.yaml\n"
        "  isoglot report table1-mini.yaml --table table1 --as latex --no-paper\n"
        "  isoglot report table1-mini.yaml --html page --figures figures\n"
        "  isoglot report window.yaml --done --pivot window\n"
        "  isoglot report table1-mini.yaml --results results/table1-mini.jsonl\n"
        "  isoglot report --readme experiments/k2020/README.md\n"
        "  isoglot report experiments --html docs/replication\n"
        "  isoglot report table1-mini.yaml --json | jq '.tables[0].rows[] | {cell, mu: "
        ".values.mu.mean}'",
    IG_COMMAND_OPTIONS(options, report_config),
    .run = run_report,
};
