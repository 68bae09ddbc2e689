/* SPDX-License-Identifier: Apache-2.0
 *
 * Corpora of a run over its data: see setup.h.
 */
#include "run/data/setup.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "apply/folder/run_folder.h"
#include "corpus/language/transform.h"
#include "corpus/read/sentences.h"
#include "text/folder/bert_files.h"

#include <stdio.h>
#include <string.h>

/* A vocabulary of its own has a block of its own, though nobody said so: true. */
static bool add_shift(char pipeline[IG_SPEC_TEXT])
{
    char with[IG_SPEC_TEXT + 16];
    ig_pipeline p;
    if (ig_pipeline_parse(&p, pipeline, "", 0, NULL) != IG_ERR_OK)
        return false;
    for (int i = 0; i < p.n; i++)
        if (p.step[i].kind == &ig_transform_shift)
            return false;
    snprintf(with, sizeof with, "shift%s%s", pipeline[0] != '\0' ? " | " : "", pipeline);
    if (strlen(with) < IG_SPEC_TEXT)
        memcpy(pipeline, with, strlen(with) + 1);
    return true;
}

/* The first of the languages before k that have k's vocabulary and a block of it that they did not
 * request, counted from 1; 0: none. */
static int block_shared(const ig_language_data *d, const bool *added, int k)
{
    for (int i = 0; i < k && added[k]; i++)
        if (added[i] && d->tokenizer[i] == d->tokenizer[k])
            return i + 1;
    return 0;
}

/* The corpus over the training or (o->development) the development shards, or over `text`, the
 * shard of a text that all languages share (may be NULL); halves of no-parallel are cut from the
 * training text only. */
static ig_code make_corpus(ig_corpus **out, const ig_language_data *d, const ig_run_languages *l,
                           const ig_shard *text, const ig_corpus_options *o, ig_err *err)
{
    const bool dev = o->development;
    char(*pipeline)[IG_SPEC_TEXT];
    ig_language_spec spec[IG_RUN_MAX_LANGUAGE];
    bool added[IG_RUN_MAX_LANGUAGE];
    IG_TRY(ig_alloc(&pipeline, l->n, sizeof *pipeline, "languages", err));
    for (int k = 0; k < l->n; k++) {
        memcpy(pipeline[k], dev ? l->whole[k] : l->language[k].pipeline, sizeof *pipeline);
        added[k] = d->tokenizer[k] != d->tokenizer[0] && add_shift(pipeline[k]);
        spec[k] = (ig_language_spec){.name = l->language[k].name,
                                     .pipeline = pipeline[k],
                                     .source = text != NULL ? text : d->shard[dev][k],
                                     .continues = d->continues[k],
                                     .same = d->same[k],
                                     .trace = d->trace[dev][k],
                                     .from_pivot = d->from_pivot[k],
                                     .n_pivot = d->n_pivot,
                                     .gold = (const int32_t(*)[2])d->gold[k],
                                     .n_gold = d->n_gold[k],
                                     .shares_block = block_shared(d, added, k)};
    }
    ig_code code = ig_corpus_new(out, spec, l->n, o, err);
    ig_free(pipeline);
    return code;
}

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
    ig_code code = make_corpus(&s->train, s->languages, d->languages, NULL, &o, err);
    o.development = true;
    IG_THEN(code, make_corpus(&s->dev, s->languages, d->languages, NULL, &o, err));
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
    return make_corpus(corpus, s->languages, d->languages, *tokens, &o, err);
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
        if (l->reverse == row || (l->sep == row && row != ig_corpus_get_options(s->train)->sep &&
                                  (row < l->first_id || row >= l->first_id + l->n_id)))
            return l;
    }
    return NULL;
}

