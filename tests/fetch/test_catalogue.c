/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalogue: what is compiled in, patterns, entries of one's own, every mistake with its line;
 * and the data root with the way to get a file that is not there.
 */
#include "base/file.h"
#include "base/memory.h"
#include "fault.h"
#include "fetch/catalogue.h"
#include "fetch/data_root.h"

static const ig_catalogue_entry *named(const ig_catalogue *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->entry[i].name, name) == 0)
            return &c->entry[i];
    return NULL;
}

static void test_builtin(void **state)
{
    (void)state;
    ig_catalogue c;
    ig_err err = {0};
    assert_ok(ig_catalogue_new(&c, &err), &err);
    assert_true(c.n > 50);
    for (int i = 0; i < c.n; i++) {
        const ig_catalogue_entry *e = &c.entry[i];
        for (int k = 0; k < e->n_file; k++) {
            assert_int_equal(strncmp(e->file[k].url, "https://", 8), 0);
            assert_null(strpbrk(e->file[k].url, "{}"));
        }
        assert_null(strpbrk(e->about, "{}"));
        /* No two entries give the same file. */
        for (int k = 0; k < e->n_to; k++)
            assert_ptr_equal(ig_catalogue_giving(&c, e->to[k]), e);
        json_t *j = ig_catalogue_entry_json(e);
        assert_non_null(j);
        assert_int_equal(json_array_size(json_object_get(j, "to")), e->n_to);
        json_decref(j);
    }
    const ig_catalogue_entry *e = named(&c, "bible-eng-bbe");
    assert_non_null(e);
    assert_string_equal(e->file[0].url, "https://ebible.org/Scriptures/engBBE_vpl.zip");
    assert_string_equal(e->member[0], "engBBE_vpl.txt");
    assert_string_equal(e->to[0], "bible/eng-bbe.tsv.zst");
    assert_int_equal(e->file[0].size, -1);
    assert_string_equal(e->file[0].sha256, "");
    e = named(&c, "xnli");
    assert_int_equal(e->n_to, 30);
    assert_int_equal(strlen(e->file[0].sha256), 64);
    assert_ptr_equal(ig_catalogue_giving(&c, "nli/xnli-test-ur.tsv.zst"), e);
    assert_null(ig_catalogue_giving(&c, "nli/xnli-test-xx.tsv.zst"));
    assert_null(ig_catalogue_giving(&c, "nli/xnli-test-{language}.tsv.zst"));
    e = named(&c, "xnli-mt");
    assert_int_equal(e->n_member, 15);
    assert_int_equal(e->n_language, 0);
    assert_string_equal(e->member[2], "XNLI-MT-1.0/multinli/multinli.train.de.tsv");
    assert_string_equal(e->to[2], "nli/xnli-mt-train-de.tsv.zst");
    e = named(&c, "panx");
    assert_int_equal(e->n_member, 48);
    assert_string_equal(e->member[16], "ar.tar.gz//dev");
    assert_string_equal(e->to[16], "ner/panx-dev-ar.tsv.zst");
    assert_ptr_equal(ig_catalogue_giving(&c, "ner/panx-test-zh.tsv.zst"), e);
    e = named(&c, "ud-fr-gsd");
    assert_int_equal(e->n_file, 3);
    assert_string_equal(e->to[0], "ud/fr_gsd-ud-train.conllu.zst");

    bool *chosen;
    assert_ok(ig_alloc(&chosen, c.n, sizeof *chosen, "test", &err), &err);
    assert_ok(ig_catalogue_choose(chosen, &c, "muse-en-*", &err), &err);
    int n = 0;
    for (int i = 0; i < c.n; i++)
        n += chosen[i];
    assert_int_equal(n, 13);
    assert_int_equal(ig_catalogue_choose(chosen, &c, "xlni", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.hint, "'xnli'"));
    ig_free(chosen);
    ig_catalogue_free(&c);
}

#define ENTRY                                                                                      \
    "entries:\n"                                                                                   \
    "  - name: own\n"                                                                              \
    "    about: mine\n"                                                                            \
    "    licence: CC0\n"

static ig_code parse(ig_catalogue *c, const char *text, ig_err *err)
{
    return ig_catalogue_parse(c, text, (int64_t)strlen(text), "own.yaml", err);
}

