/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacking: the members asked for, and nothing from archives that lead out of their folder, hold
 * links or devices, unpack to too much, or are damaged.
 */
#include "archive_maker.h"
#include "fault.h"
#include "base/memory.h"
#include "fetch/unpack.h"

static char dir[256], archive[300], out_a[300], out_b[300];
static char *const out[] = {out_a, out_b};

static int set_up(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    snprintf(out_a, sizeof out_a, "%s/out-a", dir);
    snprintf(out_b, sizeof out_b, "%s/out-b", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    assert_ok(ig_dir_remove(dir, &err), &err);
    return 0;
}

static void test_members(void **state)
{
    (void)state;
    static const archive_member m[] = {{.name = "top/", .type = AE_IFDIR},
                                       {.name = "top/b.txt", .type = AE_IFREG, .text = "second\n"},
                                       {.name = "top/..x/other", .type = AE_IFREG, .text = "o\n"},
                                       {.name = "top/a.txt", .type = AE_IFREG, .text = "first\n"}};
    static const char *const name[] = {"x.zip", "x.tgz"};
    char *const member[] = {(char[]){"top/a.txt"}, (char[]){"*/b.t?t"}};
    for (int i = 0; i < 2; i++) {
        ig_err err = {0};
        snprintf(archive, sizeof archive, "%s/%s", dir, name[i]);
        make_archive(archive, m, 4);
        assert_ok(ig_unpack(archive, member, out, 2, 20000, &err), &err);
        fault_holds(out_a, "first\n");
        fault_holds(out_b, "second\n");
        /* An existing file is not overwritten. */
        assert_int_equal(ig_unpack(archive, member, out, 2, 20000, &err), IG_ERR_IO);
        unlink(out_a);
        unlink(out_b);
        unlink(archive);
    }
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        archive_member m;
        const char *part;
    } cases[] = {
        {{.name = "/etc/a", .type = AE_IFREG, .text = "x"}, "leads out of its folder"},
        {{.name = "../a", .type = AE_IFREG, .text = "x"}, "leads out of its folder"},
        {{.name = "b/../../a", .type = AE_IFREG, .text = "x"}, "leads out of its folder"},
        {{.name = "b\\..\\a", .type = AE_IFREG, .text = "x"}, "leads out of its folder"},
        {{.name = "C:/a", .type = AE_IFREG, .text = "x"}, "leads out of its folder"},
        {{.name = "a", .type = AE_IFLNK, .link = "/etc/passwd"}, "is a link, expected a file"},
        {{.name = "a", .type = AE_IFREG, .link = "b"}, "is a link, expected a file"},
        {{.name = "z", .type = AE_IFREG, .link = "../../b"}, "leads out of its folder"},
        {{.name = "a/", .type = AE_IFDIR}, "has no member 'a'"},
        {{.name = "pipe", .type = AE_IFIFO}, "is a device or a pipe"},
        {{.name = "null", .type = AE_IFCHR}, "is a device or a pipe"},
        {{.name = "c", .type = AE_IFREG, .text = "x"}, "has no member 'a'"},
        {{.name = "a", .type = AE_IFREG, .text = "0123456789", .repeat = 200000},
         "unpacks to more than 100000 bytes"},
        {{.name = "big", .type = AE_IFREG, .text = "0123456789", .repeat = 200000},
         "unpacks to more than 100000 bytes"},
    };
    char *const member[] = {(char[]){"a"}};
    snprintf(archive, sizeof archive, "%s/x.tgz", dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const archive_member m[] = {{.name = "b", .type = AE_IFREG, .text = "good\n"}, cases[i].m};
        ig_err err = {0};
        make_archive(archive, m, 2);
        assert_int_equal(ig_unpack(archive, member, out, 1, 100000, &err), IG_ERR_INPUT);
        if (strstr(err.msg, cases[i].part) == NULL)
            fail_msg("case %zu: '%s' lacks '%s'", i, err.msg, cases[i].part);
        assert_int_equal(fault_count(dir), 1);
        unlink(archive);
    }
    /* Two members for one name. */
    const archive_member twice[] = {{.name = "a", .type = AE_IFREG, .text = "1"},
                                    {.name = "a", .type = AE_IFREG, .text = "2"}};
    ig_err err = {0};
    make_archive(archive, twice, 2);
    assert_int_equal(ig_unpack(archive, member, out, 1, 100000, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "fits a second member"));
    assert_int_equal(fault_count(dir), 1);
    unlink(archive);
}

