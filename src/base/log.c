/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages and one progress line, or board of lines, on stderr. The line is rewritten in place
 * with a carriage return and "erase to end of line" (ECMA-48 EL), truncated to the terminal's
 * width, and erased before a message and at the end; the board is redrawn by moving the cursor up
 * (CUU).
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { line_size = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ig_log_level log_level = IG_LOG_NORMAL;
static int progress_on = -1;

/* The content of the progress line; guarded by `lock`. */
static struct {
    bool active, drawn;
    char what[64], note[192];
    int64_t done, total, first_done;
    double start, last_draw;
} bar;

/* The board, and how many of its lines are on the screen; guarded by `lock`. */
static struct {
    char text[4096];
    int n_drawn;
} board;

double ig_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void ig_log_set_level(ig_log_level level)
{
    pthread_mutex_lock(&lock);
    log_level = level;
    pthread_mutex_unlock(&lock);
}

void ig_log_set_progress(int on)
{
    pthread_mutex_lock(&lock);
    progress_on = on;
    pthread_mutex_unlock(&lock);
}

static bool progress_wanted(void)
{
    if (progress_on >= 0)
        return progress_on != 0;
    return log_level >= IG_LOG_NORMAL && isatty(STDERR_FILENO);
}

static int terminal_width(void)
{
    struct winsize w;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 20)
        return 80;
    return w.ws_col;
}

static void append(char line[line_size], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char line[line_size], const char *fmt, ...)
{
    const size_t used = strlen(line);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line + used, line_size - used, fmt, ap);
    va_end(ap);
}

static void append_time(char line[line_size], double seconds)
{
    int64_t s = (int64_t)(seconds + 0.5);
    if (s >= 3600)
        append(line, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
               (long long)(s % 60));
    else
        append(line, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

/* Truncates after `width` characters, never inside one (UTF-8 continuation bytes count nothing). */
static void cut(char *line, int width)
{
    int n = 0;
    for (char *p = line; *p != '\0'; p++) {
        if (((unsigned char)*p & 0xC0) != 0x80 && n++ == width) {
            *p = '\0';
            return;
        }
    }
}

static void draw(double now)
{
    enum { bar_width = 20 };
    char line[line_size] = "";
    double took = now - bar.start;
    double rate = took > 0 ? (double)(bar.done - bar.first_done) / took : 0;
    append(line, "%s ", bar.what);
    if (bar.total > 0) {
        int64_t full = bar.done >= bar.total ? bar_width : bar.done * bar_width / bar.total;
        append(line, "[");
        for (int i = 0; i < bar_width; i++)
            append(line, "%c", i < full ? '#' : '.');
        append(line, "] %lld/%lld", (long long)bar.done, (long long)bar.total);
    } else {
        append(line, "%lld", (long long)bar.done);
    }
    if (rate > 0) {
        append(line, rate < 10 ? "  %.2f/s" : "  %.0f/s", rate);
        if (bar.total > bar.done) {
            append(line, "  ");
            append_time(line, (double)(bar.total - bar.done) / rate);
            append(line, " left");
        }
    }
    if (bar.note[0] != '\0')
        append(line, "  %s", bar.note);
    cut(line, terminal_width() - 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    bar.drawn = true;
    bar.last_draw = now;
}

static void erase(void)
{
    if (bar.drawn)
        fputs("\r\033[K", stderr);
    bar.drawn = false;
}

static void draw_board(void)
{
    const int width = terminal_width() - 1;
    for (const char *p = board.text; *p != '\0';) {
        char line[line_size];
        const size_t n = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, p);
        cut(line, width);
        fprintf(stderr, "%s\033[K\n", line);
        board.n_drawn++;
        p += n + (p[n] == '\n');
    }
}

static void erase_board(void)
{
    for (; board.n_drawn > 0; board.n_drawn--)
        fputs("\033[A\033[2K", stderr);
}

void ig_board(const char *lines)
{
    pthread_mutex_lock(&lock);
    if (progress_wanted()) {
        erase_board();
        snprintf(board.text, sizeof board.text, "%s", lines != NULL ? lines : "");
        draw_board();
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
}

bool ig_progress_shown(void)
{
    pthread_mutex_lock(&lock);
    bool on = progress_wanted();
    pthread_mutex_unlock(&lock);
    return on;
}

void ig_log(ig_log_level level, const char *fmt, ...)
{
    va_list ap;
    pthread_mutex_lock(&lock);
    if (log_level >= level) {
        fflush(stdout); /* both may go to one file, in which no line stands inside another */
        erase();
        erase_board();
        va_start(ap, fmt);
        vfprintf(stderr, fmt, ap);
        va_end(ap);
        fputc('\n', stderr);
        draw_board();
        if (bar.active && progress_wanted())
            draw(ig_clock());
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
}

void ig_warn_once(const char *fmt, ...)
{
    static char printed[16][line_size]; /* guarded by `lock`; the oldest are forgotten */
    static int next;
    char text[line_size];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&lock);
    bool before = false;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        before = before || strcmp(printed[i], text) == 0;
    if (!before)
        strcpy(printed[next++ % 16], text);
    pthread_mutex_unlock(&lock);
    if (!before)
        ig_log(IG_LOG_NORMAL, "warning: %s", text);
}

void ig_progress_begin(const char *what, int64_t total)
{
    pthread_mutex_lock(&lock);
    memset(&bar, 0, sizeof bar);
    bar.active = true;
    bar.total = total;
    bar.start = ig_clock();
    bar.first_done = -1;
    snprintf(bar.what, sizeof bar.what, "%s", what);
    pthread_mutex_unlock(&lock);
}

void ig_progress(int64_t done, const char *note)
{
    pthread_mutex_lock(&lock);
    if (bar.active) {
        double now = ig_clock();
        /* Work done before this process started (a resumed run) does not count for the rate. */
        if (bar.first_done < 0) {
            bar.first_done = done > 1 ? done : 0;
            if (done > 1)
                bar.start = now;
        }
        bar.done = done;
        snprintf(bar.note, sizeof bar.note, "%s", note != NULL ? note : "");
        if (progress_wanted() && (!bar.drawn || now - bar.last_draw >= 0.1))
            draw(now);
    }
    pthread_mutex_unlock(&lock);
}

void ig_progress_end(void)
{
    pthread_mutex_lock(&lock);
    erase();
    fflush(stderr);
    bar.active = false;
    pthread_mutex_unlock(&lock);
}
