/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of a catalogue from a server on this machine into a data root: archives, several files,
 * trust on first use, what is there already, what is in the way, interruptions; and the program.
 */
#include "archive_maker.h"
#include "base/log.h"
#include "base/memory.h"
#include "fault.h"
#include "http_server.h"
#include "fetch/fetch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>

extern char **environ;
static char dir[256], root[280], path[400];
static http_server server;
static char *zip;
static int64_t zip_size;
static char zip_sum[IG_SHA256_HEX];

static int set_up(void **state)
{
    (void)state;
    static const archive_member m[] = {
        {.name = "x/", .type = AE_IFDIR},
        {.name = "x/about.htm", .type = AE_IFREG, .text = "nothing"},
        {.name = "x/b.txt", .type = AE_IFREG, .text = "GEN 1:2 two\nGEN 1:1 one\n"}};
    ig_err err;
    setenv("no_proxy", "*", 1);
    ig_log_set_level(IG_LOG_QUIET);
    fault_folder(dir, sizeof dir);
    snprintf(root, sizeof root, "%s/data", dir);
    snprintf(path, sizeof path, "%s/x.zip", dir);
    make_archive(path, m, 3);
    assert_ok(ig_file_read(&zip, &zip_size, path, 1 << 20, &err), &err);
    assert_ok(ig_sha256_of(zip_sum, zip, zip_size, &err), &err);
    http_start(&server, zip, zip_size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    http_stop(&server);
    assert_ok(ig_dir_remove(dir, &err), &err);
    ig_free(zip);
    return 0;
}

static void fresh(void)
{
    ig_err err;
    assert_ok(ig_dir_remove(root, &err), &err);
    server.body = zip;
    server.size = zip_size;
    server.etag = 1;
    server.n_request = 0;
    server.n_sent = 0;
}

static void entry(ig_catalogue *c, const char *what, const char *further)
{
    char text[1024];
    ig_err err = {0};
    *c = (ig_catalogue){0};
    snprintf(text, sizeof text,
             "entries:\n  - name: x\n    about: a\n    licence: b\n    url: %s\n    %s\n",
             http_url(&server, what), further);
    assert_ok(ig_catalogue_parse(c, text, (int64_t)strlen(text), "test", &err), &err);
}

static const char verses[] = "members: '*/b.txt'\n    convert: vpl\n    to: bible/x.tsv";

static ig_fetch_options defaults(void)
{
    return (ig_fetch_options){.limit = 1 << 20, .retries = 2, .timeout = 5, .wait = 0.01};
}

static void holds(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    fault_holds(path, text);
}

static int entries_in(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return fault_count(path);
}

static void test_archive(void **state)
{
    (void)state;
    ig_catalogue c;
    ig_fetch_result r;
    ig_fetch_options o = defaults();
    ig_err err = {0};
    fresh();
    entry(&c, "truncated/x.zip", verses);
    assert_false(ig_fetch_is_there(&c.entry[0], root));
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_false(r.already);
    assert_int_equal(r.n_trusted, 1);
    holds("bible/x.tsv", "01001001\tone\n01001002\ttwo\n");
    assert_int_equal(entries_in("fetched"), 1); /* the record alone */
    json_t *file = json_array_get(json_object_get(r.record, "files"), 0);
    assert_string_equal(json_string_value(json_object_get(file, "sha256")), zip_sum);
    assert_string_equal(json_string_value(json_object_get(file, "sha256_from")), "first fetch");
    json_decref(r.record);
    assert_true(ig_fetch_is_there(&c.entry[0], root));

    /* Again: nothing is asked of the server. */
    server.n_request = 0;
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_true(r.already);
    json_decref(r.record);
    assert_int_equal(server.n_request, 0);

    /* A changed result is not written over, unless asked to. */
    snprintf(path, sizeof path, "%s/bible/x.tsv", root);
    write_fast(path, "01001001\tONE\n01001002\ttwo\n", 26);
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "is not as 'isoglot fetch x' wrote it"));
    assert_string_equal(err.hint, "--force overwrites it");
    o.force = true;
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_int_equal(r.n_trusted, 0); /* held to the first */
    json_decref(r.record);
    holds("bible/x.tsv", "01001001\tone\n01001002\ttwo\n");

    /* A removed result is fetched again. */
    o.force = false;
    snprintf(path, sizeof path, "%s/bible/x.tsv", root);
    unlink(path);
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_false(r.already);
    json_decref(r.record);

    /* Another file under the same address is not the one that was trusted. */
    char *other = malloc((size_t)zip_size);
    memcpy(other, zip, (size_t)zip_size);
    other[zip_size - 1] = (char)~other[zip_size - 1];
    server.body = other;
    o.force = true;
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, zip_sum));
    assert_non_null(strstr(err.hint, "fetched/x.json"));
    holds("bible/x.tsv", "01001001\tone\n01001002\ttwo\n");
    free(other);
    ig_catalogue_free(&c);
}

