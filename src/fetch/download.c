/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads over HTTP as RFC 9110 has it: ranges (§14), If-Range with a strong validator (§13.1.5),
 * Retry-After (§10.2.3). A part is only ever continued with bytes of the file it is a part of:
 * its validator is kept beside it, and without one it is continued only where the SHA-256 of the
 * whole is known, which then decides.
 */
#include "fetch/download.h"

#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/settings/json_file.h"
#include "fetch/curl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", NULL};
ig_on_demand ig_libcurl = {
    .file = files, .what = "fetching", .install = "libcurl (Debian: libcurl4)"};

enum { most_redirects = 5, most_tries = 100, longest_wait = 60 };

/* The header lines of one answer. */
typedef struct {
    char etag[256], modified[64];
    int64_t first, total; /* Content-Range: −1 where it is not said */
} header;
static const header no_header = {.first = -1, .total = -1};

typedef enum { GOING, ANOTHER_FILE, TOO_LARGE, DISK, STALLED, REDIRECT } transfer_state;

typedef struct {
    const char *url;
    const ig_download_options *o;
    ig_pool pool;              /* of the two names */
    const char *part, *record; /* PATH.part, PATH.part.json */
    int fd;
    bool mine;    /* locked */
    int64_t have; /* bytes of the part */
    header known; /* of the file that the part is a part of */
    header h;     /* of the answer being read */
    CURL *curl;
    bool body; /* the first byte of the body was seen */
    transfer_state state;
    double heard; /* when the last byte came, or the request went out */
    char reason[CURL_ERROR_SIZE];
} download;

static int64_t limit_of(const download *d)
{
    return d->o->size >= 0 && d->o->size < d->o->limit ? d->o->size : d->o->limit;
}

static bool is_stopped(const download *d)
{
    return d->o->stop != NULL && *d->o->stop != 0;
}

static ig_code stopped(const download *d, ig_err *err)
{
    ig_fail(err, IG_ERR_STOPPED, d->url, 0, "stopped, %lld bytes are there", (long long)d->have);
    return ig_hint(err, "the same command resumes it");
}

static bool strong(const char *etag)
{
    return etag[0] == '"';
}

/* --- the record beside the part ------------------------------------------------------------------
 */

static ig_code write_record(const download *d, ig_err *err)
{
    json_t *j = json_pack("{s:s, s:s, s:s}", "url", d->url, "etag", d->known.etag, "last_modified",
                          d->known.modified);
    return ig_json_write(j, d->record, 17, err);
}

/* Reads it into d->known; a part without its record, or of another address, is not continued. */
static bool read_record(download *d)
{
    json_error_t ignored;
    json_auto_t *j = json_load_file(d->record, 0, &ignored);
    const char *url = NULL, *etag = NULL, *modified = NULL;
    bool ok = j != NULL &&
              json_unpack(j, "{s:s, s:s, s:s}", "url", &url, "etag", &etag, "last_modified",
                          &modified) == 0 &&
              strcmp(url, d->url) == 0 && strlen(etag) < sizeof d->known.etag &&
              strlen(modified) < sizeof d->known.modified && strpbrk(etag, "\r\n") == NULL &&
              strpbrk(modified, "\r\n") == NULL;
    if (ok) {
        strcpy(d->known.etag, etag);
        strcpy(d->known.modified, modified);
    }
    return ok;
}

static bool empty_part(download *d)
{
    d->have = 0;
    d->known = no_header;
    return ftruncate(d->fd, 0) == 0 && lseek(d->fd, 0, SEEK_SET) == 0;
}

static ig_code disk_error(const download *d, ig_err *err)
{
    return ig_fail(err, IG_ERR_IO, d->part, 0, "cannot write: %s", strerror(errno));
}

