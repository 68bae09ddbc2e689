/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches and dynamic masking (Devlin et al. 2019, §3.1; shares as Dufter & Schütze 2020 use them).
 * Every draw is one Philox block whose counter names the token it is for: (origin of the token,
 * sequence, language, epoch). So neither batch size, nor order, nor a transform of ids, positions
 * or order changes which words are masked, and the three draws of a token (chosen? how? with what?)
 * do not depend on each other's use.
 */
#include "corpus/batcher.h"

#include "base/assert.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct ig_batcher {
    const ig_corpus *corpus;
    ig_batch_options options;
    ig_rng_key mask_key, eval_key;
    uint64_t seed;
    int n_language;
    int64_t *first; /* [n_language + 1] number of each language's first sequence */
    int64_t n_sequence, n_step;
    int32_t longest; /* of all sequences */
    int32_t max_tokens;
    int32_t *order;      /* [n_sequence] the permutation of `epoch` */
    int64_t epoch;       /* −1: none yet */
    int32_t *nonspecial; /* ids for random replacement, ascending; by language for IG_RANDOM_OWN */
    int64_t *nonspecial_first; /* [n_language + 1] into nonspecial */
    int64_t n_nonspecial;
    int32_t *unsorted;  /* [n_sequence] IG_BATCH_SINGLE: memory of `shuffle` */
    int64_t *ungrouped; /* [batch] memory of `group` */
    int64_t *number;    /* [sequences] what the batch consists of */
    int64_t n_number;
    int64_t have_tok, have_seq;
    int32_t *start, *id, *pos, *seg, *row, *label, *language;
    int64_t *first_step; /* [n_language + 1] IG_BATCH_SINGLE: batches of the languages before */
    int32_t *steps;      /* [n_step] IG_BATCH_SINGLE: the order of an epoch's batches */
    uint32_t *origin;    /* [block] */
};

static ig_code check_share(double v, const char *name, ig_err *err)
{
    if (v >= 0 && v <= 1)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, name, 0, "found %g, expected 0 to 1", v);
}

static ig_code check(const ig_batch_options *o, ig_err *err)
{
    if (o->batch < 1)
        return ig_fail(err, IG_ERR_USAGE, "batch", 0, "found %d, expected at least 1", o->batch);
    IG_TRY(check_share(o->mask_prob, "mask-prob", err));
    IG_TRY(check_share(o->mask_share, "mask-share", err));
    IG_TRY(check_share(o->random_share, "random-share", err));
    /* One part in 2⁵² more than 1 is how .8 + .2 or .7 + .3 may round. */
    if (!(o->mask_share + o->random_share <= 1 + 0x1p-52))
        return ig_fail(err, IG_ERR_USAGE, "random-share", 0,
                       "mask-share %g and random-share %g are %g together, expected at most 1",
                       o->mask_share, o->random_share, o->mask_share + o->random_share);
    return IG_ERR_OK;
}

/* Special tokens, and the places of theirs that no language uses. */
static bool is_special_place(const ig_corpus_options *o, int32_t local)
{
    return local == o->pad || local == o->unk || local == o->cls || local == o->sep ||
           local == o->mask;
}

static ig_code list_content(ig_batcher *b, ig_err *err)
{
    const ig_corpus_options *o = ig_corpus_get_options(b->corpus);
    bool own = b->options.random_vocab == IG_RANDOM_OWN;
    int64_t most = ig_corpus_vocab_size(b->corpus);
    for (int k = 0; k < b->n_language && own; k++)
        most += ig_corpus_language(b->corpus, k)->n_id;
    IG_TRY(ig_alloc(&b->nonspecial, most, sizeof *b->nonspecial, "random ids", err));
    IG_TRY(ig_alloc(&b->nonspecial_first, b->n_language + 1, sizeof *b->nonspecial_first,
                    "random ids", err));
    if (own) {
        for (int k = 0; k < b->n_language; k++) {
            const ig_language *l = ig_corpus_language(b->corpus, k);
            for (int32_t i = 0; i < l->n_id; i++)
                if (!is_special_place(o, i))
                    b->nonspecial[b->n_nonspecial++] = l->first_id + i;
            b->nonspecial_first[k + 1] = b->n_nonspecial;
        }
        return IG_ERR_OK;
    }
    /* Block by block: the first, then those of the languages that have one of their own. */
    for (int k = -1; k < b->n_language; k++) {
        const ig_language *l = k < 0 ? NULL : ig_corpus_language(b->corpus, k);
        int32_t first = l == NULL ? 0 : l->first_id, n = l == NULL ? o->base_vocab : l->n_id;
        for (int32_t i = 0; i < n && (l == NULL || first > 0); i++)
            if (!is_special_place(o, i))
                b->nonspecial[b->n_nonspecial++] = first + i;
    }
    return IG_ERR_OK;
}

