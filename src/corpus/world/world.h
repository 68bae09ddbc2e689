/* SPDX-License-Identifier: Apache-2.0
 *
 * Worlds: parallel languages from one abstract grammar. A sentence is first a tree of lemmas and
 * features that belongs to no language; each language then orders and inflects it by its own
 * grammar and its own lexicon. So gold word alignment, dictionary, tags, trees and entities are
 * known by construction (docs/worlds.md describes the grammar and the settings).
 *
 * Sentence i is a pure function of the options, the seed and i; a language's words are a pure
 * function of that and of the language's own description. So sentences can be made in any order, by
 * any number of threads, in constant memory, and no language changes when another joins or leaves.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    IG_WORLD_NODES = 256,    /* most nodes of a tree, hence most words of a sentence */
    IG_WORLD_WORD = 96,      /* bytes of a word with its NUL */
    IG_WORLD_LANGUAGES = 16, /* most languages of a world */
    IG_WORLD_COLLOCATES = 8  /* most collocates of a word in one slot */
};

/* Universal part-of-speech tags and relations (universaldependencies.org, version 2). */
/* clang-format off */
#define IG_UPOS_LIST(X) \
    X(NOUN) X(PROPN) X(VERB) X(ADJ) X(ADV) X(NUM) X(PRON) X(DET) X(ADP) X(AUX) X(CCONJ) X(SCONJ) \
    X(PART) X(PUNCT)
/* clang-format on */
typedef enum {
#define IG_UPOS_ENUM(name) IG_UPOS_##name,
    IG_UPOS_LIST(IG_UPOS_ENUM)
#undef IG_UPOS_ENUM
        IG_N_UPOS
} ig_upos;

/* clang-format off */
#define IG_DEPREL_LIST(X) \
    X(ROOT, "root") X(NSUBJ, "nsubj") X(OBJ, "obj") X(IOBJ, "iobj") X(OBL, "obl") \
    X(NMOD, "nmod") X(AMOD, "amod") X(ADVMOD, "advmod") X(DET, "det") X(NUMMOD, "nummod") \
    X(CASE, "case") X(MARK, "mark") X(CC, "cc") X(CONJ, "conj") X(COP, "cop") X(AUX, "aux") \
    X(CCOMP, "ccomp") X(ADVCL, "advcl") X(RELCL, "acl:relcl") X(DISCOURSE, "discourse") \
    X(PUNCT, "punct") X(FLAT, "flat") X(NSUBJ_PASS, "nsubj:pass") X(AUX_PASS, "aux:pass") \
    X(OBL_AGENT, "obl:agent")
/* clang-format on */
typedef enum {
#define IG_DEPREL_ENUM(name, text) IG_REL_##name,
    IG_DEPREL_LIST(IG_DEPREL_ENUM)
#undef IG_DEPREL_ENUM
        IG_N_REL
} ig_deprel;

const char *ig_upos_name(ig_upos u);
const char *ig_deprel_name(ig_deprel r);
/* "PER", "LOC", "ORG" of ig_world_node.entity 1 to 3. */
const char *ig_world_entity_name(int entity);

/* The closed classes: lemma ids 0 .. IG_WORLD_CLOSED − 1, the same in every world. */
/* clang-format off */
#define IG_CLOSED_LIST(X) \
    X(PERIOD, PUNCT, ".") X(COMMA, PUNCT, ",") X(QUESTION, PUNCT, "?") X(DEF, DET, "the") \
    X(INDEF, DET, "a") X(THIS, DET, "this") X(THAT, DET, "that") X(MY, DET, "my") \
    X(YOUR, DET, "your") X(HIS, DET, "his") X(THEIR, DET, "their") X(ALL, DET, "all") \
    X(I, PRON, "I") X(YOU, PRON, "you") X(HE, PRON, "he") X(WE, PRON, "we") X(YE, PRON, "ye") \
    X(THEY, PRON, "they") X(WHICH, PRON, "which") X(WHO, PRON, "who?") X(OF, ADP, "of") \
    X(IN, ADP, "in") X(TO, ADP, "to") X(FROM, ADP, "from") X(WITH, ADP, "with") \
    X(ON, ADP, "on") X(FOR, ADP, "for") X(BY, ADP, "by") X(UNDER, ADP, "under") \
    X(BEFORE, ADP, "before") X(AFTER, ADP, "after") X(AND, CCONJ, "and") X(OR, CCONJ, "or") \
    X(BUT, CCONJ, "but") X(COMPL, SCONJ, "that") X(BECAUSE, SCONJ, "because") \
    X(WHEN, SCONJ, "when") X(IF, SCONJ, "if") X(NOT, PART, "not") X(Q, PART, "q") \
    X(BE, AUX, "be") X(PAST, AUX, "past") X(FUTURE, AUX, "future")
