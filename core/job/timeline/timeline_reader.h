// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/job/timeline/run_timeline.h"

namespace lockstep::job {

/// Reads the timeline of a run from its journal, and what has come since, again and again. Reads
/// the disk, as long as the journal is: not for the UI thread. Used by one thread at a time.
class TimelineReader {
public:
    /// Points that are kept at most: of two neighbours the later one stays.
    static constexpr std::size_t kMostPoints = 1 << 16;
    /// Marks of checkpoints and scores that are kept at most, which a long run has without end: of
    /// two neighbours the later one stays. And of all others together.
    static constexpr std::size_t kMostMarks = 5000;

    explicit TimelineReader(std::filesystem::path runDir);
    ~TimelineReader();
    TimelineReader(const TimelineReader&) = delete;
    TimelineReader& operator=(const TimelineReader&) = delete;

    /// How much of it is read, 0 to 1; false: it is given up.
    using Watch = std::function<bool(double fraction)>;
    /// What is there by now; the same pointer where nothing has come. Null: given up, and what was
    /// read stays read. NotFound when the folder holds no journal.
    [[nodiscard]] Result<std::shared_ptr<const RunTimeline>> read(const Watch& watch = {});

private:
    class Survey;
    std::filesystem::path journal_;
    std::unique_ptr<Survey> survey_;
    std::shared_ptr<const RunTimeline> published_;
};

}  // namespace lockstep::job
