/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file: what is written appears complete or not at all, also when the disk is full and when
 * the process is killed; reads say what they found.
 */
#include "fault.h"

#include "base/memory.h"
#include "cli/signals.h"

#include <fcntl.h>
#include <sys/stat.h>

typedef struct {
    char dir[128], file[160];
} place;

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    fault_folder(p->dir, sizeof p->dir);
    snprintf(p->file, sizeof p->file, "%s/out.txt", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    ig_err err;
    assert_ok(ig_dir_remove(p->dir, &err), &err);
    assert_false(ig_dir_exists(p->dir));
    free(p);
    return 0;
}

static void appears_with_commit_only(void **state)
{
    const place *p = *state;
    ig_err err;
    ig_out out;
    assert_ok(ig_out_open(&out, p->file, &err), &err);
    assert_ok(ig_out_write(&out, "new", 3, &err), &err);
    assert_false(ig_file_exists(p->file));
    assert_ok(ig_out_commit(&out, &err), &err);
    fault_holds(p->file, "new");
    assert_int_equal(fault_count(p->dir), 1);
    assert_ok(ig_out_open(&out, p->file, &err), &err);
    assert_ok(ig_out_write(&out, "newer", 5, &err), &err);
    ig_out_discard(&out);
    ig_out_discard(&out);
    fault_holds(p->file, "new");
    assert_int_equal(fault_count(p->dir), 1);
    assert_ok(ig_out_try(p->file, &err), &err);
    assert_ok(ig_out_try(NULL, &err), &err);
    fault_holds(p->file, "new");
    assert_int_equal(fault_count(p->dir), 1);
}

/* The limit is met within fwrite, or, by the buffer, at the commit only. */
static void full_disk_leaves_the_old_file(void **state)
{
    const place *p = *state;
    static const int64_t size[] = {1 << 20, 100};
    static const int64_t limit[] = {4096, 10};
    char *data;
    ig_err err;
    assert_ok(ig_alloc(&data, size[0], 1, "data", &err), &err);
    assert_ok(ig_file_write(p->file, "old", 3, &err), &err);
    for (int i = 0; i < 2; i++) {
        fault_file_size(limit[i]);
        ig_code code = ig_file_write(p->file, data, size[i], &err);
        fault_file_size(-1);
        assert_int_equal(code, IG_ERR_IO);
        assert_string_equal(err.where, p->file);
        assert_string_equal(err.msg, "cannot write: File too large");
        fault_holds(p->file, "old");
        assert_int_equal(fault_count(p->dir), 1);
    }
    ig_free(data);
}

static void write_and_die(void *arg)
{
    const place *p = arg;
    ig_out out;
    if (ig_out_open(&out, p->file, NULL) == IG_ERR_OK &&
        ig_out_write(&out, "half", 4, NULL) == IG_ERR_OK && fflush(out.fp) == 0)
        kill(getpid(), SIGKILL);
}

static void kill_leaves_the_old_file(void **state)
{
    place *p = *state;
    ig_err err;
    assert_ok(ig_file_write(p->file, "old", 3, &err), &err);
    fault_killed(write_and_die, p);
    fault_holds(p->file, "old");
}

/* In a child: a file is mapped, cut, and read. The line goes to a file. */
static int read_cut_file(const char *path, const char *said)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ig_map map;
        ig_err err;
        int sum = 0;
        ig_signals_failed_reads();
        if (freopen(said, "wb", stderr) == NULL || ig_map_open(&map, path, &err) != IG_ERR_OK ||
            truncate(path, 0) != 0)
            _exit(99);
        for (int64_t i = 0; i < map.size; i++)
            sum += ((const volatile uint8_t *)map.data)[i];
        _exit(sum != 0 ? 98 : 97);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void cut_below_a_map(void **state)
{
    const place *p = *state;
    char said[200];
    snprintf(said, sizeof said, "%s/said", p->dir);
    write_fast(p->file, p, sizeof *p);
    assert_int_equal(read_cut_file(p->file, said), IG_ERR_IO);
    fault_holds(said, "isoglot: error: cannot read a mapped file: the disk failed, or the file was "
                      "cut while it was read\n");
}

/* Links where the temporary file would be made: whoever can foretell its name could have any file
 * of the user written. They are not followed, and left alone. */
static void planted_links_are_not_followed(void **state)
{
    const place *p = *state;
    ig_err err;
    char victim[200], planted[240];
    snprintf(victim, sizeof victim, "%s/victim", p->dir);
    write_fast(victim, "mine", 4);
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            snprintf(planted, sizeof planted, "%s.tmp-%ld", p->file, (long)getpid());
        else
            snprintf(planted, sizeof planted, "%s.tmp-%ld-%d", p->file, (long)getpid(), i);
        assert_int_equal(symlink(victim, planted), 0);
        assert_ok(ig_file_write(p->file, "new", 3, &err), &err);
        fault_holds(victim, "mine");
        fault_holds(p->file, "new");
        assert_ok(ig_out_try(p->file, &err), &err);
        fault_holds(victim, "mine");
        assert_int_equal(fault_count(p->dir), 3 + i);
    }
    /* Two at once of the same process do not write into each other's. */
    ig_out a, b;
    assert_ok(ig_out_open(&a, p->file, &err), &err);
    assert_ok(ig_out_open(&b, p->file, &err), &err);
    assert_string_not_equal(a.tmp, b.tmp);
    ig_out_discard(&b);
    assert_ok(ig_out_write(&a, "one", 3, &err), &err);
    assert_ok(ig_out_commit(&a, &err), &err);
    fault_holds(p->file, "one");
}