static char *whole_file(const char *path, int64_t *n)
{
    char *text;
    ig_err err = {0};
    assert_ok(ig_file_read(&text, n, path, 1 << 20, &err), &err);
    return text;
}

/* Archives inside: PAN-X is a zip with a tar for each language. Nothing is left of what fails. */
static void test_inside(void **state)
{
    (void)state;
    static const archive_member en[] =
        {{.name = "./dev", .type = AE_IFREG, .text = "en dev\n"},
         {.name = "./train", .type = AE_IFREG, .text = "en\n"},
         {.name = "big", .type = AE_IFREG, .text = "0123456789", .repeat = 20000}},
                                de[] = {{.name = "train", .type = AE_IFREG, .text = "de\n"},
                                        {.name = "../dev", .type = AE_IFREG, .text = "x\n"}};
    char inner[300], *text[2], out_c[300];
    int64_t n[2];
    ig_err err = {0};
    snprintf(inner, sizeof inner, "%s/inner.tgz", dir);
    snprintf(out_c, sizeof out_c, "%s/c", dir);
    make_archive(inner, en, 3);
    text[0] = whole_file(inner, &n[0]);
    make_archive(inner, de, 2);
    text[1] = whole_file(inner, &n[1]);
    unlink(inner);
    const archive_member of[] = {
        {.name = "en.tar.gz", .type = AE_IFREG, .data = text[0], .n_data = n[0]},
        {.name = "readme", .type = AE_IFREG, .text = "about\n"},
        {.name = "de.tar.gz", .type = AE_IFREG, .data = text[1], .n_data = n[1]}};
    snprintf(archive, sizeof archive, "%s/x.zip", dir);
    make_archive(archive, of, 3);
    char *const good[] = {(char[]){"en.tar.gz//train"}, (char[]){"readme"}, (char[]){"en.*//dev"}};
    char *const same[] = {(char[]){"en.tar.gz//train"}, (char[]){"readme"},
                          (char[]){"en.tar.gz//dev"}};
    char *const to[] = {out_a, out_b, out_c};
    assert_ok(ig_unpack(archive, same, to, 3, 1 << 20, &err), &err);
    fault_holds(out_a, "en\n");
    fault_holds(out_b, "about\n");
    fault_holds(out_c, "en dev\n");
    assert_int_equal(fault_count(dir), 4);
    for (int i = 0; i < 3; i++)
        unlink(to[i]);
    /* Two names of one archive fit it twice; a hostile one inside; a member that is not there; no
     * room for what is inside beside the archive itself. */
    char *const hostile[] = {(char[]){"en.tar.gz//train"}, (char[]){"readme"},
                             (char[]){"de.tar.gz//train"}};
    char *const none[] = {(char[]){"readme"}, (char[]){"en.tar.gz//train"},
                          (char[]){"en.tar.gz//test"}};
    char *const big[] = {(char[]){"readme"}, (char[]){"en.tar.gz//train"},
                         (char[]){"en.tar.gz//big"}};
    const struct {
        char *const *member;
        int64_t limit;
        const char *part;
    } bad[] = {{good, 1 << 20, "has no member 'en.*'"},
               {hostile, 1 << 20, "leads out of its folder"},
               {none, 1 << 20, "has no member 'test'"},
               {big, 200000 + n[0] / 2, "unpacks to more than"}};
    for (int i = 0; i < 4; i++) {
        err = (ig_err){0};
        assert_int_equal(ig_unpack(archive, bad[i].member, to, 3, bad[i].limit, &err),
                         IG_ERR_INPUT);
        if (strstr(err.msg, bad[i].part) == NULL)
            fail_msg("case %d: '%s' lacks '%s'", i, err.msg, bad[i].part);
        assert_int_equal(fault_count(dir), 1);
    }
    unlink(archive);
    ig_free(text[0]);
    ig_free(text[1]);
}

