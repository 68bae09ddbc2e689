/* SPDX-License-Identifier: Apache-2.0
 *
 * The task of a run's languages: what a task says of a language is what the run's own text of it
 * says, word by word.
 */
#include "root_fixture.h"

#include "base/strings/lexicon.h"
#include "base/memory.h"
#include "finetune/run_task.h"
#include "run/data/language_text.h"
#include "task/task_write.h"

#include <string.h>

static void config_make(ig_run_config *c, const char *languages)
{
    err = (ig_err){0};
    assert_ok(ig_options_default(&ig_run_options, c, &err), &err);
    c->data.world = 2;
    assert_string_equal(ig_world_preset_names[c->data.world], "tasks");
    c->data.world_sentences = 300;
    ig_free(c->languages.spec);
    assert_ok(ig_alloc(&c->languages.spec, (int64_t)strlen(languages) + 1, 1, "spec", &err), &err);
    strcpy(c->languages.spec, languages);
    assert_ok(ig_run_config_resolve(c, &err), &err);
}

static ig_task *task_make(const ig_run_config *c, const char *from, ig_world_task_kind kind,
                          const char *name)
{
    ig_task *t;
    char yaml[300];
    const ig_world_task_options o = {.kind = kind, .n = {90, 30, 60}, .seed = 2};
    assert_ok(ig_run_task_write(c, from, NULL, &o, in_root(name), &err), &err);
    snprintf(yaml, sizeof yaml, "%s/TASK.yaml", in_root(name));
    assert_ok(ig_task_read(yaml, NULL, &t, &err), &err);
    return t;
}

/* Every word of the run's text of a language. */
static void vocabulary(ig_lexicon *all, const ig_run_config *c, int language)
{
    ig_language_texts *texts;
    ig_language_text *text;
    ig_word_pipeline p = {0};
    const ig_phrase *s;
    int64_t number;
    const ig_data_settings settings = ig_run_config_data(c);
    assert_ok(ig_language_texts_new(&texts, &settings, &err), &err);
    assert_ok(ig_language_texts_fit(&p, texts, language, &err), &err);
    assert_ok(ig_language_text_open(&text, texts, language, false, &p, &err), &err);
    for (;;) {
        assert_ok(ig_language_text_next(text, &s, NULL, &number, &err), &err);
        if (s == NULL)
            break;
        for (int32_t i = 0; i < s->n; i++) {
            int32_t id;
            assert_ok(ig_lexicon_add(all, ig_phrase_word(s, i), ig_phrase_length(s, i), &id, &err),
                      &err);
        }
    }
    ig_language_text_close(text);
    ig_word_pipeline_free(&p);
    ig_language_texts_free(texts);
}

/* Shares of the words of a set that the run's text has. */
static double known(const ig_task_set *s, const ig_lexicon *l)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->first[s->n]; k++)
        n += ig_lexicon_find(l, s->word[k], (int64_t)strlen(s->word[k])) >= 0;
    return (double)n / (double)s->first[s->n];
}

static void languages_of_a_world(void **state)
{
    (void)state;
    ig_run_config c = {0};
    config_make(&c, "en; fake = shift; points = codepoints | invert | tokenize; cut = drop:5 | "
                    "tokenize; jap(world); x(world=SOV+post) = invert | tokenize");
    ig_task *t = task_make(&c, NULL, IG_WORLD_TAGS, "world");
    static const char *const names[] = {"en", "fake", "points", "cut", "jap", "x"};
    assert_int_equal(t->n_set, 1 + 6 + 6);
    assert_non_null(ig_task_find(t, "en", IG_SPLIT_TRAIN));
    for (int k = 0; k < 6; k++) {
        const ig_task_set *s = ig_task_find(t, names[k], IG_SPLIT_TEST);
        assert_non_null(s);
        assert_int_equal(s->n, 60);
        for (int other = 0; other < 6; other++) {
            static const int words_of[] = {0, 0, 1, 0, 2, 3};
            ig_lexicon l = {0};
            vocabulary(&l, &c, other);
            /* The words are those of the language's own text (300 sentences do not have all), and
             * only signs are another's. */
            if (k == other)
                assert_true(known(s, &l) > .9);
            else if (words_of[k] != words_of[other])
                assert_true(known(s, &l) < .4);
            ig_lexicon_free(&l);
        }
    }
    const ig_task_set *en = ig_task_find(t, "en", IG_SPLIT_TEST),
                      *fake = ig_task_find(t, "fake", IG_SPLIT_TEST),
                      *points = ig_task_find(t, "points", IG_SPLIT_TEST),
                      *cut = ig_task_find(t, "cut", IG_SPLIT_TEST);
    const int64_t n = en->first[en->n];
    assert_memory_equal(fake->label, en->label, (size_t)n * sizeof *en->label);
    assert_int_equal(points->first[points->n], n);
    for (int64_t i = 0; i < en->n; i++)
        for (int64_t a = en->first[i], b = en->first[i + 1] - 1; b >= en->first[i]; a++, b--)
            assert_int_equal(points->label[b], en->label[a]);
    assert_true(cut->first[cut->n] < n);
    ig_task_free(t);
    ig_run_config_free(&c);
}

