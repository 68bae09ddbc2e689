/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of tasks. Formulas: docs/measures.md.
 */
#include "store/store_task.h"

#include "base/settings/nearest.h"

#include <string.h>

/* clang-format off */
static const ig_store_task of_training[] = {
    {"loss", "loss", "training loss since the line before, mean −log p", .version = 1, .split = "train", .better = -1},
    {"accuracy", "accuracy", "share of masked tokens predicted, in training; with task=, of right labels after fine-tuning", .version = 1, .split = "train", .better = 1, .share = true, .tuned = true},
    {"f1.conlleval", "F1", "F1 of spans as conlleval has them, after fine-tuning; of tags without spans XTREME's", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"f1.strict", "F1 strict", "F1 of spans, only well-formed ones (seqeval, mode strict)", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"f1.repair_first", "F1 first", "F1 of spans, each of the type of its first tag", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"f1.repair_last", "F1 last", "F1 of spans, each of the type of its last tag (Conneau et al. 2020)", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"uas", "UAS", "share of words with the right head, after fine-tuning", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"las", "LAS", "share of words with the right head and relation", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"uas_nopunct", "UAS without punctuation", "UAS over the words that are no punctuation (AllenNLP's list)", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"las_nopunct", "LAS without punctuation", "LAS over the words that are no punctuation (AllenNLP's list)", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"majority", "majority", "the task's main score of the most frequent label of its training data", .version = 1, .split = "", .share = true, .tuned = true},
    {"random", "chance", "the task's main score of labels drawn at random, mean over the seeds of fine-tuning", .version = 1, .split = "", .share = true, .tuned = true},
    {"label_f1", "F1 of label", "F1 of one label, of words or texts, after fine-tuning: label=NAME", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"label_precision", "precision of label", "right predictions of one label over all of it", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"label_recall", "recall of label", "right predictions of one label over all that have it", .version = 1, .split = "", .better = 1, .share = true, .tuned = true},
    {"tuning_sd", "sd of fine-tuning", "standard deviation, over the seeds of fine-tuning one model, of the task's main score", .version = 1, .split = "", .better = -1, .share = true, .tuned = true},
    {"own", "own", "a function of one's own over the states of two languages: name=NAME (docs/programs.md)", .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "", .pair = true, .below_zero = true},
    {"seconds", "seconds", "time the training took", .kind = IG_STORE_TASK_RUN, .version = 1, .split = ""},
    {"tokens_per_second", "tokens/s", "real tokens trained on in a second", .kind = IG_STORE_TASK_RUN, .version = 1, .split = ""},
    {"peak_memory", "memory", "largest resident set, bytes", .kind = IG_STORE_TASK_RUN, .version = 1, .split = ""},
    {"updates", "updates", "updates of the finished model", .kind = IG_STORE_TASK_RUN, .version = 1, .split = ""},
    {"tokens", "tokens", "real tokens trained on", .kind = IG_STORE_TASK_RUN, .version = 1, .split = ""},
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

int ig_store_task_sign(const char *name)
{
    const ig_store_task *t = ig_store_task_find(name);
    return t != NULL && t->better < 0 ? -1 : 1;
}

bool ig_store_task_is_guess(const char *name)
{
    return strcmp(name, "majority") == 0 || strcmp(name, "random") == 0;
}

ig_code ig_store_task_hint(ig_err *err, const char *name)
{
    const char *known[128];
    int n = 0;
    for (; n < 128 && ig_store_task_at(n) != NULL; n++)
        known[n] = ig_store_task_at(n)->name;
    ig_hint_nearest_or(err, name, known, n,
                       "quantities are mu, f1[low], rho[8], tau[high], perplexity[dev], … "
                       "(docs/results.md)");
    return IG_ERR_INPUT;
}

ig_value_range ig_store_task_range(const char *name)
{
    const ig_store_task *task = ig_store_task_find(name);
    return task == NULL || task->below_zero ? IG_RANGE_ANY
           : task->share                    ? IG_RANGE_SHARE
                                            : IG_RANGE_POSITIVE;
}
