/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align order, score, transfer: how alike two languages order their words, from word
 * alignments; alignments against a gold standard; word order against transfer over languages
 * (Dufter & Schütze 2020, Table 4).
 */
#include "analyse/links/alignment_error.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/strings/append.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/read/parallel_text.h"
#include "evaluate/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const variants[] = {"fixed", "paper-text", "paper-code", NULL};

/* Settings of all three commands. */
typedef struct {
    ig_transfer_links links; /* without a path */
    int gold_base;
    char *reference;
    bool json;
} config;

#define BASE_OPTION                                                                                \
    {                                                                                              \
        IG_INT_AS(config, "base", links.base, "0", "0|1", 0, 1,                                    \
                  "number of a sentence's first word in the files")                                \
    }

#define ORDER_OPTIONS                                                                              \
    BASE_OPTION,                                                                                   \
        {.old = "variant",                                                                         \
         IG_ENUM(config, "definition", links.variant, "fixed", variants,                           \
                 "what tau of a sentence is (docs/measures.md)")},                                 \
    {                                                                                              \
        IG_FLAG(config, "possible", links.possible, NULL,                                          \
                "count possible links like sure ones; otherwise they are ignored")                 \
    }

/* --- order ------------------------------------------------------------------------------------ */

static const ig_option order_options[] = {
    ORDER_OPTIONS,
    {IG_FLAG(config, "json", json, NULL, "print a JSON object by file")},
};

typedef struct {
    ig_word_order order;
    ig_word_order_score score;
} result;

static ig_code print_orders_json(const result *r, char *const *arg, int n, ig_err *err)
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

static void print_orders(const result *r, char *const *arg, int n)
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
    IG_OWNED result *r = NULL;
    IG_TRY(ig_alloc(&r, n_arg, sizeof *r, "results", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++) {
        ig_transfer_links links = c->links;
        links.path = arg[i];
        code = ig_word_order_read(&r[i].order, &links, err);
        if (code == IG_ERR_OK && r[i].order.n == 0)
            code = ig_fail(err, IG_ERR_INPUT, arg[i], 0,
                           "found no sentence with two links, expected at least one");
        r[i].score = ig_word_order_get(&r[i].order);
    }
    if (code == IG_ERR_OK && c->json)
        code = print_orders_json(r, arg, n_arg, err);
    else if (code == IG_ERR_OK)
        print_orders(r, arg, n_arg);
    for (int i = 0; i < n_arg; i++)
        ig_word_order_free(&r[i].order);
    return code;
}

const ig_command ig_cmd_align_order = {
    .name = "align order",
    .summary = "Kendall's tau of word order from word alignments",
    .args = "FILE…",
    .details =
        "A line of FILE is a sentence pair: links such as '0-0 1-2' (possible ones '3p4'), alone "
        "or after the two sentences, separated by tabs. Prints the mean over sentences with its "
        "95 % interval.\n"
        "  isoglot align order en-de.pharaoh en-tr.pharaoh --base 1\n"
        "  isoglot align order gold.tsv --definition paper-code --json",
    IG_COMMAND_OPTIONS(order_options, config),
    .run = run_align_order,
};

/* --- score ------------------------------------------------------------------------------------ */

static const ig_option score_options[] = {
    BASE_OPTION,
    {IG_INT_AS(config, "gold-base", gold_base, "0", "0|1", 0, 1, "the same in GOLD")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
};

typedef struct {
    ig_word_link_reader *links;
    const char *option; /* that sets its base */
    int base;
} side;

/* The links of one file must fit the sentences of the other, where that has them. */
static ig_code check_places(const side *of, const ig_word_links *links, const ig_word_links *text,
                            ig_err *err)
{
    for (int32_t i = 0; i < links->n && text->n_a >= 0; i++) {
        const ig_word_link *l = &links->link[i];
        if (l->a < text->n_a && l->b < text->n_b)
            continue;
        ig_code code = ig_fail(err, IG_ERR_INPUT, ig_word_links_where(of->links),
                               ig_word_links_line(of->links),
                               "found link %d-%d, but the sentences have %d and %d words",
                               l->a + of->base, l->b + of->base, text->n_a, text->n_b);
        return of->base == 0 && (l->a == text->n_a || l->b == text->n_b)
                   ? ig_hint(err, "do the places count from 1? %s 1", of->option)
                   : code;
    }
    return IG_ERR_OK;
}

/* Sentences that both files have must be the same ones. */
static ig_code check_words(const side of[2], const ig_word_links *p, const ig_word_links *gold,
                           ig_err *err)
{
    if (p->n_a >= 0 && gold->n_a >= 0 && (p->n_a != gold->n_a || p->n_b != gold->n_b))
        return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(of[0].links),
                       ig_word_links_line(of[0].links),
                       "sentences of %d and %d words, but gold has %d and %d", p->n_a, p->n_b,
                       gold->n_a, gold->n_b);
    IG_TRY(check_places(&of[0], p, gold, err));
    return check_places(&of[1], gold, p, err);
}

static ig_code compare(ig_alignment_error *e, const side of[2], ig_err *err)
{
    for (;;) {
        ig_word_links a, b;
        bool end[2];
        IG_TRY(ig_word_links_next(of[0].links, &a, &end[0], err));
        IG_TRY(ig_word_links_next(of[1].links, &b, &end[1], err));
        if (end[0] && end[1])
            return IG_ERR_OK;
        if (end[0] != end[1]) {
            const ig_word_link_reader *early = of[end[0] ? 0 : 1].links;
            return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(early), ig_word_links_line(early),
                           "ends here, expected as many lines as %.200s has",
                           ig_word_links_where(of[end[0] ? 1 : 0].links));
        }
        IG_TRY(check_words(of, &a, &b, err));
        ig_alignment_error_add(e, &a, &b);
    }
}