/* A link where the output goes: it is not followed. */
static void test_link_in_the_way(void **state)
{
    (void)state;
    static const archive_member m[] = {{.name = "a", .type = AE_IFREG, .text = "text\n"}};
    char *const member[] = {(char[]){"a"}};
    char target[300];
    ig_err err = {0};
    snprintf(archive, sizeof archive, "%s/x.zip", dir);
    snprintf(target, sizeof target, "%s/target", dir);
    make_archive(archive, m, 1);
    assert_int_equal(symlink(target, out_a), 0);
    assert_int_equal(ig_unpack(archive, member, out, 1, 1000, &err), IG_ERR_IO);
    assert_false(ig_file_exists(target));
    unlink(out_a);
    unlink(archive);
}

static void test_damaged(void **state)
{
    (void)state;
    static const archive_member m[] = {
        {.name = "a", .type = AE_IFREG, .text = "some text 7391 ", .repeat = 3000}};
    static const char *const name[] = {"x.zip", "x.tgz"};
    char *const member[] = {(char[]){"a"}};
    for (int i = 0; i < 2; i++) {
        char *data;
        int64_t n;
        ig_err err = {0};
        snprintf(archive, sizeof archive, "%s/%s", dir, name[i]);
        make_archive(archive, m, 1);
        assert_ok(ig_file_read(&data, &n, archive, 1 << 20, &err), &err);
        /* Cut off anywhere before its member is whole, it is refused. */
        for (int64_t k = 0; k < n / 2; k += 7) {
            write_fast(archive, data, k);
            err = (ig_err){0};
            ig_code code = ig_unpack(archive, member, out, 1, 1 << 20, &err);
            if (code != IG_ERR_INPUT)
                fail_msg("%s cut to %lld of %lld: code %d", name[i], (long long)k, (long long)n,
                         code);
            assert_int_equal(fault_count(dir), 1);
        }
        free(data);
        unlink(archive);
    }
    ig_err err = {0};
    assert_int_equal(ig_unpack("/nothere", member, out, 1, 1000, &err), IG_ERR_IO);
    assert_int_equal(ig_unpack(dir, member, out, 1, 1000, &err), IG_ERR_IO);
}

/* Any bit of a compressed tar, and bytes after it: its checksum stands after the end of the tar. */
static void flipped(const char *name)
{
    static const archive_member m[] = {
        {.name = "a", .type = AE_IFREG, .text = "some text 7391 ", .repeat = 100}};
    char *const member[] = {(char[]){"a"}};
    char *data, *want, *got;
    int64_t n, n_want, n_got;
    ig_err err = {0};
    snprintf(archive, sizeof archive, "%s/%s", dir, name);
    make_archive(archive, m, 1);
    assert_ok(ig_unpack(archive, member, out, 1, 1 << 20, &err), &err);
    assert_ok(ig_file_read(&want, &n_want, out_a, 1 << 20, &err), &err);
    assert_ok(ig_file_read(&data, &n, archive, 1 << 20, &err), &err);
    unlink(out_a);
    for (int64_t bit = 0; bit < 8 * n; bit++) {
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        write_fast(archive, data, n);
        if (ig_unpack(archive, member, out, 1, 1 << 20, &err) == IG_ERR_OK) {
            assert_ok(ig_file_read(&got, &n_got, out_a, 1 << 20, &err), &err);
            if (n_got != n_want || memcmp(got, want, (size_t)n_got) != 0)
                fail_msg("bit %lld: taken", (long long)bit);
            free(got);
        }
        unlink(out_a);
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
    }
    FILE *f = fopen(archive, "wb");
    fwrite(data, 1, (size_t)n, f);
    fputs("more", f);
    fclose(f);
    assert_int_equal(ig_unpack(archive, member, out, 1, 1 << 20, &err), IG_ERR_INPUT);
    assert_int_equal(fault_count(dir), 1);
    free(want);
    free(data);
    unlink(archive);
}

static void test_flipped(void **state)
{
    (void)state;
    flipped("x.tgz");
    flipped("x.tar.bz2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members), cmocka_unit_test(test_inside),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_link_in_the_way),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_flipped)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
