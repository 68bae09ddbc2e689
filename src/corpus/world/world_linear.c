/* SPDX-License-Identifier: Apache-2.0
 *
 * Linearises a tree of lemmas into a language's sequence of inflected words. Dependents are sorted
 * by their rank around the head (world_order.c) and written out recursively, so every sentence is
 * projective. A function node is a word, or an affix of another word, or nothing; word_of_node says
 * which word carries it, and alignment is no more than two such tables side by side.
 */
#include "base/assert.h"

#include "corpus/world/world_language.h"

#include <string.h>

typedef struct {
    const ig_world_lang *l;
    const ig_world_tree *t;
    ig_world_words *s;
    int16_t first[IG_WORLD_NODES +
                  1]; /* children of node i: child[first[i]] .. child[first[i+1] − 1] */
    int16_t child[IG_WORLD_NODES];
    int16_t host[IG_WORLD_NODES]; /* the node whose word carries this one: itself, another, or −1 */
} line;

static int rank_of(const line *g, int i)
{
    const ig_world_language *p = &g->l->profile;
    const ig_world_node *n = &g->t->node[i], *h = &g->t->node[n->head];
    const bool verb = h->upos == IG_UPOS_VERB;
    const int16_t *rank = verb ? g->l->rank_verb : g->l->rank_other;
    switch (n->lemma) {
    case IG_LEM_WHICH:
        return p->rel_first ? 114 : -114;
    case IG_LEM_WHO:
        return -114;
    case IG_LEM_NOT:
        return verb ? (p->neg_first ? -3 : 3) : rank[IG_REL_COP] + (p->neg_first ? -1 : 1);
    case IG_LEM_COMMA: /* between the clauses */
        return h->head >= 0 && h->rel == IG_REL_ADVCL && rank_of(g, n->head) < 0 ? 125 : -125;
    default:
        return n->rel == IG_REL_CONJ && n->predicate ? 120 : rank[n->rel];
    }
}

static void children_sort(line *g)
{
    const ig_world_tree *t = g->t;
    memset(g->first, 0, sizeof g->first);
    for (int i = 1; i < t->n; i++)
        g->first[t->node[i].head + 1]++;
    for (int i = 0; i < t->n; i++)
        g->first[i + 1] = (int16_t)(g->first[i + 1] + g->first[i]);
    int16_t used[IG_WORLD_NODES] = {0}, rank[IG_WORLD_NODES];
    for (int i = 1; i < t->n; i++) {
        const int h = t->node[i].head;
        rank[i] = (int16_t)rank_of(g, i);
        int at = g->first[h] + used[h]++;
        for (; at > g->first[h] && rank[g->child[at - 1]] > rank[i]; at--)
            g->child[at] = g->child[at - 1];
        g->child[at] = (int16_t)i;
    }
}

static int child_find(const line *g, int i, ig_deprel rel)
{
    for (int k = g->first[i]; k < g->first[i + 1]; k++)
        if (g->t->node[g->child[k]].rel == rel)
            return g->child[k];
    return -1;
}

/* Returns the word that carries tense, negation and agreement of a clause: its verb, else the word
 * for "be". */
static int clause_host(const line *g, int predicate)
{
    if (g->t->node[predicate].upos == IG_UPOS_VERB)
        return predicate;
    return child_find(g, predicate, IG_REL_COP);
}

static bool is_personal(int32_t lemma)
{
    return lemma >= IG_LEM_I && lemma <= IG_LEM_THEY;
}

static void hosts_find(line *g)
{
    const ig_world_language *p = &g->l->profile;
    for (int i = 0; i < g->t->n; i++) {
        const ig_world_node *n = &g->t->node[i];
        g->host[i] = (int16_t)i;
        if (n->lemma >= IG_WORLD_CLOSED)
            continue;
        const ig_marking m = ig_world_realisation(p, n->lemma);
        if (m == IG_MARK_NONE)
            g->host[i] = -1;
        else if (m == IG_MARK_AFFIX)
            g->host[i] = n->rel == IG_REL_AUX || n->lemma == IG_LEM_NOT
                             ? (int16_t)clause_host(g, n->head)
                             : n->head;
        else if (p->pro_drop && n->rel == IG_REL_NSUBJ && is_personal(n->lemma))
            g->host[i] = (int16_t)clause_host(g, n->head);
        else if (n->lemma == IG_LEM_BE && !p->copula)
            g->host[i] = -1;
    }
    /* A language without a copula still needs one to carry an affix. */
    for (int i = 0; i < g->t->n; i++) {
        const int h = g->host[i];
        if (h >= 0 && h != i && g->t->node[h].lemma == IG_LEM_BE &&
            !is_personal(g->t->node[i].lemma))
            g->host[h] = (int16_t)h;
    }
    for (int i = 0; i < g->t->n; i++) {
        const int h = g->host[i];
        if (h >= 0 && h != i && g->host[h] != h)
            g->host[i] = -1; /* a dropped pronoun beside a dropped copula */
    }
}

