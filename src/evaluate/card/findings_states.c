/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings on vectors: vectors that are all alike, a model that is untrained or finds nothing, then
 * what would make retrieval better. Of the latter the one with the largest gain on sentences held
 * out is said first, the next only if it gains on top of it; gains are of pairs of sentences (sign
 * test), over the pairs of languages whose texts have no finding.
 */
#include "evaluate/card/finding_writer.h"

#include "base/assert.h"
#include "base/memory.h"
#include "evaluate/card/held_out.h"

#include <math.h>
#include <string.h>

/* Gains that are worth a line; of a rotation, which needs translations, more. */
static const double min_gain = .05, min_gain_rotated = .1;
/* Retrieval from which nobody calls a model useless; spread of vectors beside that of the others.
 */
static const double usable = .5, min_spread = .1;

/* Right searches of each sentence, a mean over pairs and both ways. */
typedef struct {
    double *of; /* [n] */
    int64_t n;
    double mean;
} hits;

typedef struct {
    ig_finding_writer *w;
    bool use[IG_DIAGNOSE_PAIRS];
    int n_use;
    int64_t n;
    double *room;
    int64_t n_room;
} vectors;

/* --- hits */

static ig_code hits_new(hits *h, vectors *v, ig_err *err)
{
    enum { most = 30 }; /* ten of chance, three steps of three, a beginning, a rotation */
    IG_ASSERT(v->n_room < most);
    if (v->room == NULL)
        IG_TRY(ig_alloc(&v->room, most * v->n, sizeof *v->room, "hits", err));
    h->of = v->room + v->n_room++ * v->n;
    h->n = v->n;
    memset(h->of, 0, (size_t)v->n * sizeof *h->of);
    return IG_ERR_OK;
}

static void add_hits(hits *h, const vectors *v, const uint8_t *hit, int fold)
{
    for (int64_t i = fold < 0 ? 0 : fold; i < h->n; i += fold < 0 ? 1 : 2)
        h->of[i] += (double)hit[i] / (2 * (double)v->n_use);
}

static void sum_up(hits *h)
{
    h->mean = 0;
    for (int64_t i = 0; i < h->n; i++)
        h->mean += h->of[i] / (double)h->n;
    h->mean = fmin(h->mean, 1); /* roundings of shares that are all 1 */
}

/* Says what is done to vectors: those that are used (ig_diagnose_used), or those of the layer that
 * the other half of the sentences chooses. */
typedef struct {
    bool chosen;
    ig_held held;
} recipe;

static ig_code of_recipe(hits *h, vectors *v, const recipe *r, ig_card_of which, ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    const ig_held_choice by = {r->held, which, v->use};
    IG_TRY(hits_new(h, v, err));
    h->n = ig_diagnose_n_of(d, which);
    for (int f = 0; f < 2; f++) {
        const int l = r->chosen ? ig_held_best_layer(d, &by, 1 - f) : ig_diagnose_used(d);
        for (int p = 0; p < d->n_pair; p++)
            if (v->use[p])
                add_hits(h, v, ig_diagnose_hit(d, which, l, p, r->held), f);
    }
    sum_up(h);
    return IG_ERR_OK;
}

/* By cosine, of the chosen layer or of the sentence row, whichever is better. */
static ig_code of_best(hits *h, vectors *v, ig_card_of which, ig_err *err)
{
    hits used;
    IG_TRY(of_recipe(h, v, &(recipe){true, IG_HELD_COSINE}, which, err));
    if (!ig_diagnose_has_sentence(v->w->d))
        return IG_ERR_OK;
    IG_TRY(of_recipe(&used, v, &(recipe){false, IG_HELD_COSINE}, which, err));
    if (used.mean > h->mean)
        *h = used;
    return IG_ERR_OK;
}

static ig_code of_rotation(hits *h, vectors *v, ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    IG_TRY(hits_new(h, v, err));
    for (int p = 0; p < d->n_pair; p++)
        if (v->use[p] && d->of_pair[p].rotated != NULL)
            add_hits(h, v, d->of_pair[p].rotated, -1);
    sum_up(h);
    return IG_ERR_OK;
}

/* Measures what b gains over a: mean difference with its interval; *p of the sign test. */
static ig_code gain_of(ig_card_number *gain, double *p, const hits *a, const hits *b, ig_err *err)
{
    double plus = 0, minus = 0, *difference;
    const int64_t n = a->n < b->n ? a->n : b->n;
    IG_TRY(ig_alloc(&difference, n, sizeof *difference, "differences", err));
    for (int64_t i = 0; i < n; i++) {
        difference[i] = b->of[i] - a->of[i];
        plus += difference[i] > 1e-12;
        minus += difference[i] < -1e-12;
    }
    *gain = ig_card_by_influence(b->mean - a->mean, difference, n, IG_RANGE_ANY, 0);
    *p = ig_binomial_at_least(plus, plus + minus, .5);
    ig_free(difference);
    return IG_ERR_OK;
}

