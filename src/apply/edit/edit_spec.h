/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits as settings (docs/edits.md, "Edits"): the list that an experiment file has under `edit:`
 * and a command line after --edit.
 */
#pragma once

#include "base/settings/options.h"
#include "base/settings/yaml_tree.h"

/* ID and name. */
#define IG_EDIT_SPEC_LIST(X)                                                                       \
    X(SHIFT, shift)     /* states of language `from` + alpha (mean of `to` − mean of `from`) */  \
    X(CENTRE, centre)   /* states of each language − alpha its mean */                           \
    X(PROJECT, project) /* out of the subspace that separates the languages */                     \
    X(ROTATE, rotate)   /* states of `from` onto those of `to` by an orthogonal map */             \
    X(MATRIX, matrix)   /* states times a matrix from a file */                                    \
    X(REINIT, reinit)   /* the weights of a layer drawn at random */                               \
    X(SWAP, swap)       /* the weights of a layer taken from another model */                      \
    X(ATTENTION, attention) /* the attention of a layer: another model's, or uniform */            \
    X(HEADS, heads)         /* outputs of heads become 0 or their means */                         \
    X(NEURONS, neurons)     /* activations of neurons of the feed-forward part, likewise */

#define IG_EDIT_SPEC_ID(id, name) IG_EDIT_SPEC_##id,
typedef enum { IG_EDIT_SPEC_LIST(IG_EDIT_SPEC_ID) IG_N_EDIT_SPEC } ig_edit_spec_kind;
#undef IG_EDIT_SPEC_ID
extern const char *const ig_edit_spec_names[]; /* NULL-terminated */

/* How the subspace is found. */
typedef enum {
    IG_SUBSPACE_MEANS,        /* the span of the differences of means */
    IG_SUBSPACE_DISCRIMINANT, /* linear discriminant analysis */
    IG_SUBSPACE_INLP,         /* iterative null-space projection, until no classifier separates the
                                 languages */
    IG_SUBSPACE_INLP_PAPER    /* the same as gonenhila/mbert has it */
} ig_subspace_how;

/* Which heads or neurons, and what they become. */
typedef enum { IG_EDIT_RULE_LIST, IG_EDIT_RULE_LAPE, IG_EDIT_RULE_RANDOM } ig_edit_rule_name;
extern const char *const ig_edit_rule_names[]; /* NULL-terminated */
typedef enum { IG_EDIT_FILL_ZERO, IG_EDIT_FILL_MEAN } ig_edit_fill;

/* As options have it; texts NULL: not given. */
typedef struct {
    int kind;      /* ig_edit_spec_kind */
    int64_t layer; /* 0 embeddings, l block l */
    double alpha;
    char *from, *to, *means, *matrix, *model;
    char *text;   /* "en=FILE; de=FILE" (base/settings/named_files.h); NULL: a run's own */
    int how;      /* ig_subspace_how */
    int by_words; /* rotate: learned from linked words of parallel sentences, not from their means
                   */
    int64_t take, rounds, seed;
    char *list;    /* heads, neurons: "1:0, 3:5" */
    int rule;      /* ig_edit_rule_name; of layer 0: all */
    int fill;      /* ig_edit_fill */
    int64_t count; /* of a rule */
} ig_edit_spec;

enum { IG_EDIT_SPECS_MAX = 64 };
#define IG_EDIT_ALPHA_MAX 1e6 /* of alpha's absolute value */

/* Zeroed: none. Freed with ig_edit_specs_free. */
typedef struct {
    int n;
    ig_edit_spec spec[IG_EDIT_SPECS_MAX]; /* in the order they are made in */
} ig_edit_specs;

/* Adds what a node of YAML has: one edit, or a list of them. Relative paths are below `dir` (NULL:
 * as they are). A mistake is IG_ERR_USAGE with file and line. */
ig_code ig_edit_specs_read(ig_edit_specs *s, const ig_yaml *v, const char *dir, ig_err *err);
/* Adds what a command line gives: such a list or edit in flow style, "{layer: 8, kind: …}", or the
 * path of a YAML file that has it under `edit:`. */
ig_code ig_edit_specs_add(ig_edit_specs *s, const char *text, ig_err *err);
void ig_edit_specs_free(ig_edit_specs *s);

/* Returns whether it is of heads or neurons, which have a layer only where a rule is given one. */
bool ig_edit_of_units(const ig_edit_spec *e);
/* Returns whether one of them reads means from a file. */
bool ig_edit_specs_have_means(const ig_edit_specs *s);

/* The list with all settings that apply to each; NULL: out of memory. Reading it gives the same
 * list. */
json_t *ig_edit_specs_json(const ig_edit_specs *s);
