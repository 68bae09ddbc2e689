/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of transforms, the pipeline language, and running a pipeline while composing its links.
 */
#include "corpus/language/transform.h"

#include "base/file.h"
#include "base/order.h"
#include "base/settings/options.h"
#include "base/strings/append.h"
#include "corpus/words/word_step.h"

#include <stdlib.h>
#include <string.h>

static const ig_transform *const transforms[] = {
    &ig_transform_shift,
    &ig_transform_specials,
    &ig_transform_positions,
    &ig_transform_invert,
    &ig_transform_swap,
    &ig_transform_permute,
    &ig_transform_window,
    &ig_transform_unigram,
    &ig_transform_half,
    &ig_transform_take,
    &ig_transform_segment,
    &ig_transform_marker,
    &ig_transform_deterministic_shuffle,
    &ig_transform_local_shuffle,
    &ig_transform_even_odd_shuffle,
    &ig_transform_reverse,
};
enum { N_TRANSFORM = sizeof transforms / sizeof *transforms };

const ig_transform *ig_transform_at(int i)
{
    return i < N_TRANSFORM ? transforms[i] : NULL;
}

static ig_code find(const ig_transform **out, const char *name, const char *where, ig_err *err)
{
    const char *names[N_TRANSFORM];
    for (int i = 0; i < N_TRANSFORM; i++) {
        names[i] = transforms[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = transforms[i];
            return IG_ERR_OK;
        }
    }
    ig_unknown_name(err, where, "transform", name, names, N_TRANSFORM);
    for (int i = 0; ig_word_transform_at(i) != NULL; i++)
        if (strcmp(ig_word_transform_at(i)->name, name) == 0)
            ig_hint(err, "'%s' is a transform of words, which stand before 'tokenize'", name);
    return IG_ERR_USAGE;
}

static ig_code read_step(void *pipeline, char *name, char *arg, const char *where, ig_err *err)
{
    ig_pipeline *p = pipeline;
    if (name[0] == '\0' && arg == NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "nothing here, expected a transform");
    if (p->n == IG_PIPELINE_MAX)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "more than %d transforms", IG_PIPELINE_MAX);
    ig_step *s = &p->step[p->n];
    IG_TRY(find(&s->kind, name, where, err));
    for (int i = 0; i < p->n; i++) {
        if (s->kind->once && p->step[i].kind == s->kind)
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "transform '%s' occurs twice, expected once", name);
        if (s->kind->first && p->step[i].kind->map != NULL)
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "transform '%s' is after '%s', expected before it", name,
                           p->step[i].kind->name);
        s->nth += p->step[i].kind == s->kind;
    }
    IG_TRY(ig_step_args_read(s->number, NULL, name, s->kind->arg, arg, where, err));
    p->n++;
    return IG_ERR_OK;
}

ig_code ig_pipeline_parse(ig_pipeline *out, const char *text, const char *where, int first,
                          ig_err *err)
{
    *out = (ig_pipeline){0};
    return ig_pipeline_read(out, (ig_pipeline_text){text, " \t"}, read_step, where, first, err);
}

void ig_pipeline_print(const ig_pipeline *p, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < p->n; i++) {
        char step[128];
        ig_step_args_print(step, sizeof step, p->step[i].kind->name, p->step[i].kind->arg,
                           p->step[i].number, NULL);
        ig_append(out, size, "%s%s", i > 0 ? " | " : "", step);
    }
}

int64_t ig_pipeline_count(const ig_pipeline *p, int64_t n)
{
    for (int i = 0; i < p->n; i++)
        if (p->step[i].kind->count != NULL)
            n = p->step[i].kind->count(&p->step[i], n);
    return n;
}

int64_t ig_pipeline_select(const ig_pipeline *p, int64_t n, int64_t i)
{
    int64_t before[IG_PIPELINE_MAX];
    for (int k = 0; k < p->n; k++) {
        before[k] = n;
        if (p->step[k].kind->count != NULL)
            n = p->step[k].kind->count(&p->step[k], n);
    }
    for (int k = p->n - 1; k >= 0; k--)
        if (p->step[k].kind->select != NULL)
            i = p->step[k].kind->select(&p->step[k], before[k], i);
    return i;
}

/* Combines language, kind and index among the steps of that kind in one number. */
static uint32_t step_key(const ig_step *s, const ig_step_context *c)
{
    uint64_t h = ig_hash(c->language->name, (int64_t)strlen(c->language->name), 0);
    h = ig_hash(s->kind->name, (int64_t)strlen(s->kind->name), h);
    return (uint32_t)(h >> 32) ^ (uint32_t)h ^ (uint32_t)s->nth;
}

