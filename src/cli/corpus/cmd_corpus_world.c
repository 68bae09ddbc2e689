/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus world: writes the languages of a generated world with all their gold
 * (docs/worlds.md).
 */
#include "base/assert.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output/written.h"
#include "base/settings/options.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/world/world.h"
#include "corpus/world/world_task.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    char *out, *languages, *tasks;
    int preset; /* of ig_world_preset_names */
    ig_world_write_options what;
    bool stats, json;
    ig_world_options o; /* −1: the preset's */
    int64_t seed;
    ig_world_task_options task;
} config;

static const ig_option options[] = {
    {.group = "Output", IG_PATH(config, "out", out, "DIR", "folder to write to")},
    {IG_INT(config, "sentences", what.n_sentence, "10000", 1, 1e12, "sentences a language")},
    {IG_FLAG(config, "trees", what.trees, "true", "write NAME.conllu")},
    {IG_FLAG(config, "tags", what.tags, "true", "write NAME.tags")},
    {IG_FLAG(config, "vocab", what.vocab, "true", "write NAME.vocab, a vocab.txt of whole words")},
    {IG_FLAG(config, "alignment", what.alignment, "true", "write A-B.align")},
    {IG_FLAG(config, "dictionary", what.dictionary, "true", "write A-B.dict")},
    {IG_FLAG(config, "stats", stats, NULL,
             "print the texts' statistics beside those of a real Bible")},
    {IG_FLAG(config, "json", json, NULL, "print the result as JSON")},
    {.group = "World",
     IG_TEXT(config, "languages", languages, "eng;jap", "SPEC",
             "languages, as in 'eng; x:SOV,post,case; y:like-tur,prefix'")},
    {IG_ENUM(config, "preset", preset, "bible", ig_world_preset_names, "settings to start from")},
    {IG_INT(config, "seed", seed, "0", 0, 9e15, "seed of the world")},
#define WORLD_INT(field, key, min, max, help) {IG_INT(config, key, o.field, "-1", -1, max, help)},
#define WORLD_REAL(field, key, min, max, help) {IG_REAL(config, key, o.field, "-1", -1, max, help)},
    IG_WORLD_INT_LIST(WORLD_INT) IG_WORLD_REAL_LIST(WORLD_REAL){
        .group = "Tasks",
        IG_TEXT(
            config, "tasks", tasks, NULL, "LIST",
            "write TASK/TASK.yaml and its files: of tags, entities, trees, entailment, minimal")},
    {IG_INT(config, "task-train", task.n[0], "6000", 0, 1e9, "training examples of a task")},
    {IG_INT(config, "task-dev", task.n[1], "900", 0, 1e9, "development examples")},
    {IG_INT(config, "task-test", task.n[2], "1500", 0, 1e9, "test examples")},
    {IG_INT(config, "task-seed", task.seed, "0", 0, IG_WORLD_TASK_SEEDS - 1,
            "seed that selects examples of the same world")},
#undef WORLD_INT
#undef WORLD_REAL
};

/* The preset with what was given put over it. */
static ig_code options_resolve(const config *c, ig_world_options *o, ig_err *err)
{
    IG_ASSERT(ig_world_preset(o, ig_world_preset_names[c->preset]));
#define OVERRIDE(field, key, min, max, help)                                                       \
    if (!(c->o.field < 0))                                                                         \
        o->field = c->o.field;
    IG_WORLD_INT_LIST(OVERRIDE)
    IG_WORLD_REAL_LIST(OVERRIDE)
#undef OVERRIDE
    o->seed = (uint64_t)c->seed;
    return ig_world_options_check(o, err);
}

/* Parses a list of kinds, each once: wanted[IG_N_WORLD_TASK]. */
static ig_code tasks_parse(bool *wanted, const char *list, ig_err *err)
{
    for (const char *p = list; p != NULL && *p != '\0';) {
        const char *const end = p + strcspn(p, ",");
        char name[16] = "";
        int k = 0;
        snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
        while (ig_world_task_names[k] != NULL && strcmp(ig_world_task_names[k], name) != 0)
            k++;
        if (ig_world_task_names[k] == NULL || wanted[k])
            return ig_fail(err, IG_ERR_USAGE, "--tasks", 0,
                           "found '%.*s'%s, expected some of tags, entities, trees, entailment, "
                           "minimal",
                           (int)(end - p), p, k < IG_N_WORLD_TASK ? " twice" : "");
        wanted[k] = true;
        p = *end == ',' ? end + 1 : end;
    }
    return IG_ERR_OK;
}

/* Checks, before anything is written, that the tasks' folders have no files of others. */
static ig_code tasks_check(const config *c, const bool *wanted, ig_err *err)
{
    for (int k = 0; k < IG_N_WORLD_TASK && c->out != NULL; k++) {
        IG_OWNED char *dir = NULL;
        if (!wanted[k])
            continue;
        IG_TRY(ig_path_join(&dir, c->out, ig_world_task_names[k], err));
        IG_TRY(ig_written_check_all(dir, err));
    }
    return IG_ERR_OK;
}

static ig_code tasks_write(const ig_world *w, const config *c, const bool *wanted, ig_err *err)
{
    ig_world_task_options o = c->task;
    for (int k = 0; k < IG_N_WORLD_TASK; k++) {
        IG_OWNED char *dir = NULL;
        if (!wanted[k])
            continue;
        o.kind = (ig_world_task_kind)k;
        IG_TRY(ig_path_join(&dir, c->out, ig_world_task_names[k], err));
        IG_TRY(ig_world_task_write(w, dir, &o, err));
        ig_log(IG_LOG_NORMAL, "task %s written to %s/%s/TASK.yaml", ig_world_task_names[k], c->out,
               ig_world_task_names[k]);
    }
    return IG_ERR_OK;
}