static uint32_t case_of(const line *g, int i)
{
    const ig_world_language *p = &g->l->profile;
    const ig_world_node *n = &g->t->node[i];
    while (n->rel == IG_REL_CONJ && !n->predicate) {
        i = n->head;
        n = &g->t->node[i];
    }
    if (n->predicate)
        return IG_NOM;
    const int c = child_find(g, i, IG_REL_CASE);
    if (c >= 0 && ig_world_realisation(p, g->t->node[c].lemma) == IG_MARK_AFFIX) {
        const int32_t lemma = g->t->node[c].lemma;
        return lemma == IG_LEM_OF ? IG_GEN : (uint32_t)(IG_CASE_IN + lemma - IG_LEM_IN);
    }
    if (!p->cases)
        return IG_NOM;
    return n->rel == IG_REL_OBJ ? IG_ACC : n->rel == IG_REL_IOBJ ? IG_DAT : IG_NOM;
}

static uint32_t agreement(const line *g, int predicate)
{
    int s = child_find(g, predicate, IG_REL_NSUBJ);
    if (s < 0)
        s = child_find(g, predicate, IG_REL_NSUBJ_PASS);
    if (s < 0)
        return 0;
    const ig_world_node *n = &g->t->node[s];
    static const uint8_t code[2][4] = {{0, 1, 2, 0}, {0, 3, 4, 5}};
    return code[n->plural][n->person];
}

static uint32_t verb_form(const line *g, int predicate)
{
    const ig_world_language *p = &g->l->profile;
    uint32_t f = p->verb_agrees ? IG_FORM_AGREE(agreement(g, predicate)) : 0;
    for (int k = g->first[predicate]; k < g->first[predicate + 1]; k++) {
        const int32_t lemma = g->t->node[g->child[k]].lemma;
        if (p->tense == IG_MARK_AFFIX && (lemma == IG_LEM_PAST || lemma == IG_LEM_FUTURE))
            f |= IG_FORM_TENSE(lemma == IG_LEM_PAST ? 1 : 2);
        if (p->negation == IG_MARK_AFFIX && lemma == IG_LEM_NOT)
            f |= IG_FORM_NEGATIVE;
    }
    return f;
}

static uint32_t form_of(const line *g, int i)
{
    const ig_world_language *p = &g->l->profile;
    const ig_world_node *n = &g->t->node[i];
    switch (n->upos) {
    case IG_UPOS_VERB:
        return verb_form(g, i);
    case IG_UPOS_AUX:
        return n->lemma == IG_LEM_BE ? verb_form(g, n->head) : 0;
    case IG_UPOS_NOUN: {
        const int d = child_find(g, i, IG_REL_DET);
        return (p->number && n->plural ? IG_FORM_PLURAL : 0) | IG_FORM_CASE(case_of(g, i)) |
               (p->article == IG_MARK_AFFIX && d >= 0 && g->t->node[d].lemma == IG_LEM_DEF
                    ? IG_FORM_DEFINITE
                    : 0);
    }
    case IG_UPOS_PROPN:
        return IG_FORM_NAME | IG_FORM_CASE(case_of(g, i));
    case IG_UPOS_PRON:
        return IG_FORM_CASE(case_of(g, i));
    case IG_UPOS_ADJ: {
        if (!p->adj_agrees)
            return 0;
        const bool plural = n->predicate ? n->plural : g->t->node[n->head].plural;
        return (p->number && plural ? IG_FORM_PLURAL : 0) |
               IG_FORM_CASE(n->predicate ? IG_NOM : case_of(g, n->head));
    }
    default:
        return 0;
    }
}

static void form_text(const ig_world_lang *l, ig_upos upos, int32_t lemma, uint32_t form,
                      char out[IG_WORLD_WORD])
{
    if (upos == IG_UPOS_PUNCT)
        memcpy(out, l->text[lemma], 2);
    else
        ig_world_compose(l, &l->stem[lemma], upos, form, out);
}

