/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts one mistake into a sentence of a world: the classes of BLiMP (Warstadt et al. 2020) and
 * MultiBLiMP (Jumelet et al. 2025) that every generated grammar can have. Only the words named
 * change; the others, their number and their text stay.
 */
#include "corpus/world/world_minimal.h"

#include "corpus/world/world_language.h"

#include <string.h>

const char *const ig_world_mistake_names[] = {"agreement", "order", "negation", NULL};

/* The agreement with a subject of the same person in the other number (world_linear.c: third person
 * singular, first, second; the same in the plural). */
static uint32_t other_number(uint32_t agreement)
{
    static const uint8_t other[] = {5, 3, 4, 1, 2, 0};
    return other[agreement];
}

static bool disagree(ig_world_words *bad, const ig_world *w, int language, const ig_world_tree *t)
{
    for (int i = 0; i < bad->n; i++) {
        const ig_world_node *n = &t->node[bad->node[i]];
        char text[IG_WORLD_WORD];
        if (n->upos != IG_UPOS_VERB && n->lemma != IG_LEM_BE)
            continue;
        const uint32_t form = bad->form[i], agreement = IG_FORM_GET_AGREE(form),
                       wrong = (form & ~IG_FORM_AGREE(7)) | IG_FORM_AGREE(other_number(agreement));
        ig_world_form_text(w, language, n->lemma, wrong, text);
        if (i == 0 && ig_world_get_language(w, language)->capitals)
            ig_world_capitalise(text);
        if (strcmp(text, bad->text[i]) == 0)
            continue;
        bad->form[i] = wrong;
        memcpy(bad->text[i], text, sizeof text);
        return true;
    }
    return false;
}

/* Returns whether word i, a dependent of the word beside it, would be wrong on its other side. */
static bool is_movable(const ig_world_tree *t, const ig_world_words *s, int i, ig_world_mistake m)
{
    const ig_world_node *n = &t->node[s->node[i]];
    if (m == IG_WORLD_NEGATION)
        return n->lemma == IG_LEM_NOT;
    return n->rel == IG_REL_AMOD || n->rel == IG_REL_DET || n->rel == IG_REL_CASE ||
           n->rel == IG_REL_NUMMOD;
}

/* Exchanges a word and its head beside it; not the first, whose capital would move. */
static bool displace(ig_world_words *bad, const ig_world_tree *t, ig_world_mistake m)
{
    for (int i = 1; i < bad->n; i++) {
        const int h = bad->head[i];
        char text[IG_WORLD_WORD];
        if (h < 1 || (h != i - 1 && h != i + 1) || !is_movable(t, bad, i, m) ||
            strcmp(bad->text[i], bad->text[h]) == 0)
            continue;
        memcpy(text, bad->text[i], sizeof text);
        memcpy(bad->text[i], bad->text[h], sizeof text);
        memcpy(bad->text[h], text, sizeof text);
        return true;
    }
    return false;
}

bool ig_world_mistaken(ig_world_words *bad, const ig_world *w, int language, const ig_world_tree *t,
                       const ig_world_words *good, ig_world_mistake m)
{
    *bad = *good;
    return m == IG_WORLD_AGREEMENT ? disagree(bad, w, language, t) : displace(bad, t, m);
}
