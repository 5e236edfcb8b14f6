// SPDX-License-Identifier: Apache-2.0
// What lies where in the memory of KeptSteps. For its own sources.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/train/replica/kept_steps.h"

namespace lockstep::train {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSlotHead = 512;
constexpr std::size_t kTextBytes = std::size_t{1} << 20;
constexpr std::size_t kWhyBytes = 512;

constexpr std::size_t roundUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Of one replica's records.
constexpr std::size_t kRecordsBytes =
    roundUp(kSlotHead + KeptReplica::kRecords * sizeof(telemetry::StepRecord), kPage);

/// One page more than a whole number of 64 KiB, as in HostSegment: arrays that are walked through
/// together do not fight for a cache's places.
constexpr std::size_t strideOf(std::size_t floats) {
    return roundUp(floats * sizeof(float), 16 * kPage) + kPage;
}

inline std::uint64_t hashOf(const void* bytes, std::size_t count) {
    return shortHash({static_cast<const char*>(bytes), count});
}

/// So that equal blocks at other places give another sum: they may be added in any order.
inline std::uint64_t placed(std::uint64_t hash, std::size_t array, std::size_t element) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
    return hash * (2 * (element + (static_cast<std::uint64_t>(array) << 40U)) + 1) ^
           std::rotl(hash * kOdd, 29);
}

/// Memory of the file, so that no write to it ends the process by SIGBUS. Unavailable.
[[nodiscard]] inline Result<void> claim(int fd, std::size_t offset, std::size_t bytes) {
    int status = 0;
    do
        status = ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    while (status != 0 && errno == EINTR);
    if (status == 0) return {};
    return fail(
        ErrorCode::Unavailable,
        fmt::format("the memory to keep steps in (launch.on_failure = \"regroup\") cannot be "
                    "had: {}",
                    errnoText()),
        "Give the host more memory, or set launch.on_failure to \"restart\".");
}

/// Zero bytes are its first state.
struct KeptSteps::Header {
    std::atomic<std::uint64_t> fingerprint;
    std::atomic<std::uint64_t> lineage;  ///< See KeptSteps::keepOnly.
    std::atomic<std::uint32_t> isDistrusted;
    std::atomic<std::uint32_t> whyLength;
    std::array<char, kWhyBytes> why;
};

/// What lies where, in bytes.
struct KeptSteps::Places {
    explicit Places(const KeptShape& shape)
        : details(roundUp(kSlotHead + shape.buckets * sizeof(collective::Range) +
                              shape.metrics * sizeof(double) + shape.statistics * sizeof(float),
                          kPage)),
          slot(details + kTextBytes),
          records(kPage + static_cast<std::size_t>(shape.replicas) * KeptReplica::kSlots * slot),
          arrays(records + static_cast<std::size_t>(shape.replicas) * kRecordsBytes),
          stride(strideOf(shape.parameters)),
          bytes(arrays +
                KeptReplica::kSlots * (1 + static_cast<std::size_t>(shape.moments)) * stride) {}

    std::size_t details;
    std::size_t slot;
    std::size_t records;
    std::size_t arrays;
    std::size_t stride;
    std::size_t bytes;
};

/// What the sender has not told when the process ends is told by the next life.
struct KeptReplica::Records {
    std::atomic<std::int64_t> told;
    alignas(kSlotHead) std::array<telemetry::StepRecord, kRecords> ring;
};

/// The beginning of a slot: what its arrays do not say.
struct KeptReplica::Slot {
    std::atomic<std::int64_t> word;  ///< The step, once all of it is there; 0: not yet.
    std::uint64_t sum;
    std::int64_t step;
    double lossSum;
    double correct;
    double samples;
    std::int64_t skippedSteps;
    std::uint64_t textBytes;
    std::uint64_t textSum;
};

}  // namespace lockstep::train
