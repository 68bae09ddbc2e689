/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes examples of a task's sentences. Texts are truncated before a language's transforms, so
 * that an inverted copy has the same words.
 */
#include "finetune/input/examples.h"

#include "base/memory.h"
#include "text/tokenizer/template.h"

#include <string.h>

/* Pieces that grow. */
typedef struct {
    int32_t *id;
    int64_t n, have;
} pieces;

typedef struct {
    ig_examples *e;
    const ig_example_input *in;
    int language, second;    /* of the sequence and its first text; of the second text of a pair */
    const ig_language *info; /* of the text that is put */
    const ig_task_set *set;
    bool train, trees;
    int64_t room;         /* tokens of a sequence */
    ig_template template; /* of the special tokens around the texts */
    pieces part[2];
    ig_unknown_pieces unknown; /* of the set */
    ig_tokens tokens;
    /* of a sentence of words */
    int32_t *word_at; /* [pieces] the word whose first piece it is; −1: none */
    bool *empty;      /* [words] */
    int32_t *place;   /* [words] among the targets of a tree */
    int64_t have_word_at, have_empty, have_place;
} maker;

/* --- sequences, token by token --- */

static ig_code put(maker *m, int32_t id, int32_t segment, ig_err *err)
{
    ig_examples *e = m->e;
    const int64_t at = e->start[e->n + 1], in_sequence = at - e->start[e->n];
    IG_TRY(ig_grow(&e->id, &e->have[0], at + 1, sizeof *e->id, "examples", err));
    IG_TRY(ig_grow(&e->pos, &e->have[1], at + 1, sizeof *e->pos, "examples", err));
    IG_TRY(ig_grow(&e->seg, &e->have[2], at + 1, sizeof *e->seg, "examples", err));
    e->id[at] = id;
    e->pos[at] = m->info->pos_offset + (int32_t)in_sequence;
    e->seg[at] = segment;
    e->start[e->n + 1]++;
    return IG_ERR_OK;
}

static ig_code begin(maker *m, ig_err *err)
{
    ig_examples *e = m->e;
    IG_TRY(ig_grow(&e->start, &e->have[3], e->n + 2, sizeof *e->start, "examples", err));
    IG_TRY(
        ig_grow(&e->first_target, &e->have[4], e->n + 2, sizeof *e->first_target, "examples", err));
    int64_t have = e->have[5];
    IG_TRY(ig_grow(&e->base, &have, e->n + 1, sizeof *e->base, "examples", err));
    IG_TRY(ig_grow(&e->language, &e->have[5], e->n + 1, sizeof *e->language, "examples", err));
    e->language[e->n] = m->language;
    e->start[e->n + 1] = e->start[e->n];
    e->first_target[e->n + 1] = e->first_target[e->n];
    return IG_ERR_OK;
}

/* Adds a target at a token of the open sequence. */
static ig_code ask(maker *m, const ig_example_target *t, ig_err *err)
{
    ig_examples *e = m->e;
    const int64_t at = e->first_target[e->n + 1];
    IG_TRY(ig_grow(&e->target, &e->have[6], at + 1, sizeof *e->target, "examples", err));
    e->target[at] = *t;
    e->first_target[e->n + 1]++;
    return IG_ERR_OK;
}

static void end(maker *m)
{
    m->e->n++;
}

/* --- pairs and single texts --- */

/* The segment of part 0 or 1 that the template gives this type. */
static int32_t segment_of(const maker *m, int part, int32_t type)
{
    const ig_example_input *in = m->in;
    const int32_t own = m->info->segment, n = in->model->type_vocab_size;
    const bool languages =
        in->segments == IG_SEGMENT_LANGUAGE ||
        (in->segments == IG_SEGMENT_AUTO && ig_model_languages_segments(in->languages));
    if (in->segments == IG_SEGMENT_ZERO || (!languages && n < 2))
        return 0;
    return languages ? own : in->segments == IG_SEGMENT_PARTS ? part : type < n ? type : 0;
}

/* A special token of the template as the language that is put has it. */
static int32_t own_token(const maker *m, int32_t id)
{
    const ig_corpus_options *base = &m->in->languages->options;
    return id == base->cls ? m->info->cls : id == base->sep ? m->info->sep : id;
}

