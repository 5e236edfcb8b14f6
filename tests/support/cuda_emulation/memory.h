// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace cuda_emulation {

enum class Kind { Device, Pinned };

/// The memory that a program has reserved. Every block ends at a page that nobody may touch, is
/// full of NaN at first, and a device's is closed to the host's code: reached only while the
/// device works (DeviceWorks). Any thread.
class Memory {
public:
    [[nodiscard]] static Memory& get();

    /// Null: there is no more.
    [[nodiscard]] void* reserve(std::size_t bytes, Kind kind, int device);
    /// False: no such block. Ends the program when something was written around the block.
    [[nodiscard]] bool release(void* data, Kind kind);
    /// Whether all of these bytes lie in one block.
    [[nodiscard]] bool holds(const void* data, std::size_t bytes);
    /// Whether this is memory of the process that a device cannot reach.
    [[nodiscard]] bool isOutOfReach(const void* data);
    /// What is left of one device's memory.
    [[nodiscard]] std::size_t freeBytes(int device);
    [[nodiscard]] static std::size_t totalBytes();

    void open();
    void close();

private:
    struct Block {
        std::size_t bytes;
        Kind kind;
        int device;
        std::byte* pages;  ///< The first of those that may be touched.
        std::size_t pagesBytes;
    };

    static void checkEdges(const std::byte* data, const Block& block);
    void protect(const Block& block, int protection);

    std::mutex mutex_;
    std::map<const std::byte*, Block> blocks_;
    int open_ = 0;
};

/// While it lives the devices' memory can be touched.
class DeviceWorks {
public:
    DeviceWorks() { Memory::get().open(); }
    ~DeviceWorks() { Memory::get().close(); }
    DeviceWorks(const DeviceWorks&) = delete;
    DeviceWorks& operator=(const DeviceWorks&) = delete;
};

}  // namespace cuda_emulation
