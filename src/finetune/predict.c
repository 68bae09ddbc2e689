/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicts the labels of a file. It is read completely: its sentences become a split without
 * labels.
 */
#include "finetune/predict.h"

#include "apply/edit/edit_make.h"
#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/line_reader.h"
#include "finetune/input/batches.h"
#include "finetune/tuned_model.h"
#include "finetune/tuned_record.h"
#include "model/device/device_name.h"
#include "model/head/head.h"
#include "task/task_shape.h"
#include "text/white_space.h"

#include <stdio.h>
#include <string.h>

const char *const ig_predict_kinds[] = {"auto", "pair", "single", "tagging", "parsing", NULL};

enum { UPOS = 3, HEAD = 6, DEPREL = 7, N_COLUMN = 10 };

/* A file of words: every line unchanged, and the word it has (docs/tasks.md: lines that have no
 * word there have none here). */
typedef struct {
    const char *text, *word; /* NULL: none */
    size_t n_byte;           /* of the word, which is printed with its prefix */
    int64_t at;              /* the word's number */
} line;

typedef struct {
    const ig_predict_options *o;
    ig_encoder source;
    ig_tuned_record record;
    char why[40]; /* how the kind of texts was found; empty: it was known */
    ig_tuned_base base;
    ig_team *team;
    ig_engine *engine;
    ig_made_edits edits;
    ig_pool pool;
    ig_task_set set;
    line *lines;
    const char **word; /* the set's arrays, of a file of words */
    int64_t *first;
    int32_t *label;
    ig_word_shape shape;
    int64_t n_line, n_word, have[4];
    int64_t n_several, n_tag; /* lines of several fields between blanks; with a tag at the end */
    int64_t n_sign;           /* lines with a tag after a comma or semicolon */
    ig_examples examples;
    int32_t *best, *head; /* of units; head: of trees */
    int64_t *blank; /* [n_blank] lines of texts without a row: how many rows are before each */
    int64_t n_blank;
    float *logits; /* [units, n_label]; NULL: not requested */
    int n_label;
} predictor;

static void close_all(predictor *p)
{
    ig_examples_free(&p->examples);
    IG_FREE(p->best, p->head, p->blank, p->logits, p->lines, p->first, p->word, p->label);
    ig_pool_free(&p->pool);
    ig_engine_free(p->engine);
    ig_made_edits_free(&p->edits);
    ig_team_free(p->team);
    ig_model_languages_free(&p->base.languages);
    ig_tuned_record_free(&p->record);
    ig_encoder_close(&p->source);
}

/* --- the file --- */

static int n_column(const char *text)
{
    int n = 1;
    for (; *text != '\0'; text++)
        n += *text == '\t';
    return n;
}

/* Column k of a line, between tabs. */
static const char *column(const char *text, int k, size_t *n)
{
    for (; k > 0; k--)
        text = strchr(text, '\t') + 1;
    *n = strcspn(text, "\t");
    return text;
}

/* The word of a line, of n bytes; *word NULL: it has none. IG_ERR_INPUT: a line that should have
 * one. */
