/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores spans of tags. conlleval: E. Tjong Kim Sang, "Introduction to the CoNLL-2002 shared
 * task", 2002, generalised to any first letter by seqeval (H. Nakayama, 2018); strict: the schemes
 * of seqeval 1.x.
 */
#include "task/score/score_spans.h"

#include "base/memory.h"
#include "task/tag.h"

#include <string.h>

const char *const ig_span_rule_names[] = {"conlleval", "strict", "repair_first", "repair_last",
                                          NULL};

/* The mark of a label and the number of its type. */
typedef struct {
    char mark;    /* O B I L U; x: none of them, continues a span of the same type */
    int32_t type; /* −1 of O */
} tag;

typedef struct {
    tag *of;           /* [labels, then the others] */
    const char **type; /* [n_type] */
    int32_t n_type, n_known;
    bool bioul;
    int64_t longest; /* words of a sentence */
} tags;

/* A span that begins at a word: its last word and its type; end −1: none. */
typedef struct {
    int64_t end;
    int32_t type;
} span;

/* seqeval's reading of a tag that names no span, by its first letter: XTREME's SCONJ, SYM and INTJ
 * are read as S and I. */
static char plain_mark(char letter)
{
    static const char letters[] = "OBIES", marks[] = "OBILU";
    const char *at = letter != '\0' ? strchr(letters, letter) : NULL;
    return at != NULL ? marks[at - letters] : 'x';
}

/* Returns name i of the labels and the others. */
static const char *name_of(const ig_score_tags *s, int32_t i)
{
    return i < s->labels->n ? s->labels->name[i] : s->other->name[i - s->labels->n];
}

static ig_code tags_of(tags *t, const ig_score_tags *s, ig_err *err)
{
    const int32_t n = s->labels->n + (s->other != NULL ? s->other->n : 0);
    bool all = true;
    ig_tag parsed;
    t->n_known = s->labels->n;
    IG_TRY(ig_alloc(&t->of, n, sizeof *t->of, "tags", err));
    IG_TRY(ig_alloc(&t->type, n, sizeof *t->type, "tags", err));
    for (int32_t i = 0; i < n; i++)
        all &= ig_tag_parse(&parsed, name_of(s, i));
    for (int32_t i = 0; i < n; i++) {
        /* A letter alone may be a part of speech, unless all labels are tags of spans. */
        const char *name = name_of(s, i);
        const bool plain =
            !ig_tag_parse(&parsed, name) || (!all && parsed.mark != 'O' && parsed.type[0] == '\0');
        const char *type = plain ? name : parsed.type;
        t->of[i] = (tag){.mark = plain ? plain_mark(name[0]) : parsed.mark, .type = -1};
        t->bioul |= !plain && (parsed.mark == 'L' || parsed.mark == 'U');
        if (!plain && parsed.mark == 'O')
            continue;
        t->of[i].type = 0;
        while (t->of[i].type < t->n_type && strcmp(t->type[t->of[i].type], type) != 0)
            t->of[i].type++;
        if (t->of[i].type == t->n_type)
            t->type[t->n_type++] = type;
    }
    for (int64_t i = 0; i < s->n; i++)
        if (s->first[i + 1] - s->first[i] > t->longest)
            t->longest = s->first[i + 1] - s->first[i];
    return IG_ERR_OK;
}

static tag tag_at(const tags *t, const int32_t *label, int64_t k)
{
    if (label[k] >= 0)
        return t->of[label[k]];
    return label[k] > IG_LABEL_OTHER ? (tag){'O', -1}
                                     : t->of[t->n_known + (IG_LABEL_OTHER - label[k])];
}

/* Returns whether word k continues the span of the word before it, which has tag `before`. */
static bool continues(ig_span_rule rule, tag before, tag now)
{
    const bool same = before.type == now.type;
    if (now.mark == 'O' || before.mark == 'O' || now.mark == 'B' || now.mark == 'U')
        return false;
    if (before.mark == 'L' || before.mark == 'U')
        return false;
    return same || rule == IG_SPANS_REPAIR_FIRST || rule == IG_SPANS_REPAIR_LAST;
}

/* Finds the spans of one sentence of n words. */
static void find(span *out, const tags *t, ig_span_rule rule, const int32_t *label, int64_t n)
{
    tag before = {'O', -1};
    int64_t from = -1;
    for (int64_t k = 0; k < n; k++) {
        const tag now = tag_at(t, label, k);
        out[k] = (span){-1, -1};
        if (continues(rule, before, now) && from >= 0) {
            out[from].end = k;
            if (rule == IG_SPANS_REPAIR_LAST)
                out[from].type = now.type;
        } else {
            const bool begins =
                rule == IG_SPANS_STRICT ? now.mark == 'B' || now.mark == 'U' : now.mark != 'O';
            from = begins ? k : -1;
            if (begins)
                out[k] = (span){k, now.type};
        }
        before = now;
    }
    if (rule == IG_SPANS_STRICT && t->bioul)
        for (int64_t k = 0; k < n; k++)
            if (out[k].end >= 0 && ig_tag_leaves_open(tag_at(t, label, out[k].end).mark))
                out[k].end = -1;
}

typedef struct {
    int64_t gold, predicted, right;
} counts;

static void count(counts *c, const tags *t, ig_span_rule rule, const ig_score_tags *s, span *room)
{
    span *gold = room, *predicted = room + t->longest;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = s->first[i], n = s->first[i + 1] - from;
        find(gold, t, rule, s->gold + from, n);
        find(predicted, t, rule, s->predicted + from, n);
        for (int64_t k = 0; k < n; k++) {
            if (gold[k].end >= 0)
                c[gold[k].type].gold++;
            if (predicted[k].end >= 0)
                c[predicted[k].type].predicted++;
            if (gold[k].end >= 0 && gold[k].end == predicted[k].end &&
                gold[k].type == predicted[k].type)
                c[gold[k].type].right++;
        }
    }
}

ig_code ig_score_spans(ig_span_score *out, const ig_score_tags *s, ig_span_rule rule, ig_err *err)
{
    tags t = {.of = NULL};
    counts *c = NULL, all = {0};
    span *room = NULL;
    *out = (ig_span_score){.n_type = 0};
    ig_code code = tags_of(&t, s, err);
    IG_THEN(code, ig_alloc(&c, t.n_type, sizeof *c, "spans", err));
    IG_THEN(code, ig_alloc(&room, 2 * t.longest, sizeof *room, "spans", err));
    IG_THEN(code, ig_alloc(&out->by_type, t.n_type, sizeof *out->by_type, "spans", err));
    if (code != IG_ERR_OK)
        goto done;
    count(c, &t, rule, s, room);
    for (int32_t k = 0; k < t.n_type; k++) {
        out->by_type[k] = ig_score_f1_of(c[k].right, c[k].gold, c[k].predicted);
        all.right += c[k].right;
        all.gold += c[k].gold;
        all.predicted += c[k].predicted;
    }
    out->all = ig_score_f1_of(all.right, all.gold, all.predicted);
    out->n_type = t.n_type;
    out->type = t.type;
    t.type = NULL;
done:
    IG_FREE(c, room);
    IG_FREE(t.of, t.type);
    if (code != IG_ERR_OK)
        ig_span_score_free(out);
    return code;
}

void ig_span_score_free(ig_span_score *s)
{
    IG_FREE(s->type, s->by_type);
    *s = (ig_span_score){.n_type = 0};
}
