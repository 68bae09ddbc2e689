/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of fastText 0.9's .bin files and its n-gram features (Bojanowski, Grave, Joulin,
 * Mikolov, "Enriching word vectors with subword information", TACL 2017, section 3.2).
 */
#include "embed/vectors/fasttext_model.h"

#include "base/memory.h"
#include "embed/vectors/vectors_formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "matrices are copied as little-endian");

enum { MAGIC = 793712314, VERSION = 12, WORD_ENTRY = 0, LABEL_ENTRY = 1, NAMELESS = '\1' };

/* A position in the file. The first read beyond its end sets `cut`; later ones do nothing. */
typedef struct {
    const uint8_t *p, *end;
    const char *cut; /* what was being read when the file ended */
    const char *where;
} cursor;

static void take(cursor *c, void *to, int64_t n, const char *what)
{
    if (c->cut == NULL && c->end - c->p < n)
        c->cut = what;
    if (c->cut != NULL) {
        memset(to, 0, (size_t)n);
        return;
    }
    memcpy(to, c->p, (size_t)n);
    c->p += n;
}

/* Models of 2016 begin with the arguments; their first numbers are small, and no text begins so. */
static bool is_of_2016(const uint8_t *data, int64_t size)
{
    static const int32_t most[12] = {
        IG_VECTORS_DIM_MAX, 10000,           1000000,    1000000000, 100000, 1000,
        IG_FASTTEXT_OVA,    IG_FASTTEXT_SUP, 2000000000, 1000,       1000,   2000000000};
    int32_t a[12];
    if (size < (int64_t)sizeof a)
        return false;
    memcpy(a, data, sizeof a);
    for (int i = 0; i < 12; i++)
        if (a[i] < (i < 3 || i == 6 || i == 7 ? 1 : 0) || a[i] > most[i])
            return false;
    return true;
}

bool ig_fasttext_is_model(const uint8_t *data, int64_t size)
{
    int32_t magic = 0;
    if (size >= 4)
        memcpy(&magic, data, 4);
    return magic == MAGIC || is_of_2016(data, size);
}

static ig_code wrong_version(const uint8_t *data, int64_t size, const char *where, ig_err *err)
{
    int32_t head[2] = {0};
    if (size >= (int64_t)sizeof head)
        memcpy(head, data, sizeof head);
    if (head[0] == MAGIC)
        ig_fail(err, IG_ERR_INPUT, where, 0, "found a fastText model of version %d, expected %d",
                head[1], VERSION);
    else if (is_of_2016(data, size))
        ig_fail(err, IG_ERR_INPUT, where, 0,
                "found a fastText model of 2016 without a version (%d dimensions), expected "
                "version %d",
                head[0], VERSION);
    else
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found no fastText model");
    return ig_hint(err, "gensim reads it (load_facebook_model) and writes its vectors as text "
                        "(wv.save_word2vec_format)");
}

bool ig_fasttext_named(const ig_fasttext *m, int32_t i)
{
    return ig_lexicon_get(&m->words, i)[0] != NAMELESS;
}

/* Reads an entry of the dictionary. One that is left out keeps its number, which is that of its
 * row, under a name that no word has. */
static ig_code take_entry(ig_fasttext *m, const ig_vec_source *s, int32_t i, const char *word,
                          int64_t n, ig_err *err)
{
    char name[16];
    int32_t id;
    bool added;
    IG_TRY(ig_vec_word(&m->words, s, &(ig_vec_found){word, n, 0, i}, &added, err));
    if (added)
        return IG_ERR_OK;
    return ig_lexicon_add(&m->words, name, snprintf(name, sizeof name, "%c%d", NAMELESS, i), &id,
                          err);
}

void ig_fasttext_free(ig_fasttext *m)
{
    ig_lexicon_free(&m->words);
    IG_FREE(m->count, m->in, m->out);
    *m = (ig_fasttext){0};
}

static ig_code check_args(const ig_fasttext_args *a, const char *where, ig_err *err)
{
    if (a->dim < 1 || a->dim > IG_VECTORS_DIM_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found %d dimensions, expected 1 to %d", a->dim,
                       IG_VECTORS_DIM_MAX);
    if (a->bucket < 0 || a->minn < 0 || a->maxn < 0 || (a->maxn > 0 && a->bucket == 0))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "found n-grams of %d to %d characters in %d buckets", a->minn, a->maxn,
                       a->bucket);
    if (a->loss < IG_FASTTEXT_HS || a->loss > IG_FASTTEXT_OVA || a->model < IG_FASTTEXT_CBOW ||
        a->model > IG_FASTTEXT_SUP)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found loss %d, model %d: no such kind",
                       a->loss, a->model);
    return IG_ERR_OK;
}

