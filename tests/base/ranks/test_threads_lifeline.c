/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes that watch each other: they end in order, one is killed, one reports an error, one
 * ends the other; strangers at the door and in rank 0's place. Under ThreadSanitizer too, which
 * ends a process whose threads race.
 */
#include "base/ranks/lifeline.h"

#include "test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum { IN_ORDER, KILLED_1, KILLED_0, REPORT, END } ending;

static void wait_ms(int ms)
{
    poll(NULL, 0, ms);
}

/* A process of its own, whose words go to a file; it does not return. */
static pid_t start(FILE *said)
{
    fflush(NULL);
    const pid_t p = fork();
    assert_true(p >= 0);
    if (p == 0)
        dup2(fileno(said), STDERR_FILENO);
    return p;
}

static void rank_0(ending how, int to, int ready)
{
    static char here[] = "rank 0 (here)", there[] = "rank 1 (there)";
    char *names[] = {here, there};
    char address[IG_LIFELINE_ADDRESS] = "", byte;
    ig_lifeline_listen(address);
    if (write(to, address, sizeof address) < 0)
        _exit(90);
    ig_lifeline_accept(2, names);
    if (how == IN_ORDER) /* before rank 1 can end, as MPI's last barrier has it */
        ig_lifeline_leaving();
    if (read(ready, &byte, 1) != 1) /* rank 1 is connected */
        _exit(91);
    if (how == KILLED_0)
        raise(SIGKILL);
    if (how == END)
        ig_lifeline_end_others(IG_ERR_NUMERIC);
    wait_ms(how == IN_ORDER || how == END ? 300 : 20000);
    _exit(0);
}

static void rank_1(ending how, const char *address, int ready)
{
    ig_err err;
    ig_lifeline_connect(address, 1, "rank 0 (here)");
    if (how == IN_ORDER)
        ig_lifeline_leaving();
    if (write(ready, "x", 1) != 1)
        _exit(92);
    if (how == KILLED_1)
        raise(SIGKILL);
    if (how == REPORT) {
        ig_fail(&err, IG_ERR_INPUT, "words.txt", 0, "is of another world");
        if (!ig_lifeline_report(&err))
            _exit(93);
    }
    wait_ms(how == IN_ORDER ? 0 : 20000);
    _exit(0);
}

static int ended(pid_t p)
{
    int status;
    assert_int_equal(waitpid(p, &status, 0), p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int connect_to_door(const char *address)
{
    unsigned port;
    assert_int_equal(sscanf(address, "%*s %u", &port), 1);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* Both end with these codes, and this is all that they say. */
static void two(ending how, int code_0, int code_1, const char *text)
{
    FILE *said = tmpfile();
    int address_of[2], ready[2];
    char address[IG_LIFELINE_ADDRESS], line[1000];
    assert_non_null(said);
    assert_int_equal(pipe(address_of), 0);
    assert_int_equal(pipe(ready), 0);
    const pid_t p0 = start(said);
    if (p0 == 0)
        rank_0(how, address_of[1], ready[0]);
    assert_int_equal(read(address_of[0], address, sizeof address), sizeof address);
    /* Others may knock. */
    const int stranger = connect_to_door(address);
    assert_int_equal(write(stranger, "GET / HTTP/1.1\r\n\r\n", 18), 18);
    const pid_t p1 = start(said);
    if (p1 == 0)
        rank_1(how, address, ready[1]);
    assert_int_equal(ended(p0), code_0);
    assert_int_equal(ended(p1), code_1);
    close(stranger);
    rewind(said);
    line[fread(line, 1, sizeof line - 1, said)] = '\0';
    assert_string_equal(line, text);
    fclose(said);
    for (int i = 0; i < 2; i++) {
        close(address_of[i]);
        close(ready[i]);
    }
}

static void ends(void **state)
{
    (void)state;
    two(IN_ORDER, 0, 0, "");
    two(END, 0, IG_ERR_NUMERIC, "");
    two(KILLED_1, IG_ERR_STOPPED, -SIGKILL,
        "isoglot: error: rank 1 (there) was lost; the same command resumes from the last "
        "checkpoint\n");
    two(KILLED_0, -SIGKILL, IG_ERR_STOPPED,
        "isoglot: error: rank 0 (here) was lost; the same command resumes from the last "
        "checkpoint\n");
    two(REPORT, IG_ERR_INPUT, IG_ERR_INPUT,
        "isoglot: error: rank 1 (there): words.txt: is of another world\n");
}

/* Where another machine, or another program, has the address: its end is not rank 0's. */
static void a_stranger_in_its_place(void **state)
{
    (void)state;
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    char address[IG_LIFELINE_ADDRESS], bytes[64];
    FILE *said = tmpfile();
    const int door = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(door, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(door, 1), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&at, &size), 0);
    snprintf(address, sizeof address, "12ab %u 127.0.0.1", (unsigned)ntohs(at.sin_port));
    const pid_t p = start(said);
    if (p == 0) {
        ig_lifeline_connect(address, 1, "rank 0 (here)");
        wait_ms(300);
        _exit(0);
    }
    const int fd = accept(door, NULL, NULL);
    assert_true(read(fd, bytes, sizeof bytes) > 0);
    assert_int_equal(write(fd, "SSH-2.0-OpenSSH_9.2p1\r\n", 23), 23);
    close(fd);
    assert_int_equal(ended(p), 0);
    assert_int_equal(ftell(said), 0);
    close(door);
    fclose(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends),
                                       cmocka_unit_test(a_stranger_in_its_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
