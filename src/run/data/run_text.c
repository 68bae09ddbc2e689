/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's texts, shared or of a language, read as lines and as pieces: see run_text.h.
 */
#include "run/data/run_text.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/world/world_put.h"

ig_code ig_run_texts_new(ig_run_texts *t, const ig_data_settings *settings, const char *dir,
                         ig_err *err)
{
    *t = (ig_run_texts){.settings = settings,
                        .dir = dir,
                        .shared = !ig_run_languages_have_texts(settings->languages)};
    return ig_alloc(&t->pipeline, IG_RUN_MAX_LANGUAGE, sizeof *t->pipeline, "languages", err);
}

void ig_run_texts_free(ig_run_texts *t)
{
    for (int k = 0; k < IG_RUN_MAX_LANGUAGE && t->pipeline != NULL; k++)
        ig_word_pipeline_free(&t->pipeline[k]);
    ig_free(t->pipeline);
    ig_language_texts_free(t->own);
}

ig_code ig_run_texts_fit(ig_run_texts *t, int k, ig_err *err)
{
    if (t->own == NULL)
        IG_TRY(ig_language_texts_new(&t->own, t->settings, err));
    if (t->fitted[k])
        return IG_ERR_OK;
    t->fitted[k] = true;
    return ig_language_texts_fit(&t->pipeline[k], t->own, k, err);
}

typedef struct {
    ig_world_tree tree;
    ig_world_words words;
} sentence;

static ig_code write_sentences(ig_out *out, const ig_world *w, int64_t from, int64_t to,
                               ig_err *err)
{
    IG_OWNED sentence *s = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentence", err));
    for (int64_t i = from; i < to && !ferror(out->fp); i++) { /* closing reports it */
        ig_world_sentence(w, i, &s->tree);
        ig_world_linearise(w, 0, &s->tree, &s->words);
        ig_world_text_put(out->fp, &s->words, '\n');
    }
    return IG_ERR_OK;
}

static ig_code write_world(const char *path, const ig_run_data *d, bool dev, ig_err *err)
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

/* Writes (unless it is there) the training or development text of a generated world, a sentence a
 * line, and gives its path. Development sentences follow the training ones. */
static ig_code world_text(char path[IG_PATH], const ig_run_data *d, const char *data_dir, bool dev,
                          ig_err *err)
{
    IG_TRY(ig_folder_path(path, data_dir, err, dev ? "world-dev.txt" : "world-train.txt"));
    return ig_file_exists(path) ? IG_ERR_OK : write_world(path, d, dev, err);
}

static ig_code open_shared(ig_run_text *t, const ig_run_texts *all, bool dev, ig_err *err)
{
    const ig_run_data *d = all->settings->data;
    ig_sentence_options o = ig_run_data_sentences(d, dev);
    t->path = dev ? d->dev_text : d->text;
    if (!dev)
        o.take = ig_data_settings_take(all->settings, 0);
    if (d->text == NULL) {
        IG_TRY(world_text(t->world, d, all->dir, dev, err));
        t->path = t->world;
        o = (ig_sentence_options){.kind = IG_TEXT_PLAIN, .whole_lines = true};
    }
    return ig_sentences_open(&t->lines, &t->path, 1, &o, err);
}

ig_code ig_run_text_open(ig_run_text *t, ig_run_texts *all, int k, bool dev, ig_err *err)
{
    *t = (ig_run_text){0};
    if (all->shared)
        return open_shared(t, all, dev, err);
    IG_TRY(ig_run_texts_fit(all, k, err));
    return ig_language_text_open(&t->words, all->own, k, dev, &all->pipeline[k], err);
}

void ig_run_text_close(ig_run_text *t)
{
    if (t->lines != NULL)
        ig_sentences_close(t->lines);
    ig_language_text_close(t->words);
    ig_pieces_free(&t->pieces);
    ig_free(t->line);
    *t = (ig_run_text){0};
}

