/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads from a run's settings what measures must know of its languages, without opening its data.
 */
#include "run/measure/measure_languages.h"

#include "corpus/language/transform.h"
#include "model/separate.h"

#include <string.h>

/* A block of its own, and the share of strings that stay common with the first language's. */
static void block_of(bool *own, bool *anchors, const ig_language_words *l)
{
    ig_pipeline p;
    *own = *anchors = false;
    if (ig_pipeline_parse(&p, l->pipeline, "", 0, NULL) != IG_ERR_OK)
        return;
    for (int i = 0; i < p.n; i++)
        if (p.step[i].kind == &ig_transform_shift) {
            *own = true;
            *anchors = p.step[i].number[0] > 0;
        }
}

static bool any_common(const ig_language_words *l, int n)
{
    for (int b = 0; b < n; b++) {
        bool own, anchors;
        block_of(&own, &anchors, &l[b]);
        if (anchors)
            return true;
        for (int a = 0; a < b && !own && strcmp(l[b].vocab, "own") != 0; a++) {
            bool other;
            block_of(&other, &anchors, &l[a]);
            if (!other && strcmp(l[a].vocab, l[b].vocab) == 0)
                return true;
        }
    }
    return false;
}

ig_measure_languages ig_measure_languages_of(const ig_run_languages *l,
                                             const ig_bert_separate *parts)
{
    ig_measure_languages out = {.common = !parts->words && any_common(l->language, l->n)};
    for (int k = 0; k < l->n; k++)
        out.listed = out.listed || l->language[k].gold[0] != '\0';
    return out;
}

ig_measure_languages ig_measure_languages_json(const json_t *config)
{
    const char *spec = json_string_value(json_object_get(config, "languages"));
    ig_run_languages l = {.spec = (char *)(uintptr_t)spec};
    ig_measure_languages out = {0};
    ig_bert_separate parts = {0};
    const char *separate = json_string_value(json_object_get(config, "separate"));
    if (ig_bert_separate_parse(&parts, separate, IG_BERT_MAX_LAYER, "", NULL) != IG_ERR_OK)
        parts = (ig_bert_separate){0};
    if (spec != NULL && ig_run_languages_parse(&l, parts.specials, NULL) == IG_ERR_OK)
        out = ig_measure_languages_of(&l, &parts);
    ig_run_languages_free(&l);
    return out;
}
