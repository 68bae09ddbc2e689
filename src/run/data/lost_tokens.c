/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the tokens that sequences lose. A line is truncated at the block, a pair of sentences
 * likewise; windows of a stream have all tokens except those of sentences longer than any
 * sequence, which only development texts have (docs/batches.md).
 */
#include "run/data/lost_tokens.h"

#include "base/log.h"
#include "corpus/read/sentences.h"

enum { TRAIN, DEV };

static void count(const ig_shard *s, int32_t most, int64_t *n_token, int64_t *n_sentence)
{
    *n_token = *n_sentence = 0;
    for (int64_t i = 0; i < s->n_sentence; i++) {
        int32_t n;
        (void)ig_shard_sentence(s, i, &n);
        *n_token += n > most ? n - most : 0;
        *n_sentence += n > most;
    }
}

static void warn(const ig_shard *s, const char *name, int part, int32_t most)
{
    int64_t n_token, n_sentence;
    count(s, most, &n_token, &n_sentence);
    if (n_token > 0)
        ig_log(IG_LOG_NORMAL,
               "warning: %lld of %lld tokens of %s%s are not %s: %lld of %lld sentences have more "
               "than %d tokens%s",
               (long long)n_token, (long long)s->n_token, name,
               part == TRAIN ? "" : "'s development text",
               part == TRAIN ? "trained on" : "evaluated on", (long long)n_sentence,
               (long long)s->n_sentence, most,
               part == TRAIN ? "; with --instances stream none is lost" : "");
}

void ig_lost_tokens_warn(const ig_language_data *d, const ig_run_objective *o, bool evaluated)
{
    const int32_t special = o->batching.instances == IG_INSTANCES_PAIRS ? 3 : 2;
    const int32_t most = o->batching.instances == IG_INSTANCES_STREAM ? (int32_t)IG_SENTENCE_WHOLE
                                                                      : (int32_t)o->block - special;
    for (int k = 0; k < d->n; k++) {
        if (k > 0 && d->shard[TRAIN][k] == d->shard[TRAIN][0])
            continue;
        warn(d->shard[TRAIN][k], d->language[k].name, TRAIN, most);
        if (evaluated && d->shard[DEV][k] != NULL)
            warn(d->shard[DEV][k], d->language[k].name, DEV, IG_SENTENCE_WHOLE);
    }
}
