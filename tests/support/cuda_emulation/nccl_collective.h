// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/nccl_meeting.h"

namespace cuda_emulation {

/// What the operations of a communicator share. With the devices' lock.
struct Membership {
    std::unique_ptr<Meeting> meeting;
    std::uint64_t turn = 0;
    std::uint64_t captures = 0;
    std::weak_ptr<const Capture> capture;  ///< The last of them.
    const void* active = nullptr;          ///< The operation that is under way: one at a time.
    bool aborted = false;
    ncclResult_t error = ncclSuccess;
};

/// One collective operation, moved part by part. Copied for each replay.
class Collective {
public:
    Collective(std::shared_ptr<Membership> member, Share share, const void* from, void* to);

    /// Bytes of an element; 0 for a type that is not emulated.
    [[nodiscard]] static std::size_t sizeOf(ncclDataType_t type);
    [[nodiscard]] Progress operator()();

private:
    [[nodiscard]] bool putPart();
    [[nodiscard]] bool takePart();
    void sumPart();

    std::shared_ptr<Membership> member_;
    Share share_;
    const std::byte* from_;
    std::byte* to_;
    std::size_t bytes_;
    std::size_t done_ = 0;
    std::size_t part_ = 0;  ///< Bytes that are put down.
    bool put_ = false;
};

}  // namespace cuda_emulation
