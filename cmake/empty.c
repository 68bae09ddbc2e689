/* A shared library of CMake's has a source of its own; the rest of it comes from libisoglot.a. */
extern const char ig_shared_library;
const char ig_shared_library = 0;
