/* SPDX-License-Identifier: Apache-2.0
 *
 * The cosines of a question's three words with all others come from one walk over tiles, three rows
 * a question; both rules are worked out from them at once. Cosine with b − a + c orders words as
 * the sum of 3CosAdd does, as that vector's length is the same for all.
 */
#include "embed/search/analogy.h"

#include "base/memory.h"
#include "corpus/read/line_reader.h"
#include "embed/search/retrieve_tiles.h"
#include "text/lowercase.h"
#include "text/white_space.h"

#include <math.h>
#include <string.h>

typedef struct {
    ig_analogy_result *out;
    const ig_vectors *v;
    ig_line_reader *lines;
    ig_lowercase *lower;
    int64_t have_section;
    int32_t *word; /* [n, 3] a, b, c of the questions that are covered */
    int32_t *d;    /* [n] */
    int64_t *in;   /* [n] section */
    int64_t n, have_word, have_d, have_in;
} reader;

static ig_code add_section(reader *r, const char *name, int64_t size, ig_err *err)
{
    ig_analogy_section s = {0};
    IG_TRY(ig_alloc(&s.name, size + 1, 1, "section", err));
    memcpy(s.name, name, (size_t)size);
    ig_code code = ig_grow(&r->out->section, &r->have_section, r->out->n_section + 1, sizeof s,
                           "sections", err);
    if (code != IG_ERR_OK)
        ig_free(s.name);
    else
        r->out->section[r->out->n_section++] = s;
    return code;
}

static ig_code add_question(reader *r, const char *line, int64_t size, ig_err *err)
{
    int32_t id[4];
    int n = 0;
    const char *word, *const end = line + size;
    for (int64_t m; (word = ig_next_word(&line, end, &m)) != NULL; n++)
        if (n < 4)
            id[n] = ig_lexicon_find(&r->v->words, word, m);
    if (n == 0)
        return IG_ERR_OK;
    if (n != 4)
        return ig_line_fail(r->lines, err, "found %d words, expected 4, or ': section'", n);
    if (r->out->n_section == 0)
        IG_TRY(add_section(r, "", 0, err));
    ig_analogy_section *s = &r->out->section[r->out->n_section - 1];
    s->n++;
    for (int k = 0; k < 4; k++)
        if (id[k] < 0)
            return IG_ERR_OK;
    s->n_covered++;
    IG_TRY(ig_grow(&r->word, &r->have_word, 3 * (r->n + 1), sizeof *r->word, "questions", err));
    IG_TRY(ig_grow(&r->d, &r->have_d, r->n + 1, sizeof *r->d, "questions", err));
    IG_TRY(ig_grow(&r->in, &r->have_in, r->n + 1, sizeof *r->in, "questions", err));
    memcpy(r->word + 3 * r->n, id, 3 * sizeof *id);
    r->d[r->n] = id[3];
    r->in[r->n++] = r->out->n_section - 1;
    return IG_ERR_OK;
}

static ig_code read_lines(reader *r, const char *path, bool lowercase, ig_err *err)
{
    char *line;
    const char *text;
    int64_t size, n = 0;
    IG_TRY(ig_line_open(&r->lines, path, err));
    if (lowercase)
        IG_TRY(ig_lowercase_new(&r->lower, err));
    for (;;) {
        IG_TRY(ig_line_next(r->lines, &line, &size, err));
        if (line == NULL)
            break;
        text = line;
        if (ig_line_is_comment(line))
            continue;
        if (size > 0 && line[0] == ':') {
            for (text++, size--; size > 0 && *text == ' '; size--)
                text++;
            IG_TRY(add_section(r, text, size, err));
            continue;
        }
        if (r->lower != NULL)
            IG_TRY(ig_lowercase_text(r->lower, &text, &size, err));
        IG_TRY(add_question(r, text, size, err));
    }
    for (int64_t i = 0; i < r->out->n_section; i++)
        n += r->out->section[i].n;
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "found no questions, expected lines of 4 words");
    return IG_ERR_OK;
}

typedef struct {
    const int32_t *word;
    int32_t *best[2]; /* [n] 3CosAdd, 3CosMul */
    float *score[2];
} solver;

