/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages over shards. Only the pipelines are stored: a sequence, its gold alignment and the
 * dictionary are computed from the shard on request, so a corpus of any size needs only its memory
 * map.
 */
#include "isoglot/corpus.h"

#include "base/assert.h"
#include "base/id_pairs.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "corpus/language/transform.h"
#include "corpus/read/shard.h"
#include "corpus/trace.h"
#include "text/tokenizer/vocab.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_language info;
    ig_pipeline pipeline;
    ig_language_spec from; /* its texts are not kept */
    int64_t n_sequence;
} language;

struct ig_corpus {
    ig_corpus_options options;
    int n_language;
    int32_t vocab_size;
    language *language; /* [n_language] */
};

static ig_code check_options(const ig_corpus_options *o, ig_err *err)
{
    const int32_t id[5] = {o->pad, o->unk, o->cls, o->sep, o->mask};
    if (o->base_vocab < 6)
        return ig_fail(err, IG_ERR_INPUT, "vocabulary", 0,
                       "%d pieces, expected the 5 special tokens and at least 1 more",
                       o->base_vocab);
    for (int i = 0; i < 5; i++) {
        if (id[i] < 0 && o->bare)
            continue;
        if (id[i] < 0)
            return ig_fail(err, IG_ERR_INPUT, "vocabulary", 0, "has no %s", ig_bert_tokens[i]);
        if (id[i] >= o->base_vocab)
            return ig_fail(err, IG_ERR_INPUT, "vocabulary", 0, "%s is %d, expected below %d",
                           ig_bert_tokens[i], id[i], o->base_vocab);
        for (int j = 0; j < i && !o->bare; j++)
            if (id[i] == id[j])
                return ig_fail(err, IG_ERR_INPUT, "vocabulary", 0, "%s and %s are both %d",
                               ig_bert_tokens[j], ig_bert_tokens[i], id[i]);
    }
    if (o->block < 3 || o->block > IG_SEQUENCE_MAX)
        return ig_fail(err, IG_ERR_USAGE, "block", 0, "found %d, expected 3 to %d", o->block,
                       IG_SEQUENCE_MAX);
    return IG_ERR_OK;
}

/* Languages that share the first block must share its vocabulary; a block must contain the special
 * ids. */
static ig_code check_source(const ig_corpus *c, int k, ig_err *err)
{
    const language *l = &c->language[k];
    const ig_corpus_options *o = &c->options;
    int32_t n = l->from.source->vocab_size, most = 0;
    const int32_t id[5] = {o->pad, o->unk, o->cls, o->sep, o->mask};
    if (l->info.first_id == 0 && n != o->base_vocab)
        return ig_fail(err, IG_ERR_INPUT, l->info.name, 0,
                       "its shard has a vocabulary of %d pieces, expected %d", n, o->base_vocab);
    for (int i = 0; i < k && l->info.first_id == 0; i++)
        if (c->language[i].info.first_id == 0 &&
            c->language[i].from.source->vocab_hash != l->from.source->vocab_hash)
            return ig_fail(
                err, IG_ERR_INPUT, l->info.name, 0,
                "its shard and that of '%s' have different vocabularies: one of them needs "
                "a block of its own ('shift')",
                c->language[i].info.name);
    for (int i = 0; i < 5; i++)
        most = id[i] > most ? id[i] : most;
    if (n <= most)
        return ig_fail(
            err, IG_ERR_INPUT, l->info.name, 0,
            "its shard has a vocabulary of %d pieces, expected more than %d (special tokens)", n,
            most);
    return IG_ERR_OK;
}

