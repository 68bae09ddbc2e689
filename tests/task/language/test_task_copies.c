/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of worlds read back, and tasks through transforms of words: labels move with their words
 * (every word of a world has one meaning, so the word itself tells its label), trees stay trees,
 * turning round twice changes nothing.
 */
#include "../task_fixture.h"

#include "base/file.h"
#include "corpus/world/world_task.h"
#include "task/language/task_words.h"
#include "task/tag.h"

static ig_task *world_task(ig_world_task_kind kind, const char *languages)
{
    static int number;
    const ig_world_task_options task = {.kind = kind, .n = {200, 50, 100}, .seed = 1};
    char name[48];
    ig_world_options o;
    ig_world_language language[IG_WORLD_LANGUAGES];
    int n;
    ig_world *w;
    ig_task *t;
    assert_true(ig_world_preset(&o, "tasks"));
    o.seed = 3;
    assert_ok(ig_world_languages_parse(language, &n, languages, &err), &err);
    assert_ok(ig_world_new(&w, &o, language, n, &err), &err);
    snprintf(name, sizeof name, "world%d", number);
    assert_ok(ig_world_task_write(w, in_root(name), &task, &err), &err);
    ig_world_free(w);
    snprintf(name, sizeof name, "world%d/TASK.yaml", number++);
    assert_ok(ig_task_read(in_root(name), NULL, &t, &err), &err);
    return t;
}

/* Steps that count words count those of the training sentences. */
static void fit(ig_word_pipeline *p, const ig_task_set *s)
{
    ig_phrase phrase = {0};
    for (int step = ig_word_pipeline_sees(p, 0); step < p->n;
         step = ig_word_pipeline_sees(p, step + 1)) {
        for (int64_t i = 0; i < s->n; i++) {
            assert_ok(ig_phrase_clear(&phrase, &err), &err);
            for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
                assert_ok(ig_phrase_add(&phrase, s->word[k], (int64_t)strlen(s->word[k]), &err),
                          &err);
            assert_ok(ig_word_pipeline_see(p, step, i, &phrase, &err), &err);
        }
        assert_ok(ig_word_pipeline_ready(p, step, &err), &err);
    }
    ig_phrase_free(&phrase);
}

static ig_code add(ig_task *t, const char *from, const char *to, const char *words)
{
    ig_word_pipeline p = {0};
    const ig_file_finder none = {0};
    err = (ig_err){0};
    assert_ok(ig_word_pipeline_parse(&p, words, to, 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(&p, 5, to, &none, &err), &err);
    const ig_task_set *train = ig_task_find(t, from, IG_SPLIT_TRAIN);
    if (train != NULL && train->first != NULL)
        fit(&p, train);
    const ig_code code = ig_task_add_words(t, from, to, &p, &err);
    ig_word_pipeline_free(&p);
    return code;
}

static const ig_task_set *added(ig_task *t, const char *from, const char *to, const char *words,
                                ig_split split)
{
    if (ig_task_find(t, to, split) == NULL)
        assert_ok(add(t, from, to, words), &err);
    const ig_task_set *s = ig_task_find(t, to, split);
    assert_non_null(s);
    return s;
}

/* One root, and every word below it. */
static void is_tree(const ig_task_set *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const int32_t *const head = s->head + s->first[i];
        const int32_t n = (int32_t)(s->first[i + 1] - s->first[i]);
        int roots = 0;
        for (int32_t k = 0; k < n; k++) {
            int steps = 0;
            assert_in_range(head[k], 0, n);
            roots += head[k] == 0;
            for (int32_t at = k; head[at] > 0; at = head[at] - 1)
                assert_true(steps++ < n);
        }
        assert_int_equal(roots, 1);
    }
}

/* Spans as "i:type words", sorted by the order of begin; returns how many in the set. */
static int64_t spans_count(const ig_task *t, const ig_task_set *s)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->first[s->n]; k++) {
        ig_tag tag;
        assert_true(s->label[k] >= 0 && ig_tag_parse(&tag, t->labels.name[s->label[k]]));
        n += tag.mark == 'B';
    }
    return n;
}

