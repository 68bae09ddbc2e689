/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the ranks and carries their messages, by the table of libisoglot_mpi.so. Waits poll: first
 * without pause, as the next message is near, then with pauses, since a rank that waits while
 * another reads or writes would take the processor from it.
 */
#include "base/ranks/ranks.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ranks/lifeline.h"
#include "base/sha256.h"
#include "base/threads/team.h"
#include "isoglot/version.h"

#include <dlfcn.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_HEAD = 1, TAG_BODY, TAG_JOIN, LEAVE = -1, NAME = 192 };

/* Begins a call. */
typedef struct {
    int64_t what, bytes; /* LEAVE: bytes is the exit code */
} head;

static struct {
    const ig_mpi_table *mpi; /* NULL: alone */
    int n, self;
    bool met;    /* all agree */
    bool busy;   /* within a call */
    char **name; /* [n] "rank 2 (host, process 12)"; others than rank 0: [1], rank 0's */
} ranks = {.n = 1};

/* --- the launcher ----------------------------------------------------------------------------- */

/* The first of these variables that is set, as a number; −1: none is. */
static long first_set(const char *const *names)
{
    for (; *names != NULL; names++)
        if (getenv(*names) != NULL)
            return strtol(getenv(*names), NULL, 10);
    return -1;
}

bool ig_ranks_launched(void)
{
    /* Open MPI's mpirun; MPICH's and Intel's; srun --mpi=pmix or pmi2. */
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    static const char *const slurm[] = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", NULL};
    long n = first_set(size);
    if (n < 0 && getenv("PMIX_RANK") != NULL)
        n = first_set(slurm);
    return n > 1;
}

int ig_ranks_launched_as(void)
{
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
    return ig_ranks_launched() ? (int)first_set(rank) : 0;
}

int ig_ranks_threads(int asked)
{
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                       "SLURM_NTASKS_PER_NODE", NULL};
    const long n = first_set(here), all = ig_cpu_count();
    if (asked > 0 || !ig_ranks_launched() || n < 2 || all < sysconf(_SC_NPROCESSORS_ONLN))
        return asked;
    return (int)(all > n ? all / n : 1);
}

/* Beside the program, where it is installed, or where the system looks. */
static void *open_library(void)
{
    static const char *const places[] = {"", "../lib/isoglot/", "../lib/"};
    char exe[4096], path[4096 + 64];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    void *handle = NULL;
    exe[n > 0 ? n : 0] = '\0';
    const char *dir = dirname(exe);
    for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places && handle == NULL; i++) {
        snprintf(path, sizeof path, "%s/%slibisoglot_mpi.so", dir, places[i]);
        /* Parts that Open MPI loads itself look for its symbols in the whole process. */
        handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return handle != NULL ? handle : dlopen("libisoglot_mpi.so", RTLD_NOW | RTLD_GLOBAL);
}

