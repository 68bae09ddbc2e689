/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of dependency trees, for every test that needs one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether n words, the i-th with head head[i] (words count from 1; 0 is the root), are one tree:
 * one root, no cycle, no head outside 0..n. */
static bool is_tree(const int32_t *head, int n)
{
    int n_root = 0;
    for (int i = 0; i < n; i++) {
        int word = i + 1, n_step = 0;
        while (word > 0 && word <= n && n_step++ <= n)
            word = head[word - 1];
        if (word != 0)
            return false;
        n_root += head[i] == 0;
    }
    return n_root == 1;
}
