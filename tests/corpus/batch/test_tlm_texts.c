/* SPDX-License-Identifier: Apache-2.0
 *
 * Translation language modelling on texts that languages have of their own: which sentences come
 * together, by the ids of verses or line by line, and sentence by sentence where both have as many
 * in a verse. Every sentence names itself, so the texts say what belongs together.
 */
#include "root_fixture.h"
#include "setup_fixture.h"

#include "base/memory.h"
#include "corpus/batch/instances.h"
#include "experiment/experiment.h"
#include "run/data/setup.h"

enum { VERSES = 60 };

static void set(char **field, const char *text)
{
    ig_free(*field);
    *field = NULL;
    assert_ok(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "test", &err), &err);
    strcpy(*field, text);
}

/* Whether language k has verse i: each lacks some, so that places and ids differ. */
static bool has(int k, int i)
{
    return k == 0 ? i % 7 != 0 : i % 5 != 0;
}

/* Verses that are two sentences: every third in both, every fourth in the second language alone. */
static int sentences_of(int k, int i)
{
    return i % 3 == 0 || (k == 1 && i % 4 == 0) ? 2 : 1;
}

/* A language's text: verses with ids, or lines, those it lacks being empty. */
static void write_language(const char *name, int k, bool verses, int more)
{
    char text[20000] = "";
    const char *word = k == 0 ? "word" : "wort";
    for (int i = 1; i <= VERSES + more; i++) {
        char line[200] = "";
        if (has(k, i))
            for (int j = 0; j < sentences_of(k, i); j++)
                sprintf(line + strlen(line), "%sThe %s %d stands %d here.", j > 0 ? " " : "", word,
                        i, j);
        if (!verses)
            sprintf(text + strlen(text), "%s\n", line);
        else if (line[0] != '\0')
            sprintf(text + strlen(text), "01%03d%03d\t%s\n", 1 + i / 20, 1 + i % 20, line);
    }
    assert_ok(ig_file_write(in_root(name), text, (int64_t)strlen(text), &err), &err);
}

