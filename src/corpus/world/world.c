/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a world and gives access to its parts. The grammar is in world_tree.c (what is said),
 * world_linear.c (how a language says it) and world_lexicon.c (with which words).
 */
#include "corpus/world/world.h"

#include "base/assert.h"
#include "base/memory.h"
#include "corpus/world/world_language.h"

const char *ig_upos_name(ig_upos u)
{
    static const char *const names[IG_N_UPOS] = {
#define UPOS_NAME(name) #name,
        IG_UPOS_LIST(UPOS_NAME)
#undef UPOS_NAME
    };
    IG_ASSERT((unsigned)u < IG_N_UPOS);
    return names[u];
}

const char *ig_deprel_name(ig_deprel r)
{
    static const char *const names[IG_N_REL] = {
#define DEPREL_NAME(name, text) text,
        IG_DEPREL_LIST(DEPREL_NAME)
#undef DEPREL_NAME
    };
    IG_ASSERT((unsigned)r < IG_N_REL);
    return names[r];
}

const char *ig_world_entity_name(int entity)
{
    static const char *const names[] = {"PER", "LOC", "ORG"};
    IG_ASSERT(entity >= 1 && entity <= 3);
    return names[entity - 1];
}

ig_code ig_world_new(ig_world **out, const ig_world_options *o, const ig_world_language *language,
                     int n_language, ig_err *err)
{
    *out = NULL;
    IG_ASSERT(n_language >= 0 && n_language <= IG_WORLD_LANGUAGES);
    ig_world *w = NULL;
    IG_TRY(ig_world_options_check(o, err));
    IG_TRY(ig_world_languages_check(language, n_language, err));
    IG_TRY(ig_alloc(&w, 1, sizeof *w, "world", err));
    w->o = *o;
    w->n_language = n_language;
    ig_code code = ig_world_lexis_make(w, err);
    for (int i = 0; i < n_language && code == IG_ERR_OK; i++) {
        w->lang[i].profile = language[i];
        ig_world_order_make(&w->lang[i]);
        code = ig_world_lexicon_make(&w->lang[i], w, err);
    }
    IG_RETURN_NEW(code, out, w, ig_world_free);
}

void ig_world_free(ig_world *w)
{
    if (w == NULL)
        return;
    for (int i = 0; i < w->n_language; i++)
        ig_world_lexicon_free(&w->lang[i]);
    ig_world_lexis_free(w);
    ig_free(w);
}

int ig_world_n_language(const ig_world *w)
{
    return w->n_language;
}

const ig_world_language *ig_world_get_language(const ig_world *w, int language)
{
    IG_ASSERT(language >= 0 && language < w->n_language);
    return &w->lang[language].profile;
}

ig_upos ig_world_lemma_upos(const ig_world *w, int32_t lemma)
{
    return (ig_upos)w->lemma[lemma].upos;
}

bool ig_world_held_out(const ig_world *w, int language, int32_t lemma)
{
    const ig_world_language *l = &w->lang[language].profile;
    const ig_upos u = ig_world_lemma_upos(w, lemma);
    if (l->held_out == 0 || lemma < w->first[u] || lemma >= w->first[u] + w->count[u] ||
        w->lemma[lemma].rank < w->count[u] / 20 ||
        (u != IG_UPOS_NOUN && u != IG_UPOS_VERB && u != IG_UPOS_ADJ && u != IG_UPOS_ADV))
        return false;
    ig_rng r = ig_rng_make(w->o.seed, IG_STREAM_WORLD, 0x0a000000u | (uint32_t)lemma,
                           ig_world_name_hash(l->name));
    return ig_rng_unit(&r) * 100 < l->held_out;
}

bool ig_world_sentence_held_out(const ig_world *w, int language, const ig_world_tree *t)
{
    for (int32_t i = 0; i < t->n; i++)
        if (ig_world_held_out(w, language, t->node[i].lemma))
            return true;
    return false;
}

int ig_world_lemma_class(const ig_world *w, int32_t lemma)
{
    const ig_upos u = ig_world_lemma_upos(w, lemma);
    return u == IG_UPOS_NOUN || u == IG_UPOS_PROPN ? w->lemma[lemma].class_of[0] : -1;
}

const char *ig_world_stem(const ig_world *w, int language, int32_t lemma)
{
    const ig_world_lang *l = &w->lang[language];
    const ig_marking m = ig_world_realisation(&l->profile, lemma);
    return m == IG_MARK_WORD ? l->text[lemma] : "";
}
