# cmake --install: program, library (static: so what it links is in Libs and Requires), headers, pkg-config
# file, and the manual page and completions, which the program writes from its option tables.
string(REPLACE ";" " " IG_PC_BLAS "${BLAS_LIBRARIES}")
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

install(TARGETS isoglot RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS isoglot_lib ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/isoglot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/isoglot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${doc}/isoglot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${doc}/isoglot.bash RENAME isoglot
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${doc}/_isoglot DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${doc}/isoglot.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
