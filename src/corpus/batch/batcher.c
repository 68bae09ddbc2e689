/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: instances in the order of an epoch, concatenated, masked (masking.h). Every draw is
 * keyed by its purpose, so neither batch size nor order changes which tokens are masked.
 */
#include "corpus/batch/batcher.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/rng.h"
#include "corpus/batch/instances.h"
#include "corpus/batch/language_sampling.h"
#include "corpus/batch/masking.h"
#include "isoglot/batch.h"

#include <string.h>

struct ig_batcher {
    const ig_corpus *corpus;
    ig_instances *instances;
    ig_masking *masking;
    ig_batch_options options;
    ig_rng_key mask_key, eval_key;
    uint64_t seed;
    int n_group;
    int64_t *first; /* [n_group + 1] number of each group's first sequence */
    int64_t n_sequence, n_epoch, n_step;
    int64_t *part;   /* [n_group + 1] as `first`, of the sequences of an epoch */
    int64_t *drawn;  /* [n_epoch] with sampling: the sequences of `epoch` with their passes */
    int32_t *passed; /* [n_sequence] scratch memory of the draw */
    int32_t longest; /* of all sequences */
    int32_t max_tokens;
    int32_t *order;     /* [n_epoch] the permutation of `epoch` */
    int64_t epoch;      /* −1: none yet */
    int32_t *unsorted;  /* [n_epoch] IG_BATCH_SINGLE: scratch memory of `shuffle` */
    int64_t *ungrouped; /* [batch] scratch memory of `group` */
    int64_t *number;    /* [sequences] the sequences of the batch; the pass is above bit 32 */
    int64_t have_tok, have_seq;
    int32_t *start, *id, *pos, *seg, *row, *label, *language, *next, *next_row;
    int64_t *first_step;     /* [n_group + 1] IG_BATCH_SINGLE: batches of the groups before */
    int32_t *steps;          /* [n_step] IG_BATCH_SINGLE: the order of an epoch's batches */
    int32_t *token_language; /* [longest] of the sequence being made */
    ig_token_key *token_key; /* [longest] */
};

static ig_code grow_batch(ig_batcher *b, int64_t n_seq, int64_t n_tok, ig_err *err)
{
    int64_t have = b->have_seq;
    IG_TRY(ig_grow(&b->number, &have, n_seq + 1, sizeof *b->number, "batch", err));
    int32_t **const one[4] = {&b->next, &b->next_row, &b->language, &b->start};
    for (int i = 0; i < 4; i++) {
        have = b->have_seq;
        IG_TRY(ig_grow(one[i], &have, n_seq + 1, sizeof **one[i], "batch", err));
    }
    b->have_seq = have;
    int32_t **const part[5] = {&b->id, &b->pos, &b->seg, &b->row, &b->label};
    for (int i = 0; i < 5; i++) {
        have = b->have_tok;
        IG_TRY(ig_grow(part[i], &have, n_tok, sizeof **part[i], "batch", err));
    }
    b->have_tok = have;
    return IG_ERR_OK;
}

/* Returns the memory for a sequence after n_tok tokens; `next` gets its next-sentence label. */
static ig_instance_room room_at(const ig_batcher *b, int32_t n_tok, int32_t *next)
{
    return (ig_instance_room){.id = b->id + n_tok,
                              .pos = b->pos + n_tok,
                              .seg = b->seg + n_tok,
                              .language = b->token_language,
                              .key = b->token_key,
                              .next = next};
}

/* Computes the length of the longest sequence, and the sum of the `batch` longest. */
static ig_code measure(ig_batcher *b, ig_err *err)
{
    const int32_t most = ig_instances_longest(b->instances);
    IG_OWNED int64_t *n_of = NULL;
    IG_TRY(ig_alloc(&n_of, most + 1, sizeof *n_of, "lengths", err));
    IG_TRY(grow_batch(b, 1, most, err));
    int32_t follows;
    const ig_instance_room room = room_at(b, 0, &follows);
    for (int k = 0; k < b->n_group; k++)
        for (int64_t i = 0; i < b->first[k + 1] - b->first[k]; i++)
            n_of[ig_instances_get(b->instances, k, i, &room)]++;
    for (b->longest = most; n_of[b->longest] == 0; b->longest--)
        ;
    int64_t sum = 0, left = b->options.batch;
    for (int32_t n = b->longest; n > 0 && left > 0; n--) {
        /* Padding is as long as the longest; with sampling a sequence may be drawn several
         * times. */
        int64_t k = b->options.pad_attend || b->options.sampled ? left : n_of[n];
        k = k < left ? k : left;
        sum += k * n;
        left -= k;
    }
    if (sum > INT32_MAX)
        return ig_fail(err, IG_ERR_USAGE, "batch", 0,
                       "up to %lld tokens in a batch, expected at most %d", (long long)sum,
                       INT32_MAX);
    b->max_tokens = (int32_t)sum;
    return IG_ERR_OK;
}

