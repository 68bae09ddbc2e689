/* SPDX-License-Identifier: Apache-2.0
 *
 * The summary of isoglot map, as JSON and as lines of the same keys. docs/mapping.md lists them.
 */
#include "cli/align/map_options.h"

#include "base/settings/json_text.h"
#include "cli/print/json_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool ig_map_reads_dictionary(const ig_map_config *c)
{
    return c->mode == IG_MAP_SUPERVISED || c->mode == IG_MAP_SEMI_SUPERVISED;
}

static json_t *two(const double v[2])
{
    return json_pack("[o, o]", ig_json_number(v[0]), ig_json_number(v[1]));
}

static json_t *diagnosis_json(const ig_map_work *w)
{
    const ig_ladder *l = &w->ladder;
    const ig_map_health *h = &l->health;
    json_t *j = json_pack(
        "{s:b, s:s, s:[I, I], s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "degenerate",
        l->degenerate, "verdict", l->verdict, "words", (json_int_t)h->n, (json_int_t)h->m,
        "nearest_cosine", two(h->objective), "mutual", ig_json_number(h->mutual), "mutual_pairs",
        (json_int_t)h->n_mutual, "gap", two(h->gap), "refit", ig_json_number(h->refit),
        "relational", ig_json_number(h->relational), "hub_skewness", two(h->hub_skewness),
        "hub_largest", two(h->hub_largest), "hub_never", two(h->hub_never));
    json_object_set_new(j, "same_spelling_words", json_integer(h->n_same));
    json_object_set_new(j, "same_spelling", ig_json_number(h->same));
    json_object_set_new(j, "dictionary_refit", ig_json_number(h->given));
    if (l->chance.n > 0)
        json_object_set_new(
            j, "chance",
            json_pack("{s:[I, I], s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "chance_words",
                      (json_int_t)l->chance.n, (json_int_t)l->chance.m, "chance_starts",
                      l->chance.starts, "chance_same", l->chance.same, "objective_of_pairs",
                      ig_json_number(l->chance.objective[0]), "objective_of_chance",
                      ig_json_number(l->chance.objective[1]), "relational_of_pairs",
                      ig_json_number(l->chance.relational[0]), "relational_of_chance",
                      ig_json_number(l->chance.relational[1]), "chance_agrees",
                      ig_json_number(l->chance.agree), "directions", two(l->chance.directions)));
    if (l->isometry.n > 2)
        json_object_set_new(
            j, "isometry",
            json_pack("{s:I, s:f, s:I, s:f, s:f}", "words", (json_int_t)l->isometry.n,
                      "eigen_difference", l->isometry.eigen, "eigenvalues",
                      (json_int_t)l->isometry.n_value, "bottleneck", l->isometry.bottleneck,
                      "gromov_hausdorff_at_least", l->isometry.bottleneck / 2));
    return j;
}

static json_t *facts_json(const ig_map_work *w)
{
    const ig_ladder *l = &w->ladder;
    const ig_map_result *r = &l->result;
    json_t *j = json_pack("{s:I, s:I, s:i, s:i, s:I, s:I, s:b, s:I}", "source_words",
                          (json_int_t)w->side[0].n, "target_words", (json_int_t)w->side[1].n, "dim",
                          r->d, "dim_mapped", r->d_out, "first_pairs", (json_int_t)l->pairs.n,
                          "rounds", (json_int_t)r->n_round, "converged", r->converged, "last_pairs",
                          (json_int_t)r->pairs.n);
    if (l->n_start > 0) {
        json_t *tried = json_array();
        for (int i = 0; i < l->n_start; i++) {
            const ig_map_tried *t = &l->tried[i];
            json_array_append_new(
                tried,
                json_pack("{s:s, s:I, s:I, s:o, s:o}", "start", ig_map_start_names[t->start],
                          "words", (json_int_t)t->words, "rounds", (json_int_t)t->n_round,
                          "objective", ig_json_number(t->n_round > 0 ? t->objective : (double)NAN),
                          "degenerate", t->judged ? json_boolean(t->degenerate) : json_null()));
        }
        json_object_set_new(j, "start",
                            json_string(ig_map_start_names[l->tried[l->n_start - 1].start]));
        json_object_set_new(j, "starts", tried);
    }
    if (ig_map_reads_dictionary(w->c)) {
        json_object_set_new(j, "dictionary_pairs", json_integer(w->dictionary.n_pair));
        json_object_set_new(j, "dictionary_coverage",
                            json_real((double)w->rows.n_query / (double)w->rows.all_query));
    }
    json_object_set_new(j, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "reading", w->seconds[0], "first_pairs",
                                  w->seconds[1] + l->seconds[0], "mapping", l->seconds[1],
                                  "diagnosis", l->seconds[2]));
    return j;
}

ig_code ig_map_print_json(const ig_map_work *w, json_t *set, ig_err *err)
{
    const ig_map_result *r = &w->ladder.result;
    json_t *j = facts_json(w), *objective = json_array(), *keep = json_array(),
           *pairs = json_array();
    for (int64_t i = 0; i < r->n_round; i++) {
        json_array_append_new(objective, json_real(r->round[i].objective));
        json_array_append_new(keep, json_real(r->round[i].keep));
        json_array_append_new(pairs, json_integer(r->round[i].n_pair));
    }
    json_object_set(j, "settings", set);
    json_object_set_new(j, "objective", objective);
    json_object_set_new(j, "keep", keep);
    json_object_set_new(j, "pairs", pairs);
    json_object_set_new(
        j, "singular_values",
        ig_json_numbers(r->singular, w->c->o.map.method == IG_MAP_MULTI_STEP ? r->d : 0));
    if (w->c->o.judge)
        json_object_set_new(j, "diagnosis", diagnosis_json(w));
    return ig_json_print(j, err);
}

static void print_object(const json_t *j)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        if (json_is_object(value)) {
            printf("\n%s:\n", key);
            print_object(value);
        } else if (strcmp(key, "verdict") != 0 && strcmp(key, "degenerate") != 0)
            ig_json_print_value(key, 26, value);
    }
}

void ig_map_print_text(const ig_map_work *w, const json_t *set)
{
    json_t *facts = facts_json(w), *health = w->c->o.judge ? diagnosis_json(w) : NULL;
    const ig_ladder *l = &w->ladder;
    const ig_map_result *r = &l->result;
    print_object(set);
    printf("\n");
    print_object(facts);
    for (int i = 0; i + 1 < l->n_start; i++)
        printf("\nbegun with %s of %lld words before: degenerate after %lld rounds\n",
               ig_map_start_names[l->tried[i].start], (long long)l->tried[i].words,
               (long long)l->tried[i].n_round);
    if (r->n_round > 0) {
        /* At most ten of the rounds; --json has all. */
        printf("\n%-8s %-10s %-8s %s\n", "round",
               w->c->o.map.method == IG_MAP_RCSLS ? "loss" : "objective", "keep", "pairs");
        for (int64_t i = 0; i < r->n_round; i++)
            if (r->n_round <= 10 || i + 1 == r->n_round ||
                i * 9 / r->n_round != (i - 1) * 9 / r->n_round || i == 0)
                printf("%-8lld %-10.6f %-8.4g %lld\n", (long long)i + 1, r->round[i].objective,
                       r->round[i].keep, (long long)r->round[i].n_pair);
    }
    if (health != NULL) {
        printf("\n");
        print_object(health);
        printf("\n%s\n", l->verdict);
    }
    json_decref(facts);
    json_decref(health);
}
