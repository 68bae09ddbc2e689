/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenization exactly as Hugging Face does it: text is cut into words as BERT cuts them (cased
 * and uncased), words into pieces by WordPiece, byte-pair encoding, a unigram language model, or
 * not at all; and the training of each. Text is UTF-8; invalid bytes count as U+FFFD, as in
 * Python's errors="replace".
 */
#ifndef ISOGLOT_TOKENIZER_H
#define ISOGLOT_TOKENIZER_H

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ig_tokenizer ig_tokenizer;

/* BertTokenizer's strip_accents: None, True, False. */
typedef enum { IG_ACCENTS_AS_CASE, IG_ACCENTS_STRIP, IG_ACCENTS_KEEP } ig_tokenizer_accents;

typedef struct {
    bool lowercase;               /* BertTokenizer's do_lower_case */
    bool keep_controls;           /* clean_text=False of the papers' vocabulary training */
    bool join_ideographs;         /* tokenize_chinese_chars=False */
    ig_tokenizer_accents accents; /* stripped where `lowercase` is, unless this says otherwise */
} ig_tokenizer_options;

/* The algorithm that cuts words. */
typedef enum {
    IG_TOKENIZER_WORDPIECE, /* longest match from the left; later pieces carry "##" */
    IG_TOKENIZER_BPE,       /* merges in the order in which they were learned; later pieces carry
                             * "##" */
    IG_TOKENIZER_UNIGRAM,   /* the most probable pieces; those that start a word carry "▁" */
    IG_TOKENIZER_WORDS      /* the whole word is one piece, or [UNK] */
} ig_tokenizer_kind;
enum { IG_N_TOKENIZER_KIND = 4 };

/* Reads a vocab.txt (a piece a line, id = line − 1) or a tokenizer.json (docs/tokenizer.md lists
 * the kinds; it has its own options; one that keeps case contradicts `lowercase`). Must have [UNK];
 * [PAD], [CLS], [SEP], [MASK] are −1 where missing. Freed with ig_tokenizer_free; may be used by
 * several threads at once. */
ig_code ig_tokenizer_load(ig_tokenizer **out, const char *path, const ig_tokenizer_options *options,
                          ig_err *err);
/* Reads it from n bytes in memory; `where` names them in messages. */
ig_code ig_tokenizer_parse(ig_tokenizer **out, const char *data, int64_t n, const char *where,
                           const ig_tokenizer_options *options, ig_err *err);
/* Opens the tokenizer of a model folder as Hugging Face's AutoTokenizer does, with the settings of
 * its tokenizer_config.json. Of `options` (may be NULL) only `lowercase` is used, which overrides
 * them. */
ig_code ig_tokenizer_open(ig_tokenizer **out, const char *dir, const ig_tokenizer_options *options,
                          ig_err *err);
void ig_tokenizer_free(ig_tokenizer *t);

int32_t ig_tokenizer_size(const ig_tokenizer *t);
/* NUL-terminated piece of an id; NULL when out of range. */
const char *ig_tokenizer_piece(const ig_tokenizer *t, int32_t id);
/* Special tokens by their role, under BERT's names. */
typedef enum {
    IG_TOKENIZER_PAD,
    IG_TOKENIZER_UNK,
    IG_TOKENIZER_CLS, /* starts a sequence: [CLS], <s> */
    IG_TOKENIZER_SEP, /* ends it: [SEP], </s> */
    IG_TOKENIZER_MASK
} ig_tokenizer_role;
enum { IG_N_TOKENIZER_ROLE = 5 };
/* −1: the tokenizer has none. */
int32_t ig_tokenizer_special(const ig_tokenizer *t, ig_tokenizer_role role);
/* −1: no such piece. */
int32_t ig_tokenizer_id(const ig_tokenizer *t, const char *piece);

ig_tokenizer_kind ig_tokenizer_get_kind(const ig_tokenizer *t);
ig_tokenizer_options ig_tokenizer_get_options(const ig_tokenizer *t);
/* Returns whether a BertTokenizer with its pieces and options cuts text in the same way. */
bool ig_tokenizer_is_bert(const ig_tokenizer *t);
/* Returns whether it splits text by other rules than BERT's, so that a line is not cut as its words
 * are, one by one. */
