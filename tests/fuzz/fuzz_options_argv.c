/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a command line (a line is an argument): either an error with a message, or a struct
 * within its ranges and arguments that are among those given.
 */
#include "option_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { most = 64 };
    char *argv[most], *arg[most];
    int argc = 0, n_arg = 0;
    fuzz_config c = {0};
    ig_err err = {0};
    char *text = malloc(size + 1);
    IG_ASSERT(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *p = text; argc < most;) {
        argv[argc++] = p;
        p = strchr(p, '\n');
        if (p == NULL)
            break;
        *p++ = '\0';
    }
    /* --config, or its letter, reads a file, which is the other target's business. */
    bool names_a_file = false;
    for (int i = 0; i < argc; i++)
        names_a_file = names_a_file || strncmp(argv[i], "--config", 8) == 0 ||
                       (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], 'c') != NULL);
    if (!names_a_file) {
        IG_ASSERT(ig_options_default(&fuzz_options, &c, &err) == IG_ERR_OK);
        if (ig_options_parse(&fuzz_options, &c, &(ig_arguments){argc, argv, arg, &n_arg, NULL},
                             &err) != IG_ERR_OK)
            IG_ASSERT(err.msg[0] != '\0' && err.code == IG_ERR_USAGE);
        IG_ASSERT(n_arg >= 0 && n_arg <= argc);
        for (int i = 0; i < n_arg; i++)
            IG_ASSERT(arg[i] >= text && arg[i] <= text + size);
        fuzz_config_check(&c);
        ig_options_free(&fuzz_options, &c);
    }
    free(text);
    return 0;
}
