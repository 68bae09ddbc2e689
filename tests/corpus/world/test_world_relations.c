/* SPDX-License-Identifier: Apache-2.0
 *
 * Relations of pairs of statements, proved again by a search for situations, which knows nothing of
 * how a pair was made: it reads the two trees as formulas of first-order logic. What a classifier
 * finds in the hypotheses alone is measured.
 */
#include "world_task_fixture.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- situations ---- */

UNSANITIZED_BEGIN

enum { MOST_PREDICATE = 24, MOST_NAME = 8, MOST_THING = 11 };
typedef enum { NO, YES, OPEN } truth;

/* A partial situation. Things 0 … n_name − 1 are the named ones, `extra` more have no name. */
typedef struct {
    const ig_world *w;
    int32_t predicate[MOST_PREDICATE][2]; /* lemma; of an adverb also its verb, of a relative
                                           * clause's verb also its object, else −1 */
    int n_predicate;
    int32_t name[MOST_NAME];
    int n_name, n_thing;
    uint8_t value[MOST_PREDICATE][MOST_THING][MOST_THING]; /* truth; one place: the same twice */
    uint8_t *open;                                         /* an atom that was asked and is open */
} situation;

/* A statement as its tree says it. Nodes, −1: none. */
typedef struct {
    const ig_world_tree *t;
    int verb, agent, patient, adverb;
    bool negated;
    /* For a noun: its adjective and its relative clause; for the verb of a clause: its object. */
    int adjective[IG_WORLD_NODES], clause[IG_WORLD_NODES], object[IG_WORLD_NODES];
} formula;

static int child(const ig_world_tree *t, int head, ig_deprel rel)
{
    for (int i = 0; i < t->n; i++)
        if (t->node[i].head == head && t->node[i].rel == rel)
            return i;
    return -1;
}

static formula formula_read(const ig_world_tree *t)
{
    formula f = {.t = t, .adverb = -1};
    for (int i = 0; i < t->n; i++) {
        f.adjective[i] = child(t, i, IG_REL_AMOD);
        f.clause[i] = child(t, i, IG_REL_RELCL);
        f.object[i] = child(t, i, IG_REL_OBJ);
        if (f.clause[i] >= 0)
            assert_int_equal(t->node[child(t, f.clause[i], IG_REL_NSUBJ)].lemma, IG_LEM_WHICH);
    }
    assert_int_equal(t->node[0].rel, IG_REL_ROOT);
    const bool passive = child(t, 0, IG_REL_AUX_PASS) >= 0;
    f.agent = child(t, 0, passive ? IG_REL_OBL_AGENT : IG_REL_NSUBJ);
    f.patient = child(t, 0, passive ? IG_REL_NSUBJ_PASS : IG_REL_OBJ);
    assert_true(f.agent > 0 && (!passive || f.patient > 0));
    for (int i = 1; i < t->n; i++)
        if (t->node[i].head == 0 && t->node[i].rel == IG_REL_ADVMOD) {
            if (t->node[i].lemma == IG_LEM_NOT)
                f.negated = true;
            else
                f.adverb = i;
        }
    return f;
}

static int predicate_of(situation *s, int32_t lemma, int32_t verb)
{
    int i = 0;
    while (i < s->n_predicate && (s->predicate[i][0] != lemma || s->predicate[i][1] != verb))
        i++;
    if (i == s->n_predicate) {
        assert_true(i < MOST_PREDICATE);
        s->predicate[i][0] = lemma;
        s->predicate[i][1] = verb;
        s->n_predicate++;
    }
    return i;
}

static int name_of(situation *s, int32_t lemma)
{
    int i = 0;
    while (i < s->n_name && s->name[i] != lemma)
        i++;
    if (i == s->n_name) {
        assert_true(i < MOST_NAME);
        s->name[s->n_name++] = lemma;
    }
    return i;
}

static truth atom(situation *s, int32_t lemma, int32_t verb, int x, int y)
{
    uint8_t *v = &s->value[predicate_of(s, lemma, verb)][x][y];
    if (*v == OPEN && s->open == NULL)
        s->open = v;
    return (truth)*v;
}

static truth not(truth a)
{
    return a == OPEN ? OPEN : a == YES ? NO : YES;
}

static truth and (truth a, truth b)
{
    return a == NO || b == NO ? NO : a == YES && b == YES ? YES : OPEN;
}

