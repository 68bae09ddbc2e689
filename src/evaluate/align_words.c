/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunks of sentence pairs through a model; see align_words.h. The layer of the default is that of
 * Dufter & Schütze 2020, 8 of 12, carried over to any depth.
 */
#include "evaluate/align_words.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/order.h"
#include "base/threads/team.h"
#include "run/measure/encoder.h"
#include "corpus/read/parallel_text.h"
#include "measure/alignment.h"
#include "measure/links/assignment.h"
#include "model/engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { chunk = 64 };

/* One sentence of the chunk: its pieces, the unit of each, and its units as text. */
typedef struct {
    int32_t *id, *unit;
    int64_t n, have_id, have_unit;
    int32_t n_unit;
    char *text;
    int64_t n_text, have_text;
    bool cut;
} sentence;

typedef struct {
    sentence side[2];
    int32_t row[2]; /* of its first piece among the chunk's tokens */
    int32_t *links; /* units, sorted, each once */
    int64_t have_links;
    int32_t n_link;
    ig_code code;
    ig_err err;
} pair;

typedef struct {
    float *unit[2], *sim;
    int32_t *pairs, *work;
    int64_t have[5];
    ig_scratch scratch;
    ig_assignment_memory match;
} desk;

typedef struct {
    const ig_align_options *o;
    int32_t longest;
    ig_encoder encoder;
    ig_team *team;
    ig_engine *engine;
    const ig_ops *ops;
    int d;
    pair *pair; /* [chunk] */
    int n_pair;
    desk *desk;
    int32_t *seq_start, *id, *pos, *seg;
    int64_t have[4], have_hidden;
    float *hidden;
} aligner;

/* --- sentences into pieces and units
 * -------------------------------------------------------------------- */

static ig_code add_text(sentence *s, const char *p, int64_t n, bool space, ig_err *err)
{
    IG_TRY(ig_grow(&s->text, &s->have_text, s->n_text + n + 2, 1, "words", err));
    if (space && s->n_text > 0)
        s->text[s->n_text++] = ' ';
    memcpy(s->text + s->n_text, p, (size_t)n);
    s->n_text += n;
    s->text[s->n_text] = '\0';
    return IG_ERR_OK;
}

/* The pieces from..n of one word between white space; what begins a unit depends on its kind. */
static ig_code add_units(const aligner *a, sentence *s, int64_t from, const char *word, int64_t n,
                         ig_err *err)
{
    IG_TRY(ig_grow(&s->unit, &s->have_unit, s->n + 1, sizeof *s->unit, "units", err));
    if (a->o->unit == IG_ALIGN_WORD) {
        for (int64_t i = from; i < s->n; i++)
            s->unit[i] = s->n_unit;
        s->n_unit++;
        return add_text(s, word, n, true, err);
    }
    for (int64_t i = from; i < s->n; i++) {
        const char *piece = ig_tokenizer_piece(a->encoder.tokenizer, s->id[i]);
        bool inside = strncmp(piece, "##", 2) == 0 && piece[2] != '\0' && i > from;
        bool begins = a->o->unit == IG_ALIGN_PIECE || !inside;
        bool bare = inside && a->o->unit == IG_ALIGN_TOKEN;
        s->n_unit += begins;
        s->unit[i] = s->n_unit - 1;
        IG_TRY(add_text(s, piece + (bare ? 2 : 0), (int64_t)strlen(piece) - (bare ? 2 : 0), begins,
                        err));
    }
    return IG_ERR_OK;
}

/* BERT cuts at white space first, so words can be encoded one by one. */
static ig_code take_sentence(const aligner *a, sentence *s, const char *text, ig_err *err)
{
    s->n = s->n_text = 0;
    s->n_unit = 0;
    IG_TRY(add_text(s, "", 0, false, err));
    for (const char *p = text; *p != '\0';) {
        size_t space = strspn(p, " \t"), n = strcspn(p + space, " \t");
        if (n > 0) {
            int64_t from = s->n;
            IG_TRY(ig_tokenizer_encode(a->encoder.tokenizer, p + space, (int64_t)n, &s->id, &s->n,
                                       &s->have_id, err));
            IG_TRY(add_units(a, s, from, p + space, (int64_t)n, err));
        }
        p += space + n;
    }
    s->cut = s->n > a->longest - 2;
    if (s->cut)
        s->n = a->longest - 2;
    return IG_ERR_OK;
}

/* --- a chunk through the model
 * ------------------------------------------------------------------------------ */

static ig_code grow_batch(aligner *a, int64_t n, ig_err *err)
{
    IG_TRY(ig_grow(&a->id, &a->have[0], n, sizeof *a->id, "batch", err));
    IG_TRY(ig_grow(&a->pos, &a->have[1], n, sizeof *a->pos, "batch", err));
    IG_TRY(ig_grow(&a->seg, &a->have[2], n, sizeof *a->seg, "batch", err));
    return ig_grow(&a->hidden, &a->have_hidden, n * a->d, sizeof *a->hidden, "hidden states", err);
}