static ig_code add_language(ig_corpus *c, const ig_language_spec *spec, ig_attach *a, ig_err *err)
{
    int k = c->n_language;
    language *l = &c->language[k];
    const ig_corpus_options *o = &c->options;
    size_t n = strlen(spec->name);
    if (n == 0 || n >= sizeof l->info.name)
        return ig_fail(err, IG_ERR_USAGE, spec->name, 0,
                       "language name of %zu bytes, expected 1 to %zu", n, sizeof l->info.name - 1);
    for (int i = 0; i < k; i++)
        if (strcmp(c->language[i].info.name, spec->name) == 0)
            return ig_fail(err, IG_ERR_USAGE, spec->name, 0, "two languages have this name");
    IG_TRY(ig_pipeline_parse(&l->pipeline, spec->pipeline, spec->name, 0, err));
    l->from = *spec;
    if (l->from.trace != NULL && l->from.trace->n_sentence != l->from.source->n_sentence)
        return ig_fail(err, IG_ERR_INPUT, spec->name, 0,
                       "its trace has %lld sentences, its shard %lld",
                       (long long)l->from.trace->n_sentence, (long long)l->from.source->n_sentence);
    l->info = (ig_language){.n_id = spec->source->vocab_size,
                            .pad = o->pad,
                            .unk = o->unk,
                            .cls = o->cls,
                            .sep = o->sep,
                            .mask = o->mask};
    memcpy(l->info.name, spec->name, n + 1);
    ig_pipeline_print(&l->pipeline, l->info.pipeline, sizeof l->info.pipeline);
    a->n_id = l->info.n_id;
    a->shared_id = 0;
    if (l->from.shares_block > 0) {
        const language *with = &c->language[l->from.shares_block - 1];
        IG_ASSERT(l->from.shares_block <= k && with->info.n_id == l->info.n_id);
        a->shared_id = with->info.first_id;
    }
    for (int i = 0; i < l->pipeline.n; i++) {
        const ig_step *s = &l->pipeline.step[i];
        if (s->kind->attach != NULL)
            IG_TRY(s->kind->attach(s, a, &l->info, err));
    }
    IG_TRY(check_source(c, k, err));
    l->n_sequence = ig_pipeline_count(&l->pipeline, spec->source->n_sentence);
    if (l->n_sequence == 0)
        return ig_fail(err, IG_ERR_INPUT, spec->name, 0,
                       "no sequence is left of %lld sentences, expected at least 1",
                       (long long)spec->source->n_sentence);
    c->n_language++;
    return IG_ERR_OK;
}

ig_code ig_corpus_new(ig_corpus **out, const ig_language_spec *spec, int n_language,
                      const ig_corpus_options *options, ig_err *err)
{
    IG_PLAIN_NUMBERS;
    ig_corpus *c = NULL;
    *out = NULL;
    if (n_language < 1)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "no language, expected at least 1");
    IG_TRY(check_options(options, err));
    ig_code code = ig_alloc(&c, 1, sizeof *c, "corpus", err);
    IG_THEN(code, ig_alloc(&c->language, n_language, sizeof *c->language, "languages", err));
    if (code == IG_ERR_OK) {
        c->options = *options;
        ig_attach a = {.options = &c->options, .next_id = options->base_vocab};
        for (int i = 0; i < n_language && code == IG_ERR_OK; i++)
            code = add_language(c, &spec[i], &a, err);
        for (int i = 0; i < c->n_language && code == IG_ERR_OK; i++) {
            ig_language *l = &c->language[i].info;
            if (l->sep == IG_ROW_LAST)
                l->sep = a.next_id++;
            if (l->reverse == IG_ROW_LAST)
                l->reverse = a.next_id++;
            l->segment *= options->parts > 0 ? options->parts : 1;
        }
        c->vocab_size = a.next_id;
    }
    IG_RETURN_NEW(code, out, c, ig_corpus_free);
}

void ig_corpus_free(ig_corpus *c)
{
    if (c == NULL)
        return;
    IG_FREE(c->language, c);
}

int ig_corpus_n_language(const ig_corpus *c)
{
    return c->n_language;
}

const ig_language *ig_corpus_language(const ig_corpus *c, int k)
{
    IG_ASSERT(k >= 0 && k < c->n_language);
    return &c->language[k].info;
}

const ig_corpus_options *ig_corpus_get_options(const ig_corpus *c)
{
    return &c->options;
}

int32_t ig_corpus_vocab_size(const ig_corpus *c)
{
    return c->vocab_size;
}

int64_t ig_corpus_n_sequence(const ig_corpus *c, int k)
{
    IG_ASSERT(k >= 0 && k < c->n_language);
    return c->language[k].n_sequence;
}

static int64_t sentence_of(const language *l, int64_t i)
{
    IG_ASSERT(i >= 0 && i < l->n_sequence);
    return ig_pipeline_select(&l->pipeline, l->from.source->n_sentence, i);
}

/* Makes the content of sequence i, linked with the text. The text is truncated before the
 * transforms (so that an inverted copy has the same words), and their result after them if they
 * made it longer. */
static void make(const ig_corpus *c, int k, int64_t i, int32_t most, ig_tokens *t)
{
    const language *l = &c->language[k];
    int32_t n;
    ig_step_context context = {&c->options, &l->info, sentence_of(l, i), l->from.source,
                               l->from.same};
    const int32_t *id = ig_shard_sentence(l->from.source, context.sequence, &n);
    ig_tokens_set(t, id, n, most);
    ig_pipeline_run(&l->pipeline, &context, t);
    t->n = t->n < most ? t->n : most;
}

