/* SPDX-License-Identifier: Apache-2.0
 *
 * Corpora of a run over its data: see setup.h.
 */
#include "run/data/setup.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/read/sentences.h"
#include "text/folder/bert_files.h"

#include <stdio.h>
#include <string.h>

ig_code ig_setup_open(ig_setup *s, const ig_data_settings *d, const char *data_dir, ig_err *err)
{
    *s = (ig_setup){0};
    if (d->data->text != NULL && strcmp(d->data->text, "-") == 0)
        return ig_fail(err, IG_ERR_USAGE, "text", 0,
                       "standard input, expected a file: the text is read twice");
    ig_corpus_options o = {.block = (int32_t)d->objective->block,
                           .seed = (uint64_t)d->languages->transform_seed,
                           .parts = d->objective->batching.instances == IG_INSTANCES_PAIRS ? 2 : 1};
    IG_TRY(ig_dir_make(data_dir, err));
    IG_TRY(ig_language_data_open(&s->languages, d, data_dir, &o, err));
    s->tokenizer = s->languages->tokenizer[0];
    ig_code code = ig_language_data_corpus(&s->train, s->languages, d->languages, NULL, &o, err);
    o.development = true;
    IG_THEN(code, ig_language_data_corpus(&s->dev, s->languages, d->languages, NULL, &o, err));
    if (code != IG_ERR_OK)
        ig_setup_close(s);
    return code;
}

ig_code ig_setup_open_in(ig_setup *s, const ig_run_config *c, const char *run_dir, ig_err *err)
{
    const ig_data_settings d = ig_run_config_data(c);
    char data[IG_PATH];
    IG_TRY(ig_folder_path(data, run_dir, err, "data"));
    return ig_setup_open(s, &d, data, err);
}

ig_code ig_setup_open_text(ig_corpus **corpus, ig_shard **tokens, const ig_setup *s,
                           const ig_data_settings *d, const ig_setup_text *text, ig_err *err)
{
    *corpus = NULL;
    *tokens = NULL;
    if (ig_run_languages_have_texts(d->languages))
        return ig_fail(err, IG_ERR_USAGE, "text", 0,
                       "languages have texts of their own; one further text cannot be all of "
                       "theirs");
    if (!ig_file_exists(text->shard)) {
        ig_sentence_options o = ig_run_data_sentences(d->data, true);
        o.kind = text->format;
        o.verses = text->verses;
        o.take = text->take;
        ig_sentences *sentences;
        IG_TRY(ig_sentences_open(&sentences, &text->path, 1, &o, err));
        ig_code code = ig_shard_from_sentences(text->shard, sentences, s->tokenizer,
                                               d->tokens->allow_unknown, err);
        ig_sentences_close(sentences);
        IG_TRY(code);
    }
    ig_corpus_options o = *ig_corpus_get_options(s->train);
    o.development = true;
    IG_TRY(ig_language_shard_open(tokens, text->shard, s->tokenizer, err));
    return ig_language_data_corpus(corpus, s->languages, d->languages, *tokens, &o, err);
}

ig_code ig_setup_fits(const ig_setup *s, const ig_bert_config *model, ig_err *err)
{
    const ig_corpus_options *o = ig_corpus_get_options(s->train);
    const int32_t block = o->block;
    for (int i = 0; i < ig_corpus_n_language(s->train); i++) {
        const ig_language *l = ig_corpus_language(s->train, i);
        if (l->pos_offset > model->max_position_embeddings - block)
            return ig_fail(err, IG_ERR_USAGE, "max-positions", 0,
                           "found %d, but language '%s' has positions from %d to %lld",
                           model->max_position_embeddings, l->name, l->pos_offset,
                           (long long)l->pos_offset + block - 1);
        const int32_t last = l->segment + o->parts - 1;
        if (last >= model->type_vocab_size)
            return ig_fail(err, IG_ERR_USAGE, "segments", 0,
                           "found %d, but language '%s' has segment %d (the first is 0)",
                           model->type_vocab_size, l->name, last);
    }
    return IG_ERR_OK;
}

ig_code ig_setup_open_run(ig_setup *s, ig_run_config *c, const char *run_dir, ig_err *err)
{
    *s = (ig_setup){0};
    *c = (ig_run_config){0};
    IG_TRY(ig_run_config_load_in(c, run_dir, err));
    return ig_setup_open_in(s, c, run_dir, err);
}

void ig_setup_close(ig_setup *s)
{
    ig_corpus_free(s->train);
    ig_corpus_free(s->dev);
    ig_language_data_close(s->languages);
    *s = (ig_setup){0};
}

