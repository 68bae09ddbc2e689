/* SPDX-License-Identifier: Apache-2.0
 *
 * Files → records → cleaned text → sentences. Records are cleaned before they are split, so that a
 * closing quotation mark between a full stop and the space does not hide the end of a sentence
 * (Dufter & Schütze 2020 used this order).
 */
#include "corpus/read/sentences.h"

#include "base/memory.h"
#include "text/sentence.h"

#include <string.h>

struct ig_sentences {
    const char *const *path;
    int n_path, i_path;
    ig_sentence_options options;
    ig_text_source *source; /* of path[i_path − 1]; NULL between files */
    ig_sentence_breaker *breaker;
    bool in_record;
    int64_t record;  /* id of the verse, or line */
    int64_t nth, of; /* the sentence's number in the record, from 1; the record's number of
                        sentences (places) */
    int64_t n_done;
};

ig_code ig_sentences_open(ig_sentences **out, const char *const *path, int n_path,
                          const ig_sentence_options *options, ig_err *err)
{
    ig_sentences *s;
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sentences", err));
    s->path = path;
    s->n_path = n_path;
    s->options = *options;
    ig_code code = IG_ERR_OK;
    if (options->whole_lines && options->clauses)
        code = ig_fail(err, IG_ERR_USAGE, "clauses", 0,
                       "whole lines are sentences here, so nothing can be broken at ; and :");
    if (code == IG_ERR_OK && !options->whole_lines)
        code = ig_sentence_breaker_new(&s->breaker, options->locale, options->abbreviations,
                                       options->clauses, err);
    IG_RETURN_NEW(code, out, s, ig_sentences_close);
}

void ig_sentences_close(ig_sentences *s)
{
    if (s == NULL)
        return;
    ig_text_close(s->source);
    ig_sentence_breaker_free(s->breaker);
    ig_free(s);
}

const char *ig_sentences_where(const ig_sentences *s)
{
    if (s->n_path == 0)
        return "";
    return strcmp(s->path[0], "-") == 0 ? "standard input" : s->path[0];
}

/* Reads the next record that is not empty after cleaning; text NULL after the last file. */
static ig_code next_record(ig_sentences *s, ig_text_record *r, ig_err *err)
{
    for (;;) {
        if (s->source == NULL) {
            *r = (ig_text_record){0};
            if (s->i_path == s->n_path)
                return IG_ERR_OK;
            IG_TRY(ig_text_open(&s->source, s->path[s->i_path], s->options.kind, &s->options.verses,
                                err));
            s->i_path++;
        }
        IG_TRY(ig_text_next(s->source, r, err));
        if (r->text == NULL) {
            ig_text_close(s->source);
            s->source = NULL;
            continue;
        }
        r->n = ig_text_clean(r->text, r->text, r->n, s->options.strip_quotes);
        if (r->n > 0) {
            s->record = r->id != 0 ? r->id : (int64_t)ig_text_line(s->source);
            s->nth = 0;
            s->of = 1;
            return IG_ERR_OK;
        }
    }
}

int64_t ig_sentences_place(const ig_sentences *s)
{
    const int64_t most = 255, of = s->of < most ? s->of : most, nth = s->nth < most ? s->nth : most;
    return s->record << 16 | of << 8 | nth;
}

ig_code ig_sentences_next(ig_sentences *s, const char **text, int64_t *n, ig_err *err)
{
    *text = NULL;
    *n = 0;
    if (s->options.take > 0 && s->n_done == s->options.take)
        return IG_ERR_OK;
    while (!s->in_record || !ig_sentence_next(s->breaker, text, n)) {
        ig_text_record r;
        IG_TRY(next_record(s, &r, err));
        if (r.text == NULL)
            return IG_ERR_OK;
        if (s->options.whole_lines) {
            *text = r.text;
            *n = r.n;
            break;
        }
        ig_err why = {0};
        ig_code code = ig_sentence_begin(s->breaker, r.text, r.n, &why);
        if (code != IG_ERR_OK)
            return ig_fail(err, code, ig_text_where(s->source), ig_text_line(s->source), "%s",
                           why.msg);
        s->in_record = true;
        if (s->options.places) {
            for (s->of = 0; ig_sentence_next(s->breaker, text, n);)
                s->of++;
            IG_TRY(ig_sentence_begin(s->breaker, r.text, r.n, err));
        }
    }
    s->nth++;
    s->n_done++;
    return IG_ERR_OK;
}
