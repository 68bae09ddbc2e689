/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a tokenizer of any kind. All kinds count the same words (BERT's), so that they are
 * compared on equal words, and all begin with BERT's five special tokens.
 */
#include "base/memory.h"

#include "base/number_text.h"
#include "text/tokenizer/tokenizer_internal.h"
#include "text/train/unigram_train.h"
#include "text/train/wordpiece_count.h"
#include "text/train/wordpiece_train.h"

#include <stdio.h>
#include <string.h>

const char *const ig_vocab_model_names[] = {"wordpiece",         "bpe", "words", "chars", "unigram",
                                            "unigram-wordpiece", NULL};

static int64_t characters_of(const char *word)
{
    int64_t count = 0;
    for (; *word != '\0'; word++)
        count += ((uint8_t)*word & 0xC0) != 0x80;
    return count;
}

/* Picks the most frequent words, of equal ones the smaller by bytes; none longer than WordPiece's
 * limit. */
static ig_code pick_words(ig_trained *out, const ig_word_counts *t, const ig_wordpiece_options *o,
                          ig_err *err)
{
    IG_OWNED ig_counted_word *list = NULL;
    int32_t n = 0;
    const int64_t least = o->min_frequency > 1 ? o->min_frequency : 1;
    IG_TRY(ig_word_counts_sorted(&list, t, ig_counted_by_count, err));
    for (int32_t i = 0; i < t->words.n && list[i].count >= least && 5 + n < o->size; i++)
        if (characters_of(list[i].word) <= IG_WORD_CHARS_MAX)
            list[n++] = list[i];
    IG_TRY(ig_counted_words_vocab(&out->text, &out->n, list, n, err));
    out->report.n_piece = 5 + n;
    if (n > 0)
        out->report.last_count = list[n - 1].count;
    return IG_ERR_OK;
}

/* Converts a unigram vocabulary (K et al. 2020): "▁x", which begins a word, becomes "x", every
 * other piece "##x"; the mark alone, which has no meaning there, is removed. In place: no line
 * grows by more than the mark that was removed. */
static ig_code to_wordpiece(ig_trained *t, ig_err *err)
{
    static const char mark[] = "\xE2\x96\x81";
    char *out;
    int64_t to = 0;
    int line = 0;
    IG_TRY(ig_alloc(&out, 3 * t->n + 1, 1, "vocabulary", err));
    for (char *p = t->text; *p != '\0'; line++) {
        char *end = strchr(p, '\n');
        *end = '\0';
        const bool head = strncmp(p, mark, 3) == 0;
        if (!head || p[3] != '\0')
            to += sprintf(out + to, "%s%s\n", line < 5 || head ? "" : "##", p + (head ? 3 : 0));
        p = end + 1;
    }
    ig_free(t->text);
    t->text = out;
    t->n = to;
    return IG_ERR_OK;
}

/* Makes a tokenizer of the trained vocabulary. */
static ig_code from_trained(ig_tokenizer **out, ig_trained *t, const ig_wordpiece_options *o,
                            ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = o->lowercase, .keep_controls = o->keep_controls};
    if (o->model == IG_VOCAB_UNIGRAM_WORDPIECE)
        IG_TRY(to_wordpiece(t, err));
    IG_TRY(ig_tokenizer_parse(out, t->text, t->n, "vocabulary", &how, err));
    if (o->model == IG_VOCAB_BPE) {
        (*out)->kind = IG_TOKENIZER_BPE;
        (*out)->bpe = t->bpe;
        t->bpe = (ig_bpe){0};
        return ig_bpe_index(&(*out)->bpe, err);
    }
    if (o->model == IG_VOCAB_UNIGRAM_WORDPIECE)
        t->report.n_piece = ig_tokenizer_size(*out);
    if (o->model == IG_VOCAB_UNIGRAM) {
        ig_tokenizer_set_scores(*out, t->score);
        t->score = NULL;
    }
    return IG_ERR_OK;
}

ig_code ig_vocab_train(ig_tokenizer **out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err)
{
    IG_PLAIN_NUMBERS;
    const bool unigram =
        options->model == IG_VOCAB_UNIGRAM || options->model == IG_VOCAB_UNIGRAM_WORDPIECE;
    ig_trained t = {0};
    ig_word_counts words;
    *out = NULL;
    ig_code code = ig_count_words(&words, next, source, options, &t.report, err);
    if (code == IG_ERR_OK)
        code = unigram                            ? ig_unigram_train(&t, &words, options, err)
               : options->model == IG_VOCAB_WORDS ? pick_words(&t, &words, options, err)
                                                  : ig_merges_train(&t, &words, options, err);
    ig_word_counts_free(&words);
    IG_THEN(code, from_trained(out, &t, options, err));
    ig_bpe_free(&t.bpe);
    IG_FREE(t.text, t.score);
    if (report != NULL)
        *report = t.report;
    if (code != IG_ERR_OK) {
        ig_tokenizer_free(*out);
        *out = NULL;
    }
    return code;
}
