/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus sentences: the sentences of texts, one a line.
 */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/json_print.h"

#include <errno.h>
#include <string.h>

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

static ig_code write_line(ig_out *out, const char *text, int64_t n, ig_err *err)
{
    if (out->fp != NULL) {
        IG_TRY(ig_out_write(out, text, n, err));
        return ig_out_write(out, "\n", 1, err);
    }
    if (fwrite(text, 1, (size_t)n, stdout) != (size_t)n || putchar('\n') == EOF)
        return ig_fail(err, IG_ERR_IO, "standard output", 0, "cannot write: %s", strerror(errno));
    return IG_ERR_OK;
}

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
    if (code == IG_ERR_OK && c->out != NULL)
        code = ig_out_open(&out, c->out, err);
    if (code != IG_ERR_OK)
        goto done;
    while ((code = ig_sentences_next(s, &text, &n, err)) == IG_ERR_OK && text != NULL) {
        if (c->json)
            code = ig_json_line(json_pack("{s:s%}", "text", text, (size_t)n),
                                out.fp != NULL ? out.fp : stdout,
                                out.fp != NULL ? c->out : "standard output", err);
        else
            code = write_line(&out, text, n, err);
        if (code != IG_ERR_OK)
            break;
    }
    if (code == IG_ERR_OK && out.fp != NULL)
        code = ig_out_commit(&out, err);
done:
    ig_out_discard(&out);
    ig_sentences_close(s);
    return code;
}

const ig_command ig_cmd_corpus_sentences = {
    .name = "corpus sentences",
    .summary = "print the sentences of texts, one a line",
    .args = "FILE…",
    .min_arg = 1,
    .max_arg = -1,
    .details = "Reads plain text or verses, plain or compressed (gzip, bzip2, xz, zstd), and - for "
               "standard\n"
               "input. With --json each line is an object: {\"text\": \"In the beginning.\"}.\n"
               "Example, the New Testament as Dufter & Schütze 2020 prepared theirs:\n"
               "  isoglot corpus sentences eng-bbe.tsv.zst --ids NT --strip-quotes",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_sentences,
};