static ig_code word_of(const predictor *p, const char **word, size_t *n, const char *text,
                       const ig_line_reader *r, ig_err *err)
{
    const ig_word_shape *s = &p->shape;
    const char *const between = s->tabs ? "\t" : " \t";
    const bool inside = p->n_word > (p->first != NULL ? p->first[p->set.n] : 0);
    *word = NULL;
    if (ig_word_shape_document(text) || ig_word_shape_comment(s, text, inside) ||
        (s->head && ig_line_number(r) == s->line))
        return IG_ERR_OK;
    if (s->conllu && n_column(text) != N_COLUMN)
        return ig_line_fail(r, err, "found %d column%s between tabs, expected %d", n_column(text),
                            n_column(text) == 1 ? "" : "s", N_COLUMN);
    if (s->no_words != NULL && ig_line_number(r) == s->line) {
        ig_line_fail(r, err, "found %s, expected words there", s->no_words);
        return ig_hint(err,
                       "a line of names, as 'word' and 'tag', says which column has the words");
    }
    if (s->tabs && n_column(text) != s->n_column)
        return ig_line_fail(r, err, "found %d column%s between tabs, expected %d as in line %llu",
                            n_column(text), n_column(text) == 1 ? "" : "s", s->n_column,
                            (unsigned long long)s->line);
    for (int k = 0; k <= s->word; k++) {
        text += s->tabs ? 0 : strspn(text, between);
        *n = strcspn(text, between);
        if (k == 0 && s->counted && s->word > 0) {
            char number[32];
            snprintf(number, sizeof number, "%.*s", (int)*n, text);
            const ig_word_count count = ig_word_shape_count(number);
            if (count == IG_COUNT_RANGE || count == IG_COUNT_EMPTY)
                return IG_ERR_OK;
            if (count == IG_COUNT_NONE)
                return ig_line_fail(r, err, "found '%.30s' in the first column, expected a number",
                                    number);
        }
        if (k == s->word && *n > 0)
            *word = text;
        text += text[*n] != '\0' ? *n + 1 : *n;
    }
    return *word != NULL
               ? IG_ERR_OK
               : ig_line_fail(r, err, "found no word in column %d, expected one", s->word + 1);
}

/* CoNLL-U between blanks: with tabs, as it is printed. */
static void blanks_to_tabs(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        *to++ = *from == ' ' ? '\t' : *from;
        from += *from == ' ' ? strspn(from, " ") : 1;
    }
    *to = '\0';
}

static ig_code end_sentence(predictor *p, ig_err *err)
{
    ig_task_set *s = &p->set;
    IG_TRY(ig_grow(&p->first, &p->have[0], s->n + 2, sizeof *p->first, "sentences", err));
    if (p->n_word > p->first[s->n])
        p->first[++s->n] = p->n_word;
    return IG_ERR_OK;
}

static ig_code add_line(predictor *p, char *text, int64_t n, const ig_line_reader *r, ig_err *err)
{
    line *l;
    if (p->shape.conllu && text[0] != '#' && strchr(text, '\t') == NULL) {
        blanks_to_tabs(text);
        n = (int64_t)strlen(text);
    }
    IG_TRY(ig_grow(&p->lines, &p->have[1], p->n_line + 1, sizeof *p->lines, "lines", err));
    l = &p->lines[p->n_line++];
    IG_TRY(ig_pool_text(&p->pool, &l->text, text, (size_t)n, err));
    if (ig_is_blank(l->text, n))
        return end_sentence(p, err);
    if (ig_word_shape_document(l->text))
        IG_TRY(end_sentence(p, err));
    IG_TRY(word_of(p, &l->word, &l->n_byte, l->text, r, err));
    if (l->word == NULL)
        return IG_ERR_OK;
    l->at = p->n_word;
    IG_TRY(ig_grow(&p->word, &p->have[2], p->n_word + 1, sizeof *p->word, "words", err));
    IG_TRY(ig_grow(&p->label, &p->have[3], p->n_word + 1, sizeof *p->label, "words", err));
    p->label[p->n_word] = IG_LABEL_NONE;
    return ig_pool_text(&p->pool, &p->word[p->n_word++], l->word, l->n_byte, err);
}

static bool is_tag(const predictor *p, const char *text)
{
    return strcmp(text, "_") == 0 || strcmp(text, "O") == 0 ||
           (strchr("BIESLU", text[0]) != NULL && text[0] != '\0' && text[1] == '-') ||
           ig_labels_find(&p->record.labels, text) >= 0;
}

/* Words separated by blanks may be a sentence, of which only the first would be read; a comma or
 * semicolon before a tag separates columns. */
static void count_fields(predictor *p, const char *text)
{
    const ig_word_shape *s = &p->shape;
    const size_t first = strcspn(text, "\t "), word = strcspn(text, "\t");
    if (s->tabs && s->word == 0)
        p->n_several += first + 1 < word;
    if (s->tabs || s->conllu || s->head)
        return;
    const char *blank = strrchr(text, ' '), *sign = strrchr(text, ',');
    sign = sign != NULL ? sign : strrchr(text, ';');
    if (blank != NULL && blank[1] != '\0') {
        p->n_several++;
        p->n_tag += is_tag(p, blank + 1);
    } else if (blank == NULL && sign != NULL && sign > text)
        p->n_sign += is_tag(p, sign + 1);
}

