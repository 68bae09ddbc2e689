/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run and what each of them decides: see run_config.h. Defaults are those of
 * Dufter & Schütze 2020, §2 and their published commands (BERT-small, batch 256, learning rate
 * 2e-3, 50 warm-up updates, 100 epochs).
 */
#include "run/run_config.h"

#include "corpus/world/world.h"
#include "isoglot/tokenizer.h"
#include "measure/measure.h"
#include "model/device/device_name.h"
#include "text/tokenizer/unknown_pieces.h"

#include <string.h>

static const char *const variant_names[] = {"fixed", "paper-text", "paper-code", NULL};
static const char *const no_random_names[] = {"off", "fixed", "paper-text", "paper-code", NULL};
static const char *const random_names[] = {"all", "nonspecial", "own", NULL};
static const char *const instance_names[] = {"lines", "stream", "pairs", NULL};
static const char *const next_names[] = {"own", "any", NULL};
static const char *const preset_names[] = {"bert-small", "bert-base", "bert-tiny", NULL};
static const char *const batch_mix_names[] = {"mixed", "single", NULL};
static const char *const knn_candidate_names[] = {"each", "pooled", NULL};
static const char *const knn_language_names[] = {"all", "first", NULL};
static const char *const trainer_names[] = {"bert", "word2vec", "fasttext", "glove", NULL};
static const char *const embed_model_names[] = {"skipgram", "cbow", NULL};

#define ROW(p, KIND, ...) .part = IG_PART_##p, IG_##KIND(ig_run_config, __VA_ARGS__)
#define FLAG(p, ...) ROW(p, FLAG, __VA_ARGS__)
#define INT(p, ...) ROW(p, INT, __VA_ARGS__)
#define INT_AS(p, ...) ROW(p, INT_AS, __VA_ARGS__)
#define REAL(p, ...) ROW(p, REAL, __VA_ARGS__)
#define TEXT(p, ...) ROW(p, TEXT, __VA_ARGS__)
#define TIME(p, ...) ROW(p, TIME, __VA_ARGS__)
#define PATH(p, ...) ROW(p, PATH, __VA_ARGS__)
#define ENUM(p, ...) ROW(p, ENUM, __VA_ARGS__)

/* Why an option has no effect beside the others (ig_option.no_effect). Only certain reasons are
 * given: none that depends on a text or on what is measured. */
#define NO_EFFECT(name, condition, reason)                                                         \
    static const char *name(const void *config)                                                    \
    {                                                                                              \
        const ig_run_config *c = config;                                                           \
        return (condition) ? (reason) : NULL;                                                      \
    }

/* Returns whether a language has a text, a development text or a vocabulary of its own. */
static bool any_language(const ig_run_config *c, size_t field)
{
    const ig_language_words *l = c->languages.language;
    for (int k = 0; k < c->languages.n; k++)
        if (((const char *)&l[k] + field)[0] != '\0')
            return true;
    return false;
}
#define HAS_OWN(what) any_language(c, offsetof(ig_language_words, what))
#define HAS_TEXT (c->data.text != NULL || HAS_OWN(text) || HAS_OWN(dev))

NO_EFFECT(beside_text, c->data.text != NULL, "a generated world is used when there is no text")
NO_EFFECT(without_text, !HAS_TEXT,
          "there is no text, and a generated world is clean and has a sentence a line")
NO_EFFECT(take_without_text, !HAS_TEXT && !ig_run_languages_have_texts(&c->languages),
          "a generated world has as many sentences as world-sentences says")
NO_EFFECT(without_dev_text, c->data.dev_text == NULL && !HAS_OWN(dev), "there is no dev-text")
NO_EFFECT(beside_vocab, c->tokens.vocab != NULL && !HAS_OWN(vocab),
          "the vocabulary is given, none is trained")
