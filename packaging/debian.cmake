# SPDX-License-Identifier: Apache-2.0
# The Debian packages: lockstep, which needs no display; lockstep-desktop, the window; and lockstep-cuda where the
# module for GPUs was built.

# 2: the desktop program is a package of its own.
set(CPACK_DEBIAN_PACKAGE_RELEASE 2)
set(debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# What Debian asks of every package.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/packaging/changelog CONTENT "lockstep (@debian_version@) unstable; urgency=medium

  * What changed is told by CHANGELOG.md.

 -- @LOCKSTEP_MAINTAINER@  @today@
" @ONLY)
find_program(gzip gzip)
if(gzip)
    execute_process(COMMAND ${gzip} -9nc ${CMAKE_BINARY_DIR}/packaging/changelog
        OUTPUT_FILE ${CMAKE_BINARY_DIR}/packaging/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
endif()

# debian_papers(PACKAGE COPYRIGHT ...): with what install() takes besides.
function(debian_papers package copyright)
    if(gzip)
        set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package})
        install(FILES ${CMAKE_BINARY_DIR}/packaging/changelog.Debian.gz DESTINATION ${folder} ${ARGN})
        install(FILES ${PROJECT_SOURCE_DIR}/packaging/${copyright} DESTINATION ${folder} RENAME copyright ${ARGN})
    endif()
endfunction()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would be the first line of all; each has its own

debian_papers(lockstep copyright)
set(CPACK_COMPONENTS_ALL Unspecified)  # CMake's name for what is installed under no component's name
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME lockstep)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SECTION science)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "launch, watch and evaluate data-parallel training
Sets up a training cluster, starts its workers, shows live what every replica
does, why a run stopped, and how good its latest checkpoint is.

These are the programs for a terminal, which need no display; lockstep-desktop
has the window.")

if(LOCKSTEP_UI)
    debian_papers(lockstep-desktop copyright-desktop COMPONENT desktop EXCLUDE_FROM_ALL)
    list(APPEND CPACK_COMPONENTS_ALL desktop)
    list(APPEND suggested lockstep-desktop)
    set(CPACK_COMPONENT_DESKTOP_DEPENDS Unspecified)  # of the same version: the window starts its worker
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_NAME lockstep-desktop)
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_DEPENDS libqt6sql6-sqlite)  # loaded, not linked
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_RECOMMENDS qt6-translations-l10n)
    set(former "lockstep (<< 0.1.0-2~)")  # had these files
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_BREAKS ${former})
    set(CPACK_DEBIAN_DESKTOP_PACKAGE_REPLACES ${former})
    set(CPACK_DEBIAN_DESKTOP_DESCRIPTION "window of Lockstep, to launch, watch and evaluate training
Sets up a training cluster in a form or as text, shows live and replica by
replica what a data-parallel training does, and why it stopped; puts runs
beside each other, and scores and tries their checkpoints.")
endif()

if(TARGET lockstep-cuda)
    list(APPEND suggested lockstep-cuda)
endif()
list(JOIN suggested ", " CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS)
if(NOT TARGET lockstep-cuda)
    return()
endif()
debian_papers(lockstep-cuda copyright COMPONENT cuda EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/lockstep-cuda.overrides COMPONENT cuda EXCLUDE_FROM_ALL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME lockstep-cuda)
list(APPEND CPACK_COMPONENTS_ALL cuda)
set(CPACK_COMPONENT_CUDA_DEPENDS Unspecified)  # of the same version, so with all of Debian's that the module needs
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS libc6)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)  # it would demand the packages CUDA is from, where CUDA is from packages
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME lockstep-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION contrib/science)
# CUDA is not Debian's, so the package must install without it: NVIDIA's names, or those of Debian's non-free.
find_package(CUDAToolkit REQUIRED)  # the variables of the folder that builds the module are its own
set(cuda ${CUDAToolkit_VERSION_MAJOR})
set(nvidia ${cuda}-${CUDAToolkit_VERSION_MINOR})
set(CPACK_DEBIAN_CUDA_PACKAGE_RECOMMENDS
    "cuda-cudart-${nvidia} | libcudart${cuda}, libcublas-${nvidia} | libcublaslt${cuda}, libnccl2")
set(CPACK_DEBIAN_CUDA_DESCRIPTION "data-parallel training on NVIDIA GPUs with Lockstep
The module by which Lockstep's workers compute on NVIDIA GPUs and add up
gradients with NCCL. Without a GPU nothing loads it.

It needs NVIDIA's driver, the runtime and cuBLAS of CUDA ${cuda}, and NCCL,
which Debian's main archive does not have. lockstep-worker --probe says in
words what is missing of them; until then Lockstep computes on the processor.")
