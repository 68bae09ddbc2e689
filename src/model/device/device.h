/* SPDX-License-Identifier: Apache-2.0
 *
 * Where arrays live and ops run on them. Parameters, gradients, moments and activations are blocks
 * of a device's memory: code above holds their addresses, counts on them, and passes them to the
 * ops of `run`; code that needs the numbers copies them (download). The host is the one device that
 * the library has.
 */
#pragma once

#include "isoglot/bert.h"
#include "isoglot/error.h"
#include "model/device/exec.h"

#include <signal.h>
#include <stddef.h>

/* How a device runs a model: its shards in lanes or its ops over the team, and how large shards
 * are. Depends on the device and the model, never on threads. */
typedef struct {
    bool split;      /* team mode: ops are cut over the team, shards run one after another */
    int target;      /* tokens of a shard */
    int head_rows;   /* targets that a head computes at a time */
    int lane_tokens; /* team mode: tokens of a lane, of which ranks have some each; 0: one lane */
    bool gpu;        /* split: attention gets room beside its probabilities, no operand is packed */
} ig_plan;

typedef struct ig_device {
    const char *name;
    /* As ig_alloc (base/memory.h): zeroed, IG_ALIGN bytes aligned, *out NULL when it fails. */
    ig_code (*alloc)(void *out, int64_t count, size_t size, const char *what, ig_err *err);
    void (*free)(void *block); /* NULL: nothing */
    void (*upload)(void *to, const void *from, int64_t bytes);
    void (*download)(void *to, const void *from, int64_t bytes);
    const ig_exec_ops *run;
    ig_plan (*plan)(const ig_bert_config *c);
    /* IG_ERR_DEVICE where something went wrong since it was opened; NULL: nothing can. */
    ig_code (*check)(ig_err *err);
    /* Sets so much memory aside for the calling thread, in place of what it had; waits while other
     * threads have it. IG_ERR_MEMORY: there is not so much; IG_ERR_STOPPED: `stop` became non-zero.
     * NULL: nothing is to be set aside. */
    ig_code (*reserve)(int64_t bytes, const volatile sig_atomic_t *stop, ig_err *err);
    /* Says what it cannot run of such a model, as part of a message; NULL: nothing. */
    const char *(*lacks)(const ig_bert_config *c);
} ig_device;

extern const ig_device ig_device_host;
/* The host's plan, by the weights of a block. */
ig_plan ig_plan_make(const ig_bert_config *c);

/* The device of models that are made from now on: the host, until another is set. */
const ig_device *ig_device_default(void);
void ig_device_set_default(const ig_device *device);
/* The same for a model of this shape: the host, where that device lacks something of it. */
const ig_device *ig_device_for(const ig_bert_config *c);

typedef struct {
    int64_t n;   /* elements … */
    size_t size; /* … of so many bytes */
    const char *what;
} ig_room;
/* Ensures space for n elements; the contents are lost where it has to grow. */
ig_code ig_device_reserve(const ig_device *device, void *block, int64_t *have, ig_room room,
                          ig_err *err);
