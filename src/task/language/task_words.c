/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies transforms of words to tasks. A word of a sentence covers one unit of its text, so after
 * any transforms a word's ranges give the words it comes from.
 */
#include "task/language/task_words.h"

#include "base/memory.h"
#include "task/tag.h"
#include "text/normalize.h"

#include <stdio.h>
#include <string.h>

/* A set being made. */
typedef struct {
    ig_task *task;
    const ig_task_set *from;
    ig_word_pipeline *pipeline;
    ig_chars *chars;
    ig_phrase phrase;
    char *text; /* of a phrase */
    int64_t have_text;
    /* of a sentence: */
    int32_t *out;    /* [words of from] the first word that covers it, −1: none */
    int32_t *origin; /* [words] the word that a word represents, −1: none */
    int32_t *depth;  /* [words of from] */
    int64_t have_out, have_origin, have_depth;
    /* of the set: */
    const char **word, **pos;
    int32_t *label, *head;
    int64_t *first;
    int64_t n_word, have_word, have_pos, have_label, have_head, have_first;
} maker;

/* Draws of a task differ from those of any text, whose sentences are below 2³⁰. */
static int64_t draw_number(const ig_task_set *s, int64_t i)
{
    return INT64_C(1) << 30 | (int64_t)s->split << 28 | (i & 0xfffffff);
}

/* ---- texts ---- */

static ig_code text_make(maker *m, int64_t i, const char **out, ig_err *err)
{
    const char *text = m->from->text[i];
    const ig_phrase *p = &m->phrase;
    int64_t n;
    IG_TRY(ig_phrase_clear(&m->phrase, err));
    IG_TRY(ig_phrase_read(&m->phrase, m->chars, text, (int64_t)strlen(text), err));
    if (m->phrase.n > 0)
        IG_TRY(ig_word_pipeline_run(m->pipeline, draw_number(m->from, i), &m->phrase, &p, err));
    IG_TRY(ig_phrase_text(p, &m->text, &m->have_text, &n, err));
    return ig_pool_text(&m->task->pool, out, m->text, (size_t)n, err);
}

static ig_code texts_make(maker *m, ig_task_set *to, ig_err *err)
{
    const int64_t n = m->from->n * ig_task_n_text(m->task->kind);
    IG_TRY(ig_pool_alloc(&m->task->pool, &to->text, n, sizeof *to->text, err));
    for (int64_t i = 0; i < n; i++)
        IG_TRY(text_make(m, i, &to->text[i], err));
    return IG_ERR_OK;
}

/* ---- words ---- */

static ig_code phrase_of(maker *m, int64_t sentence, ig_err *err)
{
    const ig_task_set *s = m->from;
    const int64_t a = s->first[sentence], n = s->first[sentence + 1] - a;
    ig_phrase *p = &m->phrase;
    const bool tree = m->task->kind == IG_TASK_PARSING;
    IG_TRY(ig_phrase_clear(p, err));
    IG_TRY(ig_grow(&p->tree, &p->have_tree, n, sizeof *p->tree, "tree", err));
    for (int32_t i = 0; i < n; i++) {
        IG_TRY(ig_phrase_add(p, s->word[a + i], (int64_t)strlen(s->word[a + i]), err));
        IG_TRY(ig_phrase_cover_units(p, i * IG_TRACE_UNIT, (i + 1) * IG_TRACE_UNIT, err));
        if (!tree)
            continue;
        const char *relation = ig_task_label_name(m->task, s->label[a + i]);
        p->node[i] = i;
        p->tree[i].head = s->head[a + i] - 1;
        snprintf(p->tree[i].upos, sizeof p->tree[i].upos, "%s", s->pos[a + i]);
        snprintf(p->tree[i].rel, sizeof p->tree[i].rel, "%s", relation != NULL ? relation : "_");
    }
    p->n_node = tree ? (int32_t)n : 0;
    return IG_ERR_OK;
}

static void depths_find(maker *m, const int32_t *head, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        m->depth[i] = 0;
        for (int32_t k = i; head != NULL && head[k] > 0; k = head[k] - 1)
            m->depth[i]++;
    }
}

/* Finds the origins of words. */
static ig_code origins_find(maker *m, const ig_phrase *p, const int32_t *head, int32_t n,
                            ig_err *err)
{
    IG_TRY(ig_grow(&m->out, &m->have_out, n + 1, sizeof *m->out, "words", err));
    IG_TRY(ig_grow(&m->depth, &m->have_depth, n + 1, sizeof *m->depth, "words", err));
    IG_TRY(ig_grow(&m->origin, &m->have_origin, p->n + 1, sizeof *m->origin, "words", err));
    depths_find(m, head, n);
    for (int32_t i = 0; i < n; i++)
        m->out[i] = -1;
    for (int32_t j = 0; j < p->n; j++) {
        m->origin[j] = -1;
        for (int32_t k = p->first[j]; k < p->first[j + 1]; k++)
            for (int32_t i = p->stretch[k].from / IG_TRACE_UNIT;
                 i < n && i * IG_TRACE_UNIT < p->stretch[k].to; i++) {
                if (m->out[i] < 0)
                    m->out[i] = j;
                if (m->origin[j] < 0 || m->depth[i] < m->depth[m->origin[j]])
                    m->origin[j] = i;
            }
    }
    return IG_ERR_OK;
}