/* The longest sequence, and what the `batch` longest have together. */
static ig_code measure(ig_batcher *b, ig_err *err)
{
    int32_t block = ig_corpus_get_options(b->corpus)->block;
    int64_t *n_of = NULL;
    int32_t *id = NULL;
    ig_code code = ig_alloc(&n_of, block + 1, sizeof *n_of, "lengths", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&id, block, sizeof *id, "sequence", err);
    if (code != IG_ERR_OK)
        goto done;
    for (int k = 0; k < b->n_language; k++)
        for (int64_t i = 0; i < b->first[k + 1] - b->first[k]; i++)
            n_of[ig_corpus_sequence(b->corpus, k, i, id)]++;
    for (b->longest = block; n_of[b->longest] == 0; b->longest--)
        ;
    int64_t sum = 0, left = b->options.batch;
    for (int32_t n = b->longest; n > 0 && left > 0; n--) {
        int64_t k = b->options.pad_attend ? left : n_of[n];
        k = k < left ? k : left;
        sum += k * n;
        left -= k;
    }
    if (sum > INT32_MAX)
        code =
            ig_fail(err, IG_ERR_USAGE, "batch", 0,
                    "up to %lld tokens in a batch, expected at most %d", (long long)sum, INT32_MAX);
    else
        b->max_tokens = (int32_t)sum;
done:
    ig_free(n_of);
    ig_free(id);
    return code;
}

static ig_code grow_batch(ig_batcher *b, int64_t n_seq, int64_t n_tok, ig_err *err)
{
    int64_t have = b->have_seq;
    IG_TRY(ig_grow(&b->number, &have, n_seq + 1, sizeof *b->number, "batch", err));
    have = b->have_seq;
    IG_TRY(ig_grow(&b->language, &have, n_seq + 1, sizeof *b->language, "batch", err));
    IG_TRY(ig_grow(&b->start, &b->have_seq, n_seq + 1, sizeof *b->start, "batch", err));
    int32_t **const part[5] = {&b->id, &b->pos, &b->seg, &b->row, &b->label};
    for (int i = 0; i < 5; i++) {
        have = b->have_tok;
        IG_TRY(ig_grow(part[i], &have, n_tok, sizeof **part[i], "batch", err));
    }
    b->have_tok = have;
    return IG_ERR_OK;
}

/* Batches of n sequences. */
static int64_t steps_for(const ig_batcher *b, int64_t n)
{
    const int64_t batch = b->options.batch;
    return n / batch + (!b->options.drop_last && n % batch != 0 ? 1 : 0);
}

static ig_code count_steps(ig_batcher *b, ig_err *err)
{
    b->n_step = steps_for(b, b->n_sequence);
    if (b->options.languages != IG_BATCH_SINGLE)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&b->first_step, b->n_language + 1, sizeof *b->first_step, "batches", err));
    for (int k = 0; k < b->n_language; k++)
        b->first_step[k + 1] = b->first_step[k] + steps_for(b, b->first[k + 1] - b->first[k]);
    b->n_step = b->first_step[b->n_language];
    return ig_alloc(&b->steps, b->n_step, sizeof *b->steps, "order of batches", err);
}

ig_code ig_batcher_new(ig_batcher **out, const ig_corpus *c, const ig_batch_options *options,
                       uint64_t seed, ig_err *err)
{
    ig_batcher *b;
    *out = NULL;
    IG_TRY(check(options, err));
    IG_TRY(ig_alloc(&b, 1, sizeof *b, "batcher", err));
    b->corpus = c;
    b->options = *options;
    b->seed = seed;
    b->mask_key = ig_rng_key_make(seed, IG_STREAM_MASK);
    b->eval_key = ig_rng_key_make(seed, IG_STREAM_EVAL);
    b->n_language = ig_corpus_n_language(c);
    b->epoch = -1;
    ig_code code = ig_alloc(&b->first, b->n_language + 1, sizeof *b->first, "languages", err);
    if (code != IG_ERR_OK)
        goto done;
    for (int k = 0; k < b->n_language; k++)
        b->first[k + 1] = b->first[k] + ig_corpus_n_sequence(c, k);
    b->n_sequence = b->first[b->n_language];
    if (b->n_sequence > INT32_MAX) {
        code = ig_fail(err, IG_ERR_INPUT, "", 0, "%lld sequences, expected at most %d",
                       (long long)b->n_sequence, INT32_MAX);
        goto done;
    }
    code = count_steps(b, err);
    if (code != IG_ERR_OK)
        goto done;
    if (b->n_step == 0) {
        code = ig_fail(err, IG_ERR_USAGE, "batch", 0,
                       "%d sequences a batch, but there are only %lld, and drop-last is set",
                       options->batch, (long long)b->n_sequence);
        goto done;
    }
    code = list_content(b, err);
    if (code == IG_ERR_OK)
        code = measure(b, err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&b->order, b->n_sequence, sizeof *b->order, "order of an epoch", err);
    if (code == IG_ERR_OK && options->languages == IG_BATCH_SINGLE)
        code = ig_alloc(&b->unsorted, b->n_sequence, sizeof *b->unsorted, "order of an epoch", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&b->ungrouped, options->batch, sizeof *b->ungrouped, "batch", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&b->origin, ig_corpus_get_options(c)->block, sizeof *b->origin, "sequence",
                        err);
    if (code == IG_ERR_OK)
        code = grow_batch(b, options->batch, b->max_tokens, err);
done:
    if (code != IG_ERR_OK)
        ig_batcher_free(b);
    else
        *out = b;
    return code;
}