/* Returns whether a rotation finds more than that of an untrained model does, whose sums of random
 * vectors of words have a rotation too; that is a share, of fewer sentences where there are more.
 */
static bool more_than_untrained(const vectors *v, const hits *rotated)
{
    const ig_diagnosis *d = v->w->d;
    double fresh = 0;
    for (int p = 0; p < d->n_pair; p++) {
        const double x = d->of_pair[p].held[IG_HELD_AT_BEST][IG_HELD_ROTATED].untrained;
        fresh += v->use[p] && !isnan(x) ? x / v->n_use : 0;
    }
    const double n = (double)v->n;
    return ig_interval_of_count(rotated->mean * n, n, .95).low > fresh;
}

/* --- vectors that are alike, models that are none */

/* Returns whether the sentences of language k are found in another without their means: they
 * differ. */
static bool is_found(const ig_diagnosis *d, int k)
{
    static const double enough = .3;
    const int64_t n = ig_diagnose_n(d);
    for (int l = 0; l < d->n_layer && d->parallel; l++)
        for (int p = 0; p < d->n_pair; p++) {
            const uint8_t *hit = ig_diagnose_hit(d, IG_CARD_MODEL, l, p, IG_HELD_CENTRED);
            int64_t right = 0;
            for (int64_t i = 0; i < n && (d->pair[p][0] == k || d->pair[p][1] == k); i++)
                right += hit[i];
            if ((double)right > enough * 2 * (double)n)
                return true;
        }
    return false;
}

static ig_code about_spread(vectors *v, ig_err *err)
{
    ig_finding_writer *w = v->w;
    const ig_diagnosis *d = w->d;
    FILE *fp;
    const ig_diagnose_language *flat = NULL;
    double most = 0;
    bool all = true;
    for (int l = 0; l < d->n_layer; l++)
        all = all && isnan(ig_diagnose_at(d, l, -1)[IG_DIAGNOSE_ISOTROPY].value);
    for (int k = 0; k < d->n_language; k++)
        most = fmax(most, d->language[k].spread);
    for (int k = 0; k < d->n_language; k++)
        if (!w->faulty[k] && d->language[k].spread < min_spread * most && !is_found(d, k)) {
            flat = &d->language[k];
            w->faulty[k] = true;
        }
    if (flat == NULL && !all)
        return IG_ERR_OK;
    for (int k = 0; k < d->n_language && all; k++)
        w->faulty[k] = true;
    if (all)
        IG_TRY(ig_finding_add(w, err, "collapsed",
                              "All sentences of all languages have one vector at every layer: "
                              "the weights are damaged or were not loaded."));
    else
        IG_TRY(ig_finding_add(
            w, err, "collapsed",
            "The sentences of %s have nearly one vector at layer 0: two differ by %.4f (1 − mean "
            "cosine), those of another language by %.4f. Its words have equal embeddings.",
            flat->name, flat->spread, most));
    if (d->of_files)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "isoglot model ");
    ig_finding_path(fp, w->model);
    return ig_finding_command_end(fp, w, err);
}

static double upper(const vectors *v, double mean)
{
    return ig_interval_of_count(mean * (double)v->n, (double)v->n, .95).high;
}

/* Returns whether so many hits are none more than chance finds: the test's p is above. */
static bool at_chance(const hits *h, double p)
{
    const double n = (double)h->n;
    return ig_binomial_at_least(h->mean * n, n, 2 / n) > p &&
           ig_interval_of_count(h->mean * n, n, .95).high < usable;
}

/* Finds whether neither vectors as they are nor without means find clearly more than an untrained
 * model's: *beside, on the sentences that it read, against *fresh. */
static ig_code find_no_better(bool *out, hits *beside, hits *fresh, vectors *v, ig_err *err)
{
    hits centred[2];
    ig_card_number gain, gain_centred;
    double p;
    IG_TRY(of_best(fresh, v, IG_CARD_UNTRAINED, err));
    IG_TRY(of_best(beside, v, IG_CARD_BESIDE, err));
    IG_TRY(gain_of(&gain, &p, fresh, beside, err));
    IG_TRY(of_recipe(&centred[0], v, &(recipe){true, IG_HELD_CENTRED}, IG_CARD_UNTRAINED, err));
    IG_TRY(of_recipe(&centred[1], v, &(recipe){true, IG_HELD_CENTRED}, IG_CARD_BESIDE, err));
    IG_TRY(gain_of(&gain_centred, &p, &centred[0], &centred[1], err));
    *out = gain.high < 2 * min_gain && gain_centred.high < 2 * min_gain;
    return IG_ERR_OK;
}