/* Opens the part, locked, at its end. */
static ig_code open_part(download *d, ig_err *err)
{
    d->fd = open(d->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (d->fd < 0)
        return ig_fail(err, IG_ERR_IO, d->part, 0, "cannot create: %s", strerror(errno));
    if (flock(d->fd, LOCK_EX | LOCK_NB) != 0)
        return ig_fail(err, IG_ERR_IO, d->part, 0, "another program is fetching it");
    d->mine = true;
    off_t size = lseek(d->fd, 0, SEEK_END);
    d->have = size > 0 ? (int64_t)size : 0;
    if (d->have > 0 && (!read_record(d) || d->have > limit_of(d)) && !empty_part(d))
        return disk_error(d, err);
    return IG_ERR_OK;
}

static void remove_part(const download *d)
{
    unlink(d->part);
    unlink(d->record);
}

/* --- one answer
 * ------------------------------------------------------------------------------------ */

static bool header_is(const char *line, size_t n, const char *name, char *value, size_t size)
{
    size_t k = strlen(name);
    if (n <= k || strncasecmp(line, name, k) != 0 || line[k] != ':')
        return false;
    const char *p = line + k + 1, *end = line + n;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (end > p && (unsigned char)end[-1] <= ' ')
        end--;
    size_t len = (size_t)(end - p);
    value[0] = '\0';
    if (len < size && memchr(p, '\0', len) == NULL) { /* a longer one is as good as none */
        memcpy(value, p, len);
        value[len] = '\0';
    }
    return true;
}

static size_t on_header(char *line, size_t size, size_t count, void *arg)
{
    download *d = arg;
    size_t n = size * count;
    char value[256];
    d->heard = ig_clock();
    if (n > 5 && memcmp(line, "HTTP/", 5) == 0) /* of a redirect, or the last */
        d->h = no_header;
    else if (header_is(line, n, "etag", d->h.etag, sizeof d->h.etag) ||
             header_is(line, n, "last-modified", d->h.modified, sizeof d->h.modified))
        return n;
    else if (header_is(line, n, "content-range", value, sizeof value)) {
        long long first = -1, last = -1, total = -1;
        if (sscanf(value, "bytes %lld-%lld/%lld", &first, &last, &total) >= 2)
            d->h.first = first;
        else
            sscanf(value, "bytes */%lld", &total);
        d->h.total = total;
    }
    return n;
}

static long status_of(const download *d)
{
    long status = 0;
    curl_easy_getinfo(d->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Before the first byte is written: whether it continues the part or begins a new one. */
static bool begin_body(download *d)
{
    long status = status_of(d);
    d->body = true;
    if (status == 206) {
        bool same = d->h.first == d->have &&
                    (!strong(d->known.etag) || strcmp(d->h.etag, d->known.etag) == 0);
        if (!same)
            d->state = ANOTHER_FILE;
    } else if (!empty_part(d)) {
        d->state = DISK;
    } else {
        ig_err ignored;
        d->known = d->h;
        if (write_record(d, &ignored) != IG_ERR_OK)
            d->state = DISK;
    }
    curl_off_t length = -1;
    curl_easy_getinfo(d->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (d->state == GOING && length >= 0 && d->have + (int64_t)length > limit_of(d))
        d->state = TOO_LARGE;
    const char *name = strrchr(d->url, '/');
    ig_progress_begin(name != NULL ? name + 1 : d->url, length >= 0      ? d->have + (int64_t)length
                                                        : d->o->size > 0 ? d->o->size
                                                                         : 0);
    return d->state == GOING;
}

static size_t on_body(char *data, size_t size, size_t count, void *arg)
{
    download *d = arg;
    d->heard = ig_clock();
    size_t n = size * count;
    long status = status_of(d);
    if (status != 200 && status != 206 && status != 0) /* 0: no HTTP (file:) */
        return n;
    if (!d->body && !begin_body(d))
        return 0;
    if (d->have + (int64_t)n > limit_of(d)) {
        d->state = TOO_LARGE;
        return 0;
    }
    for (size_t at = 0; at < n;) {
        ssize_t k = write(d->fd, data + at, n - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            d->state = DISK;
            return 0;
        }
        at += (size_t)k;
        d->have += k;
    }
    ig_progress(d->have, NULL);
    return n;
}

/* Also called about once a second while no data arrive. libcurl's own limit is on the mean speed of
 * the last seconds, which a transfer that started fast and then stalls reaches late. */
static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t e)
{
    download *d = arg;
    (void)a, (void)b, (void)c, (void)e;
    if (d->state == GOING && ig_clock() - d->heard > d->o->timeout)
        d->state = STALLED;
    return d->state == STALLED || is_stopped(d);
}

static void set_up(const download *d, const char *range, struct curl_slist *lines)
{
    CURL *c = d->curl;
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "isoglot");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L); /* each is looked at: follow() */
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https,file");
#else
    curl_easy_setopt(c, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE);
#endif
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(d->o->timeout * 1000));
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, (void *)d);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, (void *)d);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, (void *)d);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, d->reason);
    curl_easy_setopt(c, CURLOPT_RANGE, range);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, lines);
}

/* The request, and where its answers lead. */
static CURLcode follow(download *d, ig_err *err)
{
    char *at = NULL;
    CURLcode code = CURLE_OK;
    for (int hop = 0;; hop++) {
        const char *to = NULL;
        code = curl_easy_setopt(d->curl, CURLOPT_URL, at != NULL ? at : d->url);
        if (code == CURLE_OK)
            code = curl_easy_perform(d->curl);
        if (code == CURLE_OK)
            code = curl_easy_getinfo(d->curl, CURLINFO_REDIRECT_URL, &to);
        if (code != CURLE_OK || to == NULL)
            break;
        if (hop == most_redirects) {
            d->state = REDIRECT;
            ig_fail(err, IG_ERR_IO, d->url, 0, "more than %d redirects", most_redirects);
            break;
        }
        if (!ig_address_may_lead(d->url, to, d->o->open)) {
            d->state = REDIRECT;
            ig_fail(err, IG_ERR_IO, d->url, 0,
                    "the server leads to %.200s, expected an address as safe as its own", to);
            break;
        }
        char *copy = strdup(to);
        free(at);
        at = copy;
        if (at == NULL) {
            code = CURLE_OUT_OF_MEMORY;
            break;
        }
    }
    free(at);
    return code;
}

