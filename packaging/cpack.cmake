# SPDX-License-Identifier: Apache-2.0
# What `./dev package` makes: a Debian package and a relocatable tree.
include(GNUInstallDirs)

install(TARGETS lockstepctl lockstep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not in the packages, which must install where there is no CUDA:
# cmake --install build/release --component cuda
if(TARGET lockstep-cuda)
    install(TARGETS lockstep-cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep COMPONENT cuda EXCLUDE_FROM_ALL)
endif()
if(LOCKSTEP_UI)
    install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/io.lockstep.Lockstep.desktop
        DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/io.lockstep.Lockstep.metainfo.xml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/lockstep.svg
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps RENAME io.lockstep.Lockstep.svg)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/examples
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep FILES_MATCHING PATTERN "*.toml" PATTERN "train.py"
    PATTERN "cpp" EXCLUDE PATTERN "runs" EXCLUDE)
# What users' own programs import to be seen: the worker puts it on their PYTHONPATH.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/python/lockstep_report
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/python FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockstep)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/guide DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockstep)

set(LOCKSTEP_MAINTAINER "The Lockstep developers <developers@lockstep.example>"
    CACHE STRING "Whom the packages name: a name and an address, of whoever publishes them")

# What Debian asks of every package.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/packaging/changelog CONTENT "lockstep (@PROJECT_VERSION@) unstable; urgency=medium

  * What changed is told by CHANGELOG.md.

 -- @LOCKSTEP_MAINTAINER@  @today@
" @ONLY)
find_program(gzip gzip)
if(gzip)
    execute_process(COMMAND ${gzip} -9nc ${CMAKE_BINARY_DIR}/packaging/changelog
        OUTPUT_FILE ${CMAKE_BINARY_DIR}/packaging/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${CMAKE_BINARY_DIR}/packaging/changelog.gz ${CMAKE_CURRENT_LIST_DIR}/copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockstep)
endif()

set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR Lockstep)
set(CPACK_PACKAGE_CONTACT "${LOCKSTEP_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "launch, watch and evaluate data-parallel training")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Sets up a training cluster, starts its workers, shows live what every replica\n does, why a run stopped, and how good its latest checkpoint is.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