static ig_code encode(aligner *a, int layer, ig_err *err)
{
    int64_t n = 0;
    for (int k = 0; k < a->n_pair; k++)
        n += a->pair[k].side[0].n + a->pair[k].side[1].n + 4;
    IG_TRY(grow_batch(a, n, err));
    int32_t at = 0;
    for (int q = 0; q < 2 * a->n_pair; q++) {
        pair *p = &a->pair[q % a->n_pair];
        const sentence *s = &p->side[q / a->n_pair];
        a->seq_start[q] = at;
        p->row[q / a->n_pair] = at + 1;
        a->id[at] = a->encoder.cls;
        if (s->n > 0)
            memcpy(a->id + at + 1, s->id, (size_t)s->n * sizeof *s->id);
        a->id[at + 1 + s->n] = a->encoder.sep;
        for (int32_t t = 0; t < s->n + 2; t++) {
            a->pos[at + t] = t;
            a->seg[at + t] = 0;
        }
        at += (int32_t)s->n + 2;
    }
    a->seq_start[2 * a->n_pair] = at;
    const ig_batch b = {.n_seq = 2 * a->n_pair,
                        .n_tok = at,
                        .seq_start = a->seq_start,
                        .id = a->id,
                        .pos = a->pos,
                        .seg = a->seg};
    float *const out[] = {a->hidden};
    return ig_engine_encode(a->engine, &b, &layer, 1, out, err);
}

/* Linked pieces link their units; each link of units once. */
static ig_code take_links(pair *p, const int32_t *pieces, int32_t n, ig_err *err)
{
    IG_TRY(ig_grow(&p->links, &p->have_links, 2 * (int64_t)n, sizeof *p->links, "links", err));
    for (int32_t i = 0; i < n; i++) {
        p->links[2 * i] = p->side[0].unit[pieces[2 * i]];
        p->links[2 * i + 1] = p->side[1].unit[pieces[2 * i + 1]];
    }
    if (n > 1)
        qsort(p->links, (size_t)n, 2 * sizeof *p->links, ig_by_int32_pair);
    p->n_link = 0;
    for (int32_t i = 0; i < n; i++)
        if (p->n_link == 0 ||
            ig_by_int32_pair(p->links + 2 * (p->n_link - 1), p->links + 2 * i) != 0)
            memmove(p->links + 2 * p->n_link++, p->links + 2 * i, 2 * sizeof *p->links);
    return IG_ERR_OK;
}

static ig_code align_pair(const aligner *a, pair *p, desk *k, ig_err *err)
{
    int32_t n[2] = {(int32_t)p->side[0].n, (int32_t)p->side[1].n}, n_link;
    p->n_link = 0;
    if (n[0] == 0 || n[1] == 0)
        return IG_ERR_OK;
    int32_t most = n[0] > n[1] ? n[0] : n[1];
    for (int x = 0; x < 2; x++) {
        size_t size = (size_t)n[x] * (size_t)a->d;
        IG_TRY(ig_grow(&k->unit[x], &k->have[x], (int64_t)size, sizeof(float), "vectors", err));
        memcpy(k->unit[x], a->hidden + (int64_t)p->row[x] * a->d, size * sizeof(float));
        IG_TRY(ig_unit_rows(k->unit[x], n[x], a->d, "hidden states", err));
    }
    IG_TRY(ig_grow(&k->sim, &k->have[2], (int64_t)n[0] * n[1], sizeof(float), "similarities", err));
    IG_TRY(ig_grow(&k->pairs, &k->have[3], 2 * (int64_t)most, sizeof *k->pairs, "links", err));
    IG_TRY(ig_grow(&k->work, &k->have[4], most, sizeof *k->work, "argmax", err));
    const ig_gemm product = ig_gemm_of_rows(k->unit[0], n[0], k->unit[1], n[1], a->d, k->sim);
    a->ops->gemm(&product, &k->scratch);
    if (a->o->method == IG_ALIGN_MATCH)
        IG_TRY(ig_assignment(k->pairs, &n_link, &(ig_score_matrix){k->sim, n[1], n[0], n[1]},
                             &k->match, err));
    else
        n_link = ig_alignment_argmax(k->sim, n[1], n[0], n[1], k->pairs, k->work);
    return take_links(p, k->pairs, n_link, err);
}

static void pair_task(void *arg, int64_t i, int i_thread)
{
    aligner *a = arg;
    pair *p = &a->pair[i];
    p->code = align_pair(a, p, &a->desk[i_thread], &p->err);
}

