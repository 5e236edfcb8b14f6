// SPDX-License-Identifier: Apache-2.0
#include "core/train/objective/batch_targets.h"

#include <cstring>

namespace lockstep::train {

namespace {

void readLabels(std::span<const std::uint8_t> stored, std::vector<std::int32_t>& labels) {
    labels.resize(stored.size() / sizeof(std::uint16_t));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        std::uint16_t label = 0;
        std::memcpy(&label, stored.data() + i * sizeof label, sizeof label);
        labels[i] = label;
    }
}

}  // namespace

BatchTargets TargetBuffer::take(data::TargetKind kind, std::span<const std::uint8_t> stored) {
    if (kind == data::TargetKind::Values) {
        values_.resize(stored.size() / sizeof(float));
        if (!stored.empty()) std::memcpy(values_.data(), stored.data(), stored.size());
        return {.values = values_};
    }
    readLabels(stored, labels_);
    return {.labels = labels_};
}

BatchTargets TargetBuffer::mix(BatchTargets targets, std::span<const std::uint8_t> others,
                               std::span<const float> shares) {
    readLabels(others, others_);
    targets.others = others_;
    targets.shares = shares;
    return targets;
}

}  // namespace lockstep::train