ig_code ig_run_text_line(ig_run_text *t, const char **line, int64_t *n, ig_err *err)
{
    const ig_phrase *p;
    int64_t number;
    *line = NULL;
    *n = 0;
    if (t->lines != NULL)
        return ig_sentences_next(t->lines, line, n, err);
    IG_TRY(ig_language_text_next(t->words, &p, NULL, &number, err));
    if (p == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_phrase_text(p, &t->line, &t->have, n, err));
    *line = t->line;
    return IG_ERR_OK;
}

/* A line of no piece is left out. */
static ig_code cut_line(ig_run_text *t, const ig_tokenizer *tokenizer, ig_err *err)
{
    ig_pieces *p = &t->pieces;
    const char *line;
    int64_t n;
    for (p->n_id = 0; p->n_id == 0;) {
        IG_TRY(ig_sentences_next(t->lines, &line, &n, err));
        if (line == NULL)
            return IG_ERR_OK;
        IG_TRY(ig_tokenizer_encode(tokenizer, line, n, &p->id, &p->n_id, &p->have_id, err));
    }
    return ig_unknown_add(&t->unknown, tokenizer, &(ig_cut_text){line, n, p->id, p->n_id, 1}, err);
}

/* A line as it is: its pieces are its units. */
static ig_code cut_whole(ig_pieces *p, const char *line, int64_t n, const ig_tokenizer *tokenizer,
                         ig_err *err)
{
    IG_TRY(ig_tokenizer_encode(tokenizer, line, n, &p->id, &p->n_id, &p->have_id, err));
    if (p->n_id > INT32_MAX / IG_TRACE_UNIT - 1)
        return ig_fail(err, IG_ERR_INPUT, "text", 0, "a sentence of more than %d pieces",
                       INT32_MAX / IG_TRACE_UNIT - 1);
    IG_TRY(ig_grow(&p->link, &p->have_link, p->n_id, sizeof *p->link, "links", err));
    for (int32_t i = 0; i < p->n_id; i++)
        p->link[p->n_link++] = (ig_trace_link){i, i * IG_TRACE_UNIT, (i + 1) * IG_TRACE_UNIT};
    return IG_ERR_OK;
}

/* A sentence of a language's own text: by words, whose pieces are linked to what they cover. A
 * tokenizer that splits by other rules gets the line as it is where it can. */
static ig_code cut_sentence(ig_run_text *t, const ig_phrase *phrase, const ig_tokenizer *tokenizer,
                            ig_err *err)
{
    ig_pieces *p = &t->pieces;
    int64_t n;
    const char *line = ig_language_text_line(t->words, &n);
    p->n_id = p->n_link = 0;
    if (line != NULL && ig_tokenizer_has_own_split(tokenizer))
        IG_TRY(cut_whole(p, line, n, tokenizer, err));
    if (p->n_id == 0) {
        IG_TRY(ig_phrase_pieces(phrase, tokenizer, p, err));
        IG_TRY(ig_phrase_text(phrase, &t->line, &t->have, &n, err));
        line = t->line;
    }
    return ig_unknown_add(&t->unknown, tokenizer, &(ig_cut_text){line, n, p->id, p->n_id, 1}, err);
}

ig_code ig_run_text_pieces(ig_run_text *t, const ig_tokenizer *tokenizer, const ig_pieces **out,
                           ig_err *err)
{
    const ig_phrase *p;
    int64_t number;
    *out = NULL;
    t->pieces.n_id = 0;
    if (t->lines != NULL) {
        IG_TRY(cut_line(t, tokenizer, err));
    } else {
        IG_TRY(ig_language_text_next(t->words, &p, NULL, &number, err));
        if (p != NULL)
            IG_TRY(cut_sentence(t, p, tokenizer, err));
    }
    if (t->pieces.n_id > 0)
        *out = &t->pieces;
    return IG_ERR_OK;
}

const char *ig_run_text_where(const ig_run_text *t)
{
    return t->lines != NULL ? ig_sentences_where(t->lines) : ig_language_text_where(t->words);
}