ig_rng ig_step_rng(const ig_step *s, const ig_step_context *c, int64_t sentence)
{
    return ig_rng_make(c->options->seed, IG_STREAM_TRANSFORM, step_key(s, c), (uint32_t)sentence);
}

double ig_step_id_unit(const ig_step *s, const ig_step_context *c, int32_t id)
{
    uint32_t r[4];
    ig_philox(ig_rng_key_make(c->options->seed, IG_STREAM_TRANSFORM), (uint32_t)id, 1,
              step_key(s, c), 0, r);
    return r[0] * 0x1p-32;
}

bool ig_is_special(const ig_step_context *c, int32_t id)
{
    const ig_corpus_options *o = c->options;
    return ig_is_special_piece(o, id >= c->language->first_id ? id - c->language->first_id : id);
}

bool ig_is_special_piece(const ig_corpus_options *o, int32_t id)
{
    return id == o->pad || id == o->unk || id == o->cls || id == o->sep || id == o->mask;
}

bool ig_tokens_push(ig_tokens *t, int32_t id)
{
    if (t->n == IG_SEQUENCE_MAX)
        return false;
    t->id[t->n++] = id;
    return true;
}

void ig_tokens_link(ig_tokens *t, int32_t from, int32_t to)
{
    if (t->n_link == IG_LINK_MAX)
        return;
    t->link[t->n_link][0] = from;
    t->link[t->n_link][1] = to;
    t->n_link++;
}

void ig_tokens_set(ig_tokens *t, const int32_t *id, int32_t n, int32_t most)
{
    t->n = t->n_link = 0;
    for (int32_t i = 0; i < n && i < most && ig_tokens_push(t, id[i]); i++)
        ig_tokens_link(t, i, i);
}

/* Sorts links, removes duplicates and links beyond the end. */
static void tidy_links(ig_tokens *t)
{
    bool sorted = true;
    for (int32_t k = 1; k < t->n_link && sorted; k++)
        sorted = ig_by_int32_pair(t->link[k - 1], t->link[k]) < 0;
    if (!sorted)
        qsort(t->link, (size_t)t->n_link, sizeof t->link[0], ig_by_int32_pair);
    int32_t n = 0;
    for (int32_t k = 0; k < t->n_link; k++) {
        if (t->link[k][1] >= t->n || (n > 0 && ig_by_int32_pair(t->link[n - 1], t->link[k]) == 0))
            continue;
        memmove(t->link[n++], t->link[k], sizeof t->link[0]);
    }
    t->n_link = n;
}

/* Composes links (text, middle) and (middle, result), both sorted, to links (text, result). */
static void compose(const ig_tokens *first, const ig_tokens *second, ig_tokens *out)
{
    int32_t start[IG_SEQUENCE_MAX + 1];
    int32_t k = 0;
    for (int32_t m = 0; m <= first->n; m++) {
        while (k < second->n_link && second->link[k][0] < m)
            k++;
        start[m] = k;
    }
    out->n_link = 0;
    for (int32_t i = 0; i < first->n_link; i++) {
        int32_t m = first->link[i][1];
        for (k = start[m]; k < start[m + 1]; k++)
            ig_tokens_link(out, first->link[i][0], second->link[k][1]);
    }
}

void ig_pipeline_run(const ig_pipeline *p, const ig_step_context *c, ig_tokens *t)
{
    ig_tokens next, joined;
    for (int i = 0; i < p->n; i++) {
        const ig_step *s = &p->step[i];
        if (s->kind->apply == NULL) {
            for (int32_t k = 0; s->kind->map != NULL && k < t->n; k++)
                t->id[k] = s->kind->map(s, c, t->id[k]);
            continue;
        }
        next.n = next.n_link = 0;
        s->kind->apply(s, c, t, &next);
        tidy_links(&next);
        compose(t, &next, &joined);
        t->n = next.n;
        memcpy(t->id, next.id, (size_t)next.n * sizeof next.id[0]);
        t->n_link = joined.n_link;
        memcpy(t->link, joined.link, (size_t)joined.n_link * sizeof joined.link[0]);
        tidy_links(t);
    }
}

int32_t ig_pipeline_map(const ig_pipeline *p, const ig_step_context *c, int32_t id)
{
    for (int i = 0; i < p->n && id >= 0; i++)
        if (p->step[i].kind->map != NULL)
            id = p->step[i].kind->map(&p->step[i], c, id);
    return id;
}