static ig_run_config config(bool sentences)
{
    ig_run_config c = {0};
    char files[1000];
    snprintf(files, sizeof files, "a=%s; b=%s", in_root("a.txt"), in_root("b.txt"));
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    set(&c.data.files, files);
    set(&c.languages.spec, "en(text=a); de(text=b, vocab=own) = shift");
    set(&c.objective.tlm, "en-de");
    set(&c.out, root);
    c.data.sentences = sentences;
    c.tokens.vocab_size = 120;
    c.data.dev_take = 5;
    c.optimisation.updates = 10;
    c.model.preset = IG_PRESET_TINY;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

/* The sentence of one half of a sequence: the pieces of [CLS] … [SEP] from place `at`, spelt
 * together. Moves `at` after it. */
static void read_half(const ig_setup *s, int k, const int32_t *id, int32_t *at, char *out)
{
    const ig_tokenizer *t = s->languages->tokenizer[k];
    const ig_language *l = ig_corpus_language(s->train, k);
    out[0] = '\0';
    assert_int_equal(id[(*at)++], l->cls);
    while (id[*at] != l->sep) {
        const char *p = ig_tokenizer_piece(t, id[(*at)++] - l->first_id);
        assert_non_null(p);
        if (strncmp(p, "##", 2) == 0)
            strcat(out, p + 2);
        else
            sprintf(out + strlen(out), " %s", p);
    }
    (*at)++;
}

/* All pairs of the corpus: each is one sentence in two languages, and none is missing. */
static void check_pairs(const char *folder, bool sentences)
{
    ig_run_config c = config(sentences);
    ig_setup s;
    ig_instances *x;
    const ig_batch_options o = ig_run_config_batch(&c);
    assert_ok(ig_dir_make(in_root(folder), &err), &err);
    assert_ok(open_setup(&s, &c, in_root(folder)), &err);
    assert_ok(ig_instances_new(&x, s.train, &o, 1, &err), &err);
    int64_t want = 0;
    for (int i = 1; i <= VERSES; i++)
        if (has(0, i) && has(1, i))
            want += !sentences                                 ? 1
                    : sentences_of(0, i) == sentences_of(1, i) ? sentences_of(0, i)
                                                               : 0;
    assert_int_equal(ig_instances_count(x, 2), want);
    static int32_t id[4096], pos[4096], seg[4096], language[4096], next;
    static ig_token_key key[4096];
    assert_true(ig_instances_longest(x) <= 4096);
    const ig_instance_room room = {id, pos, seg, language, key, &next};
    int before = 0;
    for (int64_t i = 0; i < want; i++) {
        char text[2][1000];
        int verse[2], nth[2];
        int32_t at = 0;
        const int32_t n = ig_instances_get(x, 2, i, &room);
        for (int k = 0; k < 2; k++) {
            read_half(&s, k, id, &at, text[k]);
            const int got =
                sscanf(text[k], k == 0 ? " The word %d stands %d" : " The wort %d stands %d",
                       &verse[k], &nth[k]);
            if (got != 2)
                fail_msg("'%s'", text[k]);
        }
        assert_int_equal(at, n);
        assert_int_equal(verse[0], verse[1]);
        assert_int_equal(nth[0], nth[1]);
        assert_true(2 * verse[0] + nth[0] > before);
        before = 2 * verse[0] + nth[0];
    }
    ig_instances_free(x);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

static void verses_by_their_ids(void **state)
{
    (void)state;
    write_language("a.txt", 0, true, 0);
    write_language("b.txt", 1, true, 9); /* more verses after */
    check_pairs("verses", false);
    check_pairs("verses-broken", true);
}

static void lines_by_their_numbers(void **state)
{
    (void)state;
    write_language("a.txt", 0, false, 0);
    write_language("b.txt", 1, false, 0);
    check_pairs("lines", false);
    check_pairs("lines-broken", true);
}

/* Files with other numbers of lines are no translations of each other, nor are lines of verses. */
static void others_are_refused(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        ig_setup s;
        ig_instances *x;
        write_language("a.txt", 0, false, 0);
        write_language("b.txt", 1, how == 1, how == 0 ? 1 : 0);
        ig_run_config c = config(true);
        const ig_batch_options o = ig_run_config_batch(&c);
        const char *folder = how == 0 ? "longer" : "mixed";
        assert_ok(ig_dir_make(in_root(folder), &err), &err);
        if (how == 0) { /* before anything is made of them */
            assert_int_equal(open_setup(&s, &c, in_root(folder)), IG_ERR_INPUT);
            assert_non_null(strstr(err.msg, "found 61 lines, expected 60, as many as "));
        } else {
            assert_ok(open_setup(&s, &c, in_root(folder)), &err);
            assert_int_equal(ig_instances_new(&x, s.train, &o, 1, &err), IG_ERR_USAGE);
            assert_string_equal(err.where, "tlm");
            assert_non_null(strstr(err.msg, "languages 'en' and 'de' have no parallel sentence"));
        }
        ig_setup_close(&s);
        ig_run_config_free(&c);
    }
}

/* Sentences that are numbered otherwise are other data: a store keeps both. */
static void data_has_its_address(void **state)
{
    (void)state;
    char with[IG_ADDRESS], without[IG_ADDRESS], run[2][IG_ADDRESS];
    write_language("a.txt", 0, true, 0);
    write_language("b.txt", 1, true, 9);
    ig_run_config c = config(true);
    assert_ok(ig_data_address(with, &c, NULL, &err), &err);
    assert_ok(ig_run_address(run[0], &c, NULL, &err), &err);
    ig_free(c.objective.tlm);
    c.objective.tlm = NULL;
    assert_ok(ig_data_address(without, &c, NULL, &err), &err);
    assert_ok(ig_run_address(run[1], &c, NULL, &err), &err);
    assert_string_not_equal(with, without);
    assert_string_not_equal(run[0], run[1]);
    ig_run_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verses_by_their_ids),
        cmocka_unit_test(lines_by_their_numbers),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(data_has_its_address),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
