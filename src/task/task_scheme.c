/* SPDX-License-Identifier: Apache-2.0
 *
 * Infers the scheme of tags of a task's files, and checks that all follow it: the training files
 * decide, so that an odd tag of one file is found where it occurs, and changes nothing elsewhere.
 */
#include "task/tag.h"

#include "base/memory.h"
#include "task/task_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool ig_task_set_decides(const ig_task *t, const ig_task_set *s)
{
    bool any_train = false;
    for (int i = 0; i < t->n_set; i++)
        any_train |= t->set[i].split == IG_SPLIT_TRAIN;
    return !any_train || s->split == IG_SPLIT_TRAIN;
}

int64_t ig_task_sentence_of(const ig_task_set *s, int64_t k)
{
    int64_t low = 0, high = s->n;
    while (s->first != NULL && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(s->first[middle] <= k ? &low : &high) = middle;
    }
    return s->first != NULL ? low : k;
}

/* Counts how often each name is a label of the sets that decide. */
static ig_code count_names(int64_t **out, const ig_task *t, const ig_lexicon *name, ig_err *err)
{
    IG_TRY(ig_alloc(out, name->n, sizeof **out, "tags", err));
    for (int s = 0; s < t->n_set; s++) {
        const ig_task_set *set = &t->set[s];
        if (ig_task_set_decides(t, set))
            for (int64_t k = 0; k < ig_task_n_label(set); k++)
                if (set->label[k] >= 0)
                    (*out)[set->label[k]]++;
    }
    return IG_ERR_OK;
}

/* Counts of words by kind of tag; typed and bare only with a mark B or I. */
typedef struct {
    int64_t typed, bare, outside, odd; /* B-X, I-X, …; B, I, …; O; none of these */
    bool typed_inside, bare_inside;    /* with a B or an I among them */
    bool ends;                         /* with L or U among them */
    int64_t like, small_o;             /* of the odd: b-x, B_X, X-B, o, …; o */
} tally;

/* Returns whether a tag of spans has another hyphen, lower case, or its mark after the type; or is
 * "o". */
static bool is_like_tag(const char *text)
{
    static const char marks[] = "BILUESMWbiluesmw";
    const size_t n = strlen(text);
    if (n < 3)
        return strcmp(text, "o") == 0;
    return (strchr(marks, text[0]) != NULL && !isalnum((unsigned char)text[1])) ||
           (strchr(marks, text[n - 1]) != NULL && strchr("-_", text[n - 2]) != NULL);
}

static tally count_kinds(const int64_t *count, const ig_lexicon *name)
{
    tally y = {0};
    for (int32_t i = 0; i < name->n; i++) {
        ig_tag tag;
        const char *text = ig_lexicon_get(name, i);
        const bool is_tag = ig_tag_parse(&tag, text), typed = is_tag && tag.type[0] != '\0',
                   bare = is_tag && !typed && tag.mark != 'O',
                   inside = tag.mark == 'B' || tag.mark == 'I';
        if (count[i] == 0)
            continue;
        y.typed += typed ? count[i] : 0;
        y.bare += bare ? count[i] : 0;
        y.outside += is_tag && tag.mark == 'O' ? count[i] : 0;
        y.odd += is_tag ? 0 : count[i];
        y.typed_inside |= typed && inside;
        y.bare_inside |= bare && inside;
        y.ends |= is_tag && (tag.mark == 'L' || tag.mark == 'U');
        y.like += !is_tag && is_like_tag(text) ? count[i] : 0;
        y.small_o += strcmp(text, "o") == 0 ? count[i] : 0;
    }
    return y;
}