int32_t ig_corpus_sequence(const ig_corpus *c, int k, int64_t i, int32_t *id)
{
    ig_tokens t;
    IG_ASSERT(k >= 0 && k < c->n_language);
    const ig_language *l = &c->language[k].info;
    make(c, k, i, c->options.block - ig_language_around(l), &t);
    int32_t n = 0;
    if (l->cls >= 0)
        id[n++] = l->cls;
    memcpy(id + n, t.id, (size_t)t.n * sizeof *id);
    n += t.n;
    if (l->sep >= 0)
        id[n++] = l->sep;
    return n;
}

/* Writes the origin of each token. Upper half: its number among the tokens made from one token;
 * lower half: that token's position in the text, from 1. A token without an origin counts as made
 * from position 0xFFFE. */
static void trace(const ig_tokens *t, uint32_t *origin)
{
    int32_t
        used[IG_SEQUENCE_MAX]; /* tokens so far whose first origin is this position of the text */
    memset(origin, 0, (size_t)t->n * sizeof *origin);
    memset(used, 0, sizeof used);
    uint32_t n_new = 0;
    for (int32_t j = 0; j < t->n_link; j++) {
        int32_t from = t->link[j][0], to = t->link[j][1];
        if (to < t->n && origin[to] == 0)
            origin[to] = (uint32_t)used[from]++ << 16 | (uint32_t)(from + 1);
    }
    for (int32_t to = 0; to < t->n; to++)
        if (origin[to] == 0)
            origin[to] = n_new++ << 16 | 0xFFFEu;
}

/* Writes the word of each token in the text; a token without an origin is a word of its own. */
static void trace_words(const language *l, int64_t sentence, int32_t n, const uint32_t *origin,
                        uint32_t *word)
{
    uint32_t first[IG_SEQUENCE_MAX]; /* position + 1 of the word's first token */
    int32_t n_text;
    const int32_t *text = ig_shard_sentence(l->from.source, sentence, &n_text);
    for (int32_t p = 0; p < n_text && p < IG_SEQUENCE_MAX && l->from.continues != NULL; p++)
        first[p] = p > 0 && l->from.continues[text[p]] ? first[p - 1] : (uint32_t)p + 1;
    for (int32_t j = 0; j < n; j++) {
        const uint32_t place = origin[j] & 0xFFFFu;
        word[j] = l->from.continues != NULL && place != 0xFFFEu ? first[place - 1] : origin[j];
    }
}

int32_t ig_corpus_content(const ig_corpus *c, int k, int64_t i, int32_t most, int32_t *id,
                          uint32_t *origin, uint32_t *word)
{
    ig_tokens t;
    IG_ASSERT(k >= 0 && k < c->n_language && most <= IG_SEQUENCE_MAX);
    make(c, k, i, most, &t);
    memcpy(id, t.id, (size_t)t.n * sizeof *id);
    trace(&t, origin);
    trace_words(&c->language[k], sentence_of(&c->language[k], i), t.n, origin, word);
    return t.n;
}

/* Returns whether two sentences are the same one of the same shard, or of shards made from the same
 * text (`text`), or of texts that number their sentences in the same way. */
static bool same_sentence(const language *x, const language *y, int64_t i, bool text)
{
    if (i >= x->n_sequence || i >= y->n_sequence)
        return false;
    const int64_t s = sentence_of(x, i), t = sentence_of(y, i);
    if (x->from.source == y->from.source)
        return s == t;
    if (x->from.trace == NULL || y->from.trace == NULL)
        return false;
    const bool comparable = text ? x->from.trace->text == y->from.trace->text
                                 : x->from.trace->numbers == y->from.trace->numbers;
    return comparable && x->from.trace->number[s] == y->from.trace->number[t];
}

bool ig_corpus_parallel(const ig_corpus *c, int a, int b, int64_t i)
{
    IG_ASSERT(a >= 0 && a < c->n_language && b >= 0 && b < c->n_language);
    return same_sentence(&c->language[a], &c->language[b], i, false);
}

