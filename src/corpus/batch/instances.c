/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts sentences to sequences: one each (Dufter & Schütze 2020), windows of a stream (Conneau
 * & Lample 2019), pairs (Devlin et al. 2019); and the two sides of parallel text in one sequence
 * (translation language modelling, Conneau & Lample 2019, §3.3, positions reset as in their
 * program).
 */
#include "corpus/batch/instances.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/rng.h"
#include "corpus/batch/instances_parts.h"

#include <math.h>
#include <stdlib.h>

/* [CLS] sentence [SEP] */
static void write_line(const ig_instances *x, ig_writer *w, int language, int64_t sentence)
{
    const ig_language *l = ig_corpus_language(x->corpus, language);
    if (l->cls >= 0)
        ig_write_special(x, w, language, l->cls);
    w->keep = x->block - ig_language_around(l);
    (void)ig_write_content(x, w, language, sentence, 0, x->block);
    if (l->sep >= 0)
        ig_write_special(x, w, language, l->sep);
}

/* Keeps round(share · n) of the sentences of a pair, at least one, in their order: the first of a
 * random order, so that a larger share has those of a smaller one, too. */
static ig_code keep_share(ig_instances *x, int pair, ig_err *err)
{
    int32_t *order, *of = x->tlm[pair].pair;
    const int64_t n = x->tlm[pair].n, kept = llround(x->options.tlm_share * (double)n);
    if (kept >= n)
        return IG_ERR_OK;
    ig_rng r = ig_rng_make(x->seed, IG_STREAM_SAMPLE, (uint32_t)pair, 0);
    IG_TRY(ig_alloc(&order, n, sizeof *order, "parallel sentences", err));
    ig_rng_permutation(&r, order, (int32_t)n);
    x->tlm[pair].n = kept > 0 ? kept : 1;
    qsort(order, (size_t)x->tlm[pair].n, sizeof *order, ig_by_int32);
    for (int64_t i = 0; i < x->tlm[pair].n; i++)
        for (int k = 0; k < 2; k++)
            of[2 * i + k] = of[2 * order[i] + k]; /* order[i] ≥ i */
    ig_free(order);
    return IG_ERR_OK;
}

/* Collects the sentences that both languages of a pair have. */
static ig_code make_tlm(ig_instances *x, int pair, ig_err *err)
{
    const int a = x->options.tlm[pair].a, b = x->options.tlm[pair].b;
    IG_TRY(ig_corpus_parallel_pairs(x->corpus, a, b, &x->tlm[pair].pair, &x->tlm[pair].n, err));
    if (x->tlm[pair].n > 0)
        return keep_share(x, pair, err);
    ig_fail(err, IG_ERR_USAGE, "tlm", 0, "languages '%s' and '%s' have no parallel sentence",
            ig_corpus_language(x->corpus, a)->name, ig_corpus_language(x->corpus, b)->name);
    return ig_hint(err, "verses are parallel by their ids, plain files line by line where they "
                        "have as many lines");
}

static ig_code check(const ig_instances *x, ig_err *err)
{
    const ig_batch_options *o = &x->options;
    if (o->copies < 0 || o->copies > 1 << 16)
        return ig_fail(err, IG_ERR_USAGE, "dupe", 0, "found %d, expected 1 to %d", o->copies,
                       1 << 16);
    if (o->document < 0)
        return ig_fail(err, IG_ERR_USAGE, "document", 0, "found %d, expected at least 1",
                       o->document);
    for (int i = 0; i < o->n_tlm; i++)
        if (o->tlm[i].a < 0 || o->tlm[i].a >= x->n_language || o->tlm[i].b < 0 ||
            o->tlm[i].b >= x->n_language || o->tlm[i].a == o->tlm[i].b)
            return ig_fail(err, IG_ERR_USAGE, "tlm", 0,
                           "languages %d and %d, expected two different ones of %d", o->tlm[i].a,
                           o->tlm[i].b, x->n_language);
    if (o->shift_special == IG_VARIANT_PAPER_CODE && ig_batch_mixes(o) != NULL)
        return ig_fail(err, IG_ERR_USAGE, "shift-special-detect", 0,
                       "paper-code looks for one language in each sequence, but with %s a sequence "
                       "has two",
                       ig_batch_mixes(o));
    if (o->pad_attend && o->n_tlm > 0)
        return ig_fail(err, IG_ERR_USAGE, "pad-attend", 0,
                       "with tlm the padding would follow the last position");
    if (o->instances == IG_INSTANCES_PAIRS && x->block < 5)
        return ig_fail(err, IG_ERR_USAGE, "block", 0,
                       "found %d, expected at least 5: a pair has three special tokens", x->block);
    for (int k = 0; k < x->n_language; k++)
        if (ig_corpus_n_sequence(x->corpus, k) > INT32_MAX)
            return ig_fail(err, IG_ERR_INPUT, "", 0, "%lld sentences, expected at most %d",
                           (long long)ig_corpus_n_sequence(x->corpus, k), INT32_MAX);
    return IG_ERR_OK;
}

