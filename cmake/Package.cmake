# What find_package(tilec) finds, in the build tree (-Dtilec_DIR=build) and in an install: the targets, the function
# tilec_add_program, and the device that the runtime was built for.
include(CMakePackageConfigHelpers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tilec-config.cmake.in ${PROJECT_BINARY_DIR}/tilec-config.cmake @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/TilecAddProgram.cmake ${PROJECT_BINARY_DIR}/TilecAddProgram.cmake COPYONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilec-config-version.cmake COMPATIBILITY SameMinorVersion)
export(EXPORT tilec NAMESPACE tilec:: FILE ${PROJECT_BINARY_DIR}/tilec-targets.cmake)
install(EXPORT tilec NAMESPACE tilec:: FILE tilec-targets.cmake DESTINATION lib/cmake/tilec)
install(FILES ${PROJECT_BINARY_DIR}/tilec-config.cmake ${PROJECT_BINARY_DIR}/tilec-config-version.cmake
        ${PROJECT_BINARY_DIR}/TilecAddProgram.cmake DESTINATION lib/cmake/tilec)
