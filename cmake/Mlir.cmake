# Finds Debian's LLVM/MLIR 22.1 and defines tilec_mlir, the interface every compiler library links: MLIR and LLVM, LLVM's own
# switches (no RTTI, no exceptions) and one precompiled header, which cuts a file from eight seconds to two.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(Unity)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# TableGen takes its search path from the directory property.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

add_library(tilec_mlir INTERFACE)
target_include_directories(tilec_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# std::stable_sort of libstdc++ 12 uses its own deprecated std::get_temporary_buffer. It silences the warning by a pragma,
# which clang loses in a precompiled header.
target_compile_options(tilec_mlir INTERFACE -fno-exceptions -fno-rtti -Wno-unused-function -Wno-deprecated-declarations)

# The archives of MLIR and LLVM: a program linked to the shared libraries spends 20 ms on 350,000 relocations before `main`, twice
# what it takes to compile a copy. lld takes from them what is used, in any order and in a second; without lld, or without
# what LLVM's archives need, the shared libraries serve as well.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld TILEC_HAS_LLD)
find_library(TILEC_ZLIB NAMES z libz.so.1)
find_library(TILEC_ZSTD NAMES zstd libzstd.so.1)
set(archives)
foreach(name ${MLIR_EXPORTED_TARGETS} ${LLVM_AVAILABLE_LIBS})
  if(TARGET ${name})
    get_target_property(type ${name} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" AND name MATCHES "^(MLIR|LLVM)" AND NOT name MATCHES "^MLIRCAPI")
      list(APPEND archives $<TARGET_FILE:${name}>)
    endif()
  endif()
endforeach()
if(TILEC_HAS_LLD AND TILEC_ZLIB AND TILEC_ZSTD AND archives)
  target_link_options(tilec_mlir INTERFACE -fuse-ld=lld LINKER:--gc-sections)
  target_link_libraries(tilec_mlir INTERFACE ${archives} ${TILEC_ZLIB} ${TILEC_ZSTD} ${CMAKE_DL_LIBS})
else()
  target_link_libraries(tilec_mlir INTERFACE MLIR LLVM)
endif()

# tilec_add_library(name sources...): a compiler library with the shared precompiled header.
function(tilec_add_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tilec_mlir)
  if(TARGET tilec_precompiled)
    target_precompile_headers(${name} REUSE_FROM tilec_precompiled)
  endif()
  tilec_join_sources(${name})
endfunction()

# tilec_add_tool(name sources...): a compiler program in build/bin.
function(tilec_add_tool name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tilec_mlir)
  # The precompiled header is position independent code; an executable must say the same, not -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF BUILD_RPATH "${LLVM_LIBRARY_DIR}")
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM tilec_precompiled)
  tilec_join_sources(${name})
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/Precompiled.cpp "// Holds the precompiled header.\n")
add_library(tilec_precompiled STATIC ${PROJECT_BINARY_DIR}/Precompiled.cpp)
target_link_libraries(tilec_precompiled PUBLIC tilec_mlir)
target_precompile_headers(tilec_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
# Of the headers of the dialects a part is generated.
add_dependencies(tilec_precompiled TilecDialectIncGen)
