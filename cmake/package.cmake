# cpack: a package for Debian that names what it needs, and an archive to unpack anywhere on a server without root
# (docs/install.md). Both have the program, its manual page and completions, the library and the experiments.

install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/isoglot)
# In Debian's machine-readable form, where its policy (12.5) has it.
install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/isoglot)

set(CPACK_PACKAGE_NAME isoglot)
set(CPACK_PACKAGE_VENDOR "The isoglot maintainers")
set(CPACK_PACKAGE_CONTACT "The isoglot maintainers <maintainers@isoglot.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TXZ)
find_program(IG_DPKG dpkg-deb)
if(IG_DPKG)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when something is fetched or drawn.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4 | libcurl4t64, librsvg2-2, fonts-noto-core")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
