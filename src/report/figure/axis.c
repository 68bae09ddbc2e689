/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear ticks at 1, 2, 5 × 10^k; logarithmic ones at powers of ten, with 2 and 5 where the axis
 * spans little; or where the caller wants them.
 */
#include "report/figure/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Share of a decade that a symlog axis gives to 0 … 1. */
static const double symlog_linear = 0.6;

static bool has(ig_plot_scale scale, double v)
{
    return isfinite(v) && (scale != IG_SCALE_LOG || v > 0);
}

static double forward(ig_plot_scale scale, double v)
{
    if (scale == IG_SCALE_LINEAR)
        return v;
    if (scale == IG_SCALE_LOG)
        return log10(v);
    double a = fabs(v), f = a < 1 ? symlog_linear * a : symlog_linear + log10(a);
    return v < 0 ? -f : f;
}

void ig_range_add(ig_range *r, ig_plot_scale scale, double v)
{
    if (!has(scale, v))
        return;
    r->low = r->n == 0 || v < r->low ? v : r->low;
    r->high = r->n == 0 || v > r->high ? v : r->high;
    r->n++;
}

bool ig_axis_set(ig_axis *a, const ig_plot_axis *plot, const ig_range *r, double margin)
{
    a->scale = plot->scale;
    a->n_at = 0;
    bool fixed_low = has(plot->scale, plot->low), fixed_high = has(plot->scale, plot->high);
    bool any = r->n > 0 || (fixed_low && fixed_high);
    a->low = fixed_low ? plot->low : r->n > 0 ? r->low : a->scale == IG_SCALE_LOG ? 1 : 0;
    a->high = fixed_high ? plot->high : r->n > 0 ? r->high : a->scale == IG_SCALE_LOG ? 10 : 1;
    if (a->scale == IG_SCALE_LINEAR) {
        double span = a->high - a->low;
        double more = isfinite(span) ? span * margin : 0;
        a->low -= fixed_low ? 0 : more;
        a->high += fixed_high ? 0 : more;
    } else if (a->scale == IG_SCALE_LOG && margin > 0) {
        double more = pow(a->high / a->low, margin);
        a->low /= fixed_low || !isfinite(more) ? 1 : more;
        a->high *= fixed_high || !isfinite(more) ? 1 : more;
    }
    /* A single value, or a range that doubles cannot resolve, still needs an axis. */
    if (!(forward(a->scale, a->high) - forward(a->scale, a->low) >
          1e-12 * (fabs(forward(a->scale, a->low)) + 1e-300)) ||
        !isfinite(a->high - a->low)) {
        double v = isfinite(a->low) ? a->low : 0;
        double w = fabs(v) > 1e300 ? 0 : fabs(v) > 0 ? fabs(v) * 0.1 : 1;
        if (a->scale == IG_SCALE_LOG) {
            a->low = v / 2;
            a->high = v * 2;
        } else {
            a->low = v - (a->scale == IG_SCALE_SYMLOG ? 0 : w);
            a->high = v + w;
        }
        if (!(a->low < a->high) || !isfinite(a->high - a->low) ||
            (a->scale == IG_SCALE_LOG && !(a->low > 0))) {
            a->low = a->scale == IG_SCALE_LOG ? 1 : 0;
            a->high = a->scale == IG_SCALE_LOG ? 10 : 1;
            any = false;
        }
    }
    return any;
}

double ig_axis_at(const ig_axis *a, double v)
{
    if (!has(a->scale, v))
        return (double)NAN;
    double low = forward(a->scale, a->low), high = forward(a->scale, a->high);
    return a->from + (forward(a->scale, v) - low) / (high - low) * (a->to - a->from);
}

