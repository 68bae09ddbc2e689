/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a language: stems and affixes from its own phonotactics, in its own script.
 *
 * That no two languages share a word is arithmetic, not luck. Every phoneme has a value; the values
 * of a stem add up to its language's word space modulo 61, those of an affix to 0. So every
 * inflected word keeps its stem's sum, and two languages of different word spaces cannot meet,
 * although neither knows of the other; cognates are edited in some places, so that they have their
 * language's sum and differ from the word they are like. Within a language
 * every form of every lemma is entered in a set, and a stem is taken only when all its forms are
 * new.
 */
#include "base/memory.h"

#include "base/rng.h"
#include "corpus/world/world_language.h"
#include "text/utf8.h"

#include <string.h>
#include <unicode/uchar.h>

enum { N_CONSONANT = 15, FORMS = 40, WORD_PHONEMES = IG_STEM + 6 * IG_AFFIX };

static const char *const letters[3][IG_PHONEMES] = {
    {"p", "b", "t", "d", "k", "g", "m", "n", "s", "z",
     "l", "r", "f", "v", "h", "a", "e", "i", "o", "u"},
    {"п", "б", "т", "д", "к", "г", "м", "н", "с", "з",
     "л", "р", "ф", "в", "х", "а", "е", "и", "о", "у"},
    {"π", "β", "τ", "δ", "κ", "γ", "μ", "ν", "σ", "ζ",
     "λ", "ρ", "φ", "ψ", "χ", "α", "ε", "ι", "ο", "υ"}};
/* Distinct for all phonemes, because 61 is prime. */
static int value(uint8_t phoneme)
{
    return (23 * phoneme + 11) % IG_WORD_SPACES;
}

static int sum(const ig_stem *s)
{
    int v = 0;
    for (int i = 0; i < s->n; i++)
        v += value(s->phoneme[i]);
    return v % IG_WORD_SPACES;
}

typedef struct {
    ig_rng rng;
    int n_consonant, n_coda;
    uint8_t consonant[N_CONSONANT], coda[N_CONSONANT];
    uint32_t coda_in_16, bare_in_16; /* chances of a closed syllable and of a vowel at the start */
    uint64_t *set;                   /* hashes of all forms so far; 0 is an empty slot */
    uint64_t set_mask;
} maker;

static uint8_t vowel(maker *m)
{
    return (uint8_t)(N_CONSONANT + ig_rng_below(&m->rng, IG_PHONEMES - N_CONSONANT));
}

static void push(ig_stem *s, uint8_t phoneme)
{
    if (s->n < IG_STEM)
        s->phoneme[s->n++] = phoneme;
}

static void stem_draw(maker *m, int syllables, ig_stem *s)
{
    s->n = 0;
    for (int i = 0; i < syllables; i++) {
        if (i > 0 || ig_rng_below(&m->rng, 16) >= m->bare_in_16)
            push(s, m->consonant[ig_rng_below(&m->rng, (uint32_t)m->n_consonant)]);
        push(s, vowel(m));
        if (ig_rng_below(&m->rng, 16) < m->coda_in_16)
            push(s, m->coda[ig_rng_below(&m->rng, (uint32_t)m->n_coda)]);
    }
}

/* Draws affix shapes, the short ones first and more than once: c consonant, v vowel. */
static void affix_draw(maker *m, bool longer, ig_stem *s)
{
    static const char *const shapes[] = {"v",   "vc",  "cv",   "vc",   "cv",
                                         "cvc", "vcv", "cvcv", "cvccv"};
    s->n = 0;
    for (const char *p = shapes[ig_rng_below(&m->rng, longer ? 9 : 8)]; *p != '\0'; p++)
        push(s,
             *p == 'v' ? vowel(m) : m->consonant[ig_rng_below(&m->rng, (uint32_t)m->n_consonant)]);
}

static int append(uint8_t *out, int n, const ig_stem *s)
{
    memcpy(out + n, s->phoneme, s->n);
    return n + s->n;
}

