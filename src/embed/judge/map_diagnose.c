/* SPDX-License-Identifier: Apache-2.0
 *
 * One induction on the mapped vectors gives nearest neighbours both ways and the mutual pairs; the
 * rest is counted from these.
 */
#include "embed/judge/map_diagnose.h"

#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "base/strings/append.h"
#include "embed/judge/map_view.h"

#include <math.h>

enum { REFIT_LEAST = 20, OUTSIDE_LEAST = 20, DRAW_HALVES = 0x40000000 };

/* Maps both spaces by one half of the pairs, in VecMap's steps, which need fewer pairs than
 * dimensions. */
static ig_code map_by(float *x, float *z, const ig_map_spaces *s, const ig_map_pairs *half,
                      ig_err *err)
{
    static const ig_map_steps steps = {true, 0.5, 0.5, IG_DEWHITEN_SOURCE, IG_DEWHITEN_TARGET, 0};
    const int64_t square = (int64_t)s->d * s->d;
    IG_OWNED double *a = NULL;
    int d_out = s->d;
    IG_TRY(ig_alloc(&a, 2 * square + s->d, sizeof *a, "map", err));
    const ig_multi_step both = {a, a + square, &d_out, a + 2 * square};
    IG_TRY(ig_map_multi_step(&both, s, half, &steps, err));
    IG_TRY(ig_map_apply(x, s->x, s->n_x, (ig_map_matrix){a, s->d}, ig_map_with(s), err));
    IG_TRY(ig_map_apply(z, s->z, s->n_z, (ig_map_matrix){a + square, s->d}, ig_map_with(s), err));
    IG_TRY(ig_unit_rows(x, s->n_x, s->d, "mapped source", err));
    return ig_unit_rows(z, s->n_z, s->d, "mapped target", err);
}

/* Share of one half of the pairs that a map of the other half finds as nearest; NaN for fewer than
 * REFIT_LEAST. */
static ig_code halves(double *out, const ig_map_spaces *s, const ig_map_pairs *p, uint64_t seed,
                      ig_err *err)
{
    ig_map_pairs half[2] = {{0}, {0}};
    ig_rng r = ig_rng_make(seed, IG_STREAM_MAP, DRAW_HALVES, 0);
    int32_t *order = NULL, *answer = NULL;
    float *mapped = NULL, *score = NULL;
    int64_t found = 0;
    *out = (double)NAN;
    if (p->n < REFIT_LEAST)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&order, 2 * p->n, sizeof *order, "pairs", err);
    IG_THEN(code,
            ig_alloc(&mapped, (s->n_x + s->n_z) * s->d, sizeof *mapped, "mapped vectors", err));
    IG_THEN(code, ig_alloc(&score, p->n, sizeof *score, "cosines", err));
    if (code == IG_ERR_OK) {
        answer = order + p->n;
        ig_rng_permutation(&r, order, (int32_t)p->n);
    }
    for (int64_t i = 0; i < p->n && code == IG_ERR_OK; i++)
        code = ig_map_pairs_add(&half[i & 1], p->source[order[i]], p->target[order[i]], err);
    IG_THEN(code, map_by(mapped, mapped + s->n_x * s->d, s, &half[0], err));
    if (code == IG_ERR_OK) {
        const ig_retrieve_side a = {mapped, half[1].source, half[1].n},
                               b = {mapped + s->n_x * s->d, NULL, s->n_z};
        const ig_retrieve_want want[2] = {{1, NULL, answer, score, NULL}, {0}};
        code = ig_retrieve_top(&a, &b, want, NULL, ig_map_with(s), err);
    }
    for (int64_t i = 0; i < half[1].n && code == IG_ERR_OK; i++)
        found += answer[i] == half[1].target[i];
    if (code == IG_ERR_OK)
        *out = (double)found / (double)half[1].n;
    ig_map_pairs_free(&half[0]);
    ig_map_pairs_free(&half[1]);
    IG_FREE(order, mapped, score);
    return code;
}

