/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot align score: word alignments against a gold standard.
 */
#include "base/settings/json_text.h"

#include "analyse/links/alignment_error.h"
#include "cli/align/align_options.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "corpus/read/parallel_text.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    int64_t base, gold_base;
    bool json;
} config;

static const ig_option options[] = {
    IG_BASE_OPTION(config, base),
    {IG_INT_AS(config, "gold-base", gold_base, "0", "0|1", 0, 1, "the same in GOLD")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
};

/* Sentences that both files have must be the same ones. */
static ig_code check_words(const ig_word_link_reader *r, const ig_word_links *p,
                           const ig_word_links *gold, ig_err *err)
{
    if (p->n_a >= 0 && gold->n_a >= 0 && (p->n_a != gold->n_a || p->n_b != gold->n_b))
        return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                       "sentences of %d and %d words, but gold has %d and %d", p->n_a, p->n_b,
                       gold->n_a, gold->n_b);
    return IG_ERR_OK;
}

static ig_code compare(ig_alignment_error *e, ig_word_link_reader *p, ig_word_link_reader *g,
                       ig_err *err)
{
    for (;;) {
        ig_word_links a, b;
        bool end[2];
        IG_TRY(ig_word_links_next(p, &a, &end[0], err));
        IG_TRY(ig_word_links_next(g, &b, &end[1], err));
        if (end[0] && end[1])
            return IG_ERR_OK;
        if (end[0] != end[1]) {
            const ig_word_link_reader *early = end[0] ? p : g;
            return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(early), ig_word_links_line(early),
                           "ends here, expected as many lines as %.200s has",
                           ig_word_links_where(end[0] ? g : p));
        }
        IG_TRY(check_words(p, &a, &b, err));
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
           (long long)e->n_sentence, e->n_sentence == 1 ? "" : "s", (long long)e->n_predicted,
           e->n_predicted == 1 ? "" : "s", (long long)e->n_sure,
           (long long)(e->n_possible - e->n_sure));
    return IG_ERR_OK;
}

static ig_code run_align_score(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_word_link_reader *p = NULL, *g = NULL;
    ig_alignment_error e = {0};
    (void)n_arg;
    ig_code code = ig_parallel_lines(arg[1], arg[0], err);
    IG_THEN(code, ig_word_links_open(&p, arg[0], (int)c->base, err));
    IG_THEN(code, ig_word_links_open(&g, arg[1], (int)c->gold_base, err));
    IG_THEN(code, compare(&e, p, g, err));
    ig_word_links_close(p);
    ig_word_links_close(g);
    return code == IG_ERR_OK ? print(c, &e, err) : code;
}

const ig_command ig_cmd_align_score = {
    .name = "align score",
    .summary = "precision, recall and error rate of word alignments",
    .args = "FILE GOLD",
    .min_arg = 2,
    .max_arg = 2,
    .details =
        "Both files hold a sentence pair a line ('isoglot help align order' shows the form). "
        "Possible links of GOLD ('3p4') are not required and not counted against FILE (Och & Ney "
        "2003).\n"
        "  isoglot align score mine.pharaoh gold.tsv --json",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_align_score,
};
