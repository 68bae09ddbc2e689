/* SPDX-License-Identifier: Apache-2.0
 *
 * The languages of a run: what --languages describes, with the short switches of Dufter & Schütze
 * 2020 among the transforms; see run_config.h.
 */
#include "base/memory.h"

#include "corpus/language/transform.h"
#include "corpus/words/word_step.h"
#include "corpus/world/world.h"
#include "model/separate.h"
#include "run/data/dev_texts.h"
#include "run/run_config.h"

#include <stdio.h>
#include <string.h>

/* Appends a step to a language's pipeline. */
static ig_code add_step(char pipeline[IG_SPEC_TEXT], const char *step, const char *language,
                        ig_err *err)
{
    const size_t used = strlen(pipeline);
    if (used + strlen(step) + 4 > IG_SPEC_TEXT)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "language '%s': transforms of more than %d bytes", language,
                       IG_SPEC_TEXT - 1);
    snprintf(pipeline + used, IG_SPEC_TEXT - used, "%s%s", used > 0 ? " | " : "", step);
    return IG_ERR_OK;
}

static ig_code add_switches(ig_run_languages *l, int k, bool specials, ig_err *err)
{
    char segment[32];
    snprintf(segment, sizeof segment, "segment:%d", k);
    const struct {
        bool on, training;
        const char *step;
    } steps[] = {{l->no_parallel, true, k == 0 ? "half:first" : "half:second"},
                 {l->inv_order && k > 0, false, "invert"},
                 {l->lang_pos && k > 0, false, "positions"},
                 {(l->shift_special || specials) && k > 0, false, "specials"},
                 {l->language_markers, false, "marker"},
                 {l->language_embeddings && k > 0, false, segment}};
    ig_language_words *w = &l->language[k];
    memcpy(l->whole[k], w->pipeline, sizeof l->whole[k]);
    /* A vocabulary that is not the first language's has a block without "shift". */
    const bool first_block = w->vocab[0] == '\0' && l->language[0].vocab[0] == '\0';
    if ((steps[3].on || strstr(w->pipeline, "specials") != NULL) && first_block &&
        strstr(w->pipeline, "shift") == NULL)
        return ig_fail(err, IG_ERR_USAGE, w->name, 0,
                       "transform 'specials' needs a block of its own: put 'shift' before it");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].on)
            IG_TRY(add_step(w->pipeline, steps[i].step, w->name, err));
        if (steps[i].on && !steps[i].training)
            IG_TRY(add_step(l->whole[k], steps[i].step, w->name, err));
    }
    return IG_ERR_OK;
}

ig_code ig_run_languages_parse(ig_run_languages *l, bool specials, ig_err *err)
{
    ig_language_words *all;
    int n;
    ig_run_languages_free(l);
    IG_TRY(ig_alloc(&all, IG_RUN_MAX_LANGUAGE, sizeof *all, "languages", err));
    ig_code code = ig_language_spec_parse(all, &n, IG_RUN_MAX_LANGUAGE, l->spec, err);
    IG_THEN(code, ig_alloc(&l->language, n, sizeof *l->language, "languages", err));
    IG_THEN(code, ig_alloc(&l->whole, n, sizeof *l->whole, "languages", err));
    if (code == IG_ERR_OK) {
        memcpy(l->language, all, (size_t)n * sizeof *all);
        l->n = n;
    }
    for (int k = 0; k < l->n && code == IG_ERR_OK; k++)
        code = add_switches(l, k, specials, err);
    ig_free(all);
    if (code != IG_ERR_OK)
        ig_run_languages_free(l);
    return code;
}

void ig_run_languages_free(ig_run_languages *l)
{
    IG_FREE(l->language, l->whole);
    l->language = NULL;
    l->whole = NULL;
    l->n = 0;
}

bool ig_run_languages_have_texts(const ig_run_languages *l)
{
    return ig_language_words_any(l->language, l->n);
}

bool ig_run_languages_of_world(const ig_run_data *d, const ig_language_words *a,
                               const ig_language_words *b)
{
    return d->text == NULL && a->text[0] == '\0' && b->text[0] == '\0';
}

