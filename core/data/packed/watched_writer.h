// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/try.h"
#include "core/data/load_watch.h"
#include "core/data/packed/packed_file.h"

namespace lockstep::data {

/// Hands on what it takes, for as long as somebody waits for it.
class WatchedWriter final : public PackedWriter {
public:
    WatchedWriter(PackedWriter& writer, const LoadWatch& watch) : writer_(writer), watch_(watch) {}

    [[nodiscard]] Result<void> append(std::span<const std::uint8_t> bytes) override {
        TRY(watch_.stillWanted());
        TRY(writer_.append(bytes));
        bytes_ += bytes.size();
        if (bytes_ < told_ + kBetweenReports) return {};
        told_ = bytes_;
        watch_.report({.unit = LoadProgress::Unit::Bytes, .done = bytes_});
        return {};
    }
    [[nodiscard]] Result<void> endSection() override { return writer_.endSection(); }
    [[nodiscard]] ScratchBytes scratch() const override { return writer_.scratch(); }

private:
    static constexpr std::uint64_t kBetweenReports = std::uint64_t{1} << 20;

    PackedWriter& writer_;
    const LoadWatch& watch_;
    std::uint64_t bytes_ = 0;
    std::uint64_t told_ = 0;
};

}  // namespace lockstep::data
