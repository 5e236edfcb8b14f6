// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/telemetry/scalars.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Writes one TensorBoard event file: records u64 length, masked CRC-32C of it, Event message,
/// masked CRC-32C of it. Buffered. Used by one thread.
class EventFile {
public:
    /// A new file events.out.tfevents.SECONDS.HOST.PID.N in `folder`; the first flush makes both.
    EventFile(std::filesystem::path folder, double wallTime);

    void addScalar(const Scalar& scalar);
    /// The run begins again with `step`: TensorBoard forgets what it read from there on.
    void addRestart(std::uint64_t step, double wallTime);
    /// Writes the buffer. After a failure all of it is kept, and the file ends at a record.
    [[nodiscard]] Result<void> flush();
    [[nodiscard]] std::size_t bufferedBytes() const { return buffer_.size(); }

private:
    [[nodiscard]] Result<void> create();

    std::filesystem::path folder_;
    double wallTime_;
    UniqueFd fd_;  ///< None before the first flush.
    std::filesystem::path path_;
    std::string buffer_;
    std::uint64_t written_ = 0;
};

/// Turns a run's records into event files, one TensorBoard run per folder: replica-K, train,
/// validation, evaluator, and job for named figures of the whole run. A replica's steps are thinned
/// to about ten points a second, since TensorBoard reads them all at once; epochs and evaluations
/// are written in full. A resumed run writes new files beside the old ones, which TensorBoard
/// joins; steps that are trained again replace their former selves. Used by one thread.
class EventSink {
public:
    explicit EventSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Takes in a record. A failure of a flush on the way is returned; flush again before more is
    /// applied, for what cannot be written stays in memory.
    [[nodiscard]] Result<void> apply(const wire::Record& record);
    /// Call every second or so, and at the end.
    [[nodiscard]] Result<void> flush();

private:
    void restart(std::uint64_t firstStep, double wallTime);
    [[nodiscard]] EventFile& fileFor(const std::string& run, double wallTime);
    [[nodiscard]] bool isThinnedOut(const Scalar& scalar);

    std::filesystem::path folder_;
    std::optional<std::uint64_t> firstStep_;  ///< Done before the run's newest start.
    ScalarExpander expander_;
    std::vector<Scalar> scalars_;
    std::map<std::string, EventFile> files_;
    struct LastPoint {
        std::uint64_t step = 0;
        double wallTime = 0;
    };
    std::map<std::pair<int, std::string_view>, LastPoint> lastPoints_;  // by replica and tag
};

}  // namespace lockstep::telemetry
