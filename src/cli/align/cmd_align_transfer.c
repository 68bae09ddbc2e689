/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align transfer: word order against transfer over languages (Dufter & Schütze 2020, Table
 * 4).
 */
#include "base/memory.h"

#include "base/strings/append.h"
#include "cli/align/align_options.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "cli/print/table_print.h"
#include "evaluate/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_order_config order;
    char *reference;
    bool json;
} config;

static const ig_option options[] = {
    {IG_PATH(config, "reference", reference, "FILE",
             "accuracies by language (experiments/dufter2020/reference/table4.yaml)")},
    IG_ORDER_OPTIONS(config, order),
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
};

/* "de=FILE" or "de=FILE,FILE". */
static ig_code add(ig_transfer *t, const config *c, const char *arg, ig_err *err)
{
    const char *equal = strchr(arg, '=');
    char *text;
    if (equal == NULL || equal == arg || equal[1] == '\0')
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.100s', expected LANGUAGE=FILE[,FILE]",
                       arg);
    IG_TRY(ig_copy_text(&text, arg, "argument", err));
    text[equal - arg] = '\0';
    ig_code code = IG_ERR_OK;
    for (char *path = text + (equal - arg) + 1; path != NULL && code == IG_ERR_OK;) {
        char *comma = strchr(path, ',');
        if (comma != NULL)
            *comma = '\0';
        code =
            ig_transfer_add(t, text,
                            &(ig_transfer_links){path, (int)c->order.base,
                                                 (ig_variant)c->order.variant, c->order.possible},
                            err);
        path = comma != NULL ? comma + 1 : NULL;
    }
    ig_free(text);
    return code;
}

static void print_correlation(const char *what, const ig_transfer *t, bool reference, bool measured)
{
    ig_transfer_correlation c = ig_transfer_correlate(t, reference, measured);
    printf("%-40s", what);
    ig_print_number(c.without_source, 7, 2);
    ig_print_number(c.with_source, 7, 2);
    printf("%6d\n", c.n);
}

static void print_table(const ig_transfer *t)
{
    printf("language      \317\204   95 %% interval   used  reference   accuracy\n");
    for (int i = 0; i < t->n_row; i++) {
        const ig_transfer_row *r = &t->row[i];
        bool there = r->order.n_sentence > 0;
        printf("%-8s", r->language);
        ig_print_number(there ? r->score.tau.mean : (double)NAN, 7, 3);
        if (there)
            printf("   %5.3f \342\200\246 %5.3f %6lld", r->score.interval.low,
                   r->score.interval.high, (long long)r->order.n);
        else
            printf("%24s", "");
        ig_print_number(r->word_order, 10, 2);
        ig_print_number(r->accuracy, 10, 1);
        putchar('\n');
    }
    const char *en = t->source_language != NULL ? t->source_language : "source";
    printf("\nPearson's r with accuracy                without %s    with   languages\n", en);
    print_correlation("  measured here", t, false, true);
    print_correlation("  reference, the same languages", t, true, true);
    print_correlation("  reference, all", t, true, false);
    printf("reference: %s%s\n", t->source, t->verified ? "" : " (unverified)");
}

static ig_code run_align_transfer(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_transfer t = {0};
    if (c->reference == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--reference", 0,
                       "not given, expected a file of accuracies by language");
    ig_code code = ig_transfer_read(&t, c->reference, err);
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = add(&t, c, arg[i], err);
    if (code == IG_ERR_OK)
        ig_transfer_finish(&t);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(ig_transfer_json(&t), err);
    else if (code == IG_ERR_OK)
        print_table(&t);
    ig_transfer_free(&t);
    return code;
}

const ig_command ig_cmd_align_transfer = {
    .name = "align transfer",
    .summary = "correlate word order with the accuracy of transfer over languages",
    .args = "LANGUAGE=FILE[,FILE]…",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "Each FILE holds word alignments with that language ('isoglot help align order' shows "
        "the form). Prints tau beside the reference's and Pearson's correlation with accuracy, "
        "with and without the language that is transferred from, whose tau is 1.\n"
        "  isoglot align transfer --reference experiments/dufter2020/reference/table4.yaml "
        "de=en-de.tsv ru=en-ru.tsv es=en-es.tsv",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_align_transfer,
};
