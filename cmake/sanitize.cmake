# IG_SANITIZE: "", "address" (with undefined), "thread", "fuzz" (address, and targets for libFuzzer), "coverage".
set(IG_SANITIZE "" CACHE STRING "sanitizer set: address, thread, fuzz, coverage")
add_library(ig_sanitize INTERFACE)
if(IG_SANITIZE STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(IG_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(IG_SANITIZE STREQUAL "fuzz")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(IG_SANITIZE STREQUAL "coverage")
  set(flags --coverage -O0)
elseif(NOT IG_SANITIZE STREQUAL "")
  message(FATAL_ERROR "IG_SANITIZE is '${IG_SANITIZE}', expected address, thread, fuzz or coverage")
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT IG_SANITIZE STREQUAL "")
  # gcc's own manual: with sanitizers these guess wrongly. They are errors in every other build.
  list(APPEND flags -Wno-maybe-uninitialized -Wno-format-overflow -Wno-format-truncation
    -Wno-stringop-overflow -Wno-stringop-truncation -Wno-array-bounds)
endif()
target_compile_options(ig_sanitize INTERFACE ${flags})
target_link_options(ig_sanitize INTERFACE ${flags})

# One build serves the tests and libFuzzer: what reads input counts its branches. Arithmetic does not: it reads none, and
# would be half as fast.
function(ig_count_branches)
  foreach(f ${ARGN})
    if(IG_SANITIZE STREQUAL "fuzz"
        AND NOT f MATCHES "/src/(backend|base/numeric|model/(engine|device|head)|tensor|train|embed/(map|search|train|induce|judge))/")
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
    endif()
  endforeach()
endfunction()

# Clang checks each lane of a masked vector by itself: hundreds of copies of that take minutes to compile, one of each kind does
# not. A machine that cannot run the tables of 512 bits compiles them without checks: what never runs finds nothing.
# In the tables, addresses are AddressSanitizer's: clang's further checks of each pointer take as long to compile as all else
# (66 → 36 s of a processor). gcc's build (./dev check) has them.
function(ig_check_tables)
  if(NOT IG_SANITIZE MATCHES "^(address|fuzz)$")
    return()
  endif()
  set(pointers alignment,bounds,null,object-size,pointer-overflow)
  set(runs yes)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo runs REGEX "avx512f" LIMIT_COUNT 1)
  endif()
  foreach(f ${ARGN})
    if(f MATCHES "/src/backend/cpu/table_" AND CMAKE_C_COMPILER_ID MATCHES "Clang")
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=${pointers})
    endif()
    if(NOT f MATCHES "/src/backend/cpu/table_(rounded_)?(avx512|amx)")
    elseif(runs)
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_OPTIONS "-DMASKED=static __attribute__((noinline, unused))")
    else()
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_OPTIONS -g0 -fno-sanitize=all)
    endif()
  endforeach()
endfunction()

# What calls the arithmetic, reads files and writes pages takes longer to optimise than to run.
function(ig_optimise_little)
  if(NOT IG_SANITIZE MATCHES "^(address|fuzz)$")
    return()
  endif()
  foreach(f ${ARGN})
    if(f MATCHES "/src/(bench|cli|diagnose|evaluate|experiment|fetch|finetune|lab|measure|report|run|store|task|train)/")
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_OPTIONS -O0)
    endif()
  endforeach()
endfunction()

# The tests that ThreadSanitizer runs need no room above these: two fifths of the library, compiled as all of it is.
function(ig_lower_library)
  if(NOT IG_SANITIZE STREQUAL "thread")
    return()
  endif()
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "/src/(base|text|corpus|tensor|backend|model|embed)/")
  add_library(isoglot_lower STATIC EXCLUDE_FROM_ALL ${files})
  add_dependencies(isoglot_lower ig_commit)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS LINK_LIBRARIES
      INTERFACE_INCLUDE_DIRECTORIES INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_LIBRARIES)
    get_target_property(value isoglot_lib ${property})
    if(value)
      set_property(TARGET isoglot_lower PROPERTY ${property} ${value})
    endif()
  endforeach()
endfunction()

# Hundreds of programs are linked; lld takes a third of the time.
find_program(IG_LLD NAMES ld.lld)
if(IG_LLD AND CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT IG_SANITIZE STREQUAL "")
  target_link_options(ig_sanitize INTERFACE -fuse-ld=lld)
endif()
