/* SPDX-License-Identifier: Apache-2.0
 *
 * Which characters are words of their own: the ideographs of BERT's tokenizer, each block at both
 * of its ends and in its middle, and letters of neighbouring blocks, which are not.
 */
#include "test.h"

#include "corpus/phrase.h"
#include "text/normalize.h"
#include "text/utf8.h"

#include <string.h>

static ig_err err;

/* Into how many words "aXb" is cut. */
static int32_t words_with(const ig_chars *chars, uint32_t c)
{
    ig_phrase p = {0};
    uint8_t text[8] = {'a'};
    assert_ok(ig_phrase_clear(&p, &err), &err);
    const int n = ig_utf8_put(text + 1, c);
    text[1 + n] = 'b';
    assert_ok(ig_phrase_read(&p, chars, (const char *)text, n + 2, &err), &err);
    const int32_t words = p.n;
    ig_phrase_free(&p);
    return words;
}

static void ideographs_stand_alone(void **state)
{
    (void)state;
    /* First, last and one within; of the Unicode Standard's blocks (CJK Unified, its extensions A
     * to E, compatibility, its supplement), as far as they are assigned. */
    static const uint32_t of[] = {0x4E00,  0x6587,  0x9FA5,  0x3400,  0x3A00,  0x4DB5,
                                  0x20000, 0x25000, 0x2A6D6, 0x2A700, 0x2B000, 0x2B734,
                                  0x2B740, 0x2B7F0, 0x2B81D, 0x2B920, 0x2C000, 0x2CEA1,
                                  0xF900,  0xFA10,  0xFAD9,  0x2F800, 0x2F900, 0x2FA1D};
    static const uint32_t not_of[] = {'x', 0xE9, 0x3042, 0x30AB, 0xA000, 0xAC00, 0xFB01, 0x1F00};
    ig_chars *chars;
    assert_ok(ig_chars_new(&chars, &(ig_chars_rules){0}, &err), &err);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (words_with(chars, of[i]) != 3)
            fail_msg("U+%04X is no word of its own", (unsigned)of[i]);
    for (size_t i = 0; i < sizeof not_of / sizeof *not_of; i++)
        if (words_with(chars, not_of[i]) != 1)
            fail_msg("U+%04X is a word of its own", (unsigned)not_of[i]);
    ig_chars_free(chars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ideographs_stand_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
