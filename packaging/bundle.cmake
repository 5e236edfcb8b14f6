# SPDX-License-Identifier: Apache-2.0
# What is copied to hosts that lack this build: share/lockstep/lockstep-MACHINE.tar.gz and its
# manifest, beside bin/ in the build tree as where it is installed.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GNUInstallDirs)

# DT_RPATH, not DT_RUNPATH: it counts for the libraries of libraries, too, and goes before the
# host's LD_LIBRARY_PATH. Where there is no such folder, the system's libraries are found.
set_target_properties(lockstep-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/lockstep" BUILD_WITH_INSTALL_RPATH ON)
target_link_options(lockstep-worker PRIVATE LINKER:--disable-new-dtags)

set(bundle_folder ${CMAKE_BINARY_DIR}/share/lockstep)
set(bundle ${bundle_folder}/lockstep-${CMAKE_SYSTEM_PROCESSOR})
set(bundled_modules "")
if(TARGET lockstep-cuda)  # small; CUDA itself is the hosts' own
    set(bundled_modules lockstep-cuda)
endif()
set(python_module ${CMAKE_SOURCE_DIR}/resources/python/lockstep_report)
add_custom_command(
    OUTPUT ${bundle}.tar.gz ${bundle}.manifest
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/bundle.py $<TARGET_FILE:lockstep-worker>
        ${bundle_folder} $<$<TARGET_EXISTS:lockstep-cuda>:$<TARGET_FILE:lockstep-cuda>>
    DEPENDS lockstep-worker ${bundled_modules} ${CMAKE_CURRENT_LIST_DIR}/bundle.py
        ${python_module}/__init__.py ${python_module}/_keras.py ${python_module}/_lines.py
        ${python_module}/_report.py ${python_module}/_stacks.py ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/LICENSES/Apache-2.0.txt
    COMMENT "Packing lockstep-worker for other hosts" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(lockstep_bundle ALL DEPENDS ${bundle}.tar.gz ${bundle}.manifest)
install(FILES ${bundle}.tar.gz ${bundle}.manifest DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep)