static void worlds_are_read_as_they_are_made(void **state)
{
    (void)state;
    ig_task *t = world_task(IG_WORLD_ENTAILMENT, "eng; jap; fij");
    assert_int_equal(t->kind, IG_TASK_PAIR);
    assert_int_equal(t->n_set, 1 + 3 + 3);
    for (int k = 0; k < t->n_set; k++) {
        const ig_task_set *s = &t->set[k], *eng = ig_task_find(t, "eng", s->split);
        int count[3] = {0};
        assert_int_equal(s->n, s->split == IG_SPLIT_TRAIN ? 200
                               : s->split == IG_SPLIT_DEV ? 50
                                                          : 100);
        assert_memory_equal(s->label, eng->label, (size_t)s->n * sizeof *s->label);
        for (int64_t i = 0; i < s->n; i++)
            count[s->label[i]]++;
        for (int c = 0; c < 3; c++)
            assert_in_range(count[c], s->n / 3 - 1, s->n / 3 + 1);
        for (int other = 0; other < IG_N_SPLIT; other++)
            assert_int_equal(s->count.overlap[other], 0);
    }
    ig_task_free(t);
    t = world_task(IG_WORLD_TREES, "eng; jap");
    assert_int_equal(t->kind, IG_TASK_PARSING);
    for (int k = 0; k < t->n_set; k++)
        is_tree(&t->set[k]);
    ig_task_free(t);
    t = world_task(IG_WORLD_ENTITIES, "eng; jap");
    assert_int_equal(t->scheme, IG_SCHEME_IOB2);
    assert_int_equal(t->labels.n, 7);
    assert_int_equal(spans_count(t, ig_task_find(t, "eng", IG_SPLIT_TEST)),
                     spans_count(t, ig_task_find(t, "jap", IG_SPLIT_TEST)));
    for (int k = 0; k < t->n_set; k++)
        assert_int_equal(t->set[k].count.repaired, 0);
    ig_task_free(t);
    t = world_task(IG_WORLD_TAGS, "eng; jap");
    assert_int_equal(t->scheme, IG_SCHEME_PLAIN);
    assert_int_equal(t->labels.n, 14);
    ig_task_free(t);
}

/* Inversion against what it is: word k of n becomes word n − 1 − k, and so do heads. */
static void inversion_by_definition(void **state)
{
    (void)state;
    ig_task *t = world_task(IG_WORLD_TREES, "eng");
    const ig_task_set *s = added(t, "eng", "inverted", "invert", IG_SPLIT_TEST);
    const ig_task_set *eng = ig_task_find(t, "eng", IG_SPLIT_TEST);
    assert_int_equal(s->n, eng->n);
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t a = s->first[i], n = s->first[i + 1] - a;
        assert_int_equal(a, eng->first[i]);
        for (int64_t k = 0; k < n; k++) {
            const int64_t from = a + n - 1 - k;
            assert_string_equal(s->word[a + k], eng->word[from]);
            assert_string_equal(s->pos[a + k], eng->pos[from]);
            assert_int_equal(s->label[a + k], eng->label[from]);
            assert_int_equal(s->head[a + k], eng->head[from] == 0 ? 0 : n + 1 - eng->head[from]);
        }
    }
    ig_task_free(t);
}

