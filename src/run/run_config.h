/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a pre-training run: a struct with a part for each concern, one option table
 * (base/settings/options.h). `train` fills it from the command line, `eval` reads it back from a
 * run's own record (run.json).
 * The short switches of Dufter & Schütze 2020 (inv-order, lang-pos, shift-special, no-random,
 * no-parallel) are resolved here into pipelines and shares; nothing below lab/ knows them.
 */
#pragma once

#include "base/settings/named_files.h"
#include "base/settings/options.h"
#include "corpus/language/language_spec.h"
#include "corpus/read/sentences.h"
#include "isoglot/bert.h"
#include "isoglot/corpus.h"
#include "train/trainer.h"

typedef enum {
    IG_NO_RANDOM_OFF,
    IG_NO_RANDOM_FIXED,
    IG_NO_RANDOM_TEXT,
    IG_NO_RANDOM_CODE
} ig_no_random;
typedef enum { IG_PRESET_SMALL, IG_PRESET_BASE, IG_PRESET_TINY } ig_preset;
typedef enum { IG_KNN_EACH, IG_KNN_POOLED } ig_knn_candidates;

/* The kind of training: a BERT, or static vectors of the same word pieces
 * (run/train/run_embed.h). */
typedef enum {
    IG_TRAINER_BERT,
    IG_TRAINER_WORD2VEC,
    IG_TRAINER_FASTTEXT,
    IG_TRAINER_GLOVE
} ig_trainer_kind;

enum { IG_RUN_MAX_LANGUAGE = IG_LANGUAGES_MAX }; /* as many as are measured */

/* Where the sentences come from. */
typedef struct {
    char *text, *ids, *dev_text, *dev_ids, *files;
    /* The names of files, ids, dev_ids; before ig_run_config_parse no files, all verses. */
    ig_named_files named;
    ig_verse_set verses, dev_verses;
    int format, dev_format; /* ig_text_kind */
    bool strip_quotes, clauses, sentences;
    int64_t take, dev_take;
    int world; /* of ig_world_preset_names: the generated world that stands in for a text */
    int64_t world_sentences, world_seed;
    bool dev_parallel; /* development files of languages are parallel line by line */
} ig_run_data;

/* The vocabulary. */
typedef struct {
    char *vocab;
    int64_t vocab_size, max_words, limit_alphabet;
    int vocab_model; /* ig_vocab_model */
    bool lowercase;
    bool allow_unknown; /* text/tokenizer/unknown_pieces.h */
    bool world_words;   /* it is the whole words of the generated world */
    bool vocab_folder;  /* it cuts text as the class and settings of the folder around it say */
    uint64_t rules;     /* of that folder: ig_tokenizer_rules_hash */
} ig_run_tokens;

typedef struct {
    char *spec; /* --languages */
    int64_t transform_seed;
    bool inv_order, lang_pos, shift_special, no_parallel, language_markers, language_embeddings;
    /* As `spec` describes them, with the switches that apply to every language but the first among
     * their transforms; none before ig_run_config_parse. */
    int n;
    ig_language_words *language;
    char (*whole)[IG_SPEC_TEXT]; /* their pipelines over a text that is not halved */
} ig_run_languages;

/* The objective: the inputs and targets of prediction. */
typedef struct {
    int64_t block;
    /* As they are set: ig_run_config_batch has what the batcher takes, with what follows from the
     * languages and from no_random. Its pairs are those that `tlm` names; none before
     * ig_run_config_parse. */
    ig_batch_options batching;
    int no_random; /* ig_no_random */
    bool nsp;
    char *tlm;
    char *phases; /* run/phases.h */
    /* replacement by neighbours in other languages (run/data/knn.h) */
    int64_t knn_replace; /* neighbours; 0: none of it */
    int knn_candidates;  /* ig_knn_candidates */
    char *knn_vectors;   /* NULL: trained and mapped, of so many dimensions, … */
    int64_t knn_dim, knn_epochs, knn_min_count;
} ig_run_objective;

/* Returns whether sequences have parallel sentences of texts, which are numbered by what is
 * parallel then.
 */
static inline bool ig_run_objective_parallel(const ig_run_objective *o)
{
    return o->tlm != NULL || o->batching.mix_documents > 0;
}

/* Static vectors in place of a BERT; 0: what the trainer has by itself. */
typedef struct {
    int embed_model; /* ig_context_model */
    int64_t embed_dim, embed_window, embed_epochs, embed_negative, embed_min_count;
    double embed_lr;
} ig_run_vectors;

/* Whose blocks a new model has. */
typedef enum { IG_ARCHITECTURE_BERT, IG_ARCHITECTURE_MODERNBERT } ig_run_architecture;
extern const char *const ig_run_architecture_names[];