ig_batch_options ig_batch_of_sentences(const ig_batch_options *options)
{
    ig_batch_options o = *options;
    o.instances = IG_INSTANCES_LINES;
    o.copies = o.n_tlm = 0;
    o.mix_documents = 0;
    o.next_from = IG_NEXT_OWN;
    return o;
}

/* Returns the number of batches of n sequences. */
static int64_t steps_for(const ig_batcher *b, int64_t n)
{
    const int64_t batch = b->options.batch;
    return n / batch + (!b->options.drop_last && n % batch != 0 ? 1 : 0);
}

/* Computes the groups' parts of an epoch. */
static ig_code count_epoch(ig_batcher *b, ig_err *err)
{
    const ig_batch_options *o = &b->options;
    const int n = b->n_group;
    IG_TRY(ig_alloc(&b->part, n + 1, sizeof *b->part, "languages", err));
    memcpy(b->part, b->first, (size_t)(n + 1) * sizeof *b->part);
    b->n_epoch = b->n_sequence;
    if (!o->sampled)
        return IG_ERR_OK;
    if (n > IG_LANGUAGES_MAX)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0, "%d languages, expected at most %d", n,
                       IG_LANGUAGES_MAX);
    int64_t size[IG_LANGUAGES_MAX];
    double share[IG_LANGUAGES_MAX];
    for (int k = 0; k < n; k++) {
        size[k] = b->first[k + 1] - b->first[k];
        share[k] = o->share[ig_instances_language(b->instances, k)];
        if (!(o->share[ig_instances_other(b->instances, k)] > 0))
            share[k] = 0;
    }
    if (o->epoch_size > 0)
        b->n_epoch = o->epoch_size;
    if (b->n_epoch > INT32_MAX)
        return ig_fail(err, IG_ERR_USAGE, "epoch-size", 0, "found %lld, expected at most %d",
                       (long long)b->n_epoch, INT32_MAX);
    ig_sampling_parts(b->part, size, share, n, o->alpha, b->n_epoch);
    IG_TRY(ig_alloc(&b->drawn, b->n_epoch, sizeof *b->drawn, "sequences of an epoch", err));
    return ig_alloc(&b->passed, b->n_sequence, sizeof *b->passed, "order of a pass", err);
}

static ig_code count_steps(ig_batcher *b, ig_err *err)
{
    b->n_step = steps_for(b, b->n_epoch);
    if (b->options.languages != IG_BATCH_SINGLE)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&b->first_step, b->n_group + 1, sizeof *b->first_step, "batches", err));
    for (int k = 0; k < b->n_group; k++)
        b->first_step[k + 1] = b->first_step[k] + steps_for(b, b->part[k + 1] - b->part[k]);
    b->n_step = b->first_step[b->n_group];
    return ig_alloc(&b->steps, b->n_step, sizeof *b->steps, "order of batches", err);
}