NO_EFFECT(one_language, c->languages.n == 1, "there is one language only")
/* Returns whether a language's pipeline has special tokens of its own. */
static bool own_specials(const ig_run_config *c)
{
    bool any = HAS_OWN(vocab);
    for (int k = 0; k < c->languages.n; k++)
        any = any || strstr(c->languages.language[k].pipeline, "specials") != NULL;
    return any;
}

NO_EFFECT(without_specials, !own_specials(c),
          "no language has special tokens of its own (shift-special)")
NO_EFFECT(one_micro_batch, c->optimisation.accum == 1, "an update has one micro-batch (accum)")
#define NO_MASKS "no token is masked (causal-share 1)"
NO_EFFECT(without_masks, c->objective.batching.causal_share == 1, NO_MASKS)
NO_EFFECT(without_random,
          c->objective.batching.causal_share == 1 || c->objective.no_random != IG_NO_RANDOM_OFF ||
              !(c->objective.batching.random_share > 0),
          c->objective.batching.causal_share == 1
              ? NO_MASKS
              : "no token becomes a random one (no-random, random-share)")
#define NO_START "there is no model to start from (from)"
NO_EFFECT(without_from, c->model.from == NULL, NO_START)
NO_EFFECT(of_bert, c->model.architecture == IG_ARCHITECTURE_BERT || c->model.from != NULL,
          "the model is no new ModernBERT")
NO_EFFECT(with_from, c->model.from != NULL && c->model.from[0] != '{',
          "the model that it starts from has its own (from)")
NO_EFFECT(bert_alone,
          (c->model.from != NULL && c->model.from[0] != '{') ||
              c->model.architecture != IG_ARCHITECTURE_BERT,
          c->model.from != NULL ? "the model that it starts from has its own (from)"
                                : "a ModernBERT has its own (architecture)")
NO_EFFECT(without_documents,
          c->objective.batching.instances != IG_INSTANCES_PAIRS &&
              !(c->objective.batching.mix_documents > 0),
          "only pairs and streams that mix languages have documents (instances, mix-documents)")
NO_EFFECT(without_tlm, c->objective.tlm == NULL, "no languages are named by tlm")
NO_EFFECT(without_mixing, !(c->objective.batching.mix_documents > 0),
          "no document mixes languages (mix-documents)")
#define NO_KNN "nothing is replaced by neighbours without knn-replace"
NO_EFFECT(without_knn, c->objective.knn_replace == 0, NO_KNN)
NO_EFFECT(without_knn_training, c->objective.knn_replace == 0 || c->objective.knn_vectors != NULL,
          c->objective.knn_replace == 0 ? NO_KNN
                                        : "the vectors are given (knn-vectors), none are trained")
#define NO_VECTORS "a BERT is trained; static vectors need a trainer (word2vec, fasttext, glove)"
NO_EFFECT(without_trainer, c->trainer == IG_TRAINER_BERT, NO_VECTORS)
NO_EFFECT(not_contextual, c->trainer != IG_TRAINER_WORD2VEC && c->trainer != IG_TRAINER_FASTTEXT,
          c->trainer == IG_TRAINER_BERT ? NO_VECTORS : "only word2vec and fasttext have it")
#define NO_SIZE "0 is no size, expected at least 1; the preset's is what it is without the key"
NO_EFFECT(layers_zero, c->model.layers == 0, NO_SIZE)
NO_EFFECT(hidden_zero, c->model.hidden == 0, NO_SIZE)
NO_EFFECT(heads_alone, c->model.heads == 0 || with_from(c) != NULL,
          c->model.heads == 0 ? NO_SIZE : with_from(c))
NO_EFFECT(ffn_zero, c->model.ffn == 0, NO_SIZE)
NO_EFFECT(segments_zero, c->model.segments == 0, NO_SIZE)
NO_EFFECT(positions_zero, c->model.max_positions == 0, NO_SIZE)