static ig_code align_chunk(aligner *a, ig_align_report *r, ig_aligned_fn *each, void *arg,
                           ig_err *err)
{
    IG_TRY(encode(a, r->layer, err));
    ig_team_for(a->team, a->n_pair, pair_task, a);
    for (int i = 0; i < a->n_pair; i++) {
        pair *p = &a->pair[i];
        if (p->code != IG_ERR_OK) {
            if (err != NULL)
                *err = p->err;
            return p->code;
        }
        for (int x = 0; x < 2; x++) {
            r->n_piece += p->side[x].n;
            for (int64_t t = 0; t < p->side[x].n; t++)
                r->n_unknown += p->side[x].id[t] == a->encoder.unk;
        }
        r->n_cut += p->side[0].cut || p->side[1].cut;
        r->n_link += p->n_link;
        r->n_pair++;
        const ig_aligned out = {p->links, p->n_link, {p->side[0].text, p->side[1].text}};
        IG_TRY(each(arg, &out, err));
    }
    return IG_ERR_OK;
}

/* --- the model
 * --------------------------------------------------------------------------------------------------
 */

static ig_code open_model(aligner *a, ig_align_report *r, ig_err *err)
{
    IG_TRY(ig_encoder_open(&a->encoder, a->o->model, a->o->lowercase, err));
    IG_TRY(ig_encoder_layer(&r->layer, &a->encoder, a->o->layer, err));
    const ig_bert_config *c = ig_bert_get_config(a->encoder.model);
    a->d = c->hidden_size;
    a->longest = c->max_position_embeddings;
    if (a->longest < 3)
        return ig_fail(err, IG_ERR_INPUT, a->o->model, 0, "%d positions, expected at least 3",
                       a->longest);
    IG_TRY(ig_team_new(&a->team, a->o->n_thread, err));
    IG_TRY(ig_engine_new(&a->engine, a->encoder.model, a->team, NULL, IG_PRECISION_F32, err));
    a->ops = ig_ops_best();
    IG_TRY(ig_alloc(&a->pair, chunk, sizeof *a->pair, "pairs", err));
    IG_TRY(ig_alloc(&a->desk, ig_team_size(a->team), sizeof *a->desk, "threads' memory", err));
    return ig_alloc(&a->seq_start, 2 * chunk + 1, sizeof *a->seq_start, "batch", err);
}

static void close_model(aligner *a)
{
    for (int i = 0; a->pair != NULL && i < chunk; i++) {
        for (int x = 0; x < 2; x++) {
            IG_FREE(a->pair[i].side[x].id, a->pair[i].side[x].unit, a->pair[i].side[x].text);
        }
        ig_free(a->pair[i].links);
    }
    for (int t = 0; a->desk != NULL && t < ig_team_size(a->team); t++) {
        desk *k = &a->desk[t];
        IG_FREE(k->unit[0], k->unit[1], k->sim, k->pairs, k->work);
        ig_scratch_free(&k->scratch);
        ig_assignment_free(&k->match);
    }
    IG_FREE(a->pair, a->desk, a->seq_start, a->id, a->pos, a->seg, a->hidden);
    ig_engine_free(a->engine);
    ig_team_free(a->team);
    ig_encoder_close(&a->encoder);
}

static ig_code align_text(aligner *a, ig_align_report *r, ig_parallel *text, ig_aligned_fn *each,
                          void *arg, ig_err *err)
{
    const ig_align_options *o = a->o;
    bool end = false;
    ig_progress_begin("aligning", o->take);
    while (!end) {
        a->n_pair = 0;
        while (a->n_pair < chunk && !end && (o->take == 0 || r->n_pair + a->n_pair < o->take)) {
            const char *t[2];
            IG_TRY(ig_parallel_next(text, t, err));
            end = t[0] == NULL;
            for (int x = 0; x < 2 && !end; x++)
                IG_TRY(take_sentence(a, &a->pair[a->n_pair].side[x], t[x], err));
            a->n_pair += !end;
        }
        if (a->n_pair == 0)
            break;
        IG_TRY(align_chunk(a, r, each, arg, err));
        ig_progress(r->n_pair, NULL);
        if (o->stop != NULL && *o->stop != 0)
            return ig_fail(err, IG_ERR_STOPPED, ig_parallel_where(text), 0,
                           "stopped after %lld pairs", (long long)r->n_pair);
    }
    if (r->n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, ig_parallel_where(text), 0,
                       "found no pair of sentences, expected at least one");
    return IG_ERR_OK;
}

ig_code ig_align_words(ig_align_report *r, const ig_align_options *o, ig_aligned_fn *each,
                       void *arg, ig_err *err)
{
    aligner a = {.o = o};
    ig_parallel *text = NULL;
    *r = (ig_align_report){0};
    ig_code code = ig_parallel_open(&text, o->a, o->b, o->ids, err);
    IG_THEN(code, open_model(&a, r, err));
    IG_THEN(code, align_text(&a, r, text, each, arg, err));
    ig_progress_end();
    close_model(&a);
    ig_parallel_close(text);
    return code;
}