/* A kill, or a full disk, after results have their names and before the record has its own: nothing
 * needs to be forced, and the first fetch's SHA-256 still holds. */
static void test_cut_off(void **state)
{
    (void)state;
    ig_catalogue c;
    ig_fetch_result r;
    const ig_fetch_options o = defaults();
    ig_err err = {0};
    char pending[400];
    fresh();
    entry(&c, "truncated/x.zip", verses);
    snprintf(path, sizeof path, "%s/fetched/x.json", root);
    snprintf(pending, sizeof pending, "%s/fetched/x.json.new", root);
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    assert_int_equal(rename(path, pending), 0);
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_false(r.already);
    assert_int_equal(r.n_trusted, 0);
    json_decref(r.record);
    assert_int_equal(entries_in("fetched"), 1);
    holds("bible/x.tsv", "01001001\tone\n01001002\ttwo\n");

    /* Where the record cannot be written, no result is put in place. */
    fresh();
    snprintf(pending, sizeof pending, "%s/fetched/x.json.new/in the way", root);
    assert_ok(ig_dir_make(pending, &err), &err);
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_IO);
    snprintf(pending, sizeof pending, "%s/bible/x.tsv", root);
    assert_false(ig_file_exists(pending));
    snprintf(pending, sizeof pending, "%s/fetched/x.json.new", root);
    assert_ok(ig_dir_remove(pending, &err), &err);
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    ig_catalogue_free(&c);
}

/* A zip with a tar of each language, as PAN-X is: every language's splits, as its file has them. */
static void test_languages_inside(void **state)
{
    (void)state;
    static const char *const language[] = {"de", "en"};
    archive_member tar[2];
    char *text[2], *of_zip, member[2][20], inner[300];
    int64_t n_zip;
    ig_catalogue c;
    ig_fetch_result r;
    ig_fetch_options o = defaults();
    ig_err err = {0};
    fresh();
    snprintf(inner, sizeof inner, "%s/inner.tgz", dir);
    for (int i = 0; i < 2; i++) {
        char dev[40], test[40];
        snprintf(dev, sizeof dev, "%s:dev\tO\n", language[i]);
        snprintf(test, sizeof test, "%s:test\tO\n", language[i]);
        const archive_member m[] = {{.name = "dev", .type = AE_IFREG, .text = dev},
                                    {.name = "test", .type = AE_IFREG, .text = test}};
        make_archive(inner, m, 2);
        snprintf(member[i], sizeof member[i], "%s.tar.gz", language[i]);
        tar[i] = (archive_member){.name = member[i], .type = AE_IFREG};
        assert_ok(ig_file_read(&text[i], &tar[i].n_data, inner, 1 << 20, &err), &err);
        tar[i].data = text[i];
    }
    snprintf(inner, sizeof inner, "%s/inner.zip", dir);
    make_archive(inner, tar, 2);
    assert_ok(ig_file_read(&of_zip, &n_zip, inner, 1 << 20, &err), &err);
    server.body = of_zip;
    server.size = n_zip;
    entry(&c, "file/x.zip",
          "members: ['{language}.tar.gz//dev', '{language}.tar.gz//test']\n    convert: text\n"
          "    languages: [de, en]\n    to: ['ner/{language}-dev', 'ner/{language}-test']");
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    holds("ner/de-dev", "de:dev\tO\n");
    holds("ner/en-dev", "en:dev\tO\n");
    holds("ner/de-test", "de:test\tO\n");
    holds("ner/en-test", "en:test\tO\n");
    assert_int_equal(entries_in("ner"), 4);
    assert_int_equal(entries_in("fetched"), 1);
    ig_catalogue_free(&c);
    ig_free(of_zip);
    ig_free(text[0]);
    ig_free(text[1]);
}

/* The damaged record no longer describes the first file: the other file at its path is not
 * trusted. */
