// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include <cstring>
#include <utility>

namespace lockstep::data {

namespace {

std::size_t bytesOf(InputKind kind) {
    switch (kind) {
        case InputKind::Pixels:
            return 1;
        case InputKind::Floats:
            return sizeof(float);
        case InputKind::Tokens:
            return sizeof(std::uint16_t);
    }
    return 1;
}

template <typename T>
SharedBytes bytesOfAll(std::span<const T> values) {
    std::vector<std::uint8_t> bytes(values.size_bytes());
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

}  // namespace

std::size_t Split::features() const {
    return static_cast<std::size_t>(model::elementCount(shape)) + extras;
}

std::size_t Split::bytesPerSample() const {
    return features() * bytesOf(inputKind);
}

std::span<const std::uint8_t> Split::input(std::uint32_t index) const {
    const std::size_t first = inputKind == InputKind::Tokens
                                  ? std::size_t{index} * stride * sizeof(std::uint16_t)
                                  : index * bytesPerSample();
    return std::span<const std::uint8_t>(inputs).subspan(first, bytesPerSample());
}

std::size_t Split::bytesPerTarget() const {
    switch (targetKind) {
        case TargetKind::Class:
            return sizeof(std::uint16_t);
        case TargetKind::NextToken:
            return bytesPerSample();
        case TargetKind::Values:
            return valuesPerSample * sizeof(float);
    }
    return 0;
}

std::span<const std::uint8_t> Split::target(std::uint32_t index) const {
    if (targetKind != TargetKind::NextToken)
        return std::span<const std::uint8_t>(targets).subspan(index * bytesPerTarget(),
                                                              bytesPerTarget());
    const std::size_t first = (std::size_t{index} * stride + 1) * sizeof(std::uint16_t);
    return std::span<const std::uint8_t>(inputs).subspan(first, bytesPerSample());
}

std::uint16_t Split::label(std::uint32_t index) const {
    std::uint16_t value = 0;
    std::memcpy(&value, targets.data() + std::size_t{index} * sizeof value, sizeof value);
    return value;
}

SharedBytes labelBytes(std::span<const std::uint16_t> labels) {
    return bytesOfAll(labels);
}

SharedBytes labelBytes(std::span<const std::uint8_t> labels) {
    const std::vector<std::uint16_t> wide(labels.begin(), labels.end());
    return labelBytes(std::span<const std::uint16_t>(wide));
}

Split imageSplit(std::uint32_t count, model::Shape shape, SharedBytes pixels, SharedBytes labels) {
    Split split;
    split.count = count;
    split.shape = std::move(shape);
    split.inputs = std::move(pixels);
    split.targets = std::move(labels);
    return split;
}

SharedBytes floatBytes(std::span<const float> values) {
    return bytesOfAll(values);
}

}  // namespace lockstep::data
