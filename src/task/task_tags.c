/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts spans of any scheme of a task's files (task_scheme.c) to IOB2, and to BIOUL for models
 * that need it. Every tag that its scheme does not allow at its position is a repair; the span is
 * then read as conlleval does (Tjong Kim Sang 2002): a tag that cannot continue the span before it
 * begins one.
 */
#include "task/tag.h"

#include "base/memory.h"
#include "task/task_internal.h"

#include <string.h>

/* The meaning of the numbers of label names. */
typedef struct {
    ig_tag *tag;   /* [n] */
    int32_t *type; /* [n] number of the type, −1 of O */
    int32_t n;
    int32_t *begin, *inside; /* [n type] numbers of the names B-X, I-X */
    ig_lexicon types;
} meaning;

static void meaning_free(meaning *m)
{
    IG_FREE(m->tag, m->type, m->begin, m->inside);
    ig_lexicon_free(&m->types);
}

static ig_code meaning_of(meaning *m, const ig_lexicon *name, ig_err *err)
{
    m->n = name->n;
    IG_TRY(ig_alloc(&m->tag, name->n, sizeof *m->tag, "tags", err));
    IG_TRY(ig_alloc(&m->type, name->n, sizeof *m->type, "tags", err));
    for (int32_t i = 0; i < name->n; i++) {
        ig_tag_parse(&m->tag[i], ig_lexicon_get(name, i));
        m->type[i] = -1;
        if (m->tag[i].mark != 'O')
            IG_TRY(ig_lexicon_add(&m->types, m->tag[i].type, (int64_t)strlen(m->tag[i].type),
                                  &m->type[i], err));
        m->tag[i].type = ""; /* the lexicon moves when it grows */
    }
    return IG_ERR_OK;
}

