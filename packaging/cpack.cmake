# SPDX-License-Identifier: Apache-2.0
# What `./dev package` makes: Debian packages and a relocatable tree.
include(GNUInstallDirs)

install(TARGETS lockstepctl lockstep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET lockstep-cuda)  # loaded where CUDA is, so it does no harm where there is none
    install(TARGETS lockstep-cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep COMPONENT cuda)
endif()
if(LOCKSTEP_UI)
    install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT desktop)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/io.lockstep.Lockstep.desktop
        DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT desktop)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/io.lockstep.Lockstep.xml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT desktop)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/io.lockstep.Lockstep.metainfo.xml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT desktop)
    install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/lockstep.svg
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT desktop
        RENAME io.lockstep.Lockstep.svg)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/examples
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep FILES_MATCHING PATTERN "*.toml" PATTERN "train.py"
    PATTERN "cpp" EXCLUDE PATTERN "runs" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/starters DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep
    PATTERN "runs" EXCLUDE)
# What users' own programs import to be seen: the worker puts it on their PYTHONPATH.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/python/lockstep_report
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/python FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockstep)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/guide DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockstep)

set(LOCKSTEP_MAINTAINER "The Lockstep developers <developers@lockstep.example>"
    CACHE STRING "Whom the packages name: a name and an address, of whoever publishes them")

set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR Lockstep)
set(CPACK_PACKAGE_CONTACT "${LOCKSTEP_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
include(CPack)
