/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot status: how far an experiment is, from the folders of its runs.
 */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/json_print.h"
#include "cli/lab_options.h"
#include "lab/laboratory.h"
#include "report/table_format.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_lab_place place;
    bool json;
} status_config;

static const ig_option options[] = {
    {.name = "json",
     .kind = IG_OPT_FLAG,
     .offset = offsetof(status_config, json),
     .help = "every run as JSON"},
    IG_LAB_PLACE_OPTIONS(status_config, place),
};

enum { N_STATUS = IG_RUN_DONE + 1 };

static json_t *as_json(const ig_experiment *e, const char *store, const ig_lab_state *s, int n)
{
    json_t *runs = json_array(), *counts = json_object();
    int count[N_STATUS] = {0};
    for (int i = 0; i < n; i++) {
        count[s[i].status]++;
        json_array_append_new(
            runs, json_pack("{s:s, s:s, s:I, s:s, s:s, s:I, s:o, s:s}", "cell",
                            e->cell[s[i].cell].name, "label", e->cell[s[i].cell].label, "seed",
                            (json_int_t)s[i].seed, "address", s[i].address, "status",
                            ig_run_status_name(s[i].status), "step", (json_int_t)s[i].step,
                            "updates", s[i].n_step > 0 ? json_integer(s[i].n_step) : json_null(),
                            "message", s[i].message));
    }
    for (int k = N_STATUS - 1; k >= 0; k--)
        json_object_set_new(counts, ig_run_status_name((ig_run_status)k), json_integer(count[k]));
    return json_pack("{s:s, s:s, s:i, s:o, s:o}", "experiment", e->name, "store", store, "n_runs",
                     n, "counts", counts, "runs", runs);
}

static void print_counts(const int count[N_STATUS])
{
    const char *comma = "";
    for (int k = N_STATUS - 1; k >= 0; k--)
        if (count[k] > 0) {
            printf("%s%d %s", comma, count[k], ig_run_status_name((ig_run_status)k));
            comma = ", ";
        }
    putchar('\n');
}

/* Two spaces, and the text in a column of that width. */
static void put_cell(const char *text, int width)
{
    const int is = ig_text_width(text);
    printf("  %s%*s", text, is < width ? width - is : 0, "");
}

static void print_text(const ig_experiment *e, const char *store, const ig_lab_state *s, int n)
{
    enum { LABEL_MAX = 60 };
    int all[N_STATUS] = {0}, width = 4, label = 8;
    for (int i = 0; i < n; i++)
        all[s[i].status]++;
    for (int k = 0; k < e->n_cell; k++) {
        const int name = ig_text_width(e->cell[k].name), text = ig_text_width(e->cell[k].label);
        width = name > width ? name : width;
        label = text > label && text <= LABEL_MAX ? text : label;
    }
    printf("%s in %s: %d run%s: ", e->name, store, n, n == 1 ? "" : "s");
    print_counts(all);
    for (int k = 0, i = 0; k < e->n_cell; k++) {
        int count[N_STATUS] = {0}, from = i;
        for (; i < n && s[i].cell == k; i++)
            count[s[i].status]++;
        put_cell(e->cell[k].name, width);
        put_cell(e->cell[k].label, label);
        fputs("  ", stdout);
        print_counts(count);
        for (int j = from; j < i; j++) {
            if (s[j].status == IG_RUN_RUNNING ||
                (s[j].status == IG_RUN_STOPPED && !*s[j].message)) {
                printf("  %*s    seed %lld %s at %lld", width, "", (long long)s[j].seed,
                       ig_run_status_name(s[j].status), (long long)s[j].step);
                if (s[j].n_step > 0)
                    printf(" of %lld", (long long)s[j].n_step);
                putchar('\n');
            } else if (s[j].message[0] != '\0' && s[j].status == IG_RUN_MISSING) {
                /* Of a cell that cannot be run every seed says the same. */
                if (j == from)
                    printf("  %*s    %s\n", width, "", s[j].message);
            } else if (s[j].message[0] != '\0')
                printf("  %*s    seed %lld %s: %s\n", width, "", (long long)s[j].seed,
                       ig_run_status_name(s[j].status), s[j].message);
        }
    }
}

static ig_code run(const ig_command *self, void *config, int n_arg, char *const *arg, ig_err *err)
{
    const status_config *c = config;
    const char *store = ig_lab_store(c->place.store);
    (void)self;
    (void)n_arg;
    ig_experiment e = {0};
    ig_lab_state *s = NULL;
    int n = 0;
    IG_TRY(ig_lab_place_read(&e, arg[0], &c->place, err));
    ig_code code = ig_experiment_check(&e, err);
    if (code == IG_ERR_OK)
        code = ig_lab_status(&s, &n, &e, store, err);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(as_json(&e, store, s, n), err);
    else if (code == IG_ERR_OK)
        print_text(&e, store, s, n);
    ig_free(s);
    ig_experiment_free(&e);
    return code;
}

const ig_command ig_cmd_status = {
    .name = "status",
    .summary = "tell how far an experiment is",
    .args = "FILE",
    .min_arg = 1,
    .max_arg = 1,
    .details = "Counts the runs of every cell that are done, running, stopped, failed or missing. "
               "Only the folders are read:\n"
               "what other machines work on is seen too.",
    .options = options,
    .n_option = (int)(sizeof options / sizeof *options),
    .config_size = sizeof(status_config),
    .run = run,
};
