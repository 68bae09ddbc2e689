/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot encode: vectors of sentences, one of each line, as text or as NumPy's array (format
 * version 1.0 of its file, whose header is completed when the lines are counted).
 */
#include "apply/pooling.h"
#include "apply/sentence_model.h"
#include "apply/states_file.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/signals.h"
#include "corpus/read/text_source.h"
#include "text/white_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ig_states_options states;
    char *language, *out, *prompt;
    int64_t layer;
    int pool, format;
    bool normalise;
} encode_config;

enum { AUTO, TEXT, NPY, STATES };
static const char *const formats[] = {"auto", "text", "npy", "safetensors", NULL};

/* auto, then as ig_pooling. */
static const char *const poolings[] = {"auto", "mean", "cls", "last", "weighted", NULL};

static const ig_option options[] = {
    IG_STATES_HOW(encode_config, states, "Model"),
    {IG_TEXT(encode_config, "language", language, NULL, "L",
             "language of the sentences; none: the model's first"),
     .group = "Vectors"},
    {IG_INT(encode_config, "layer", layer, "-1", -1, 1024,
            "layer, 0 is the embeddings; -1: two thirds of the depth, rounded up")},
    {IG_ENUM(encode_config, "pooling", pool, "auto", poolings,
             "mean over the pieces, the state of [CLS] or of the last piece, or a mean weighted by "
             "position; auto: the modules of a folder of sentence-transformers, else mean")},
    {IG_TEXT(encode_config, "prompt", prompt, NULL, "NAME",
             "of such a folder, before each sentence; none: its default")},
    {IG_FLAG(encode_config, "normalize", normalise, NULL, "vectors of length 1")},
    {IG_PATH(encode_config, "out", out, "FILE", "the vectors; none: standard output"),
     .group = "Result"},
    {.old = "format",
     IG_ENUM(
         encode_config, "as", format, "auto", formats,
         "numbers separated by blanks, a line each, NumPy's array, or the states of all layers for "
         "diagnose --states; auto: by FILE's ending")},
};

typedef struct {
    const encode_config *c;
    ig_states *states;
    ig_sentence_model *modules; /* NULL: pooled by `pool` */
    ig_out out;
    float *vector; /* [d] */
    int d;
    int format;
    ig_states_writer all; /* of all layers, with what they are pooled into */
    float **pooled;
    int64_t line, *line_of; /* lines read; those of the sentences that wait or are written */
    int64_t n_line_of, have_line_of;
    int64_t n, n_cut;
} encoding;

/* Writes the header of a float32 array [n, d], whose length does not depend on n. */
static ig_code put_header(encoding *e, ig_err *err)
{
    enum { SIZE = 128, BEFORE = 10 };
    char header[SIZE + 1];
    const int n = snprintf(header + BEFORE, SIZE - BEFORE,
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %d), }",
                           (long long)e->n, e->d);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = SIZE - BEFORE;
    header[9] = 0;
    memset(header + BEFORE + n, ' ', (size_t)(SIZE - BEFORE - n));
    header[SIZE - 1] = '\n';
    return ig_out_write(&e->out, header, SIZE, err);
}

static ig_code put_text(encoding *e, ig_err *err)
{
    char number[32];
    for (int i = 0; i < e->d; i++) {
        const int n = snprintf(number, sizeof number, "%.9g%c", (double)e->vector[i],
                               i + 1 < e->d ? ' ' : '\n');
        IG_TRY(ig_out_write(&e->out, number, n, err));
    }
    return IG_ERR_OK;
}

/* Pools layer l of the requested ones into out [d]. */
static ig_code pool(const encoding *e, float *out, const ig_sentence_states *s, int l, ig_err *err)
{
    if (e->modules != NULL)
        ig_sentence_model_apply(e->modules, out, s, l);
    else
        ig_pool_states(out, s, l, e->d,
                       e->c->pool > 0 ? (ig_pooling)(e->c->pool - 1) : IG_POOL_MEAN);
    for (int i = 0; i < e->d; i++)
        if (!isfinite(out[i]))
            return ig_fail(err, IG_ERR_NUMERIC, e->c->states.model, 0,
                           "the vector of line %lld is not finite",
                           (long long)e->line_of[s->number]);
    return e->c->normalise ? ig_unit_rows(out, 1, e->d, "vectors", err) : IG_ERR_OK;
}

