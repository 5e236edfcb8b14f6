// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/checkpoint/checkpoint_provider.h"

namespace lockstep::checkpoint::test {

/// The checkpoints of a folder as they are reached from another host; a test may lay hands on every
/// answer.
class FolderSource final : public CheckpointSource {
public:
    explicit FolderSource(std::filesystem::path folder) : provider_(std::move(folder)) {}

    [[nodiscard]] Result<CheckpointListing> list() override {
        if (silent) return fail(ErrorCode::Timeout, "nobody answers");
        return provider_.list();
    }
    [[nodiscard]] Result<std::string> read(std::int64_t step, const std::string& file,
                                           std::uint64_t offset, std::uint32_t length) override {
        auto piece = provider_.read("agent-1", step, file, offset, length, Nanos{});
        if (onPiece) onPiece(file, piece);
        return piece;
    }

    bool silent = false;
    std::function<void(const std::string& file, Result<std::string>& piece)> onPiece;

private:
    CheckpointProvider provider_;
};

}  // namespace lockstep::checkpoint::test
