/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a world: the same bytes every time and beside any other language; gold recounted
 * from the text files alone.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/world/world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SENTENCES = 150 };

static char folder[64];

static int folder_make(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ig-world-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int folder_remove(void **state)
{
    (void)state;
    return ig_dir_remove(folder, NULL) != IG_ERR_OK;
}

static void world_write(const char *name, const char *languages, uint64_t seed)
{
    ig_world_options o;
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err;
    ig_world *w;
    char dir[128];
    assert_true(ig_world_preset(&o, "bible"));
    o.seed = seed;
    assert_ok(ig_world_languages_parse(l, &n, languages, &err), &err);
    assert_ok(ig_world_new(&w, &o, l, n, &err), &err);
    snprintf(dir, sizeof dir, "%s/%s", folder, name);
    const ig_world_write_options what = {SENTENCES, true, true, true, true, true};
    assert_ok(ig_world_write(w, dir, &what, &err), &err);
    ig_world_free(w);
}

static char *text_of(const char *name, const char *file)
{
    char path[160], *text;
    int64_t size;
    ig_err err;
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
    assert_ok(ig_file_read(&text, &size, path, 1 << 28, &err), &err);
    assert_int_equal(strlen(text), size);
    return text;
}

static void same_file(const char *a, const char *b, const char *file, bool same)
{
    char *x = text_of(a, file), *y = text_of(b, file);
    assert_int_equal(strcmp(x, y) == 0, same);
    ig_free(x);
    ig_free(y);
}

static void same_seed_same_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {"eng.txt", "eng.tags", "eng.conllu", "eng-tur.align",
                                        "eng-tur.dict"};
    world_write("a", "eng;tur", 7);
    world_write("b", "eng;tur", 7);
    world_write("c", "rus;eng;x:VSO;tur", 7);
    world_write("d", "eng;tur", 8);
    same_file("a", "b", "world.json", true);
    for (int i = 0; i < 5; i++) {
        same_file("a", "b", files[i], true);
        same_file("a", "c", files[i], true);
        same_file("a", "d", files[i], false);
    }
}

/* Splits into lines or words in place; returns how many. */
static int split(char *text, char separator, char **out, int most)
{
    int n = 0;
    for (char *p = text; *p != '\0' && n < most;) {
        out[n++] = p;
        char *e = strchr(p, separator);
        if (e == NULL)
            break;
        *e = '\0';
        p = e + 1;
    }
    return n;
}