ig_code ig_batcher_new(ig_batcher **out, const ig_corpus *c, const ig_batch_options *options,
                       uint64_t seed, ig_err *err)
{
    ig_batcher *b;
    *out = NULL;
    if (options->batch < 1)
        return ig_fail(err, IG_ERR_USAGE, "batch", 0, "found %d, expected at least 1",
                       options->batch);
    IG_TRY(ig_alloc(&b, 1, sizeof *b, "batcher", err));
    b->corpus = c;
    b->options = *options;
    b->seed = seed + options->order;
    b->mask_key = ig_rng_key_make(options->static_masks ? seed : b->seed, IG_STREAM_MASK);
    b->eval_key = ig_rng_key_make(seed, IG_STREAM_EVAL);
    b->epoch = -1;
    ig_code code = ig_masking_new(&b->masking, c, options, err);
    IG_THEN(code, ig_instances_new(&b->instances, c, options, seed, err));
    if (code != IG_ERR_OK)
        goto done;
    b->n_group = ig_instances_n_group(b->instances);
    const int32_t longest = ig_instances_longest(b->instances);
    code = ig_alloc(&b->first, b->n_group + 1, sizeof *b->first, "languages", err);
    if (code != IG_ERR_OK)
        goto done;
    for (int k = 0; k < b->n_group; k++)
        b->first[k + 1] = b->first[k] + ig_instances_count(b->instances, k);
    b->n_sequence = b->first[b->n_group];
    if (b->n_sequence > INT32_MAX) {
        code = ig_fail(err, IG_ERR_INPUT, "", 0, "%lld sequences, expected at most %d",
                       (long long)b->n_sequence, INT32_MAX);
        goto done;
    }
    code = count_epoch(b, err);
    IG_THEN(code, count_steps(b, err));
    if (code != IG_ERR_OK)
        goto done;
    if (b->n_step == 0) {
        code = ig_fail(err, IG_ERR_USAGE, "batch", 0,
                       "%d sequences a batch, but there are only %lld, and drop-last is set",
                       options->batch, (long long)b->n_epoch);
        goto done;
    }
    code = ig_alloc(&b->token_language, longest, sizeof *b->token_language, "sequence", err);
    IG_THEN(code, ig_alloc(&b->token_key, longest, sizeof *b->token_key, "sequence", err));
    IG_THEN(code, measure(b, err));
    IG_THEN(code, ig_alloc(&b->order, b->n_epoch, sizeof *b->order, "order of an epoch", err));
    if (code == IG_ERR_OK && options->languages == IG_BATCH_SINGLE)
        code = ig_alloc(&b->unsorted, b->n_epoch, sizeof *b->unsorted, "order of an epoch", err);
    IG_THEN(code, ig_alloc(&b->ungrouped, options->batch, sizeof *b->ungrouped, "batch", err));
    IG_THEN(code, grow_batch(b, options->batch, b->max_tokens, err));
done:
    IG_RETURN_NEW(code, out, b, ig_batcher_free);
}

void ig_batcher_free(ig_batcher *b)
{
    if (b == NULL)
        return;
    IG_FREE(b->first, b->part, b->drawn, b->passed, b->order);
    ig_masking_free(b->masking);
    ig_instances_free(b->instances);
    IG_FREE(b->number, b->unsorted, b->ungrouped, b->start, b->language, b->next, b->next_row,
            b->first_step, b->steps, b->id, b->pos, b->seg, b->row, b->label, b->token_language,
            b->token_key, b);
}

int64_t ig_batcher_steps_per_epoch(const ig_batcher *b)
{
    return b->n_step;
}

int64_t ig_batcher_n_sequence(const ig_batcher *b)
{
    return b->n_sequence;
}

int64_t ig_batcher_first(const ig_batcher *b, int language)
{
    return b->first[language];
}

int32_t ig_batcher_max_tokens(const ig_batcher *b)
{
    return b->max_tokens;
}

/* Maps the special tokens' ids of a language to those of another. */
static int32_t exchange(const ig_language *from, const ig_language *to, int32_t id)
{
    if (id == from->pad)
        return to->pad;
    if (id == from->unk)
        return to->unk;
    if (id == from->cls)
        return to->cls;
    if (id == from->sep)
        return to->sep;
    return id == from->mask ? to->mask : id;
}

/* In the paper's program the ids of a row after masking decide its special tokens, so one random id
 * of the other language changes the special tokens of the whole row. The row's own language is
 * first if several would fit. */
static const ig_language *seen_language(const ig_batcher *b, int k, const ig_language *base,
                                        int32_t n, const int32_t *id)
{
    const int n_language = ig_corpus_n_language(b->corpus);
    for (int t = 0; t < n_language; t++) {
        const ig_language *l = ig_corpus_language(b->corpus, (k + t) % n_language);
        if (l->cls == base->cls)
            continue;
        for (int32_t j = 0; j < n; j++)
            if (id[j] >= l->first_id && id[j] < l->first_id + l->n_id)
                return l;
    }
    return base;
}

/* Returns the sequence of an entry of a batch; the bits above it are the pass through the text. */
static int64_t sequence_of(int64_t number)
{
    return number & 0xFFFFFFFF;
}