/* The special tokens before text k, or after the last. */
static ig_code put_special(maker *m, int k, ig_err *err)
{
    const ig_template *t = &m->template;
    for (int i = 0; i < t->n[k]; i++)
        IG_TRY(put(m, own_token(m, t->token[k][i].id),
                   segment_of(m, k > 0 ? k - 1 : 0, t->token[k][i].type), err));
    return IG_ERR_OK;
}

static ig_code encode(maker *m, pieces *p, int language, const char *text, ig_err *err)
{
    const int64_t from = p->n;
    const ig_tokenizer *own = m->in->languages->language[language].own,
                       *t = own != NULL ? own : m->in->tokenizer;
    IG_TRY(ig_tokenizer_encode(t, text, (int64_t)strlen(text), &p->id, &p->n, &p->have, err));
    if (p->n == from) /* nothing of an empty text */
        return IG_ERR_OK;
    return ig_unknown_add(&m->unknown, t,
                          &(ig_cut_text){text, (int64_t)strlen(text), p->id + from, p->n - from, 1},
                          err);
}

/* Longest-first truncation as run_classifier.py's: one piece at a time from the end of the longer
 * part, of equal ones from the second. transformers' fast tokenizers leave the odd piece to the
 * part that was longer at first, of equal ones to the second. */
static bool cut(pieces *part, int n_part, int64_t room, const ig_example_input *in)
{
    const int64_t text_length = in->text_length;
    bool lost = false;
    for (int k = 0; k < n_part; k++) {
        const int64_t most =
            text_length > 0 && text_length < IG_SEQUENCE_MAX ? text_length : IG_SEQUENCE_MAX;
        lost = lost || part[k].n > most;
        part[k].n = part[k].n < most ? part[k].n : most;
    }
    if (n_part == 1) {
        lost = lost || part[0].n > room;
        part[0].n = part[0].n < room ? part[0].n : room;
        return lost;
    }
    const bool from_first = in->first_shorter && part[0].n <= part[1].n;
    while (part[0].n + part[1].n > room) {
        part[part[0].n + from_first > part[1].n ? 0 : 1].n--;
        lost = true;
    }
    return lost;
}

static ig_code put_text(maker *m, const char *const *text, int n_part, int64_t unit, int32_t label,
                        ig_err *err)
{
    m->info = &m->in->languages->language[m->language].info;
    if (m->train && label < 0)
        return IG_ERR_OK;
    for (int k = 0; k < n_part; k++) {
        m->part[k].n = 0;
        IG_TRY(encode(m, &m->part[k], k == 0 ? m->language : m->second, text[k], err));
    }
    m->e->count.n_cut += cut(m->part, n_part, m->room - ig_template_n_special(&m->template), m->in);
    IG_TRY(begin(m, err));
    IG_TRY(put_special(m, 0, err));
    for (int k = 0; k < n_part; k++) {
        const int language = k == 0 ? m->language : m->second;
        m->info = &m->in->languages->language[language].info;
        const int32_t segment = segment_of(m, k, m->template.type[k]), n = (int32_t)m->part[k].n;
        ig_model_language_tokens(m->in->languages, language, unit * n_part + k, m->part[k].id, n,
                                 &m->tokens);
        for (int32_t i = 0; i < m->tokens.n && i < n; i++)
            IG_TRY(put(m, m->tokens.id[i], segment, err));
        IG_TRY(put_special(m, k + 1, err));
    }
    IG_TRY(ask(m, &(ig_example_target){.label = label, .own = true, .unit = unit}, err));
    end(m);
    return IG_ERR_OK;
}

/* --- words --- */

/* The language's tokens of a sentence in m->part[1], a chunk of whole words at a time, and which of
 * them begin words. */
