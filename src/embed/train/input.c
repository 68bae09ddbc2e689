/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the texts or the shard that a command trains embeddings on, as numbered words.
 */
#include "embed/train/input.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool begins_as_shard(const char *path)
{
    char head[8] = "";
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (f == NULL)
        return false;
    size_t n = fread(head, 1, sizeof head, f);
    fclose(f);
    return n == sizeof head && memcmp(head, "IGSHARD\n", sizeof head) == 0;
}

static ig_code read_shard(ig_text_ids *out, const char *path, const ig_embed_input_options *o,
                          ig_err *err)
{
    const ig_tokenizer_options t = {.lowercase = o->words.lowercase};
    const char *slash = strrchr(path, '/'), *vocab = o->vocab;
    ig_pool pool = {0};
    ig_tokenizer *tokenizer = NULL;
    ig_shard *shard = NULL;
    ig_code code = IG_ERR_OK;
    if (vocab == NULL) /* beside the shard */
        code = ig_pool_print(&pool, &vocab, err, "%.*svocab.txt",
                             slash != NULL ? (int)(slash + 1 - path) : 0, path);
    IG_THEN(code, ig_tokenizer_load(&tokenizer, vocab, &t, err));
    IG_THEN(code, ig_shard_open(&shard, path, err));
    IG_THEN(code, ig_text_ids_shard(out, shard, path, tokenizer, &o->words, err));
    ig_shard_close(shard);
    ig_tokenizer_free(tokenizer);
    ig_pool_free(&pool);
    return code;
}

static ig_code read_texts(ig_text_ids *out, const char *const *path, int n_path,
                          const ig_embed_input_options *o, ig_err *err)
{
    const ig_tokenizer_options t = {.lowercase = o->words.lowercase};
    ig_tokenizer *tokenizer = NULL;
    ig_sentences *s = NULL;
    ig_code code = IG_ERR_OK;
    if (o->vocab != NULL)
        code = ig_tokenizer_load(&tokenizer, o->vocab, &t, err);
    IG_THEN(code, ig_sentences_open(&s, path, n_path, &o->text, err));
    IG_THEN(code, ig_text_ids_read(out, s, tokenizer, &o->words, err));
    ig_sentences_close(s);
    ig_tokenizer_free(tokenizer);
    return code;
}

/* The sentences and pieces of a shard are what they are: names an option that would change them;
 * NULL: none is given. */
static const char *text_option(const ig_embed_input_options *o)
{
    const ig_sentence_options *t = &o->text;
    return t->take > 0                         ? "--take"
           : o->words.split != IG_SPLIT_BLANKS ? "--split"
           : t->clauses                        ? "--clauses"
           : t->strip_quotes                   ? "--strip-quotes"
           : t->verses.n > 0                   ? "--ids"
           : t->kind != IG_TEXT_AUTO           ? "--format"
           : t->abbreviations                  ? "--abbreviations"
                                               : NULL;
}

ig_code ig_embed_input(ig_text_ids *out, const char *const *path, int n_path,
                       const ig_embed_input_options *o, ig_err *err)
{
    *out = (ig_text_ids){0};
    for (int i = 0; i < n_path; i++) {
        const bool dir = strcmp(path[i], "-") != 0 && ig_dir_exists(path[i]);
        if (!dir && !begins_as_shard(path[i]))
            continue;
        if (n_path > 1)
            return ig_fail(err, IG_ERR_USAGE, path[i], 0,
                           "found a shard or a folder among %d files, expected it alone", n_path);
        const char *option = text_option(o);
        if (option != NULL)
            return ig_fail(err, IG_ERR_USAGE, option, 0,
                           "has no effect: %.200s is %s, whose sentences are cut", path[i],
                           dir ? "a run's folder" : "a shard");
        if (!dir)
            return read_shard(out, path[i], o, err);
        char *shard;
        IG_TRY(ig_path_join(&shard, path[i], "data/train.shard", err));
        ig_code code = read_shard(out, shard, o, err);
        ig_free(shard);
        return code;
    }
    return read_texts(out, path, n_path, o, err);
}
