/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of a world: examples whose gold is known in every language, because an example is made
 * before there is a language (docs/worlds.md). The same examples, in the same order, for
 * every language; a function of the world's settings, its seed and the task's seed.
 */
#pragma once

#include "corpus/world/world.h"

typedef enum {
    IG_WORLD_TAGS,       /* a part of speech a word */
    IG_WORLD_ENTITIES,   /* names as IOB2: PER, LOC, ORG; every sentence has one */
    IG_WORLD_TREES,      /* a head and a relation a word */
    IG_WORLD_ENTAILMENT, /* premise, hypothesis, their relation */
    IG_WORLD_MINIMAL,    /* a sentence, the same with a mistake (world_minimal.h); none to train */
    IG_N_WORLD_TASK
} ig_world_task_kind;
extern const char *const ig_world_task_names[]; /* tags entities trees entailment minimal, NULL */

typedef enum { IG_ENTAILMENT, IG_NEUTRAL, IG_CONTRADICTION, IG_N_RELATION } ig_world_relation;
extern const char *const ig_world_relation_names[]; /* entailment neutral contradiction, NULL */

enum { IG_WORLD_SPLITS = 3, IG_WORLD_TASK_SEEDS = 32768 };
extern const char *const ig_world_split_names[]; /* train dev test, NULL */

typedef struct {
    ig_world_tree tree[2]; /* entailment: premise, hypothesis; else the first alone */
    ig_world_relation relation;
} ig_world_example;

/* The examples of one split, without end. Splits are disjoint, whatever the seeds: sentences are
 * divided by their content, pairs by their hypotheses'. Each hypothesis comes with three premises,
 * one of each relation, one after another in random order. */
typedef struct ig_world_examples ig_world_examples;
ig_code ig_world_examples_new(ig_world_examples **out, const ig_world *w, ig_world_task_kind kind,
                              int split, int64_t seed, ig_err *err);
/* *out is valid until the next call. IG_ERR_USAGE when the world has (nearly) no such sentence. */
ig_code ig_world_examples_next(ig_world_examples *x, const ig_world_example **out, ig_err *err);
void ig_world_examples_free(ig_world_examples *x);

/* Gives the IOB2 tag of each word: 0 O; 2e − 1 B and 2e I of entity e (ig_world_entity_name).
 * tag[s->n]. Each part of a name whose words are apart is a span. */
void ig_world_entity_tags(const ig_world_tree *t, const ig_world_words *s, uint8_t *tag);

typedef struct {
    ig_world_task_kind kind;
    int64_t n[IG_WORLD_SPLITS]; /* examples of each split */
    int64_t seed;               /* 0 .. IG_WORLD_TASK_SEEDS − 1 */
} ig_world_task_options;
/* Writes NAME.SPLIT.tsv, .conll or .conllu of every language and TASK.yaml, which names the first
 * language's training file alone, into a folder. Every file appears complete or not at all. */
ig_code ig_world_task_write(const ig_world *w, const char *dir, const ig_world_task_options *o,
                            ig_err *err);
