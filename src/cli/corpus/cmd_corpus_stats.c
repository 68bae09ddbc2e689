/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus stats: types, tokens, lengths, Zipf exponent and entropies of texts, side by side.
 */
#include "base/settings/options.h"

#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/read/sentences.h"

#include <string.h>

enum { MOST = 32 };

typedef struct {
    bool json, reference;
} config;

static const ig_option options[] = {
    {.group = "Output", IG_FLAG(config, "json", json, NULL, "print the result as JSON")},
    {IG_FLAG(config, "reference", reference, NULL,
             "one more column: the New Testament of the Bible in Basic English")},
};

static ig_code file_measure(const char *path, ig_text_stats *out, ig_err *err)
{
    const ig_sentence_options whole = {.whole_lines = true};
    const char *line;
    int64_t n;
    ig_sentences *s = NULL;
    ig_text_counter *c = NULL;
    ig_code code = ig_sentences_open(&s, &path, 1, &whole, err);
    IG_THEN(code, ig_text_counter_new(&c, err));
    while (code == IG_ERR_OK && (code = ig_sentences_next(s, &line, &n, err)) == IG_ERR_OK &&
           line != NULL)
        code = ig_text_counter_add(c, line, n, err);
    IG_THEN(code, ig_text_counter_finish(c, out, err));
    ig_text_counter_free(c);
    ig_sentences_close(s);
    return code;
}

static ig_code run_corpus_stats(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    const char *name[MOST + 1];
    ig_text_stats stats[MOST + 1];
    for (int i = 0; i < n_arg; i++) {
        const char *slash = strrchr(arg[i], '/');
        name[i] = slash != NULL && !c->json ? slash + 1 : arg[i];
        IG_TRY(file_measure(arg[i], &stats[i], err));
    }
    int n = n_arg;
    if (c->reference) {
        name[n] = "BBE-NT";
        stats[n++] = ig_text_stats_bbe_nt;
    }
    if (!c->json)
        return ig_stats_print(name, stats, n, err);
    json_t *j = ig_stats_json(name, stats, n);
    return ig_json_print(j, err);
}

const ig_command ig_cmd_corpus_stats = {
    .name = "corpus stats",
    .summary = "types, tokens, sentence lengths, Zipf exponent and entropies of texts",
    .args = "FILE …",
    .min_arg = 1,
    .max_arg = MOST,
    .details =
        "A file is text, a sentence a line, or verses; it may be compressed; - is standard "
        "input. Tokens are words and single punctuation\n"
        "characters, case folded; the exponent is the maximum-likelihood one over all ranks; the "
        "bigram entropy is H(next | token) within the sentence, estimated by plain counts.",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_stats,
};
