// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// A run's epochs.csv, as Keras' CSVLogger writes it: a header, then one line an epoch, each
/// appended by one write, so that a reader sees whole lines. Metrics have columns behind the fixed
/// ones, in the order in which they came; a run that goes on with others keeps those it had. A
/// start of the run that goes on from an earlier step takes back the lines behind it (and what a
/// crash left half written): every epoch is there once, also one that is applied again, and one
/// that an earlier start ended within. Used by one thread.
class EpochCsv {
public:
    explicit EpochCsv(std::filesystem::path path) : path_(std::move(path)) {}

    /// Takes in a record of the run's journal, in its order, and flushes.
    [[nodiscard]] Result<void> apply(const wire::Record& record);
    /// Writes what was taken in. After a failure (disk full) it is kept: try again.
    [[nodiscard]] Result<void> flush();

private:
    struct Line {
        std::uint64_t epoch = 0;
        std::uint64_t step = 0;
        std::string text;
        std::vector<std::pair<std::string, double>> figures;
    };
    [[nodiscard]] bool hasNewColumns() const;
    [[nodiscard]] bool endsCutEpoch() const;
    [[nodiscard]] std::string textOf(const Line& line) const;
    [[nodiscard]] Result<void> takeOver();
    [[nodiscard]] Result<void> append(const std::string& lines) const;

    std::filesystem::path path_;
    std::optional<std::uint64_t> restartAt_;  ///< Lines behind that step go.
    std::vector<Line> pending_;
    std::vector<std::string> columns_;  ///< Behind the fixed ones.
    std::uint64_t bytes_ = 0;           ///< Of the file as we left it; 0: it is to be read.
    std::map<std::uint64_t, std::uint64_t> stepOfEpoch_;  ///< Of its lines.
};

}  // namespace lockstep::telemetry
