# cmake --install: program, library (shared and static), headers, pkg-config file (what the static one links is in its
# private lines), and the manual page and completions, which the program writes from its option tables.
set(IG_PC_REQUIRES "icu-uc icu-i18n jansson yaml-0.1 libarchive zlib sqlite3 libcrypto")
if(IG_WITH_DUMPS)
  string(APPEND IG_PC_REQUIRES " expat")
endif()
# The prefix is found from where the file lies, so that `cmake --install --prefix` and a moved folder are right.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(IG_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(IG_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/isoglot.pc.in ${CMAKE_BINARY_DIR}/isoglot.pc @ONLY)

set(doc ${CMAKE_BINARY_DIR}/doc)
add_custom_command(OUTPUT ${doc}/isoglot.1 ${doc}/isoglot.bash ${doc}/_isoglot ${doc}/isoglot.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${doc}
  COMMAND isoglot help --man > ${doc}/isoglot.1
  COMMAND isoglot help --completion bash > ${doc}/isoglot.bash
  COMMAND isoglot help --completion zsh > ${doc}/_isoglot
  COMMAND isoglot help --completion fish > ${doc}/isoglot.fish
  DEPENDS isoglot VERBATIM)
add_custom_target(isoglot_doc ALL DEPENDS ${doc}/isoglot.1)
add_custom_target(install_parts DEPENDS isoglot isoglot_lib isoglot_doc)
if(TARGET isoglot_shared)
  add_dependencies(install_parts isoglot_shared)
endif()

# What is installed is built first, if it is not: ./dev demo builds only the program.
install(CODE "if(NOT EXISTS ${doc}/isoglot.1 OR NOT EXISTS $<TARGET_FILE:isoglot_lib>)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target install_parts COMMAND_ERROR_IS_FATAL ANY)
endif()")
install(TARGETS isoglot RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS isoglot_lib ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET isoglot_shared)
  install(TARGETS isoglot_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET isoglot_cuda)
  install(FILES ${CMAKE_BINARY_DIR}/libisoglot-cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/isoglot OPTIONAL)
endif()
install(DIRECTORY include/isoglot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/isoglot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${doc}/isoglot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${doc}/isoglot.bash RENAME isoglot
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${doc}/_isoglot DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${doc}/isoglot.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The Python package (pyproject.toml) has the program and the library in its own folder; a wheel has no links.
if(SKBUILD)
  install(TARGETS isoglot RUNTIME DESTINATION bin COMPONENT python)
  install(FILES $<TARGET_FILE:isoglot_shared> RENAME libisoglot.so.0 DESTINATION lib COMPONENT python)
endif()
