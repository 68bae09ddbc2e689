/* SPDX-License-Identifier: Apache-2.0
 *
 * libisoglot_mpi.so: the functions of MPI 3 that the program uses, behind a table of its own
 * (mpi_table.h). It is no part of the library: the build makes it where it finds MPI.
 */
#include "base/ranks/mpi_table.h"

#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 28 }; /* bytes of a message: MPI counts them in an int */

typedef struct {
    int n;
    MPI_Request request[];
} begun;

static MPI_Comm all;                     /* ranks */
static MPI_Comm between = MPI_COMM_NULL; /* starter and started */

static bool start(int *self, int *n)
{
    int have;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &have) != MPI_SUCCESS)
        return false;
    all = MPI_COMM_WORLD;
    MPI_Comm_get_parent(&between);
    if (between != MPI_COMM_NULL && MPI_Intercomm_merge(between, 1, &all) != MPI_SUCCESS)
        return false;
    return MPI_Comm_rank(all, self) == MPI_SUCCESS && MPI_Comm_size(all, n) == MPI_SUCCESS;
}

static bool spawn(char *const *command, int n)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(command[0], (char **)(uintptr_t)(command + 1), n - 1, MPI_INFO_NULL, 0,
                       MPI_COMM_SELF, &between, MPI_ERRCODES_IGNORE) != MPI_SUCCESS)
        return false;
    return MPI_Intercomm_merge(between, 0, &all) == MPI_SUCCESS;
}

static void end(void)
{
    if (between != MPI_COMM_NULL) { /* starter and started are one until they disconnect */
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&between);
    }
    MPI_Finalize();
}

static void give_up(int code)
{
    MPI_Abort(all, code);
}

static int parts_of(int64_t bytes)
{
    return (int)((bytes + PART - 1) / PART);
}

static begun *make(int64_t n)
{
    begun *b = malloc(sizeof *b + (size_t)n * sizeof b->request[0]);
    if (b != NULL)
        b->n = 0;
    return b;
}

static void *begin(const ig_transfer *t, int n)
{
    int64_t n_part = 0;
    for (int i = 0; i < n; i++)
        n_part += parts_of(t[i].bytes);
    begun *b = make(n_part);
    for (int i = 0; b != NULL && i < n; i++)
        for (int64_t at = 0; at < t[i].bytes; at += PART) {
            char *from = (char *)t[i].at + at;
            const int size = (int)(t[i].bytes - at < PART ? t[i].bytes - at : PART);
            MPI_Request *r = &b->request[b->n++];
            if (t[i].send)
                MPI_Isend(from, size, MPI_BYTE, t[i].peer, t[i].tag, all, r);
            else
                MPI_Irecv(from, size, MPI_BYTE, t[i].peer, t[i].tag, all, r);
        }
    return b;
}

static void *to_all(void *at, int64_t bytes)
{
    begun *b = make(parts_of(bytes));
    for (int64_t from = 0; b != NULL && from < bytes; from += PART) {
        const int size = (int)(bytes - from < PART ? bytes - from : PART);
        MPI_Ibcast((char *)at + from, size, MPI_BYTE, 0, all, &b->request[b->n++]);
    }
    return b;
}

static bool done(void *of)
{
    begun *b = of;
    int every = 0;
    MPI_Testall(b->n, b->request, &every, MPI_STATUSES_IGNORE);
    if (every)
        free(b);
    return every != 0;
}

static const char *library(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    MPI_Get_library_version(name, &n);
    name[strcspn(name, ",\n")] = '\0';
    return name;
}

const ig_mpi_table *ig_mpi_table_get(void)
{
    static const ig_mpi_table table = {
        IG_MPI_TABLE_VERSION, start, spawn, end, give_up, begin, to_all, done, library};
    return &table;
}