bool ig_tokenizer_has_own_split(const ig_tokenizer *t);
/* Writes a tokenizer.json that Hugging Face's PreTrainedTokenizerFast opens; one that was read with
 * rules other than BERT's is written as it was. */
ig_code ig_tokenizer_json_write(const ig_tokenizer *t, const char *path, ig_err *err);
/* The text of its vocab.txt, freed with ig_free. */
ig_code ig_tokenizer_vocab_text(const ig_tokenizer *t, char **out, int64_t *n, ig_err *err);
/* A hash of the rules that the pieces do not determine: of merges and scores; 0 where there are
 * none. */
uint64_t ig_tokenizer_rules_hash(const ig_tokenizer *t);

/* Returns whether a piece continues the word of the piece before it. */
bool ig_tokenizer_continues(const ig_tokenizer *t, int32_t id);

/* Appends the ids of `text` [n bytes] to *ids, which holds *n_id of *have (grown with ig_grow;
 * freed by the caller with ig_free). No [CLS] or [SEP]. */
ig_code ig_tokenizer_encode(const ig_tokenizer *t, const char *text, int64_t n, int32_t **ids,
                            int64_t *n_id, int64_t *have, ig_err *err);

/* The source of a training text: gives the next line, or NULL in *line at the end. A line stays
 * valid until the next call. */
typedef ig_code ig_text_source_fn(void *source, const char **line, int64_t *n, ig_err *err);

/* The kind of vocabulary to train. */
typedef enum {
    IG_VOCAB_WORDPIECE, /* merges of the most frequent pairs; words are cut by longest match */
    IG_VOCAB_BPE,       /* the same merges; words are cut by them */
    IG_VOCAB_WORDS,     /* the most frequent words; cut as WordPiece */
    IG_VOCAB_CHARS,     /* the most frequent characters; cut as WordPiece */
    IG_VOCAB_UNIGRAM,   /* a unigram language model (Kudo 2018) */
    IG_VOCAB_UNIGRAM_WORDPIECE /* its pieces in the form of WordPiece (K et al. 2020) */
} ig_vocab_model;
/* wordpiece, bpe, words, chars, unigram, unigram-wordpiece. NULL-terminated. */
extern const char *const ig_vocab_model_names[];

enum { IG_MAX_WORDS = 1 << 23 };

typedef struct {
    int32_t size;                  /* pieces wanted, the five special tokens among them */
    int64_t min_frequency;         /* a pair must occur this often to be merged; 0 counts as 1 */
    int32_t limit_alphabet;        /* keep only this many characters, the most frequent; 0: all */
    bool lowercase, keep_controls; /* as in ig_tokenizer_options */
    ig_vocab_model model;          /* of ig_vocab_train */
    int64_t max_words; /* distinct words trained on: the most frequent, ties by bytes; 0:
                        * IG_MAX_WORDS */
    int n_thread;      /* 0: as many as this process may use; the result is the same for all */
} ig_wordpiece_options;

typedef struct {
    int64_t n_line, n_byte;      /* read */
    int64_t n_word, n_type;      /* words and distinct words; punctuation marks count */
    int64_t n_rare;              /* distinct words left out by max_words */
    int64_t n_long;              /* words left out, of more than 65 536 characters */
    int32_t n_char;              /* characters of the alphabet */
    int32_t n_char_left_out;     /* by limit_alphabet */
    int32_t n_piece;             /* less than `size` when no further pair was frequent enough */
    int64_t n_merge, last_count; /* merges done, and how often the pair of the last one occurred */
} ig_wordpiece_report;

/* Trains a tokenizer of the kind options->model. `report` may be NULL. The result depends on
 * neither the order of the lines nor the number of threads. */
ig_code ig_vocab_train(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err);

#ifdef __cplusplus
}
#endif

#endif
