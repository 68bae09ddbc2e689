# cpack: a package for Debian that names what it needs, and an archive to unpack anywhere on a server without root
# (docs/install.md). Both have the program, its manual page and completions, the library and the experiments.
option(IG_BUNDLE "install the shared libraries beside the program: a folder that can be moved" OFF)

install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/isoglot)

if(IG_BUNDLE)
  # Not of the C library and the dynamic linker, which belong to the kernel's side of the machine. The old kind of path is
  # inherited by what the libraries load themselves.
  set_target_properties(isoglot PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/isoglot")
  target_link_options(isoglot PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS isoglot RUNTIME_DEPENDENCY_SET bundled RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(RUNTIME_DEPENDENCY_SET bundled DESTINATION ${CMAKE_INSTALL_LIBDIR}/isoglot
    PRE_EXCLUDE_REGEXES "^(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\\.so")
endif()

set(CPACK_PACKAGE_NAME isoglot)
set(CPACK_PACKAGE_VENDOR "The isoglot maintainers")
set(CPACK_PACKAGE_CONTACT "The isoglot maintainers <maintainers@isoglot.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TXZ)
find_program(IG_DPKG dpkg-deb)
if(IG_DPKG AND NOT IG_BUNDLE)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when something is fetched or drawn.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4 | libcurl4t64, libpangocairo-1.0-0, fonts-noto-core")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
if(IG_BUNDLE)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_PACKAGE_FILE_NAME isoglot-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
endif()
include(CPack)