static ig_code load(const ig_mpi_table **mpi, ig_err *err)
{
    const ig_mpi_table *(*get)(void) = NULL;
    void *handle = open_library(), *symbol = NULL;
    if (handle != NULL)
        symbol = dlsym(handle, IG_MPI_TABLE_GET);
    if (symbol == NULL) {
        ig_fail(err, IG_ERR_IO, "libisoglot_mpi.so", 0,
                "cannot be loaded, expected it as this process was started as one of several");
        return ig_hint(err, "a build with MPI makes it (libopenmpi-dev); one process needs none");
    }
    memcpy(&get, &symbol, sizeof get);
    *mpi = get();
    return (*mpi)->version == IG_MPI_TABLE_VERSION
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, "libisoglot_mpi.so", 0, "version %d, expected %d",
                         (*mpi)->version, IG_MPI_TABLE_VERSION);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static void wait_for(void *begun, double patience)
{
    const double from = ig_clock();
    IG_ASSERT(begun != NULL);
    while (!ranks.mpi->done(begun))
        if (ig_clock() - from < patience)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static const double exchange_patience = 0.02, call_patience = 0.0005;

void ig_ranks_exchange(const ig_transfer *t, int n)
{
    if (n == 0)
        return;
    wait_for(ranks.mpi->begin(t, n), exchange_patience);
}

void ig_ranks_to_all(void *at, int64_t bytes)
{
    wait_for(ranks.mpi->to_all(at, bytes), exchange_patience);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void send_head(const head *h)
{
    for (int r = 1; r < ranks.n; r++) {
        const ig_transfer t = {r, true, (void *)(uintptr_t)h, sizeof *h, TAG_HEAD};
        wait_for(ranks.mpi->begin(&t, 1), exchange_patience);
    }
}

void ig_ranks_call(int what, const ig_wire *w)
{
    const head h = {what, w->n};
    IG_ASSERT(ranks.self == 0 && !ranks.busy);
    ranks.busy = true;
    send_head(&h);
    if (w->n > 0)
        wait_for(ranks.mpi->to_all(w->data, w->n), exchange_patience);
}

void ig_ranks_called(void)
{
    ranks.busy = false;
}

ig_code ig_ranks_serve(int *what, ig_wire *w, ig_err *err)
{
    head h;
    const ig_transfer t = {0, false, &h, sizeof h, TAG_HEAD};
    wait_for(ranks.mpi->begin(&t, 1), call_patience);
    *what = (int)h.what;
    ig_wire_clear(w);
    if (h.what == LEAVE) {
        ig_ranks_leave((ig_code)h.bytes);
        return IG_ERR_OK;
    }
    IG_TRY(ig_grow(&w->data, &w->have, h.bytes, 1, "message to ranks", err));
    w->n = h.bytes;
    if (h.bytes > 0)
        wait_for(ranks.mpi->to_all(w->data, w->n), exchange_patience);
    return IG_ERR_OK;
}

/* --- joining ---------------------------------------------------------------------------------- */

static void free_names(void)
{
    if (ranks.name != NULL)
        ig_free_list(ranks.name, ranks.self == 0 ? ranks.n : 1);
    ranks.name = NULL;
}

/* "host\tprocess\tbuild\tkernels" and the settings, a line each. */
static ig_code describe(char **out, const ig_ranks_same *same, ig_err *err)
{
    char host[128] = "", exe[IG_SHA256_HEX];
    gethostname(host, sizeof host - 1);
    IG_TRY(ig_sha256_file(exe, "/proc/self/exe", err));
    const size_t n =
        strlen(same->settings) + strlen(same->kernels) + sizeof host + sizeof exe + 256;
    IG_TRY(ig_alloc(out, (int64_t)n, 1, "ranks", err));
    snprintf(*out, n, "%s, process %ld\nbuild\t%s (%s %.8s)\nCPU kernels\t%s\n%s", host,
             (long)getpid(), ig_version(), ig_commit(), exe, same->kernels, same->settings);
    return IG_ERR_OK;
}

/* The end of a line. */
static size_t line_of(const char *at)
{
    return strcspn(at, "\n");
}

/* The line of the same name; its end where there is none. */
static const char *line_like(const char *text, const char *line)
{
    const size_t key = strcspn(line, "\t\n") + 1;
    while (*text != '\0' && strncmp(text, line, key) != 0)
        text += line_of(text) + (text[line_of(text)] != '\0');
    return text;
}

/* The first line of `a` that `b` has with another value, or lacks. */
static ig_code compare(const char *a, const char *b, const char *name, ig_err *err)
{
    for (; *a != '\0'; a += line_of(a) + (a[line_of(a)] != '\0')) {
        const char *other = line_like(b, a);
        const size_t n = line_of(a), k = line_of(other), key = strcspn(a, "\t\n");
        if (n <= key || (n == k && memcmp(a, other, n) == 0) ||
            (k == 0 && strncmp(a, IG_RANKS_MAY_LACK, sizeof IG_RANKS_MAY_LACK - 1) == 0))
            continue;
        ig_fail(err, IG_ERR_USAGE, name, 0, "found %.*s %.*s, expected %.*s as of rank 0", (int)key,
                a, k > key ? (int)(k - key - 1) : 7, k > key ? other + key + 1 : "nothing",
                (int)(n - key - 1), a + key + 1);
        return ig_hint(err, "all ranks are started with one program, one command and one "
                            "ISOGLOT_CPU");
    }
    return IG_ERR_OK;
}

static ig_code name_rank(int r, const char *text, ig_err *err)
{
    IG_TRY(ig_alloc(&ranks.name[ranks.self == 0 ? r : 0], NAME, 1, "ranks", err));
    snprintf(ranks.name[ranks.self == 0 ? r : 0], NAME, "rank %d (%.*s)", r, (int)line_of(text),
             text);
    return IG_ERR_OK;
}

static void transfer(int peer, bool send, void *at, int64_t bytes)
{
    const ig_transfer t = {peer, send, at, bytes, TAG_JOIN};
    wait_for(ranks.mpi->begin(&t, 1), exchange_patience);
}

/* Rank 0: receives each rank's description and compares it with its own. All are received before
 * the first difference is reported. */
static ig_code compare_all(char *mine, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    for (int r = 1; r < ranks.n; r++) {
        int64_t bytes;
        char *theirs;
        transfer(r, false, &bytes, sizeof bytes);
        IG_TRY(ig_alloc(&theirs, bytes, 1, "ranks", err));
        transfer(r, false, theirs, bytes);
        ig_code one = name_rank(r, theirs, err);
        IG_THEN(code, one);
        if (code == IG_ERR_OK)
            code = compare(mine + line_of(mine), theirs + line_of(theirs), ranks.name[r], err);
        ig_free(theirs);
    }
    return code;
}

/* The others learn rank 0's name, whether all agree, and where its door is. */
static ig_code meet(char *mine, ig_err *err)
{
    struct {
        char name[NAME], address[IG_LIFELINE_ADDRESS];
        int64_t code;
    } answer = {.code = IG_ERR_OK};
    int64_t bytes = (int64_t)strlen(mine) + 1;
    IG_TRY(ig_alloc(&ranks.name, ranks.self == 0 ? ranks.n : 1, sizeof *ranks.name, "ranks", err));
    if (ranks.self > 0) {
        transfer(0, true, &bytes, sizeof bytes);
        transfer(0, true, mine, bytes);
        wait_for(ranks.mpi->to_all(&answer, sizeof answer), call_patience);
        IG_TRY(name_rank(0, answer.name, err));
        if (answer.code == IG_ERR_OK)
            ig_lifeline_connect(answer.address, ranks.self, ranks.name[0]);
        return (ig_code)answer.code;
    }
    ig_code code = name_rank(0, mine, err);
    IG_THEN(code, compare_all(mine, err));
    answer.code = code;
    snprintf(answer.name, sizeof answer.name, "%.*s", (int)line_of(mine), mine);
    if (code == IG_ERR_OK)
        ig_lifeline_listen(answer.address);
    wait_for(ranks.mpi->to_all(&answer, sizeof answer), exchange_patience);
    if (code == IG_ERR_OK)
        ig_lifeline_accept(ranks.n, ranks.name);
    return code;
}

/* The ranks are there: learns of each other. */
static ig_code join(const ig_ranks_same *same, ig_err *err)
{
    IG_OWNED char *mine = NULL;
    IG_TRY(describe(&mine, same, err));
    const ig_code code = meet(mine, err);
    ranks.met = code == IG_ERR_OK;
    return code;
}

static ig_code start(ig_err *err)
{
    IG_TRY(load(&ranks.mpi, err));
    if (ranks.mpi->start(&ranks.self, &ranks.n))
        return IG_ERR_OK;
    ranks.mpi = NULL;
    return ig_fail(err, IG_ERR_IO, "MPI", 0, "cannot be started");
}

ig_code ig_ranks_join_starter(const ig_ranks_same *same, ig_err *err)
{
    IG_TRY(start(err));
    return join(same, err);
}

ig_code ig_ranks_join(const ig_ranks_same *same, ig_err *err)
{
    if (!ig_ranks_launched())
        return IG_ERR_OK;
    IG_TRY(start(err));
    if (ranks.n == 1) /* a launcher that this MPI does not know */
        return ig_fail(err, IG_ERR_USAGE, "MPI", 0,
                       "%s finds one process, expected those that the launcher has started",
                       ranks.mpi->library());
    return join(same, err);
}

ig_code ig_ranks_start(char *const *arguments, int n, const ig_ranks_same *same, ig_err *err)
{
    char exe[4096];
    char *words[8] = {exe};
    for (int i = 0; i < 6 && arguments[i] != NULL; i++)
        words[i + 1] = arguments[i];
    const ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[size > 0 ? size : 0] = '\0';
    /* Where no scheduler counts: as many as requested, and no thread is bound to a core. */
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0);
    signal(SIGPIPE, SIG_IGN); /* Open MPI's own helper ends before this process */
    IG_TRY(start(err));
    if (!ranks.mpi->spawn(words, n))
        return ig_fail(err, IG_ERR_IO, "ranks", 0, "%s cannot start %d processes",
                       ranks.mpi->library(), n - 1);
    ranks.n = n;
    return join(same, err);
}

/* --- leaving ---------------------------------------------------------------------------------- */

void ig_ranks_leave(ig_code code)
{
    if (ranks.mpi == NULL)
        return;
    if (ranks.self == 0 && ranks.busy) { /* the others wait for what will not come */
        ig_lifeline_end_others((int)code);
        ranks.mpi->abort((int)code);
    }
    ig_lifeline_leaving();
    const head h = {LEAVE, code};
    if (ranks.self == 0 && ranks.met)
        send_head(&h);
    ranks.mpi->end();
    free_names();
    ranks.mpi = NULL;
    ranks.n = 1;
}

void ig_ranks_fail(const ig_err *err)
{
    if (ig_lifeline_report(err))
        nanosleep(&(struct timespec){.tv_sec = 10}, NULL); /* rank 0 ends this process */
    else
        ig_log(IG_LOG_QUIET, "isoglot: error: rank %d: %s: %s", ranks.self, err->where, err->msg);
    if (ranks.mpi != NULL)
        ranks.mpi->abort((int)err->code);
    _exit((int)err->code);
}

int ig_ranks_n(void)
{
    return ranks.n;
}

int ig_ranks_self(void)
{
    return ranks.self;
}

const char *ig_ranks_library(void)
{
    return ranks.mpi != NULL ? ranks.mpi->library() : "";
}

static int first_of(int n, int rank)
{
    return (int)(((int64_t)n * rank + ranks.n - 1) / ranks.n);
}

ig_rank_part ig_ranks_part(int n, int rank)
{
    return (ig_rank_part){first_of(n, rank), first_of(n, rank + 1)};
}
