/* SPDX-License-Identifier: Apache-2.0
 *
 * Schemes of tags (task.h): which one a task's files follow, spans as IOB2 whatever they follow,
 * and as BIOUL where a model wants that. Every tag that its scheme does not allow where it stands
 * is a repair; the span is then what conlleval reads (Tjong Kim Sang 2002): a tag that cannot go on
 * with the span before it begins one.
 */
#include "task/tag.h"
#include "task/task_internal.h"

#include "base/memory.h"

#include <string.h>

/* What the numbers of label names mean. */
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

/* *spans: every name is O or names a part of a span, and one does. */
static ig_code meaning_of(meaning *m, const ig_lexicon *name, bool *spans, ig_err *err)
{
    *spans = true;
    m->n = name->n;
    IG_TRY(ig_alloc(&m->tag, name->n, sizeof *m->tag, "tags", err));
    IG_TRY(ig_alloc(&m->type, name->n, sizeof *m->type, "tags", err));
    for (int32_t i = 0; i < name->n; i++) {
        *spans &= ig_tag_parse(&m->tag[i], ig_lexicon_get(name, i));
        m->type[i] = -1;
        if (m->tag[i].mark != 'O')
            IG_TRY(ig_lexicon_add(&m->types, m->tag[i].type, (int64_t)strlen(m->tag[i].type),
                                  &m->type[i], err));
        m->tag[i].type = ""; /* the lexicon moves when it grows */
    }
    *spans &= m->types.n > 0;
    return IG_ERR_OK;
}

