/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot embed contextual: vectors of the words of a text from a BERT.
 */
#include "cli/commands.h"

#include "apply/words/word_vectors.h"
#include "cli/embed/embed_options.h"
#include "cli/print/json_print.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdio.h>

typedef struct {
    ig_word_vectors_options o;
    char *out;
    ig_vec_format as;
    bool json;
    ig_text_config text;
} config;

static const ig_option options[] = {
    {.group = "What knows the words",
     IG_PATH(config, "model", o.model, "DIR", "a BERT: a Hugging Face folder or a run")},
    {IG_INT_AS(config, "layer", o.layer, "-1", "L", -1, 1000,
               "its layer, 0 the embeddings; -1: two thirds of the depth")},
    {IG_INT_AS(
        config, "window", o.window, "0", "W", 0, 1e6,
        "cut sentences into sequences of at most W word pieces; 0: as many as the model takes")},
    {IG_TEXT(config, "language", o.language, NULL, "NAME",
             "of a run's languages; default the first")},
    {IG_UNKNOWN_OPTION(config, o.allow_unknown)},
    {.group = "Result", IG_PATH(config, "out", out, "FILE", "write the vectors there")},
    {IG_ENUM(config, "as", as, "auto", ig_vec_format_names,
             "format of the vectors; auto: by the name, .bin binary, .txt plain, else text")},
    {IG_INT(config, "min-count", o.min_count, "1", 1, 9e15, "ignore words that occur less often")},
    {IG_FLAG(config, "json", json, NULL, "print the summary as one JSON object")},
    {IG_INT(config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the result does not depend on it")},
    {IG_FLAG(config, "lowercase", o.lowercase, NULL,
             "as an uncased BERT; default as the model's tokenizer_config.json says")},
    IG_TEXT_OPTIONS(config, text),
};

static ig_code print_report(const config *c, const ig_word_vectors_report *r, const ig_vectors *v,
                            ig_err *err)
{
    if (c->json)
        return ig_json_print(
            json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "layer",
                      r->layer, "words", v->n, "dimensions", v->d, "sentences",
                      (json_int_t)r->n_line, "sequences", (json_int_t)r->n_sequence, "tokens",
                      (json_int_t)r->n_token, "words_read", (json_int_t)r->n_read, "distinct_words",
                      (json_int_t)r->n_type, "words_too_long", (json_int_t)r->n_no_word, "places",
                      (json_int_t)r->n_used, "unknown", (json_int_t)r->n_unknown, "too_long",
                      (json_int_t)r->n_long, "pieces_per_word", r->piece_share),
            err);
    printf("%d word%s, %d dimension%s, from %lld place%s in %lld sentence%s", v->n,
           v->n == 1 ? "" : "s", v->d, v->d == 1 ? "" : "s", (long long)r->n_used,
           r->n_used == 1 ? "" : "s", (long long)r->n_line, r->n_line == 1 ? "" : "s");
    printf("; layer %d, %lld sequence%s", r->layer, (long long)r->n_sequence,
           r->n_sequence == 1 ? "" : "s");
    printf("\n%.2f pieces a word; left out: %lld word%s with unknown pieces, %lld too long\n",
           r->piece_share, (long long)r->n_unknown, r->n_unknown == 1 ? "" : "s",
           (long long)r->n_long);
    return IG_ERR_OK;
}

static ig_code run_embed_contextual(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    static const char *const standard_input[] = {"-"};
    const config *c = settings;
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the vectors");
    if (c->as == IG_VEC_FASTTEXT)
        return ig_fail(err, IG_ERR_USAGE, "--as", 0,
                       "found fasttext, expected text, plain or binary");
    IG_TRY(ig_out_try(c->out, err));
    ig_word_vectors_options o = c->o;
    IG_TRY(ig_text_config_resolve(&o.text, &c->text, err));
    ig_vectors v = {0};
    ig_word_vectors_report r;
    ig_code code =
        ig_word_vectors(&v, &r,
                        (ig_path_list){n_arg > 0 ? (const char *const *)arg : standard_input,
                                       n_arg > 0 ? n_arg : 1},
                        &o, err);
    IG_THEN(code, ig_vectors_write(&v, c->out, c->as, err));
    if (code == IG_ERR_OK) {
        ig_embed_warn_long(r.n_no_word);
        code = print_report(c, &r, &v, err);
    }
    ig_vectors_free(&v);
    return code;
}

const ig_command ig_cmd_embed_contextual = {
    .name = "embed contextual",
    .summary = "word vectors from a BERT: the mean of a word's states over its occurrences",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Every word of the text (tokenized as by BERT) gets the mean of the hidden states of its "
        "pieces, over all its occurrences (Liu et al. 2020). For word retrieval, make a file for "
        "each language's text and compare:\n"
        "  isoglot embed contextual --model runs/b --layer 8 --out en.vec en.txt\n"
        "  isoglot embed contextual --model runs/b --layer 8 --out es.vec es.txt\n"
        "  isoglot bli en.vec es.vec --candidates dictionary --dictionary en-es.5000-6500.txt",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_embed_contextual,
};
