/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads from a server on this machine that behaves, and that misbehaves in each way that is
 * known: what arrives is the file or nothing, and what is there already is not got again.
 */
#include "base/log.h"
#include "fault.h"
#include "http_server.h"
#include "fetch/download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { size = 200000 };
static char body[size], other[size], dir[256], path[300], part[320], record[330];
static char sum[IG_SHA256_HEX];
static http_server server;

static int set_up(void **state)
{
    (void)state;
    ig_err err;
    /* No proxy is involved in the test. */
    setenv("no_proxy", "*", 1);
    ig_log_set_level(IG_LOG_QUIET);
    for (int i = 0; i < size; i++) {
        body[i] = (char)('a' + i * 7 % 26);
        other[i] = (char)('A' + i * 5 % 26);
    }
    assert_ok(ig_sha256_of(sum, body, size, &err), &err);
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/file", dir);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(record, sizeof record, "%s.json", part);
    http_start(&server, body, size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    http_stop(&server);
    assert_ok(ig_dir_remove(dir, &err), &err);
    return 0;
}

static ig_download_options defaults(void)
{
    return (ig_download_options){
        .size = -1, .limit = 1 << 20, .retries = 2, .timeout = 5, .wait = 0.01};
}

static void fresh(void)
{
    unlink(path);
    unlink(part);
    unlink(record);
    server.body = body;
    server.size = size;
    server.etag = 1;
    server.n_request = 0;
    server.n_sent = 0;
}

static void assert_file(const char *want)
{
    char *got;
    int64_t n;
    ig_err err;
    assert_ok(ig_file_read(&got, &n, path, 1 << 20, &err), &err);
    assert_int_equal(n, size);
    assert_memory_equal(got, want, size);
    free(got);
    assert_int_equal(fault_count(dir), 1);
}

static void get(const char *what, const ig_download_options *o, ig_download_result *r)
{
    ig_err err = {0};
    assert_ok(ig_download(r, http_url(&server, what), path, o, &err), &err);
    assert_int_equal(r->size, size);
}

static void test_plain(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    fresh();
    get("file/x", &o, &r);
    assert_file(body);
    assert_string_equal(r.sha256, sum);
    assert_string_equal(r.etag, "\"v1\"");
    assert_int_equal(r.n_request, 1);
    o.size = size;
    o.sha256 = sum;
    fresh();
    get("redirect/x", &o, &r);
    assert_file(body);
    /* An empty file is a file. */
    ig_err err = {0};
    fresh();
    server.size = 0;
    o = defaults();
    assert_ok(ig_download(&r, http_url(&server, "file/x"), path, &o, &err), &err);
    assert_int_equal(r.size, 0);
    assert_true(ig_file_exists(path));
}

static void test_resumes_in_one_call(void **state)
{
    (void)state;
    static const char *const kind[] = {"truncated/x", "stall/x"};
    for (int i = 0; i < 2; i++) {
        ig_download_options o = defaults();
        ig_download_result r;
        fresh();
        o.timeout = 1;
        get(kind[i], &o, &r);
        assert_file(body);
        assert_int_equal(r.n_request, 2);
        assert_int_equal(r.resumed, size / 2);
        assert_string_equal(server.if_range, "\"v1\"");
        assert_int_equal(server.n_sent, size);
    }
}

/* Stopped as by Ctrl-C, then called again. */
static volatile sig_atomic_t stop;

static void *stop_soon(void *arg)
{
    (void)arg;
    while (server.n_sent < 20)
        usleep(1000);
    stop = 1;
    return NULL;
}

static void test_stopped(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    ig_err err = {0};
    pthread_t thread;
    fresh();
    stop = 0;
    o.stop = &stop;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
    assert_int_equal(ig_download(&r, http_url(&server, "slow/x"), path, &o, &err), IG_ERR_STOPPED);
    pthread_join(thread, NULL);
    assert_string_equal(err.hint, "the same command resumes it");
    assert_false(ig_file_exists(path));
    struct stat st;
    assert_int_equal(stat(part, &st), 0);
    assert_true(st.st_size >= 10);
    stop = 0;
    server.n_request = 0;
    /* Another address: not what the part is a part of. */
    get("file/x", &o, &r);
    assert_int_equal(r.resumed, 0);
    assert_file(body);
    /* The same: goes on. */
    fresh();
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
    assert_int_equal(ig_download(&r, http_url(&server, "slow/x"), path, &o, &err), IG_ERR_STOPPED);
    pthread_join(thread, NULL);
    assert_int_equal(stat(part, &st), 0);
    server.size = st.st_size + 3; /* a shorter one, to be quick; its beginning is the same */
    stop = 0;
    assert_ok(ig_download(&r, http_url(&server, "slow/x"), path, &o, &err), &err);
    assert_int_equal(r.resumed, st.st_size);
    assert_int_equal(r.size, st.st_size + 3);
}

static void test_begins_anew(void **state)
{
    (void)state;
    /* No ranges; a weak tag or none, and nothing to check the whole by; a range that is not what
     * was asked for. */
    static const char *const kind[] = {"norange/x", "weak/x", "notag/x", "shifted/x"};
    for (int i = 0; i < 4; i++) {
        ig_download_options o = defaults();
        ig_download_result r;
        fresh();
        get(kind[i], &o, &r);
        assert_file(body);
        assert_int_equal(r.resumed, 0);
        assert_int_equal(r.n_request, i == 3 ? 3 : 2);
    }
    /* Without a tag, but with a known SHA-256, the rest is enough. */
    ig_download_options o = defaults();
    ig_download_result r;
    fresh();
    o.sha256 = sum;
    get("notag/x", &o, &r);
    assert_int_equal(r.resumed, size / 2);
    assert_file(body);
}

static void test_another_file(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    /* Another tag every time: the part of the first is thrown away. */
    fresh();
    get("changing/x", &o, &r);
    assert_int_equal(r.resumed, 0);
    assert_int_equal(r.n_request, 2);
    assert_file(body);
    /* A part of another file, and a server that sends the rest whatever If-Range says. */
    ig_err err = {0};
    fresh();
    write_fast(part, other, 1000);
    char text[512];
    snprintf(text, sizeof text,
             "{\"url\": \"%s\", \"etag\": \"\\\"v0\\\"\", \"last_modified\": \"\"}",
             http_url(&server, "liar/x"));
    write_fast(record, text, (int64_t)strlen(text));
    server.n_request = 1;
    get("liar/x", &o, &r);
    assert_file(body);
    assert_int_equal(r.resumed, 0);
    /* Without any tag: the SHA-256 of the mixture is wrong, and the whole file is downloaded. */
    fresh();
    write_fast(part, other, 1000);
    snprintf(text, sizeof text, "{\"url\": \"%s\", \"etag\": \"\", \"last_modified\": \"\"}",
             http_url(&server, "notag/x"));
    write_fast(record, text, (int64_t)strlen(text));
    server.n_request = 1;
    o.sha256 = sum;
    get("notag/x", &o, &r);
    assert_file(body);
    /* A part that is complete already. */
    fresh();
    write_fast(part, body, size);
    write_fast(record, text, (int64_t)strlen(text));
    get("notag/x", &o, &r);
    assert_file(body);
    assert_int_equal(server.n_sent, 0);
    /* A part longer than the file. */
    fresh();
    server.size = size - 5;
    write_fast(part, body, size);
    write_fast(record, text, (int64_t)strlen(text));
    o.sha256 = NULL;
    assert_ok(ig_download(&r, http_url(&server, "notag/x"), path, &o, &err), &err);
    assert_int_equal(r.size, size - 5);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        ig_code code;
        int n_request; /* −1: any */
        const char *part;
    } cases[] = {
        {"missing/x", IG_ERR_IO, 1, "answers 404 (no such file)"},
        {"broken/x", IG_ERR_IO, 3, "answers 503"},
        {"loop/x", IG_ERR_IO, 6, "redirects"},
        {"to-file/x", IG_ERR_IO, 1, "the server leads to file:///etc/hostname"},
        {"to-plain/x", IG_ERR_IO, 1, "the server leads to http://isoglot.example.invalid/x"},
        {"to-disguised/x", IG_ERR_IO, 1, "the server leads to http://localhost:80@isoglot"},
        {"always-truncated/x", IG_ERR_IO, 3, "cannot get it"},
        {"endless/x", IG_ERR_INPUT, 1, "more than 1048576 bytes, the limit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_download_options o = defaults();
        ig_download_result r;
        ig_err err = {0};
        fresh();
        assert_int_equal(ig_download(&r, http_url(&server, cases[i].what), path, &o, &err),
                         cases[i].code);
        if (strstr(err.msg, cases[i].part) == NULL)
            fail_msg("%s: '%s' lacks '%s'", cases[i].what, err.msg, cases[i].part);
        assert_int_equal(server.n_request, cases[i].n_request);
        assert_int_equal(fault_count(dir), 0);
    }
    /* Where the file's SHA-256 is known, an unencrypted address is as good as any. */
    ig_download_options o = defaults();
    ig_download_result r;
    ig_err err = {0};
    fresh();
    o.open = true;
    assert_int_equal(ig_download(&r, http_url(&server, "to-plain/x"), path, &o, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "cannot get it"));
    assert_int_equal(ig_download(&r, http_url(&server, "to-file/x"), path, &o, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "the server leads to file:"));
    /* Nobody there. */
    o = defaults();
    fresh();
    assert_int_equal(ig_download(&r, "http://127.0.0.1:1/x", path, &o, &err), IG_ERR_IO);
    assert_int_equal(fault_count(dir), 0);
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool safe;
    } c[] = {{"https://example.org/x", true},
             {"HTTPS://example.org/x", true},
             {"http://example.org/x", false},
             {"http://localhost/x", true},
             {"http://LOCALHOST:8080/x", true},
             {"http://127.0.0.1:81", true},
             {"http://[::1]:1/x", true},
             {"file:///x", true},
             {"http://localhost.example.org", false},
             {"http://localhost@example.org/x", false},
             {"http://localhost:80@example.org", false},
             {"http://127.0.0.1.example.org", false},
             {"ftp://localhost/x", false},
             {"", false}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        if (ig_address_is_safe(c[i].url) != c[i].safe)
            fail_msg("%s", c[i].url);
}

static void test_wrong(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    ig_err err = {0};
    char wrong[IG_SHA256_HEX];
    strcpy(wrong, sum);
    wrong[0] = wrong[0] == '0' ? '1' : '0';
    fresh();
    o.sha256 = wrong;
    assert_int_equal(ig_download(&r, http_url(&server, "file/x"), path, &o, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, sum));
    assert_non_null(strstr(err.msg, wrong));
    assert_int_equal(fault_count(dir), 0);
    assert_int_equal(server.n_request, 1);
    /* Longer than it should be: not even begun. Shorter: asked for again, then given up. */
    o = defaults();
    o.size = size - 1;
    fresh();
    assert_int_equal(ig_download(&r, http_url(&server, "file/x"), path, &o, &err), IG_ERR_INPUT);
    assert_int_equal(fault_count(dir), 0);
    o.size = size + 1;
    fresh();
    assert_int_equal(ig_download(&r, http_url(&server, "file/x"), path, &o, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "ends after 200000 bytes, expected 200001"));
}

static void test_waits_for_a_busy_server(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    fresh();
    get("busy/x", &o, &r);
    assert_file(body);
    assert_int_equal(r.n_request, 3);
}

static void test_two_at_once(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    ig_err err = {0};
    fresh();
    int fd = open(part, O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(ig_download(&r, http_url(&server, "file/x"), path, &o, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "another program"));
    assert_true(ig_file_exists(part));
    close(fd);
    get("file/x", &o, &r);
    assert_file(body);
}

static void test_full_disk(void **state)
{
    (void)state;
    ig_download_options o = defaults();
    ig_download_result r;
    ig_err err = {0};
    fresh();
    fault_file_size(50000);
    ig_code code = ig_download(&r, http_url(&server, "file/x"), path, &o, &err);
    fault_file_size(-1);
    assert_int_equal(code, IG_ERR_IO);
    assert_false(ig_file_exists(path));
    get("file/x", &o, &r);
    assert_int_equal(r.resumed, 50000);
    assert_file(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_resumes_in_one_call),
                                       cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_begins_anew),
                                       cmocka_unit_test(test_another_file),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_addresses),
                                       cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_waits_for_a_busy_server),
                                       cmocka_unit_test(test_two_at_once),
                                       cmocka_unit_test(test_full_disk)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
