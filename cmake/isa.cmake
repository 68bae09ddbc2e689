# A kernel file names its instruction set: x_avx2.c, x_avx512.c, x_avx512bf16.c, x_amx.c; x_neon.c, x_neonbf16.c. Only
# those files get the flags; the rest of the library runs on any CPU of the architecture (dispatch at run time).
include(CheckCCompilerFlag)
check_c_compiler_flag(-mamx-bf16 IG_COMPILER_HAS_AMX)

# Takes the kernels of other architectures from a list of sources.
function(ig_choose_isa sources)
  set(kept ${${sources}})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    list(FILTER kept EXCLUDE REGEX "_(avx2|avx512|avx512bf16|amx)\\.c$")
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    list(FILTER kept EXCLUDE REGEX "_neon(bf16)?\\.c$")
  endif()
  set(${sources} ${kept} PARENT_SCOPE)
endfunction()

function(ig_set_isa_flags)
  foreach(f ${ARGN})
    if(f MATCHES "_avx512bf16\\.c$")
      set(flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma -mavx2 -mf16c)
    elseif(f MATCHES "_amx\\.c$" AND IG_COMPILER_HAS_AMX)
      set(flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mamx-tile -mamx-bf16 -mfma -mavx2 -mf16c)
    elseif(f MATCHES "_avx512\\.c$")
      set(flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mavx2 -mf16c -mprefer-vector-width=512)
    elseif(f MATCHES "_avx2\\.c$")
      set(flags -mavx2 -mfma -mf16c)
    elseif(f MATCHES "_neonbf16\\.c$")
      set(flags -march=armv8.2-a+bf16)
    else()
      continue()
    endif()
    # With AddressSanitizer GCC keeps vectors of 64 bytes on a replaced stack whose frames are not aligned to that.
    if(flags MATCHES "avx512" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      list(APPEND flags --param=asan-use-after-return=0)
    endif()
    set_source_files_properties(${f} PROPERTIES COMPILE_OPTIONS "${flags}")
  endforeach()
endfunction()

# GCC 12 breaks off at loops over fmax there (internal error in vect_transform_reduction).
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13 AND
   CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  add_compile_options(-fno-tree-loop-vectorize)
endif()
