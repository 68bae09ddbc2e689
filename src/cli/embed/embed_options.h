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
    {.name = "out",                                                                                \
     .kind = IG_OPT_PATH,                                                                          \
     .offset = offsetof(type, m.out),                                                              \
     .value = "FILE",                                                                              \
     .help = "write the vectors there",                                                            \
     .group = "Result"},                                                                           \
        {.name = "as",                                                                             \
         .kind = IG_OPT_ENUM,                                                                      \
         .offset = offsetof(type, m.as),                                                           \
         .def = "auto",                                                                            \
         .names = ig_vec_format_names,                                                             \
         .help = "format of the vectors; auto: by the name, .bin binary, .txt plain, else text"},  \
        {.name = "json",                                                                           \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.json),                                                         \
         .help = "print the summary as one JSON object"},                                          \
        {.name = "seed",                                                                           \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.seed),                                                         \
         .def = "1",                                                                               \
         .value = "N",                                                                             \
         .help = "the same seed gives the same bits on any number of threads",                     \
         .min = 0,                                                                                 \
         .max = 9e15},                                                                             \
        {.name = "threads",                                                                        \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.threads),                                                      \
         .def = "0",                                                                               \
         .value = "N",                                                                             \
         .help = "threads; 0: all processors",                                                     \
         .min = 0,                                                                                 \
         .max = 1024},                                                                             \
        {.name = "min-count",                                                                      \
         .kind = IG_OPT_INT,                                                                       \
         .offset = offsetof(type, m.min_count),                                                    \
         .def = min_count_default,                                                                 \
         .value = "N",                                                                             \
         .help = "leave out words that occur less often",                                          \
         .min = 1,                                                                                 \
         .max = 9e15,                                                                              \
         .group = "Words"},                                                                        \
        {.name = "split",                                                                          \
         .kind = IG_OPT_ENUM,                                                                      \
         .offset = offsetof(type, m.split),                                                        \
         .def = "blanks",                                                                          \
         .names = ig_word_split_names,                                                             \
         .help = "words: between blanks, or as BERT cuts, punctuation apart"},                     \
        {.name = "lowercase",                                                                      \
         .kind = IG_OPT_FLAG,                                                                      \
         .offset = offsetof(type, m.lowercase),                                                    \
         .help = "lower case, accents stay; with --vocab: as an uncased BERT"},                    \
        {.name = "vocab",                                                                          \
         .kind = IG_OPT_PATH,                                                                      \
         .offset = offsetof(type, m.vocab),                                                        \
         .value = "FILE",                                                                          \
         .help = "pieces of this vocab.txt or tokenizer.json in place of words"},                  \
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