static void superscript(char *out, size_t size, int v)
{
    static const char *const digit[] = {
        "\342\201\260", "\302\271",     "\302\262",     "\302\263",     "\342\201\264",
        "\342\201\265", "\342\201\266", "\342\201\267", "\342\201\270", "\342\201\271"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", v);
    size_t n = 0;
    for (const char *p = plain; *p != '\0'; p++) {
        const char *s = *p == '-' ? "\342\201\273" : digit[*p - '0'];
        if (n + strlen(s) + 1 < size) {
            memcpy(out + n, s, strlen(s));
            n += strlen(s);
        }
    }
    out[n] = '\0';
}

/* A power of ten as an integer; of what is beyond doubles the next one that is not. */
static int whole(double x)
{
    return x > 308 ? 308 : x > -324 ? (int)x : -324;
}

void ig_axis_number(char *out, size_t size, double v, double step)
{
    static const char minus[] = "\342\210\222";
    double a = fabs(v), unit = 1;
    const char *suffix = "";
    char text[64], power[40];
    if (a < step * 1e-9 || !(a > 0)) {
        snprintf(out, size, "0");
        return;
    }
    if (a >= 1e3 && a < 1e15 && step >= 1) {
        static const char *const name[] = {"k", "M", "G", "T"};
        int k = a >= 1e12 ? 3 : a >= 1e9 ? 2 : a >= 1e6 ? 1 : 0;
        unit = k == 3 ? 1e12 : k == 2 ? 1e9 : k == 1 ? 1e6 : 1e3;
        suffix = name[k];
    } else if (a < 1e-4 || a >= 1e15) {
        int e = whole(floor(log10(a) + 1e-9));
        double m = a / pow(10, e);
        superscript(power, sizeof power, e);
        if (fabs(m - 1) < 1e-6)
            snprintf(out, size, "%s10%s", v < 0 ? minus : "", power);
        else
            snprintf(out, size, "%s%.3g\302\26710%s", v < 0 ? minus : "", m, power);
        return;
    }
    int digits = 0;
    for (double s = step / unit; digits < 6 && fabs(s - round(s)) > 1e-6 * fmax(s, 1e-9); digits++)
        s *= 10;
    snprintf(text, sizeof text, "%.*f", digits, a / unit);
    for (char *p = text; *p != '\0'; p++)
        if (*p == ',') /* another locale's point */
            *p = '.';
    snprintf(out, size, "%s%s%s", v < 0 ? minus : "", text, suffix);
}

static int ticks_of_step(const ig_axis *a, int wanted, ig_tick tick[IG_TICK_MAX])
{
    double raw = (a->high - a->low) / (wanted > 1 ? wanted : 1);
    double base = pow(10, floor(log10(raw))), m = raw / base;
    double step = base * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
    if (!isfinite(step) || !(step > 0))
        return 0;
    int n = 0;
    double first = ceil(a->low / step - 1e-9);
    for (double k = first; k * step <= a->high + step * 1e-9 && n < IG_TICK_MAX; k++) {
        double v = k * step;
        tick[n].value = v < a->low ? a->low : v > a->high ? a->high : v;
        ig_axis_number(tick[n++].text, sizeof tick->text, v, step);
    }
    return n;
}

/* One number alone is no scale. */
static int linear_ticks(const ig_axis *a, int wanted, ig_tick tick[IG_TICK_MAX])
{
    int n = ticks_of_step(a, wanted, tick);
    while (n < 2 && wanted < 8)
        n = ticks_of_step(a, ++wanted, tick);
    return n;
}

static int add_tick(const ig_axis *a, ig_tick tick[IG_TICK_MAX], int n, double v, bool text)
{
    double slack = 1e-9 * fabs(v);
    if (v < a->low - slack || v > a->high + slack || n >= IG_TICK_MAX)
        return n;
    tick[n].value = v < a->low ? a->low : v > a->high ? a->high : v;
    tick[n].text[0] = '\0';
    if (text)
        ig_axis_number(tick[n].text, sizeof tick->text, v, v > 0 ? v : 1);
    return n + 1;
}

static int log_ticks(const ig_axis *a, int wanted, ig_tick tick[IG_TICK_MAX])
{
    double low = a->scale == IG_SCALE_SYMLOG ? 1 : a->low;
    int first = whole(floor(log10(low) - 1e-9)), last = whole(ceil(log10(a->high) + 1e-9));
    int every = (last - first) / (wanted > 1 ? wanted : 1);
    every = every < 1 ? 1 : every;
    bool more = log10(a->high / low) < 1.2 && wanted >= 3, small = last - first <= 7;
    int n = 0;
    if (a->scale == IG_SCALE_SYMLOG)
        n = add_tick(a, tick, n, 0, true);
    for (int e = first; e <= last; e++) {
        double p = pow(10, e);
        if (p >= low * (1 - 1e-9))
            n = add_tick(a, tick, n, p, (e - first) % every == 0 || more || every == 1);
        for (int m = 2; m < 10 && small && every == 1; m++)
            if (m * p >= low * (1 - 1e-9))
                n = add_tick(a, tick, n, m * p, more && (m == 2 || m == 5));
    }
    return n;
}

void ig_axis_tick_at(ig_axis *a, const double *value, int n)
{
    a->n_at = n < IG_TICK_MAX ? n : IG_TICK_MAX;
    memcpy(a->at, value, (size_t)a->n_at * sizeof *value);
}

int ig_axis_ticks(const ig_axis *a, int wanted, ig_tick tick[IG_TICK_MAX])
{
    int n_given = 0;
    for (int i = 0; i < a->n_at; i++)
        if (has(a->scale, a->at[i]))
            n_given = add_tick(a, tick, n_given, a->at[i], true);
    if (n_given > 0)
        return n_given;
    if (a->scale == IG_SCALE_LINEAR || (a->scale == IG_SCALE_SYMLOG && a->high <= 2) ||
        (a->scale == IG_SCALE_SYMLOG && a->low < 0))
        return linear_ticks(a, wanted, tick);
    int n = log_ticks(a, wanted, tick), n_text = 0;
    for (int i = 0; i < n; i++)
        n_text += tick[i].text[0] != '\0';
    /* Less than two powers of ten: the axis is as good as linear. */
    return n_text >= 2 ? n : linear_ticks(a, wanted, tick);
}