void ig_batcher_free(ig_batcher *b)
{
    if (b == NULL)
        return;
    ig_free(b->first);
    ig_free(b->order);
    ig_free(b->nonspecial);
    ig_free(b->nonspecial_first);
    ig_free(b->number);
    ig_free(b->unsorted);
    ig_free(b->ungrouped);
    ig_free(b->start);
    ig_free(b->language);
    ig_free(b->first_step);
    ig_free(b->steps);
    ig_free(b->id);
    ig_free(b->pos);
    ig_free(b->seg);
    ig_free(b->row);
    ig_free(b->label);
    ig_free(b->origin);
    ig_free(b);
}

int64_t ig_batcher_steps_per_epoch(const ig_batcher *b)
{
    return b->n_step;
}

int64_t ig_batcher_n_sequence(const ig_batcher *b)
{
    return b->n_sequence;
}

int32_t ig_batcher_max_tokens(const ig_batcher *b)
{
    return b->max_tokens;
}

/* Uniform in [0, n) from 64 bits; the bias is below n / 2⁶⁴. */
static int64_t below(uint32_t hi, uint32_t lo, int64_t n)
{
    uint64_t m = (uint64_t)n;
    return (int64_t)(((uint64_t)hi * m + ((uint64_t)lo * m >> 32)) >> 32);
}

static int32_t random_id(const ig_batcher *b, int language, const uint32_t r[4])
{
    switch (b->options.random_vocab) {
    case IG_RANDOM_ALL:
        break;
    case IG_RANDOM_NONSPECIAL:
        return b->nonspecial[below(r[2], r[3], b->n_nonspecial)];
    case IG_RANDOM_OWN: {
        int64_t from = b->nonspecial_first[language], to = b->nonspecial_first[language + 1];
        return b->nonspecial[from + below(r[2], r[3], to - from)];
    }
    }
    return (int32_t)below(r[2], r[3], ig_corpus_vocab_size(b->corpus));
}

/* Masks n tokens in place; what they were goes to label, where they are to row. Returns their
 * number. */
static int32_t mask(const ig_batcher *b, int k, int64_t i, ig_rng_key key, uint32_t epoch,
                    const ig_language *l, int32_t first_row, int32_t n, int32_t *id, int32_t *row,
                    int32_t *label)
{
    const ig_corpus_options *o = ig_corpus_get_options(b->corpus);
    const ig_batch_options *p = &b->options;
    uint32_t r[4];
    int32_t n_pred = 0;
    for (int32_t j = 0; j < n; j++) {
        int32_t v = id[j];
        if (v == l->pad || v == l->cls || v == l->sep || v == o->pad || v == o->cls || v == o->sep)
            continue;
        ig_philox(key, b->origin[j], (uint32_t)i, (uint32_t)k, epoch, r);
        if (!((double)r[0] < p->mask_prob * 0x1p32))
            continue;
        row[n_pred] = first_row + j;
        label[n_pred++] = v;
        double how = (double)r[1] * 0x1p-32;
        if (how < p->mask_share)
            id[j] = l->mask;
        else if (how < p->mask_share + p->random_share)
            id[j] = random_id(b, k, r);
    }
    return n_pred;
}

/* The special tokens' ids of a language on the same places as those of another. */
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

/* The paper's program: which special tokens a row gets is seen from its ids after masking, so that
 * one random id of the other language shifts the special tokens of a whole row. Its own language
 * comes first where more than one would fit. */
static const ig_language *seen_language(const ig_batcher *b, int k, const ig_language *base,
                                        int32_t n, const int32_t *id)
{
    for (int t = 0; t < b->n_language; t++) {
        const ig_language *l = ig_corpus_language(b->corpus, (k + t) % b->n_language);
        if (l->cls == base->cls)
            continue;
        for (int32_t j = 0; j < n; j++)
            if (id[j] >= l->first_id && id[j] < l->first_id + l->n_id)
                return l;
    }
    return base;
}

static int language_of(const ig_batcher *b, int64_t number)
{
    int k = 0;
    while (number >= b->first[k + 1])
        k++;
    return k;
}

