/* SPDX-License-Identifier: Apache-2.0
 *
 * The eight colours of M. Okabe and K. Ito, "Color universal design" (2008), without yellow, which
 * a thin line on white loses. The maps are interpolated between a few colours in OKLab
 * (B. Ottosson 2020, "A perceptual color space for image processing"), where equal steps look
 * equal; lightness falls from one end to the other, or from the middle to both ends.
 */
#include "report/figure/palette.h"

#include <math.h>

static const uint32_t colours[IG_N_STYLE] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                             0x000000, 0xe69f00, 0x56b4e9, 0x7f7f7f};

static const double dash_2[] = {4.5, 2}, dash_3[] = {1.2, 1.6}, dash_4[] = {6, 1.8, 1.2, 1.8},
                    dash_5[] = {9, 2.4}, dash_6[] = {3, 1.5, 3, 1.5, 1, 1.5};
static const struct {
    int n;
    const double *length;
} dashes[IG_N_DASH] = {{0, NULL}, {2, dash_2}, {2, dash_3}, {4, dash_4}, {2, dash_5}, {6, dash_6}};

static int wrap(int i, int n)
{
    return (i % n + n) % n;
}

uint32_t ig_style_colour(int style)
{
    return colours[wrap(style, IG_N_STYLE)];
}

ig_mark ig_style_mark(int style)
{
    return (ig_mark)wrap(style, IG_N_MARK);
}

const double *ig_dash(int dash, int *n)
{
    int i = wrap(dash, IG_N_DASH);
    *n = dashes[i].n;
    return dashes[i].length;
}

static double to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double to_srgb(double v)
{
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static void split(uint32_t rgb, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = to_linear((rgb >> (16 - 8 * i) & 255) / 255.0);
}

static uint32_t join(const double v[3])
{
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (uint32_t)lround(255 * to_srgb(v[i]));
    return rgb;
}

double ig_colour_luminance(uint32_t rgb)
{
    double v[3];
    split(rgb, v);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}

uint32_t ig_style_ink(int style)
{
    double v[3];
    uint32_t rgb = ig_style_colour(style);
    for (int i = 0; i < 64 && 1.05 / (ig_colour_luminance(rgb) + 0.05) < 4.5; i++) {
        split(rgb, v);
        for (int k = 0; k < 3; k++)
            v[k] *= 0.94;
        rgb = join(v);
    }
    return rgb;
}

static void to_oklab(uint32_t rgb, double lab[3])
{
    double v[3], m[3];
    split(rgb, v);
    m[0] = cbrt(0.4122214708 * v[0] + 0.5363325363 * v[1] + 0.0514459929 * v[2]);
    m[1] = cbrt(0.2119034982 * v[0] + 0.6806995451 * v[1] + 0.1073969566 * v[2]);
    m[2] = cbrt(0.0883024619 * v[0] + 0.2817188376 * v[1] + 0.6299787005 * v[2]);
    lab[0] = 0.2104542553 * m[0] + 0.7936177850 * m[1] - 0.0040720468 * m[2];
    lab[1] = 1.9779984951 * m[0] - 2.4285922050 * m[1] + 0.4505937099 * m[2];
    lab[2] = 0.0259040371 * m[0] + 0.7827717662 * m[1] - 0.8086757660 * m[2];
}

static uint32_t from_oklab(const double lab[3])
{
    double m[3] = {lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2],
                   lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2],
                   lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]};
    for (int i = 0; i < 3; i++)
        m[i] = m[i] * m[i] * m[i];
    double v[3] = {4.0767416621 * m[0] - 3.3077115913 * m[1] + 0.2309699292 * m[2],
                   -1.2684380046 * m[0] + 2.6097574011 * m[1] - 0.3413193965 * m[2],
                   -0.0041960863 * m[0] - 0.7034186147 * m[1] + 1.7076147010 * m[2]};
    return join(v);
}

uint32_t ig_map_colour(ig_plot_map map, double t)
{
    static const uint32_t sequential[] = {0xfafaf5, 0xcfe5d6, 0x84bfba,
                                          0x3f8fa8, 0x265d8f, 0x1f2f66},
                          diverging[] = {0x123a6b, 0x3d7fb5, 0xa5cbe0, 0xf8f8f5,
                                         0xf3c08f, 0xd0702f, 0x742a0c};
    const uint32_t *stop = map == IG_MAP_DIVERGING ? diverging : sequential;
    int n = (int)(map == IG_MAP_DIVERGING ? sizeof diverging : sizeof sequential) /
            (int)sizeof(uint32_t);
    double at = (t > 0 ? t < 1 ? t : 1 : 0) * (n - 1), a[3], b[3];
    int i = (int)at < n - 2 ? (int)at : n - 2;
    to_oklab(stop[i], a);
    to_oklab(stop[i + 1], b);
    for (int k = 0; k < 3; k++)
        a[k] += (b[k] - a[k]) * (at - i);
    return from_oklab(a);
}
