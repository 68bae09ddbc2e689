/* SPDX-License-Identifier: Apache-2.0
 *
 * A small HTTP server on this machine, in a thread of the test, that does what servers do and what
 * they should not: ranges or none, truncated and slow answers, redirects, files that change. What
 * it does is the first part of the path ("/truncated/x"); the body is always `body`.
 */
#pragma once

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    int listener, port, leave[2]; /* leave: a pipe; closing it ends the thread */
    pthread_t thread;
    const char *body; /* may be changed between requests */
    int64_t size;
    int etag;                      /* "v<etag>" */
    int n_request;                 /* of any path, since the test set it to 0 */
    int64_t n_sent;                /* bytes of bodies */
    char range[64], if_range[128]; /* of the last request; "": none */
} http_server;

static inline bool http_send(http_server *s, int fd, const void *data, int64_t n, bool body)
{
    const char *p = data;
    while (n > 0) {
        ssize_t k = send(fd, p, (size_t)n, MSG_NOSIGNAL);
        if (k <= 0)
            return false;
        p += k;
        n -= k;
        if (body)
            s->n_sent += k;
    }
    return true;
}

/* Waits until the client is gone, or the test is over. */
static inline void http_wait(http_server *s, int fd, int milliseconds)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = s->leave[0]}};
    poll(p, 2, milliseconds);
}

static inline void http_header_of(const char *request, const char *name, char *out, size_t size)
{
    out[0] = '\0';
    for (const char *p = strstr(request, "\r\n"); p != NULL; p = strstr(p + 2, "\r\n")) {
        size_t k = strlen(name);
        if (strncasecmp(p + 2, name, k) == 0 && p[2 + k] == ':') {
            const char *v = p + 3 + k, *end = strstr(v, "\r\n");
            while (*v == ' ')
                v++;
            snprintf(out, size, "%.*s", (int)(end - v), v);
        }
    }
}

static inline void http_answer(http_server *s, int fd, const char *request)
{
    char head[1024], etag[64], path[128] = "";
    sscanf(request, "GET %127s", path);
    http_header_of(request, "Range", s->range, sizeof s->range);
    http_header_of(request, "If-Range", s->if_range, sizeof s->if_range);
    int n_request = s->n_request++;
#define IS(name) (strncmp(path, "/" name "/", sizeof "/" name "/" - 1) == 0)
    if (IS("redirect") || IS("loop") || IS("to-file") || IS("to-plain") || IS("to-disguised")) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 4\r\n"
                 "Connection: close\r\n\r\nmove",
                 IS("redirect")       ? "/file/x"
                 : IS("loop")         ? path
                 : IS("to-plain")     ? "http://isoglot.example.invalid/x"
                 : IS("to-disguised") ? "http://localhost:80@isoglot.example.invalid/x"
                                      : "file:///etc/hostname");
        http_send(s, fd, head, (int64_t)strlen(head), false);
        return;
    }
    if (IS("missing") || (IS("busy") && n_request < 2) || IS("broken")) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nRetry-After: 0\r\nContent-Length: 5\r\n"
                 "Connection: close\r\n\r\nsorry",
                 IS("missing") ? "404 Not Found" : "503 Unavailable");
        http_send(s, fd, head, (int64_t)strlen(head), false);
        return;
    }
    if (IS("endless")) {
        char block[4096];
        memset(block, 'x', sizeof block);
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n\r\n");
        http_send(s, fd, head, (int64_t)strlen(head), false);
        while (http_send(s, fd, block, sizeof block, true))
            ;
        return;
    }
    if (IS("changing")) /* another file at every request */
        s->etag = n_request;
    snprintf(etag, sizeof etag, IS("weak") ? "W/\"v%d\"" : "\"v%d\"", s->etag);
    long long from = 0;
    bool range = !IS("norange") && sscanf(s->range, "bytes=%lld-", &from) == 1 &&
                 (s->if_range[0] == '\0' || strcmp(s->if_range, etag) == 0 || IS("liar"));
    if (!range)
        from = 0;
    int64_t n = s->size - from;
    if (range && from >= s->size) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */%lld\r\n"
                 "Content-Length: 0\r\nConnection: close\r\n\r\n",
                 (long long)s->size);
        http_send(s, fd, head, (int64_t)strlen(head), false);
        return;
    }
    char content_range[96] = "", length[64] = "", tag[96] = "";
    if (range)
        snprintf(content_range, sizeof content_range, "Content-Range: bytes %lld-%lld/%lld\r\n",
                 IS("shifted") ? from + 1 : from, (long long)s->size - 1, (long long)s->size);
    if (!IS("nolength"))
        snprintf(length, sizeof length, "Content-Length: %lld\r\n", (long long)n);
    if (!IS("notag"))
        snprintf(tag, sizeof tag, "ETag: %s\r\n", etag);
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%s%s%sConnection: close\r\n\r\n",
             range ? "206 Partial Content" : "200 OK", length, content_range, tag);
    http_send(s, fd, head, (int64_t)strlen(head), false);
    bool first = n_request == 0;
    if (IS("slow")) {
        for (int64_t i = 0; i < n && http_send(s, fd, s->body + from + i, 1, true); i++)
            http_wait(s, fd, 20);
        return;
    }
    bool cut =
        first && (IS("truncated") || IS("stall") || IS("changing") || IS("weak") || IS("norange") ||
                  IS("shifted") || IS("notag") || IS("nolength") || IS("liar"));
    if (IS("always-truncated"))
        n = 0;
    http_send(s, fd, s->body + from, cut ? n / 2 : n, true);
    if (cut && IS("stall"))
        http_wait(s, fd, 20000);
#undef IS
}

static inline void *http_run(void *arg)
{
    http_server *s = arg;
    for (;;) {
        struct pollfd p[2] = {{.fd = s->listener, .events = POLLIN},
                              {.fd = s->leave[0], .events = POLLIN}};
        if (poll(p, 2, -1) < 0 || p[1].revents != 0)
            return NULL;
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0)
            continue;
        char request[4096];
        size_t n = 0;
        ssize_t k;
        do {
            k = recv(fd, request + n, sizeof request - 1 - n, 0);
            n += k > 0 ? (size_t)k : 0;
            request[n] = '\0';
        } while (k > 0 && strstr(request, "\r\n\r\n") == NULL && n + 1 < sizeof request);
        if (k > 0)
            http_answer(s, fd, request);
        close(fd);
    }
}

static inline void http_start(http_server *s, const char *body, int64_t size)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    *s = (http_server){.body = body, .size = size};
    assert_int_equal(pipe(s->leave), 0);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s->listener >= 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(s->listener, 16), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&a, &n), 0);
    s->port = ntohs(a.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, http_run, s), 0);
}

static inline void http_stop(http_server *s)
{
    close(s->leave[1]);
    pthread_join(s->thread, NULL);
    close(s->leave[0]);
    close(s->listener);
}

/* The address of a path; good until the next call. */
static inline const char *http_url(const http_server *s, const char *path)
{
    static char url[256];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", s->port, path);
    return url;
}