/* clang-format on */
enum {
#define IG_CLOSED_ENUM(name, upos, gloss) IG_LEM_##name,
    IG_CLOSED_LIST(IG_CLOSED_ENUM)
#undef IG_CLOSED_ENUM
        IG_WORLD_CLOSED
};

/* Further lemmas of statements and of names of several words. They come after all others, so that a
 * world without them has the same words. After these: a noun for each class of nouns. */
/* clang-format off */
#define IG_LATER_LIST(X) \
    X(SOME, DET, "some") X(NO, DET, "no") X(PASSIVE, AUX, "is (done)") \
    X(HOUSE, PROPN, "House") X(BROTHERS, PROPN, "Brothers") X(UNION, PROPN, "Union")
/* clang-format on */
typedef enum {
#define IG_LATER_ENUM(name, upos, gloss) IG_LATER_##name,
    IG_LATER_LIST(IG_LATER_ENUM)
#undef IG_LATER_ENUM
        IG_N_LATER
} ig_world_later;

/* The meaning side: content, frequencies, and how strongly words choose each other. One list gives
 * the fields, their names on the command line and in world.json, ranges and help. */
#define IG_WORLD_INT_LIST(X)                                                                       \
    X(n_lemma, "lexicon", 40, 200000, "open-class lemmas")                                         \
    X(n_class, "classes", 2, 64, "semantic classes of nouns")                                      \
    X(n_topic, "topics", 1, 256, "topics")                                                         \
    X(document, "document", 1, 1000000, "sentences that share one topic and one cast of names")    \
    X(n_collocate, "collocates", 1, IG_WORLD_COLLOCATES, "collocates of a word in one slot")       \
    X(max_node, "max-nodes", 8, 160, "no new phrase is started in a tree larger than this")

/* clang-format on */
/* Weight of a lemma within its part of speech: (rank + zipf_shift)^−zipf, rank from 1. Shares are
 * probabilities; those of MORE are drawn again and again while the tree has fewer nodes than the
 * sentence's own budget, length · exp(spread · N(0, 1)), at most max_node. */
#define IG_WORLD_REAL_LIST(X)                                                                      \
    X(zipf, "zipf", 0, 4, "exponent of the lemmas' weights within a part of speech")               \
    X(zipf_shift, "zipf-shift", 0, 1000, "shift of the ranks in those weights (Mandelbrot)")       \
    X(length, "length", 1, 160, "median of the nodes beyond which no new phrase is started")       \
    X(spread, "spread", 0, 2, "standard deviation of that number's logarithm over sentences")      \
    X(selection, "selection", 0, 1, "share of dependents that are collocates of their head")       \
    X(topic, "topic", 0, 1, "share of other words that are of the document's topic")               \
    X(cast, "cast", 0, 1, "share of names that are of the document's cast")                        \
    X(pronoun, "pronoun", 0, 1, "share of personal arguments that are pronouns")                   \
    X(name, "name", 0, 1, "share of persons and places that are named")                            \
    X(past, "past", 0, 1, "share of clauses in the past tense")                                    \
    X(future, "future", 0, 1, "share of clauses in the future tense")                              \
    X(negation, "negation", 0, 1, "share of clauses that are negated")                             \
    X(question, "question", 0, 1, "share of sentences that are questions")                         \
    X(copula, "copula", 0, 1, "share of clauses of the kind \"x is y\"")                           \
    X(plural, "plural", 0, 1, "share of nouns in the plural")                                      \
    X(definite, "definite", 0, 1, "share of nouns with a definite article")                        \
    X(indefinite, "indefinite", 0, 1, "share of nouns with an indefinite article")                 \
    X(demonstrative, "demonstrative", 0, 1, "share of nouns with this, that or all")               \
    X(possessive, "possessive", 0, 1, "share of nouns with my, your, his or their")                \
    IG_WORLD_MORE_LIST(X)                                                                          \
    IG_WORLD_LATER_LIST(X)

/* Settings that tasks need in the text of a model's training (docs/worlds.md). world.json has
 * them only where they are not 0, so the file of a world without them stays as it was before they
 * existed. */
