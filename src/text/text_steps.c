/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies normalizers to a text. Each step follows Hugging Face `tokenizers` 0.23
 * (tokenizers.normalizers), whose normal forms are of Unicode 9.0: later characters are not
 * changed, as in normalize.c.
 */
#include "text/text_steps.h"

#include "base/memory.h"
#include "text/normalize.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

/* --- normal forms --- */

static ig_code icu_failed(UErrorCode status, ig_err *err)
{
    return ig_fail(err, status == U_MEMORY_ALLOCATION_ERROR ? IG_ERR_MEMORY : IG_ERR_IO, "ICU", 0,
                   "normalization failed: %s", u_errorName(status));
}

/* Opens ICU's normalizer, restricted to characters of Unicode 9.0. */
static ig_code open_normal(ig_text_step *s, ig_err *err)
{
    static const UChar age[] = {'[', ':', 'a', 'g', 'e', '=', '9', '.', '0', ':', ']', 0};
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *whole = s->kind == IG_TEXT_NFC    ? unorm2_getNFCInstance(&status)
                                : s->kind == IG_TEXT_NFD  ? unorm2_getNFDInstance(&status)
                                : s->kind == IG_TEXT_NFKC ? unorm2_getNFKCInstance(&status)
                                                          : unorm2_getNFKDInstance(&status);
    s->known = uset_openPattern(age, -1, &status);
    if (U_SUCCESS(status))
        uset_freeze(s->known);
    s->normal = unorm2_openFiltered(whole, s->known, &status);
    return U_SUCCESS(status) ? IG_ERR_OK : icu_failed(status, err);
}

static ig_code to_normal(const UNormalizer2 *form, const ig_byte_text *from, ig_byte_text *to,
                         ig_err *err)
{
    enum { growth = 18 }; /* NFKD of U+FDFA; NFC and NFD grow less */
    UErrorCode status = U_ZERO_ERROR;
    UChar *normal;
    IG_OWNED UChar *wide = NULL;
    int32_t n_wide = 0, n_normal = 0, n = 0;
    if (from->n > INT32_MAX / (4 * growth))
        return ig_fail(err, IG_ERR_INPUT, "text", 0, "%lld bytes are too many to normalize",
                       (long long)from->n);
    IG_TRY(ig_alloc(&wide, from->n * (1 + growth) + 2, sizeof *wide, "text", err));
    normal = wide + from->n + 1;
    u_strFromUTF8WithSub(wide, (int32_t)from->n + 1, &n_wide, (const char *)from->text,
                         (int32_t)from->n, (UChar32)IG_UTF8_BAD, NULL, &status);
    n_normal = unorm2_normalize(form, wide, n_wide, normal, (int32_t)from->n * growth + 1, &status);
    IG_TRY(ig_grow(&to->text, &to->have, 3 * (int64_t)n_normal + 1, 1, "text", err));
    u_strToUTF8((char *)to->text, (int32_t)to->have, &n, normal, n_normal, &status);
    to->n = n;
    if (U_FAILURE(status))
        IG_TRY(icu_failed(status, err));
    return IG_ERR_OK;
}

/* --- single characters --- */

