/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between ranks: bytes put one after another and taken in the same order. All ranks run
 * one build (ranks.h), so that structs go as they are.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    char *data;
    int64_t n, have; /* bytes in use; allocated */
    int64_t at;      /* taken so far */
} ig_wire;

/* Starts a new message; its memory is kept. */
void ig_wire_clear(ig_wire *w);
void ig_wire_free(ig_wire *w);
/* Puts bytes; data NULL: `bytes` is 0. Each field begins at a multiple of 8. */
ig_code ig_wire_put(ig_wire *w, const void *data, int64_t bytes, ig_err *err);
/* The next field's bytes where they lie; NULL: the message has no more. */
const void *ig_wire_at(ig_wire *w, int64_t bytes);
/* Copies them into *out. A message that ends before is a mistake of the program. */
void ig_wire_take(ig_wire *w, void *out, int64_t bytes);