static ig_code stats_measure(const ig_world *w, int64_t n_sentence, ig_text_stats *out, ig_err *err)
{
    IG_OWNED ig_world_tree *t = NULL;
    IG_OWNED ig_world_words *s = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "sentence", err));
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    for (int l = 0; l < ig_world_n_language(w); l++) {
        ig_text_counter *c;
        IG_TRY(ig_text_counter_new(&c, err));
        ig_code code = IG_ERR_OK;
        for (int64_t i = 0; i < n_sentence && code == IG_ERR_OK; i++) {
            static char line[IG_WORLD_NODES * IG_WORLD_WORD];
            ig_world_sentence(w, i, t);
            ig_world_linearise(w, l, t, s);
            int64_t n = 0;
            for (int k = 0; k < s->n; k++) {
                const size_t bytes = strlen(s->text[k]);
                memcpy(line + n, s->text[k], bytes);
                n += (int64_t)bytes;
                line[n++] = ' ';
            }
            code = ig_text_counter_add(c, line, n, err);
        }
        IG_THEN(code, ig_text_counter_finish(c, &out[l], err));
        ig_text_counter_free(c);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

static ig_code result_print(const ig_world *w, const config *c, ig_err *err)
{
    const int n = ig_world_n_language(w);
    const char *name[IG_WORLD_LANGUAGES + 1];
    ig_text_stats stats[IG_WORLD_LANGUAGES + 1];
    for (int i = 0; i < n; i++)
        name[i] = ig_world_get_language(w, i)->name;
    name[n] = "BBE-NT";
    stats[n] = ig_text_stats_bbe_nt;
    if (c->stats)
        IG_TRY(stats_measure(w, c->what.n_sentence, stats, err));
    if (!c->json)
        return c->stats ? ig_stats_print(name, stats, n + 1, err) : IG_ERR_OK;
    json_t *j = json_object(), *languages = json_array();
    for (int i = 0; i < n; i++) {
        char full[1024];
        ig_world_language_print(ig_world_get_language(w, i), full, sizeof full);
        json_array_append_new(languages,
                              json_pack("{s:s, s:s}", "name", name[i], "description", full));
    }
    if (c->out != NULL)
        json_object_set_new(j, "out", json_string(c->out));
    json_object_set_new(j, "sentences", json_integer((json_int_t)c->what.n_sentence));
    json_object_set_new(j, "languages", languages);
    if (c->stats)
        json_object_set_new(j, "stats", ig_stats_json(name, stats, n + 1));
    return ig_json_print(j, err);
}

static ig_code run_corpus_world(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    (void)n_arg;
    (void)arg;
    const config *c = settings;
    if (c->out == NULL && !c->stats) {
        ig_fail(err, IG_ERR_USAGE, "--out", 0, "no folder given, nothing to do");
        return ig_hint(err, "give --out DIR to write a world, or --stats to look at one"),
               IG_ERR_USAGE;
    }
    ig_world_options o;
    ig_world_language language[IG_WORLD_LANGUAGES];
    int n;
    bool wanted[IG_N_WORLD_TASK] = {false};
    IG_TRY(tasks_parse(wanted, c->tasks, err));
    IG_TRY(tasks_check(c, wanted, err));
    IG_TRY(options_resolve(c, &o, err));
    IG_TRY(ig_world_languages_parse(language, &n, c->languages, err));
    ig_world *w = NULL;
    IG_TRY(ig_world_new(&w, &o, language, n, err));
    ig_code code = IG_ERR_OK;
    if (c->out != NULL) {
        code = ig_world_write(w, c->out, &c->what, err);
        if (code == IG_ERR_OK)
            ig_log(IG_LOG_NORMAL, "%lld sentence%s in %d language%s written to %s",
                   (long long)c->what.n_sentence, ig_s(c->what.n_sentence), n, ig_s(n), c->out);
        IG_THEN(code, tasks_write(w, c, wanted, err));
    }
    IG_THEN(code, result_print(w, c, err));
    ig_world_free(w);
    return code;
}

const ig_command ig_cmd_corpus_world = {
    .name = "corpus world",
    .summary = "generate parallel languages from one abstract grammar, with gold annotation",
    .details =
        "Writes NAME.txt (a sentence a line, tokens separated by a space), NAME.vocab, "
        "NAME.tags, NAME.conllu, A-B.align (0-based i-j), A-B.dict and world.json. The same seed "
        "gives the same bytes, and no language changes when another joins or leaves. A language "
        "is NAME[:OPTION,…]; the profiles eng spa deu rus ell tur jap hin arb swa zho fij are "
        "sketches of what they are named after. Tasks (one folder each: the same examples in "
        "every language, with gold) want --preset tasks, whose text has their words. A value of "
        "-1 leaves the preset's. See docs/worlds.md.\n\n"
        "  isoglot corpus world --out w --languages 'eng; x:SOV,post,case' --stats\n"
        "  isoglot corpus world --out w --preset demo --languages eng --sentences 20000\n"
        "  isoglot corpus world --out w --preset tasks --languages 'eng; jap' --tasks "
        "tags,entailment",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_world,
};