/* Chooses IOB1 if spans begin with I and there is no B where IOB1 needs none. */
static ig_tag_scheme find_iob(const ig_task *t, const ig_lexicon *name)
{
    int64_t needless_b = 0, begins_with_i = 0;
    for (int s = 0; s < t->n_set; s++) {
        const ig_task_set *set = &t->set[s];
        if (!ig_task_set_decides(t, set))
            continue;
        for (int64_t i = 0; i < set->n; i++) {
            ig_tag before = {'O', ""};
            for (int64_t k = set->first[i]; k < set->first[i + 1]; k++) {
                ig_tag now = {'O', ""};
                if (set->label[k] >= 0)
                    ig_tag_parse(&now, ig_lexicon_get(name, set->label[k]));
                const bool follows = before.mark != 'O' && strcmp(before.type, now.type) == 0;
                needless_b += now.mark == 'B' && !follows;
                begins_with_i += now.mark == 'I' && !follows;
                before = now;
            }
        }
    }
    return needless_b == 0 && begins_with_i > 0 ? IG_SCHEME_IOB1 : IG_SCHEME_IOB2;
}

/* Fails at the first tag of the sets that decide that only resembles one of spans. */
static ig_code like_tags(const ig_task *t, const ig_lexicon *name, int64_t *const *line,
                         ig_err *err)
{
    for (int s = 0; s < t->n_set; s++) {
        const ig_task_set *set = &t->set[s];
        for (int64_t k = 0; ig_task_set_decides(t, set) && k < ig_task_n_label(set); k++) {
            const char *text = set->label[k] >= 0 ? ig_lexicon_get(name, set->label[k]) : "O";
            if (!is_like_tag(text) || strcmp(text, "o") == 0)
                continue;
            ig_fail(err, IG_ERR_INPUT, ig_task_file(set, ig_task_sentence_of(set, k)),
                    (uint64_t)line[s][k],
                    "found tag '%.40s', expected a mark, a hyphen and a type, as in B-PER", text);
            return ig_hint(err, "'rename' in the task reads tags as others; 'scheme: plain' takes "
                                "them as they are");
        }
    }
    return IG_ERR_OK;
}

ig_code ig_task_find_scheme(ig_task *t, const ig_task_form *form, const ig_lexicon *name,
                            int64_t *const *line, ig_err *err)
{
    int64_t *count = NULL;
    IG_TRY(count_names(&count, t, name, err));
    const tally y = count_kinds(count, name);
    ig_free(count);
    /* Letters alone may be parts of speech, unless all, or nearly all, are letters of a scheme. */
    const bool bare = y.bare_inside && y.typed == 0 &&
                      (y.odd == 0 || (y.outside > 0 && 10 * y.odd < y.bare + y.outside)),
               spans = y.typed_inside || bare || (y.typed > 0 && y.odd + y.bare == 0);
    t->untyped = form->scheme >= 0 ? y.typed == 0 && y.bare > 0 : bare;
    if (form->scheme >= 0)
        t->scheme = (ig_tag_scheme)form->scheme;
    else if (spans)
        t->scheme = y.ends ? IG_SCHEME_BIOUL : find_iob(t, name);
    else {
        t->scheme = IG_SCHEME_PLAIN;
        if (y.outside + y.small_o > 0 && y.like > y.small_o && y.like == y.odd + y.bare)
            return like_tags(t, name, line, err);
        if (y.outside > y.odd && y.odd > 0 && y.typed + y.bare == 0)
            t->note[t->n_note++] =
                "most tags are O and none has B- or I-, so they are scored word by word: 'rename: "
                "{PER: I-PER, …}' in the task makes spans of them, 'scheme: plain' says that there "
                "are none";
    }
    return IG_ERR_OK;
}

static bool is_allowed(const ig_task *t, const char *text)
{
    ig_tag tag;
    if (!ig_tag_parse(&tag, text))
        return false;
    if (tag.mark == 'O')
        return true;
    return (tag.type[0] == '\0') == t->untyped &&
           (t->scheme == IG_SCHEME_BIOUL || text[0] == 'B' || text[0] == 'I');
}

/* Returns the mark of a tag of this type that is written otherwise, as b_per or PER-B; '\0': it is
 * none. */
