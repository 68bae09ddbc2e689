/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as text against strtod and printf in the locale of C, in that one and in locales whose
 * decimal point is a comma and a character of two bytes.
 */
#include "locale_fixture.h"

#include "base/rng.h"
#include "base/settings/options.h"
#include "base/number_text.h"
#include "embed/vectors/decimal.h"

#include <float.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Texts that are numbers, where they end, and texts that are not. */
static void read_and_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double x;
        int n; /* bytes of the number; −1: none */
    } all[] = {{"0", 0, 1},         {"-0.0", 0, 4},
               {"0e9", 0, 3},       {"12", 12, 2},
               {"+1.5", 1.5, 4},    {"-2e-3", -2e-3, 5},
               {".5", .5, 2},       {"5.", 5, 2},
               {"1e308", 1e308, 5}, {"1e-310", 1e-310, 6},
               {"3 apples", 3, 1},  {"1e", 1, 1},
               {"1e+", 1, 1},       {"1_000", 1, 1},
               {"1,5", 1, 1},       {"1.5.2", 1.5, 3},
               {"", 0, -1},         {" 5", 0, -1},
               {"\t5", 0, -1},      {"-", 0, -1},
               {".", 0, -1},        {"--5", 0, -1},
               {"e5", 0, -1},       {"nan", 0, -1},
               {"inf", 0, -1},      {"-infinity", 0, -1},
               {"0x10", 0, -1},     {"0x1p3", 0, -1},
               {"1e999", 0, -1},    {"-1e999", 0, -1},
               {"1e-400", 0, -1},   {"0.00000000000000000000000000000000000000001e-300", 0, -1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double x = 7;
        const char *end = NULL;
        const bool found = ig_number_parse(&x, all[i].text, &end);
        if (found != (all[i].n >= 0) || (found && (end != all[i].text + all[i].n || x != all[i].x)))
            fail_msg("%s: %d %g", all[i].text, found, x);
        if (!found)
            assert_true(x == 7 && end == NULL);
        if (ig_number_read(&x, all[i].text) != (all[i].n == (int)strlen(all[i].text)))
            fail_msg("%s", all[i].text);
    }
}

/* Any double comes back from as few digits as do it. */
static void there_and_back(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = (uint64_t)ig_rng_u32(&r) << 32 | ig_rng_u32(&r);
        double x, back;
        char text[40], shorter[40];
        memcpy(&x, &bits, sizeof x);
        if (i % 2 == 0)
            x = (double)ig_rng_u32(&r) / (1 + ig_rng_u32(&r) % 1000);
        ig_number_print(text, sizeof text, x);
        if (!isfinite(x)) {
            assert_string_equal(text, "");
            continue;
        }
        assert_true(ig_number_read(&back, text) && back == x);
        assert_null(strchr(text, ','));
        int n = 1;
        do
            snprintf(shorter, sizeof shorter, "%.*e", n - 1, x);
        while (strtod(shorter, NULL) != x && ++n < 17);
        const size_t digits = strcspn(text, "e") - (strchr(text, '.') != NULL) - (x < 0);
        assert_true((fabs(x) < 1e18 && (double)(int64_t)x == x) || digits >= (size_t)n);
    }
    assert_true(ig_number_of_float(.1f) == .1 && ig_number_of_float(FLT_MAX) == 3.4028235e38);
    assert_true(ig_number_float("16777217.5") == 16777218.f);
}

/* The results are equal if the program's locale has another decimal point: parsing, printing,
 * options, jansson, vectors; and the program's locale is unchanged. */
static void other_points(void **state)
{
    (void)state;
    for (int i = 0; i < N_LOCALE; i++) {
        if (!in_locale(i))
            continue;
        read_and_refused(NULL);
        char text[64];
        ig_number_print(text, sizeof text, -1.25e-3);
        assert_string_equal(text, "-0.00125");
        snprintf(text, sizeof text, "%.1f", 1.5);
        assert_null(strchr(text, '.'));
        float x = 0;
        const char *p = "1.00000000000000000000001e-30 ";
        assert_true(ig_decimal_read(&p, &x) && x == 1e-30f && *p == ' ');
        text[ig_decimal_write(text, 1.5e-30f)] = '\0';
        assert_string_equal(text, "1.5e-30");
        {
            IG_PLAIN_NUMBERS;
            json_t *j = json_loads("[1.5]", 0, NULL);
            assert_true(json_real_value(json_array_get(j, 0)) == 1.5);
            char *dumped = json_dumps(j, 0);
            assert_string_equal(dumped, "[1.5]");
            free(dumped);
            json_decref(j);
        }
        ig_fail(&err, IG_ERR_INPUT, "", 0, "found %g", 2.5);
        assert_string_equal(err.msg, "found 2.5");
        snprintf(text, sizeof text, "%.1f", 1.5);
        assert_null(strchr(text, '.'));
        in_c_locale();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_and_refused),
                                       cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(other_points)};
    return cmocka_run_group_tests(tests, locales_setup, locales_teardown);
}
