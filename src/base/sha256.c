/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 through libcrypto's EVP interface.
 */
#include "base/sha256.h"

#include "base/file.h"
#include "base/memory.h"

#include <openssl/evp.h>
#include <stdio.h>

struct ig_sha256 {
    EVP_MD_CTX *ctx;
};

ig_code ig_sha256_new(ig_sha256 **s, ig_err *err)
{
    *s = NULL;
    ig_sha256 *n;
    IG_TRY(ig_alloc(&n, 1, sizeof *n, "SHA-256", err));
    n->ctx = EVP_MD_CTX_new();
    if (n->ctx == NULL || EVP_DigestInit_ex(n->ctx, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(n->ctx);
        ig_free(n);
        return ig_fail(err, IG_ERR_MEMORY, "SHA-256", 0, "not enough memory to begin a digest");
    }
    *s = n;
    return IG_ERR_OK;
}

ig_code ig_sha256_add(ig_sha256 *s, const void *data, int64_t size, ig_err *err)
{
    if (size > 0 && EVP_DigestUpdate(s->ctx, data, (size_t)size) != 1)
        return ig_fail(err, IG_ERR_MEMORY, "SHA-256", 0, "not enough memory to add to a digest");
    return IG_ERR_OK;
}

ig_code ig_sha256_end(ig_sha256 *s, char hex[IG_SHA256_HEX], ig_err *err)
{
    if (s == NULL)
        return IG_ERR_OK;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    int ok = hex == NULL || EVP_DigestFinal_ex(s->ctx, digest, &n) == 1;
    EVP_MD_CTX_free(s->ctx);
    ig_free(s);
    if (hex == NULL)
        return IG_ERR_OK;
    if (!ok || n != 32)
        return ig_fail(err, IG_ERR_MEMORY, "SHA-256", 0, "not enough memory to end a digest");
    for (unsigned int i = 0; i < n; i++)
        snprintf(hex + (size_t)2 * i, 3, "%02x", digest[i]);
    return IG_ERR_OK;
}

ig_code ig_sha256_of(char hex[IG_SHA256_HEX], const void *data, int64_t size, ig_err *err)
{
    ig_sha256 *s;
    IG_TRY(ig_sha256_new(&s, err));
    ig_code code = ig_sha256_add(s, data, size, err);
    ig_code end = ig_sha256_end(s, code == IG_ERR_OK ? hex : NULL, err);
    return code != IG_ERR_OK ? code : end;
}

ig_code ig_sha256_file(char hex[IG_SHA256_HEX], const char *path, ig_err *err)
{
    ig_map map;
    IG_TRY(ig_map_open(&map, path, err));
    ig_code code = ig_sha256_of(hex, map.data, map.size, err);
    ig_map_close(&map);
    return code;
}
