# SPDX-License-Identifier: Apache-2.0
# Which NCCL a build takes: cmake -DSOURCE=... -DFOLDER=... -P nccl_version.cmake
include(${SOURCE}/core/collective/nccl/version.cmake)

# expect(CONTENT VERSION TAKEN): of a header with this content.
function(expect content version taken)
    file(WRITE ${FOLDER}/nccl.h "${content}")
    lockstep_nccl_version(${FOLDER} found)
    set(takes TRUE)
    if(found VERSION_LESS LOCKSTEP_NCCL_OLDEST)
        set(takes FALSE)
    endif()
    if(NOT found STREQUAL version OR NOT takes STREQUAL taken)
        message(SEND_ERROR "read ${found} (taken: ${takes}), not ${version} (taken: ${taken}), in:\n${content}")
    endif()
endfunction()

expect("#define NCCL_MAJOR 2\n#define NCCL_MINOR 13\n#define NCCL_PATCH 4\n" 2.13.4 FALSE)
expect("#define NCCL_MAJOR 2\n#define NCCL_MINOR 14\n#define NCCL_PATCH 3\n" 2.14.3 TRUE)
expect("#define NCCL_MAJOR 2\n#define NCCL_MINOR 9\n#define NCCL_PATCH 9\n" 2.9.9 FALSE)
expect("#define NCCL_MAJOR 3\n#define NCCL_MINOR 0\n#define NCCL_PATCH 0\n" 3.0.0 TRUE)
expect("no version here\n" 0 FALSE)

lockstep_nccl_version(${FOLDER}/absent found)
if(NOT found STREQUAL "0")
    message(SEND_ERROR "a folder without nccl.h has the version ${found}")
endif()
