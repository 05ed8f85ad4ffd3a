# With TILEC_UNITY=ON (preset ci) a clean build compiles sources of a library together, which spares it more than half of the time: most of a
# file's is for templates and inline functions of MLIR that its neighbours use, too. Whoever edits files is better off without.
option(TILEC_UNITY "Compile the sources of a library together" OFF)

# Such a build inlines what is small alone, a quarter of its time, but in the libraries that go through all tasks of a launch.
set(TILEC_LITTLE_INLINING)
set(TILEC_HOT_LIBRARIES tilec_analysis tilec_checker tilec_interpreter tilec_runtime)
if(TILEC_UNITY AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(TILEC_LITTLE_INLINING "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-mllvm -inline-threshold=25>")
endif()

# tilec_join_sources(name): sources that open the same namespaces stand together, 12 in a file at most; names of one file's own have to differ
# there. What opens namespaces that no other does stays alone.
function(tilec_join_sources name)
  if(NOT TILEC_UNITY)
    return()
  endif()
  if(NOT name IN_LIST TILEC_HOT_LIBRARIES)
    target_compile_options(${name} PRIVATE ${TILEC_LITTLE_INLINING})
  endif()
  get_target_property(sources ${name} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    file(STRINGS ${path} opened REGEX "^(using |namespace [a-z]+ = )")
    list(SORT opened)
    string(MD5 key "${opened}")
    if(NOT DEFINED count_${key})
      set(count_${key} 0)
    endif()
    math(EXPR batch "${count_${key}} / 12")
    math(EXPR count_${key} "${count_${key}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${key}-${batch}")
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