static void test_damaged_record(void **state)
{
    (void)state;
    static const char *const damage[] = {"", "{", "[]", "{\"files\": [{\"url\": \"x\"}]}",
                                         "{\"files\": 1}"};
    ig_catalogue c;
    ig_fetch_result r;
    ig_fetch_options o = defaults();
    ig_err err = {0};
    char record[400], further[400], *text, *other = malloc((size_t)zip_size);
    int64_t n;
    fresh();
    memcpy(other, zip, (size_t)zip_size);
    other[30] = (char)~other[30];
    entry(&c, "file/x.zip", verses);
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    snprintf(record, sizeof record, "%s/fetched/x.json", root);
    assert_ok(ig_file_read(&text, &n, record, 1 << 20, &err), &err);
    server.body = other;
    for (int force = 0; force < 2; force++)
        for (size_t i = 0; i < sizeof damage / sizeof *damage + 2; i++) {
            /* Cut in the middle, and a digit of the SHA-256 that is none. */
            if (i < sizeof damage / sizeof *damage)
                write_fast(record, damage[i], (int64_t)strlen(damage[i]));
            else {
                char *digit = strstr(text, zip_sum), old = *digit;
                *digit = i == sizeof damage / sizeof *damage ? old : 'x';
                write_fast(record, text, i == sizeof damage / sizeof *damage ? n / 2 : n);
                *digit = old;
            }
            o.force = force == 1;
            server.n_request = 0;
            err = (ig_err){0};
            assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_INPUT);
            assert_string_equal(err.where, record);
            assert_non_null(strstr(err.hint, "put it back from a copy"));
            assert_int_equal(server.n_request, 0);
            holds("bible/x.tsv", "01001001\tone\n01001002\ttwo\n");
        }
    /* Where the catalogue knows, nothing is lost. */
    ig_catalogue_free(&c);
    server.body = zip;
    snprintf(further, sizeof further, "sha256: %s\n    %s", zip_sum, verses);
    entry(&c, "file/x.zip", further);
    o.force = true;
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    ig_catalogue_free(&c);
    free(other);
    free(text);
}

static void test_known(void **state)
{
    (void)state;
    ig_catalogue c;
    ig_fetch_result r;
    ig_fetch_options o = defaults();
    ig_err err = {0};
    char further[400];
    fresh();
    snprintf(further, sizeof further, "size: %lld\n    sha256: %s\n    %s.zst", (long long)zip_size,
             zip_sum, verses);
    entry(&c, "redirect/x.zip", further);
    o.keep = true;
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    assert_int_equal(r.n_trusted, 0);
    json_decref(r.record);
    assert_int_equal(entries_in("bible"), 1);
    assert_int_equal(entries_in("fetched"), 2);
    /* The download that was kept is used. */
    server.n_request = 0;
    o.force = true;
    assert_ok(ig_fetch(&r, &c.entry[0], root, &o, &err), &err);
    json_decref(r.record);
    assert_int_equal(server.n_request, 0);
    ig_catalogue_free(&c);

    /* Wrong: nothing appears, and nothing is left to trip over. */
    fresh();
    further[strlen("size: xxx\n    sha256: ") + 3] ^= 1;
    entry(&c, "file/x.zip", further);
    o = defaults();
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_INPUT);
    assert_int_equal(entries_in("fetched"), 0);
    assert_int_equal(entries_in(""), 1);
    ig_catalogue_free(&c);
}

static void test_wrong_inside(void **state)
{
    (void)state;
    static const struct {
        const char *further, *part;
    } cases[] = {
        {"members: none\n    convert: vpl\n    to: bible/x.tsv", "has no member 'none'"},
        {"members: x/about.htm\n    convert: vpl\n    to: bible/x.tsv", "expected a verse"},
        {"convert: text\n    to: bible/x.tsv", "found a zip archive"},
    };
    for (size_t i = 0; i < 3; i++) {
        ig_catalogue c;
        ig_fetch_result r;
        ig_fetch_options o = defaults();
        ig_err err = {0};
        fresh();
        entry(&c, "file/x.zip", cases[i].further);
        assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_INPUT);
        if (strstr(err.msg, cases[i].part) == NULL)
            fail_msg("'%s' lacks '%s'", err.msg, cases[i].part);
        assert_null(r.record);
        assert_int_equal(entries_in("fetched"), 0);
        assert_false(ig_fetch_is_there(&c.entry[0], root));
        ig_catalogue_free(&c);
    }
}