static void files_fit_together(void **state)
{
    (void)state;
    world_write("e", "eng;zho", 3);
    char *text[2] = {text_of("e", "eng.txt"), text_of("e", "zho.txt")},
         *tags = text_of("e", "eng.tags"), *align = text_of("e", "eng-zho.align"),
         *conllu = text_of("e", "eng.conllu");
    char *line[2][SENTENCES + 1], *tag[SENTENCES + 1], *pairs[SENTENCES + 1], *block[20000];
    assert_int_equal(split(text[0], '\n', line[0], SENTENCES + 1), SENTENCES);
    assert_int_equal(split(text[1], '\n', line[1], SENTENCES + 1), SENTENCES);
    assert_int_equal(split(tags, '\n', tag, SENTENCES + 1), SENTENCES);
    assert_int_equal(split(align, '\n', pairs, SENTENCES + 1), SENTENCES);
    const int n_block = split(conllu, '\n', block, 20000);
    int at = 0;
    for (int i = 0; i < SENTENCES; i++) {
        char *word[2][256], *t[256], *p[256];
        const int n0 = split(line[0][i], ' ', word[0], 256),
                  n1 = split(line[1][i], ' ', word[1], 256);
        assert_int_equal(split(tag[i], ' ', t, 256), n0);
        const int n_pair = split(pairs[i], ' ', p, 256);
        assert_true(n_pair > 0);
        for (int k = 0; k < n_pair; k++) {
            int a, b;
            assert_int_equal(sscanf(p[k], "%d-%d", &a, &b), 2);
            assert_true(a >= 0 && a < n0 && b >= 0 && b < n1);
            if (strcmp(t[a], "PUNCT") == 0)
                assert_string_equal(word[0][a], word[1][b]);
        }
        assert_int_equal(strncmp(block[at], "# sent_id = ", 12), 0);
        for (at += 3; at < n_block && block[at][0] != '\0'; at++) {
            char *column[16];
            assert_int_equal(split(block[at], '\t', column, 16), 10);
            const int k = atoi(column[0]) - 1;
            assert_string_equal(column[1], word[0][k]);
            assert_string_equal(column[3], t[k]);
            assert_int_equal(strcmp(column[7], "root") == 0, atoi(column[6]) == 0);
        }
        at++;
    }
    ig_free(text[0]);
    ig_free(text[1]);
    ig_free(tags);
    ig_free(align);
    ig_free(conllu);
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In two languages without an affix every link joins a word and its translation, so the dictionary
 * is the linked pairs counted. */
static void dictionary_is_linked_pairs(void **state)
{
    (void)state;
    world_write("f", "zho:no-punct;x:like-zho,VSO,noun-adj,no-punct", 5);
    char *text[2] = {text_of("f", "zho.txt"), text_of("f", "x.txt")},
         *align = text_of("f", "zho-x.align"), *dictionary = text_of("f", "zho-x.dict");
    char *line[2][SENTENCES + 1], *pairs[SENTENCES + 1];
    split(text[0], '\n', line[0], SENTENCES + 1);
    split(text[1], '\n', line[1], SENTENCES + 1);
    split(align, '\n', pairs, SENTENCES + 1);
    enum { MOST = 20000 };
    char **all = malloc(MOST * sizeof *all);
    int n = 0;
    for (int i = 0; i < SENTENCES; i++) {
        char *word[2][256], *p[256];
        split(line[0][i], ' ', word[0], 256);
        split(line[1][i], ' ', word[1], 256);
        const int n_pair = split(pairs[i], ' ', p, 256);
        for (int k = 0; k < n_pair && n < MOST; k++) {
            int a, b;
            assert_int_equal(sscanf(p[k], "%d-%d", &a, &b), 2);
            all[n] = malloc(2 * IG_WORLD_WORD);
            snprintf(all[n++], 2 * IG_WORLD_WORD, "%s\t%s\t", word[0][a], word[1][b]);
        }
    }
    qsort(all, (size_t)n, sizeof *all, by_string);
    int entries = 0;
    for (int i = 0; i < n;) {
        int j = i;
        while (j < n && strcmp(all[j], all[i]) == 0)
            j++;
        char expected[2 * IG_WORLD_WORD + 32];
        snprintf(expected, sizeof expected, "%s%d\t", all[i], j - i);
        assert_non_null(strstr(dictionary, expected));
        entries++;
        i = j;
    }
    for (const char *p = dictionary; (p = strchr(p, '\n')) != NULL; p++)
        entries--;
    assert_int_equal(entries, 0);
    for (int i = 0; i < n; i++)
        free(all[i]);
    free(all);
    ig_free(text[0]);
    ig_free(text[1]);
    ig_free(align);
    ig_free(dictionary);
}

/* Every token of the text is in the vocabulary once, most frequent first, and nothing else is. */
static void vocabulary_is_the_words(void **state)
{
    (void)state;
    world_write("g", "rus:capitals", 5);
    char *text = text_of("g", "rus.txt"), *vocab = text_of("g", "rus.vocab");
    enum { MOST = 20000 };
    static char *word[MOST], *entry[MOST];
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\n')
            *p = ' ';
    const int n = split(text, ' ', word, MOST), n_entry = split(vocab, '\n', entry, MOST);
    qsort(word, (size_t)n, sizeof *word, by_string);
    assert_string_equal(entry[0], "[PAD]");
    assert_string_equal(entry[4], "[MASK]");
    int64_t last = INT64_MAX, all = 0;
    for (int i = 5; i < n_entry; i++) {
        int count = 0;
        for (int k = 0; k < n; k++)
            count += strcmp(word[k], entry[i]) == 0;
        assert_true(count > 0 && count <= last);
        last = count;
        all += count;
    }
    assert_int_equal(all, n);
    ig_free(text);
    ig_free(vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(files_fit_together),
        cmocka_unit_test(dictionary_is_linked_pairs),
        cmocka_unit_test(vocabulary_is_the_words),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