/* One sequence behind the others: tokens, padding up to `width` (0: none), masks. */
static void put(ig_batcher *b, int64_t number, int32_t width, const ig_rng_key *key, uint32_t epoch,
                ig_batch *out)
{
    const int k = language_of(b, number);
    const ig_language *own = ig_corpus_language(b->corpus, k);
    const ig_corpus_options *o = ig_corpus_get_options(b->corpus);
    int32_t at = out->n_tok, *id = b->id + at;
    int32_t n = ig_corpus_sequence_traced(b->corpus, k, number - b->first[k], id, b->origin);
    int32_t rows = width > n ? width : n;
    bool see = b->options.shift_special == IG_VARIANT_PAPER_CODE;
    ig_language base = *own;
    if (see) {
        base.pad = o->pad;
        base.unk = o->unk;
        base.cls = o->cls;
        base.sep = o->sep;
        base.mask = o->mask;
        for (int32_t j = 0; j < n; j++)
            id[j] = exchange(own, &base, id[j]);
    }
    for (int32_t j = n; j < rows; j++)
        id[j] = base.pad;
    if (key != NULL)
        out->n_pred += mask(b, k, number - b->first[k], *key, epoch, &base, at, n, id,
                            b->row + out->n_pred, b->label + out->n_pred);
    if (see) {
        const ig_language *seen = seen_language(b, k, &base, n, id);
        for (int32_t j = 0; j < rows; j++)
            id[j] = exchange(&base, seen, id[j]);
    }
    for (int32_t j = 0; j < rows; j++) {
        b->pos[at + j] = own->pos_offset + j;
        b->seg[at + j] = own->segment;
    }
    out->n_tok += rows;
    b->language[out->n_seq] = k;
    b->start[++out->n_seq] = out->n_tok;
}

/* The n sequences of b->number. */
static void build(ig_batcher *b, int64_t n, const ig_rng_key *key, uint32_t epoch, ig_batch *out)
{
    int32_t width = 0;
    for (int64_t i = 0; i < n && b->options.pad_attend; i++) {
        const int k = language_of(b, b->number[i]);
        int32_t len = ig_corpus_sequence(b->corpus, k, b->number[i] - b->first[k], b->id);
        width = len > width ? len : width;
    }
    *out = (ig_batch){.seq_start = b->start,
                      .id = b->id,
                      .pos = b->pos,
                      .seg = b->seg,
                      .language = b->language,
                      .pred_row = b->row,
                      .pred_label = b->label};
    for (int64_t i = 0; i < n; i++)
        put(b, b->number[i], width, key, epoch, out);
}

/* Puts the sequences of a language one behind another, in the order they have among them; `from`
 * gets a copy of how they were. */
static void group(const ig_batcher *b, int64_t *number, int64_t n, int64_t *from)
{
    int64_t at = 0;
    memcpy(from, number, (size_t)n * sizeof *number);
    for (int k = 0; k < b->n_language; k++)
        for (int64_t i = 0; i < n; i++)
            if (language_of(b, from[i]) == k)
                number[at++] = from[i];
}

/* The order of an epoch; for batches of one language its sequences stand together, in the same
 * order among them, and the batches have an order of their own. */
static void shuffle(ig_batcher *b, int64_t epoch)
{
    const uint32_t high = (uint32_t)(epoch >> 32);
    ig_rng r = ig_rng_make(b->seed, IG_STREAM_SHUFFLE, high, (uint32_t)epoch);
    ig_rng_permutation(&r, b->order, (int32_t)b->n_sequence);
    b->epoch = epoch;
    if (b->options.languages != IG_BATCH_SINGLE)
        return;
    int64_t at = 0;
    memcpy(b->unsorted, b->order, (size_t)b->n_sequence * sizeof *b->order);
    for (int k = 0; k < b->n_language; k++)
        for (int64_t i = 0; i < b->n_sequence; i++)
            if (language_of(b, b->unsorted[i]) == k)
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
    /* The part of the order that the batch is cut from. */
    int64_t from = 0, to = b->n_sequence;
    if (b->options.languages == IG_BATCH_SINGLE) {
        int k = 0;
        at = b->steps[at];
        while (at >= b->first_step[k + 1])
            k++;
        at -= b->first_step[k];
        from = b->first[k];
        to = b->first[k + 1];
    }
    from += at * batch;
    const int64_t n = to - from < batch ? to - from : batch;
    for (int64_t i = 0; i < n; i++)
        b->number[i] = b->order[from + i];
    if (b->options.languages == IG_BATCH_GROUPED)
        group(b, b->number, n, b->ungrouped);
    build(b, n, &b->mask_key, (uint32_t)epoch, out);
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
    build(b, n, masked ? &b->eval_key : NULL, 0, out);
    return IG_ERR_OK;
}