static void test_in_the_way(void **state)
{
    (void)state;
    ig_catalogue c;
    ig_fetch_result r;
    ig_fetch_options o = defaults();
    ig_err err = {0};
    fresh();
    snprintf(path, sizeof path, "%s/bible", root);
    assert_ok(ig_dir_make(path, &err), &err);
    snprintf(path, sizeof path, "%s/bible/x.tsv", root);
    write_fast(path, "mine\n", 5);
    entry(&c, "file/x.zip", verses);
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_USAGE);
    assert_int_equal(server.n_request, 0);
    fault_holds(path, "mine\n");
    ig_catalogue_free(&c);
    /* A redirect is held to the same. */
    fresh();
    entry(&c, "to-plain/x.zip", verses);
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "the server leads to http://isoglot.example.invalid/x"));
    ig_catalogue_free(&c);
    /* Not encrypted, elsewhere, no SHA-256; the address is not asked. */
    static const char text[] =
        "entries:\n  - {name: x, about: a, licence: b, convert: copy, to: y,\n"
        "     url: 'http://localhost.example.invalid/x'}\n";
    c = (ig_catalogue){0};
    assert_ok(ig_catalogue_parse(&c, text, sizeof text - 1, "test", &err), &err);
    assert_int_equal(ig_fetch(&r, &c.entry[0], root, &o, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "is not encrypted"));
    ig_catalogue_free(&c);
}

/* The program, killed by Ctrl-C in the middle and started again. */
static int run(const char *const *arg, const char *out, pid_t *running)
{
    char *argv[16] = {(char[]){IG_PROGRAM}, (char[]){"fetch"}};
    int n = 2, status;
    pid_t pid;
    posix_spawn_file_actions_t files;
    for (; arg[n - 2] != NULL; n++)
        argv[n] = strdup(arg[n - 2]);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0666);
    assert_int_equal(posix_spawn(&pid, IG_PROGRAM, &files, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    for (int i = 2; i < n; i++)
        free(argv[i]);
    if (running != NULL) {
        *running = pid;
        return 0;
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_program(void **state)
{
    (void)state;
    char text[1024], catalogue[300], out[300];
    pid_t pid;
    int status;
    ig_err err = {0};
    fresh();
    snprintf(catalogue, sizeof catalogue, "%s/own.yaml", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(text, sizeof text,
             "entries:\n  - {name: own, about: a, licence: b, url: '%s', convert: vpl,\n"
             "     members: x/b.txt, to: bible/own.tsv.zst}\n",
             http_url(&server, "slow/x.zip"));
    write_fast(catalogue, text, (int64_t)strlen(text));
    const char *const arg[] = {"own", "--catalogue", catalogue, "--data", root, "--json", NULL};
    run(arg, out, &pid);
    while (server.n_sent < 10)
        usleep(2000);
    kill(pid, SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), IG_ERR_STOPPED);
    snprintf(path, sizeof path, "%s/fetched/own.0.part", root);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size >= 8);
    assert_int_equal(run(arg, out, NULL), 0);
    assert_true(server.n_sent < 2 * zip_size); /* the beginning came once */
    json_error_t ignored;
    json_t *j = json_load_file(out, 0, &ignored),
           *e = json_array_get(json_object_get(j, "entries"), 0);
    assert_string_equal(json_string_value(json_object_get(e, "name")), "own");
    assert_true(json_is_false(json_object_get(e, "already")));
    json_t *result = json_array_get(json_object_get(e, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(result, "path")), "bible/own.tsv.zst");
    assert_int_equal(json_integer_value(json_object_get(result, "lines")), 2);
    json_decref(j);
    const char *const list[] = {"--list", "own", "--catalogue", catalogue,
                                "--data", root,  "--json",      NULL};
    assert_int_equal(run(list, out, NULL), 0);
    j = json_load_file(out, 0, &ignored);
    e = json_array_get(json_object_get(j, "entries"), 0);
    assert_true(json_is_true(json_object_get(e, "there")));
    json_decref(j);
    (void)err;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive),        cmocka_unit_test(test_languages_inside),
        cmocka_unit_test(test_damaged_record), cmocka_unit_test(test_known),
        cmocka_unit_test(test_wrong_inside),   cmocka_unit_test(test_in_the_way),
        cmocka_unit_test(test_program),        cmocka_unit_test(test_cut_off)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