static ig_code transform(maker *m, int64_t sentence, const int32_t *word_of, ig_err *err)
{
    const pieces *from = &m->part[0];
    pieces *to = &m->part[1];
    to->n = 0;
    for (int64_t at = 0; at < from->n;) {
        int64_t n = from->n - at;
        if (n > IG_SEQUENCE_MAX) {
            n = IG_SEQUENCE_MAX;
            while (n > 1 && word_of[at + n] < 0)
                n--;
        }
        ig_tokens *t = &m->tokens;
        ig_model_language_tokens(m->in->languages, m->language, sentence, from->id + at, (int32_t)n,
                                 t);
        IG_TRY(ig_grow(&to->id, &to->have, to->n + t->n, sizeof *to->id, "pieces", err));
        IG_TRY(
            ig_grow(&m->word_at, &m->have_word_at, to->n + t->n, sizeof *m->word_at, "words", err));
        for (int32_t i = 0; i < t->n; i++) {
            to->id[to->n + i] = t->id[i];
            m->word_at[to->n + i] = -1;
        }
        for (int32_t k = 0; k < t->n_link; k++)
            if (t->link[k][1] < t->n && word_of[at + t->link[k][0]] >= 0)
                m->word_at[to->n + t->link[k][1]] = word_of[at + t->link[k][0]];
        to->n += t->n;
        at += n;
    }
    return IG_ERR_OK;
}

/* A window's first piece, from 0; the last ends with the sentence. */
static int64_t window_start(int64_t k, int64_t n, int64_t room)
{
    const int64_t step = room / 2 > 0 ? room / 2 : 1, at = k * step;
    return at + room < n ? at : n > room ? n - room : 0;
}

/* The window in which place p has most around it, of equal ones the first. */
static int64_t window_of(int64_t p, int64_t n, int64_t room)
{
    int64_t best = 0, most = -1;
    for (int64_t k = 0;; k++) {
        const int64_t from = window_start(k, n, room), left = p - from, right = from + room - 1 - p;
        const int64_t around = left < right ? left : right;
        if (around > most) {
            most = around;
            best = k;
        }
        if (from + room >= n || from > p)
            return best;
    }
}

/* Returns the end of a sequence that begins at `from`. */
static int64_t split_end(const maker *m, int64_t from, int64_t n, int64_t room)
{
    int64_t to = from + room;
    if (to >= n)
        return n;
    while (to > from + 1 && m->word_at[to] < 0)
        to--;
    return to > from + 1 ? to : from + room;
}

/* Pieces [from, to) as the open sequence. */
static ig_code put_pieces(maker *m, int64_t from, int64_t to, ig_err *err)
{
    const int32_t segment = segment_of(m, 0, m->template.type[0]);
    IG_TRY(put_special(m, 0, err));
    for (int64_t p = from; p < to; p++)
        IG_TRY(put(m, m->part[1].id[p], segment, err));
    return put_special(m, 1, err);
}

/* Returns which words of a training sentence are targets: with a label, in the pieces [from, to),
 * and with a head that is one. place[w] = its number among them, from 1; 0: it is none. */
static int32_t choose_words(const maker *m, int64_t first, int64_t n, int64_t from, int64_t to)
{
    int32_t *place = m->place, count = 0;
    bool again = true;
    for (int64_t w = 0; w < n; w++)
        place[w] = 0;
    for (int64_t p = from; p < to; p++)
        if (m->word_at[p] >= 0)
            place[m->word_at[p]] = 1;
    for (int64_t w = 0; w < n && m->train; w++)
        if (m->set->label[first + w] < 0)
            place[w] = 0;
    while (again && m->train) {
        again = false;
        for (int64_t w = 0; w < n; w++) {
            const int32_t head = m->set->head[first + w];
            if (place[w] != 0 && head > 0 && place[head - 1] == 0) {
                place[w] = 0;
                again = true;
            }
        }
    }
    for (int64_t p = from; p < to; p++)
        if (m->word_at[p] >= 0 && place[m->word_at[p]] != 0)
            place[m->word_at[p]] = ++count;
    return count;
}

