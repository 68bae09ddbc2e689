# What makes a memory error harder to use, where compiler and linker know it: canaries on stacks, checked library calls
# (FORTIFY), addresses that differ from run to run (PIE), tables of functions that cannot be written (full RELRO), and
# marked targets of jumps (CET). tests/check_hardening.sh looks for each in the built program; SPEED.md has the cost.
# Sanitizers find more and bring wrappers of their own, so builds with them have none of this.
option(IG_HARDEN "canaries, FORTIFY, PIE, full RELRO, CET" ON)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
add_library(ig_harden INTERFACE)
if(IG_HARDEN AND IG_SANITIZE STREQUAL "")
  foreach(flag -fstack-protector-strong -fcf-protection=full -fPIE)
    string(MAKE_C_IDENTIFIER IG_HAS${flag} has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(ig_harden INTERFACE ${flag})
    endif()
  endforeach()
  # Without optimisation there is nothing to check by, and the headers warn of that.
  target_compile_options(ig_harden INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  foreach(flag -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    string(MAKE_C_IDENTIFIER IG_LINKS${flag} has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
      target_link_options(ig_harden INTERFACE ${flag})
    endif()
  endforeach()
endif()
