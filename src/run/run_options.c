/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run and what each of them decides: see run_config.h. Defaults are those of
 * Dufter & Schütze 2020, §2 and their published commands (BERT-small, batch 256, learning rate
 * 2e-3, 50 warm-up updates, 100 epochs).
 */
#include "run/run_config.h"
#include "text/tokenizer/unknown_pieces.h"
#include "train/optimizer.h"
#include "corpus/world/world.h"
#include "isoglot/tokenizer.h"
#include "measure/measure.h"

static const char *const variant_names[] = {"fixed", "paper-text", "paper-code", NULL};
static const char *const no_random_names[] = {"off", "fixed", "paper-text", "paper-code", NULL};
static const char *const random_names[] = {"all", "nonspecial", "own", NULL};
static const char *const instance_names[] = {"lines", "stream", "pairs", NULL};
static const char *const next_names[] = {"own", "any", NULL};
static const char *const preset_names[] = {"bert-small", "bert-base", "bert-tiny", NULL};
static const char *const schedule_names[] = {"linear", "constant", "inverse-sqrt", NULL};
static const char *const batch_mix_names[] = {"mixed", "single", NULL};
static const char *const knn_candidate_names[] = {"each", "pooled", NULL};
static const char *const knn_language_names[] = {"all", "first", NULL};
static const char *const adam_names[] = {"hf-2.8", "pytorch", "xlm", NULL};
static const char *const trainer_names[] = {"bert", "word2vec", "fasttext", "glove", "svd", NULL};
static const char *const embed_model_names[] = {"skipgram", "cbow", NULL};

#define ROW(p, KIND, ...)                                                                          \
    {                                                                                              \
        .part = IG_PART_##p, IG_##KIND(ig_run_config, __VA_ARGS__)                                 \
    }
#define FLAG(p, ...) ROW(p, FLAG, __VA_ARGS__)
#define INT(p, ...) ROW(p, INT, __VA_ARGS__)
#define REAL(p, ...) ROW(p, REAL, __VA_ARGS__)
#define TEXT(p, ...) ROW(p, TEXT, __VA_ARGS__)
#define PATH(p, ...) ROW(p, PATH, __VA_ARGS__)
#define ENUM(p, ...) ROW(p, ENUM, __VA_ARGS__)