typedef struct {
    int preset;         /* ig_preset */
    int architecture;   /* ig_run_architecture */
    int position_type;  /* ig_position_kind */
    int init;           /* ig_bert_init_rule */
    int64_t parameters; /* to solve the hidden size for; 0: not */
    bool tied, transform, pre_norm, gelu_tanh;
    int64_t local_attention, global_every; /* ModernBERT's */
    char *from;            /* the model that a training starts from (run/train/start_from.h) */
    char *reinit, *freeze; /* parts of it (train/named_parts.h) */
    ig_bert_config
        parent;         /* its configuration, where from is not NULL, after ig_run_config_parse */
    bool parents_vocab; /* the vocabulary is that model's, not one that the settings name */
    bool causal_given; /* causal-share is set: a model that it starts from does not decide it … */
    bool parents_causal;                                         /* … and does */
    char *separate;                                              /* of model/separate.h */
    ig_bert_separate parts;                                      /* which these are */
    int64_t layers, hidden, heads, ffn, max_positions, segments; /* 0: the preset's */
    double hidden_dropout, attention_dropout, layer_norm_eps, init_range;
} ig_run_model;

typedef struct {
    int perplexity_average; /* ig_variant: paper-code = exp(mean of batch means) */
    int translation_words;  /* ig_variant: paper-code = every id of the block, special tokens too */
    int pooling;            /* of sentences' vectors: ig_measure_poolings */
    /* word retrieval (run/measure/word_retrieval.h) */
    int64_t words_take, words_min_count;
    bool words_alike;
    ig_int_list eval_layers;
    int64_t eval_every;
    bool eval_end;
} ig_run_measuring;

typedef struct {
    int trainer; /* ig_trainer_kind */
    ig_run_data data;
    ig_run_tokens tokens;
    ig_run_languages languages;
    ig_run_objective objective;
    ig_run_vectors vectors;
    ig_run_model model;
    ig_training_settings optimisation;
    int accum_carry, accum_mean; /* ig_variant: paper-code sets that of the optimisation */
    ig_run_measuring measuring;
    /* running: nothing below changes a bit of the result */
    int64_t threads, ranks, replicas;
    char *device; /* of ig_device_choose; NULL: the one that is chosen */
    char *out, *config;
    double max_time; /* seconds, 0: none */
    int64_t save_every, keep;
    bool save_log_spaced;
    int64_t log_every;
    bool dry_run, json;
    /* No option: a dry run that shall answer within seconds. Of long texts a few thousand sentences
     * are prepared, of large models one layer is timed. */
    bool quick;
    /* No option: settings that may only be reported. The folder of `from` may be missing; then the
     * shape is not known (ig_run_config_no_shape). */
    bool reported;
} ig_run_config;

/* The settings that the data of a run depend on: vocabulary, shards, corpora. Borrowed parts of its
 * settings. */
typedef struct {
    const ig_run_data *data;
    const ig_run_tokens *tokens;
    const ig_run_languages *languages;
    const ig_run_objective *objective;
    /* At most so many sentences of a training text are prepared; 0: as many as `take` says. Not all
     * of them where only their like is wanted: to time updates whose number is known. */
    int64_t sample;
    int n_thread;
} ig_data_settings;

/* The part of a run that an option affects (ig_option.part). */
typedef enum {
    IG_PART_DATA,     /* vocabulary and shards, so everything */
    IG_PART_ALL,      /* a run of any trainer */
    IG_PART_WORDS,    /* likewise: the words to retrieve */
    IG_PART_BERT,     /* a BERT; nothing to static vectors */
    IG_PART_SHAPE,    /* likewise, but for the size of vectors that say none (embed-dim) */
    IG_PART_VECTORS,  /* static vectors; nothing to a BERT */
    IG_PART_MEASURES, /* only how a BERT is measured */
    IG_PART_RUNNING   /* only how a run is run, kept and shown */
} ig_run_part;

extern const ig_option_table ig_run_options;

/* Ranges that depend on more than one key; the message names the key. Fills in what depends on
 * another key: updates and epochs (100 epochs when neither is given). */
/* `from` may be, beside a folder, another cell that an experiment's cell starts from: "{cell:
 * NAME}" of its file, and the address of that cell's run for the address of its own. */
enum { IG_FROM_CELL = 128 };
#define IG_FROM_RUN "run:"
/* Returns whether it is the first; name gets the cell's. */
bool ig_run_from_cell(char name[IG_FROM_CELL], const char *from);

/* Notes which options were given (as ig_options_parse sets it), where the model that a run starts
 * from decides the others; before ig_run_config_resolve. */
void ig_run_config_given(ig_run_config *c, const unsigned char *given);
ig_code ig_run_config_resolve(ig_run_config *c, ig_err *err);
bool ig_run_config_no_shape(const ig_run_config *c);

/* Returns whether the option (a row of ig_run_options) affects the result, and so must be equal for
 * resuming a run. */
bool ig_run_option_decides(int option);
/* Returns whether it counts for the address of a run with this trainer: it decides the result, or
 * how measures are taken. */
bool ig_run_option_counts(int option, const ig_run_config *c);

/* Why the option has no effect on a run with these settings, which are resolved; NULL: it has one,
 * as far as that is known before a text is read. */