/* The numbers of B-X and I-X of every type, added where they are new. */
static ig_code add_names(meaning *m, ig_lexicon *name, ig_err *err)
{
    IG_TRY(ig_alloc(&m->begin, m->types.n, sizeof *m->begin, "tags", err));
    IG_TRY(ig_alloc(&m->inside, m->types.n, sizeof *m->inside, "tags", err));
    for (int32_t k = 0; k < m->types.n; k++) {
        const int64_t n = ig_lexicon_size(&m->types, k) + 2;
        char *text;
        IG_TRY(ig_alloc(&text, n + 1, 1, "tags", err));
        memcpy(text, "B-", 2);
        memcpy(text + 2, ig_lexicon_get(&m->types, k), (size_t)n - 2);
        ig_code code = ig_lexicon_add(name, text, n, &m->begin[k], err);
        text[0] = 'I';
        IG_THEN(code, ig_lexicon_add(name, text, n, &m->inside[k], err));
        ig_free(text);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

/* Where a walk through a sentence is. */
typedef struct {
    char mark;    /* of the tag before; O at the start */
    int32_t type; /* its type */
} state;

/* The tag of a word: O of one that has none. */
static state state_of(const meaning *m, int32_t label)
{
    return label < 0 ? (state){'O', -1} : (state){m->tag[label].mark, m->type[label]};
}

static ig_tag_scheme find_scheme(const ig_task *t, const meaning *m)
{
    int64_t needless_b = 0, begins_with_i = 0;
    for (int32_t i = 0; i < m->n; i++)
        if (m->tag[i].mark == 'L' || m->tag[i].mark == 'U')
            return IG_SCHEME_BIOUL;
    for (int s = 0; s < t->n_set; s++)
        for (int64_t i = 0; i < t->set[s].n; i++) {
            state before = {'O', -1};
            for (int64_t k = t->set[s].first[i]; k < t->set[s].first[i + 1]; k++) {
                const state now = state_of(m, t->set[s].label[k]);
                const bool follows = before.mark != 'O' && before.type == now.type;
                needless_b += now.mark == 'B' && !follows;
                begins_with_i += now.mark == 'I' && !follows;
                before = now;
            }
        }
    return needless_b == 0 && begins_with_i > 0 ? IG_SCHEME_IOB1 : IG_SCHEME_IOB2;
}

/* Whether `now` is where its scheme does not allow it. An L that is missing is told by the tag
 * behind it, or by the end (O). */
static int repairs(ig_tag_scheme scheme, state before, state now)
{
    const bool same = before.type == now.type,
               stray = ig_tag_goes_on(now.mark) && !(ig_tag_leaves_open(before.mark) && same);
    if (scheme == IG_SCHEME_IOB1)
        return now.mark == 'B' && !(before.mark != 'O' && same);
    if (scheme == IG_SCHEME_IOB2)
        return stray;
    const bool cut = ig_tag_leaves_open(before.mark) && !(ig_tag_goes_on(now.mark) && same);
    return stray + cut;
}

/* One sentence into IOB2; label[n]. */
static int64_t convert(const meaning *m, ig_tag_scheme scheme, int32_t *label, int64_t n)
{
    int64_t n_repair = 0;
    state before = {'O', -1};
    for (int64_t k = 0; k < n; k++) {
        const state now = state_of(m, label[k]);
        n_repair += repairs(scheme, before, now);
        if (now.mark != 'O') {
            const bool goes_on = ig_tag_goes_on(now.mark) && ig_tag_leaves_open(before.mark) &&
                                 before.type == now.type;
            label[k] = goes_on ? m->inside[now.type] : m->begin[now.type];
        }
        before = now;
    }
    return n_repair + repairs(scheme, before, (state){'O', -1});
}

/* That every tag is one of a scheme of spans. */
static ig_code check_tags(const ig_task *t, const ig_lexicon *name, int64_t *const *line,
                          ig_err *err)
{
    for (int j = 0; j < t->n_set; j++) {
        const ig_task_set *s = &t->set[j];
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t k = s->first[i]; k < s->first[i + 1]; k++) {
                ig_tag tag;
                const char *text = s->label[k] < 0 ? "O" : ig_lexicon_get(name, s->label[k]);
                if (!ig_tag_parse(&tag, text))
                    return ig_fail(err, IG_ERR_INPUT, ig_task_file(s, i), (uint64_t)line[j][k],
                                   "found tag '%.40s', expected O, or B-, I-, L- or U- and a type "
                                   "(scheme %s)",
                                   text, ig_tag_scheme_names[t->scheme]);
            }
    }
    return IG_ERR_OK;
}

ig_code ig_task_convert_tags(ig_task *t, const ig_task_form *form, ig_lexicon *name,
                             int64_t *const *line, ig_err *err)
{
    meaning m = {.tag = NULL};
    bool spans;
    ig_code code = meaning_of(&m, name, &spans, err);
    if (code != IG_ERR_OK)
        goto done;
    t->scheme = form->scheme >= 0 ? (ig_tag_scheme)form->scheme
                : spans           ? find_scheme(t, &m)
                                  : IG_SCHEME_PLAIN;
    if (t->scheme == IG_SCHEME_PLAIN)
        goto done;
    code = check_tags(t, name, line, err);
    IG_THEN(code, add_names(&m, name, err));
    for (int s = 0; s < t->n_set && code == IG_ERR_OK; s++)
        for (int64_t i = 0; i < t->set[s].n; i++)
            t->set[s].count.repaired += convert(&m, t->scheme, t->set[s].label + t->set[s].first[i],
                                                t->set[s].first[i + 1] - t->set[s].first[i]);
done:
    meaning_free(&m);
    return code;
}

/* --- BIOUL --------------------------------------------------------------------------------------
 */

/* The places of O, then B, I, L and U of each type. */
static ig_code bioul_labels(ig_labels *to, ig_pool *pool, const char **type, int32_t n_type,
                            ig_err *err)
{
    static const char marks[] = "BILU";
    IG_TRY(ig_pool_alloc(pool, &to->name, 1 + 4 * n_type, sizeof *to->name, err));
    IG_TRY(ig_pool_text(pool, &to->name[to->n++], "O", 1, err));
    for (int32_t i = 0; i < n_type; i++)
        for (int k = 0; k < 4; k++)
            IG_TRY(ig_pool_print(pool, &to->name[to->n++], err, "%c-%s", marks[k], type[i]));
    return IG_ERR_OK;
}

/* Label of a word by its mark and type, as bioul_labels numbers them. */
static int32_t bioul(char mark, int32_t type)
{
    return 1 + 4 * type + (int32_t)(strchr("BILU", mark) - "BILU");
}

/* One sentence: mark[n labels], type[n labels] of the IOB2 labels. An I behind a word without a
 * label begins a span, since no other label can. */
static void to_bioul(const char *mark, const int32_t *type, int32_t *label, int64_t n)
{
    bool open = false;
    for (int64_t k = 0; k < n; k++) {
        const int32_t here = label[k], next = k + 1 < n ? label[k + 1] : IG_LABEL_NONE;
        const bool inside = here >= 0 && mark[here] != 'O',
                   goes_on = inside && next >= 0 && mark[next] == 'I' && type[next] == type[here];
        if (inside)
            label[k] = open ? bioul(goes_on ? 'I' : 'L', type[here])
                            : bioul(goes_on ? 'B' : 'U', type[here]);
        else if (here >= 0)
            label[k] = 0;
        open = goes_on;
    }
}

ig_code ig_task_use_bioul(ig_task *t, ig_err *err)
{
    const int32_t n = t->labels.n;
    const char **name;
    char *mark;
    int32_t *type, n_type = 0;
    ig_labels to = {NULL, 0};
    if (t->kind != IG_TASK_TAGGING || t->scheme == IG_SCHEME_PLAIN)
        return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                       "found labels that name no spans, expected tags as B-X and I-X");
    IG_TRY(ig_pool_alloc(&t->pool, &name, n, sizeof *name, err));
    IG_TRY(ig_pool_alloc(&t->pool, &mark, n, sizeof *mark, err));
    IG_TRY(ig_pool_alloc(&t->pool, &type, n, sizeof *type, err));
    for (int32_t i = 0; i < n; i++) {
        ig_tag tag;
        if (!ig_tag_parse(&tag, t->labels.name[i]) || tag.mark == 'L' || tag.mark == 'U')
            return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                           "found label '%.40s', expected O, B-X or I-X", t->labels.name[i]);
        mark[i] = tag.mark;
        type[i] = 0;
        while (tag.mark != 'O' && type[i] < n_type && strcmp(name[type[i]], tag.type) != 0)
            type[i]++;
        if (tag.mark != 'O' && type[i] == n_type)
            name[n_type++] = tag.type;
    }
    IG_TRY(bioul_labels(&to, &t->pool, name, n_type, err));
    for (int s = 0; s < t->n_set; s++)
        for (int64_t i = 0; i < t->set[s].n; i++)
            to_bioul(mark, type, t->set[s].label + t->set[s].first[i],
                     t->set[s].first[i + 1] - t->set[s].first[i]);
    t->labels = to;
    return IG_ERR_OK;
}