static void reads_say_what_they_found(void **state)
{
    const place *p = *state;
    char *text, fifo[160];
    int64_t size;
    ig_err err;
    ig_map map;
    assert_int_equal(ig_file_read(&text, &size, p->file, 10, &err), IG_ERR_IO);
    assert_string_equal(err.msg, "cannot open: No such file or directory");
    assert_null(text);
    assert_int_equal(ig_file_read(&text, &size, p->dir, 10, &err), IG_ERR_IO);
    assert_string_equal(err.msg, "found a directory, expected a file");
    assert_int_equal(ig_map_open(&map, p->dir, &err), IG_ERR_IO);
    ig_map_close(&map);
    snprintf(fifo, sizeof fifo, "%s/fifo", p->dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(ig_map_open(&map, fifo, &err), IG_ERR_IO);
    assert_string_equal(err.msg, "found a pipe or a device, expected a file");
    assert_ok(ig_file_write(p->file, "12345678901", 11, &err), &err);
    assert_int_equal(ig_file_read(&text, &size, p->file, 10, &err), IG_ERR_INPUT);
    assert_string_equal(err.msg, "11 bytes, expected at most 10");
    assert_int_equal(ig_out_open(&(ig_out){0}, p->dir, &err), IG_ERR_IO);
    assert_int_equal(ig_out_try(p->dir, &err), IG_ERR_IO);
    assert_ok(ig_map_open(&map, p->file, &err), &err);
    assert_int_equal(map.size, 11);
    assert_memory_equal(map.data, "12345678901", 11);
    ig_map_close(&map);
    assert_ok(ig_file_write(p->file, "", 0, &err), &err);
    assert_ok(ig_map_open(&map, p->file, &err), &err);
    assert_int_equal(map.size, 0);
    assert_null(map.data);
    ig_map_close(&map);
    if (ig_file_exists("/proc/self/mem")) { /* nothing is mapped at its address 0: EIO */
        assert_int_equal(ig_map_open(&map, "/proc/self/mem", &err), IG_ERR_IO);
        assert_string_equal(err.msg, "cannot read: Input/output error");
        assert_int_equal(ig_file_read(&text, &size, "/proc/self/mem", 10, &err), IG_ERR_IO);
        assert_int_equal(ig_map_open(&map, "/proc/self/status", &err), IG_ERR_IO);
    }
}

static void folders(void **state)
{
    const place *p = *state;
    char deep[200], link[200], beyond[200], kept[240];
    char *joined;
    ig_err err;
    snprintf(deep, sizeof deep, "%s/a/b/c", p->dir);
    snprintf(link, sizeof link, "%s/a/link", p->dir);
    snprintf(beyond, sizeof beyond, "%s/beyond", p->dir);
    snprintf(kept, sizeof kept, "%s/kept", beyond);
    assert_ok(ig_dir_make(deep, &err), &err);
    assert_ok(ig_dir_make(deep, &err), &err);
    assert_true(ig_dir_exists(deep));
    assert_ok(ig_dir_make(beyond, &err), &err);
    assert_ok(ig_file_write(kept, "x", 1, &err), &err);
    assert_int_equal(symlink(beyond, link), 0);
    deep[strlen(deep) - 4] = '\0';
    assert_ok(ig_dir_remove(deep, &err), &err);
    assert_false(ig_file_exists(deep));
    assert_true(ig_file_exists(kept)); /* the link went, not what it points to */
    assert_int_equal(ig_dir_make(kept, &err), IG_ERR_IO);
    assert_ok(ig_dir_remove("/nowhere/at/all", &err), &err);
    assert_ok(ig_path_join(&joined, "/", "x", &err), &err);
    assert_string_equal(joined, "//x");
    ig_free(joined);
    assert_ok(ig_path_join(&joined, "a//", "x", &err), &err);
    assert_string_equal(joined, "a/x");
    ig_free(joined);
}

static void one_place_has_many_names(void **state)
{
    const place *p = *state;
    ig_err err;
    char other[800], link[400];
    snprintf(other, sizeof other, "%s/./../%s/x", p->dir, strrchr(p->dir, '/') + 1);
    snprintf(link, sizeof link, "%s/link", p->dir);
    assert_ok(ig_out_try(p->file, &err), &err);
    assert_true(ig_out_same("x", "x"));
    assert_true(ig_out_same("x", "./x"));
    assert_true(ig_out_same("nowhere/x", "nowhere/x"));
    assert_false(ig_out_same("x", "y"));
    assert_false(ig_out_same("x", p->file));
    assert_false(ig_out_same(NULL, NULL));
    assert_false(ig_out_same(p->file, NULL));
    assert_false(ig_out_same(p->file, other));
    memcpy(strrchr(other, '/') + 1, strrchr(p->file, '/') + 1, strlen(strrchr(p->file, '/')));
    assert_true(ig_out_same(p->file, other));
    assert_int_equal(symlink(p->dir, link), 0);
    snprintf(other, sizeof other, "%s/%s", link, strrchr(p->file, '/') + 1);
    assert_true(ig_out_same(p->file, other));
}

/* FNV-1a of "isoglot" finished by SplitMix64, worked out apart from this code. */
static void hash_is_the_documented_one(void **state)
{
    (void)state;
    assert_true(ig_hash("isoglot", 7, 0) == UINT64_C(0x992e1af9696af486));
    assert_true(ig_hash("isoglot", 7, 0) != ig_hash("isoglot", 7, 1));
    assert_true(ig_hash("isoglot", 7, 0) != ig_hash("isoglou", 7, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(appears_with_commit_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_disk_leaves_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kill_leaves_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_below_a_map, set_up, tear_down),
        cmocka_unit_test_setup_teardown(planted_links_are_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_say_what_they_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_place_has_many_names, set_up, tear_down),
        cmocka_unit_test(hash_is_the_documented_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