static ig_code cut(const cursor *c, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, c->where, 0, "the file ends within its %s", c->cut);
}

static ig_code take_dictionary(ig_fasttext *m, cursor *c, const ig_vec_source *s, ig_err *err)
{
    int32_t size, n_label;
    int64_t n_pruned;
    take(c, &size, 4, "dictionary");
    take(c, &m->n_word, 4, "dictionary");
    take(c, &n_label, 4, "dictionary");
    take(c, &m->n_token, 8, "dictionary");
    take(c, &n_pruned, 8, "dictionary");
    if (c->cut != NULL)
        return cut(c, err);
    if (m->n_word < 0 || n_label < 0 || (int64_t)m->n_word + n_label != size || size < 1)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "found a dictionary of %d entries for %d words and %d labels", size,
                       m->n_word, n_label);
    if (n_pruned > 0)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "found a pruned model, expected one as it was trained");
    if ((c->end - c->p) / 10 < size) /* a byte, NUL, count, kind */
        return ig_fail(err, IG_ERR_INPUT, s->where, 0, "the file ends within its dictionary");
    IG_TRY(ig_alloc(&m->count, size, sizeof *m->count, "dictionary", err));
    for (int32_t i = 0; i < size && c->cut == NULL; i++) {
        int8_t kind = 0;
        const uint8_t *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
        if (nul == NULL) {
            c->cut = "dictionary";
            return cut(c, err);
        }
        IG_TRY(take_entry(m, s, i, (const char *)c->p, nul - c->p, err));
        c->p = nul + 1;
        take(c, &m->count[i], 8, "dictionary");
        take(c, &kind, 1, "dictionary");
        if (c->cut == NULL && kind != (i < m->n_word ? WORD_ENTRY : LABEL_ENTRY))
            return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                           "entry %d of the dictionary is of kind %d, expected words before labels",
                           i + 1, kind);
    }
    return c->cut != NULL ? cut(c, err) : IG_ERR_OK;
}

static ig_code take_matrix(float **x, int64_t *rows, cursor *c, int64_t d, const char *what,
                           ig_err *err)
{
    int64_t shape[2];
    uint8_t quantised = 0;
    take(c, &quantised, 1, what);
    if (quantised != 0)
        return ig_fail(err, IG_ERR_INPUT, c->where, 0,
                       "found a quantised model, expected one of float32");
    take(c, shape, sizeof shape, what);
    if (c->cut != NULL)
        return cut(c, err);
    if (shape[0] < 0 || shape[1] != d)
        return ig_fail(err, IG_ERR_INPUT, c->where, 0,
                       "the %s is %lld x %lld, expected %lld columns", what, (long long)shape[0],
                       (long long)shape[1], (long long)d);
    if (shape[0] > (c->end - c->p) / (4 * d)) {
        c->cut = what;
        return cut(c, err);
    }
    *rows = shape[0];
    IG_TRY(ig_alloc(x, *rows * d, sizeof **x, what, err));
    take(c, *x, *rows * d * 4, what);
    for (int64_t i = 0; i < *rows * d; i++)
        if (!isfinite((*x)[i]))
            return ig_fail(err, IG_ERR_INPUT, c->where, 0,
                           "row %lld of the %s has the value %f, expected a finite number",
                           (long long)(i / d + 1), what, (double)(*x)[i]);
    return IG_ERR_OK;
}

static ig_code parse(ig_fasttext *m, const ig_vec_source *s, ig_err *err)
{
    cursor c = {(const uint8_t *)s->data, (const uint8_t *)s->data + s->size, NULL, s->where};
    ig_fasttext_args *a = &m->args;
    int32_t magic, version;
    take(&c, &magic, 4, "header");
    take(&c, &version, 4, "header");
    if (magic != MAGIC || version != VERSION)
        return wrong_version((const uint8_t *)s->data, s->size, s->where, err);
    take(&c, a, 12 * 4, "arguments");
    take(&c, &a->t, 8, "arguments");
    if (c.cut != NULL)
        return cut(&c, err);
    IG_TRY(check_args(a, s->where, err));
    IG_TRY(take_dictionary(m, &c, s, err));
    IG_TRY(take_matrix(&m->in, &m->n_in, &c, a->dim, "input matrix", err));
    IG_TRY(take_matrix(&m->out, &m->n_out, &c, a->dim, "output matrix", err));
    if (m->n_in != (int64_t)m->n_word + a->bucket || m->n_in > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "the input matrix has %lld rows, expected %d words and %d buckets",
                       (long long)m->n_in, m->n_word, a->bucket);
    if (c.p != c.end)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0, "found %lld bytes after the output matrix",
                       (long long)(c.end - c.p));
    return IG_ERR_OK;
}

