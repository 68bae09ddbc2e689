/* SPDX-License-Identifier: Apache-2.0
 *
 * The abstract lexicon of a world: which lemmas there are, how frequent, and what goes with what.
 *
 * A masked language model can learn a word only by the company it keeps, so every open-class lemma
 * has company of its own: a class (nouns) or classes of its arguments (verbs), a topic, and for
 * each slot a few collocates, which are drawn for most dependents. Weights within a part of speech
 * follow the law of Zipf and Mandelbrot, (rank + q)^−s (B. Mandelbrot, "An informational theory of
 * the statistical structure of language", 1953).
 */
#include "base/assert.h"

#include "base/memory.h"
#include "corpus/world/world_language.h"

#include <math.h>

static const uint8_t closed_upos[IG_WORLD_CLOSED] = {
#define CLOSED_UPOS(name, upos, gloss) IG_UPOS_##upos,
    IG_CLOSED_LIST(CLOSED_UPOS)
#undef CLOSED_UPOS
};

static const uint8_t later_upos[IG_N_LATER] = {
#define LATER_UPOS(name, upos, gloss) IG_UPOS_##upos,
    IG_LATER_LIST(LATER_UPOS)
#undef LATER_UPOS
};

/* Parts of the open-class lexicon, in percent. */
static const struct {
    ig_upos upos;
    int percent;
} share[] = {
    {IG_UPOS_VERB, 22}, {IG_UPOS_ADJ, 13}, {IG_UPOS_ADV, 5}, {IG_UPOS_PROPN, 12}, {IG_UPOS_NUM, 2}};

static void counts_set(ig_world *w)
{
    int32_t left = (int32_t)w->o.n_lemma;
    for (size_t i = 0; i < sizeof share / sizeof share[0]; i++) {
        int32_t n = (int32_t)(w->o.n_lemma * share[i].percent / 100);
        n = n < 2 ? 2 : n;
        if (share[i].upos == IG_UPOS_NUM && n > 30)
            n = 30;
        w->count[share[i].upos] = n;
        left -= n;
    }
    w->count[IG_UPOS_NOUN] = left;
    int32_t at = IG_WORLD_CLOSED;
    const ig_upos order[] = {IG_UPOS_NOUN, IG_UPOS_VERB,  IG_UPOS_ADJ,
                             IG_UPOS_ADV,  IG_UPOS_PROPN, IG_UPOS_NUM};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        w->first[order[i]] = at;
        at += w->count[order[i]];
    }
    w->later = at;
    w->n_lemma = at + IG_N_LATER + (int32_t)w->o.n_class;
}

static ig_rng lemma_rng(const ig_world *w, uint32_t purpose, int32_t lemma)
{
    return ig_rng_make(w->o.seed, IG_STREAM_WORLD, purpose, (uint32_t)lemma);
}

/* Classes, topics and frames: a function of the seed and the lemma alone. */
static void lemma_set(ig_world *w, int32_t i, ig_upos upos)
{
    ig_lemma *l = &w->lemma[i];
    l->upos = (uint8_t)upos;
    l->rank = i < IG_WORLD_CLOSED ? 0 : i - w->first[upos];
    l->topic = -1;
    if (i < IG_WORLD_CLOSED)
        return;
    ig_rng r = lemma_rng(w, 0x02000000u, i);
    const uint32_t n_class = (uint32_t)w->o.n_class;
    const uint32_t topic = ig_rng_below(&r, (uint32_t)w->o.n_topic);
    if ((upos == IG_UPOS_NOUN || upos == IG_UPOS_VERB) && l->rank >= w->count[upos] / 20)
        l->topic = (int16_t)topic;
    if (upos == IG_UPOS_NOUN) {
        /* The first noun of each class is its most frequent, so that every class has a noun. */
        l->class_of[0] =
            (uint8_t)((uint32_t)l->rank < n_class ? (uint32_t)l->rank : ig_rng_below(&r, n_class));
    } else if (upos == IG_UPOS_PROPN) {
        l->class_of[0] = l->rank % 10 < 7 && l->rank != 1 ? IG_CLASS_PERSON : IG_CLASS_PLACE;
    } else if (upos == IG_UPOS_VERB) {
        const double u = ig_rng_unit(&r);
        l->frame = u < .3    ? IG_FRAME_INTRANSITIVE
                   : u < .78 ? IG_FRAME_TRANSITIVE
                   : u < .9  ? IG_FRAME_DITRANSITIVE
                             : IG_FRAME_CLAUSAL;
        for (int s = 0; s < 3; s++)
            l->class_of[s] = (uint8_t)ig_rng_below(&r, n_class);
        if (l->frame == IG_FRAME_CLAUSAL || l->frame == IG_FRAME_DITRANSITIVE ||
            ig_rng_unit(&r) < .5)
            l->class_of[IG_SLOT_SUBJECT] = IG_CLASS_PERSON;
        l->adposition = (uint8_t)(IG_FIRST_ADP + ig_rng_below(&r, IG_N_ADP));
    }
}

