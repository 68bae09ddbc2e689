/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures: each kind in each format is well formed, holds the texts it was given, has no coordinate
 * that is not a number, is the same twice; missing and hostile input is drawn as far as it goes;
 * there is room for words of every script.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "figure_fixture.h"
#include "report/figure/palette.h"
#include "report/figure/svg_convert.h"
#include "report/figure/typeset.h"

#include <ctype.h>
#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The elements of an SVG: tags closed in order, attributes in quotes, every number of a coordinate
 * finite (neither "nan" nor "inf" occurs in an attribute), ids begin with `id` and are unique.
 * Returns the number of elements. */
static int check_svg(const char *svg, const char *id)
{
    char open[64][32], ids[64][64];
    int depth = 0, n = 0, n_id = 0;
    for (const char *p = svg; (p = strchr(p, '<')) != NULL;) {
        if (p[1] == '/') {
            assert_true(depth > 0);
            size_t size = strlen(open[--depth]);
            assert_memory_equal(p + 2, open[depth], size);
            assert_int_equal(p[2 + size], '>');
            p += 2 + size;
            continue;
        }
        n++;
        size_t size = 0;
        for (p++; isalpha((unsigned char)*p); p++)
            open[depth][size++] = *p;
        open[depth][size] = '\0';
        assert_true(size > 0 && size < 32);
        while (*p == ' ') {
            const char *name = ++p;
            while (isalpha((unsigned char)*p) || *p == '-' || *p == ':' ||
                   isdigit((unsigned char)*p))
                p++;
            assert_true(p > name && p[0] == '=' && p[1] == '"');
            const char *value = p + 2, *end = strchr(value, '"');
            assert_non_null(end);
            bool place = strncmp(name, "d=", 2) == 0 || strncmp(name, "x=", 2) == 0 ||
                         strncmp(name, "y=", 2) == 0 || strncmp(name, "width=", 6) == 0;
            for (const char *q = value; place && q < end;) {
                char *next;
                double v = strtod(q, &next);
                assert_true(fabs(v) < 1e4); /* near the page */
                q = next > q ? next : q + 1;
            }
            bool label = strncmp(name, "aria", 4) == 0 || strncmp(name, "font-family", 11) == 0 ||
                         strncmp(name, "href", 4) == 0;
            for (const char *q = value; q < end; q++) {
                assert_true(*q != '<' && (unsigned char)*q >= ' ');
                if (!label)
                    assert_false(strncasecmp(q, "nan", 3) == 0 || strncasecmp(q, "inf", 3) == 0);
            }
            if (strncmp(name, "id=", 3) == 0) {
                assert_true(n_id < 64 && end - value < 64);
                memcpy(ids[n_id], value, (size_t)(end - value));
                ids[n_id][end - value] = '\0';
                assert_int_equal(strncmp(ids[n_id], id, strlen(id)), 0);
                for (int i = 0; i < n_id; i++)
                    assert_string_not_equal(ids[i], ids[n_id]);
                n_id++;
            }
            p = end + 1;
        }
        if (*p == '/')
            p++;
        else
            assert_true(++depth < 64);
        assert_int_equal(*p, '>');
    }
    assert_int_equal(depth, 0);
    return n;
}

static char *svg_of(const ig_figure *f)
{
    ig_err err;
    char *out;
    int64_t n;
    const ig_figure_output o = {.format = IG_FIGURE_SVG, .id = "fig1"};
    assert_ok(ig_figure_render(&out, &n, f, &o, &err), &err);
    assert_int_equal(strlen(out), n);
    check_svg(out, "fig1");
    return out;
}

static ig_code make(ig_figure *f, int kind, ig_err *err)
{
    switch (kind) {
    case 0:
        return figure_curves(f, 1, err);
    case 1:
        return figure_curves(f, 5, err);
    case 2:
        return figure_positions(f, 64, err);
    case 3:
        return figure_similarities(f, err);
    case 4:
        return figure_layers(f, 4, 5, err);
    case 5:
        return figure_scatter(f, 30, true, err);
    case 6:
        return figure_scatter(f, 2048, false, err);
    default:
        return figure_values(f, err);
    }
}
enum { N_KIND = 8 };

/* How many pixels are not white, and the picture's size: read by cairo, which librsvg has loaded.
 */