/* Maps a character to *n characters out[2]. */
static void change(ig_text_step_kind kind, uint32_t c, uint32_t out[2], int *n)
{
    out[0] = c;
    *n = 1;
    switch (kind) {
    case IG_TEXT_LOWERCASE:
        if (c == 0x130) { /* the one character whose lower case is two */
            out[0] = 'i';
            out[1] = 0x307;
            *n = 2;
        } else {
            out[0] = ig_char_lower(c);
        }
        break;
    case IG_TEXT_STRIP_ACCENTS:
        *n = !ig_char_is_mark(c);
        break;
    case IG_TEXT_NMT:
        if ((c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
            c == 0x9F)
            *n = 0;
        else if (c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                 (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                 c == 0xFEFF || c == 0xFFFD)
            out[0] = ' ';
        break;
    default:
        break;
    }
}

static ig_code change_each(ig_text_step_kind kind, const ig_byte_text *from, ig_byte_text *to,
                           ig_err *err)
{
    const uint8_t *end = from->text + from->n;
    for (const uint8_t *p = from->text; p < end;) {
        uint32_t c, out[2];
        int n;
        p += ig_utf8_next(p, end, &c);
        change(kind, c, out, &n);
        for (int i = 0; i < n; i++)
            IG_TRY(ig_byte_text_put(to, out[i], err));
    }
    return IG_ERR_OK;
}

/* --- strings --- */

static ig_code replace(const ig_text_step *s, const ig_byte_text *from, ig_byte_text *to,
                       ig_err *err)
{
    const int64_t n_what = (int64_t)strlen(s->what), n_with = (int64_t)strlen(s->with);
    for (int64_t i = 0; i < from->n;) {
        if (n_what > 0 && from->n - i >= n_what &&
            memcmp(from->text + i, s->what, (size_t)n_what) == 0) {
            IG_TRY(ig_byte_text_add(to, s->with, n_with, err));
            i += n_what;
        } else {
            IG_TRY(ig_byte_text_add(to, from->text + i++, 1, err));
        }
    }
    return IG_ERR_OK;
}

/* Returns the size in bytes of the run's next element at i; 0: another character. */
static int64_t element(const ig_text_step *s, const ig_byte_text *t, int64_t i)
{
    const int64_t n_what = (int64_t)strlen(s->what);
    uint32_t c;
    if (i >= t->n)
        return 0;
    if (!s->blank)
        return t->n - i >= n_what && memcmp(t->text + i, s->what, (size_t)n_what) == 0 ? n_what : 0;
    const int length = ig_utf8_next(t->text + i, t->text + t->n, &c);
    return u_isUWhiteSpace((UChar32)c) ? length : 0;
}

static ig_code replace_runs(const ig_text_step *s, const ig_byte_text *from, ig_byte_text *to,
                            ig_err *err)
{
    for (int64_t i = 0; i < from->n;) {
        int64_t end = i, n = 0;
        for (int64_t length; (length = element(s, from, end)) > 0; end += length)
            n++;
        if (n > 0 && n >= s->least) {
            IG_TRY(ig_byte_text_add(to, s->with, (int64_t)strlen(s->with), err));
        } else {
            end = n > 0 ? end : i + 1;
            IG_TRY(ig_byte_text_add(to, from->text + i, end - i, err));
        }
        i = end;
    }
    return IG_ERR_OK;
}

static ig_code replace_matches(const ig_text_step *s, const ig_byte_text *from, ig_byte_text *to,
                               ig_err *err)
{
    ig_text_spans spans = {0};
    ig_code code = ig_text_regex_spans(s->regex, from->text, from->n, &spans, err);
    for (int64_t i = 0; i < spans.n && code == IG_ERR_OK; i++) {
        const ig_text_span *p = &spans.span[i];
        code = p->match ? ig_byte_text_add(to, s->with, (int64_t)strlen(s->with), err)
                        : ig_byte_text_add(to, from->text + p->from, p->to - p->from, err);
    }
    ig_free(spans.span);
    return code;
}

static ig_code strip(const ig_text_step *s, const ig_byte_text *from, ig_byte_text *to, ig_err *err)
{
    int64_t begin = -1, end = 0;
    for (int64_t i = 0, length; i < from->n; i += length) {
        uint32_t c;
        length = ig_utf8_next(from->text + i, from->text + from->n, &c);
        if (u_isUWhiteSpace((UChar32)c))
            continue;
        begin = begin < 0 ? i : begin;
        end = i + length;
    }
    begin = !s->left ? 0 : begin < 0 ? from->n : begin;
    end = !s->right ? from->n : end;
    return ig_byte_text_add(to, from->text + begin, end > begin ? end - begin : 0, err);
}

/* --- the list of steps --- */

static void close_step(ig_text_step *s)
{
    ig_charsmap_free(s->map);
    ig_chars_free(s->chars);
    ig_text_regex_free(s->regex);
    IG_FREE(s->what, s->with);
    if (s->normal != NULL)
        unorm2_close(s->normal);
    if (s->known != NULL)
        uset_close(s->known);
}

ig_code ig_text_steps_add(ig_text_steps *s, ig_text_step step, ig_err *err)
{
    ig_code code = ig_grow(&s->step, &s->have, (int64_t)s->n + 1, sizeof *s->step, "steps", err);
    if (code == IG_ERR_OK && step.kind <= IG_TEXT_NFKD)
        code = open_normal(&step, err);
    if (code == IG_ERR_OK)
        s->step[s->n++] = step;
    else
        close_step(&step);
    return code;
}

void ig_text_steps_free(ig_text_steps *s)
{
    for (int i = 0; i < s->n; i++)
        close_step(&s->step[i]);
    ig_free(s->step);
    *s = (ig_text_steps){0};
}

static ig_code apply(const ig_text_step *s, const ig_byte_text *from, ig_byte_text *to, ig_err *err)
{
    to->n = 0;
    IG_TRY(ig_byte_text_add(to, "", 0, err));
    switch (s->kind) {
    case IG_TEXT_NFC:
    case IG_TEXT_NFD:
    case IG_TEXT_NFKC:
    case IG_TEXT_NFKD:
        return to_normal(s->normal, from, to, err);
    case IG_TEXT_LOWERCASE:
    case IG_TEXT_STRIP_ACCENTS:
    case IG_TEXT_NMT:
        return change_each(s->kind, from, to, err);
    case IG_TEXT_CHARSMAP:
        return ig_charsmap_apply(s->map, from->text, from->n, to, err);
    case IG_TEXT_REPLACE:
        return replace(s, from, to, err);
    case IG_TEXT_REPLACE_RUNS:
        return replace_runs(s, from, to, err);
    case IG_TEXT_REPLACE_REGEX:
        return replace_matches(s, from, to, err);
    case IG_TEXT_STRIP:
        return strip(s, from, to, err);
    case IG_TEXT_PREPEND:
        if (from->n > 0)
            IG_TRY(ig_byte_text_add(to, s->with, (int64_t)strlen(s->with), err));
        return ig_byte_text_add(to, from->text, from->n, err);
    case IG_TEXT_BERT:
        return ig_chars_normalize(s->chars, from->text, from->n, to, err);
    }
    return IG_ERR_OK;
}

/* Returns whether n > 0 bytes at the beginning, which `with` replaces, are one character that stays
 * one. */
static bool keeps_replaced(const ig_text_step *s, const ig_byte_text *from, int64_t n)
{
    uint32_t c;
    return s->with[0] != '\0' && ig_utf8_next(from->text, from->text + from->n, &c) == n;
}

static ig_code keeps_match(bool *kept, const ig_text_step *s, const ig_byte_text *from, ig_err *err)
{
    ig_text_spans spans = {0};
    const ig_code code = ig_text_regex_spans(s->regex, from->text, from->n, &spans, err);
    if (code == IG_ERR_OK && spans.n > 0 && spans.span[0].match && spans.span[0].to > 0)
        *kept = keeps_replaced(s, from, spans.span[0].to);
    ig_free(spans.span);
    return code;
}

/* Finds whether the text begins with what its first character becomes. */
static ig_code keeps_first(bool *kept, const ig_text_step *s, const ig_byte_text *from, ig_err *err)
{
    uint32_t c, out[2];
    int n = 1;
    int64_t size = 0;
    if (from->n == 0)
        return IG_ERR_OK;
    ig_utf8_next(from->text, from->text + from->n, &c);
    change(s->kind, c, out, &n);
    *kept = n > 0;
    if (s->kind == IG_TEXT_STRIP) {
        *kept = !s->left || !u_isUWhiteSpace((UChar32)c);
    } else if (s->kind == IG_TEXT_REPLACE) {
        size = (int64_t)strlen(s->what);
        if (size > from->n || memcmp(from->text, s->what, (size_t)size) != 0)
            size = 0;
    } else if (s->kind == IG_TEXT_REPLACE_RUNS) {
        int least = 0;
        for (int64_t length; (length = element(s, from, size)) > 0; size += length)
            least++;
        size = least < s->least ? 0 : size;
    } else if (s->kind == IG_TEXT_REPLACE_REGEX) {
        return keeps_match(kept, s, from, err);
    } else if (s->kind == IG_TEXT_BERT) {
        ig_byte_text left = {0};
        const int length = ig_utf8_next(from->text, from->text + from->n, &c);
        const ig_code code = ig_chars_normalize(s->chars, from->text, length, &left, err);
        *kept = left.n > 0;
        ig_free(left.text);
        return code;
    }
    if (size > 0)
        *kept = keeps_replaced(s, from, size);
    return IG_ERR_OK;
}

ig_code ig_text_steps_apply(const ig_text_steps *s, ig_byte_text *text, ig_byte_text *spare,
                            bool *kept, ig_err *err)
{
    for (int i = 0; i < s->n; i++) {
        if (*kept)
            IG_TRY(keeps_first(kept, &s->step[i], text, err));
        IG_TRY(apply(&s->step[i], text, spare, err));
        const ig_byte_text t = *text;
        *text = *spare;
        *spare = t;
    }
    return IG_ERR_OK;
}