/* A sequence by the number of its sentence. */
typedef struct {
    int64_t number;
    int32_t sequence;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static ig_code number_sequences(numbered **out, int64_t *n, const language *l, bool traced,
                                ig_err *err)
{
    *out = NULL;
    *n = 0;
    if (l->n_sequence > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, l->info.name, 0, "%lld sentences, expected at most %d",
                       (long long)l->n_sequence, INT32_MAX);
    IG_TRY(ig_alloc(out, l->n_sequence, sizeof **out, "parallel sentences", err));
    for (int64_t i = 0; i < l->n_sequence; i++) {
        const int64_t s = sentence_of(l, i);
        (*out)[i] = (numbered){traced ? l->from.trace->number[s] : s, (int32_t)i};
    }
    qsort(*out, (size_t)l->n_sequence, sizeof **out, by_number);
    for (int64_t i = 0; i < l->n_sequence; i++)
        if (*n == 0 || (*out)[i].number != (*out)[*n - 1].number)
            (*out)[(*n)++] = (*out)[i];
    return IG_ERR_OK;
}

ig_code ig_corpus_parallel_pairs(const ig_corpus *c, int a, int b, int32_t **pairs, int64_t *n,
                                 ig_err *err)
{
    IG_ASSERT(a >= 0 && a < c->n_language && b >= 0 && b < c->n_language);
    const language *x = &c->language[a], *y = &c->language[b];
    const bool one = x->from.source == y->from.source;
    IG_OWNED numbered *t = NULL, *s = NULL;
    int64_t ns = 0, nt = 0;
    *pairs = NULL;
    *n = 0;
    if (!one && (x->from.trace == NULL || y->from.trace == NULL ||
                 x->from.trace->numbers != y->from.trace->numbers))
        return IG_ERR_OK;
    IG_TRY(number_sequences(&s, &ns, x, !one, err));
    IG_TRY(number_sequences(&t, &nt, y, !one, err));
    IG_TRY(ig_alloc(pairs, 2 * (ns < nt ? ns : nt), sizeof **pairs, "parallel sentences", err));
    for (int64_t i = 0, j = 0; i < ns; i++) {
        while (j < nt && t[j].number < s[i].number)
            j++;
        if (j == nt || t[j].number != s[i].number)
            continue;
        (*pairs)[2 * *n] = s[i].sequence;
        (*pairs)[2 * (*n)++ + 1] = t[j].sequence;
    }
    if (*n > 0)
        ig_id_pairs_unique(*pairs, *n); /* in the order of a's sequences */
    return IG_ERR_OK;
}

/* The pairs of an alignment found so far. */
typedef struct {
    int32_t *pairs, n, most;
} pair_list;

static void add_pair(pair_list *p, const ig_tokens *s, const ig_tokens *t, int32_t u, int32_t v)
{
    if (p->n == p->most || u >= s->n || v >= t->n)
        return;
    p->pairs[2 * p->n] = u + 1;
    p->pairs[2 * p->n + 1] = v + 1;
    p->n++;
}

/* Aligns over the positions of one shard. Both lists are sorted by the position in the text. */
static void align_places(pair_list *p, const ig_tokens *s, const ig_tokens *t)
{
    int32_t from = 0;
    for (int32_t j = 0; j < s->n_link; j++) {
        while (from < t->n_link && t->link[from][0] < s->link[j][0])
            from++;
        for (int32_t k = from; k < t->n_link && t->link[k][0] == s->link[j][0]; k++)
            add_pair(p, s, t, s->link[j][1], t->link[k][1]);
    }
}

/* Aligns over the ranges of the text that pieces cover; a pair occurs once for each range they
 * share, and is counted at its first occurrence. */
static void align_stretches(pair_list *p, const language *x, const language *y, int64_t i,
                            const ig_tokens *s, const ig_tokens *t)
{
    int32_t nx, ny;
    const ig_trace_link *lx = ig_trace_links(x->from.trace, sentence_of(x, i), &nx);
    const ig_trace_link *ly = ig_trace_links(y->from.trace, sentence_of(y, i), &ny);
    for (int32_t j = 0, a = 0; j < s->n_link; j++) {
        const int32_t piece = s->link[j][0];
        while (a < nx && lx[a].piece < piece)
            a++;
        for (int32_t k = 0, b = 0; k < t->n_link; k++) {
            const int32_t other = t->link[k][0];
            bool meet = false;
            while (b < ny && ly[b].piece < other)
                b++;
            for (int32_t g = a; g < nx && lx[g].piece == piece && !meet; g++)
                for (int32_t h = b; h < ny && ly[h].piece == other && !meet; h++)
                    meet = lx[g].from < ly[h].to && ly[h].from < lx[g].to;
            if (meet)
                add_pair(p, s, t, s->link[j][1], t->link[k][1]);
        }
    }
}

int32_t ig_corpus_gold_alignment(const ig_corpus *c, int a, int b, int64_t i, int32_t *pairs)
{
    ig_tokens s, t;
    IG_ASSERT(a >= 0 && a < c->n_language && b >= 0 && b < c->n_language);
    const language *x = &c->language[a], *y = &c->language[b];
    if (!same_sentence(x, y, i, true))
        return -1;
    make(c, a, i, c->options.block - ig_language_around(&x->info), &s);
    make(c, b, i, c->options.block - ig_language_around(&y->info), &t);
    pair_list p = {.pairs = pairs, .most = 2 * c->options.block};
    if (x->from.source == y->from.source)
        align_places(&p, &s, &t);
    else
        align_stretches(&p, x, y, i, &s, &t);
    return (int32_t)ig_id_pairs_unique(pairs, p.n);
}

int32_t ig_corpus_id(const ig_corpus *c, int k, int32_t piece)
{
    IG_ASSERT(k >= 0 && k < c->n_language);
    const language *l = &c->language[k];
    const ig_step_context context = {&c->options, &l->info, 0, l->from.source, l->from.same};
    return ig_pipeline_map(&l->pipeline, &context, piece);
}

/* Returns the first translation of piece i in a dictionary; the others follow it in gold. */
static int64_t first_gold(const ig_language_spec *o, int32_t i)
{
    int64_t low = 0, high = o->n_gold;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (o->gold[middle][0] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Translates piece i of the pivot vocabulary into the language, one id a call; *at is 0 before the
 * first. False: there is none, or no further one. */
static bool translate(int32_t *id, int64_t *at, const ig_corpus *c, const language *l, int32_t i)
{
    const ig_language_spec *o = &l->from;
    const int k = (int)(l - c->language);
    if (o->gold == NULL) {
        const int32_t piece = o->from_pivot != NULL ? o->from_pivot[i] : i;
        *id = *at == 0 && piece >= 0 ? ig_corpus_id(c, k, piece) : -1;
        *at = 1;
        return *id >= 0;
    }
    if (*at == 0)
        *at = first_gold(o, i) + 1;
    for (*id = -1; *at <= o->n_gold && o->gold[*at - 1][0] == i && *id < 0; ++*at)
        *id = ig_corpus_id(c, k, o->gold[*at - 1][1]);
    return *id >= 0;
}

static bool has_pivot(const ig_language_spec *o)
{
    return o->from_pivot != NULL || o->gold != NULL;
}

/* Returns the size of that vocabulary, 0 if the two languages have none in common. */
static int32_t pivot_size(const language *x, const language *y)
{
    const ig_language_spec *a = &x->from, *b = &y->from;
    if (a->trace == NULL && b->trace == NULL)
        return x->info.n_id == y->info.n_id &&
                       x->from.source->vocab_hash == y->from.source->vocab_hash
                   ? x->info.n_id
                   : 0;
    /* One vocabulary does not align two texts. */
    return a->trace != NULL && b->trace != NULL && has_pivot(a) && has_pivot(b) &&
                   a->n_pivot == b->n_pivot
               ? a->n_pivot
               : 0;
}

bool ig_corpus_gold_listed(const ig_corpus *c, int a, int b)
{
    IG_ASSERT(a >= 0 && a < c->n_language && b >= 0 && b < c->n_language);
    return c->language[a].from.gold != NULL || c->language[b].from.gold != NULL;
}

ig_code ig_corpus_gold_dictionary(const ig_corpus *c, int a, int b, int32_t **pairs, int64_t *n,
                                  ig_err *err)
{
    IG_ASSERT(a >= 0 && a < c->n_language && b >= 0 && b < c->n_language);
    const language *x = &c->language[a], *y = &c->language[b];
    const ig_language base = {0};
    const ig_step_context own = {&c->options, &base, 0, NULL, NULL};
    const int32_t n_pivot = pivot_size(x, y);
    int64_t have = 0;
    *pairs = NULL;
    *n = 0;
    IG_TRY(ig_grow(pairs, &have, 2 * (int64_t)n_pivot + 1, sizeof **pairs, "dictionary", err));
    for (int32_t id = 0; id < n_pivot; id++) {
        int32_t u, v;
        for (int64_t i = 0; translate(&u, &i, c, x, id);)
            for (int64_t k = 0; translate(&v, &k, c, y, id);) {
                if (ig_is_special(&own, id) && u == v)
                    continue;
                IG_TRY(ig_grow(pairs, &have, 2 * (*n + 1), sizeof **pairs, "dictionary", err));
                (*pairs)[2 * *n] = u;
                (*pairs)[2 * *n + 1] = v;
                ++*n;
            }
    }
    *n = ig_id_pairs_unique(*pairs, *n);
    return IG_ERR_OK;
}