static int64_t ink_of(const char *path, int *w, int *h)
{
    void *lib = dlopen("librsvg-2.so.2", RTLD_LAZY), *(*open_png)(const char *), (*close)(void *);
    int (*status)(void *), (*width)(void *), (*height)(void *), (*stride)(void *);
    unsigned char *(*data)(void *);
    const struct {
        void *to;
        const char *name;
    } all[] = {{&open_png, "cairo_image_surface_create_from_png"},
               {&close, "cairo_surface_destroy"},
               {&status, "cairo_surface_status"},
               {&width, "cairo_image_surface_get_width"},
               {&height, "cairo_image_surface_get_height"},
               {&stride, "cairo_image_surface_get_stride"},
               {&data, "cairo_image_surface_get_data"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *f = dlsym(lib, all[i].name);
        assert_non_null(f);
        memcpy(all[i].to, &f, sizeof f);
    }
    void *s = open_png(path);
    assert_int_equal(status(s), 0);
    *w = width(s);
    *h = height(s);
    int64_t n = 0;
    for (int y = 0; y < *h; y++) {
        const unsigned char *row = data(s) + (size_t)y * (size_t)stride(s);
        for (int x = 0; x < *w; x++)
            n += row[4 * x] != 255 || row[4 * x + 1] != 255 || row[4 * x + 2] != 255;
    }
    close(s);
    dlclose(lib);
    return n;
}

static void every_kind_in_every_format(void **state)
{
    (void)state;
    ig_err err;
    char dir[] = "/tmp/isoglot-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const int n_format = ig_svg_convert_begin(NULL) == IG_ERR_OK ? 3 : 1;
    if (n_format == 1)
        print_message("skipped: no librsvg for PDF and PNG\n");
    for (int kind = 0; kind < N_KIND; kind++) {
        ig_figure f = {0}, again = {0};
        assert_ok(make(&f, kind, &err), &err);
        assert_ok(make(&again, kind, &err), &err);
        for (int format = 0; format < n_format; format++) {
            const ig_figure_output o = {.format = (ig_figure_format)format, .id = "x", .dpi = 150};
            char *a, *b, path[128];
            int64_t na, nb;
            assert_ok(ig_figure_render(&a, &na, &f, &o, &err), &err);
            assert_ok(ig_figure_render(&b, &nb, &again, &o, &err), &err);
            assert_int_equal(na, nb);
            assert_memory_equal(a, b, na);
            snprintf(path, sizeof path, "%s/f.%s", dir,
                     format == 0   ? "svg"
                     : format == 1 ? "pdf"
                                   : "png");
            assert_ok(ig_figure_write(&f, path, 150, &err), &err);
            if (format == 0)
                assert_true(check_svg(a, "x") > 10 && na < 300000);
            if (format == 1) {
                assert_memory_equal(a, "%PDF-", 5);
                assert_memory_equal(a + na - 6, "%%EOF\n", 6);
            }
            if (format == 2) {
                int w, h;
                int64_t ink = ink_of(path, &w, &h);
                bool wide = kind == 1;
                assert_true(abs(w - (int)((wide ? 175 : 85) / 25.4 * 150 + 1)) <= 1);
                assert_true(h > 50 && h < 3 * w);
                assert_true(ink > (int64_t)w * h / 100 && ink < (int64_t)w * h);
            }
            ig_free(a);
            ig_free(b);
        }
        ig_figure_free(&f);
        ig_figure_free(&again);
    }
    assert_ok(ig_dir_remove(dir, &err), &err);
}

static void texts_are_texts(void **state)
{
    (void)state;
    ig_err err;
    ig_figure f = {0};
    assert_ok(figure_curves(&f, 1, &err), &err);
    f.panel[0].title = "a & <b> \"c\"";
    char *svg = svg_of(&f);
    const char *const want[] = {">original</text>",
                                ">lang-pos</text>",
                                ">updates</text>",
                                ">a &amp; &lt;b&gt; &quot;c&quot;</text>",
                                ">0</text>",
                                ">13.5k</text>",
                                ">multilinguality \316\274</text>",
                                "<title id=\"fig1-title\">"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (strstr(svg, want[i]) == NULL)
            fail_msg("no %s", want[i]);
    ig_free(svg);
    ig_figure_free(&f);

    /* Right to left: what stands right of its cell still ends there. */
    assert_ok(figure_similarities(&f, &err), &err);
    svg = svg_of(&f);
    for (int i = 0; i < FIGURE_N_SCRIPT; i++)
        assert_non_null(strstr(svg, figure_scripts[i]));
    const char *arabic = strstr(svg, figure_scripts[1]);
    const char *tag = arabic;
    while (*tag != '<')
        tag--;
    char element[256] = {0};
    memcpy(element, tag, (size_t)(arabic - tag));
    assert_non_null(strstr(element, "direction=\"rtl\""));
    assert_null(strstr(element, "text-anchor")); /* right end: the start of such a text */
    ig_free(svg);
    assert_ok(ig_figure_svg(&svg, &f, "two words;\"", &err), &err);
    check_svg(svg, "two_words__");
    assert_null(strstr(svg, "#ffffff\" stroke=\"none\""));
    ig_free(svg);
    ig_figure_free(&f);
}

static uint32_t word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Many cells are a PNG of a pixel each: its chunks, its checksums, and every colour. */
static void many_cells_are_an_image(void **state)
{
    (void)state;
    enum { n = 64 };
    ig_err err;
    ig_figure f = {0};
    assert_ok(figure_positions(&f, n, &err), &err);
    char *svg = svg_of(&f);
    static unsigned char png[100000], rows[n * (3 * n + 1)];
    const char *from = strstr(svg, "data:image/png;base64,");
    assert_non_null(from);
    from += strlen("data:image/png;base64,");
    assert_true(EVP_DecodeBlock(png, (const unsigned char *)from, (int)strcspn(from, "\"")) > 0);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    const unsigned char *p = png + 8;
    static const char *const chunk[] = {"IHDR", "IDAT", "IEND"};
    for (int i = 0; i < 3; i++) {
        const uint32_t size = word(p);
        uLongf room = sizeof rows;
        assert_memory_equal(p + 4, chunk[i], 4);
        assert_true(word(p + 8 + size) == crc32(0, p + 4, size + 4));
        if (i == 0)
            assert_true(word(p + 8) == n && word(p + 12) == n);
        if (i == 1)
            assert_true(uncompress(rows, &room, p + 8, size) == Z_OK && room == sizeof rows);
        p += 12 + size;
    }
    const ig_plot_matrix *m = &f.panel[0].as.matrix;
    for (int i = 0; i < n * n; i++) {
        const unsigned char *at = rows + i / n * (3 * n + 1) + 1 + 3 * (i % n);
        const double v = round((m->value[i] + 1) * 64) / 128; /* in 128 shades of −1 … 1 */
        assert_true(ig_map_colour(IG_MAP_DIVERGING, v) ==
                    ((uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]));
    }
    ig_free(svg);
    ig_figure_free(&f);
}

/* Widths of the words of figure_scripts in Noto's fonts, shaped by HarfBuzz, in em: an estimate is
 * hardly less, or words would overlap, and at most half as much more. */
static void room_for_every_script(void **state)
{
    (void)state;
    static const double em[FIGURE_N_SCRIPT] = {2.88, 3.25, 1.0,  1.62, 2,    2,   1,
                                               2.55, 1.93, 1.53, 1.23, 2.06, 3.42};
    const ig_text_style s = {.size = 1};
    for (int i = 0; i < FIGURE_N_SCRIPT; i++) {
        const double w = ig_type_width(figure_scripts[i], &s);
        if (w < 0.95 * em[i] || w > 1.45 * em[i])
            fail_msg("%s: %g em, Noto's font has %g", figure_scripts[i], w, em[i]);
    }
}

static const double strange[] = {
    (double)NAN, (double)INFINITY, -(double)INFINITY, 0, -0.0, 1e308, -1e308, 1e-320, -1, 5};
enum { N_STRANGE = sizeof strange / sizeof *strange };

static void strange_numbers(void **state)
{
    (void)state;
    ig_err err;
    for (int scale = 0; scale < 9; scale++)
        for (int n = 0; n <= N_STRANGE; n++) {
            ig_figure f = {0};
            ig_panel *p;
            assert_ok(ig_figure_panels(&f, IG_PLOT_CURVES, 1, &p, &err), &err);
            ig_plot_curves *v = &p->as.curves;
            v->n_series = 2;
            assert_ok(ig_figure_series(&f, &v->series, 2, &err), &err);
            v->x.scale = (ig_plot_scale)(scale % 3);
            v->y.scale = (ig_plot_scale)(scale / 3);
            for (int i = 0; i < 2; i++) {
                v->series[i].name = i ? "" : "strange";
                v->series[i].n = n;
                v->series[i].x = v->series[i].y = strange;
                v->series[i].low = v->series[i].high = strange;
                v->series[i].onset = strange[n % N_STRANGE];
            }
            char *svg = svg_of(&f);
            assert_true(n > 3 || scale > 0 || strstr(svg, "no data") != NULL);
            ig_free(svg);
            ig_figure_free(&f);
        }
}

static void strange_matrices_and_points(void **state)
{
    (void)state;
    ig_err err;
    ig_figure f = {0};
    char *svg;
    for (int map = 0; map < 2; map++)
        for (int n = 0; n <= N_STRANGE; n++) {
            ig_panel *p;
            assert_ok(ig_figure_panels(&f, IG_PLOT_MATRIX, 1, &p, &err), &err);
            p->as.matrix = (ig_plot_matrix){.rows = n > 0,
                                            .cols = n,
                                            .value = strange,
                                            .map = (ig_plot_map)map,
                                            .low = (double)NAN,
                                            .high = (double)NAN,
                                            .digits = 2};
            assert_ok(ig_figure_panels(&f, IG_PLOT_SCATTER, 1, &p, &err), &err);
            p->as.scatter.n_group = 1;
            assert_ok(ig_pool_alloc(&f.pool, &p->as.scatter.group, 1, sizeof(ig_plot_group), &err),
                      &err);
            p->as.scatter.group[0] = (ig_plot_group){.n = n / 2, .xy = strange};
            assert_ok(ig_figure_panels(&f, IG_PLOT_VALUES, 1, &p, &err), &err);
            ig_plot_value *value;
            assert_ok(ig_pool_alloc(&f.pool, &value, n, sizeof *value, &err), &err);
            for (int i = 0; i < n; i++)
                value[i] = (ig_plot_value){"",
                                           strange[i],
                                           strange[n - 1],
                                           strange[i],
                                           strange[(i + 3) % N_STRANGE],
                                           strange,
                                           n,
                                           i};
            p->as.values.value = value;
            p->as.values.n_value = n;
            svg = svg_of(&f);
            ig_free(svg);
            ig_figure_free(&f);
        }
    /* Nothing at all, and texts that are no texts. */
    svg = svg_of(&f);
    assert_non_null(strstr(svg, "no data"));
    ig_free(svg);
    assert_ok(figure_values(&f, &err), &err);
    f.panel[0].as.values.value[0].name = "\xff\xfe bad \x01\n\t \xf0\x9f";
    f.panel[0].as.values.value[1].name = NULL;
    f.panel[0].title = "a title that is far longer than the column is wide, so that it must be cut "
                       "and ends in three dots";
    svg = svg_of(&f);
    assert_non_null(strstr(svg, "\342\200\246</text>"));
    assert_non_null(strstr(svg, "\357\277\275 bad"));
    ig_free(svg);
    ig_figure_free(&f);
}

static void files(void **state)
{
    (void)state;
    ig_err err;
    ig_figure f = {0};
    ig_figure_format format;
    assert_ok(figure_values(&f, &err), &err);
    assert_int_equal(ig_figure_write(&f, "/tmp/figure.jpeg", 0, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, ".svg, .pdf or .png"));
    assert_int_equal(ig_figure_format_of(&format, ".svg", &err), IG_ERR_USAGE);
    assert_int_equal(ig_figure_write(&f, "/nowhere/figure.svg", 0, &err), IG_ERR_IO);
    ig_figure_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_in_every_format),
                                       cmocka_unit_test(texts_are_texts),
                                       cmocka_unit_test(room_for_every_script),
                                       cmocka_unit_test(many_cells_are_an_image),
                                       cmocka_unit_test(strange_numbers),
                                       cmocka_unit_test(strange_matrices_and_points),
                                       cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