static void twice_turned_is_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < IG_N_WORLD_TASK; kind++) {
        const ig_split split = kind == IG_WORLD_MINIMAL ? IG_SPLIT_TEST : IG_SPLIT_TRAIN;
        ig_task *t = world_task((ig_world_task_kind)kind, "eng");
        const ig_task_set *s = added(t, "eng", "twice", "invert | invert", split);
        const ig_task_set *eng = ig_task_find(t, "eng", split);
        /* Adds it in two steps, so that the intermediate result is a task, too. */
        added(t, "eng", "once", "invert", split);
        const ig_task_set *again = added(t, "once", "back", "invert", split);
        eng = ig_task_find(t, "eng", split);
        s = ig_task_find(t, "twice", split);
        for (int both = 0; both < 2; both++, s = again) {
            const int64_t n = eng->first != NULL ? eng->first[eng->n] : eng->n;
            assert_memory_equal(s->label, eng->label, (size_t)n * sizeof *s->label);
            if (s->head != NULL)
                assert_memory_equal(s->head, eng->head, (size_t)n * sizeof *s->head);
            for (int64_t i = 0; s->word != NULL && i < n; i++)
                assert_string_equal(s->word[i], eng->word[i]);
            for (int64_t i = 0; s->text != NULL && i < 2 * n; i++)
                assert_string_equal(s->text[i], eng->text[i]);
        }
        /* Premise and hypothesis are turned each, not exchanged. */
        const ig_task_set *once = ig_task_find(t, "once", split);
        if (once->text != NULL)
            for (int64_t i = 0; i < 2 * once->n; i++) {
                const char *space = strrchr(eng->text[i], ' ');
                const size_t n = strlen(space + 1);
                assert_int_equal(strncmp(once->text[i], space + 1, n), 0);
                assert_int_equal(once->text[i][n], ' ');
            }
        ig_task_free(t);
    }
}

/* In a world one word is one meaning, so that its tag is a function of the word. */
static void tags_stay_on_their_words(void **state)
{
    (void)state;
    ig_task *t = world_task(IG_WORLD_TAGS, "eng");
    const ig_task_set *s = added(t, "eng", "mixed", "permute:1 | drop:3", IG_SPLIT_TEST);
    const ig_task_set *eng = ig_task_find(t, "eng", IG_SPLIT_TEST);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = s->first[i]; k < s->first[i + 1]; k++) {
            int64_t at = eng->first[i];
            while (at < eng->first[i + 1] && strcmp(eng->word[at], s->word[k]) != 0)
                at++;
            assert_true(at < eng->first[i + 1]);
            assert_int_equal(s->label[k], eng->label[at]);
        }
    assert_in_range(s->first[s->n], eng->first[eng->n] / 2, eng->first[eng->n] * 9 / 10);
    ig_task_free(t);
}

static void spans_stay_whole(void **state)
{
    (void)state;
    ig_task *t = world_task(IG_WORLD_ENTITIES, "eng");
    added(t, "eng", "inverted", "invert", IG_SPLIT_TEST);
    added(t, "eng", "fake", "codepoints", IG_SPLIT_TEST);
    added(t, "eng", "loose", "permute:1", IG_SPLIT_TEST);
    const ig_task_set *eng = ig_task_find(t, "eng", IG_SPLIT_TEST),
                      *inverted = ig_task_find(t, "inverted", IG_SPLIT_TEST),
                      *fake = ig_task_find(t, "fake", IG_SPLIT_TEST),
                      *loose = ig_task_find(t, "loose", IG_SPLIT_TEST);
    const int64_t n = eng->first[eng->n];
    assert_int_equal(spans_count(t, inverted), spans_count(t, eng));
    assert_memory_equal(fake->label, eng->label, (size_t)n * sizeof *eng->label);
    assert_string_not_equal(fake->word[0], eng->word[0]);
    assert_true(spans_count(t, loose) > spans_count(t, eng)); /* torn apart */
    for (int which = 0; which < 2; which++) {
        const ig_task_set *s = which == 0 ? inverted : loose;
        int outside[2] = {0};
        char last[8] = "O";
        for (int64_t k = 0; k < n; k++) { /* valid IOB2, and as many words in spans */
            ig_tag tag;
            const char *name = t->labels.name[s->label[k]];
            for (int64_t i = 0; i < s->n; i++)
                if (s->first[i] == k)
                    strcpy(last, "O");
            assert_true(ig_tag_parse(&tag, name));
            if (tag.mark == 'I')
                assert_string_equal(last + 1, name + 1);
            snprintf(last, sizeof last, "%s", name);
            outside[0] += tag.mark == 'O';
            outside[1] += t->labels.name[eng->label[k]][0] == 'O';
        }
        assert_int_equal(outside[0], outside[1]);
    }
    ig_task_free(t);
}

