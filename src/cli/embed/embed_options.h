/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands that train embeddings share: the options of their text and of their result, and
 * what they do before and after training.
 */
#ifndef IG_CLI_EMBED_EMBED_OPTIONS_H
#define IG_CLI_EMBED_EMBED_OPTIONS_H

#include "cli/corpus/corpus_options.h"
#include "embed/train/input.h"
#include "embed/vectors/vectors.h"

typedef struct {
    ig_text_config text;
    int split; /* ig_text_split */
    bool lowercase, json;
    char *vocab, *out;
    int64_t min_count, seed, threads;
    int as; /* ig_vec_format */
} ig_embed_config;

extern const char *const ig_word_split_names[];

/* Entries for an option table whose struct has an ig_embed_config as its member `m`. */
#define IG_EMBED_OPTIONS(type, m, min_count_default)                                               \
    {.group = "Result", IG_PATH(type, "out", m.out, "FILE", "write the vectors there")},           \
        {IG_ENUM(type, "as", m.as, "auto", ig_vec_format_names,                                    \
                 "format of the vectors; auto: by the name, .bin binary, .txt plain, else text")}, \
        {IG_FLAG(type, "json", m.json, NULL, "print the summary as one JSON object")},             \
        {IG_INT(type, "seed", m.seed, "1", 0, 9e15,                                                \
                "the same seed gives the same bits on any number of threads")},                    \
        {IG_INT(type, "threads", m.threads, "0", 0, 1024, "threads; 0: all processors")},          \
        {.group = "Words",                                                                         \
         IG_INT(type, "min-count", m.min_count, min_count_default, 1, 9e15,                        \
                "leave out words that occur less often")},                                         \
        {IG_ENUM(type, "split", m.split, "blanks", ig_word_split_names,                            \
                 "words: between blanks, or as BERT cuts, punctuation apart")},                    \
        {IG_FLAG(type, "lowercase", m.lowercase, NULL,                                             \
                 "lower case, accents stay; with --vocab: as an uncased BERT")},                   \
        {IG_PATH(type, "vocab", m.vocab, "FILE",                                                   \
                 "pieces of this vocab.txt or tokenizer.json in place of words")},                 \
        IG_TEXT_OPTIONS(type, m.text)

/* Checks the options, starts the team (freed by the caller) and reads the text (freed likewise);
 * `line_end` and `max_line` as in embed/train/text_ids.h. */
ig_code ig_embed_begin(const ig_embed_config *c, int n_arg, char *const *arg, const char *line_end,
                       int32_t max_line, ig_team **team, ig_text_ids *text, ig_err *err);

/* Warns of words of the text that are longer than any word and were left out. */
void ig_embed_warn_long(int64_t n);

/* Writes the vectors, warns where the text was too little for them, and prints the summary: the
 * settings of the command's table, then `facts` (taken), pairs of name and number. `with`: a file
 * that is written and flushed, committed with the vectors or, like them, not at all; NULL or not
 * open: none. */
ig_code ig_embed_end(const ig_embed_config *c, const ig_command *command, const void *settings,
                     const ig_vectors *v, json_t *facts, ig_out *with, ig_err *err);

#endif