static ig_code check_fields(const predictor *p, const ig_line_reader *r, ig_err *err)
{
    if (2 * p->n_sign > p->n_word)
        return ig_fail(
            err, IG_ERR_INPUT, ig_line_where(r), 0,
            "found a tag after a comma or semicolon in %lld lines, expected tabs between "
            "columns",
            (long long)p->n_sign);
    if (2 * p->n_tag >= p->n_several || (p->shape.tabs && 2 * p->n_several <= p->n_word))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, ig_line_where(r), 0,
            "found several words between blanks in %lld lines, without a tag at the end of %lld, "
            "expected a word a line",
            (long long)p->n_several, (long long)(p->n_several - p->n_tag));
    return ig_hint(err, "an empty line ends a sentence; tabs are between other columns");
}

static ig_code read_lines(predictor *p, ig_line_reader *r, ig_err *err)
{
    char *text;
    const char *beginning;
    int64_t n;
    IG_TRY(ig_line_peek(r, &beginning, &n, err));
    if (n > 1 && beginning[0] == '{' && beginning[1] == '"')
        return ig_fail(err, IG_ERR_INPUT, p->o->file, 1, "found JSON, expected a word a line");
    p->shape = ig_word_shape_of(beginning, n);
    if (p->shape.conllu)
        p->shape.tabs = true;
    p->shape.word = p->shape.word < 0 ? 0 : p->shape.word;
    do {
        IG_TRY(ig_line_next(r, &text, &n, err));
        IG_TRY(text != NULL ? add_line(p, text, n, r, err) : end_sentence(p, err));
        if (text != NULL && p->lines[p->n_line - 1].word != NULL)
            count_fields(p, p->lines[p->n_line - 1].text);
    } while (text != NULL);
    IG_TRY(check_fields(p, r, err));
    if (!p->shape.conllu)
        ig_task_cut_prefix(p->word, p->n_word);
    p->set.first = p->first;
    p->set.word = p->word;
    p->set.label = p->label;
    return IG_ERR_OK;
}

static ig_code read_file(predictor *p, ig_err *err)
{
    p->set.path = p->o->file;
    p->set.language = p->o->language != NULL ? p->o->language : "";
    if (p->record.kind == IG_TASK_PAIR || p->record.kind == IG_TASK_SINGLE) {
        ig_task_texts texts = {.kind = p->record.kind,
                               .kind_given = p->record.kind_known,
                               .labels = &p->record.labels,
                               .name = {p->record.column[0], p->record.column[1]}};
        const ig_code code = ig_task_read_texts(&p->set, &texts, p->o->file, &p->pool, err);
        p->blank = texts.blank;
        p->n_blank = texts.n_blank;
        IG_TRY(code);
        p->record.kind = p->base.kind = texts.kind;
        snprintf(p->why, sizeof p->why, "%s", texts.why);
        return IG_ERR_OK;
    }
    ig_line_reader *r;
    IG_TRY(ig_line_open(&r, p->o->file, err));
    ig_code code = read_lines(p, r, err);
    ig_line_close(r);
    return code;
}

/* --- the model --- */

static ig_code open_model(predictor *p, ig_err *err)
{
    IG_TRY(ig_encoder_open(&p->source, p->o->model, false, err));
    ig_device_report(p->o->device, ig_bert_get_config(p->source.model));
    IG_TRY(ig_tuned_record_read(&p->record, &p->source, p->o->kind - 1, err));
    p->base = (ig_tuned_base){.source = p->source,
                              .config = *ig_bert_get_config(p->source.model),
                              .head = p->record.head,
                              .kind = p->record.kind};
    IG_TRY(ig_model_languages_read(&p->base.languages, p->source.dir, &p->base.config,
                                   p->source.tokenizer, err));
    IG_TRY(ig_team_new(&p->team, p->o->n_thread, err));
    return ig_engine_new(&p->engine, p->source.model, p->team, NULL,
                         (ig_precision)(p->o->precision % IG_N_PRECISION), err);
}