static void better(const solver *s, int rule, int64_t q, int32_t j, float x)
{
    const int32_t *w = s->word + 3 * q;
    if (x > s->score[rule][q] && j != w[0] && j != w[1] && j != w[2]) {
        s->score[rule][q] = x;
        s->best[rule][q] = j;
    }
}

static void use_tile(void *arg, const ig_tile *t)
{
    const solver *s = arg;
    for (int i = 0; i < t->n_row; i += 3) {
        const float *a = t->s + (int64_t)i * t->ld, *b = a + t->ld, *c = b + t->ld;
        const int64_t q = (t->row0 + i) / 3;
        float add[IG_TILE_COLUMNS], mul[IG_TILE_COLUMNS];
        const float least[2] = {s->score[0][q], s->score[1][q]};
        int32_t more = 0;
        for (int j = 0; j < t->n_column; j++) {
            add[j] = b[j] - a[j] + c[j];
            mul[j] = (b[j] + 1.0f) * (c[j] + 1.0f) / (2.0f * (a[j] + 1.0f) + 0.004f);
            more += (add[j] > least[0]) | (mul[j] > least[1]);
        }
        for (int j = 0; more > 0 && j < t->n_column; j++) {
            better(s, 0, q, (int32_t)(t->column0 + j), add[j]);
            better(s, 1, q, (int32_t)(t->column0 + j), mul[j]);
        }
    }
}

static ig_code solve(const reader *r, const ig_ops *ops, ig_team *team, ig_err *err)
{
    const ig_retrieve_side question = {r->v->x, r->word, 3 * r->n}, all = {r->v->x, NULL, r->v->n};
    solver s = {.word = r->word};
    const ig_tile_user user = {.use = use_tile, .arg = &s};
    ig_code code = IG_ERR_OK;
    for (int rule = 0; rule < 2 && code == IG_ERR_OK; rule++) {
        code = ig_alloc(&s.best[rule], r->n, sizeof *s.best[rule], "answers", err);
        IG_THEN(code, ig_alloc(&s.score[rule], r->n, sizeof *s.score[rule], "answers", err));
        for (int64_t q = 0; code == IG_ERR_OK && q < r->n; q++) {
            s.best[rule][q] = -1;
            s.score[rule][q] = -INFINITY;
        }
    }
    if (code == IG_ERR_OK && r->n > 0)
        code = ig_tiles_run(&question, &all, &user, (ig_vector_work){r->v->d, ops, team}, err);
    for (int64_t q = 0; code == IG_ERR_OK && q < r->n; q++) {
        ig_analogy_section *in = &r->out->section[r->in[q]];
        in->n_add += s.best[0][q] == r->d[q];
        in->n_mul += s.best[1][q] == r->d[q];
    }
    for (int rule = 0; rule < 2; rule++)
        IG_FREE(s.best[rule], s.score[rule]);
    return code;
}

ig_code ig_analogy(ig_analogy_result *out, const ig_vectors *v, const char *path, bool lowercase,
                   ig_team *team, ig_err *err)
{
    reader r = {.out = out, .v = v};
    *out = (ig_analogy_result){0};
    ig_code code = read_lines(&r, path, lowercase, err);
    IG_THEN(code, solve(&r, ig_ops_best(), team, err));
    for (int64_t i = 0; code == IG_ERR_OK && i < out->n_section; i++) {
        out->all.n += out->section[i].n;
        out->all.n_covered += out->section[i].n_covered;
        out->all.n_add += out->section[i].n_add;
        out->all.n_mul += out->section[i].n_mul;
    }
    ig_line_close(r.lines);
    ig_lowercase_free(r.lower);
    IG_FREE(r.word, r.d, r.in);
    if (code != IG_ERR_OK)
        ig_analogy_free(out);
    return code;
}

void ig_analogy_free(ig_analogy_result *r)
{
    for (int64_t i = 0; i < r->n_section; i++)
        ig_free(r->section[i].name);
    ig_free(r->section);
    *r = (ig_analogy_result){0};
}
