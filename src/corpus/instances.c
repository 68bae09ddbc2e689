/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences become sequences: one each, [CLS] sentence [SEP] (Dufter & Schütze 2020).
 */
#include "corpus/instances.h"

#include "base/memory.h"

struct ig_instances {
    const ig_corpus *corpus;
    ig_batch_options options;
    int32_t block;
};

ig_code ig_instances_new(ig_instances **out, const ig_corpus *c, const ig_batch_options *options,
                         uint64_t seed, ig_err *err)
{
    ig_instances *x;
    (void)seed;
    *out = NULL;
    IG_TRY(ig_alloc(&x, 1, sizeof *x, "instances", err));
    x->corpus = c;
    x->options = *options;
    x->block = ig_corpus_get_options(c)->block;
    *out = x;
    return IG_ERR_OK;
}

void ig_instances_free(ig_instances *x)
{
    ig_free(x);
}

int ig_instances_n_group(const ig_instances *x)
{
    return ig_corpus_n_language(x->corpus);
}

int64_t ig_instances_count(const ig_instances *x, int group)
{
    return ig_corpus_n_sequence(x->corpus, group);
}

int ig_instances_language(const ig_instances *x, int group)
{
    (void)x;
    return group;
}

int32_t ig_instances_longest(const ig_instances *x)
{
    return x->block;
}

int32_t ig_instances_get(const ig_instances *x, int group, int64_t i, const ig_instance_room *room)
{
    const ig_language *l = ig_corpus_language(x->corpus, group);
    uint32_t origin[IG_SEQUENCE_MAX];
    const int32_t n = ig_corpus_sequence_traced(x->corpus, group, i, room->id, origin);
    for (int32_t j = 0; j < n; j++) {
        room->pos[j] = l->pos_offset + j;
        room->seg[j] = l->segment;
        room->language[j] = group;
        room->key[j] = (ig_token_key){origin[j], (uint32_t)i, (uint32_t)group};
    }
    return n;
}
