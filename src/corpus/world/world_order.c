/* SPDX-License-Identifier: Apache-2.0
 *
 * Word order as numbers: each relation has a rank relative to its head, which is at 0; dependents
 * are sorted by it (world_linear.c). One table for verbs, one for all other heads. In the latter,
 * clause dependents of a predicate noun or adjective (|rank| > 100) are outside its own noun
 * phrase.
 */
#include "corpus/world/world_language.h"

/* −: before the head. Positions of subject, object, indirect object relative to the verb. */
static const int16_t core[6][3] = {
    [IG_SVO] = {-105, 20, 15}, [IG_SOV] = {-105, -20, -25}, [IG_VSO] = {10, 20, 15},
    [IG_VOS] = {105, 20, 15},  [IG_OVS] = {105, -20, -25},  [IG_OSV] = {-50, -105, -106},
};

static void verb_ranks(const ig_world_language *p, int16_t *r)
{
    const bool object_first = p->order == IG_SOV || p->order == IG_OVS || p->order == IG_OSV;
    r[IG_REL_NSUBJ] = core[p->order][0];
    r[IG_REL_OBJ] = core[p->order][1];
    r[IG_REL_IOBJ] = core[p->order][2];
    r[IG_REL_OBL] = object_first ? -30 : 40;
    r[IG_REL_ADVMOD] = object_first ? -10 : 30;
    r[IG_REL_CCOMP] = object_first ? -15 : 110;
    r[IG_REL_ADVCL] = object_first ? -110 : 112;
    r[IG_REL_AUX] = object_first ? 5 : -5;
    r[IG_REL_COP] = r[IG_REL_AUX];
    r[IG_REL_NSUBJ_PASS] = r[IG_REL_NSUBJ];
    r[IG_REL_OBL_AGENT] = r[IG_REL_OBL];
    r[IG_REL_AUX_PASS] = object_first ? 4 : -4;
}

static void nominal_ranks(const ig_world_language *p, int16_t *r)
{
    const bool object_first = p->order == IG_SOV || p->order == IG_OVS || p->order == IG_OSV;
    const bool verb_first = p->order == IG_VSO || p->order == IG_VOS;
    const bool subject_last = p->order == IG_OVS || p->order == IG_VOS;
    r[IG_REL_NSUBJ] = subject_last ? 104 : -104;
    r[IG_REL_COP] = object_first ? 101 : p->order == IG_VSO ? -106 : -101;
    r[IG_REL_AUX] = object_first ? 103 : verb_first ? -108 : -103;
    r[IG_REL_OBL] = object_first ? -102 : 106;
    r[IG_REL_ADVMOD] = object_first ? -101 : 105;
    r[IG_REL_ADVCL] = object_first ? -110 : 112;
    r[IG_REL_CASE] = p->prepositions ? -90 : 90;
    r[IG_REL_DET] = p->det_first ? -80 : 80;
    r[IG_REL_NUMMOD] = p->num_first ? -70 : 70;
    r[IG_REL_AMOD] = p->adj_first ? -40 : 40;
    r[IG_REL_NMOD] = p->gen_first ? -60 : 60;
    r[IG_REL_RELCL] = p->rel_first ? -85 : 85;
}

void ig_world_order_make(ig_world_lang *l)
{
    const ig_world_language *p = &l->profile;
    for (int i = 0; i < IG_N_REL; i++)
        l->rank_verb[i] = l->rank_other[i] = 0;
    verb_ranks(p, l->rank_verb);
    nominal_ranks(p, l->rank_other);
    int16_t *const both[2] = {l->rank_verb, l->rank_other};
    for (int i = 0; i < 2; i++) {
        both[i][IG_REL_MARK] = p->prepositions ? -115 : 115;
        both[i][IG_REL_DISCOURSE] = p->question_first ? -118 : 118;
        both[i][IG_REL_CC] = -120;
        both[i][IG_REL_CONJ] = 88; /* of clauses: world_linear.c */
        both[i][IG_REL_PUNCT] = 127;
        both[i][IG_REL_FLAT] = 1; /* further words of a name */
    }
}

ig_marking ig_world_realisation(const ig_world_language *p, int32_t lemma)
{
    switch (lemma) {
    case IG_LEM_PERIOD:
    case IG_LEM_COMMA:
    case IG_LEM_QUESTION:
        return p->punctuation ? IG_MARK_WORD : IG_MARK_NONE;
    case IG_LEM_DEF:
        return p->article;
    case IG_LEM_INDEF:
        return p->article == IG_MARK_WORD ? IG_MARK_WORD : IG_MARK_NONE;
    case IG_LEM_WHICH:
        return p->relative_pronoun ? IG_MARK_WORD : IG_MARK_NONE;
    case IG_LEM_OF:
        return p->cases ? IG_MARK_AFFIX : IG_MARK_WORD;
    case IG_LEM_IN:
    case IG_LEM_TO:
    case IG_LEM_FROM:
    case IG_LEM_WITH:
        return p->local_cases ? IG_MARK_AFFIX : IG_MARK_WORD;
    case IG_LEM_NOT:
        return p->negation;
    case IG_LEM_Q:
        return p->question;
    case IG_LEM_PAST:
    case IG_LEM_FUTURE:
        return p->tense;
    default:
        return IG_MARK_WORD;
    }
}
