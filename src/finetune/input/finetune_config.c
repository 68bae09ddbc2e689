/* SPDX-License-Identifier: Apache-2.0
 *
 * The option table of a fine-tuning; see finetune_config.h. Defaults here are those that no recipe
 * touches; the others are recipe.c's.
 */
#include "finetune/input/finetune_config.h"

#include "model/device/device_name.h"
#include "text/tokenizer/unknown_pieces.h"

const char *const ig_recipe_names[] = {"bert",  "xtreme",   "xlm", "crosslingual-nlp",
                                       "k2020", "minimult", NULL};
const char *const ig_select_names[] = {"last", "source-dev", "target-dev", NULL};
static const char *const as_names[] = {"fixed", "paper-text", "paper-code", NULL};
static const char *const pair_names[] = {"bert", "xlm", NULL};
static const char *const segment_names[] = {"auto", "parts", "language", "zero", NULL};
static const char *const long_names[] = {"windows", "split", "truncate", NULL};
static const char *const empty_names[] = {"unk", "drop", NULL};
static const char *const top_names[] = {"auto", "pooled", "first", "linear", "crf", "parser", NULL};
static const char *const read_names[] = {"last", "layer", "mix", NULL};

#define FLAG(...) IG_FLAG(ig_finetune_config, __VA_ARGS__)
#define INT(...) IG_INT(ig_finetune_config, __VA_ARGS__)
#define REAL(...) IG_REAL(ig_finetune_config, __VA_ARGS__)
#define PATH(...) IG_PATH(ig_finetune_config, __VA_ARGS__)
#define TEXT(...) IG_TEXT(ig_finetune_config, __VA_ARGS__)
#define ENUM(...) IG_ENUM(ig_finetune_config, __VA_ARGS__)

/* Parts of options (ig_option.part): those that affect the result, also of a task that trains
 * nothing (minimal pairs), or only of one that trains; and those that affect only running and
 * output. Files are compared by their bytes (record.h). */
enum { TRAINS, DECIDES, RUNS };