static int group_of(const ig_batcher *b, int64_t number)
{
    const int64_t sequence = sequence_of(number);
    int g = 0;
    while (sequence >= b->first[g + 1])
        g++;
    return g;
}

/* Returns the group at a position among an epoch's sequences, before they are ordered. */
static int group_at(const ig_batcher *b, int64_t place)
{
    int g = 0;
    while (place >= b->part[g + 1])
        g++;
    return g;
}

/* Distinguishes the masks of a sequence in this pass from those in others. */
static uint32_t round_of(const ig_batcher *b, int group, int64_t number)
{
    const ig_batch_options *o = &b->options;
    const uint32_t pass = (uint32_t)(number >> 32);
    const uint32_t copy =
        ig_instances_copy(b->instances, group, sequence_of(number) - b->first[group]);
    return o->static_masks ? copy : pass * (uint32_t)(o->copies > 0 ? o->copies : 1) + copy;
}

/* Appends one sequence: tokens, padding up to `width` (0: none), masks. */
static void put(ig_batcher *b, int64_t number, int32_t width, const ig_rng_key *key, ig_batch *out)
{
    const int group = group_of(b, number), k = ig_instances_language(b->instances, group);
    const ig_language *own = ig_corpus_language(b->corpus, k);
    const ig_corpus_options *o = ig_corpus_get_options(b->corpus);
    int32_t at = out->n_tok, *id = b->id + at;
    int32_t follows = -1;
    ig_targets *masked = &out->target[IG_HEAD_MASKED], *next = &out->target[IG_HEAD_NEXT];
    const ig_instance_room room = room_at(b, at, &follows);
    int32_t n = ig_instances_get(b->instances, group, sequence_of(number) - b->first[group], &room);
    int32_t rows = width > n ? width : n;
    bool see = b->options.shift_special == IG_VARIANT_PAPER_CODE;
    ig_language base = *own;
    if (see) {
        if (own->cls != o->cls) /* otherwise only [PAD] is the language's own, and no id shows it */
            base.pad = o->pad;
        base.unk = o->unk;
        base.cls = o->cls;
        base.sep = o->sep;
        base.mask = o->mask;
        for (int32_t j = 0; j < n; j++)
            id[j] = exchange(own, &base, id[j]);
    }
    for (int32_t j = n; j < rows; j++) {
        id[j] = base.pad;
        b->pos[at + j] = own->pos_offset + j;
        b->seg[at + j] = b->seg[at];
    }
    if (key != NULL)
        masked->n +=
            ig_masking_run(b->masking, &(ig_masking_tokens){.key = *key,
                                                            .round = round_of(b, group, number),
                                                            .special = see ? &base : NULL,
                                                            .n = n,
                                                            .first_row = at,
                                                            .token = b->token_key,
                                                            .language = b->token_language,
                                                            .id = id,
                                                            .row = b->row + masked->n,
                                                            .label = b->label + masked->n});
    if (see) {
        const ig_language *seen = seen_language(b, k, &base, n, id);
        for (int32_t j = 0; j < rows; j++)
            id[j] = exchange(&base, seen, id[j]);
    }
    if (follows >= 0) {
        b->next_row[next->n] = at;
        b->next[next->n++] = follows;
    }
    out->n_tok += rows;
    b->language[out->n_seq] = k;
    b->start[++out->n_seq] = out->n_tok;
}

/* Makes the n sequences of b->number. */
static void build(ig_batcher *b, int64_t n, const ig_rng_key *key, ig_batch *out)
{
    int32_t width = 0;
    for (int64_t i = 0; i < n && b->options.pad_attend; i++) {
        const int g = group_of(b, b->number[i]);
        int32_t follows;
        const ig_instance_room room = room_at(b, 0, &follows);
        int32_t len =
            ig_instances_get(b->instances, g, sequence_of(b->number[i]) - b->first[g], &room);
        width = len > width ? len : width;
    }
    *out = (ig_batch){.seq_start = b->start,
                      .id = b->id,
                      .pos = b->pos,
                      .seg = b->seg,
                      .language = b->language,
                      .causal = key != NULL && ig_masking_causal(b->masking),
                      .target[IG_HEAD_MASKED] = {.row = b->row, .label = b->label}};
    if (b->options.instances == IG_INSTANCES_PAIRS)
        out->target[IG_HEAD_NEXT] = (ig_targets){.row = b->next_row, .label = b->next};
    for (int64_t i = 0; i < n; i++)
        put(b, b->number[i], width, key, out);
}