ig_code ig_fasttext_parse(ig_fasttext *out, const uint8_t *data, int64_t size, const char *where,
                          ig_err *err)
{
    ig_vec_skipped skipped = {0};
    const ig_vec_source s = {
        .data = (const char *)data, .size = size, .where = where, .skipped = &skipped};
    *out = (ig_fasttext){0};
    ig_code code = parse(out, &s, err);
    if (code == IG_ERR_OK)
        ig_vec_skipped_log(&skipped, where);
    else
        ig_fasttext_free(out);
    return code;
}

static ig_code check_finite(const float *x, int64_t n, const char *what, const char *where,
                            ig_err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return ig_fail(err, IG_ERR_NUMERIC, where, 0,
                           "value %lld of the %s is %s, expected finite numbers; nothing was "
                           "written",
                           (long long)i + 1, what, isnan(x[i]) ? "not a number" : "infinite");
    return IG_ERR_OK;
}

ig_code ig_fasttext_put(const ig_fasttext *m, ig_out *f, ig_err *err)
{
    const int32_t head[2] = {MAGIC, VERSION},
                  size[3] = {m->words.n, m->n_word, m->words.n - m->n_word};
    const int64_t token[2] = {m->n_token, -1}; /* −1: not pruned */
    const int64_t in[2] = {m->n_in, m->args.dim}, out[2] = {m->n_out, m->args.dim};
    const uint8_t no = 0;
    IG_TRY(check_finite(m->in, m->n_in * m->args.dim, "input matrix", f->path, err));
    IG_TRY(check_finite(m->out, m->n_out * m->args.dim, "output matrix", f->path, err));
    IG_TRY(ig_out_write(f, head, sizeof head, err));
    IG_TRY(ig_out_write(f, &m->args, 12 * 4, err));
    IG_TRY(ig_out_write(f, &m->args.t, 8, err));
    IG_TRY(ig_out_write(f, size, sizeof size, err));
    IG_TRY(ig_out_write(f, token, sizeof token, err));
    for (int32_t i = 0; i < m->words.n; i++) {
        const int8_t kind = i < m->n_word ? WORD_ENTRY : LABEL_ENTRY;
        IG_TRY(
            ig_out_write(f, ig_lexicon_get(&m->words, i), ig_lexicon_size(&m->words, i) + 1, err));
        IG_TRY(ig_out_write(f, &m->count[i], 8, err));
        IG_TRY(ig_out_write(f, &kind, 1, err));
    }
    IG_TRY(ig_out_write(f, &no, 1, err));
    IG_TRY(ig_out_write(f, in, sizeof in, err));
    IG_TRY(ig_out_write(f, m->in, m->n_in * m->args.dim * 4, err));
    IG_TRY(ig_out_write(f, &no, 1, err));
    IG_TRY(ig_out_write(f, out, sizeof out, err));
    return ig_out_write(f, m->out, m->n_out * m->args.dim * 4, err);
}

ig_code ig_fasttext_write(const ig_fasttext *m, const char *path, ig_err *err)
{
    ig_out f;
    IG_TRY(ig_out_open(&f, path, err));
    return ig_out_close(&f, ig_fasttext_put(m, &f, err), err);
}

/* FNV-1a over bytes as signed chars: fastText's hash. */
static uint32_t fnv1a(const char *s, int64_t n)
{
    uint32_t h = 2166136261u;
    for (int64_t i = 0; i < n; i++) {
        int32_t c = (int8_t)s[i];
        h ^= (uint32_t)c;
        h *= 16777619u;
    }
    return h;
}

static bool continues(char c)
{
    return ((uint8_t)c & 0xC0) == 0x80;
}

