// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/shard_crew.h"
#include "tests/support/checkpoint_samples.h"

namespace lockstep::checkpoint::test {

/// What one of `parts` has of a sample: as many rows of each tensor as the others.
inline Snapshot partOf(const Sample& sample, int part, int parts) {
    Snapshot snapshot = sample.snapshot;
    snapshot.isSharded = true;
    snapshot.number = static_cast<std::uint64_t>(sample.snapshot.state.step);
    for (auto* tensors : {&snapshot.model, &snapshot.optimizer})
        for (TensorRef& tensor : *tensors) {
            const std::size_t count = tensor.values.size() / static_cast<std::size_t>(parts);
            tensor.shape[0] /= parts;
            tensor.offsets = {part * tensor.shape[0], 0};
            tensor.values = tensor.values.subspan(static_cast<std::size_t>(part) * count, count);
            tensor.shard = part + 1;
        }
    return snapshot;
}

/// Everybody but the first, in this process: they write when the order comes.
class CrewHere final : public ShardCrew {
public:
    CrewHere(std::filesystem::path checkpoints, const Sample& sample, int parts)
        : checkpoints_(std::move(checkpoints)), sample_(sample), parts_(parts) {}

    [[nodiscard]] Result<void> order(const ShardOrder& order) override {
        written_ = FileRecords();
        for (int part = 1; part < parts_; ++part) {
            auto records = writeShards(checkpoints_ / order.folder, partOf(sample_, part, parts_));
            if (!records) {
                written_ = fail(records.error());
                continue;
            }
            if (written_) written_->merge(*records);
        }
        if (problem) written_ = fail(*problem);
        return {};
    }
    [[nodiscard]] Result<FileRecords> collect() override { return written_; }

    std::optional<Error> problem;  ///< What one of them says instead.

private:
    const std::filesystem::path checkpoints_;
    const Sample& sample_;
    const int parts_;
    Result<FileRecords> written_;
};

}  // namespace lockstep::checkpoint::test
