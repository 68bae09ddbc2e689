/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 against the examples of FIPS 180-4 (published by NIST with the standard).
 */
#include "base/sha256.h"
#include "base/file.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void standard_examples(void **state)
{
    (void)state;
    ig_err err = {0};
    char hex[IG_SHA256_HEX];
    assert_int_equal(ig_sha256_of(hex, "abc", 3, &err), IG_ERR_OK);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(ig_sha256_of(hex, NULL, 0, &err), IG_ERR_OK);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void parts_and_file(void **state)
{
    (void)state;
    ig_err err = {0};
    char whole[IG_SHA256_HEX], parts[IG_SHA256_HEX], file[IG_SHA256_HEX];
    const char *text = "a run is what decides its result";
    assert_int_equal(ig_sha256_of(whole, text, (int64_t)strlen(text), &err), IG_ERR_OK);
    ig_sha256 *s;
    assert_int_equal(ig_sha256_new(&s, &err), IG_ERR_OK);
    assert_int_equal(ig_sha256_add(s, text, 5, &err), IG_ERR_OK);
    assert_int_equal(ig_sha256_add(s, text + 5, (int64_t)strlen(text) - 5, &err), IG_ERR_OK);
    assert_int_equal(ig_sha256_end(s, parts, &err), IG_ERR_OK);
    assert_string_equal(parts, whole);
    char path[] = "/tmp/isoglot-sha256-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    assert_int_equal(ig_sha256_file(file, path, &err), IG_ERR_OK);
    assert_string_equal(file, whole);
    unlink(path);
    assert_int_equal(ig_sha256_file(file, path, &err), IG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_examples),
        cmocka_unit_test(parts_and_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