static const ig_option rows[] = {
    {PATH(DATA, "text", data.text, "FILE",
          "training text, plain or verses, may be compressed; none: a generated world"),
     .group = "Data"},
    {TEXT(DATA, "ids", data.ids, NULL, "IDS",
          "verses to take: NT, OT, book numbers or ranges of ids")},
    {ENUM(DATA, "format", data.format, "auto", ig_text_kind_names, "format of the text"),
     .no_effect = without_text},
    {FLAG(DATA, "strip-quotes", data.strip_quotes, "false",
          "delete quotation marks and parentheses, as in the paper"),
     .no_effect = without_text},
    {FLAG(DATA, "sentences", data.sentences, "true", "break lines into sentences"),
     .no_effect = without_text},
    {FLAG(DATA, "clauses", data.clauses, "false", "break also at ; and :"),
     .no_effect = without_text},
    {INT(DATA, "take", data.take, "0", 0, 1e12, "sentences to take; 0: all"),
     .no_effect = take_without_text},
    {PATH(DATA, "dev-text", data.dev_text, "FILE",
          "development text, same format and cleaning; none: the training text")},
    {TEXT(DATA, "dev-ids", data.dev_ids, NULL, "IDS", "verses to take of the development text")},
    {ENUM(DATA, "dev-format", data.dev_format, "auto", ig_text_kind_names,
          "format of the development text"),
     .no_effect = without_dev_text},
    {.part = IG_PART_DATA,
     .name = "files",
     .kind = IG_OPT_FILES,
     .offset = offsetof(ig_run_config, data.files),
     .value = "NAME=FILE; …",
     .help = "files that languages refer to by name: texts, dictionaries, treebanks"},
    {INT(DATA, "dev-take", data.dev_take, "10000", 0, 1e12,
         "sentences to take of the development text; 0: all")},
    {FLAG(
        DATA, "dev-parallel", data.dev_parallel, "false",
        "separate development texts of languages are parallel line by line (verses always are, by "
        "their ids)")},
    {ENUM(DATA, "world", data.world, "bible", ig_world_preset_names,
          "preset of the generated world, when no text is given"),
     .no_effect = beside_text},
    {INT(DATA, "world-sentences", data.world_sentences, "12000", 10, 1e8,
         "sentences of the generated world, when no text is given"),
     .no_effect = beside_text},
    {INT(DATA, "world-seed", data.world_seed, "1", 0, 1e15,
         "seed of the generated world; not 0, as addresses of published runs rest on it"),
     .no_effect = beside_text},
    {FLAG(DATA, "world-words", tokens.world_words, "false",
          "whole words of the generated world as vocabulary")},

    {PATH(DATA, "vocab", tokens.vocab, "FILE",
          "vocab.txt or tokenizer.json to use; none: trained on the training text"),
     .group = "Vocabulary"},
    {INT(DATA, "vocab-size", tokens.vocab_size, "2048", 6, 1e7, "pieces of a trained vocabulary"),
     .no_effect = beside_vocab},
    {INT(DATA, "max-words", tokens.max_words, "8388608", 1, 1e9,
         "distinct words that a vocabulary is trained on: the most frequent"),
     .no_effect = beside_vocab},
    {INT(DATA, "limit-alphabet", tokens.limit_alphabet, "0", 0, 2e6,
         "keep the N most frequent characters in a trained vocabulary; 0: all"),
     .no_effect = beside_vocab},
    {ENUM(DATA, "vocab-model", tokens.vocab_model, "wordpiece", ig_vocab_model_names,
          "what is trained (docs/tokenizer.md)"),
     .no_effect = beside_vocab},
    {FLAG(DATA, "lowercase", tokens.lowercase, "false", "lower case and no accents")},
    {.part = IG_PART_DATA, IG_UNKNOWN_OPTION(ig_run_config, tokens.allow_unknown)},

    {TEXT(ALL, "languages", languages.spec, "en; fake = shift", "SPEC",
          "languages, their texts and transforms: NAME[(text=FILE, share=X, …)] [= PIPELINE]; … "
          "(isoglot corpus transform lists them)"),
     .group = "Languages"},
    {INT(
        ALL, "transform-seed", languages.transform_seed, "0", 0, 1e15,
        "seed of the languages' random transforms; the run's own seed does not change a language")},
    {FLAG(ALL, "inv-order", languages.inv_order, "false",
          "invert the word order of every language but the first"),
     .no_effect = one_language},
    {FLAG(BERT, "lang-pos", languages.lang_pos, "false",
          "separate positions and segment for every language but the first"),
     .no_effect = one_language},
    {FLAG(BERT, "shift-special", languages.shift_special, "false",
          "separate special tokens for every language but the first"),
     .no_effect = one_language},
    {ENUM(BERT, "no-random", objective.no_random, "off", no_random_names,
          "no random replacement: shares .8/.2 (paper-text, fixed) or .9/.1 (paper-code) of "
          "mask/keep"),
     .no_effect = without_masks},
    {FLAG(ALL, "no-parallel", languages.no_parallel, "false",
          "first half of the text for the first language, second half for the others")},
    {FLAG(BERT, "pad-attend", objective.batching.pad_attend, "false",
          "compute padding and attend to it, as the papers' programs do")},
    {ENUM(BERT, "shift-special-detect", objective.batching.shift_special, "fixed", variant_names,
          "paper-code: a row's special tokens are shifted if any id is, after masking"),
     .no_effect = without_specials},
    {ENUM(BERT, "random-vocab", objective.batching.random_vocab, "all", random_names,
          "ids from which random replacements are sampled"),
     .no_effect = without_random},
    {ENUM(MEASURES, "perplexity-average", measuring.perplexity_average, "fixed", variant_names,
          "over tokens (fixed) or of batch means (paper-code)")},
    {ENUM(MEASURES, "translation-words", measuring.translation_words, "fixed", variant_names,
          "words of word translation: gold dictionary (fixed) or every id (paper-code)")},
    {ENUM(MEASURES, "pooling", measuring.pooling, "mean", ig_measure_pooling_names,
          "vectors of sentences: mean of the pieces' states, the last one's, or the mean weighted "
          "by position")},
    {ENUM(BERT, "accum-carry", accum_carry, "fixed", variant_names,
          "paper-code: an epoch's left-over micro-batches are added to the next update"),
     .no_effect = one_micro_batch},
    {ENUM(BERT, "accum-mean", accum_mean, "fixed", variant_names,
          "with accum: all targets of an update weigh the same (fixed) or each micro-batch's mean "
          "does (paper-code)"),
     .no_effect = one_micro_batch},
    {INT(BERT, "block", objective.block, "128", 3, IG_SEQUENCE_MAX,
         "longest sequence in tokens, including special tokens; the name of an architecture: that"),
     .words = "architecture"},
    {REAL(BERT, "causal-share", objective.batching.causal_share, "0", 0, 1,
          "share of batches in which each token sees those before it and predicts the next; in the "
          "others, masked ones are predicted from the token before them; with from, that of its "
          "model unless it is given")},
    {REAL(BERT, "mask-prob", objective.batching.mask_prob, "0.15", 1e-6, 1,
          "share of tokens chosen for prediction"),
     .no_effect = without_masks},
    {REAL(BERT, "mask-share", objective.batching.mask_share, "0.8", 0, 1,
          "share of the chosen tokens that become [MASK]"),
     .no_effect = without_masks},
    {REAL(BERT, "random-share", objective.batching.random_share, "0.1", 0, 1,
          "share of the chosen tokens that become a random token"),
     .no_effect = without_masks},

    {TEXT(BERT, "phases", objective.phases, NULL, "LIST",
          "[{until: N, share: {L: X}, languages: [L], mask_prob: X, lr: X, freeze: PARTS}, …]: "
          "settings of a stretch of the updates"),
     .flow = true},
    {ENUM(BERT, "instances", objective.batching.instances, "lines", instance_names,
          "a sentence each, windows of the text as a stream (XLM), or pairs of stretches (BERT)"),
     .group = "Instances"},
    {INT(BERT, "document", objective.batching.document, "0", 0, 1e9,
         "sentences of a document, whose pairs do not cross into the next one; 0: a hundredth of a "
         "language's, from 32 to 4096"),
     .no_effect = without_documents},
    {ENUM(BERT, "next-from", objective.batching.next_from, "own", next_names,
          "a pair's random second part is of its own language, or of any")},
    {FLAG(BERT, "nsp", objective.nsp, "false",
          "predict whether a pair's second part follows the first")},
    {FLAG(BERT, "whole-words", objective.batching.whole_words, "false",
          "choose all pieces of a word for prediction, or none"),
     .no_effect = without_masks},
    {FLAG(BERT, "static-masks", objective.batching.static_masks, "false",
          "use the same masks in every epoch"),
     .no_effect = without_masks},
    {INT(BERT, "dupe", objective.batching.copies, "1", 1, 65536,
         "copies of the text in an epoch, each with different masks and pairs")},
    {TEXT(BERT, "tlm", objective.tlm, NULL, "A-B; …",
          "parallel sentences of these languages also in one sequence; all: of every two")},
    {REAL(BERT, "tlm-share", objective.batching.tlm_share, "1", 0, 1,
          "share of the parallel sentences that come so"),
     .no_effect = without_tlm},
    {REAL(BERT, "mix-documents", objective.batching.mix_documents, "0", 0, 1,
          "stream: share of the documents in which some sentences are said in other languages")},
    {REAL(BERT, "mix-sentences", objective.batching.mix_sentences, "0.5", 0, 1,
          "share of the sentences of such a document"),
     .no_effect = without_mixing},
    {FLAG(BERT, "language-markers", languages.language_markers, "false",
          "a separate [SEP] for every language")},
    {FLAG(BERT, "language-embeddings", languages.language_embeddings, "false",
          "add a vector of its language to every token (the segment's)")},

    {INT_AS(BERT, "knn-replace", objective.knn_replace, "0", "K", 0, 1000,
            "replace some tokens by one of their K nearest neighbours in the other languages; "
            "0: none"),
     .group = "Neighbours in other languages", .no_effect = without_masks},
    {REAL(BERT, "knn-share", objective.batching.near_share, "0.1", 0, 1,
          "share of the chosen tokens that become a neighbour"),
     .no_effect = without_knn},
    {REAL(BERT, "knn-growth", objective.batching.near_growth, "0", 0, 1,
          "amount by which knn-share grows, and random-share shrinks, with each batch"),
     .no_effect = without_knn},
    {REAL(BERT, "knn-context", objective.batching.near_context, "0", 0, 1,
          "share of the tokens not chosen that become a neighbour"),
     .no_effect = without_knn},
    {ENUM(BERT, "knn-candidates", objective.knn_candidates, "each", knn_candidate_names,
          "nearest in each other language, or in all of them together"),
     .no_effect = without_knn},
    {ENUM(BERT, "knn-languages", objective.batching.near_languages, "all", knn_language_names,
          "languages whose tokens become neighbours; first: as the paper's program on real data"),
     .no_effect = without_knn},
    {PATH(BERT, "knn-vectors", objective.knn_vectors, "FILE",
          "mapped vectors of the pieces of all languages (docs/batches.md); none: fastText and "
          "VecMap are run on the training text"),
     .no_effect = without_knn},
    {INT(BERT, "knn-dim", objective.knn_dim, "100", 1, 65536, "dimensions of those vectors"),
     .no_effect = without_knn_training},
    {INT(BERT, "knn-epochs", objective.knn_epochs, "20", 1, 1000000,
         "passes over the text to train them"),
     .no_effect = without_knn_training},
    {INT(BERT, "knn-min-count", objective.knn_min_count, "5", 1, 1000000000,
         "pieces that occur less often have no vector"),
     .no_effect = without_knn_training},

    {ENUM(VECTORS, "trainer", trainer, "bert", trainer_names,
          "model trained on the word pieces: a BERT, or static vectors (experiment files)"),
     .group = "Static vectors"},
    {ENUM(VECTORS, "embed-model", vectors.embed_model, "skipgram", embed_model_names,
          "word2vec, fastText: what is predicted"),
     .no_effect = not_contextual},
    {INT(VECTORS, "embed-dim", vectors.embed_dim, "0", 0, 65536,
         "dimensions; 0: the hidden size of the BERT"),
     .no_effect = without_trainer},
    {INT(VECTORS, "embed-window", vectors.embed_window, "0", 0, 1000,
         "word pieces on each side; 0: 5, GloVe 15, as in the original programs"),
     .no_effect = without_trainer},
    {INT(VECTORS, "embed-epochs", vectors.embed_epochs, "0", 0, 1000000,
         "passes over the text (GloVe: over the cells); 0: 5, GloVe 25"),
     .no_effect = without_trainer},
    {INT(VECTORS, "embed-negative", vectors.embed_negative, "5", 1, 1000,
         "negative pieces for each pair"),
     .no_effect = not_contextual},
    {INT(VECTORS, "embed-min-count", vectors.embed_min_count, "1", 1, 1000000000,
         "pieces that occur less often have no vector"),
     .no_effect = without_trainer},
    {REAL(VECTORS, "embed-lr", vectors.embed_lr, "0", 0, 10,
          "initial rate; 0: the original program's"),
     .no_effect = without_trainer},

    {INT(WORDS, "words-take", measuring.words_take, "0", 0, 1e12,
         "evaluate words from the first N sentences of each training text; 0: all"),
     .group = "Word retrieval"},
    {INT(WORDS, "words-min-count", measuring.words_min_count, "2", 1, 1e12,
         "evaluate words that occur at least N times")},
    {FLAG(WORDS, "words-alike", measuring.words_alike, "true",
          "also evaluate words that are the same pieces in both languages")},

    {ENUM(SHAPE, "preset", model.preset, "bert-small", preset_names,
          "shape that the following keys change"),
     .group = "Model", .no_effect = with_from},
    {PATH(SHAPE, "from", model.from, "MODEL",
          "start from the weights of this run, checkpoint or Hugging Face folder, with its shape, "
          "and its tokenizer unless a vocabulary is given"),
     .flow = true},
    {TEXT(BERT, "reinit", model.reinit, NULL, "PARTS",
          "parts of it that get new weights: words, embeddings, layers A-B, head, all; permute: "
          "pieces get each other's rows"),
     .no_effect = without_from},
    {TEXT(BERT, "freeze", model.freeze, NULL, "PARTS",
          "parts that are not trained: words, embeddings, layers A-B, separate, head, all")},
    {INT(SHAPE, "layers", model.layers, "0", 0, 1000, "blocks; none: the preset's"),
     .no_effect = layers_zero},
    {INT(SHAPE, "hidden", model.hidden, "0", 0, 1e5, "hidden size; none: the preset's"),
     .no_effect = hidden_zero},
    {INT(SHAPE, "heads", model.heads, "0", 0, 1e4, "attention heads; none: the preset's"),
     .no_effect = heads_alone},
    {INT(SHAPE, "ffn", model.ffn, "0", 0, 1e6, "intermediate size; none: the preset's"),
     .no_effect = ffn_zero},
    {INT(SHAPE, "max-positions", model.max_positions, "0", 0, 1e6,
         "rows of the position table; none: the preset's"),
     .no_effect = positions_zero},
    {INT(SHAPE, "segments", model.segments, "0", 0, 1000,
         "rows of the segment table; none: the preset's"),
     .no_effect = segments_zero},
    {ENUM(BERT, "architecture", model.architecture, "bert", ig_run_architecture_names,
          "whose blocks a new model has (docs/model.md)"),
     .no_effect = with_from},
    {INT(BERT, "local-attention", model.local_attention, "128", 2, 1e6,
         "modernbert: tokens around each that its local layers attend to"),
     .no_effect = of_bert},
    {INT(BERT, "global-every", model.global_every, "3", 1, 1000,
         "modernbert: of so many layers the first attends to all tokens"),
     .no_effect = of_bert},
    {ENUM(BERT, "position-type", model.position_type, "learned", ig_position_names,
          "encoding of token positions (docs/model.md)"),
     .no_effect = bert_alone},
    {INT(SHAPE, "parameters", model.parameters, "0", 0, 1e12,
         "choose the hidden size whose parameter count is nearest to N (ffn is 4 times the hidden "
         "size unless given); 0: sizes as given")},
    {ENUM(BERT, "init", model.init, "normal", ig_bert_init_names,
          "initial weights (with from: of what is new): normal, truncated at two standard "
          "deviations, or XLM's")},
    {FLAG(BERT, "tied", model.tied, "true", "the decoder's matrix is the word embeddings"),
     .no_effect = with_from},
    {FLAG(BERT, "transform", model.transform, "true",
          "a dense layer, GELU and LayerNorm before the decoder, which BERT has and XLM does not "
          "have"),
     .no_effect = with_from},
    {FLAG(BERT, "pre-norm", model.pre_norm, "false",
          "LayerNorm before each sublayer and after the last, instead of after each"),
     .no_effect = bert_alone},
    {FLAG(BERT, "gelu-tanh", model.gelu_tanh, "false",
          "GELU approximated with tanh, as in Google's BERT"),
     .no_effect = with_from},
    {TEXT(BERT, "separate", model.separate, NULL, "PARTS",
          "language-specific parameters: words, positions, segments, norm, embeddings, "
          "specials, "
          "layers=A-B, head, output, bias, all; divided by ;")},
    {REAL(BERT, "hidden-dropout", model.hidden_dropout, "0.1", 0, 0.99,
          "dropout of embeddings and block outputs")},
    {REAL(BERT, "attention-dropout", model.attention_dropout, "0.1", 0, 0.99,
          "dropout of attention probabilities")},
    {REAL(BERT, "layer-norm-eps", model.layer_norm_eps, "1e-12", 0, 1,
          "epsilon inside LayerNorm's root"),
     .no_effect = with_from},
    {REAL(BERT, "init-range", model.init_range, "0.02", 0, 10,
          "standard deviation of the initial weights (with from: of what is new)")},

    {INT(BERT, "updates", optimisation.updates, "0", 0, 1e12,
         "updates; 0: as many as the epochs give"),
     .group = "Optimisation"},
    {INT(BERT, "epochs", optimisation.epochs, "0", 0, 1e9,
         "epochs; 0: 100, unless updates are given")},
    {INT(BERT, "batch", objective.batching.batch, "256", 1, 1e6, "sequences of a micro-batch")},
    {ENUM(BERT, "batch-languages", objective.batching.languages, "mixed", batch_mix_names,
          "languages of a batch: mixed, or a single one")},
    {REAL(
        BERT, "language-alpha", objective.batching.alpha, "1", 0, 10,
        "exponent of language sampling: a language of n sentences is sampled in proportion to n^X "
        "(XLM .7 or .5); 1: in proportion to n, 0: uniformly")},
    {INT(BERT, "epoch-size", objective.batching.epoch_size, "0", 0, 2e9,
         "sentences of an epoch (XLM: 200 000); 0: as many as there are")},
    IG_TRAINING_OPTIONS(
        IG_PART_BERT, ig_run_config, optimisation, "2e-3", "adam-eps-rule", "hf-2.8",
        {INT(BERT, "warmup", optimisation.warmup, "50", 0, 1e9, "updates of linear warm-up")}),
    {INT(ALL, "seed", optimisation.seed, "0", 0, 1e15,
         "seed of initial weights, order, masks and dropout")},

    {PATH(RUNNING, "out", out, "DIR", "folder of the run; the same command resumes a stopped run"),
     .group = "Run"},
    {PATH(RUNNING, "config", config, "FILE", "file of these keys (YAML or JSON)")},
    {INT(RUNNING, "threads", threads, "0", 0, 4096,
         "threads; 0: every processor; the result does not depend on it")},
    {INT(RUNNING, "ranks", ranks, "1", 1, 4096,
         "processes that share each update, with threads each; started here by MPI, unless mpirun "
         "or srun has; the result does not depend on it")},
    {.part = IG_PART_RUNNING, IG_DEVICE_OPTION(ig_run_config, device)},
    {INT(RUNNING, "replicas", replicas, "0", 0, 256,
         "on a GPU: train so many runs together, with seeds from --seed on, in DIR/SEED")},
    {TIME(RUNNING, "max-time", max_time, "0",
          "save and stop after so long: seconds, 90m, 2h, 1h30m; 0: no limit")},
    {INT(RUNNING, "save-every", save_every, "500", 0, 1e12,
         "updates between checkpoints; 0: only at the end")},
    {FLAG(RUNNING, "save-log-spaced", save_log_spaced, "false",
          "keep the checkpoints of updates 1, 2, 5, 10, 20, 50, …")},
    {INT(RUNNING, "keep", keep, "1", 1, 1e9,
         "checkpoints to keep in addition to the log-spaced ones; one saved because of a stop does "
         "not count")},
    {INT(RUNNING, "log-every", log_every, "10", 1, 1e9, "updates per line of log.jsonl")},
    {.part = IG_PART_RUNNING,
     .name = "eval-layers",
     .kind = IG_OPT_INTS,
     .offset = offsetof(ig_run_config, measuring.eval_layers),
     .value = "L,…",
     .max = 1000,
     .help = "layers to measure"},
    {FLAG(RUNNING, "eval", measuring.eval_end, "true", "measure at the end")},
    {INT(RUNNING, "eval-every", measuring.eval_every, "0", 0, 1e12,
         "updates between measurements; 0: only at the end")},
    {FLAG(RUNNING, "dry-run", dry_run, "false",
          "show settings, parameters, memory and time, and stop")},
    {FLAG(RUNNING, "json", json, "false", "result as JSON")},
};