static int compose(const ig_world_lang *l, const ig_stem *stem, ig_upos upos, uint32_t form,
                   uint8_t out[WORD_PHONEMES])
{
    const ig_stem *affix[6];
    int n_affix = 0;
    const unsigned plural = form & IG_FORM_PLURAL, c = IG_FORM_GET_CASE(form),
                   definite = form & IG_FORM_DEFINITE, t = IG_FORM_GET_TENSE(form),
                   a = IG_FORM_GET_AGREE(form);
    const bool verbal = upos == IG_UPOS_VERB || upos == IG_UPOS_AUX;
    if (l->profile.fusional) {
        if (!verbal)
            affix[n_affix++] = &l->fused_nominal[plural != 0][c][definite != 0];
        else
            affix[n_affix++] = &l->fused_verb[t][a];
    } else {
        if (plural)
            affix[n_affix++] = &l->affix_plural;
        if (c != IG_NOM)
            affix[n_affix++] = &l->affix_case[c];
        if (definite)
            affix[n_affix++] = &l->affix_definite;
        if (t != 0)
            affix[n_affix++] = &l->affix_tense[t];
        if (a != 0)
            affix[n_affix++] = &l->affix_agree[a];
    }
    if (form & IG_FORM_NEGATIVE)
        affix[n_affix++] = &l->affix_negative;
    int n = 0;
    if (!l->profile.prefixes)
        n = append(out, n, stem);
    for (int i = 0; i < n_affix; i++)
        n = append(out, n, affix[i]);
    if (l->profile.prefixes)
        n = append(out, n, stem);
    return n;
}

void ig_world_compose(const ig_world_lang *l, const ig_stem *stem, ig_upos upos, uint32_t form,
                      char out[IG_WORLD_WORD])
{
    uint8_t p[WORD_PHONEMES];
    int n = compose(l, stem, upos, form, p), at = 0;
    for (int i = 0; i < n; i++) {
        const char *letter = letters[l->profile.script][p[i]];
        size_t bytes = strlen(letter);
        if (at + (int)bytes >= IG_WORLD_WORD)
            break; /* longer than any word that the lexicon admits */
        memcpy(out + at, letter, bytes);
        at += (int)bytes;
    }
    out[at] = '\0';
    if ((form & IG_FORM_NAME) && l->profile.capitals)
        ig_world_capitalise(out);
}

void ig_world_capitalise(char word[IG_WORLD_WORD])
{
    uint8_t *const p = (uint8_t *)word;
    uint32_t c;
    ig_utf8_next(p, p + IG_WORLD_WORD, &c);
    ig_utf8_put(p, (uint32_t)u_toupper((UChar32)c)); /* of as many bytes in each script */
}

/* Lists all inflections of a part of speech that the language distinguishes. */
static int forms_list(const ig_world_language *p, ig_upos upos, uint32_t out[FORMS])
{
    int n = 0;
    const bool noun = upos == IG_UPOS_NOUN, adj = upos == IG_UPOS_ADJ && p->adj_agrees;
    const bool nominal = noun || adj || upos == IG_UPOS_PROPN || upos == IG_UPOS_PRON;
    const bool verbal = upos == IG_UPOS_VERB || upos == IG_UPOS_AUX;
    const uint32_t n_number = (noun || adj) && p->number ? 2 : 1;
    const uint32_t n_definite = noun && p->article == IG_MARK_AFFIX ? 2 : 1;
    const uint32_t n_tense = verbal && p->tense == IG_MARK_AFFIX ? 3 : 1;
    const uint32_t n_agree = verbal && p->verb_agrees ? 6 : 1;
    const uint32_t n_negative = verbal && p->negation == IG_MARK_AFFIX ? 2 : 1;
    for (uint32_t c = 0; c < IG_N_CASE; c++) {
        if (c > 0 && !(nominal && (c >= IG_CASE_IN ? p->local_cases : p->cases)))
            continue;
        for (uint32_t number = 0; number < n_number; number++)
            for (uint32_t d = 0; d < n_definite; d++)
                for (uint32_t t = 0; t < n_tense; t++)
                    for (uint32_t a = 0; a < n_agree; a++)
                        for (uint32_t neg = 0; neg < n_negative; neg++)
                            out[n++] = number * IG_FORM_PLURAL | IG_FORM_CASE(c) |
                                       d * IG_FORM_DEFINITE | IG_FORM_TENSE(t) | IG_FORM_AGREE(a) |
                                       neg * IG_FORM_NEGATIVE;
    }
    return n;
}

static uint64_t hash(const uint8_t *p, int n)
{
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    h ^= h >> 29;
    return h != 0 ? h : 1;
}

/* Returns the slot of a hash in the set, or the empty slot for it. */
static uint64_t set_place(const maker *m, uint64_t h)
{
    uint64_t i = h & m->set_mask;
    while (m->set[i] != 0 && m->set[i] != h)
        i = (i + 1) & m->set_mask;
    return i;
}

/* Enters all forms of a stem, or none when one of them is taken. */
static bool stem_admit(maker *m, const ig_world_lang *l, const ig_stem *s, ig_upos upos,
                       const uint32_t *form, int n_form)
{
    uint64_t h[FORMS];
    for (int i = 0; i < n_form; i++) {
        uint8_t p[WORD_PHONEMES];
        h[i] = hash(p, compose(l, s, upos, form[i], p));
        if (m->set[set_place(m, h[i])] != 0)
            return false;
        for (int j = 0; j < i; j++)
            if (h[j] == h[i])
                return false;
    }
    for (int i = 0; i < n_form; i++)
        m->set[set_place(m, h[i])] = h[i];
    return true;
}

