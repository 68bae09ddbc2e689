/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads named texts into memory. Whether texts are parallel by line is known only at their end, so
 * all lines are counted, also after the first N that are kept.
 */
#include "apply/named_texts.h"

#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/text_source.h"
#include "text/white_space.h"

#include <string.h>

static ig_code add(ig_sentence_list *s, const char *text, int64_t n, ig_err *err)
{
    IG_TRY(ig_grow(&s->text, &s->have_byte, s->n_byte + n + 1, 1, "sentences", err));
    IG_TRY(ig_grow(&s->start, &s->have, s->n + 1, sizeof *s->start, "sentences", err));
    IG_TRY(ig_grow(&s->line, &s->have_line, s->n + 1, sizeof *s->line, "sentences", err));
    s->line[s->n] = s->n + 1;
    s->start[s->n++] = s->n_byte;
    memcpy(s->text + s->n_byte, text, (size_t)n);
    s->text[s->n_byte + n] = '\0';
    s->n_byte += n + 1;
    return IG_ERR_OK;
}

/* --- verses */

static ig_code read_verses(ig_texts *t, const ig_texts_options *o, ig_err *err)
{
    char *path[IG_NAMED_TEXTS_MAX];
    ig_text_record r[IG_NAMED_TEXTS_MAX];
    ig_verse_join *join;
    const ig_verse_set all = {0};
    for (int k = 0; k < t->n_language; k++)
        path[k] = (char *)(uintptr_t)o->text[k].path; /* only read */
    IG_TRY(
        ig_verse_join_open(&join, path, t->n_language, o->verses != NULL ? o->verses : &all, err));
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && (o->take == 0 || t->of[0].n < o->take)) {
        code = ig_verse_join_next(join, r, err);
        if (code != IG_ERR_OK || r[0].text == NULL)
            break;
        for (int k = 0; k < t->n_language && code == IG_ERR_OK; k++)
            code = add(&t->of[k], r[k].text, r[k].n, err);
    }
    ig_verse_join_close(join);
    return code;
}

/* --- lines */

/* All lines that can be needed, blank ones too; *n_line counts all of the file. With `take`, blank
 * lines of a parallel text can cost some of them. */
static ig_code read_lines(ig_sentence_list *s, int64_t *n_line, const char *path, int64_t take,
                          ig_err *err)
{
    ig_line_reader *r;
    char *line;
    int64_t n;
    *n_line = 0;
    IG_TRY(ig_line_open(&r, path, err));
    ig_code code;
    while ((code = ig_line_next(r, &line, &n, err)) == IG_ERR_OK && line != NULL) {
        ++*n_line;
        if (take == 0 || s->n < take)
            code = add(s, line, n, err);
        if (code != IG_ERR_OK)
            break;
    }
    ig_line_close(r);
    return code;
}

/* Leaves out the numbers at which any of n texts is blank. */
static void drop_blank(ig_sentence_list *s, int n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s[0].n; i++) {
        bool blank = false;
        for (int k = 0; k < n; k++)
            blank =
                blank || ig_is_blank(ig_sentence(&s[k], i), (int64_t)strlen(ig_sentence(&s[k], i)));
        for (int k = 0; k < n && !blank; k++) {
            s[k].start[kept] = s[k].start[i];
            s[k].line[kept] = s[k].line[i];
        }
        kept += !blank;
    }
    for (int k = 0; k < n; k++)
        s[k].n = kept;
}

/* --- all */

static ig_code check(const ig_texts *t, const ig_texts_options *o, ig_err *err)
{
    for (int k = 0; k < t->n_language; k++)
        if (t->of[k].n < o->least)
            return ig_fail(err, IG_ERR_INPUT, o->text[k].path, 0,
                           "found %lld sentence%s%s, expected at least %lld", (long long)t->of[k].n,
                           t->of[k].n == 1 ? "" : "s", t->parallel ? " that all texts have" : "",
                           (long long)o->least);
    return IG_ERR_OK;
}

ig_code ig_texts_read(ig_texts *t, const ig_texts_options *o, ig_err *err)
{
    int n_verses = 0;
    int64_t n_line[IG_NAMED_TEXTS_MAX];
    *t = (ig_texts){.n_language = o->n_text, .parallel = !o->unrelated};
    for (int k = 0; k < o->n_text; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(o->text[k].name, o->text[j].name) == 0)
                return ig_fail(err, IG_ERR_USAGE, "--text", 0, "found two texts of %s",
                               o->text[k].name);
    for (int k = 0; k < o->n_text; k++) {
        bool verses;
        IG_TRY(ig_text_has_verses(&verses, o->text[k].path, IG_TEXT_AUTO, err));
        n_verses += verses;
    }
    if (n_verses > 0 && n_verses < o->n_text)
        return ig_fail(err, IG_ERR_INPUT, o->text[0].path, 0,
                       "found %d texts of verses among %d, expected verses in all or in none",
                       n_verses, o->n_text);
    if (n_verses > 0) {
        IG_TRY(read_verses(t, o, err));
        return check(t, o, err);
    }
    for (int k = 0; k < o->n_text; k++) {
        IG_TRY(read_lines(&t->of[k], &n_line[k], o->text[k].path, o->take, err));
        t->of[k].n_line = n_line[k];
        if (o->parallel && n_line[k] != n_line[0])
            return ig_fail(err, IG_ERR_INPUT, o->text[k].path, 0,
                           "found %lld lines, expected %lld, as many as %.200s has",
                           (long long)n_line[k], (long long)n_line[0], o->text[0].path);
        if (t->parallel && n_line[k] != n_line[0])
            ig_warn_once("%s has %lld lines, %s %lld: they are not taken for translations of each "
                         "other",
                         o->text[0].path, (long long)n_line[0], o->text[k].path,
                         (long long)n_line[k]);
        t->parallel = t->parallel && n_line[k] == n_line[0];
    }
    for (int k = 0; k < (t->parallel ? 1 : t->n_language); k++)
        drop_blank(&t->of[k], t->parallel ? t->n_language : 1);
    return check(t, o, err);
}

void ig_texts_free(ig_texts *t)
{
    for (int k = 0; k < t->n_language; k++) {
        IG_FREE(t->of[k].text, t->of[k].start, t->of[k].line);
    }
    *t = (ig_texts){0};
}

ig_code ig_sentences_count(ig_unknown_pieces *u, const ig_sentence_list *text,
                           const ig_tokenizer *t, ig_err *err)
{
    IG_OWNED int32_t *piece = NULL;
    int64_t have = 0;
    for (int64_t i = 0; i < text->n; i++) {
        const char *sentence = ig_sentence(text, i);
        int64_t size = (int64_t)strlen(sentence), n = 0;
        IG_TRY(ig_tokenizer_encode(t, sentence, size, &piece, &n, &have, err));
        IG_TRY(ig_unknown_add(u, t, &(ig_cut_text){sentence, size, piece, n, 1}, err));
    }
    return IG_ERR_OK;
}
