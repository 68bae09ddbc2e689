/* SPDX-License-Identifier: Apache-2.0
 *
 * The languages of a run: what --languages describes, with the short switches of Dufter & Schütze
 * 2020 among the transforms; see run_config.h.
 */
#include "base/memory.h"
#include "base/settings/named_files.h"
#include "corpus/language/transform.h"
#include "run/run_config.h"
#include "model/separate.h"

#include <stdio.h>
#include <string.h>

ig_code ig_run_config_languages(const ig_run_config *c, ig_language_words *out, int *n, ig_err *err)
{
    ig_bert_separate own; /* a mistake in it is told elsewhere */
    IG_TRY(ig_language_spec_parse(out, n, IG_RUN_MAX_LANGUAGE, c->languages.spec, err));
    if (ig_bert_separate_parse(&own, c->model.separate, IG_BERT_MAX_LAYER, "", NULL) != IG_ERR_OK)
        own.specials = false;
    for (int k = 0; k < *n; k++) {
        char segment[32];
        snprintf(segment, sizeof segment, "segment:%d", k);
        const struct {
            bool on;
            const char *step;
        } steps[] = {{c->languages.no_parallel, k == 0 ? "half:first" : "half:second"},
                     {c->languages.inv_order && k > 0, "invert"},
                     {c->languages.lang_pos && k > 0, "positions"},
                     {(c->languages.shift_special || own.specials) && k > 0, "specials"},
                     {c->languages.language_markers, "marker"},
                     {c->languages.language_embeddings && k > 0, segment}};
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            char *pipeline = out[k].pipeline;
            const size_t used = strlen(pipeline), room = sizeof out[k].pipeline;
            if (!steps[i].on)
                continue;
            if (used + strlen(steps[i].step) + 4 > room)
                return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                               "language '%s': transforms of more than %zu bytes", out[k].name,
                               room - 1);
            snprintf(pipeline + used, room - used, "%s%s", used > 0 ? " | " : "", steps[i].step);
        }
    }
    return IG_ERR_OK;
}

/* The languages in memory of their own; NULL: none, or they cannot be read, which is told
 * elsewhere. */
static ig_language_words *read_languages(const ig_run_config *c, int *n)
{
    ig_language_words *l;
    *n = 0;
    if (ig_alloc(&l, IG_RUN_MAX_LANGUAGE, sizeof *l, "languages", NULL) != IG_ERR_OK)
        return NULL;
    if (ig_run_config_languages(c, l, n, NULL) == IG_ERR_OK)
        return l;
    *n = 0;
    ig_free(l);
    return NULL;
}

bool ig_run_config_has_texts(const ig_run_config *c)
{
    int n;
    ig_language_words *l = read_languages(c, &n);
    const bool any = ig_language_words_any(l, n);
    ig_free(l);
    return any;
}

bool ig_run_config_has_world(const ig_run_config *c)
{
    int n;
    ig_language_words *l = read_languages(c, &n);
    bool any = false;
    for (int k = 0; k < n; k++)
        any = any || (c->data.text == NULL && l[k].text[0] == '\0');
    ig_free(l);
    return any;
}

int ig_run_config_n_language(const ig_run_config *c)
{
    int n;
    ig_free(read_languages(c, &n));
    return n;
}

void ig_run_config_sampling(const ig_run_config *c, ig_batch_options *b)
{
    int n;
    ig_language_words *l = read_languages(c, &n);
    bool any = false;
    for (int k = 0; k < IG_LANGUAGES_MAX; k++) {
        b->share[k] = k < n ? l[k].share : 1;
        any = any || b->share[k] != 1;
    }
    ig_free(l);
    b->alpha = c->optimisation.language_alpha;
    b->epoch_size = c->optimisation.epoch_size;
    b->sampled = any || b->alpha != 1 || b->epoch_size > 0;
}

static ig_code check_file(const ig_run_config *c, const char *name, ig_err *err)
{
    char *path;
    if (name[0] == '\0')
        return IG_ERR_OK;
    IG_TRY(ig_named_file_find(c->data.files, name, &path, err));
    ig_free(path);
    return IG_ERR_OK;
}

static ig_code check_language(const ig_run_config *c, const ig_language_words *l, ig_err *err)
{
    const bool seen =
        c->model.position_type == IG_POSITION_LEARNED ||
        c->model.position_type == IG_POSITION_SINUSOIDAL; /* where a sequence begins */
    ig_word_pipeline words;
    ig_pipeline pieces;
    IG_TRY(check_file(c, l->text, err));
    IG_TRY(check_file(c, l->dev, err));
    IG_TRY(check_file(c, l->gold, err));
    IG_TRY(check_file(c, l->tags, err));
    ig_code code = ig_word_pipeline_parse(&words, l->words, l->name, l->at_words, err);
    for (int i = 0; i < words.n && code == IG_ERR_OK; i++)
        code = check_file(c, words.step[i].file, err);
    ig_word_pipeline_free(&words);
    IG_TRY(code);
    IG_TRY(ig_pipeline_parse(&pieces, l->pipeline, l->name, err));
    for (int k = 0; !seen && k < pieces.n; k++)
        if (pieces.step[k].kind == &ig_transform_positions)
            return ig_fail(err, IG_ERR_USAGE, "position-type", 0,
                           "positions of its own for language '%s', which %s positions do not "
                           "see: expected learned or sinusoidal",
                           l->name, ig_position_names[c->model.position_type]);
    if (l->world && c->data.text != NULL)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "language '%s' is a generated world's, but there is a text", l->name);
    return IG_ERR_OK;
}

ig_code ig_run_config_check_languages(const ig_run_config *c, ig_err *err)
{
    ig_language_words *l;
    int n = 0;
    IG_TRY(ig_alloc(&l, IG_RUN_MAX_LANGUAGE, sizeof *l, "languages", err));
    ig_code code = ig_run_config_languages(c, l, &n, err);
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        code = check_language(c, &l[i], err);
    ig_free(l);
    return code;
}