bool ig_run_config_has_world(const ig_run_config *c)
{
    bool any = false;
    for (int k = 0; k < c->languages.n; k++)
        any = any || (c->data.text == NULL && c->languages.language[k].text[0] == '\0');
    return any;
}

static ig_code check_file(const ig_run_config *c, const char *name, ig_err *err)
{
    const char *path;
    return name[0] != '\0' ? ig_named_files_find(&path, &c->data.named, name, err) : IG_ERR_OK;
}

/* A transform that reads trees has no effect on a text without, nor one of agreement where nothing
 * agrees. */
static ig_code check_trees(const ig_run_config *c, const ig_language_words *l,
                           const ig_word_pipeline *p, ig_err *err)
{
    const ig_word_transform *needs = ig_word_pipeline_trees(p),
                            *agrees = ig_word_pipeline_agreement(p);
    const char *path = c->data.text;
    char spec[sizeof l->name + sizeof l->grammar + 2];
    ig_world_language world[IG_WORLD_LANGUAGES];
    int n;
    if (needs == NULL)
        return IG_ERR_OK;
    if (l->text[0] != '\0')
        IG_TRY(ig_named_files_find(&path, &c->data.named, l->text, err));
    if (path != NULL && !ig_text_has_trees(path))
        return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                       "transform '%s' reads trees, expected a text in CoNLL-U (*.conllu) or a "
                       "generated world",
                       needs->name);
    snprintf(spec, sizeof spec, "%s%s%s", l->world ? l->name : "eng",
             l->grammar[0] != '\0' ? ":" : "", l->grammar);
    IG_TRY(ig_world_languages_parse(world, &n, spec, err));
    if (agrees == NULL || path != NULL || world[0].verb_agrees)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                   "transform '%s' reads the number of verbs, but those of this world's "
                   "language have none, expected world=agree, or a profile that agrees",
                   agrees->name);
}

static ig_code check_language(const ig_run_config *c, const ig_language_words *l, ig_err *err)
{
    const bool seen =
        c->model.architecture == IG_ARCHITECTURE_BERT &&
        (c->model.position_type == IG_POSITION_LEARNED ||
         c->model.position_type == IG_POSITION_SINUSOIDAL); /* where a sequence begins */
    ig_word_pipeline words;
    ig_pipeline pieces;
    IG_TRY(check_file(c, l->text, err));
    IG_TRY(check_file(c, l->dev, err));
    IG_TRY(check_file(c, l->gold, err));
    IG_TRY(check_file(c, l->tags, err));
    IG_TRY(check_file(c, l->anchors, err));
    if (l->anchors[0] != '\0' && strstr(l->pipeline, "anchors=") == NULL)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "language '%s' has a list of anchors, but shares none: expected "
                       "shift:anchors=SHARE among its transforms",
                       l->name);
    ig_code code = ig_word_pipeline_parse(&words, l->words, l->name, l->at_words, err);
    for (int i = 0; i < words.n && code == IG_ERR_OK; i++)
        code = check_file(c, words.step[i].file, err);
    IG_THEN(code, check_trees(c, l, &words, err));
    ig_word_pipeline_free(&words);
    IG_TRY(code);
    IG_TRY(ig_pipeline_parse(&pieces, l->pipeline, l->name, 0, err));
    for (int k = 0; !seen && k < pieces.n; k++)
        if (pieces.step[k].kind == &ig_transform_positions)
            return ig_fail(err, IG_ERR_USAGE, "position-type", 0,
                           "separate positions for language '%s', which %s positions do not "
                           "see: expected learned or sinusoidal",
                           l->name,
                           c->model.architecture == IG_ARCHITECTURE_BERT
                               ? ig_position_names[c->model.position_type]
                               : "a ModernBERT's");
    if (l->world && c->data.text != NULL)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "language '%s' is a generated world's, but there is a text", l->name);
    return IG_ERR_OK;
}

ig_code ig_run_config_check_languages(const ig_run_config *c, ig_err *err)
{
    for (int k = 0; k < c->languages.n; k++)
        IG_TRY(check_language(c, &c->languages.language[k], err));
    return IG_ERR_OK;
}

/* ---- before the data are open ---- */

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
