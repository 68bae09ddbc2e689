/* SPDX-License-Identifier: Apache-2.0
 *
 * Event files of TensorBoard, read back by a reader written for the test: CRC-32C by long division
 * of the whole message and published vectors (RFC 3720, B.4), framing, messages, order, names.
 */
#include "results_fixture.h"

#include "base/file.h"
#include "report/share/events.h"

#include <string.h>

/* The remainder of the message's bits, the first 32 turned, divided by the polynomial 0x1EDC6F41.
 */
static uint32_t divided(const unsigned char *p, size_t n)
{
    uint32_t rest = 0, out = 0;
    for (size_t i = 0; i < 8 * (n + 4); i++) {
        const unsigned byte = (unsigned)(i / 8 < n ? p[i / 8] : 0);
        const uint32_t bit = (byte >> i % 8 & 1) ^ (i < 32);
        rest = rest >> 31 ? (rest << 1 | bit) ^ 0x1EDC6F41u : rest << 1 | bit;
    }
    for (int i = 0; i < 32; i++)
        out |= (~rest >> i & 1) << (31 - i);
    return out;
}

static void test_crc(void **state)
{
    (void)state;
    unsigned char x[48] = {0};
    assert_int_equal(ig_crc32c("123456789", 9), 0xE3069283u);
    assert_int_equal(ig_crc32c(x, 32), 0x8A9136AAu);
    for (int i = 0; i < 48; i++)
        x[i] = (unsigned char)(i * 37);
    for (size_t n = 0; n < 48; n++)
        assert_int_equal(ig_crc32c(x, n), divided(x, n));
}

/* --- a reader --------------------------------------------------------------------------------- */

static uint64_t fixed(const unsigned char *p, int size)
{
    uint64_t x = 0;
    for (int i = 0; i < size; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static uint64_t varint(const unsigned char **p)
{
    uint64_t x = 0;
    for (int shift = 0;; shift += 7, (*p)++) {
        x |= (uint64_t)(**p & 0x7F) << shift;
        if ((**p & 0x80) == 0)
            break;
    }
    (*p)++;
    return x;
}

typedef struct {
    double time;
    int64_t step;
    char version[40], tag[200];
    float value;
} event;

static void read_message(event *e, const unsigned char *p, const unsigned char *end, int depth)
{
    while (p < end) {
        const uint64_t key = varint(&p), field = key >> 3, type = key & 7;
        const uint64_t n = type == 2 ? varint(&p) : 0;
        const unsigned char *data = p;
        if (type == 1 && depth == 0 && field == 1)
            memcpy(&e->time, &(uint64_t){fixed(p, 8)}, 8);
        if (type == 5 && depth == 2 && field == 2)
            memcpy(&e->value, &(uint32_t){(uint32_t)fixed(p, 4)}, 4);
        if (type == 0)
            e->step = (int64_t)varint(&p);
        p += type == 1 ? 8 : type == 5 ? 4 : (int64_t)n;
        if (type == 2 && depth == 0 && field == 3)
            snprintf(e->version, sizeof e->version, "%.*s", (int)n, (const char *)data);
        else if (type == 2 && depth == 2 && field == 1)
            snprintf(e->tag, sizeof e->tag, "%.*s", (int)n, (const char *)data);
        else if (type == 2)
            read_message(e, data, p, depth + 1);
    }
    assert_ptr_equal(p, end);
}

static int read_file(event *e, int most, const char *path)
{
    char *text;
    int64_t size;
    ig_err err = {0};
    int n = 0;
    assert_ok(ig_file_read(&text, &size, path, 1 << 20, &err), &err);
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    for (; p < end; n++) {
        assert_true(n < most && end - p >= 16);
        const uint64_t length = fixed(p, 8);
        const uint32_t crc[] = {divided(p, 8), divided(p + 12, length)};
        assert_true((uint64_t)(end - p) >= 16 + length);
        assert_int_equal(fixed(p + 8, 4), ((crc[0] >> 15 | crc[0] << 17) + 0xA282EAD8u));
        assert_int_equal(fixed(p + 12 + length, 4), ((crc[1] >> 15 | crc[1] << 17) + 0xA282EAD8u));
        e[n] = (event){.step = 0};
        read_message(&e[n], p + 12, p + 12 + length, 0);
        p += 16 + length;
    }
    ig_free(text);
    return n;
}

static void test_events(void **state)
{
    (void)state;
    char dir[256], path[512];
    ig_err err = {0};
    fault_folder(dir, sizeof dir);
    const ig_store_entry entry = {.cell = {"e:world", "../8/batch=64", "", 0, 3, "a"},
                                  .run = {.finished = 1700000000}};
    const ig_row row[] = {
        {"mu", "dev", "en-de", "", 1, -1, true, 3000, 0, .25, 0},
        {"rho", "dev", "", "", 1, 8, false, 10, 0, -1.5, 0},
        {"rho", "dev", "", "", 1, 8, false, 300, 0, 1e-3, 0},
    };
    assert_ok(ig_result_events_put(dir, &entry, row, 3, &err), &err);
    snprintf(path, sizeof path,
             "%s/e:world/_._8_batch=64/seed-3/events.out.tfevents.1700000000.isoglot", dir);
    event e[5];
    assert_int_equal(read_file(e, 5, path), 4);
    assert_string_equal(e[0].version, "brain.Event:2");
    static const struct {
        int64_t step;
        const char *tag;
        float value;
    } want[] = {{10, "rho[8]", -1.5f}, {300, "rho[8]", 1e-3f}, {3000, "mu[en-de]", .25f}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(e[i + 1].step, want[i].step);
        assert_string_equal(e[i + 1].tag, want[i].tag);
        assert_true(e[i + 1].value == want[i].value);
        assert_true(e[i + 1].time == 1.7e9);
    }
    assert_ok(ig_dir_remove(dir, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crc), cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
