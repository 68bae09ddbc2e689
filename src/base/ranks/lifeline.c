/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread of each rank waits for the end of its connections (POSIX poll) and then ends the
 * process: other threads may be anywhere, in a call of MPI that would wait for ever. Nothing is
 * half-written by that: files appear complete or not at all (base/file.h).
 */
#include "base/ranks/lifeline.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT = 20000 /* ms for the others to connect */, CONNECT = 3000 };

/* A message of a connection: its beginning, an error of a rank, the end of all. */
typedef struct {
    uint64_t token;
    int32_t rank;
} greeting;

typedef struct {
    enum { SAYS_ERROR = 1, SAYS_END } kind;
    int32_t code;
    ig_err err;
} word;

static struct {
    int door; /* of rank 0 */
    int self, n;
    uint64_t token;
    struct pollfd *line; /* rank 0: [n] of each rank; the others: [1]; the thread has a copy */
    const char *const *name;
    pthread_t thread;
    atomic_bool leaving;
    bool killed;
} life = {.door = -1};

static void say(const char *text, const char *more)
{
    char line[1200];
    const int n = snprintf(line, sizeof line, "isoglot: error: %s%s\n", text, more);
    if (write(STDERR_FILENO, line, (size_t)(n < (int)sizeof line ? n : (int)sizeof line - 1)) < 0)
        return; /* nobody reads */
}

static bool get_all(int fd, void *out, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t got = recv(fd, (char *)out + at, n - at, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static bool put_all(int fd, const void *data, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t put = send(fd, (const char *)data + at, n - at, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += (size_t)put;
    }
    return true;
}

static void keep_alive(int fd)
{
    static const struct {
        int level, name, value;
    } set[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
#ifdef TCP_KEEPIDLE
               {IPPROTO_TCP, TCP_KEEPIDLE, 3},
               {IPPROTO_TCP, TCP_KEEPINTVL, 2},
               {IPPROTO_TCP, TCP_KEEPCNT, 4},
#endif
               {IPPROTO_TCP, TCP_NODELAY, 1}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        (void)setsockopt(fd, set[i].level, set[i].name, &set[i].value, sizeof set[i].value);
}

/* --- the thread ------------------------------------------------------------------------------- */

/* A connection has something to read: it ended, or a word came. */
static void hear(int i)
{
    word w;
    const bool came = get_all(life.line[i].fd, &w, sizeof w);
    if (atomic_load(&life.leaving))
        return;
    if (life.self > 0 && came)
        _exit(w.code);
    if (life.self > 0) { /* one of them says so; a machine may have lost others beside */
        if (life.self == 1)
            say(life.name[0], " was lost; the same command resumes from the last checkpoint");
        _exit(IG_ERR_STOPPED);
    }
    if (came) {
        char text[sizeof w.err.where + sizeof w.err.msg + sizeof w.err.hint + 16];
        snprintf(text, sizeof text, ": %s%s%s%s%s%s", w.err.where, w.err.where[0] ? ": " : "",
                 w.err.msg, w.err.hint[0] ? " (" : "", w.err.hint, w.err.hint[0] ? ")" : "");
        say(life.name[i], text);
    } else
        say(life.name[i], " was lost; the same command resumes from the last checkpoint");
    const int code = came ? (int)w.code : (int)IG_ERR_STOPPED;
    ig_lifeline_end_others(code);
    if (life.killed && !came)
        raise(SIGKILL);
    _exit(code);
}

static void *watch(void *arg)
{
    IG_OWNED struct pollfd *line = arg;
    const int n = life.self == 0 ? life.n : 1;
    while (!atomic_load(&life.leaving)) {
        if (poll(line, (nfds_t)n, 200) <= 0)
            continue;
        for (int i = 0; i < n; i++)
            if (line[i].fd >= 0 && line[i].revents != 0) {
                hear(i);
                line[i].fd = -1;
            }
    }
    return NULL;
}

/* The thread gets no signals: they are the program's. */
static void begin_watch(void)
{
    sigset_t all, old;
    struct pollfd *line;
    const int n = life.self == 0 ? life.n : 1;
    if (ig_alloc(&line, n, sizeof *line, "ranks", NULL) != IG_ERR_OK)
        return;
    memcpy(line, life.line, (size_t)n * sizeof *line);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&life.thread, NULL, watch, line) == 0)
        pthread_detach(life.thread);
    else
        ig_free(line);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* --- rank 0 ----------------------------------------------------------------------------------- */

/* Appends the addresses of this machine, the loopback first: for ranks beside this one. */
static void add_addresses(char *address, size_t size)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
        char text[INET_ADDRSTRLEN];
        const size_t n = strlen(address);
        if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
            (i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)i->ifa_addr;
        if (inet_ntop(AF_INET, &in->sin_addr, text, sizeof text) != NULL &&
            n + strlen(text) + 2 < size)
            snprintf(address + n, size - n, " %s", text);
    }
    freeifaddrs(all);
}

