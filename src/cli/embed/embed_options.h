/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and steps that the commands that train embeddings share: the options of their text and of
 * their result, and what they do before and after training.
 */
#pragma once

#include "cli/corpus/corpus_options.h"
#include "embed/train/input.h"
#include "embed/vectors/vectors.h"
#include "text/tokenizer/unknown_pieces.h"

typedef struct {
    ig_text_config text;
    int split; /* ig_text_split */
    bool lowercase, allow_unknown, json;
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
                "ignore words that occur less often")},                                            \
        {IG_ENUM(type, "split", m.split, "blanks", ig_word_split_names,                            \
                 "words: between blanks, or as BERT cuts, punctuation apart")},                    \
        {IG_FLAG(type, "lowercase", m.lowercase, NULL,                                             \
                 "lower case, accents stay; with --vocab: as an uncased BERT")},                   \
        {IG_PATH(type, "vocab", m.vocab, "FILE",                                                   \
                 "pieces of this vocab.txt or tokenizer.json in place of words")},                 \
        {IG_UNKNOWN_OPTION(type, m.allow_unknown)}, IG_TEXT_OPTIONS(type, m.text)

/* One training, from ig_embed_begin to ig_embed_end. */
typedef struct {
    const ig_embed_config *config;
    const char *line_end; /* these two as in embed/train/text_ids.h */
    int32_t max_line;
    ig_team *team;
    ig_text_ids text;
    ig_vectors v;  /* the result */
    json_t *facts; /* pairs of name and number, for the summary; begins with those of the text */
    ig_out with;   /* written and flushed, committed with the vectors or, like them, not at all; not
                    * open: none */
    double start;  /* when the text was read (ig_clock) */
} ig_embedding;

/* Checks the options, starts the team and reads the text; the fields up to max_line are set. Ended
 * with ig_embed_end, also after an error. */
ig_code ig_embed_begin(ig_embedding *e, int n_arg, char *const *arg, ig_err *err);

/* Warns of words of the text that are longer than any word and were left out. */
void ig_embed_warn_long(int64_t n);

/* Unless `code` is an error: writes the vectors, warns where the text was too little for them, and
 * prints the summary: the settings of the command's table, then the facts. Frees all but the
 * config; returns `code` or its own error. */
ig_code ig_embed_end(ig_embedding *e, ig_code code, const ig_command *command, const void *settings,
                     ig_err *err);