static char mark_of(const char *odd, const char *type)
{
    const size_t n = strlen(odd), n_type = strlen(type);
    char of[64];
    if (n < 3 || n - 2 != n_type || n_type >= sizeof of)
        return '\0';
    const bool first = strchr("-_", odd[1]) != NULL, last = strchr("-_", odd[n - 2]) != NULL;
    snprintf(of, sizeof of, "%.*s", (int)n_type, first ? odd + 2 : odd);
    const char mark = (char)toupper((unsigned char)odd[first ? 0 : n - 1]);
    return (first || last) && strchr("BI", mark) != NULL && ig_task_same_name(of, type) ? mark
                                                                                        : '\0';
}

/* Writes a tag of the scheme that an odd one may be meant for. */
static void meant(char *out, size_t room, const ig_task *t, const ig_lexicon *name, const char *odd)
{
    ig_tag tag, of;
    const bool parsed = ig_tag_parse(&tag, odd);
    snprintf(out, room, "O");
    for (int32_t i = name->n - 1; i >= 0; i--) {
        const char *text = ig_lexicon_get(name, i);
        if (!is_allowed(t, text) || !ig_tag_parse(&of, text))
            continue;
        if (ig_task_same_name(odd, text)) {
            snprintf(out, room, "%s", text);
            return;
        }
        if (of.mark != 'O' && !t->untyped && ig_task_same_name(odd, of.type))
            snprintf(out, room, "B-%s", of.type);
        if (of.mark != 'O' && !t->untyped && mark_of(odd, of.type) != '\0')
            snprintf(out, room, "%c-%s", mark_of(odd, of.type), of.type);
    }
    if (parsed && (t->untyped || tag.type[0] != '\0'))
        snprintf(out, room, "%c%s%s", ig_tag_continues(tag.mark) ? 'I' : 'B', t->untyped ? "" : "-",
                 t->untyped ? "" : tag.type);
}

/* A tag that is none of the scheme: of a first line, it may be a column's name. */
static ig_code odd_tag(const ig_task *t, const ig_task_form *form, const ig_lexicon *name,
                       const char *file, int64_t line, const char *text, ig_err *err)
{
    char other[64];
    meant(other, sizeof other, t, name, text);
    ig_fail(err, IG_ERR_INPUT, file, (uint64_t)line,
            "found tag '%.40s', expected O, or B%s%s%s (scheme %s%s)", text,
            t->untyped ? " or I" : "- or I-",
            t->scheme == IG_SCHEME_BIOUL ? t->untyped ? ", L or U" : ", L- or U-" : "",
            t->untyped ? "" : " and a type", ig_tag_scheme_names[t->scheme],
            form->scheme >= 0 ? "" : ", as in the training files");
    if (line == 1 && !form->layout.given && strcmp(other, "O") == 0)
        return ig_hint(err,
                       "'columns: {word: NAME, tag: \"%.40s\"}' in the task says that the line has "
                       "names; 'rename', 'odd_tags' and 'scheme' say what else a tag is",
                       text);
    return ig_hint(err,
                   "'rename: {\"%.40s\": %.40s}' in the task reads it as another, "
                   "'odd_tags: outside' as O; 'scheme: plain' takes no tag for a span",
                   text, other);
}

ig_code ig_task_check_tags(ig_task *t, const ig_task_form *form, ig_lexicon *name,
                           int64_t *const *line, ig_err *err)
{
    int32_t outside = -1;
    if (form->odd_outside)
        IG_TRY(ig_lexicon_add(name, "O", 1, &outside, err));
    for (int s = 0; s < t->n_set; s++) {
        ig_task_set *set = &t->set[s];
        for (int64_t k = 0; k < ig_task_n_label(set); k++) {
            const char *text = set->label[k] < 0 ? "O" : ig_lexicon_get(name, set->label[k]);
            if (is_allowed(t, text))
                continue;
            if (form->odd_outside) {
                set->label[k] = outside;
                set->count.odd++;
                continue;
            }
            return odd_tag(t, form, name, ig_task_file(set, ig_task_sentence_of(set, k)),
                           line[s][k], text, err);
        }
    }
    return IG_ERR_OK;
}