static ig_code put(void *arg, const ig_sentence_states *s, ig_err *err)
{
    encoding *e = arg;
    e->n++;
    e->n_cut += s->cut;
    if (e->format == STATES) {
        for (int l = 0; l < e->all.n_layer; l++)
            IG_TRY(pool(e, e->pooled[l], s, l, err));
        return ig_states_file_put(&e->all, &e->out, (const float *const *)e->pooled,
                                  e->line_of[s->number], err);
    }
    IG_TRY(pool(e, e->vector, s, 0, err));
    return e->format == NPY ? ig_out_write(&e->out, e->vector, e->d * (int64_t)sizeof(float), err)
                            : put_text(e, err);
}

/* Each line is a sentence, blank ones too, so that rows are lines; of all layers' states those that
 * are not, whose ids are the numbers of the lines, or of verses those of the verses. */
static ig_code read_lines(encoding *e, const char *path, ig_err *err)
{
    ig_unknown_pieces unknown = {0};
    ig_text_source *r;
    int language;
    IG_TRY(ig_model_languages_find_requested(&language, ig_states_languages(e->states),
                                             e->c->language, "--language", err));
    IG_TRY(ig_text_open_rows(&r, path, err));
    ig_states_watch(e->states, &unknown);
    ig_states_begin(e->states, put, e);
    ig_code code = IG_ERR_OK;
    for (ig_text_record line; code == IG_ERR_OK;) {
        code = ig_text_next(r, &line, err);
        if (code != IG_ERR_OK || line.text == NULL)
            break;
        e->line = line.id != 0 ? line.id : e->line + 1;
        if (e->format == STATES && ig_is_blank(line.text, line.n))
            continue;
        code = ig_grow(&e->line_of, &e->have_line_of, e->n_line_of + 1, sizeof *e->line_of, "lines",
                       err);
        if (code == IG_ERR_OK)
            e->line_of[e->n_line_of++] = e->line;
        const char *text = line.text;
        int64_t n = line.n;
        if (e->modules != NULL)
            IG_THEN(code,
                    ig_sentence_model_prompted(&text, &n, e->modules, line.text, line.n, err));
        ig_states_at(e->states, path, ig_text_line(r));
        IG_THEN(code, ig_states_put(e->states, language, text, n, err));
    }
    IG_THEN(code, ig_states_end(e->states, err));
    ig_states_watch(e->states, NULL);
    IG_THEN(code, ig_states_watched(e->states, &unknown, path, err));
    ig_text_close(r);
    return code;
}

/* Begins the file, or completes what was written there. */
static ig_code put_head(encoding *e, ig_err *err)
{
    return e->format == NPY      ? put_header(e, err)
           : e->format == STATES ? ig_states_file_header(&e->all, &e->out, err)
                                 : IG_ERR_OK;
}

static ig_code encode(encoding *e, const char *text, ig_err *err)
{
    IG_TRY(put_head(e, err));
    IG_TRY(read_lines(e, text, err));
    ig_report_cut(text, e->n_cut, e->n);
    if (e->modules != NULL && ig_sentence_model_whole(e->modules) > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: of %lld of %lld sentences no token is left without the prompt: it is pooled "
               "with them",
               text, (long long)ig_sentence_model_whole(e->modules), (long long)e->n);
    if (e->format == TEXT)
        return IG_ERR_OK;
    if (e->format == STATES)
        IG_TRY(ig_states_file_end(&e->all, &e->out, err));
    return fseek(e->out.fp, 0, SEEK_SET) == 0
               ? put_head(e, err)
               : ig_fail(err, IG_ERR_IO, e->c->out, 0, "cannot be positioned, expected a file");
}

/* A stop leaves no file. */
static bool stop_requested(const void *arg)
{
    (void)arg;
    return ig_signals_asked();
}

