/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists what the program asks of MPI, in a table that libisoglot_mpi.so fills in: that small
 * library alone is built against MPI and linked with it, since implementations differ in their ABI,
 * and it is loaded only where a launcher of MPI has started the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes to or from another rank. Those of one pair of ranks with one tag arrive in order. */
typedef struct {
    int peer;
    bool send;
    void *at; /* not changed when sent */
    int64_t bytes;
    int tag; /* 0 .. 32 000 */
} ig_transfer;

enum { IG_MPI_TABLE_VERSION = 2 };

/* Errors of MPI end the process, as MPI does by default. */
typedef struct {
    int version;
    bool (*start)(int *self, int *n); /* false: MPI cannot be started */
    /* In a process that is alone: starts n − 1 others, `command` (its last entry NULL), which join
     * it by `start`. False: they cannot be started. */
    bool (*spawn)(char *const *command, int n);
    void (*end)(void);
    void (*abort)(int code);
    /* Begins transfers, or the sending of rank 0's bytes to all; NULL: there is no memory. */
    void *(*begin)(const ig_transfer *t, int n);
    void *(*to_all)(void *at, int64_t bytes);
    /* Whether all of it is done; then it is freed. */
    bool (*done)(void *begun);
    const char *(*library)(void); /* name and version of the implementation, one line */
} ig_mpi_table;

/* The one symbol of that library: const ig_mpi_table *ig_mpi_table_get(void). */
#define IG_MPI_TABLE_GET "ig_mpi_table_get"
const ig_mpi_table *ig_mpi_table_get(void);