static ig_code marker_piece(char **out, const ig_language *l, int32_t row, ig_err *err)
{
    const size_t size = strlen(l->name) + sizeof "[SEP-]";
    IG_TRY(ig_alloc(out, (int64_t)size, 1, "vocabulary", err));
    snprintf(*out, size, "[%s-%s]", row == l->sep ? "SEP" : "REV", l->name);
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
            code = marker_piece(&(*pieces)[first], marked(s, first), first, err);
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

static int add_marker(json_t *languages, int i, int32_t row)
{
    json_t *special = json_object_get(json_array_get(languages, (size_t)i), "special");
    return json_object_set_new(special, "reverse", json_integer(row));
}

/* The pieces of a list of anchors, which the texts of the model need, too. */
static int add_anchors(json_t *languages, int i, const int32_t *same, int32_t n)
{
    json_t *list = json_array();
    for (int32_t p = 0; p < n; p++)
        if (same[p] >= 0)
            json_array_append_new(list, json_integer(p));
    return json_object_set_new(json_array_get(languages, (size_t)i), "anchors", list);
}

/* The vocabulary of a language that has rows in the model, but is not in the folder's own files:
 * vocab.txt has those of word pieces alone. NULL: there is none. */
static const ig_tokenizer *vocabulary_apart(const ig_setup *s, int k)
{
    const ig_tokenizer *t = s->languages != NULL ? s->languages->tokenizer[k] : s->tokenizer;
    return t == s->tokenizer || (ig_tokenizer_is_bert(s->tokenizer) && ig_tokenizer_is_bert(t))
               ? NULL
               : t;
}

static int add_tokenizer(json_t *languages, int i)
{
    char name[32];
    snprintf(name, sizeof name, "tokenizer-%d.json", i);
    return json_object_set_new(json_array_get(languages, (size_t)i), "tokenizer",
                               json_string(name));
}

static ig_code write_apart(const ig_setup *s, const char *dir, ig_err *err)
{
    for (int i = 0; i < ig_corpus_n_language(s->train); i++) {
        char path[IG_PATH];
        if (vocabulary_apart(s, i) == NULL)
            continue;
        IG_TRY(ig_folder_path(path, dir, err, "tokenizer-%d.json", i));
        IG_TRY(ig_tokenizer_json_write(vocabulary_apart(s, i), path, err));
    }
    return IG_ERR_OK;
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
        const bool listed = s->languages != NULL && s->languages->language[i].anchors[0] != '\0';
        if (failed != 0 ||
            (listed && add_anchors(languages, i, s->languages->same[i], l->n_id) != 0) ||
            (vocabulary_apart(s, i) != NULL && add_tokenizer(languages, i) != 0) ||
            (l->reverse > 0 && add_marker(languages, i, l->reverse) != 0)) {
            json_decref(languages);
            return NULL;
        }
    }
    return json_pack("{s:{s:i, s:I, s:o}}", "isoglot", "base_vocab_size",
                     ig_tokenizer_size(s->tokenizer), "transform_seed",
                     (json_int_t)ig_corpus_get_options(s->train)->seed, "languages", languages);
}

ig_code ig_setup_save(const ig_setup *s, const ig_bert *model, int64_t step, const char *dir,
                      ig_err *err)
{
    const bool bert = ig_tokenizer_is_bert(s->tokenizer);
    const ig_bert_tokenizer_use use = {ig_corpus_get_options(s->train)->block,
                                       ig_bert_get_config(model)->block == IG_BLOCK_MODERN};
    char **pieces = NULL;
    int32_t n = 0;
    json_t *extra = ig_setup_json(s);
    if (step >= 0)
        json_object_set_new(json_object_get(extra, "isoglot"), "step", json_integer(step));
    ig_code code = extra != NULL && !ig_json_lost()
                       ? ig_bert_save(model, dir, extra, err)
                       : ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for config.json");
    json_decref(extra);
    if (bert)
        IG_THEN(code, ig_setup_pieces(s, &pieces, &n, err));
    IG_THEN(code,
            ig_bert_tokenizer_write(dir, (const char *const *)pieces, n, s->tokenizer, &use, err));
    IG_THEN(code, write_apart(s, dir, err));
    ig_free_list(pieces, n);
    return code;
}

/* Counts the tokens that sequences lose. A line is truncated at the block, a pair of sentences
 * likewise; windows of a stream have all tokens except those of sentences longer than any sequence,
 * which only development texts have (docs/batches.md). */
static void warn_lost(const ig_shard *s, const char *name, bool dev, int32_t most)
{
    int64_t n_token = 0, n_sentence = 0;
    for (int64_t i = 0; i < s->n_sentence; i++) {
        int32_t n;
        (void)ig_shard_sentence(s, i, &n);
        n_token += n > most ? n - most : 0;
        n_sentence += n > most;
    }
    if (n_token > 0)
        ig_warn_once("%lld of %lld tokens of %s%s are not %s: %lld of %lld sentences have more "
                     "than %d tokens%s",
                     (long long)n_token, (long long)s->n_token, name,
                     dev ? "'s development text" : "", dev ? "evaluated on" : "trained on",
                     (long long)n_sentence, (long long)s->n_sentence, most,
                     dev ? "" : "; with --instances stream none is lost");
}

void ig_setup_warn_lost(const ig_setup *s, const ig_run_objective *o, bool evaluated)
{
    const ig_language_data *d = s->languages;
    const int32_t special = o->batching.instances == IG_INSTANCES_PAIRS ? 3 : 2;
    const int32_t most = o->batching.instances == IG_INSTANCES_STREAM ? (int32_t)IG_SENTENCE_WHOLE
                                                                      : (int32_t)o->block - special;
    for (int k = 0; k < d->n; k++) {
        const ig_shard *train = d->shard[0][k], *dev = d->shard[1][k];
        if (k > 0 && train == d->shard[0][0])
            continue;
        warn_lost(train, d->language[k].name, false, most);
        if (evaluated && dev != NULL)
            warn_lost(dev, d->language[k].name, true, IG_SENTENCE_WHOLE);
    }
}
