# SPDX-License-Identifier: Apache-2.0
# The oldest NCCL whose connections neither block nor end the process: ncclCommInitRankConfig and
# ncclCommFinalize came with it.
set(LOCKSTEP_NCCL_OLDEST 2.14)

# lockstep_nccl_version(FOLDER RESULT): the version that FOLDER/nccl.h defines, 0 where there is none.
function(lockstep_nccl_version folder result)
    set(lines "")
    if(EXISTS "${folder}/nccl.h")
        file(STRINGS "${folder}/nccl.h" lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
    endif()
    string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
    list(JOIN numbers . version)
    if(NOT version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
        set(version 0)
    endif()
    set(${result} ${version} PARENT_SCOPE)
endfunction()
