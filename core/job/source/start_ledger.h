// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// What a launcher keeps of its run's journal to make another start of it: after which failures the
/// run has begun again by itself, which count like those that the launcher makes up for, what it
/// computes on, and who has a copy of it. One thread.
class StartLedger {
public:
    /// `from`: what lies before it in the journal is of earlier launches.
    explicit StartLedger(std::uint64_t from) : from_(from) {}

    /// What lies before `offset` in the journal is of earlier starts, which are accounted for.
    void beginAt(std::uint64_t offset) {
        from_ = offset;
        newest_.reset();
    }
    /// Whole frames of the journal that lie at `offset`.
    void take(std::uint64_t offset, const std::string& frames);
    /// How often it has begun again by itself since `takeFailures`.
    [[nodiscard]] int size() const { return static_cast<int>(failures_.size()); }
    /// After which failures.
    [[nodiscard]] const std::vector<wire::Failure>& failures() const { return failures_; }
    /// What the run has ended of, where that is an agent which only its launcher starts again.
    [[nodiscard]] std::optional<wire::Failure> lostAgent() const;
    /// Whether nothing was trained since the newest of these restarts: another start in its place
    /// is the same restart.
    [[nodiscard]] bool endsUntrained() const { return !failures_.empty() && !trained_; }
    void dropUntrained() {
        if (endsUntrained()) failures_.pop_back();
    }
    /// Those failures, in order, once. What comes from now on is of another start.
    [[nodiscard]] std::vector<wire::Failure> takeFailures();
    /// "cpu" or "gpu"; empty: nothing has been trained yet.
    [[nodiscard]] const std::string& device() const { return device_; }
    /// The newest step that any replica has ended, in all starts.
    [[nodiscard]] std::int64_t trainedTo() const { return trainedTo_; }
    /// The newest copy of a checkpoint on another host.
    [[nodiscard]] const std::optional<wire::CheckpointCopy>& copy() const { return copy_; }

private:
    std::uint64_t from_;
    std::optional<wire::Failure> newest_;  ///< Since the run began, or began again.
    std::vector<wire::Failure> failures_;
    bool trained_ = false;  ///< Since the newest of them.
    std::string device_;
    std::int64_t trainedTo_ = 0;
    std::optional<wire::CheckpointCopy> copy_;
};

}  // namespace lockstep::job
