# The module for NVIDIA's cards: libisoglot-cuda.so, which the program loads when it is asked for a GPU. It is built where
# nvcc is found, by itself: -DISOGLOT_CUDA=OFF not, =ON or fail. NVCC names another compiler; that of the Python packages
# nvidia-cuda-nvcc, nvidia-cuda-runtime and nvidia-cublas serves, and needs no card.
set(ISOGLOT_CUDA AUTO CACHE STRING "module for NVIDIA's cards: AUTO, ON or OFF")
set(ISOGLOT_CUDA_ARCH "80;90" CACHE STRING "architectures that it has code for")

set(IG_NVCC "")
if(NOT ISOGLOT_CUDA STREQUAL "OFF" AND NOT CMAKE_CROSSCOMPILING)
  find_program(IG_NVCC_FOUND NAMES nvcc HINTS "$ENV{NVCC}" "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
  if(DEFINED ENV{NVCC} AND EXISTS "$ENV{NVCC}")
    set(IG_NVCC "$ENV{NVCC}")
  elseif(IG_NVCC_FOUND)
    set(IG_NVCC "${IG_NVCC_FOUND}")
  endif()
  if(IG_NVCC STREQUAL "" AND ISOGLOT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "ISOGLOT_CUDA=ON: found no nvcc, expected it on the path, in CUDA_HOME/bin or named by NVCC")
  endif()
endif()

if(NOT IG_NVCC STREQUAL "")
  # Beside a compiler of the Python packages, headers and libraries are in its own folder.
  get_filename_component(root "${IG_NVCC}" REALPATH)
  get_filename_component(root "${root}" DIRECTORY)
  get_filename_component(root "${root}" DIRECTORY)
  set(flags -std=c++17 -O3 -shared -cudart static -Xcompiler -fPIC,-fvisibility=default)
  foreach(arch ${ISOGLOT_CUDA_ARCH})
    list(APPEND flags -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  foreach(folder lib lib64)
    if(EXISTS "${root}/${folder}")
      list(APPEND flags "-L${root}/${folder}")
    endif()
  endforeach()
  file(GLOB IG_CUDA_PARTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/model/device/cuda/*)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libisoglot-cuda.so
    COMMAND ${IG_NVCC} ${flags} -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src "-I${root}/include"
      -o ${CMAKE_BINARY_DIR}/libisoglot-cuda.so ${CMAKE_SOURCE_DIR}/src/model/device/cuda/module.cu
    DEPENDS ${IG_CUDA_PARTS} ${CMAKE_SOURCE_DIR}/src/tensor/ops.h ${CMAKE_SOURCE_DIR}/src/model/device/exec.h VERBATIM)
  add_custom_target(isoglot_cuda ALL DEPENDS ${CMAKE_BINARY_DIR}/libisoglot-cuda.so)
  message(STATUS "module for NVIDIA's cards by ${IG_NVCC}")
endif()
