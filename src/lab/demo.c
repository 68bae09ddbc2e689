/* SPDX-License-Identifier: Apache-2.0
 *
 * Dufter & Schütze 2020 in small: IDs 0, 8, 3 and 18 of their Table 1 (original; positions and
 * special tokens of its own and no random replacement; inverted order; untrained) on a generated
 * world instead of a Bible, with a model small enough that five minutes do. The sizes were chosen
 * on the world's `demo` preset, where a model becomes bilingual in as few updates as possible
 * (docs/training.md).
 */
#include "lab/demo.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "run/data/setup.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *what;
} runs[IG_DEMO_N_RUN] = {
    {"original", "the two languages in one model"},
    {"separate", "positions and special tokens of its own for the copy, no random replacement"},
    {"inverted", "the copy with its word order inverted"},
    {"untrained", "the first model before training"},
};

const char *ig_demo_name(ig_demo_kind kind)
{
    return runs[kind].name;
}

const char *ig_demo_what(ig_demo_kind kind)
{
    return runs[kind].what;
}

static ig_code settings(ig_run_config *c, const ig_demo_options *o, ig_demo_kind kind, ig_err *err)
{
    *c = (ig_run_config){0};
    IG_TRY(ig_options_default(&ig_run_options, c, err));
    const struct {
        const char *key, *value;
    } set[] = {
        {"world", "demo"},    {"world-sentences", "10000"},
        {"dev-take", "1000"}, {"world-words", "true"},
        {"mask-prob", "0.3"}, {"block", "64"},
        {"layers", "4"},      {"batch", "128"},
        {"lr", "2e-3"},       {"save-every", "250"},
        {"log-every", "50"},
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        IG_TRY(ig_options_set(&ig_run_options, c,
                              &(ig_setting){set[i].key, set[i].value, "demo", 0}, err));
    c->optimisation.seed = c->data.world_seed = o->seed;
    c->threads = o->threads;
    c->optimisation.updates = (int64_t)(3000 * o->scale);
    if (c->optimisation.updates < 1)
        c->optimisation.updates = 1;
    if (kind == IG_DEMO_SEPARATE) {
        c->languages.lang_pos = c->languages.shift_special = true;
        c->objective.no_random = IG_NO_RANDOM_FIXED;
    } else if (kind == IG_DEMO_INVERTED)
        c->languages.inv_order = true;
    else if (kind == IG_DEMO_UNTRAINED)
        c->optimisation.updates = 1; /* at a learning rate of 0: the first of the warm-up */
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, o->out, err, "%s", runs[kind].name));
    IG_TRY(ig_options_set(&ig_run_options, c, &(ig_setting){"out", path, "demo", 0}, err));
    return ig_run_config_resolve(c, err);
}

/* The first development sentence of a language as its pieces, separated by spaces. */
static ig_code sample_text(char **out, const ig_setup *s, char *const *pieces, int language,
                           ig_err *err)
{
    int32_t id[IG_SEQUENCE_MAX];
    int32_t n = ig_corpus_sequence(s->dev, language, 0, id);
    int64_t size = 1;
    for (int32_t i = 1; i < n - 1; i++)
        size += (int64_t)strlen(pieces[id[i]]) + 1;
    IG_TRY(ig_alloc(out, size, 1, "sample", err));
    char *p = *out;
    for (int32_t i = 1; i < n - 1; i++) {
        size_t length = strlen(pieces[id[i]]);
        if (i > 1)
            *p++ = ' ';
        memcpy(p, pieces[id[i]], length);
        p += length;
    }
    *p = '\0';
    return IG_ERR_OK;
}

static ig_code sample(ig_demo_result *r, const char *run_dir, ig_err *err)
{
    ig_setup s;
    ig_run_config c;
    char **pieces = NULL;
    int32_t n = 0;
    ig_code code = ig_setup_open_run(&s, &c, run_dir, err);
    IG_THEN(code, ig_setup_pieces(&s, &pieces, &n, err));
    for (int l = 0; l < 2 && code == IG_ERR_OK; l++)
        code = sample_text(&r->sample[l], &s, pieces, l, err);
    ig_free_list(pieces, n);
    ig_setup_close(&s);
    ig_run_config_free(&c);
    return code;
}

ig_code ig_demo_run(ig_demo_result *r, const ig_demo_options *o, ig_err *err)
{
    *r = (ig_demo_result){0};
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < IG_DEMO_N_RUN && code == IG_ERR_OK; k++) {
        ig_run_config c;
        code = settings(&c, o, (ig_demo_kind)k, err);
        if (code == IG_ERR_OK) {
            if (o->begin != NULL)
                o->begin(o->arg, (ig_demo_kind)k, &c);
            code = ig_run_train(&c, o->stop, &r->run[k], err);
        }
        if (code == IG_ERR_OK && k == 0)
            code = sample(r, c.out, err);
        ig_run_config_free(&c);
    }
    /* For a demo that was stopped and resumed, all of it. */
    for (int k = 0; k < IG_DEMO_N_RUN; k++)
        r->seconds += r->run[k].seconds;
    return code;
}

void ig_demo_free(ig_demo_result *r)
{
    for (int i = 0; i < 2; i++)
        ig_free(r->sample[i]);
    for (int k = 0; k < IG_DEMO_N_RUN; k++)
        ig_run_result_free(&r->run[k]);
}

json_t *ig_demo_json(const ig_demo_result *r)
{
    json_t *j = json_object();
    for (int k = 0; k < IG_DEMO_N_RUN && j != NULL; k++)
        if (json_object_set_new(j, runs[k].name, ig_run_json(&r->run[k])) != 0) {
            json_decref(j);
            j = NULL;
        }
    return j;
}
