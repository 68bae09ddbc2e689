/* Runs one test program of a room. The programs of a room are linked once; each is a symbolic link
 * to the result, whose name says which of them to run. Their main functions are compiled under the
 * names of their files (tests/CMakeLists.txt).
 */
#include <stdio.h>
#include <string.h>

#define PROGRAM(name) int name##_main(void);
#include IG_TEST_PROGRAMS
#undef PROGRAM

static const struct {
    const char *name;
    int (*run)(void);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
#include IG_TEST_PROGRAMS
#undef PROGRAM
};

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, name) == 0)
            return programs[i].run();
    fprintf(stderr, "%s: no test program of this room; it has\n", name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        fprintf(stderr, "  %s\n", programs[i].name);
    return 2;
}