/* Reports the assumptions about a folder that does not record how it was fine-tuned
 * (docs/finetuning.md). */
static void report_defaults(const predictor *p)
{
    const bool words = p->record.kind == IG_TASK_TAGGING, pair = p->record.kind == IG_TASK_PAIR;
    if (!p->record.defaults)
        return;
    ig_log(IG_LOG_NORMAL,
           "%s: no isoglot.task in config.json, defaults: kind %s (%s), labels %s, %s, at most %d "
           "tokens%s",
           p->o->model, ig_task_kind_names[p->record.kind],
           p->why[0] != '\0' ? p->why
           : p->o->kind > 0  ? "--kind"
                             : "the head",
           p->record.named ? "of id2label" : "without names",
           words  ? "a word has the label of its first piece"
           : pair ? p->base.config.type_vocab_size > 1 &&
                            ig_tokenizer_template(p->source.tokenizer, true)->type[1] > 0
                        ? "segments 0 and 1"
                        : "segment 0"
                  : "segment 0",
           p->base.config.max_position_embeddings,
           words ? ", longer sentences in windows" : ", longer texts cut");
}

static ig_code make_edits(predictor *p, ig_err *err)
{
    IG_SCOPED(ig_edit_specs_free) ig_edit_specs specs = {0};
    const ig_edit_on on = {.parts = {.engine = p->engine,
                                     .model = p->source.model,
                                     .team = p->team,
                                     .tokenizer = p->source.tokenizer,
                                     .languages = &p->base.languages},
                           .dir = p->base.source.dir};
    if (p->o->edit == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_edit_specs_add(&specs, p->o->edit, err));
    return ig_edits_make(&p->edits, &specs, &on, err);
}

static ig_code make_scores(predictor *p, ig_err *err)
{
    const ig_head *head = ig_heads[p->record.head];
    if (!p->o->scores)
        return IG_ERR_OK;
    if (!head->logits)
        return ig_fail(err, IG_ERR_USAGE, "--scores", 0,
                       "found a model for %s, whose predictions depend on each other: no label has "
                       "a score of its own",
                       head->name);
    if (p->shape.conllu)
        return ig_fail(err, IG_ERR_USAGE, "--scores", 0,
                       "found CoNLL-U, which has no column for scores");
    p->n_label = ig_bert_config_n_label(&p->base.config, p->record.head);
    return ig_alloc(&p->logits, p->examples.n_unit * p->n_label, sizeof *p->logits, "scores", err);
}

static ig_code predict(predictor *p, ig_err *err)
{
    ig_example_input in = ig_tuned_input(&p->base, &p->record.input, false);
    int language;
    in.allow_unknown = p->o->allow_unknown;
    in.first_shorter = p->record.defaults;
    IG_TRY(ig_model_languages_find_requested(&language, &p->base.languages, p->o->language,
                                             "--language", err));
    IG_TRY(ig_examples_add(&p->examples, &in, &p->set,
                           &(ig_examples_as){p->record.kind, language, false}, err));
    IG_TRY(ig_alloc(&p->best, p->examples.n_unit, sizeof *p->best, "predictions", err));
    if (p->record.kind == IG_TASK_PARSING)
        IG_TRY(ig_alloc(&p->head, p->examples.n_unit, sizeof *p->head, "predictions", err));
    IG_TRY(make_scores(p, err));
    return ig_examples_predict(
        &(ig_prediction){p->best, p->head, p->logits, p->n_label}, NULL, &p->examples,
        &(ig_states_parts){.engine = p->engine, .model = p->source.model, .team = p->team},
        p->record.head, err);
}

/* --- the output --- */

/* Returns "_" for a word that the model did not read: nothing is predicted for it
 * (docs/tasks.md). */
static const char *label_of(const predictor *p, int64_t unit)
{
    const int32_t k = p->best[unit];
    return k >= 0 ? p->record.labels.name[k] : "_";
}

/* Writes line l with the prediction in place of its columns `from` up to `to`. */
static void fill_columns(char *out, size_t room, const char *text, int from, int to,
                         const char *predicted)
{
    size_t n;
    const char *a = column(text, from, &n), *b = column(text, to, &n);
    snprintf(out, room, "%.*s%s%s", (int)(a - text), text, predicted, b + n);
}

