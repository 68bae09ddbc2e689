/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the unknown pieces of a text. Whole lines are encoded, so the unknown words are found by
 * encoding a line's words again; that, and the other normal forms, are tried on few lines.
 */
#include "text/tokenizer/unknown_pieces.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "text/text_steps.h"

#include <string.h>

/* Limits of the lines with unknown pieces that are encoded again: their number and length. */
enum { INSPECTED_LINES = 200, INSPECTED_BYTES = 1 << 16 };

static int64_t count(const int32_t *id, int64_t n, int32_t unknown)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += id[i] == unknown;
    return sum;
}

static bool has_word(const ig_unknown_pieces *u, const char *word)
{
    for (int i = 0; i < u->n_word; i++)
        if (strcmp(u->word[i], word) == 0)
            return true;
    return false;
}

/* Stores a word, truncated between two characters if it does not fit. */
static void note_word(ig_unknown_pieces *u, const char *text, int64_t n)
{
    static const char more[] = "\xE2\x80\xA6";
    char word[IG_UNKNOWN_WORD] = "";
    const bool fits = n < IG_UNKNOWN_WORD;
    size_t size = fits ? (size_t)n : sizeof word - sizeof more;
    while (!fits && size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
        size--;
    memcpy(word, text, size);
    memcpy(word + size, fits ? "" : more, fits ? 1 : sizeof more);
    if (!has_word(u, word))
        memcpy(u->word[u->n_word++], word, sizeof word);
}

/* Buffer for the pieces of words that are encoded again. */
typedef struct {
    int32_t *id;
    int64_t have;
} scratch;

static ig_code count_in(int64_t *n, const ig_tokenizer *t, const char *text, int64_t size,
                        scratch *d, ig_err *err)
{
    int64_t n_id = 0;
    IG_TRY(ig_tokenizer_encode(t, text, size, &d->id, &n_id, &d->have, err));
    *n = count(d->id, n_id, ig_tokenizer_special(t, IG_TOKENIZER_UNK));
    return IG_ERR_OK;
}

static ig_code find_words(ig_unknown_pieces *u, const ig_tokenizer *t, const ig_cut_text *c,
                          scratch *d, ig_err *err)
{
    const char *end = c->text + c->n;
    for (const char *p = c->text; p < end && u->n_word < IG_UNKNOWN_WORDS;) {
        const char *from = p;
        int64_t n;
        while (p < end && (unsigned char)*p > ' ')
            p++;
        if (p > from) {
            IG_TRY(count_in(&n, t, from, p - from, d, err));
            if (n > 0)
                note_word(u, from, p - from);
        }
        p += p < end;
    }
    return IG_ERR_OK;
}

/* Adds the number of unknown pieces of the text in a normal form. */
static ig_code count_form(int64_t *sum, ig_text_step_kind form, const ig_tokenizer *t,
                          const ig_cut_text *c, scratch *d, ig_err *err)
{
    ig_text_steps steps = {0};
    ig_byte_text text = {0}, spare = {0};
    int64_t n = 0;
    bool kept = false;
    ig_code code = ig_text_steps_add(&steps, (ig_text_step){.kind = form}, err);
    IG_THEN(code, ig_byte_text_add(&text, c->text, c->n, err));
    IG_THEN(code, ig_text_steps_apply(&steps, &text, &spare, &kept, err));
    IG_THEN(code, count_in(&n, t, (const char *)text.text, text.n, d, err));
    *sum += n;
    ig_text_steps_free(&steps);
    IG_FREE(text.text, spare.text);
    return code;
}

static ig_code inspect(ig_unknown_pieces *u, const ig_tokenizer *t, const ig_cut_text *c,
                       int64_t n_unknown, ig_err *err)
{
    scratch d = {0};
    ig_code code = u->n_word < IG_UNKNOWN_WORDS ? find_words(u, t, c, &d, err) : IG_ERR_OK;
    u->n_inspected++;
    u->form[0] += n_unknown;
    IG_THEN(code, count_form(&u->form[1], IG_TEXT_NFC, t, c, &d, err));
    IG_THEN(code, count_form(&u->form[2], IG_TEXT_NFD, t, c, &d, err));
    ig_free(d.id);
    return code;
}

ig_code ig_unknown_add(ig_unknown_pieces *u, const ig_tokenizer *t, const ig_cut_text *c,
                       ig_err *err)
{
    const int32_t unknown = ig_tokenizer_special(t, IG_TOKENIZER_UNK);
    const int64_t n = unknown >= 0 ? count(c->id, c->n_id, unknown) : 0,
                  times = c->times > 0 ? c->times : 1;
    u->n_piece += times * c->n_id;
    u->n_unknown += times * n;
    return n > 0 && u->n_inspected < INSPECTED_LINES && c->n <= INSPECTED_BYTES
               ? inspect(u, t, c, n, err)
               : IG_ERR_OK;
}

void ig_unknown_merge(ig_unknown_pieces *to, const ig_unknown_pieces *from)
{
    to->n_piece += from->n_piece;
    to->n_unknown += from->n_unknown;
    to->n_inspected += from->n_inspected;
    for (int i = 0; i < 3; i++)
        to->form[i] += from->form[i];
    for (int i = 0; i < from->n_word && to->n_word < IG_UNKNOWN_WORDS; i++)
        note_word(to, from->word[i], (int64_t)strlen(from->word[i]));
}

/* Returns the normal form in which at most half as much is unknown. */
static const char *better_form(const ig_unknown_pieces *u)
{
    return 2 * u->form[1] <= u->form[0] ? "NFC" : 2 * u->form[2] <= u->form[0] ? "NFD" : NULL;
}

bool ig_unknown_refused(const ig_unknown_pieces *u, bool allowed)
{
    return !allowed && 2 * u->n_unknown > u->n_piece && u->n_piece >= IG_UNKNOWN_LEAST;
}

ig_code ig_unknown_check(const ig_unknown_pieces *u, const char *name, bool allowed, ig_err *err)
{
    const double share = u->n_piece > 0 ? (double)u->n_unknown / (double)u->n_piece : 0;
    const char *form = better_form(u);
    char words[IG_UNKNOWN_WORDS * (IG_UNKNOWN_WORD + 4)] = "", why[80] = "";
    if (!(share > .01))
        return IG_ERR_OK;
    for (int i = 0; i < u->n_word; i++)
        ig_append(words, sizeof words, "%s'%s'", i > 0 ? ", " : "", u->word[i]);
    if (form != NULL)
        ig_append(why, sizeof why, "; the vocabulary is of text in the Unicode normal form %s",
                  form);
    if (ig_unknown_refused(u, allowed)) {
        ig_fail(err, IG_ERR_INPUT, name, 0,
                "%.1f %% of the pieces are unknown to the vocabulary, such as %s, expected at most "
                "half%s",
                100 * share, words, why);
        return form != NULL
                   ? ig_hint(err, "convert the text: uconv -x %s; or --allow-unknown",
                             form[2] == 'C' ? "nfc" : "nfd")
                   : ig_hint(
                         err,
                         "another vocabulary, or --allow-unknown (allow_unknown: true in files)");
    }
    ig_log(IG_LOG_NORMAL, "%s: %.1f %% of the pieces are unknown to the vocabulary, such as %s%s",
           name, 100 * share, words, why);
    return IG_ERR_OK;
}