static const ig_option rows[] = {
    {.part = RUNS, PATH("model", model, "DIR", "model folder, or a run (its newest checkpoint)")},
    {.part = RUNS,
     PATH("task", task, "TASK.yaml", "kind, labels, files of each language and split")},
    {.part = RUNS,
     PATH("vectors", vectors, "FILE",
          "static vectors of the vocabulary's pieces, frozen, below new layers; only vocabulary, "
          "languages and sizes of the model are used")},
    {.part = RUNS, PATH("out", out, "DIR", "folder of the fine-tuned model")},
    {ENUM("recipe", recipe, "bert", ig_recipe_names,
          "program whose settings are the defaults of the other options")},
    {.old = "as",
     ENUM("definition", as, "fixed", as_names,
          "where the paper, its program and good practice differ (docs/finetuning.md)")},
    {INT("seed", training.seed, "0", 0, 9e15,
         "seed of the head, the order of the examples and dropout")},
    {.part = DECIDES,
     TEXT(
         "edit", edit, NULL, "EDIT",
         "edits of states, weights, attention, in training and evaluation: {layer: L, kind: K, …}, "
         "a list, or a YAML file")},
    {.part = RUNS, PATH("config", config, "FILE", "YAML or JSON file of these options")},

    {INT("length", length, "0", 0, 1 << 20,
         "longest sequence, including special tokens; 0: the model's positions"),
     .group = "Input"},
    {INT("text-length", text_length, "0", 0, 1 << 20,
         "truncate each text of a pair to N pieces; 0: no limit")},
    {FLAG("cut-eval", cut_eval, "true", "truncate texts to this length in evaluation too")},
    {ENUM("pair-input", pair_input, "bert", pair_names,
          "the special tokens that the tokenizer has for two texts, [CLS] a [SEP] b [SEP] or "
          "<s> a </s></s> b </s>; xlm: [SEP] a [SEP] b [SEP]")},
    {ENUM("segments", segments, "auto", segment_names,
          "0 and 1 for the two parts (auto: where languages have no segments), the language's, 0")},
    {ENUM("too-long", too_long, "windows", long_names,
          "sentences of words that are too long: overlapping windows, several sequences, "
          "truncation")},
    {ENUM("empty-words", empty_words, "unk", empty_names,
          "words without pieces become [UNK]; drop: and are excluded from training")},
    {.part = DECIDES,
     FLAG("lowercase", lowercase, NULL, "lower case, overriding the model's folder")},

    {INT("keep-layers", keep_layers, "-1", -1, IG_BERT_MAX_LAYER,
         "keep the first N layers, frozen with the embeddings, and add new ones; -1: keep all "
         "layers"),
     .group = "Encoder"},
    {INT("new-layers", new_layers, "4", 1, IG_BERT_MAX_LAYER,
         "newly initialised layers after those of --keep-layers")},

    {ENUM("head", top, "auto", top_names,
          "pooled: first token, dense, tanh, linear; first: linear on it; linear: each word; "
          "crf; parser"),
     .group = "Head"},
    {ENUM("reads", reads, "last", read_names,
          "states that the head reads: the last layer's, or a trained mixture of all layers")},
    {INT("lstm-layers", lstm_layers, "0", 0, IG_LSTM_MAX_LAYER, "BiLSTMs below a CRF")},
    {INT("lstm-size", lstm_size, "200", 1, 4096, "of each direction")},
    {REAL("dropout", dropout, "-1", -1, .999, "dropout of the encoder; -1: the model's own")},
    {REAL("head-dropout", head_dropout, "-1", -1, .999,
          "dropout of the head's input; -1: hidden_dropout_prob of the model's folder")},
    {REAL("inner-dropout", inner_dropout, "-1", -1, .999,
          "dropout of the head's inner states; -1: as head-dropout")},
    {FLAG("variational", variational, NULL,
          "a head's dropout drops the same columns for all tokens")},
    {FLAG("frozen-dropout", frozen_dropout, NULL, "dropout in a frozen encoder")},
    {FLAG("crf-sum", crf_sum, NULL, "the loss of a CRF is the sum over sentences, not the mean")},
    {FLAG("bioul", bioul, NULL, "encode spans as BIOUL, not IOB2 (last word L, one-word span U)")},
    {INT("arc-size", arc_size, "512", 1, 8192, "parser: size of the layers for arcs")},
    {INT("label-size", label_size, "128", 1, 1024, "parser: size of the layers for labels")},
    {FLAG("linear-labels", linear_labels, NULL,
          "parser: label scores also have linear terms of the head and of the word")},
    {FLAG("joint-labels", joint_labels, NULL, "label scores take part in choosing the tree")},
    {FLAG("free-root", free_root, NULL, "ROOT is not trained (docs/model.md)")},
    {ENUM("init", init, "normal", ig_bert_init_names, "initial weights of the head")},

    {INT("epochs", training.epochs, "3", 1, 1e6, "passes over the training examples"),
     .group = "Training"},
    {INT("updates", training.updates, "0", 0, 1e12, "updates instead of epochs; 0: epochs")},
    {INT("epoch-size", epoch_size, "0", 0, 1e12, "examples of an epoch; 0: all")},
    {INT("batch", batch, "32", 1, 65536, "examples of a micro-batch")},
    IG_TRAINING_OPTIONS(
        TRAINS, ig_finetune_config, training, "5e-5", "adam-rule", "pytorch",
        {FLAG("accum-carry", training.accum_carry, NULL,
              "left-over micro-batches of an epoch are added to the first update of the next")},
        {FLAG("accum-mean", training.accum_mean, NULL,
              "each micro-batch's mean weighs the same, not each target of an update")},
        {TEXT("rates", rates, NULL, "PARTS",
              "factors of the learning rate: embeddings=.5; layers 1-6=.1; head=10")},
        {TEXT("freeze", freeze, NULL, "PARTS",
              "frozen parameters: embeddings, layers 1-6, separate, head, all")},
        {REAL("warmup", warmup, "0.1", 0, 1e12,
              "length of the warm-up; below 1: share of the updates, else their number")},
        {FLAG("early-schedule", training.early, NULL, "the scheduler steps before the optimizer")}),
    {.part = DECIDES, IG_UNKNOWN_OPTION(ig_finetune_config, allow_unknown)},

    {ENUM("select", select, "last", ig_select_names,
          "selected model: the last, or the best on development data of the source or of the "
          "targets"),
     .group = "Selection"},
    {REAL("eval-every", eval_every, "0", 0, 1e12,
          "updates between evaluations; below 1: share of an epoch, 0: an epoch")},
    {INT("patience", patience, "0", 0, 1e9,
         "early stopping after N evaluations without a better source-dev score; 0: never")},

    {.part = RUNS,
     INT("threads", threads, "0", 0, 1024,
         "threads; 0: all processors; the bits do not depend on it"),
     .group = "Running"},
    {.part = RUNS, IG_DEVICE_OPTION(ig_finetune_config, device)},
    {.part = RUNS,
     INT("save-every", save_every, "0", 0, 1e12,
         "write a checkpoint every N updates; 0: every ten minutes")},
    {.part = RUNS,
     INT("log-every", log_every, "50", 1, 1e9, "write a line of log.jsonl every N updates")},
    {.part = RUNS,
     .name = "max-time",
     .kind = IG_OPT_TIME,
     .offset = offsetof(ig_finetune_config, max_time),
     .value = "TIME",
     .help = "save and stop after this time; the same command resumes"},
    {.part = RUNS, FLAG("json", json, NULL, "print the result as JSON")},
};
const ig_option_table ig_finetune_options = IG_OPTION_TABLE(rows);
_Static_assert(sizeof rows / sizeof *rows <= IG_OPTION_MAX, "arrays beside the options");

bool ig_finetune_option_decides(const ig_option *o)
{
    return o->part != RUNS;
}

bool ig_finetune_option_trains(const ig_option *o)
{
    return o->part == TRAINS;
}