int32_t ig_world_later_lemma(const ig_world *w, ig_world_later l)
{
    return w->later + (int32_t)l;
}

int32_t ig_world_class_noun(const ig_world *w, int class_of)
{
    return w->later + IG_N_LATER + class_of;
}

/* The lemmas after all others are in no list, so that nothing else draws them. */
static void later_set(ig_world *w)
{
    for (int32_t i = 0; i < IG_N_LATER; i++)
        w->lemma[w->later + i] = (ig_lemma){.upos = later_upos[i], .topic = -1};
    for (int c = 0; c < w->o.n_class; c++)
        w->lemma[ig_world_class_noun(w, c)] =
            (ig_lemma){.upos = IG_UPOS_NOUN, .topic = -1, .class_of = {(uint8_t)c}};
}

/* Lists lemmas by class, of which there are n_class (1: all are one), and topic. */
static ig_code lists_make(ig_word_lists *out, const ig_world *w, ig_upos upos, int32_t n_class,
                          int32_t n_topic, ig_err *err)
{
    /* A group is (class, topic); a lemma of any topic is in every group of its class. */
    const int32_t n_group = n_class * n_topic;
    out->n_key = n_group;
    IG_TRY(ig_alloc(&out->start, (int64_t)n_group + 1, sizeof *out->start, "word lists", err));
    const ig_lemma *first = w->lemma + w->first[upos];
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < w->count[upos]; i++)
            for (int32_t t = 0; t < n_topic; t++) {
                if (n_topic > 1 && first[i].topic >= 0 && first[i].topic != t)
                    continue;
                const int32_t g = (n_class > 1 ? first[i].class_of[0] : 0) * n_topic + t;
                if (pass == 0) {
                    out->start[g + 1]++;
                    continue;
                }
                const int32_t at = out->start[g]++;
                const double weight =
                    pow((double)(first[i].rank + 1) + w->o.zipf_shift, -w->o.zipf);
                out->lemma[at] = w->first[upos] + i;
                out->cumulative[at] = weight;
            }
        if (pass == 0) {
            for (int32_t g = 0; g < n_group; g++)
                out->start[g + 1] += out->start[g];
            const int64_t n = out->start[n_group];
            IG_TRY(ig_alloc(&out->lemma, n, sizeof *out->lemma, "word lists", err));
            IG_TRY(ig_alloc(&out->cumulative, n, sizeof *out->cumulative, "word lists", err));
        } else { /* filling moved every start to the next group's */
            for (int32_t g = n_group; g > 0; g--)
                out->start[g] = out->start[g - 1];
            out->start[0] = 0;
        }
    }
    for (int32_t g = 0; g < n_group; g++)
        for (int32_t i = out->start[g] + 1; i < out->start[g + 1]; i++)
            out->cumulative[i] += out->cumulative[i - 1];
    return IG_ERR_OK;
}

static void lists_free(ig_word_lists *l)
{
    IG_FREE(l->start, l->lemma, l->cumulative);
}

int32_t ig_word_lists_draw(const ig_word_lists *l, int32_t key, double unit)
{
    int32_t a = l->start[key], b = l->start[key + 1];
    if (a == b)
        return -1;
    const double x = unit * l->cumulative[b - 1];
    int32_t last = b - 1;
    while (a < last) { /* the first whose cumulative weight is above x */
        const int32_t m = a + (last - a) / 2;
        if (l->cumulative[m] > x)
            last = m;
        else
            a = m + 1;
    }
    return l->lemma[a];
}

int32_t ig_world_draw_noun(const ig_world *w, int class_of, int topic, ig_rng *r)
{
    int32_t n = -1;
    if (topic >= 0)
        n = ig_word_lists_draw(&w->noun_topic, class_of * (int32_t)w->o.n_topic + topic,
                               ig_rng_unit(r));
    return n >= 0 ? n : ig_word_lists_draw(&w->noun, class_of, ig_rng_unit(r));
}

