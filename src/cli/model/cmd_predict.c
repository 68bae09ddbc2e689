/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot predict: labels by a fine-tuned model.
 */
#include "cli/commands.h"

#include "finetune/predict.h"
#include "model/engine/engine.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdio.h>

static const ig_option options[] = {
    {IG_PATH(ig_predict_options, "model", model, "DIR", "folder of a fine-tuned model")},
    {IG_ENUM(ig_predict_options, "kind", kind, "auto", ig_predict_kinds,
             "what FILE holds; auto: as the folder says, or else as FILE shows")},
    {IG_TEXT(ig_predict_options, "language", language, NULL, "L",
             "the model's language that the file is read as; none: the first")},
    {IG_TEXT(ig_predict_options, "edit", edit, NULL, "EDIT",
             "edits of states, weights, attention first: {layer: L, kind: K, …}, a list, or a "
             "YAML file")},
    {IG_ENUM(ig_predict_options, "precision", precision, "float32", ig_precision_names,
             "of operands of matrix products")},
    {IG_UNKNOWN_OPTION(ig_predict_options, allow_unknown)},
    {IG_INT(ig_predict_options, "threads", n_thread, "0", 0, 1024,
            "threads; 0: all processors; the labels do not depend on it")},
};

static ig_code print_line(void *arg, const char *line, ig_err *err)
{
    (void)arg;
    (void)err;
    puts(line); /* the end of the program checks standard output */
    return IG_ERR_OK;
}

static ig_code run_predict(void *c, int n_arg, char *const *arg, ig_err *err)
{
    ig_predict_options *o = c;
    (void)n_arg;
    if (o->model == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "no fine-tuned model");
    o->file = arg[0];
    return ig_predict(o, print_line, NULL, err);
}

const ig_command ig_cmd_predict = {
    .name = "predict",
    .summary = "label a file with a fine-tuned model",
    .args = "FILE",
    .min_arg = 1,
    .max_arg = 1,
    .details =
        "DIR is what isoglot finetune wrote, or a folder of a text or token classifier that "
        "transformers wrote. FILE is as its task has it: texts, or pairs with a tab between, or "
        "a table with a line of names, or JSON, and a label is printed for each row; or a word a "
        "line with an empty line after each sentence, and word and label are printed; or "
        "CoNLL-U, printed with the labels as UPOS or the trees. '-' is standard input. "
        "transformers' folders do not say whether they classify texts or pairs: one column is "
        "texts, two are pairs, --kind says it. Columns are labels only if a line of names says "
        "so or nothing else is in them.\n\n"
        "  isoglot predict --model tuned/xnli pairs.tsv\n"
        "  isoglot predict --model hf-nli --kind pair pairs.tsv\n"
        "  isoglot predict --model tuned/pos --language fake test.conllu",
    IG_COMMAND_OPTIONS(options, ig_predict_options),
    .run = run_predict,
};