/* *none: nothing is said on retrieval then. */
static ig_code about_chance(vectors *v, bool *none, ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    hits best, centred, rotated, beside, fresh = {0};
    bool no_better = false;
    IG_TRY(of_best(&best, v, IG_CARD_MODEL, err));
    IG_TRY(of_recipe(&centred, v, &(recipe){true, IG_HELD_CENTRED}, IG_CARD_MODEL, err));
    IG_TRY(of_rotation(&rotated, v, err));
    beside = best;
    if (d->n_untrained > 0)
        IG_TRY(find_no_better(&no_better, &beside, &fresh, v, err));
    const bool rotates =
        more_than_untrained(v, &rotated) && rotated.mean >= best.mean + min_gain_rotated;
    no_better = no_better && !rotates && upper(v, fmax(best.mean, centred.mean)) < usable;
    /* At .05 for the three together; where an untrained model finds as much, there is a reason. */
    const double p_least = no_better ? .001 : .05 / 3;
    const bool chance =
        at_chance(&best, p_least) && at_chance(&centred, p_least) && at_chance(&rotated, p_least);
    *none = d->as_drawn || chance || no_better;
    if (!*none)
        return IG_ERR_OK;
    /* A number stands beside another of as many sentences. */
    const hits *said = chance && !d->as_drawn ? &best : &beside;
    const ig_interval i = ig_interval_of_count(said->mean * (double)said->n, (double)said->n, .95);
    char few[64] = "";
    if (beside.n < v->n)
        snprintf(few, sizeof few, " (of the first %lld sentences)", (long long)beside.n);
    if (d->as_drawn)
        IG_TRY(ig_finding_add(v->w, err, "untrained",
                              "The model is untrained: its biases and norms are as they are drawn. "
                              "Retrieval is %.2f [%.2f, %.2f], that of another untrained model "
                              "%.2f%s.",
                              said->mean, i.low, i.high, fresh.mean, few));
    else if (chance)
        IG_TRY(ig_finding_add(
            v->w, err, "chance",
            "At chance: these lines are no translations, or the model is untrained or wrongly "
            "loaded. Retrieval is %.3f [%.3f, %.3f] at its best layer, chance %.3f.",
            best.mean, i.low, i.high, 2 / (double)v->n));
    else
        IG_TRY(ig_finding_add(v->w, err, "untrained",
                              "No better than an untrained model of its shape: retrieval is %.2f "
                              "[%.2f, %.2f], of the "
                              "untrained one %.2f%s. The model is untrained or wrongly loaded.",
                              said->mean, i.low, i.high, fresh.mean, few));
    return ig_finding_lines(v->w, err);
}

/* --- what would be better */

/* "at layer 3" */
static const char *at_row(char out[32], const ig_diagnosis *d, int row)
{
    if (row == d->n_layer)
        return "with the sentence vectors";
    snprintf(out, 32, "at layer %d", row);
    return out;
}

/* The row of a recipe, chosen by all sentences; where its numbers of held-out halves are. */
static int row_of(const vectors *v, const recipe *r)
{
    return r->chosen
               ? ig_held_best_layer(v->w->d, &(ig_held_choice){r->held, IG_CARD_MODEL, v->use}, -1)
               : ig_diagnose_used(v->w->d);
}

static int held_at(const vectors *v, const recipe *r)
{
    return r->chosen                           ? IG_HELD_AT_BEST
           : ig_diagnose_has_sentence(v->w->d) ? IG_HELD_AT_SENTENCE
                                               : IG_HELD_AT_LAST;
}

/* The pair that gains most by a recipe. */
static int pair_of(const vectors *v, const recipe *r)
{
    const ig_diagnosis *d = v->w->d;
    int found = -1;
    double most = 0;
    for (int p = 0; p < d->n_pair; p++) {
        const ig_card_number *h = d->of_pair[p].held[held_at(v, r)];
        const double gain = h[r->held].value - h[IG_HELD_COSINE].value;
        if (v->use[p] && (found < 0 || gain > most)) {
            found = p;
            most = gain;
        }
    }
    return found;
}