static ig_code print(const config *c, const ig_alignment_error *e, ig_err *err)
{
    ig_alignment_error_score s = ig_alignment_error_get(e);
    if (c->json)
        return ig_json_print(
            json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "precision",
                      ig_json_number(s.precision), "recall", ig_json_number(s.recall), "f1",
                      ig_json_number(s.f1), "aer", ig_json_number(s.aer), "n_sentences",
                      (json_int_t)e->n_sentence, "n_predicted", (json_int_t)e->n_predicted,
                      "n_sure", (json_int_t)e->n_sure, "n_possible", (json_int_t)e->n_possible,
                      "right_sure", (json_int_t)e->right_sure, "right_possible",
                      (json_int_t)e->right_possible),
            err);
    const char *const name[] = {"precision", "recall", "F1", "AER"};
    const double value[] = {s.precision, s.recall, s.f1, s.aer};
    for (int i = 0; i < 4; i++) {
        char text[32] = "–"; /* of no link, as null in JSON */
        if (isfinite(value[i]))
            snprintf(text, sizeof text, "%.3f", value[i]);
        printf("%s%s %s", i > 0 ? "   " : "", name[i], text);
    }
    printf("\n");
    printf("%lld sentence%s, %lld link%s predicted, %lld sure and %lld possible in gold\n",
           (long long)e->n_sentence, ig_s(e->n_sentence), (long long)e->n_predicted,
           ig_s(e->n_predicted), (long long)e->n_sure, (long long)(e->n_possible - e->n_sure));
    return IG_ERR_OK;
}

static ig_code run_align_score(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    side of[2] = {{.option = "--base", .base = c->links.base},
                  {.option = "--gold-base", .base = c->gold_base}};
    ig_alignment_error e = {0};
    (void)n_arg;
    ig_code code = ig_parallel_lines(arg[1], arg[0], err);
    for (int i = 0; i < 2; i++)
        IG_THEN(code, ig_word_links_open(&of[i].links, arg[i], of[i].base, err));
    IG_THEN(code, compare(&e, of, err));
    for (int i = 0; i < 2; i++)
        ig_word_links_close(of[i].links);
    if (code == IG_ERR_OK && e.n_sentence == 0)
        code = ig_fail(err, IG_ERR_INPUT, arg[1], 0, "found no sentence, expected at least one");
    return code == IG_ERR_OK ? print(c, &e, err) : code;
}

const ig_command ig_cmd_align_score = {
    .name = "align score",
    .summary = "precision, recall and error rate of word alignments",
    .args = "FILE GOLD",
    .details =
        "Both files hold a sentence pair a line ('isoglot help align order' shows the form). "
        "Possible links of GOLD ('3p4') are not required and not counted against FILE (Och & Ney "
        "2003).\n"
        "  isoglot align score mine.pharaoh gold.tsv --json",
    IG_COMMAND_OPTIONS(score_options, config),
    .run = run_align_score,
};

/* --- transfer --------------------------------------------------------------------------------- */

static const ig_option transfer_options[] = {
    {IG_PATH(config, "reference", reference, "FILE",
             "accuracies by language (experiments/dufter2020/reference/table4.yaml)")},
    ORDER_OPTIONS,
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
};

static ig_code wrong_argument(const char *arg, ig_err *err)
{
    return ig_fail(err, IG_ERR_USAGE, "", 0, "found '%.100s', expected LANGUAGE=FILE[,FILE]", arg);
}

/* "de=FILE" or "de=FILE,FILE". */
static ig_code add(ig_transfer *t, const config *c, const char *arg, ig_err *err)
{
    const char *equal = strchr(arg, '=');
    IG_OWNED char *text = NULL;
    if (equal == NULL || equal == arg)
        return wrong_argument(arg, err);
    IG_TRY(ig_copy_text(&text, arg, "argument", err));
    text[equal - arg] = '\0';
    for (char *path = text + (equal - arg) + 1; path != NULL;) {
        char *comma = strchr(path, ',');
        if (comma != NULL)
            *comma = '\0';
        if (*path == '\0')
            return wrong_argument(arg, err);
        ig_transfer_links links = c->links;
        links.path = path;
        IG_TRY(ig_transfer_add(t, text, &links, err));
        path = comma != NULL ? comma + 1 : NULL;
    }
    return IG_ERR_OK;
}

static void print_correlation(const char *what, const ig_transfer *t, bool reference, bool measured)
{
    ig_transfer_correlation c = ig_transfer_correlate(t, reference, measured);
    printf("%-40s", what);
    ig_print_number(c.without_source, 7, 2);
    ig_print_number(c.with_source, 7, 2);
    printf("%6d\n", c.n);
}

static void print_transfer(const ig_transfer *t)
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
        print_transfer(&t);
    ig_transfer_free(&t);
    return code;
}

const ig_command ig_cmd_align_transfer = {
    .name = "align transfer",
    .summary = "correlate word order with the accuracy of transfer over languages",
    .args = "LANGUAGE=FILE[,FILE]…",
    .details =
        "Each FILE holds word alignments with that language ('isoglot help align order' shows "
        "the form). Prints tau beside the reference's and Pearson's correlation with accuracy, "
        "with and without the language that is transferred from, whose tau is 1.\n"
        "  isoglot align transfer --reference experiments/dufter2020/reference/table4.yaml "
        "de=en-de.tsv ru=en-ru.tsv es=en-es.tsv",
    IG_COMMAND_OPTIONS(transfer_options, config),
    .run = run_align_transfer,
};