/* Finds the numbers of B-X and I-X of every type, and adds missing names. */
static ig_code add_names(meaning *m, ig_lexicon *name, ig_err *err)
{
    IG_TRY(ig_alloc(&m->begin, m->types.n, sizeof *m->begin, "tags", err));
    IG_TRY(ig_alloc(&m->inside, m->types.n, sizeof *m->inside, "tags", err));
    for (int32_t k = 0; k < m->types.n; k++) {
        const int64_t size = ig_lexicon_size(&m->types, k), n = size > 0 ? size + 2 : 1;
        char *text;
        IG_TRY(ig_alloc(&text, size + 3, 1, "tags", err));
        memcpy(text, "B-", 2);
        memcpy(text + 2, ig_lexicon_get(&m->types, k), (size_t)size);
        ig_code code = ig_lexicon_add(name, text, n, &m->begin[k], err);
        text[0] = 'I';
        IG_THEN(code, ig_lexicon_add(name, text, n, &m->inside[k], err));
        ig_free(text);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

/* The state of an iteration through a sentence. */
typedef struct {
    char mark;    /* of the previous tag; O at the start */
    int32_t type; /* its type */
} state;

/* Returns the tag of a word: O for one that has none. */
static state state_of(const meaning *m, int32_t label)
{
    return label < 0 ? (state){'O', -1} : (state){m->tag[label].mark, m->type[label]};
}

/* Counts violations of the scheme by `now`. A missing L is noticed at the next tag, or at the end
 * (O). */
static int repairs(ig_tag_scheme scheme, state before, state now)
{
    const bool same = before.type == now.type,
               stray = ig_tag_continues(now.mark) && !(ig_tag_leaves_open(before.mark) && same);
    if (scheme == IG_SCHEME_IOB1)
        return now.mark == 'B' && !(before.mark != 'O' && same);
    if (scheme == IG_SCHEME_IOB2)
        return stray;
    const bool cut = ig_tag_leaves_open(before.mark) && !(ig_tag_continues(now.mark) && same);
    return stray + cut;
}

/* Converts one sentence to IOB2; label[n]. */
static int64_t convert(const meaning *m, ig_tag_scheme scheme, int32_t *label, int64_t n)
{
    int64_t n_repair = 0;
    state before = {'O', -1};
    for (int64_t k = 0; k < n; k++) {
        const state now = state_of(m, label[k]);
        n_repair += repairs(scheme, before, now);
        if (now.mark != 'O') {
            const bool continues = ig_tag_continues(now.mark) && ig_tag_leaves_open(before.mark) &&
                                   before.type == now.type;
            label[k] = continues ? m->inside[now.type] : m->begin[now.type];
        }
        before = now;
    }
    return n_repair + repairs(scheme, before, (state){'O', -1});
}

ig_code ig_task_convert_tags(ig_task *t, const ig_task_form *form, ig_lexicon *name,
                             int64_t *const *line, ig_err *err)
{
    IG_SCOPED(meaning_free) meaning m = {.tag = NULL};
    IG_TRY(ig_task_find_scheme(t, form, name, line, err));
    if (t->scheme == IG_SCHEME_PLAIN)
        return IG_ERR_OK;
    IG_TRY(ig_task_check_tags(t, form, name, line, err));
    IG_TRY(meaning_of(&m, name, err));
    IG_TRY(add_names(&m, name, err));
    for (int s = 0; s < t->n_set; s++)
        for (int64_t i = 0; i < t->set[s].n; i++)
            t->set[s].count.repaired += convert(&m, t->scheme, t->set[s].label + t->set[s].first[i],
                                                t->set[s].first[i + 1] - t->set[s].first[i]);
    return IG_ERR_OK;
}

/* --- BIOUL ------------------------------------------------------------------------------------ */

/* Makes the labels O, then B, I, L and U of each type. */
static ig_code bioul_labels(ig_labels *to, ig_pool *pool, const char **type, int32_t n_type,
                            ig_err *err)
{
    static const char marks[] = "BILU";
    IG_TRY(ig_pool_alloc(pool, &to->name, 1 + 4 * n_type, sizeof *to->name, err));
    IG_TRY(ig_pool_text(pool, &to->name[to->n++], "O", 1, err));
    for (int32_t i = 0; i < n_type; i++)
        for (int k = 0; k < 4; k++)
            IG_TRY(ig_pool_print(pool, &to->name[to->n++], err, "%c%s%s", marks[k],
                                 type[i][0] != '\0' ? "-" : "", type[i]));
    return IG_ERR_OK;
}

/* The meaning of a task's IOB2 labels, followed by those that training does not have; and their
 * BIOUL labels. */
typedef struct {
    const ig_task *task;
    char *mark;
    int32_t *type, n_known; /* types below n_known have labels, the others do not */
    const char **name;      /* of types */
    int32_t n_type;
} iob2;

/* Returns the index of a label in the arrays above; −1: it has none. */
static int32_t place_of(const iob2 *m, int32_t label)
{
    return label >= 0                ? label
           : label <= IG_LABEL_OTHER ? m->task->labels.n + (IG_LABEL_OTHER - label)
                                     : -1;
}

/* Returns the label of a word by its mark and type, as numbered by bioul_labels. */
static int32_t bioul(const iob2 *m, char mark, int32_t type)
{
    const int32_t k = (int32_t)(strchr("BILU", mark) - "BILU");
    return type < m->n_known ? 1 + 4 * type + k
                             : IG_LABEL_OTHER - (1 + 4 * (type - m->n_known) + k);
}

/* Converts one sentence. An I after a word without a label begins a span, since no other label
 * can. */
static void to_bioul(const iob2 *m, int32_t *label, int64_t n)
{
    bool open = false;
    for (int64_t k = 0; k < n; k++) {
        const int32_t here = place_of(m, label[k]),
                      next = k + 1 < n ? place_of(m, label[k + 1]) : -1;
        const bool inside = here >= 0 && m->mark[here] != 'O',
                   continues = inside && next >= 0 && m->mark[next] == 'I' &&
                               m->type[next] == m->type[here];
        if (inside)
            label[k] = open ? bioul(m, continues ? 'I' : 'L', m->type[here])
                            : bioul(m, continues ? 'B' : 'U', m->type[here]);
        else if (here >= 0)
            label[k] = 0;
        open = continues;
    }
}

static ig_code iob2_of(iob2 *m, ig_task *t, ig_err *err)
{
    const int32_t n = t->labels.n, n_all = n + t->other.n;
    *m = (iob2){.task = t};
    IG_TRY(ig_pool_alloc(&t->pool, &m->name, n_all, sizeof *m->name, err));
    IG_TRY(ig_pool_alloc(&t->pool, &m->mark, n_all, sizeof *m->mark, err));
    IG_TRY(ig_pool_alloc(&t->pool, &m->type, n_all, sizeof *m->type, err));
    for (int32_t i = 0; i < n_all; i++) {
        const char *name = i < n ? t->labels.name[i] : t->other.name[i - n];
        ig_tag tag;
        if (!ig_tag_parse(&tag, name) || tag.mark == 'L' || tag.mark == 'U')
            return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                           "found label '%.40s', expected O, B-X or I-X", name);
        m->mark[i] = tag.mark;
        while (tag.mark != 'O' && m->type[i] < m->n_type &&
               strcmp(m->name[m->type[i]], tag.type) != 0)
            m->type[i]++;
        if (tag.mark != 'O' && m->type[i] == m->n_type)
            m->name[m->n_type++] = tag.type;
        if (i < n)
            m->n_known = m->n_type;
    }
    return IG_ERR_OK;
}

ig_code ig_task_use_bioul(ig_task *t, ig_err *err)
{
    iob2 m;
    ig_labels to = {NULL, 0}, other = {NULL, 0};
    if (t->kind != IG_TASK_TAGGING || t->scheme == IG_SCHEME_PLAIN)
        return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                       "found labels that name no spans, expected tags as B-X and I-X");
    IG_TRY(iob2_of(&m, t, err));
    IG_TRY(bioul_labels(&to, &t->pool, m.name, m.n_known, err));
    IG_TRY(bioul_labels(&other, &t->pool, m.name + m.n_known, m.n_type - m.n_known, err));
    for (int s = 0; s < t->n_set; s++)
        for (int64_t i = 0; i < t->set[s].n; i++)
            to_bioul(&m, t->set[s].label + t->set[s].first[i],
                     t->set[s].first[i + 1] - t->set[s].first[i]);
    t->labels = to;
    t->other = other;
    return IG_ERR_OK;
}