static void phonotactics_draw(maker *m)
{
    int32_t order[N_CONSONANT];
    ig_rng_permutation(&m->rng, order, N_CONSONANT);
    m->n_consonant = 10 + (int)ig_rng_below(&m->rng, 4);
    for (int i = 0; i < m->n_consonant; i++)
        m->consonant[i] = (uint8_t)order[i];
    m->n_coda = 3 + (int)ig_rng_below(&m->rng, 4);
    for (int i = 0; i < m->n_coda; i++)
        m->coda[i] = m->consonant[i];
    m->coda_in_16 = 2 + ig_rng_below(&m->rng, 7);
    m->bare_in_16 = ig_rng_below(&m->rng, 4);
}

/* Makes a fresh affix whose values add up to 0. With the longest shape there are hundreds of
 * candidates for at most 49 affixes. */
static void affix_make(maker *m, ig_stem *out)
{
    for (int tries = 0;; tries++) {
        affix_draw(m, tries > 2000, out);
        if (sum(out) != 0)
            continue;
        const uint64_t h = hash(out->phoneme, out->n), place = set_place(m, h);
        if (m->set[place] == 0) {
            m->set[place] = h;
            return;
        }
    }
}

/* Makes affixes for the features that the language marks. */
static void affixes_make(maker *m, ig_world_lang *l)
{
    const ig_world_language *p = &l->profile;
    const int n_number = p->number ? 2 : 1, n_definite = p->article == IG_MARK_AFFIX ? 2 : 1,
              n_tense = p->tense == IG_MARK_AFFIX ? 3 : 1, n_agree = p->verb_agrees ? 6 : 1;
    for (int c = 0; c < IG_N_CASE; c++) {
        if (c > 0 && !(c >= IG_CASE_IN ? p->local_cases : p->cases))
            continue;
        if (!p->fusional && c > 0)
            affix_make(m, &l->affix_case[c]);
        for (int number = 0; p->fusional && number < n_number; number++)
            for (int d = 0; d < n_definite; d++)
                if (number + c + d > 0)
                    affix_make(m, &l->fused_nominal[number][c][d]);
    }
    for (int t = 0; p->fusional && t < n_tense; t++)
        for (int a = 0; a < n_agree; a++)
            if (t + a > 0)
                affix_make(m, &l->fused_verb[t][a]);
    if (!p->fusional) {
        if (n_number > 1)
            affix_make(m, &l->affix_plural);
        if (n_definite > 1)
            affix_make(m, &l->affix_definite);
        for (int t = 1; t < n_tense; t++)
            affix_make(m, &l->affix_tense[t]);
        for (int a = 1; a < n_agree; a++)
            affix_make(m, &l->affix_agree[a]);
    }
    if (p->negation == IG_MARK_AFFIX)
        affix_make(m, &l->affix_negative);
}

/* ---- cognates ---- */

/* Returns whether the lemma has one: the same for any language of this name, and of a larger share,
 * too. */
static bool is_cognate(const ig_world *w, const ig_world_language *p, uint32_t name_hash,
                       int32_t lemma)
{
    ig_rng r = ig_rng_make(w->o.seed, IG_STREAM_WORLD, 0x08000000u | (uint32_t)lemma, name_hash);
    return ig_rng_unit(&r) * 100 < p->cognates;
}

static uint8_t phoneme_like(ig_rng *r, const maker *m, uint8_t was)
{
    uint8_t p = was;
    while (p == was)
        p = was < N_CONSONANT ? m->consonant[ig_rng_below(r, (uint32_t)m->n_consonant)]
                              : (uint8_t)(N_CONSONANT + ig_rng_below(r, IG_PHONEMES - N_CONSONANT));
    return p;
}

/* Makes so many edits of a stem: a phoneme becomes another of its class, comes or goes. */
static void stem_mutate(ig_rng *r, const maker *m, int distance, ig_stem *s)
{
    for (int i = 0; i < distance; i++) {
        const uint32_t how = ig_rng_below(r, 4), at = ig_rng_below(r, s->n);
        uint8_t *const p = &s->phoneme[at];
        const size_t after = (size_t)s->n - at;
        if (how == 0 && s->n < IG_STEM) {
            memmove(p + 1, p, after);
            *p = phoneme_like(r, m, *p < N_CONSONANT ? N_CONSONANT : m->consonant[0]);
            s->n++;
        } else if (how == 1 && s->n > 2) {
            memmove(p, p + 1, after - 1);
            s->n--;
        } else
            *p = phoneme_like(r, m, *p);
    }
}