int32_t ig_world_draw_verb(const ig_world *w, int topic, ig_rng *r)
{
    const int32_t v = topic < 0 ? -1 : ig_word_lists_draw(&w->verb_topic, topic, ig_rng_unit(r));
    return v >= 0 ? v : ig_word_lists_draw(&w->verb, 0, ig_rng_unit(r));
}

int32_t ig_world_tense(const ig_world *w, ig_rng *r)
{
    const double u = ig_rng_unit(r);
    return u < w->o.past ? IG_LEM_PAST : u < w->o.past + w->o.future ? IG_LEM_FUTURE : -1;
}

int ig_world_node_add(const ig_world *w, ig_world_tree *t, int32_t lemma, int head, ig_deprel rel)
{
    IG_ASSERT(t->n < IG_WORLD_NODES);
    t->node[t->n] = (ig_world_node){.lemma = lemma,
                                    .head = (int16_t)head,
                                    .rel = (uint8_t)rel,
                                    .upos = w->lemma[lemma].upos,
                                    .person = 3};
    return t->n++;
}

static void collocates_set(ig_world *w, int32_t i)
{
    ig_lemma *l = &w->lemma[i];
    ig_rng r = lemma_rng(w, 0x03000000u, i);
    for (int k = 0; k < w->o.n_collocate; k++) {
        if (l->upos == IG_UPOS_VERB) {
            for (int s = IG_SLOT_SUBJECT; s <= IG_SLOT_OBLIQUE; s++)
                l->collocate[s][k] = ig_world_draw_noun(w, l->class_of[s], l->topic, &r);
            l->collocate[IG_SLOT_ADVERB][k] = ig_word_lists_draw(&w->adverb, 0, ig_rng_unit(&r));
        } else if (l->upos == IG_UPOS_NOUN) {
            l->collocate[IG_SLOT_ADJECTIVE][k] =
                ig_word_lists_draw(&w->adjective, 0, ig_rng_unit(&r));
            const int c = (int)ig_rng_below(&r, (uint32_t)w->o.n_class);
            l->collocate[IG_SLOT_GENITIVE][k] = ig_world_draw_noun(w, c, l->topic, &r);
            l->collocate[IG_SLOT_VERB][k] = ig_world_draw_verb(w, l->topic, &r);
        }
    }
}

ig_code ig_world_lexis_make(ig_world *w, ig_err *err)
{
    counts_set(w);
    IG_TRY(ig_alloc(&w->lemma, w->n_lemma, sizeof *w->lemma, "lexicon", err));
    for (int32_t i = 0; i < IG_WORLD_CLOSED; i++)
        lemma_set(w, i, (ig_upos)closed_upos[i]);
    for (int u = 0; u < IG_N_UPOS; u++)
        for (int32_t i = 0; i < w->count[u]; i++)
            lemma_set(w, w->first[u] + i, (ig_upos)u);
    later_set(w);
    IG_TRY(lists_make(&w->noun, w, IG_UPOS_NOUN, (int32_t)w->o.n_class, 1, err));
    IG_TRY(lists_make(&w->noun_topic, w, IG_UPOS_NOUN, (int32_t)w->o.n_class, (int32_t)w->o.n_topic,
                      err));
    IG_TRY(lists_make(&w->verb, w, IG_UPOS_VERB, 1, 1, err));
    IG_TRY(lists_make(&w->verb_topic, w, IG_UPOS_VERB, 1, (int32_t)w->o.n_topic, err));
    IG_TRY(lists_make(&w->adjective, w, IG_UPOS_ADJ, 1, 1, err));
    IG_TRY(lists_make(&w->adverb, w, IG_UPOS_ADV, 1, 1, err));
    IG_TRY(lists_make(&w->name, w, IG_UPOS_PROPN, 2, 1, err));
    IG_TRY(lists_make(&w->number, w, IG_UPOS_NUM, 1, 1, err));
    for (int32_t i = IG_WORLD_CLOSED; i < w->n_lemma; i++)
        collocates_set(w, i);
    return IG_ERR_OK;
}

void ig_world_lexis_free(ig_world *w)
{
    lists_free(&w->noun);
    lists_free(&w->noun_topic);
    lists_free(&w->verb);
    lists_free(&w->verb_topic);
    lists_free(&w->adjective);
    lists_free(&w->adverb);
    lists_free(&w->name);
    lists_free(&w->number);
    ig_free(w->lemma);
}