/* ROOT and words as targets: every word may be the head of every other. */
static ig_code ask_tree(maker *m, int64_t sentence, int64_t from, int64_t to, int64_t number,
                        ig_err *err)
{
    const int64_t first = m->set->first[sentence], n = m->set->first[sentence + 1] - first;
    IG_TRY(ig_grow(&m->place, &m->have_place, n, sizeof *m->place, "words", err));
    if (choose_words(m, first, n, from, to) == 0)
        return IG_ERR_OK;
    IG_TRY(ask(m, &(ig_example_target){.label = -1, .head = -1, .unit = -1}, err));
    for (int64_t p = from; p < to; p++) {
        const int32_t w = m->word_at[p];
        if (w < 0 || m->place[w] == 0)
            continue;
        const int32_t head = m->set->head != NULL && m->train ? m->set->head[first + w] : 0;
        const ig_example_target t = {.row = (int32_t)(p - from + 1),
                                     .label = m->set->label[first + w],
                                     .head = head > 0 ? m->place[head - 1] : 0,
                                     .own = number < 0 ||
                                            window_of(p, m->part[1].n, m->room - 2) == number,
                                     .unit = first + w};
        IG_TRY(ask(m, &t, err));
    }
    return IG_ERR_OK;
}

static ig_code ask_tags(maker *m, int64_t sentence, int64_t from, int64_t to, int64_t number,
                        ig_err *err)
{
    const int64_t first = m->set->first[sentence];
    for (int64_t p = from; p < to; p++) {
        const int32_t w = m->word_at[p];
        if (w < 0 || (number >= 0 && window_of(p, m->part[1].n, m->room - 2) != number))
            continue;
        const ig_example_target t = {.row = (int32_t)(p - from + 1),
                                     .label = m->set->label[first + w],
                                     .own = true,
                                     .unit = first + w};
        const bool left_out =
            m->train && (t.label < 0 || (m->empty[w] && m->in->empty_words == IG_EMPTY_DROP));
        if (!left_out)
            IG_TRY(ask(m, &t, err));
    }
    return IG_ERR_OK;
}

/* Writes pieces [from, to) as a sequence; number −1: all their words are targets, otherwise those
 * of this window. */
static ig_code put_window(maker *m, int64_t sentence, int64_t from, int64_t to, int64_t number,
                          ig_err *err)
{
    IG_TRY(begin(m, err));
    IG_TRY(put_pieces(m, from, to, err));
    IG_TRY(m->trees ? ask_tree(m, sentence, from, to, number, err)
                    : ask_tags(m, sentence, from, to, number, err));
    m->e->base[m->e->n] = m->set->first[sentence];
    end(m);
    return IG_ERR_OK;
}

static ig_code put_windows(maker *m, int64_t sentence, ig_err *err)
{
    const int64_t n = m->part[1].n, room = m->room - 2;
    if (n <= room)
        return put_window(m, sentence, 0, n, -1, err);
    if (m->in->too_long == IG_LONG_TRUNCATE || (m->trees && m->train)) {
        m->e->count.n_cut++;
        for (int64_t p = room; p < n; p++)
            m->e->count.n_unseen += m->word_at[p] >= 0;
        return put_window(m, sentence, 0, room, -1, err);
    }
    m->e->count.n_divided++;
    if (m->in->too_long == IG_LONG_SPLIT) {
        for (int64_t from = 0; from < n;) {
            const int64_t to = split_end(m, from, n, room);
            IG_TRY(put_window(m, sentence, from, to, -1, err));
            from = to;
        }
        return IG_ERR_OK;
    }
    for (int64_t k = 0;; k++) {
        const int64_t from = window_start(k, n, room);
        IG_TRY(put_window(m, sentence, from, from + room, k, err));
        if (from + room >= n)
            return IG_ERR_OK;
    }
}

static ig_code put_words(maker *m, int64_t sentence, ig_err *err)
{
    const int64_t first = m->set->first[sentence], n = m->set->first[sentence + 1] - first;
    IG_OWNED int32_t *word_of = NULL;
    int64_t have = 0;
    pieces *p = &m->part[0];
    p->n = 0;
    IG_TRY(ig_grow(&m->empty, &m->have_empty, n, sizeof *m->empty, "words", err));
    for (int64_t w = 0; w < n; w++) {
        const int64_t from = p->n;
        IG_TRY(encode(m, p, m->language, m->set->word[first + w], err));
        m->empty[w] = p->n == from;
        if (m->empty[w]) {
            m->e->count.n_empty++;
            IG_TRY(ig_grow(&p->id, &p->have, p->n + 1, sizeof *p->id, "pieces", err));
            p->id[p->n++] = m->in->languages->options.unk;
        }
        IG_TRY(ig_grow(&word_of, &have, p->n + 1, sizeof *word_of, "words", err));
        for (int64_t i = from; i < p->n; i++)
            word_of[i] = i == from ? (int32_t)w : -1;
    }
    if (n > 0)
        IG_TRY(transform(m, sentence, word_of, err));
    if (n > 0)
        IG_TRY(put_windows(m, sentence, err));
    return IG_ERR_OK;
}

