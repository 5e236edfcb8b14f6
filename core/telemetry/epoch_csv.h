// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/wire/messages.pb.h"

namespace lockstep::telemetry {

/// A run's epochs.csv, as Keras' CSVLogger writes it: a header, then one line an epoch, each
/// appended by one write, so that a reader sees whole lines. A start of the run that goes on from
/// an earlier step takes back the lines behind it (and what a crash left half written): every
/// epoch is there once. Used by one thread.
class EpochCsv {
public:
    explicit EpochCsv(std::filesystem::path path) : path_(std::move(path)) {}

    /// Takes in a record of the run's journal, in its order. A failure (disk full) harms nothing
    /// but this file.
    [[nodiscard]] Result<void> apply(const wire::Record& record);

private:
    [[nodiscard]] Result<void> startAt(std::uint64_t firstStep) const;
    [[nodiscard]] Result<void> append(const wire::EpochResult& epoch) const;

    std::filesystem::path path_;
};

}  // namespace lockstep::telemetry