/* The outcome of a request. */
typedef enum { DONE, AGAIN, RESTART, GIVEN_UP } verdict;

static bool may_help(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

static verdict judge_status(download *d, ig_err *err)
{
    long status = status_of(d);
    if (status == 200 || status == 206 || status == 0) {
        /* An empty file has no first byte. */
        if (!d->body && status != 206)
            begin_body(d);
        return DONE;
    }
    /* The part is as long as the file, or longer: then it is no part of it. */
    if (status == 416 && d->have > 0)
        return d->h.total == d->have ? DONE : RESTART;
    ig_fail(err, IG_ERR_IO, d->url, 0, "the server answers %ld%s", status,
            status == 404 || status == 410   ? " (no such file)"
            : status == 401 || status == 403 ? " (not allowed)"
            : status == 429                  ? " (too many requests)"
                                             : "");
    if (status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501))
        return AGAIN;
    ig_hint(err, "it may have moved: --catalogue FILE can give another address");
    return GIVEN_UP;
}

static verdict judge_curl(download *d, CURLcode code, ig_err *err)
{
    const char *why = d->reason[0] != '\0' ? d->reason : curl_easy_strerror(code);
    if (is_stopped(d)) {
        stopped(d, err);
        return GIVEN_UP;
    }
    if (d->state == ANOTHER_FILE)
        return RESTART;
    if (d->state == DISK) {
        disk_error(d, err);
        return GIVEN_UP;
    }
    if (d->state == TOO_LARGE) {
        ig_fail(err, IG_ERR_INPUT, d->url, 0, "more than %lld bytes, %s", (long long)limit_of(d),
                d->o->size >= 0 ? "which is the size it should have" : "the limit (--limit)");
        remove_part(d);
        return GIVEN_UP;
    }
    if (d->state == STALLED) {
        ig_fail(err, IG_ERR_IO, d->url, 0, "nothing came for %g seconds", d->o->timeout);
        return AGAIN;
    }
    ig_fail(err, IG_ERR_IO, d->url, 0, "cannot get it: %s", why);
    if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY)
        ig_hint(err, "is there a network? Proxies are taken from https_proxy and no_proxy");
    return may_help(code) ? AGAIN : GIVEN_UP;
}

/* Requests the whole file, or the rest that the part does not have. */
static verdict request(download *d, ig_download_result *r, ig_err *err)
{
    char range[32] = "", line[320] = "";
    struct curl_slist *lines = NULL;
    bool known = d->o->sha256 != NULL && d->o->sha256[0] != '\0';
    bool local = strncmp(d->url, "file:", 5) == 0;
    if (strong(d->known.etag))
        snprintf(line, sizeof line, "If-Range: %s", d->known.etag);
    else if (d->known.modified[0] != '\0')
        snprintf(line, sizeof line, "If-Range: %s", d->known.modified);
    if (d->have > 0 && (local || (line[0] == '\0' && !known)) && !empty_part(d)) {
        disk_error(d, err);
        return GIVEN_UP;
    }
    if (d->have > 0) {
        snprintf(range, sizeof range, "%lld-", (long long)d->have);
        if (line[0] != '\0' && (lines = curl_slist_append(NULL, line)) == NULL) {
            ig_fail(err, IG_ERR_MEMORY, d->url, 0, "not enough memory for a request");
            return GIVEN_UP;
        }
    }
    d->body = false;
    d->state = GOING;
    d->heard = ig_clock();
    d->reason[0] = '\0';
    d->h = no_header;
    r->resumed = d->have;
    r->n_request++;
    curl_easy_reset(d->curl);
    set_up(d, range[0] != '\0' ? range : NULL, lines);
    int64_t before = d->have;
    CURLcode code = follow(d, err);
    if (d->have < before || status_of(d) == 200)
        r->resumed = 0;
    verdict v = d->state == REDIRECT ? GIVEN_UP
                : code == CURLE_OK   ? judge_status(d, err)
                                     : judge_curl(d, code, err);
    curl_slist_free_all(lines);
    ig_progress_end();
    return v;
}

/* Returns early when it is to stop. */
static void wait_for(const download *d, double seconds)
{
    double end = ig_clock() + seconds;
    const struct timespec pause = {.tv_nsec = 20000000};
    while (ig_clock() < end && !is_stopped(d))
        nanosleep(&pause, NULL);
}