static void test_own(void **state)
{
    (void)state;
    ig_catalogue c = {0};
    ig_err err = {0};
    assert_ok(parse(&c,
                    ENTRY "    url: file:///tmp/x\n    size: 12\n    convert: copy\n    to: a/b\n"
                          "  - {name: '{2}-{1}', about: a, licence: b, each: [x | y, z | w],\n"
                          "     url: 'http://localhost/{1}', convert: text, to: 't/{2}.txt'}\n",
                    &err),
              &err);
    assert_int_equal(c.n, 3);
    assert_int_equal(c.entry[0].file[0].size, 12);
    assert_string_equal(c.entry[2].name, "w-z");
    assert_string_equal(c.entry[2].file[0].url, "http://localhost/z");
    assert_string_equal(c.entry[2].to[0], "t/w.txt");
    /* A later catalogue wins over an earlier one. */
    assert_ok(parse(&c, ENTRY "    url: file:///tmp/y\n    convert: copy\n    to: a/c\n", &err),
              &err);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.entry[0].to[0], "a/c");
    ig_catalogue_free(&c);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const struct {
        const char *text;
        uint64_t line;
        const char *part, *hint;
    } cases[] = {
        {"- a\n", 1, "expected lines of 'key: value'", ""},
        {"entrys: []\n", 1, "unknown key 'entrys'", "did you mean 'entries'?"},
        {"entries: x\n", 1, "entries: found 'x', expected a list", ""},
        {"# none\n", 0, "found nothing", ""},
        {"entries:\n  - x\n", 2, "entry: found 'x', expected a mapping", ""},
        {"entries:\n  - nmae: x\n", 2, "unknown key 'nmae'", "did you mean 'name'?"},
        {"entries:\n  - about: x\n", 2, "the entry has no 'name'", ""},
        {"entries:\n  - name: A b\n", 2, "name: found 'A b', expected", ""},
        {"entries:\n  - name: .x\n", 2, "name: found '.x'", ""},
        {"entries:\n  - name: x\n    about: [a]\n", 3, "about: found a list, expected a text", ""},
        {ENTRY "    convert: copy\n", 2, "the entry has no 'url'", ""},
        {ENTRY "    url: ftp://x/y\n", 5, "expected an address", ""},
        {ENTRY "    url: https://\n", 5, "expected an address", ""},
        {ENTRY "    url: \"https://x/a b\"\n", 5, "expected an address", ""},
        {ENTRY "    url: \"https://x/a\\nb\"\n", 5, "a control character", ""},
        {ENTRY "    url: https://x/y\n    size: -1\n", 6, "expected an integer from 0", ""},
        {ENTRY "    url: https://x/y\n    size: 12q\n", 6, "expected an integer from 0", ""},
        {ENTRY "    url: https://x/y\n    sha256: 12\n", 6, "expected 64 digits", ""},
        {ENTRY "    url: https://x/y\n    files: [{url: https://x/y}]\n", 6, "both 'files' and",
         ""},
        {ENTRY "    files: {url: https://x/y}\n", 5, "files: found a mapping, expected a list", ""},
        {ENTRY "    files:\n      - {url: https://x/y, shasum: 1}\n", 6, "unknown key 'shasum'",
         "keys here are url, size, sha256"},
        {ENTRY "    url: https://x/y\n    convert: vlp\n    to: a\n", 6, "convert: found 'vlp'",
         "did you mean 'vpl'?"},
        {ENTRY "    url: https://x/y\n    convert: copy\n", 2, "found 0 names in 'to', expected 1",
         ""},
        {ENTRY "    url: https://x/y\n    convert: vref\n    to: a\n", 2, "expected at least 2",
         ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a/{language}\n", 7,
         "'languages' that say", ""},
        {ENTRY
         "    url: https://x/y\n    convert: copy\n    languages: [a]\n    to: a/{language}\n",
         2, "does not tell them apart", ""},
        {ENTRY "    url: https://x/y\n    convert: text\n    members: '{language}//a'\n"
               "    to: a/b\n",
         2, "found {language} in 'members', expected 'languages'", ""},
        {ENTRY "    url: https://x/y\n    convert: text\n    languages: [a]\n"
               "    members: ['{language}', b]\n    to: ['a/{language}', 'b/{language}']\n",
         2, "found {language} in 'members'", ""},
        {ENTRY "    url: https://x/y\n    convert: nli\n    languages: [a]\n    to: a/b\n", 8,
         "expected {language} in it", ""},
        {ENTRY "    url: https://x/y\n    convert: nli\n    languages: [../x]\n    to: "
               "a/{language}\n",
         8, "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: ../a\n", 7,
         "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: /etc/passwd\n", 7,
         "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a//b\n", 7,
         "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a/\n", 7,
         "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: fetched/a\n", 7,
         "expected a path below the data root", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a/{3}\n", 7, "every {…} is known",
         ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a\n    each: []\n", 8,
         "each: found no line", ""},
        {ENTRY "    url: https://x/y\n    convert: copy\n    to: a\n    each: [x, y]\n", 2,
         "'own' is there twice", ""},
        {ENTRY "    url: https://x/y\n    size: 4\n    convert: copy\n    to: a\n    each: [x]\n",
         6, "size or sha256 in an entry with 'each'", ""},
        {ENTRY "    files: [{url: https://x/y}, {url: https://x/z}]\n    members: [a]\n"
               "    convert: copy\n    to: a\n",
         2, "expected one archive", ""},
        {ENTRY "    url: https://x/{2}\n    convert: copy\n    to: a\n    each: [x]\n", 5,
         "'each' has 1 word in this line", ""},
        {ENTRY "    files: [{url: https://x/y}, {url: https://x/z}]\n    convert: text\n"
               "    to: [a/b, a/b]\n",
         7, "to: found 'a/b' twice", ""},
        {ENTRY "    url: https://x/y\n    convert: nli\n    languages: [en, de, en]\n"
               "    to: 'a/{language}'\n",
         8, "to: found 'a/en' twice", ""},
        {"entries:\n  - &x {name: a}\n", 2, "an anchor", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_catalogue c = {0};
        ig_err err = {0};
        assert_int_equal(parse(&c, cases[i].text, &err), IG_ERR_USAGE);
        if (strstr(err.msg, cases[i].part) == NULL || err.line != cases[i].line)
            fail_msg("case %zu: line %llu '%s', expected line %llu '%s'", i,
                     (unsigned long long)err.line, err.msg, (unsigned long long)cases[i].line,
                     cases[i].part);
        assert_string_equal(err.hint, cases[i].hint);
        assert_string_equal(err.where, "own.yaml");
        ig_catalogue_free(&c);
    }
    ig_catalogue c = {0};
    ig_err err = {0};
    char text[512];
    snprintf(text, sizeof text,
             ENTRY "    url: https://x/y\n    sha256: %s\n    convert: copy\n    to: a\n", hex);
    assert_ok(parse(&c, text, &err), &err);
    assert_string_equal(c.entry[0].file[0].sha256, hex);
    ig_catalogue_free(&c);
}

