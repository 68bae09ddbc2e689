/* SPDX-License-Identifier: Apache-2.0
 *
 * pango and cairo, loaded when a figure is drawn (base/on_demand.h): one handle, since pango's
 * library for cairo brings the others along. Loaded by ig_typesetter_new, before any other call.
 */
#pragma once

#include "base/on_demand.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

extern ig_on_demand ig_libpango; /* typeset.c */

#undef g_object_ref
#define cairo_arc IG_ON_DEMAND(ig_libpango, cairo_arc)
#define cairo_clip IG_ON_DEMAND(ig_libpango, cairo_clip)
#define cairo_close_path IG_ON_DEMAND(ig_libpango, cairo_close_path)
#define cairo_create IG_ON_DEMAND(ig_libpango, cairo_create)
#define cairo_destroy IG_ON_DEMAND(ig_libpango, cairo_destroy)
#define cairo_fill IG_ON_DEMAND(ig_libpango, cairo_fill)
#define cairo_fill_preserve IG_ON_DEMAND(ig_libpango, cairo_fill_preserve)
#define cairo_font_options_create IG_ON_DEMAND(ig_libpango, cairo_font_options_create)
#define cairo_font_options_destroy IG_ON_DEMAND(ig_libpango, cairo_font_options_destroy)
#define cairo_font_options_set_antialias IG_ON_DEMAND(ig_libpango, cairo_font_options_set_antialias)
#define cairo_font_options_set_hint_metrics                                                        \
    IG_ON_DEMAND(ig_libpango, cairo_font_options_set_hint_metrics)
#define cairo_font_options_set_hint_style                                                          \
    IG_ON_DEMAND(ig_libpango, cairo_font_options_set_hint_style)