/* Punctuation does not count: languages share it but use it differently. */
static bool has_letter(const char *word)
{
    for (; *word != '\0'; word++)
        if ((uint8_t)*word >= 0x80 || (*word >= '0' && *word <= '9') ||
            (*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z'))
            return true;
    return false;
}

static void spelling(ig_map_health *h, const ig_map_view *v, const ig_diagnose_options *o)
{
    int64_t found = 0;
    h->same = (double)NAN;
    if (o->source == NULL || o->target == NULL)
        return;
    for (int32_t i = 0; i < v->s.n_x; i++) {
        int32_t j =
            ig_lexicon_find(o->target, ig_lexicon_get(o->source, i), ig_lexicon_size(o->source, i));
        if (j < 0 || j >= v->s.n_z || !has_letter(ig_lexicon_get(o->source, i)))
            continue;
        h->n_same++;
        found += v->induce.forward[i] == j;
    }
    if (h->n_same > 0)
        h->same = (double)found / (double)h->n_same;
}

/* Marks the words of each side that are in pairs of the dictionary: words the map was made from say
 * nothing of the others. Where fewer than OUTSIDE_LEAST of a side are others, n_outside stays 0,
 * and all are evaluated. */
static ig_code outside(bool **seen, ig_map_health *h, const ig_map_pairs *given, ig_err *err)
{
    const int64_t n[2] = {h->n, h->m};
    int64_t left[2] = {h->n, h->m};
    *seen = NULL;
    if (given == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(seen, n[0] + n[1], sizeof **seen, "words", err));
    for (int64_t i = 0; i < given->n; i++)
        for (int side = 0; side < 2; side++) {
            const int32_t row = side == 0 ? given->source[i] : given->target[i];
            bool *at = *seen + side * n[0] + row;
            if (row >= n[side] || *at)
                continue;
            *at = true;
            left[side]--;
        }
    const int64_t least = left[0] < left[1] ? left[0] : left[1];
    h->n_outside = least < OUTSIDE_LEAST ? 0 : least;
    return IG_ERR_OK;
}

/* Collects mutual pairs of words that are in no pair of the dictionary, where there are enough. */
static void mutual(ig_map_health *h, ig_map_view *v, const bool *seen)
{
    const int64_t of = h->n_outside > 0 ? h->n_outside : h->n < h->m ? h->n : h->m;
    int64_t left = 0;
    for (int64_t i = 0; i < v->pairs.n; i++) {
        const int32_t a = v->pairs.source[i], b = v->pairs.target[i];
        if (h->n_outside > 0 && (seen[a] || seen[h->n + b]))
            continue;
        v->pairs.source[left] = a;
        v->pairs.target[left++] = b;
    }
    v->pairs.n = left;
    h->n_mutual = left;
    h->mutual = (double)left / (double)of;
}

/* Evaluates the dictionary's pairs among the first words, in the spaces as they were before the
 * map: what was mapped by all the pairs has seen both halves. */
static ig_code dictionary(ig_map_health *h, const ig_map_view *v, const ig_diagnose_options *o,
                          ig_err *err)
{
    IG_SCOPED(ig_map_pairs_free) ig_map_pairs near = {0};
    h->given = (double)NAN;
    if (o->given == NULL)
        return IG_ERR_OK;
    ig_map_spaces before = *o->original;
    before.n_x = v->s.n_x;
    before.n_z = v->s.n_z;
    IG_TRY(ig_map_pairs_copy(&near, o->given, before.n_x, before.n_z, err));
    h->n_given = near.n;
    return halves(&h->given, &before, &near, o->seed, err);
}

/* Correlation of the cosines of mutual pairs. Fewer pairs than dimensions may have left few
 * directions of a whitened space, in which all is alike: then before the map. */
static ig_code relational(ig_map_health *out, ig_map_view *v, const ig_diagnose_options *o,
                          ig_err *err)
{
    IG_SCOPED(ig_map_view_free) ig_map_view before = {0};
    if (o->given == NULL || o->original == NULL || o->given->n >= o->original->d)
        return ig_map_view_relational(&out->relational, v, o->seed, err);
    IG_TRY(ig_map_view_new(&before, o->original, out->n, out->m, v->induce.k, err));
    IG_TRY(ig_map_pairs_copy(&before.pairs, &v->pairs, INT32_MAX, INT32_MAX, err));
    return ig_map_view_relational(&out->relational, &before, o->seed, err);
}

ig_code ig_map_diagnose(ig_map_health *out, const ig_map_spaces *mapped,
                        const ig_diagnose_options *o, ig_err *err)
{
    const int64_t n = mapped->n_x < o->most ? mapped->n_x : o->most,
                  m = mapped->n_z < o->most ? mapped->n_z : o->most, least = n < m ? n : m;
    const int k = o->k < least ? o->k : (int)least;
    IG_SCOPED(ig_map_view_free) ig_map_view v = {0};
    IG_OWNED bool *seen = NULL;
    *out = (ig_map_health){.n = n, .m = m, .blind = o->blind};
    if (least < 1)
        return ig_fail(err, IG_ERR_INPUT, "diagnosis", 0, "no words to look at");
    IG_TRY(ig_map_view_new(&v, mapped, n, m, k, err));
    IG_TRY(ig_map_view_induce(&v, err));
    IG_TRY(outside(&seen, out, o->given, err));
    out->objective[0] = v.induce.objective[0];
    out->objective[1] = v.induce.objective[1];
    mutual(out, &v, seen);
    IG_TRY(relational(out, &v, o, err));
    spelling(out, &v, o);
    return dictionary(out, &v, o, err);
}

/* Appends a reason. */
#define BECAUSE(...)                                                                               \
    (ig_append(text, IG_VERDICT_SIZE, "%s",                                                        \
               n++ == 0 ? "this mapping is degenerate, because " : "; and "),                      \
     ig_append(text, IG_VERDICT_SIZE, __VA_ARGS__))

/* Writes the figures of a map without a sign of degeneracy. `other`: random starts lead to other
 * maps; as_good: to maps that are as good. */
static void praise(char text[IG_VERDICT_SIZE], const ig_map_health *h, const ig_map_chance *chance,
                   bool other, bool as_good)
{
    ig_append(text, IG_VERDICT_SIZE,
              "words that it pairs are alike within their languages (correlation of their cosines "
              "%.2f)",
              h->relational);
    if (as_good)
        ig_append(text, IG_VERDICT_SIZE,
                  ", and of %lld words that are spelled the same, which it did not look at, it "
                  "brings %.1f %% together",
                  (long long)h->n_same, 100 * h->same);
    else if (other)
        ig_append(text, IG_VERDICT_SIZE,
                  ", and random starts lead to a worse map (mean cosine of the nearest %.3f, from "
                  "its pairs %.3f)",
                  chance->objective[1], chance->objective[0]);
    else if (chance != NULL)
        ig_append(text, IG_VERDICT_SIZE, ", and random starts lead to the same map");
}

bool ig_map_verdict(char text[IG_VERDICT_SIZE], const ig_map_health *h, const ig_map_chance *chance)
{
    int n = 0;
    text[0] = '\0';
    /* Whether random starts lead elsewhere at all; where none does, the map is easily found. */
    const bool other = chance != NULL && !isnan(chance->objective[1]);
    /* The map finds translations that it was not made from; no other figure outweighs that. */
    const bool found = h->n_given >= 50 && h->given >= 0.1;
    const double base = other ? fmax(0, chance->relational[1]) : 0;
    /* No number (cosines that do not vary) is no sign of it. */
    const bool alike = h->relational >= 0.3 && h->relational >= base;
    if (h->n_mutual < 3 || h->mutual < 0.02)
        BECAUSE("of %lld words %sonly %lld are the best of their best",
                (long long)(h->n_outside > 0 ? h->n_outside : h->n),
                h->n_outside > 0 ? "outside the dictionary " : "", (long long)h->n_mutual);
    else if (isnan(h->relational) && !found)
        BECAUSE("words that it pairs are not alike within their languages (their cosines do not "
                "vary)");
    else if (!alike && !found)
        BECAUSE("words that it pairs are not alike within their languages (correlation of their "
                "cosines %.2f%s)",
                h->relational, h->relational < 0.3 ? "" : ", no better than chance");
    /* Ends of random starts differ more where there are fewer words. */
    const double margin = chance == NULL ? 0 : 0.025 + 0.5 / sqrt((double)chance->n);
    /* No random map brings names together, where the map has not looked at spelling. */
    const bool named = h->blind && h->n_same >= 50 && h->same >= 0.1;
    const bool as_good =
        other && chance->objective[0] <= chance->objective[1] + margin * (1 - chance->objective[1]);
    if (as_good && !named && !found)
        BECAUSE(
            "random starts lead to as good a map (mean cosine of the nearest %.3f, from its pairs "
            "%.3f)",
            chance->objective[1], chance->objective[0]);
    /* Vectors that have hardly been trained still point the same way: without their mean only a few
     * directions are left, in which words lie by frequency, and any two languages fit. */
    const double few = chance == NULL ? 0 : fmin(chance->directions[0], chance->directions[1]);
    if (chance != NULL && few < fmin(6, chance->d / 4.0))
        BECAUSE("words of the %s vary in %.1f directions of %d only, as after too little training",
                chance->directions[0] == few ? "source" : "target", few, chance->d);
    if (h->n_same >= 20 && h->same < 0.05)
        BECAUSE("of %lld words that are spelled the same it brings %.1f %% together",
                (long long)h->n_same, 100 * h->same);
    if (h->n_given >= 50 && h->given < 0.05)
        BECAUSE("a map of half of the dictionary finds %.1f %% of the other half, so its pairs are "
                "no translations here",
                100 * h->given);
    if (n > 0)
        return true;
    ig_append(text, IG_VERDICT_SIZE, "no sign of a degenerate mapping: ");
    if (found && (as_good || !alike))
        ig_append(text, IG_VERDICT_SIZE,
                  "a map of half of the dictionary finds %.1f %% of the other half",
                  100 * h->given);
    else
        praise(text, h, chance, other, as_good);
    if (h->n_given > 0 && h->n_outside == 0)
        ig_append(text, IG_VERDICT_SIZE, "; words outside the dictionary are too few to be judged");
    return false;
}