/* A word that becomes two, words that become one, words that go, orders that change. */
static void trees_stay_trees(void **state)
{
    (void)state;
    static const char *const pipelines[] = {
        "split:1",   "merge:1",          "split:.5 | merge:.8 | permute:1", "drop:6 | permute:.5",
        "permute:1", "drop:6 | merge:1", "merge:1 | split:.7 | drop:4",     "head-final"};
    ig_task *t = world_task(IG_WORLD_TREES, "eng");
    for (int k = 0; k < 8; k++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", k);
        const ig_task_set *s = added(t, "eng", name, pipelines[k], IG_SPLIT_TEST);
        is_tree(s);
        const int64_t n = s->first[s->n], all = ig_task_find(t, "eng", IG_SPLIT_TEST)->first[s->n];
        assert_true(k == 0 ? n > all : k == 4 || k == 7 ? n == all : n != all);
        for (int64_t i = 0; i < s->n; i++) {
            int roots = 0;
            for (int64_t w = s->first[i]; w < s->first[i + 1]; w++)
                roots += s->label[w] >= 0 && strcmp(t->labels.name[s->label[w]], "root") == 0;
            assert_int_equal(roots, 1);
        }
    }
    ig_task_free(t);
}

/* By hand: "the big dog barks", dog gone; dog cut in two. */
static void what_hung_on_a_word(void **state)
{
    (void)state;
    put("t.conllu",
        "1\tthe\t_\tDET\t_\t_\t3\tdet\t_\t_\n2\tbig\t_\tADJ\t_\t_\t3\tamod\t_\t_\n"
        "3\tdogs\t_\tNOUN\t_\t_\t4\tnsubj\t_\t_\n4\tb\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    ig_task *t = read_ok("kind: parsing\ntest: {en: t.conllu}\n");
    const ig_task_set *s = added(t, "en", "cut", "split:1", IG_SPLIT_TEST);
    static const int32_t heads[] = {5, 1, 5, 3, 7, 5, 0};
    assert_int_equal(s->first[1], 7); /* th e b ig do gs b */
    assert_memory_equal(s->head, heads, sizeof heads);
    assert_int_equal(s->label[1], IG_LABEL_UNKNOWN); /* neither goeswith nor flat is a label */
    ig_task_free(t);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    ig_task *t = world_task(IG_WORLD_ENTITIES, "eng");
    assert_int_equal(add(t, "deu", "x", "invert"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "language 'deu' has no data"));
    assert_int_equal(add(t, "eng", "eng", "invert"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "language 'eng' has data of its own"));
    assert_int_equal(add(t, "eng", "x", "head-final"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "'head-final' reads trees, expected a parsing task"));
    assert_ok(ig_task_use_bioul(t, &err), &err);
    assert_int_equal(add(t, "eng", "x", "invert"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "expected IOB2"));
    ig_task_free(t);
    put("t.conllu", "1\tgoes\tgo\tVERB\t_\tNumber=Sing|Person=3|Tense=Pres|VerbForm=Fin\t0\t"
                    "root\t_\t_\n\n");
    t = read_ok("kind: parsing\ntest: {en: t.conllu}\n");
    assert_int_equal(add(t, "en", "x", "invert | hop:4"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "'hop' reads the number of verbs"));
    ig_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_read_as_they_are_made),
        cmocka_unit_test(inversion_by_definition),
        cmocka_unit_test(twice_turned_is_the_same),
        cmocka_unit_test(tags_stay_on_their_words),
        cmocka_unit_test(spans_stay_whole),
        cmocka_unit_test(trees_stay_trees),
        cmocka_unit_test(what_hung_on_a_word),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
