/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and prints the list of separate parts as text. The sharings are those of Conneau et al.
 * 2020, §4 (Sep-Emb, Sep-L1-3, Sep-L1-6), and any other.
 */
#include "model/separate.h"

#include "base/settings/options.h"

#include <stdio.h>
#include <string.h>

enum { WORDS, POSITIONS, SEGMENTS, NORM, HEAD, OUTPUT, BIAS, SPECIALS, N_PART };
/* Names of the parts, then of groups of parts. */
static const char *const names[] = {"words", "positions", "segments",   "norm",   "head", "output",
                                    "bias",  "specials",  "embeddings", "layers", "all"};
enum { N_NAME = sizeof names / sizeof *names };

static bool *part_of(ig_bert_separate *s, int part)
{
    bool *const member[N_PART] = {&s->words, &s->positions, &s->segments, &s->norm,
                                  &s->head,  &s->output,    &s->bias,     &s->specials};
    return member[part];
}

bool ig_bert_separate_layer(const ig_bert_separate *s, int layer)
{
    return (s->layer[layer / 64] >> (layer % 64) & 1) != 0;
}

bool ig_bert_separate_any(const ig_bert_separate *s)
{
    ig_bert_separate copy = *s;
    bool any = false;
    for (int i = 0; i < SPECIALS; i++) /* those are rows of the vocabulary */
        any |= *part_of(&copy, i);
    for (int i = 0; i < IG_BERT_MAX_LAYER; i++)
        any |= ig_bert_separate_layer(s, i);
    return any;
}

/* A word of the text, without white space around it. */
typedef struct {
    const char *at;
    size_t n;
} word;

static word trimmed(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return (word){from, (size_t)(to - from)};
}

static bool is(word w, const char *name)
{
    return w.n == strlen(name) && memcmp(w.at, name, w.n) == 0;
}

static ig_code add_part(ig_bert_separate *s, int part, const char *where, ig_err *err)
{
    if (*part_of(s, part))
        return ig_fail(err, IG_ERR_USAGE, where, 0, "%s is there twice", names[part]);
    *part_of(s, part) = true;
    return IG_ERR_OK;
}

static ig_code add_layer(ig_bert_separate *s, long layer, int n_layer, const char *where,
                         ig_err *err)
{
    if (layer < 1 || layer > n_layer)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "no layer %ld: the model has 1 to %d", layer,
                       n_layer);
    uint64_t *bits = &s->layer[(layer - 1) / 64], bit = (uint64_t)1 << ((layer - 1) % 64);
    if (*bits & bit)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "layer %ld is there twice", layer);
    *bits |= bit;
    return IG_ERR_OK;
}

/* Reads a number at *at and moves past it. */
static bool number(const char **at, const char *end, long *out)
{
    const char *p = *at;
    *out = 0;
    while (p < end && *p >= '0' && *p <= '9' && p - *at < 6)
        *out = 10 * *out + (*p++ - '0');
    const bool any = p > *at;
    *at = p;
    return any;
}

/* "1-3,5" */
static ig_code add_layers(ig_bert_separate *s, word w, int n_layer, const char *where, ig_err *err)
{
    const char *at = w.at, *end = w.at + w.n;
    for (;;) {
        long from, to;
        bool good = number(&at, end, &from);
        to = from;
        if (good && at < end && *at == '-') {
            at++;
            good = number(&at, end, &to);
        }
        if (!good || (at < end && *at != ',') || to < from)
            return ig_fail(err, IG_ERR_USAGE, where, 0, "layers are '%.*s', expected as 1-3,5",
                           (int)(w.n < 60 ? w.n : 60), w.at);
        for (long l = from; l <= to; l++)
            IG_TRY(add_layer(s, l, n_layer, where, err));
        if (at == end)
            return IG_ERR_OK;
        at++;
    }
}

static ig_code unknown(word w, const char *where, ig_err *err)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(w.n < 60 ? w.n : 60), w.at);
    ig_fail(err, IG_ERR_USAGE, where, 0,
            "no part '%s': expected words, positions, segments, norm, embeddings, specials, "
            "layers=A-B, head, output, bias or all",
            name);
    return ig_hint_nearest(err, name, names, N_NAME);
}

static ig_code add_word(ig_bert_separate *s, word w, int n_layer, const char *where, ig_err *err)
{
    const char *eq = memchr(w.at, '=', w.n);
    const word name = eq == NULL ? w : trimmed(w.at, eq);
    if (is(name, "layers")) {
        if (eq != NULL)
            return add_layers(s, trimmed(eq + 1, w.at + w.n), n_layer, where, err);
        for (int l = 1; l <= n_layer; l++)
            IG_TRY(add_layer(s, l, n_layer, where, err));
        return IG_ERR_OK;
    }
    if (eq != NULL)
        return unknown(w, where, err);
    if (is(w, "embeddings") || is(w, "all"))
        for (int i = WORDS; i <= NORM; i++)
            IG_TRY(add_part(s, i, where, err));
    if (is(w, "embeddings"))
        return IG_ERR_OK;
    if (is(w, "all")) {
        for (int l = 1; l <= n_layer; l++)
            IG_TRY(add_layer(s, l, n_layer, where, err));
        IG_TRY(add_part(s, HEAD, where, err));
    }
    if (is(w, "all") || is(w, "output")) {
        IG_TRY(add_part(s, BIAS, where, err));
        return add_part(s, OUTPUT, where, err);
    }
    for (int i = 0; i < N_PART; i++)
        if (is(w, names[i]))
            return add_part(s, i, where, err);
    return unknown(w, where, err);
}

ig_code ig_bert_separate_parse(ig_bert_separate *s, const char *text, int n_layer,
                               const char *where, ig_err *err)
{
    *s = (ig_bert_separate){0};
    if (text == NULL)
        return IG_ERR_OK;
    for (const char *at = text, *stop; *at != '\0'; at = *stop == '\0' ? stop : stop + 1) {
        stop = at + strcspn(at, ";");
        const word w = trimmed(at, stop);
        if (w.n > 0)
            IG_TRY(add_word(s, w, n_layer, where, err));
    }
    return IG_ERR_OK;
}

static void put(char *out, size_t size, const char *divider, const char *text)
{
    const size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", n > 0 ? divider : "", text);
}

void ig_bert_separate_print(const ig_bert_separate *s, int n_layer, char *out, size_t size)
{
    ig_bert_separate copy = *s;
    char layers[4096] = "";
    out[0] = '\0';
    for (int i = WORDS; i <= NORM; i++)
        if (*part_of(&copy, i))
            put(out, size, "; ", names[i]);
    if (s->specials)
        put(out, size, "; ", names[SPECIALS]);
    for (int l = 0, to; l < n_layer; l = to + 1) {
        to = l;
        if (!ig_bert_separate_layer(s, l))
            continue;
        while (to + 1 < n_layer && ig_bert_separate_layer(s, to + 1))
            to++;
        char range[32];
        snprintf(range, sizeof range, to > l ? "%d-%d" : "%d", l + 1, to + 1);
        put(layers, sizeof layers, ",", range);
    }
    if (layers[0] != '\0') {
        put(out, size, "; ", "layers=");
        const size_t n = strlen(out);
        snprintf(out + n, size - n, "%s", layers);
    }
    if (s->head)
        put(out, size, "; ", names[HEAD]);
    if (s->output)
        put(out, size, "; ", names[OUTPUT]);
    else if (s->bias)
        put(out, size, "; ", names[BIAS]);
}
