# One interface target that carries the house's warnings. -Werror always: a warning is never left for later.
add_library(ig_warnings INTERFACE)
target_compile_options(ig_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -Wvla
  -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wwrite-strings -Wpointer-arith -Wformat=2
  -Wdouble-promotion)
# As gcc: rows of tables that are fields of a designated initializer may leave out their last fields.
target_compile_options(ig_warnings INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-missing-field-initializers>)
# No -ffast-math anywhere; these two change no result that the program looks at (no errno from libm,
# no traps) and let loops vectorise. Contraction is explicit: fused only where a kernel asks for it.
target_compile_options(ig_warnings INTERFACE -fno-math-errno -fno-trapping-math -ffp-contract=off)