static ig_code say_layer(vectors *v, const recipe *r, const hits *a, const hits *b, ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    char room[32];
    const int best = row_of(v, r);
    IG_TRY(ig_finding_add(v->w, err, "last_layer",
                          "Take the vectors at layer %d: retrieval is %.2f at the layer that the "
                          "other half of the sentences chooses, %.2f %s%s.",
                          best, b->mean, a->mean, at_row(room, d, ig_diagnose_used(d)),
                          ig_diagnose_has_sentence(d) ? "" : ", the last"));
    return ig_finding_vectors(v->w, best, NULL, err);
}

/* A script that subtracts the mean of each language. */
static const char centre[] =
    "import sys, numpy as np; [np.save(l + \".centred.npy\", x - x.mean(0)) for l in sys.argv[1:] "
    "for x in [np.load(l + \".npy\")]]";

static ig_code say_mean(vectors *v, const recipe *r, const hits *a, const hits *b, ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    const int pair = pair_of(v, r), row = row_of(v, r);
    char name[2 * IG_DIAGNOSE_NAME + 1], room[32];
    const ig_card_number *held = d->of_pair[pair].held[held_at(v, r)];
    ig_diagnose_pair_name(name, sizeof name, d, pair);
    IG_TRY(ig_finding_add(
        v->w, err, "mean",
        "Take each language's mean away: retrieval rises from %.2f to %.2f %s, by means "
        "of the other half of the sentences (most in %s: %.2f to %.2f; LEACE %.2f).",
        a->mean, b->mean, at_row(room, d, row), name, held[IG_HELD_COSINE].value,
        held[IG_HELD_CENTRED].value, held[IG_HELD_LEACE].value));
    return ig_finding_vectors(v->w, row, centre, err);
}

static ig_code say_hubs(vectors *v, const recipe *r, const hits *a, const hits *b, ig_err *err)
{
    const int row = row_of(v, r);
    char room[32];
    IG_TRY(
        ig_finding_add(v->w, err, "hubs",
                       "Search by CSLS in place of the cosine: retrieval rises from %.2f to %.2f "
                       "%s, as a few sentences are among the nearest of many.",
                       a->mean, b->mean, at_row(room, v->w->d, row)));
    return ig_finding_vectors(
        v->w, row,
        "import sys, numpy as np; x, y = [v / np.linalg.norm(v, axis=1, keepdims=True) "
        "for v in [np.load(l + \".npy\") for l in sys.argv[1:3]]]; s = x @ y.T; r = lambda "
        "a: np.sort(a)[:, -10:].mean(1); print((2 * s - r(s)[:, None] - "
        "r(s.T)).argmax(1))",
        err);
}

/* Neither the layer nor the means alone: the numbers of a pair are at another layer. */
static ig_code say_mean_at_layer(vectors *v, const recipe *r, const hits *a, const hits *b,
                                 ig_err *err)
{
    const ig_diagnosis *d = v->w->d;
    const int row = row_of(v, r);
    char room[2][32];
    IG_TRY(ig_finding_add(
        v->w, err, "mean",
        "Take each language's mean away %s: retrieval rises from %.2f %s to %.2f, "
        "by means of the other half of the sentences; neither alone helps.",
        at_row(room[0], d, row), a->mean, at_row(room[1], d, ig_diagnose_used(d)), b->mean));
    return ig_finding_vectors(v->w, row, centre, err);
}

static ig_code say(vectors *v, const recipe *from, const recipe *to, const hits *a, const hits *b,
                   ig_err *err)
{
    if (to->chosen != from->chosen)
        return to->held == from->held ? say_layer(v, to, a, b, err)
                                      : say_mean_at_layer(v, to, a, b, err);
    return to->held == IG_HELD_CENTRED ? say_mean(v, to, a, b, err) : say_hubs(v, to, a, b, err);
}

/* The best step from a recipe: another layer, without means, by CSLS. CSLS must be ahead of the
 * means' subtraction to be taken: it also mends what that mends. Layer and means together are tried
 * where neither gains. */
