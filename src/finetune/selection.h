/* SPDX-License-Identifier: Apache-2.0
 *
 * Which model of a fine-tuning counts: the last, the best on development texts of the languages it
 * is trained in, or for each language the best on that language's own (an oracle where the language
 * is a target). All three are kept side by side, as JSON that a checkpoint holds.
 */
#pragma once

#include "finetune/input/finetune_config.h"

#include <jansson.h>

/* Scores every requested split: {"LANGUAGE": {"SPLIT": {…}}}. */
typedef struct {
    /* Adds the scores of one split to *scores, unless they are there. */
    ig_code (*score)(void *of, json_t *scores, const ig_task_set *set, ig_err *err);
    void *of;
    const ig_task *task;
    const char *main_score;
} ig_selection_source;

/* Improvements found by an evaluation. */
typedef struct {
    bool source; /* on the source's development texts */
    bool target; /* in the mean over all languages with development texts */
} ig_selection_news;

/* An empty state: {}. NULL: no memory. */
json_t *ig_selection_new(void);
/* Scores development texts, and the test texts that improvements require, and adds them to the
 * state; `last`: all texts. */
ig_code ig_selection_step(json_t *state, const ig_selection_source *s, int64_t update, bool last,
                          ig_selection_news *news, ig_err *err);
/* Evaluations since the last one whose source score was better. */
int64_t ig_selection_waited(const json_t *state);
/* Returns whether a selection has anything to go by: development texts. */
bool ig_selection_possible(const ig_task *t, ig_select_kind kind);
/* {"by": …, "update": …, "last": {"update", "scores"}, …} and the scores of `kind`, both owned by
 * the caller. */
json_t *ig_selection_json(const json_t *state, ig_select_kind kind, json_t **scores);