const ig_option ig_run_options[] = {
    {.group = "Data",
     .part = IG_PART_DATA,
     IG_PATH(ig_run_config, "text", data.text, "FILE",
             "training text, plain or verses, may be compressed; none: a generated world")},
    TEXT(DATA, "ids", data.ids, NULL, "IDS",
         "verses to take: NT, OT, book numbers or ranges of ids"),
    ENUM(DATA, "format", data.format, "auto", ig_text_kind_names, "format of the text"),
    FLAG(DATA, "strip-quotes", data.strip_quotes, "false",
         "delete quotation marks and parentheses, as in the paper"),
    FLAG(DATA, "sentences", data.sentences, "true", "break lines into sentences"),
    FLAG(DATA, "clauses", data.clauses, "false", "break also at ; and :"),
    INT(DATA, "take", data.take, "0", 0, 1e12, "sentences to take; 0: all"),
    PATH(DATA, "dev-text", data.dev_text, "FILE", "development text, same format and cleaning"),
    TEXT(DATA, "dev-ids", data.dev_ids, NULL, "IDS", "verses to take of the development text"),
    ENUM(DATA, "dev-format", data.dev_format, "auto", ig_text_kind_names,
         "format of the development text"),
    {.name = "files",
     .part = IG_PART_DATA,
     .kind = IG_OPT_FILES,
     .offset = offsetof(ig_run_config, data.files),
     .value = "NAME=FILE; …",
     .help = "files that languages refer to by name: texts, dictionaries, treebanks"},
    INT(DATA, "dev-take", data.dev_take, "10000", 0, 1e12,
        "sentences to take of the development text; 0: all"),
    FLAG(DATA, "dev-parallel", data.dev_parallel, "false",
         "separate development texts of languages are parallel line by line (verses always are, by "
         "their ids)"),
    ENUM(DATA, "world", data.world, "bible", ig_world_preset_names,
         "preset of the generated world, when no text is given"),
    INT(DATA, "world-sentences", data.world_sentences, "12000", 10, 1e8,
        "sentences of the generated world, when no text is given"),
    INT(DATA, "world-seed", data.world_seed, "1", 0, 1e15, "seed of the generated world"),
    FLAG(DATA, "world-words", tokens.world_words, "false",
         "whole words of the generated world as vocabulary"),

    {.group = "Vocabulary",
     .part = IG_PART_DATA,
     IG_PATH(ig_run_config, "vocab", tokens.vocab, "FILE",
             "vocab.txt or tokenizer.json to use; none: trained on the training text")},
    INT(DATA, "vocab-size", tokens.vocab_size, "2048", 6, 1e7, "pieces of a trained vocabulary"),
    INT(DATA, "max-words", tokens.max_words, "8388608", 1, 1e9,
        "distinct words that a vocabulary is trained on: the most frequent"),
    INT(DATA, "limit-alphabet", tokens.limit_alphabet, "0", 0, 2e6,
        "keep the N most frequent characters in a trained vocabulary; 0: all"),
    ENUM(DATA, "vocab-model", tokens.vocab_model, "wordpiece", ig_vocab_model_names,
         "what is trained (docs/tokenizer.md)"),
    FLAG(DATA, "lowercase", tokens.lowercase, "false", "lower case and no accents"),
    {.part = IG_PART_DATA, IG_UNKNOWN_OPTION(ig_run_config, tokens.allow_unknown)},

    {.group = "Languages",
     .part = IG_PART_ALL,
     IG_TEXT(ig_run_config, "languages", languages.spec, "en; fake = shift", "SPEC",
             "languages, their texts and transforms: NAME[(text=FILE, share=X, …)] [= PIPELINE]; … "
             "(isoglot corpus transform lists them)")},
    INT(ALL, "transform-seed", languages.transform_seed, "0", 0, 1e15,
        "seed of the languages' random transforms; the run's own seed does not change a language"),
    FLAG(ALL, "inv-order", languages.inv_order, "false",
         "invert the word order of every language but the first"),
    FLAG(BERT, "lang-pos", languages.lang_pos, "false",
         "separate positions and segment for every language but the first"),
    FLAG(BERT, "shift-special", languages.shift_special, "false",
         "separate special tokens for every language but the first"),
    ENUM(BERT, "no-random", objective.no_random, "off", no_random_names,
         "no random replacement: shares .8/.2 (paper-text, fixed) or .9/.1 (paper-code) of "
         "mask/keep"),
    FLAG(ALL, "no-parallel", languages.no_parallel, "false",
         "first half of the text for the first language, second half for the others"),
    FLAG(BERT, "pad-attend", objective.pad_attend, "false",
         "compute padding and attend to it, as the papers' programs do"),
    ENUM(BERT, "shift-special-detect", objective.shift_special_detect, "fixed", variant_names,
         "paper-code: a row's special tokens are shifted if any id is, after masking"),
    ENUM(BERT, "random-vocab", objective.random_vocab, "all", random_names,
         "ids from which random replacements are sampled"),
    ENUM(MEASURES, "perplexity-average", measuring.perplexity_average, "fixed", variant_names,
         "over tokens (fixed) or of batch means (paper-code)"),
    ENUM(MEASURES, "translation-words", measuring.translation_words, "fixed", variant_names,
         "words of word translation: gold dictionary (fixed) or every id (paper-code)"),
    ENUM(BERT, "accum-carry", optimisation.accum_carry, "fixed", variant_names,
         "paper-code: an epoch's left-over micro-batches are added to the next update"),
    ENUM(BERT, "accum-mean", optimisation.accum_mean, "fixed", variant_names,
         "with accum: all targets of an update weigh the same (fixed) or each micro-batch's mean "
         "does (paper-code)"),
    INT(BERT, "block", objective.block, "128", 3, IG_SEQUENCE_MAX,
        "longest sequence in tokens, including special tokens"),
    REAL(BERT, "mask-prob", objective.mask_prob, "0.15", 1e-6, 1,
         "share of tokens chosen for prediction"),
    REAL(BERT, "mask-share", objective.mask_share, "0.8", 0, 1,
         "share of the chosen tokens that become [MASK]"),
    REAL(BERT, "random-share", objective.random_share, "0.1", 0, 1,
         "share of the chosen tokens that become a random token"),

    {.group = "Instances",
     .part = IG_PART_BERT,
     IG_ENUM(
         ig_run_config, "instances", objective.instances, "lines", instance_names,
         "a sentence each, windows of the text as a stream (XLM), or pairs of stretches (BERT)")},
    INT(BERT, "document", objective.document, "0", 0, 1e9,
        "sentences of a document, whose pairs do not cross into the next one; 0: a hundredth of a "
        "language's, from 32 to 4096"),
    ENUM(BERT, "next-from", objective.next_from, "own", next_names,
         "a pair's random second part is of its own language, or of any"),
    FLAG(BERT, "nsp", objective.nsp, "false",
         "predict whether a pair's second part follows the first"),
    FLAG(BERT, "whole-words", objective.whole_words, "false",
         "choose all pieces of a word for prediction, or none"),
    FLAG(BERT, "static-masks", objective.static_masks, "false",
         "use the same masks in every epoch"),
    INT(BERT, "dupe", objective.dupe, "1", 1, 65536,
        "copies of the text in an epoch, each with different masks and pairs"),
    TEXT(BERT, "tlm", objective.tlm, NULL, "A-B; …",
         "parallel sentences of these languages also in one sequence; all: of every two"),
    FLAG(BERT, "language-markers", languages.language_markers, "false",
         "a separate [SEP] for every language"),
    FLAG(BERT, "language-embeddings", languages.language_embeddings, "false",
         "add a vector of its language to every token (the segment's)"),

    {.group = "Neighbours in other languages",
     .part = IG_PART_BERT,
     IG_INT_AS(ig_run_config, "knn-replace", objective.knn_replace, "0", "K", 0, 1000,
               "replace some tokens by one of their K nearest neighbours in the other languages; "
               "0: none")},
    REAL(BERT, "knn-share", objective.knn_share, "0.1", 0, 1,
         "share of the chosen tokens that become a neighbour"),
    REAL(BERT, "knn-growth", objective.knn_growth, "0", 0, 1,
         "amount by which knn-share grows, and random-share shrinks, with each batch"),
    REAL(BERT, "knn-context", objective.knn_context, "0", 0, 1,
         "share of the tokens not chosen that become a neighbour"),
    ENUM(BERT, "knn-candidates", objective.knn_candidates, "each", knn_candidate_names,
         "nearest in each other language, or in all of them together"),
    ENUM(BERT, "knn-languages", objective.knn_languages, "all", knn_language_names,
         "languages whose tokens become neighbours; first: as the paper's program on real data"),
    PATH(BERT, "knn-vectors", objective.knn_vectors, "FILE",
         "mapped vectors of the pieces of all languages (docs/batches.md); none: fastText and "
         "VecMap are run on the training text"),
    INT(BERT, "knn-dim", objective.knn_dim, "100", 1, 65536, "dimensions of those vectors"),
    INT(BERT, "knn-epochs", objective.knn_epochs, "20", 1, 1000000,
        "passes over the text to train them"),
    INT(BERT, "knn-min-count", objective.knn_min_count, "5", 1, 1000000000,
        "pieces that occur less often have no vector"),

    {.group = "Static vectors",
     .part = IG_PART_VECTORS,
     IG_ENUM(ig_run_config, "trainer", trainer, "bert", trainer_names,
             "model trained on the word pieces: a BERT, or static vectors (experiment files)")},
    ENUM(VECTORS, "embed-model", vectors.embed_model, "skipgram", embed_model_names,
         "word2vec, fastText: what is predicted"),
    INT(VECTORS, "embed-dim", vectors.embed_dim, "0", 0, 65536,
        "dimensions; 0: the hidden size of the BERT"),
    INT(VECTORS, "embed-window", vectors.embed_window, "0", 0, 1000,
        "word pieces on each side; 0: 5, GloVe 15, as in the original programs"),
    INT(VECTORS, "embed-epochs", vectors.embed_epochs, "0", 0, 1000000,
        "passes over the text (GloVe: over the cells; SVD: of subspace iteration); 0: 5, GloVe 25, "
        "SVD 40"),
    INT(VECTORS, "embed-negative", vectors.embed_negative, "5", 1, 1000,
        "negative pieces for each pair"),
    INT(VECTORS, "embed-min-count", vectors.embed_min_count, "1", 1, 1000000000,
        "pieces that occur less often have no vector"),
    REAL(VECTORS, "embed-lr", vectors.embed_lr, "0", 0, 10,
         "initial rate; 0: the original program's"),

    {.group = "Word retrieval",
     .part = IG_PART_WORDS,
     IG_INT(ig_run_config, "words-take", measuring.words_take, "0", 0, 1e12,
            "evaluate words from the first N sentences of each training text; 0: all")},
    INT(WORDS, "words-min-count", measuring.words_min_count, "2", 1, 1e12,
        "evaluate words that occur at least N times"),
    FLAG(WORDS, "words-alike", measuring.words_alike, "true",
         "also evaluate words that are the same pieces in both languages"),

    {.group = "Model",
     .part = IG_PART_BERT,
     IG_ENUM(ig_run_config, "preset", model.preset, "bert-small", preset_names,
             "shape that the following keys change")},
    INT(BERT, "layers", model.layers, "0", 0, 1000, "blocks; none: the preset's"),
    INT(BERT, "hidden", model.hidden, "0", 0, 1e5, "hidden size; none: the preset's"),
    INT(BERT, "heads", model.heads, "0", 0, 1e4, "attention heads; none: the preset's"),
    INT(BERT, "ffn", model.ffn, "0", 0, 1e6, "intermediate size; none: the preset's"),
    INT(BERT, "max-positions", model.max_positions, "0", 0, 1e6,
        "rows of the position table; none: the preset's"),
    INT(BERT, "segments", model.segments, "0", 0, 1000,
        "rows of the segment table; none: the preset's"),
    ENUM(BERT, "position-type", model.position_type, "learned", ig_position_names,
         "encoding of token positions (docs/model.md)"),
    INT(BERT, "parameters", model.parameters, "0", 0, 1e12,
        "choose the hidden size whose parameter count is nearest to N (ffn is 4 times the hidden "
        "size unless given); 0: sizes as given"),
    ENUM(BERT, "init", model.init, "normal", ig_bert_init_names,
         "initial weights: normal, truncated at two standard deviations, or XLM's"),
    FLAG(BERT, "tied", model.tied, "true", "the decoder's matrix is the word embeddings"),
    FLAG(BERT, "transform", model.transform, "true",
         "a dense layer, GELU and LayerNorm before the decoder, as BERT has and XLM has not"),
    FLAG(BERT, "pre-norm", model.pre_norm, "false",
         "LayerNorm before each sublayer and behind the last, instead of behind each"),
    FLAG(BERT, "gelu-tanh", model.gelu_tanh, "false",
         "GELU approximated with tanh, as in Google's BERT"),
    TEXT(BERT, "separate", model.separate, NULL, "PARTS",
         "language-specific parameters: words, positions, segments, norm, embeddings, "
         "specials, "
         "layers=A-B, head, output, bias, all; divided by ;"),
    REAL(BERT, "hidden-dropout", model.hidden_dropout, "0.1", 0, 0.99,
         "dropout of embeddings and block outputs"),
    REAL(BERT, "attention-dropout", model.attention_dropout, "0.1", 0, 0.99,
         "dropout of attention probabilities"),
    REAL(BERT, "layer-norm-eps", model.layer_norm_eps, "1e-12", 0, 1,
         "epsilon inside LayerNorm's root"),
    REAL(BERT, "init-range", model.init_range, "0.02", 0, 10,
         "standard deviation of the initial weights"),

    {.group = "Optimisation",
     .part = IG_PART_BERT,
     IG_INT(ig_run_config, "updates", optimisation.updates, "0", 0, 1e12,
            "updates; 0: as many as the epochs give")},
    INT(BERT, "epochs", optimisation.epochs, "0", 0, 1e9,
        "epochs; 0: 100, unless updates are given"),
    INT(BERT, "batch", optimisation.batch, "256", 1, 1e6, "sequences of a micro-batch"),
    ENUM(BERT, "batch-languages", optimisation.batch_languages, "mixed", batch_mix_names,
         "languages of a batch: mixed, or a single one"),
    REAL(BERT, "language-alpha", optimisation.language_alpha, "1", 0, 10,
         "exponent of language sampling: a language of n sentences is sampled in proportion to n^X "
         "(XLM .7 or .5); 1: in proportion to n, 0: uniformly"),
    INT(BERT, "epoch-size", optimisation.epoch_size, "0", 0, 2e9,
        "sentences of an epoch (XLM: 200 000); 0: as many as there are"),
    INT(BERT, "accum", optimisation.accum, "1", 1, 1e5, "micro-batches of an update"),
    REAL(BERT, "lr", optimisation.lr, "2e-3", 0, 100, "peak learning rate"),
    INT(BERT, "warmup", optimisation.warmup, "50", 0, 1e9, "updates of linear warm-up"),
    ENUM(BERT, "schedule", optimisation.schedule, "linear", schedule_names,
         "after the warm-up: linear to 0 at the end, constant, or falling as the inverse square "
         "root "
         "of the update (XLM)"),
    REAL(BERT, "weight-decay", optimisation.weight_decay, "0.01", 0, 10,
         "decoupled; none on biases and LayerNorm"),
    REAL(BERT, "beta1", optimisation.beta1, "0.9", 0, IG_ADAM_BETA_MAX, "Adam's first moment"),
    REAL(BERT, "beta2", optimisation.beta2, "0.999", 0, IG_ADAM_BETA_MAX, "Adam's second moment"),
    REAL(BERT, "adam-eps", optimisation.adam_eps, "1e-6", IG_ADAM_EPS_MIN, 1, "Adam's epsilon"),
    ENUM(BERT, "adam-eps-rule", optimisation.adam_eps_rule, "hf-2.8", adam_names,
         "whether epsilon is outside (hf-2.8, xlm) or inside the bias correction; decay before the "
         "step (pytorch, xlm) or after"),
    REAL(BERT, "clip", optimisation.clip, "1", 0, 1e9,
         "largest norm of the gradient; 0: no clipping"),
    INT(ALL, "seed", optimisation.seed, "0", 0, 1e15,
        "seed of initial weights, order, masks and dropout"),
    ENUM(BERT, "precision", optimisation.precision, "float32", ig_precision_names,
         "of matrix products: float32 or bfloat16 (faster where the CPU has it)"),

    {.group = "Run",
     .part = IG_PART_RUNNING,
     IG_PATH(ig_run_config, "out", out, "DIR",
             "folder of the run; the same command resumes a stopped run")},
    PATH(RUNNING, "config", config, "FILE", "file of these keys (YAML or JSON)"),
    INT(RUNNING, "threads", threads, "0", 0, 4096,
        "threads; 0: every processor; the result does not depend on it"),
    {.part = IG_PART_RUNNING,
     IG_TIME(ig_run_config, "max-time", max_time, "0",
             "save and stop after so long: seconds, 90m, 2h, 1h30m; 0: no limit")},
    INT(RUNNING, "save-every", save_every, "500", 0, 1e12,
        "updates between checkpoints; 0: only at the end"),
    FLAG(RUNNING, "save-log-spaced", save_log_spaced, "false",
         "keep the checkpoints of updates 1, 2, 5, 10, 20, 50, …"),
    INT(RUNNING, "keep", keep, "1", 1, 1e9,
        "checkpoints to keep in addition to the log-spaced ones; one saved because of a stop does "
        "not count"),
    INT(RUNNING, "log-every", log_every, "10", 1, 1e9, "updates per line of log.jsonl"),
    {.name = "eval-layers",
     .part = IG_PART_RUNNING,
     .kind = IG_OPT_INTS,
     .offset = offsetof(ig_run_config, measuring.eval_layers),
     .value = "L,…",
     .max = 1000,
     .help = "layers to measure"},
    FLAG(RUNNING, "eval", measuring.eval_end, "true", "measure at the end"),
    INT(RUNNING, "eval-every", measuring.eval_every, "0", 0, 1e12,
        "updates between measurements; 0: only at the end"),
    FLAG(RUNNING, "dry-run", dry_run, "false",
         "show settings, parameters, memory and time, and stop"),
    FLAG(RUNNING, "json", json, "false", "result as JSON"),
};
_Static_assert((int)IG_RUN_MAX_LANGUAGE == (int)IG_MEASURE_MAX_LANGUAGE, "a run is measured");
_Static_assert(sizeof ig_run_options / sizeof *ig_run_options == IG_RUN_N_OPTION,
               "run_config.h says how many");

bool ig_run_option_decides(int option)
{
    const int part = ig_run_options[option].part;
    return part != IG_PART_MEASURES && part != IG_PART_RUNNING;
}

bool ig_run_option_counts(int option, const ig_run_config *c)
{
    switch ((ig_run_part)ig_run_options[option].part) {
    case IG_PART_DATA:
    case IG_PART_ALL:
    case IG_PART_WORDS:
        return true;
    case IG_PART_BERT:
    case IG_PART_MEASURES:
        return c->trainer == IG_TRAINER_BERT;
    case IG_PART_VECTORS:
        return c->trainer != IG_TRAINER_BERT;
    case IG_PART_RUNNING:
        break;
    }
    return false;
}