#define IG_WORLD_LATER_LIST(X)                                                                     \
    X(statement, "statement", 0, 1, "share of sentences that are statements of entailment tasks")  \
    X(surname, "surname", 0, 1, "share of named persons that have a second name")                  \
    X(organisation, "organisation", 0, 1, "share of names that are organisations'")

/* clang-format on */
#define IG_WORLD_MORE_LIST(X)                                                                      \
    X(adjective, "adjective", 0, 1, "one more adjective at a noun (two at most)")                  \
    X(numeral, "numeral", 0, 1, "a number at a noun")                                              \
    X(genitive, "genitive", 0, 1, "a noun of a noun")                                              \
    X(relative, "relative", 0, 1, "a relative clause at a noun")                                   \
    X(coordinate_np, "coordinate-np", 0, 1, "a second noun joined to a noun")                      \
    X(oblique, "oblique", 0, 1, "one more adpositional phrase at a verb (three at most)")          \
    X(adverb, "adverb", 0, 1, "an adverb at a verb")                                               \
    X(subordinate, "subordinate", 0, 1, "a clause of reason, time or condition")                   \
    X(coordinate, "coordinate", 0, 1, "one more main clause")

/* clang-format on */
typedef struct {
    uint64_t seed;
#define IG_WORLD_INT_FIELD(field, key, min, max, help) int64_t field;
#define IG_WORLD_REAL_FIELD(field, key, min, max, help) double field;
    IG_WORLD_INT_LIST(IG_WORLD_INT_FIELD)
    IG_WORLD_REAL_LIST(IG_WORLD_REAL_FIELD)
#undef IG_WORLD_INT_FIELD
#undef IG_WORLD_REAL_FIELD
} ig_world_options;

/* Named settings; the first is the default. Returns false when there is no such preset. */
bool ig_world_preset(ig_world_options *o, const char *name);
/* NULL-terminated. */
extern const char *const ig_world_preset_names[];
/* Checks ranges and combinations; the message names the key. */
ig_code ig_world_options_check(const ig_world_options *o, ig_err *err);

/* How a language expresses the tree: bytes, each set by a word of its description. */
typedef enum { IG_MARK_NONE, IG_MARK_WORD, IG_MARK_AFFIX } ig_marking;
typedef enum { IG_SVO, IG_SOV, IG_VSO, IG_VOS, IG_OVS, IG_OSV } ig_word_order;
typedef enum { IG_LATIN, IG_CYRILLIC, IG_GREEK } ig_script;
typedef struct {
    char name[24];
    uint8_t order; /* ig_word_order */
    bool adj_first, gen_first, rel_first, num_first, det_first, prepositions;
    bool number, verb_agrees,
        adj_agrees;   /* plural affix; person and number on verbs; on adjectives */
    bool cases;       /* accusative, dative and genitive affixes */
    bool local_cases; /* in, to, from, with as affixes */
    uint8_t article, tense, negation, question; /* ig_marking; question: none or word */
    bool neg_first, question_first;
    bool prefixes; /* affixes precede the stem */
    bool fusional; /* one affix for a whole bundle of features */
    bool pro_drop; /* pronoun subjects are left out (the verb agrees) */
    bool relative_pronoun;
    bool copula;   /* a word for "be" */
    bool capitals; /* first word of a sentence, and names */
    bool punctuation;
    uint8_t script; /* ig_script */
    /* So many of a hundred stems are those of the profile `eng` after `distance` edits. */
    uint8_t cognates, distance;
    uint8_t held_out; /* of a hundred words but the most frequent: its training text has none */
} ig_world_language;

/* Parses "eng; jap:SOV,post,case; x:like-tur,prefix" into out[IG_WORLD_LANGUAGES]. A profile's name
 * starts from that profile, any other from `eng`'s. Errors name the item and its nearest match. */
ig_code ig_world_languages_parse(ig_world_language *out, int *n, const char *spec, ig_err *err);
/* The full description of a language as options that parse back to it; out[size]. */
void ig_world_language_print(const ig_world_language *l, char *out, int size);
/* NULL-terminated names of the profiles. */
extern const char *const ig_world_profile_names[];