void ig_lifeline_listen(char address[IG_LIFELINE_ADDRESS])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t size = sizeof at;
    address[0] = '\0';
    life.door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (life.door < 0)
        return;
    if (getrandom(&life.token, sizeof life.token, 0) != (ssize_t)sizeof life.token ||
        bind(life.door, (struct sockaddr *)&at, size) != 0 || listen(life.door, SOMAXCONN) != 0 ||
        getsockname(life.door, (struct sockaddr *)&at, &size) != 0) {
        close(life.door);
        life.door = -1;
        return;
    }
    snprintf(address, IG_LIFELINE_ADDRESS, "%llx %u 127.0.0.1", (unsigned long long)life.token,
             (unsigned)ntohs(at.sin_port));
    add_addresses(address, IG_LIFELINE_ADDRESS);
}

/* One connection, if it comes in time: false, none does. */
static bool accept_one(void)
{
    struct pollfd door = {.fd = life.door, .events = POLLIN};
    greeting hello;
    if (poll(&door, 1, WAIT) <= 0)
        return false;
    const int fd = accept(life.door, NULL, NULL);
    if (fd < 0)
        return true;
    struct pollfd line = {.fd = fd, .events = POLLIN};
    if (poll(&line, 1, CONNECT) > 0 && get_all(fd, &hello, sizeof hello) &&
        hello.token == life.token && hello.rank > 0 && hello.rank < life.n &&
        life.line[hello.rank].fd < 0 && put_all(fd, &hello, sizeof hello)) {
        keep_alive(fd);
        life.line[hello.rank] = line;
    } else
        close(fd);
    return true;
}

void ig_lifeline_accept(int n, char *const *names)
{
    int connected = 0;
    life.n = n;
    life.name = (const char *const *)names;
    if (life.door < 0 || ig_alloc(&life.line, n, sizeof *life.line, "ranks", NULL) != IG_ERR_OK)
        return;
    for (int i = 0; i < n; i++)
        life.line[i].fd = -1;
    while (connected < n - 1 && accept_one()) {
        connected = 0;
        for (int i = 1; i < n; i++)
            connected += life.line[i].fd >= 0;
    }
    close(life.door);
    life.door = -1;
    begin_watch();
}

void ig_lifeline_end_others(int code)
{
    const word w = {.kind = SAYS_END, .code = code};
    atomic_store(&life.leaving, true);
    for (int i = 1; i < life.n && life.line != NULL; i++)
        if (life.line[i].fd >= 0)
            (void)put_all(life.line[i].fd, &w, sizeof w);
}

/* --- the others ------------------------------------------------------------------------------- */

static int connect_to(const char *ip, unsigned port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, ip, &at.sin_addr) != 1)
        return -1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval wait = {.tv_sec = CONNECT / 1000};
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Returns whether rank 0 answers there: another machine may have the address, or the port. */
static bool is_greeted(int fd, const greeting *hello)
{
    greeting back;
    struct pollfd line = {.fd = fd, .events = POLLIN};
    return put_all(fd, hello, sizeof *hello) && poll(&line, 1, WAIT / 2) > 0 &&
           get_all(fd, &back, sizeof back) && back.token == hello->token &&
           back.rank == hello->rank;
}

void ig_lifeline_connect(const char *address, int self, const char *name_of_0)
{
    static const char *name[1];
    char text[IG_LIFELINE_ADDRESS], *rest = NULL;
    snprintf(text, sizeof text, "%s", address);
    const char *token = strtok_r(text, " ", &rest), *port = strtok_r(NULL, " ", &rest), *ip;
    life.self = self;
    if (port == NULL || ig_alloc(&life.line, 1, sizeof *life.line, "ranks", NULL) != IG_ERR_OK)
        return;
    const greeting hello = {.token = strtoull(token, NULL, 16), .rank = self};
    int fd = -1;
    while (fd < 0 && (ip = strtok_r(NULL, " ", &rest)) != NULL) {
        fd = connect_to(ip, (unsigned)strtoul(port, NULL, 10));
        if (fd >= 0 && !is_greeted(fd, &hello)) {
            close(fd);
            fd = -1;
        }
    }
    name[0] = name_of_0;
    life.name = name;
    life.line[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (fd < 0)
        return;
    keep_alive(fd);
    begin_watch();
}

bool ig_lifeline_report(const ig_err *err)
{
    const word w = {.kind = SAYS_ERROR, .code = (int32_t)err->code, .err = *err};
    return life.line != NULL && life.line[0].fd >= 0 && put_all(life.line[0].fd, &w, sizeof w);
}

void ig_lifeline_leaving(void)
{
    atomic_store(&life.leaving, true);
}

void ig_lifeline_killed(void)
{
    life.killed = true;
}