static bool is_name(const formula *f, int i)
{
    return f->t->node[i].upos == IG_UPOS_PROPN;
}

/* Is thing x what the noun phrase describes? */
static truth described(situation *s, const formula *f, int i, int x)
{
    const ig_world_node *n = f->t->node;
    if (is_name(f, i))
        return name_of(s, n[i].lemma) == x ? YES : NO;
    truth v = atom(s, n[i].lemma, -1, x, x);
    const int a = f->adjective[i], r = f->clause[i];
    if (a >= 0 && v != NO)
        v = and(v, atom(s, n[a].lemma, -1, x, x));
    if (r >= 0 && v != NO) { /* "that sees Ann": its verb is no other's, so it is one predicate */
        const int o = f->object[r];
        v = and(v, atom(s, n[r].lemma, o < 0 ? -1 : n[o].lemma, x, x));
    }
    return v;
}

static truth does_to(situation *s, const formula *f, int x, int y)
{
    const int32_t verb = f->t->node[f->verb].lemma;
    truth v = atom(s, verb, -1, x, y);
    if (f->adverb >= 0 && v != NO)
        v = and(v, atom(s, f->t->node[f->adverb].lemma, verb, x, y));
    return v;
}

/* Does x what the verb phrase says? Negation stands above the object. */
static truth does(situation *s, const formula *f, int x)
{
    truth v = NO;
    if (f->patient < 0)
        v = does_to(s, f, x, x);
    for (int y = 0; f->patient >= 0 && y < s->n_thing && v != YES; y++) {
        const truth d = described(s, f, f->patient, y);
        const truth one = d == NO ? NO : and(d, does_to(s, f, x, y));
        v = one == YES ? YES : one == OPEN ? OPEN : v;
    }
    return f->negated ? not(v) : v;
}

static truth exists(situation *s, const formula *f, bool about, bool doing)
{
    truth v = NO;
    for (int x = 0; x < s->n_thing && v != YES; x++) {
        truth one = described(s, f, f->agent, x);
        if (!about && one != NO) {
            const truth d = does(s, f, x);
            one = and(one, doing ? d : not(d));
        }
        v = one == YES ? YES : one == OPEN ? OPEN : v;
    }
    return v;
}

static truth holds(situation *s, const formula *f)
{
    if (is_name(f, f->agent))
        return does(s, f, name_of(s, f->t->node[f->agent].lemma));
    const int32_t d = f->t->node[child(f->t, f->agent, IG_REL_DET)].lemma;
    if (d == IG_LEM_ALL)
        return not(exists(s, f, false, false));
    if (d == ig_world_later_lemma(s->w, IG_LATER_NO))
        return not(exists(s, f, false, true));
    assert_int_equal(d, ig_world_later_lemma(s->w, IG_LATER_SOME));
    return exists(s, f, false, true);
}

/* Nouns are what their class is, names too. */
static truth taxonomy(situation *s)
{
    truth v = YES;
    for (int i = 0; i < s->n_predicate && v != NO; i++) {
        const int32_t n = s->predicate[i][0];
        if (s->predicate[i][1] >= 0 || ig_world_lemma_upos(s->w, n) != IG_UPOS_NOUN)
            continue;
        const int c = ig_world_lemma_class(s->w, n);
        const int32_t all = ig_world_class_noun(s->w, c);
        if (n == all)
            for (int j = 0; j < s->n_name; j++)
                if (ig_world_lemma_class(s->w, s->name[j]) == c)
                    v = and(v, atom(s, all, -1, j, j));
        bool asked = false;
        for (int j = 0; j < s->n_predicate; j++)
            asked = asked || (s->predicate[j][0] == all && s->predicate[j][1] < 0);
        if (n != all && asked)
            for (int x = 0; x < s->n_thing; x++)
                v = and(v, not(and(atom(s, n, -1, x, x), not(atom(s, all, -1, x, x)))));
    }
    return v;
}

typedef struct {
    const formula *f[2];
    bool wanted[2];
} demand;

