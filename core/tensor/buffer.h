// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace lockstep::tensor {

/// Memory of a device that frees itself. Begins on a 64-byte boundary, is zero when new. Move-only.
class Buffer {
public:
    using Release = void (*)(void* data, std::size_t bytes);

    Buffer() = default;
    /// Takes over `data`, which `release` frees.
    Buffer(void* data, std::size_t bytes, Release release)
        : data_(data), bytes_(bytes), release_(release) {}
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer moved(std::move(other));
        swap(moved);
        return *this;
    }
    ~Buffer() {
        if (data_ != nullptr) release_(data_, bytes_);
    }

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// The memory as whole elements of T.
    template <typename T>
    [[nodiscard]] std::span<T> as() const {
        return {static_cast<T*>(data_), bytes_ / sizeof(T)};
    }

private:
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        std::swap(release_, other.release_);
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    Release release_ = nullptr;
};

}  // namespace lockstep::tensor
