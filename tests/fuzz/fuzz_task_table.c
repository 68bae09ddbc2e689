/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a table of pairs and as one of single texts: refused with the file, or a task whose
 * sentences all have words and a label; and without labels, or rows whose texts are all there.
 */
#include "fuzz_task.h"

#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void texts(const ig_task_texts *as, const uint8_t *data, size_t size)
{
    ig_task_texts is = *as;
    ig_err err = {0};
    ig_pool pool = {0};
    ig_task_set set = {0};
    const char *path = fuzz_file(data, size);
    const ig_code code = ig_task_read_texts(&set, &is, path, &pool, &err);
    unlink(path);
    if (code != IG_ERR_OK)
        IG_ASSERT(strncmp(err.where, path, strlen(path)) == 0 && err.msg[0] != '\0');
    for (int64_t i = 0; code == IG_ERR_OK && i < set.n; i++)
        IG_ASSERT(set.label[i] == IG_LABEL_NONE && set.line[i] > 0);
    for (int64_t i = 0; code == IG_ERR_OK && i < set.n * (is.kind == IG_TASK_PAIR ? 2 : 1); i++)
        IG_ASSERT(set.text[i] != NULL);
    for (int64_t i = 0; code == IG_ERR_OK && i < is.n_blank; i++)
        IG_ASSERT(is.blank[i] >= (i > 0 ? is.blank[i - 1] : 0) && is.blank[i] <= set.n);
    ig_free(is.blank);
    ig_pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_task("pair", data, size);
    fuzz_task("single", data, size);
    fuzz_task("pair\ndev_from_test: 2", data, size);
    fuzz_task("single\ncolumns: [label, _, text, language]\nwithout_words: skip\nlabels: [a, b]",
              data, size);
    static const char *name[] = {"a", "b"};
    const ig_labels labels = {.name = name, .n = 2};
    texts(&(ig_task_texts){.kind = IG_TASK_PAIR, .kind_given = true}, data, size);
    texts(&(ig_task_texts){.kind = IG_TASK_SINGLE, .kind_given = true, .labels = &labels}, data,
          size);
    texts(&(ig_task_texts){.labels = &labels}, data, size);
    fuzz_task("single\ncolumns: {label: 2, text: Text}\nwithout_words: skip", data, size);
    return 0;
}