/* Returns the first word of the span that word i is in, −1: in none. IOB2. */
static int32_t span_of(const maker *m, const int32_t *label, int32_t i)
{
    ig_tag tag = {'O', ""};
    while (i >= 0) {
        const char *name = ig_task_label_name(m->task, label[i]);
        if (name == NULL || !ig_tag_parse(&tag, name) || tag.mark != 'I')
            break;
        i--;
    }
    return tag.mark == 'B' ? i : -1;
}

/* Returns the label with a mark and the type of another; IG_LABEL_NONE if the task has none. */
static int32_t span_label(const maker *m, int32_t like, char mark)
{
    char name[128];
    snprintf(name, sizeof name, "%c%s", mark, ig_task_label_name(m->task, like) + 1);
    const int32_t found = ig_task_label_find(m->task, name);
    return found != IG_LABEL_UNKNOWN ? found : IG_LABEL_NONE;
}

static void tags_make(const maker *m, const ig_phrase *p, const int32_t *from, int32_t *to)
{
    const bool spans = m->task->scheme != IG_SCHEME_PLAIN;
    int32_t open = -1;
    for (int32_t j = 0; j < p->n; j++) {
        const int32_t i = m->origin[j];
        const int32_t span = spans && i >= 0 ? span_of(m, from, i) : -1;
        if (i < 0)
            to[j] = IG_LABEL_NONE;
        else if (span >= 0)
            to[j] = span_label(m, from[i], span == open ? 'I' : 'B');
        else /* other labels are on the first word that a word became */
            to[j] = m->out[i] == j || (spans && ig_task_label_name(m->task, from[i]) != NULL)
                        ? from[i]
                        : IG_LABEL_NONE;
        open = span;
    }
}

static int32_t relation_within(const ig_labels *l)
{
    const int32_t goeswith = ig_labels_find(l, "goeswith");
    return goeswith >= 0 ? goeswith : ig_labels_find(l, "flat");
}

/* Heads go up to the next word that exists and is another one. Each step of the result leads to a
 * word that represents one nearer to the root, so it is a tree. */
static void tree_make(const maker *m, const ig_phrase *p, int64_t a, int32_t n, int64_t at)
{
    const ig_task_set *s = m->from;
    int32_t root = -1;
    for (int32_t j = 0; j < p->n; j++) {
        const int32_t i = m->origin[j];
        int32_t up = i;
        if (i >= 0 && m->out[i] == j) {
            do
                up = s->head[a + up] - 1;
            while (up >= 0 && (m->out[up] < 0 || m->out[up] == j));
            m->head[at + j] = up >= 0 ? m->out[up] + 1 : 0;
            m->label[at + j] = s->label[a + i];
        } else { /* a further part of a word, or one that represents none */
            m->head[at + j] = i >= 0 ? m->out[i] + 1 : 0;
            m->label[at + j] = i >= 0 ? relation_within(&m->task->labels) : IG_LABEL_UNKNOWN;
        }
        m->pos[at + j] = i >= 0 ? s->pos[a + i] : "X";
        if (m->head[at + j] == 0 && i >= 0 && (root < 0 || m->depth[i] < m->depth[m->origin[root]]))
            root = j;
    }
    root = root < 0 ? 0 : root;
    for (int32_t j = 0; j < p->n; j++)
        if (m->head[at + j] == 0 && j != root)
            m->head[at + j] = root + 1;
    for (int64_t i = a; i < a + n; i++) /* the root's relation stays the root's */
        if (s->head[i] == 0)
            m->label[at + root] = s->label[i];
}

static ig_code room_make(maker *m, int64_t need, ig_err *err)
{
    IG_TRY(ig_grow(&m->word, &m->have_word, need, sizeof *m->word, "words", err));
    IG_TRY(ig_grow(&m->pos, &m->have_pos, need, sizeof *m->pos, "words", err));
    IG_TRY(ig_grow(&m->label, &m->have_label, need, sizeof *m->label, "words", err));
    return ig_grow(&m->head, &m->have_head, need, sizeof *m->head, "words", err);
}

