/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files of processes that died, and all that is not one.
 */
#include "root_fixture.h"

#include "base/file.h"
#include "base/output/leftover.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number of a process that is not there any more. */
static long dead(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return (long)pid;
}

/* BEFOREpidAFTER in the folder. */
static const char *name(const char *before, long pid, const char *after)
{
    char file[100];
    snprintf(file, sizeof file, "%s%ld%s", before, pid, after);
    return in_root(file);
}

static bool stays(const char *before, long pid, const char *after)
{
    assert_ok(ig_file_write(in_root("x"), "", 0, &err), &err);
    const int fd = open(name(before, pid, after), O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    close(fd);
    (void)ig_leftovers_of(in_root("x"));
    const bool there = access(name(before, pid, after), F_OK) == 0;
    unlink(name(before, pid, after));
    return there;
}

static void only_its_own(void **state)
{
    (void)state;
    const long pid = dead();
    assert_false(stays("x.tmp-", pid, ""));
    assert_false(stays("x.tmp-", pid, "-3"));
    assert_true(stays("x.tmp-", (long)getpid(), ""));
    assert_true(stays("x.tmp-", 1, "")); /* of somebody else, but alive */
    assert_true(stays("x.tmp-", pid, "~"));
    assert_true(stays("x.tmp-0", pid, ""));
    assert_true(stays("x.tmp-", pid, "-"));
    assert_true(stays("x.tmp-", pid, ".txt"));
    assert_true(stays("xy.tmp-", pid, ""));
    assert_true(stays("x.tmp-1.tmp-", pid, ""));
    assert_true(stays("x-", pid, ""));
}

static void not_what_is_held(void **state)
{
    (void)state;
    int ready[2];
    const long pid = dead();
    assert_int_equal(pipe(ready), 0);
    const pid_t other = fork(); /* writes a file with another's number, as on another machine */
    if (other == 0) {
        ig_leftover_hold(open(name("x.tmp-", pid, ""), O_WRONLY | O_CREAT, 0666));
        (void)!write(ready[1], "x", 1);
        alarm(20); /* nobody waits for it where the test fails */
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(ig_leftovers_of(in_root("x")), 0);
    assert_int_equal(ig_leftovers_in(root), 0);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    assert_int_equal(ig_leftovers_in(root), 1);
}

/* Killed, and not waited for. */
static void of_a_zombie(void **state)
{
    (void)state;
    const pid_t other = fork();
    if (other == 0) {
        alarm(20);
        pause();
    }
    assert_ok(ig_file_write(name("x.tmp-", (long)other, ""), "", 0, &err), &err);
    assert_int_equal(ig_leftovers_in(root), 0);
    kill(other, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(ig_leftovers_in(root), 1);
    waitpid(other, NULL, 0);
}

/* Links and folders of that name are nobody's temporary files. */
static void links(void **state)
{
    (void)state;
    const long pid = dead();
    assert_ok(ig_file_write(in_root("precious"), "x", 1, &err), &err);
    assert_int_equal(symlink("precious", name("x.tmp-", pid, "")), 0);
    assert_int_equal(ig_leftovers_in(root), 0);
    unlink(name("x.tmp-", pid, ""));
    assert_ok(ig_dir_make(name("x.tmp-", pid, ""), &err), &err);
    assert_int_equal(ig_leftovers_in(root), 0);
    rmdir(name("x.tmp-", pid, ""));
    assert_true(ig_file_exists(in_root("precious")));
}

/* The next that writes the file removes them. */
static void the_next_writer(void **state)
{
    (void)state;
    const long pid = dead();
    assert_ok(ig_file_write(name("out.tmp-", pid, ""), "half", 4, &err), &err);
    assert_ok(ig_file_write(in_root("out"), "all", 3, &err), &err);
    assert_false(ig_file_exists(name("out.tmp-", pid, "")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_its_own), cmocka_unit_test(not_what_is_held),
        cmocka_unit_test(of_a_zombie), cmocka_unit_test(links), cmocka_unit_test(the_next_writer)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