static void test_root(void **state)
{
    (void)state;
    char *root, *path, dir[256], file[300];
    ig_err err = {0};
    setenv("ISOGLOT_DATA", "/env", 1);
    setenv("XDG_DATA_HOME", "/xdg", 1);
    setenv("HOME", "/home/me", 1);
    static const struct {
        const char *given, *unset, *want;
    } cases[] = {{"given", "", "given"},
                 {NULL, "", "/env"},
                 {NULL, "ISOGLOT_DATA", "/xdg/isoglot"},
                 {NULL, "XDG_DATA_HOME", "/home/me/.local/share/isoglot"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].unset[0] != '\0')
            unsetenv(cases[i].unset);
        assert_ok(ig_data_root(&root, cases[i].given, &err), &err);
        assert_string_equal(root, cases[i].want);
        ig_free(root);
    }
    setenv("XDG_DATA_HOME", "relative", 1);
    assert_ok(ig_data_root(&root, NULL, &err), &err);
    assert_string_equal(root, "/home/me/.local/share/isoglot");
    ig_free(root);
    assert_int_equal(ig_data_root(&root, "", &err), IG_ERR_USAGE);
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_int_equal(ig_data_root(&root, NULL, &err), IG_ERR_USAGE);

    fault_folder(dir, sizeof dir);
    assert_ok(ig_data_path(&path, dir, "/abs/x", &err), &err);
    assert_string_equal(path, "/abs/x");
    ig_free(path);
    assert_ok(ig_data_find(&path, dir, "-", &err), &err);
    assert_string_equal(path, "-");
    ig_free(path);
    snprintf(file, sizeof file, "%s/x", dir);
    write_fast(file, "x", 1);
    assert_ok(ig_data_find(&path, dir, "x", &err), &err);
    assert_string_equal(path, file);
    ig_free(path);
    assert_int_equal(ig_data_find(&path, dir, "bible/eng-kjv.tsv.zst", &err), IG_ERR_IO);
    assert_string_equal(err.where, "bible/eng-kjv.tsv.zst");
    assert_non_null(strstr(err.msg, dir));
    assert_non_null(strstr(err.hint, "isoglot fetch bible-eng-kjv --data "));
    assert_int_equal(ig_data_find(&path, dir, "bible/none", &err), IG_ERR_IO);
    assert_non_null(strstr(err.hint, "ISOGLOT_DATA"));
    assert_null(path);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_builtin), cmocka_unit_test(test_own),
                                       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