static ig_code sentence_make(maker *m, int64_t sentence, ig_err *err)
{
    const ig_task_set *s = m->from;
    const int64_t a = s->first[sentence], at = m->n_word;
    const int32_t n = (int32_t)(s->first[sentence + 1] - a);
    const ig_phrase *p;
    IG_TRY(phrase_of(m, sentence, err));
    IG_TRY(ig_word_pipeline_run(m->pipeline, draw_number(s, sentence), &m->phrase, &p, err));
    IG_TRY(origins_find(m, p, s->head != NULL ? s->head + a : NULL, n, err));
    IG_TRY(room_make(m, at + p->n + 1, err));
    for (int32_t j = 0; j < p->n; j++)
        IG_TRY(ig_pool_text(&m->task->pool, &m->word[at + j], ig_phrase_word(p, j),
                            (size_t)ig_phrase_length(p, j), err));
    if (m->task->kind == IG_TASK_PARSING)
        tree_make(m, p, a, n, at);
    else
        tags_make(m, p, s->label + a, m->label + at);
    m->n_word += p->n;
    m->first[sentence + 1] = m->n_word;
    return IG_ERR_OK;
}

static ig_code words_make(maker *m, ig_task_set *to, ig_err *err)
{
    ig_pool *const pool = &m->task->pool;
    m->n_word = 0;
    IG_TRY(ig_grow(&m->first, &m->have_first, m->from->n + 1, sizeof *m->first, "words", err));
    m->first[0] = 0;
    IG_TRY(room_make(m, 1, err));
    for (int64_t i = 0; i < m->from->n; i++)
        IG_TRY(sentence_make(m, i, err));
    IG_TRY(ig_pool_copy(pool, &to->first, m->first, to->n + 1, sizeof *m->first, err));
    IG_TRY(ig_pool_copy(pool, &to->word, m->word, m->n_word, sizeof *m->word, err));
    IG_TRY(ig_pool_copy(pool, &to->label, m->label, m->n_word, sizeof *m->label, err));
    if (m->task->kind != IG_TASK_PARSING)
        return IG_ERR_OK;
    IG_TRY(ig_pool_copy(pool, &to->pos, m->pos, m->n_word, sizeof *m->pos, err));
    return ig_pool_copy(pool, &to->head, m->head, m->n_word, sizeof *m->head, err);
}

/* ---- the task ---- */

static ig_code check(const ig_task *t, const char *from, const char *to, const ig_word_pipeline *p,
                     ig_err *err)
{
    const ig_word_transform *trees = ig_word_pipeline_trees(p),
                            *agrees = ig_word_pipeline_agreement(p);
    bool any = false;
    for (int i = 0; i < t->n_set; i++) {
        any = any || strcmp(t->set[i].language, from) == 0;
        if (strcmp(t->set[i].language, to) == 0)
            return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                           "language '%.40s' has data of its own, expected none", to);
    }
    if (!any)
        return ig_fail(err, IG_ERR_USAGE, t->path, 0, "language '%.40s' has no data", from);
    if (trees != NULL && t->kind != IG_TASK_PARSING)
        return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                       "transform '%s' reads trees, expected a parsing task", trees->name);
    if (agrees != NULL)
        return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                       "transform '%s' reads the number of verbs, which a task does not have",
                       agrees->name);
    if (t->kind == IG_TASK_TAGGING && t->scheme != IG_SCHEME_PLAIN)
        for (int32_t i = 0; i < t->labels.n; i++)
            if (t->labels.name[i][0] == 'L' || t->labels.name[i][0] == 'U')
                return ig_fail(err, IG_ERR_USAGE, t->path, 0, "found label '%.40s', expected IOB2",
                               t->labels.name[i]);
    return IG_ERR_OK;
}

/* Makes every set of `from`, after all existing sets. */
static ig_code sets_make(maker *m, const char *from, const char *to, ig_err *err)
{
    ig_task *const t = m->task;
    ig_task_set *all;
    const char *name;
    int n = t->n_set;
    IG_TRY(ig_pool_alloc(&t->pool, &all, 2 * (int64_t)n, sizeof *all, err));
    IG_TRY(ig_pool_text(&t->pool, &name, to, strlen(to), err));
    memcpy(all, t->set, (size_t)n * sizeof *all);
    for (int i = 0; i < t->n_set; i++) {
        const bool texts = ig_task_n_text(t->kind) > 0;
        if (strcmp(t->set[i].language, from) != 0)
            continue;
        m->from = &t->set[i];
        all[n] = t->set[i]; /* labels of texts, lines and files are the same */
        all[n].language = name;
        all[n].count = (ig_task_counts){.read = t->set[i].n};
        IG_TRY(texts ? texts_make(m, &all[n], err) : words_make(m, &all[n], err));
        n++;
    }
    t->set = all;
    t->n_set = n;
    return IG_ERR_OK;
}

ig_code ig_task_add_words(ig_task *t, const char *from, const char *to, ig_word_pipeline *p,
                          ig_err *err)
{
    IG_TRY(check(t, from, to, p, err));
    maker m = {.task = t, .pipeline = p};
    const bool development = p->development;
    p->development = true;
    ig_code code = ig_chars_new(&m.chars, &(ig_chars_rules){0}, err);
    IG_THEN(code, sets_make(&m, from, to, err));
    p->development = development;
    ig_chars_free(m.chars);
    ig_phrase_free(&m.phrase);
    IG_FREE(m.text, m.out, m.origin, m.depth, m.word, m.pos, m.label, m.head, m.first);
    return code;
}