/* Requests until the file is there. */
static ig_code get(download *d, ig_download_result *r, ig_err *err)
{
    int in_vain = 0, restarts = 0;
    for (int i = 0; i < most_tries; i++) {
        int64_t before = d->have;
        verdict v = request(d, r, err);
        if (v == DONE && d->o->size > d->have) {
            ig_fail(err, IG_ERR_IO, d->url, 0, "ends after %lld bytes, expected %lld",
                    (long long)d->have, (long long)d->o->size);
            v = AGAIN;
        }
        if (v == DONE)
            return IG_ERR_OK;
        if (v == GIVEN_UP)
            return err->code;
        if (v == RESTART) {
            if (!empty_part(d))
                return disk_error(d, err);
            if (++restarts > 3)
                return ig_fail(err, IG_ERR_IO, d->url, 0,
                               "the server's answers do not fit together");
            continue;
        }
        in_vain = d->have > before ? 0 : in_vain + 1;
        if (in_vain > d->o->retries)
            break;
        double wait = d->o->wait * (double)(1 << (in_vain > 6 ? 6 : in_vain > 0 ? in_vain - 1 : 0));
        curl_off_t after = 0;
        curl_easy_getinfo(d->curl, CURLINFO_RETRY_AFTER, &after);
        if ((double)after > wait)
            wait = (double)after;
        wait = wait > longest_wait ? longest_wait : wait;
        ig_log(IG_LOG_NORMAL, "%s: %s; again in %.1f s", d->url, err->msg, wait);
        wait_for(d, wait);
        if (is_stopped(d))
            return stopped(d, err);
    }
    if (d->have > 0)
        ig_hint(err, "the same command resumes after the %lld bytes that are there",
                (long long)d->have);
    return err->code;
}

/* *right: size and SHA-256 are as expected; otherwise err describes the difference. */
static ig_code check(const download *d, ig_download_result *r, bool *right, ig_err *err)
{
    bool known = d->o->sha256 != NULL && d->o->sha256[0] != '\0';
    *right = false;
    r->size = d->have;
    IG_TRY(ig_sha256_file(r->sha256, d->part, err));
    if (d->o->size >= 0 && d->have != d->o->size)
        ig_fail(err, IG_ERR_INPUT, d->url, 0, "has %lld bytes, expected %lld", (long long)d->have,
                (long long)d->o->size);
    else if (known && strcmp(r->sha256, d->o->sha256) != 0)
        ig_fail(err, IG_ERR_INPUT, d->url, 0, "has SHA-256 %s, expected %s", r->sha256,
                d->o->sha256);
    else
        *right = true;
    return IG_ERR_OK;
}

/* A continued part that turns out wrong may be of two files: it is got once more as a whole. */
static ig_code get_and_check(download *d, ig_download_result *r, ig_err *err)
{
    bool right = false;
    for (int i = 0; i < 2 && !right; i++) {
        bool began_with_part = d->have > 0;
        IG_TRY(get(d, r, err));
        IG_TRY(check(d, r, &right, err));
        if (!right && !empty_part(d))
            return disk_error(d, err);
        if (!right && !began_with_part)
            break;
    }
    if (!right) {
        remove_part(d);
        return err->code;
    }
    return IG_ERR_OK;
}

ig_code ig_download(ig_download_result *r, const char *url, const char *path,
                    const ig_download_options *o, ig_err *err)
{
    download d = {.url = url, .o = o, .fd = -1, .known = no_header};
    ig_err own = {0};
    *r = (ig_download_result){0};
    err = err != NULL ? err : &own;
    IG_TRY(ig_on_demand_load(&ig_libcurl, err));
    ig_code code = ig_pool_print(&d.pool, &d.part, err, "%s.part", path);
    IG_THEN(code, ig_pool_print(&d.pool, &d.record, err, "%s.part.json", path));
    IG_THEN(code, open_part(&d, err));
    if (code == IG_ERR_OK &&
        (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || (d.curl = curl_easy_init()) == NULL))
        code = ig_fail(err, IG_ERR_MEMORY, url, 0, "libcurl cannot begin");
    IG_THEN(code, get_and_check(&d, r, err));
    if (code == IG_ERR_OK && fsync(d.fd) != 0)
        code = disk_error(&d, err);
    IG_THEN(code, ig_rename(d.part, path, err));
    if (code == IG_ERR_OK) {
        unlink(d.record);
        snprintf(r->etag, sizeof r->etag, "%s", d.known.etag);
        *err = (ig_err){0};
    }
    if (code != IG_ERR_OK && d.mine && d.have == 0)
        remove_part(&d);
    if (d.fd >= 0)
        close(d.fd);
    curl_easy_cleanup(d.curl);
    ig_pool_free(&d.pool);
    return code;
}
