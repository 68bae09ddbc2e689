/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence longer than any sequence, in texts of languages' own: cut in training texts, each part
 * with the links of its pieces; whole in development texts, which are parallel sentence by
 * sentence.
 */
#include "root_fixture.h"
#include "setup_fixture.h"

#include "base/memory.h"
#include "run/data/setup.h"

enum { WORDS = 3000, MOST = 2046, TRAIN = 0, DEV = 1 };

static void set(char **field, const char *text)
{
    ig_free(*field);
    *field = NULL;
    assert_ok(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "test", &err), &err);
    strcpy(*field, text);
}

/* A short line, a long one, a short one. */
static void write_text(const char *path, const char *word)
{
    static char text[16 * WORDS];
    snprintf(text, sizeof text, "%s %s\n", word, word);
    size_t n = strlen(text);
    for (int i = 0; i < WORDS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%c", word, i + 1 < WORDS ? ' ' : '\n');
    n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", word);
    assert_ok(ig_file_write(path, text, (int64_t)n, &err), &err);
}

static void parts_have_their_links(void **state)
{
    (void)state;
    char files[1000];
    ig_run_config c = {0};
    ig_setup s;
    write_text(in_root("a.txt"), "house");
    write_text(in_root("b.txt"), "hus");
    snprintf(files, sizeof files, "a=%s; b=%s", in_root("a.txt"), in_root("b.txt"));
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    set(&c.data.files, files);
    set(&c.languages.spec, "en(text=a); sv(text=b)");
    set(&c.out, root);
    c.tokens.vocab_size = 60;
    c.model.preset = IG_PRESET_TINY;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    assert_ok(ig_dir_make(in_root("data"), &err), &err);
    assert_ok(open_setup(&s, &c, in_root("data")), &err);
    for (int k = 0; k < 2; k++) {
        const ig_shard *train = s.languages->shard[TRAIN][k], *dev = s.languages->shard[DEV][k];
        const ig_trace *t = s.languages->trace[TRAIN][k];
        assert_int_equal(dev->n_sentence, 3);
        assert_int_equal(train->n_sentence, 4);
        assert_int_equal(train->n_token, dev->n_token);
        for (int64_t i = 0; i < 4; i++) {
            int32_t n, n_link;
            (void)ig_shard_sentence(train, i, &n);
            assert_true(n <= MOST);
            const ig_trace_link *l = ig_trace_links(t, i, &n_link);
            /* A word is a piece, and its unit follows that of the word before. */
            assert_int_equal(n_link, n);
            for (int32_t j = 0; j < n; j++) {
                assert_int_equal(l[j].piece, j);
                assert_int_equal(l[j].from, (j + (i == 2 ? MOST : 0)) * IG_TRACE_UNIT);
            }
            assert_int_equal(t->number[i], i < 2 ? i : i - 1);
        }
    }
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_have_their_links)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
