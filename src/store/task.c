/* SPDX-License-Identifier: Apache-2.0
 *
 * See task.h. Formulas: docs/measures.md.
 */
#include "store/task.h"

#include <string.h>

/* clang-format off */
const ig_task ig_tasks[] = {
    {"mu", "μ", IG_TASK_PLAIN, 1, 2, "dev", true, 1, true, "mean of ρ and τ at the two layers of μ"},
    {"mu_distinct", "μ distinct", IG_TASK_PLAIN, 1, 2, "dev", true, 1, true, "mean of ρ and tau_distinct at the two layers of μ"},
    {"identical_share", "identical", IG_TASK_PLAIN, 1, 2, "dev", true, 0, true, "share of the dictionary's entries that are one piece in both languages"},
    {"f1", "F1", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word alignment, F1"},
    {"precision", "P", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word alignment, precision"},
    {"recall", "R", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word alignment, recall"},
    {"rho", "ρ", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval, mean of P@1 both ways"},
    {"rho_forward", "ρ→", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval, P@1 from the first language"},
    {"rho_backward", "ρ←", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval, P@1 from the second language"},
    {"rho_at_5", "ρ@5", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval, mean of P@5 both ways"},
    {"rho_at_10", "ρ@10", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval, mean of P@10 both ways"},
    {"tau", "τ", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation, mean of P@1 both ways"},
    {"tau_forward", "τ→", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation, P@1 from the first language"},
    {"tau_backward", "τ←", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation, P@1 from the second language"},
    {"tau_at_5", "τ@5", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation, mean of P@5 both ways"},
    {"tau_at_10", "τ@10", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation, mean of P@10 both ways"},
    {"tau_distinct", "τ distinct", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation without words that are one piece in both languages, mean of P@1 both ways"},
    {"tau_distinct_forward", "τ distinct→", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "tau_distinct, P@1 from the first language"},
    {"tau_distinct_backward", "τ distinct←", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "tau_distinct, P@1 from the second language"},
    {"tau_distinct_at_5", "τ distinct@5", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "tau_distinct, mean of P@5 both ways"},
    {"tau_distinct_at_10", "τ distinct@10", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "tau_distinct, mean of P@10 both ways"},
    {"mrr", "MRR", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, mean reciprocal rank"},
    {"p_at_1", "P@1", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, P@1"},
    {"p_at_5", "P@5", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, P@5"},
    {"p_at_10", "P@10", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, P@10"},
    {"mrr_open", "MRR open", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of words of open classes"},
    {"mrr_closed", "MRR closed", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of words of closed classes"},
    {"mrr_noun", "MRR noun", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of nouns"},
    {"mrr_verb", "MRR verb", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of verbs"},
    {"mrr_adverb", "MRR adverb", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of adverbs"},
    {"mrr_adjective", "MRR adjective", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "word retrieval, MRR of adjectives"},
    {"cka", "CKA", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "linear CKA of the two languages' sentence vectors"},
    {"rho_mapped", "ρ mapped", IG_TASK_LAYERED, 1, 0, "dev", true, 1, true, "sentence retrieval after an orthogonal map, mean of P@1 both ways"},
    {"tau_mapped", "τ mapped", IG_TASK_LAYERED, 1, 2, "dev", true, 1, true, "word translation after an orthogonal map, mean of P@1 both ways"},
    {"perplexity", "perplexity", IG_TASK_PLAIN, 1, 0, "dev", false, -1, false, "pseudo-perplexity, by the run's own mean"},
    {"perplexity_by_token", "perplexity (by token)", IG_TASK_PLAIN, 1, 0, "dev", false, -1, false, "pseudo-perplexity, mean over masked tokens"},
    {"perplexity_by_batch", "perplexity (by batch)", IG_TASK_PLAIN, 1, 0, "dev", false, -1, false, "pseudo-perplexity, unweighted mean over batches"},
    {"loss", "loss", IG_TASK_PLAIN, 1, 0, "train", false, -1, false, "training loss since the line before, mean −log p"},
    {"accuracy", "accuracy", IG_TASK_PLAIN, 1, 0, "train", false, 1, true, "share of masked tokens predicted, in training"},
    {"mu_low", "lower layer of μ", IG_TASK_PLAIN, 1, 0, "dev", true, 0, false, "number of the lower layer of μ"},
    {"mu_high", "upper layer of μ", IG_TASK_PLAIN, 1, 0, "dev", true, 0, false, "number of the upper layer of μ"},
    {"seconds", "seconds", IG_TASK_RUN, 1, 0, "", false, 0, false, "time the training took"},
    {"tokens_per_second", "tokens/s", IG_TASK_RUN, 1, 0, "", false, 0, false, "real tokens trained on in a second"},
    {"peak_memory", "memory", IG_TASK_RUN, 1, 0, "", false, 0, false, "largest resident set, bytes"},
    {"updates", "updates", IG_TASK_RUN, 1, 0, "", false, 0, false, "updates of the finished model"},
    {"tokens", "tokens", IG_TASK_RUN, 1, 0, "", false, 0, false, "real tokens trained on"},
};
/* clang-format on */
const int ig_n_task = sizeof ig_tasks / sizeof *ig_tasks;

const ig_task *ig_task_find(const char *name)
{
    for (int i = 0; i < ig_n_task; i++)
        if (strcmp(ig_tasks[i].name, name) == 0)
            return &ig_tasks[i];
    return NULL;
}

ig_value_range ig_task_range(const char *name)
{
    const ig_task *task = ig_task_find(name);
    return task == NULL ? IG_RANGE_ANY : task->share ? IG_RANGE_SHARE : IG_RANGE_POSITIVE;
}