/* A node of the abstract tree. Heads come before their dependents. */
typedef struct {
    int32_t lemma;
    int16_t head;   /* −1: the root */
    uint8_t upos;   /* ig_upos */
    uint8_t rel;    /* ig_deprel to the head */
    bool plural;    /* nouns, pronouns */
    bool predicate; /* head of a clause */
    bool question;  /* root of a question */
    uint8_t person; /* 1, 2, 3; what a verb agrees with */
    uint8_t entity; /* 0 none, 1 person, 2 place, 3 organisation; also of a name's further words */
} ig_world_node;

typedef struct {
    int64_t index;
    int32_t topic;
    int32_t n;
    ig_world_node node[IG_WORLD_NODES];
} ig_world_tree;

/* A sentence in one language. Each word is the realisation of exactly one node, its own; a node
 * without a word of its own may be an affix of another's. */
typedef struct {
    int32_t n;                            /* words */
    int32_t node[IG_WORLD_NODES];         /* [n] the node that word i realises */
    uint32_t form[IG_WORLD_NODES];        /* [n] its inflection: equal (lemma, form), equal text */
    int32_t word_of_node[IG_WORLD_NODES]; /* own word, else the word it is an affix of, else −1 */
    int32_t head[IG_WORLD_NODES];         /* [n] word that word i depends on, −1: root */
    char text[IG_WORLD_NODES][IG_WORLD_WORD];
} ig_world_words;

typedef struct ig_world ig_world;

/* Makes the lexica. Freed with ig_world_free; then read-only and safe for several threads. */
ig_code ig_world_new(ig_world **out, const ig_world_options *o, const ig_world_language *language,
                     int n_language, ig_err *err);
void ig_world_free(ig_world *w);

int ig_world_n_language(const ig_world *w);
const ig_world_language *ig_world_get_language(const ig_world *w, int language);

ig_upos ig_world_lemma_upos(const ig_world *w, int32_t lemma);
/* Semantic class of a noun or name, −1 for other lemmas. */
int ig_world_lemma_class(const ig_world *w, int32_t lemma);
/* A lemma of IG_LATER_LIST; the noun for all nouns and names of a class. */
int32_t ig_world_later_lemma(const ig_world *w, ig_world_later l);
int32_t ig_world_class_noun(const ig_world *w, int class_of);
/* Bare form of a lemma in a language (UTF-8); "" when the language has no word for it. */
const char *ig_world_stem(const ig_world *w, int language, int32_t lemma);

/* The abstract sentence i. */
void ig_world_sentence(const ig_world *w, int64_t i, ig_world_tree *t);
/* Returns whether a lemma is held out of a language's training text: nouns, verbs, adjectives and
 * adverbs beyond the most frequent 5 % of each may be. A larger share has those of a smaller one.
 * Of a sentence: whether it has such a lemma. */
bool ig_world_held_out(const ig_world *w, int language, int32_t lemma);
bool ig_world_sentence_held_out(const ig_world *w, int language, const ig_world_tree *t);
/* The sentence in a language. */
void ig_world_linearise(const ig_world *w, int language, const ig_world_tree *t, ig_world_words *s);
/* The text of an inflected form (ig_world_words.form) of a lemma, without sentence capitals. */
void ig_world_form_text(const ig_world *w, int language, int32_t lemma, uint32_t form,
                        char out[IG_WORLD_WORD]);
/* The number, 1 singular and 2 plural, that the verb at word i agrees in with a subject in the
 * third person, in the present, and the verb without that ending; 0: another word, person or tense,
 * or a language without agreement. */
uint8_t ig_world_verb_number(const ig_world *w, int language, const ig_world_tree *t,
                             const ig_world_words *s, int i, char bare[IG_WORLD_WORD]);
/* Gold alignment of two languages' versions of one tree of n_node nodes: pairs (word of a, word of
 * b), sorted, each once; a function word links to the word that carries its meaning as an affix.
 * pairs[2·n_node]; returns their number. */
int ig_world_links(const ig_world_words *a, const ig_world_words *b, int n_node, int32_t *pairs);

/* Options for writing a world of n_sentence sentences into a folder: NAME.txt, NAME.vocab,
 * NAME.tags, NAME.conllu, A-B.align, A-B.dict and world.json (docs/worlds.md, "Files"). Every file
 * appears complete or not at all. */
typedef struct {
    int64_t n_sentence;
    bool trees, tags, vocab, alignment, dictionary; /* which files beside the text */
} ig_world_write_options;
ig_code ig_world_write(const ig_world *w, const char *dir, const ig_world_write_options *o,
                       ig_err *err);
