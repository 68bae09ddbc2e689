# Everything the library links, in one interface target. Names are pkg-config's.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(IG_ICU REQUIRED IMPORTED_TARGET icu-uc icu-i18n)
pkg_check_modules(IG_JSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(IG_YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(IG_ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(IG_ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(IG_EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(IG_SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(IG_CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(IG_CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(IG_PANGO REQUIRED IMPORTED_TARGET pangocairo cairo cairo-svg cairo-pdf)
find_package(BLAS REQUIRED)
add_library(ig_dependencies INTERFACE)
target_link_libraries(ig_dependencies INTERFACE PkgConfig::IG_ICU PkgConfig::IG_JSON PkgConfig::IG_YAML
  PkgConfig::IG_ARCHIVE PkgConfig::IG_ZLIB PkgConfig::IG_EXPAT
  PkgConfig::IG_SQLITE PkgConfig::IG_CURL PkgConfig::IG_CRYPTO PkgConfig::IG_PANGO BLAS::BLAS Threads::Threads ${CMAKE_DL_LIBS} m)
