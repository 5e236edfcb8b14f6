// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/batch_floats.h"

#include <cstring>

#include "core/base/check.h"
#include "core/tensor/cpu/operations.h"

namespace lockstep::train {

namespace {

std::uint16_t numberAt(std::span<const std::uint8_t> stored, std::size_t i) {
    std::uint16_t value = 0;
    std::memcpy(&value, stored.data() + i * sizeof value, sizeof value);
    return value;
}

}  // namespace

void fillFloats(data::InputKind kind, std::span<const std::uint8_t> stored,
                std::span<float> floats) {
    switch (kind) {
        case data::InputKind::Pixels:
            tensor::scaleBytes(stored, floats);
            return;
        case data::InputKind::Floats:
            LS_CHECK(stored.size() == floats.size_bytes(), "as many floats as numbers are needed");
            if (!floats.empty()) std::memcpy(floats.data(), stored.data(), stored.size());
            return;
        case data::InputKind::Tokens:
            LS_CHECK(stored.size() == floats.size() * sizeof(std::uint16_t),
                     "as many floats as tokens are needed");
            for (std::size_t i = 0; i < floats.size(); ++i)
                floats[i] = numberAt(stored, i);
            return;
    }
}

}  // namespace lockstep::train