const ig_option_table ig_run_options = IG_OPTION_TABLE(rows);
_Static_assert(sizeof rows / sizeof *rows <= IG_OPTION_MAX, "arrays beside the options");
_Static_assert((int)IG_RUN_MAX_LANGUAGE == (int)IG_MEASURE_MAX_LANGUAGE, "a run is measured");

bool ig_run_option_decides(int option)
{
    const int part = ig_run_options.row[option].part;
    return part != IG_PART_MEASURES && part != IG_PART_RUNNING;
}

bool ig_run_option_counts(int option, const ig_run_config *c)
{
    switch ((ig_run_part)ig_run_options.row[option].part) {
    case IG_PART_DATA:
    case IG_PART_ALL:
    case IG_PART_WORDS:
        return true;
    case IG_PART_BERT:
    case IG_PART_SHAPE:
    case IG_PART_MEASURES:
        return c->trainer == IG_TRAINER_BERT;
    case IG_PART_VECTORS:
        return c->trainer != IG_TRAINER_BERT;
    case IG_PART_RUNNING:
        break;
    }
    return false;
}

static const char *no_effect(const ig_option *o, const void *config)
{
    const ig_run_config *c = config;
    const bool shapes_vectors = o->part == IG_PART_SHAPE && c->vectors.embed_dim == 0;
    if (c->trainer != IG_TRAINER_BERT && !shapes_vectors &&
        !ig_run_option_counts((int)(o - rows), c))
        return "static vectors are trained, not a BERT (trainer)";
    return o->no_effect != NULL ? o->no_effect(config) : NULL;
}

const char *ig_run_option_no_effect(int option, const ig_run_config *c)
{
    return no_effect(&rows[option], c);
}

ig_code ig_run_check_effects(const ig_run_config *c, const unsigned char *given, ig_err *err)
{
    return ig_options_check_effects(&ig_run_options, c, no_effect, given, err);
}
