# A file as a C array of its bytes: cmake -DIN=FILE -DOUT=FILE.c -DNAME=symbol -P embed.cmake
# defines `const char NAME[]`, with a NUL behind it that NAME_size does not count.
file(READ ${IN} hex HEX)
string(LENGTH "${hex}" n)
math(EXPR n "${n} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
file(WRITE ${OUT} "#include <stdint.h>
extern const char ${NAME}[];
extern const int64_t ${NAME}_size;
const char ${NAME}[] = {
${hex}0};
const int64_t ${NAME}_size = ${n};
")
