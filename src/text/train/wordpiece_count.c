/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts words: lines are gathered into batches, a batch is divided into ranges of whole lines,
 * each thread counts its ranges in a table of its own, and the tables are added up. Counts are
 * sums, so they do not depend on the division of work. All distinct words are in memory
 * (docs/tokenizer.md says how much that needs).
 */
#include "text/train/wordpiece_count.h"

#include "base/memory.h"
#include "base/threads/team.h"
#include "text/byte_text.h"
#include "text/normalize.h"

#include <string.h>

enum { BATCH_BYTES = 8 << 20, STRETCH_BYTES = 128 << 10 };

typedef struct {
    ig_word_counts table;
    uint8_t *buffer; /* IG_WORDS_BUFFER(IG_COUNT_WORD_MAX) */
    int64_t n_word, n_long;
    ig_code code;
    ig_err err;
} counter;

typedef struct {
    ig_chars *chars;
    ig_team *team;
    counter *counter;  /* one for each thread */
    ig_byte_text text; /* the batch: lines, each followed by LF */
    int64_t *stretch;  /* range i is text[stretch[i] .. stretch[i + 1]) */
    int64_t n_stretch, have_stretch;
} counting;

static ig_code count_stretch(counting *c, counter *k, int64_t begin, int64_t end)
{
    ig_words w = ig_words_make(c->chars, (const char *)c->text.text + begin, end - begin, k->buffer,
                               IG_COUNT_WORD_MAX);
    while (ig_words_next(&w)) {
        if (w.n_char > IG_COUNT_WORD_MAX) {
            k->n_long++;
            continue;
        }
        k->n_word++;
        IG_TRY(ig_word_counts_add(&k->table, (const char *)w.word, w.n, 1, NULL, &k->err));
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

static ig_code count_batch(counting *c, ig_err *err)
{
    if (c->text.n == 0)
        return IG_ERR_OK;
    IG_TRY(
        ig_grow(&c->stretch, &c->have_stretch, c->n_stretch + 1, sizeof *c->stretch, "batch", err));
    c->stretch[c->n_stretch] = c->text.n;
    ig_team_for(c->team, c->n_stretch, stretch_task, c);
    for (int i = 0; i < ig_team_size(c->team); i++)
        if (c->counter[i].code != IG_ERR_OK) {
            if (err != NULL)
                *err = c->counter[i].err;
            return c->counter[i].code;
        }
    c->text.n = c->n_stretch = 0;
    return IG_ERR_OK;
}

static ig_code add_line(counting *c, const char *line, int64_t n, ig_err *err)
{
    if (c->n_stretch == 0 || c->text.n - c->stretch[c->n_stretch - 1] >= STRETCH_BYTES) {
        IG_TRY(ig_grow(&c->stretch, &c->have_stretch, c->n_stretch + 1, sizeof *c->stretch, "batch",
                       err));
        c->stretch[c->n_stretch++] = c->text.n;
    }
    IG_TRY(ig_byte_text_add(&c->text, line, n, err));
    IG_TRY(ig_byte_text_put(&c->text, '\n', err));
    return c->text.n >= BATCH_BYTES ? count_batch(c, err) : IG_ERR_OK;
}

static ig_code count_all(counting *c, ig_text_source_fn *next, void *source,
                         const ig_wordpiece_options *options, ig_wordpiece_report *report,
                         ig_err *err)
{
    const ig_chars_rules rules = {.lowercase = options->lowercase,
                                  .strip_accents = options->lowercase,
                                  .keep_controls = options->keep_controls};
    IG_TRY(ig_chars_new(&c->chars, &rules, err));
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

/* Keeps the most frequent words, of equal ones the first by bytes. */
static ig_code keep_most(ig_word_counts *all, int64_t most, ig_err *err)
{
    ig_word_counts kept = {0};
    ig_counted_word *list;
    IG_TRY(ig_word_counts_sorted(&list, all, ig_counted_by_count, err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < most && code == IG_ERR_OK; i++)
        code = ig_word_counts_add(&kept, list[i].word, (int64_t)strlen(list[i].word), list[i].count,
                                  NULL, err);
    ig_free(list);
    ig_word_counts_free(all);
    *all = kept;
    return code;
}

static ig_code sum_up(ig_word_counts *out, counting *c, int64_t most, ig_wordpiece_report *report,
                      ig_err *err)
{
    *out = c->counter[0].table;
    c->counter[0].table = (ig_word_counts){0};
    for (int i = 0; i < ig_team_size(c->team); i++) {
        ig_word_counts *t = &c->counter[i].table;
        report->n_word += c->counter[i].n_word;
        report->n_long += c->counter[i].n_long;
        for (int32_t k = 0; k < t->words.n; k++)
            IG_TRY(ig_word_counts_add(out, ig_lexicon_get(&t->words, k),
                                      ig_lexicon_size(&t->words, k), t->count[k], NULL, err));
        ig_word_counts_free(t);
    }
    report->n_type = out->words.n;
    if (report->n_type <= most)
        return IG_ERR_OK;
    report->n_rare = report->n_type - most;
    return keep_most(out, most, err);
}

ig_code ig_count_words(ig_word_counts *out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err)
{
    const int64_t most = options->max_words > 0 ? options->max_words : IG_MAX_WORDS;
    counting c = {0};
    *out = (ig_word_counts){0};
    ig_code code = count_all(&c, next, source, options, report, err);
    IG_THEN(code, sum_up(out, &c, most, report, err));
    if (code == IG_ERR_OK && out->words.n == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       report->n_long > 0
                           ? "no word in %lld lines but %lld of more than %d characters, expected "
                             "text to train a vocabulary on"
                           : "no word in %lld lines, expected text to train a vocabulary on",
                       (long long)report->n_line, (long long)report->n_long, IG_COUNT_WORD_MAX);
    for (int i = 0; c.counter != NULL && i < ig_team_size(c.team); i++) {
        ig_word_counts_free(&c.counter[i].table);
        ig_free(c.counter[i].buffer);
    }
    ig_free(c.counter);
    ig_team_free(c.team);
    ig_chars_free(c.chars);
    IG_FREE(c.text.text, c.stretch);
    return code;
}