/* Sorts the sequences by language, stably; `from` gets a copy of the original order. */
static void group(const ig_batcher *b, int64_t *number, int64_t n, int64_t *from)
{
    int64_t at = 0;
    memcpy(from, number, (size_t)n * sizeof *number);
    for (int k = 0; k < b->n_group; k++)
        for (int64_t i = 0; i < n; i++)
            if (group_of(b, from[i]) == k)
                number[at++] = from[i];
}

/* Makes the order of an epoch; for batches of one language its sequences are consecutive, in the
 * same relative order, and the batches are shuffled. */
static void shuffle(ig_batcher *b, int64_t epoch)
{
    const uint32_t high = (uint32_t)(epoch >> 32);
    ig_rng r = ig_rng_make(b->seed, IG_STREAM_SHUFFLE, high, (uint32_t)epoch);
    ig_rng_permutation(&r, b->order, (int32_t)b->n_epoch);
    b->epoch = epoch;
    for (int k = 0; k < b->n_group && b->drawn != NULL; k++) {
        int64_t *drawn = b->drawn + b->part[k], quota = b->part[k + 1] - b->part[k];
        const int64_t size = b->first[k + 1] - b->first[k];
        ig_sampling_draw(drawn, &(ig_sampling_share){quota, size, epoch, b->seed, k}, b->passed);
        for (int64_t i = 0; i < quota; i++)
            drawn[i] += b->first[k];
    }
    if (b->options.languages != IG_BATCH_SINGLE)
        return;
    int64_t at = 0;
    memcpy(b->unsorted, b->order, (size_t)b->n_epoch * sizeof *b->order);
    for (int k = 0; k < b->n_group; k++)
        for (int64_t i = 0; i < b->n_epoch; i++)
            if (group_at(b, b->unsorted[i]) == k)
                b->order[at++] = b->unsorted[i];
    r = ig_rng_make(b->seed, IG_STREAM_SHUFFLE, high | 0x80000000u, (uint32_t)epoch);
    ig_rng_permutation(&r, b->steps, (int32_t)b->n_step);
}

ig_code ig_batcher_get(ig_batcher *b, int64_t step, ig_batch *out, ig_err *err)
{
    (void)err;
    IG_ASSERT(step >= 0);
    const int64_t epoch = step / b->n_step, batch = b->options.batch;
    int64_t at = step % b->n_step;
    if (epoch != b->epoch)
        shuffle(b, epoch);
    /* The part of the order that the batch is taken from. */
    int64_t from = 0, to = b->n_epoch;
    if (b->options.languages == IG_BATCH_SINGLE) {
        int k = 0;
        at = b->steps[at];
        while (at >= b->first_step[k + 1])
            k++;
        at -= b->first_step[k];
        from = b->part[k];
        to = b->part[k + 1];
    }
    from += at * batch;
    const int64_t n = to - from < batch ? to - from : batch;
    for (int64_t i = 0; i < n; i++) {
        const int32_t place = b->order[from + i];
        b->number[i] = b->drawn != NULL ? b->drawn[place] : (epoch & 0x7FFFFFFF) << 32 | place;
    }
    if (b->options.languages == IG_BATCH_GROUPED)
        group(b, b->number, n, b->ungrouped);
    ig_masking_set_batch(b->masking, step);
    build(b, n, &b->mask_key, out);
    return IG_ERR_OK;
}

ig_code ig_batcher_get_range(ig_batcher *b, int64_t from, int64_t to, bool masked, ig_batch *out,
                             ig_err *err)
{
    IG_ASSERT(from >= 0 && from < to && to <= b->n_sequence);
    int64_t n = to - from;
    if (n > b->options.batch) {
        if (n > INT32_MAX / b->longest)
            return ig_fail(err, IG_ERR_USAGE, "batch", 0,
                           "%lld sequences in one batch, expected at most %d", (long long)n,
                           INT32_MAX / b->longest);
        IG_TRY(grow_batch(b, n, n * b->longest, err));
    }
    for (int64_t i = 0; i < n; i++)
        b->number[i] = from + i;
    ig_masking_set_batch(b->masking, -1);
    build(b, n, masked ? &b->eval_key : NULL, out);
    return IG_ERR_OK;
}