/* A task from a file, and the same once more through files. */
static void languages_of_a_task(void **state)
{
    (void)state;
    ig_run_config c = {0};
    config_make(&c, "en; back = invert | tokenize");
    for (int kind = 0; kind < IG_N_WORLD_TASK; kind++) {
        char name[16], yaml[300];
        snprintf(name, sizeof name, "a%d", kind);
        ig_task *a = task_make(&c, NULL, (ig_world_task_kind)kind, name);
        snprintf(yaml, sizeof yaml, "%s/TASK.yaml", in_root(name));
        snprintf(name, sizeof name, "b%d", kind);
        ig_task *b = task_make(&c, yaml, (ig_world_task_kind)kind, name);
        assert_int_equal(b->n_set, a->n_set);
        assert_int_equal(b->labels.n, a->labels.n);
        for (int i = 0; i < a->n_set; i++) {
            const ig_task_set *x = &a->set[i], *y = ig_task_find(b, x->language, x->split);
            if (strcmp(x->language, "back") == 0) /* turned round once more */
                x = ig_task_find(a, "en", x->split);
            const int64_t n = x->first != NULL ? x->first[x->n] : x->n;
            assert_non_null(y);
            assert_int_equal(y->n, x->n);
            assert_memory_equal(y->label, x->label, (size_t)n * sizeof *x->label);
            for (int64_t k = 0; k < n && x->word != NULL; k++)
                assert_string_equal(y->word[k], x->word[k]);
            for (int64_t k = 0; k < 2 * n && x->text != NULL; k++)
                assert_string_equal(y->text[k], x->text[k]);
            if (x->head != NULL)
                assert_memory_equal(y->head, x->head, (size_t)n * sizeof *x->head);
        }
        ig_task_free(a);
        ig_task_free(b);
    }
    ig_run_config_free(&c);
}

/* A language of the world with a grammar of its own is not made of English: what a TASK.yaml does
 * not have of it is not tested, while English's transforms are. */
static void languages_without_data(void **state)
{
    (void)state;
    ig_run_config c = {0};
    char yaml[300];
    config_make(&c, "en");
    ig_task_free(task_make(&c, NULL, IG_WORLD_TAGS, "english"));
    ig_run_config_free(&c);
    snprintf(yaml, sizeof yaml, "%s/TASK.yaml", in_root("english"));
    config_make(&c, "en; back = invert | tokenize; x(world=SOV+post)");
    ig_task *t = task_make(&c, yaml, IG_WORLD_TAGS, "without");
    assert_non_null(ig_task_find(t, "back", IG_SPLIT_TEST));
    assert_null(ig_task_find(t, "x", IG_SPLIT_TEST));
    ig_task_free(t);
    ig_run_config_free(&c);
}

/* Files that are not beside TASK.yaml are looked for below the root; those beside it come first. */
static void files_below_a_root(void **state)
{
    (void)state;
    static const char yaml[] = "kind: tagging\ntrain: {en: a.tsv}\ntest: {en: data/b.tsv}\n",
                      beside[] = "beside\tX\n\n", below[] = "below\tX\n\n";
    static const char *const folders[] = {"task", "root", "root/data"};
    ig_task *t;
    for (int i = 0; i < 3; i++)
        assert_ok(ig_dir_make(in_root(folders[i]), &err), &err);
    assert_ok(ig_file_write(in_root("task/TASK.yaml"), yaml, sizeof yaml - 1, &err), &err);
    assert_ok(ig_file_write(in_root("task/a.tsv"), beside, sizeof beside - 1, &err), &err);
    assert_ok(ig_file_write(in_root("root/a.tsv"), below, sizeof below - 1, &err), &err);
    assert_ok(ig_file_write(in_root("root/data/b.tsv"), below, sizeof below - 1, &err), &err);
    assert_int_equal(ig_task_read(in_root("task/TASK.yaml"), NULL, &t, &err), IG_ERR_IO);
    assert_ok(ig_task_read(in_root("task/TASK.yaml"), in_root("root"), &t, &err), &err);
    assert_string_equal(ig_task_find(t, "en", IG_SPLIT_TRAIN)->word[0], "beside");
    assert_string_equal(ig_task_find(t, "en", IG_SPLIT_TEST)->word[0], "below");
    ig_task_free(t);

    ig_run_config c = {0};
    config_make(&c, "en; back = invert | tokenize");
    const ig_world_task_options none = {0};
    assert_ok(ig_run_task_write(&c, in_root("task/TASK.yaml"), in_root("root"), &none,
                                in_root("out"), &err),
              &err);
    assert_ok(ig_task_read(in_root("out/TASK.yaml"), NULL, &t, &err), &err);
    assert_string_equal(ig_task_find(t, "back", IG_SPLIT_TEST)->word[0], "below");
    ig_task_free(t);
    ig_run_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(languages_of_a_world),
        cmocka_unit_test(languages_of_a_task),
        cmocka_unit_test(languages_without_data),
        cmocka_unit_test(files_below_a_root),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