/* Buffers for a line, for its prediction, and for both with scores. */
typedef struct {
    char *line, *predicted, *scored;
    int64_t have[3];
} text_room;

/* Writes a line, with the scores of a unit that the model read. */
static ig_code put_line(const predictor *p, int64_t unit, const char *text, text_room *r,
                        ig_predict_line_fn *put, void *arg, ig_err *err)
{
    int64_t size = (int64_t)strlen(text) + 1;
    if (p->logits == NULL || p->best[unit] < 0)
        return put(arg, text, err);
    for (int k = 0; k < p->n_label && k < p->record.labels.n; k++)
        size += (int64_t)strlen(p->record.labels.name[k]) + 24;
    IG_TRY(ig_grow(&r->scored, &r->have[2], size, 1, "line", err));
    int64_t n = snprintf(r->scored, (size_t)size, "%s", text);
    for (int k = 0; k < p->n_label && k < p->record.labels.n; k++)
        n += snprintf(r->scored + n, (size_t)(size - n), "\t%s=%.7g", p->record.labels.name[k],
                      (double)p->logits[unit * p->n_label + k]);
    return put(arg, r->scored, err);
}

static ig_code put_word(const predictor *p, const line *l, text_room *r, ig_predict_line_fn *put,
                        void *arg, ig_err *err)
{
    const char *label = label_of(p, l->at);
    const int64_t size = (int64_t)strlen(label) + 16, need = (int64_t)strlen(l->text) + size;
    char head[16] = "";
    IG_TRY(ig_grow(&r->predicted, &r->have[0], size, 1, "line", err));
    IG_TRY(ig_grow(&r->line, &r->have[1], need, 1, "line", err));
    if (p->head != NULL && p->head[l->at] >= 0)
        snprintf(head, sizeof head, "%d\t", (int)p->head[l->at]);
    else if (p->head != NULL)
        snprintf(head, sizeof head, "_\t");
    snprintf(r->predicted, (size_t)size, "%s%s", head, label);
    if (p->shape.conllu && n_column(l->text) == N_COLUMN)
        fill_columns(r->line, (size_t)need, l->text, p->head != NULL ? HEAD : UPOS,
                     p->head != NULL ? DEPREL : UPOS, r->predicted);
    else
        snprintf(r->line, (size_t)need, "%.*s\t%s", (int)l->n_byte, l->word, r->predicted);
    return put_line(p, l->at, r->line, r, put, arg, err);
}

static ig_code put_all(const predictor *p, ig_predict_line_fn *put, void *arg, ig_err *err)
{
    text_room room = {0};
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < p->n_line && code == IG_ERR_OK; i++)
        code = p->lines[i].word != NULL ? put_word(p, &p->lines[i], &room, put, arg, err)
                                        : put(arg, p->lines[i].text, err);
    for (int64_t i = 0, k = 0; p->n_line == 0 && i <= p->set.n && code == IG_ERR_OK; i++) {
        for (; k < p->n_blank && p->blank[k] == i && code == IG_ERR_OK; k++)
            code = put(arg, "", err);
        if (i < p->set.n && code == IG_ERR_OK)
            code = put_line(p, i, label_of(p, i), &room, put, arg, err);
    }
    IG_FREE(room.line, room.predicted, room.scored);
    return code;
}

ig_code ig_predict(const ig_predict_options *o, ig_predict_line_fn *put, void *arg, ig_err *err)
{
    IG_OWNED predictor *p = NULL;
    IG_TRY(ig_alloc(&p, 1, sizeof *p, "predictions", err));
    p->o = o;
    ig_code code = ig_device_choose(o->device, err);
    IG_THEN(code, open_model(p, err));
    IG_THEN(code, make_edits(p, err));
    IG_THEN(code, read_file(p, err));
    if (code == IG_ERR_OK)
        report_defaults(p);
    if (code == IG_ERR_OK && p->set.n > 0)
        code = predict(p, err);
    IG_THEN(code, put_all(p, put, arg, err));
    close_all(p);
    return code;
}