const char *ig_run_option_no_effect(int option, const ig_run_config *c);
/* ig_options_check_effects of the run's options. */
ig_code ig_run_check_effects(const ig_run_config *c, const unsigned char *given, ig_err *err);

/* Reads what is written in words, --languages, --separate, --tlm, --files, --ids and --dev-ids,
 * into the fields beside them; ig_run_config_resolve and _load do it. Read again after a change of
 * them or of the switches. */
ig_code ig_run_config_parse(ig_run_config *c, ig_err *err);
/* `specials`: each language has special tokens of its own. */
ig_code ig_run_languages_parse(ig_run_languages *l, bool specials, ig_err *err);
void ig_run_languages_free(ig_run_languages *l);
/* Frees the parsed words; the settings stay. */
void ig_run_config_free_parsed(ig_run_config *c);
/* Returns whether languages have texts, transforms of words or vocabularies of their own, so that
 * one shard does not hold them all (run/data/language_data.h). */
bool ig_run_languages_have_texts(const ig_run_languages *l);
/* Returns whether a language's sentences are generated, where there is no text. */
bool ig_run_config_has_world(const ig_run_config *c);
/* Returns whether both are generated, so that they say the same sentences. */
bool ig_run_languages_of_world(const ig_run_data *d, const ig_language_words *a,
                               const ig_language_words *b);
ig_data_settings ig_run_config_data(const ig_run_config *c);
/* Returns the number of sentences of a training text for which `own` are requested (0: as many as
 * of any); 0: all. */
int64_t ig_data_settings_take(const ig_data_settings *d, int64_t own);
/* How a text of the settings is read and cleaned. */
ig_sentence_options ig_run_data_sentences(const ig_run_data *d, bool dev);
/* Reports mistakes in them before a text is read: pipelines, names of files. */
ig_code ig_run_config_check_languages(const ig_run_config *c, ig_err *err);

/* Facts about the languages that measures need before their data are open, or without. */
typedef struct {
    bool listed; /* some dictionary is a file (gold=FILE), all of whose translations count */
    bool common; /* two languages may have pieces in common, with one vector: a vocabulary that
                    neither shifts, or anchors; none with separate words */
} ig_measure_languages;

/* Languages that cannot be read give neither. */
ig_measure_languages ig_measure_languages_of(const ig_run_languages *l,
                                             const ig_bert_separate *parts);
/* Reads them from "config" of a manifest. */
ig_measure_languages ig_measure_languages_json(const json_t *config);

/* Checks the settings of sequences (run/run_instances.c): combinations that contradict each other,
 * as IG_ERR_USAGE with the key; the pairs of languages that `tlm` names. */
ig_code ig_run_instances_check(const ig_run_objective *o, const ig_bert_separate *parts,
                               ig_err *err);
ig_code ig_run_instances_parse(ig_run_objective *o, const ig_run_languages *l, ig_err *err);
/* Logs a warning where a language has too few documents for pairs to be what they should. */
void ig_run_instances_warn(const ig_run_objective *o, const ig_corpus *corpus);
/* Rows of the segment table that the sequences need, as far as the switches say it. */
int32_t ig_run_instances_segments(const ig_run_objective *o, const ig_run_languages *l);

/* Dimensions of static vectors. */
int ig_run_config_dim(const ig_run_config *c);
/* The model over a vocabulary of that many rows. */
ig_bert_config ig_run_config_model(const ig_run_config *c, int32_t vocab_size, int32_t pad_id);
ig_batch_options ig_run_config_batch(const ig_run_config *c);
ig_trainer_options ig_run_config_trainer(const ig_run_config *c, int64_t steps_per_epoch);

/* Writes / reads the record of a run: {"isoglot_run": 1, "config": {…}, "files": {…}}. The last
 * has the SHA-256 of the text, the development text and the vocabulary as they were then. */
ig_code ig_run_config_save(const ig_run_config *c, const char *path, ig_err *err);
ig_code ig_run_config_load(ig_run_config *c, const char *path, ig_err *err);
/* Loads DIR/run.json. */
ig_code ig_run_config_load_in(ig_run_config *c, const char *dir, ig_err *err);
/* Checks whether the record at `path` is of the run that `want` describes: else IG_ERR_USAGE at
 * `dir` that names the first key that decides the result and differs, and both values. A file under
 * another name is the same when its bytes are those that the record knows, one of the same name
 * that has other bytes is not; one that is gone is. *longer: it is, but `want` has more updates or
 * epochs, with a schedule whose rates do not depend on how many there are. */
ig_code ig_run_config_check(const char *path, const ig_run_config *want, const char *dir,
                            bool *longer, ig_err *err);
/* Writes run.json into c->out (and says that the run is new), or checks that it is the same run's.
 * One that was killed before its first update has nothing to keep: a corrected command takes its
 * place. A longer run takes the place of a shorter one in its record. */
ig_code ig_run_config_claim(const ig_run_config *c, bool *is_new, ig_err *err);
void ig_run_config_free(ig_run_config *c);
