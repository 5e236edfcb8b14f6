// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/kept_memory.h"

#include <sys/mman.h>

namespace lockstep::launch {

Result<int> KeptMemory::of(std::uint32_t process) {
    UniqueFd& piece = pieces_[process];
    if (!piece.valid()) piece.reset(::memfd_create("lockstep-kept-steps", MFD_CLOEXEC));
    if (!piece.valid())
        return fail(ErrorCode::Io, "cannot create memory for steps to be kept in: " + errnoText());
    return piece.get();
}

}  // namespace lockstep::launch
