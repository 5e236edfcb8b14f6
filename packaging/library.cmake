# SPDX-License-Identifier: Apache-2.0
# The core as a library for others: `cmake --install build/release --component devel --prefix DIR`,
# then find_package(lockstep) and link lockstep::lockstep. Not part of the programs' package.
include(CMakePackageConfigHelpers)

add_library(lockstep_public INTERFACE)
target_link_libraries(lockstep_public INTERFACE lockstep_model_fit)
set_target_properties(lockstep_public PROPERTIES EXPORT_NAME lockstep)

get_property(libraries GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
get_property(generated GLOBAL PROPERTY LOCKSTEP_GENERATED_HEADERS)
set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
install(TARGETS lockstep_public lockstep_options lockstep_messages lockstep_onnx ${libraries} EXPORT lockstep
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel EXCLUDE_FROM_ALL)
install(EXPORT lockstep NAMESPACE lockstep:: DESTINATION ${destination} FILE lockstepTargets.cmake
    COMPONENT devel EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core ${generated}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockstep COMPONENT devel EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.h" PATTERN "*.proto")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lockstepConfig.cmake.in
    ${CMAKE_BINARY_DIR}/lockstepConfig.cmake INSTALL_DESTINATION ${destination})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lockstepConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lockstepConfig.cmake ${CMAKE_BINARY_DIR}/lockstepConfigVersion.cmake
    DESTINATION ${destination} COMPONENT devel EXCLUDE_FROM_ALL)