/* Makes a row's piece: of block b ≥ 1 after b + 1 colons. */
static ig_code one_piece(char **out, const char *piece, int block, ig_err *err)
{
    size_t n = strlen(piece), colons = block > 0 ? (size_t)block + 1 : 0;
    IG_TRY(ig_alloc(out, (int64_t)(n + colons + 1), 1, "vocabulary", err));
    memset(*out, ':', colons);
    memcpy(*out + colons, piece, n + 1);
    return IG_ERR_OK;
}

/* The language whose marker a row is; NULL: it is none. */
static const ig_language *marked(const ig_setup *s, int32_t row)
{
    for (int k = 0; k < ig_corpus_n_language(s->train); k++) {
        const ig_language *l = ig_corpus_language(s->train, k);
        if (l->sep == row && row != ig_corpus_get_options(s->train)->sep &&
            (row < l->first_id || row >= l->first_id + l->n_id))
            return l;
    }
    return NULL;
}

static ig_code marker_piece(char **out, const char *name, ig_err *err)
{
    const size_t size = strlen(name) + sizeof "[SEP-]";
    IG_TRY(ig_alloc(out, (int64_t)size, 1, "vocabulary", err));
    snprintf(*out, size, "[SEP-%s]", name);
    return IG_ERR_OK;
}

static ig_code put_block(char **out, const ig_tokenizer *t, int block, ig_err *err)
{
    for (int32_t i = 0; i < ig_tokenizer_size(t); i++)
        IG_TRY(one_piece(&out[i], ig_tokenizer_piece(t, i), block, err));
    return IG_ERR_OK;
}

ig_code ig_setup_pieces(const ig_setup *s, char ***pieces, int32_t *n, ig_err *err)
{
    *n = ig_corpus_vocab_size(s->train);
    IG_TRY(ig_alloc(pieces, *n, sizeof **pieces, "vocabulary", err));
    ig_code code = put_block(*pieces, s->tokenizer, 0, err);
    /* Every further block is a copy of its language's vocabulary, in the order of their first ids;
     * a row that is in no block is a language's marker. */
    int block = 0;
    for (int32_t first = ig_tokenizer_size(s->tokenizer); first < *n && code == IG_ERR_OK;) {
        const ig_tokenizer *t = s->tokenizer;
        if (marked(s, first) != NULL) {
            code = marker_piece(&(*pieces)[first], marked(s, first)->name, err);
            first++;
            continue;
        }
        for (int k = 0; k < ig_corpus_n_language(s->train); k++)
            if (ig_corpus_language(s->train, k)->first_id == first)
                t = s->languages->tokenizer[k];
        code = put_block(*pieces + first, t, ++block, err);
        first += ig_tokenizer_size(t);
    }
    IG_THEN(code, ig_bert_pieces_check((const char *const *)*pieces, *n, "vocab.txt", err));
    if (code != IG_ERR_OK) {
        ig_free_list(*pieces, *n);
        *pieces = NULL;
        *n = 0;
    }
    return code;
}

ig_code ig_setup_tokenizer_write(const ig_setup *s, char *const *pieces, int32_t n, int32_t block,
                                 const char *dir, ig_err *err)
{
    const ig_tokenizer *t = s->tokenizer;
    const bool bert = ig_tokenizer_is_bert(t);
    const ig_tokenizer_options how = ig_tokenizer_get_options(t);
    char path[IG_PATH];
    IG_TRY(ig_bert_tokenizer_write(dir, bert ? (const char *const *)pieces : NULL, n, &how, block,
                                   err));
    if (bert)
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(path, dir, err, "tokenizer.json"));
    return ig_tokenizer_json_write(t, path, err);
}

json_t *ig_setup_json(const ig_setup *s)
{
    json_t *languages = json_array();
    for (int i = 0; i < ig_corpus_n_language(s->train); i++) {
        const ig_language *l = ig_corpus_language(s->train, i);
        const int failed = json_array_append_new(
            languages,
            json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}", "name",
                      l->name, "pipeline", l->pipeline, "first_id", l->first_id, "n_id", l->n_id,
                      "position_offset", l->pos_offset, "segment", l->segment, "special", "pad",
                      l->pad, "unk", l->unk, "cls", l->cls, "sep", l->sep, "mask", l->mask));
        if (failed != 0) {
            json_decref(languages);
            return NULL;
        }
    }
    return json_pack("{s:{s:i, s:I, s:o}}", "isoglot", "base_vocab_size",
                     ig_tokenizer_size(s->tokenizer), "transform_seed",
                     (json_int_t)ig_corpus_get_options(s->train)->seed, "languages", languages);
}
