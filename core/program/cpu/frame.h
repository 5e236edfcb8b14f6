// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/check.h"
#include "core/program/program.h"

namespace lockstep::program {

/// What the instructions of one pass work on: the memory and the batch of the moment.
struct Frame {
    std::int64_t rows = 0;  ///< Samples of the batch.
    const float* samples = nullptr;
    float* arena = nullptr;
    const float* parameters = nullptr;
    float* gradients = nullptr;  ///< Backward only.
    float* statistics = nullptr;
    std::uint64_t seed = 0;
    std::int64_t step = 0;
    std::int64_t firstPlace = 0;  ///< Of the first sample within the global batch.
};

/// Where an operand lies in a frame.
class Place {
public:
    Place() = default;
    Place(const Program& program, ValueId value)
        : isInput_(value == 0), value_(program.values[static_cast<std::size_t>(value)]) {}

    /// The caller's samples, which are only read, or a part of the arena.
    [[nodiscard]] const float* read(const Frame& frame) const {
        return isInput_ ? frame.samples : frame.arena + value_.offset;
    }
    [[nodiscard]] float* write(const Frame& frame) const { return frame.arena + value_.offset; }
    /// Of a value per batch that holds doubles.
    [[nodiscard]] std::span<double> doubles(const Frame& frame) const {
        // NOLINTNEXTLINE(bugprone-casting-through-void): the arena is memory without a type.
        return {static_cast<double*>(static_cast<void*>(write(frame))),
                static_cast<std::size_t>(value_.perBatch / 2)};
    }
    /// Floats in the frame's batch.
    [[nodiscard]] std::size_t size(const Frame& frame) const {
        return static_cast<std::size_t>(value_.size(frame.rows));
    }

private:
    bool isInput_ = false;
    Value value_;
};

/// Where a node's tensor and its gradient lie in a frame: in the flat buffers, or in the arena
/// those that a mesh's members hold in parts.
class TensorPlace {
public:
    TensorPlace() = default;
    explicit TensorPlace(std::size_t offset) : offset_(offset) {}
    /// Nothing where the instruction has no use for it.
    TensorPlace(std::optional<Place> whole, std::optional<Place> gradient)
        : isGathered_(true), whole_(whole), gradient_(gradient) {}

    /// Where it lies in the flat buffers; nothing for one that is gathered.
    [[nodiscard]] std::optional<std::size_t> stored() const {
        return isGathered_ ? std::nullopt : std::optional(offset_);
    }
    [[nodiscard]] const float* read(const Frame& frame) const {
        if (!isGathered_) return frame.parameters + offset_;
        LS_CHECK(whole_.has_value(), "a tensor is gathered before it is read");
        return whole_->read(frame);
    }
    [[nodiscard]] float* gradient(const Frame& frame) const {
        if (!isGathered_) return frame.gradients + offset_;
        LS_CHECK(gradient_.has_value(), "what computes gradients has room for them");
        return gradient_->write(frame);
    }

private:
    bool isGathered_ = false;
    std::size_t offset_ = 0;
    std::optional<Place> whole_{};
    std::optional<Place> gradient_{};
};

/// All numbers of an operand in the frame's batch.
[[nodiscard]] inline std::span<const float> all(const Frame& frame, const Place& place) {
    return {place.read(frame), place.size(frame)};
}
/// The same of what is written.
[[nodiscard]] inline std::span<float> result(const Frame& frame, const Place& place) {
    return {place.write(frame), place.size(frame)};
}

}  // namespace lockstep::program