#define cairo_get_source IG_ON_DEMAND(ig_libpango, cairo_get_source)
#define cairo_image_surface_create IG_ON_DEMAND(ig_libpango, cairo_image_surface_create)
#define cairo_image_surface_get_data IG_ON_DEMAND(ig_libpango, cairo_image_surface_get_data)
#define cairo_image_surface_get_stride IG_ON_DEMAND(ig_libpango, cairo_image_surface_get_stride)
#define cairo_line_to IG_ON_DEMAND(ig_libpango, cairo_line_to)
#define cairo_move_to IG_ON_DEMAND(ig_libpango, cairo_move_to)
#define cairo_new_path IG_ON_DEMAND(ig_libpango, cairo_new_path)
#define cairo_new_sub_path IG_ON_DEMAND(ig_libpango, cairo_new_sub_path)
#define cairo_paint IG_ON_DEMAND(ig_libpango, cairo_paint)
#define cairo_pattern_set_filter IG_ON_DEMAND(ig_libpango, cairo_pattern_set_filter)
#define cairo_pdf_surface_create_for_stream                                                        \
    IG_ON_DEMAND(ig_libpango, cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_set_metadata IG_ON_DEMAND(ig_libpango, cairo_pdf_surface_set_metadata)
#define cairo_rectangle IG_ON_DEMAND(ig_libpango, cairo_rectangle)
#define cairo_restore IG_ON_DEMAND(ig_libpango, cairo_restore)
#define cairo_rotate IG_ON_DEMAND(ig_libpango, cairo_rotate)
#define cairo_save IG_ON_DEMAND(ig_libpango, cairo_save)
#define cairo_scale IG_ON_DEMAND(ig_libpango, cairo_scale)
#define cairo_set_dash IG_ON_DEMAND(ig_libpango, cairo_set_dash)
#define cairo_set_line_join IG_ON_DEMAND(ig_libpango, cairo_set_line_join)
#define cairo_set_line_width IG_ON_DEMAND(ig_libpango, cairo_set_line_width)
#define cairo_set_source_rgb IG_ON_DEMAND(ig_libpango, cairo_set_source_rgb)
#define cairo_set_source_rgba IG_ON_DEMAND(ig_libpango, cairo_set_source_rgba)
#define cairo_set_source_surface IG_ON_DEMAND(ig_libpango, cairo_set_source_surface)
#define cairo_status IG_ON_DEMAND(ig_libpango, cairo_status)
#define cairo_status_to_string IG_ON_DEMAND(ig_libpango, cairo_status_to_string)
#define cairo_stroke IG_ON_DEMAND(ig_libpango, cairo_stroke)
#define cairo_surface_destroy IG_ON_DEMAND(ig_libpango, cairo_surface_destroy)
#define cairo_surface_finish IG_ON_DEMAND(ig_libpango, cairo_surface_finish)
#define cairo_surface_flush IG_ON_DEMAND(ig_libpango, cairo_surface_flush)
#define cairo_surface_mark_dirty IG_ON_DEMAND(ig_libpango, cairo_surface_mark_dirty)
#define cairo_surface_status IG_ON_DEMAND(ig_libpango, cairo_surface_status)
#define cairo_surface_write_to_png_stream                                                          \
    IG_ON_DEMAND(ig_libpango, cairo_surface_write_to_png_stream)
#define cairo_translate IG_ON_DEMAND(ig_libpango, cairo_translate)
#define g_free IG_ON_DEMAND(ig_libpango, g_free)
#define g_object_ref IG_ON_DEMAND(ig_libpango, g_object_ref)
#define g_object_unref IG_ON_DEMAND(ig_libpango, g_object_unref)
#define pango_cairo_context_set_font_options                                                       \
    IG_ON_DEMAND(ig_libpango, pango_cairo_context_set_font_options)
#define pango_cairo_context_set_resolution                                                         \
    IG_ON_DEMAND(ig_libpango, pango_cairo_context_set_resolution)
#define pango_cairo_font_map_get_default IG_ON_DEMAND(ig_libpango, pango_cairo_font_map_get_default)
#define pango_cairo_layout_line_path IG_ON_DEMAND(ig_libpango, pango_cairo_layout_line_path)
#define pango_cairo_show_layout_line IG_ON_DEMAND(ig_libpango, pango_cairo_show_layout_line)
#define pango_context_set_language IG_ON_DEMAND(ig_libpango, pango_context_set_language)
#define pango_context_set_round_glyph_positions                                                    \
    IG_ON_DEMAND(ig_libpango, pango_context_set_round_glyph_positions)
#define pango_font_describe IG_ON_DEMAND(ig_libpango, pango_font_describe)
#define pango_font_description_free IG_ON_DEMAND(ig_libpango, pango_font_description_free)
#define pango_font_description_get_family                                                          \
    IG_ON_DEMAND(ig_libpango, pango_font_description_get_family)
#define pango_font_description_new IG_ON_DEMAND(ig_libpango, pango_font_description_new)
#define pango_font_description_set_absolute_size                                                   \
    IG_ON_DEMAND(ig_libpango, pango_font_description_set_absolute_size)
#define pango_font_description_set_family_static                                                   \
    IG_ON_DEMAND(ig_libpango, pango_font_description_set_family_static)
#define pango_font_description_set_weight                                                          \
    IG_ON_DEMAND(ig_libpango, pango_font_description_set_weight)
#define pango_font_map_create_context IG_ON_DEMAND(ig_libpango, pango_font_map_create_context)
#define pango_language_from_string IG_ON_DEMAND(ig_libpango, pango_language_from_string)
#define pango_layout_get_extents IG_ON_DEMAND(ig_libpango, pango_layout_get_extents)
#define pango_layout_get_line_readonly IG_ON_DEMAND(ig_libpango, pango_layout_get_line_readonly)
#define pango_layout_get_log_attrs IG_ON_DEMAND(ig_libpango, pango_layout_get_log_attrs)
#define pango_layout_get_unknown_glyphs_count                                                      \
    IG_ON_DEMAND(ig_libpango, pango_layout_get_unknown_glyphs_count)
#define pango_layout_new IG_ON_DEMAND(ig_libpango, pango_layout_new)
#define pango_layout_set_font_description                                                          \
    IG_ON_DEMAND(ig_libpango, pango_layout_set_font_description)
#define pango_layout_set_single_paragraph_mode                                                     \
    IG_ON_DEMAND(ig_libpango, pango_layout_set_single_paragraph_mode)
#define pango_layout_set_text IG_ON_DEMAND(ig_libpango, pango_layout_set_text)
