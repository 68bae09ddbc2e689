/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of transforms of words, their arguments, and running a pipeline of them.
 */
#include "corpus/words/word_step.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/options.h"

#include <stdlib.h>
#include <string.h>

static const ig_word_transform *const transforms[] = {
    &ig_word_codepoints, &ig_word_cipher, &ig_word_affix,      &ig_word_homographs,
    &ig_word_drop,       &ig_word_switch, &ig_word_split,      &ig_word_merge,
    &ig_word_unigram,    &ig_word_ngrams, &ig_word_invert,     &ig_word_swap,
    &ig_word_permute,    &ig_word_window, &ig_word_head_final, &ig_word_order_like,
    &ig_word_hop,
};
enum { N_TRANSFORM = sizeof transforms / sizeof *transforms };

const ig_word_transform *ig_word_transform_at(int i)
{
    return i < N_TRANSFORM ? transforms[i] : NULL;
}

static ig_code find(const ig_word_transform **out, const char *name, const char *where, ig_err *err)
{
    const char *names[N_TRANSFORM];
    for (int i = 0; i < N_TRANSFORM; i++) {
        names[i] = transforms[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = transforms[i];
            return IG_ERR_OK;
        }
    }
    return ig_unknown_name(err, where, "transform of words", name, names, N_TRANSFORM);
}

static ig_code read_step(void *pipeline, char *name, char *arg, const char *where, ig_err *err)
{
    ig_word_pipeline *out = pipeline;
    if (name[0] == '\0' && arg == NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "nothing here, expected a transform of words");
    if (out->n == IG_WORD_STEPS)
        return ig_fail(err, IG_ERR_USAGE, where, 0, "more than %d transforms", IG_WORD_STEPS);
    ig_word_step *s = &out->step[out->n];
    *s = (ig_word_step){0};
    IG_TRY(find(&s->kind, name, where, err));
    for (int i = 0; i < out->n; i++)
        s->nth += out->step[i].kind == s->kind;
    IG_TRY(ig_step_args_read(s->number, s->file, name, s->kind->arg, arg, where, err));
    out->n++;
    return IG_ERR_OK;
}

ig_code ig_word_pipeline_parse(ig_word_pipeline *out, const char *text, const char *where,
                               int first, ig_err *err)
{
    *out = (ig_word_pipeline){0};
    return ig_pipeline_read(out, (ig_pipeline_text){text, " \t\n"}, read_step, where, first, err);
}

ig_code ig_word_pipeline_begin(ig_word_pipeline *p, uint64_t seed, const char *language,
                               const ig_file_finder *files, ig_err *err)
{
    for (int i = 0; i < p->n; i++) {
        ig_word_step *s = &p->step[i];
        uint64_t h = ig_hash(language, (int64_t)strlen(language), 1);
        h = ig_hash(s->kind->name, (int64_t)strlen(s->kind->name), h);
        s->own = (uint32_t)(h >> 32) ^ (uint32_t)h ^ (uint32_t)s->nth;
        s->key = ig_rng_key_make(seed, IG_STREAM_TRANSFORM);
        if (s->kind->state_size > 0)
            IG_TRY(ig_alloc(&s->state, 1, s->kind->state_size, s->kind->name, err));
        if (s->kind->begin != NULL)
            IG_TRY(s->kind->begin(s, files, err));
    }
    return IG_ERR_OK;
}

const ig_word_transform *ig_word_pipeline_trees(const ig_word_pipeline *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->step[i].kind->trees ||
            (p->step[i].kind == &ig_word_drop && p->step[i].number[0] < 0))
            return p->step[i].kind;
    return NULL;
}

const ig_word_transform *ig_word_pipeline_agreement(const ig_word_pipeline *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->step[i].kind->agreement)
            return p->step[i].kind;
    return NULL;
}

int ig_word_pipeline_sees(const ig_word_pipeline *p, int from)
{
    while (from < p->n && p->step[from].kind->see == NULL)
        from++;
    return from;
}

/* Runs steps 0 .. n − 1. */
static ig_code run_steps(ig_word_pipeline *p, int n, int64_t sentence, const ig_phrase *in,
                         const ig_phrase **out, ig_err *err)
{
    *out = in;
    for (int i = 0; i < n; i++) {
        const ig_word_step *s = &p->step[i];
        ig_phrase *next = *out == &p->work[0] ? &p->work[1] : &p->work[0];
        if (p->development && s->kind->training_only)
            continue;
        IG_TRY(ig_phrase_like(next, *out, err));
        if (s->kind->apply != NULL)
            IG_TRY(s->kind->apply(s, sentence, *out, next, err));
        ig_rng r = ig_word_step_rng(s, sentence);
        for (int32_t k = 0; k < (*out)->n && s->kind->word != NULL; k++)
            IG_TRY(s->kind->word(s, &r, *out, k, next, err));
        if (next->n == 0 && (*out)->n > 0)
            IG_TRY(ig_phrase_keep(next, *out, 0, err));
        *out = next;
    }
    return IG_ERR_OK;
}

ig_code ig_word_pipeline_see(ig_word_pipeline *p, int step, int64_t sentence, const ig_phrase *in,
                             ig_err *err)
{
    const ig_phrase *seen;
    IG_TRY(run_steps(p, step, sentence, in, &seen, err));
    return p->step[step].kind->see(&p->step[step], seen, err);
}

ig_code ig_word_pipeline_ready(ig_word_pipeline *p, int step, ig_err *err)
{
    ig_word_step *s = &p->step[step];
    return s->kind->ready != NULL ? s->kind->ready(s, err) : IG_ERR_OK;
}

ig_code ig_word_pipeline_run(ig_word_pipeline *p, int64_t sentence, const ig_phrase *in,
                             const ig_phrase **out, ig_err *err)
{
    return run_steps(p, p->n, sentence, in, out, err);
}

bool ig_word_pipeline_map(const ig_word_pipeline *p, const char *word, bool piece, char *out)
{
    char now[IG_WORD_BYTES];
    const size_t n = strlen(word);
    if (n >= IG_WORD_BYTES)
        return false;
    memcpy(out, word, n + 1);
    for (int i = 0; i < p->n; i++) {
        const ig_word_step *s = &p->step[i];
        if (s->kind->map == NULL)
            continue;
        memcpy(now, out, strlen(out) + 1);
        if (!s->kind->map(s, now, piece, out))
            return false;
    }
    return true;
}

void ig_word_pipeline_free(ig_word_pipeline *p)
{
    for (int i = 0; i < p->n; i++) {
        if (p->step[i].kind->free != NULL && p->step[i].state != NULL)
            p->step[i].kind->free(&p->step[i]);
        if (p->step[i].kind->state_size > 0)
            ig_free(p->step[i].state);
    }
    ig_phrase_free(&p->work[0]);
    ig_phrase_free(&p->work[1]);
    *p = (ig_word_pipeline){0};
}

ig_rng ig_word_step_rng(const ig_word_step *s, int64_t sentence)
{
    return (ig_rng){.key = s->key, .hi = s->own, .lo = (uint32_t)sentence};
}

double ig_word_step_unit(const ig_word_step *s, const char *word, uint32_t use)
{
    uint32_t r[4];
    const uint64_t h = ig_hash(word, (int64_t)strlen(word), 0);
    ig_philox(s->key, (uint32_t)h, 0x80000000u | use, s->own, (uint32_t)(h >> 32), r);
    return r[0] * 0x1p-32;
}
