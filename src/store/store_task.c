/* SPDX-License-Identifier: Apache-2.0
 *
 * See task.h. Formulas: docs/measures.md.
 */
#include "store/store_task.h"

#include <string.h>

/* clang-format off */
static const ig_store_task of_training[] = {
    {.name = "loss", .symbol = "loss", .version = 1, .split = "train", .better = -1, .what = "training loss since the line before, mean −log p"},
    {.name = "accuracy", .symbol = "accuracy", .version = 1, .split = "train", .better = 1, .share = true, .tuned = true, .what = "share of masked tokens predicted, in training; with task=, of right labels after fine-tuning"},
    {.name = "f1.conlleval", .symbol = "F1", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "F1 of spans as conlleval has them, after fine-tuning; of tags without spans XTREME's"},
    {.name = "f1.strict", .symbol = "F1 strict", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "F1 of spans, only well-formed ones (seqeval, mode strict)"},
    {.name = "f1.repair_first", .symbol = "F1 first", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "F1 of spans, each of the type of its first tag"},
    {.name = "f1.repair_last", .symbol = "F1 last", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "F1 of spans, each of the type of its last tag (Conneau et al. 2020)"},
    {.name = "uas", .symbol = "UAS", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "share of words with the right head, after fine-tuning"},
    {.name = "las", .symbol = "LAS", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "share of words with the right head and relation"},
    {.name = "uas_nopunct", .symbol = "UAS without punctuation", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "UAS over the words that are no punctuation (AllenNLP's list)"},
    {.name = "las_nopunct", .symbol = "LAS without punctuation", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "LAS over the words that are no punctuation (AllenNLP's list)"},
    {.name = "majority", .symbol = "majority", .version = 1, .split = "", .share = true, .tuned = true, .what = "the task's main score of the most frequent label of its training data"},
    {.name = "random", .symbol = "chance", .version = 1, .split = "", .share = true, .tuned = true, .what = "the task's main score of labels drawn at random, mean over the seeds of fine-tuning"},
    {.name = "label_f1", .symbol = "F1 of label", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "F1 of one label, of words or texts, after fine-tuning: label=NAME"},
    {.name = "label_precision", .symbol = "precision of label", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "right predictions of one label over all of it"},
    {.name = "label_recall", .symbol = "recall of label", .version = 1, .split = "", .better = 1, .share = true, .tuned = true, .what = "right predictions of one label over all that have it"},
    {.name = "tuning_sd", .symbol = "sd of fine-tuning", .version = 1, .split = "", .better = -1, .share = true, .tuned = true, .what = "standard deviation, over the seeds of fine-tuning one model, of the task's main score"},
    {.name = "own", .symbol = "own", .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "", .pair = true, .what = "a function of one's own over the states of two languages: name=NAME (docs/python.md)"},
    {.name = "seconds", .symbol = "seconds", .kind = IG_STORE_TASK_RUN, .version = 1, .split = "", .what = "time the training took"},
    {.name = "tokens_per_second", .symbol = "tokens/s", .kind = IG_STORE_TASK_RUN, .version = 1, .split = "", .what = "real tokens trained on in a second"},
    {.name = "peak_memory", .symbol = "memory", .kind = IG_STORE_TASK_RUN, .version = 1, .split = "", .what = "largest resident set, bytes"},
    {.name = "updates", .symbol = "updates", .kind = IG_STORE_TASK_RUN, .version = 1, .split = "", .what = "updates of the finished model"},
    {.name = "tokens", .symbol = "tokens", .kind = IG_STORE_TASK_RUN, .version = 1, .split = "", .what = "real tokens trained on"},
    {0}};
/* clang-format on */

const ig_store_task *ig_store_task_at(int i)
{
    const ig_store_task *list = of_training;
    for (int l = 0; list != NULL; list = ig_store_task_lists[l++])
        for (const ig_store_task *t = list; t->name != NULL; t++)
            if (i-- == 0)
                return t;
    return NULL;
}

const ig_store_task *ig_store_task_find(const char *name)
{
    const ig_store_task *list = of_training;
    for (int l = 0; list != NULL; list = ig_store_task_lists[l++])
        for (const ig_store_task *t = list; t->name != NULL; t++)
            if (strcmp(t->name, name) == 0)
                return t;
    return NULL;
}

ig_value_range ig_store_task_range(const char *name)
{
    const ig_store_task *task = ig_store_task_find(name);
    return task == NULL || task->below_zero ? IG_RANGE_ANY
           : task->share                    ? IG_RANGE_SHARE
                                            : IG_RANGE_POSITIVE;
}
