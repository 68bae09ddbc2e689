/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiments of tiny runs in a temporary folder, worked on by schedulers in processes of their
 * own.
 */
#pragma once

#include "root_fixture.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "lab/runs/lab_list.h"
#include "lab/laboratory.h"

#include <fcntl.h>
#include <time.h>

/* Every mechanism of a long run in a fraction of a second. */
#define TINY_BASE                                                                                  \
    "base: {preset: bert-tiny, updates: 30, batch: 16, block: 48, warmup: 3, vocab_size: 200,\n"   \
    "       world_sentences: 60, dev_take: 20}\n"
#define TINY_CELLS                                                                                 \
    "cells:\n"                                                                                     \
    "  original: {}\n"                                                                             \
    "  apart: {lang_pos: true, shift_special: true, no_random: fixed}\n"
#define TINY_MEASURE "measure: {checkpoints: log, curve_take: 10}\n"

static inline ig_experiment read_experiment(const char *text)
{
    ig_experiment e;
    assert_ok(ig_file_write(in_root("e.yaml"), text, (int64_t)strlen(text), &err), &err);
    assert_ok(ig_experiment_read(&e, in_root("e.yaml"), NULL, 0, root, &err), &err);
    return e;
}

/* Appends an event, one line each, to STORE-events; any number of processes may write. */
static inline void note_event(void *arg, const ig_lab_event *e)
{
    static const char *const words[] = {"begun",   "resumed", "done",      "failed",
                                        "stopped", "killed",  "elsewhere", "no-mu"};
    char line[1200];
    int fd = open(arg, O_WRONLY | O_CREAT | O_APPEND, 0666);
    int n = snprintf(line, sizeof line, "%s %s:%lld %.900s\n", words[e->kind], e->cell,
                     (long long)e->seed, e->message);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        _exit(77);
    close(fd);
}

static inline int n_events(const char *file, const char *word)
{
    char *text;
    int64_t size;
    int n = 0;
    if (ig_file_read(&text, &size, file, 1 << 24, &err) != IG_ERR_OK)
        return 0;
    for (char *p = text; *p != '\0'; p = strchr(p, '\n') + 1)
        n += strncmp(p, word, strlen(word)) == 0;
    ig_free(text);
    return n;
}

/* Runs the experiment in this process. */
static inline ig_code lab_run(const ig_experiment *e, const char *store, ig_lab_options o,
                              ig_lab_result *r)
{
    char events[400];
    snprintf(events, sizeof events, "%s-events", store);
    o.store = store;
    o.event = note_event;
    o.arg = events;
    if (o.jobs == 0)
        o.jobs = 2;
    o.threads = 1;
    return ig_lab_run(r, e, &o, &err);
}

/* Runs it in a process of its own, whose exit code is that of the run. */
static inline pid_t lab_start(const ig_experiment *e, const char *store, ig_lab_options o)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ig_lab_result r;
        ig_code code = lab_run(e, store, o, &r);
        if (code != IG_ERR_OK && code != IG_ERR_STOPPED)
            print_error("%s: %s\n", err.where, err.msg);
        _exit((int)code);
    }
    return child;
}

static inline int exit_code(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void pause_ms(int ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static inline void same_file(const char *a, const char *b)
{
    char *x, *y;
    int64_t n, m;
    assert_ok(ig_file_read(&x, &n, a, 1 << 28, &err), &err);
    assert_ok(ig_file_read(&y, &m, b, 1 << 28, &err), &err);
    if (n != m || memcmp(x, y, (size_t)n) != 0)
        fail_msg("%s and %s differ", a, b);
    ig_free(x);
    ig_free(y);
}

/* Every run of the experiment is done in both stores, with the same bits. */
static inline void same_results(const ig_experiment *e, const char *a, const char *b)
{
    static const char *const files[] = {"measures.jsonl", "model/model.safetensors",
                                        "data/vocab.txt", "data/train.shard", "data/dev.shard"};
    ig_lab_state *s;
    int n;
    assert_ok(ig_lab_status(&s, &n, e, b, &err), &err);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        if (s[i].status != IG_RUN_DONE)
            fail_msg("%s is %s: %s", s[i].address, ig_run_status_name(s[i].status), s[i].message);
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            char x[600], y[600];
            snprintf(x, sizeof x, "%s/runs/%s/%s", a, s[i].address, files[k]);
            snprintf(y, sizeof y, "%s/runs/%s/%s", b, s[i].address, files[k]);
            same_file(x, y);
        }
    }
    ig_free(s);
}

/* Runs all n runs of the experiment "e" in the folder "store", and reads what they came to. */
static inline void run_and_read(ig_store_result *all, const ig_experiment *e, int n)
{
    ig_lab_result r;
    ig_store *s;
    assert_ok(lab_run(e, in_root("store"), (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, n);
    assert_ok(ig_store_open(&s, in_root("store"), false, &err), &err);
    assert_ok(ig_store_read(all, s, "e", false, &err), &err);
    assert_int_equal(all->n_entry, n);
    ig_store_close(s);
}
