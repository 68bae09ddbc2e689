/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align order: how alike two languages order their words, from word alignments.
 */
#include "base/memory.h"

#include "cli/align/align_options.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "evaluate/transfer.h"

#include <math.h>
#include <stdio.h>

const char *const ig_variant_names[] = {"fixed", "paper-text", "paper-code", NULL};

typedef struct {
    ig_order_config order;
    bool json;
} config;

static const ig_option options[] = {
    IG_ORDER_OPTIONS(config, order),
    {IG_FLAG(config, "json", json, NULL, "print a JSON object by file")},
};

static ig_code measure(ig_word_order *w, ig_word_order_score *s, const config *c, const char *path,
                       ig_err *err)
{
    ig_word_link_reader *r;
    IG_TRY(ig_word_links_open(&r, path, (int)c->order.base, err));
    ig_code code = IG_ERR_OK;
    for (bool end = false; code == IG_ERR_OK && !end;) {
        ig_word_links l;
        code = ig_word_links_next(r, &l, &end, err);
        if (code == IG_ERR_OK && !end)
            code = ig_word_order_add(w, &l, err);
    }
    ig_word_links_close(r);
    if (code == IG_ERR_OK && w->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no sentence with two links, expected at least one");
    if (code == IG_ERR_OK)
        *s = ig_word_order_get(w);
    return code;
}

typedef struct {
    ig_word_order order;
    ig_word_order_score score;
} result;

static ig_code print_json(const result *r, char *const *arg, int n, ig_err *err)
{
    json_t *all = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(all, arg[i], ig_word_order_json(&r[i].order, &r[i].score));
    return ig_json_print(all, err);
}

/* One sentence has neither an interval nor a standard deviation. */
static void print_number(double x)
{
    if (isnan(x))
        printf("%5s", "-");
    else
        printf("%5.3f", x);
}

static void print_table(const result *r, char *const *arg, int n)
{
    printf("    \317\204   95 %% interval      sd  sentences    used    links\n");
    for (int i = 0; i < n; i++) {
        print_number(r[i].score.tau.mean);
        printf("   ");
        print_number(r[i].score.interval.low);
        printf(" \342\200\246 ");
        print_number(r[i].score.interval.high);
        printf("   ");
        print_number(r[i].score.tau.sd);
        printf("  %9lld  %6lld  %7lld  %s\n", (long long)r[i].order.n_sentence,
               (long long)r[i].order.n, (long long)r[i].order.n_link, arg[i]);
    }
}

static ig_code run_align_order(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    result *r;
    IG_TRY(ig_alloc(&r, n_arg, sizeof *r, "results", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++) {
        r[i].order.variant = (ig_variant)c->order.variant;
        r[i].order.possible = c->order.possible;
        code = measure(&r[i].order, &r[i].score, c, arg[i], err);
    }
    if (code == IG_ERR_OK && c->json)
        code = print_json(r, arg, n_arg, err);
    else if (code == IG_ERR_OK)
        print_table(r, arg, n_arg);
    for (int i = 0; i < n_arg; i++)
        ig_word_order_free(&r[i].order);
    ig_free(r);
    return code;
}

const ig_command ig_cmd_align_order = {
    .name = "align order",
    .summary = "Kendall's tau of word order from word alignments",
    .args = "FILE…",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "A line of FILE is a sentence pair: links such as '0-0 1-2' (possible ones '3p4'), alone "
        "or after the two sentences, separated by tabs. Prints the mean over sentences with its "
        "95 % interval.\n"
        "  isoglot align order en-de.pharaoh en-tr.pharaoh --base 1\n"
        "  isoglot align order gold.tsv --variant paper-code --json",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_align_order,
};