static bool ends_in(const char *path, const char *end)
{
    const size_t n = path != NULL ? strlen(path) : 0, m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

static int format_of(const encode_config *c)
{
    return c->format != AUTO                 ? c->format
           : ends_in(c->out, ".npy")         ? NPY
           : ends_in(c->out, ".safetensors") ? STATES
                                             : TEXT;
}

static ig_code open_model(encoding *e, ig_states_options *how, ig_err *err)
{
    const encode_config *c = e->c;
    int layer;
    if (e->format == STATES && c->layer >= 0)
        return ig_fail(err, IG_ERR_USAGE, "--layer", 0, "found %d, but safetensors has all layers",
                       (int)c->layer);
    if (e->format == STATES && c->prompt != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--prompt", 0,
                       "is of sentence vectors, but safetensors has the states of all layers");
    how->all_layers = e->format == STATES;
    how->bare = true;
    IG_TRY(ig_states_open(&e->states, how, err));
    const ig_bert_config *config = ig_bert_get_config(ig_states_encoder(e->states)->model);
    e->d = config->hidden_size;
    if (c->pool - 1 == IG_POOL_CLS && config->causal)
        return ig_fail(err, IG_ERR_USAGE, "--pooling", 0,
                       "found cls, but in a causal model [CLS] sees no other token, expected mean, "
                       "last or weighted");
    if (e->format == STATES) {
        const int *ignored, n = ig_states_layers(e->states, &ignored);
        e->all = (ig_states_writer){.model = how->model, .n_layer = n, .d = e->d};
        IG_TRY(ig_alloc(&e->pooled, n, sizeof *e->pooled, "vectors", err));
        for (int l = 0; l < n; l++)
            IG_TRY(ig_alloc(&e->pooled[l], e->d, sizeof **e->pooled, "vectors", err));
        return IG_ERR_OK;
    }
    if (c->layer < 0 && c->pool == 0)
        IG_TRY(ig_sentence_model_open(&e->modules, how->model, ig_states_encoder(e->states),
                                      &(ig_sentence_model_options){c->prompt}, err));
    if (e->modules == NULL && c->prompt != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--prompt", 0,
                       "needs the modules of a folder of sentence-transformers (modules.json)");
    if (e->modules != NULL) {
        e->d = ig_sentence_model_size(e->modules);
        ig_states_set_most(e->states, ig_sentence_model_most(e->modules));
        ig_log(IG_LOG_NORMAL, "%s: %s", how->model, ig_sentence_model_text(e->modules));
    }
    IG_TRY(ig_encoder_layer(
        &layer, ig_states_encoder(e->states),
        e->modules != NULL
            ? ig_bert_get_config(ig_states_encoder(e->states)->model)->num_hidden_layers
            : (int)c->layer,
        err));
    IG_TRY(ig_states_set_layers(e->states, &layer, 1, err));
    return ig_alloc(&e->vector, e->d, sizeof *e->vector, "vector", err);
}

static ig_code run(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    encode_config *c = settings;
    encoding e = {.c = c, .format = format_of(c)};
    (void)n_arg;
    if (e.format != TEXT && c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for %s",
                       e.format == NPY ? "an array" : "states");
    IG_TRY(ig_out_try(c->out, err));
    ig_signals_answer("\nstopping\n");
    (void)ig_signals_catch();
    c->states.model = arg[0];
    c->states.stop = (ig_stop){stop_requested, NULL};
    ig_code code = open_model(&e, &c->states, err);
    /* The head of an array is completed last. */
    if (e.format != TEXT && c->out != NULL && strcmp(c->out, "-") == 0)
        IG_THEN(code, ig_out_open(&e.out, c->out, err));
    else
        IG_THEN(code, ig_out_new(&e.out, c->out != NULL ? c->out : "-", err));
    if (code == IG_ERR_OK)
        code = ig_out_close(&e.out, encode(&e, arg[1], err), err);
    if (e.pooled != NULL)
        ig_free_list(e.pooled, e.all.n_layer);
    IG_FREE(e.vector, e.line_of, e.all.id);
    ig_sentence_model_close(e.modules);
    ig_states_close(e.states);
    return code;
}

const ig_command ig_cmd_encode = {
    .name = "encode",
    .summary = "vectors of sentences, one of each line of a text",
    .args = "MODEL FILE",
    .details = "MODEL is a run, one of its checkpoints, or a Hugging Face folder. The modules of a "
               "folder of sentence-transformers (pooling, Dense, Normalize, prompt, length) are "
               "applied unless --layer or --pooling is given.\n\n"
               "  isoglot encode runs/id0 en.txt --out en.npy\n"
               "  isoglot encode bert-base-multilingual-cased de.txt --layer 8 --normalize\n"
               "  isoglot encode runs/causal en.txt --pooling weighted\n"
               "  isoglot encode LaBSE en.txt --out en.safetensors",
    IG_COMMAND_OPTIONS(options, encode_config),
    .run = run,
};
