/* SPDX-License-Identifier: Apache-2.0
 *
 * Axes, colours and texts of figures, by their properties.
 */
#include "test.h"

#include "report/figure/axis.h"
#include "report/figure/palette.h"
#include "report/figure/typeset.h"

#include <string.h>

static void ticks_lie_on_the_axis(void **state)
{
    (void)state;
    static const double low[] = {0, 1.1, 0.1, 1, -1, 1e-7, 3, 1, 0.03, 17, 1e9},
                        high[] = {1, 4, 0.7, 13500, 1, 1e-5, 4, 2, 12, 17.001, 3e15};
    for (int scale = 0; scale < 3; scale++)
        for (size_t k = 0; k < sizeof low / sizeof *low; k++)
            for (int wanted = 1; wanted < 12; wanted++) {
                if (scale == IG_SCALE_LOG && !(low[k] > 0))
                    continue;
                const ig_axis a = {.scale = (ig_plot_scale)scale,
                                   .low = low[k],
                                   .high = high[k],
                                   .from = 100,
                                   .to = 300};
                ig_tick t[IG_TICK_MAX];
                int n = ig_axis_ticks(&a, wanted, t), n_text = 0;
                assert_true(n >= 1 && n <= IG_TICK_MAX);
                for (int i = 0; i < n; i++) {
                    double at = ig_axis_at(&a, t[i].value);
                    assert_true(at >= 100 - 1e-9 && at <= 300 + 1e-9);
                    assert_true(i == 0 || t[i].value > t[i - 1].value);
                    if (t[i].text[0] == '\0')
                        continue;
                    n_text++;
                    for (int j = 0; j < i; j++) /* no two ticks read the same */
                        assert_true(t[j].text[0] == '\0' || strcmp(t[j].text, t[i].text) != 0);
                }
                assert_true(n_text >= 2 && n_text <= 3 * wanted + 3);
            }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double v, step;
        const char *text;
    } want[] = {{0, 1, "0"},
                {0.25, 0.05, "0.25"},
                {1, 0.5, "1.0"},
                {12, 2, "12"},
                {1000, 1000, "1k"},
                {1500, 500, "1.5k"},
                {-3, 1, "\342\210\2223"},
                {2000000, 1000000, "2M"},
                {1e-5, 1e-5, "10\342\201\273\342\201\265"},
                {1e-17, 0.1, "0"},
                {0.001, 0.001, "0.001"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char text[24];
        ig_axis_number(text, sizeof text, want[i].v, want[i].step);
        assert_string_equal(text, want[i].text);
    }
}

static void scales(void **state)
{
    (void)state;
    const ig_axis log = {.scale = IG_SCALE_LOG, .low = 1, .high = 10000, .from = 0, .to = 4},
                  sym = {.scale = IG_SCALE_SYMLOG, .low = 0, .high = 1000, .from = 0, .to = 1};
    assert_true(fabs(ig_axis_at(&log, 100) - 2) < 1e-12);
    assert_true(isnan(ig_axis_at(&log, 0)) && isnan(ig_axis_at(&log, -1)));
    assert_true(fabs(ig_axis_at(&sym, 0)) < 1e-12 && fabs(ig_axis_at(&sym, 1000) - 1) < 1e-12);
    double last = -1;
    for (double v = 0; v < 1000; v += 0.25) {
        double at = ig_axis_at(&sym, v);
        assert_true(at > last);
        last = at;
    }
    /* Equal factors are equal steps beyond 1. */
    assert_true(fabs((ig_axis_at(&sym, 10) - ig_axis_at(&sym, 1)) -
                     (ig_axis_at(&sym, 1000) - ig_axis_at(&sym, 100))) < 1e-12);
}