static bool possible(situation *s, const demand *d)
{
    uint8_t *atom_at = NULL; /* the first open one of the first part that is open */
    for (int part = 0; part < 5; part++) {
        const int i = part % 2;
        s->open = NULL;
        truth v;
        if (part < 2) {
            v = holds(s, d->f[i]);
            v = d->wanted[i] ? v : not(v);
        } else /* quantified nouns are about something */
            v = part < 4 ? exists(s, d->f[i], true, true) : taxonomy(s);
        if (v == NO)
            return false;
        if (v == OPEN && atom_at == NULL)
            atom_at = s->open;
    }
    if (atom_at == NULL)
        return true;
    bool found = false;
    for (int value = YES; value >= NO && !found; value--) {
        *atom_at = (uint8_t)value;
        found = possible(s, d);
    }
    *atom_at = OPEN;
    return found;
}

/* Is there a situation of the named things and `extra` others in which p and h are so? */
static bool satisfiable(const ig_world *w, const formula *p, bool p_true, const formula *h,
                        bool h_true, int extra)
{
    static situation s;
    memset(&s, 0, sizeof s);
    memset(s.value, OPEN, sizeof s.value);
    s.w = w;
    const demand d = {{p, h}, {p_true, h_true}};
    for (int i = 0; i < 2; i++) {
        const ig_world_node *n = d.f[i]->t->node;
        for (int k = 0; k < d.f[i]->t->n; k++) {
            if (n[k].upos == IG_UPOS_PROPN && n[k].head == 0)
                name_of(&s, n[k].lemma);
            if (n[k].rel == IG_REL_RELCL)
                assert_true(n[k].lemma != p->t->node[0].lemma && n[k].lemma != h->t->node[0].lemma);
        }
    }
    s.n_thing = s.n_name + extra;
    /* Nouns are known before the first question: what follows from a class is asked of all. */
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < d.f[i]->t->n; k++)
            if (d.f[i]->t->node[k].upos == IG_UPOS_NOUN)
                predicate_of(&s, d.f[i]->t->node[k].lemma, -1);
    return possible(&s, &d);
}

UNSANITIZED_END

static void relation_prove(const ig_world *w, const ig_world_example *e)
{
    const formula p = formula_read(&e->tree[0]), h = formula_read(&e->tree[1]);
    const bool both = satisfiable(w, &p, true, &h, true, 3),
               other = satisfiable(w, &p, true, &h, false, 3);
    assert_int_equal(both, e->relation != IG_CONTRADICTION);
    assert_int_equal(other, e->relation != IG_ENTAILMENT);
}

static void relations_hold(void **state)
{
    (void)state;
    static const char *const presets[] = {"tasks", "demo", "bible"};
    for (int k = 0; k < 3; k++)
        for (int64_t seed = 0; seed < 3; seed++) {
            ig_world *w = world_make(presets[k], "eng", (uint64_t)seed + 1);
            ig_world_examples *x = examples_make(w, IG_WORLD_ENTAILMENT, (int)seed, seed);
            for (int i = 0; i < 300; i++)
                relation_prove(w, next(x));
            ig_world_examples_free(x);
            ig_world_free(w);
        }
}

/* The search must be able to say no: every relation is wrong for the other two. */
static void search_tells_relations_apart(void **state)
{
    (void)state;
    ig_world *w = world_make("tasks", "eng", 5);
    ig_world_examples *x = examples_make(w, IG_WORLD_ENTAILMENT, 0, 0);
    int seen[2][2] = {{0}};
    for (int i = 0; i < 300; i++) {
        const ig_world_example *e = next(x);
        const formula p = formula_read(&e->tree[0]), h = formula_read(&e->tree[1]);
        seen[satisfiable(w, &p, true, &h, true, 3)][satisfiable(w, &p, true, &h, false, 3)]++;
        /* A statement neither contradicts itself nor fails to follow from itself; both it and its
         * negation are possible. */
        assert_true(satisfiable(w, &h, true, &h, true, 2));
        assert_false(satisfiable(w, &h, true, &h, false, 2));
        assert_true(satisfiable(w, &h, false, &h, false, 2));
    }
    assert_int_equal(seen[0][0], 0);
    assert_int_equal(seen[0][1], 100);
    assert_int_equal(seen[1][0], 100);
    assert_int_equal(seen[1][1], 100);
    ig_world_examples_free(x);
    ig_world_free(w);
}

/* ---- what the hypothesis gives away ---- */

enum { FEATURES = 1 << 15, TRAIN = 6000, TEST = 1500 };

