/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a world's meaning side: presets and ranges. `bible` was fitted to the New
 * Testament of the Bible in Basic English (sentence length, Zipf exponent, bigram entropy); `demo`
 * was chosen among several worlds because a small model becomes bilingual on it in the fewest
 * updates. experiments/worlds has both measurements. `tasks` is `demo` with the words and
 * clauses of all tasks in its text (docs/worlds.md).
 */
#include "corpus/world/world.h"

#include <math.h>
#include <string.h>

const char *const ig_world_preset_names[] = {"bible", "demo", "tasks", NULL};

static const ig_world_options bible = {
    .n_lemma = 1500,
    .n_class = 16,
    .n_topic = 24,
    .document = 12,
    .n_collocate = 6,
    .zipf = 1.0,
    .zipf_shift = 2,
    .selection = .4,
    .topic = .5,
    .cast = .8,
    .pronoun = .35,
    .name = .3,
    .past = .5,
    .future = .12,
    .negation = .1,
    .question = .08,
    .copula = .15,
    .plural = .28,
    .definite = .42,
    .indefinite = .12,
    .demonstrative = .05,
    .possessive = .12,
    .length = 26,
    .spread = .45,
    .adjective = .2,
    .numeral = .05,
    .genitive = .16,
    .relative = .08,
    .coordinate_np = .08,
    .oblique = .35,
    .adverb = .15,
    .subordinate = .2,
    .coordinate = .85,
    .max_node = 96,
};

static const ig_world_options demo = {
    .n_lemma = 200,
    .n_class = 8,
    .n_topic = 12,
    .document = 12,
    .n_collocate = 2,
    .zipf = 1.0,
    .zipf_shift = 2,
    .selection = 1,
    .topic = 1,
    .cast = .8,
    .name = .2,
    .past = .3,
    .negation = .05,
    .question = .05,
    .copula = .12,
    .definite = .7,
    .indefinite = .3,
    .length = 8,
    .spread = .3,
    .adjective = .3,
    .oblique = .35,
    .adverb = .15,
    .max_node = 40,
};

static void tasks_set(ig_world_options *o)
{
    o->name = .3;
    o->plural = .2;
    o->negation = .1;
    o->statement = .5;
    o->surname = .3;
    o->organisation = .25;
}

bool ig_world_preset(ig_world_options *o, const char *name)
{
    const ig_world_options *const preset[] = {&bible, &demo, &demo};
    for (int i = 0; ig_world_preset_names[i] != NULL; i++)
        if (strcmp(name, ig_world_preset_names[i]) == 0) {
            *o = *preset[i];
            if (strcmp(name, "tasks") == 0)
                tasks_set(o);
            return true;
        }
    return false;
}

static ig_code check(const char *key, double v, double min, double max, ig_err *err)
{
    if (v >= min && v <= max)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, key, 0, "found %g, expected %g to %g", v, min, max);
}

ig_code ig_world_options_check(const ig_world_options *o, ig_err *err)
{
#define CHECK(field, key, min, max, help) IG_TRY(check(key, (double)o->field, min, max, err));
    IG_WORLD_INT_LIST(CHECK)
    IG_WORLD_REAL_LIST(CHECK)
#undef CHECK
    /* Every class has a noun: nouns are at least two fifths of the lexicon (world_lexis.c). */
    IG_TRY(check("classes", (double)o->n_class, 2, floor((double)o->n_lemma * .4), err));
    IG_TRY(check("past + future", o->past + o->future, 0, 1, err));
    return check("definite + indefinite + demonstrative + possessive",
                 o->definite + o->indefinite + o->demonstrative + o->possessive, 0, 1, err);
}