static ig_code make(ig_instances *x, ig_err *err)
{
    IG_TRY(check(x, err));
    if (x->options.mix_documents > 0)
        IG_TRY(ig_mixed_make(x, err));
    if (x->options.instances == IG_INSTANCES_STREAM) {
        IG_TRY(ig_alloc(&x->stream, x->n_language, sizeof *x->stream, "windows", err));
        for (int k = 0; k < x->n_language; k++)
            IG_TRY(ig_windows_make(&x->stream[k], x, k, err));
    }
    if (x->options.instances == IG_INSTANCES_PAIRS) {
        IG_TRY(ig_alloc(&x->pairs, x->n_language, sizeof *x->pairs, "pairs", err));
        IG_TRY(ig_pairs_make(x, err));
    }
    for (int i = 0; i < x->options.n_tlm; i++)
        IG_TRY(make_tlm(x, i, err));
    return IG_ERR_OK;
}

ig_code ig_instances_new(ig_instances **out, const ig_corpus *c, const ig_batch_options *options,
                         uint64_t seed, ig_err *err)
{
    ig_instances *x;
    *out = NULL;
    IG_TRY(ig_alloc(&x, 1, sizeof *x, "instances", err));
    x->corpus = c;
    x->options = *options;
    x->seed = seed;
    x->block = ig_corpus_get_options(c)->block;
    x->copies = options->copies > 0 ? options->copies : 1;
    x->n_language = ig_corpus_n_language(c);
    ig_code code = make(x, err);
    IG_RETURN_NEW(code, out, x, ig_instances_free);
}

void ig_instances_free(ig_instances *x)
{
    if (x == NULL)
        return;
    for (int k = 0; k < x->n_language; k++) {
        if (x->stream != NULL)
            ig_free(x->stream[k].start);
        if (x->pairs != NULL)
            IG_FREE(x->pairs[k].pair, x->pairs[k].first);
        if (x->said != NULL)
            ig_free(x->said[k]);
    }
    for (int i = 0; i < IG_TLM_MAX; i++)
        ig_free(x->tlm[i].pair);
    IG_FREE(x->stream, x->pairs, x->said, x);
}

int ig_instances_n_group(const ig_instances *x)
{
    return x->n_language + x->options.n_tlm;
}

/* Returns the number of sequences of one copy; of pairs each copy has its own number. */
static int64_t count_one(const ig_instances *x, int group)
{
    if (group >= x->n_language)
        return x->tlm[group - x->n_language].n;
    return x->stream != NULL ? x->stream[group].n : ig_corpus_n_sequence(x->corpus, group);
}

int64_t ig_instances_count(const ig_instances *x, int group)
{
    if (group < x->n_language && x->pairs != NULL)
        return x->pairs[group].n;
    return count_one(x, group) * x->copies;
}

int ig_instances_language(const ig_instances *x, int group)
{
    return group < x->n_language ? group : x->options.tlm[group - x->n_language].a;
}

int ig_instances_other(const ig_instances *x, int group)
{
    return group < x->n_language ? group : x->options.tlm[group - x->n_language].b;
}

uint32_t ig_instances_copy(const ig_instances *x, int group, int64_t i)
{
    if (group >= x->n_language || x->pairs == NULL)
        return (uint32_t)(i / count_one(x, group));
    int32_t copy = 0;
    while (i >= x->pairs[group].first[copy + 1])
        copy++;
    return (uint32_t)copy;
}

int32_t ig_instances_longest(const ig_instances *x)
{
    return x->options.n_tlm > 0 ? 2 * x->block : x->block;
}

int32_t ig_instances_get(const ig_instances *x, int group, int64_t i, const ig_instance_room *room)
{
    ig_writer w = {.room = room, .keep = IG_SENTENCE_WHOLE};
    *room->next = -1;
    if (group < x->n_language && x->pairs != NULL) {
        ig_pairs_write(x, &w, group, i);
        return w.n;
    }
    i %= count_one(x, group);
    if (group >= x->n_language) {
        const int t = group - x->n_language;
        const int32_t *sentence = &x->tlm[t].pair[2 * i];
        w.group = (uint32_t)t + 1;
        write_line(x, &w, x->options.tlm[t].a, sentence[0]);
        w.pos0 = w.n;
        write_line(x, &w, x->options.tlm[t].b, sentence[1]);
    } else if (x->stream != NULL)
        ig_windows_write(x, &w, group, i);
    else
        write_line(x, &w, group, i);
    return w.n;
}