typedef struct {
    int n, feature[4 * IG_WORLD_NODES];
    int label;
} row;

static void feature_add(row *r, uint32_t kind, const char *a, const char *b)
{
    uint32_t h = 2166136261u ^ kind;
    for (const char *p = a; *p != '\0'; p++)
        h = (h ^ (uint8_t)*p) * 16777619u;
    h = (h ^ 255u) * 16777619u;
    for (const char *p = b; *p != '\0'; p++)
        h = (h ^ (uint8_t)*p) * 16777619u;
    r->feature[r->n++] = (int)((h ^ h >> 15) % FEATURES);
}

static bool has_word(const ig_world_words *s, const char *word)
{
    bool has = false;
    for (int i = 0; i < s->n && !has; i++)
        has = strcmp(s->text[i], word) == 0;
    return has;
}

/* Words and pairs of neighbours of the hypothesis; with the premise also the words that only one of
 * the two has. */
static void row_make(row *r, const ig_world *w, const ig_world_example *e, bool premise)
{
    static ig_world_words h, p;
    ig_world_linearise(w, 0, &e->tree[1], &h);
    r->n = 0;
    r->label = (int)e->relation;
    for (int i = 0; i < h.n; i++) {
        feature_add(r, 0, h.text[i], "");
        feature_add(r, 1, i > 0 ? h.text[i - 1] : "", h.text[i]);
    }
    if (!premise)
        return;
    ig_world_linearise(w, 0, &e->tree[0], &p);
    for (int i = 0; i < h.n; i++)
        if (!has_word(&p, h.text[i]))
            feature_add(r, 2, h.text[i], "");
    for (int i = 0; i < p.n; i++)
        if (!has_word(&h, p.text[i]))
            feature_add(r, 3, p.text[i], "");
}

static void scores(const double (*weight)[3], const row *r, double out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int i = 0; i < r->n; i++)
            out[c] += weight[r->feature[i]][c];
    }
}

/* Logistic regression by stochastic gradient descent, four passes. */
static double accuracy(const ig_world *w, int64_t seed, bool premise)
{
    static double weight[FEATURES][3];
    row *all = malloc((TRAIN + TEST) * sizeof *all);
    assert_non_null(all);
    memset(weight, 0, sizeof weight);
    for (int split = 0; split < 3; split += 2) {
        ig_world_examples *x = examples_make(w, IG_WORLD_ENTAILMENT, split, seed);
        for (int i = 0; i < (split == 0 ? TRAIN : TEST); i++)
            row_make(&all[split == 0 ? i : TRAIN + i], w, next(x), premise);
        ig_world_examples_free(x);
    }
    ig_rng r = ig_rng_make((uint64_t)seed, IG_STREAM_TEST, 0, 0);
    for (int step = 0; step < 4 * TRAIN; step++) {
        const row *e = &all[ig_rng_below(&r, TRAIN)];
        double s[3], sum = 0;
        scores((const double(*)[3])weight, e, s);
        for (int c = 0; c < 3; c++)
            sum += exp(s[c]);
        for (int c = 0; c < 3; c++) {
            const double g = exp(s[c]) / sum - (c == e->label);
            for (int i = 0; i < e->n; i++)
                weight[e->feature[i]][c] -= .1 * g;
        }
    }
    int right = 0;
    for (int i = TRAIN; i < TRAIN + TEST; i++) {
        double s[3];
        scores((const double(*)[3])weight, &all[i], s);
        const int best = s[1] > s[0] ? (s[2] > s[1] ? 2 : 1) : s[2] > s[0] ? 2 : 0;
        right += best == all[i].label;
    }
    free(all);
    return (double)right / TEST;
}

static void hypothesis_says_nothing(void **state)
{
    (void)state;
    for (int64_t seed = 0; seed < 3; seed++) {
        ig_world *w = world_make("tasks", "eng", (uint64_t)seed);
        const double alone = accuracy(w, seed, false), both = accuracy(w, seed, true);
        print_message("seed %d: hypothesis alone %.3f, with the premise %.3f\n", (int)seed, alone,
                      both);
        assert_true(alone <= .4);
        assert_true(both >= .5); /* the classifier does learn where there is something */
        ig_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_hold),
        cmocka_unit_test(search_tells_relations_apart),
        cmocka_unit_test(hypothesis_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