/* --- a split --- */

static ig_code check_language(const ig_example_input *in, int language, ig_err *err)
{
    const ig_language *l = &in->languages->language[language].info;
    if (l->n_id == in->languages->options.base_vocab ||
        in->languages->language[language].own != NULL)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, l->name, 0,
                   "the language has a vocabulary of its own (%d pieces, the first language %d), "
                   "which the model's folder does not hold",
                   l->n_id, in->languages->options.base_vocab);
}

/* The tokenizer's own, or XLM's, which begins with [SEP]. */
static ig_code choose_template(maker *m, ig_task_kind kind, ig_err *err)
{
    const bool texts = kind == IG_TASK_PAIR || kind == IG_TASK_SINGLE, pair = kind == IG_TASK_PAIR;
    const int32_t sep = m->in->languages->options.sep;
    ig_template xlm[2];
    ig_template_bert(xlm, sep, sep);
    m->template = texts && m->in->pair_input == IG_PAIR_XLM
                      ? xlm[pair]
                      : *ig_tokenizer_template(m->in->tokenizer, pair);
    const int32_t least = ig_template_n_special(&m->template) + 1;
    return m->room >= least ? IG_ERR_OK
                            : ig_fail(err, IG_ERR_USAGE, "length", 0,
                                      "found %lld, expected at least %d: special tokens, and one "
                                      "of a text",
                                      (long long)m->room, least);
}

ig_code ig_examples_add(ig_examples *e, const ig_example_input *in, const ig_task_set *set,
                        const ig_examples_as *as, ig_err *err)
{
    const int language = as->language;
    const int crossed =
        set->second != NULL ? ig_model_languages_find(in->languages, set->second) : -1;
    const int second = crossed >= 0 ? crossed : language;
    const int32_t room = ig_model_languages_positions(in->languages, language, in->model),
                  room_second = ig_model_languages_positions(in->languages, second, in->model),
                  positions = room < room_second ? room : room_second;
    maker *m;
    IG_TRY(check_language(in, language, err));
    IG_TRY(check_language(in, second, err));
    if (positions < 4)
        return ig_fail(err, IG_ERR_INPUT, set->language, 0, "%d positions, expected at least 4",
                       positions);
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "examples", err));
    *m = (maker){.e = e,
                 .in = in,
                 .info = &in->languages->language[language].info,
                 .language = language,
                 .second = second,
                 .set = set,
                 .train = as->train,
                 .trees = as->kind == IG_TASK_PARSING,
                 .room = in->length > 0 && in->length < positions ? in->length : positions};
    ig_code code = choose_template(m, as->kind, err);
    for (int64_t i = 0; i < set->n && code == IG_ERR_OK; i++)
        if (as->kind == IG_TASK_PAIR || as->kind == IG_TASK_SINGLE) {
            const int n_part = as->kind == IG_TASK_PAIR ? 2 : 1;
            code = put_text(m, set->text + i * n_part, n_part, i, set->label[i], err);
        } else
            code = put_words(m, i, err);
    IG_THEN(code, ig_unknown_check(&m->unknown, set->path, in->allow_unknown, err));
    ig_unknown_merge(&e->count.unknown, &m->unknown);
    e->n_unit += set->first != NULL ? set->first[set->n] : set->n;
    IG_FREE(m->part[0].id, m->part[1].id, m->word_at, m->empty, m->place, m);
    return code;
}

void ig_examples_free(ig_examples *e)
{
    IG_FREE(e->start, e->id, e->pos, e->seg, e->language, e->first_target, e->base, e->target);
    *e = (ig_examples){0};
}
