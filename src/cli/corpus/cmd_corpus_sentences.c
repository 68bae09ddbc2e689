/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus sentences: the sentences of texts, one a line.
 */
#include "base/file.h"

#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"

typedef struct {
    ig_text_config text;
    char *out;
    bool json;
} config;

static const ig_option options[] = {
    IG_TEXT_OPTIONS(config, text),
    {IG_PATH(config, "out", out, "FILE", "write there instead of to standard output")},
    {IG_FLAG(config, "json", json, NULL, "write each sentence as a JSON object with its text")},
};

static ig_code run_corpus_sentences(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_sentence_options o;
    IG_TRY(ig_text_config_resolve(&o, &c->text, err));
    ig_sentences *s = NULL;
    ig_out out = {0};
    const char *text;
    int64_t n;
    ig_code code = ig_sentences_open(&s, (const char *const *)arg, n_arg, &o, err);
    IG_THEN(code, ig_out_new(&out, c->out, err));
    while (code == IG_ERR_OK && (code = ig_sentences_next(s, &text, &n, err)) == IG_ERR_OK &&
           text != NULL) {
        if (c->json)
            code =
                ig_json_line(json_pack("{s:s%}", "text", text, (size_t)n), out.fp, out.path, err);
        else
            code = ig_out_write(&out, text, n, err);
        if (!c->json)
            IG_THEN(code, ig_out_write(&out, "\n", 1, err));
    }
    ig_sentences_close(s);
    return ig_out_close(&out, code, err);
}

const ig_command ig_cmd_corpus_sentences = {
    .name = "corpus sentences",
    .summary = "print the sentences of texts, one a line",
    .args = "FILE…",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "Reads plain text or verses, plain or compressed (gzip, bzip2, xz, zstd), and - for "
        "standard input. With --json each line is an object: {\"text\": \"In the beginning.\"}. "
        "Example, the New Testament as Dufter & Schütze 2020 prepared theirs:\n"
        "  isoglot corpus sentences eng-bbe.tsv.zst --ids NT --strip-quotes",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_sentences,
};