ig_code ig_fasttext_find_rows(ig_fasttext_rows *r, const char *word, int64_t size, int32_t id,
                              ig_err *err)
{
    const ig_fasttext_args *a = r->args;
    char marked[4096 + 2];
    r->n = 0;
    if (size > 4096)
        return ig_fail(err, IG_ERR_INPUT, "", 0,
                       "found a word of %lld bytes, expected at most 4096", (long long)size);
    IG_TRY(ig_grow(&r->row, &r->have, 1, sizeof *r->row, "n-grams", err));
    if (id >= 0)
        r->row[r->n++] = id;
    if (a->maxn < 1 || (size == 4 && memcmp(word, "</s>", 4) == 0))
        return IG_ERR_OK;
    marked[0] = '<';
    memcpy(marked + 1, word, (size_t)size);
    marked[size + 1] = '>';
    size += 2;
    for (int64_t i = 0; i < size; i++) {
        if (continues(marked[i]))
            continue;
        int64_t end = i;
        for (int32_t k = 1; k <= a->maxn && end < size; k++) {
            for (end++; end < size && continues(marked[end]);)
                end++;
            /* A boundary alone is no n-gram. */
            if (k < a->minn || (k == 1 && (i == 0 || end == size)))
                continue;
            uint32_t h = fnv1a(marked + i, end - i) % (uint32_t)a->bucket;
            IG_TRY(ig_grow(&r->row, &r->have, r->n + 1, sizeof *r->row, "n-grams", err));
            r->row[r->n++] = r->n_word + (int32_t)h;
        }
    }
    return IG_ERR_OK;
}

static ig_code mean_of_rows(const ig_fasttext *m, ig_fasttext_rows *r, const char *word,
                            int64_t size, float *out, ig_err *err)
{
    const int64_t d = m->args.dim;
    int32_t id = ig_lexicon_find(&m->words, word, size);
    if (id >= m->n_word)
        id = -1;
    IG_TRY(ig_fasttext_find_rows(r, word, size, id, err));
    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t k = 0; k < d; k++)
            out[k] += m->in[r->row[i] * d + k];
    for (int64_t k = 0; k < d && r->n > 0; k++)
        out[k] *= 1.0f / (float)r->n;
    return IG_ERR_OK;
}

ig_code ig_fasttext_vector(const ig_fasttext *m, const char *word, int64_t size, float *out,
                           ig_err *err)
{
    ig_fasttext_rows r = {.args = &m->args, .n_word = m->n_word};
    ig_code code = mean_of_rows(m, &r, word, size, out, err);
    ig_free(r.row);
    return code;
}

ig_code ig_fasttext_vectors(ig_vectors *out, const ig_fasttext *m, int64_t max_word, ig_err *err)
{
    ig_lexicon w = {0};
    ig_fasttext_rows r = {.args = &m->args, .n_word = m->n_word};
    const int32_t n = max_word > 0 && max_word < m->n_word ? (int32_t)max_word : m->n_word;
    ig_code code = IG_ERR_OK;
    *out = (ig_vectors){0};
    for (int32_t i = 0, id; i < m->n_word && w.n < n && code == IG_ERR_OK; i++)
        if (ig_fasttext_named(m, i))
            code = ig_lexicon_add(&w, ig_lexicon_get(&m->words, i), ig_lexicon_size(&m->words, i),
                                  &id, err);
    IG_THEN(code, ig_vectors_new(out, &w, m->args.dim, err));
    for (int32_t i = 0; i < out->n && code == IG_ERR_OK; i++)
        code = mean_of_rows(m, &r, ig_lexicon_get(&out->words, i), ig_lexicon_size(&out->words, i),
                            ig_vectors_row(out, i), err);
    ig_lexicon_free(&w);
    ig_free(r.row);
    if (code != IG_ERR_OK)
        ig_vectors_free(out);
    return code;
}

ig_code ig_fasttext_vectors_parse(ig_vectors *out, const uint8_t *data, int64_t size,
                                  const char *where, int64_t max_word, ig_err *err)
{
    ig_fasttext m;
    *out = (ig_vectors){0};
    IG_TRY(ig_fasttext_parse(&m, data, size, where, err));
    ig_code code = ig_fasttext_vectors(out, &m, max_word, err);
    if (code == IG_ERR_OK && out->n == 0)
        code = ig_fail(err, IG_ERR_INPUT, where, 0, "found no words");
    ig_fasttext_free(&m);
    return code;
}
