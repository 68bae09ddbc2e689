/* SPDX-License-Identifier: Apache-2.0
 *
 * Text shaped by pango. Hinting and rounding of metrics are off, so that a text is as wide on paper
 * as on a screen and a figure's layout does not depend on its resolution.
 */
#include "report/figure/typeset.h"

#include "base/memory.h"
#include "report/figure/pango.h"

#include <string.h>
#include <unicode/utf8.h>

const char *const ig_typeset_families = "Noto Sans,DejaVu Sans,Helvetica,Arial,sans-serif";

static const char *const files[] = {"libpangocairo-1.0.so.0", "libpangocairo-1.0.0.dylib", NULL};
ig_on_demand ig_libpango = {
    .file = files, .what = "figures", .install = "pango with cairo (Debian: libpangocairo-1.0-0)"};

struct ig_typesetter {
    PangoFontMap *map;
    PangoContext *context;
    PangoLayout *layout;
    int n_missing;
    char first[IG_TEXT_MAX];
};

ig_code ig_typesetter_new(ig_typesetter **out, ig_err *err)
{
    *out = NULL;
    IG_TRY(ig_on_demand_load(&ig_libpango, err));
    IG_TRY(ig_alloc(out, 1, sizeof **out, "typesetter", err));
    ig_typesetter *t = *out;
    /* The thread's own: fonts that a figure has opened are there for the next one. */
    t->map = g_object_ref(pango_cairo_font_map_get_default());
    t->context = pango_font_map_create_context(t->map);
    cairo_font_options_t *how = cairo_font_options_create();
    cairo_font_options_set_antialias(how, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(how, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(how, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(t->context, how);
    cairo_font_options_destroy(how);
    pango_cairo_context_set_resolution(t->context, 72);
    pango_context_set_round_glyph_positions(t->context, FALSE);
    /* The shape of some letters depends on the language; not on this machine's. */
    pango_context_set_language(t->context, pango_language_from_string("en"));
    t->layout = pango_layout_new(t->context);
    pango_layout_set_single_paragraph_mode(t->layout, TRUE);
    return IG_ERR_OK;
}

void ig_typesetter_free(ig_typesetter *t)
{
    if (t == NULL)
        return;
    g_object_unref(t->layout);
    g_object_unref(t->context);
    g_object_unref(t->map);
    ig_free(t);
}

void ig_type_clean(char out[IG_TEXT_MAX], const char *text)
{
    static const char replacement[] = "\357\277\275"; /* U+FFFD */
    size_t n = 0;
    for (const char *p = text != NULL ? text : ""; *p != '\0';) {
        int32_t end = 0;
        UChar32 u;
        U8_NEXT((const uint8_t *)p, end, -1, u);
        bool valid = u >= 0;
        size_t size = valid ? (size_t)end : 1;
        /* What XML cannot hold, and what would break the line. */
        bool good = valid && u >= 0x20 && u != 0x7f && !(u >= 0x80 && u < 0xa0) && u != 0x2028 &&
                    u != 0x2029 && (u & 0xfffe) != 0xfffe;
        const char *from = good ? p : replacement;
        size_t take = good ? size : sizeof replacement - 1;
        if (n + take >= IG_TEXT_MAX)
            break;
        memcpy(out + n, from, take);
        n += take;
        p += size;
    }
    out[n] = '\0';
}

void *ig_type_layout(ig_typesetter *t, const char *text, const ig_text_style *s)
{
    char clean[IG_TEXT_MAX];
    ig_type_clean(clean, text);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, ig_typeset_families);
    pango_font_description_set_absolute_size(font, s->size * PANGO_SCALE);
    pango_font_description_set_weight(font, s->bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(t->layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(t->layout, clean, -1);
    return t->layout;
}

bool ig_type_is_rtl(ig_typesetter *t, const char *text, const ig_text_style *s)
{
    PangoLayoutLine *line = pango_layout_get_line_readonly(ig_type_layout(t, text, s), 0);
    return line != NULL && line->resolved_dir == PANGO_DIRECTION_RTL;
}

bool ig_type_families(ig_typesetter *t, char out[IG_TEXT_MAX], const char *text,
                      const ig_text_style *s)
{
    char first[IG_TEXT_MAX] = "";
    PangoLayoutLine *line = pango_layout_get_line_readonly(ig_type_layout(t, "0", s), 0);
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (GSList *r = line != NULL ? line->runs : NULL; r != NULL; r = r->next) {
            const PangoLayoutRun *run = r->data;
            PangoFontDescription *d = pango_font_describe(run->item->analysis.font);
            const char *family = pango_font_description_get_family(d);
            size_t size = family != NULL ? strlen(family) : 0;
            if (pass == 0 && size < sizeof first)
                memcpy(first, family != NULL ? family : "", size + 1);
            else if (size > 0 && n + size + 2 < IG_TEXT_MAX && strcmp(family, first) != 0) {
                out[n] = ',';
                n += n > 0;
                memcpy(out + n, family, size);
                n += size;
            }
            pango_font_description_free(d);
        }
        line = pango_layout_get_line_readonly(ig_type_layout(t, text, s), 0);
    }
    out[n] = '\0';
    return n > 0;
}

double ig_type_width(ig_typesetter *t, const char *text, const ig_text_style *s)
{
    if (text == NULL || *text == '\0')
        return 0;
    PangoRectangle r;
    pango_layout_get_extents(ig_type_layout(t, text, s), NULL, &r);
    return (double)r.width / PANGO_SCALE;
}

void ig_type_fit(ig_typesetter *t, char out[IG_TEXT_MAX], const char *text, const ig_text_style *s,
                 double most)
{
    static const char dots[] = "\342\200\246";
    ig_type_clean(out, text);
    if (ig_type_width(t, out, s) <= most)
        return;
    /* Shorter by a letter as readers see it, so that no mark loses its base. */
    char whole[IG_TEXT_MAX];
    memcpy(whole, out, IG_TEXT_MAX);
    int n_attr = 0;
    PangoLayout *layout = ig_type_layout(t, whole, s);
    PangoLogAttr *attr = NULL;
    pango_layout_get_log_attrs(layout, &attr, &n_attr);
    const char *end = whole + strlen(whole);
    for (int at = n_attr - 1; at > 0;) {
        do {
            at--;
            do
                end--;
            while (U8_IS_TRAIL(*end));
        } while (at > 0 && !attr[at].is_cursor_position);
        size_t n = (size_t)(end - whole);
        if (n + sizeof dots > IG_TEXT_MAX)
            continue;
        memcpy(out, whole, n);
        memcpy(out + n, dots, sizeof dots);
        if (at == 0 || ig_type_width(t, out, s) <= most)
            break;
    }
    g_free(attr);
}

void ig_type_check(ig_typesetter *t, const char *text, const ig_text_style *s)
{
    PangoLayout *layout = ig_type_layout(t, text, s);
    if (pango_layout_get_unknown_glyphs_count(layout) == 0)
        return;
    if (t->n_missing++ == 0)
        ig_type_clean(t->first, text);
}

int ig_typesetter_missing(const ig_typesetter *t, const char **first)
{
    *first = t->first;
    return t->n_missing;
}