static void colours(void **state)
{
    (void)state;
    double last = 2;
    for (int i = 0; i <= 100; i++) {
        double y = ig_colour_luminance(ig_map_colour(IG_MAP_SEQUENTIAL, i / 100.0));
        assert_true(y <= last + 1e-9);
        last = y;
    }
    assert_true(last < 0.05);
    for (int i = 0; i < 50; i++) {
        double a = ig_colour_luminance(ig_map_colour(IG_MAP_DIVERGING, i / 100.0)),
               b = ig_colour_luminance(ig_map_colour(IG_MAP_DIVERGING, (i + 1) / 100.0)),
               c = ig_colour_luminance(ig_map_colour(IG_MAP_DIVERGING, 1 - i / 100.0)),
               d = ig_colour_luminance(ig_map_colour(IG_MAP_DIVERGING, 1 - (i + 1) / 100.0));
        assert_true(b >= a - 1e-9 && d >= c - 1e-9);
    }
    assert_true(ig_map_colour(IG_MAP_DIVERGING, (double)NAN) == ig_map_colour(IG_MAP_DIVERGING, 0));
    for (int i = -3; i < 20; i++)
        assert_true(1.05 / (ig_colour_luminance(ig_style_ink(i)) + 0.05) >= 4.5);
    for (int i = 0; i < IG_N_MARK; i++) /* colour, dash and mark all differ */
        for (int j = 0; j < i; j++) {
            int n;
            assert_true(ig_style_colour(i) != ig_style_colour(j));
            assert_true(ig_style_mark(i) != ig_style_mark(j));
            assert_true(ig_dash(i, &n) != ig_dash(j, &n));
        }
}

static void texts(void **state)
{
    (void)state;
    char out[IG_TEXT_MAX], longer[600];
    const ig_text_style s = {.size = 7};
    assert_true(ig_type_width("", &s) < 1e-9 && ig_type_width(NULL, &s) < 1e-9);
    /* Noto Sans has .561, .615 and .480 of the size for these letters. */
    double w = ig_type_width("abc", &s);
    assert_true(fabs(w - 7 * (.561 + .615 + .48)) < 0.1);
    const ig_text_style twice = {.size = 14};
    assert_true(fabs(ig_type_width("abc", &twice) - 2 * w) < 0.1);
    ig_type_fit(out, "abc", &s, w + 1);
    assert_string_equal(out, "abc");
    ig_type_fit(out, "abcdefghijklmnop", &s, 25);
    assert_true(strlen(out) > 4 && strcmp(out + strlen(out) - 3, "\342\200\246") == 0);
    assert_true(ig_type_width(out, &s) <= 25);
    ig_type_fit(out, "abc", &s, 0);
    assert_string_equal(out, "\342\200\246");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ig_type_fit(out, longer, &s, 1e9);
    assert_int_equal(strlen(out), IG_TEXT_MAX - 1);
    ig_type_fit(out, longer, &s, 50);
    assert_true(ig_type_width(out, &s) <= 50);
    /* An accent is not parted from its letter: "e" + U+0301, twelve times. */
    longer[0] = '\0';
    for (int i = 0; i < 12; i++)
        strcat(longer, "e\314\201");
    for (int k = 5; k < 60; k++) {
        ig_type_fit(out, longer, &s, k);
        size_t n = strlen(out);
        if (n >= 3 && strcmp(out + n - 3, "\342\200\246") == 0)
            n -= 3;
        assert_int_equal(n % 3, 0);
    }
    assert_true(ig_type_is_rtl("\327\221\327\231\327\252"));
    assert_true(ig_type_is_rtl("(\327\221"));
    assert_true(ig_type_is_rtl("12 \331\205"));
    assert_false(ig_type_is_rtl("abc \327\221"));
    assert_false(ig_type_is_rtl("12"));
}

/* Ticks where they are wanted, with the numbers that are meant; what the axis does not have is left
 * out. */
static void ticks_at_values(void **state)
{
    (void)state;
    static const double at[] = {0, 500, 2000, 13500, 30000, 1e6};
    static const char *const text[] = {"500", "2k", "13.5k", "30k"};
    const ig_plot_axis plot = {.scale = IG_SCALE_LOG, .low = (double)NAN, .high = (double)NAN};
    ig_range r = {0};
    ig_axis a;
    ig_tick t[IG_TICK_MAX];
    ig_range_add(&r, IG_SCALE_LOG, 500);
    ig_range_add(&r, IG_SCALE_LOG, 30000);
    ig_axis_set(&a, &plot, &r, 0);
    ig_axis_tick_at(&a, at, 6);
    assert_int_equal(ig_axis_ticks(&a, 3, t), 4);
    for (int i = 0; i < 4; i++) {
        assert_true(t[i].value == at[i + 1]);
        assert_string_equal(t[i].text, text[i]);
    }
    ig_axis_set(&a, &plot, &r, 0); /* nothing is left of it */
    assert_int_not_equal(ig_axis_ticks(&a, 3, t), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_at_values), cmocka_unit_test(ticks_lie_on_the_axis),
        cmocka_unit_test(numbers),         cmocka_unit_test(scales),
        cmocka_unit_test(colours),         cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
