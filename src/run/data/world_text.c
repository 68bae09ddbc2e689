/* SPDX-License-Identifier: Apache-2.0
 *
 * A language of a generated world as plain text; see world_text.h and corpus/world/world.h.
 */
#include "run/data/world_text.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/memory.h"
#include "corpus/world/world_put.h"

typedef struct {
    ig_world_tree tree;
    ig_world_words words;
} sentence;

static ig_code write_sentences(ig_out *out, const ig_world *w, int64_t from, int64_t to,
                               ig_err *err)
{
    sentence *s;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    for (int64_t i = from; i < to && !ferror(out->fp); i++) { /* closing reports it */
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, 0, &s->tree, &s->words);
        ig_world_text_put(out->fp, &s->words, '\n');
    }
    ig_free(s);
    return IG_ERR_OK;
}

ig_code ig_run_world_new(ig_world **out, const ig_run_data *d, const char *languages, ig_err *err)
{
    ig_world_options o;
    ig_world_language language[IG_WORLD_LANGUAGES];
    int n;
    IG_ASSERT(ig_world_preset(&o, ig_world_preset_names[d->world]));
    o.seed = (uint64_t)d->world_seed;
    IG_TRY(ig_world_languages_parse(language, &n, languages, err));
    return ig_world_new(out, &o, language, n, err);
}

static ig_code write_text(const char *path, const ig_run_data *d, bool dev, ig_err *err)
{
    ig_world *w;
    ig_out out;
    IG_TRY(ig_run_world_new(&w, d, "eng", err));
    ig_code code = ig_out_open(&out, path, err);
    if (code == IG_ERR_OK) {
        int64_t from = dev ? d->world_sentences : 0;
        int64_t to = d->world_sentences + (dev ? d->dev_take : 0);
        code = write_sentences(&out, w, from, to, err);
        code = ig_out_close(&out, code, err);
    }
    ig_world_free(w);
    return code;
}

ig_code ig_world_text(char path[IG_PATH], const ig_run_data *d, const char *data_dir, bool dev,
                      ig_err *err)
{
    IG_TRY(ig_folder_path(path, data_dir, err, dev ? "world-dev.txt" : "world-train.txt"));
    return ig_file_exists(path) ? IG_ERR_OK : write_text(path, d, dev, err);
}