static void node_write(line *g, int i)
{
    ig_world_words *s = g->s;
    if (g->host[i] != i)
        return;
    const ig_world_node *n = &g->t->node[i];
    const int at = s->n++;
    s->node[at] = i;
    s->form[at] = form_of(g, i);
    s->word_of_node[i] = at;
    form_text(g->l, (ig_upos)n->upos, n->lemma, s->form[at], s->text[at]);
}

/* Depth is bounded by the grammar (world_tree.c), not by the number of nodes. */
static void subtree_write(line *g, int i)
{
    int k = g->first[i];
    for (; k < g->first[i + 1] && rank_of(g, g->child[k]) < 0; k++)
        subtree_write(g, g->child[k]);
    node_write(g, i);
    for (; k < g->first[i + 1]; k++)
        subtree_write(g, g->child[k]);
}

void ig_world_linearise(const ig_world *w, int language, const ig_world_tree *t, ig_world_words *s)
{
    IG_ASSERT(language >= 0 && language < w->n_language && t->n > 0 && t->n <= IG_WORLD_NODES);
    line g = {.l = &w->lang[language], .t = t, .s = s};
    children_sort(&g);
    hosts_find(&g);
    s->n = 0;
    for (int i = 0; i < t->n; i++)
        s->word_of_node[i] = -1;
    subtree_write(&g, 0);
    for (int i = 0; i < t->n; i++)
        if (g.host[i] >= 0 && g.host[i] != i)
            s->word_of_node[i] = s->word_of_node[g.host[i]];
    for (int i = 0; i < s->n; i++) {
        /* The head, or its nearest ancestor that has a word. */
        int h = t->node[s->node[i]].head;
        while (h >= 0 && g.host[h] != h)
            h = t->node[h].head;
        s->head[i] = h < 0 ? -1 : s->word_of_node[h];
    }
    if (g.l->profile.capitals && s->n > 0)
        ig_world_capitalise(s->text[0]);
}

void ig_world_form_text(const ig_world *w, int language, int32_t lemma, uint32_t form,
                        char out[IG_WORLD_WORD])
{
    form_text(&w->lang[language], (ig_upos)w->lemma[lemma].upos, lemma, form, out);
}

uint8_t ig_world_verb_number(const ig_world *w, int language, const ig_world_tree *t,
                             const ig_world_words *s, int i, char bare[IG_WORLD_WORD])
{
    const ig_world_node *n = &t->node[s->node[i]];
    const uint32_t agreement = IG_FORM_GET_AGREE(s->form[i]);
    const int clause = n->upos == IG_UPOS_VERB ? s->node[i] : n->head;
    bool has_subject = false;
    if (!w->lang[language].profile.verb_agrees ||
        (n->upos != IG_UPOS_VERB && n->lemma != IG_LEM_BE) || (agreement != 0 && agreement != 5))
        return 0;
    for (int k = 0; k < t->n; k++) {
        if (t->node[k].head != clause)
            continue;
        if (t->node[k].lemma == IG_LEM_PAST || t->node[k].lemma == IG_LEM_FUTURE)
            return 0;
        has_subject =
            has_subject || t->node[k].rel == IG_REL_NSUBJ || t->node[k].rel == IG_REL_NSUBJ_PASS;
    }
    if (!has_subject)
        return 0;
    ig_world_form_text(w, language, n->lemma, s->form[i] & ~IG_FORM_AGREE(7), bare);
    if (i == 0 && w->lang[language].profile.capitals)
        ig_world_capitalise(bare);
    return agreement == 5 ? 2 : 1;
}

int ig_world_links(const ig_world_words *a, const ig_world_words *b, int n_node, int32_t *pairs)
{
    int n = 0;
    for (int i = 0; i < n_node; i++) {
        const int32_t x = a->word_of_node[i], y = b->word_of_node[i];
        if (x < 0 || y < 0)
            continue;
        int at = n;
        while (at > 0 &&
               (pairs[2 * at - 2] > x || (pairs[2 * at - 2] == x && pairs[2 * at - 1] > y)))
            at--;
        if (at > 0 && pairs[2 * at - 2] == x && pairs[2 * at - 1] == y)
            continue;
        memmove(pairs + 2 * at + 2, pairs + 2 * at, (size_t)(n - at) * 2 * sizeof *pairs);
        pairs[2 * at] = x;
        pairs[2 * at + 1] = y;
        n++;
    }
    return n;
}
