// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// Where the ranks of a communicator meet: memory that all of their processes map.
namespace cuda_emulation {

/// What a rank puts down for one turn: a part of its values, and of which operation.
struct Share {
    enum class Kind : std::uint32_t { Sum, Broadcast, Gather };
    Kind kind = Kind::Sum;
    std::uint32_t type = 0;
    std::uint32_t root = 0;
    std::uint64_t elements = 0;
    std::uint64_t offset = 0;
    /// Of the captures that held the communicator's operations, which one; 0: not captured.
    std::uint64_t capture = 0;

    [[nodiscard]] bool operator==(const Share&) const = default;
};

class Meeting {
public:
    static constexpr std::size_t kBytes = std::size_t{256} << 10;  ///< Of a part.

    Meeting(const std::string& name, int ranks, int rank, int device);
    ~Meeting();
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] bool complete() const;
    /// NCCL refuses two ranks on one device.
    [[nodiscard]] bool sharesDevice() const;
    [[nodiscard]] bool lostSomebody() const;

    /// All ranks have taken what was put down before turn `turn` (turns begin at 1).
    [[nodiscard]] bool mayPut(std::uint64_t turn) const;
    void put(std::uint64_t turn, const Share& share, const void* data, std::size_t bytes);
    [[nodiscard]] bool allPut(std::uint64_t turn) const;
    [[nodiscard]] const Share& shareOf(int rank) const;
    [[nodiscard]] const std::byte* dataOf(int rank) const;
    void taken(std::uint64_t turn);

private:
    struct Rank {
        std::atomic<int> process{0};
        int device = 0;
        std::atomic<std::uint64_t> put{0};
        std::atomic<std::uint64_t> taken{0};
        Share share;
        std::byte data[kBytes];
    };

    std::string name_;
    int ranks_;
    int rank_;
    Rank* all_ = nullptr;
};

}  // namespace cuda_emulation
