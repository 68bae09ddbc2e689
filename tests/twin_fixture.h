/* SPDX-License-Identifier: Apache-2.0
 *
 * Models of twins: the row of each Fake piece is its English row plus one constant vector, rows
 * have the same length and no mean, and blocks add nothing. So the states of the languages differ
 * by that constant at every layer; or, turned, by a rotation (a permutation of columns) and a
 * constant.
 */
#pragma once

#include "corpus_fixture.h"

#include "base/memory.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"

#include <jansson.h>

/* 16 orthogonal rows of ±1, and two columns that tell the language. */
enum { N_PIECE = 15, CODE = 16, D = CODE + 2, DEPTH = 2, POSITIONS = 24, N_LINE = 40 };

static const char *const piece[N_PIECE] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                           "a",     "b",     "c",     "##a",   "##b",
                                           "##c",   "e",     "f",     "g",     "h"};
static ig_err err;

/* Row `id` of the table: entry (id + 1, k) of Hadamard's matrix, and the language. */
static inline float entry(int id, int k, bool turned)
{
    const int base = id % N_PIECE, language = id / N_PIECE;
    if (turned && language == 1 && k < CODE)
        k = (5 * k + 3) % CODE;
    if (k >= CODE)
        return (k == CODE) == (language == 0) ? 2.0f : -2.0f;
    return __builtin_parity((unsigned)((base + 1) & k)) != 0 ? -1.0f : 1.0f;
}

static inline void fill(ig_bert *m, bool turned)
{
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        float *w = ig_bert_weights(m) + p->offset;
        const bool norm = strstr(p->name, "LayerNorm.weight") != NULL,
                   words = strstr(p->name, "word_embeddings") != NULL;
        for (int r = 0; r < p->rows; r++)
            for (int k = 0; k < p->cols; k++)
                w[r * p->cols + k] = words ? entry(r, k, turned) : norm ? 1 : 0;
    }
}

static inline void make_twins(const char *name, const char *pipeline, bool turned)
{
    ig_bert_config c = ig_bert_config_small(2 * N_PIECE);
    char dir[256], path[300], text[600] = "";
    ig_bert *m;
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 8;
    c.num_hidden_layers = DEPTH;
    c.max_position_embeddings = POSITIONS;
    c.no_transform = true;
    json_t *extra =
        json_pack("{s:{s:i, s:[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}, {s:s, "
                  "s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}}",
                  "isoglot", "base_vocab_size", N_PIECE, "languages", "name", "en", "pipeline", "",
                  "first_id", 0, "n_id", N_PIECE, "position_offset", 0, "segment", 0, "special",
                  "pad", 0, "unk", 1, "cls", 2, "sep", 3, "mask", 4, "name", "fake", "pipeline",
                  pipeline, "first_id", N_PIECE, "n_id", N_PIECE, "position_offset", 0, "segment",
                  0, "special", "pad", 0, "unk", 1, "cls", 2, "sep", 3, "mask", 4);
    strcpy(dir, fixture_path(name));
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    fill(m, turned);
    assert_ok(ig_dir_make(dir, &err), &err);
    assert_ok(ig_bert_save(m, dir, extra, &err), &err);
    json_decref(extra);
    ig_bert_free(m);
    for (int i = 0; i < 2 * N_PIECE; i++)
        sprintf(text + strlen(text), "%s%s\n", i < N_PIECE ? "" : "::", piece[i % N_PIECE]);
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

static inline void make_text(void)
{
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    char text[N_LINE * 60] = "", *p = text;
    for (int i = 0; i < N_LINE; i++) {
        const int n = 1 + (int)ig_rng_below(&r, 7);
        for (int k = 0; k < n; k++) {
            *p++ = "abcefgh"[ig_rng_below(&r, 7)];
            if (ig_rng_below(&r, 2) == 0 && strchr("abc", p[-1]) != NULL)
                *p++ = "abc"[ig_rng_below(&r, 3)];
            *p++ = ' ';
        }
        *p++ = '\n';
    }
    assert_ok(ig_file_write(fixture_path("t.txt"), text, p - text, &err), &err);
}
