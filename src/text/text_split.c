/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits text into parts. Each step follows Hugging Face `tokenizers` 0.23
 * (tokenizers.pre_tokenizers); byte-level parts follow GPT-2 (Radford et al. 2019), whose
 * expression is
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 */
#include "text/text_split.h"

#include "base/memory.h"
#include "text/normalize.h"

#include <unicode/uchar.h>

/* Ends a part at the current end of the text, unless it would be empty. */
static ig_code end_part(ig_text_parts *p, ig_err *err)
{
    if (p->text.n == (p->n > 0 ? p->end[p->n - 1] : 0))
        return IG_ERR_OK;
    IG_TRY(ig_grow(&p->end, &p->have, p->n + 1, sizeof *p->end, "parts", err));
    p->end[p->n++] = p->text.n;
    return IG_ERR_OK;
}

static ig_code add_part(ig_text_parts *p, const uint8_t *text, int64_t n, ig_err *err)
{
    IG_TRY(ig_byte_text_add(&p->text, text, n, err));
    return end_part(p, err);
}

/* --- classes of characters --- */

bool ig_char_is_word(uint32_t c)
{
    const UChar32 u = (UChar32)c;
    return u_isUAlphabetic(u) || u_hasBinaryProperty(u, UCHAR_JOIN_CONTROL) ||
           (U_GET_GC_MASK(u) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

/* A run of one class is a part; characters of class GONE are dropped; each of class ALONE is a
 * part. */
enum { GONE, REST, RUN, ALONE };

static int class_of(const ig_split_step *s, uint32_t c)
{
    const UChar32 u = (UChar32)c;
    if (s->kind == IG_SPLIT_DIGITS)
        return (U_GET_GC_MASK(u) & U_GC_N_MASK) == 0 ? REST : s->alone ? ALONE : RUN;
    if (u_isUWhiteSpace(u))
        return GONE;
    if (s->kind == IG_SPLIT_WHITE_SPACE)
        return REST;
    if (s->kind == IG_SPLIT_BERT)
        return ig_char_is_punctuation(c) ? ALONE : REST;
    return ig_char_is_word(c) ? RUN : REST;
}

static ig_code split_classes(const ig_split_step *s, const uint8_t *text, int64_t n,
                             ig_text_parts *out, ig_err *err)
{
    int before = GONE;
    for (int64_t i = 0, length; i < n; i += length) {
        uint32_t c;
        length = ig_utf8_next(text + i, text + n, &c);
        const int class = class_of(s, c);
        if (class != before || class == ALONE)
            IG_TRY(end_part(out, err));
        before = class;
        if (class != GONE)
            IG_TRY(ig_byte_text_add(&out->text, text + i, length, err));
    }
    return end_part(out, err);
}

/* --- Metaspace */

static ig_code split_metaspace(const ig_split_step *s, const ig_split_text *of, ig_text_parts *out,
                               ig_err *err)
{
    const uint8_t *text = of->text;
    const int64_t n = of->n;
    const int64_t n_mark = (int64_t)strlen(s->mark);
    const bool begins =
        text[0] == ' ' || (n >= n_mark && memcmp(text, s->mark, (size_t)n_mark) == 0);
    if (s->before && !begins && (of->first || !s->first))
        IG_TRY(ig_byte_text_add(&out->text, s->mark, n_mark, err));
    for (int64_t i = 0; i < n;) {
        const bool is_mark = n - i >= n_mark && memcmp(text + i, s->mark, (size_t)n_mark) == 0;
        if (is_mark || text[i] == ' ') {
            if (s->cut)
                IG_TRY(end_part(out, err));
            IG_TRY(ig_byte_text_add(&out->text, s->mark, n_mark, err));
            i += is_mark ? n_mark : 1;
        } else {
            IG_TRY(ig_byte_text_add(&out->text, text + i++, 1, err));
        }
    }
    return end_part(out, err);
}

/* --- bytes --- */

uint32_t ig_byte_character(uint8_t byte)
{
    /* Bytes that are printable in Latin-1 map to themselves, the others to U+0100 and following, in
     * their order: 0–32, 127–160, 173. */
    if ((byte > 32 && byte < 127) || (byte > 160 && byte != 173))
        return byte;
    return 256u + (byte <= 32 ? byte : byte <= 160 ? byte - 127u + 33u : 67u);
}

enum { LETTER, NUMBER, OTHER, BLANK, END };

static int byte_class(const uint8_t *text, int64_t i, int64_t n, int64_t *length)
{
    uint32_t c;
    *length = 0;
    if (i >= n)
        return END;
    *length = ig_utf8_next(text + i, text + n, &c);
    const uint32_t mask = U_GET_GC_MASK((UChar32)c);
    return (mask & U_GC_L_MASK) != 0     ? LETTER
           : (mask & U_GC_N_MASK) != 0   ? NUMBER
           : u_isUWhiteSpace((UChar32)c) ? BLANK
                                         : OTHER;
}

/* Returns the bytes of the English ending at i ('s, 'll …); 0: none. */
static int64_t contraction(const uint8_t *text, int64_t i, int64_t n)
{
    static const char *const ending[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
        const int64_t size = (int64_t)strlen(ending[k]);
        if (n - i >= size && memcmp(text + i, ending[k], (size_t)size) == 0)
            return size;
    }
    return 0;
}

/* Returns the end of the part that begins at i. */
static int64_t byte_part_end(const uint8_t *text, int64_t i, int64_t n)
{
    const int64_t ending = contraction(text, i, n);
    if (ending > 0)
        return i + ending;
    int64_t length, at = i + (text[i] == ' '), last = i;
    int class = byte_class(text, at, n, &length);
    if (class < BLANK) {
        for (int now = class; now == class; now = byte_class(text, at, n, &length))
            at += length;
        return at;
    }
    /* White space, without its last character if text follows. */
    for (at = i; (class = byte_class(text, at, n, &length)) == BLANK; at += length)
        last = at;
    return class != END && last > i ? last : at;
}

static ig_code split_bytes(const ig_split_step *s, const uint8_t *text, int64_t n,
                           ig_byte_text *room, ig_text_parts *out, ig_err *err)
{
    room->n = 0;
    if (s->before && text[0] != ' ')
        IG_TRY(ig_byte_text_add(room, " ", 1, err));
    IG_TRY(ig_byte_text_add(room, text, n, err));
    for (int64_t i = 0; i < room->n;) {
        const int64_t end = s->cut ? byte_part_end(room->text, i, room->n) : room->n;
        for (; i < end; i++)
            IG_TRY(ig_byte_text_put(&out->text, ig_byte_character(room->text[i]), err));
        IG_TRY(end_part(out, err));
    }
    return IG_ERR_OK;
}

/* --- patterns */

static ig_code string_spans(const char *what, const uint8_t *text, int64_t n, ig_text_spans *out,
                            ig_err *err)
{
    const int64_t n_what = (int64_t)strlen(what);
    int64_t end = 0;
    out->n = 0;
    for (int64_t i = 0; i < n;) {
        if (n_what == 0 || n - i < n_what || memcmp(text + i, what, (size_t)n_what) != 0) {
            i++;
            continue;
        }
        if (i > end)
            IG_TRY(ig_text_spans_add(out, end, i, false, err));
        IG_TRY(ig_text_spans_add(out, i, i + n_what, true, err));
        end = i += n_what;
    }
    return end < n ? ig_text_spans_add(out, end, n, false, err) : IG_ERR_OK;
}

/* Returns whether span i belongs to the part of the span before it. */
static bool joins(const ig_split_step *s, const ig_text_spans *spans, int64_t i)
{
    const ig_text_span *now = &spans->span[i], *before = now - 1;
    const bool match = now->match != s->invert, last = i > 0 && before->match != s->invert;
    if (i == 0)
        return false;
    switch (s->behaviour) {
    case IG_SPLIT_WITH_PREVIOUS:
        return match && !last;
    case IG_SPLIT_WITH_NEXT:
        return last && !match;
    case IG_SPLIT_CONTIGUOUS:
        return match == last;
    case IG_SPLIT_REMOVED:
    case IG_SPLIT_ISOLATED:
        break;
    }
    return false;
}

static ig_code split_pattern(const ig_split_step *s, const ig_split_text *of, ig_text_spans *spans,
                             ig_text_parts *out, ig_err *err)
{
    IG_TRY(s->regex != NULL ? ig_text_regex_spans(s->regex, of->text, of->n, spans, err)
                            : string_spans(s->text, of->text, of->n, spans, err));
    for (int64_t i = 0; i < spans->n; i++) {
        const ig_text_span *p = &spans->span[i];
        if (!joins(s, spans, i))
            IG_TRY(end_part(out, err));
        if (s->behaviour != IG_SPLIT_REMOVED || p->match == s->invert)
            IG_TRY(ig_byte_text_add(&out->text, of->text + p->from, p->to - p->from, err));
    }
    return end_part(out, err);
}

/* --- the list of steps --- */

void ig_split_step_free(ig_split_step *s)
{
    ig_text_regex_free(s->regex);
    ig_free(s->text);
}

void ig_split_steps_free(ig_split_steps *s)
{
    for (int i = 0; i < s->n; i++)
        ig_split_step_free(&s->step[i]);
    ig_free(s->step);
    *s = (ig_split_steps){0};
}

/* Holds what the steps of one text share. */
typedef struct {
    ig_byte_text bytes;
    ig_text_spans spans;
} split_room;

static ig_code apply_step(const ig_split_step *s, const ig_split_text *of, split_room *room,
                          ig_text_parts *out, ig_err *err)
{
    switch (s->kind) {
    case IG_SPLIT_BYTES:
        return split_bytes(s, of->text, of->n, &room->bytes, out, err);
    case IG_SPLIT_METASPACE:
        return split_metaspace(s, of, out, err);
    case IG_SPLIT_PATTERN:
        return split_pattern(s, of, &room->spans, out, err);
    default:
        return split_classes(s, of->text, of->n, out, err);
    }
}

/* Returns whether the step that was just applied removed what the text begins with. */
static bool removed_begin(const ig_split_step *s, const ig_split_text *of, const split_room *room)
{
    uint32_t c;
    ig_utf8_next(of->text, of->text + of->n, &c);
    switch (s->kind) {
    case IG_SPLIT_BYTES:
    case IG_SPLIT_METASPACE:
        return false;
    case IG_SPLIT_PATTERN:
        return s->behaviour == IG_SPLIT_REMOVED && room->spans.span[0].match != s->invert;
    default:
        return class_of(s, c) == GONE;
    }
}

ig_code ig_split_steps_apply(const ig_split_steps *s, const ig_split_text *text,
                             ig_text_parts *parts, ig_text_parts *spare, ig_err *err)
{
    split_room room = {0};
    bool first = text->first; /* whether the first part begins where the text does */
    parts->n = parts->text.n = 0;
    ig_code code = add_part(parts, text->text, text->n, err);
    for (int k = 0; k < s->n && code == IG_ERR_OK; k++) {
        const ig_text_parts from = *parts;
        spare->n = spare->text.n = 0;
        for (int64_t i = 0; i < from.n && code == IG_ERR_OK; i++) {
            const int64_t begin = i > 0 ? from.end[i - 1] : 0;
            const ig_split_text part = {from.text.text + begin, from.end[i] - begin,
                                        first && i == 0};
            code = apply_step(&s->step[k], &part, &room, spare, err);
            if (part.first && code == IG_ERR_OK)
                first = !removed_begin(&s->step[k], &part, &room);
        }
        *parts = *spare;
        *spare = from;
    }
    IG_FREE(room.bytes.text, room.spans.span);
    return code;
}
