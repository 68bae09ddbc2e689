# libisoglot.so, of the objects of the static library. It exports what include/isoglot declares and nothing else: docs/programs.md.
# Code for a shared library without the interposition of symbols is as fast as the program's own; the linker takes back the
# detours when it links a program.
include(CheckCCompilerFlag)
set_target_properties(isoglot_lib PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(isoglot_lib PRIVATE -fPIC)
check_c_compiler_flag(-fno-semantic-interposition IG_HAS_NO_INTERPOSITION)
if(IG_HAS_NO_INTERPOSITION)
  target_compile_options(isoglot_lib PRIVATE -fno-semantic-interposition)
endif()

file(GLOB public CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/isoglot/*.h)
set(names "")
foreach(header ${public})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} lines REGEX "^[a-z].*[ *]ig_[a-z0-9_]+[([;]")
  foreach(line ${lines})
    if(NOT line MATCHES "^(typedef|struct) " AND line MATCHES "[ *](ig_[a-z0-9_]+)[([;]")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
string(REPLACE ";" ";\n  " names "${names}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.map CONTENT "{ global:\n  @names@;\nlocal: *; };\n" @ONLY)

# Built by `all` and when asked for, not with sanitizers: their wrappers would have to be in the program that loads it.
if(IG_SANITIZE STREQUAL "")
  add_library(isoglot_shared SHARED ${CMAKE_SOURCE_DIR}/cmake/empty.c)
  set_target_properties(isoglot_shared PROPERTIES OUTPUT_NAME isoglot VERSION ${PROJECT_VERSION} SOVERSION 0
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS ${CMAKE_BINARY_DIR}/exports.map)
  target_link_libraries(isoglot_shared PRIVATE -Wl,--whole-archive isoglot_lib -Wl,--no-whole-archive)
  target_link_options(isoglot_shared PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/exports.map -Wl,-z,relro -Wl,-z,now
    -Wl,-z,noexecstack -Wl,-z,defs)
endif()