/* Makes the words that a language's cognates resemble: those of the profile `eng`, of the same
 * world. */
static ig_code model_make(ig_world_lang *model, const ig_world *w, ig_err *err)
{
    ig_world_language profile;
    int n;
    IG_TRY(ig_world_languages_parse(&profile, &n, "eng", err));
    *model = (ig_world_lang){.profile = profile};
    return ig_world_lexicon_make(model, w, err);
}

/* Takes a cognate in place of the stem, if one of many has the language's sum and new forms. */
static void stem_relate(maker *m, const ig_world_lang *l, const ig_stem *model, ig_upos upos,
                        const uint32_t *form, int n_form, ig_rng *r, ig_stem *s)
{
    enum { TRIES = 64 * IG_WORD_SPACES };
    for (int tries = 0; tries < TRIES && model->n > 0; tries++) {
        ig_stem like = *model;
        stem_mutate(r, m, l->profile.distance, &like);
        if (sum(&like) == l->word_space && stem_admit(m, l, &like, upos, form, n_form)) {
            *s = like;
            return;
        }
    }
}

/* Frequent words are short (Zipf's law of abbreviation): syllables by rank. */
static int syllables_for(int32_t lemma, int32_t rank)
{
    if (lemma < IG_WORLD_CLOSED)
        return 1;
    return rank < 60 ? 2 : rank < 2000 ? 2 + rank % 2 : 3;
}

uint32_t ig_world_name_hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    return h;
}

ig_code ig_world_lexicon_make(ig_world_lang *l, const ig_world *w, ig_err *err)
{
    const int32_t n_lemma = w->n_lemma;
    l->word_space = ig_world_word_space(l->profile.name);
    const uint32_t name_hash = ig_world_name_hash(l->profile.name);
    maker m = {.rng = ig_rng_make(w->o.seed, IG_STREAM_WORLD, 0x01000000u, name_hash)};
    IG_TRY(ig_alloc(&l->stem, n_lemma, sizeof *l->stem, "stems", err));
    IG_TRY(ig_alloc(&l->text, n_lemma, sizeof *l->text, "bare forms", err));
    ig_world_lang model = {.stem = NULL};
    if (l->profile.cognates > 0)
        IG_TRY(model_make(&model, w, err));
    uint32_t form[FORMS];
    int64_t n_all = 64;
    for (int32_t i = 0; i < n_lemma; i++)
        n_all += forms_list(&l->profile, (ig_upos)w->lemma[i].upos, form);
    uint64_t size = 1024;
    while (size < (uint64_t)n_all * (model.stem != NULL ? 4 : 2))
        size *= 2;
    const ig_code code = ig_alloc(&m.set, (int64_t)size, sizeof *m.set, "set of word forms", err);
    if (code != IG_ERR_OK) {
        ig_world_lexicon_free(&model);
        return code;
    }
    m.set_mask = size - 1;
    phonotactics_draw(&m);
    affixes_make(&m, l);
    static const char *const punctuation[] = {".", ",", "?"};
    for (int32_t i = 0; i < n_lemma; i++) {
        const ig_upos upos = (ig_upos)w->lemma[i].upos;
        if (upos == IG_UPOS_PUNCT) {
            memcpy(l->text[i], punctuation[i], 2);
            continue;
        }
        const int n_form = forms_list(&l->profile, upos, form);
        ig_stem *s = &l->stem[i];
        /* Four expected hits a length, then one syllable more; the longest lengths never run out.
         */
        int syllables = syllables_for(i, w->lemma[i].rank);
        for (int tries = 1;; tries++) {
            stem_draw(&m, syllables, s);
            if (sum(s) == l->word_space && stem_admit(&m, l, s, upos, form, n_form))
                break;
            if (tries % (4 * IG_WORD_SPACES) == 0 && syllables < IG_STEM / 3)
                syllables++;
        }
        /* Other words are as without cognates: the plain stem is drawn in any case. */
        if (model.stem != NULL && is_cognate(w, &l->profile, name_hash, i)) {
            ig_rng r =
                ig_rng_make(w->o.seed, IG_STREAM_WORLD, 0x09000000u | (uint32_t)i, name_hash);
            stem_relate(&m, l, &model.stem[i], upos, form, n_form, &r, s);
        }
        ig_world_compose(l, s, upos, upos == IG_UPOS_PROPN ? IG_FORM_NAME : 0, l->text[i]);
    }
    ig_free(m.set);
    ig_world_lexicon_free(&model);
    return IG_ERR_OK;
}

void ig_world_lexicon_free(ig_world_lang *l)
{
    IG_FREE(l->stem, l->text);
}
