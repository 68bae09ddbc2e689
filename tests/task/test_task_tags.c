/* SPDX-License-Identifier: Apache-2.0
 *
 * Every string of tags of up to five words, in every scheme: the spans that are read, the repairs
 * that are counted, and BIOUL and back, against definitions written down word by word.
 */
#include "task_fixture.h"

enum { MOST = 5 };

static const char *const iob[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
static const char *const bioul[] = {"O", "B-X", "I-X", "L-X", "U-X", "B-Y", "I-Y", "L-Y", "U-Y"};

typedef struct {
    const char *const *tag;
    int n_tag;
    ig_tag_scheme scheme;
} alphabet;

/* String number i of all of up to MOST tags; its length, 0 after the last. */
static int string(const alphabet *a, int64_t i, const char **tag)
{
    int64_t n_of = a->n_tag;
    for (int n = 1; n <= MOST; n++, n_of *= a->n_tag) {
        if (i < n_of) {
            for (int k = 0; k < n; k++, i /= a->n_tag)
                tag[k] = a->tag[i % a->n_tag];
            return n;
        }
        i -= n_of;
    }
    return 0;
}

static bool same_type(const char *a, const char *b)
{
    return a[0] != 'O' && b[0] != 'O' && strcmp(a + 2, b + 2) == 0;
}

/* Word k goes on with the span of word k − 1. */
static bool goes_on(const char *const *tag, int k)
{
    return k > 0 && strchr("IL", tag[k][0]) != NULL && strchr("BI", tag[k - 1][0]) != NULL &&
           same_type(tag[k], tag[k - 1]);
}

/* Words i to j are a span: it begins at i, all others go on, and the next does not. */
static bool is_span(const char *const *tag, int n, int i, int j)
{
    if (tag[i][0] == 'O' || goes_on(tag, i))
        return false;
    for (int k = i + 1; k <= j; k++)
        if (!goes_on(tag, k))
            return false;
    return j + 1 == n || !goes_on(tag, j + 1);
}

static int64_t repairs(const char *const *tag, int n, ig_tag_scheme scheme)
{
    int64_t count = 0;
    for (int k = 0; k < n; k++) {
        const char mark = tag[k][0], *before = k > 0 ? tag[k - 1] : "O",
                   *behind = k + 1 < n ? tag[k + 1] : "O";
        if (scheme == IG_SCHEME_IOB1)
            count += mark == 'B' && !same_type(before, tag[k]);
        if (scheme == IG_SCHEME_IOB2)
            count += mark == 'I' && !same_type(before, tag[k]);
        if (scheme == IG_SCHEME_BIOUL) {
            count += strchr("IL", mark) != NULL &&
                     !(strchr("BI", before[0]) != NULL && same_type(before, tag[k]));
            count += strchr("BI", mark) != NULL &&
                     !(strchr("IL", behind[0]) != NULL && same_type(behind, tag[k]));
        }
    }
    return count;
}

static void check_strings(const alphabet *a, const ig_task *t)
{
    const ig_task_set *s = &t->set[0];
    const char *tag[MOST], *got[MOST];
    int64_t sum = 0, i = 0;
    for (int n; (n = string(a, i, tag)) > 0; i++) {
        assert_int_equal(s->first[i + 1] - s->first[i], n);
        for (int k = 0; k < n; k++)
            got[k] = t->labels.name[s->label[s->first[i] + k]];
        for (int from = 0; from < n; from++)
            for (int to = from; to < n; to++) {
                assert_int_equal(is_span(tag, n, from, to), is_span(got, n, from, to));
                if (is_span(got, n, from, to))
                    assert_string_equal(tag[from] + 2, got[from] + 2);
            }
        sum += repairs(tag, n, a->scheme);
        assert_int_equal(repairs(got, n, IG_SCHEME_IOB2), 0);
    }
    assert_int_equal(s->n, i);
    assert_int_equal(s->count.repaired, sum);
}

static void every_string(void **state)
{
    (void)state;
    const alphabet all[] = {
        {iob, 5, IG_SCHEME_IOB1}, {iob, 5, IG_SCHEME_IOB2}, {bioul, 9, IG_SCHEME_BIOUL}};
    for (int a = 0; a < 3; a++) {
        FILE *f = fopen(in_root("all"), "w");
        const char *tag[MOST];
        for (int64_t i = 0, n; (n = string(&all[a], i, tag)) > 0; i++) {
            for (int k = 0; k < n; k++)
                fprintf(f, "w\t%s\n", tag[k]);
            fprintf(f, "\n");
        }
        fclose(f);
        char yaml[80];
        snprintf(yaml, sizeof yaml, "kind: tagging\nscheme: %s\ntrain: {en: all}\n",
                 ig_tag_scheme_names[all[a].scheme]);
        ig_task *t = read_ok(yaml);
        check_strings(&all[a], t);
        /* As BIOUL the same spans, and nothing that BIOUL would have repaired. */
        assert_ok(ig_task_use_bioul(t, &err), &err);
        const ig_task_set *s = &t->set[0];
        const char *got[MOST];
        for (int64_t i = 0, n; (n = string(&all[a], i, tag)) > 0; i++) {
            for (int k = 0; k < n; k++)
                got[k] = t->labels.name[s->label[s->first[i] + k]];
            assert_int_equal(repairs(got, (int)n, IG_SCHEME_BIOUL), 0);
            for (int from = 0; from < n; from++)
                for (int to = from; to < n; to++)
                    assert_int_equal(is_span(tag, (int)n, from, to),
                                     is_span(got, (int)n, from, to));
        }
        ig_task_free(t);
    }
}

/* A type that training does not have has no label there, and labels after those in other sets. */
static void types_that_are_not_trained(void **state)
{
    (void)state;
    put("seen", "w\tB-X\nw\tI-X\nw\tO\n");
    put("more", "w\tB-Y\nw\tB-X\nw\tB-Z\nw\tI-Z\n");
    ig_task *t = read_ok("kind: tagging\nscheme: iob2\ntrain: {en: seen}\ntest: {en: more}\n");
    assert_ok(ig_task_use_bioul(t, &err), &err);
    assert_int_equal(t->labels.n, 5);
    assert_int_equal(t->other.n, 9);
    static const char *const want[] = {"U-Y", "U-X", "B-Z", "L-Z"};
    for (int i = 0; i < 4; i++) {
        const int32_t label = t->set[1].label[i];
        assert_string_equal(
            label >= 0 ? t->labels.name[label] : t->other.name[IG_LABEL_OTHER - label], want[i]);
        assert_true((label >= 0) == (i == 1));
    }
    ig_task_free(t);
}

/* All strings that IOB1 allows are told to be IOB1, unless they are IOB2 as well. */
static void schemes_are_found(void **state)
{
    (void)state;
    const alphabet a = {iob, 5, IG_SCHEME_IOB1};
    const char *tag[MOST];
    for (int64_t i = 0, n; (n = string(&a, i, tag)) > 0 && n <= 3; i++) {
        char text[200] = "";
        for (int k = 0; k < n; k++)
            sprintf(text + strlen(text), "w\t%s\n", tag[k]);
        put("one", text);
        ig_task *t = read_ok("kind: tagging\ntrain: {en: one}\n");
        const bool any = strpbrk(text, "BI") != NULL,
                   one = repairs(tag, (int)n, IG_SCHEME_IOB1) == 0,
                   two = repairs(tag, (int)n, IG_SCHEME_IOB2) == 0;
        assert_int_equal(t->scheme, !any          ? IG_SCHEME_PLAIN
                                    : one && !two ? IG_SCHEME_IOB1
                                                  : IG_SCHEME_IOB2);
        ig_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_string),
        cmocka_unit_test(types_that_are_not_trained),
        cmocka_unit_test(schemes_are_found),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
