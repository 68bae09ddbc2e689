# Parts that a build can go without, with what they need: cmake -DIG_WITH_FETCH=OFF … What is left out has a stand-in,
# x_absent.c, which says so in one line where the part is asked for. docs/install.md has the table.
option(IG_WITH_FETCH "downloads: libcurl" ON)
option(IG_WITH_DUMPS "MediaWiki's dumps: expat" ON)

# Takes the files of parts that are left out from a list of sources, and the stand-ins of those that are not.
function(ig_choose_parts sources)
  set(FETCH "/fetch/download(_address)?")
  set(DUMPS /format/text_mediawiki)
  set(kept ${${sources}})
  foreach(part FETCH DUMPS)
    if(IG_WITH_${part})
      list(FILTER kept EXCLUDE REGEX "${${part}}_absent\\.c$")
    else()
      list(FILTER kept EXCLUDE REGEX "${${part}}\\.c$")
    endif()
  endforeach()
  set(${sources} ${kept} PARENT_SCOPE)
endfunction()
