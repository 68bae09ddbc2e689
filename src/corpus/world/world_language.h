/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner structures of a world's language: word space, morphology, lexicon. Internal to
 * corpus/world_*.
 */
#pragma once

#include "base/rng.h"
#include "corpus/world/world.h"

enum {
    IG_PHONEMES = 20,   /* 15 consonants, then 5 vowels */
    IG_STEM = 24,       /* most phonemes of a stem */
    IG_AFFIX = 6,       /* most phonemes of an affix */
    IG_WORD_SPACES = 61 /* parts of the space of words, one language each (world_lexicon.c) */
};

/* Cases: the first four are grammatical, the others replace an adposition. */
enum {
    IG_NOM,
    IG_ACC,
    IG_DAT,
    IG_GEN,
    IG_CASE_IN,
    IG_CASE_TO,
    IG_CASE_FROM,
    IG_CASE_WITH,
    IG_N_CASE
};

/* An inflection packed into ig_world_words.form: number, case, definite, tense, person−1 and number
 * of the subject, negation. 0 is the bare form; features that a language does not mark are never
 * set. */
#define IG_FORM_PLURAL 1u
#define IG_FORM_CASE(c) ((uint32_t)(c) << 1)
#define IG_FORM_GET_CASE(f) ((f) >> 1 & 7u)
#define IG_FORM_DEFINITE 16u
#define IG_FORM_TENSE(t) ((uint32_t)(t) << 5) /* 0 present, 1 past, 2 future */
#define IG_FORM_GET_TENSE(f) ((f) >> 5 & 3u)
#define IG_FORM_AGREE(a) ((uint32_t)(a) << 7) /* 0: third singular; 1 .. 5 the others */
#define IG_FORM_GET_AGREE(f) ((f) >> 7 & 7u)
#define IG_FORM_NEGATIVE 1024u
#define IG_FORM_NAME 2048u /* written with a capital where the language has them */

typedef struct {
    uint8_t n;
    uint8_t phoneme[IG_STEM];
} ig_stem;

typedef struct {
    ig_world_language profile;
    int word_space;
    ig_stem *stem;               /* [n_lemma]; n = 0: no word of its own */
    char (*text)[IG_WORLD_WORD]; /* [n_lemma] bare forms */
    ig_stem affix_plural, affix_case[IG_N_CASE], affix_definite, affix_tense[3], affix_agree[6],
        affix_negative;
    ig_stem fused_nominal[2][IG_N_CASE][2]; /* number, case, definite */
    ig_stem fused_verb[3][6];               /* tense, agreement */
    int16_t rank_verb[IG_N_REL];  /* position of a dependent relative to a verb; its head is at 0 */
    int16_t rank_other[IG_N_REL]; /* relative to any other head */
} ig_world_lang;

/* The part of the word space that belongs to a name. */
int ig_world_word_space(const char *name);
/* Returns the key of a language's random draws. */
uint32_t ig_world_name_hash(const char *name);
/* Makes stems and affixes for the world's lemmas. */
ig_code ig_world_lexicon_make(ig_world_lang *l, const ig_world *w, ig_err *err);
void ig_world_lexicon_free(ig_world_lang *l);
/* Writes the inflected word as UTF-8. */
void ig_world_compose(const ig_world_lang *l, const ig_stem *stem, ig_upos upos, uint32_t form,
                      char out[IG_WORLD_WORD]);
/* Fills the two tables of ranks from the profile. */
void ig_world_order_make(ig_world_lang *l);
/* Makes the first letter of a word a capital. */
void ig_world_capitalise(char word[IG_WORLD_WORD]);
/* Checks for different names, and different word spaces within a script. */
ig_code ig_world_languages_check(const ig_world_language *l, int n, ig_err *err);
/* Returns how a closed-class lemma is realised in a language. */
ig_marking ig_world_realisation(const ig_world_language *p, int32_t lemma);

/* Lemmas in groups, each with its cumulative weights (world_lexis.c). */
typedef struct {
    int32_t n_key;
    int32_t *start;     /* [n_key + 1] */
    int32_t *lemma;     /* [start[n_key]] */
    double *cumulative; /* within the group, last = its total */
} ig_word_lists;

typedef enum {
    IG_FRAME_INTRANSITIVE,
    IG_FRAME_TRANSITIVE,
    IG_FRAME_DITRANSITIVE,
    IG_FRAME_CLAUSAL
} ig_frame;
/* Slots of collocates: a verb's subject, object, oblique, adverb; a noun's adjective, genitive,
 * verb. */
enum { IG_SLOT_SUBJECT, IG_SLOT_OBJECT, IG_SLOT_OBLIQUE, IG_SLOT_ADVERB, IG_N_SLOT };
enum { IG_SLOT_ADJECTIVE = 0, IG_SLOT_GENITIVE = 1, IG_SLOT_VERB = 2 };
enum { IG_CLASS_PERSON = 0, IG_CLASS_PLACE = 1 };
enum { IG_FIRST_ADP = IG_LEM_IN, IG_N_ADP = IG_LEM_AFTER - IG_LEM_IN + 1 };

typedef struct {
    uint8_t upos, frame, adposition; /* adposition: a verb's usual one, from IG_FIRST_ADP */
    uint8_t class_of[3];             /* a noun's own; a verb's for subject, object, oblique */
    int16_t topic;                   /* −1: any topic */
    int32_t rank;                    /* within its part of speech, 0 = most frequent */
    int32_t collocate[IG_N_SLOT][IG_WORLD_COLLOCATES];
} ig_lemma;

struct ig_world {
    ig_world_options o;
    int n_language;
    ig_world_lang lang[IG_WORLD_LANGUAGES];
    int32_t n_lemma;
    ig_lemma *lemma;          /* [n_lemma] */
    int32_t first[IG_N_UPOS]; /* lemmas of an open class: first[u] .. first[u] + count[u] − 1 */
    int32_t count[IG_N_UPOS];
    int32_t later;                  /* first lemma of IG_LATER_LIST, then a noun a class */
    ig_word_lists noun, noun_topic; /* by class; by class · n_topic + topic */
    ig_word_lists verb, verb_topic; /* all; by topic */
    ig_word_lists adjective, adverb, name, number; /* all; name: by class */
};

/* Makes the abstract lexicon: parts of speech, classes, topics, frames, collocates. */
ig_code ig_world_lexis_make(ig_world *w, ig_err *err);
void ig_world_lexis_free(ig_world *w);
/* Draws a lemma of the group with probability proportional to its weight; −1 when the group is
 * empty. */
int32_t ig_word_lists_draw(const ig_word_lists *l, int32_t key, double unit);
/* Draws a noun of a class, or a verb: of the topic where it has one (−1: of any). */
int32_t ig_world_draw_noun(const ig_world *w, int class_of, int topic, ig_rng *r);
int32_t ig_world_draw_verb(const ig_world *w, int topic, ig_rng *r);
/* Draws IG_LEM_PAST, IG_LEM_FUTURE or −1, the present, by their shares of clauses. */
int32_t ig_world_tense(const ig_world *w, ig_rng *r);
/* Appends a node of that lemma; returns its number. */
int ig_world_node_add(const ig_world *w, ig_world_tree *t, int32_t lemma, int head, ig_deprel rel);
