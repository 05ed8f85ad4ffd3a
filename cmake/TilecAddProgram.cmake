# tilec_add_program: a tile program as a library that an application links. Needs the targets tilec::tilec and
# tilec::runtime and the variable TILEC_DEVICE; find_package(tilec) and tilec's own build give all three.
include_guard(GLOBAL)
if(TILEC_DEVICE STREQUAL hip)
  enable_language(HIP)
elseif(TILEC_DEVICE STREQUAL cuda)
  enable_language(CUDA)
endif()
set(TILEC_EMULATOR_FLAGS -O2 -march=native -fexcess-precision=16 CACHE STRING "how generated text is compiled for the emulator")

# tilec_add_program(name SOURCE prog.mlir [TARGET gfx942] [WORLD n] [PATTERN p] [ORDER o]
#                   [PARAMETERS BM=128 ...] [EXTENTS K=4096 ...])
# Compiles every tile.program @p of the source when the application is built and makes the library `name`, which
#   - holds the launch functions p_launch (pass them to tilec_program_link),
#   - gives the folder of the headers as an include directory: #include "p.h",
#   - defines P_MANIFEST, the path of p.json, as a string, and P_WORLD, the number of ranks if WORLD gives it, for the
#     code that links it,
#   - links the runtime.
# The target's properties TILEC_TEXTS and TILEC_MANIFESTS list the .hip and .json files. Options are those of the
# command tilec. TARGET is a name of `tilec --target` or the path of a target's description.
function(tilec_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "SOURCE;TARGET;WORLD;PATTERN;ORDER" "PARAMETERS;EXTENTS")
  if(program_UNPARSED_ARGUMENTS OR program_KEYWORDS_MISSING_VALUES OR NOT program_SOURCE)
    message(FATAL_ERROR "tilec_add_program(${name}): expected SOURCE and known options with values, got '${ARGN}'")
  endif()
  if(NOT program_TARGET)
    set(program_TARGET gfx942)
  endif()
  get_filename_component(source ${program_SOURCE} ABSOLUTE)
  _tilec_program_names(programs ${source})

  set(options --target ${program_TARGET})
  foreach(option WORLD PATTERN ORDER)
    if(program_${option})
      string(TOLOWER ${option} flag)
      list(APPEND options --${flag} ${program_${option}})
    endif()
  endforeach()
  foreach(value ${program_PARAMETERS})
    list(APPEND options --param ${value})
  endforeach()
  foreach(value ${program_EXTENTS})
    list(APPEND options --extent ${value})
  endforeach()

  foreach(list texts headers manifests definitions made)
    set(${list} "") # the caller may have one of this name
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(fresh ${CMAKE_CURRENT_BINARY_DIR}/${name}.fresh)
  foreach(program ${programs})
    list(APPEND texts ${folder}/${program}.hip)
    list(APPEND headers ${folder}/${program}.h)
    list(APPEND manifests ${folder}/${program}.json)
    string(TOUPPER ${program} constant)
    list(APPEND definitions "${constant}_MANIFEST=\"${folder}/${program}.json\"")
    if(program_WORLD)
      list(APPEND definitions "${constant}_WORLD=${program_WORLD}")
    endif()
    foreach(ending hip h json)
      list(APPEND made ${fresh}/${program}.${ending})
    endforeach()
  endforeach()
  # A new compiler that prints the same text must not make the application compile it again.
  list(JOIN options " " words)
  add_custom_command(OUTPUT ${texts} ${headers} ${manifests}
    COMMAND tilec::tilec ${source} ${options} -o ${fresh}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${made} ${folder}
    DEPENDS ${source} $<TARGET_FILE:tilec::tilec>
    COMMENT "tilec ${program_SOURCE} ${words}" VERBATIM)
  file(MAKE_DIRECTORY ${folder})

  add_library(${name} STATIC ${texts})
  # For quoted includes alone: a program may have the name of a system header, as @signal has.
  target_compile_options(${name} INTERFACE "SHELL:-iquote \"${folder}\"")
  target_compile_definitions(${name} INTERFACE ${definitions})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PUBLIC tilec::runtime)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX TILEC_TEXTS "${texts}" TILEC_MANIFESTS "${manifests}"
                        POSITION_INDEPENDENT_CODE ON)
  if(TILEC_DEVICE STREQUAL emulated)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
      message(FATAL_ERROR "generated text needs clang++ on the emulator, got ${CMAKE_CXX_COMPILER}: "
                          "set CMAKE_CXX_COMPILER to clang++-22")
    endif()
    # The pragmas are the device compiler's.
    set_source_files_properties(${texts} PROPERTIES LANGUAGE CXX
                                COMPILE_OPTIONS "-x;c++;${TILEC_EMULATOR_FLAGS};-Wno-pass-failed")
  elseif(TILEC_DEVICE STREQUAL cuda)
    _tilec_architecture(architecture ${program_TARGET})
    string(REPLACE sm_ "" number ${architecture})
    set_source_files_properties(${texts} PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS "--expt-relaxed-constexpr")
    set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES ${number}-real CUDA_STANDARD 20 LINKER_LANGUAGE CUDA)
  else()
    _tilec_architecture(architecture ${program_TARGET})
    set_source_files_properties(${texts} PROPERTIES LANGUAGE HIP)
    set_target_properties(${name} PROPERTIES HIP_ARCHITECTURES ${architecture} HIP_STANDARD 20)
  endif()
endfunction()

# The names of the programs of a source: they name the files that tilec writes.
function(_tilec_program_names result source)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "tilec_add_program: no file '${source}'")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} lines REGEX "^[^/]*tile\\.program +@[A-Za-z_0-9]+")
  set(programs "")
  foreach(line ${lines})
    string(REGEX REPLACE ".*tile\\.program +@([A-Za-z_0-9]+).*" "\\1" program "${line}")
    list(APPEND programs ${program})
  endforeach()
  if(NOT programs)
    message(FATAL_ERROR "tilec_add_program: '${source}' has no 'tile.program'")
  endif()
  set(${result} ${programs} PARENT_SCOPE)
endfunction()

# What the device compiler calls the target: gfx942 for gfx942-mi325x.
function(_tilec_architecture result target)
  if(target MATCHES "\\.json$")
    file(READ ${target} description)
    string(JSON architecture GET "${description}" arch)
  else()
    string(REGEX REPLACE "-.*" "" architecture ${target})
  endif()
  set(${result} ${architecture} PARENT_SCOPE)
endfunction()
