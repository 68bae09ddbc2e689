/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting words: lines are gathered into batches, a batch is cut into stretches of whole lines,
 * each thread counts the stretches that it takes in a table of its own, and the tables are added
 * up. Counts are sums, so it does not matter who counted what. When the tables hold more words than
 * they may, they go to a file (word_spill.h).
 */
#include "text/train/wordpiece_count.h"

#include "base/memory.h"
#include "base/threads/team.h"
#include "text/normalize.h"
#include "text/train/word_spill.h"

#include <string.h>

enum { BATCH_BYTES = 8 << 20, STRETCH_BYTES = 128 << 10 };

typedef struct {
    ig_word_table table;
    uint8_t *buffer; /* IG_WORDS_BUFFER(IG_COUNT_WORD_MAX) */
    int64_t n_word, n_long;
    ig_code code;
    ig_err err;
} counter;

typedef struct {
    ig_chars *chars;
    ig_team *team;
    counter *counter; /* one a thread */
    char *text;       /* the batch: lines, each followed by LF */
    int64_t n_text, have_text;
    int64_t *stretch; /* stretch i is text[stretch[i] .. stretch[i + 1]) */
    int64_t n_stretch, have_stretch;
    int64_t max_words;
    ig_word_spill spill;
} counting;

static ig_code count_stretch(counting *c, counter *k, int64_t begin, int64_t end)
{
    ig_words w =
        ig_words_make(c->chars, c->text + begin, end - begin, k->buffer, IG_COUNT_WORD_MAX);
    while (ig_words_next(&w)) {
        if (w.n_char > IG_COUNT_WORD_MAX) {
            k->n_long++;
            continue;
        }
        k->n_word++;
        IG_TRY(ig_word_table_add(&k->table, w.word, w.n, 1, NULL, &k->err));
    }
    return IG_ERR_OK;
}

static void stretch_task(void *arg, int64_t i_task, int i_thread)
{
    counting *c = arg;
    counter *k = &c->counter[i_thread];
    if (k->code == IG_ERR_OK)
        k->code = count_stretch(c, k, c->stretch[i_task], c->stretch[i_task + 1]);
}

static ig_code spill(counting *c, ig_err *err)
{
    ig_word_table **table;
    IG_TRY(ig_alloc(&table, ig_team_size(c->team), sizeof *table, "words", err));
    for (int i = 0; i < ig_team_size(c->team); i++)
        table[i] = &c->counter[i].table;
    ig_code code = ig_word_spill_add(&c->spill, table, ig_team_size(c->team), err);
    ig_free(table);
    return code;
}

static ig_code count_batch(counting *c, ig_err *err)
{
    if (c->n_text == 0)
        return IG_ERR_OK;
    IG_TRY(
        ig_grow(&c->stretch, &c->have_stretch, c->n_stretch + 1, sizeof *c->stretch, "batch", err));
    c->stretch[c->n_stretch] = c->n_text;
    ig_team_for(c->team, c->n_stretch, stretch_task, c);
    for (int i = 0; i < ig_team_size(c->team); i++)
        if (c->counter[i].code != IG_ERR_OK) {
            if (err != NULL)
                *err = c->counter[i].err;
            return c->counter[i].code;
        }
    c->n_text = c->n_stretch = 0;
    int64_t n_word = 0;
    for (int i = 0; i < ig_team_size(c->team); i++)
        n_word += c->counter[i].table.n_word;
    return n_word > c->max_words ? spill(c, err) : IG_ERR_OK;
}

static ig_code add_line(counting *c, const char *line, int64_t n, ig_err *err)
{
    if (c->n_stretch == 0 || c->n_text - c->stretch[c->n_stretch - 1] >= STRETCH_BYTES) {
        IG_TRY(ig_grow(&c->stretch, &c->have_stretch, c->n_stretch + 1, sizeof *c->stretch, "batch",
                       err));
        c->stretch[c->n_stretch++] = c->n_text;
    }
    IG_TRY(ig_grow(&c->text, &c->have_text, c->n_text + n + 1, 1, "batch", err));
    if (n > 0)
        memcpy(c->text + c->n_text, line, (size_t)n);
    c->text[c->n_text + n] = '\n';
    c->n_text += n + 1;
    return c->n_text >= BATCH_BYTES ? count_batch(c, err) : IG_ERR_OK;
}

static ig_code count_all(counting *c, ig_text_source_fn *next, void *source,
                         const ig_wordpiece_options *options, ig_wordpiece_report *report,
                         ig_err *err)
{
    IG_TRY(ig_chars_new(&c->chars, options->lowercase, options->keep_controls, err));
    IG_TRY(ig_team_new(&c->team, options->n_thread, err));
    IG_TRY(ig_alloc(&c->counter, ig_team_size(c->team), sizeof *c->counter, "counters", err));
    for (int i = 0; i < ig_team_size(c->team); i++)
        IG_TRY(ig_alloc(&c->counter[i].buffer, IG_WORDS_BUFFER(IG_COUNT_WORD_MAX), 1, "word", err));
    for (;;) {
        const char *line;
        int64_t n;
        IG_TRY(next(source, &line, &n, err));
        if (line == NULL)
            break;
        report->n_line++;
        report->n_byte += n + 1;
        const char *nul = options->keep_controls && n > 0 ? memchr(line, '\0', (size_t)n) : NULL;
        if (nul != NULL)
            return ig_fail(err, IG_ERR_INPUT, "text", (uint64_t)report->n_line,
                           "found a NUL at column %lld, expected text",
                           (long long)(nul - line) + 1);
        IG_TRY(add_line(c, line, n, err));
    }
    return count_batch(c, err);
}

static ig_code sum_up(ig_word_table *out, counting *c, ig_wordpiece_report *report, ig_err *err)
{
    if (c->spill.n > 0)
        IG_TRY(spill(c, err));
    *out = c->counter[0].table;
    c->counter[0].table = (ig_word_table){0};
    for (int i = 0; i < ig_team_size(c->team); i++) {
        const ig_word_table *t = &c->counter[i].table;
        report->n_word += c->counter[i].n_word;
        report->n_long += c->counter[i].n_long;
        for (int64_t k = 0; k < t->n_word; k++)
            IG_TRY(ig_word_table_add(out, t->byte + t->word[k].start, t->word[k].n,
                                     t->word[k].count, NULL, err));
    }
    report->n_type = out->n_word;
    if (c->spill.n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_word_spill_take(&c->spill, out, c->max_words, &report->n_type, err));
    report->n_rare = report->n_type - out->n_word;
    return IG_ERR_OK;
}

ig_code ig_count_words(ig_word_table *out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err)
{
    counting c = {.max_words = options->max_words > 0 ? options->max_words : IG_MAX_WORDS};
    *out = (ig_word_table){0};
    ig_code code = count_all(&c, next, source, options, report, err);
    IG_THEN(code, sum_up(out, &c, report, err));
    if (code == IG_ERR_OK && out->n_word == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       "no word in %lld lines, expected text to train a vocabulary on",
                       (long long)report->n_line);
    for (int i = 0; c.counter != NULL && i < ig_team_size(c.team); i++) {
        ig_word_table_free(&c.counter[i].table);
        ig_free(c.counter[i].buffer);
    }
    ig_free(c.counter);
    ig_team_free(c.team);
    ig_chars_free(c.chars);
    ig_word_spill_free(&c.spill);
    IG_FREE(c.text, c.stretch);
    return code;
}