static ig_code step(vectors *v, recipe *at, hits *now, bool *said, ig_err *err)
{
    const recipe to[] = {{true, at->held},
                         {at->chosen, IG_HELD_CENTRED},
                         {at->chosen, IG_HELD_CSLS},
                         {true, IG_HELD_CENTRED}};
    double most = 0;
    int best = -1;
    hits better = {0};
    ig_card_number best_gain = ig_card_none();
    *said = false;
    for (int k = 0; k < 4; k++) {
        hits h;
        ig_card_number gain;
        double p;
        if (k == 3 && (best >= 0 || at->chosen))
            continue;
        if ((k == 0 && at->chosen) || (k > 0 && at->held != IG_HELD_COSINE))
            continue;
        IG_TRY(of_recipe(&h, v, &to[k], IG_CARD_MODEL, err));
        IG_TRY(gain_of(&gain, &p, now, &h, err));
        if (p * (double)v->w->f->n_checked >= .05 || gain.value < min_gain ||
            gain.value <= most + (k == 2 && best == 1 ? .05 : 0))
            continue;
        most = gain.value;
        best = k;
        better = h;
        best_gain = gain;
    }
    if (best < 0)
        return IG_ERR_OK;
    IG_TRY(say(v, at, &to[best], now, &better, err));
    v->w->f->finding[v->w->f->n - 1].gain = best_gain;
    *at = to[best];
    *now = better;
    *said = true;
    return IG_ERR_OK;
}

static ig_code about_rotation(vectors *v, const hits *now, bool *said, ig_err *err)
{
    ig_finding_writer *w = v->w;
    const ig_diagnosis *d = w->d;
    hits h;
    ig_card_number gain;
    double p, most = 0;
    int pair = -1;
    *said = false;
    IG_TRY(of_rotation(&h, v, err));
    IG_TRY(gain_of(&gain, &p, now, &h, err));
    if (p * (double)w->f->n_checked >= .05 || gain.value < min_gain_rotated ||
        now->mean >= usable || !more_than_untrained(v, &h))
        return IG_ERR_OK;
    for (int i = 0; i < d->n_pair; i++)
        if (v->use[i] && d->of_pair[i].held[IG_HELD_AT_BEST][IG_HELD_ROTATED].value > most) {
            most = d->of_pair[i].held[IG_HELD_AT_BEST][IG_HELD_ROTATED].value;
            pair = i;
        }
    if (pair < 0)
        return IG_ERR_OK;
    char name[2 * IG_DIAGNOSE_NAME + 1];
    const int layer = d->of_pair[pair].rotated_layer;
    const ig_card_number *cka = &ig_diagnose_at(d, layer, pair)[IG_DIAGNOSE_CKA_DEBIASED];
    ig_diagnose_pair_name(name, sizeof name, d, pair);
    IG_TRY(ig_finding_add(
        w, err, "rotation",
        "The languages' spaces are alike up to a rotation: learned from the other half of the "
        "sentences, it raises retrieval from %.2f to %.2f (%s at layer %d: %.2f; debiased CKA %.2f "
        "[%.2f, %.2f]).",
        now->mean, h.mean, name, layer, most, cka->value, cka->low, cka->high));
    w->f->finding[w->f->n - 1].gain = gain;
    *said = true;
    return ig_finding_rotation(w, pair, err);
}

/* Takes back what was said before: the rotation alone gains more than twice as much. */
static void take_back(ig_findings *f, int from)
{
    ig_finding last = f->finding[f->n - 1];
    for (int i = from; i < f->n - 1; i++) {
        IG_FREE(f->finding[i].text, f->finding[i].command);
    }
    f->finding[from] = last;
    f->n = from + 1;
}

static ig_code about_retrieval(vectors *v, ig_err *err)
{
    recipe at = {false, IG_HELD_COSINE};
    hits now;
    bool more = true;
    const int before = v->w->f->n;
    IG_TRY(of_recipe(&now, v, &at, IG_CARD_MODEL, err));
    const double first = now.mean;
    while (more)
        IG_TRY(step(v, &at, &now, &more, err));
    bool rotated;
    const double gained = now.mean - first;
    IG_TRY(about_rotation(v, &now, &rotated, err));
    if (rotated && v->w->f->finding[v->w->f->n - 1].gain.value > gained)
        take_back(v->w->f, before);
    return IG_ERR_OK;
}

ig_code ig_findings_of_states(ig_finding_writer *w, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    vectors v = {.w = w, .n = ig_diagnose_n(d)};
    bool none = false;
    ig_code code = d->as_drawn ? IG_ERR_OK : about_spread(&v, err);
    for (int p = 0; p < d->n_pair && d->parallel; p++) {
        v.use[p] = !w->faulty[d->pair[p][0]] && !w->faulty[d->pair[p][1]];
        v.n_use += v.use[p];
    }
    if (v.n_use == 0)
        return code;
    IG_THEN(code, about_chance(&v, &none, err));
    if (code == IG_ERR_OK && !none)
        code = about_retrieval(&v, err);
    ig_free(v.room);
    return code;
}
